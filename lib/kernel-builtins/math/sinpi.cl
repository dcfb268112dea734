// sinpi, cospi and tanpi: the reduction is exact, so these need no large-argument path.
#include "weft_trig.h"

float WEFT_API sinpi(float x)
{
    int n;
    float r = weft_reduce_pi_f(x, &n);
    float y = n & 1 ? weft_cos_small_f(r) : weft_sin_small_f(r);
    y = n & 2 ? -y : y;
    // A result of zero has the sign of x.
    y = y == 0.0f ? weft_sign_f(0.0f, x) : y;
    return weft_abs_f(x) < WEFT_INF_F ? y : WEFT_NAN_F;
}
WEFT_V1(float, sinpi, float)

float WEFT_API cospi(float x)
{
    int n;
    float r = weft_reduce_pi_f(x, &n);
    float y = n & 1 ? weft_sin_small_f(r) : weft_cos_small_f(r);
    y = (n + 1) & 2 ? -y : y;
    // The zeros at n + 1/2 are positive.
    y = y == 0.0f ? 0.0f : y;
    return weft_abs_f(x) < WEFT_INF_F ? y : WEFT_NAN_F;
}
WEFT_V1(float, cospi, float)

// tanpi(n) is 0 with the sign of x for even n and the opposite sign for odd n; tanpi(n + 1/2) is +inf for
// even n and -inf for odd n.
float WEFT_API tanpi(float x)
{
    int n;
    float r = weft_reduce_pi_f(x, &n);
    float s = weft_sin_small_f(r), t = weft_cos_small_f(r);
    float y = (n & 1 ? -t : s) / (n & 1 ? s : t);
    float edge = n & 1 ? (n & 2 ? -WEFT_INF_F : WEFT_INF_F) : weft_sign_f(0.0f, n & 2 ? -x : x);
    y = r == 0.0f ? edge : y;
    return weft_abs_f(x) < WEFT_INF_F ? y : WEFT_NAN_F;
}
WEFT_V1(float, tanpi, float)

double WEFT_API sinpi(double x)
{
    return weft_sinpi_d(x);
}
WEFT_V1(double, sinpi, double)

double WEFT_API cospi(double x)
{
    long n;
    double low;
    double r = weft_reduce_pi_d(x, &low, &n);
    double y = n & 1 ? weft_sin_small_d(r, low) : weft_cos_small_d(r, low);
    y = (n + 1) & 2 ? -y : y;
    y = y == 0.0 ? 0.0 : y;
    return weft_abs_d(x) < WEFT_INF_D ? y : WEFT_NAN_D;
}
WEFT_V1(double, cospi, double)

double WEFT_API tanpi(double x)
{
    long n;
    double low;
    double r = weft_reduce_pi_d(x, &low, &n);
    double s = weft_sin_small_d(r, low), t = weft_cos_small_d(r, low);
    double y = (n & 1 ? -t : s) / (n & 1 ? s : t);
    double edge = n & 1 ? (n & 2 ? -WEFT_INF_D : WEFT_INF_D) : weft_sign_d(0.0, n & 2 ? -x : x);
    y = r == 0.0 ? edge : y;
    return weft_abs_d(x) < WEFT_INF_D ? y : WEFT_NAN_D;
}
WEFT_V1(double, tanpi, double)
