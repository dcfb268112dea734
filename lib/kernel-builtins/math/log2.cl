// log2 and its native and half versions.
#include "weft_half.h"

float WEFT_API log2(float x)
{
    return weft_log2_f(x);
}
WEFT_V1(float, log2, float)

double WEFT_API log2(double x)
{
    return weft_log2_d(x);
}
WEFT_V1(double, log2, double)

float WEFT_API half_log2(float x)
{
    return weft_has_native() ? weft_half_log2_f(x) : weft_log2_f(x);
}
WEFT_V1(float, half_log2, float)

float WEFT_API native_log2(float x)
{
    return weft_has_native() ? weft_native_log2_f(x) : weft_log2_f(x);
}
WEFT_V1(float, native_log2, float)
