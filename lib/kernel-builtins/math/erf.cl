// erf and erfc. Up to |x| = 1 an odd polynomial approximates erf. Beyond that, erfc is 2 to the power of a
// polynomial where only its difference from 1 is wanted, so that few of its bits count, and else e^(-x^2)
// times a polynomial.
#include "weft_native.h"

// erfc(a) for a >= 1
WEFT_INLINE float weft_erfc_tail_f(float a)
{
    a = a > 30.0f ? 30.0f : a;
    float y = weft_reciprocal_f(a + 3.0f);
    float s = a * a;
    float e = weft_product_error_f(a, a, s);
    return weft_exp_pair_f(-s, -e) * y * weft_poly_erfcx_f(weft_mad_f(y, -6.0f, 1.0f));
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
    float a = weft_abs_f(x);
    float near = 1.0f - x * weft_poly_erf_f(a * a);
    float tail = weft_erfc_tail_f(a);
    float y = a > 1.0f ? (x < 0.0f ? 2.0f - tail : tail) : near;
    return x != x ? x : y;
}
WEFT_V1(float, erfc, float)

// erfc(a) for a >= 1
WEFT_INLINE double weft_erfc_tail_d(double a)
{
    a = a > 30.0 ? 30.0 : a;
    double y = 1.0 / (a + 3.0);
    double s = a * a;
    double e = weft_product_error_d(a, a, s);
    return weft_exp_pair_d(-s, -e) * y * weft_poly_erfcx_d(weft_mad_d(y, -6.0, 1.0));
}

// erf(a) for a >= 1. From 6 on it rounds to 1.
WEFT_INLINE double weft_erf_far_d(double a)
{
    long n;
    double p = weft_poly_log2_erfc_d(a > 6.0 ? 6.0 : a);
    double r = (p - weft_nearest_d(p, &n)) * WEFT_LN2_1D;
    double power = weft_power2_d(n);
    return 1.0 - weft_mad_d(weft_expm1_small_d(r), power, power);
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
    double a = weft_abs_d(x);
    double near = 1.0 - x * weft_poly_erf_d(a * a);
    double tail = weft_erfc_tail_d(a);
    double y = a > 1.0 ? (x < 0.0 ? 2.0 - tail : tail) : near;
    return x != x ? x : y;
}
WEFT_V1(double, erfc, double)
