// sqrt, rsqrt, quotients and reciprocals with their native and half forms. Divisions and square roots are the
// hardware's: nothing that is as exact takes fewer cycles. A reciprocal root from an estimate does.
#include "weft_math.h"

// A better 1/sqrt(x): the error of y, cubed.
WEFT_INLINE float weft_rsqrt_step_f(float x, float y)
{
    float d = weft_mad_f(-(x * y), y, 1.0f);
    return weft_mad_f(y * d, weft_mad_f(d, 0.375f, 0.5f), y);
}

// With FMA and without math primitives: halving and negating the exponent is within 4 %, and steps follow. The first processors with FMA take
// several times as long for a root and a division; these serve what isn't positive and normal.
WEFT_INLINE float weft_rsqrt_bits_f(float x)
{
    if (!__weft_target_has_fma)
        return 1.0f / __builtin_elementwise_sqrt(x);
    uint u = weft_bits_f(x);
    float y = weft_from_f(0x5f3759dfu - (u >> 1));
    y = weft_rsqrt_step_f(x, weft_rsqrt_step_f(x, y));
    bool plain = u - 0x800000u < 0x7f000000u;
    return __builtin_expect(plain, 1) ? y : 1.0f / __builtin_elementwise_sqrt(x);
}

WEFT_INLINE double weft_rsqrt_step_d(double x, double y)
{
    double d = weft_mad_d(-(x * y), y, 1.0);
    return weft_mad_d(y * d, weft_mad_d(d, 0.375, 0.5), y);
}

WEFT_INLINE double weft_rsqrt_bits_d(double x)
{
    if (!__weft_target_has_fma)
        return 1.0 / __builtin_elementwise_sqrt(x);
    ulong u = weft_bits_d(x);
    double y = weft_from_d(0x5fe6eb50c7b537a9ul - (u >> 1));
    y = weft_rsqrt_step_d(x, weft_rsqrt_step_d(x, weft_rsqrt_step_d(x, y)));
    bool plain = (int)(x >= 0x1p-1022) & (int)(x < WEFT_INF_D);
    return __builtin_expect(plain, 1) ? y : 1.0 / __builtin_elementwise_sqrt(x);
}

// y + y/2 * (1 - x y^2). Where the estimate is 0 or infinite it is the result, and the rest is NaN.
WEFT_INLINE float weft_rsqrt_f(float x)
{
    if (!__weft_target_has_math_primitives)
        return weft_rsqrt_bits_f(x);
    float y = __weft_rsqrt_f(x);
    float d = weft_mad_f(-(x * y), y, 1.0f);
    float r = weft_mad_f(0.5f * y, d, y);
    return d == d ? r : y;
}

// An estimate of 14 bits: of (1 - d)^(-1/2), |d| < 2^-13, five terms are all.
WEFT_INLINE double weft_rsqrt_d(double x)
{
    if (!__weft_target_has_math_primitives)
        return weft_rsqrt_bits_d(x);
    double y = __weft_rsqrt_d(x);
    double d = weft_mad_d(-(x * y), y, 1.0);
    double p = weft_mad_d(d, weft_mad_d(d, weft_mad_d(d, 35.0 / 128.0, 0.3125), 0.375), 0.5);
    double r = weft_mad_d(y * d, p, y);
    return d == d ? r : y;
}

// y + y * (1 - x y), likewise
WEFT_INLINE float weft_reciprocal_fast_f(float x)
{
    if (!__weft_target_has_math_primitives)
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
    return __weft_target_has_math_primitives ? __weft_rsqrt_f(x) : weft_rsqrt_f(x);
}
WEFT_V1(float, half_rsqrt, float)

// How exact native functions are is the implementation's choice: 14 bits, where the processor has an estimate of these.
float WEFT_API native_rsqrt(float x)
{
    return __weft_target_has_math_primitives ? __weft_rsqrt_f(x) : weft_rsqrt_f(x);
}
WEFT_V1(float, native_rsqrt, float)

float WEFT_API half_recip(float x)
{
    return 1.0f / x;
}
WEFT_V1(float, half_recip, float)

float WEFT_API native_recip(float x)
{
    return __weft_target_has_math_primitives ? __weft_reciprocal_f(x) : 1.0f / x;
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
