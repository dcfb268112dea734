// Sine and cosine of reduced arguments, and the reductions by pi/2: Cody-Waite in three parts near zero, and
// the digits of 2/pi far out (Payne-Hanek, in floating point).
//
// More than 500 lines in one file: the reductions and cores of sin, cos and tan share their constants.
#ifndef WEFT_TRIG_H
#define WEFT_TRIG_H

#include "weft_math.h"

// sin(r + low), cos(r + low) for |r| <= pi/4
WEFT_INLINE float weft_sin_small_f(float r)
{
    float z = r * r;
    return weft_mad_f(z * r, weft_poly_sin_f(z), r);
}

WEFT_INLINE float weft_cos_small_f(float r)
{
    float z = r * r;
    return weft_mad_f(z * z, weft_poly_cos_f(z), weft_mad_f(z, -0.5f, 1.0f));
}

WEFT_INLINE double weft_sin_small_d(double r, double low)
{
    double z = r * r;
    double t = weft_mad_d(z * r, weft_poly_sin_d(z), weft_mad_d(-0.5 * z, low, low));
    return r + t;
}

WEFT_INLINE double weft_cos_small_d(double r, double low)
{
    double z = r * r;
    double h = 0.5 * z;
    double w = 1.0 - h;
    return w + (((1.0 - w) - h) + weft_mad_d(z * z, weft_poly_cos_d(z), -r * low));
}

// |x| >= 2^17: x = m * 2^(e-150) with an integer m of 24 bits. Digits of 2/pi that only contribute multiples
// of 4 don't matter. So the window of 96 bits begins where a digit times m contributes 2. The low 64 bits of
// the product are x * 2/pi modulo 4.
WEFT_INLINE float weft_reduce_far_f(float x, private int *n)
{
    uint u = weft_bits_f(x);
    uint p = (u >> 23 & 255u) - 144u;
    ulong m = (u & 0x7fffffu) | 0x800000u;
    bool second = p >= 64u;
    ulong a = second ? WEFT_TWO_OVER_PI_BITS_1 : WEFT_TWO_OVER_PI_BITS_0;
    ulong b = second ? WEFT_TWO_OVER_PI_BITS_2 : WEFT_TWO_OVER_PI_BITS_1;
    ulong c = second ? WEFT_TWO_OVER_PI_BITS_3 : WEFT_TWO_OVER_PI_BITS_2;
    ulong s = p & 63u;
    ulong high = a << s | b >> 1 >> (63 - s);
    ulong low = (b << s | c >> 1 >> (63 - s)) >> 32;
    ulong q = m * high + (m * low >> 32);
    // Bits 62 and 63 are the quarter turns, to be rounded. The other bits, shifted up, are a signed fraction.
    int k = (int)(((uint)(q >> 32) + 0x20000000u) >> 30);
    float r = (float)((double)(long)(q << 2) * (WEFT_PI_2_1D * 0x1p-64));
    bool negative = (int)u < 0;
    *n = negative ? -k : k;
    return negative ? -r : r;
}

// |x| < 2^17: x = r + n * pi/2, where n is meant modulo 4.
WEFT_INLINE float weft_reduce_near_f(float x, private int *n)
{
    float k = weft_nearest_f(x * WEFT_TWO_OVER_PI_1F, n);
    if (!__weft_target_has_fma) {
        double d = (double)k;
        return (float)(((double)x - d * WEFT_PI_2_SHORT_D) - d * WEFT_PI_2_REST_D);
    }
    // x - k * (first part of pi/2) is representable, so this step doesn't round.
    float r = weft_fma_f(k, -WEFT_PI_2_2F, weft_fma_f(k, -WEFT_PI_2_1F, x));
    return weft_mad_f(k, -WEFT_PI_2_3F, r);
}

// For any finite x.
WEFT_INLINE float weft_reduce_f(float x, private int *n)
{
    float r = weft_reduce_near_f(x, n);
    if (__builtin_expect(weft_abs_f(x) >= 0x1p17f, 0))
        r = weft_reduce_far_f(x, n);
    return r;
}

