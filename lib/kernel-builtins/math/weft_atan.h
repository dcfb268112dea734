// Arc functions: atan of a quotient, asin and acos.
#ifndef WEFT_ATAN_H
#define WEFT_ATAN_H

#include "weft_math.h"

// atan(y/x) for y, x >= 0 that are not both 0, inf or NaN. Returns the rest after *quarters quarters of pi.
// The quadrant is divided at tan(pi/8) and its inverse, so one division is enough.
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

// atan a of a >= 0, as the angle from the nearer axis. *steep: that is the y axis.
WEFT_INLINE float weft_atan_octant_f(float a, private bool *steep)
{
    *steep = a > 1.0f;
    float t = *steep ? 1.0f / a : a;
    float z = t * t;
    return weft_mad_f(z * t, weft_poly_atan_octant_f(z), t);
}

WEFT_INLINE float weft_atan_f(float x)
{
    bool steep;
    float part = weft_atan_octant_f(weft_abs_f(x), &steep);
    return weft_sign_f(steep ? WEFT_PI_2_1F - part : part, x);
}

WEFT_INLINE float weft_atanpi_f(float x)
{
    bool steep;
    float part = weft_atan_octant_f(weft_abs_f(x), &steep);
    part = weft_mad_f(part, WEFT_INV_PI_2F, part * WEFT_INV_PI_1F);
    return weft_sign_f(steep ? 0.5f - part : part, x);
}

// Magnitudes *a and *b for atan2, the larger of which is near the ends of the exponent range. They are
// scaled, so that neither quotients nor sums overflow or lose bits. Infinities become 1, and what is beside
// one 0; two zeros become 0 and 1. NaN stays.
WEFT_INLINE void weft_atan2_rescale_f(private float *a, private float *b)
{
    bool far = *a == WEFT_INF_F || *b == WEFT_INF_F;
    float f = *a > 1.0f || *b > 1.0f ? 0x1p-30f : 0x1p60f;
    *a = far ? (*a == WEFT_INF_F ? 1.0f : *a * 0.0f) : *a * f;
    *b = far ? (*b == WEFT_INF_F ? 1.0f : *b * 0.0f) : *b * f;
    *b = *a == 0.0f && *b == 0.0f ? 1.0f : *b;
}

// The angle of (|x|, |y|) as an angle of at most pi/4 from the nearer axis. *steep: that is the y axis.
// *corner: both are infinite.
WEFT_INLINE float weft_atan2_part_f(float y, float x, private bool *steep, private bool *corner)
{
    float a = weft_abs_f(y), b = weft_abs_f(x), larger = a > b ? a : b;
    *corner = false;
    if (__builtin_expect(!((int)(larger >= 0x1p-100f) & (int)(larger <= 0x1p100f)), 0)) {
        *corner = a == WEFT_INF_F && b == WEFT_INF_F;
        weft_atan2_rescale_f(&a, &b);
    }
    *steep = a > b;
    float t = (*steep ? b : a) * weft_reciprocal_f(*steep ? a : b); // NaN if one is
    float z = t * t;
    return weft_mad_f(z * t, weft_poly_atan_octant_f(z), t);
}

WEFT_INLINE float weft_atan2_f(float y, float x)
{
    bool steep, corner, mirror = (int)weft_bits_f(x) < 0;
    float part = weft_atan2_part_f(y, x, &steep, &corner);
    float base = steep ? WEFT_PI_2_1F : mirror ? WEFT_PI_1F : 0.0f;
    return weft_sign_f(base + weft_flip_f(steep ? -part : part, x), y);
}

WEFT_INLINE float weft_atan2pi_f(float y, float x)
{
    bool steep, corner, mirror = (int)weft_bits_f(x) < 0;
    float part = weft_atan2_part_f(y, x, &steep, &corner) * WEFT_INV_PI_1F;
    part = corner ? 0.25f : part; // OpenCL C 3.0 7.5.1 names these results
    float base = steep ? 0.5f : mirror ? 1.0f : 0.0f;
    return weft_sign_f(base + weft_flip_f(steep ? -part : part, x), y);
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
    double q, a = weft_abs_d(x), part = weft_atan_part_d(a, 1.0, &q);
    // The second word of the multiple of pi/4 is a quarter of an ulp.
    return weft_sign_d(weft_mad_d(q, WEFT_PI_4_1D, part), x);
}

WEFT_INLINE double weft_atanpi_d(double x)
{
    double q, a = weft_abs_d(x);
    double y = weft_atan_join_pi_d(weft_atan_part_d(a, 1.0, &q), q, false);
    return weft_sign_d(y, x);
}

