// exp2, native_exp2 and half_exp2.
#include "weft_half.h"

WEFT_INLINE float weft_exp2_f(float x)
{
    if (__weft_target_has_math_primitives)
        return weft_exp2_prim_f(weft_clamp_f(x, -153.0f, 131.0f));
    float t = x + WEFT_EXP_MAGIC_F, r = x - (t - WEFT_EXP_MAGIC_F);
    float p = weft_poly_exp2_plain_f(r) * r;
    float y = weft_exp_join_f(p, t);
    if (__builtin_expect(!(weft_abs_f(x) < 125.0f), 0))
        y = weft_exp_rare_f(x, p, t, -153.0f, 131.0f);
    return y;
}

WEFT_INLINE float weft_exp2_fast_f(float x)
{
    return __weft_target_has_math_primitives ? weft_exp2_prim_f(x < -160.0f ? -160.0f : x) : weft_exp2_f(x);
}

WEFT_INLINE double weft_exp2_d(double x)
{
    if (__weft_target_has_math_primitives)
        return weft_exp2_prim_d(weft_clamp_d(x, -1079.0, 1027.0));
    double t = x + WEFT_EXP_MAGIC_D, r = x - (t - WEFT_EXP_MAGIC_D);
    double p = weft_poly_exp2_plain_d(r) * r, y;
    if (__weft_target_has_fma) {
        y = weft_exp_join_d(p, t);
    } else {
        // What is above is computed only if x is rare.
        double q = x + 0x1.8p46, s = x - (q - 0x1.8p46); // the unit of its last place is 1/64
        double power = weft_exp_power64_d(q, 0);
        y = weft_mad_d(power * s, weft_poly_exp2_64_d(s), power);
    }
    if (__builtin_expect(!(weft_abs_d(x) < 1020.0), 0))
        y = weft_exp_rare_d(x, p, t, -1079.0, 1027.0);
    return y;
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
