// fma and mad.
#include "weft_math.h"

float WEFT_API fma(float x, float y, float z)
{
    return weft_fma_f(x, y, z);
}
WEFT_V3(float, fma, float, float, float)

float WEFT_API mad(float x, float y, float z)
{
    return weft_mad_f(x, y, z);
}
WEFT_V3(float, mad, float, float, float)

double WEFT_API fma(double x, double y, double z)
{
    return weft_fma_d(x, y, z);
}
WEFT_V3(double, fma, double, double, double)

double WEFT_API mad(double x, double y, double z)
{
    return weft_mad_d(x, y, z);
}
WEFT_V3(double, mad, double, double, double)
