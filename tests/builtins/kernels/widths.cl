// Every math built-in for vectors of every length, called by a function that C can call: all take pointers to
// three arguments, to an integer argument, to the result and to the second result. The functions aren't
// optimised, so each built-in function is compiled only once. math_ulp.c calls the scalar built-ins, and has
// the same lists: they say which arguments and results a function has.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#define WRAPPER(name, T, n)                                                                                            \
  __attribute__((noinline, optnone)) void width_##name##_##T##n(                                                       \
      const __private T##n *x, const __private T##n *y, const __private T##n *z, const __private int##n *k,            \
      __private T##n *out, __private void *second)
#define X(name, T, n) WRAPPER(name, T, n) { *out = name(*x); }
#define XX(name, T, n) WRAPPER(name, T, n) { *out = name(*x, *y); }
#define XXX(name, T, n) WRAPPER(name, T, n) { *out = name(*x, *y, *z); }
#define XI(name, T, n) WRAPPER(name, T, n) { *out = name(*x, *k); }
#define I(name, T, n) WRAPPER(name, T, n) { *(__private int##n *)out = name(*x); }
#define X_PX(name, T, n) WRAPPER(name, T, n) { *out = name(*x, (__private T##n *)second); }
#define X_PI(name, T, n) WRAPPER(name, T, n) { *out = name(*x, (__private int##n *)second); }
#define XX_PI(name, T, n) WRAPPER(name, T, n) { *out = name(*x, *y, (__private int##n *)second); }

#define LENGTHS(F, name, T) F(name, T, 2) F(name, T, 3) F(name, T, 4) F(name, T, 8) F(name, T, 16)
#define TYPES(F, name) LENGTHS(F, name, half) LENGTHS(F, name, float) LENGTHS(F, name, double)

TYPES(X, exp) TYPES(X, exp2) TYPES(X, exp10) TYPES(X, expm1)
TYPES(X, log) TYPES(X, log2) TYPES(X, log10) TYPES(X, log1p)
TYPES(X, sin) TYPES(X, cos) TYPES(X, tan) TYPES(X_PX, sincos)
TYPES(X, sinh) TYPES(X, cosh) TYPES(X, tanh)
TYPES(X, asin) TYPES(X, acos) TYPES(X, atan) TYPES(X, asinh) TYPES(X, acosh) TYPES(X, atanh)
TYPES(X, asinpi) TYPES(X, acospi) TYPES(X, atanpi) TYPES(X, sinpi) TYPES(X, cospi) TYPES(X, tanpi)
TYPES(XX, atan2) TYPES(XX, atan2pi)
TYPES(X, cbrt) TYPES(X, erf) TYPES(X, erfc) TYPES(X, tgamma) TYPES(X, lgamma) TYPES(X_PI, lgamma_r)
TYPES(X, sqrt) TYPES(X, rsqrt)
TYPES(X, floor) TYPES(X, ceil) TYPES(X, trunc) TYPES(X, rint) TYPES(X, round) TYPES(X, fabs)
TYPES(X, logb) TYPES(I, ilogb)
TYPES(XX, pow) TYPES(XX, powr) TYPES(XI, pown) TYPES(XI, rootn) TYPES(XX, hypot)
TYPES(XX, fmod) TYPES(XX, remainder) TYPES(XX_PI, remquo) TYPES(XX, nextafter)
TYPES(XX, fdim) TYPES(XX, fmax) TYPES(XX, fmin) TYPES(XX, maxmag) TYPES(XX, minmag) TYPES(XX, copysign)
TYPES(XI, ldexp) TYPES(XXX, fma)
TYPES(X_PX, fract) TYPES(X_PX, modf) TYPES(X_PI, frexp)

LENGTHS(X, half_sqrt, float) LENGTHS(X, half_rsqrt, float) LENGTHS(X, half_recip, float) LENGTHS(XX, half_divide, float)
LENGTHS(X, native_rsqrt, float) LENGTHS(X, native_recip, float)
LENGTHS(X, half_exp, float) LENGTHS(X, half_exp2, float) LENGTHS(X, half_exp10, float)
LENGTHS(X, half_log, float) LENGTHS(X, half_log2, float) LENGTHS(X, half_log10, float)
LENGTHS(X, half_sin, float) LENGTHS(X, half_cos, float) LENGTHS(X, half_tan, float) LENGTHS(XX, half_powr, float)
