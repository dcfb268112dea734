// isequal ... isunordered (6.13.6). True is 1 for scalars and -1 (all bits) for elements of vectors.
#include "../builtin.h"

#define DEFINE_ALL(n, T, R)                                                                                            \
  R OVERLOAD isequal(T##n x, T##n y) { return x == y; }                                                                \
  R OVERLOAD isnotequal(T##n x, T##n y) { return x != y; }                                                             \
  R OVERLOAD isgreater(T##n x, T##n y) { return x > y; }                                                               \
  R OVERLOAD isgreaterequal(T##n x, T##n y) { return x >= y; }                                                         \
  R OVERLOAD isless(T##n x, T##n y) { return x < y; }                                                                  \
  R OVERLOAD islessequal(T##n x, T##n y) { return x <= y; }                                                            \
  R OVERLOAD islessgreater(T##n x, T##n y) { return (x < y) | (x > y); }                                               \
  R OVERLOAD isordered(T##n x, T##n y) { return (x == x) & (y == y); }                                                 \
  R OVERLOAD isunordered(T##n x, T##n y) { return (x != x) | (y != y); }

#define DEFINE_VECTOR(n, T, I) DEFINE_ALL(n, T, I##n)
#define DEFINE_SCALAR(T) DEFINE_ALL(, T, int)
DEFINE_SCALAR(half)
DEFINE_SCALAR(float)
DEFINE_SCALAR(double)
FOR_EACH_FLOAT(FOR_VECTORS, DEFINE_VECTOR)
