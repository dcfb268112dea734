// degrees, radians, sign (6.13.4).
#include "../builtin.h"

#define DEFINE(n, T, W)                                                                                                \
  T##n OVERLOAD degrees(T##n x) { return CONVERT_##n(CONVERT_##n(x, W##n) * (W)57.295779513082320876798154814105, T##n); } \
  T##n OVERLOAD radians(T##n x) { return CONVERT_##n(CONVERT_##n(x, W##n) * (W)0.017453292519943295769236907684886, T##n); } \
  T##n OVERLOAD sign(T##n x) { /* -0 stays -0, NaN becomes 0 */                                                        \
    T##n zero = x == x ? x : (T##n)((T)0);                                                                             \
    return x > (T##n)((T)0) ? (T##n)((T)1) : x < (T##n)((T)0) ? (T##n)((T)-1) : zero;                                  \
  }
FOR_EACH_COMPUTED(FOR_WIDTHS, DEFINE)
