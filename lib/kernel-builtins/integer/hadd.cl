// hadd, rhadd (OpenCL C 2.0 §6.13.3): (x + y) / 2 and (x + y + 1) / 2, rounded down, without overflow.
// Because x + y == 2 * (x & y) + (x ^ y) == 2 * (x | y) - (x ^ y).
#include "../builtin.h"

#define DEFINE(n, T, U, S, bits)                                                                                       \
  T##n OVERLOAD hadd(T##n x, T##n y) { return (x & y) + ((x ^ y) >> (T##n)1); }                                        \
  T##n OVERLOAD rhadd(T##n x, T##n y) { return (x | y) - ((x ^ y) >> (T##n)1); }
FOR_INTEGERS(DEFINE)
