// tan and its native and half versions.
#include "weft_trig.h"

float WEFT_API tan(float x)
{
    return __weft_relaxed_math ? weft_tan_fast_f(x) : weft_tan_f(x);
}
WEFT_V1(float, tan, float)

double WEFT_API tan(double x)
{
    return weft_tan_d(x);
}
WEFT_V1(double, tan, double)

float WEFT_API half_tan(float x)
{
    return __weft_target_has_fma ? weft_tan_brief_f(x) : weft_tan_f(x);
}
WEFT_V1(float, half_tan, float)

float WEFT_API native_tan(float x)
{
    return weft_tan_fast_f(x);
}
WEFT_V1(float, native_tan, float)
