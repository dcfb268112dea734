// acos and acospi.
#include "weft_atan.h"

float WEFT_API acos(float x)
{
    return weft_acos_f(x, false);
}
WEFT_V1(float, acos, float)

float WEFT_API acospi(float x)
{
    return weft_acos_f(x, true);
}
WEFT_V1(float, acospi, float)

double WEFT_API acos(double x)
{
    return weft_acos_d(x, false);
}
WEFT_V1(double, acos, double)

double WEFT_API acospi(double x)
{
    return weft_acos_d(x, true);
}
WEFT_V1(double, acospi, double)
