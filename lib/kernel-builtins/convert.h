// Rounding between floating-point types, and from 64-bit integers, in each mode and for every width. For
// example DEFINE_half_from_float defines half_from_float_rte(x), _rtz, _rtp and _rtn. Exact in all modes,
// also at overflow and for denormals.
//
// The processor rounds to nearest even. The code compares its result with the operand. If it lies on the
// wrong side it is replaced by its neighbour: the bits of floating-point numbers, read as integers, are
// ordered like their magnitudes.
#ifndef WEFT_CONVERT_H
#define WEFT_CONVERT_H

#include "builtin.h"

// A comparison's result as an integer of another size: all bits set if true. MASK_(c, type) ... MASK_16(c,
// type).
#define MASK_(c, type) ((type)((c) ? -1 : 0))
#define MASK_2(c, type) __builtin_convertvector(c, type)
#define MASK_3(c, type) __builtin_convertvector(c, type)
#define MASK_4(c, type) __builtin_convertvector(c, type)
#define MASK_8(c, type) __builtin_convertvector(c, type)
#define MASK_16(c, type) __builtin_convertvector(c, type)

// Rounds the wider W to N; NI: integer of N's size. `toward` and `away` are -1 where the nearest number has
// to be replaced.
#define DEFINE_NARROWING(n, N, NI, W)                                                                   \
    static inline N##n OVERLOAD N##_from_##W##_rte(W##n x)                                              \
    {                                                                                                   \
        return CONVERT_##n(x, N##n);                                                                    \
    }                                                                                                   \
    static inline N##n OVERLOAD N##_from_##W##_rtz(W##n x)                                              \
    {                                                                                                   \
        N##n nearest = CONVERT_##n(x, N##n);                                                            \
        W##n back = CONVERT_##n(nearest, W##n);                                                         \
        NI##n beyond = MASK_##n(__builtin_elementwise_abs(back) > __builtin_elementwise_abs(x), NI##n); \
        return AS(N##n, (NI##n)(AS(NI##n, nearest) + beyond));                                          \
    }                                                                                                   \
    static inline N##n OVERLOAD N##_from_##W##_rtp(W##n x)                                              \
    {                                                                                                   \
        N##n nearest = CONVERT_##n(x, N##n);                                                            \
        NI##n bits = AS(NI##n, nearest), below = MASK_##n(CONVERT_##n(nearest, W##n) < x, NI##n);       \
        return AS(N##n, (NI##n)(bits + (below & ((NI##n)1 | bits >> (NI##n)(sizeof(NI) * 8 - 1)))));    \
    }                                                                                                   \
    static inline N##n OVERLOAD N##_from_##W##_rtn(W##n x)                                              \
    {                                                                                                   \
        N##n nearest = CONVERT_##n(x, N##n);                                                            \
        NI##n bits = AS(NI##n, nearest), above = MASK_##n(CONVERT_##n(nearest, W##n) > x, NI##n);       \
        return AS(N##n, (NI##n)(bits - (above & ((NI##n)1 | bits >> (NI##n)(sizeof(NI) * 8 - 1)))));    \
    }
#define DEFINE_float_from_double FOR_WIDTHS(DEFINE_NARROWING, float, int, double)
#define DEFINE_half_from_float FOR_WIDTHS(DEFINE_NARROWING, half, short, float)

// half from double goes through float, rounded to odd: truncated, with the last bit set if anything was cut
// off. Float has more than two bits more than half, so the second rounding is right. (No processor before
// AVX512-FP16 has a direct conversion.)
#define DEFINE_HALF_FROM_DOUBLE(n, unused)                                                                \
    static inline float##n OVERLOAD to_odd(double##n x)                                                   \
    {                                                                                                     \
        float##n nearest = CONVERT_##n(x, float##n);                                                      \
        double##n back = CONVERT_##n(nearest, double##n);                                                 \
        int##n beyond = MASK_##n(__builtin_elementwise_abs(back) > __builtin_elementwise_abs(x), int##n); \
        int##n inexact = MASK_##n((back < x) | (back > x), int##n);                                       \
        return AS(float##n, (int##n)((AS(int##n, nearest) + beyond) | (inexact & 1)));                    \
    }                                                                                                     \
    static inline half##n OVERLOAD half_from_double_rte(double##n x)                                      \
    {                                                                                                     \
        return half_from_float_rte(to_odd(x));                                                            \
    }                                                                                                     \
    static inline half##n OVERLOAD half_from_double_rtz(double##n x)                                      \
    {                                                                                                     \
        return half_from_float_rtz(to_odd(x));                                                            \
    }                                                                                                     \
    static inline half##n OVERLOAD half_from_double_rtp(double##n x)                                      \
    {                                                                                                     \
        return half_from_float_rtp(to_odd(x));                                                            \
    }                                                                                                     \
    static inline half##n OVERLOAD half_from_double_rtn(double##n x)                                      \
    {                                                                                                     \
        return half_from_float_rtn(to_odd(x));                                                            \
    }
#define DEFINE_half_from_double DEFINE_half_from_float FOR_WIDTHS(DEFINE_HALF_FROM_DOUBLE, )

// F from a 64-bit magnitude; FI: integer of F's size. `greatest` is the greatest F below 2^64. The nearest F
// may be 2^64 itself, which can't be converted back.
#define DEFINE_FROM_LONG(n, F, FI, greatest)                                                                \
    static inline F##n OVERLOAD F##_from_ulong_rtz(ulong##n x)                                              \
    {                                                                                                       \
        F##n nearest = CONVERT_##n(x, F##n),                                                                \
             reachable = __builtin_elementwise_min(nearest, (F##n)(greatest));                              \
        ulong##n back = CONVERT_##n(reachable, ulong##n);                                                   \
        FI##n beyond = MASK_##n(back > x, FI##n) | MASK_##n(nearest > (F##n)(greatest), FI##n);             \
        return AS(F##n, (FI##n)(AS(FI##n, nearest) + beyond));                                              \
    }                                                                                                       \
    static inline F##n OVERLOAD F##_from_ulong_rtp(ulong##n x)                                              \
    {                                                                                                       \
        F##n nearest = CONVERT_##n(x, F##n),                                                                \
             reachable = __builtin_elementwise_min(nearest, (F##n)(greatest));                              \
        ulong##n back = CONVERT_##n(reachable, ulong##n);                                                   \
        FI##n below = MASK_##n(back < x, FI##n) & ~MASK_##n(nearest > (F##n)(greatest), FI##n);             \
        return AS(F##n, (FI##n)(AS(FI##n, nearest) - below));                                               \
    }                                                                                                       \
    static inline F##n OVERLOAD F##_from_ulong_rtn(ulong##n x)                                              \
    {                                                                                                       \
        return F##_from_ulong_rtz(x);                                                                       \
    }                                                                                                       \
    static inline F##n OVERLOAD F##_from_long_rtz(long##n x)                                                \
    {                                                                                                       \
        F##n size = F##_from_ulong_rtz(AS(ulong##n, (long##n)__builtin_elementwise_max(x, (long##n)(-x)))); \
        FI##n sign = MASK_##n(x < (long##n)0, FI##n) & (FI##n)((FI)1 << (sizeof(FI) * 8 - 1));              \
        return AS(F##n, (FI##n)(AS(FI##n, size) | sign));                                                   \
    }                                                                                                       \
    static inline F##n OVERLOAD F##_from_long_rtp(long##n x)                                                \
    {                                                                                                       \
        FI##n inner = AS(FI##n, F##_from_long_rtz(x)),                                                      \
              outer = AS(FI##n, F##_from_ulong_rtp(AS(ulong##n, x)));                                       \
        FI##n negative = MASK_##n(x < (long##n)0, FI##n);                                                   \
        return AS(F##n, (FI##n)((inner & negative) | (outer & ~negative)));                                 \
    }                                                                                                       \
    static inline F##n OVERLOAD F##_from_long_rtn(long##n x)                                                \
    {                                                                                                       \
        FI##n inner = AS(FI##n, F##_from_long_rtz(x)),                                                      \
              outer = AS(FI##n, -F##_from_ulong_rtp(AS(ulong##n, (long##n)(-x))));                          \
        FI##n negative = MASK_##n(x < (long##n)0, FI##n);                                                   \
        return AS(F##n, (FI##n)((outer & negative) | (inner & ~negative)));                                 \
    }

#define DEFINE_float_from_ulong FOR_WIDTHS(DEFINE_FROM_LONG, float, int, 0x1.fffffep63f)
#define DEFINE_double_from_ulong FOR_WIDTHS(DEFINE_FROM_LONG, double, long, 0x1.fffffffffffffp63)
#define DEFINE_float_from_long DEFINE_float_from_ulong
#define DEFINE_double_from_long DEFINE_double_from_ulong

#endif
