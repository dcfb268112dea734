// Cores of math functions for targets with math primitives (__weft_target_has_math_primitives). There,
// instructions that handle every special value scale numbers and extract exponents and mantissas, and a table
// of 16 floats is looked up in a register. No core has a branch.
#ifndef WEFT_PRIMITIVE_CORES_H
#define WEFT_PRIMITIVE_CORES_H

#include "weft_math.h"
#include "weft_step_tables.h"

// e^(x + low) * 2^shift for |shift| <= 2 and |low| far below 1; -110 <= x <= 100 or NaN. low counts only if
// pair is set. x = n ln 2 + r. The second word of ln 2 is added together with low, beside the polynomial.
// Joining the terms by squares makes the chain of dependent operations short: long kernels have few such
// chains in flight at a time.
WEFT_INLINE float weft_exp_sum_f(float x, float low, float shift, bool pair)
{
    float t = weft_mad_f(x, WEFT_LOG2E_1F, 0x1.8p19f);
    float n = t - 0x1.8p19f;
    float r = weft_mad_f(n, -WEFT_LN2_1F, x);
    float e = n * -WEFT_LN2_2F;
    e = pair ? e + low : e;
    float y = __weft_lookup16_f(weft_bits_f(t), WEFT_EXP2_STEPS_F);
    float p = weft_mad_f(r * r, weft_poly_exp_step_f(r), r + e);
    return __weft_scale_f(weft_mad_f(y, p, y), t - (0x1.8p19f - shift));
}

WEFT_INLINE float weft_exp_prim_f(float x, float shift)
{
    return weft_exp_sum_f(x, 0.0f, shift, false);
}

WEFT_INLINE float weft_exp_pair_prim_f(float x, float low)
{
    return weft_exp_sum_f(x, low, 0.0f, true);
}

// 10^x for |x| <= 50 or NaN
WEFT_INLINE float weft_exp10_prim_f(float x)
{
    float t = weft_mad_f(x, WEFT_LOG2_10_1F, 0x1.8p19f);
    float n = t - 0x1.8p19f;
    float r = weft_mad_f(n, -WEFT_LOG10_2_1F, x) * WEFT_LN10_1F;
    float e = n * (-WEFT_LOG10_2_2F * WEFT_LN10_1F);
    float y = __weft_lookup16_f(weft_bits_f(t), WEFT_EXP2_STEPS_F);
    float p = weft_mad_f(r * r, weft_poly_exp_step_f(r), r + e);
    return __weft_scale_f(weft_mad_f(y, p, y), n);
}

// 2^(n + r) for |r| <= 1/32; the low bits of t are those of 16 n.
WEFT_INLINE float weft_exp2_join_f(float t, float n, float r)
{
    float y = __weft_lookup16_f(weft_bits_f(t), WEFT_EXP2_STEPS_F);
    float p = weft_mad_f(weft_poly_exp2_step_f(r), r, WEFT_LN2_1F);
    return __weft_scale_f(weft_mad_f(y * r, p, y), n);
}

// 2^x for |x| <= 200 or NaN
WEFT_INLINE float weft_exp2_prim_f(float x)
{
    float t = x + 0x1.8p19f, n = t - 0x1.8p19f;
    return weft_exp2_join_f(t, n, x - n);
}

// 2^(x + low) for |x| <= 200 or NaN and |low| far below 1
WEFT_INLINE float weft_exp2_pair_prim_f(float x, float low)
{
    float t = x + 0x1.8p19f, n = t - 0x1.8p19f;
    return weft_exp2_join_f(t, n, (x - n) + low);
}

// ln x for every x. The exponent gives -infinity for 0 and infinity for infinity; the mantissa gives NaN.
WEFT_INLINE float weft_log_prim_f(float x)
{
    float m = __weft_log_mantissa_f(x);
    float k = __weft_exponent_f(x) - __weft_exponent_f(m);
    float f = m - 1.0f;
    return weft_mad_f(f * f, weft_poly_log_wide_f(f), weft_mad_f(k, WEFT_LN2_1F, f));
}

WEFT_INLINE float weft_log2_prim_f(float x)
{
    float m = __weft_log_mantissa_f(x);
    float k = __weft_exponent_f(x) - __weft_exponent_f(m);
    float f = m - 1.0f;
    return weft_mad_f(f * f, weft_poly_log2_wide_f(f), weft_mad_f(f, WEFT_LOG2E_1F, k));
}

WEFT_INLINE float weft_log10_prim_f(float x)
{
    float m = __weft_log_mantissa_f(x);
    float k = __weft_exponent_f(x) - __weft_exponent_f(m);
    float f = m - 1.0f;
    // The first product is exact.
    float y = weft_mad_f(f, WEFT_LOG10E_1F, k * WEFT_LOG10_2_SHORT_F);
    float z = weft_mad_f(f * f, weft_poly_log10_wide_f(f), f * WEFT_LOG10E_2F);
    return y + weft_mad_f(k, WEFT_LOG10_2_REST_F, z);
}

