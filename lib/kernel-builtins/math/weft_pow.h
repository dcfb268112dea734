// x^y for pow, powr, pown and rootn. The logarithm of x has two words: about 2^-64 relative for double, 2^-30
// for float.
#ifndef WEFT_POW_H
#define WEFT_POW_H

#include "weft_native.h"

// a - b * c for a near b * c, exact where the difference is a double.
WEFT_INLINE double weft_remainder_of_product_d(double a, double b, double c)
{
    if (__weft_target_has_fma)
        return __builtin_fma(-b, c, a);
    double p = b * c;
    return (a - p) - weft_product_error_d(b, c, p);
}

// k ln 2 + ln(1+f): returns the high word. With s = f/(2+f): ln(1+f) = 2s + 2/3 s^3 + s^5 P(s^2), the first
// two terms in two words. Of the terms k ln 2, 2s and 2/3 s^3, each is 0 or larger in magnitude than the
// next.
WEFT_INLINE double weft_ln_pair_of_d(double k, double f, private double *low)
{
    double t = 2.0 + f;
    double tl = f - (t - 2.0);
    double r = 1.0 / t;
    double s = f * r;
    double sl = weft_mad_d(-s, tl, weft_remainder_of_product_d(f, s, t)) * r;
    double z = s * s;
    double zl = weft_mad_d(2.0 * s, sl, weft_product_error_d(s, s, z));
    double u = s * z;
    double ul = weft_mad_d(s, zl, weft_mad_d(sl, z, weft_product_error_d(s, z, u)));
    double v = u * WEFT_TWO_THIRDS_1D;
    double vl =
        weft_mad_d(u, WEFT_TWO_THIRDS_2D,
                   weft_mad_d(ul, WEFT_TWO_THIRDS_1D, weft_product_error_d(u, WEFT_TWO_THIRDS_1D, v)));
    vl = weft_mad_d(u * z, weft_poly_atanh5_d(z), vl);
    double h = k * WEFT_LN2_SHORT_D;
    double a = h + 2.0 * s;
    double al = weft_fast_sum_error_d(h, 2.0 * s, a);
    double b = a + v;
    double bl = weft_fast_sum_error_d(a, v, b);
    double l = (al + bl) + (weft_mad_d(k, WEFT_LN2_REST_D, 2.0 * sl) + vl);
    double y = b + l;
    *low = weft_fast_sum_error_d(b, l, y);
    return y;
}

// ln x for positive finite x: returns the high word.
WEFT_INLINE double weft_ln_pair_d(double x, private double *low)
{
    double k, f = weft_log_split_d(x, &k);
    return weft_ln_pair_of_d(k, f, low);
}

// x with the upper 26 bits of its fraction: products of two such numbers are exact.
WEFT_INLINE double weft_head_d(double x)
{
    return weft_from_d(weft_bits_d(x) & 0xfffffffff8000000ul);
}

// log2 of 2^k (1 + f): returns the high word, which is a head without FMA. With s = f / (2 + f), ln(1 + f)
// is 2/3 s (3 + s^2 + s^4 Q(s^2)). Without FMA, each product that needs two words is one of heads, and the
// others are of what is left of the factors. With FMA, the low word has s^4 Q(s^2), so that the high word
// doesn't wait for it: it is up to 2^-12 of the high word. k is 0 or larger in magnitude than the logarithm
// of 1 + f.
WEFT_INLINE double weft_log2_pair_of_d(double k, double f, private double *low)
{
    double t = 2.0 + f, r = 1.0 / t, s = f * r, z = s * s;
    double rest = z * z * weft_poly_log_fifth_d(z);
    if (__weft_target_has_fma) {
        // What z misses of s^2 is up to 2^-59 of the result: at most 5 ulp of the largest powers.
        double sl = weft_mad_d(-s, f - (t - 2.0), __builtin_fma(-s, t, f)) * r;
        double h = 3.0 + z, hl = (z - (h - 3.0)) + rest;
        double u = s * h, ul = weft_mad_d(sl, h, weft_mad_d(s, hl, __builtin_fma(s, h, -u)));
        double p = u * WEFT_TWO_THIRDS_LOG2E_1D;
        ul = weft_mad_d(ul, WEFT_TWO_THIRDS_LOG2E_1D, __builtin_fma(u, WEFT_TWO_THIRDS_LOG2E_1D, -p));
        double y = k + p;
        *low = (p - (y - k)) + weft_mad_d(u, WEFT_TWO_THIRDS_LOG2E_2D, ul);
        return y;
    }
    double sh = weft_head_d(s), th = weft_head_d(t);
    double sl = ((f - sh * th) - sh * (f - (th - 2.0))) * r, zh = sh * sh;
    rest += sl * (sh + s);
    double h = weft_head_d((3.0 + zh) + rest), hl = rest - ((h - 3.0) - zh);
    double u = sh * h, ul = sl * h + hl * s, g = weft_head_d(u + ul), gl = ul - (g - u);
    double p = g * WEFT_TWO_THIRDS_LOG2E_SHORT_D;
    double pl = g * WEFT_TWO_THIRDS_LOG2E_REST_D + gl * WEFT_TWO_THIRDS_LOG2E_1D;
    double y = weft_head_d(k + (p + pl));
    *low = pl - ((y - k) - p);
    return y;
}

