// pown: x^n.
#include "weft_pow.h"

float WEFT_API pown(float x, int n)
{
    float a = weft_abs_f(x);
    // n = y + yl: the upper 20 bits and the lower 12 are exact as float.
    float high = (float)(n & ~0xfff), low = (float)(n & 0xfff);
    float y = high + low, yl = weft_sum_error_f(high, low, y);
    float r = weft_pow_limits_f(a, n < 0 ? -1.0f : 1.0f, weft_pow_magnitude_f(a, y, yl));
    r = n & 1 ? weft_flip_f(r, x) : r;
    r = x != x ? x : r;
    return n == 0 ? 1.0f : r;
}
WEFT_V2(float, pown, float, int)

double WEFT_API pown(double x, int n)
{
    double a = weft_abs_d(x);
    double r = weft_pow_limits_d(a, n < 0 ? -1.0 : 1.0, weft_pow_magnitude_d(a, (double)n, 0.0));
    r = n & 1 ? weft_flip_d(r, x) : r;
    r = x != x ? x : r;
    return n == 0 ? 1.0 : r;
}
WEFT_V2(double, pown, double, int)
