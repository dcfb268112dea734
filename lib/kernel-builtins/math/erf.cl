// erf and erfc. erf of floats is a ratio of polynomials. Of doubles, both are Taylor series around multiples
// of 1/128, and so is erfc of floats without FMA, around those of 1/32. Elsewhere erfc is e^(-x^2) times a
// polynomial.
#include "weft_erf_table.h"
#include "weft_exp.h"

// a^2 as *s and the rest that is returned; *s is exact without FMA, too.
WEFT_INLINE float weft_square_rest_f(float a, private float *s)
{
    if (__weft_target_has_fma) {
        *s = a * a;
        return __builtin_fmaf(a, a, -*s);
    }
    float high = weft_from_f(weft_bits_f(a) & 0xfffff000u);
    *s = high * high;
    return (a - high) * (a + high);
}

WEFT_INLINE double weft_square_rest_d(double a, private double *s)
{
    if (__weft_target_has_fma) {
        *s = a * a;
        return __builtin_fma(a, a, -*s);
    }
    double high = weft_from_d(weft_bits_d(a) & 0xfffffffff8000000ul);
    *s = high * high;
    return (a - high) * (a + high);
}

// erfc(a) for a >= 0. e^-s is scaled in two steps, the last one by a constant, since results are denormal
// from about 9.2 on.
WEFT_INLINE float weft_erfc_positive_f(float a)
{
    const float magic = WEFT_EXP_MAGIC_F + 64.0f;
    a = a > 10.3f ? 10.3f : a;
    float y = weft_reciprocal_f(a + 3.0f);
    float s, e = weft_square_rest_f(a, &s);
    float t, r = weft_exp_parts_f(-s, magic, &t) - e;
    float power = weft_exp_join_f(weft_mad_f(r * r, weft_poly_exp_f(r), r), t);
    return power * (y * weft_poly_erfcx_f(weft_mad_f(y, -6.0f, 1.0f))) * 0x1p-64f;
}

float WEFT_API erf(float x)
{
    if (__weft_target_has_math_primitives)
        return weft_erf_prim_f(x);
    float a = weft_abs_f(x);
    a = a > 3.92f ? 3.92f : a; // where it rounds to 1; NaN stays
    float z = a * a;
    float top = a * (WEFT_ERF_SLOPE_F * weft_poly_erf_top_f(z));
    float y = top / weft_poly_erf_bottom_f(z);
    return weft_sign_f(y > 1.0f ? 1.0f : y, x);
}
WEFT_V1(float, erf, float)

// erfc(a) for 0 <= a <= 3.75: e^-s * erfcx(a), where s + e is a^2. Neither factor waits for the other one.
WEFT_INLINE float weft_erfc_near_f(float a)
{
    float s = a * a, e = __builtin_fmaf(a, a, -s);
    float share = weft_poly_erfcx_near_f(a - 1.875f);
    float t = weft_mad_f(s, -WEFT_LOG2E_1F, WEFT_EXP_MAGIC_F);
    float r = weft_mad_f(t - WEFT_EXP_MAGIC_F, -WEFT_LN2_1F, -s);
    float power = weft_from_f(weft_bits_f(t) << 23) * weft_mad_f(share, -e, share);
    return weft_exp_times_f(r, power);
}

float WEFT_API erfc(float x)
{
    float a = weft_abs_f(x), y;
    if (__weft_target_has_math_primitives) {
        y = weft_erfc_positive_f(a);
    } else if (__weft_target_has_fma) {
        y = weft_erfc_near_f(a);
        if (__builtin_expect(!(a <= 3.75f), 0))
            y = weft_erfc_positive_f(a);
    } else {
        // As for double.
        const float magic = 0x1.8p18f;
        float t = a + magic, c = t - magic, d = a - c, u = c * d, v = d * d, u2 = u * u;
        uint step = weft_bits_f(t) & 127u;
        float p = weft_mad_f(u2, weft_mad_f(u, -1.0f / 3.0f, 2.0f / 3.0f), 1.0f - u);
        p = weft_mad_f(v, weft_mad_f(u, 0.5f, -1.0f / 3.0f), weft_mad_f(u2 * u2, 2.0f / 15.0f, p));
        y = weft_erf_slope_f[step] * weft_mad_f(-d, p, weft_erfc_share_f[step]);
        if (__builtin_expect(!(a < 3.98f), 0))
            y = weft_erfc_positive_f(a);
    }
    return x < 0.0f ? 2.0f - y : y;
}
WEFT_V1(float, erfc, float)

