// hypot. The operands are scaled by a power of two if their squares would leave the range of exponents. Where
// denormal floats are flushed, a square below 2^-126 is lost. So floats are scaled up from 2^-40 on.
#include "weft_math.h"

float WEFT_API hypot(float x, float y)
{
    float sum = weft_mad_f(x, x, y * y);
    if (__builtin_expect((int)(sum > 0x1p-90f) & (int)(sum < 0x1p90f), 1))
        return weft_sqrt_near_f(sum);
    float a = weft_abs_f(x), b = weft_abs_f(y);
    float large = a > b ? a : b, small = a > b ? b : a;
    float up = large > 0x1p60f ? 0x1p-90f : large < 0x1p-40f ? 0x1p90f : 1.0f;
    float down = large > 0x1p60f ? 0x1p90f : large < 0x1p-40f ? 0x1p-90f : 1.0f;
    float p = large * up, q = small * up;
    float r = __builtin_elementwise_sqrt(weft_mad_f(p, p, q * q)) * down;
    r = x != x || y != y ? WEFT_NAN_F : r;
    return a == WEFT_INF_F || b == WEFT_INF_F ? WEFT_INF_F : r;
}
WEFT_V2(float, hypot, float, float)

double WEFT_API hypot(double x, double y)
{
    double sum = weft_mad_d(x, x, y * y);
    if (__builtin_expect((int)(sum > 0x1p-900) & (int)(sum < 0x1p900), 1))
        return weft_sqrt_near_d(sum);
    double a = weft_abs_d(x), b = weft_abs_d(y);
    double large = a > b ? a : b, small = a > b ? b : a;
    double up = large > 0x1p500 ? 0x1p-600 : large < 0x1p-500 ? 0x1p600 : 1.0;
    double down = large > 0x1p500 ? 0x1p600 : large < 0x1p-500 ? 0x1p-600 : 1.0;
    double p = large * up, q = small * up;
    double r = __builtin_elementwise_sqrt(weft_mad_d(p, p, q * q)) * down;
    r = x != x || y != y ? WEFT_NAN_D : r;
    return a == WEFT_INF_D || b == WEFT_INF_D ? WEFT_INF_D : r;
}
WEFT_V2(double, hypot, double, double)
