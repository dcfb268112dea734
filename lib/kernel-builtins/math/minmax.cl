// fmax, fmin, maxmag, minmag, fdim, fabs, copysign.
#include "weft_math.h"

// A NaN loses against a number.
float WEFT_API fmax(float x, float y)
{
    return y > x || x != x ? y : x;
}
WEFT_V2(float, fmax, float, float)
WEFT_V2S(float, fmax, float, float)

float WEFT_API fmin(float x, float y)
{
    return y < x || x != x ? y : x;
}
WEFT_V2(float, fmin, float, float)
WEFT_V2S(float, fmin, float, float)

float WEFT_API maxmag(float x, float y)
{
    float a = weft_abs_f(x), b = weft_abs_f(y);
    return a > b ? x : b > a ? y : fmax(x, y);
}
WEFT_V2(float, maxmag, float, float)

float WEFT_API minmag(float x, float y)
{
    float a = weft_abs_f(x), b = weft_abs_f(y);
    return a < b ? x : b < a ? y : fmin(x, y);
}
WEFT_V2(float, minmag, float, float)

float WEFT_API fdim(float x, float y)
{
    float d = x > y ? x - y : 0.0f;
    return x != x || y != y ? WEFT_NAN_F : d;
}
WEFT_V2(float, fdim, float, float)

float WEFT_API fabs(float x)
{
    return weft_abs_f(x);
}
WEFT_V1(float, fabs, float)

float WEFT_API copysign(float x, float y)
{
    return weft_sign_f(x, y);
}
WEFT_V2(float, copysign, float, float)

// A NaN loses against a number.
double WEFT_API fmax(double x, double y)
{
    return y > x || x != x ? y : x;
}
WEFT_V2(double, fmax, double, double)
WEFT_V2S(double, fmax, double, double)

double WEFT_API fmin(double x, double y)
{
    return y < x || x != x ? y : x;
}
WEFT_V2(double, fmin, double, double)
WEFT_V2S(double, fmin, double, double)

double WEFT_API maxmag(double x, double y)
{
    double a = weft_abs_d(x), b = weft_abs_d(y);
    return a > b ? x : b > a ? y : fmax(x, y);
}
WEFT_V2(double, maxmag, double, double)

double WEFT_API minmag(double x, double y)
{
    double a = weft_abs_d(x), b = weft_abs_d(y);
    return a < b ? x : b < a ? y : fmin(x, y);
}
WEFT_V2(double, minmag, double, double)

double WEFT_API fdim(double x, double y)
{
    double d = x > y ? x - y : 0.0;
    return x != x || y != y ? WEFT_NAN_D : d;
}
WEFT_V2(double, fdim, double, double)

double WEFT_API fabs(double x)
{
    return weft_abs_d(x);
}
WEFT_V1(double, fabs, double)

double WEFT_API copysign(double x, double y)
{
    return weft_sign_d(x, y);
}
WEFT_V2(double, copysign, double, double)
