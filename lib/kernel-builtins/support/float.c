// Mathematical operations of LLVM's IR that recent processors have as instructions: rounding to an integer
// (SSE4.1) and fused multiply-add (FMA). On older processors they are calls of these functions. The remainder
// is a call on every processor. All are exact.
#include <stdint.h>

// The functions of this file have the types of <math.h>.
#define DECLARE(F, suffix)    \
    F floor##suffix(F x);     \
    F ceil##suffix(F x);      \
    F trunc##suffix(F x);     \
    F round##suffix(F x);     \
    F rint##suffix(F x);      \
    F nearbyint##suffix(F x); \
    F roundeven##suffix(F x); \
    F fmod##suffix(F x, F y); \
    F fma##suffix(F x, F y, F z);
DECLARE(float, f)
DECLARE(double, )

static inline uint64_t double_bits(double x)
{
    union {
        double d;
        uint64_t u;
    } u = {x};
    return u.u;
}

static inline double double_of(uint64_t bits)
{
    union {
        uint64_t u;
        double d;
    } u = {bits};
    return u.d;
}

#define SIGN (1ull << 63)

// ---- Rounding. float is computed in double, which is exact and keeps the sign of a zero ----

double trunc(double x)
{
    uint64_t bits = double_bits(x);
    int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    if (exponent >= 52)
        return x;
    return double_of(bits & (exponent < 0 ? SIGN : ~(0xfffffffffffffull >> exponent)));
}

static inline double with_sign_of(double size, double x)
{
    return double_of((double_bits(size) & ~SIGN) | (double_bits(x) & SIGN));
}

double floor(double x)
{
    double t = trunc(x);
    return t > x ? with_sign_of(t - 1, x) : t;
}

double ceil(double x)
{
    double t = trunc(x);
    return t < x ? with_sign_of(t + 1, x) : t;
}

double round(double x)
{
    double t = trunc(x), rest = x - t;
    return rest >= 0.5 ? with_sign_of(t + 1, x) : rest <= -0.5 ? with_sign_of(t - 1, x) : t;
}

double roundeven(double x)
{
    double size = double_of(double_bits(x) & ~SIGN);
    if (!(size < 0x1p52))
        return x;
    // The sum has no bits for a fraction, so the processor rounds it to nearest even.
    volatile double sum = size + 0x1p52;
    return with_sign_of(sum - 0x1p52, x);
}

double rint(double x)
{
    return roundeven(x);
}

double nearbyint(double x)
{
    return roundeven(x);
}

#define THROUGH_DOUBLE(name)   \
    float name##f(float x)     \
    {                          \
        return (float)name(x); \
    }
THROUGH_DOUBLE(floor)
THROUGH_DOUBLE(ceil)
THROUGH_DOUBLE(trunc)
THROUGH_DOUBLE(round)
THROUGH_DOUBLE(rint)
THROUGH_DOUBLE(nearbyint)
THROUGH_DOUBLE(roundeven)

// ---- Numbers as integers ----

// fraction * 2^exponent. The highest bit of the fraction is bit 52.
struct parts {
    uint64_t fraction;
    int exponent;
};

// x must be finite and not zero.
static inline struct parts split(double x)
{
    uint64_t bits = double_bits(x) & ~SIGN, fraction = bits & 0xfffffffffffffull;
    int exponent = (int)(bits >> 52);
    if (exponent == 0) {
        int shift = __builtin_clzll(fraction) - 11;
        return (struct parts){fraction << shift, -1074 - shift};
    }
    return (struct parts){fraction | 1ull << 52, exponent - 1075};
}

static inline int is_finite(double x)
{
    return (double_bits(x) >> 52 & 0x7ff) != 0x7ff;
}

