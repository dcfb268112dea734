// cl_khr_integer_dot_product: dot and dot_acc_sat of four bytes, as vectors or packed into a uint.
#include "../builtin.h"

#define DEFINE(A, B, R, name)                                                                                          \
  R OVERLOAD dot(A x, B y) {                                                                                           \
    int4 p = __builtin_convertvector(x, int4) * __builtin_convertvector(y, int4);                                      \
    return (R)(p.s0 + p.s1 + p.s2 + p.s3);                                                                             \
  }                                                                                                                    \
  R OVERLOAD dot_acc_sat(A x, B y, R sum) { return __builtin_elementwise_add_sat(dot(x, y), sum); }                    \
  R OVERLOAD dot_4x8packed_##name(uint x, uint y) { return dot(AS(A, x), AS(B, y)); }                                  \
  R OVERLOAD dot_acc_sat_4x8packed_##name(uint x, uint y, R sum) { return dot_acc_sat(AS(A, x), AS(B, y), sum); }
DEFINE(uchar4, uchar4, uint, uu_uint)
DEFINE(char4, char4, int, ss_int)
DEFINE(uchar4, char4, int, us_int)
DEFINE(char4, uchar4, int, su_int)
