// Rounding and parts: floor, ceil, trunc, rint, round, fract, modf.
#include "weft_math.h"

float WEFT_API floor(float x)
{
    return __builtin_elementwise_floor(x);
}
WEFT_V1(float, floor, float)

float WEFT_API ceil(float x)
{
    return __builtin_elementwise_ceil(x);
}
WEFT_V1(float, ceil, float)

float WEFT_API trunc(float x)
{
    return __builtin_elementwise_trunc(x);
}
WEFT_V1(float, trunc, float)

float WEFT_API rint(float x)
{
    return __builtin_elementwise_rint(x);
}
WEFT_V1(float, rint, float)

// Exact halves round away from zero: with the largest number below 1/2, their sum is rounded up to the next
// integer, and that of what is nearer to zero isn't.
float WEFT_API round(float x)
{
    return __builtin_elementwise_trunc(x + weft_sign_f(0x1.fffffep-2f, x));
}
WEFT_V1(float, round, float)

// The result is below 1 even if x - floor(x) would round up to 1. Infinities give a zero of their sign.
WEFT_INLINE WEFT_API float weft_pair_fract(float x, private float *whole)
{
    float w = __builtin_elementwise_floor(x);
    float f = x - w;
    f = f >= 1.0f ? 0x1.fffffep-1f : f;
    f = weft_abs_f(x) == WEFT_INF_F ? weft_sign_f(0.0f, x) : f;
    f = x == 0.0f ? x : f;
    *whole = w;
    return f;
}
WEFT_P1(float, fract, float, float)

WEFT_INLINE WEFT_API float weft_pair_modf(float x, private float *whole)
{
    float w = __builtin_elementwise_trunc(x);
    float f = weft_abs_f(x) == WEFT_INF_F ? 0.0f : x - w;
    *whole = w;
    return x != x ? x : weft_sign_f(f, x);
}
WEFT_P1(float, modf, float, float)

double WEFT_API floor(double x)
{
    return __builtin_elementwise_floor(x);
}
WEFT_V1(double, floor, double)

double WEFT_API ceil(double x)
{
    return __builtin_elementwise_ceil(x);
}
WEFT_V1(double, ceil, double)

double WEFT_API trunc(double x)
{
    return __builtin_elementwise_trunc(x);
}
WEFT_V1(double, trunc, double)

double WEFT_API rint(double x)
{
    return __builtin_elementwise_rint(x);
}
WEFT_V1(double, rint, double)

// Exact halves round away from zero: with the largest number below 1/2, their sum is rounded up to the next
// integer, and that of what is nearer to zero isn't.
double WEFT_API round(double x)
{
    return __builtin_elementwise_trunc(x + weft_sign_d(0x1.fffffffffffffp-2, x));
}
WEFT_V1(double, round, double)

// The result is below 1 even if x - floor(x) would round up to 1. Infinities give a zero of their sign.
WEFT_INLINE WEFT_API double weft_pair_fract(double x, private double *whole)
{
    double w = __builtin_elementwise_floor(x);
    double f = x - w;
    f = f >= 1.0 ? 0x1.fffffffffffffp-1 : f;
    f = weft_abs_d(x) == WEFT_INF_D ? weft_sign_d(0.0, x) : f;
    f = x == 0.0 ? x : f;
    *whole = w;
    return f;
}
WEFT_P1(double, fract, double, double)

WEFT_INLINE WEFT_API double weft_pair_modf(double x, private double *whole)
{
    double w = __builtin_elementwise_trunc(x);
    double f = weft_abs_d(x) == WEFT_INF_D ? 0.0 : x - w;
    *whole = w;
    return x != x ? x : weft_sign_d(f, x);
}
WEFT_P1(double, modf, double, double)
