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

// Without math primitives, powers of two are made from the low bits of a sum with one of these: t = x + MAGIC
// is the integer n nearest to x plus MAGIC, and its low bits are those of n + 127 (n + 1023).
#define WEFT_EXP_MAGIC_F (0x1.8p23f + 127.0f)
#define WEFT_EXP_MAGIC_D (0x1.8p52 + 1023.0)

// 2^n (1 + p), where t is n + MAGIC, for -126 <= n <= 127. Without FMA, p * 2^n might be denormal and
// flushed.
WEFT_INLINE float weft_exp_join_f(float p, float t)
{
    float power = weft_from_f(weft_bits_f(t) << 23);
    return __weft_target_has_fma ? weft_mad_f(p, power, power) : (1.0f + p) * power;
}

// The same for |n| <= 252. x decides what p and t don't say: from `high` on the result is infinite, below
// `low` it is 0.
WEFT_INLINE float weft_exp_rare_f(float x, float p, float t, float low, float high)
{
    int n = (int)(weft_bits_f(t) - weft_bits_f(WEFT_EXP_MAGIC_F));
    float y = weft_scale_f(1.0f + p, n);
    y = x < low ? 0.0f : y;
    return x >= high ? WEFT_INF_F : y;
}

// 2^n (1 + p), where t is n + MAGIC, for -1022 <= n <= 1023.
WEFT_INLINE double weft_exp_join_d(double p, double t)
{
    double power = weft_from_d(weft_bits_d(t) << 52);
    return __weft_target_has_fma ? weft_mad_d(p, power, power) : (1.0 + p) * power;
}

// The same for |n| <= 2044; see weft_exp_rare_f.
WEFT_INLINE double weft_exp_rare_d(double x, double p, double t, double low, double high)
{
    long n = (long)(weft_bits_d(t) - weft_bits_d(WEFT_EXP_MAGIC_D));
    double y = weft_scale_d(1.0 + p, n);
    y = x < low ? 0.0 : y;
    return x >= high ? WEFT_INF_D : y;
}

// x = r + n * ln 2. *t becomes n + magic.
WEFT_INLINE float weft_exp_parts_f(float x, float magic, private float *t)
{
    *t = weft_mad_f(x, WEFT_LOG2E_1F, magic);
    float n = *t - magic;
    return weft_mad_f(n, -WEFT_LN2_REST_F, weft_mad_f(n, -WEFT_LN2_SHORT_F, x));
}

WEFT_INLINE double weft_exp_parts_d(double x, double magic, private double *t)
{
    *t = weft_mad_d(x, WEFT_LOG2E_1D, magic);
    double n = *t - magic;
    return weft_mad_d(n, -WEFT_LN2_REST_D, weft_mad_d(n, -WEFT_LN2_SHORT_D, x));
}

// power * e^r for |r| <= 0.3467. The chain of products with the power is shorter than that of the polynomial.
WEFT_INLINE float weft_exp_times_f(float r, float power)
{
    float r2 = r * r, product = r * power;
    float low = weft_mad_f(weft_mad_f(r, WEFT_EXP_QUOTIENT_2F, 1.0f), product, power);
    return weft_mad_f(weft_poly_exp_quotient_f(r), product * r2, low);
}

