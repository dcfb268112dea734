// log1p.
#include "weft_log.h"

float WEFT_API log1p(float x)
{
    float y = weft_sign_f(weft_log1p_f(x), x); // -0 of -0
    if (__builtin_expect(!((int)(x > -1.0f) & (int)(x < WEFT_INF_F)), 0))
        y = x == -1.0f ? -WEFT_INF_F : x < -1.0f ? WEFT_NAN_F : x;
    return y;
}
WEFT_V1(float, log1p, float)

double WEFT_API log1p(double x)
{
    double y = weft_sign_d(weft_log1p_d(x), x); // -0 of -0
    if (__builtin_expect(!((int)(x > -1.0) & (int)(x < WEFT_INF_D)), 0))
        y = x == -1.0 ? -WEFT_INF_D : x < -1.0 ? WEFT_NAN_D : x;
    return y;
}
WEFT_V1(double, log1p, double)
