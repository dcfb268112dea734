// asinh, acosh and atanh from log1p.
#include "weft_log.h"

float WEFT_API asinh(float x)
{
    float a = weft_abs_f(x);
    // ln(a + sqrt(a^2 + 1)) = ln(1 + a + a^2/(1 + sqrt(a^2 + 1))); for large a: ln(2a) = ln a + ln 2.
    bool large = a > 0x1p30f;
    float q = a * a;
    float t = large ? a - 1.0f : a + q / (1.0f + __builtin_elementwise_sqrt(q + 1.0f));
    float y = weft_log1p_f(t) + (large ? WEFT_LN2_1F : 0.0f);
    y = a < 0x1p-30f ? a : y;
    y = a < WEFT_INF_F ? y : a;
    return weft_sign_f(y, x);
}
WEFT_V1(float, asinh, float)

float WEFT_API acosh(float x)
{
    // ln(x + sqrt(x^2 - 1)) with t = x - 1: ln(1 + t + sqrt(2t + t^2)).
    bool large = x > 0x1p30f;
    float t = x - 1.0f;
    float u = large ? t : t + __builtin_elementwise_sqrt(weft_mad_f(t, t, 2.0f * t));
    float y = weft_log1p_f(u) + (large ? WEFT_LN2_1F : 0.0f);
    y = x < 1.0f ? WEFT_NAN_F : y;
    return x < WEFT_INF_F ? y : x;
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
    y = a < 0x1p-30f ? a : y;
    y = a == 1.0f ? WEFT_INF_F : y;
    y = a > 1.0f ? WEFT_NAN_F : y;
    return weft_sign_f(y, x);
}
WEFT_V1(float, atanh, float)

double WEFT_API asinh(double x)
{
    double a = weft_abs_d(x);
    // ln(a + sqrt(a^2 + 1)) = ln(1 + a + a^2/(1 + sqrt(a^2 + 1))); for large a: ln(2a) = ln a + ln 2.
    bool large = a > 0x1p30;
    double q = a * a;
    double t = large ? a - 1.0 : a + q / (1.0 + __builtin_elementwise_sqrt(q + 1.0));
    double y = weft_log1p_d(t) + (large ? WEFT_LN2_1D : 0.0);
    y = a < 0x1p-30 ? a : y;
    y = a < WEFT_INF_D ? y : a;
    return weft_sign_d(y, x);
}
WEFT_V1(double, asinh, double)

double WEFT_API acosh(double x)
{
    // ln(x + sqrt(x^2 - 1)) with t = x - 1: ln(1 + t + sqrt(2t + t^2)).
    bool large = x > 0x1p30;
    double t = x - 1.0;
    double u = large ? t : t + __builtin_elementwise_sqrt(weft_mad_d(t, t, 2.0 * t));
    double y = weft_log1p_d(u) + (large ? WEFT_LN2_1D : 0.0);
    y = x < 1.0 ? WEFT_NAN_D : y;
    return x < WEFT_INF_D ? y : x;
}
WEFT_V1(double, acosh, double)

double WEFT_API atanh(double x)
{
    double a = weft_abs_d(x);
    double y = 0.5 * weft_log1p_d(2.0 * a / (1.0 - a));
    y = a < 0x1p-30 ? a : y;
    y = a == 1.0 ? WEFT_INF_D : y;
    y = a > 1.0 ? WEFT_NAN_D : y;
    return weft_sign_d(y, x);
}
WEFT_V1(double, atanh, double)
