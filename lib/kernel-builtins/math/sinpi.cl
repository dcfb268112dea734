// sinpi, cospi and tanpi. The reduction is exact, so no separate path for large arguments is needed.
#include "weft_trig.h"

float WEFT_API sinpi(float x)
{
    return weft_sinpi_f(x);
}
WEFT_V1(float, sinpi, float)

float WEFT_API cospi(float x)
{
    return weft_cospi_turn_f(weft_reduce_even_f(x));
}
WEFT_V1(float, cospi, float)

// tanpi(n) is 0, with the sign of x for even n and the opposite sign for odd n. tanpi(n + 1/2) is +inf for
// even n and -inf for odd n. The signs of the quotient are already so.
// |x| = (n / 2) + r with |r| <= 1/4. If n is even, tan(pi r) is the result, else -1 / tan(pi r). The sums
// make each zero positive, before the signs for odd n/2 come to it.
float WEFT_API tanpi(float x)
{
    float a = weft_abs_f(x), t = weft_mad_f(2.0f, a, 0x1.8p23f);
    float r = weft_mad_f(-0.5f, t - 0x1.8p23f, a), z = r * r;
    uint n = weft_bits_f(t), turn = n << 30 & 0x80000000u;
    float top = r * (WEFT_PI_1F * weft_poly_tanpi_top_f(z)), bottom = weft_poly_tanpi_bottom_f(z);
    top = weft_from_f(weft_bits_f(top) ^ turn ^ n << 31) + 0.0f;
    bottom = weft_from_f(weft_bits_f(bottom) ^ turn);
    float y = (n & 1 ? bottom : top) / (n & 1 ? top : bottom);
    if (__builtin_expect(!(a < 0x1p20f), 0)) {
        y = weft_reduce_even_f(a);
        y = weft_sinpi_turn_f(y) / weft_cospi_turn_f(y);
    }
    return weft_flip_f(y, x);
}
WEFT_V1(float, tanpi, float)

double WEFT_API sinpi(double x)
{
    return weft_sinpi_d(x);
}
WEFT_V1(double, sinpi, double)

double WEFT_API cospi(double x)
{
    return weft_cospi_turn_d(weft_reduce_even_d(x));
}
WEFT_V1(double, cospi, double)

double WEFT_API tanpi(double x)
{
    double a = weft_abs_d(x), t = weft_mad_d(2.0, a, 0x1.8p52);
    double r = weft_mad_d(-0.5, t - 0x1.8p52, a), z = r * r;
    ulong n = weft_bits_d(t), turn = n << 62 & WEFT_SIGN_D;
    double top = r * (WEFT_PI_1D * weft_poly_tanpi_top_d(z)), bottom = weft_poly_tanpi_bottom_d(z);
    top = weft_from_d(weft_bits_d(top) ^ turn ^ n << 63) + 0.0;
    bottom = weft_from_d(weft_bits_d(bottom) ^ turn);
    double y = (n & 1 ? bottom : top) / (n & 1 ? top : bottom);
    if (__builtin_expect(!(a < 0x1p49), 0)) {
        y = weft_reduce_even_d(a);
        y = weft_sinpi_turn_d(y) / weft_cospi_turn_d(y);
    }
    return weft_flip_d(y, x);
}
WEFT_V1(double, tanpi, double)
