// asin and asinpi.
#include "weft_atan.h"

float WEFT_API asin(float x)
{
    return weft_asin_f(x);
}
WEFT_V1(float, asin, float)

float WEFT_API asinpi(float x)
{
    float y = weft_asin_f(x);
    return weft_sign_f(weft_mad_f(y, WEFT_INV_PI_2F, y * WEFT_INV_PI_1F), y);
}
WEFT_V1(float, asinpi, float)

double WEFT_API asin(double x)
{
    return weft_asin_d(x);
}
WEFT_V1(double, asin, double)

double WEFT_API asinpi(double x)
{
    double y = weft_asin_d(x);
    return weft_sign_d(weft_mad_d(y, WEFT_INV_PI_2D, y * WEFT_INV_PI_1D), y);
}
WEFT_V1(double, asinpi, double)