// a * b - p where p is the rounded product; exact. Unlike in weft_product_error_d, the parts of a factor have
// at most 26 bits without FMA. Factors above 2^995 overflow.
WEFT_INLINE double weft_exact_product_error_d(double a, double b, double p)
{
    if (__weft_target_has_fma)
        return __builtin_fma(a, b, -p);
    double at = a * 134217729.0, bt = b * 134217729.0;
    double ah = at - (at - a), bh = bt - (bt - b);
    double al = a - ah, bl = b - bh;
    return ((ah * bh - p) + ah * bl + al * bh) + al * bl;
}

// Adds x to the unevaluated sum a + b + c, largest first.
WEFT_INLINE void weft_accumulate_d(double x, private double *a, private double *b, private double *c)
{
    double s = *a + x;
    double e = weft_sum_error_d(*a, x, s);
    *a = s;
    s = *b + e;
    *c += weft_sum_error_d(*b, e, s);
    *b = s;
}

WEFT_INLINE double weft_modulo4_d(double x)
{
    return x - 4.0 * __builtin_elementwise_rint(0.25 * x);
}

// |x| >= 2^30. The exponent, in steps of 16, selects the row. x, scaled accordingly, is an integer below
// 2^68. Its products with the parts are kept with their errors, and multiples of 4 quarter turns are dropped
// from each.
WEFT_INLINE double weft_reduce_far_d(double x, private double *low, private long *n)
{
    ulong u = weft_bits_d(x);
    uint row = ((uint)(u >> 52 & 2047u) - 1053u) >> 4;
    row = row > 62u ? 62u : row;
    // x * 2^(22 - 16 row), by changing the exponent field.
    double v = weft_from_d(u + ((ulong)(22 - 16 * (long)row) << 52));
    double t0 = weft_two_over_pi_d[row][0], t1 = weft_two_over_pi_d[row][1];
    double t2 = weft_two_over_pi_d[row][2], t3 = weft_two_over_pi_d[row][3];
    double p0 = v * t0, p1 = v * t1, p2 = v * t2, p3 = v * t3;
    double e0 = weft_exact_product_error_d(v, t0, p0), e1 = weft_exact_product_error_d(v, t1, p1);
    double e2 = weft_exact_product_error_d(v, t2, p2);
    double a = weft_modulo4_d(p0), b = 0.0, c = 0.0;
    weft_accumulate_d(weft_modulo4_d(e0), &a, &b, &c);
    weft_accumulate_d(weft_modulo4_d(p1), &a, &b, &c);
    weft_accumulate_d(e1, &a, &b, &c);
    double q = weft_nearest_d(a, n);
    a -= q;
    weft_accumulate_d(p2, &a, &b, &c);
    // a may have cancelled, so the parts are sorted again.
    double s = a + b;
    c += weft_sum_error_d(a, b, s);
    c += e2 + p3;
    double r = s + c;
    double rl = weft_sum_error_d(s, c, r);
    double h = r * WEFT_PI_2_1D;
    double l =
        weft_exact_product_error_d(r, WEFT_PI_2_1D, h) + weft_mad_d(r, WEFT_PI_2_2D, rl * WEFT_PI_2_1D);
    double y = h + l;
    *low = weft_sum_error_d(h, l, y);
    return y;
}

// x = r + low + n * pi/2
WEFT_INLINE double weft_reduce_d(double x, private double *low, private long *n)
{
    double k = weft_nearest_d(x * WEFT_TWO_OVER_PI_1D, n);
    double p1 = k * WEFT_PI_2_1D;
    // Exact: the difference is representable.
    double r = __weft_target_has_fma ? __builtin_fma(k, -WEFT_PI_2_1D, x)
                                     : (x - p1) - weft_exact_product_error_d(k, WEFT_PI_2_1D, p1);
    double p2 = k * WEFT_PI_2_2D;
    double e = weft_mad_d(k, WEFT_PI_2_3D, weft_exact_product_error_d(k, WEFT_PI_2_2D, p2));
    double h = r - p2;
    double l = weft_sum_error_d(r, -p2, h) - e;
    double y = h + l;
    *low = weft_sum_error_d(h, l, y);
    if (__builtin_expect(weft_abs_d(x) >= 0x1p30, 0))
        y = weft_reduce_far_d(x, low, n);
    return y;
}

