// atan and atanpi.
#include "weft_atan.h"

float WEFT_API atan(float x)
{
    return weft_atan_f(x);
}
WEFT_V1(float, atan, float)

float WEFT_API atanpi(float x)
{
    return weft_atanpi_f(x);
}
WEFT_V1(float, atanpi, float)

double WEFT_API atan(double x)
{
    return weft_atan_d(x);
}
WEFT_V1(double, atan, double)

double WEFT_API atanpi(double x)
{
    return weft_atanpi_d(x);
}
WEFT_V1(double, atanpi, double)
