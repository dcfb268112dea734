// The math functions of half that can't use those of float: they work on bits or need a rounding of their
// own.
#include "weft_math.h"

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#define WEFT_NAN_H weft_from_h((ushort)0x7e00)

WEFT_INLINE ushort weft_bits_h(half x)
{
    return __builtin_astype(x, ushort);
}

WEFT_INLINE half weft_from_h(ushort x)
{
    return __builtin_astype(x, half);
}

half WEFT_API fabs(half x)
{
    return weft_from_h(weft_bits_h(x) & (ushort)0x7fff);
}
WEFT_V1(half, fabs, half)

half WEFT_API copysign(half x, half y)
{
    return weft_from_h((weft_bits_h(x) & (ushort)0x7fff) | (weft_bits_h(y) & (ushort)0x8000));
}
WEFT_V2(half, copysign, half, half)

half WEFT_API nan(ushort code)
{
    return weft_from_h(code | (ushort)0x7e00);
}
WEFT_V1(half, nan, ushort)

half WEFT_API nextafter(half x, half y)
{
    ushort u = weft_bits_h(x);
    // A larger magnitude means up for positive x and down for negative x.
    bool grow = (x < y) == ((short)u >= 0);
    ushort next = grow ? u + 1 : u - 1;
    next = x == (half)0 ? (weft_bits_h(y) & 0x8000) | 1 : next;
    half r = x == y ? y : weft_from_h(next);
    return x != x || y != y ? WEFT_NAN_H : r;
}
WEFT_V2(half, nextafter, half, half)

// The result is below 1 even if x - floor(x) would round up to 1. Infinities give a zero of their sign.
WEFT_INLINE WEFT_API half weft_pair_fract(half x, private half *whole)
{
    float a = (float)x, w = __builtin_elementwise_floor(a), f = a - w;
    f = f > 0x1.ffcp-1f ? 0x1.ffcp-1f : f;
    f = weft_abs_f(a) == WEFT_INF_F ? weft_sign_f(0.0f, a) : f;
    f = a == 0.0f ? a : f;
    *whole = (half)w;
    return (half)f;
}
WEFT_P1(half, fract, half, half)

// The product is exact in float. The sum is rounded to odd: if anything is cut off, the last bit is set. So
// the second rounding is right, since float has more than two bits more than half.
half WEFT_API fma(half x, half y, half z)
{
    if (__weft_target_has_fp16)
        return __builtin_elementwise_fma(x, y, z);
    float p = (float)x * (float)y, c = (float)z, s = p + c;
    float rest = weft_sum_error_f(p, c, s);
    uint u = weft_bits_f(s);
    bool outward = (rest > 0.0f) == (s > 0.0f), inexact = (int)(rest > 0.0f) | (int)(rest < 0.0f);
    uint odd = outward ? u | 1 : u - (~u & 1);
    return (half)weft_from_f(inexact ? odd : u);
}
WEFT_V3(half, fma, half, half, half)

half WEFT_API mad(half x, half y, half z)
{
    if (__weft_target_has_fp16)
        return __builtin_elementwise_fma(x, y, z);
    return (half)weft_mad_f((float)x, (float)y, (float)z);
}
WEFT_V3(half, mad, half, half, half)
