// Arc functions: atan of a quotient, asin and acos.
#ifndef WEFT_ATAN_H
#define WEFT_ATAN_H

#include "weft_math.h"

// atan(y/x) for y, x >= 0, not both 0, inf or NaN: thirds of the quadrant by tan(pi/8), so one division
// serves all.
WEFT_INLINE float weft_atan_ratio_f(float y, float x)
{
    bool steep = y > 2.41421356f * x, flat = y < 0.414213562f * x;
    float top = steep ? -x : flat ? y : y - x;
    float bottom = steep ? y : flat ? x : y + x;
    float base = steep ? WEFT_PI_2_1F : flat ? 0.0f : WEFT_PI_4_1F;
    float rest = steep ? WEFT_PI_2_2F : flat ? 0.0f : WEFT_PI_4_2F;
    float t = top / bottom;
    float z = t * t;
    return base + (t + weft_mad_f(z * t, weft_poly_atan_f(z), rest));
}

WEFT_INLINE double weft_atan_ratio_d(double y, double x)
{
    bool steep = y > 2.414213562373095 * x, flat = y < 0.41421356237309503 * x;
    double top = steep ? -x : flat ? y : y - x;
    double bottom = steep ? y : flat ? x : y + x;
    double base = steep ? WEFT_PI_2_1D : flat ? 0.0 : WEFT_PI_4_1D;
    double rest = steep ? WEFT_PI_2_2D : flat ? 0.0 : WEFT_PI_4_2D;
    double t = top / bottom;
    double z = t * t;
    return base + (t + weft_mad_d(z * t, weft_poly_atan_d(z), rest));
}

WEFT_INLINE float weft_atan_f(float x)
{
    float a = weft_abs_f(x);
    float y = weft_atan_ratio_f(a, 1.0f);
    y = a < WEFT_INF_F ? y : a > 0.0f ? WEFT_PI_2_1F : x;
    y = a < 0x1p-30f ? a : y;
    return weft_sign_f(y, x);
}

WEFT_INLINE double weft_atan_d(double x)
{
    double a = weft_abs_d(x);
    double y = weft_atan_ratio_d(a, 1.0);
    y = a < WEFT_INF_D ? y : a > 0.0 ? WEFT_PI_2_1D : x;
    y = a < 0x1p-30 ? a : y;
    return weft_sign_d(y, x);
}

// The quadrant's angle of |y|, |x|, then the mirror for negative x. Magnitudes near the ends of the exponent
// range are scaled, so that y + x neither overflows nor loses bits. Infinities become 1 or 0; NaN comes
// through.
WEFT_INLINE float weft_atan2_f(float y, float x)
{
    float a = weft_abs_f(y), b = weft_abs_f(x);
    bool large = a > 0x1p60f || b > 0x1p60f;
    bool small = a < 0x1p-60f && b < 0x1p-60f;
    float f = large ? 0x1p-60f : small ? 0x1p60f : 1.0f;
    bool far = a == WEFT_INF_F || b == WEFT_INF_F;
    float p = far ? (a == WEFT_INF_F ? 1.0f : 0.0f) : a * f;
    float q = far ? (b == WEFT_INF_F ? 1.0f : 0.0f) : b * f;
    q = a == 0.0f && b == 0.0f ? 1.0f : q;
    float r = weft_atan_ratio_f(p, q);
    // A quotient that is subnormal must be divided unscaled only where scaling lost bits: p/q is then exact
    // enough anyway.
    bool mirror = (int)weft_bits_f(x) < 0;
    r = mirror ? WEFT_PI_1F - (r - WEFT_PI_2F) : r;
    return y != y || x != x ? y + x : weft_sign_f(r, y);
}

WEFT_INLINE double weft_atan2_d(double y, double x)
{
    double a = weft_abs_d(y), b = weft_abs_d(x);
    bool large = a > 0x1p500 || b > 0x1p500;
    bool small = a < 0x1p-500 && b < 0x1p-500;
    double f = large ? 0x1p-500 : small ? 0x1p500 : 1.0;
    bool far = a == WEFT_INF_D || b == WEFT_INF_D;
    double p = far ? (a == WEFT_INF_D ? 1.0 : 0.0) : a * f;
    double q = far ? (b == WEFT_INF_D ? 1.0 : 0.0) : b * f;
    q = a == 0.0 && b == 0.0 ? 1.0 : q;
    double r = weft_atan_ratio_d(p, q);
    bool mirror = (long)weft_bits_d(x) < 0;
    r = mirror ? WEFT_PI_1D - (r - WEFT_PI_2D) : r;
    return y != y || x != x ? y + x : weft_sign_d(r, y);
}

