// upsample (OpenCL C 2.0 §6.13.3). The low half is always unsigned.
#include "../builtin.h"

#define DEFINE(n, T, U, W, UW, bits)                                                                                   \
  W##n OVERLOAD upsample(T##n high, U##n low) {                                                                        \
    return (W##n)(CONVERT_##n(high, W##n) << (W##n)(bits)) | AS(W##n, CONVERT_##n(low, UW##n));                        \
  }
FOR_WIDTHS(DEFINE, char, uchar, short, ushort, 8)
FOR_WIDTHS(DEFINE, uchar, uchar, ushort, ushort, 8)
FOR_WIDTHS(DEFINE, short, ushort, int, uint, 16)
FOR_WIDTHS(DEFINE, ushort, ushort, uint, uint, 16)
FOR_WIDTHS(DEFINE, int, uint, long, ulong, 32)
FOR_WIDTHS(DEFINE, uint, uint, ulong, ulong, 32)
