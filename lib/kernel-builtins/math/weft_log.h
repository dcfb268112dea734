// Logarithms: x = m * 2^k with sqrt(1/2) <= m < sqrt(2), and ln m in one or two words.
#ifndef WEFT_LOG_H
#define WEFT_LOG_H

#include "weft_primitive_cores.h"

// Splits a positive finite x. Returns m - 1, which is exact.
WEFT_INLINE float weft_log_split_f(float x, private float *k)
{
    int less = 0;
    if (__builtin_expect(x < 0x1p-126f, 0))
        x *= 0x1p23f, less = 23;
    uint u = weft_bits_f(x);
    int e = (int)(u - 0x3f3504f3u) >> 23;
    *k = (float)(e - less);
    return weft_from_f(u - ((uint)e << 23)) - 1.0f;
}

WEFT_INLINE double weft_log_split_d(double x, private double *k)
{
    int less = 0;
    if (__builtin_expect(x < 0x1p-1022, 0))
        x *= 0x1p52, less = 52;
    ulong u = weft_bits_d(x);
    // 32 bits of the exponent are enough and are cheaper to shift and convert.
    int e = (int)((uint)(u >> 32) - 0x3fe6a09eu) >> 20;
    *k = (double)(e - less);
    return weft_from_d(u - ((ulong)(long)e << 52)) - 1.0;
}

// ln(1 + f) - f for sqrt(1/2) - 1 <= f < sqrt(2) - 1
WEFT_INLINE float weft_log1p_rest_f(float f)
{
    float t = f * f;
    return weft_mad_f(t * f, weft_poly_log1p_f(f), -0.5f * t);
}

// ln(1 + f) - f for sqrt(1/2) - 1 <= f < sqrt(2) - 1
WEFT_INLINE double weft_log1p_rest_d(double f)
{
    double s = f / (2.0 + f);
    double z = s * s;
    double h = 0.5 * f * f;
    return s * (h + z * weft_poly_atanh_d(z)) - h;
}

// Returns low and sets *h, so that ln(1 + f) = f - *h + low. low includes the rounding error of *h.
WEFT_INLINE double weft_log1p_parts_d(double f, private double *h)
{
    double s = f / (2.0 + f);
    double z = s * s;
    double g = 0.5 * f;
    *h = g * f;
    return s * (*h + z * weft_poly_atanh_d(z)) - weft_product_error_d(g, f, *h);
}

// The results that all logarithms share for special x: -infinity for 0, NaN for negative x; infinity and NaN
// stay.
WEFT_INLINE float weft_log_special_f(float x, float y)
{
    if (__builtin_expect((int)(x > 0.0f) & (int)(x < WEFT_INF_F), 1)) // not what is flushed to 0
        return y;
    y = x == 0.0f ? -WEFT_INF_F : y;
    y = x < 0.0f ? WEFT_NAN_F : y;
    return x < WEFT_INF_F ? y : x;
}

WEFT_INLINE double weft_log_special_d(double x, double y)
{
    if (__builtin_expect((int)(x > 0.0) & (int)(x < WEFT_INF_D), 1))
        return y;
    y = x == 0.0 ? -WEFT_INF_D : y;
    y = x < 0.0 ? WEFT_NAN_D : y;
    return x < WEFT_INF_D ? y : x;
}

WEFT_INLINE float weft_log_f(float x)
{
    if (__weft_target_has_math_primitives)
        return weft_log_prim_f(x);
    float k;
    float f = weft_log_split_f(x, &k);
    float y = f + weft_mad_f(k, WEFT_LN2_REST_F, weft_log1p_rest_f(f));
    return weft_log_special_f(x, weft_mad_f(k, WEFT_LN2_SHORT_F, y));
}

WEFT_INLINE double weft_log_d(double x)
{
    if (__weft_target_has_math_primitives)
        return weft_log_prim_d(x);
    double k;
    double f = weft_log_split_d(x, &k);
    double y = f + weft_mad_d(k, WEFT_LN2_REST_D, weft_log1p_rest_d(f));
    return weft_log_special_d(x, weft_mad_d(k, WEFT_LN2_SHORT_D, y));
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
    float k;
    float f = weft_log_split_f(u, &k);
    c = k == 0.0f ? 0.0f : c / u;
    f = k == 0.0f ? x : f;
    float y = f + weft_mad_f(k, WEFT_LN2_REST_F, weft_log1p_rest_f(f) + c);
    return weft_mad_f(k, WEFT_LN2_SHORT_F, y);
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
    double k;
    double f = weft_log_split_d(u, &k);
    c = k == 0.0 ? 0.0 : c / u;
    f = k == 0.0 ? x : f;
    double y = f + weft_mad_d(k, WEFT_LN2_REST_D, weft_log1p_rest_d(f) + c);
    return weft_mad_d(k, WEFT_LN2_SHORT_D, y);
}

// A logarithm to another base: (k_high + k_low) * k + ln(m) * (c1 + c2).
WEFT_INLINE float weft_log_base_f(float x, float k_high, float k_low, float c1, float c2)
{
    float k;
    float f = weft_log_split_f(x, &k);
    float low = weft_log1p_rest_f(f);
    float p = f * c1;
    float e = weft_product_error_f(f, c1, p) + weft_mad_f(f, c2, weft_mad_f(low, c1, k * k_low));
    float s = weft_mad_f(k, k_high, p);
    // k * k_high is exact. It is zero or larger in magnitude than p.
    float b = k * k_high;
    e += k == 0.0f ? 0.0f : weft_fast_sum_error_f(b, p, s);
    return weft_log_special_f(x, s + e);
}

WEFT_INLINE double weft_log_base_d(double x, double k_high, double k_low, double c1, double c2)
{
    double k, h;
    double f = weft_log_split_d(x, &k);
    double low = weft_log1p_parts_d(f, &h);
    double hi = f - h;
    double lo = weft_fast_sum_error_d(f, -h, hi) + low;
    double p = hi * c1;
    double e = weft_product_error_d(hi, c1, p) + weft_mad_d(hi, c2, weft_mad_d(lo, c1, k * k_low));
    double b = k * k_high;
    double s = b + p;
    e += weft_sum_error_d(b, p, s);
    return weft_log_special_d(x, s + e);
}

WEFT_INLINE float weft_log2_f(float x)
{
    if (__weft_target_has_math_primitives)
        return weft_log2_prim_f(x);
    return weft_log_base_f(x, 1.0f, 0.0f, WEFT_LOG2E_1F, WEFT_LOG2E_2F);
}

WEFT_INLINE double weft_log2_d(double x)
{
    if (__weft_target_has_math_primitives)
        return weft_log2_prim_d(x);
    return weft_log_base_d(x, 1.0, 0.0, WEFT_LOG2E_1D, WEFT_LOG2E_2D);
}

WEFT_INLINE float weft_log10_f(float x)
{
    if (__weft_target_has_math_primitives)
        return weft_log10_prim_f(x);
    return weft_log_base_f(x, WEFT_LOG10_2_SHORT_F, WEFT_LOG10_2_REST_F, WEFT_LOG10E_1F, WEFT_LOG10E_2F);
}

WEFT_INLINE double weft_log10_d(double x)
{
    if (__weft_target_has_math_primitives)
        return weft_log10_prim_d(x);
    return weft_log_base_d(x, WEFT_LOG10_2_SHORT_D, WEFT_LOG10_2_REST_D, WEFT_LOG10E_1D, WEFT_LOG10E_2D);
}

#endif
