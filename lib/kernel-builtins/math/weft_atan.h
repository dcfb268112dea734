// Arc functions: atan of a quotient, asin and acos.
#ifndef WEFT_ATAN_H
#define WEFT_ATAN_H

#include "weft_math.h"

// atan(y/x) for y, x >= 0 that are not both 0, inf or NaN. Returns the rest after *quarters quarters of pi.
// The quadrant is divided at tan(pi/8) and its inverse, so one division is enough.
WEFT_INLINE float weft_atan_part_f(float y, float x, private float *quarters)
{
    bool steep = y > 2.41421356f * x, flat = y < 0.414213562f * x;
    float top = steep ? -x : flat ? y : y - x;
    float bottom = steep ? y : flat ? x : y + x;
    *quarters = steep ? 2.0f : flat ? 0.0f : 1.0f;
    float t = top / bottom;
    float z = t * t;
    return weft_mad_f(z * t, weft_poly_atan_f(z), t);
}

WEFT_INLINE double weft_atan_part_d(double y, double x, private double *quarters)
{
    bool steep = y > 2.414213562373095 * x, flat = y < 0.41421356237309503 * x;
    double top = steep ? -x : flat ? y : y - x;
    double bottom = steep ? y : flat ? x : y + x;
    *quarters = steep ? 2.0 : flat ? 0.0 : 1.0;
    double t = top / bottom;
    double z = t * t;
    return weft_mad_d(z * t, weft_poly_atan_d(z), t);
}

// Combines q quarters of pi and a small part into an angle. mirror: pi - angle. The result is in radians or
// half turns.
WEFT_INLINE float weft_atan_join_f(float part, float q, bool mirror)
{
    part = mirror ? -part : part;
    q = mirror ? 4.0f - q : q;
    return weft_mad_f(q, WEFT_PI_4_1F, weft_mad_f(q, WEFT_PI_4_2F, part));
}

WEFT_INLINE float weft_atan_join_pi_f(float part, float q, bool mirror)
{
    part = weft_mad_f(part, WEFT_INV_PI_2F, part * WEFT_INV_PI_1F);
    part = mirror ? -part : part;
    q = mirror ? 4.0f - q : q;
    return weft_mad_f(q, 0.25f, part);
}

WEFT_INLINE float weft_atan_f(float x)
{
    float q, a = weft_abs_f(x);
    float y = weft_atan_join_f(weft_atan_part_f(a, 1.0f, &q), q, false);
    y = a < 0x1p-30f ? a : y;
    return weft_sign_f(y, x);
}

WEFT_INLINE float weft_atanpi_f(float x)
{
    float q, a = weft_abs_f(x);
    float y = weft_atan_join_pi_f(weft_atan_part_f(a, 1.0f, &q), q, false);
    return weft_sign_f(y, x);
}

// The angle of (|x|, |y|) in the quadrant. Magnitudes near the ends of the exponent range are scaled, so y +
// x neither overflows nor loses bits. Infinities become 1 or 0.
WEFT_INLINE float weft_atan2_part_f(float y, float x, private float *quarters)
{
    float a = weft_abs_f(y), b = weft_abs_f(x);
    bool large = a > 0x1p60f || b > 0x1p60f;
    bool small = a < 0x1p-60f && b < 0x1p-60f;
    float f = large ? 0x1p-60f : small ? 0x1p60f : 1.0f;
    bool far = a == WEFT_INF_F || b == WEFT_INF_F;
    float p = far ? (a == WEFT_INF_F ? 1.0f : 0.0f) : a * f;
    float q = far ? (b == WEFT_INF_F ? 1.0f : 0.0f) : b * f;
    q = a == 0.0f && b == 0.0f ? 1.0f : q;
    return weft_atan_part_f(p, q, quarters);
}

WEFT_INLINE float weft_atan2_f(float y, float x)
{
    float q, part = weft_atan2_part_f(y, x, &q);
    float r = weft_atan_join_f(part, q, (int)weft_bits_f(x) < 0);
    return y != y || x != x ? y + x : weft_sign_f(r, y);
}

WEFT_INLINE float weft_atan2pi_f(float y, float x)
{
    float q, part = weft_atan2_part_f(y, x, &q);
    float r = weft_atan_join_pi_f(part, q, (int)weft_bits_f(x) < 0);
    return y != y || x != x ? y + x : weft_sign_f(r, y);
}

// Combines q quarters of pi and a small part into an angle, for double. mirror: pi - angle. The result is in
// radians or half turns.
WEFT_INLINE double weft_atan_join_d(double part, double q, bool mirror)
{
    part = mirror ? -part : part;
    q = mirror ? 4.0 - q : q;
    return weft_mad_d(q, WEFT_PI_4_1D, weft_mad_d(q, WEFT_PI_4_2D, part));
}

