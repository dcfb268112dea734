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

// The remainder of the nearest quotient, even on ties.
WEFT_INLINE WEFT_API float weft_pair_remquo(float x, float y, private int *quotient)
{
    float a = weft_abs_f(x), b = weft_abs_f(y);
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
    // b - r is exact where it matters, so neither side can overflow or round.
    float other = b - r;
    bool up = r > other || (r == other && (q & 1));
    r = up ? -other : r;
    q = (q + (up ? 1 : 0)) & 0x7f;
    *quotient = (x < 0.0f) != (y < 0.0f) ? -(int)q : (int)q;
    return weft_flip_f(r, x);
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
    float a = weft_abs_f(x), b = weft_abs_f(y);
    if (!(a < WEFT_INF_F) || b == 0.0f || y != y)
        return WEFT_NAN_F;
    if (b == WEFT_INF_F)
        return x;
    uint q;
    return weft_flip_f(weft_fmod_f(a, b, &q), x);
}
WEFT_V2(float, fmod, float, float)

// The remainder of the nearest quotient, even on ties.
WEFT_INLINE WEFT_API double weft_pair_remquo(double x, double y, private int *quotient)
{
    double a = weft_abs_d(x), b = weft_abs_d(y);
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
    // b - r is exact where it matters, so neither side can overflow or round.
    double other = b - r;
    bool up = r > other || (r == other && (q & 1));
    r = up ? -other : r;
    q = (q + (up ? 1 : 0)) & 0x7f;
    *quotient = (x < 0.0) != (y < 0.0) ? -(int)q : (int)q;
    return weft_flip_d(r, x);
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
    double a = weft_abs_d(x), b = weft_abs_d(y);
    if (!(a < WEFT_INF_D) || b == 0.0 || y != y)
        return WEFT_NAN_D;
    if (b == WEFT_INF_D)
        return x;
    uint q;
    return weft_flip_d(weft_fmod_d(a, b, &q), x);
}
WEFT_V2(double, fmod, double, double)