WEFT_INLINE void weft_atan2_rescale_d(private double *a, private double *b)
{
    bool far = *a == WEFT_INF_D || *b == WEFT_INF_D;
    double f = *a > 1.0 || *b > 1.0 ? 0x1p-60 : 0x1p200;
    *a = far ? (*a == WEFT_INF_D ? 1.0 : *a * 0.0) : *a * f;
    *b = far ? (*b == WEFT_INF_D ? 1.0 : *b * 0.0) : *b * f;
    *b = *a == 0.0 && *b == 0.0 ? 1.0 : *b;
}

// The angle of (|x|, |y|) in the quadrant. NaN if one is.
WEFT_INLINE double weft_atan2_part_d(double y, double x, private double *quarters)
{
    double a = weft_abs_d(y), b = weft_abs_d(x), larger = a > b ? a : b;
    if (__builtin_expect(!((int)(larger >= 0x1p-900) & (int)(larger <= 0x1p1000)), 0))
        weft_atan2_rescale_d(&a, &b);
    return weft_atan_part_d(a, b, quarters);
}

WEFT_INLINE double weft_atan2_d(double y, double x)
{
    double q, part = weft_atan2_part_d(y, x, &q);
    return weft_sign_d(weft_atan_join_d(part, q, (long)weft_bits_d(x) < 0), y);
}

WEFT_INLINE double weft_atan2pi_d(double y, double x)
{
    double q, part = weft_atan2_part_d(y, x, &q);
    return weft_sign_d(weft_atan_join_pi_d(part, q, (long)weft_bits_d(x) < 0), y);
}

// asin of |x| if |x| <= 1/2, else (*outer) of sqrt((1 - |x|)/2). Both arguments are at most 1/2: asin a =
// pi/2 - 2 asin(sqrt((1-a)/2)). NaN for |x| > 1. turns: the result is divided by pi.
WEFT_INLINE float weft_asin_part_f(float x, bool turns, private bool *outer)
{
    float a = weft_abs_f(x);
    *outer = !(a <= 0.5f);
    float z = *outer ? weft_mad_f(a, -0.5f, 0.5f) : a * a;
    float s = *outer ? weft_sqrt_unit_f(z) : a;
    if (turns)
        return weft_mad_f(z * s, weft_poly_asinpi_f(z), s * WEFT_INV_PI_1F);
    return weft_mad_f(z * s, weft_poly_asin_f(z), s);
}

WEFT_INLINE float weft_asin_f(float x, bool turns)
{
    bool outer;
    float t = weft_asin_part_f(x, turns, &outer);
    return weft_sign_f(outer ? weft_mad_f(t, -2.0f, turns ? 0.5f : WEFT_PI_2_1F) : t, x);
}

WEFT_INLINE float weft_acos_f(float x, bool turns)
{
    bool outer;
    float t = weft_asin_part_f(x, turns, &outer);
    float quarter = turns ? 0.5f : WEFT_PI_2_1F, whole = turns ? 1.0f : WEFT_PI_1F;
    float base = outer ? (x < 0.0f ? whole : 0.0f) : quarter;
    return weft_mad_f(t, weft_flip_f(outer ? 2.0f : -1.0f, x), base);
}

WEFT_INLINE double weft_asin_part_d(double x, bool turns, private bool *outer)
{
    double a = weft_abs_d(x);
    *outer = !(a <= 0.5);
    double z = *outer ? weft_mad_d(a, -0.5, 0.5) : a * a;
    double s = *outer ? weft_sqrt_unit_d(z) : a;
    if (turns)
        return weft_mad_d(z * s, weft_poly_asinpi_d(z), s * WEFT_INV_PI_1D);
    return weft_mad_d(z * s, weft_poly_asin_d(z), s);
}

WEFT_INLINE double weft_asin_d(double x, bool turns)
{
    bool outer;
    double t = weft_asin_part_d(x, turns, &outer);
    return weft_sign_d(outer ? weft_mad_d(t, -2.0, turns ? 0.5 : WEFT_PI_2_1D) : t, x);
}

WEFT_INLINE double weft_acos_d(double x, bool turns)
{
    bool outer;
    double t = weft_asin_part_d(x, turns, &outer);
    double quarter = turns ? 0.5 : WEFT_PI_2_1D, whole = turns ? 1.0 : WEFT_PI_1D;
    double base = outer ? (x < 0.0 ? whole : 0.0) : quarter;
    return weft_mad_d(t, weft_flip_d(outer ? 2.0 : -1.0, x), base);
}

#endif
