// rootn: x^(1/n). 1/n is represented by two words.
#include "weft_pow.h"

WEFT_INLINE float weft_root_magnitude_f(float a, int n)
{
    float l;
    float h = weft_log_pair_f(a, &l);
    // n = d + dl
    float d = (float)(n & ~0xfff), dl = (float)(n & 0xfff);
    float m = d + dl;
    dl = weft_sum_error_f(d, dl, m);
    float y = 1.0f / m;
    float p = y * m;
    float yl = (((1.0f - p) - weft_product_error_f(y, m, p)) - y * dl) * y;
    return weft_exp_product_f(h, l, y, yl);
}

WEFT_INLINE double weft_root_magnitude_d(double a, int n)
{
    double l;
    double h = weft_log_pair_d(a, &l);
    double d = (double)n;
    double y = 1.0 / d;
    double p = y * d;
    double yl = ((1.0 - p) - weft_product_error_d(y, d, p)) * y;
    return weft_exp_product_d(h, l, y, yl);
}

float WEFT_API rootn(float x, int n)
{
    float a = weft_abs_f(x);
    int m = n == 0 ? 1 : n;
    float r = weft_pow_limits_f(a, n < 0 ? -1.0f : 1.0f, weft_root_magnitude_f(a, m));
    r = n & 1 ? weft_flip_f(r, x) : r;
    r = x < 0.0f && !(n & 1) ? WEFT_NAN_F : r;
    r = x != x ? x : r;
    return n == 0 ? WEFT_NAN_F : r;
}
WEFT_V2(float, rootn, float, int)

double WEFT_API rootn(double x, int n)
{
    double a = weft_abs_d(x);
    int m = n == 0 ? 1 : n;
    double r = weft_pow_limits_d(a, n < 0 ? -1.0 : 1.0, weft_root_magnitude_d(a, m));
    r = n & 1 ? weft_flip_d(r, x) : r;
    r = x < 0.0 && !(n & 1) ? WEFT_NAN_D : r;
    r = x != x ? x : r;
    return n == 0 ? WEFT_NAN_D : r;
}
WEFT_V2(double, rootn, double, int)
