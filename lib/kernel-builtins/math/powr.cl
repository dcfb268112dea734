// powr and its native and half versions.
#include "weft_pow.h"

float WEFT_API powr(float x, float y)
{
    return weft_powr_f(x, y, __weft_relaxed_math);
}
WEFT_V2(float, powr, float, float)

double WEFT_API powr(double x, double y)
{
    return weft_powr_d(x, y);
}
WEFT_V2(double, powr, double, double)

float WEFT_API half_powr(float x, float y)
{
    return weft_powr_f(x, y, true);
}
WEFT_V2(float, half_powr, float, float)

// Without its few special cases, and with what is said in weft_native.h, where that is cheaper.
float WEFT_API native_powr(float x, float y)
{
    return weft_has_native() ? weft_native_exp2_f(y * weft_native_log2_f(x)) : weft_powr_f(x, y, true);
}
WEFT_V2(float, native_powr, float, float)
