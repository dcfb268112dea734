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

// y * 2^(n-1), where the low bits of t are those of n + 126, 0 <= n + 126 <= 254. One step up to 2^127: y is
// twice the number that is scaled, so that 2^128 needs no second one. 2^-127 is 0 here.
WEFT_INLINE float weft_native_scale_f(float y, float t)
{
    return y * weft_from_f(weft_bits_f(t) << 23);
}

#define WEFT_NATIVE_MAGIC (0x1.8p23f + 126.0f)

WEFT_INLINE float weft_native_exp2_f(float x)
{
    x = weft_clamp_f(x, -126.4f, 128.4f);
    float t = x + WEFT_NATIVE_MAGIC, r = x - (t - WEFT_NATIVE_MAGIC);
    return weft_native_scale_f(weft_mad_f(weft_poly_exp2_native_f(r), r, 2.0f), t);
}

WEFT_INLINE float weft_native_exp_f(float x)
{
    x = weft_clamp_f(x, -87.6f, 89.0f);
    float t = weft_mad_f(x, WEFT_LOG2E_1F, WEFT_NATIVE_MAGIC), n = t - WEFT_NATIVE_MAGIC;
    // The product is exact, as that of the short part is where there is no FMA.
    float r = __weft_target_has_fma ? weft_mad_f(n, -WEFT_LN2_1F, x)
                                    : x - n * WEFT_LN2_SHORT_F - n * WEFT_LN2_REST_F;
    return weft_native_scale_f(weft_mad_f(weft_poly_exp_native_f(r), r, 2.0f), t);
}

WEFT_INLINE float weft_native_exp10_f(float x)
{
    return weft_native_exp2_f(x * WEFT_LOG2_10_1F);
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

WEFT_INLINE float weft_native_log_f(float x)
{
    float k, f = weft_log_split_normal_f(x, &k);
    float y = weft_mad_f(f * f, weft_poly_log_native_f(f), weft_mad_f(k, WEFT_LN2_1F, f));
    return weft_native_log_special_f(x, y);
}

// log2 x for positive normal x.
WEFT_INLINE float weft_native_log2_plain_f(float x)
{
    float k, f = weft_log_split_normal_f(x, &k);
    return weft_mad_f(weft_mad_f(f * f, weft_poly_log_native_f(f), f), WEFT_LOG2E_1F, k);
}

WEFT_INLINE float weft_native_log2_f(float x)
{
    return weft_native_log_special_f(x, weft_native_log2_plain_f(x));
}

WEFT_INLINE float weft_native_log10_f(float x)
{
    float k, f = weft_log_split_normal_f(x, &k);
    float y = weft_mad_f(f * f, weft_poly_log_native_f(f), f);
    return weft_native_log_special_f(x, weft_mad_f(y, WEFT_LOG10E_1F, k * WEFT_LOG10_2_1F));
}

#endif