// asin(s) - s for 0 <= s <= 1/2, z = s^2
WEFT_INLINE float weft_asin_rest_f(float s, float z)
{
    return z * s * weft_poly_asin_f(z);
}

WEFT_INLINE double weft_asin_rest_d(double s, double z)
{
    return z * s * weft_poly_asin_d(z);
}

WEFT_INLINE float weft_asin_f(float x)
{
    float a = weft_abs_f(x);
    bool outer = a > 0.5f;
    // asin a = pi/2 - 2 asin(sqrt((1-a)/2)); the square root's rounding error is put right to first order.
    float z = outer ? weft_mad_f(a, -0.5f, 0.5f) : a * a;
    float s = outer ? __builtin_elementwise_sqrt(z) : a;
    float e = outer ? weft_product_error_f(s, s, z) : 0.0f;
    e = outer && s > 0.0f ? e / (s + s) : 0.0f;
    float t = weft_asin_rest_f(s, z);
    float y = outer ? WEFT_PI_2_1F - 2.0f * (s + (t - e)) : s + t;
    return weft_sign_f(a <= 1.0f ? y : WEFT_NAN_F, x);
}

WEFT_INLINE double weft_asin_d(double x)
{
    double a = weft_abs_d(x);
    bool outer = a > 0.5;
    double z = outer ? weft_mad_d(a, -0.5, 0.5) : a * a;
    double s = outer ? __builtin_elementwise_sqrt(z) : a;
    double e = outer ? weft_product_error_d(s, s, z) : 0.0;
    e = outer && s > 0.0 ? e / (s + s) : 0.0;
    double t = weft_asin_rest_d(s, z);
    double y = outer ? WEFT_PI_2_1D - (2.0 * (s + (t - e)) - WEFT_PI_2_2D) : s + t;
    return weft_sign_d(a <= 1.0 ? y : WEFT_NAN_D, x);
}

WEFT_INLINE float weft_acos_f(float x)
{
    float a = weft_abs_f(x);
    bool outer = a > 0.5f;
    float z = outer ? weft_mad_f(a, -0.5f, 0.5f) : a * a;
    float s = outer ? __builtin_elementwise_sqrt(z) : a;
    float e = outer ? weft_product_error_f(s, s, z) : 0.0f;
    e = outer && s > 0.0f ? e / (s + s) : 0.0f;
    float t = weft_asin_rest_f(s, z);
    float u = 2.0f * (s + (t - e));
    float far = x < 0.0f ? WEFT_PI_1F - (u - WEFT_PI_2F) : u;
    float v = weft_flip_f(s, x), w = weft_flip_f(t, x);
    float near = WEFT_PI_2_1F - (v + (w - WEFT_PI_2_2F));
    return a <= 1.0f ? (outer ? far : near) : WEFT_NAN_F;
}

WEFT_INLINE double weft_acos_d(double x)
{
    double a = weft_abs_d(x);
    bool outer = a > 0.5;
    double z = outer ? weft_mad_d(a, -0.5, 0.5) : a * a;
    double s = outer ? __builtin_elementwise_sqrt(z) : a;
    double e = outer ? weft_product_error_d(s, s, z) : 0.0;
    e = outer && s > 0.0 ? e / (s + s) : 0.0;
    double t = weft_asin_rest_d(s, z);
    double u = 2.0 * (s + (t - e));
    double far = x < 0.0 ? WEFT_PI_1D - (u - WEFT_PI_2D) : u;
    double v = weft_flip_d(s, x), w = weft_flip_d(t, x);
    double near = WEFT_PI_2_1D - (v + (w - WEFT_PI_2_2D));
    return a <= 1.0 ? (outer ? far : near) : WEFT_NAN_D;
}

#endif
