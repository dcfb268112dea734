// cl_khr_extended_bit_ops: bitfield_insert, bitfield_extract_signed, bitfield_extract_unsigned, bit_reverse. A field of no bits is 0 and may begin after the last bit.
#include "../builtin.h"

#define DEFINE(n, T, U, S, bits)                                                                                       \
  T##n OVERLOAD bit_reverse(T##n x) { return __builtin_elementwise_bitreverse(x); }                                    \
  T##n OVERLOAD bitfield_insert(T##n base, T##n field, uint offset, uint count) {                                      \
    U mask = count ? (U)((U)((U)~(U)0 >> (bits - count)) << offset) : (U)0;                                            \
    U##n moved = AS(U##n, field) << (U##n)(U)(offset & (bits - 1));                                                    \
    return AS(T##n, (U##n)((AS(U##n, base) & (U##n)(U)~mask) | (moved & (U##n)mask)));                                 \
  }                                                                                                                    \
  S##n OVERLOAD bitfield_extract_signed(T##n base, uint offset, uint count) {                                          \
    uint left = (bits - offset - count) & (bits - 1), right = (bits - count) & (bits - 1);                             \
    S##n x = AS(S##n, (U##n)(AS(U##n, base) << (U##n)(U)left)) >> (S##n)(S)right;                                      \
    return count ? x : (S##n)(S)0;                                                                                     \
  }                                                                                                                    \
  U##n OVERLOAD bitfield_extract_unsigned(T##n base, uint offset, uint count) {                                        \
    uint left = (bits - offset - count) & (bits - 1), right = (bits - count) & (bits - 1);                             \
    U##n x = (U##n)(AS(U##n, base) << (U##n)(U)left) >> (U##n)(U)right;                                                \
    return count ? x : (U##n)(U)0;                                                                                     \
  }
FOR_INTEGERS(DEFINE)
