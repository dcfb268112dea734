// log and its native and half versions.
#include "weft_half.h"

float WEFT_API log(float x)
{
    return weft_log_f(x);
}
WEFT_V1(float, log, float)

double WEFT_API log(double x)
{
    return weft_log_d(x);
}
WEFT_V1(double, log, double)

float WEFT_API half_log(float x)
{
    return weft_has_native() ? weft_half_log_f(x) : weft_log_f(x);
}
WEFT_V1(float, half_log, float)

float WEFT_API native_log(float x)
{
    return weft_has_native() ? weft_native_log_f(x) : weft_log_f(x);
}
WEFT_V1(float, native_log, float)
