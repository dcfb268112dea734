// clz, ctz, popcount, rotate (OpenCL C 2.0 §6.13.3).
#include "../builtin.h"

// Works on single elements where Clang has no vector operation. The vectorizer then sees scalar intrinsics.
#define COUNT(n, T, U, S, bits)                                                                                        \
  T##n OVERLOAD clz(T##n x) { return MAP_##n(T##n, clz, x); }                                                          \
  T##n OVERLOAD ctz(T##n x) { return MAP_##n(T##n, ctz, x); }                                                          \
  T##n OVERLOAD popcount(T##n x) { return MAP_##n(T##n, popcount, x); }

#define COUNT_SCALAR(T, U, bits)                                                                                       \
  T OVERLOAD clz(T x) { return (T)__builtin_clzg((U)x, bits); }                                                        \
  T OVERLOAD ctz(T x) { return (T)__builtin_ctzg((U)x, bits); }                                                        \
  T OVERLOAD popcount(T x) { return (T)__builtin_popcountg((U)x); }
COUNT_SCALAR(char, uchar, 8)
COUNT_SCALAR(uchar, uchar, 8)
COUNT_SCALAR(short, ushort, 16)
COUNT_SCALAR(ushort, ushort, 16)
COUNT_SCALAR(int, uint, 32)
COUNT_SCALAR(uint, uint, 32)
COUNT_SCALAR(long, ulong, 64)
COUNT_SCALAR(ulong, ulong, 64)
FOR_INTEGER_VECTORS(COUNT)

#define ROTATE(n, T, U, S, bits)                                                                                       \
  T##n OVERLOAD rotate(T##n x, T##n by) {                                                                              \
    U##n u = AS(U##n, x), left = AS(U##n, by) & (U##n)(bits - 1), right = (U##n)(-left) & (U##n)(bits - 1);            \
    return AS(T##n, (U##n)(u << left | u >> right));                                                                   \
  }
FOR_INTEGERS(ROTATE)
