// What every math built-in starts from: how a function is declared for all vector widths, bit access,
// multiply-add, error-free products and sums, and scaling by powers of two. OpenCL C; everything here is
// inlined.
//
// Rules of this folder. A function is written once, for a scalar, without loops or calls where that is
// possible, and with selects rather than branches, so that the compiler widens it over work-items.
// Contraction is off: an expression rounds where it says so. weft_mad_* may or may not fuse and serves
// polynomials; weft_fma_* fuses on every target; a target without FMA (__weft_target_has_fma is 0, see
// target.cl) gets exact software versions, chosen when a kernel is linked. All code assumes rounding to
// nearest and honours denormals.
//
// More than 500 lines in one file: every math function includes it, and its helpers build on each other.
#ifndef WEFT_MATH_H
#define WEFT_MATH_H

#pragma OPENCL FP_CONTRACT OFF

#define WEFT_API __attribute__((overloadable))
#define WEFT_INLINE static inline __attribute__((always_inline))

// 1 where the target multiplies and adds in one rounding. weftc rewrites the initialiser before it optimises.
extern constant uchar __weft_target_has_fma;

// 1 in programs built with -cl-fast-relaxed-math: some functions are then computed like their native_*
// versions (OpenCL C 3.0, table 67).
extern constant uchar __weft_relaxed_math;

// 1 where the primitives below are instructions.
extern constant uchar __weft_target_has_math_primitives;

// 1 where __weft_rsqrt_f and __weft_reciprocal_f are instructions. Without the other primitives their
// relative error is 1.5 * 2^-12, subnormal operands count as 0, and reciprocals that are subnormal are 0.
extern constant uchar __weft_target_has_estimates;

// 1 where the target has arithmetic instructions for half.
extern constant uchar __weft_target_has_fp16;

