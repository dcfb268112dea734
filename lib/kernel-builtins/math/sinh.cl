// sinh, cosh and tanh, from e^|x| or e^|x| - 1. Where e^-|x| doesn't count any more, sinh and cosh are
// e^|x| / 2.
#include "weft_exp.h"

float WEFT_API sinh(float x)
{
    float a = weft_abs_f(x);
    // e^a - e^-a = E + E/(E+1) with E = e^a - 1
    float e = weft_expm1_positive_f(a);
    float y = 0.5f * weft_mad_f(e, weft_reciprocal_f(e + 1.0f), e);
    if (__builtin_expect(!(a < 60.0f), 0))
        y = weft_exp_shifted_f(a, -1);
    return weft_sign_f(y, x);
}
WEFT_V1(float, sinh, float)

float WEFT_API cosh(float x)
{
    float a = weft_abs_f(x);
    float t, r = weft_exp_parts_f(a, WEFT_EXP_MAGIC_F - 1.0f, &t);
    float h = weft_exp_join_f(weft_mad_f(r * r, weft_poly_exp_f(r), r), t);
    float y = weft_mad_f(0.25f, weft_reciprocal_f(h), h);
    if (__builtin_expect(!(a < 60.0f), 0))
        y = weft_exp_shifted_f(a, -1);
    return y;
}
WEFT_V1(float, cosh, float)

float WEFT_API tanh(float x)
{
    float a = weft_abs_f(x);
    // E/(E+2) with E = e^2a - 1; beyond 22 the result is 1.
    float e = weft_expm1_positive_f(2.0f * (a > 22.0f ? 22.0f : a));
    return weft_sign_f(e * weft_reciprocal_f(e + 2.0f), x);
}
WEFT_V1(float, tanh, float)

double WEFT_API sinh(double x)
{
    double a = weft_abs_d(x);
    // e^a - e^-a = E + E/(E+1) with E = e^a - 1
    double e = weft_expm1_positive_d(a);
    double y = 0.5 * (e + e / (e + 1.0));
    if (__builtin_expect(!(a < 700.0), 0))
        y = weft_exp_shifted_d(a, -1);
    return weft_sign_d(y, x);
}
WEFT_V1(double, sinh, double)

double WEFT_API cosh(double x)
{
    double a = weft_abs_d(x);
    double t, r = weft_exp_parts_d(a, WEFT_EXP_MAGIC_D - 1.0, &t);
    double h = weft_exp_join_d(weft_mad_d(r * r, weft_poly_exp_d(r), r), t);
    double y = h + 0.25 / h;
    if (__builtin_expect(!(a < 700.0), 0))
        y = weft_exp_shifted_d(a, -1);
    return y;
}
WEFT_V1(double, cosh, double)

double WEFT_API tanh(double x)
{
    double a = weft_abs_d(x);
    // E/(E+2) with E = e^2a - 1; beyond 22 the result is 1.
    double e = weft_expm1_positive_d(2.0 * (a > 22.0 ? 22.0 : a));
    return weft_sign_d(e / (e + 2.0), x);
}
WEFT_V1(double, tanh, double)
