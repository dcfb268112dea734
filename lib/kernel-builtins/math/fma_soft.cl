// Fused multiply-add where the processor has none: correctly rounded to nearest, subnormals included.
#include "weft_math.h"

// The product is exact in double. The sum is rounded to odd there, which makes the final rounding to float
// the only one.
float __weft_fma_soft_f(float a, float b, float c)
{
    double p = (double)a * (double)b, d = (double)c;
    double s = p + d;
    double e = weft_sum_error_d(p, d, s);
    long u = (long)weft_bits_d(s);
    // An inexact even sum moves one step towards the true value.
    bool step = e != 0.0 && e == e && !(u & 1) && weft_abs_d(s) < WEFT_INF_D;
    bool outwards = (e > 0.0) == (u >= 0);
    u += step ? (outwards ? 1 : -1) : 0;
    return (float)weft_from_d((ulong)u);
}

static inline ulong high_product(ulong a, ulong b)
{
    ulong al = a & 0xffffffffu, ah = a >> 32, bl = b & 0xffffffffu, bh = b >> 32;
    ulong middle = ah * bl + (al * bl >> 32);
    ulong rest = al * bh + (middle & 0xffffffffu);
    return ah * bh + (middle >> 32) + (rest >> 32);
}

// Integers: the 106 bits of the product and the aligned addend in 128 bits with a sticky last bit.
double __weft_fma_soft_d(double a, double b, double c)
{
    ulong ua = weft_bits_d(a), ub = weft_bits_d(b), uc = weft_bits_d(c), one = 0x10000000000000ul;
    ulong sp = (ua ^ ub) & WEFT_SIGN_D, sc = uc & WEFT_SIGN_D;
    ua &= ~WEFT_SIGN_D;
    ub &= ~WEFT_SIGN_D;
    uc &= ~WEFT_SIGN_D;
    ulong top = 0x7ff0000000000000ul;
    // Zeros, infinities and NaN: the plain expression is right, the product being exact or special.
    if (ua >= top || ub >= top || ua == 0 || ub == 0)
        return a * b + c;
    if (uc >= top)
        return c;
    int ea = (int)(ua >> 52), eb = (int)(ub >> 52), ec = (int)(uc >> 52);
    ulong ma = ea ? (ua & (one - 1)) | one : ua, mb = eb ? (ub & (one - 1)) | one : ub;
    ulong mc = ec ? (uc & (one - 1)) | one : uc;
    int za = weft_clz_d(ma) - 11, zb = weft_clz_d(mb) - 11;
    ma <<= za;
    mb <<= zb;
    // The value of the product is hi:lo * 2^ep.
    int ep = (ea ? ea : 1) - za + (eb ? eb : 1) - zb - 2150;
    // 20 bits of room on the right, one of carry on the left: 106 bits become bits 20 to 125.
    ulong lo = ma * mb, hi = high_product(ma, mb);
    hi = hi << 20 | lo >> 44;
    lo <<= 20;
    ep -= 20;
    if (mc) {
        int zc = weft_clz_d(mc) - 11;
        mc <<= zc;
        int e = (ec ? ec : 1) - zc - 1075;
        // The addend with its leading bit at bit 125 is mc << 73 at exponent e - 73.
        ulong ch = mc << 9, cl = 0;
        int exponent = e - 73;
        int d = exponent - ep;
        ulong rh, rl;
        if (d > 0) {
            // The product moves right.
            rh = hi, rl = lo;
            ulong lost = d >= 128 ? rh | rl : d >= 64 ? rl | (d > 64 ? rh << (128 - d) : 0) : rl << (64 - d);
            ulong nl = d >= 128 ? 0 : d >= 64 ? rh >> (d - 64) : rl >> d | rh << (64 - d);
            ulong nh = d >= 64 ? 0 : rh >> d;
            hi = nh;
            lo = nl | (lost != 0);
            ep = exponent;
        } else if (d < 0) {
            d = -d;
            rh = ch, rl = cl;
            ulong lost = d >= 128 ? rh | rl : d >= 64 ? rl | (d > 64 ? rh << (128 - d) : 0) : rl << (64 - d);
            ulong nl = d >= 128 ? 0 : d >= 64 ? rh >> (d - 64) : rl >> d | rh << (64 - d);
            ulong nh = d >= 64 ? 0 : rh >> d;
            ch = nh;
            cl = nl | (lost != 0);
        }
        if (sp == sc) {
            ulong l = lo + cl;
            hi += ch + (l < lo);
            lo = l;
        } else {
            bool less = hi < ch || (hi == ch && lo < cl);
            ulong xh = less ? ch : hi, xl = less ? cl : lo, yh = less ? hi : ch, yl = less ? lo : cl;
            lo = xl - yl;
            hi = xh - yh - (xl < yl);
            sp = less ? sc : sp;
            if (hi == 0 && lo == 0)
                return 0.0;
        }
    }
    // Normalise to a leading bit 127, keep 64 bits with a sticky one, then round at the result's last place.
    int z = hi ? weft_clz_d(hi) : 64 + weft_clz_d(lo);
    if (z >= 64) {
        hi = lo << (z - 64);
        lo = 0;
    } else if (z) {
        hi = hi << z | lo >> (64 - z);
        lo <<= z;
    }
    hi |= lo != 0;
    // value = hi * 2^(ep - z + 64); biased exponent of the leading bit:
    int e = ep - z + 64 + 63 + 1023;
    int drop = e > 0 ? 11 : 12 - e;
    if (drop > 64)
        drop = 65;
    ulong kept = drop >= 64 ? 0 : hi >> drop;
    ulong middle = drop > 64 ? 0 : 1ul << (drop - 1);
    ulong rest = drop >= 64 ? hi : hi & ((1ul << drop) - 1);
    bool up = middle && (rest > middle || (rest == middle && (kept & 1)));
    kept += up;
    // The leading bit of kept adds one to the exponent field; a carry out of rounding does the same.
    ulong bits = e > 0 ? ((ulong)(e - 1) << 52) + kept : kept;
    if (e > 2046 || bits >= top)
        bits = top;
    return weft_from_d(bits | sp);
}