// erfc(a) for a >= 0; see weft_erfc_positive_f. Results are denormal from about 26.5 on.
WEFT_INLINE double weft_erfc_positive_d(double a)
{
    const double magic = WEFT_EXP_MAGIC_D + 128.0;
    a = a > 27.5 ? 27.5 : a;
    double y = 1.0 / (a + 3.0);
    double s, e = weft_square_rest_d(a, &s);
    double t, r = weft_exp_parts_d(-s, magic, &t) - e;
    double power = weft_exp_join_d(weft_mad_d(r * r, weft_poly_exp_d(r), r), t);
    return power * (y * weft_poly_erfcx_d(weft_mad_d(y, -6.0, 1.0))) * 0x1p-128;
}

// The number of the step nearest to a, and in *c the step.
WEFT_INLINE uint weft_erf_step_d(double a, private double *c)
{
    const double magic = 0x1.8p45; // the unit of its last place is 1/128
    double t = a + magic;
    *c = t - magic;
    return (uint)weft_bits_d(t);
}

// erf(c + d) - erf(c) is the slope at c, times the integral of e^(-2ct - t^2) from 0 to d. With u = c d and
// v = d^2 that is d times a series in both. This is that series up to u^degree, where u^(degree + 1) doesn't
// count in what the caller computes.
WEFT_INLINE double weft_erf_series_d(double u, double v, bool long_one)
{
    double u2 = u * u;
    double a = weft_mad_d(u2, weft_mad_d(u, -1.0 / 3.0, 2.0 / 3.0), 1.0 - u);
    double b = weft_mad_d(u2, -0.4, weft_mad_d(u, 0.5, -1.0 / 3.0));
    if (!long_one)
        return weft_mad_d(v, weft_mad_d(v, 0.1, b), weft_mad_d(u2 * u2, 2.0 / 15.0, a));
    double a4 = weft_mad_d(u2, 4.0 / 315.0, weft_mad_d(u, -2.0 / 45.0, 2.0 / 15.0));
    double b3 = weft_mad_d(u, -2.0 / 21.0, 2.0 / 9.0);
    double c = weft_mad_d(u, -1.0 / 6.0, 0.1);
    b = weft_mad_d(u2 * u, b3, weft_mad_d(v, c, b));
    return weft_mad_d(v, b, weft_mad_d(u2 * u2, a4, a));
}

double WEFT_API erf(double x)
{
    if (__weft_target_has_math_primitives)
        return weft_erf_prim_d(x);
    double a = weft_abs_d(x), c;
    uint step = weft_erf_step_d(a, &c) & 1023u;
    double d = a - c, series = weft_erf_series_d(c * d, d * d, false);
    double y = weft_mad_d(weft_erf_slope_d[step] * d, series, weft_erf_at_d[step]);
    return weft_sign_d(a > 6.0 ? 1.0 : y, x); // NaN of NaN
}
WEFT_V1(double, erf, double)

double WEFT_API erfc(double x)
{
    double a = weft_abs_d(x);
    if (__weft_target_has_math_primitives) {
        double y = weft_erfc_positive_d(a);
        return x < 0.0 ? 2.0 - y : y;
    }
    double c;
    uint step = weft_erf_step_d(a, &c) & 511u;
    double d = a - c, series = weft_erf_series_d(c * d, d * d, true);
    double y = weft_erf_slope_d[step] * weft_mad_d(-d, series, weft_erfc_share_d[step]);
    if (__builtin_expect(!(a < 3.99), 0))
        y = weft_erfc_positive_d(a);
    return x < 0.0 ? 2.0 - y : y;
}
WEFT_V1(double, erfc, double)
