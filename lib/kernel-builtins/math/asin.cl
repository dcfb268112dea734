// asin and asinpi.
#include "weft_atan.h"

float WEFT_API asin(float x)
{
    return weft_asin_f(x, false);
}
WEFT_V1(float, asin, float)

float WEFT_API asinpi(float x)
{
    return weft_asin_f(x, true);
}
WEFT_V1(float, asinpi, float)

double WEFT_API asin(double x)
{
    return weft_asin_d(x, false);
}
WEFT_V1(double, asin, double)

double WEFT_API asinpi(double x)
{
    return weft_asin_d(x, true);
}
WEFT_V1(double, asinpi, double)
