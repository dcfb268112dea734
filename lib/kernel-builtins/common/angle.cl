// degrees, radians, sign (6.13.4).
#include "../builtin.h"

#define DEFINE(n, T, I)                                                                                                \
  T##n OVERLOAD degrees(T##n x) { return x * (T)57.295779513082320876798154814105; }                                   \
  T##n OVERLOAD radians(T##n x) { return x * (T)0.017453292519943295769236907684886; }                                 \
  T##n OVERLOAD sign(T##n x) { /* -0 stays -0, NaN becomes 0 */                                                        \
    T##n zero = x == x ? x : (T##n)((T)0);                                                                             \
    return x > (T##n)((T)0) ? (T##n)((T)1) : x < (T##n)((T)0) ? (T##n)((T)-1) : zero;                                  \
  }
FOR_EACH_FLOAT(FOR_WIDTHS, DEFINE)