// For native_log10 and half_log10: log10 2 is a single float.
WEFT_INLINE float weft_log10_brief_prim_f(float x)
{
    float m = __weft_log_mantissa_f(x);
    float k = __weft_exponent_f(x) - __weft_exponent_f(m);
    float f = m - 1.0f;
    float y = weft_mad_f(k, WEFT_LOG10_2_1F, f * WEFT_LOG10E_1F);
    return weft_mad_f(f * f, weft_poly_log10_wide_f(f), y);
}

// log2 x in two words, about 2^-31 relative, for positive finite x.
WEFT_INLINE float weft_log2_pair_prim_f(float x, private float *low)
{
    float m = __weft_log_mantissa_f(x);
    float k = __weft_exponent_f(x) - __weft_exponent_f(m);
    uint step = weft_bits_f(m) >> 19;
    // Exact: the factors have few bits.
    float r = weft_mad_f(m, __weft_lookup16_f(step, WEFT_LOG2_FACTORS_F), -1.0f);
    float p = r * WEFT_LOG2E_1F;
    float e = weft_mad_f(r, WEFT_LOG2E_2F, weft_fma_f(r, WEFT_LOG2E_1F, -p));
    e = weft_mad_f(r * r, weft_poly_log2_step_f(r), e);
    // s is exact. It is zero or larger in magnitude than p.
    float s = k + __weft_lookup16_f(step, WEFT_LOG2_STEPS_1F);
    float h = s + p;
    float l = (p - (h - s)) + (e + __weft_lookup16_f(step, WEFT_LOG2_STEPS_2F));
    float y = h + l;
    *low = l - (y - h);
    return y;
}

WEFT_INLINE float weft_cbrt_prim_f(float x)
{
    float e = __weft_exponent_f(x);
    // q = floor(e / 3): the thirds lie around the integer that they are rounded to.
    float q = weft_mad_f(e - 1.0f, 1.0f / 3.0f, 0x1.8p23f) - 0x1.8p23f;
    uint third = weft_bits_f(weft_mad_f(q, -3.0f, e + 0x1.8p23f));
    float t = __weft_mantissa_f(x) - 1.5f;
    float y = weft_mad_f(t * weft_poly_cbrt_rest_f(t), __weft_lookup16_f(third, WEFT_CBRT2_STEPS_F),
                         __weft_lookup16_f(third, WEFT_CBRT3_STEPS_F));
    return weft_flip_f(__weft_scale_f(y, q), x);
}

// erf x, by a polynomial around each multiple of 1/4
WEFT_INLINE float weft_erf_prim_f(float x)
{
    float a = weft_abs_f(x);
    float t = weft_mad_f(a, 4.0f, 0x1.8p23f);
    float d = weft_mad_f(t - 0x1.8p23f, -0.25f, a);
    uint step = weft_bits_f(t);
    float y = __weft_lookup16_f(step, WEFT_ERF_STEPS_5F);
    y = weft_mad_f(y, d, __weft_lookup16_f(step, WEFT_ERF_STEPS_4F));
    y = weft_mad_f(y, d, __weft_lookup16_f(step, WEFT_ERF_STEPS_3F));
    y = weft_mad_f(y, d, __weft_lookup16_f(step, WEFT_ERF_STEPS_2F));
    y = weft_mad_f(y, d, __weft_lookup16_f(step, WEFT_ERF_STEPS_1F));
    y = weft_mad_f(y, d, __weft_lookup16_f(step, WEFT_ERF_STEPS_0F));
    y = a > 3.87f ? 1.0f : y;
    return weft_sign_f(y, x);
}

// erf x, by a polynomial around each multiple of 3/8
WEFT_INLINE double weft_erf_prim_d(double x)
{
    double a = weft_abs_d(x);
    double t = weft_mad_d(a, 8.0 / 3.0, 0x1.8p52);
    double d = weft_mad_d(t - 0x1.8p52, -0.375, a);
    uint step = (uint)weft_bits_d(t);
    double y = __weft_lookup16_d(step, WEFT_ERF_STEPS_12D);
    y = weft_mad_d(y, d, __weft_lookup16_d(step, WEFT_ERF_STEPS_11D));
    y = weft_mad_d(y, d, __weft_lookup16_d(step, WEFT_ERF_STEPS_10D));
    y = weft_mad_d(y, d, __weft_lookup16_d(step, WEFT_ERF_STEPS_9D));
    y = weft_mad_d(y, d, __weft_lookup16_d(step, WEFT_ERF_STEPS_8D));
    y = weft_mad_d(y, d, __weft_lookup16_d(step, WEFT_ERF_STEPS_7D));
    y = weft_mad_d(y, d, __weft_lookup16_d(step, WEFT_ERF_STEPS_6D));
    y = weft_mad_d(y, d, __weft_lookup16_d(step, WEFT_ERF_STEPS_5D));
    y = weft_mad_d(y, d, __weft_lookup16_d(step, WEFT_ERF_STEPS_4D));
    y = weft_mad_d(y, d, __weft_lookup16_d(step, WEFT_ERF_STEPS_3D));
    y = weft_mad_d(y, d, __weft_lookup16_d(step, WEFT_ERF_STEPS_2D));
    y = weft_mad_d(y, d, __weft_lookup16_d(step, WEFT_ERF_STEPS_1D));
    y = weft_mad_d(y, d, __weft_lookup16_d(step, WEFT_ERF_STEPS_0D));
    y = a > 5.8125 ? 1.0 : y;
    return weft_sign_d(y, x);
}

