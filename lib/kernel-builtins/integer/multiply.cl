// mul_hi, mad_hi, mad_sat (OpenCL C 2.0 §6.13.3).
#include "../builtin.h"

// Up to 32 bits the product is exact in the type of twice the width.
#define NARROW(n, T, W, bits, lowest, highest)                                                                         \
  T##n OVERLOAD mul_hi(T##n x, T##n y) {                                                                               \
    return CONVERT_##n(                                                                                \
        (CONVERT_##n(x, W##n) * CONVERT_##n(y, W##n)) >> (W##n)(bits), T##n);          \
  }                                                                                                                    \
  T##n OVERLOAD mad_hi(T##n x, T##n y, T##n z) { return mul_hi(x, y) + z; }                                            \
  T##n OVERLOAD mad_sat(T##n x, T##n y, T##n z) {                                                                      \
    W##n sum = CONVERT_##n(x, W##n) * CONVERT_##n(y, W##n) +                           \
               CONVERT_##n(z, W##n);                                                                   \
    sum = __builtin_elementwise_max(sum, (W##n)(lowest));                                                              \
    sum = __builtin_elementwise_min(sum, (W##n)(highest));                                                             \
    return CONVERT_##n(sum, T##n);                                                                     \
  }
FOR_WIDTHS(NARROW, char, short, 8, CHAR_MIN, CHAR_MAX)
FOR_WIDTHS(NARROW, uchar, ushort, 8, 0, UCHAR_MAX)
FOR_WIDTHS(NARROW, short, int, 16, SHRT_MIN, SHRT_MAX)
FOR_WIDTHS(NARROW, ushort, uint, 16, 0, USHRT_MAX)
FOR_WIDTHS(NARROW, int, long, 32, INT_MIN, INT_MAX)
FOR_WIDTHS(NARROW, uint, ulong, 32, 0, UINT_MAX)

// 64 bits: computed from 32-bit halves, which vectorizes; a 128-bit product doesn't. For a scalar LLVM turns
// the 128-bit product into one `mul`.
#define WIDE_SCALAR(T, W)                                                                                              \
  T OVERLOAD mul_hi(T x, T y) { return (T)(((W)x * (W)y) >> 64); }
WIDE_SCALAR(long, signed _BitInt(128))
WIDE_SCALAR(ulong, unsigned _BitInt(128))

#define WIDE_VECTOR(n)                                                                                                 \
  ulong##n OVERLOAD mul_hi(ulong##n x, ulong##n y) {                                                                   \
    ulong##n x0 = x & 0xffffffffu, x1 = x >> 32u, y0 = y & 0xffffffffu, y1 = y >> 32u;                                 \
    ulong##n cross = x1 * y0 + ((x0 * y0) >> 32u), cross2 = x0 * y1 + (cross & 0xffffffffu);                           \
    return x1 * y1 + (cross >> 32u) + (cross2 >> 32u);                                                                 \
  }                                                                                                                    \
  long##n OVERLOAD mul_hi(long##n x, long##n y) {                                                                      \
    return AS(long##n, mul_hi(AS(ulong##n, x), AS(ulong##n, y))) - ((x >> 63) & y) - ((y >> 63) & x);                  \
  }
WIDE_VECTOR(2)
WIDE_VECTOR(3)
WIDE_VECTOR(4)
WIDE_VECTOR(8)
WIDE_VECTOR(16)

#define WIDE_MAD(n, unused)                                                                                            \
  ulong##n OVERLOAD mad_hi(ulong##n x, ulong##n y, ulong##n z) { return mul_hi(x, y) + z; }                            \
  long##n OVERLOAD mad_hi(long##n x, long##n y, long##n z) { return mul_hi(x, y) + z; }                                \
  ulong##n OVERLOAD mad_sat(ulong##n x, ulong##n y, ulong##n z) {                                                      \
    ulong##n high = mul_hi(x, y), product = x * y;                                                                     \
    return high != 0 ? (ulong##n)(ULONG_MAX) : __builtin_elementwise_add_sat(product, z);                              \
  }                                                                                                                    \
  long##n OVERLOAD mad_sat(long##n x, long##n y, long##n z) {                                                          \
    long##n high = mul_hi(x, y) + (z >> 63), sum = x * y + z;                                                          \
    high += (AS(ulong##n, sum) < AS(ulong##n, z)) ? (long##n)1 : (long##n)0;                                           \
    return high == (sum >> 63) ? sum : high < 0 ? (long##n)(LONG_MIN) : (long##n)(LONG_MAX);                           \
  }
FOR_WIDTHS(WIDE_MAD, )
