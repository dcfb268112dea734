// Made by polynomials.py; do not edit. Minimax polynomials of the math built-ins: each function's comment
// gives what it approximates and the largest (weighted) error as a power of two.
#ifndef WEFT_POLYNOMIALS_H
#define WEFT_POLYNOMIALS_H

// (e^x - 1 - x) / x^2; error 2^-28.3.
WEFT_INLINE float weft_poly_exp_f(float x)
{
    if (__weft_target_has_math_primitives) {
        return weft_mad_f(
            weft_mad_f(weft_mad_f(weft_mad_f(0x1.6a23e4p-10f, x, 0x1.123a2p-7f), x, 0x1.5558f2p-5f), x,
                       0x1.555492p-3f),
            x, 0x1.fffffcp-2f);
    }
    float x2 = x * x;
    return weft_mad_f(weft_mad_f(0x1.6a23e4p-10f, x2, weft_mad_f(0x1.123a2p-7f, x, 0x1.5558f2p-5f)), x2,
                      weft_mad_f(0x1.555492p-3f, x, 0x1.fffffcp-2f));
}

// (e^x - 1 - x) / x^2; error 2^-57.9.
WEFT_INLINE double weft_poly_exp_d(double x)
{
    if (__weft_target_has_math_primitives) {
        double x2 = x * x;
        double even =
            weft_mad_d(weft_mad_d(weft_mad_d(weft_mad_d(0x1.28ad9b6d99995p-22, x2, 0x1.a01999e284c2cp-16), x2,
                                             0x1.6c16c18438a07p-10),
                                  x2, 0x1.555555555083fp-5),
                       x2, 0x1.000000000000ap-1);
        double odd =
            weft_mad_d(weft_mad_d(weft_mad_d(weft_mad_d(0x1.ad7f34fcc7587p-26, x2, 0x1.71df25b8e0956p-19), x2,
                                             0x1.a01a012a0ce25p-13),
                                  x2, 0x1.1111111127d14p-7),
                       x2, 0x1.55555555554f9p-3);
        return weft_mad_d(odd, x, even);
    }
    double x2 = x * x;
    double x4 = x2 * x2;
    return weft_mad_d(weft_mad_d(weft_mad_d(0x1.ad7f34fcc7587p-26, x, 0x1.28ad9b6d99995p-22), x4,
                                 weft_mad_d(weft_mad_d(0x1.71df25b8e0956p-19, x, 0x1.a01999e284c2cp-16), x2,
                                            weft_mad_d(0x1.a01a012a0ce25p-13, x, 0x1.6c16c18438a07p-10))),
                      x4,
                      weft_mad_d(weft_mad_d(0x1.1111111127d14p-7, x, 0x1.555555555083fp-5), x2,
                                 weft_mad_d(0x1.55555555554f9p-3, x, 0x1.000000000000ap-1)));
}

// (e^x - 1 - x - 0x1.fffffcp-2f x^2) / x^3; error 2^-28.9.
WEFT_INLINE float weft_poly_exp_quotient_f(float x)
{
    if (__weft_target_has_math_primitives) {
        return weft_mad_f(weft_mad_f(weft_mad_f(0x1.6ae6d8p-10f, x, 0x1.1267d8p-7f), x, 0x1.555824p-5f), x,
                          0x1.555418p-3f);
    }
    float x2 = x * x;
    return weft_mad_f(weft_mad_f(0x1.6ae6d8p-10f, x, 0x1.1267d8p-7f), x2,
                      weft_mad_f(0x1.555824p-5f, x, 0x1.555418p-3f));
}

// (cosh r - 1) / r^2, x = r^2; error 2^-34.3.
WEFT_INLINE float weft_poly_cosh_f(float x)
{
    return weft_mad_f(weft_mad_f(0x1.6d97ep-10f, x, 0x1.55547ep-5f), x, 0x1p-1f);
}

// (cosh r - 1) / r^2, x = r^2; error 2^-58.0.
WEFT_INLINE double weft_poly_cosh_d(double x)
{
    if (__weft_target_has_math_primitives) {
        return weft_mad_d(weft_mad_d(weft_mad_d(weft_mad_d(0x1.28b1bd696be9ep-22, x, 0x1.a01994ffff147p-16),
                                                x, 0x1.6c16c1863e0f6p-10),
                                     x, 0x1.555555554fd67p-5),
                          x, 0x1.000000000000cp-1);
    }
    double x2 = x * x;
    return weft_mad_d(
        weft_mad_d(0x1.28b1bd696be9ep-22, x2, weft_mad_d(0x1.a01994ffff147p-16, x, 0x1.6c16c1863e0f6p-10)),
        x2, weft_mad_d(0x1.555555554fd67p-5, x, 0x1.000000000000cp-1));
}

// (sinh r - r) / r^3, x = r^2; error 2^-26.2.
WEFT_INLINE float weft_poly_sinh_f(float x)
{
    return weft_mad_f(0x1.12283cp-7f, x, 0x1.5554bp-3f);
}

// (sinh r - r) / r^3, x = r^2; error 2^-65.2.
WEFT_INLINE double weft_poly_sinh_d(double x)
{
    if (__weft_target_has_math_primitives) {
        return weft_mad_d(
            weft_mad_d(weft_mad_d(weft_mad_d(weft_mad_d(0x1.827f753caf6dfp-33, x, 0x1.ae4cf1c16e978p-26), x,
                                             0x1.71de407bbf6edp-19),
                                  x, 0x1.a01a019ea1927p-13),
                       x, 0x1.1111111111386p-7),
            x, 0x1.5555555555555p-3);
    }
    double x2 = x * x;
    return weft_mad_d(weft_mad_d(weft_mad_d(0x1.827f753caf6dfp-33, x, 0x1.ae4cf1c16e978p-26), x2,
                                 weft_mad_d(0x1.71de407bbf6edp-19, x, 0x1.a01a019ea1927p-13)),
                      x2, weft_mad_d(0x1.1111111111386p-7, x, 0x1.5555555555555p-3));
}

// (2^x - 1) / x, |x| <= 0.5002; error 2^-28.9.
WEFT_INLINE float weft_poly_exp2_plain_f(float x)
{
    if (__weft_target_has_math_primitives) {
        return weft_mad_f(weft_mad_f(weft_mad_f(weft_mad_f(weft_mad_f(0x1.41fb7cp-13f, x, 0x1.5f3eacp-10f), x,
                                                           0x1.3b2d4ep-7f),
                                                x, 0x1.c6aee8p-5f),
                                     x, 0x1.ebfbdcp-3f),
                          x, 0x1.62e43p-1f);
    }
    float x2 = x * x;
    return weft_mad_f(weft_mad_f(weft_mad_f(0x1.41fb7cp-13f, x, 0x1.5f3eacp-10f), x2,
                                 weft_mad_f(0x1.3b2d4ep-7f, x, 0x1.c6aee8p-5f)),
                      x2, weft_mad_f(0x1.ebfbdcp-3f, x, 0x1.62e43p-1f));
}

// (2^x - 1) / x, |x| <= 0.5002; error 2^-58.0.
WEFT_INLINE double weft_poly_exp2_plain_d(double x)
{
    if (__weft_target_has_math_primitives) {
        double x2 = x * x;
        double even = weft_mad_d(
            weft_mad_d(weft_mad_d(weft_mad_d(weft_mad_d(0x1.e79b67ce000e5p-32, x2, 0x1.b5267d6edd526p-24), x2,
                                             0x1.ffcbfba90f1a9p-17),
                                  x2, 0x1.5d87fe78cd8e6p-10),
                       x2, 0x1.c6b08d7049fe7p-5),
            x2, 0x1.62e42fefa39efp-1);
        double odd =
            weft_mad_d(weft_mad_d(weft_mad_d(weft_mad_d(0x1.e61b9389744d7p-28, x2, 0x1.62bfc7783bae3p-20), x2,
                                             0x1.4309130ee68cbp-13),
                                  x2, 0x1.3b2ab6fba00dap-7),
                       x2, 0x1.ebfbdff82c5a4p-3);
        return weft_mad_d(odd, x, even);
    }
    double x2 = x * x;
    double x4 = x2 * x2;
    return weft_mad_d(weft_mad_d(weft_mad_d(0x1.e79b67ce000e5p-32, x2,
                                            weft_mad_d(0x1.e61b9389744d7p-28, x, 0x1.b5267d6edd526p-24)),
                                 x4,
                                 weft_mad_d(weft_mad_d(0x1.62bfc7783bae3p-20, x, 0x1.ffcbfba90f1a9p-17), x2,
                                            weft_mad_d(0x1.4309130ee68cbp-13, x, 0x1.5d87fe78cd8e6p-10))),
                      x4,
                      weft_mad_d(weft_mad_d(0x1.3b2ab6fba00dap-7, x, 0x1.c6b08d7049fe7p-5), x2,
                                 weft_mad_d(0x1.ebfbdff82c5a4p-3, x, 0x1.62e42fefa39efp-1)));
}

