// Logarithms: x = m * 2^k with sqrt(1/2) <= m < sqrt(2), and ln m in one or two words.
#ifndef WEFT_LOG_H
#define WEFT_LOG_H

#include "weft_primitive_cores.h"

// Splits a positive normal x. Returns m - 1, which is exact.
WEFT_INLINE float weft_log_split_normal_f(float x, private float *k)
{
    uint u = weft_bits_f(x);
    uint e = (u - 0x3f3504f3u) & 0xff800000u;
    *k = (float)((int)e >> 23);
    return weft_from_f(u - e) - 1.0f;
}

WEFT_INLINE double weft_log_split_normal_d(double x, private double *k)
{
    // Above the fraction, t has k + 1023. Its fraction is that of x, less that of sqrt(1/2).
    ulong t = weft_bits_d(x) + (0x3ff0000000000000ul - 0x3fe6a09e00000000ul);
    *k = weft_small_double(t >> 52, 1023.0);
    return weft_from_d((t & 0xffffffffffffful) + 0x3fe6a09e00000000ul) - 1.0;
}

// Splits a positive finite x. Returns m - 1, which is exact.
WEFT_INLINE float weft_log_split_f(float x, private float *k)
{
    float less = 0.0f;
    if (__builtin_expect(x < 0x1p-126f, 0))
        x *= 0x1p23f, less = 23.0f;
    float f = weft_log_split_normal_f(x, k);
    *k -= less;
    return f;
}

WEFT_INLINE double weft_log_split_d(double x, private double *k)
{
    double less = 0.0;
    if (__builtin_expect(x < 0x1p-1022, 0))
        x *= 0x1p52, less = 52.0;
    double f = weft_log_split_normal_d(x, k);
    *k -= less;
    return f;
}

// Is x not positive and normal? Then a logarithm can't be computed from its exponent and mantissa. One is
// added to the exponent, so that infinity and NaN become negative, like negative numbers: that is one
// comparison of signed numbers, the only ones that SSE and AVX2 have.
WEFT_INLINE bool weft_is_rare_log_f(float x)
{
    return (int)(weft_bits_f(x) + 0x800000u) < 0x1000000;
}

WEFT_INLINE bool weft_is_rare_log_d(double x)
{
    return (long)(weft_bits_d(x) + 0x10000000000000ul) < 0x20000000000000l;
}

// ln(1 + f) - f + *half + addend for sqrt(1/2) - 1 <= f < sqrt(2) - 1, where *half is f^2 / 2.
WEFT_INLINE double weft_log1p_rest_d(double f, private double *half_square, double addend)
{
    double s = f / (2.0 + f);
    double z = s * s;
    double h = 0.5 * f * f;
    *half_square = h;
    return weft_mad_d(s, weft_mad_d(z, weft_poly_atanh_d(z), h), addend);
}

// The result of a logarithm for an x that isn't normal and positive. y is that of a denormal number.
WEFT_INLINE float weft_log_special_f(float x, float y)
{
    y = x == 0.0f ? -WEFT_INF_F : y; // also of what is flushed to 0
    y = x < 0.0f ? WEFT_NAN_F : y;
    return x < WEFT_INF_F ? y : x;
}

WEFT_INLINE double weft_log_special_d(double x, double y)
{
    y = x == 0.0 ? -WEFT_INF_D : y;
    y = x < 0.0 ? WEFT_NAN_D : y;
    return x < WEFT_INF_D ? y : x;
}

// ln x - less * ln 2 for positive normal x
WEFT_INLINE float weft_log_normal_f(float x, float less)
{
    float k, f = weft_log_split_normal_f(x, &k);
    return weft_mad_f(f * f, weft_poly_log_f(f), weft_mad_f(k - less, WEFT_LN2_1F, f));
}

WEFT_INLINE double weft_log_normal_d(double x, double less)
{
    double k, f = weft_log_split_normal_d(x, &k);
    k -= less;
    // The first sum doesn't wait for the division.
    double h, rest = weft_log1p_rest_d(f, &h, k * WEFT_LN2_REST_D);
    return weft_mad_d(k, WEFT_LN2_SHORT_D, f - h) + rest;
}

// ln x for positive normal x
WEFT_INLINE double weft_log_plain_d(double x)
{
    return __weft_target_has_math_primitives ? weft_log_prim_d(x) : weft_log_normal_d(x, 0.0);
}

WEFT_INLINE float weft_log_f(float x)
{
    if (__weft_target_has_math_primitives)
        return weft_log_prim_f(x);
    float y = weft_log_normal_f(x, 0.0f);
    if (__builtin_expect(weft_is_rare_log_f(x), 0))
        y = weft_log_special_f(x, weft_log_normal_f(x * 0x1p23f, 23.0f));
    return y;
}

WEFT_INLINE double weft_log_d(double x)
{
    if (__weft_target_has_math_primitives)
        return weft_log_prim_d(x);
    double y = weft_log_normal_d(x, 0.0);
    if (__builtin_expect(weft_is_rare_log_d(x), 0))
        y = weft_log_special_d(x, weft_log_normal_d(x * 0x1p52, 52.0));
    return y;
}

