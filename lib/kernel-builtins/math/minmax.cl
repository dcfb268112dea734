// fmax, fmin, maxmag, minmag, fdim, fabs, copysign. For half only the first four; the others are in
// half_exact.cl and half.cl.
#include "weft_math.h"

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

// If one operand is a NaN, the other is the result.
#define WEFT_MINMAX(T)                                                        \
    T WEFT_API fmax(T x, T y)                                                 \
    {                                                                         \
        return y > x || x != x ? y : x;                                       \
    }                                                                         \
    WEFT_V2(T, fmax, T, T)                                                    \
    WEFT_V2S(T, fmax, T, T)                                                   \
                                                                              \
    T WEFT_API fmin(T x, T y)                                                 \
    {                                                                         \
        return y < x || x != x ? y : x;                                       \
    }                                                                         \
    WEFT_V2(T, fmin, T, T)                                                    \
    WEFT_V2S(T, fmin, T, T)                                                   \
                                                                              \
    T WEFT_API maxmag(T x, T y)                                               \
    {                                                                         \
        T a = __builtin_elementwise_abs(x), b = __builtin_elementwise_abs(y); \
        return a > b ? x : b > a ? y : fmax(x, y);                            \
    }                                                                         \
    WEFT_V2(T, maxmag, T, T)                                                  \
                                                                              \
    T WEFT_API minmag(T x, T y)                                               \
    {                                                                         \
        T a = __builtin_elementwise_abs(x), b = __builtin_elementwise_abs(y); \
        return a < b ? x : b < a ? y : fmin(x, y);                            \
    }                                                                         \
    WEFT_V2(T, minmag, T, T)

// fdim: a NaN is not <= anything, and the difference is NaN.
#define WEFT_PLAIN(T, zero, abs, sign) \
    T WEFT_API fdim(T x, T y)          \
    {                                  \
        return x <= y ? zero : x - y;  \
    }                                  \
    WEFT_V2(T, fdim, T, T)             \
                                       \
    T WEFT_API fabs(T x)               \
    {                                  \
        return abs(x);                 \
    }                                  \
    WEFT_V1(T, fabs, T)                \
                                       \
    T WEFT_API copysign(T x, T y)      \
    {                                  \
        return sign(x, y);             \
    }                                  \
    WEFT_V2(T, copysign, T, T)

WEFT_PLAIN(float, 0.0f, weft_abs_f, weft_sign_f)
WEFT_PLAIN(double, 0.0, weft_abs_d, weft_sign_d)

WEFT_MINMAX(float)
WEFT_MINMAX(double)
WEFT_MINMAX(half)
