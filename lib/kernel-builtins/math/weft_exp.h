// e^x reduced to e^r * 2^n with |r| <= ln(2)/2, for every function of the exponential family.
#ifndef WEFT_EXP_H
#define WEFT_EXP_H

#include "weft_primitive_cores.h"

// e^r - 1, |r| <= 0.3467
WEFT_INLINE float weft_expm1_small_f(float r)
{
    return weft_mad_f(r * r, weft_poly_exp_f(r), r);
}

WEFT_INLINE double weft_expm1_small_d(double r)
{
    return weft_mad_d(r * r, weft_poly_exp_d(r), r);
}

// x = r + n * ln 2. The product with the short part of ln 2 is exact, so no FMA is needed.
WEFT_INLINE float weft_exp_reduce_f(float x, private int *n)
{
    float k = weft_nearest_f(x * WEFT_LOG2E_1F, n);
    return weft_mad_f(k, -WEFT_LN2_REST_F, weft_mad_f(k, -WEFT_LN2_SHORT_F, x));
}

WEFT_INLINE double weft_exp_reduce_d(double x, private long *n)
{
    double k = weft_nearest_d(x * WEFT_LOG2E_1D, n);
    return weft_mad_d(k, -WEFT_LN2_REST_D, weft_mad_d(k, -WEFT_LN2_SHORT_D, x));
}

// Clamps x to [low, high]. Callers choose bounds beyond which the result doesn't change any more. NaN stays
// NaN.
WEFT_INLINE float weft_clamp_f(float x, float low, float high)
{
    x = x < low ? low : x;
    return x > high ? high : x;
}

WEFT_INLINE double weft_clamp_d(double x, double low, double high)
{
    x = x < low ? low : x;
    return x > high ? high : x;
}

// e^x * 2^shift for |shift| <= 2
WEFT_INLINE float weft_exp_shifted_f(float x, int shift)
{
    int n;
    x = weft_clamp_f(x, -106.0f, 91.0f);
    if (__weft_target_has_math_primitives)
        return weft_exp_prim_f(x, (float)shift);
    float r = weft_exp_reduce_f(x, &n);
    return weft_scale_f(1.0f + weft_expm1_small_f(r), n + shift);
}

// For native_exp: ln 2 is a single float here, without the rest of its digits. Large x overflow without a
// clamp, up to x = 6e7.
WEFT_INLINE float weft_exp_fast_f(float x)
{
    if (!__weft_target_has_math_primitives)
        return weft_exp_shifted_f(x, 0);
    x = x < -110.0f ? -110.0f : x;
    float t = weft_mad_f(x, WEFT_LOG2E_1F, 0x1.8p19f), n = t - 0x1.8p19f;
    float r = weft_mad_f(n, -WEFT_LN2_1F, x);
    float y = __weft_lookup16_f(weft_bits_f(t), WEFT_EXP2_STEPS_F);
    float p = weft_mad_f(r * r, weft_poly_exp_step_f(r), r);
    return __weft_scale_f(weft_mad_f(y, p, y), n);
}

WEFT_INLINE double weft_exp_shifted_d(double x, int shift)
{
    long n;
    x = weft_clamp_d(x, -748.0, 712.0);
    if (__weft_target_has_math_primitives)
        return weft_exp_prim_d(x, (double)shift);
    double r = weft_exp_reduce_d(x, &n);
    return weft_scale_d(1.0 + weft_expm1_small_d(r), n + shift);
}

// e^(x + low) for |low| far below 1
WEFT_INLINE float weft_exp_pair_f(float x, float low)
{
    int n;
    x = weft_clamp_f(x, -106.0f, 91.0f);
    if (__weft_target_has_math_primitives)
        return weft_exp_pair_prim_f(x, low);
    float r = weft_exp_reduce_f(x, &n) + low;
    return weft_scale_f(1.0f + weft_expm1_small_f(r), n);
}

WEFT_INLINE double weft_exp_pair_d(double x, double low)
{
    long n;
    x = weft_clamp_d(x, -748.0, 712.0);
    if (__weft_target_has_math_primitives)
        return weft_exp_pair_prim_d(x, low);
    double r = weft_exp_reduce_d(x, &n) + low;
    return weft_scale_d(1.0 + weft_expm1_small_d(r), n);
}

// (e^x - 1) / 2, which overflows only where sinh does: the clamp keeps n at most one above the largest
// exponent.
WEFT_INLINE float weft_half_expm1_f(float x)
{
    int n;
    x = weft_clamp_f(x, -40.0f, 89.5f);
    float p = weft_expm1_small_f(weft_exp_reduce_f(x, &n));
    float two = n > 128 ? 2.0f : 1.0f;
    float h = weft_power2_f(n > 128 ? 127 : n - 1);
    return weft_mad_f(h, p, h - 0.5f) * two;
}

WEFT_INLINE double weft_half_expm1_d(double x)
{
    long n;
    x = weft_clamp_d(x, -80.0, 710.6);
    double p = weft_expm1_small_d(weft_exp_reduce_d(x, &n));
    double two = n > 1024 ? 2.0 : 1.0;
    double h = weft_power2_d(n > 1024 ? 1023 : n - 1);
    return weft_mad_d(h, p, h - 0.5) * two;
}

// (e^x - 1) / 2 for 0 <= x < 88 or NaN: takes fewer instructions than weft_half_expm1_f.
WEFT_INLINE float weft_half_expm1_positive_f(float x)
{
    int n;
    float p = weft_expm1_small_f(weft_exp_reduce_f(x, &n)), h = weft_power2_f(n - 1);
    return weft_mad_f(h, p, h - 0.5f);
}

// (e^x - 1) / 2 for 0 <= x < 709 or NaN: takes fewer instructions than weft_half_expm1_d.
WEFT_INLINE double weft_half_expm1_positive_d(double x)
{
    long n;
    double p = weft_expm1_small_d(weft_exp_reduce_d(x, &n)), h = weft_power2_d(n - 1);
    return weft_mad_d(h, p, h - 0.5);
}

#endif