// e^x * 2^shift for |shift| <= 2
WEFT_INLINE float weft_exp_shifted_f(float x, int shift)
{
    if (__weft_target_has_math_primitives)
        return weft_exp_prim_f(weft_clamp_f(x, -106.0f, 91.0f), (float)shift);
    float t = weft_mad_f(x, WEFT_LOG2E_1F, WEFT_EXP_MAGIC_F + (float)shift);
    float n = t - (WEFT_EXP_MAGIC_F + (float)shift), power = weft_from_f(weft_bits_f(t) << 23), r;
    if (__weft_target_has_fma) {
        // The first step is exact. What ln 2 has beyond a float goes into the power, which nothing waits for
        // yet.
        r = weft_mad_f(n, -WEFT_LN2_1F, x);
        power = weft_mad_f(n * -WEFT_LN2_2F, power, power);
    } else {
        r = (x - n * WEFT_LN2_SHORT_F) - n * WEFT_LN2_REST_F;
    }
    // r * power may be so small that it is flushed (-cl-denorms-are-zero), but not where it counts: above
    // e^-69.
    float y = weft_exp_times_f(r, power);
    if (__builtin_expect(!(weft_abs_f(x) < 69.0f), 0)) {
        r = weft_exp_parts_f(x, WEFT_EXP_MAGIC_F, &t);
        y = weft_exp_rare_f(x, weft_expm1_small_f(r), t + (float)shift, -106.0f, 91.0f);
    }
    return y;
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

// Without FMA, a polynomial costs more than a table of 64 powers. 2^(q / 64) for integers q, the low bits of
// t; shift is added to the exponent.
WEFT_INLINE double weft_exp_power64_d(double t, int shift)
{
    ulong q = weft_bits_d(t);
    return weft_from_d(weft_exp2_bits_d[q & 63ul] + (q << 46) + ((ulong)(long)shift << 52));
}

WEFT_INLINE double weft_exp_shifted_d(double x, int shift)
{
    if (__weft_target_has_math_primitives)
        return weft_exp_prim_d(weft_clamp_d(x, -748.0, 712.0), (double)shift);
    bool rare = !(weft_abs_d(x) < 700.0);
    if (!__weft_target_has_fma) {
        double q = weft_mad_d(x, 64.0 * WEFT_LOG2E_1D, 0x1.8p52), n = q - 0x1.8p52;
        double r = (x - n * WEFT_LN2_64_SHORT_D) - n * WEFT_LN2_64_REST_D;
        double power = weft_exp_power64_d(q, shift);
        double y = weft_mad_d(power, weft_mad_d(r * r, weft_poly_exp_64_d(r), r), power);
        if (__builtin_expect(rare, 0)) {
            double t, s = weft_exp_parts_d(x, WEFT_EXP_MAGIC_D, &t);
            y = weft_exp_rare_d(x, weft_mad_d(s * s, weft_poly_exp_d(s), s), t + (double)shift, -748.0,
                                712.0);
        }
        return y;
    }
    double t, r = weft_exp_parts_d(x, WEFT_EXP_MAGIC_D, &t);
    double p = weft_mad_d(r * r, weft_poly_exp_d(r), r);
    t += (double)shift;
    double y = weft_exp_join_d(p, t);
    if (__builtin_expect(rare, 0))
        y = weft_exp_rare_d(x, p, t, -748.0, 712.0);
    return y;
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

// e^x - 1
WEFT_INLINE float weft_expm1_f(float x)
{
    float t, p = weft_expm1_small_f(weft_exp_parts_f(x, WEFT_EXP_MAGIC_F, &t));
    float power = weft_from_f(weft_bits_f(t) << 23);
    float y = weft_mad_f(p, power, power - 1.0f);
    if (__builtin_expect(!(weft_abs_f(x) < 85.0f), 0)) {
        y = weft_exp_rare_f(x, p, t, -106.0f, 91.0f);
        y = x < 0.0f ? -1.0f : y;
    }
    return weft_sign_f(y, x); // -0 of -0
}

WEFT_INLINE double weft_expm1_d(double x)
{
    double t, p = weft_expm1_small_d(weft_exp_parts_d(x, WEFT_EXP_MAGIC_D, &t));
    double power = weft_from_d(weft_bits_d(t) << 52);
    double y = weft_mad_d(p, power, power - 1.0);
    if (__builtin_expect(!(weft_abs_d(x) < 700.0), 0)) {
        y = weft_exp_rare_d(x, p, t, -748.0, 712.0);
        y = x < 0.0 ? -1.0 : y;
    }
    return weft_sign_d(y, x); // -0 of -0
}

// e^x - 1 for 0 <= x < 88 or NaN: takes fewer instructions than weft_expm1_f.
WEFT_INLINE float weft_expm1_positive_f(float x)
{
    float t, p = weft_expm1_small_f(weft_exp_parts_f(x, WEFT_EXP_MAGIC_F, &t));
    float power = weft_from_f(weft_bits_f(t) << 23);
    return weft_mad_f(p, power, power - 1.0f);
}

// e^x - 1 for 0 <= x < 709 or NaN: takes fewer instructions than weft_expm1_d.
WEFT_INLINE double weft_expm1_positive_d(double x)
{
    double t, p = weft_expm1_small_d(weft_exp_parts_d(x, WEFT_EXP_MAGIC_D, &t));
    double power = weft_from_d(weft_bits_d(t) << 52);
    return weft_mad_d(p, power, power - 1.0);
}

#endif
