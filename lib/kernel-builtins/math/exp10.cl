// exp10, native_exp10 and half_exp10.
#include "weft_half.h"

// x = n log10 2 + r
WEFT_INLINE float weft_exp10_f(float x)
{
    if (__weft_target_has_math_primitives)
        return weft_exp10_prim_f(weft_clamp_f(x, -46.0f, 39.5f));
    float t = weft_mad_f(x, WEFT_LOG2_10_1F, WEFT_EXP_MAGIC_F), n = t - WEFT_EXP_MAGIC_F;
    float r = weft_mad_f(n, -WEFT_LOG10_2_REST_F, weft_mad_f(n, -WEFT_LOG10_2_SHORT_F, x));
    float p = weft_poly_exp10_plain_f(r) * r;
    float y = weft_exp_join_f(p, t);
    if (__builtin_expect(!(weft_abs_f(x) < 37.5f), 0))
        y = weft_exp_rare_f(x, p, t, -46.0f, 39.5f);
    return y;
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
    if (__weft_target_has_math_primitives)
        return weft_exp10_prim_d(weft_clamp_d(x, -325.0, 309.5));
    double t = weft_mad_d(x, WEFT_LOG2_10_1D, WEFT_EXP_MAGIC_D), n = t - WEFT_EXP_MAGIC_D;
    double r = weft_mad_d(n, -WEFT_LOG10_2_REST_D, weft_mad_d(n, -WEFT_LOG10_2_SHORT_D, x));
    double p = weft_poly_exp10_plain_d(r) * r, y;
    if (__weft_target_has_fma) {
        y = weft_exp_join_d(p, t);
    } else {
        // What is above is computed only if x is rare.
        double q = weft_mad_d(x, 64.0 * WEFT_LOG2_10_1D, 0x1.8p52), m = q - 0x1.8p52;
        double s = (x - m * WEFT_LOG10_2_64_SHORT_D) - m * WEFT_LOG10_2_64_REST_D;
        double power = weft_exp_power64_d(q, 0);
        y = weft_mad_d(power * s, weft_poly_exp10_64_d(s), power);
    }
    if (__builtin_expect(!(weft_abs_d(x) < 307.0), 0))
        y = weft_exp_rare_d(x, p, t, -325.0, 309.5);
    return y;
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
