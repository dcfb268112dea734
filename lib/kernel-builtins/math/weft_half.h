// Exponentials and logarithms for half functions, on targets without math primitives: 8,192 ulp are 2^-11.
// Denormal arguments and results are flushed to zero, as OpenCL C 3.0 §6.15.2 allows them in every mode.
#ifndef WEFT_HALF_H
#define WEFT_HALF_H

#include "weft_native.h"

// 2^x; NaN of NaN. The exponent is rounded down, so that the fraction's power is in [1, 2) and one product
// scales it: by 0 below 2^-126, by infinity above 2^128. The polynomial of 1 is not below 2, so that 2^128
// is infinite, too.
WEFT_INLINE float weft_half_exp2_f(float x)
{
    const float magic = 0x1.8p23f + 127.0f;
    x = weft_clamp_f(x, -126.75f, 128.0f);
    float n = __builtin_elementwise_floor(x), t = n + magic;
    return weft_poly_exp2_half_f(x - n) * weft_from_f(weft_bits_f(t) << 23);
}

WEFT_INLINE float weft_half_log_f(float x)
{
    float k, f = weft_log_split_normal_f(x, &k), y = weft_mad_f(k, WEFT_LN2_1F, f);
    y = weft_mad_f(f * f, weft_poly_log_half_f(f), y);
    return weft_native_log_special_f(x, y);
}

WEFT_INLINE float weft_half_log2_f(float x)
{
    float k, f = weft_log_split_normal_f(x, &k), y = weft_mad_f(f, WEFT_LOG2E_1F, k);
    y = weft_mad_f(f * f, weft_poly_log2_half_f(f), y);
    return weft_native_log_special_f(x, y);
}

WEFT_INLINE float weft_half_log10_f(float x)
{
    float k, f = weft_log_split_normal_f(x, &k);
    float y = weft_mad_f(f, WEFT_LOG10E_1F, k * WEFT_LOG10_2_1F);
    y = weft_mad_f(f * f, weft_poly_log10_half_f(f), y);
    return weft_native_log_special_f(x, y);
}

#endif
