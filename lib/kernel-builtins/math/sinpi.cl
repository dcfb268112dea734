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
float WEFT_API tanpi(float x)
{
    float y = weft_reduce_even_f(x);
    return weft_flip_f(weft_sinpi_turn_f(y) / weft_cospi_turn_f(y), x);
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
    double y = weft_reduce_even_d(x);
    return weft_flip_d(weft_sinpi_turn_d(y) / weft_cospi_turn_d(y), x);
}
WEFT_V1(double, tanpi, double)
