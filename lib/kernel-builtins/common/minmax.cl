// min, max, clamp of floating-point numbers (6.13.4), as the comparisons of the specification. Each is one
// instruction on x86. integer/minmax.cl has those of integers.
#include "../builtin.h"

#define DEFINE(n, T, I)                                                                                                \
  T##n OVERLOAD max(T##n x, T##n y) { return x < y ? y : x; }                                                          \
  T##n OVERLOAD min(T##n x, T##n y) { return y < x ? y : x; }                                                          \
  T##n OVERLOAD clamp(T##n x, T##n low, T##n high) { return min(max(x, low), high); }
FOR_EACH_FLOAT(FOR_WIDTHS, DEFINE)

#define DEFINE_SCALAR_BOUND(n, T, I)                                                                                   \
  T##n OVERLOAD max(T##n x, T y) { return max(x, (T##n)y); }                                                           \
  T##n OVERLOAD min(T##n x, T y) { return min(x, (T##n)y); }                                                           \
  T##n OVERLOAD clamp(T##n x, T low, T high) { return clamp(x, (T##n)low, (T##n)high); }
FOR_EACH_FLOAT(FOR_VECTORS, DEFINE_SCALAR_BOUND)
