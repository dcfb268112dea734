// cbrt. A polynomial approximates x^(-1/3) and is refined. The cube root is x times the square of that,
// corrected once more.
#include "weft_primitive_cores.h"

WEFT_INLINE float weft_cbrt_f(float x)
{
    if (__weft_target_has_math_primitives)
        return weft_cbrt_prim_f(x);
    float a = weft_abs_f(x);
    bool tiny = a < weft_power2_f(-126);
    uint u = weft_bits_f(tiny ? a * weft_power2_f(24) : a);
    // u's exponent = 3q + r; a = m * 2^(3q) with 1 <= m < 8.
    int e = (int)(u >> 23) - 127 + 150;
    int q = (e * 21846) >> 16;
    float m = weft_from_f((u & 0x7fffffu) | ((uint)(e - 3 * q + 127) << 23));
    q -= 150 / 3 + (tiny ? 24 / 3 : 0);
    float y = weft_poly_rcbrt_f((m - 4.5f) * (1.0f / 3.5f));
    // y * (1 - d)^(-1/3) with d = 1 - m y^3, by its series
    float d = weft_mad_f(-m * y, y * y, 1.0f);
    y = weft_mad_f(y * d, weft_mad_f(d, 2.0f / 9.0f, 1.0f / 3.0f), y);
    float y2 = y * y;
    float c = m * y2;
    // c + (m - c^3) / (3 c^2), where y^2 stands for 1/c^2
    float s = c * c;
    float g = weft_product_error_f(c, c, s);
    float p = s * c;
    float h = ((m - p) - weft_product_error_f(s, c, p)) - g * c;
    c = weft_mad_f(h * (1.0f / 3.0f), y2, c);
    c *= weft_power2_f(q);
    // u is 0 for a denormal number where they are flushed (-cl-denorms-are-zero), too
    c = u == 0u ? 0.0f : a < WEFT_INF_F ? c : a;
    return weft_sign_f(c, x);
}

float WEFT_API cbrt(float x)
{
    return weft_cbrt_f(x);
}
WEFT_V1(float, cbrt, float)

WEFT_INLINE double weft_cbrt_d(double x)
{
    if (__weft_target_has_math_primitives)
        return weft_cbrt_prim_d(x);
    double a = weft_abs_d(x);
    bool tiny = a < weft_power2_d(-1022);
    ulong u = weft_bits_d(tiny ? a * weft_power2_d(54) : a);
    // u's exponent = 3q + r; a = m * 2^(3q) with 1 <= m < 8.
    int e = (int)(u >> 52) - 1023 + 1080;
    int q = (e * 21846) >> 16;
    double m = weft_from_d((u & 0xffffffffffffful) | ((ulong)(e - 3 * q + 1023) << 52));
    q -= 1080 / 3 + (tiny ? 54 / 3 : 0);
    double y = weft_poly_rcbrt_d((m - 4.5) * (1.0 / 3.5));
    // y * (1 - d)^(-1/3) with d = 1 - m y^3, by its series
    double d = weft_mad_d(-m * y, y * y, 1.0);
    y = weft_mad_d(y * d, weft_mad_d(d, 2.0 / 9.0, 1.0 / 3.0), y);
    d = weft_mad_d(-m * y, y * y, 1.0);
    y = weft_mad_d(y * d, 1.0 / 3.0, y);
    double y2 = y * y;
    double c = m * y2;
    // c + (m - c^3) / (3 c^2), where y^2 stands for 1/c^2
    double s = c * c;
    double g = weft_product_error_d(c, c, s);
    double p = s * c;
    double h = ((m - p) - weft_product_error_d(s, c, p)) - g * c;
    c = weft_mad_d(h * (1.0 / 3.0), y2, c);
    c *= weft_power2_d(q);
    c = a == 0.0 || !(a < WEFT_INF_D) ? a : c;
    return weft_sign_d(c, x);
}

double WEFT_API cbrt(double x)
{
    return weft_cbrt_d(x);
}
WEFT_V1(double, cbrt, double)
