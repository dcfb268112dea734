// cl_khr_extended_bit_ops: bitfield_insert, bitfield_extract_signed, bitfield_extract_unsigned, bit_reverse.
// A field of 0 bits is 0 and may begin after the last bit.
#include "../builtin.h"

// Without the cast, narrow scalars would be promoted.
#define REVERSE_(T, bits, x) ((T)__builtin_bitreverse##bits(AS(u_##bits, x)))
#define REVERSE_2(T, bits, x) __builtin_elementwise_bitreverse(x)
#define REVERSE_3(T, bits, x) __builtin_elementwise_bitreverse(x)
#define REVERSE_4(T, bits, x) __builtin_elementwise_bitreverse(x)
#define REVERSE_8(T, bits, x) __builtin_elementwise_bitreverse(x)
#define REVERSE_16(T, bits, x) __builtin_elementwise_bitreverse(x)
typedef uchar u_8;
typedef ushort u_16;
typedef uint u_32;
typedef ulong u_64;

#define DEFINE(n, T, U, S, bits)                                                                                       \
  T##n OVERLOAD bit_reverse(T##n x) { return REVERSE_##n(T, bits, x); }                                                \
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
