// lgamma and lgamma_r. For double: on [1, 2] a polynomial with its zeros as factors, below 12 the recurrence,
// above that Stirling's series, and reflection for negative arguments. For float, double arithmetic has
// digits enough for Stirling's series everywhere.
#include "weft_log.h"
#include "weft_trig.h"

// Not inlined, because it is large: all widths and address spaces share it. The sign is a function of its
// own. So this one has no pointer, and the compiler may keep calling it (prepare/inline_budget.c).
double __weft_lgamma_d(double x);

double __weft_lgamma_d(double x)
{
    double a = weft_abs_d(x);
    double y;
    if (a < 12.0) {
        // ln Gamma(a) = ln Gamma(v) + ln(p). Near 1 and 2 the sum must not cancel, so steps there use log1p.
        double v = a < 1.0 ? a + 1.0 : a;
        double p = 1.0;
        while (v >= 3.0) {
            v -= 1.0;
            p *= v;
        }
        bool step = v >= 2.0;
        double d = step ? v - 2.0 : v - 1.0;
        // This is exact even if a + 1 was rounded.
        d = a < 1.0 ? a : d;
        y = d * (d - 1.0) * weft_poly_lgamma_d(d - 0.5);
        y += step ? weft_log1p_d(d) : 0.0;
        y += weft_log_d(p);
        y -= a < 1.0 ? weft_log_d(a) : 0.0;
    } else {
        double r = 1.0 / a, z = r * r;
        double s = weft_mad_d(z, 8.41750841750841750842e-4, -5.95238095238095238095e-4);
        s = weft_mad_d(z, s, 7.93650793650793650794e-4);
        s = weft_mad_d(z, s, -2.77777777777777777778e-3);
        s = weft_mad_d(z, s, 8.33333333333333333333e-2) * r;
        double l = weft_log_d(a);
        y = weft_mad_d(a - 0.5, l - 1.0, (WEFT_HALF_LN_2PI_1D - 0.5) + s);
    }
    if (x < 0.0) {
        // ln|Gamma(-a)| = ln(pi / (a |sin(pi a)|)) - ln Gamma(a)
        double s = weft_sinpi_d(a);
        y = -weft_log_d(a * weft_abs_d(s) / WEFT_PI_1D) - y;
        y = s == 0.0 ? WEFT_INF_D : y;
    }
    y = a < 0x1p-60 ? -weft_log_d(a) : y;
    y = a == 0.0 ? WEFT_INF_D : y;
    return a < WEFT_INF_D ? y : x * x;
}

// The sign of Gamma: positive on (-2, -1), (-4, -3) ..., and at the poles below 0.
WEFT_INLINE int weft_gamma_sign(double x)
{
    double a = weft_abs_d(x);
    bool negative = x < 0.0 && weft_sinpi_d(a) > 0.0;
    return negative || (a < 0x1p-60 && (long)weft_bits_d(x) < 0) ? -1 : 1;
}

double WEFT_API lgamma(double x)
{
    return __weft_lgamma_d(x);
}
WEFT_V1(double, lgamma, double)

// Below 8, ln Gamma(a) is ln Gamma(a + 8) - ln(a (a+1) ... (a+7)). The absolute error is a few 2^-50. So the
// floats next to the zeros at 1 and 2 have an error of an ulp.
WEFT_INLINE float weft_lgamma_f(float x)
{
    double a = weft_abs_d((double)x), q = weft_mad_d(a, a, 7.0 * a);
    double p = q * (q + 6.0) * ((q + 10.0) * (q + 12.0));
    bool small = a < 8.0;
    double v = small ? a + 8.0 : a, r = 1.0 / v;
    double s = weft_mad_d(r, weft_poly_stirling_d(r * r), WEFT_HALF_LN_2PI_1D - 0.5);
    double y = weft_mad_d(v - 0.5, weft_log_plain_d(v) - 1.0, s) - weft_log_plain_d(small ? p : 1.0);
    y = (a - 1.0) * (a - 2.0) == 0.0 ? 0.0 : y;
    if (x < 0.0f) {
        // ln|Gamma(-a)| = ln(pi / (a |sin(pi a)|)) - ln Gamma(a)
        double sine = weft_abs_d(weft_sinpi_half_d(a - __builtin_elementwise_rint(a)));
        y = sine == 0.0 ? WEFT_INF_D : weft_log_plain_d(WEFT_PI_1D / (a * sine)) - y;
    }
    if (__builtin_expect(!((int)(weft_abs_f(x) > 0.0f) & (int)(weft_abs_f(x) < WEFT_INF_F)), 0))
        return x == 0.0f ? WEFT_INF_F : x * x;
    return (float)y;
}

float WEFT_API lgamma(float x)
{
    return weft_lgamma_f(x);
}
WEFT_V1(float, lgamma, float)

WEFT_INLINE WEFT_API double weft_pair_lgamma_r(double x, private int *sign)
{
    *sign = weft_gamma_sign(x);
    return __weft_lgamma_d(x);
}
WEFT_P1(double, lgamma_r, double, int)

WEFT_INLINE WEFT_API float weft_pair_lgamma_r(float x, private int *sign)
{
    *sign = weft_gamma_sign((double)x);
    return weft_lgamma_f(x);
}
WEFT_P1(float, lgamma_r, float, int)
