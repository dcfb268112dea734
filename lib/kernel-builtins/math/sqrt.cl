// sqrt, rsqrt, quotients and reciprocals with their native and half forms. Divisions and square roots are the
// hardware's: nothing that is as exact takes fewer cycles. A reciprocal root from an estimate does.
#include "weft_math.h"

// y + y/2 * (1 - x y^2). Where the estimate is 0 or infinite it is the result, and the rest is NaN.
WEFT_INLINE float weft_rsqrt_f(float x)
{
    if (!__weft_target_has_avx512)
        return 1.0f / __builtin_elementwise_sqrt(x);
    float y = __weft_rsqrt_f(x);
    float d = weft_mad_f(-(x * y), y, 1.0f);
    float r = weft_mad_f(0.5f * y, d, y);
    return d == d ? r : y;
}

// Two steps, the second with what y^2 x lacks of 1: an estimate of 14 bits becomes one of 28, then of 53. The last step takes
// the next term of the series too.
WEFT_INLINE double weft_rsqrt_d(double x)
{
    if (!__weft_target_has_avx512)
        return 1.0 / __builtin_elementwise_sqrt(x);
    double e = __weft_rsqrt_d(x);
    double d = weft_mad_d(-(x * e), e, 1.0);
    double y = weft_mad_d(e * d, weft_mad_d(d, 0.375, 0.5), e);
    d = weft_mad_d(-(x * y), y, 1.0);
    double r = weft_mad_d(0.5 * y, d, y);
    return d == d ? r : e;
}

// y + y * (1 - x y), likewise
WEFT_INLINE float weft_reciprocal_fast_f(float x)
{
    if (!__weft_target_has_avx512)
        return 1.0f / x;
    float y = __weft_reciprocal_f(x);
    float d = weft_mad_f(-x, y, 1.0f);
    float r = weft_mad_f(y, d, y);
    return d == d ? r : y;
}

float WEFT_API sqrt(float x)
{
    return __builtin_elementwise_sqrt(x);
}
WEFT_V1(float, sqrt, float)

float WEFT_API rsqrt(float x)
{
    return weft_rsqrt_f(x);
}
WEFT_V1(float, rsqrt, float)

double WEFT_API sqrt(double x)
{
    return __builtin_elementwise_sqrt(x);
}
WEFT_V1(double, sqrt, double)

double WEFT_API rsqrt(double x)
{
    return weft_rsqrt_d(x);
}
WEFT_V1(double, rsqrt, double)

float WEFT_API half_sqrt(float x)
{
    return __builtin_elementwise_sqrt(x);
}
WEFT_V1(float, half_sqrt, float)

float WEFT_API native_sqrt(float x)
{
    return __builtin_elementwise_sqrt(x);
}
WEFT_V1(float, native_sqrt, float)

float WEFT_API half_rsqrt(float x)
{
    return weft_rsqrt_f(x);
}
WEFT_V1(float, half_rsqrt, float)

float WEFT_API native_rsqrt(float x)
{
    return weft_rsqrt_f(x);
}
WEFT_V1(float, native_rsqrt, float)

float WEFT_API half_recip(float x)
{
    return 1.0f / x;
}
WEFT_V1(float, half_recip, float)

float WEFT_API native_recip(float x)
{
    return weft_reciprocal_fast_f(x);
}
WEFT_V1(float, native_recip, float)

float WEFT_API half_divide(float x, float y)
{
    return x / y;
}
WEFT_V2(float, half_divide, float, float)

float WEFT_API native_divide(float x, float y)
{
    return x * weft_reciprocal_fast_f(y);
}
WEFT_V2(float, native_divide, float, float)
