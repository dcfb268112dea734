// fmod, remainder and remquo. Exact: long division of the significands, many bits of the quotient at a time.
#include "weft_math.h"

// a mod b for a/b < 2^52, a >= 0, b > 0. The quotient in double is right or one too large, and the remainder
// is representable.
WEFT_INLINE double weft_fmod_near_d(double a, double b, double ratio, private uint *quotient)
{
    double q = __builtin_elementwise_trunc(ratio);
    double p = q * b;
    double r = __weft_target_has_fma ? __builtin_fma(-q, b, a) : (a - p) - weft_product_error_d(q, b, p);
    bool over = r < 0.0;
    // The sum with the magic number has the low bits of the integer.
    *quotient = (uint)weft_bits_d(q + 0x1p52) - (over ? 1 : 0);
    return over ? r + b : r;
}

// The fraction of x, scaled into [1, 2), for finite x > 0; *e: its exponent.
WEFT_INLINE double weft_fraction_d(double x, private int *e)
{
    bool tiny = x < 0x1p-1022;
    ulong u = weft_bits_d(tiny ? x * 0x1p54 : x);
    *e = (int)(uint)(u >> 52) - 1023 - (tiny ? 54 : 0);
    return weft_from_d((u & 0xffffffffffffful) | 0x3ff0000000000000ul);
}

// a mod b for finite a >= b > 0: 50 bits of the quotient at a time, in floating point, because only that has
// vector divisions.
WEFT_INLINE double weft_fmod_far_d(double a, double b, private uint *quotient)
{
    int ea, eb;
    double r = weft_fraction_d(a, &ea), d = weft_fraction_d(b, &eb);
    uint q, part;
    r = weft_fmod_near_d(r, d, r / d, &q);
    for (int n = ea - eb; n > 0;) {
        int step = n < 50 ? n : 50;
        r *= weft_power2_d(step);
        r = weft_fmod_near_d(r, d, r / d, &part);
        q = (step < 32 ? q << (step & 31) : 0) + part;
        n -= step;
    }
    *quotient = q;
    // Scales back to b's exponent. The smallest exponents need two products. The result is representable.
    int lift = eb < -900 ? 100 : 0;
    return r * weft_power2_d(eb + lift) * weft_power2_d(-lift);
}

// a mod b for finite a >= 0 and b > 0; *quotient: the low bits of the quotient. The result is a float.
WEFT_INLINE double weft_fmod_f(float a, float b, private uint *quotient)
{
    double ratio = (double)a / (double)b;
    if (__builtin_expect(ratio < 0x1p52, 1))
        return weft_fmod_near_d((double)a, (double)b, ratio, quotient);
    return weft_fmod_far_d((double)a, (double)b, quotient);
}

WEFT_INLINE double weft_fmod_d(double a, double b, private uint *quotient)
{
    double ratio = a / b;
    // Without FMA, factors can be split only within these limits.
    bool splits = __weft_target_has_fma || (a < 0x1p990 && b < 0x1p990 && b > 0x1p-900);
    if (__builtin_expect(ratio < 0x1p52 && splits, 1))
        return weft_fmod_near_d(a, b, ratio, quotient);
    *quotient = 0;
    return a < b ? a : weft_fmod_far_d(a, b, quotient);
}

// ---- quotients below 2^19, without a division ----
//
// q is rint of an estimate of a / b that is never above it, and at most 2^-20.4 of it below. So q is the
// nearest integer, or one less where the fraction is little above 1/2: -b / 2 <= a - q b < 0.9 b. Ties are
// never rounded up. The bias of 2^-21 is more than all roundings; the error of the reciprocal's step is on
// the same side.
//
// a - q b is exact: a multiple of b's last place, or of half of it where q is 1, and below 2^24 (double:
// 2^53) times that. Without FMA, b is split, so that the products are exact, too.
//
// What isn't between MIN_B and MAX_B gets 0 as the limit of q, which NaNs and infinities aren't below,
// either. Within these limits no product is denormal, and no difference that isn't 0: their signs would be
// lost if they are flushed (-cl-denorms-are-zero).
#define WEFT_BELOW_1 (1.0f - 0x1p-21f)
#define WEFT_MIN_B 0x1p-100f
#define WEFT_MAX_B 0x1p100f

// 1 / b from an estimate y of 12 bits at least.
WEFT_INLINE float weft_reciprocal_below_f(float b)
{
    if (!__weft_target_has_estimates)
        return WEFT_BELOW_1 / b;
    float y = __weft_reciprocal_f(b);
    return weft_mad_f(y, weft_mad_f(-b, y, WEFT_BELOW_1), y);
}

WEFT_INLINE double weft_reciprocal_below_d(double b)
{
    if (!__weft_target_has_estimates)
        return (double)WEFT_BELOW_1 / b;
    double y =
        __weft_target_has_math_primitives ? __weft_reciprocal_d(b) : (double)__weft_reciprocal_f((float)b);
    return weft_mad_d(y, weft_mad_d(-b, y, (double)WEFT_BELOW_1), y);
}

// *r = a - q b; *quotient: the low bits of q. False: q is too large, or b isn't within the limits.
WEFT_INLINE bool weft_remainder_near_f(float a, float b, private float *r, private uint *quotient)
{
    float q = __builtin_elementwise_rint(a * weft_reciprocal_below_f(b));
    float high = weft_from_f(weft_bits_f(b) & 0xfffff000u);
    *r = __weft_target_has_fma ? weft_fma_f(-q, b, a) : (a - q * high) - q * (b - high);
    *quotient = (uint)weft_bits_f(q + 0x1p23f);
    float limit = __weft_target_has_fma ? 0x1p19f : 0x1p10f;
    return q < ((int)(b >= WEFT_MIN_B) & (int)(b <= WEFT_MAX_B) ? limit : 0.0f);
}

