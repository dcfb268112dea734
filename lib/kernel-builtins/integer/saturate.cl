// add_sat, sub_sat (6.13.3).
#include "../builtin.h"

#define DEFINE(n, T, U, S, bits)                                                                                       \
  T##n OVERLOAD add_sat(T##n x, T##n y) { return __builtin_elementwise_add_sat(x, y); }                                \
  T##n OVERLOAD sub_sat(T##n x, T##n y) { return __builtin_elementwise_sub_sat(x, y); }
FOR_INTEGERS(DEFINE)
