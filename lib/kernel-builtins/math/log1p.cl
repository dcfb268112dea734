// log1p.
#include "weft_log.h"

float WEFT_API log1p(float x)
{
    float y = weft_log1p_f(x);
    y = x == -1.0f ? -WEFT_INF_F : y;
    y = x < -1.0f ? WEFT_NAN_F : y;
    // Zeros of both signs and the smallest numbers are their own result; infinity and NaN stay.
    y = weft_abs_f(x) < 0x1p-60f ? x : y;
    return x < WEFT_INF_F ? y : x;
}
WEFT_V1(float, log1p, float)

double WEFT_API log1p(double x)
{
    double y = weft_log1p_d(x);
    y = x == -1.0 ? -WEFT_INF_D : y;
    y = x < -1.0 ? WEFT_NAN_D : y;
    // Zeros of both signs and the smallest numbers are their own result; infinity and NaN stay.
    y = weft_abs_d(x) < 0x1p-60 ? x : y;
    return x < WEFT_INF_D ? y : x;
}
WEFT_V1(double, log1p, double)
