// The math functions of half that use the function of float and round once more. The error is at most 0.502
// units in the last place. They are exact if the function of float is exact. Each conversion is one
// instruction if the processor has any support for half (F16C).
//
// A correctly rounded quotient, root, sum or product of floats stays correctly rounded: float has more than
// twice the digits of half, plus two.
#include "weft_math.h"

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

// R name(half, ...), from the function of float, whose result has the type F. Clang forgets its own
// declarations of a name that the file declares.
#define HALF_1(R, F, name)        \
    F WEFT_API name(float x);     \
    R WEFT_API name(half x)       \
    {                             \
        return (R)name((float)x); \
    }                             \
    WEFT_V1(R, name, half)

#define HALF_2(name)                           \
    float WEFT_API name(float x, float y);     \
    half WEFT_API name(half x, half y)         \
    {                                          \
        return (half)name((float)x, (float)y); \
    }                                          \
    WEFT_V2(half, name, half, half)

#define HALF_I(name)                     \
    float WEFT_API name(float x, int n); \
    half WEFT_API name(half x, int n)    \
    {                                    \
        return (half)name((float)x, n);  \
    }                                    \
    WEFT_V2(half, name, half, int)

// With a second result: a number of the same type (P) or an integer (N).
#define HALF_1P(name)                                                   \
    float WEFT_API name(float x, private float *p);                     \
    WEFT_INLINE WEFT_API half weft_pair_##name(half x, private half *p) \
    {                                                                   \
        float second;                                                   \
        half first = (half)name((float)x, &second);                     \
        *p = (half)second;                                              \
        return first;                                                   \
    }                                                                   \
    WEFT_P1(half, name, half, half)

#define HALF_1N(name)                                                  \
    float WEFT_API name(float x, private int *n);                      \
    WEFT_INLINE WEFT_API half weft_pair_##name(half x, private int *n) \
    {                                                                  \
        return (half)name((float)x, n);                                \
    }                                                                  \
    WEFT_P1(half, name, half, int)

#define HALF_2N(name)                                                          \
    float WEFT_API name(float x, float y, private int *n);                     \
    WEFT_INLINE WEFT_API half weft_pair_##name(half x, half y, private int *n) \
    {                                                                          \
        return (half)name((float)x, (float)y, n);                              \
    }                                                                          \
    WEFT_P2(half, name, half, half, int)

HALF_1(half, float, acos)
HALF_1(half, float, acosh)
HALF_1(half, float, acospi)
HALF_1(half, float, asin)
HALF_1(half, float, asinh)
HALF_1(half, float, asinpi)
HALF_1(half, float, atan)
HALF_1(half, float, atanh)
HALF_1(half, float, atanpi)
HALF_1(half, float, cbrt)
HALF_1(half, float, ceil)
HALF_1(half, float, cos)
HALF_1(half, float, cosh)
HALF_1(half, float, cospi)
HALF_1(half, float, erf)
HALF_1(half, float, erfc)
HALF_1(half, float, exp)
HALF_1(half, float, exp10)
HALF_1(half, float, exp2)
HALF_1(half, float, expm1)
HALF_1(half, float, floor)
HALF_1(int, int, ilogb)
HALF_1(half, float, lgamma)
HALF_1(half, float, log)
HALF_1(half, float, log10)
HALF_1(half, float, log1p)
HALF_1(half, float, log2)
HALF_1(half, float, logb)
HALF_1(half, float, rint)
HALF_1(half, float, round)
HALF_1(half, float, rsqrt)
HALF_1(half, float, sin)
HALF_1(half, float, sinh)
HALF_1(half, float, sinpi)
HALF_1(half, float, sqrt)
HALF_1(half, float, tan)
HALF_1(half, float, tanh)
HALF_1(half, float, tanpi)
HALF_1(half, float, tgamma)
HALF_1(half, float, trunc)

HALF_2(atan2)
HALF_2(atan2pi)
HALF_2(fdim)
HALF_2(fmod)
HALF_2(hypot)
HALF_2(pow)
HALF_2(powr)
HALF_2(remainder)

HALF_I(ldexp)
WEFT_V2S(half, ldexp, half, int)
HALF_I(pown)
HALF_I(rootn)

HALF_1P(modf)
HALF_1P(sincos)
HALF_1N(frexp)
HALF_1N(lgamma_r)
HALF_2N(remquo)
