// sincos.
#include "weft_trig.h"

WEFT_INLINE WEFT_API float weft_pair_sincos(float x, private float *c)
{
    if (!__weft_relaxed_math)
        return weft_sincos_f(x, c);
    *c = weft_cos_fast_f(x);
    return weft_sin_fast_f(x);
}
WEFT_P1(float, sincos, float, float)

WEFT_INLINE WEFT_API double weft_pair_sincos(double x, private double *c)
{
    return weft_sincos_d(x, c);
}
WEFT_P1(double, sincos, double, double)