// (10^x - 1) / x, |x| <= 0.1506; error 2^-28.9.
WEFT_INLINE float weft_poly_exp10_plain_f(float x)
{
    if (__weft_target_has_math_primitives) {
        return weft_mad_f(weft_mad_f(weft_mad_f(weft_mad_f(weft_mad_f(0x1.a68ba2p-3f, x, 0x1.15849ep-1f), x,
                                                           0x1.2bd9d8p+0f),
                                                x, 0x1.046f68p+1f),
                                     x, 0x1.53524ap+1f),
                          x, 0x1.26bb1cp+1f);
    }
    float x2 = x * x;
    return weft_mad_f(weft_mad_f(weft_mad_f(0x1.a68ba2p-3f, x, 0x1.15849ep-1f), x2,
                                 weft_mad_f(0x1.2bd9d8p+0f, x, 0x1.046f68p+1f)),
                      x2, weft_mad_f(0x1.53524ap+1f, x, 0x1.26bb1cp+1f));
}

// (10^x - 1) / x, |x| <= 0.1506; error 2^-58.0.
WEFT_INLINE double weft_poly_exp10_plain_d(double x)
{
    if (__weft_target_has_math_primitives) {
        double x2 = x * x;
        double even = weft_mad_d(
            weft_mad_d(weft_mad_d(weft_mad_d(weft_mad_d(0x1.f9954233c775p-13, x2, 0x1.4898b51720c7ap-8), x2,
                                             0x1.16e4df638e873p-4),
                                  x2, 0x1.1429ffd1f3bf5p-1),
                       x2, 0x1.0470591de2c28p+1),
            x2, 0x1.26bb1bbb55516p+1);
        double odd =
            weft_mad_d(weft_mad_d(weft_mad_d(weft_mad_d(0x1.2f749896f44fap-10, x2, 0x1.41165e37b7abdp-6), x2,
                                             0x1.a7ed70a1fd34p-3),
                                  x2, 0x1.2bd7609fd4ee9p+0),
                       x2, 0x1.53524c73cea78p+1);
        return weft_mad_d(odd, x, even);
    }
    double x2 = x * x;
    double x4 = x2 * x2;
    return weft_mad_d(weft_mad_d(weft_mad_d(0x1.f9954233c775p-13, x2,
                                            weft_mad_d(0x1.2f749896f44fap-10, x, 0x1.4898b51720c7ap-8)),
                                 x4,
                                 weft_mad_d(weft_mad_d(0x1.41165e37b7abdp-6, x, 0x1.16e4df638e873p-4), x2,
                                            weft_mad_d(0x1.a7ed70a1fd34p-3, x, 0x1.1429ffd1f3bf5p-1))),
                      x4,
                      weft_mad_d(weft_mad_d(0x1.2bd7609fd4ee9p+0, x, 0x1.0470591de2c28p+1), x2,
                                 weft_mad_d(0x1.53524c73cea78p+1, x, 0x1.26bb1bbb55516p+1)));
}

// (e^x - 1 - x) / x^2 for a 64th of an octave; error 2^-59.3.
WEFT_INLINE double weft_poly_exp_64_d(double x)
{
    if (__weft_target_has_math_primitives) {
        return weft_mad_d(
            weft_mad_d(weft_mad_d(0x1.1111272d75b79p-7, x, 0x1.5555746316971p-5), x, 0x1.55555555542f9p-3), x,
            0x1.fffffffffda55p-2);
    }
    double x2 = x * x;
    return weft_mad_d(weft_mad_d(0x1.1111272d75b79p-7, x, 0x1.5555746316971p-5), x2,
                      weft_mad_d(0x1.55555555542f9p-3, x, 0x1.fffffffffda55p-2));
}

// (2^x - 1) / x for a 64th of an octave; error 2^-59.3.
WEFT_INLINE double weft_poly_exp2_64_d(double x)
{
    if (__weft_target_has_math_primitives) {
        return weft_mad_d(weft_mad_d(weft_mad_d(weft_mad_d(0x1.5d881dde7cf4dp-10, x, 0x1.3b2ad3a88f3e7p-7), x,
                                                0x1.c6b08d7047d42p-5),
                                     x, 0x1.ebfbdff82a15bp-3),
                          x, 0x1.62e42fefa39efp-1);
    }
    double x2 = x * x;
    return weft_mad_d(
        weft_mad_d(0x1.5d881dde7cf4dp-10, x2, weft_mad_d(0x1.3b2ad3a88f3e7p-7, x, 0x1.c6b08d7047d42p-5)), x2,
        weft_mad_d(0x1.ebfbdff82a15bp-3, x, 0x1.62e42fefa39efp-1));
}

// (10^x - 1) / x for a 64th of an octave; error 2^-59.3.
WEFT_INLINE double weft_poly_exp10_64_d(double x)
{
    if (__weft_target_has_math_primitives) {
        return weft_mad_d(weft_mad_d(weft_mad_d(weft_mad_d(0x1.142a18a083a3ap-1, x, 0x1.2bd77be7cce78p+0), x,
                                                0x1.0470591de185p+1),
                                     x, 0x1.53524c73cd17p+1),
                          x, 0x1.26bb1bbb55516p+1);
    }
    double x2 = x * x;
    return weft_mad_d(
        weft_mad_d(0x1.142a18a083a3ap-1, x2, weft_mad_d(0x1.2bd77be7cce78p+0, x, 0x1.0470591de185p+1)), x2,
        weft_mad_d(0x1.53524c73cd17p+1, x, 0x1.26bb1bbb55516p+1));
}

// (ln(1+x) - x) / x^2; error 2^-25.0.
WEFT_INLINE float weft_poly_log_f(float x)
{
    if (__weft_target_has_math_primitives) {
        float x2 = x * x;
        float even =
            weft_mad_f(weft_mad_f(weft_mad_f(-0x1.2504a4p-3f, x2, -0x1.535d3p-3f), x2, -0x1.00049ap-2f), x2,
                       -0x1.fffffap-2f);
        float odd = weft_mad_f(weft_mad_f(weft_mad_f(0x1.65c77ap-4f, x2, 0x1.31852ap-3f), x2, 0x1.98d2cp-3f),
                               x2, 0x1.5556f4p-2f);
        return weft_mad_f(odd, x, even);
    }
    float x2 = x * x;
    float x4 = x2 * x2;
    return weft_mad_f(weft_mad_f(weft_mad_f(0x1.65c77ap-4f, x, -0x1.2504a4p-3f), x2,
                                 weft_mad_f(0x1.31852ap-3f, x, -0x1.535d3p-3f)),
                      x4,
                      weft_mad_f(weft_mad_f(0x1.98d2cp-3f, x, -0x1.00049ap-2f), x2,
                                 weft_mad_f(0x1.5556f4p-2f, x, -0x1.fffffap-2f)));
}

// (ln(1+x) - x + x^2/2) / x^3; error 2^-27.4.
WEFT_INLINE float weft_poly_log1p_f(float x)
{
    float x2 = x * x;
    float x4 = x2 * x2;
    return weft_mad_f(weft_mad_f(weft_mad_f(-0x1.38b564p-4f, x, 0x1.055b5ap-3f), x2,
                                 weft_mad_f(-0x1.0d854p-3f, x, 0x1.22da2p-3f)),
                      x4,
                      weft_mad_f(weft_mad_f(-0x1.547246p-3f, x, 0x1.99a008p-3f), x2,
                                 weft_mad_f(-0x1.000226p-2f, x, 0x1.555554p-2f)));
}

// (ln((1+s)/(1-s)) - 2s) / s^3, x = s^2; error 2^-58.5.
WEFT_INLINE double weft_poly_atanh_d(double x)
{
    if (__weft_target_has_math_primitives) {
        return weft_mad_d(weft_mad_d(weft_mad_d(weft_mad_d(weft_mad_d(weft_mad_d(0x1.2f11906ff4e93p-3, x,
                                                                                 0x1.39a094079fcc2p-3),
                                                                      x, 0x1.746649bc9f834p-3),
                                                           x, 0x1.c71c51d79a595p-3),
                                                x, 0x1.249249422a768p-2),
                                     x, 0x1.999999997f9f6p-2),
                          x, 0x1.5555555555593p-1);
    }
    double x2 = x * x;
    double x4 = x2 * x2;
    return weft_mad_d(
        weft_mad_d(0x1.2f11906ff4e93p-3, x2, weft_mad_d(0x1.39a094079fcc2p-3, x, 0x1.746649bc9f834p-3)), x4,
        weft_mad_d(weft_mad_d(0x1.c71c51d79a595p-3, x, 0x1.249249422a768p-2), x2,
                   weft_mad_d(0x1.999999997f9f6p-2, x, 0x1.5555555555593p-1)));
}

// (ln((1+s)/(1-s)) - 2s) / s^3, x = s^2; error 2^-29.2.
WEFT_INLINE float weft_poly_atanh_f(float x)
{
    return weft_mad_f(weft_mad_f(0x1.31e47ep-2f, x, 0x1.995eacp-2f), x, 0x1.55557ap-1f);
}

