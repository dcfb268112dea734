// exp and its native and half versions.
#include "weft_half.h"

float WEFT_API exp(float x)
{
    return __weft_relaxed_math ? weft_exp_fast_f(x) : weft_exp_shifted_f(x, 0);
}
WEFT_V1(float, exp, float)

double WEFT_API exp(double x)
{
    return weft_exp_shifted_d(x, 0);
}
WEFT_V1(double, exp, double)

float WEFT_API half_exp(float x)
{
    return weft_has_native() ? weft_half_exp2_f(x * WEFT_LOG2E_1F) : weft_exp_shifted_f(x, 0);
}
WEFT_V1(float, half_exp, float)

float WEFT_API native_exp(float x)
{
    return weft_has_native() ? weft_native_exp_f(x) : weft_exp_fast_f(x);
}
WEFT_V1(float, native_exp, float)
