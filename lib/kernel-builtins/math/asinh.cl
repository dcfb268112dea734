// asinh, acosh and atanh from log1p.
#include "weft_log.h"

float WEFT_API asinh(float x)
{
    float a = weft_abs_f(x);
    // ln(a + sqrt(a^2 + 1)) = ln(1 + a + a^2/(1 + sqrt(a^2 + 1)))
    float q = a * a;
    float y = weft_log1p_f(weft_mad_f(q, weft_reciprocal_f(1.0f + __builtin_elementwise_sqrt(q + 1.0f)), a));
    // For large a it is ln(2a) = ln a + ln 2.
    if (__builtin_expect(!(a <= 0x1p30f), 0))
        y = a < WEFT_INF_F ? weft_log1p_f(a - 1.0f) + WEFT_LN2_1F : a;
    return weft_sign_f(y, x);
}
WEFT_V1(float, asinh, float)

float WEFT_API acosh(float x)
{
    // ln(x + sqrt(x^2 - 1)) with t = x - 1: ln(1 + t + sqrt(2t + t^2)). The root of a negative number is NaN.
    float t = x - 1.0f;
    float y = weft_log1p_f(t + __builtin_elementwise_sqrt(weft_mad_f(t, t, 2.0f * t)));
    // For large x it is ln(2x) = ln x + ln 2.
    if (__builtin_expect(x > 0x1p30f, 0))
        y = x < WEFT_INF_F ? weft_log1p_f(t) + WEFT_LN2_1F : x;
    return x < 1.0f ? WEFT_NAN_F : y;
}
WEFT_V1(float, acosh, float)

float WEFT_API atanh(float x)
{
    float a = weft_abs_f(x);
    if (__weft_target_has_math_primitives) {
        float z = a * a, near = weft_mad_f(z * a, weft_poly_atanh_half_f(z), a);
        return weft_sign_f(a <= 0.5f ? near : 0.5f * weft_log_prim_f((1.0f + a) / (1.0f - a)), x);
    }
    float y = 0.5f * weft_log1p_f(2.0f * a / (1.0f - a));
    if (__builtin_expect(!(a < 1.0f), 0))
        y = a == 1.0f ? WEFT_INF_F : WEFT_NAN_F;
    return weft_sign_f(y, x);
}
WEFT_V1(float, atanh, float)

double WEFT_API asinh(double x)
{
    double a = weft_abs_d(x);
    // ln(a + sqrt(a^2 + 1)) = ln(1 + a + a^2/(1 + sqrt(a^2 + 1)))
    double q = a * a;
    double y = weft_log1p_d(a + q / (1.0 + __builtin_elementwise_sqrt(q + 1.0)));
    // For large a it is ln(2a) = ln a + ln 2.
    if (__builtin_expect(!(a <= 0x1p30), 0))
        y = a < WEFT_INF_D ? weft_log1p_d(a - 1.0) + WEFT_LN2_1D : a;
    return weft_sign_d(y, x);
}
WEFT_V1(double, asinh, double)

double WEFT_API acosh(double x)
{
    // ln(x + sqrt(x^2 - 1)) with t = x - 1: ln(1 + t + sqrt(2t + t^2)). The root of a negative number is NaN.
    double t = x - 1.0;
    double y = weft_log1p_d(t + __builtin_elementwise_sqrt(weft_mad_d(t, t, 2.0 * t)));
    // For large x it is ln(2x) = ln x + ln 2.
    if (__builtin_expect(x > 0x1p30, 0))
        y = x < WEFT_INF_D ? weft_log1p_d(t) + WEFT_LN2_1D : x;
    return x < 1.0 ? WEFT_NAN_D : y;
}
WEFT_V1(double, acosh, double)

double WEFT_API atanh(double x)
{
    double a = weft_abs_d(x);
    double y = 0.5 * weft_log1p_d(2.0 * a / (1.0 - a));
    if (__builtin_expect(!(a < 1.0), 0))
        y = a == 1.0 ? WEFT_INF_D : WEFT_NAN_D;
    return weft_sign_d(y, x);
}
WEFT_V1(double, atanh, double)
