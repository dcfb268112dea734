// isfinite, isinf, isnan, isnormal, signbit (6.13.6). They test bits, so the mode for denormals has no
// effect.
#include "../builtin.h"

#define DEFINE_ALL(n, T, I, R, infinity, smallest)                                                                     \
  R OVERLOAD isfinite(T##n x) { return (AS(I##n, x) & (I##n)~sign_##T) < (I##n)(infinity); }                           \
  R OVERLOAD isinf(T##n x) { return (AS(I##n, x) & (I##n)~sign_##T) == (I##n)(infinity); }                             \
  R OVERLOAD isnan(T##n x) { return (AS(I##n, x) & (I##n)~sign_##T) > (I##n)(infinity); }                              \
  R OVERLOAD isnormal(T##n x) {                                                                                        \
    I##n size = AS(I##n, x) & (I##n)~sign_##T;                                                                         \
    return (size >= (I##n)(smallest)) & (size < (I##n)(infinity));                                                     \
  }                                                                                                                    \
  R OVERLOAD signbit(T##n x) { return AS(I##n, x) < (I##n)0; }
#define sign_half ((short)0x8000)
#define sign_float ((int)0x80000000)
#define sign_double ((long)0x8000000000000000)

#define DEFINE_VECTORS(n, T, I, infinity, smallest) DEFINE_ALL(n, T, I, I##n, infinity, smallest)
DEFINE_ALL(, half, short, int, 0x7c00, 0x0400)
DEFINE_ALL(, float, int, int, 0x7f800000, 0x00800000)
DEFINE_ALL(, double, long, int, 0x7ff0000000000000, 0x0010000000000000)
FOR_VECTORS(DEFINE_VECTORS, half, short, 0x7c00, 0x0400)
FOR_VECTORS(DEFINE_VECTORS, float, int, 0x7f800000, 0x00800000)
FOR_VECTORS(DEFINE_VECTORS, double, long, 0x7ff0000000000000, 0x0010000000000000)
