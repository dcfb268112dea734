// exp10, native_exp10 and half_exp10.
#include "weft_half.h"

WEFT_INLINE float weft_exp10_f(float x)
{
    int n;
    x = weft_clamp_f(x, -46.0f, 39.5f);
    if (__weft_target_has_math_primitives)
        return weft_exp10_prim_f(x);
    float k = weft_nearest_f(x * WEFT_LOG2_10_1F, &n);
    float r = weft_mad_f(k, -WEFT_LOG10_2_REST_F, weft_mad_f(k, -WEFT_LOG10_2_SHORT_F, x));
    float h = r * WEFT_LN10_1F;
    float low = weft_mad_f(r, WEFT_LN10_2F, weft_product_error_f(r, WEFT_LN10_1F, h));
    return weft_scale_f(1.0f + (weft_expm1_small_f(h) + low), n);
}

// For native_exp10 and relaxed math. The rounding error of the product contributes up to 46 * 2^-24 * ln 10,
// which is 110 ulp.
WEFT_INLINE float weft_exp10_fast_f(float x)
{
    if (!__weft_target_has_math_primitives)
        return weft_exp10_f(x);
    x *= WEFT_LOG2_10_1F;
    return weft_exp2_prim_f(x < -160.0f ? -160.0f : x);
}

WEFT_INLINE double weft_exp10_d(double x)
{
    long n;
    x = weft_clamp_d(x, -325.0, 309.5);
    if (__weft_target_has_math_primitives)
        return weft_exp10_prim_d(x);
    double k = weft_nearest_d(x * WEFT_LOG2_10_1D, &n);
    double r = weft_mad_d(k, -WEFT_LOG10_2_REST_D, weft_mad_d(k, -WEFT_LOG10_2_SHORT_D, x));
    return weft_scale_d(1.0 + weft_expm1_small_d(r * WEFT_LN10_1D), n);
}

float WEFT_API exp10(float x)
{
    return __weft_relaxed_math ? weft_exp10_fast_f(x) : weft_exp10_f(x);
}
WEFT_V1(float, exp10, float)

double WEFT_API exp10(double x)
{
    return weft_exp10_d(x);
}
WEFT_V1(double, exp10, double)

float WEFT_API half_exp10(float x)
{
    return weft_has_native() ? weft_half_exp2_f(x * WEFT_LOG2_10_1F) : weft_exp10_f(x);
}
WEFT_V1(float, half_exp10, float)

float WEFT_API native_exp10(float x)
{
    return weft_has_native() ? weft_native_exp10_f(x) : weft_exp10_fast_f(x);
}
WEFT_V1(float, native_exp10, float)