// (ln((1+s)/(1-s)) - 2s - 2/3 s^3) / s^5, x = s^2; error 2^-72.5.
WEFT_INLINE double weft_poly_atanh5_d(double x)
{
    if (__weft_target_has_math_primitives) {
        double x2 = x * x;
        double even = weft_mad_d(
            weft_mad_d(weft_mad_d(0x1.de3ce834dca53p-4, x2, 0x1.3b1364b670afcp-3), x2, 0x1.c71c71c5962b6p-3),
            x2, 0x1.9999999999996p-2);
        double odd = weft_mad_d(
            weft_mad_d(weft_mad_d(0x1.eaca6e1952bdep-4, x2, 0x1.1120724e64c34p-3), x2, 0x1.745d182993a3fp-3),
            x2, 0x1.2492492492f53p-2);
        return weft_mad_d(odd, x, even);
    }
    double x2 = x * x;
    double x4 = x2 * x2;
    return weft_mad_d(weft_mad_d(weft_mad_d(0x1.eaca6e1952bdep-4, x, 0x1.de3ce834dca53p-4), x2,
                                 weft_mad_d(0x1.1120724e64c34p-3, x, 0x1.3b1364b670afcp-3)),
                      x4,
                      weft_mad_d(weft_mad_d(0x1.745d182993a3fp-3, x, 0x1.c71c71c5962b6p-3), x2,
                                 weft_mad_d(0x1.2492492492f53p-2, x, 0x1.9999999999996p-2)));
}

// 3/2 (ln((1+s)/(1-s)) - 2s - 2/3 s^3) / s^5, x = s^2; error 2^-66.3.
WEFT_INLINE double weft_poly_log_fifth_d(double x)
{
    double x2 = x * x;
    double x4 = x2 * x2;
    return weft_mad_d(
        weft_mad_d(0x1.956970a324d93p-3, x2, weft_mad_d(0x1.973f4d509459dp-3, x, 0x1.d8ae68150955p-3)), x4,
        weft_mad_d(weft_mad_d(0x1.1745af5a6c7d3p-2, x, 0x1.555555a239ef1p-2), x2,
                   weft_mad_d(0x1.b6db6db68382dp-2, x, 0x1.3333333333465p-1)));
}

// (atanh x - x) / x^3, |x| <= 1/2, x = x^2; error 2^-25.4.
WEFT_INLINE float weft_poly_atanh_half_f(float x)
{
    if (__weft_target_has_math_primitives) {
        return weft_mad_f(
            weft_mad_f(weft_mad_f(weft_mad_f(0x1.744fa8p-3f, x, 0x1.518cp-4f), x, 0x1.2c6f36p-3f), x,
                       0x1.992736p-3f),
            x, 0x1.55566p-2f);
    }
    float x2 = x * x;
    return weft_mad_f(weft_mad_f(0x1.744fa8p-3f, x2, weft_mad_f(0x1.518cp-4f, x, 0x1.2c6f36p-3f)), x2,
                      weft_mad_f(0x1.992736p-3f, x, 0x1.55566p-2f));
}

// (sin r - r) / r^3, x = r^2; error 2^-32.6.
WEFT_INLINE float weft_poly_sin_f(float x)
{
    if (__weft_target_has_math_primitives) {
        return weft_mad_f(weft_mad_f(weft_mad_f(0x1.7c86c2p-19f, x, -0x1.a05ab2p-13f), x, 0x1.111176p-7f), x,
                          -0x1.555556p-3f);
    }
    float x2 = x * x;
    return weft_mad_f(weft_mad_f(0x1.7c86c2p-19f, x, -0x1.a05ab2p-13f), x2,
                      weft_mad_f(0x1.111176p-7f, x, -0x1.555556p-3f));
}

// (sin r - r) / r^3, x = r^2; error 2^-57.9.
WEFT_INLINE double weft_poly_sin_d(double x)
{
    if (__weft_target_has_math_primitives) {
        return weft_mad_d(
            weft_mad_d(weft_mad_d(weft_mad_d(weft_mad_d(0x1.5d88eea7a69f1p-33, x, -0x1.ae5e447552b8ep-26), x,
                                             0x1.71de354def7e4p-19),
                                  x, -0x1.a01a019be3247p-13),
                       x, 0x1.111111110f716p-7),
            x, -0x1.5555555555548p-3);
    }
    double x2 = x * x;
    return weft_mad_d(weft_mad_d(weft_mad_d(0x1.5d88eea7a69f1p-33, x, -0x1.ae5e447552b8ep-26), x2,
                                 weft_mad_d(0x1.71de354def7e4p-19, x, -0x1.a01a019be3247p-13)),
                      x2, weft_mad_d(0x1.111111110f716p-7, x, -0x1.5555555555548p-3));
}

// (sin r - r) / r^3, x = r^2; error 2^-27.9.
WEFT_INLINE float weft_poly_sin_quarter_f(float x)
{
    return weft_mad_f(weft_mad_f(-0x1.993962p-13f, x, 0x1.11071cp-7f), x, -0x1.555544p-3f);
}

// (cos r - 1 + r^2/2) / r^4, x = r^2; error 2^-33.2.
WEFT_INLINE float weft_poly_cos_f(float x)
{
    return weft_mad_f(weft_mad_f(0x1.99f90cp-16f, x, -0x1.6c0c6cp-10f), x, 0x1.55554ap-5f);
}

// (cos r - 1 + r^2/2) / r^4, x = r^2; error 2^-64.1.
WEFT_INLINE double weft_poly_cos_d(double x)
{
    if (__weft_target_has_math_primitives) {
        return weft_mad_d(
            weft_mad_d(weft_mad_d(weft_mad_d(weft_mad_d(-0x1.8fa3c8208464fp-37, x, 0x1.1ee9d79b20297p-29), x,
                                             -0x1.27e4f7ed09312p-22),
                                  x, 0x1.a01a019c8b2f6p-16),
                       x, -0x1.6c16c16c15003p-10),
            x, 0x1.555555555554bp-5);
    }
    double x2 = x * x;
    return weft_mad_d(weft_mad_d(weft_mad_d(-0x1.8fa3c8208464fp-37, x, 0x1.1ee9d79b20297p-29), x2,
                                 weft_mad_d(-0x1.27e4f7ed09312p-22, x, 0x1.a01a019c8b2f6p-16)),
                      x2, weft_mad_d(-0x1.6c16c16c15003p-10, x, 0x1.555555555554bp-5));
}

// (atan z - z) / z^3, x = z^2; error 2^-53.2.
WEFT_INLINE double weft_poly_atan_d(double x)
{
    if (__weft_target_has_math_primitives) {
        double x2 = x * x;
        double even =
            weft_mad_d(weft_mad_d(weft_mad_d(weft_mad_d(-0x1.650edd66a05b9p-5, x2, -0x1.1004ffae90f0fp-4), x2,
                                             -0x1.745bc2df80ab7p-4),
                                  x2, -0x1.2492490572d7ep-3),
                       x2, -0x1.5555555555317p-2);
        double odd =
            weft_mad_d(weft_mad_d(weft_mad_d(weft_mad_d(0x1.5c318a754312cp-6, x2, 0x1.d2528e42cc703p-5), x2,
                                             0x1.3afc30a1b6e8ep-4),
                                  x2, 0x1.c71c65cc3a098p-4),
                       x2, 0x1.9999999949563p-3);
        return weft_mad_d(odd, x, even);
    }
    double x2 = x * x;
    double x4 = x2 * x2;
    return weft_mad_d(weft_mad_d(weft_mad_d(0x1.5c318a754312cp-6, x, -0x1.650edd66a05b9p-5), x4,
                                 weft_mad_d(weft_mad_d(0x1.d2528e42cc703p-5, x, -0x1.1004ffae90f0fp-4), x2,
                                            weft_mad_d(0x1.3afc30a1b6e8ep-4, x, -0x1.745bc2df80ab7p-4))),
                      x4,
                      weft_mad_d(weft_mad_d(0x1.c71c65cc3a098p-4, x, -0x1.2492490572d7ep-3), x2,
                                 weft_mad_d(0x1.9999999949563p-3, x, -0x1.5555555555317p-2)));
}

// (atan z - z) / z^3, z <= 1, x = z^2; error 2^-23.1.
WEFT_INLINE float weft_poly_atan_octant_f(float x)
{
    if (__weft_target_has_math_primitives) {
        return weft_mad_f(
            weft_mad_f(weft_mad_f(weft_mad_f(weft_mad_f(weft_mad_f(-0x1.3c0922p-8f, x, 0x1.953ce6p-6f), x,
                                                        -0x1.ed2fa4p-5f),
                                             x, 0x1.984fbep-4f),
                                  x, -0x1.1f913cp-3f),
                       x, 0x1.991278p-3f),
            x, -0x1.5552dep-2f);
    }
    float x2 = x * x;
    float x4 = x2 * x2;
    return weft_mad_f(weft_mad_f(-0x1.3c0922p-8f, x2, weft_mad_f(0x1.953ce6p-6f, x, -0x1.ed2fa4p-5f)), x4,
                      weft_mad_f(weft_mad_f(0x1.984fbep-4f, x, -0x1.1f913cp-3f), x2,
                                 weft_mad_f(0x1.991278p-3f, x, -0x1.5552dep-2f)));
}

