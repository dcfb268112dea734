// cos and its native and half versions.
#include "weft_trig.h"

float WEFT_API cos(float x)
{
    return __weft_relaxed_math ? weft_cos_fast_f(x) : weft_cos_f(x);
}
WEFT_V1(float, cos, float)

double WEFT_API cos(double x)
{
    return weft_cos_d(x);
}
WEFT_V1(double, cos, double)

float WEFT_API half_cos(float x)
{
    return __weft_target_has_fma ? weft_cos_brief_f(x) : weft_cos_f(x);
}
WEFT_V1(float, half_cos, float)

float WEFT_API native_cos(float x)
{
    return weft_cos_fast_f(x);
}
WEFT_V1(float, native_cos, float)