// e^(x + low) * 2^shift for |shift| <= 2 and |low| far below 1. low counts only if pair is set. Unlike in
// weft_exp_sum_f, the second word of ln 2 is part of r, because its product with r counts in double.
WEFT_INLINE double weft_exp_sum_d(double x, double low, double shift, bool pair)
{
    double t = weft_mad_d(x, WEFT_LOG2E_1D, 0x1.8p48);
    double n = t - 0x1.8p48;
    double e = n * -WEFT_LN2_2D;
    double r = weft_mad_d(n, -WEFT_LN2_1D, x) + (pair ? e + low : e);
    double y = __weft_lookup16_d((uint)weft_bits_d(t), WEFT_EXP2_STEPS_D);
    double p = weft_mad_d(r * r, weft_poly_exp_step_d(r), r);
    return __weft_scale_d(weft_mad_d(y, p, y), t - (0x1.8p48 - shift));
}

WEFT_INLINE double weft_exp_prim_d(double x, double shift)
{
    return weft_exp_sum_d(x, 0.0, shift, false);
}

WEFT_INLINE double weft_exp_pair_prim_d(double x, double low)
{
    return weft_exp_sum_d(x, low, 0.0, true);
}

// ln x for every x: k ln 2 - ln t + ln(1 + r), where the mantissa times t is 1 + r. Sums of the short words
// are exact.
WEFT_INLINE double weft_log_prim_d(double x)
{
    double m = __weft_log_mantissa_d(x);
    double k = __weft_exponent_d(x) - __weft_exponent_d(m);
    uint step = (uint)(weft_bits_d(m) >> 48);
    double r = weft_mad_d(m, __weft_lookup16_d(step, WEFT_LOG_FACTORS_D), -1.0);
    double s = weft_mad_d(k, WEFT_LN2_STEPS_1D, __weft_lookup16_d(step, WEFT_LOG_STEPS_1D));
    double l = weft_mad_d(k, WEFT_LN2_STEPS_2D, __weft_lookup16_d(step, WEFT_LOG_STEPS_2D));
    l = weft_mad_d(r * r, weft_poly_log_step_d(r), l);
    return s + (r + l);
}

// 2^(n + r / ln 2) for |r| <= ln 2 / 32; the low bits of t are those of 16 n.
WEFT_INLINE double weft_exp2_join_d(double t, double n, double r)
{
    double y = __weft_lookup16_d((uint)weft_bits_d(t), WEFT_EXP2_STEPS_D);
    double p = weft_mad_d(r * r, weft_poly_exp_step_d(r), r);
    return __weft_scale_d(weft_mad_d(y, p, y), n);
}

// 2^(x + low) for |x| <= 2000 or NaN and |low| far below 1
WEFT_INLINE double weft_exp2_pair_prim_d(double x, double low)
{
    double t = x + 0x1.8p48, n = t - 0x1.8p48;
    return weft_exp2_join_d(t, n, ((x - n) + low) * WEFT_LN2_1D);
}

WEFT_INLINE double weft_exp2_prim_d(double x)
{
    double t = x + 0x1.8p48, n = t - 0x1.8p48;
    return weft_exp2_join_d(t, n, (x - n) * WEFT_LN2_1D);
}

// 10^x for |x| <= 400 or NaN
WEFT_INLINE double weft_exp10_prim_d(double x)
{
    double t = weft_mad_d(x, WEFT_LOG2_10_1D, 0x1.8p48);
    double n = t - 0x1.8p48;
    double r = weft_mad_d(n, -WEFT_LOG10_2_2D, weft_mad_d(n, -WEFT_LOG10_2_1D, x));
    return weft_exp2_join_d(t, n, r * WEFT_LN10_1D);
}

