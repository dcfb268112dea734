// erf and erfc. Up to |x| = 1 an odd polynomial approximates erf; beyond that erfc is e^(-x^2) times a
// polynomial.
#include "weft_exp.h"

// erfc(a) for a >= 1
WEFT_INLINE float weft_erfc_tail_f(float a)
{
    a = a > 30.0f ? 30.0f : a;
    float t = (a - 3.0f) / (a + 3.0f);
    float s = a * a;
    float e = weft_product_error_f(a, a, s);
    return weft_exp_pair_f(-s, -e) * weft_poly_erfcx_f(t) / weft_mad_f(2.0f, a, 1.0f);
}

float WEFT_API erf(float x)
{
    if (__weft_target_has_math_primitives)
        return weft_erf_prim_f(x);
    float a = weft_abs_f(x);
    float near = a * weft_poly_erf_f(a * a);
    float far = 1.0f - weft_erfc_tail_f(a);
    float y = a > 1.0f ? far : near;
    return x != x ? x : weft_sign_f(y, x);
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
    double t = (a - 3.0) / (a + 3.0);
    double s = a * a;
    double e = weft_product_error_d(a, a, s);
    return weft_exp_pair_d(-s, -e) * weft_poly_erfcx_d(t) / weft_mad_d(2.0, a, 1.0);
}

double WEFT_API erf(double x)
{
    if (__weft_target_has_math_primitives)
        return weft_erf_prim_d(x);
    double a = weft_abs_d(x);
    double near = a * weft_poly_erf_d(a * a);
    double far = 1.0 - weft_erfc_tail_d(a);
    double y = a > 1.0 ? far : near;
    return x != x ? x : weft_sign_d(y, x);
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
