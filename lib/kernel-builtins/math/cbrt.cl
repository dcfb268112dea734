// cbrt. The exponent of 1/cbrt(x), a third of that of x and negated, comes from an integer or a sum in which
// the bits of x count as a number. This leaves a relative error of 3.5 % for the mantissa. A polynomial
// and, for the cube root itself, the remainder x - c^3 correct it.
#include "weft_primitive_cores.h"

// cbrt(a) for positive normal a. The error is two thirds of an ulp before the last rounding: c^2, and without
// FMA c^3 too, is rounded.
WEFT_INLINE float weft_cbrt_normal_f(float a)
{
    int seed = (int)weft_mad_f((float)(int)weft_bits_f(a), -1.0f / 3.0f, 0x1.5288p+30f);
    float y = weft_from_f((uint)seed);
    float d = weft_mad_f(-a, y * y * y, 1.0f);
    y = weft_mad_f(y * d, weft_poly_rcbrt_step_f(d), y);
    float y2 = y * y;
    float c = a * y2;
    // c + (a - c^3) / (3 c^2), where y^2 stands for 1/c^2
    float h = weft_mad_f(-(c * c), c, a);
    return weft_mad_f(h * (1.0f / 3.0f), y2, c);
}

WEFT_INLINE float weft_cbrt_f(float x)
{
    if (__weft_target_has_math_primitives)
        return weft_cbrt_prim_f(x);
    float a = weft_abs_f(x);
    float c = weft_cbrt_normal_f(a);
    // Below 2^-100 the remainder is denormal. Above 2^125, 1/a may be flushed (-cl-denorms-are-zero), and c^3
    // may overflow.
    if (__builtin_expect(!(weft_bits_f(a) - 0xd800000u < 0x70800000u), 0)) {
        float scale = a < 1.0f ? 0x1p48f : 0x1p-48f;
        c = weft_cbrt_normal_f(a * scale) * (a < 1.0f ? 0x1p-16f : 0x1p16f);
        // 0 is also what a denormal number becomes where they are flushed (-cl-denorms-are-zero)
        c = a == 0.0f ? 0.0f : a < WEFT_INF_F ? c : a;
    }
    return weft_sign_f(c, x);
}

float WEFT_API cbrt(float x)
{
    return weft_cbrt_f(x);
}
WEFT_V1(float, cbrt, float)

// As for float. The upper words are integers in doubles: a sum of one and 2^52.
WEFT_INLINE double weft_cbrt_normal_d(double a)
{
    double u = weft_from_d(weft_bits_d(a) >> 32 | weft_bits_d(0x1p52));
    double seed = weft_mad_d(u, -1.0 / 3.0, 0x1.55555aa944000p+52);
    double y = weft_from_d(weft_bits_d(seed) << 32);
    double d = weft_mad_d(-a, y * y * y, 1.0);
    y = weft_mad_d(y * d, weft_poly_rcbrt_step_d(d), y);
    double y2 = y * y;
    double c = a * y2;
    // c * (1 - e)^(-1/3) where e = (a - c^3) / a. Since y^3 stands for 1/a, d is e - e^2/2. That is part of
    // the second coefficient.
    d = weft_mad_d(-(c * c), c, a) * (y2 * y);
    return weft_mad_d(c * d, weft_mad_d(d, 7.0 / 18.0, 1.0 / 3.0), c);
}

WEFT_INLINE double weft_cbrt_d(double x)
{
    if (__weft_target_has_math_primitives)
        return weft_cbrt_prim_d(x);
    double a = weft_abs_d(x);
    double c = weft_cbrt_normal_d(a);
    if (__builtin_expect(!(weft_bits_d(a) - 0x10000000000000ul < 0x7fc0000000000000ul), 0)) {
        double scale = a < 1.0 ? 0x1p54 : 0x1p-54;
        c = weft_cbrt_normal_d(a * scale) * (a < 1.0 ? 0x1p-18 : 0x1p18);
        c = a == 0.0 || !(a < WEFT_INF_D) ? a : c;
    }
    return weft_sign_d(c, x);
}

double WEFT_API cbrt(double x)
{
    return weft_cbrt_d(x);
}
WEFT_V1(double, cbrt, double)
