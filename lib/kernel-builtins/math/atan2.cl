// atan2 and atan2pi.
#include "weft_atan.h"

float WEFT_API atan2(float y, float x)
{
    return weft_atan2_f(y, x);
}
WEFT_V2(float, atan2, float, float)

float WEFT_API atan2pi(float y, float x)
{
    return weft_atan2pi_f(y, x);
}
WEFT_V2(float, atan2pi, float, float)

double WEFT_API atan2(double y, double x)
{
    return weft_atan2_d(y, x);
}
WEFT_V2(double, atan2, double, double)

double WEFT_API atan2pi(double y, double x)
{
    return weft_atan2pi_d(y, x);
}
WEFT_V2(double, atan2pi, double, double)
