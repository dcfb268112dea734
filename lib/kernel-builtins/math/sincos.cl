// sincos, and native_sin and native_cos of the same argument (lib/compiler/link/sincos.c).
#include "weft_trig.h"

WEFT_INLINE WEFT_API float weft_pair_sincos(float x, private float *c)
{
    return __weft_relaxed_math ? weft_sincos_fast_f(x, c) : weft_sincos_f(x, c);
}
WEFT_P1(float, sincos, float, float)

WEFT_INLINE WEFT_API double weft_pair_sincos(double x, private double *c)
{
    return weft_sincos_d(x, c);
}
WEFT_P1(double, sincos, double, double)

WEFT_INLINE WEFT_API float weft_pair___weft_native_sincos(float x, private float *c)
{
    return weft_sincos_fast_f(x, c);
}
WEFT_P1_IN(float, __weft_native_sincos, float, float, private)