// x - k * pi/2 for near x. Without FMA the parts of pi/2 are so short that their products with k are exact.
// For x = -0 and k = 0 the result is -0, because no part is negative. turn is a power of two: 2 if k counts
// half turns.
WEFT_INLINE float weft_less_turns_f(float x, float k, float turn)
{
    if (!__weft_target_has_fma) {
        x = (x - k * (turn * WEFT_PI_2_SHORT_1F)) - k * (turn * WEFT_PI_2_SHORT_2F);
        return (x - k * (turn * WEFT_PI_2_SHORT_3F)) - k * (turn * WEFT_PI_2_SHORT_4F);
    }
    float r = __builtin_fmaf(k, -(turn * WEFT_PI_2_BELOW_1F), x);
    r = __builtin_fmaf(k, -(turn * WEFT_PI_2_BELOW_2F), r);
    return __builtin_fmaf(k, -(turn * WEFT_PI_2_BELOW_3F), r);
}

// sin r for |r| <= pi/2, negated where the lowest bit of n is set.
WEFT_INLINE float weft_sin_half_f(float r, uint n)
{
    float z = r * r;
    float y = r * weft_mad_f(z, weft_poly_sin_half_f(z), 1.0f);
    return weft_from_f(weft_bits_f(y) ^ n << 31);
}

// The same for cosines, with the smaller term added: so cos 0 is 1. Here a zero would lose its sign, but r
// isn't zero.
WEFT_INLINE float weft_cos_half_f(float r, uint n)
{
    float z = r * r;
    float y = weft_mad_f(z * r, weft_poly_sin_half_f(z), r);
    return weft_from_f(weft_bits_f(y) ^ n << 31);
}

// Is x beyond the range of weft_less_turns_f? In that, NaN stays NaN and infinity becomes NaN.
WEFT_INLINE bool weft_is_far_f(float x)
{
    return weft_abs_f(x) >= (__weft_target_has_fma ? 0x1p17f : 0x1p12f);
}

WEFT_INLINE float weft_sin_any_f(float x)
{
    int n;
    float r = weft_reduce_f(x, &n);
    float y = n & 1 ? weft_cos_small_f(r) : weft_sin_small_f(r);
    y = n & 2 ? -y : y;
    // x - x is NaN if x isn't finite. A comparison would be moved before the branch to this point.
    return x == 0.0f ? x : y + (x - x);
}

WEFT_INLINE float weft_sin_f(float x)
{
    float t = weft_mad_f(x, WEFT_INV_PI_1F, 0x1.8p23f);
    float y = weft_sin_half_f(weft_less_turns_f(x, t - 0x1.8p23f, 2.0f), weft_bits_f(t));
    return __builtin_expect(weft_is_far_f(x), 0) ? weft_sin_any_f(x) : y;
}

WEFT_INLINE float weft_cos_any_f(float x)
{
    int n;
    float r = weft_reduce_f(x, &n);
    float y = n & 1 ? weft_sin_small_f(r) : weft_cos_small_f(r);
    y = (n + 1) & 2 ? -y : y;
    return y + (x - x);
}

WEFT_INLINE float weft_cos_f(float x)
{
    // x = (n - 1/2) pi + r
    float t = weft_mad_f(x, WEFT_INV_PI_1F, 0.5f) + 0x1.8p23f;
    float y = weft_cos_half_f(weft_less_turns_f(x, t - 0x1.8p23f - 0.5f, 2.0f), weft_bits_f(t));
    return __builtin_expect(weft_is_far_f(x), 0) ? weft_cos_any_f(x) : y;
}

// r where x = r + n * pi/2, for near x. The low bits of n are right, and r keeps the sign of a zero.
WEFT_INLINE float weft_less_quarters_f(float x, private uint *n)
{
    float t = weft_mad_f(x, WEFT_TWO_OVER_PI_1F, 0x1.8p23f);
    *n = weft_bits_f(t);
    return weft_less_turns_f(x, t - 0x1.8p23f, 1.0f);
}

// sin r; *c: cos r.
WEFT_INLINE float weft_quarters_f(float x, private float *c, private uint *n)
{
    float r = weft_less_quarters_f(x, n), z = r * r;
    *c = weft_mad_f(z, weft_mad_f(z, weft_poly_cos_f(z), -0.5f), 1.0f);
    return r * weft_mad_f(z, weft_poly_sin_quarter_f(z), 1.0f);
}

