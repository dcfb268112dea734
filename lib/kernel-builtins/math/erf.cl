// erf and erfc. erfc is e^(-x^2) times a polynomial. Up to |x| = 1 an odd polynomial approximates erf. Beyond
// that, erf is 1 minus 2 to the power of a polynomial, few of whose bits count.
#include "weft_native.h"

// erfc(a) for a >= 0. e^-s is scaled in two steps, the last one by a constant, since results are denormal
// from about 9.2 on.
WEFT_INLINE float weft_erfc_positive_f(float a)
{
    const float magic = WEFT_EXP_MAGIC_F + 64.0f;
    a = a > 10.3f ? 10.3f : a;
    float y = weft_reciprocal_f(a + 3.0f);
    float s = a * a;
    float e = weft_product_error_f(a, a, s);
    float t, r = weft_exp_parts_f(-s, magic, &t) - e;
    float power = weft_exp_join_f(weft_mad_f(r * r, weft_poly_exp_plain_f(r), r), t);
    return power * (y * weft_poly_erfcx_f(weft_mad_f(y, -6.0f, 1.0f))) * 0x1p-64f;
}

// erf(a) for a >= 1. From 4 on it rounds to 1.
WEFT_INLINE float weft_erf_far_f(float a)
{
    a = a > 4.0f ? 4.0f : a;
    float p = weft_poly_log2_erfc_f(a);
    float t = p + WEFT_NATIVE_MAGIC, r = p - (t - WEFT_NATIVE_MAGIC);
    return 1.0f - weft_native_scale_f(weft_mad_f(weft_poly_exp2_native_f(r), r, 2.0f), t);
}

float WEFT_API erf(float x)
{
    if (__weft_target_has_math_primitives)
        return weft_erf_prim_f(x);
    float a = weft_abs_f(x);
    float near = a * weft_poly_erf_f(a * a); // NaN of NaN
    float far = weft_erf_far_f(a);
    return weft_sign_f(a > 1.0f ? far : near, x);
}
WEFT_V1(float, erf, float)

float WEFT_API erfc(float x)
{
    float y = weft_erfc_positive_f(weft_abs_f(x));
    return x < 0.0f ? 2.0f - y : y;
}
WEFT_V1(float, erfc, float)

// erfc(a) for a >= 0; see weft_erfc_positive_f. Results are denormal from about 26.5 on.
WEFT_INLINE double weft_erfc_positive_d(double a)
{
    const double magic = WEFT_EXP_MAGIC_D + 128.0;
    a = a > 27.5 ? 27.5 : a;
    double y = 1.0 / (a + 3.0);
    double s = a * a;
    double e = weft_product_error_d(a, a, s);
    double t, r = weft_exp_parts_d(-s, magic, &t) - e;
    double power = weft_exp_join_d(weft_mad_d(r * r, weft_poly_exp_plain_d(r), r), t);
    return power * (y * weft_poly_erfcx_d(weft_mad_d(y, -6.0, 1.0))) * 0x1p-128;
}

// erf(a) for a >= 1. From 6 on it rounds to 1.
WEFT_INLINE double weft_erf_far_d(double a)
{
    double p = weft_poly_log2_erfc_d(a > 6.0 ? 6.0 : a);
    double t = p + WEFT_EXP_MAGIC_D, r = p - (t - WEFT_EXP_MAGIC_D);
    return 1.0 - weft_exp_join_d(weft_poly_exp2_brief_d(r) * r, t);
}

double WEFT_API erf(double x)
{
    if (__weft_target_has_math_primitives)
        return weft_erf_prim_d(x);
    double a = weft_abs_d(x);
    double near = a * weft_poly_erf_d(a * a); // NaN of NaN
    double far = weft_erf_far_d(a);
    return weft_sign_d(a > 1.0 ? far : near, x);
}
WEFT_V1(double, erf, double)

double WEFT_API erfc(double x)
{
    double y = weft_erfc_positive_d(weft_abs_d(x));
    return x < 0.0 ? 2.0 - y : y;
}
WEFT_V1(double, erfc, double)
