// Cheap exponentials and logarithms for native functions, on targets without math primitives, which are as
// cheap themselves. The relative error is about 2^-21. What is given up: results of
// exponentials below 2^-126 (and up to 1.42 times that) are 0, logarithms take denormals for 0. Infinities,
// zeros and NaN are right.
#ifndef WEFT_NATIVE_H
#define WEFT_NATIVE_H

#include "weft_exp.h"
#include "weft_log.h"

// Are these the functions to take on this target?
WEFT_INLINE bool weft_has_native(void)
{
    return !__weft_target_has_math_primitives;
}

// The low bits of a sum with this are those of n + 126, 0 <= n + 126 <= 254: one step up to 2^127. What is
// scaled by such a power is twice as large, so that 2^128 needs no second step. 2^-127 is 0 here.
#define WEFT_NATIVE_MAGIC (0x1.8p23f + 126.0f)

// 2^(r + n), where t is n + MAGIC. The power is multiplied before the polynomial is complete.
WEFT_INLINE float weft_native_exp2_parts_f(float r, float t)
{
    float power = weft_from_f(weft_bits_f(t) << 23), r2 = r * r;
    return weft_mad_f(weft_poly_exp2_native_f(r), r2 * power,
                      weft_mad_f(r, WEFT_EXP2_NATIVE_1F, 2.0f) * power);
}

WEFT_INLINE float weft_native_exp2_f(float x)
{
    x = weft_clamp_f(x, -126.4f, 128.4f);
    float t = x + WEFT_NATIVE_MAGIC;
    return weft_native_exp2_parts_f(x - (t - WEFT_NATIVE_MAGIC), t);
}

// base^x, where log2_base is the logarithm of the base. The product isn't rounded if it can be fused.
WEFT_INLINE float weft_native_power_f(float x, float log2_base, float low, float high)
{
    x = weft_clamp_f(x, low, high);
    float t = weft_mad_f(x, log2_base, WEFT_NATIVE_MAGIC);
    return weft_native_exp2_parts_f(weft_mad_f(x, log2_base, WEFT_NATIVE_MAGIC - t), t);
}

WEFT_INLINE float weft_native_exp_f(float x)
{
    return weft_native_power_f(x, WEFT_LOG2E_1F, -87.6f, 89.0f);
}

WEFT_INLINE float weft_native_exp10_f(float x)
{
    return weft_native_power_f(x, WEFT_LOG2_10_1F, -38.05f, 38.65f);
}

// The result y of a logarithm, or what it is for x that has none. Denormal numbers count as 0.
WEFT_INLINE float weft_native_log_special_f(float x, float y)
{
    if (__builtin_expect(weft_is_rare_log_f(x), 0)) {
        y = x == WEFT_INF_F ? x : -WEFT_INF_F;
        y = x >= 0.0f || weft_abs_f(x) < 0x1p-126f ? y : WEFT_NAN_F;
    }
    return y;
}

// y + f^2 (rest f^2 + second f + first), in a short chain
WEFT_INLINE float weft_native_log_join_f(float y, float f, float first, float second, float rest)
{
    float f2 = f * f;
    y = weft_mad_f(weft_mad_f(f, second, first), f2, y);
    return weft_mad_f(rest, f2 * f2, y);
}

WEFT_INLINE float weft_native_log_f(float x)
{
    float k, f = weft_log_split_normal_f(x, &k), y = weft_mad_f(k, WEFT_LN2_1F, f);
    y = weft_native_log_join_f(y, f, WEFT_LOG_NATIVE_1F, WEFT_LOG_NATIVE_2F, weft_poly_log_native_f(f));
    return weft_native_log_special_f(x, y);
}

// log2 x for positive normal x.
WEFT_INLINE float weft_native_log2_plain_f(float x)
{
    float k, f = weft_log_split_normal_f(x, &k);
    return weft_native_log_join_f(weft_mad_f(f, WEFT_LOG2E_1F, k), f, WEFT_LOG2_NATIVE_1F,
                                  WEFT_LOG2_NATIVE_2F, weft_poly_log2_native_f(f));
}

WEFT_INLINE float weft_native_log2_f(float x)
{
    return weft_native_log_special_f(x, weft_native_log2_plain_f(x));
}

WEFT_INLINE float weft_native_log10_f(float x)
{
    float k, f = weft_log_split_normal_f(x, &k);
    float y = weft_mad_f(f, WEFT_LOG10E_1F, k * WEFT_LOG10_2_1F);
    y = weft_native_log_join_f(y, f, WEFT_LOG10_NATIVE_1F, WEFT_LOG10_NATIVE_2F, weft_poly_log10_native_f(f));
    return weft_native_log_special_f(x, y);
}

#endif
