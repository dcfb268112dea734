// sinh, cosh and tanh. With |x| = n ln 2 + r, e^|x| / 2 is p (cosh r + sinh r) and e^-|x| / 2 is
// m (cosh r - sinh r), where p and m are powers of two. So sinh |x| = (p - m) cosh r + (p + m) sinh r, and
// cosh x is the same with the signs changed. For small x this is sinh r. Where e^-|x| doesn't count any more,
// sinh and cosh are e^|x| / 2.
#include "weft_exp.h"

struct weft_halves_f {
    float sum, difference; // p + m, p - m
    float even, odd;       // cosh r - 1, sinh r
};

struct weft_halves_d {
    double sum, difference;
    double even, odd;
};

// For 0 <= a < 60 or NaN. The small terms are added first.
WEFT_INLINE struct weft_halves_f weft_halves_f(float a)
{
    float t, r = weft_exp_parts_f(a, WEFT_EXP_MAGIC_F - 1.0f, &t), z = r * r;
    uint bits = weft_bits_f(t) << 23;
    float p = weft_from_f(bits), m = weft_from_f(0x7e000000u - bits);
    return (struct weft_halves_f){p + m, p - m, z * weft_poly_cosh_f(z),
                                  weft_mad_f(z * r, weft_poly_sinh_f(z), r)};
}

// For 0 <= a < 700 or NaN.
WEFT_INLINE struct weft_halves_d weft_halves_d(double a)
{
    double t, r = weft_exp_parts_d(a, WEFT_EXP_MAGIC_D - 1.0, &t), z = r * r;
    ulong bits = weft_bits_d(t) << 52;
    double p = weft_from_d(bits), m = weft_from_d(0x7fc0000000000000ul - bits);
    return (struct weft_halves_d){p + m, p - m, z * weft_poly_cosh_d(z),
                                  weft_mad_d(z * r, weft_poly_sinh_d(z), r)};
}

WEFT_INLINE float weft_halves_sinh_f(struct weft_halves_f h)
{
    return h.difference + weft_mad_f(h.difference, h.even, h.sum * h.odd);
}

WEFT_INLINE float weft_halves_cosh_f(struct weft_halves_f h)
{
    return h.sum + weft_mad_f(h.sum, h.even, h.difference * h.odd);
}

float WEFT_API sinh(float x)
{
    float a = weft_abs_f(x);
    struct weft_halves_f h = weft_halves_f(a);
    float y = weft_halves_sinh_f(h);
    if (__builtin_expect(!(a < 60.0f), 0))
        y = weft_exp_shifted_f(a, -1);
    return weft_sign_f(y, x);
}
WEFT_V1(float, sinh, float)

float WEFT_API cosh(float x)
{
    float a = weft_abs_f(x);
    struct weft_halves_f h = weft_halves_f(a);
    float y = weft_halves_cosh_f(h);
    if (__builtin_expect(!(a < 60.0f), 0))
        y = weft_exp_shifted_f(a, -1);
    return y;
}
WEFT_V1(float, cosh, float)

float WEFT_API tanh(float x)
{
    float a = weft_abs_f(x);
    if (__weft_target_has_math_primitives) {
        // E/(E+2) with E = e^2a - 1: fewer operations in a longer chain
        float e = weft_expm1_positive_f(2.0f * (a > 22.0f ? 22.0f : a));
        return weft_sign_f(e * weft_reciprocal_f(e + 2.0f), x);
    }
    // Beyond 10 the result is 1. The reciprocal isn't exact: it must not become more.
    struct weft_halves_f h = weft_halves_f(a > 10.0f ? 10.0f : a);
    float y = weft_halves_sinh_f(h);
    float c = weft_halves_cosh_f(h);
    y = __weft_target_has_fma ? y * weft_reciprocal_f(c)
                              : y / c; // without FMA the reciprocal has too few digits
    return weft_sign_f(y > 1.0f ? 1.0f : y, x);
}
WEFT_V1(float, tanh, float)

WEFT_INLINE double weft_halves_sinh_d(struct weft_halves_d h)
{
    return h.difference + weft_mad_d(h.difference, h.even, h.sum * h.odd);
}

WEFT_INLINE double weft_halves_cosh_d(struct weft_halves_d h)
{
    return h.sum + weft_mad_d(h.sum, h.even, h.difference * h.odd);
}

double WEFT_API sinh(double x)
{
    double a = weft_abs_d(x);
    struct weft_halves_d h = weft_halves_d(a);
    double y = weft_halves_sinh_d(h);
    if (__builtin_expect(!(a < 700.0), 0))
        y = weft_exp_shifted_d(a, -1);
    return weft_sign_d(y, x);
}
WEFT_V1(double, sinh, double)

double WEFT_API cosh(double x)
{
    double a = weft_abs_d(x);
    if (!__weft_target_has_fma) {
        double h = weft_exp_shifted_d(a, -1); // by a table: a division costs less than a second polynomial
        return h + 0.25 / h;
    }
    struct weft_halves_d h = weft_halves_d(a);
    double y = weft_halves_cosh_d(h);
    if (__builtin_expect(!(a < 700.0), 0))
        y = weft_exp_shifted_d(a, -1);
    return y;
}
WEFT_V1(double, cosh, double)

double WEFT_API tanh(double x)
{
    double a = weft_abs_d(x);
    a = a > 22.0 ? 22.0 : a; // beyond that the result is 1
    if (!__weft_target_has_fma) {
        double e = weft_expm1_positive_d(2.0 * a); // one polynomial instead of two
        return weft_sign_d(e / (e + 2.0), x);
    }
    struct weft_halves_d h = weft_halves_d(a);
    double y = weft_halves_sinh_d(h);
    return weft_sign_d(y / weft_halves_cosh_d(h), x);
}
WEFT_V1(double, tanh, double)
