// mix, step, smoothstep (6.13.4).
#include "../builtin.h"

#define DEFINE(n, T, W)                                                                                                \
  T##n OVERLOAD mix(T##n x, T##n y, T##n a) {                                                                          \
    W##n from = CONVERT_##n(x, W##n);                                                                                  \
    return CONVERT_##n(from + (CONVERT_##n(y, W##n) - from) * CONVERT_##n(a, W##n), T##n);                             \
  }                                                                                                                    \
  T##n OVERLOAD step(T##n edge, T##n x) { return x < edge ? (T##n)((T)0) : (T##n)((T)1); }                             \
  T##n OVERLOAD smoothstep(T##n edge0, T##n edge1, T##n x) {                                                           \
    _Pragma("clang fp contract(on)")                                                                                   \
    W##n from = CONVERT_##n(edge0, W##n);                                                                              \
    W##n t = (CONVERT_##n(x, W##n) - from) / (CONVERT_##n(edge1, W##n) - from);                                        \
    t = t < (W##n)((W)0) ? (W##n)((W)0) : t;                                                                           \
    t = t > (W##n)((W)1) ? (W##n)((W)1) : t;                                                                           \
    return CONVERT_##n(t * t * ((W##n)((W)3) - (W##n)((W)2) * t), T##n);                                               \
  }
FOR_EACH_COMPUTED(FOR_WIDTHS, DEFINE)

#define DEFINE_SCALAR_BOUND(n, T, W)                                                                                   \
  T##n OVERLOAD mix(T##n x, T##n y, T a) { return mix(x, y, (T##n)a); }                                                \
  T##n OVERLOAD step(T edge, T##n x) { return step((T##n)edge, x); }                                                   \
  T##n OVERLOAD smoothstep(T edge0, T edge1, T##n x) { return smoothstep((T##n)edge0, (T##n)edge1, x); }
FOR_EACH_COMPUTED(FOR_VECTORS, DEFINE_SCALAR_BOUND)
