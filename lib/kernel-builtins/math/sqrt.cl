// sqrt, rsqrt, quotients and reciprocals with their native and half forms. All divide and take roots in
// hardware.
#include "weft_math.h"

float WEFT_API sqrt(float x)
{
    return __builtin_elementwise_sqrt(x);
}
WEFT_V1(float, sqrt, float)

float WEFT_API rsqrt(float x)
{
    return 1.0f / __builtin_elementwise_sqrt(x);
}
WEFT_V1(float, rsqrt, float)

double WEFT_API sqrt(double x)
{
    return __builtin_elementwise_sqrt(x);
}
WEFT_V1(double, sqrt, double)

double WEFT_API rsqrt(double x)
{
    return 1.0 / __builtin_elementwise_sqrt(x);
}
WEFT_V1(double, rsqrt, double)

float WEFT_API half_sqrt(float x)
{
    return __builtin_elementwise_sqrt(x);
}
WEFT_V1(float, half_sqrt, float)

float WEFT_API native_sqrt(float x)
{
    return __builtin_elementwise_sqrt(x);
}
WEFT_V1(float, native_sqrt, float)

float WEFT_API half_rsqrt(float x)
{
    return 1.0f / __builtin_elementwise_sqrt(x);
}
WEFT_V1(float, half_rsqrt, float)

float WEFT_API native_rsqrt(float x)
{
    return 1.0f / __builtin_elementwise_sqrt(x);
}
WEFT_V1(float, native_rsqrt, float)

float WEFT_API half_recip(float x)
{
    return 1.0f / x;
}
WEFT_V1(float, half_recip, float)

float WEFT_API native_recip(float x)
{
    return 1.0f / x;
}
WEFT_V1(float, native_recip, float)

float WEFT_API half_divide(float x, float y)
{
    return x / y;
}
WEFT_V2(float, half_divide, float, float)

float WEFT_API native_divide(float x, float y)
{
    return x / y;
}
WEFT_V2(float, native_divide, float, float)