// (asin x - (asin x)'(0) x) / x^3, x = x^2; error 2^-27.6.
WEFT_INLINE float weft_poly_asin_f(float x)
{
    if (__weft_target_has_fma) {
        return weft_mad_f(
            weft_mad_f(weft_mad_f(weft_mad_f(0x1.596d6p-5f, x, 0x1.8c2d86p-6f), x, 0x1.747d06p-5f), x,
                       0x1.3301fcp-4f),
            x, 0x1.5555c8p-3f);
    }
    float x2 = x * x;
    return weft_mad_f(weft_mad_f(0x1.596d6p-5f, x2, weft_mad_f(0x1.8c2d86p-6f, x, 0x1.747d06p-5f)), x2,
                      weft_mad_f(0x1.3301fcp-4f, x, 0x1.5555c8p-3f));
}

// (asin x - (asin x)'(0) x) / x^3, x = x^2; error 2^-55.8.
WEFT_INLINE double weft_poly_asin_d(double x)
{
    if (__weft_target_has_fma) {
        double x2 = x * x;
        double even = weft_mad_d(
            weft_mad_d(weft_mad_d(weft_mad_d(weft_mad_d(-0x1.0a6c4880787c7p-6, x2, 0x1.ab4949591ac18p-8), x2,
                                             0x1.c6fb919e13d94p-7),
                                  x2, 0x1.6e89f28d78b76p-6),
                       x2, 0x1.6db6db424a09bp-5),
            x2, 0x1.555555555538ep-3);
        double odd = weft_mad_d(
            weft_mad_d(weft_mad_d(weft_mad_d(weft_mad_d(0x1.05a35ccc27959p-5, x2, 0x1.405366ca17de7p-6), x2,
                                             0x1.8ed1f1553147dp-7),
                                  x2, 0x1.1c6bfcb582627p-6),
                       x2, 0x1.f1c72c49ebf25p-6),
            x2, 0x1.333333336ec4p-4);
        return weft_mad_d(odd, x, even);
    }
    double x2 = x * x;
    double x4 = x2 * x2;
    return weft_mad_d(weft_mad_d(weft_mad_d(weft_mad_d(0x1.05a35ccc27959p-5, x, -0x1.0a6c4880787c7p-6), x2,
                                            weft_mad_d(0x1.405366ca17de7p-6, x, 0x1.ab4949591ac18p-8)),
                                 x4,
                                 weft_mad_d(weft_mad_d(0x1.8ed1f1553147dp-7, x, 0x1.c6fb919e13d94p-7), x2,
                                            weft_mad_d(0x1.1c6bfcb582627p-6, x, 0x1.6e89f28d78b76p-6))),
                      x4,
                      weft_mad_d(weft_mad_d(0x1.f1c72c49ebf25p-6, x, 0x1.6db6db424a09bp-5), x2,
                                 weft_mad_d(0x1.333333336ec4p-4, x, 0x1.555555555538ep-3)));
}

// (asinpi x - (asinpi x)'(0) x) / x^3, x = x^2; error 2^-27.6.
WEFT_INLINE float weft_poly_asinpi_f(float x)
{
    if (__weft_target_has_fma) {
        return weft_mad_f(
            weft_mad_f(weft_mad_f(weft_mad_f(0x1.b81ec6p-7f, x, 0x1.f80f0cp-8f), x, 0x1.da4e46p-7f), x,
                       0x1.86e48cp-6f),
            x, 0x1.b299f2p-5f);
    }
    float x2 = x * x;
    return weft_mad_f(weft_mad_f(0x1.b81ec6p-7f, x2, weft_mad_f(0x1.f80f0cp-8f, x, 0x1.da4e46p-7f)), x2,
                      weft_mad_f(0x1.86e48cp-6f, x, 0x1.b299f2p-5f));
}

// (asinpi x - (asinpi x)'(0) x) / x^3, x = x^2; error 2^-55.9.
WEFT_INLINE double weft_poly_asinpi_d(double x)
{
    if (__weft_target_has_fma) {
        double x2 = x * x;
        double even = weft_mad_d(
            weft_mad_d(weft_mad_d(weft_mad_d(weft_mad_d(-0x1.5333b2b527ce3p-8, x2, 0x1.10052e158e40cp-9), x2,
                                             0x1.21a69dac48357p-8),
                                  x2, 0x1.d2b1178ac3101p-8),
                       x2, 0x1.d1a452bab01f8p-7),
            x2, 0x1.b2995e7b7b3bfp-5);
        double odd = weft_mad_d(
            weft_mad_d(weft_mad_d(weft_mad_d(weft_mad_d(0x1.4d1e8f2a68c43p-7, x2, 0x1.97d830546156p-8), x2,
                                             0x1.fbcb4e4742cadp-9),
                                  x2, 0x1.6a231b7ba4c33p-8),
                       x2, 0x1.3ce53451695afp-7),
            x2, 0x1.8723a1d5d48e6p-6);
        return weft_mad_d(odd, x, even);
    }
    double x2 = x * x;
    double x4 = x2 * x2;
    return weft_mad_d(weft_mad_d(weft_mad_d(weft_mad_d(0x1.4d1e8f2a68c43p-7, x, -0x1.5333b2b527ce3p-8), x2,
                                            weft_mad_d(0x1.97d830546156p-8, x, 0x1.10052e158e40cp-9)),
                                 x4,
                                 weft_mad_d(weft_mad_d(0x1.fbcb4e4742cadp-9, x, 0x1.21a69dac48357p-8), x2,
                                            weft_mad_d(0x1.6a231b7ba4c33p-8, x, 0x1.d2b1178ac3101p-8))),
                      x4,
                      weft_mad_d(weft_mad_d(0x1.3ce53451695afp-7, x, 0x1.d1a452bab01f8p-7), x2,
                                 weft_mad_d(0x1.8723a1d5d48e6p-6, x, 0x1.b2995e7b7b3bfp-5)));
}

// erfc(a)*e^(a*a)*(a+3), x = (a-3)/(a+3); error 2^-24.8.
WEFT_INLINE float weft_poly_erfcx_f(float x)
{
    float x2 = x * x;
    float x4 = x2 * x2;
    return weft_mad_f(weft_mad_f(weft_mad_f(-0x1.097e2cp-12f, x, -0x1.922baap-12f), x4,
                                 weft_mad_f(weft_mad_f(0x1.8de9d8p-9f, x, -0x1.586dacp-10f), x2,
                                            weft_mad_f(-0x1.b79ba2p-6f, x, 0x1.e9b1f4p-4f))),
                      x4,
                      weft_mad_f(weft_mad_f(-0x1.3deafcp-2f, x, 0x1.2e3216p-1f), x2,
                                 weft_mad_f(-0x1.c44c46p-1f, x, 0x1.12f21ep+0f)));
}

// erfc(a)*e^(a*a)*(a+3), x = (a-3)/(a+3); error 2^-53.9.
WEFT_INLINE double weft_poly_erfcx_d(double x)
{
    double x2 = x * x;
    double x4 = x2 * x2;
    double x8 = x4 * x4;
    return weft_mad_d(
        weft_mad_d(weft_mad_d(weft_mad_d(-0x1.dc77fdeb81da3p-29, x, -0x1.2f875859cf1ccp-29), x4,
                              weft_mad_d(weft_mad_d(0x1.4a27710de5db8p-25, x, 0x1.8635a3296ab85p-25), x2,
                                         weft_mad_d(-0x1.d2901106c26dp-23, x, -0x1.b31d741a555d8p-22))),
                   x8,
                   weft_mad_d(weft_mad_d(weft_mad_d(0x1.0899f208d680bp-20, x, 0x1.72cc7b949723ap-19), x2,
                                         weft_mad_d(-0x1.3e41eec1f67bap-18, x, -0x1.251579ca67b35p-16)),
                              x4,
                              weft_mad_d(weft_mad_d(0x1.fdf54b5132fe7p-16, x, 0x1.c324d10983fedp-14), x2,
                                         weft_mad_d(-0x1.2238db1447e39p-12, x, -0x1.1f78df0c71acep-11)))),
        x8,
        weft_mad_d(weft_mad_d(weft_mad_d(0x1.8dae3996651a6p-9, x, -0x1.3dd3e72c07d3p-10), x2,
                              weft_mad_d(-0x1.b78993d56413ep-6, x, 0x1.e995f11b1c417p-4)),
                   x4,
                   weft_mad_d(weft_mad_d(-0x1.3deb21415e7d9p-2, x, 0x1.2e326945de289p-1), x2,
                              weft_mad_d(-0x1.c44c471baa368p-1, x, 0x1.12f21ddd9f5e2p+0))));
}