WEFT_INLINE double weft_atan_join_pi_d(double part, double q, bool mirror)
{
    part = weft_mad_d(part, WEFT_INV_PI_2D, part * WEFT_INV_PI_1D);
    part = mirror ? -part : part;
    q = mirror ? 4.0 - q : q;
    return weft_mad_d(q, 0.25, part);
}

WEFT_INLINE double weft_atan_d(double x)
{
    double q, a = weft_abs_d(x);
    double y = weft_atan_join_d(weft_atan_part_d(a, 1.0, &q), q, false);
    y = a < 0x1p-30 ? a : y;
    return weft_sign_d(y, x);
}

WEFT_INLINE double weft_atanpi_d(double x)
{
    double q, a = weft_abs_d(x);
    double y = weft_atan_join_pi_d(weft_atan_part_d(a, 1.0, &q), q, false);
    return weft_sign_d(y, x);
}

// The angle of (|x|, |y|) in the quadrant. Magnitudes near the ends of the exponent range are scaled, so y +
// x neither overflows nor loses bits. Infinities become 1 or 0.
WEFT_INLINE double weft_atan2_part_d(double y, double x, private double *quarters)
{
    double a = weft_abs_d(y), b = weft_abs_d(x);
    bool large = a > 0x1p500 || b > 0x1p500;
    bool small = a < 0x1p-500 && b < 0x1p-500;
    double f = large ? 0x1p-500 : small ? 0x1p500 : 1.0;
    bool far = a == WEFT_INF_D || b == WEFT_INF_D;
    double p = far ? (a == WEFT_INF_D ? 1.0 : 0.0) : a * f;
    double q = far ? (b == WEFT_INF_D ? 1.0 : 0.0) : b * f;
    q = a == 0.0 && b == 0.0 ? 1.0 : q;
    return weft_atan_part_d(p, q, quarters);
}

WEFT_INLINE double weft_atan2_d(double y, double x)
{
    double q, part = weft_atan2_part_d(y, x, &q);
    double r = weft_atan_join_d(part, q, (long)weft_bits_d(x) < 0);
    return y != y || x != x ? y + x : weft_sign_d(r, y);
}

WEFT_INLINE double weft_atan2pi_d(double y, double x)
{
    double q, part = weft_atan2_part_d(y, x, &q);
    double r = weft_atan_join_pi_d(part, q, (long)weft_bits_d(x) < 0);
    return y != y || x != x ? y + x : weft_sign_d(r, y);
}

// asin of |x| if |x| <= 1/2, else (*outer) of sqrt((1 - |x|)/2). Both arguments are at most 1/2: asin a =
// pi/2 - 2 asin(sqrt((1-a)/2)). NaN for |x| > 1.
WEFT_INLINE float weft_asin_part_f(float x, private bool *outer)
{
    float a = weft_abs_f(x);
    *outer = !(a <= 0.5f);
    float z = *outer ? weft_mad_f(a, -0.5f, 0.5f) : a * a;
    float s = *outer ? weft_sqrt_unit_f(z) : a;
    return weft_mad_f(z * s, weft_poly_asin_f(z), s);
}

WEFT_INLINE float weft_asin_f(float x)
{
    bool outer;
    float t = weft_asin_part_f(x, &outer);
    return weft_sign_f(outer ? weft_mad_f(t, -2.0f, WEFT_PI_2_1F) : t, x);
}

WEFT_INLINE float weft_acos_f(float x)
{
    bool outer;
    float t = weft_asin_part_f(x, &outer);
    float base = outer ? (x < 0.0f ? WEFT_PI_1F : 0.0f) : WEFT_PI_2_1F;
    return weft_mad_f(t, weft_flip_f(outer ? 2.0f : -1.0f, x), base);
}

WEFT_INLINE double weft_asin_part_d(double x, private bool *outer)
{
    double a = weft_abs_d(x);
    *outer = !(a <= 0.5);
    double z = *outer ? weft_mad_d(a, -0.5, 0.5) : a * a;
    double s = *outer ? weft_sqrt_unit_d(z) : a;
    return weft_mad_d(z * s, weft_poly_asin_d(z), s);
}

WEFT_INLINE double weft_asin_d(double x)
{
    bool outer;
    double t = weft_asin_part_d(x, &outer);
    return weft_sign_d(outer ? weft_mad_d(t, -2.0, WEFT_PI_2_1D) : t, x);
}

WEFT_INLINE double weft_acos_d(double x)
{
    bool outer;
    double t = weft_asin_part_d(x, &outer);
    double base = outer ? (x < 0.0 ? WEFT_PI_1D : 0.0) : WEFT_PI_2_1D;
    return weft_mad_d(t, weft_flip_d(outer ? 2.0 : -1.0, x), base);
}

#endif
