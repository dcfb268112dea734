// expm1.
#include "weft_exp.h"

float WEFT_API expm1(float x)
{
    return weft_expm1_f(x);
}
WEFT_V1(float, expm1, float)

double WEFT_API expm1(double x)
{
    return weft_expm1_d(x);
}
WEFT_V1(double, expm1, double)
