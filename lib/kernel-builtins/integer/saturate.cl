// add_sat, sub_sat (OpenCL C 2.0 §6.13.3).
#include "../builtin.h"

#define DEFINE(n, T, ...)                                                                                              \
  T##n OVERLOAD add_sat(T##n x, T##n y) { return __builtin_elementwise_add_sat(x, y); }                                \
  T##n OVERLOAD sub_sat(T##n x, T##n y) { return __builtin_elementwise_sub_sat(x, y); }
FOR_INTEGER_VECTORS(DEFINE)
DEFINE(, int)
DEFINE(, uint)
DEFINE(, long)
DEFINE(, ulong)

// Scalars narrower than int are promoted to int, so these functions saturate explicitly.
#define DEFINE_NARROW(T, lowest, highest)                                                                              \
  static inline T saturated_##T(int x) { return (T)(x < lowest ? lowest : x > highest ? highest : x); }                \
  T OVERLOAD add_sat(T x, T y) { return saturated_##T(x + y); }                                                        \
  T OVERLOAD sub_sat(T x, T y) { return saturated_##T(x - y); }
DEFINE_NARROW(char, CHAR_MIN, CHAR_MAX)
DEFINE_NARROW(uchar, 0, UCHAR_MAX)
DEFINE_NARROW(short, SHRT_MIN, SHRT_MAX)
DEFINE_NARROW(ushort, 0, USHRT_MAX)
