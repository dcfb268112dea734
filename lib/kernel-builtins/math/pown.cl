// pown: an int is exact as a double.
#include "weft_pow.h"

float WEFT_API pown(float x, int n)
{
    float a = weft_abs_f(x);
    float r = weft_pow_limits_f(a, n < 0 ? -1.0f : 1.0f, weft_pow_magnitude_f(a, (double)n));
    r = n & 1 ? weft_flip_f(r, x) : r;
    r = x != x ? x : r;
    return n == 0 ? 1.0f : r;
}
WEFT_V2(float, pown, float, int)

double WEFT_API pown(double x, int n)
{
    double a = weft_abs_d(x);
    double r = weft_pow_limits_d(a, n < 0 ? -1.0 : 1.0, weft_pow_magnitude_d(a, (double)n));
    r = n & 1 ? weft_flip_d(r, x) : r;
    r = x != x ? x : r;
    return n == 0 ? 1.0 : r;
}
WEFT_V2(double, pown, double, int)
