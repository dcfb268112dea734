// Functions that work on the bits of a number: frexp, ilogb, logb, ldexp, nextafter, nan.
#include "weft_math.h"

// Returns the exponent of a finite x != 0. *m becomes x with its exponent replaced, so that 1 <= |*m| < 2. A
// float that is flushed (-cl-denorms-are-zero) has the exponent of 0.
WEFT_INLINE int weft_exponent_f(float x, private float *m)
{
    bool tiny = weft_abs_f(x) < 0x1p-126f;
    uint u = weft_bits_f(tiny ? x * 0x1p24f : x);
    *m = weft_from_f((u & 0x807fffffu) | 0x3f800000u);
    return (int)(u >> 23 & 255u) - 127 - (tiny ? 24 : 0);
}

WEFT_INLINE int weft_exponent_d(double x, private double *m)
{
    bool tiny = weft_abs_d(x) < 0x1p-1022;
    ulong u = weft_bits_d(tiny ? x * 0x1p54 : x);
    *m = weft_from_d((u & 0x800ffffffffffffful) | 0x3ff0000000000000ul);
    return (int)((uint)(u >> 52) & 2047u) - 1023 - (tiny ? 54 : 0);
}

// Where 2^n is normal, the product rounds once. Else it is exact as a double, and the conversion to float
// rounds.
float WEFT_API ldexp(float x, int n)
{
    if (__weft_target_has_math_primitives)
        return __weft_scale_f(x, (float)n);
    if (__builtin_expect((int)(n >= -126) & (int)(n <= 127), 1))
        return x * weft_power2_f(n);
    n = n < -400 ? -400 : n > 400 ? 400 : n;
    return (float)((double)x * weft_power2_d(n));
}

// Where 2^n isn't normal, the exponent is replaced if the result is normal. A subnormal result is rounded
// once, by a last product.
double WEFT_API ldexp(double x, int n)
{
    if (__weft_target_has_math_primitives)
        return __weft_scale_d(x, (double)n);
    if (__builtin_expect((int)(n >= -1022) & (int)(n <= 1023), 1))
        return x * weft_power2_d(n);
    double m;
    int e = weft_exponent_d(x, &m);
    n = n < -5000 ? -5000 : n > 5000 ? 5000 : n;
    e += n;
    bool small = e < -1022;
    e = small ? (e < -1100 ? -1100 : e) + 100 : e;
    double y = weft_from_d((weft_bits_d(m) & 0x800ffffffffffffful) |
                           (ulong)(uint)((e > 1023 ? 1023 : e) + 1023) << 52);
    y = small ? y * 0x1p-100 : y;
    y = e > 1023 ? weft_sign_d(WEFT_INF_D, x) : y;
    return x == 0.0 || !(weft_abs_d(x) < WEFT_INF_D) ? x : y;
}

WEFT_V2(float, ldexp, float, int)
WEFT_V2S(float, ldexp, float, int)

WEFT_INLINE WEFT_API float weft_pair_frexp(float x, private int *exponent)
{
    float m;
    int e = weft_exponent_f(x, &m);
    // 2^-149 is the least number; 0 also stands for what is flushed
    bool zero = e < -149, plain = !zero && weft_abs_f(x) < WEFT_INF_F;
    *exponent = plain ? e + 1 : 0;
    return plain ? 0.5f * m : zero ? weft_sign_f(0.0f, x) : x;
}
WEFT_P1(float, frexp, float, int)

int WEFT_API ilogb(float x)
{
    if (__weft_target_has_math_primitives) {
        float e = __weft_exponent_f(x);
        int n = (int)(weft_abs_f(e) < 4096.0f ? e : 0.0f);
        n = e < 4096.0f ? n : 0x7fffffff; // for infinity and NaN
        return e < -4096.0f ? FP_ILOGB0 : n;
    }
    uint u = weft_bits_f(x) & 0x7fffffffu;
    int e = (int)(u >> 23) - 127;
    if (__builtin_expect((int)(u + 0x800000u) < 0x1000000, 0)) {
        float m;
        e = weft_exponent_f(x, &m);
        e = x == 0.0f ? FP_ILOGB0 : e;
        e = weft_abs_f(x) == WEFT_INF_F ? 0x7fffffff : e;
        e = x != x ? FP_ILOGBNAN : e;
    }
    return e;
}
WEFT_V1(int, ilogb, float)

