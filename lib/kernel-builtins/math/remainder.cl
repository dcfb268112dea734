// fmod, remainder and remquo, exact: long division of the significands, many quotient bits at a time.
#include "weft_math.h"

// a mod b where a/b < 2^52, a >= 0, b > 0: the quotient in double is right or one too large, and what it
// leaves is representable.
WEFT_INLINE double weft_fmod_near_d(double a, double b, double ratio, private uint *quotient)
{
    double q = __builtin_elementwise_trunc(ratio);
    double p = q * b;
    double r = __weft_target_has_fma ? __builtin_fma(-q, b, a) : (a - p) - weft_product_error_d(q, b, p);
    bool over = r < 0.0;
    // The magic sum has the low bits of the integer.
    *quotient = (uint)weft_bits_d(q + 0x1p52) - (over ? 1 : 0);
    return over ? r + b : r;
}

// a mod b for finite a >= 0 and b > 0; the low bits of the quotient by *quotient.
WEFT_INLINE float weft_fmod_f(float a, float b, private uint *quotient)
{
    double ratio = (double)a / (double)b;
    if (__builtin_expect(ratio < 0x1p52, 1))
        return (float)weft_fmod_near_d((double)a, (double)b, ratio, quotient);
    uint ua = weft_bits_f(a), ub = weft_bits_f(b);
    // Subnormals are normalised by their leading zeros; an exponent of 1 is the smallest.
    int za = ua < 0x800000u ? weft_clz_f(ua) - 8 : 0, zb = ub < 0x800000u ? weft_clz_f(ub) - 8 : 0;
    int ea = ua < 0x800000u ? 1 - za : (int)(ua >> 23), eb = ub < 0x800000u ? 1 - zb : (int)(ub >> 23);
    ulong r = za ? ua << za : (ua & 0x7fffffu) | 0x800000u;
    ulong d = zb ? ub << zb : (ub & 0x7fffffu) | 0x800000u;
    ulong q = r / d;
    r -= q * d;
    for (int n = ea - eb; n > 0;) {
        int step = n < 40 ? n : 40;
        r <<= step;
        ulong part = r / d;
        r -= part * d;
        q = (q << step) + part;
        n -= step;
    }
    *quotient = (uint)q;
    // r < d < 2^24 at b's exponent: exact as a product, by way of double.
    return (float)((double)r * weft_power2_d(eb - 150));
}

WEFT_INLINE double weft_fmod_d(double a, double b, private uint *quotient)
{
    double ratio = a / b;
    // Without FMA the splitting of factors has limits.
    bool splits = __weft_target_has_fma || (a < 0x1p990 && b < 0x1p990 && b > 0x1p-900);
    if (__builtin_expect(ratio < 0x1p52 && splits, 1))
        return weft_fmod_near_d(a, b, ratio, quotient);
    *quotient = 0;
    if (a < b)
        return a;
    ulong ua = weft_bits_d(a), ub = weft_bits_d(b), one = 0x10000000000000ul;
    int za = ua < one ? weft_clz_d(ua) - 11 : 0, zb = ub < one ? weft_clz_d(ub) - 11 : 0;
    int ea = ua < one ? 1 - za : (int)(ua >> 52), eb = ub < one ? 1 - zb : (int)(ub >> 52);
    ulong r = za ? ua << za : (ua & (one - 1)) | one;
    ulong d = zb ? ub << zb : (ub & (one - 1)) | one;
    ulong q = r / d;
    r -= q * d;
    for (int n = ea - eb; n > 0;) {
        int step = n < 11 ? n : 11;
        r <<= step;
        ulong part = r / d;
        r -= part * d;
        q = (q << step) + part;
        n -= step;
    }
    *quotient = (uint)q;
    // Back to b's exponent: subnormal bits are an integer already; else two exact steps.
    if (eb <= 0)
        return weft_from_d(r >> (1 - eb));
    double v = (double)r * weft_power2_d(-52);
    return eb < 60 ? v * weft_power2_d(eb - 1023 + 100) * weft_power2_d(-100) : v * weft_power2_d(eb - 1023);
}

// a mod b by *r, and the low bits of the quotient, where the quotient is small enough for one division: as
// weft_fmod_near_d. False: not here.
WEFT_INLINE bool weft_fmod_try_f(float a, float b, private float *r, private uint *quotient)
{
    if (!__weft_target_has_fma)
        return false;
    float ratio = a / b;
    float q = __builtin_elementwise_trunc(ratio);
    float rest = weft_fma_f(-q, b, a);
    bool over = rest < 0.0f;
    *r = over ? rest + b : rest;
    *quotient = (uint)weft_bits_f(q + 0x1p23f) - (over ? 1 : 0);
    // An infinite b, b = 0 and NaNs have their rules.
    return __builtin_expect((int)(ratio < 0x1p23f) & (int)(b < WEFT_INF_F), 1);
}

// The remainder of the nearest quotient, even on ties, from r = |x| mod |y| and the quotient's low bits.
WEFT_INLINE float weft_remquo_join_f(float x, float y, float r, private int *quotient)
{
    uint q = (uint)*quotient;
    // b - r is exact where it matters, so neither side can overflow or round.
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
    float r = weft_fmod_f(a, b, &q);
    *quotient = (int)q;
    return weft_remquo_join_f(x, y, r, quotient);
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
    return weft_flip_f(weft_fmod_f(a, b, &q), x);
}
WEFT_V2(float, fmod, float, float)

// a mod b by *r, and the low bits of the quotient, where the quotient is small enough for one division: as
// weft_fmod_near_d. False: not here.
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
    // An infinite b, b = 0 and NaNs have their rules.
    return __builtin_expect((int)(ratio < 0x1p52) & (int)(b < WEFT_INF_D), 1);
}

// The remainder of the nearest quotient, even on ties, from r = |x| mod |y| and the quotient's low bits.
WEFT_INLINE double weft_remquo_join_d(double x, double y, double r, private int *quotient)
{
    uint q = (uint)*quotient;
    // b - r is exact where it matters, so neither side can overflow or round.
    double other = weft_abs_d(y) - r;
    bool up = (int)(r > other) | ((int)(r == other) & (int)(q & 1));
    r = up ? -other : r;
    q = (q + (up ? 1 : 0)) & 0x7f;
    *quotient = (x < 0.0) != (y < 0.0) ? -(int)q : (int)q;
    return weft_flip_d(r, x);
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