// erfc(a)*e^(a*a), 0 <= a <= 3.75, x = a - 1.875; error 2^-22.2.
WEFT_INLINE float weft_poly_erfcx_near_f(float x)
{
    if (__weft_target_has_math_primitives) {
        float x2 = x * x;
        float even = weft_mad_f(
            weft_mad_f(weft_mad_f(weft_mad_f(weft_mad_f(weft_mad_f(0x1.5d0ce4p-20f, x2, 0x1.5d5bb8p-19f), x2,
                                                        0x1.720f38p-14f),
                                             x2, 0x1.92f4b8p-11f),
                                  x2, 0x1.ba1134p-8f),
                       x2, 0x1.8a6bcp-5f),
            x2, 0x1.13e578p-2f);
        float odd = weft_mad_f(
            weft_mad_f(weft_mad_f(weft_mad_f(weft_mad_f(weft_mad_f(-0x1.47517cp-22f, x2, -0x1.4a34c8p-20f),
                                                        x2, -0x1.99ded2p-16f),
                                             x2, -0x1.06fa4ap-12f),
                                  x2, -0x1.32f844p-9f),
                       x2, -0x1.2efd1ep-6f),
            x2, -0x1.e3655ap-4f);
        return weft_mad_f(odd, x, even);
    }
    float x2 = x * x;
    float x4 = x2 * x2;
    float x8 = x4 * x4;
    return weft_mad_f(weft_mad_f(weft_mad_f(-0x1.47517cp-22f, x, 0x1.5d0ce4p-20f), x4,
                                 weft_mad_f(weft_mad_f(-0x1.4a34c8p-20f, x, 0x1.5d5bb8p-19f), x2,
                                            weft_mad_f(-0x1.99ded2p-16f, x, 0x1.720f38p-14f))),
                      x8,
                      weft_mad_f(weft_mad_f(weft_mad_f(-0x1.06fa4ap-12f, x, 0x1.92f4b8p-11f), x2,
                                            weft_mad_f(-0x1.32f844p-9f, x, 0x1.ba1134p-8f)),
                                 x4,
                                 weft_mad_f(weft_mad_f(-0x1.2efd1ep-6f, x, 0x1.8a6bcp-5f), x2,
                                            weft_mad_f(-0x1.e3655ap-4f, x, 0x1.13e578p-2f))));
}

// (Gamma(a) - 1) / (a - 1) / (a - 2), 1 <= a <= 2, x = a - 1.5; error 2^-55.3.
WEFT_INLINE double weft_poly_gamma_d(double x)
{
    if (__weft_target_has_math_primitives) {
        double x2 = x * x;
        double even = weft_mad_d(
            weft_mad_d(
                weft_mad_d(
                    weft_mad_d(
                        weft_mad_d(weft_mad_d(weft_mad_d(weft_mad_d(weft_mad_d(0x1.8fb24355a3d51p-12, x2,
                                                                               0x1.be1871aeca81ep-12),
                                                                    x2, 0x1.31380194757f5p-10),
                                                         x2, 0x1.501c0d7280377p-9),
                                              x2, 0x1.7a67ce7525e22p-8),
                                   x2, 0x1.a8dde446a8da6p-7),
                        x2, 0x1.dc6e89d74883ap-6),
                    x2, 0x1.0dd84431aa158p-4),
                x2, 0x1.49f6dbfb3c5e4p-3),
            x2, 0x1.d203b725884a9p-2);
        double odd = weft_mad_d(
            weft_mad_d(
                weft_mad_d(
                    weft_mad_d(
                        weft_mad_d(weft_mad_d(weft_mad_d(weft_mad_d(weft_mad_d(-0x1.1a8a5994dcbd9p-12, x2,
                                                                               -0x1.1835066934732p-12),
                                                                    x2, -0x1.9ad58ef060d96p-11),
                                                         x2, -0x1.bfc14ce64ef8fp-10),
                                              x2, -0x1.f8cec40aafddp-9),
                                   x2, -0x1.1b89bc5c510ddp-7),
                        x2, -0x1.3d9d6c8d58514p-6),
                    x2, -0x1.5f0383224ab9bp-5),
                x2, -0x1.69694049fd247p-4),
            x2, -0x1.08ea88ee56183p-3);
        return weft_mad_d(odd, x, even);
    }
    double x2 = x * x;
    double x4 = x2 * x2;
    double x8 = x4 * x4;
    return weft_mad_d(
        weft_mad_d(weft_mad_d(weft_mad_d(-0x1.1a8a5994dcbd9p-12, x, 0x1.8fb24355a3d51p-12), x2,
                              weft_mad_d(-0x1.1835066934732p-12, x, 0x1.be1871aeca81ep-12)),
                   x8,
                   weft_mad_d(weft_mad_d(weft_mad_d(-0x1.9ad58ef060d96p-11, x, 0x1.31380194757f5p-10), x2,
                                         weft_mad_d(-0x1.bfc14ce64ef8fp-10, x, 0x1.501c0d7280377p-9)),
                              x4,
                              weft_mad_d(weft_mad_d(-0x1.f8cec40aafddp-9, x, 0x1.7a67ce7525e22p-8), x2,
                                         weft_mad_d(-0x1.1b89bc5c510ddp-7, x, 0x1.a8dde446a8da6p-7)))),
        x8,
        weft_mad_d(weft_mad_d(weft_mad_d(-0x1.3d9d6c8d58514p-6, x, 0x1.dc6e89d74883ap-6), x2,
                              weft_mad_d(-0x1.5f0383224ab9bp-5, x, 0x1.0dd84431aa158p-4)),
                   x4,
                   weft_mad_d(weft_mad_d(-0x1.69694049fd247p-4, x, 0x1.49f6dbfb3c5e4p-3), x2,
                              weft_mad_d(-0x1.08ea88ee56183p-3, x, 0x1.d203b725884a9p-2))));
}

// lnGamma(x + 1.5) / ((x + 0.5)*(x - 0.5)), |x| <= 0.5; error 2^-60.5.
WEFT_INLINE double weft_poly_lgamma_d(double x)
{
    if (__weft_target_has_math_primitives) {
        double x2 = x * x;
        double even = weft_mad_d(
            weft_mad_d(
                weft_mad_d(
                    weft_mad_d(
                        weft_mad_d(
                            weft_mad_d(weft_mad_d(weft_mad_d(weft_mad_d(weft_mad_d(0x1.97a691bd54434p-17, x2,
                                                                                   0x1.ba134f3d2203cp-17),
                                                                        x2, 0x1.68fdefca94922p-15),
                                                             x2, 0x1.b9e257272c735p-14),
                                                  x2, 0x1.1c7e4f4d85de8p-12),
                                       x2, 0x1.750a77d7c8f23p-11),
                            x2, 0x1.f814babe892b6p-10),
                        x2, 0x1.64f0664c373b4p-8),
                    x2, 0x1.133423527f3d7p-6),
                x2, 0x1.01af62a2929bfp-4),
            x2, 0x1.eeb95b094c191p-2);
        double odd = weft_mad_d(
            weft_mad_d(
                weft_mad_d(
                    weft_mad_d(
                        weft_mad_d(
                            weft_mad_d(weft_mad_d(weft_mad_d(weft_mad_d(weft_mad_d(-0x1.131c8460c9cd7p-17, x2,
                                                                                   -0x1.050f2d28faadcp-17),
                                                                        x2, -0x1.cdca3e0f7eddep-16),
                                                             x2, -0x1.14fd97ef00e86p-14),
                                                  x2, -0x1.624996ef771fdp-13),
                                       x2, -0x1.cb443ae42d6e9p-12),
                            x2, -0x1.313e8d5ed6e94p-10),
                        x2, -0x1.a50352204a1b5p-9),
                    x2, -0x1.34dbda14b4bdbp-7),
                x2, -0x1.007aa83cee04ep-5),
            x2, -0x1.2aed059bd608ap-3);
        return weft_mad_d(odd, x, even);
    }
    double x2 = x * x;
    double x4 = x2 * x2;
    double x8 = x4 * x4;
    return weft_mad_d(
        weft_mad_d(weft_mad_d(weft_mad_d(-0x1.131c8460c9cd7p-17, x, 0x1.97a691bd54434p-17), x4,
                              weft_mad_d(weft_mad_d(-0x1.050f2d28faadcp-17, x, 0x1.ba134f3d2203cp-17), x2,
                                         weft_mad_d(-0x1.cdca3e0f7eddep-16, x, 0x1.68fdefca94922p-15))),
                   x8,
                   weft_mad_d(weft_mad_d(weft_mad_d(-0x1.14fd97ef00e86p-14, x, 0x1.b9e257272c735p-14), x2,
                                         weft_mad_d(-0x1.624996ef771fdp-13, x, 0x1.1c7e4f4d85de8p-12)),
                              x4,
                              weft_mad_d(weft_mad_d(-0x1.cb443ae42d6e9p-12, x, 0x1.750a77d7c8f23p-11), x2,
                                         weft_mad_d(-0x1.313e8d5ed6e94p-10, x, 0x1.f814babe892b6p-10)))),
        x8,
        weft_mad_d(weft_mad_d(weft_mad_d(-0x1.a50352204a1b5p-9, x, 0x1.64f0664c373b4p-8), x2,
                              weft_mad_d(-0x1.34dbda14b4bdbp-7, x, 0x1.133423527f3d7p-6)),
                   x4,
                   weft_mad_d(weft_mad_d(-0x1.007aa83cee04ep-5, x, 0x1.01af62a2929bfp-4), x2,
                              weft_mad_d(-0x1.2aed059bd608ap-3, x, 0x1.eeb95b094c191p-2))));
}

