// bitselect, select (6.13.6). A scalar condition is true if it isn't zero. An element of a vector is true if
// its most significant bit is set.
#include "../builtin.h"

#define BITSELECT_INTEGER(n, T, U, S, bits)                                                                            \
  T##n OVERLOAD bitselect(T##n a, T##n b, T##n mask) { return (a & ~mask) | (b & mask); }
#define BITSELECT_FLOAT(n, T, I)                                                                                       \
  T##n OVERLOAD bitselect(T##n a, T##n b, T##n mask) {                                                                 \
    I##n m = AS(I##n, mask);                                                                                           \
    return AS(T##n, (I##n)((AS(I##n, a) & ~m) | (AS(I##n, b) & m)));                                                   \
  }
FOR_INTEGERS(BITSELECT_INTEGER)
FOR_EACH_FLOAT(FOR_WIDTHS, BITSELECT_FLOAT)

#define SELECT_SCALAR(T, S, U)                                                                                         \
  T OVERLOAD select(T a, T b, S condition) { return condition ? b : a; }                                               \
  T OVERLOAD select(T a, T b, U condition) { return condition ? b : a; }
#define SELECT_VECTOR(n, T, S, U)                                                                                      \
  T##n OVERLOAD select(T##n a, T##n b, S##n condition) { return condition < (S##n)0 ? b : a; }                         \
  T##n OVERLOAD select(T##n a, T##n b, U##n condition) { return AS(S##n, condition) < (S##n)0 ? b : a; }
#define SELECT(T, S, U) SELECT_SCALAR(T, S, U) FOR_VECTORS(SELECT_VECTOR, T, S, U)
SELECT(char, char, uchar)
SELECT(uchar, char, uchar)
SELECT(short, short, ushort)
SELECT(ushort, short, ushort)
SELECT(half, short, ushort)
SELECT(int, int, uint)
SELECT(uint, int, uint)
SELECT(float, int, uint)
SELECT(long, long, ulong)
SELECT(ulong, long, ulong)
SELECT(double, long, ulong)
