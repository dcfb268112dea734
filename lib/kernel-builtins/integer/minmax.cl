// min, max, clamp of integers (OpenCL C 2.0 §6.13.3). common/minmax.cl has those of floating-point numbers.
#include "../builtin.h"

#define DEFINE(n, T, U, S, bits)                                                                                       \
  T##n OVERLOAD max(T##n x, T##n y) { return __builtin_elementwise_max(x, y); }                                        \
  T##n OVERLOAD min(T##n x, T##n y) { return __builtin_elementwise_min(x, y); }                                        \
  T##n OVERLOAD clamp(T##n x, T##n low, T##n high) {                                                                   \
    T##n raised = __builtin_elementwise_max(x, low);                                                                   \
    return __builtin_elementwise_min(raised, high);                                                                    \
  }
FOR_INTEGERS(DEFINE)

#define DEFINE_SCALAR_BOUND(n, T, U, S, bits)                                                                          \
  T##n OVERLOAD max(T##n x, T y) { return max(x, (T##n)y); }                                                           \
  T##n OVERLOAD min(T##n x, T y) { return min(x, (T##n)y); }                                                           \
  T##n OVERLOAD clamp(T##n x, T low, T high) { return clamp(x, (T##n)low, (T##n)high); }
FOR_INTEGER_VECTORS(DEFINE_SCALAR_BOUND)
