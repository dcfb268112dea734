// sqrt, rsqrt, quotients and reciprocals, and their native_* and half_* versions. Divisions and square roots
// use the hardware's instructions: nothing that is as exact takes fewer cycles. A reciprocal square root is
// computed from an estimate, which does take fewer.
#include "weft_math.h"

// One step of refinement: y approximates 1/sqrt(x). The relative error of the result is about that of y,
// cubed.
WEFT_INLINE float weft_rsqrt_step_f(float x, float y)
{
    float d = weft_mad_f(-(x * y), y, 1.0f);
    return weft_mad_f(y * d, weft_mad_f(d, 0.375f, 0.5f), y);
}

// 1/sqrt(x) on targets without math primitives. Without an estimate from the processor, halving and negating
// the exponent gives one within 4 %. The first processors with FMA take several times as long for a square
// root and a division. Those remain without FMA, where the steps take twice as many instructions, and for x
// that isn't positive and normal.
WEFT_INLINE float weft_rsqrt_bits_f(float x)
{
    if (!__weft_target_has_fma)
        return 1.0f / __builtin_elementwise_sqrt(x);
    uint u = weft_bits_f(x);
    float y = __weft_target_has_estimates ? __weft_rsqrt_f(x)
                                          : weft_rsqrt_step_f(x, weft_from_f(0x5f3759dfu - (u >> 1)));
    y = weft_rsqrt_step_f(x, y);
    if (__builtin_expect(!(u - 0x800000u < 0x7f000000u), 0))
        y = 1.0f / __builtin_elementwise_sqrt(x);
    return y;
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
    if (__weft_target_has_estimates) {
        // An estimate of a float is good for 11 bits: here, too, five terms are enough.
        double y = (double)__weft_rsqrt_f((float)x), d = weft_mad_d(-(x * y), y, 1.0), d2 = d * d;
        double p = weft_mad_d(weft_mad_d(d, 35.0 / 128.0, 0.3125), d2, weft_mad_d(d, 0.375, 0.5));
        y = weft_mad_d(y * d, p, y);
        bool plain = (int)(x >= 0x1p-126) & (int)(x <= 0x1p127);
        if (__builtin_expect(!plain, 0))
            y = 1.0 / __builtin_elementwise_sqrt(x);
        return y;
    }
    ulong u = weft_bits_d(x);
    double y = weft_from_d(0x5fe6eb50c7b537a9ul - (u >> 1));
    y = weft_rsqrt_step_d(x, weft_rsqrt_step_d(x, weft_rsqrt_step_d(x, y)));
    bool plain = (int)(x >= 0x1p-1022) & (int)(x < WEFT_INF_D);
    return __builtin_expect(plain, 1) ? y : 1.0 / __builtin_elementwise_sqrt(x);
}

// y + y/2 * (1 - x y^2), where y is the estimate. If y is 0 or infinite, then d is NaN and y is the result.
WEFT_INLINE float weft_rsqrt_f(float x)
{
    if (!__weft_target_has_math_primitives)
        return weft_rsqrt_bits_f(x);
    float y = __weft_rsqrt_f(x);
    float d = weft_mad_f(-(x * y), y, 1.0f);
    float r = weft_mad_f(0.5f * y, d, y);
    return d == d ? r : y;
}

// The estimate has 14 bits, so |d| < 2^-13: five terms of the series of (1 - d)^(-1/2) are enough for a
// double.
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

// half_* functions have 11 bits, and native_* functions as many as the implementation chooses: estimates are
// enough. Neither have to support subnormal numbers.
float WEFT_API half_rsqrt(float x)
{
    return __weft_target_has_estimates ? __weft_rsqrt_f(x) : weft_rsqrt_f(x);
}
WEFT_V1(float, half_rsqrt, float)

float WEFT_API native_rsqrt(float x)
{
    return __weft_target_has_estimates ? __weft_rsqrt_f(x) : weft_rsqrt_f(x);
}
WEFT_V1(float, native_rsqrt, float)

float WEFT_API half_recip(float x)
{
    return __weft_target_has_estimates ? __weft_reciprocal_f(x) : 1.0f / x;
}
WEFT_V1(float, half_recip, float)

float WEFT_API native_recip(float x)
{
    return __weft_target_has_estimates ? __weft_reciprocal_f(x) : 1.0f / x;
}
WEFT_V1(float, native_recip, float)

// The estimate is none for the reciprocals of numbers near the ends of the exponent range. Their exponents
// are looked at above the lost sign, in one comparison of signed numbers.
float WEFT_API half_divide(float x, float y)
{
    if (!__weft_target_has_estimates)
        return x / y;
    float q = x * __weft_reciprocal_f(y);
    uint u = weft_bits_f(y) << 1;
    if (__builtin_expect((int)(u + 0x7f000000u) >= 0x7c000000, 0))
        q = x / y;
    return q;
}
WEFT_V2(float, half_divide, float, float)

float WEFT_API native_divide(float x, float y)
{
    return x * native_recip(y);
}
WEFT_V2(float, native_divide, float, float)
