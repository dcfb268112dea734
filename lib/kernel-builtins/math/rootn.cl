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

// 1/n in two words; without FMA, the first has so few bits that its product with n is exact.
WEFT_INLINE double weft_inverse_d(int n, private double *low)
{
    double d = (double)n, y = 1.0 / d;
    if (__weft_target_has_fma) {
        *low = __builtin_fma(-y, d, 1.0) * y;
        return y;
    }
    double head = weft_from_d(weft_bits_d(y) & 0xffffffff00000000ul);
    *low = (1.0 - head * d) * y;
    return head;
}

WEFT_INLINE double weft_root_magnitude_d(double a, int n)
{
    double l, h = weft_log_pair_d(a, &l);
    double yl, y = weft_inverse_d(n, &yl);
    return weft_exp_product_d(h, l, y, yl);
}

// The root of positive normal x, if *plain becomes true. Without FMA, the products that need two words are
// those of the factors' upper 12 bits.
WEFT_INLINE float weft_root_plain_f(float x, int n, private bool *plain)
{
    float l, h = weft_log2_pair_normal_f(x, &l);
    float d = (float)n, y = 1.0f / d, p, e;
    if (__weft_target_has_fma) {
        float yl = __builtin_fmaf(-y, d, 1.0f) * y;
        p = y * h;
        e = __builtin_fmaf(y, h, -p) + weft_mad_f(y, l, yl * h);
    } else {
        float yh = weft_from_f(weft_bits_f(y) & 0xfffff000u), hh = weft_from_f(weft_bits_f(h) & 0xfffff000u);
        float yl = (1.0f - yh * d) * y;
        p = yh * hh;
        e = (h - hh) * yh + (h * yl + l * y);
    }
    // n = 0 makes p infinite or NaN.
    *plain = (int)!weft_is_rare_log_f(x) & (int)(weft_abs_f(p) < 100.0f);
    float t = (p + e) + WEFT_EXP_MAGIC_F, r = (p - (t - WEFT_EXP_MAGIC_F)) + e;
    return weft_exp_join_f(weft_poly_exp2_plain_f(r) * r, t);
}

float WEFT_API rootn(float x, int n)
{
    if (!__weft_target_has_math_primitives) {
        bool plain;
        float fast = weft_root_plain_f(x, n, &plain);
        if (__builtin_expect(plain, 1))
            return fast;
    }
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
    if (!__weft_target_has_math_primitives) {
        double k, f = weft_log_split_normal_d(x, &k);
        double l, h = weft_log2_pair_of_d(k, f, &l);
        double yl, y = weft_inverse_d(n, &yl);
        double e, p = weft_pow_product_d(h, l, y, yl, &e);
        // n = 0 makes p infinite or NaN.
        bool plain = (int)!weft_is_rare_log_d(x) & (int)(weft_abs_d(p) < 1000.0);
        double fast = weft_exp2_pair_plain_d(p, e);
        if (__builtin_expect(plain, 1))
            return fast;
    }
    double a = weft_abs_d(x);
    int m = n == 0 ? 1 : n;
    double r = weft_pow_limits_d(a, n < 0 ? -1.0 : 1.0, weft_root_magnitude_d(a, m));
    r = n & 1 ? weft_flip_d(r, x) : r;
    r = x < 0.0 && !(n & 1) ? WEFT_NAN_D : r;
    r = x != x ? x : r;
    return n == 0 ? WEFT_NAN_D : r;
}
WEFT_V2(double, rootn, double, int)
