// The primitives of the math built-ins (lib/compiler/codegen/math_intrinsics.c) as C functions, for libraries
// that are built without weftc. Without AVX-512 these are the estimates of floats alone.
#include <immintrin.h>
#include <stdint.h>

#define NAME(name) __asm__("weft.math." name)

#define FLOAT(name, call)                     \
    float name##_f(float x) NAME(#name ".f"); \
    float name##_f(float x)                   \
    {                                         \
        __m128 v = _mm_set_ss(x);             \
        return _mm_cvtss_f32(call);           \
    }

#ifndef __AVX512F__
FLOAT(rsqrt, _mm_rsqrt_ss(v))
FLOAT(reciprocal, _mm_rcp_ss(v))
#else
#define DOUBLE(name, call)                      \
    double name##_d(double x) NAME(#name ".d"); \
    double name##_d(double x)                   \
    {                                           \
        __m128d v = _mm_set_sd(x);              \
        return _mm_cvtsd_f64(call);             \
    }

float scale_f(float x, float n) NAME("scale.f");
float scale_f(float x, float n)
{
    return _mm_cvtss_f32(_mm_scalef_ss(_mm_set_ss(x), _mm_set_ss(n)));
}

double scale_d(double x, double n) NAME("scale.d");
double scale_d(double x, double n)
{
    return _mm_cvtsd_f64(_mm_scalef_sd(_mm_set_sd(x), _mm_set_sd(n)));
}

FLOAT(exponent, _mm_getexp_ss(v, v))
DOUBLE(exponent, _mm_getexp_sd(v, v))
FLOAT(mantissa, _mm_getmant_ss(v, v, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_zero))
DOUBLE(mantissa, _mm_getmant_sd(v, v, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_zero))
// NaN where x is negative, 1 of both zeros
#define LOG_SIGN ((_MM_MANTISSA_SIGN_ENUM)(_MM_MANT_SIGN_nan | _MM_MANT_SIGN_zero))
FLOAT(log_mantissa, _mm_getmant_ss(v, v, _MM_MANT_NORM_p75_1p5, LOG_SIGN))
DOUBLE(log_mantissa, _mm_getmant_sd(v, v, _MM_MANT_NORM_p75_1p5, LOG_SIGN))
FLOAT(rsqrt, _mm_rsqrt14_ss(v, v))
DOUBLE(rsqrt, _mm_rsqrt14_sd(v, v))
FLOAT(reciprocal, _mm_rcp14_ss(v, v))
DOUBLE(reciprocal, _mm_rcp14_sd(v, v))

#define LOOKUP(T, kind)                                                                                     \
    T lookup16_##kind(uint32_t i, T t0, T t1, T t2, T t3, T t4, T t5, T t6, T t7, T t8, T t9, T t10, T t11, \
                      T t12, T t13, T t14, T t15) NAME("lookup16." #kind);                                  \
    T lookup16_##kind(uint32_t i, T t0, T t1, T t2, T t3, T t4, T t5, T t6, T t7, T t8, T t9, T t10, T t11, \
                      T t12, T t13, T t14, T t15)                                                           \
    {                                                                                                       \
        const T table[16] = {t0, t1, t2, t3, t4, t5, t6, t7, t8, t9, t10, t11, t12, t13, t14, t15};         \
        return table[i & 15];                                                                               \
    }
LOOKUP(float, f)
LOOKUP(double, d)
#endif
