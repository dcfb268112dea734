// acos and acospi.
#include "weft_atan.h"

float WEFT_API acos(float x)
{
    return weft_acos_f(x);
}
WEFT_V1(float, acos, float)

float WEFT_API acospi(float x)
{
    float y = weft_acos_f(x);
    return weft_sign_f(weft_mad_f(y, WEFT_INV_PI_2F, y * WEFT_INV_PI_1F), y);
}
WEFT_V1(float, acospi, float)

double WEFT_API acos(double x)
{
    return weft_acos_d(x);
}
WEFT_V1(double, acos, double)

double WEFT_API acospi(double x)
{
    double y = weft_acos_d(x);
    return weft_sign_d(weft_mad_d(y, WEFT_INV_PI_2D, y * WEFT_INV_PI_1D), y);
}
WEFT_V1(double, acospi, double)