// (lnGamma(v) - (v - 1/2) ln v + v - ln(2 pi)/2) * v, v >= 8, x = 1/v^2; error 2^-54.6.
WEFT_INLINE double weft_poly_stirling_d(double x)
{
    if (__weft_target_has_math_primitives) {
        return weft_mad_d(
            weft_mad_d(weft_mad_d(weft_mad_d(weft_mad_d(-0x1.b17bea3106ca7p-10, x, 0x1.b6ffc5c2ad7fdp-11), x,
                                             -0x1.380ed1ba633acp-11),
                                  x, 0x1.a019fd53ba6c4p-11),
                       x, -0x1.6c16c16bbaf18p-9),
            x, 0x1.5555555555553p-4);
    }
    double x2 = x * x;
    return weft_mad_d(weft_mad_d(weft_mad_d(-0x1.b17bea3106ca7p-10, x, 0x1.b6ffc5c2ad7fdp-11), x2,
                                 weft_mad_d(-0x1.380ed1ba633acp-11, x, 0x1.a019fd53ba6c4p-11)),
                      x2, weft_mad_d(-0x1.6c16c16bbaf18p-9, x, 0x1.5555555555553p-4));
}

// ((1-x)^(-1/3) - 1) / x, |x| < 0.103; error 2^-18.4.
WEFT_INLINE float weft_poly_rcbrt_step_f(float x)
{
    return weft_mad_f(weft_mad_f(0x1.6538f4p-3f, x, 0x1.c9b8dcp-3f), x, 0x1.555462p-2f);
}

// ((1-x)^(-1/3) - 1) / x, |x| < 0.103; error 2^-23.4.
WEFT_INLINE double weft_poly_rcbrt_step_d(double x)
{
    if (__weft_target_has_math_primitives) {
        return weft_mad_d(
            weft_mad_d(weft_mad_d(0x1.2a9f8fd4c5d9ap-3, x, 0x1.65608e528e916p-3), x, 0x1.c718fd1969b4p-3), x,
            0x1.555430adaa21cp-2);
    }
    double x2 = x * x;
    return weft_mad_d(weft_mad_d(0x1.2a9f8fd4c5d9ap-3, x, 0x1.65608e528e916p-3), x2,
                      weft_mad_d(0x1.c718fd1969b4p-3, x, 0x1.555430adaa21cp-2));
}

// (sin r - r) / r^3, |r| <= pi/2, x = r^2; error 2^-27.3.
WEFT_INLINE float weft_poly_sin_half_f(float x)
{
    if (__weft_target_has_math_primitives) {
        return weft_mad_f(weft_mad_f(weft_mad_f(0x1.5dc45ep-19f, x, -0x1.9f70bp-13f), x, 0x1.110edap-7f), x,
                          -0x1.55554cp-3f);
    }
    float x2 = x * x;
    return weft_mad_f(weft_mad_f(0x1.5dc45ep-19f, x, -0x1.9f70bp-13f), x2,
                      weft_mad_f(0x1.110edap-7f, x, -0x1.55554cp-3f));
}

// (sin r - r) / r^3, |r| <= pi/2, x = r^2; error 2^-61.6.
WEFT_INLINE double weft_poly_sin_half_d(double x)
{
    if (__weft_target_has_math_primitives) {
        double x2 = x * x;
        double even = weft_mad_d(weft_mad_d(weft_mad_d(-0x1.ae4382edef724p-41, x2, -0x1.ae6454d468402p-26),
                                            x2, -0x1.a01a01a014d6ep-13),
                                 x2, -0x1.5555555555555p-3);
        double odd = weft_mad_d(weft_mad_d(weft_mad_d(0x1.8833e0315f38ap-49, x2, 0x1.6123cd02e1756p-33), x2,
                                           0x1.71de3a52a0a16p-19),
                                x2, 0x1.11111111110c8p-7);
        return weft_mad_d(odd, x, even);
    }
    double x2 = x * x;
    double x4 = x2 * x2;
    return weft_mad_d(weft_mad_d(weft_mad_d(0x1.8833e0315f38ap-49, x, -0x1.ae4382edef724p-41), x2,
                                 weft_mad_d(0x1.6123cd02e1756p-33, x, -0x1.ae6454d468402p-26)),
                      x4,
                      weft_mad_d(weft_mad_d(0x1.71de3a52a0a16p-19, x, -0x1.a01a01a014d6ep-13), x2,
                                 weft_mad_d(0x1.11111111110c8p-7, x, -0x1.5555555555555p-3)));
}

// (sin(pi x) / x without its two lowest terms) / x^4, |x| <= 1/2, x = x^2; error 2^-27.2.
WEFT_INLINE float weft_poly_sinpi_f(float x)
{
    return weft_mad_f(weft_mad_f(0x1.3e3cp-4f, x, -0x1.32588p-1f), x, 0x1.46693ap+1f);
}

// (sin(pi x) / x without its two lowest terms) / x^4, |x| <= 1/2, x = x^2; error 2^-60.6.
WEFT_INLINE double weft_poly_sinpi_d(double x)
{
    if (__weft_target_has_math_primitives) {
        return weft_mad_d(weft_mad_d(weft_mad_d(weft_mad_d(weft_mad_d(weft_mad_d(0x1.9bfdf4a1091p-21, x,
                                                                                 -0x1.6f70d0900dce2p-16),
                                                                      x, 0x1.e8f328bef712fp-12),
                                                           x, -0x1.e3074d307a6f9p-8),
                                                x, 0x1.50783483ec78p-4),
                                     x, -0x1.32d2cce62530ap-1),
                          x, 0x1.466bc6775aa36p+1);
    }
    double x2 = x * x;
    double x4 = x2 * x2;
    return weft_mad_d(
        weft_mad_d(0x1.9bfdf4a1091p-21, x2, weft_mad_d(-0x1.6f70d0900dce2p-16, x, 0x1.e8f328bef712fp-12)), x4,
        weft_mad_d(weft_mad_d(-0x1.e3074d307a6f9p-8, x, 0x1.50783483ec78p-4), x2,
                   weft_mad_d(-0x1.32d2cce62530ap-1, x, 0x1.466bc6775aa36p+1)));
}

// (sin r - r) / r^3, |r| <= pi/2, x = r^2; error 2^-12.6.
WEFT_INLINE float weft_poly_sin_brief_f(float x)
{
    return weft_mad_f(0x1.f2d7e8p-8f, x, -0x1.541416p-3f);
}

// (e^x - 1 - x) / x^2 for a sixteenth of an octave; error 2^-29.2.
WEFT_INLINE float weft_poly_exp_step_f(float x)
{
    return weft_mad_f(0x1.555764p-3f, x, 0x1.000222p-1f);
}

// (e^x - 1 - x) / x^2 for a sixteenth of an octave; error 2^-56.2.
WEFT_INLINE double weft_poly_exp_step_d(double x)
{
    if (__weft_target_has_math_primitives) {
        return weft_mad_d(weft_mad_d(weft_mad_d(weft_mad_d(0x1.6c185fd9d41d4p-10, x, 0x1.11123be0c974p-7), x,
                                                0x1.555555545c4fap-5),
                                     x, 0x1.555555548df09p-3),
                          x, 0x1.0000000000005p-1);
    }
    double x2 = x * x;
    return weft_mad_d(
        weft_mad_d(0x1.6c185fd9d41d4p-10, x2, weft_mad_d(0x1.11123be0c974p-7, x, 0x1.555555545c4fap-5)), x2,
        weft_mad_d(0x1.555555548df09p-3, x, 0x1.0000000000005p-1));
}

// (2^x - 1 - x ln 2) / x^2, |x| <= 1/32; error 2^-29.2.
WEFT_INLINE float weft_poly_exp2_step_f(float x)
{
    return weft_mad_f(0x1.c6b354p-5f, x, 0x1.ec0004p-3f);
}

// (ln(1+x) - x) / x^2, -1/4 <= x <= 1/2; error 2^-25.1.
WEFT_INLINE float weft_poly_log_wide_f(float x)
{
    float x2 = x * x;
    float x4 = x2 * x2;
    return weft_mad_f(weft_mad_f(weft_mad_f(0x1.bb74f2p-5f, x, -0x1.ee4806p-4f), x2,
                                 weft_mad_f(0x1.32deecp-3f, x, -0x1.5887f6p-3f)),
                      x4,
                      weft_mad_f(weft_mad_f(0x1.99216ap-3f, x, -0x1.ffdd9ep-3f), x2,
                                 weft_mad_f(0x1.5555e6p-2f, x, -0x1.000014p-1f)));
}

// (ln(1+x) - x) / x^2 / ln(2), -1/4 <= x <= 1/2; error 2^-25.1.
WEFT_INLINE float weft_poly_log2_wide_f(float x)
{
    float x2 = x * x;
    float x4 = x2 * x2;
    return weft_mad_f(weft_mad_f(weft_mad_f(0x1.3fe2fp-4f, x, -0x1.648c72p-3f), x2,
                                 weft_mad_f(0x1.bab892p-3f, x, -0x1.f10da4p-3f)),
                      x4,
                      weft_mad_f(weft_mad_f(0x1.272012p-2f, x, -0x1.713baap-2f), x2,
                                 weft_mad_f(0x1.ec716ep-2f, x, -0x1.715494p-1f)));
}

// (ln(1+x) - x) / x^2 / ln(10), -1/4 <= x <= 1/2; error 2^-25.1.
WEFT_INLINE float weft_poly_log10_wide_f(float x)
{
    float x2 = x * x;
    float x4 = x2 * x2;
    return weft_mad_f(weft_mad_f(weft_mad_f(0x1.812e84p-6f, x, -0x1.ad53cap-5f), x2,
                                 weft_mad_f(0x1.0a8b6ap-4f, x, -0x1.2b4182p-4f)),
                      x4,
                      weft_mad_f(weft_mad_f(0x1.635dc2p-4f, x, -0x1.bc99d4p-4f), x2,
                                 weft_mad_f(0x1.287af4p-3f, x, -0x1.bcb7d4p-3f)));
}

