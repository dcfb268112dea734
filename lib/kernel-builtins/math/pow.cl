// pow.
#include "weft_pow.h"

float WEFT_API pow(float x, float y)
{
    bool plain;
    float r = weft_pow_try_f(x, y, __weft_relaxed_math, &plain);
    if (__builtin_expect(!plain, 0)) {
        float a = weft_abs_f(x);
        r = weft_pow_limits_f(a, y, weft_pow_magnitude_f(a, y, 0.0f));
        bool integer = __builtin_elementwise_rint(y) == y;
        bool odd = integer && __builtin_elementwise_rint(0.5f * y) != 0.5f * y;
        r = odd ? weft_flip_f(r, x) : r;
        r = x < 0.0f && a < WEFT_INF_F && !integer ? WEFT_NAN_F : r;
        r = x != x || y != y ? WEFT_NAN_F : r;
        r = x == 1.0f || y == 0.0f ? 1.0f : r;
    }
    return r;
}
WEFT_V2(float, pow, float, float)

double WEFT_API pow(double x, double y)
{
    bool plain;
    double r = weft_pow_try_d(x, y, &plain);
    if (__builtin_expect(!plain, 0)) {
        double a = weft_abs_d(x);
        r = weft_pow_limits_d(a, y, weft_pow_magnitude_d(a, y, 0.0));
        bool integer = __builtin_elementwise_rint(y) == y;
        bool odd = integer && __builtin_elementwise_rint(0.5 * y) != 0.5 * y;
        r = odd ? weft_flip_d(r, x) : r;
        r = x < 0.0 && a < WEFT_INF_D && !integer ? WEFT_NAN_D : r;
        r = x != x || y != y ? WEFT_NAN_D : r;
        r = x == 1.0 || y == 0.0 ? 1.0 : r;
    }
    return r;
}
WEFT_V2(double, pow, double, double)
