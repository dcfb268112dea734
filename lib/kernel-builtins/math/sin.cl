// sin and its native and half versions.
#include "weft_trig.h"

float WEFT_API sin(float x)
{
    return __weft_relaxed_math ? weft_sin_fast_f(x) : weft_sin_f(x);
}
WEFT_V1(float, sin, float)

double WEFT_API sin(double x)
{
    return weft_sin_d(x);
}
WEFT_V1(double, sin, double)

float WEFT_API half_sin(float x)
{
    return weft_sin_brief_f(x);
}
WEFT_V1(float, half_sin, float)

float WEFT_API native_sin(float x)
{
    return weft_sin_fast_f(x);
}
WEFT_V1(float, native_sin, float)
