// sinh, cosh and tanh, from e^|x| - 1.
#include "weft_exp.h"

float WEFT_API sinh(float x)
{
    float a = weft_abs_f(x);
    float h = weft_half_expm1_f(a);
    // e^a - e^-a = E + E/(E+1) with E = 2h; for large h the quotient is 1 and must not become inf/inf.
    float q = h / (h + 0.5f);
    float y = h + 0.5f * (h > 0x1p60f ? 1.0f : q);
    y = a < 0x1p-20f ? weft_mad_f(a * a, a * (1.0f / 6.0f), a) : y;
    return weft_sign_f(y, x);
}
WEFT_V1(float, sinh, float)

float WEFT_API cosh(float x)
{
    float t = weft_exp_shifted_f(weft_abs_f(x), -1);
    return t + 0.25f / t;
}
WEFT_V1(float, cosh, float)

float WEFT_API tanh(float x)
{
    float a = weft_abs_f(x);
    // E/(E+2) with E = e^2a - 1; beyond 22 the result is 1.
    float h = weft_half_expm1_positive_f(2.0f * (a > 22.0f ? 22.0f : a));
    return weft_sign_f(h / (h + 1.0f), x);
}
WEFT_V1(float, tanh, float)

double WEFT_API sinh(double x)
{
    double a = weft_abs_d(x);
    double h = weft_half_expm1_d(a);
    // e^a - e^-a = E + E/(E+1) with E = 2h; for large h the quotient is 1 and must not become inf/inf.
    double q = h / (h + 0.5);
    double y = h + 0.5 * (h > 0x1p60 ? 1.0 : q);
    y = a < 0x1p-20 ? weft_mad_d(a * a, a * (1.0 / 6.0), a) : y;
    return weft_sign_d(y, x);
}
WEFT_V1(double, sinh, double)

double WEFT_API cosh(double x)
{
    double t = weft_exp_shifted_d(weft_abs_d(x), -1);
    return t + 0.25 / t;
}
WEFT_V1(double, cosh, double)

double WEFT_API tanh(double x)
{
    double a = weft_abs_d(x);
    // E/(E+2) with E = e^2a - 1; beyond 22 the result is 1.
    double h = weft_half_expm1_positive_d(2.0 * (a > 22.0 ? 22.0 : a));
    return weft_sign_d(h / (h + 1.0), x);
}
WEFT_V1(double, tanh, double)