// log2 x in two words for positive finite x; see weft_log2_pair_of_d.
WEFT_INLINE double weft_log_pair_d(double x, private double *low)
{
    if (__weft_target_has_math_primitives)
        return weft_log2_pair_prim_d(x, low);
    double k, f = weft_log_split_d(x, &k);
    return weft_log2_pair_of_d(k, f, low);
}

// (y + yl) * (h + l) in two words. Without FMA h is a head.
WEFT_INLINE double weft_pow_product_d(double h, double l, double y, double yl, private double *low)
{
    double head = __weft_target_has_fma ? y : weft_head_d(y), p = head * h;
    double whole = yl == 0.0 ? y : y + yl;
    *low = weft_mad_d(whole, l, yl * h) + (__weft_target_has_fma ? __builtin_fma(y, h, -p) : (y - head) * h);
    return p;
}

// 2^(x + low) for |x| <= 1200 or NaN; with math primitives and without FMA, |low| is far below 1.
WEFT_INLINE double weft_exp2_pair_d(double x, double low)
{
    if (__weft_target_has_math_primitives)
        return weft_exp2_pair_prim_d(x, low);
    long n;
    double r = (x - weft_nearest_d(x + low, &n)) + low;
    return weft_scale_d(1.0 + weft_poly_exp2_plain_d(r) * r, n);
}

// The same for |x| <= 1000.
WEFT_INLINE double weft_exp2_pair_plain_d(double x, double low)
{
    if (__weft_target_has_math_primitives)
        return weft_exp2_pair_prim_d(x, low);
    if (!__weft_target_has_fma) {
        double q = x + 0x1.8p46, s = (x - (q - 0x1.8p46)) + low, power = weft_exp_power64_d(q, 0);
        return weft_mad_d(power * s, weft_poly_exp2_64_d(s), power);
    }
    double t = (x + low) + WEFT_EXP_MAGIC_D, r = (x - (t - WEFT_EXP_MAGIC_D)) + low;
    return weft_exp_join_d(weft_poly_exp2_plain_d(r) * r, t);
}

// 2^((y + yl) * (h + l)). yl is the second word of y, or 0.
WEFT_INLINE double weft_exp_product_d(double h, double l, double y, double yl)
{
    double e, p = weft_pow_product_d(h, l, y, yl, &e);
    e = weft_abs_d(p) < 1200.0 ? e : 0.0;
    return weft_exp2_pair_d(weft_clamp_d(p, -1200.0, 1200.0), e);
}

// |x|^y for x neither 0 nor infinite nor NaN, y not NaN
WEFT_INLINE double weft_pow_magnitude_d(double a, double y, double yl)
{
    double l;
    double h = weft_log_pair_d(a, &l);
    // The smallest |ln x| is 2^-53: a larger y changes nothing.
    return weft_exp_product_d(h, l, weft_clamp_d(y, -0x1p65, 0x1p65), yl);
}