// Math primitives. lib/compiler/codegen/math_intrinsics.c says what each of them does.
#define WEFT_PRIMITIVE(T, kind)                                                                         \
    T __weft_scale_##kind(T x, T n) __asm__("weft.math.scale." #kind) __attribute__((const));           \
    T __weft_exponent_##kind(T x) __asm__("weft.math.exponent." #kind) __attribute__((const));          \
    T __weft_mantissa_##kind(T x) __asm__("weft.math.mantissa." #kind) __attribute__((const));          \
    T __weft_log_mantissa_##kind(T x) __asm__("weft.math.log_mantissa." #kind) __attribute__((const));  \
    T __weft_rsqrt_##kind(T x) __asm__("weft.math.rsqrt." #kind) __attribute__((const));                \
    T __weft_reciprocal_##kind(T x) __asm__("weft.math.reciprocal." #kind) __attribute__((const));      \
    T __weft_lookup16_##kind(uint i, T t0, T t1, T t2, T t3, T t4, T t5, T t6, T t7, T t8, T t9, T t10, \
                             T t11, T t12, T t13, T t14, T t15) __asm__("weft.math.lookup16." #kind)    \
        __attribute__((const));
WEFT_PRIMITIVE(float, f)
WEFT_PRIMITIVE(double, d)
#undef WEFT_PRIMITIVE

// ---- vector versions, element by element: R name(A), R name(A, B), R name(A, B, C) call the scalar one ----

#define WEFT_V1(R, name, A)                                            \
    R##2 WEFT_API name(A##2 x)                                         \
    {                                                                  \
        return (R##2)(name(x.s0), name(x.s1));                         \
    }                                                                  \
    R##3 WEFT_API name(A##3 x)                                         \
    {                                                                  \
        return (R##3)(name(x.s0), name(x.s1), name(x.s2));             \
    }                                                                  \
    R##4 WEFT_API name(A##4 x)                                         \
    {                                                                  \
        return (R##4)(name(x.s0), name(x.s1), name(x.s2), name(x.s3)); \
    }                                                                  \
    R##8 WEFT_API name(A##8 x)                                         \
    {                                                                  \
        return (R##8)(name(x.lo), name(x.hi));                         \
    }                                                                  \
    R##16 WEFT_API name(A##16 x)                                       \
    {                                                                  \
        return (R##16)(name(x.lo), name(x.hi));                        \
    }

#define WEFT_V2(R, name, A, B)                                                                 \
    R##2 WEFT_API name(A##2 x, B##2 y)                                                         \
    {                                                                                          \
        return (R##2)(name(x.s0, y.s0), name(x.s1, y.s1));                                     \
    }                                                                                          \
    R##3 WEFT_API name(A##3 x, B##3 y)                                                         \
    {                                                                                          \
        return (R##3)(name(x.s0, y.s0), name(x.s1, y.s1), name(x.s2, y.s2));                   \
    }                                                                                          \
    R##4 WEFT_API name(A##4 x, B##4 y)                                                         \
    {                                                                                          \
        return (R##4)(name(x.s0, y.s0), name(x.s1, y.s1), name(x.s2, y.s2), name(x.s3, y.s3)); \
    }                                                                                          \
    R##8 WEFT_API name(A##8 x, B##8 y)                                                         \
    {                                                                                          \
        return (R##8)(name(x.lo, y.lo), name(x.hi, y.hi));                                     \
    }                                                                                          \
    R##16 WEFT_API name(A##16 x, B##16 y)                                                      \
    {                                                                                          \
        return (R##16)(name(x.lo, y.lo), name(x.hi, y.hi));                                    \
    }

#define WEFT_V3(R, name, A, B, C)                                                              \
    R##2 WEFT_API name(A##2 x, B##2 y, C##2 z)                                                 \
    {                                                                                          \
        return (R##2)(name(x.s0, y.s0, z.s0), name(x.s1, y.s1, z.s1));                         \
    }                                                                                          \
    R##3 WEFT_API name(A##3 x, B##3 y, C##3 z)                                                 \
    {                                                                                          \
        return (R##3)(name(x.s0, y.s0, z.s0), name(x.s1, y.s1, z.s1), name(x.s2, y.s2, z.s2)); \
    }                                                                                          \
    R##4 WEFT_API name(A##4 x, B##4 y, C##4 z)                                                 \
    {                                                                                          \
        return (R##4)(name(x.s0, y.s0, z.s0), name(x.s1, y.s1, z.s1), name(x.s2, y.s2, z.s2),  \
                      name(x.s3, y.s3, z.s3));                                                 \
    }                                                                                          \
    R##8 WEFT_API name(A##8 x, B##8 y, C##8 z)                                                 \
    {                                                                                          \
        return (R##8)(name(x.lo, y.lo, z.lo), name(x.hi, y.hi, z.hi));                         \
    }                                                                                          \
    R##16 WEFT_API name(A##16 x, B##16 y, C##16 z)                                             \
    {                                                                                          \
        return (R##16)(name(x.lo, y.lo, z.lo), name(x.hi, y.hi, z.hi));                        \
    }

// The second argument is a scalar for all elements: gentypef fmax(gentypef, float).
#define WEFT_V2S(R, name, A, B)                                                    \
    R##2 WEFT_API name(A##2 x, B y)                                                \
    {                                                                              \
        return (R##2)(name(x.s0, y), name(x.s1, y));                               \
    }                                                                              \
    R##3 WEFT_API name(A##3 x, B y)                                                \
    {                                                                              \
        return (R##3)(name(x.s0, y), name(x.s1, y), name(x.s2, y));                \
    }                                                                              \
    R##4 WEFT_API name(A##4 x, B y)                                                \
    {                                                                              \
        return (R##4)(name(x.s0, y), name(x.s1, y), name(x.s2, y), name(x.s3, y)); \
    }                                                                              \
    R##8 WEFT_API name(A##8 x, B y)                                                \
    {                                                                              \
        return (R##8)(name(x.lo, y), name(x.hi, y));                               \
    }                                                                              \
    R##16 WEFT_API name(A##16 x, B y)                                              \
    {                                                                              \
        return (R##16)(name(x.lo, y), name(x.hi, y));                              \
    }

// Functions with a second result through a pointer: R name(A, P *) and R name(A, B, P *), for every address
// space. They call the scalar function weft_pair_<name>(..., private P *).
#define WEFT_P1_IN(R, name, A, P, AS)             \
    R WEFT_API name(A x, AS P *p)                 \
    {                                             \
        P second;                                 \
        R first = weft_pair_##name(x, &second);   \
        *p = second;                              \
        return first;                             \
    }                                             \
    R##2 WEFT_API name(A##2 x, AS P##2 * p)       \
    {                                             \
        R##2 first;                               \
        P##2 second;                              \
        P part;                                   \
        first.s0 = weft_pair_##name(x.s0, &part); \
        second.s0 = part;                         \
        first.s1 = weft_pair_##name(x.s1, &part); \
        second.s1 = part;                         \
        *p = second;                              \
        return first;                             \
    }                                             \
    R##3 WEFT_API name(A##3 x, AS P##3 * p)       \
    {                                             \
        R##3 first;                               \
        P##3 second;                              \
        P part;                                   \
        first.s0 = weft_pair_##name(x.s0, &part); \
        second.s0 = part;                         \
        first.s1 = weft_pair_##name(x.s1, &part); \
        second.s1 = part;                         \
        first.s2 = weft_pair_##name(x.s2, &part); \
        second.s2 = part;                         \
        *p = second;                              \
        return first;                             \
    }                                             \
    R##4 WEFT_API name(A##4 x, AS P##4 * p)       \
    {                                             \
        R##4 first;                               \
        P##4 second;                              \
        P part;                                   \
        first.s0 = weft_pair_##name(x.s0, &part); \
        second.s0 = part;                         \
        first.s1 = weft_pair_##name(x.s1, &part); \
        second.s1 = part;                         \
        first.s2 = weft_pair_##name(x.s2, &part); \
        second.s2 = part;                         \
        first.s3 = weft_pair_##name(x.s3, &part); \
        second.s3 = part;                         \
        *p = second;                              \
        return first;                             \
    }                                             \
    R##8 WEFT_API name(A##8 x, AS P##8 * p)       \
    {                                             \
        R##8 first;                               \
        P##8 second;                              \
        P##4 part;                                \
        first.lo = name(x.lo, &part);             \
        second.lo = part;                         \
        first.hi = name(x.hi, &part);             \
        second.hi = part;                         \
        *p = second;                              \
        return first;                             \
    }                                             \
    R##16 WEFT_API name(A##16 x, AS P##16 * p)    \
    {                                             \
        R##16 first;                              \
        P##16 second;                             \
        P##8 part;                                \
        first.lo = name(x.lo, &part);             \
        second.lo = part;                         \
        first.hi = name(x.hi, &part);             \
        second.hi = part;                         \
        *p = second;                              \
        return first;                             \
    }

#define WEFT_P2_IN(R, name, A, B, P, AS)                \
    R WEFT_API name(A x, B y, AS P *p)                  \
    {                                                   \
        P second;                                       \
        R first = weft_pair_##name(x, y, &second);      \
        *p = second;                                    \
        return first;                                   \
    }                                                   \
    R##2 WEFT_API name(A##2 x, B##2 y, AS P##2 * p)     \
    {                                                   \
        R##2 first;                                     \
        P##2 second;                                    \
        P part;                                         \
        first.s0 = weft_pair_##name(x.s0, y.s0, &part); \
        second.s0 = part;                               \
        first.s1 = weft_pair_##name(x.s1, y.s1, &part); \
        second.s1 = part;                               \
        *p = second;                                    \
        return first;                                   \
    }                                                   \
    R##3 WEFT_API name(A##3 x, B##3 y, AS P##3 * p)     \
    {                                                   \
        R##3 first;                                     \
        P##3 second;                                    \
        P part;                                         \
        first.s0 = weft_pair_##name(x.s0, y.s0, &part); \
        second.s0 = part;                               \
        first.s1 = weft_pair_##name(x.s1, y.s1, &part); \
        second.s1 = part;                               \
        first.s2 = weft_pair_##name(x.s2, y.s2, &part); \
        second.s2 = part;                               \
        *p = second;                                    \
        return first;                                   \
    }                                                   \
    R##4 WEFT_API name(A##4 x, B##4 y, AS P##4 * p)     \
    {                                                   \
        R##4 first;                                     \
        P##4 second;                                    \
        P part;                                         \
        first.s0 = weft_pair_##name(x.s0, y.s0, &part); \
        second.s0 = part;                               \
        first.s1 = weft_pair_##name(x.s1, y.s1, &part); \
        second.s1 = part;                               \
        first.s2 = weft_pair_##name(x.s2, y.s2, &part); \
        second.s2 = part;                               \
        first.s3 = weft_pair_##name(x.s3, y.s3, &part); \
        second.s3 = part;                               \
        *p = second;                                    \
        return first;                                   \
    }                                                   \
    R##8 WEFT_API name(A##8 x, B##8 y, AS P##8 * p)     \
    {                                                   \
        R##8 first;                                     \
        P##8 second;                                    \
        P##4 part;                                      \
        first.lo = name(x.lo, y.lo, &part);             \
        second.lo = part;                               \
        first.hi = name(x.hi, y.hi, &part);             \
        second.hi = part;                               \
        *p = second;                                    \
        return first;                                   \
    }                                                   \
    R##16 WEFT_API name(A##16 x, B##16 y, AS P##16 * p) \
    {                                                   \
        R##16 first;                                    \
        P##16 second;                                   \
        P##8 part;                                      \
        first.lo = name(x.lo, y.lo, &part);             \
        second.lo = part;                               \
        first.hi = name(x.hi, y.hi, &part);             \
        second.hi = part;                               \
        *p = second;                                    \
        return first;                                   \
    }

#define WEFT_P1(R, name, A, P)         \
    WEFT_P1_IN(R, name, A, P, private) \
    WEFT_P1_IN(R, name, A, P, global)  \
    WEFT_P1_IN(R, name, A, P, local)   \
    WEFT_P1_IN(R, name, A, P, generic)

#define WEFT_P2(R, name, A, B, P)         \
    WEFT_P2_IN(R, name, A, B, P, private) \
    WEFT_P2_IN(R, name, A, B, P, global)  \
    WEFT_P2_IN(R, name, A, B, P, local)   \
    WEFT_P2_IN(R, name, A, B, P, generic)

// ---- bits ----

WEFT_INLINE uint weft_bits_f(float x)
{
    return __builtin_astype(x, uint);
}

WEFT_INLINE ulong weft_bits_d(double x)
{
    return __builtin_astype(x, ulong);
}

WEFT_INLINE float weft_from_f(uint x)
{
    return __builtin_astype(x, float);
}

WEFT_INLINE double weft_from_d(ulong x)
{
    return __builtin_astype(x, double);
}

// ---- float ----

#define WEFT_SIGN_F 0x80000000u
#define WEFT_INF_F weft_from_f(0x7f800000u)
#define WEFT_NAN_F weft_from_f(0x7fc00000u)

WEFT_INLINE float weft_abs_f(float x)
{
    return weft_from_f(weft_bits_f(x) & ~0x80000000u);
}

// The magnitude of x with the sign of s.
WEFT_INLINE float weft_sign_f(float x, float s)
{
    return weft_from_f((weft_bits_f(x) & ~0x80000000u) | (weft_bits_f(s) & 0x80000000u));
}

// x with its sign flipped where s is negative.
WEFT_INLINE float weft_flip_f(float x, float s)
{
    return weft_from_f(weft_bits_f(x) ^ (weft_bits_f(s) & 0x80000000u));
}

WEFT_INLINE float weft_mad_f(float a, float b, float c)
{
#pragma OPENCL FP_CONTRACT ON
    return a * b + c;
}

WEFT_INLINE float weft_fma_f(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}

// a * b - p where p is the rounded product; exact unless it underflows. Without FMA: Dekker's product, within
// 2^-34 of p. The factors are split by their bits, so that no part overflows.
WEFT_INLINE float weft_product_error_f(float a, float b, float p)
{
    if (__weft_target_has_fma)
        return __builtin_fmaf(a, b, -p);
    float ah = weft_from_f(weft_bits_f(a) & 0xfffff000u), bh = weft_from_f(weft_bits_f(b) & 0xfffff000u);
    float al = a - ah, bl = b - bh;
    return ((ah * bh - p) + (ah * bl + al * bh)) + al * bl;
}

// The error of the rounded sum s = a + b; the second needs |a| >= |b| or a == 0.
WEFT_INLINE float weft_sum_error_f(float a, float b, float s)
{
    float t = s - a;
    return (a - (s - t)) + (b - t);
}

WEFT_INLINE float weft_fast_sum_error_f(float a, float b, float s)
{
    return b - (s - a);
}

// The integer nearest to x (|x| < 2^21) as float, and in *n as integer. No case is undefined: for other x
// the results are arbitrary.
WEFT_INLINE float weft_nearest_f(float x, private int *n)
{
    float t = x + 0x1.8p23f;
    *n = (int)(weft_bits_f(t) - weft_bits_f(0x1.8p23f));
    return t - 0x1.8p23f;
}

// 2^n for -126 <= n <= 127.
WEFT_INLINE float weft_power2_f(int n)
{
    return weft_from_f((uint)(n + 127) << 23);
}

// x * 2^n, rounded once, for |n| <= 252.
WEFT_INLINE float weft_scale_f(float x, int n)
{
    int h = n >> 1;
    return x * weft_power2_f(h) * weft_power2_f(n - h);
}

// ---- double ----

#define WEFT_SIGN_D 0x8000000000000000ul
#define WEFT_INF_D weft_from_d(0x7ff0000000000000ul)
#define WEFT_NAN_D weft_from_d(0x7ff8000000000000ul)

WEFT_INLINE double weft_abs_d(double x)
{
    return weft_from_d(weft_bits_d(x) & ~0x8000000000000000ul);
}

// The magnitude of x with the sign of s.
WEFT_INLINE double weft_sign_d(double x, double s)
{
    return weft_from_d((weft_bits_d(x) & ~0x8000000000000000ul) | (weft_bits_d(s) & 0x8000000000000000ul));
}

// x with its sign flipped where s is negative.
WEFT_INLINE double weft_flip_d(double x, double s)
{
    return weft_from_d(weft_bits_d(x) ^ (weft_bits_d(s) & 0x8000000000000000ul));
}

WEFT_INLINE double weft_mad_d(double a, double b, double c)
{
#pragma OPENCL FP_CONTRACT ON
    return a * b + c;
}

WEFT_INLINE double weft_fma_d(double a, double b, double c)
{
    return __builtin_fma(a, b, c);
}

// a * b - p where p is the rounded product; exact unless it underflows. Without FMA: Dekker's product, within
// 2^-105 of p.
WEFT_INLINE double weft_product_error_d(double a, double b, double p)
{
    if (__weft_target_has_fma)
        return __builtin_fma(a, b, -p);
    double ah = weft_from_d(weft_bits_d(a) & 0xfffffffff8000000ul);
    double bh = weft_from_d(weft_bits_d(b) & 0xfffffffff8000000ul);
    double al = a - ah, bl = b - bh;
    return ((ah * bh - p) + ah * bl + al * bh) + al * bl;
}

// The error of the rounded sum s = a + b; the second needs |a| >= |b| or a == 0.
WEFT_INLINE double weft_sum_error_d(double a, double b, double s)
{
    double t = s - a;
    return (a - (s - t)) + (b - t);
}

WEFT_INLINE double weft_fast_sum_error_d(double a, double b, double s)
{
    return b - (s - a);
}

// The integer nearest to x (|x| < 2^50) as double, and in *n as integer. No case is undefined: for other x
// the results are arbitrary.
WEFT_INLINE double weft_nearest_d(double x, private long *n)
{
    double t = x + 0x1.8p52;
    *n = (long)(weft_bits_d(t) - weft_bits_d(0x1.8p52));
    return t - 0x1.8p52;
}

// 2^n for -1022 <= n <= 1023.
WEFT_INLINE double weft_power2_d(long n)
{
    return weft_from_d((ulong)(n + 1023) << 52);
}

// n - less as double for integers n, less < 2^50, in fewer instructions than a conversion takes.
WEFT_INLINE double weft_small_double(ulong n, double less)
{
    return weft_from_d(n | weft_bits_d(0x1p52)) - (0x1p52 + less);
}

// x * 2^n, rounded once, for |n| <= 2044.
WEFT_INLINE double weft_scale_d(double x, long n)
{
    long h = n >> 1;
    return x * weft_power2_d(h) * weft_power2_d(n - h);
}

#include "weft_reduction_tables.h"
#include "weft_polynomials.h"

// 1/x within 2 ulp, for |x| from 2^-100 to 2^100.
WEFT_INLINE float weft_reciprocal_f(float x)
{
    if (!__weft_target_has_estimates)
        return 1.0f / x;
    float y = __weft_reciprocal_f(x);
    return weft_mad_f(y, weft_mad_f(-x, y, 1.0f), y);
}

// sqrt(x) within an ulp for normal x < 2^100. e is an estimate of 1/sqrt(x). With math primitives this takes
// fewer cycles than the hardware's square root. For other x the result is NaN or arbitrary.
WEFT_INLINE float weft_sqrt_from_f(float x, float e)
{
    float g = x * e;
    return weft_mad_f(g, weft_mad_f(-0.5f * e, g, 0.5f), g);
}

WEFT_INLINE double weft_sqrt_from_d(double x, double e)
{
    double g = x * e, d = weft_mad_d(-g, e, 1.0);
    return weft_mad_d(g * d, weft_mad_d(d, weft_mad_d(d, 0.3125, 0.375), 0.5), g);
}

WEFT_INLINE float weft_sqrt_near_f(float x)
{
    return __weft_target_has_math_primitives ? weft_sqrt_from_f(x, __weft_rsqrt_f(x))
                                             : __builtin_elementwise_sqrt(x);
}

WEFT_INLINE double weft_sqrt_near_d(double x)
{
    return __weft_target_has_math_primitives ? weft_sqrt_from_d(x, __weft_rsqrt_d(x))
                                             : __builtin_elementwise_sqrt(x);
}

// sqrt(x) within an ulp for x that is 0 or between 2^-60 and 1; NaN for negative x. The addend of the
// estimate's argument changes the argument only if x is 0.
WEFT_INLINE float weft_sqrt_unit_f(float x)
{
    return __weft_target_has_math_primitives ? weft_sqrt_from_f(x, __weft_rsqrt_f(x + 0x1p-100f))
                                             : __builtin_elementwise_sqrt(x);
}

WEFT_INLINE double weft_sqrt_unit_d(double x)
{
    return __weft_target_has_math_primitives ? weft_sqrt_from_d(x, __weft_rsqrt_d(x + 0x1p-200))
                                             : __builtin_elementwise_sqrt(x);
}

#endif
