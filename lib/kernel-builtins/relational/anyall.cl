// any, all (6.13.6): tests of the most significant bits.
#include "../builtin.h"

#define FOLD_(op, x) (x)
#define FOLD_2(op, x) ((x).lo op(x).hi)
#define FOLD_3(op, x) ((x).s0 op(x).s1 op(x).s2)
#define FOLD_4(op, x) FOLD_2(op, (x).lo op(x).hi)
#define FOLD_8(op, x) FOLD_4(op, (x).lo op(x).hi)
#define FOLD_16(op, x) FOLD_8(op, (x).lo op(x).hi)

#define DEFINE(n, T)                                                                                                   \
  int OVERLOAD any(T##n x) { return (T)(FOLD_##n(|, x)) < 0; }                                                         \
  int OVERLOAD all(T##n x) { return (T)(FOLD_##n(&, x)) < 0; }
FOR_WIDTHS(DEFINE, char)
FOR_WIDTHS(DEFINE, short)
FOR_WIDTHS(DEFINE, int)
FOR_WIDTHS(DEFINE, long)
