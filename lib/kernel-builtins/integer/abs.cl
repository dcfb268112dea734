// abs, abs_diff (OpenCL C 2.0 §6.13.3). Both return the unsigned type; the difference never overflows.
#include "../builtin.h"

#define DEFINE_ABS(n, T)                                                                                               \
  u##T##n OVERLOAD abs(T##n x) { return AS(u##T##n, (T##n)__builtin_elementwise_max(x, (T##n)(-x))); }                 \
  u##T##n OVERLOAD abs(u##T##n x) { return x; }
FOR_WIDTHS(DEFINE_ABS, char)
FOR_WIDTHS(DEFINE_ABS, short)
FOR_WIDTHS(DEFINE_ABS, int)
FOR_WIDTHS(DEFINE_ABS, long)

#define DEFINE_ABS_DIFF(n, T, U, S, bits)                                                                              \
  U##n OVERLOAD abs_diff(T##n x, T##n y) {                                                                             \
    T##n high = __builtin_elementwise_max(x, y), low = __builtin_elementwise_min(x, y);                                \
    return AS(U##n, high) - AS(U##n, low);                                                                             \
  }
FOR_INTEGERS(DEFINE_ABS_DIFF)