// The sine of r + n * pi/2, and its cosine (*c), from those of r. The cosine of r may be passed in *c.
WEFT_INLINE float weft_turn_f(float s, private float *c, uint n)
{
    bool odd = n & 1;
    uint turn = n << 30 & 0x80000000u;
    float y = odd ? *c : s, z = odd ? -s : *c;
    *c = weft_from_f(weft_bits_f(z) ^ turn);
    return weft_from_f(weft_bits_f(y) ^ turn);
}

WEFT_INLINE float weft_tan_any_f(float x)
{
    int n;
    float r = weft_reduce_f(x, &n);
    float s = weft_sin_small_f(r), t = weft_cos_small_f(r);
    float y = (n & 1 ? -t : s) / (n & 1 ? s : t);
    return x == 0.0f ? x : y + (x - x);
}

WEFT_INLINE float weft_tan_f(float x)
{
    uint n;
    float r = weft_less_quarters_f(x, &n), z = r * r;
    float top = r * weft_poly_tan_top_f(z), bottom = weft_poly_tan_bottom_f(z);
    float y = (n & 1 ? bottom : top) / (n & 1 ? top : bottom);
    y = weft_from_f(weft_bits_f(y) ^ n << 31);
    return __builtin_expect(weft_is_far_f(x), 0) ? weft_tan_any_f(x) : y;
}

WEFT_INLINE float weft_sincos_any_f(float x, private float *c)
{
    int n;
    float r = weft_reduce_f(x, &n);
    float s = weft_sin_small_f(r), t = weft_cos_small_f(r);
    float y = n & 1 ? t : s, z = n & 1 ? s : t;
    y = n & 2 ? -y : y;
    z = (n + 1) & 2 ? -z : z;
    *c = z + (x - x);
    return x == 0.0f ? x : y + (x - x);
}

WEFT_INLINE float weft_sincos_f(float x, private float *c)
{
    uint n;
    // All of this comes before the branch. After it, near lanes would have to be separated from far ones.
    float z, y = weft_quarters_f(x, &z, &n);
    y = weft_turn_f(y, &z, n);
    if (__builtin_expect(weft_is_far_f(x), 0))
        y = weft_sincos_any_f(x, &z);
    *c = z;
    return y;
}

// sin r for |r| <= pi/2, negated for odd n; 0 where the reduction failed. The absolute error is below 2^-22:
// programs that compute tables of rotations with it, such as VkFFT, lose no digit.
WEFT_INLINE float weft_sin_fast_core_f(float r, uint n)
{
    float z = r * r;
    float y = weft_mad_f(z * r, weft_poly_sin_half_f(z), r);
    y = weft_from_f(weft_bits_f(y) ^ n << 31);
    return z >= 2.6f ? 0.0f : y;
}

// The same with a relative error of 2^-12.5, for half_sin and half_cos.
WEFT_INLINE float weft_sin_brief_core_f(float r, uint n)
{
    float z = r * r;
    float y = weft_mad_f(z * r, weft_poly_sin_brief_f(z), r);
    y = weft_from_f(weft_bits_f(y) ^ n << 31);
    return z >= 2.6f ? 0.0f : y;
}

// x - k * turn * pi/2, with pi/2 in two words. turn is a power of two. Without FMA the first product is
// rounded. So the first word is short there, and the product is exact for |k| < 2^10.
WEFT_INLINE float weft_less_turns_fast_f(float x, float k, float turn)
{
    if (!__weft_target_has_fma)
        return (x - k * (turn * WEFT_PI_2_SHORT_F)) - k * (turn * WEFT_PI_2_REST_F);
    return weft_mad_f(k, -(turn * WEFT_PI_2_2F), weft_mad_f(k, -(turn * WEFT_PI_2_1F), x));
}

WEFT_INLINE float weft_sin_fast_f(float x)
{
    float t = weft_mad_f(x, WEFT_INV_PI_1F, 0x1.8p23f), n = t - 0x1.8p23f;
    return weft_sin_fast_core_f(weft_less_turns_fast_f(x, n, 2.0f), weft_bits_f(t));
}

// x = (n - 1/2) pi + r
WEFT_INLINE float weft_cos_fast_f(float x)
{
    float t = weft_mad_f(x, WEFT_INV_PI_1F, 0.5f) + 0x1.8p23f, n = t - 0x1.8p23f - 0.5f;
    return weft_sin_fast_core_f(weft_less_turns_fast_f(x, n, 2.0f), weft_bits_f(t));
}

