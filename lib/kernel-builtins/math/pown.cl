// pown: x^n.
#include "weft_pow.h"

// x^n for 0 <= n < 16 by products. The relative error is at most 14 units. No partial product is farther from
// 1 than the result. So no power of x that is used overflows or becomes zero before the result does.
WEFT_INLINE float weft_power_small_f(float x, int n)
{
    float x2 = x * x, x4 = x2 * x2, x8 = x4 * x4;
    float y = n & 1 ? x : 1.0f;
    y = n & 2 ? y * x2 : y;
    y = n & 4 ? y * x4 : y;
    return n & 8 ? y * x8 : y;
}

float WEFT_API pown(float x, int n)
{
    if (__builtin_expect((uint)n < 16u, 1))
        return weft_power_small_f(x, n);
    float a = weft_abs_f(x);
    // n = y + yl: the upper 20 bits and the lower 12 bits are each exact in float.
    float high = (float)(n & ~0xfff), low = (float)(n & 0xfff);
    float y = high + low, yl = weft_sum_error_f(high, low, y);
    float r = weft_pow_limits_f(a, n < 0 ? -1.0f : 1.0f, weft_pow_magnitude_f(a, y, yl));
    r = n & 1 ? weft_flip_f(r, x) : r;
    r = x != x ? x : r;
    return n == 0 ? 1.0f : r;
}
WEFT_V2(float, pown, float, int)

// x^n for 0 <= n < 16 by products. The relative error is at most 14 units. No partial product is farther from
// 1 than the result. So no power of x that is used overflows or becomes zero before the result does.
WEFT_INLINE double weft_power_small_d(double x, int n)
{
    double x2 = x * x, x4 = x2 * x2, x8 = x4 * x4;
    double y = n & 1 ? x : 1.0;
    y = n & 2 ? y * x2 : y;
    y = n & 4 ? y * x4 : y;
    return n & 8 ? y * x8 : y;
}

double WEFT_API pown(double x, int n)
{
    if (__builtin_expect((uint)n < 16u, 1))
        return weft_power_small_d(x, n);
    double a = weft_abs_d(x);
    double r = weft_pow_limits_d(a, n < 0 ? -1.0 : 1.0, weft_pow_magnitude_d(a, (double)n, 0.0));
    r = n & 1 ? weft_flip_d(r, x) : r;
    r = x != x ? x : r;
    return n == 0 ? 1.0 : r;
}
WEFT_V2(double, pown, double, int)