// ln(1 + x) for x > -1 and finite; x itself near zero.
WEFT_INLINE float weft_log1p_f(float x)
{
    float u = 1.0f + x;
    float c = x > 1.0f ? 1.0f - (u - x) : x - (u - 1.0f);
    if (__weft_target_has_math_primitives) {
        // The rounding error of the sum is scaled like the mantissa of the sum.
        float m = __weft_log_mantissa_f(u);
        float k = __weft_exponent_f(u) - __weft_exponent_f(m);
        float f = (m - 1.0f) + __weft_scale_f(c, -k);
        return weft_mad_f(k, WEFT_LN2_2F,
                          weft_mad_f(f * f, weft_poly_log_wide_f(f), weft_mad_f(k, WEFT_LN2_1F, f)));
    }
    float k, f = weft_log_split_normal_f(u, &k);
    // c is so small that an estimate of the quotient will do.
    c = __weft_target_has_estimates ? c * __weft_reciprocal_f(u) : c / u;
    c = k == 0.0f ? 0.0f : c;
    f = k == 0.0f ? x : f;
    float y = weft_mad_f(f * f, weft_poly_log_f(f), weft_mad_f(k, WEFT_LN2_1F, f));
    return y + weft_mad_f(k, WEFT_LN2_2F, c);
}

WEFT_INLINE double weft_log1p_d(double x)
{
    double u = 1.0 + x;
    double c = x > 1.0 ? 1.0 - (u - x) : x - (u - 1.0);
    if (__weft_target_has_math_primitives) {
        // The rounding error of the sum is scaled like the mantissa of the sum.
        double k;
        uint step;
        double r = weft_log_steps_d(u, &k, &step);
        r = weft_mad_d(__weft_scale_d(c, -k), __weft_lookup16_d(step, WEFT_LOG_FACTORS_D), r);
        double s = weft_mad_d(k, WEFT_LN2_STEPS_1D, __weft_lookup16_d(step, WEFT_LOG_STEPS_1D));
        double l = weft_mad_d(k, WEFT_LN2_STEPS_2D, __weft_lookup16_d(step, WEFT_LOG_STEPS_2D));
        return s + (r + weft_mad_d(r * r, weft_poly_log_step_d(r), l));
    }
    double k, f = weft_log_split_normal_d(u, &k);
    c /= u; // that of u = 1 is exact, and f is 0
    double h, rest = weft_log1p_rest_d(f, &h, weft_mad_d(k, WEFT_LN2_REST_D, c));
    double y = f + (rest - h);
    return weft_mad_d(k, WEFT_LN2_SHORT_D, y);
}

// log2 x - less for positive normal x
WEFT_INLINE float weft_log2_normal_f(float x, float less)
{
    float k, f = weft_log_split_normal_f(x, &k);
    return weft_mad_f(weft_mad_f(f * f, weft_poly_log_f(f), f), WEFT_LOG2E_1F, k - less);
}

WEFT_INLINE double weft_log2_normal_d(double x, double less)
{
    double k, f = weft_log_split_normal_d(x, &k);
    double h, rest = weft_log1p_rest_d(f, &h, 0.0);
    return weft_mad_d((f - h) + rest, WEFT_LOG2E_1D, k - less);
}

WEFT_INLINE float weft_log2_f(float x)
{
    if (__weft_target_has_math_primitives)
        return weft_log2_prim_f(x);
    float y = weft_log2_normal_f(x, 0.0f);
    if (__builtin_expect(weft_is_rare_log_f(x), 0))
        y = weft_log_special_f(x, weft_log2_normal_f(x * 0x1p23f, 23.0f));
    return y;
}

WEFT_INLINE double weft_log2_d(double x)
{
    if (__weft_target_has_math_primitives)
        return weft_log2_prim_d(x);
    double y = weft_log2_normal_d(x, 0.0);
    if (__builtin_expect(weft_is_rare_log_d(x), 0))
        y = weft_log_special_d(x, weft_log2_normal_d(x * 0x1p52, 52.0));
    return y;
}

// log10 x - less * log10 2 for positive normal x
WEFT_INLINE float weft_log10_normal_f(float x, float less)
{
    float k, f = weft_log_split_normal_f(x, &k);
    k -= less;
    float y = weft_mad_f(f * f, weft_poly_log_f(f), f);
    return weft_mad_f(k, WEFT_LOG10_2_SHORT_F, weft_mad_f(y, WEFT_LOG10E_1F, k * WEFT_LOG10_2_REST_F));
}

WEFT_INLINE double weft_log10_normal_d(double x, double less)
{
    double k, f = weft_log_split_normal_d(x, &k);
    k -= less;
    double h, rest = weft_log1p_rest_d(f, &h, 0.0);
    double y = weft_mad_d((f - h) + rest, WEFT_LOG10E_1D, k * WEFT_LOG10_2_REST_D);
    return weft_mad_d(k, WEFT_LOG10_2_SHORT_D, y);
}

WEFT_INLINE float weft_log10_f(float x)
{
    if (__weft_target_has_math_primitives)
        return weft_log10_prim_f(x);
    float y = weft_log10_normal_f(x, 0.0f);
    if (__builtin_expect(weft_is_rare_log_f(x), 0))
        y = weft_log_special_f(x, weft_log10_normal_f(x * 0x1p23f, 23.0f));
    return y;
}

WEFT_INLINE double weft_log10_d(double x)
{
    if (__weft_target_has_math_primitives)
        return weft_log10_prim_d(x);
    double y = weft_log10_normal_d(x, 0.0);
    if (__builtin_expect(weft_is_rare_log_d(x), 0))
        y = weft_log_special_d(x, weft_log10_normal_d(x * 0x1p52, 52.0));
    return y;
}

#endif