float WEFT_API logb(float x)
{
    if (__weft_target_has_math_primitives)
        return __weft_exponent_f(x);
    uint u = weft_bits_f(x) & 0x7fffffffu;
    float e = (float)((int)(u >> 23) - 127);
    if (__builtin_expect((int)(u + 0x800000u) < 0x1000000, 0)) {
        float m;
        e = (float)weft_exponent_f(x, &m);
        e = x == 0.0f ? -WEFT_INF_F : e;
        e = weft_abs_f(x) < WEFT_INF_F ? e : x * x;
    }
    return e;
}
WEFT_V1(float, logb, float)

float WEFT_API nextafter(float x, float y)
{
    uint u = weft_bits_f(x);
    uint away = u + 1, toward = u - 1;
    // A positive x grows in magnitude if the result is larger, a negative x if it is smaller.
    bool grow = (x < y) == ((int)u >= 0);
    float r = weft_from_f(grow ? away : toward);
    r = x == 0.0f ? weft_sign_f(weft_from_f(1), y) : r;
    r = x == y ? y : r;
    return x != x || y != y ? WEFT_NAN_F : r;
}
WEFT_V2(float, nextafter, float, float)

float WEFT_API nan(uint code)
{
    return weft_from_f(code | weft_bits_f(WEFT_NAN_F));
}
WEFT_V1(float, nan, uint)

WEFT_V2(double, ldexp, double, int)
WEFT_V2S(double, ldexp, double, int)

WEFT_INLINE WEFT_API double weft_pair_frexp(double x, private int *exponent)
{
    double m;
    int e = weft_exponent_d(x, &m);
    bool plain = x != 0.0 && weft_abs_d(x) < WEFT_INF_D;
    *exponent = plain ? e + 1 : 0;
    return plain ? 0.5 * m : x;
}
WEFT_P1(double, frexp, double, int)

int WEFT_API ilogb(double x)
{
    if (__weft_target_has_math_primitives) {
        double e = __weft_exponent_d(x);
        int n = (int)(weft_abs_d(e) < 4096.0 ? e : 0.0);
        n = e < 4096.0 ? n : 0x7fffffff; // for infinity and NaN
        return e < -4096.0 ? FP_ILOGB0 : n;
    }
    ulong u = weft_bits_d(x) & 0x7ffffffffffffffful;
    int e = (int)(uint)(u >> 52) - 1023;
    if (__builtin_expect((long)(u + 0x10000000000000ul) < 0x20000000000000l, 0)) {
        double m;
        e = weft_exponent_d(x, &m);
        e = x == 0.0 ? FP_ILOGB0 : e;
        e = weft_abs_d(x) == WEFT_INF_D ? 0x7fffffff : e;
        e = x != x ? FP_ILOGBNAN : e;
    }
    return e;
}
WEFT_V1(int, ilogb, double)

double WEFT_API logb(double x)
{
    if (__weft_target_has_math_primitives)
        return __weft_exponent_d(x);
    ulong u = weft_bits_d(x) & 0x7ffffffffffffffful;
    double e = weft_small_double(u >> 52, 1023.0);
    if (__builtin_expect((long)(u + 0x10000000000000ul) < 0x20000000000000l, 0)) {
        double m;
        e = (double)weft_exponent_d(x, &m);
        e = x == 0.0 ? -WEFT_INF_D : e;
        e = weft_abs_d(x) < WEFT_INF_D ? e : x * x;
    }
    return e;
}
WEFT_V1(double, logb, double)

double WEFT_API nextafter(double x, double y)
{
    ulong u = weft_bits_d(x);
    ulong away = u + 1, toward = u - 1;
    // A positive x grows in magnitude if the result is larger, a negative x if it is smaller.
    bool grow = (x < y) == ((long)u >= 0);
    double r = weft_from_d(grow ? away : toward);
    r = x == 0.0 ? weft_sign_d(weft_from_d(1), y) : r;
    r = x == y ? y : r;
    return x != x || y != y ? WEFT_NAN_D : r;
}
WEFT_V2(double, nextafter, double, double)

double WEFT_API nan(ulong code)
{
    return weft_from_d(code | weft_bits_d(WEFT_NAN_D));
}
WEFT_V1(double, nan, ulong)
