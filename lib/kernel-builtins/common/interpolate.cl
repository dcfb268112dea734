// mix, step, smoothstep (6.13.4).
#include "../builtin.h"

#define DEFINE(n, T, I)                                                                                                \
  T##n OVERLOAD mix(T##n x, T##n y, T##n a) { return x + (y - x) * a; }                                                \
  T##n OVERLOAD step(T##n edge, T##n x) { return x < edge ? (T##n)((T)0) : (T##n)((T)1); }                             \
  T##n OVERLOAD smoothstep(T##n edge0, T##n edge1, T##n x) {                                                           \
    T##n t = (x - edge0) / (edge1 - edge0);                                                                            \
    t = t < (T##n)((T)0) ? (T##n)((T)0) : t;                                                                           \
    t = t > (T##n)((T)1) ? (T##n)((T)1) : t;                                                                           \
    return t * t * ((T##n)((T)3) - (T##n)((T)2) * t);                                                                  \
  }
FOR_EACH_FLOAT(FOR_WIDTHS, DEFINE)

#define DEFINE_SCALAR_BOUND(n, T, I)                                                                                   \
  T##n OVERLOAD mix(T##n x, T##n y, T a) { return mix(x, y, (T##n)a); }                                                \
  T##n OVERLOAD step(T edge, T##n x) { return step((T##n)edge, x); }                                                   \
  T##n OVERLOAD smoothstep(T edge0, T edge1, T##n x) { return smoothstep((T##n)edge0, (T##n)edge1, x); }
FOR_EACH_FLOAT(FOR_VECTORS, DEFINE_SCALAR_BOUND)
