// expm1.
#include "weft_exp.h"

float WEFT_API expm1(float x)
{
    // Doubles half the result. That is exact, and infinite where it should be. Tiny arguments keep their sign
    // and value.
    float y = 2.0f * weft_half_expm1_f(x);
    return weft_sign_f(weft_abs_f(x) < 0x1p-30f ? weft_mad_f(0.5f * x, x, x) : y, x);
}
WEFT_V1(float, expm1, float)

double WEFT_API expm1(double x)
{
    // Doubles half the result. That is exact, and infinite where it should be. Tiny arguments keep their sign
    // and value.
    double y = 2.0 * weft_half_expm1_d(x);
    return weft_sign_d(weft_abs_d(x) < 0x1p-30 ? weft_mad_d(0.5 * x, x, x) : y, x);
}
WEFT_V1(double, expm1, double)