// Sine and cosine: reduces by a half turn for each, or by a quarter turn for both.
WEFT_INLINE float weft_sincos_fast_f(float x, private float *c)
{
    float t = weft_mad_f(x, WEFT_TWO_OVER_PI_1F, 0x1.8p23f), k = t - 0x1.8p23f;
    float r = weft_less_turns_fast_f(x, k, 1.0f), z = r * r;
    float y = weft_mad_f(z * r, weft_poly_sin_quarter_f(z), r);
    *c = weft_mad_f(z, weft_mad_f(z, weft_poly_cos_f(z), -0.5f), 1.0f);
    y = weft_turn_f(y, c, weft_bits_f(t));
    bool failed = z >= 0.65f;
    *c = failed ? 0.0f : *c;
    return failed ? 0.0f : y;
}

// half_sin: so are the arguments reduced where a result has a relative error of half the digits.
WEFT_INLINE float weft_sin_brief_f(float x)
{
    float t = weft_mad_f(x, WEFT_INV_PI_1F, 0x1.8p23f), n = t - 0x1.8p23f;
    float r = __weft_target_has_fma ? weft_less_turns_fast_f(x, n, 2.0f) : weft_less_turns_f(x, n, 2.0f);
    return weft_sin_brief_core_f(r, weft_bits_f(t));
}

// half_cos uses the third word of pi too: its error is relative (8192 ulp), and the cosine of 52516.434 is
// 1.6e-8.
WEFT_INLINE float weft_cos_brief_f(float x)
{
    float t = weft_mad_f(x, WEFT_INV_PI_1F, 0.5f) + 0x1.8p23f;
    return weft_sin_brief_core_f(weft_less_turns_f(x, t - 0x1.8p23f - 0.5f, 2.0f), weft_bits_f(t));
}

// tan for native_tan and relaxed math: one polynomial, and a division where it is a cotangent. Beyond what
// the two words of pi/2 are good for, the result is 0.
WEFT_INLINE float weft_tan_fast_f(float x)
{
    float q = weft_mad_f(x, WEFT_TWO_OVER_PI_1F, 0x1.8p23f), k = q - 0x1.8p23f;
    float r = weft_less_turns_fast_f(x, k, 1.0f), z = r * r;
    float top = r * weft_poly_tan_top_f(z), bottom = weft_poly_tan_bottom_f(z);
    uint n = weft_bits_f(q);
    float y = n & 1 ? -bottom : top, divisor = n & 1 ? top : bottom;
    // Without FMA a division takes fewer operations than the refinement of an estimate.
    y = __weft_target_has_fma ? y * weft_reciprocal_f(divisor) : y / divisor;
    return z >= 0.65f ? 0.0f : y;
}

// x - k * pi/2 for near x; see weft_less_turns_f. At most one ulp off, since the first differences are exact
// wherever they are small.
WEFT_INLINE double weft_less_turns_d(double x, double k, double turn)
{
    if (!__weft_target_has_fma) {
        x = (x - k * (turn * WEFT_PI_2_SHORT_1D)) - k * (turn * WEFT_PI_2_SHORT_2D);
        return x - k * (turn * WEFT_PI_2_SHORT_3D);
    }
    double r = __builtin_fma(k, -(turn * WEFT_PI_2_BELOW_1D), x);
    r = __builtin_fma(k, -(turn * WEFT_PI_2_BELOW_2D), r);
    return __builtin_fma(k, -(turn * WEFT_PI_2_BELOW_3D), r);
}

// sin r for |r| <= pi/2, negated where the lowest bit of n is set.
WEFT_INLINE double weft_sin_half_d(double r, ulong n)
{
    double z = r * r;
    double y = r * weft_mad_d(z, weft_poly_sin_half_d(z), 1.0);
    return weft_from_d(weft_bits_d(y) ^ n << 63);
}

// The same for cosines; see weft_cos_half_f.
WEFT_INLINE double weft_cos_half_d(double r, ulong n)
{
    double z = r * r;
    double y = weft_mad_d(z * r, weft_poly_sin_half_d(z), r);
    return weft_from_d(weft_bits_d(y) ^ n << 63);
}

// Is x beyond the range of weft_less_turns_d? In that, NaN stays NaN and infinity becomes NaN.
WEFT_INLINE bool weft_is_far_d(double x)
{
    return weft_abs_d(x) >= (__weft_target_has_fma ? 0x1p30 : 0x1p20);
}