// (2 * 2^x - 2 - 0x1.62e12ap+0f x) / x^2, |x| <= 1/2; error 2^-18.4.
WEFT_INLINE float weft_poly_exp2_native_f(float x)
{
    return weft_mad_f(weft_mad_f(0x1.3a0216p-6f, x, 0x1.c9fdeep-4f), x, 0x1.ec038p-2f);
}

// (log(1+x) - x log(e)) / x^2 without its two lowest terms, / x^2; error 2^-19.5.
WEFT_INLINE float weft_poly_log_native_f(float x)
{
    if (__weft_target_has_math_primitives) {
        return weft_mad_f(weft_mad_f(weft_mad_f(0x1.e9736ep-4f, x, -0x1.7cacc8p-3f), x, 0x1.a2cc44p-3f), x,
                          -0x1.fe57ap-3f);
    }
    float x2 = x * x;
    return weft_mad_f(weft_mad_f(0x1.e9736ep-4f, x, -0x1.7cacc8p-3f), x2,
                      weft_mad_f(0x1.a2cc44p-3f, x, -0x1.fe57ap-3f));
}

// (log(1+x) - x log(e)) / x^2; error 2^-14.0.
WEFT_INLINE float weft_poly_log_half_f(float x)
{
    if (__weft_target_has_math_primitives) {
        return weft_mad_f(weft_mad_f(weft_mad_f(0x1.6d6092p-3f, x, -0x1.146472p-2f), x, 0x1.57c39cp-2f), x,
                          -0x1.ff8658p-2f);
    }
    float x2 = x * x;
    return weft_mad_f(weft_mad_f(0x1.6d6092p-3f, x, -0x1.146472p-2f), x2,
                      weft_mad_f(0x1.57c39cp-2f, x, -0x1.ff8658p-2f));
}

// (log2(1+x) - x log2(e)) / x^2 without its two lowest terms, / x^2; error 2^-19.5.
WEFT_INLINE float weft_poly_log2_native_f(float x)
{
    if (__weft_target_has_math_primitives) {
        return weft_mad_f(weft_mad_f(weft_mad_f(0x1.61107p-3f, x, -0x1.129952p-2f), x, 0x1.2e194cp-2f), x,
                          -0x1.702258p-2f);
    }
    float x2 = x * x;
    return weft_mad_f(weft_mad_f(0x1.61107p-3f, x, -0x1.129952p-2f), x2,
                      weft_mad_f(0x1.2e194cp-2f, x, -0x1.702258p-2f));
}

// (log2(1+x) - x log2(e)) / x^2; error 2^-14.0.
WEFT_INLINE float weft_poly_log2_half_f(float x)
{
    if (__weft_target_has_math_primitives) {
        return weft_mad_f(weft_mad_f(weft_mad_f(0x1.07906p-2f, x, -0x1.8ebffap-2f), x, 0x1.eff25ep-2f), x,
                          -0x1.70fcb6p-1f);
    }
    float x2 = x * x;
    return weft_mad_f(weft_mad_f(0x1.07906p-2f, x, -0x1.8ebffap-2f), x2,
                      weft_mad_f(0x1.eff25ep-2f, x, -0x1.70fcb6p-1f));
}

// (log10(1+x) - x log10(e)) / x^2 without its two lowest terms, / x^2; error 2^-19.5.
WEFT_INLINE float weft_poly_log10_native_f(float x)
{
    if (__weft_target_has_math_primitives) {
        return weft_mad_f(weft_mad_f(weft_mad_f(0x1.a921b4p-5f, x, -0x1.4aa66ap-4f), x, 0x1.6bc364p-4f), x,
                          -0x1.bb4716p-4f);
    }
    float x2 = x * x;
    return weft_mad_f(weft_mad_f(0x1.a921b4p-5f, x, -0x1.4aa66ap-4f), x2,
                      weft_mad_f(0x1.6bc364p-4f, x, -0x1.bb4716p-4f));
}

// (log10(1+x) - x log10(e)) / x^2; error 2^-14.0.
WEFT_INLINE float weft_poly_log10_half_f(float x)
{
    if (__weft_target_has_math_primitives) {
        return weft_mad_f(weft_mad_f(weft_mad_f(0x1.3d5cd6p-4f, x, -0x1.e0248ap-4f), x, 0x1.2a96f6p-3f), x,
                          -0x1.bc4e06p-3f);
    }
    float x2 = x * x;
    return weft_mad_f(weft_mad_f(0x1.3d5cd6p-4f, x, -0x1.e0248ap-4f), x2,
                      weft_mad_f(0x1.2a96f6p-3f, x, -0x1.bc4e06p-3f));
}

// 2^x (1 + 2^-13), 0 <= x <= 1; error 2^-13.7.
WEFT_INLINE float weft_poly_exp2_half_f(float x)
{
    if (__weft_target_has_math_primitives) {
        return weft_mad_f(weft_mad_f(weft_mad_f(0x1.3fa07p-4f, x, 0x1.cf0afcp-3f), x, 0x1.644f64p-1f), x,
                          0x1.00031ap+0f);
    }
    float x2 = x * x;
    return weft_mad_f(weft_mad_f(0x1.3fa07p-4f, x, 0x1.cf0afcp-3f), x2,
                      weft_mad_f(0x1.644f64p-1f, x, 0x1.00031ap+0f));
}

// (x + 1.5)^(-1/3), |x| <= 1/2; error 2^-17.4.
WEFT_INLINE double weft_poly_rcbrt_octave_d(double x)
{
    if (__weft_target_has_math_primitives) {
        return weft_mad_d(
            weft_mad_d(weft_mad_d(weft_mad_d(weft_mad_d(-0x1.16d6c31aead6ap-6, x, 0x1.d1c7466849923p-6), x,
                                             -0x1.6b7e26d7d3535p-5),
                                  x, 0x1.5ff9dd0fa9ea1p-4),
                       x, -0x1.8d9a2790eb41bp-3),
            x, 0x1.bf4695a007bb6p-1);
    }
    double x2 = x * x;
    return weft_mad_d(weft_mad_d(weft_mad_d(-0x1.16d6c31aead6ap-6, x, 0x1.d1c7466849923p-6), x2,
                                 weft_mad_d(-0x1.6b7e26d7d3535p-5, x, 0x1.5ff9dd0fa9ea1p-4)),
                      x2, weft_mad_d(-0x1.8d9a2790eb41bp-3, x, 0x1.bf4695a007bb6p-1));
}

// (cbrt(x + 1.5) - 0x1.250bfep+0f) / x, |x| <= 0.5; error 2^-28.1.
WEFT_INLINE float weft_poly_cbrt_rest_f(float x)
{
    if (__weft_target_has_math_primitives) {
        float x2 = x * x;
        float even =
            weft_mad_f(weft_mad_f(weft_mad_f(0x1.9178a2p-10f, x2, 0x1.26d332p-8f), x2, 0x1.5715e6p-6f), x2,
                       0x1.047c6cp-2f);
        float odd =
            weft_mad_f(weft_mad_f(weft_mad_f(-0x1.dd7e84p-11f, x2, -0x1.2dd1fcp-9f), x2, -0x1.311e3ap-7f), x2,
                       -0x1.cf1598p-5f);
        return weft_mad_f(odd, x, even);
    }
    float x2 = x * x;
    float x4 = x2 * x2;
    return weft_mad_f(weft_mad_f(weft_mad_f(-0x1.dd7e84p-11f, x, 0x1.9178a2p-10f), x2,
                                 weft_mad_f(-0x1.2dd1fcp-9f, x, 0x1.26d332p-8f)),
                      x4,
                      weft_mad_f(weft_mad_f(-0x1.311e3ap-7f, x, 0x1.5715e6p-6f), x2,
                                 weft_mad_f(-0x1.cf1598p-5f, x, 0x1.047c6cp-2f)));
}

// (log2(1+x) - x/ln 2) / x^2 within a step; error 2^-33.9.
WEFT_INLINE float weft_poly_log2_step_f(float x)
{
    if (__weft_target_has_math_primitives) {
        return weft_mad_f(
            weft_mad_f(weft_mad_f(weft_mad_f(-0x1.cd0a24p-3f, x, 0x1.27bd9ap-2f), x, -0x1.715d22p-2f), x,
                       0x1.ec709cp-2f),
            x, -0x1.715476p-1f);
    }
    float x2 = x * x;
    return weft_mad_f(weft_mad_f(-0x1.cd0a24p-3f, x2, weft_mad_f(0x1.27bd9ap-2f, x, -0x1.715d22p-2f)), x2,
                      weft_mad_f(0x1.ec709cp-2f, x, -0x1.715476p-1f));
}