// ln x (with math primitives: log2 x) in two floats, about 2^-30 relative. 2s has two words, the rest has
// one. The allowed error of 16 ulp is enough for that.
WEFT_INLINE float weft_log_pair_f(float x, private float *low)
{
    if (__weft_target_has_math_primitives)
        return weft_log2_pair_prim_f(x, low);
    float k;
    float f = weft_log_split_f(x, &k);
    float t = 2.0f + f;
    float tl = f - (t - 2.0f);
    float r = 1.0f / t;
    float s = f * r;
    float p = s * t;
    float sl = (((f - p) - weft_product_error_f(s, t, p)) - s * tl) * r;
    float z = s * s;
    float w = weft_mad_f(s * z, weft_poly_atanh_f(z), 2.0f * sl);
    float h = k * WEFT_LN2_SHORT_F;
    // h is zero or larger in magnitude than 2s.
    float a = h + 2.0f * s;
    float l = weft_mad_f(k, WEFT_LN2_REST_F, w) + (k == 0.0f ? 0.0f : weft_fast_sum_error_f(h, 2.0f * s, a));
    float y = a + l;
    *low = weft_fast_sum_error_f(a, l, y);
    return y;
}

// e^((y + yl) * (h + l)), or 2^(...) with math primitives. yl is the second word of y, or 0.
WEFT_INLINE float weft_exp_product_f(float h, float l, float y, float yl)
{
    float p = y * h;
    float e = weft_product_error_f(y, h, p) + weft_mad_f(y, l, yl * h);
    e = weft_abs_f(p) < 200.0f ? e : 0.0f;
    if (__weft_target_has_math_primitives)
        return weft_exp2_pair_prim_f(weft_clamp_f(p, -160.0f, 160.0f), e);
    return weft_exp_pair_f(p, e);
}

WEFT_INLINE float weft_pow_magnitude_f(float a, float y, float yl)
{
    float l;
    float h = weft_log_pair_f(a, &l);
    // The smallest |ln x| is 2^-24: a larger y changes nothing.
    return weft_exp_product_f(h, l, weft_clamp_f(y, -0x1p33f, 0x1p33f), yl);
}

// Special cases that pow, powr, pown and rootn share: x is zero or infinite, or y is infinite. a is |x|, r
// the magnitude of the result otherwise.
WEFT_INLINE float weft_pow_limits_f(float a, float y, float r)
{
    bool grows = y < 0.0f;
    r = a == 0.0f || a == WEFT_INF_F ? ((a == 0.0f) != grows ? 0.0f : WEFT_INF_F) : r;
    float far = a == 1.0f ? 1.0f : (a > 1.0f) != grows ? WEFT_INF_F : 0.0f;
    return weft_abs_f(y) == WEFT_INF_F ? far : r;
}

WEFT_INLINE double weft_pow_limits_d(double a, double y, double r)
{
    bool grows = y < 0.0;
    r = a == 0.0 || a == WEFT_INF_D ? ((a == 0.0) != grows ? 0.0 : WEFT_INF_D) : r;
    double far = a == 1.0 ? 1.0 : (a > 1.0) != grows ? WEFT_INF_D : 0.0;
    return weft_abs_d(y) == WEFT_INF_D ? far : r;
}

// x^y by math primitives. *plain says whether the result may be used: x is positive and finite, and neither
// the result nor y is extreme, so that no special case has to be considered.
WEFT_INLINE float weft_pow_plain_f(float x, float y, private bool *plain)
{
    float l;
    float h = weft_log2_pair_prim_f(x, &l);
    float p = y * h;
    float e = weft_mad_f(y, l, weft_fma_f(y, h, -p));
    *plain = (int)(weft_bits_f(x) - 1u < 0x7f7fffffu) & (int)(weft_abs_f(p) < 200.0f);
    return weft_exp2_pair_prim_f(p, e);
}

// x^y by math primitives from a logarithm of one word: up to 128 ulp. *plain says whether the result may be
// used.
WEFT_INLINE float weft_pow_plain_fast_f(float x, float y, private bool *plain)
{
    float p = y * weft_log2_prim_f(x);
    *plain = (int)(weft_bits_f(x) - 1u < 0x7f7fffffu) & (int)(weft_abs_f(p) < 200.0f);
    return weft_exp2_prim_f(p);
}

// The same without math primitives.
WEFT_INLINE float weft_pow_plain_native_f(float x, float y, private bool *plain)
{
    float p = y * weft_native_log2_plain_f(x);
    *plain = (int)!weft_is_rare_log_f(x) & (int)(weft_abs_f(p) < 100.0f); // see weft_native_exp2_parts_f
    return weft_native_exp2_f(p);
}