// Splits x: *step is the step that contains the mantissa, *k the exponent. Returns the mantissa times the
// factor of the step, minus 1.
WEFT_INLINE double weft_log_steps_d(double x, private double *k, private uint *step)
{
    double m = __weft_log_mantissa_d(x);
    *k = __weft_exponent_d(x) - __weft_exponent_d(m);
    *step = (uint)(weft_bits_d(m) >> 48);
    // Exact: the factors have few bits.
    return weft_mad_d(m, __weft_lookup16_d(*step, WEFT_LOG_FACTORS_D), -1.0);
}

// s + rest + ln(1 + r) / ln base, where scale1 + scale2 is 1 / ln base
WEFT_INLINE double weft_log_join_d(double s, double rest, double r, double scale1, double scale2)
{
    double p = r * scale1;
    double l = weft_mad_d(r * r * weft_poly_log_step_d(r), scale1, weft_mad_d(r, scale2, rest));
    return s + (p + (l + weft_fma_d(r, scale1, -p)));
}

WEFT_INLINE double weft_log2_prim_d(double x)
{
    double k;
    uint step;
    double r = weft_log_steps_d(x, &k, &step);
    return weft_log_join_d(k + __weft_lookup16_d(step, WEFT_LOG2_STEPS_1D),
                           __weft_lookup16_d(step, WEFT_LOG2_STEPS_2D), r, WEFT_LOG2E_1D, WEFT_LOG2E_2D);
}

WEFT_INLINE double weft_log10_prim_d(double x)
{
    double k;
    uint step;
    double r = weft_log_steps_d(x, &k, &step);
    double s = weft_mad_d(k, WEFT_LOG10_2_STEPS_1D, __weft_lookup16_d(step, WEFT_LOG10_STEPS_1D));
    double rest = weft_mad_d(k, WEFT_LOG10_2_STEPS_2D, __weft_lookup16_d(step, WEFT_LOG10_STEPS_2D));
    return weft_log_join_d(s, rest, r, WEFT_LOG10E_1D, WEFT_LOG10E_2D);
}

// log2 x in two words, about 2^-61 relative, for positive finite x: r and r^2 / 2 times log2 e are known with
// their rounding errors.
WEFT_INLINE double weft_log2_pair_prim_d(double x, private double *low)
{
    double k;
    uint step;
    double r = weft_log_steps_d(x, &k, &step);
    double p = r * WEFT_LOG2E_1D;
    double pl = weft_mad_d(r, WEFT_LOG2E_2D, weft_fma_d(r, WEFT_LOG2E_1D, -p));
    double z = r * p;
    double zl = weft_mad_d(r, pl, weft_fma_d(r, p, -z));
    double c = weft_mad_d(r * z, weft_poly_log_cubed_step_d(r), weft_mad_d(-0.5, zl, pl));
    // s is exact. It is zero or larger in magnitude than p. So is the sum of both, compared with z / 2.
    double s = k + __weft_lookup16_d(step, WEFT_LOG2_STEPS_1D);
    double h = s + p;
    double hl = p - (h - s);
    double g = weft_mad_d(z, -0.5, h);
    double gl = weft_mad_d(z, -0.5, h - g);
    double l = (hl + gl) + (c + __weft_lookup16_d(step, WEFT_LOG2_STEPS_2D));
    double y = g + l;
    *low = l - (y - g);
    return y;
}

// cbrt x. As in weft_cbrt_prim_f, exponent and mantissa are separated. The cube root of the mantissa m is
// m y^2 (1 - d)^(-2/3) with d = 1 - m y^3. y is close to m^(-1/3) and so short that its square is exact.
WEFT_INLINE double weft_cbrt_prim_d(double x)
{
    double e = __weft_exponent_d(x);
    double q = weft_mad_d(e - 1.0, 1.0 / 3.0, 0x1.8p52) - 0x1.8p52;
    uint third = (uint)weft_bits_d(weft_mad_d(q, -3.0, e + 0x1.8p52));
    double m = __weft_mantissa_d(x);
    double y = weft_from_d(weft_bits_d(weft_poly_rcbrt_octave_d(m - 1.5)) & ~0x7fffffful);
    double y2 = y * y;
    double g = m * y2, gl = weft_fma_d(m, y2, -g);
    double d = weft_mad_d(-y, gl, weft_fma_d(-y, g, 1.0));
    double w = weft_mad_d(g * d, weft_mad_d(d, weft_mad_d(d, 40.0 / 81.0, 5.0 / 9.0), 2.0 / 3.0), gl);
    double t = __weft_lookup16_d(third, WEFT_CBRT2_STEPS_1D);
    double p = g * t;
    double l =
        weft_mad_d(w, t, weft_mad_d(g, __weft_lookup16_d(third, WEFT_CBRT2_STEPS_2D), weft_fma_d(g, t, -p)));
    return weft_flip_d(__weft_scale_d(p + l, q), x);
}

#endif
