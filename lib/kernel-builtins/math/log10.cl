// log10 and its native and half versions.
#include "weft_half.h"

float WEFT_API log10(float x)
{
    return weft_log10_f(x);
}
WEFT_V1(float, log10, float)

double WEFT_API log10(double x)
{
    return weft_log10_d(x);
}
WEFT_V1(double, log10, double)

float WEFT_API half_log10(float x)
{
    return weft_has_native() ? weft_half_log10_f(x) : weft_log10_brief_prim_f(x);
}
WEFT_V1(float, half_log10, float)

float WEFT_API native_log10(float x)
{
    return weft_has_native() ? weft_native_log10_f(x) : weft_log10_brief_prim_f(x);
}
WEFT_V1(float, native_log10, float)
