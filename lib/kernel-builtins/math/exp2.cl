// exp2, native_exp2 and half_exp2.
#include "weft_half.h"

WEFT_INLINE float weft_exp2_f(float x)
{
    int n;
    x = weft_clamp_f(x, -153.0f, 131.0f);
    if (__weft_target_has_math_primitives)
        return weft_exp2_prim_f(x);
    float r = (x - weft_nearest_f(x, &n)) * WEFT_LN2_1F;
    return weft_scale_f(1.0f + weft_expm1_small_f(r), n);
}

WEFT_INLINE float weft_exp2_fast_f(float x)
{
    return __weft_target_has_math_primitives ? weft_exp2_prim_f(x < -160.0f ? -160.0f : x) : weft_exp2_f(x);
}

WEFT_INLINE double weft_exp2_d(double x)
{
    long n;
    x = weft_clamp_d(x, -1079.0, 1027.0);
    if (__weft_target_has_math_primitives)
        return weft_exp2_prim_d(x);
    double r = (x - weft_nearest_d(x, &n)) * WEFT_LN2_1D;
    return weft_scale_d(1.0 + weft_expm1_small_d(r), n);
}

float WEFT_API exp2(float x)
{
    return __weft_relaxed_math ? weft_exp2_fast_f(x) : weft_exp2_f(x);
}
WEFT_V1(float, exp2, float)

double WEFT_API exp2(double x)
{
    return weft_exp2_d(x);
}
WEFT_V1(double, exp2, double)

float WEFT_API half_exp2(float x)
{
    return weft_has_native() ? weft_half_exp2_f(x) : weft_exp2_f(x);
}
WEFT_V1(float, half_exp2, float)

float WEFT_API native_exp2(float x)
{
    return weft_has_native() ? weft_native_exp2_f(x) : weft_exp2_fast_f(x);
}
WEFT_V1(float, native_exp2, float)