WEFT_INLINE double weft_sin_any_d(double x)
{
    long n;
    double low;
    double r = weft_reduce_d(x, &low, &n);
    double y = n & 1 ? weft_cos_small_d(r, low) : weft_sin_small_d(r, low);
    y = n & 2 ? -y : y;
    y = x == 0.0 ? x : y;
    return weft_abs_d(x) < WEFT_INF_D ? y : WEFT_NAN_D;
}

WEFT_INLINE double weft_sin_d(double x)
{
    double t = weft_mad_d(x, WEFT_INV_PI_1D, 0x1.8p52);
    double y = weft_sin_half_d(weft_less_turns_d(x, t - 0x1.8p52, 2.0), weft_bits_d(t));
    return __builtin_expect(weft_is_far_d(x), 0) ? weft_sin_any_d(x) : y;
}

WEFT_INLINE double weft_cos_any_d(double x)
{
    long n;
    double low;
    double r = weft_reduce_d(x, &low, &n);
    double y = n & 1 ? weft_sin_small_d(r, low) : weft_cos_small_d(r, low);
    y = (n + 1) & 2 ? -y : y;
    return weft_abs_d(x) < WEFT_INF_D ? y : WEFT_NAN_D;
}

WEFT_INLINE double weft_cos_d(double x)
{
    // x = (n - 1/2) pi + r
    double t = weft_mad_d(x, WEFT_INV_PI_1D, 0.5) + 0x1.8p52;
    double y = weft_cos_half_d(weft_less_turns_d(x, t - 0x1.8p52 - 0.5, 2.0), weft_bits_d(t));
    return __builtin_expect(weft_is_far_d(x), 0) ? weft_cos_any_d(x) : y;
}

// r where x = r + n * pi/2, for near x. The low bits of n are right, and r keeps the sign of a zero.
WEFT_INLINE double weft_less_quarters_d(double x, private ulong *n)
{
    double t = weft_mad_d(x, WEFT_TWO_OVER_PI_1D, 0x1.8p52);
    *n = weft_bits_d(t);
    return weft_less_turns_d(x, t - 0x1.8p52, 1.0);
}

WEFT_INLINE double weft_sincos_any_d(double x, private double *c)
{
    long n;
    double low;
    double r = weft_reduce_d(x, &low, &n);
    double s = weft_sin_small_d(r, low), t = weft_cos_small_d(r, low);
    double y = n & 1 ? t : s, z = n & 1 ? s : t;
    y = n & 2 ? -y : y;
    z = (n + 1) & 2 ? -z : z;
    bool finite = weft_abs_d(x) < WEFT_INF_D;
    y = x == 0.0 ? x : y;
    *c = finite ? z : WEFT_NAN_D;
    return finite ? y : WEFT_NAN_D;
}

WEFT_INLINE double weft_sincos_d(double x, private double *c)
{
    ulong n;
    double r = weft_less_quarters_d(x, &n), z = r * r;
    double t = weft_mad_d(z * z, weft_poly_cos_d(z), weft_mad_d(z, -0.5, 1.0));
    double s = r * weft_mad_d(z, weft_poly_sin_d(z), 1.0);
    if (__builtin_expect(weft_is_far_d(x), 0))
        return weft_sincos_any_d(x, c);
    *c = weft_from_d(weft_bits_d(n & 1 ? s : t) ^ ((n + 1) & 2) << 62);
    return weft_from_d(weft_bits_d(n & 1 ? t : s) ^ (n & 2) << 62);
}

WEFT_INLINE double weft_tan_any_d(double x)
{
    long n;
    double low;
    double r = weft_reduce_d(x, &low, &n);
    double s = weft_sin_small_d(r, low), t = weft_cos_small_d(r, low);
    double y = (n & 1 ? -t : s) / (n & 1 ? s : t);
    y = x == 0.0 ? x : y;
    return weft_abs_d(x) < WEFT_INF_D ? y : WEFT_NAN_D;
}

