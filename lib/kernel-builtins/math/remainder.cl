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

// *r = a mod b, *quotient: the low bits of the quotient, if one division is enough for the quotient (see
// weft_fmod_near_d). False: it isn't, and nothing is computed.
WEFT_INLINE bool weft_fmod_try_f(float a, float b, private float *r, private uint *quotient)
{
    float ratio = a / b;
    float q = __builtin_elementwise_trunc(ratio);
    // The product of two floats is exact in double, and so is the difference.
    float rest = __weft_target_has_fma ? weft_fma_f(-q, b, a) : (float)((double)a - (double)q * (double)b);
    bool over = rest < 0.0f;
    *r = over ? rest + b : rest;
    *quotient = (uint)weft_bits_f(q + 0x1p23f) - (over ? 1 : 0);
    // False for an infinite b, b = 0 and NaNs: they have special rules. Also for so small a b that `rest`, a
    // multiple of b's last place, may be denormal: if it is flushed (-cl-denorms-are-zero), its sign is lost.
    return __builtin_expect((int)(ratio < 0x1p23f) & (int)(b < WEFT_INF_F) & (int)(b >= 0x1p-102f), 1);
}

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

WEFT_INLINE WEFT_API float weft_pair_remquo(float x, float y, private int *quotient)
{
    float a = weft_abs_f(x), b = weft_abs_f(y), near;
    if (weft_fmod_try_f(a, b, &near, (private uint *)quotient))
        return weft_remquo_join_f(x, y, near, quotient);
    if (!(a < WEFT_INF_F) || b == 0.0f || y != y) {
        *quotient = 0;
        return WEFT_NAN_F;
    }
    if (b == WEFT_INF_F) {
        *quotient = 0;
        return x;
    }
    uint q;
    double r = weft_fmod_f(a, b, &q);
    *quotient = (int)q;
    return (float)weft_remquo_join_d((double)x, (double)y, r, quotient);
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
    if (weft_fmod_try_f(a, b, &near, &q))
        return weft_flip_f(near, x);
    if (!(a < WEFT_INF_F) || b == 0.0f || y != y)
        return WEFT_NAN_F;
    if (b == WEFT_INF_F)
        return x;
    return weft_flip_f((float)weft_fmod_f(a, b, &q), x);
}
WEFT_V2(float, fmod, float, float)

// *r = a mod b, *quotient: the low bits of the quotient, if one division is enough for the quotient (see
// weft_fmod_near_d). False: it isn't, and nothing is computed.
WEFT_INLINE bool weft_fmod_try_d(double a, double b, private double *r, private uint *quotient)
{
    if (!__weft_target_has_fma)
        return false;
    double ratio = a / b;
    double q = __builtin_elementwise_trunc(ratio);
    double rest = weft_fma_d(-q, b, a);
    bool over = rest < 0.0;
    *r = over ? rest + b : rest;
    *quotient = (uint)weft_bits_d(q + 0x1p52) - (over ? 1 : 0);
    // False for an infinite b, b = 0 and NaNs: they have special rules.
    return __builtin_expect((int)(ratio < 0x1p52) & (int)(b < WEFT_INF_D), 1);
}

WEFT_INLINE WEFT_API double weft_pair_remquo(double x, double y, private int *quotient)
{
    double a = weft_abs_d(x), b = weft_abs_d(y), near;
    if (weft_fmod_try_d(a, b, &near, (private uint *)quotient))
        return weft_remquo_join_d(x, y, near, quotient);
    if (!(a < WEFT_INF_D) || b == 0.0 || y != y) {
        *quotient = 0;
        return WEFT_NAN_D;
    }
    if (b == WEFT_INF_D) {
        *quotient = 0;
        return x;
    }
    uint q;
    double r = weft_fmod_d(a, b, &q);
    *quotient = (int)q;
    return weft_remquo_join_d(x, y, r, quotient);
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
    if (weft_fmod_try_d(a, b, &near, &q))
        return weft_flip_d(near, x);
    if (!(a < WEFT_INF_D) || b == 0.0 || y != y)
        return WEFT_NAN_D;
    if (b == WEFT_INF_D)
        return x;
    return weft_flip_d(weft_fmod_d(a, b, &q), x);
}
WEFT_V2(double, fmod, double, double)