// log2 x in two floats for positive normal x, about 2^-27.5 relative: of ln(1+f) = f - f^2/2 + f^3 P(f) the
// first two terms have two words. The low word has the third, and is up to 1/16 of the high word.
WEFT_INLINE float weft_log2_pair_normal_f(float x, private float *low)
{
    float k, f = weft_log_split_normal_f(x, &k);
    float t = f * f, h = f - 0.5f * t;
    float l = weft_mad_f(-0.5f, weft_product_error_f(f, f, t), (f - h) - 0.5f * t);
    l = weft_mad_f(f * t, weft_poly_log1p_f(f), l);
    float p = h * WEFT_LOG2E_1F;
    l = weft_mad_f(h, WEFT_LOG2E_2F, weft_mad_f(l, WEFT_LOG2E_1F, weft_product_error_f(h, WEFT_LOG2E_1F, p)));
    float a = k + p; // k is 0 or larger in magnitude than p
    *low = l + weft_fast_sum_error_f(k, p, a);
    return a;
}

// x^y without math primitives. *plain says whether the result may be used: x is normal and positive, and
// neither is the result extreme.
WEFT_INLINE float weft_pow_plain_normal_f(float x, float y, private bool *plain)
{
    float l, h = weft_log2_pair_normal_f(x, &l);
    float p = y * h;
    float e = weft_mad_f(y, l, weft_product_error_f(y, h, p));
    *plain = (int)!weft_is_rare_log_f(x) & (int)(weft_abs_f(p) < 100.0f);
    float t = (p + e) + WEFT_EXP_MAGIC_F, r = (p - (t - WEFT_EXP_MAGIC_F)) + e;
    return weft_exp_join_f(weft_poly_exp2_plain_f(r) * r, t);
}

// x^y without special cases, if *plain becomes true.
WEFT_INLINE float weft_pow_try_f(float x, float y, bool relaxed, private bool *plain)
{
    if (__weft_target_has_math_primitives)
        return relaxed ? weft_pow_plain_fast_f(x, y, plain) : weft_pow_plain_f(x, y, plain);
    if (relaxed)
        return weft_pow_plain_native_f(x, y, plain);
    return weft_pow_plain_normal_f(x, y, plain);
}

WEFT_INLINE double weft_pow_try_d(double x, double y, private bool *plain)
{
    double l, h, e;
    if (__weft_target_has_math_primitives) {
        h = weft_log2_pair_prim_d(x, &l);
        *plain = weft_bits_d(x) - 1ul < 0x7feffffffffffffful;
    } else {
        double k, f = weft_log_split_normal_d(x, &k);
        h = weft_log2_pair_of_d(k, f, &l);
        *plain = !weft_is_rare_log_d(x);
    }
    double p = weft_pow_product_d(h, l, y, 0.0, &e);
    *plain = (int)*plain & (int)(weft_abs_d(p) < 1000.0);
    return weft_exp2_pair_plain_d(p, e);
}

WEFT_INLINE float weft_powr_f(float x, float y, bool relaxed)
{
    bool plain;
    float r = weft_pow_try_f(x, y, relaxed, &plain);
    if (__builtin_expect(!plain, 0)) {
        float a = weft_abs_f(x);
        r = weft_pow_limits_f(a, y, weft_pow_magnitude_f(a, y, 0.0f));
        // 0^0, inf^0, 1^inf and negative bases are NaN.
        bool bad = x < 0.0f || (y == 0.0f && (a == 0.0f || a == WEFT_INF_F)) ||
                   (x == 1.0f && weft_abs_f(y) == WEFT_INF_F);
        r = bad || x != x || y != y ? WEFT_NAN_F : r;
    }
    return r;
}

WEFT_INLINE double weft_powr_d(double x, double y)
{
    bool plain;
    double r = weft_pow_try_d(x, y, &plain);
    if (__builtin_expect(!plain, 0)) {
        double a = weft_abs_d(x);
        r = weft_pow_limits_d(a, y, weft_pow_magnitude_d(a, y, 0.0));
        // 0^0, inf^0, 1^inf and negative bases are NaN.
        bool bad = x < 0.0 || (y == 0.0 && (a == 0.0 || a == WEFT_INF_D)) ||
                   (x == 1.0 && weft_abs_d(y) == WEFT_INF_D);
        r = bad || x != x || y != y ? WEFT_NAN_D : r;
    }
    return r;
}

#endif