WEFT_INLINE double weft_tan_d(double x)
{
    ulong n;
    double r = weft_less_quarters_d(x, &n), z = r * r;
    double top = r * weft_poly_tan_top_d(z), bottom = weft_poly_tan_bottom_d(z);
    double y = (n & 1 ? bottom : top) / (n & 1 ? top : bottom);
    y = weft_from_d(weft_bits_d(y) ^ n << 63);
    return __builtin_expect(weft_is_far_d(x), 0) ? weft_tan_any_d(x) : y;
}

// half_tan uses the third word of pi, as half_cos does. An estimate of 14 bits is good enough for it.
WEFT_INLINE float weft_tan_brief_f(float x)
{
    uint n;
    float r = weft_less_quarters_f(x, &n), z = r * r;
    float top = r * weft_poly_tan_top_f(z), bottom = weft_poly_tan_bottom_f(z);
    float divisor = n & 1 ? top : bottom;
    float y = n & 1 ? bottom : top;
    y *= __weft_target_has_math_primitives ? __weft_reciprocal_f(divisor) : weft_reciprocal_f(divisor);
    return z >= 0.65f ? 0.0f : weft_from_f(weft_bits_f(y) ^ n << 31);
}

// sin(pi x) for |x| <= 1/2
WEFT_INLINE float weft_sinpi_half_f(float x)
{
    // Rounded once at the end: programs' tests allow 4 ulp beside the sine of a number that isn't a float.
    float z = x * x;
    return x * weft_mad_f(z, weft_mad_f(z, weft_poly_sinpi_f(z), WEFT_SINPI_3F), WEFT_PI_1F);
}

WEFT_INLINE double weft_sinpi_half_d(double x)
{
    double z = x * x, cube = x * z;
    return weft_mad_d(weft_poly_sinpi_d(z), cube * z, weft_mad_d(cube, WEFT_SINPI_3D, x * WEFT_PI_1D));
}

// |x| minus an even number, in [-1, 1]. Exact. NaN for infinite x.
WEFT_INLINE float weft_reduce_even_f(float x)
{
    float a = weft_abs_f(x);
    return weft_mad_f(-2.0f, __builtin_elementwise_rint(0.5f * a), a);
}

WEFT_INLINE double weft_reduce_even_d(double x)
{
    double a = weft_abs_d(x);
    return weft_mad_d(-2.0, __builtin_elementwise_rint(0.5 * a), a);
}

// sin(pi y) and cos(pi y) for |y| <= 1; zeros are positive.
WEFT_INLINE float weft_sinpi_turn_f(float y)
{
    float a = weft_abs_f(y);
    float m = a > 0.5f ? 1.0f - a : a;
    // For y = -1 the sum is a positive zero.
    return weft_flip_f(weft_sinpi_half_f(m), y * m + 0.0f);
}

WEFT_INLINE float weft_cospi_turn_f(float y)
{
    return weft_sinpi_half_f(0.5f - weft_abs_f(y));
}

WEFT_INLINE double weft_sinpi_turn_d(double y)
{
    double a = weft_abs_d(y);
    double m = a > 0.5 ? 1.0 - a : a;
    return weft_flip_d(weft_sinpi_half_d(m), y * m + 0.0);
}

WEFT_INLINE double weft_cospi_turn_d(double y)
{
    return weft_sinpi_half_d(0.5 - weft_abs_d(y));
}

// sin(pi x) = +-sin(pi (|x| - n)) with the integer n nearest to |x|. The sum with 2^23 has the last bit of n.
// From there on, its last bit means nothing, and neither does a sign: |x| - n is 0. Where |x| - n is to be
// negated, both operands are: so every zero is positive, before it gets the sign of x.
WEFT_INLINE float weft_sinpi_f(float x)
{
    float a = weft_abs_f(x), n = __builtin_elementwise_rint(a);
    uint turn = weft_bits_f(a + 0x1p23f) << 31;
    float y = weft_sinpi_half_f(weft_from_f(weft_bits_f(a) ^ turn) - weft_from_f(weft_bits_f(n) ^ turn));
    return weft_flip_f(y, x);
}

WEFT_INLINE double weft_sinpi_d(double x)
{
    double a = weft_abs_d(x), n = __builtin_elementwise_rint(a);
    ulong turn = weft_bits_d(a + 0x1p52) << 63;
    double y = weft_sinpi_half_d(weft_from_d(weft_bits_d(a) ^ turn) - weft_from_d(weft_bits_d(n) ^ turn));
    return weft_flip_d(y, x);
}

#endif
