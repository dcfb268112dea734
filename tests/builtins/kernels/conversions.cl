// Loops over the conversions for conversions.c: convert_<to><n><suffix>__<from>(in, out, count).
#include "builtin.h"

#define LOOP(n, to, from, suffix)                                                                                      \
  void convert_##to##n##suffix##__##from(const __global from *in, __global to *out, size_t count) {                    \
    for (size_t i = 0; i < count; i++)                                                                                 \
      STORE_##n(convert_##to##n##suffix(LOAD_##n(in, i)), out, i);                                                     \
  }
#define LOAD_(p, i) (p)[i]
#define LOAD_4(p, i) vload4(i, p)
#define STORE_(x, p, i) ((p)[i] = (x))
#define STORE_4(x, p, i) vstore4(x, i, p)

#define WIDTHS(to, from, suffix) LOOP(, to, from, suffix) LOOP(4, to, from, suffix)
#define MODES(to, from, saturated)                                                                                     \
  WIDTHS(to, from, saturated)                                                                                          \
  WIDTHS(to, from, saturated##_rte)                                                                                    \
  WIDTHS(to, from, saturated##_rtz)                                                                                    \
  WIDTHS(to, from, saturated##_rtp)                                                                                    \
  WIDTHS(to, from, saturated##_rtn)
#define TO_FLOAT(to)                                                                                                   \
  MODES(to, char, )                                                                                                    \
  MODES(to, uchar, )                                                                                                   \
  MODES(to, short, )                                                                                                   \
  MODES(to, ushort, )                                                                                                  \
  MODES(to, int, )                                                                                                     \
  MODES(to, uint, )                                                                                                    \
  MODES(to, long, )                                                                                                    \
  MODES(to, ulong, )                                                                                                   \
  MODES(to, half, )                                                                                                    \
  MODES(to, float, )                                                                                                   \
  MODES(to, double, )
#define TO_INTEGER(to)                                                                                                 \
  TO_FLOAT(to)                                                                                                         \
  MODES(to, char, _sat)                                                                                                \
  MODES(to, uchar, _sat)                                                                                               \
  MODES(to, short, _sat)                                                                                               \
  MODES(to, ushort, _sat)                                                                                              \
  MODES(to, int, _sat)                                                                                                 \
  MODES(to, uint, _sat)                                                                                                \
  MODES(to, long, _sat)                                                                                                \
  MODES(to, ulong, _sat)                                                                                               \
  MODES(to, half, _sat)                                                                                                \
  MODES(to, float, _sat)                                                                                               \
  MODES(to, double, _sat)
TO_INTEGER(char)
TO_INTEGER(uchar)
TO_INTEGER(short)
TO_INTEGER(ushort)
TO_INTEGER(int)
TO_INTEGER(uint)
TO_INTEGER(long)
TO_INTEGER(ulong)
TO_FLOAT(half)
TO_FLOAT(float)
TO_FLOAT(double)

// vload_half and vstore_half, by width 4 and alone.
#define HALF_STORE(from, suffix)                                                                                       \
  void vstore_half##suffix##__##from(const __global from *in, __global half *out, size_t count) {                      \
    for (size_t i = 0; i < count; i++)                                                                                 \
      vstore_half##suffix(in[i], i, out);                                                                              \
  }                                                                                                                    \
  void vstore_half4##suffix##__##from(const __global from *in, __global half *out, size_t count) {                     \
    for (size_t i = 0; i < count; i++)                                                                                 \
      vstore_half4##suffix(vload4(i, in), i, out);                                                                     \
  }
#define HALF_STORES(from)                                                                                              \
  HALF_STORE(from, )                                                                                                   \
  HALF_STORE(from, _rte)                                                                                               \
  HALF_STORE(from, _rtz)                                                                                               \
  HALF_STORE(from, _rtp)                                                                                               \
  HALF_STORE(from, _rtn)
HALF_STORES(float)
HALF_STORES(double)
void vload_half__half(const __global half *in, __global float *out, size_t count) {
  for (size_t i = 0; i < count; i++)
    out[i] = vload_half(i, in);
}
void vload_half4__half(const __global half *in, __global float *out, size_t count) {
  for (size_t i = 0; i < count; i++)
    vstore4(vload_half4(i, in), i, out);
}
