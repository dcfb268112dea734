// atan and atanpi.
#include "weft_atan.h"

float WEFT_API atan(float x)
{
    return weft_atan_f(x);
}
WEFT_V1(float, atan, float)

float WEFT_API atanpi(float x)
{
    float y = weft_atan_f(x);
    return weft_sign_f(weft_mad_f(y, WEFT_INV_PI_2F, y * WEFT_INV_PI_1F), y);
}
WEFT_V1(float, atanpi, float)

double WEFT_API atan(double x)
{
    return weft_atan_d(x);
}
WEFT_V1(double, atan, double)

double WEFT_API atanpi(double x)
{
    double y = weft_atan_d(x);
    return weft_sign_d(weft_mad_d(y, WEFT_INV_PI_2D, y * WEFT_INV_PI_1D), y);
}
WEFT_V1(double, atanpi, double)
