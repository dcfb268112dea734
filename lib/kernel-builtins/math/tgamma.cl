// tgamma: on [1, 2] a polynomial, below 12 the recurrence, above that Stirling's series, and reflection for
// negative arguments. Float is the rounded result of double.
#include "weft_pow.h"
#include "weft_trig.h"

// The series of ln Gamma(a) - ((a - 1/2) ln a - a + ln(2 pi)/2), a >= 12.
WEFT_INLINE double weft_stirling_d(double a)
{
    double r = 1.0 / a;
    double z = r * r;
    double p = weft_mad_d(z, 6.41025641025641025641e-3, -1.91752691752691752692e-3);
    p = weft_mad_d(z, p, 8.41750841750841750842e-4);
    p = weft_mad_d(z, p, -5.95238095238095238095e-4);
    p = weft_mad_d(z, p, 7.93650793650793650794e-4);
    p = weft_mad_d(z, p, -2.77777777777777777778e-3);
    p = weft_mad_d(z, p, 8.33333333333333333333e-2);
    return p * r;
}

WEFT_INLINE double weft_tgamma_d(double x)
{
    double a = weft_abs_d(x);
    double y;
    if (a < 12.0) {
        // Steps to [1, 2). The product of the factors on the way multiplies or divides the result.
        double p = 1.0, q = 1.0, v = x;
        while (v >= 2.0) {
            v -= 1.0;
            p *= v;
        }
        while (v < 1.0) {
            // The first step rounds a tiny v away. That is right, because its factor is v itself.
            q *= v;
            v += 1.0;
        }
        // At 1 and 2 it is 1, so the gamma function of whole numbers is exact.
        y = weft_mad_d((v - 1.0) * (v - 2.0), weft_poly_gamma_d(v - 1.5), 1.0) * p / q;
    } else {
        double b = a > 200.0 ? 200.0 : a;
        double l;
        double h = weft_ln_pair_d(b, &l);
        double m = b - 0.5;
        double e = m * h;
        double el = weft_product_error_d(m, h, e) + m * l;
        double s = e - b;
        el += weft_sum_error_d(e, -b, s) + weft_stirling_d(b);
        double t = s + WEFT_HALF_LN_2PI_1D;
        el += weft_sum_error_d(s, WEFT_HALF_LN_2PI_1D, t) + WEFT_HALF_LN_2PI_2D;
        bool reflect = x < 0.0;
        long n;
        double r = weft_exp_reduce_d(reflect ? -t : t, &n) + (reflect ? -el : el);
        double g = 1.0 + weft_expm1_small_d(r);
        // Gamma(-a) = -pi / (a sin(pi a) Gamma(a))
        double f = reflect ? -WEFT_PI_1D / (a * weft_sinpi_d(a)) : 1.0;
        y = weft_scale_d(g * f, n);
    }
    // Poles. Only at zero is the sign of the result known.
    bool integer = __builtin_elementwise_rint(x) == x;
    y = x < 0.0 && integer ? WEFT_NAN_D : y;
    y = x == 0.0 ? weft_sign_d(WEFT_INF_D, x) : y;
    return x < WEFT_INF_D ? y : x;
}

double WEFT_API tgamma(double x)
{
    return weft_tgamma_d(x);
}
WEFT_V1(double, tgamma, double)

float WEFT_API tgamma(float x)
{
    return (float)weft_tgamma_d((double)x);
}
WEFT_V1(float, tgamma, float)
