// mul24, mad24 (OpenCL C 2.0 §6.13.3). The program guarantees that the operands fit in 24 bits, so these are
// plain 32-bit products.
#include "../builtin.h"

#define DEFINE(n, T)                                                                                                   \
  T##n OVERLOAD mul24(T##n x, T##n y) { return x * y; }                                                                \
  T##n OVERLOAD mad24(T##n x, T##n y, T##n z) { return x * y + z; }
FOR_WIDTHS(DEFINE, int)
FOR_WIDTHS(DEFINE, uint)