WEFT_INLINE bool weft_remainder_near_d(double a, double b, private double *r, private uint *quotient)
{
    double q = __builtin_elementwise_rint(a * weft_reciprocal_below_d(b));
    double high = weft_from_d(weft_bits_d(b) & 0xfffffffff8000000ul);
    *r = __weft_target_has_fma ? weft_fma_d(-q, b, a) : (a - q * high) - q * (b - high);
    *quotient = (uint)weft_bits_d(q + 0x1p52);
    bool within = (int)(b >= (double)WEFT_MIN_B) & (int)(b <= (double)WEFT_MAX_B);
    return q < (within ? 0x1p19 : 0.0);
}

// ---- from a - q b to the results ----

// The remainder to the nearest quotient (even on ties), from r = |x| mod |y| and the low bits of the
// quotient.
WEFT_INLINE double weft_remquo_join_d(double x, double y, double r, private int *quotient)
{
    uint q = (uint)*quotient;
    // b - r is exact where it matters. So neither side can overflow or round.
    double other = weft_abs_d(y) - r;
    bool up = (int)(r > other) | ((int)(r == other) & (int)(q & 1));
    r = up ? -other : r;
    q = (q + (up ? 1 : 0)) & 0x7f;
    *quotient = (x < 0.0) != (y < 0.0) ? -(int)q : (int)q;
    return weft_flip_d(r, x);
}

// The remainder to the nearest quotient (even on ties), from r = |x| mod |y| and the low bits of the
// quotient.
WEFT_INLINE float weft_remquo_join_f(float x, float y, float r, private int *quotient)
{
    uint q = (uint)*quotient;
    // b - r is exact where it matters. So neither side can overflow or round.
    float other = weft_abs_f(y) - r;
    bool up = (int)(r > other) | ((int)(r == other) & (int)(q & 1));
    r = up ? -other : r;
    q = (q + (up ? 1 : 0)) & 0x7f;
    *quotient = (x < 0.0f) != (y < 0.0f) ? -(int)q : (int)q;
    return weft_flip_f(r, x);
}

// These come after the computation, where one multiplication wasn't enough, so that they cost nothing where
// it was.
WEFT_INLINE bool weft_is_special_remainder_d(double x, double y)
{
    return (int)!(weft_abs_d(x) < WEFT_INF_D) | (int)(y == 0.0) | (int)!(weft_abs_d(y) < WEFT_INF_D);
}

// The remainder of finite numbers by infinity is x. r: the result if nothing is special.
WEFT_INLINE double weft_special_remainder_d(double x, double y, double r)
{
    double special = (int)(weft_abs_d(x) < WEFT_INF_D) & (int)(weft_abs_d(y) == WEFT_INF_D) ? x : WEFT_NAN_D;
    return weft_is_special_remainder_d(x, y) ? special : r;
}

WEFT_INLINE WEFT_API float weft_pair_remquo(float x, float y, private int *quotient)
{
    float a = weft_abs_f(x), b = weft_abs_f(y), near;
    if (__builtin_expect(weft_remainder_near_f(a, b, &near, (private uint *)quotient), 1))
        return weft_remquo_join_f(x, y, near, quotient);
    uint q;
    double r = weft_fmod_f(a, b, &q);
    *quotient = (int)q;
    r = weft_remquo_join_d((double)x, (double)y, r, quotient);
    *quotient = weft_is_special_remainder_d((double)x, (double)y) ? 0 : *quotient;
    return (float)weft_special_remainder_d((double)x, (double)y, r);
}
WEFT_P2(float, remquo, float, float, int)

float WEFT_API remainder(float x, float y)
{
    int q;
    return weft_pair_remquo(x, y, &q);
}
WEFT_V2(float, remainder, float, float)

float WEFT_API fmod(float x, float y)
{
    float a = weft_abs_f(x), b = weft_abs_f(y), near;
    uint q;
    if (__builtin_expect(weft_remainder_near_f(a, b, &near, &q), 1))
        return weft_flip_f(near < 0.0f ? near + b : near, x);
    double r = weft_flip_d(weft_fmod_f(a, b, &q), (double)x);
    return (float)weft_special_remainder_d((double)x, (double)y, r);
}
WEFT_V2(float, fmod, float, float)

WEFT_INLINE WEFT_API double weft_pair_remquo(double x, double y, private int *quotient)
{
    double a = weft_abs_d(x), b = weft_abs_d(y), near;
    if (__builtin_expect(weft_remainder_near_d(a, b, &near, (private uint *)quotient), 1))
        return weft_remquo_join_d(x, y, near, quotient);
    uint q;
    double r = weft_fmod_d(a, b, &q);
    *quotient = (int)q;
    r = weft_remquo_join_d(x, y, r, quotient);
    *quotient = weft_is_special_remainder_d(x, y) ? 0 : *quotient;
    return weft_special_remainder_d(x, y, r);
}
WEFT_P2(double, remquo, double, double, int)

double WEFT_API remainder(double x, double y)
{
    int q;
    return weft_pair_remquo(x, y, &q);
}
WEFT_V2(double, remainder, double, double)

double WEFT_API fmod(double x, double y)
{
    double a = weft_abs_d(x), b = weft_abs_d(y), near;
    uint q;
    if (__builtin_expect(weft_remainder_near_d(a, b, &near, &q), 1))
        return weft_flip_d(near < 0.0 ? near + b : near, x);
    return weft_special_remainder_d(x, y, weft_flip_d(weft_fmod_d(a, b, &q), x));
}
WEFT_V2(double, fmod, double, double)
