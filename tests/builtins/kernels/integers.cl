// Loops over the integer functions for integers.c: <function>__<type><n>(a, b, c, out, count).
#include "builtin.h"

#define LOAD_(p, i) (p)[i]
#define LOAD_3(p, i) vload3(i, p)
#define STORE_(x, p, i) ((p)[i] = (x))
#define STORE_3(x, p, i) vstore3(x, i, p)

#define LOOP(n, name, T, R, ...)                                                                                       \
  void name##__##T##n(const __global T *pa, const __global T *pb, const __global T *pc, __global R *out,               \
                      size_t count) {                                                                                  \
    for (size_t i = 0; i < count; i++) {                                                                               \
      T##n a = LOAD_##n(pa, i), b = LOAD_##n(pb, i), c = LOAD_##n(pc, i);                                              \
      (void)a, (void)b, (void)c;                                                                                       \
      STORE_##n(__VA_ARGS__, out, i);                                                                                  \
    }                                                                                                                  \
  }

#define FUNCTIONS(n, T, U, S)                                                                                          \
  LOOP(n, abs, T, U, abs(a))                                                                                           \
  LOOP(n, abs_diff, T, U, abs_diff(a, b))                                                                              \
  LOOP(n, add_sat, T, T, add_sat(a, b))                                                                                \
  LOOP(n, sub_sat, T, T, sub_sat(a, b))                                                                                \
  LOOP(n, hadd, T, T, hadd(a, b))                                                                                      \
  LOOP(n, rhadd, T, T, rhadd(a, b))                                                                                    \
  LOOP(n, max, T, T, max(a, b))                                                                                        \
  LOOP(n, min, T, T, min(a, b))                                                                                        \
  LOOP(n, clamp, T, T, clamp(a, min(b, c), max(b, c)))                                                                 \
  LOOP(n, clz, T, T, clz(a))                                                                                           \
  LOOP(n, ctz, T, T, ctz(a))                                                                                           \
  LOOP(n, popcount, T, T, popcount(a))                                                                                 \
  LOOP(n, rotate, T, T, rotate(a, b))                                                                                  \
  LOOP(n, mul_hi, T, T, mul_hi(a, b))                                                                                  \
  LOOP(n, mad_hi, T, T, mad_hi(a, b, c))                                                                               \
  LOOP(n, mad_sat, T, T, mad_sat(a, b, c))                                                                             \
  LOOP(n, bitselect, T, T, bitselect(a, b, c))                                                                         \
  LOOP(n, select, T, T, select(a, b, AS(S##n, c)))                                                                     \
  LOOP(n, select_unsigned, T, T, select(a, b, AS(U##n, c)))                                                            \
  LOOP(n, bit_reverse, T, T, bit_reverse(a))                                                                           \
  LOOP(n, bitfield_insert, T, T, bitfield_insert(a, b, OFFSET, COUNT(T)))                                              \
  LOOP(n, bitfield_extract_signed, T, S, bitfield_extract_signed(a, OFFSET, COUNT(T)))                                 \
  LOOP(n, bitfield_extract_unsigned, T, U, bitfield_extract_unsigned(a, OFFSET, COUNT(T)))
// A bit field in the type, of any offset and size. It is the same for all elements, so the number of the
// element group gives it.
#define OFFSET (i % 8)
#define COUNT(T) ((i / 8) % (sizeof(T) * 8 - 7 + 1))

#define UPSAMPLE(n, T, U, R)                                                                                           \
  LOOP(n, upsample, T, R, upsample(a, AS(U##n, b)))

#define BOTH(F, ...) F(, __VA_ARGS__) F(3, __VA_ARGS__)
BOTH(FUNCTIONS, char, uchar, char)
BOTH(FUNCTIONS, uchar, uchar, char)
BOTH(FUNCTIONS, short, ushort, short)
BOTH(FUNCTIONS, ushort, ushort, short)
BOTH(FUNCTIONS, int, uint, int)
BOTH(FUNCTIONS, uint, uint, int)
BOTH(FUNCTIONS, long, ulong, long)
BOTH(FUNCTIONS, ulong, ulong, long)
BOTH(UPSAMPLE, char, uchar, short)
BOTH(UPSAMPLE, uchar, uchar, ushort)
BOTH(UPSAMPLE, short, ushort, int)
BOTH(UPSAMPLE, ushort, ushort, uint)
BOTH(UPSAMPLE, int, uint, long)
BOTH(UPSAMPLE, uint, uint, ulong)

// Operands of mul24 are numbers of 24 bits.
#define FIT(x) (((x) << 8u) >> 8u)
#define MUL24(n, T)                                                                                                    \
  LOOP(n, mul24, T, T, mul24(FIT(a), FIT(b)))                                                                          \
  LOOP(n, mad24, T, T, mad24(FIT(a), FIT(b), c))
BOTH(MUL24, int)
BOTH(MUL24, uint)

#define REDUCE(T)                                                                                                      \
  void any__##T(const __global T *pa, const __global T *pb, const __global T *pc, __global int *out, size_t count) {   \
    (void)pb, (void)pc;                                                                                                \
    for (size_t i = 0; i < count; i++)                                                                                 \
      out[i] = any(vload4(i, pa)) + 2 * any(vload3(i, pa)) + 4 * any(pa[i]) + 8 * all(vload2(i, pa)) +                 \
               16 * all(vload3(i, pa)) + 32 * all(pa[i]);                                                              \
  }
REDUCE(char)
REDUCE(short)
REDUCE(int)
REDUCE(long)

// out = x shuffled by mask, for 4 elements of 8 and for 8 elements of two vectors of 4.
#define SHUFFLE(T, M)                                                                                                  \
  void shuffle__##T(const __global T *pa, const __global T *pb, const __global M *pc, __global T *out, size_t count) { \
    for (size_t i = 0; i < count; i++) {                                                                               \
      vstore4(shuffle(vload8(i, pa), vload4(2 * i, pc)), 2 * i, out);                                                  \
      vstore4(shuffle2(vload2(i, pa), vload2(i, pb), vload4(2 * i + 1, pc)), 2 * i + 1, out);                          \
    }                                                                                                                  \
  }
SHUFFLE(char, uchar)
SHUFFLE(ushort, ushort)
SHUFFLE(half, ushort)
SHUFFLE(int, uint)
SHUFFLE(float, uint)
SHUFFLE(ulong, ulong)
SHUFFLE(double, ulong)
