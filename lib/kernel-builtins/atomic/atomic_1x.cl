// atomic_* and atom_* of OpenCL C 1.x (6.12.11 of 1.2; cl_khr_*_atomics, cl_khr_int64_*_atomics). The order
// is relaxed. They return the old value.
#include "../builtin.h"

#define ARITHMETIC(prefix, space, T)                                                                                   \
  T OVERLOAD prefix##_add(volatile space T *p, T x) { return __atomic_fetch_add(p, x, __ATOMIC_RELAXED); }             \
  T OVERLOAD prefix##_sub(volatile space T *p, T x) { return __atomic_fetch_sub(p, x, __ATOMIC_RELAXED); }             \
  T OVERLOAD prefix##_inc(volatile space T *p) { return __atomic_fetch_add(p, (T)1, __ATOMIC_RELAXED); }               \
  T OVERLOAD prefix##_dec(volatile space T *p) { return __atomic_fetch_sub(p, (T)1, __ATOMIC_RELAXED); }               \
  T OVERLOAD prefix##_xchg(volatile space T *p, T x) { return __atomic_exchange_n(p, x, __ATOMIC_RELAXED); }           \
  T OVERLOAD prefix##_cmpxchg(volatile space T *p, T expected, T x) {                                                  \
    __atomic_compare_exchange_n(p, &expected, x, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);                           \
    return expected;                                                                                                   \
  }                                                                                                                    \
  T OVERLOAD prefix##_min(volatile space T *p, T x) { return __atomic_fetch_min(p, x, __ATOMIC_RELAXED); }             \
  T OVERLOAD prefix##_max(volatile space T *p, T x) { return __atomic_fetch_max(p, x, __ATOMIC_RELAXED); }             \
  T OVERLOAD prefix##_and(volatile space T *p, T x) { return __atomic_fetch_and(p, x, __ATOMIC_RELAXED); }             \
  T OVERLOAD prefix##_or(volatile space T *p, T x) { return __atomic_fetch_or(p, x, __ATOMIC_RELAXED); }               \
  T OVERLOAD prefix##_xor(volatile space T *p, T x) { return __atomic_fetch_xor(p, x, __ATOMIC_RELAXED); }

#define SPACE(space)                                                                                                   \
  ARITHMETIC(atomic, space, int)                                                                                       \
  ARITHMETIC(atomic, space, uint)                                                                                      \
  ARITHMETIC(atom, space, int)                                                                                         \
  ARITHMETIC(atom, space, uint)                                                                                        \
  ARITHMETIC(atom, space, long)                                                                                        \
  ARITHMETIC(atom, space, ulong)                                                                                       \
  float OVERLOAD atomic_xchg(volatile space float *p, float x) {                                                       \
    return as_float(__atomic_exchange_n((volatile space int *)p, as_int(x), __ATOMIC_RELAXED));                        \
  }
SPACE(__global)
SPACE(__local)