// (ln(1+x) - x) / x^2 within a step; error 2^-61.7.
WEFT_INLINE double weft_poly_log_step_d(double x)
{
    if (__weft_target_has_math_primitives) {
        double x2 = x * x;
        double even =
            weft_mad_d(weft_mad_d(weft_mad_d(weft_mad_d(-0x1.990edc18e3603p-4, x2, -0x1.00009806ee866p-3), x2,
                                             -0x1.5555551ccf50dp-3),
                                  x2, -0x1.0000000003c09p-2),
                       x2, -0x1.ffffffffffffep-2);
        double odd =
            weft_mad_d(weft_mad_d(weft_mad_d(weft_mad_d(0x1.48d0cef24c961p-4, x2, 0x1.c741a80e194b4p-4), x2,
                                             0x1.249243afb2223p-3),
                                  x2, 0x1.9999999a404dp-3),
                       x2, 0x1.555555555551ep-2);
        return weft_mad_d(odd, x, even);
    }
    double x2 = x * x;
    double x4 = x2 * x2;
    return weft_mad_d(weft_mad_d(weft_mad_d(0x1.48d0cef24c961p-4, x, -0x1.990edc18e3603p-4), x4,
                                 weft_mad_d(weft_mad_d(0x1.c741a80e194b4p-4, x, -0x1.00009806ee866p-3), x2,
                                            weft_mad_d(0x1.249243afb2223p-3, x, -0x1.5555551ccf50dp-3))),
                      x4,
                      weft_mad_d(weft_mad_d(0x1.9999999a404dp-3, x, -0x1.0000000003c09p-2), x2,
                                 weft_mad_d(0x1.555555555551ep-2, x, -0x1.ffffffffffffep-2)));
}

// (ln(1+x) - x + x^2/2) / x^3 within a step; error 2^-61.2.
WEFT_INLINE double weft_poly_log_cubed_step_d(double x)
{
    if (__weft_target_has_math_primitives) {
        double x2 = x * x;
        double even =
            weft_mad_d(weft_mad_d(weft_mad_d(weft_mad_d(0x1.4a892f69f9defp-4, x2, 0x1.c73db954454e1p-4), x2,
                                             0x1.249244b37e57ap-3),
                                  x2, 0x1.9999999a1207cp-3),
                       x2, 0x1.5555555555532p-2);
        double odd = weft_mad_d(weft_mad_d(weft_mad_d(-0x1.992739fadeb39p-4, x2, -0x1.0000783f6bd63p-3), x2,
                                           -0x1.555555302a5dfp-3),
                                x2, -0x1.0000000001a06p-2);
        return weft_mad_d(odd, x, even);
    }
    double x2 = x * x;
    double x4 = x2 * x2;
    return weft_mad_d(weft_mad_d(0x1.4a892f69f9defp-4, x4,
                                 weft_mad_d(weft_mad_d(-0x1.992739fadeb39p-4, x, 0x1.c73db954454e1p-4), x2,
                                            weft_mad_d(-0x1.0000783f6bd63p-3, x, 0x1.249244b37e57ap-3))),
                      x4,
                      weft_mad_d(weft_mad_d(-0x1.555555302a5dfp-3, x, 0x1.9999999a1207cp-3), x2,
                                 weft_mad_d(-0x1.0000000001a06p-2, x, 0x1.5555555555532p-2)));
}

// The top of tan r / r, |r| <= pi/4, x = r^2; error 2^-25.2.
WEFT_INLINE float weft_poly_tan_top_f(float x)
{
    return weft_mad_f(-0x1.88561cp-4f, x, 0x1p+0f);
}

// The bottom of tan r / r, |r| <= pi/4, x = r^2; error 2^-25.2.
WEFT_INLINE float weft_poly_tan_bottom_f(float x)
{
    return weft_mad_f(weft_mad_f(0x1.3e34c4p-7f, x, -0x1.b76afep-2f), x, 0x1p+0f);
}

// The top of tan r / r, |r| <= pi/4, x = r^2; error 2^-55.3.
WEFT_INLINE double weft_poly_tan_top_d(double x)
{
    if (__weft_target_has_math_primitives) {
        return weft_mad_d(
            weft_mad_d(weft_mad_d(-0x1.f630654d695bep-18, x, 0x1.6fc57de8edb63p-9), x, -0x1.06b9461680353p-3),
            x, 0x1p+0);
    }
    double x2 = x * x;
    return weft_mad_d(weft_mad_d(-0x1.f630654d695bep-18, x, 0x1.6fc57de8edb63p-9), x2,
                      weft_mad_d(-0x1.06b9461680353p-3, x, 0x1p+0));
}

// The bottom of tan r / r, |r| <= pi/4, x = r^2; error 2^-55.3.
WEFT_INLINE double weft_poly_tan_bottom_d(double x)
{
    if (__weft_target_has_math_primitives) {
        return weft_mad_d(
            weft_mad_d(weft_mad_d(-0x1.b5223d50ad933p-13, x, 0x1.7e7aa937adccdp-6), x, -0x1.d8b1f860956d9p-2),
            x, 0x1p+0);
    }
    double x2 = x * x;
    return weft_mad_d(weft_mad_d(-0x1.b5223d50ad933p-13, x, 0x1.7e7aa937adccdp-6), x2,
                      weft_mad_d(-0x1.d8b1f860956d9p-2, x, 0x1p+0));
}

// The top of tan(pi r) / (pi r), |r| <= 1/4, x = r^2; error 2^-25.1.
WEFT_INLINE float weft_poly_tanpi_top_f(float x)
{
    return weft_mad_f(-0x1.e4036ap-1f, x, 0x1p+0f);
}

// The bottom of tan(pi r) / (pi r), |r| <= 1/4, x = r^2; error 2^-25.1.
WEFT_INLINE float weft_poly_tanpi_bottom_f(float x)
{
    return weft_mad_f(weft_mad_f(0x1.e445d4p-1f, x, -0x1.0f0db6p+2f), x, 0x1p+0f);
}

// The top of tan(pi r) / (pi r), |r| <= 1/4, x = r^2; error 2^-55.1.
WEFT_INLINE double weft_poly_tanpi_top_d(double x)
{
    if (__weft_target_has_math_primitives) {
        return weft_mad_d(
            weft_mad_d(weft_mad_d(-0x1.d775c55a913d1p-8, x, 0x1.17df94ddafdf2p-2), x, -0x1.441f1ca04e69dp+0),
            x, 0x1p+0);
    }
    double x2 = x * x;
    return weft_mad_d(weft_mad_d(-0x1.d775c55a913d1p-8, x, 0x1.17df94ddafdf2p-2), x2,
                      weft_mad_d(-0x1.441f1ca04e69dp+0, x, 0x1p+0));
}

// The bottom of tan(pi r) / (pi r), |r| <= 1/4, x = r^2; error 2^-55.1.
WEFT_INLINE double weft_poly_tanpi_bottom_d(double x)
{
    if (__weft_target_has_math_primitives) {
        return weft_mad_d(
            weft_mad_d(weft_mad_d(-0x1.9a6520ab5f748p-3, x, 0x1.2311667f39bc9p+1), x, -0x1.2394fa3aabd7ap+2),
            x, 0x1p+0);
    }
    double x2 = x * x;
    return weft_mad_d(weft_mad_d(-0x1.9a6520ab5f748p-3, x, 0x1.2311667f39bc9p+1), x2,
                      weft_mad_d(-0x1.2394fa3aabd7ap+2, x, 0x1p+0));
}

// The top of erf x / x * sqrt(pi) / 2, |x| <= 3.92, x = x^2; error 2^-24.3.
WEFT_INLINE float weft_poly_erf_top_f(float x)
{
    if (__weft_target_has_math_primitives) {
        return weft_mad_f(weft_mad_f(weft_mad_f(weft_mad_f(weft_mad_f(0x1.e890dap-20f, x, 0x1.07f048p-12f), x,
                                                           0x1.b1b782p-9f),
                                                x, 0x1.7e3c78p-5f),
                                     x, 0x1.58461ap-3f),
                          x, 0x1p+0f);
    }
    float x2 = x * x;
    return weft_mad_f(weft_mad_f(weft_mad_f(0x1.e890dap-20f, x, 0x1.07f048p-12f), x2,
                                 weft_mad_f(0x1.b1b782p-9f, x, 0x1.7e3c78p-5f)),
                      x2, weft_mad_f(0x1.58461ap-3f, x, 0x1p+0f));
}

// The bottom of erf x / x * sqrt(pi) / 2, |x| <= 3.92, x = x^2; error 2^-24.3.
WEFT_INLINE float weft_poly_erf_bottom_f(float x)
{
    if (__weft_target_has_math_primitives) {
        return weft_mad_f(weft_mad_f(weft_mad_f(weft_mad_f(weft_mad_f(0x1.3f7a18p-15f, x, 0x1.2ea97cp-10f), x,
                                                           0x1.e86cc4p-7f),
                                                x, 0x1.d22778p-4f),
                                     x, 0x1.00bc24p-1f),
                          x, 0x1p+0f);
    }
    float x2 = x * x;
    return weft_mad_f(weft_mad_f(weft_mad_f(0x1.3f7a18p-15f, x, 0x1.2ea97cp-10f), x2,
                                 weft_mad_f(0x1.e86cc4p-7f, x, 0x1.d22778p-4f)),
                      x2, weft_mad_f(0x1.00bc24p-1f, x, 0x1p+0f));
}

#endif