// x * 2^n, rounded once to nearest even. The highest bit of x, bit 63, is set. sticky: bits below those of x
// were set.
static inline double compose(uint64_t sign, uint64_t x, int n, int sticky)
{
    int exponent = n + 63; // of the highest bit
    int drop = 11;
    if (exponent < -1022)
        drop += -1022 - exponent;
    if (drop > 65)
        return double_of(sign);
    uint64_t kept = drop < 64 ? x >> drop : 0;
    uint64_t rest = drop < 64 ? x & ((1ull << drop) - 1) : drop == 64 ? x : 0;
    int above, tie;
    if (drop == 65) { // the number is less than half of the last place
        above = tie = 0;
    } else {
        uint64_t half = 1ull << (drop - 1);
        above = rest > half || (rest == half && sticky);
        tie = rest == half && !sticky;
    }
    kept += (uint64_t)(above || (tie && (kept & 1)));
    uint64_t field = exponent < -1022 ? 0 : (uint64_t)(exponent + 1022);
    if (exponent > 1023)
        return double_of(sign | 0x7ffull << 52);
    return double_of(sign | ((field << 52) + kept));
}

double fma(double x, double y, double z)
{
    if (!is_finite(x) || !is_finite(y) || x == 0 || y == 0)
        return x * y + z;
    if (!is_finite(z))
        return z;
    uint64_t sign = (double_bits(x) ^ double_bits(y)) & SIGN;
    struct parts a = split(x), b = split(y);
    // The highest bit of the product is bit 125 or 124. That leaves space for a carry and a sign.
    unsigned __int128 product = (unsigned __int128)a.fraction * b.fraction << 20;
    int exponent = a.exponent + b.exponent - 20, sticky = 0;
    if (z != 0) {
        struct parts c = split(z);
        unsigned __int128 addend = (unsigned __int128)c.fraction << 73;
        int addend_exponent = c.exponent - 73, distance = exponent - addend_exponent;
        // The smaller operand is shifted right. A lost bit is kept as the last bit, far below the bits that
        // rounding looks at.
        unsigned __int128 *small = distance > 0 ? &addend : &product;
        int shift = distance > 0 ? distance : -distance;
        if (shift > 127)
            *small = 1;
        else if (shift)
            *small = *small >> shift | (*small << (128 - shift) != 0);
        if (distance < 0)
            exponent = addend_exponent;
        if ((double_bits(z) & SIGN) == sign) {
            product += addend;
        } else if (product >= addend) {
            product -= addend;
        } else {
            product = addend - product;
            sign ^= SIGN;
        }
        if (product == 0)
            return 0;
    }
    uint64_t high = (uint64_t)(product >> 64);
    int zeros = high ? __builtin_clzll(high) : 64 + __builtin_clzll((uint64_t)product);
    product <<= zeros;
    sticky = (uint64_t)product != 0;
    return compose(sign, (uint64_t)(product >> 64), exponent - zeros + 64, sticky);
}

float fmaf(float x, float y, float z)
{
    // The product is exact in double. The sum is rounded to odd first, then to float.
    double product = (double)x * y, addend = z;
    volatile double sum = product + addend;
    double s = sum;
    uint64_t bits = double_bits(s);
    if (!is_finite(s) || (bits & 1))
        return (float)s;
    volatile double back = s - product;
    volatile double product_error = product - (s - back), addend_error = addend - back;
    double error = product_error + addend_error;
    if (error != 0)
        s = double_of(((error > 0) == !(bits & SIGN)) ? bits + 1 : bits - 1);
    return (float)s;
}

double fmod(double x, double y)
{
    if (!is_finite(x) || y != y || y == 0)
        return (x - x) / (y - y); // NaN
    if (!is_finite(y) || x == 0)
        return x;
    uint64_t sign = double_bits(x) & SIGN;
    struct parts a = split(x), b = split(y);
    if (a.exponent < b.exponent)
        return x;
    for (;; a.exponent--) {
        if (a.fraction >= b.fraction)
            a.fraction -= b.fraction;
        if (a.fraction == 0)
            return double_of(sign);
        if (a.exponent == b.exponent)
            break;
        a.fraction <<= 1;
    }
    int zeros = __builtin_clzll(a.fraction);
    return compose(sign, a.fraction << zeros, a.exponent - zeros, 0);
}

float fmodf(float x, float y)
{
    return (float)fmod(x, y); // the remainder is a float, because both operands are
}
