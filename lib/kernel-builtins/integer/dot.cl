// cl_khr_integer_dot_product: dot and dot_acc_sat of four bytes, as vectors or packed into a uint.
#include "../builtin.h"

// The compiler lowers them (codegen/dot_products.c). u: unsigned bytes, s: signed bytes.
uint __weft_dot_uu(uint x, uint y) __asm__("weft.math.dot.uu") __attribute__((const));
int __weft_dot_us(uint x, uint y) __asm__("weft.math.dot.us") __attribute__((const));
int __weft_dot_ss(uint x, uint y) __asm__("weft.math.dot.ss") __attribute__((const));
static inline int __weft_dot_su(uint x, uint y) { return __weft_dot_us(y, x); }

#define DEFINE(A, B, R, signs)                                                                                         \
  R OVERLOAD dot(A x, B y) { return __weft_dot_##signs(AS(uint, x), AS(uint, y)); }                                    \
  R OVERLOAD dot_acc_sat(A x, B y, R sum) { return __builtin_elementwise_add_sat(dot(x, y), sum); }                    \
  R OVERLOAD dot_4x8packed_##signs##_##R(uint x, uint y) { return __weft_dot_##signs(x, y); }                          \
  R OVERLOAD dot_acc_sat_4x8packed_##signs##_##R(uint x, uint y, R sum) {                                              \
    return __builtin_elementwise_add_sat(__weft_dot_##signs(x, y), sum);                                               \
  }
DEFINE(uchar4, uchar4, uint, uu)
DEFINE(char4, char4, int, ss)
DEFINE(uchar4, char4, int, us)
DEFINE(char4, uchar4, int, su)
