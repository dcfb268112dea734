// The atomics of OpenCL C 2.0 and 3.0 (6.13.11 of 2.0): load, store, exchange, compare_exchange, fetch_*,
// flags, for pointers to global, local and generic memory. On a CPU every scope means the whole machine.
// Orders are mostly constants; then one instruction is left.
#include "../builtin.h"

#define EXCHANGE(space, T)                                                                                             \
  void OVERLOAD atomic_init(volatile space atomic_##T *p, T x) { __opencl_atomic_init(p, x); }                         \
  void OVERLOAD atomic_store_explicit(volatile space atomic_##T *p, T x, memory_order order, memory_scope scope) {     \
    __opencl_atomic_store(p, x, order, scope);                                                                         \
  }                                                                                                                    \
  void OVERLOAD atomic_store_explicit(volatile space atomic_##T *p, T x, memory_order order) {                         \
    __opencl_atomic_store(p, x, order, memory_scope_device);                                                           \
  }                                                                                                                    \
  void OVERLOAD atomic_store(volatile space atomic_##T *p, T x) {                                                      \
    __opencl_atomic_store(p, x, memory_order_seq_cst, memory_scope_device);                                            \
  }                                                                                                                    \
  T OVERLOAD atomic_load_explicit(volatile space atomic_##T *p, memory_order order, memory_scope scope) {              \
    return __opencl_atomic_load(p, order, scope);                                                                      \
  }                                                                                                                    \
  T OVERLOAD atomic_load_explicit(volatile space atomic_##T *p, memory_order order) {                                  \
    return __opencl_atomic_load(p, order, memory_scope_device);                                                        \
  }                                                                                                                    \
  T OVERLOAD atomic_load(volatile space atomic_##T *p) {                                                               \
    return __opencl_atomic_load(p, memory_order_seq_cst, memory_scope_device);                                         \
  }                                                                                                                    \
  T OVERLOAD atomic_exchange_explicit(volatile space atomic_##T *p, T x, memory_order order, memory_scope scope) {     \
    return __opencl_atomic_exchange(p, x, order, scope);                                                               \
  }                                                                                                                    \
  T OVERLOAD atomic_exchange_explicit(volatile space atomic_##T *p, T x, memory_order order) {                         \
    return __opencl_atomic_exchange(p, x, order, memory_scope_device);                                                 \
  }                                                                                                                    \
  T OVERLOAD atomic_exchange(volatile space atomic_##T *p, T x) {                                                      \
    return __opencl_atomic_exchange(p, x, memory_order_seq_cst, memory_scope_device);                                  \
  }                                                                                                                    \
  COMPARE(strong, space, __global, T)                                                                                  \
  COMPARE(strong, space, __local, T)                                                                                   \
  COMPARE(strong, space, __private, T)                                                                                 \
  COMPARE(strong, space, __generic, T)                                                                                 \
  COMPARE(weak, space, __global, T)                                                                                    \
  COMPARE(weak, space, __local, T)                                                                                     \
  COMPARE(weak, space, __private, T)                                                                                   \
  COMPARE(weak, space, __generic, T)

#define COMPARE(how, space, to, T)                                                                                     \
  bool OVERLOAD atomic_compare_exchange_##how##_explicit(volatile space atomic_##T *p, to T *expected, T x,            \
                                                         memory_order success, memory_order failure,                   \
                                                         memory_scope scope) {                                         \
    return __opencl_atomic_compare_exchange_##how(p, expected, x, success, failure, scope);                            \
  }                                                                                                                    \
  bool OVERLOAD atomic_compare_exchange_##how##_explicit(volatile space atomic_##T *p, to T *expected, T x,            \
                                                         memory_order success, memory_order failure) {                 \
    return __opencl_atomic_compare_exchange_##how(p, expected, x, success, failure, memory_scope_device);              \
  }                                                                                                                    \
  bool OVERLOAD atomic_compare_exchange_##how(volatile space atomic_##T *p, to T *expected, T x) {                     \
    return __opencl_atomic_compare_exchange_##how(p, expected, x, memory_order_seq_cst, memory_order_seq_cst,          \
                                                  memory_scope_device);                                                \
  }

// V may have the other signedness: Clang's header has such overloads for atomic_intptr_t and
// atomic_uintptr_t.
#define FETCH_ONE(op, space, T, V)                                                                                     \
  T OVERLOAD atomic_fetch_##op##_explicit(volatile space atomic_##T *p, V x, memory_order order, memory_scope scope) { \
    return __opencl_atomic_fetch_##op(p, (T)x, order, scope);                                                          \
  }                                                                                                                    \
  T OVERLOAD atomic_fetch_##op##_explicit(volatile space atomic_##T *p, V x, memory_order order) {                     \
    return __opencl_atomic_fetch_##op(p, (T)x, order, memory_scope_device);                                            \
  }                                                                                                                    \
  T OVERLOAD atomic_fetch_##op(volatile space atomic_##T *p, V x) {                                                    \
    return __opencl_atomic_fetch_##op(p, (T)x, memory_order_seq_cst, memory_scope_device);                             \
  }
#define FETCH(space, T, V)                                                                                             \
  FETCH_ONE(add, space, T, V)                                                                                          \
  FETCH_ONE(sub, space, T, V)                                                                                          \
  FETCH_ONE(or, space, T, V)                                                                                           \
  FETCH_ONE(xor, space, T, V)                                                                                          \
  FETCH_ONE(and, space, T, V)                                                                                          \
  FETCH_ONE(min, space, T, V)                                                                                          \
  FETCH_ONE(max, space, T, V)

// cl_ext_float_atomics.
#define FETCH_FLOAT(space, T)                                                                                          \
  FETCH_ONE(add, space, T, T)                                                                                          \
  FETCH_ONE(sub, space, T, T)                                                                                          \
  FETCH_ONE(min, space, T, T)                                                                                          \
  FETCH_ONE(max, space, T, T)

// A flag is an int; 1 means set.
#define FLAG(space)                                                                                                    \
  bool OVERLOAD atomic_flag_test_and_set_explicit(volatile space atomic_flag *p, memory_order order,                   \
                                                  memory_scope scope) {                                                \
    return __opencl_atomic_exchange(p, 1, order, scope) != 0;                                                          \
  }                                                                                                                    \
  bool OVERLOAD atomic_flag_test_and_set_explicit(volatile space atomic_flag *p, memory_order order) {                 \
    return __opencl_atomic_exchange(p, 1, order, memory_scope_device) != 0;                                            \
  }                                                                                                                    \
  bool OVERLOAD atomic_flag_test_and_set(volatile space atomic_flag *p) {                                              \
    return __opencl_atomic_exchange(p, 1, memory_order_seq_cst, memory_scope_device) != 0;                             \
  }                                                                                                                    \
  void OVERLOAD atomic_flag_clear_explicit(volatile space atomic_flag *p, memory_order order, memory_scope scope) {    \
    __opencl_atomic_store(p, 0, order, scope);                                                                         \
  }                                                                                                                    \
  void OVERLOAD atomic_flag_clear_explicit(volatile space atomic_flag *p, memory_order order) {                        \
    __opencl_atomic_store(p, 0, order, memory_scope_device);                                                           \
  }                                                                                                                    \
  void OVERLOAD atomic_flag_clear(volatile space atomic_flag *p) {                                                     \
    __opencl_atomic_store(p, 0, memory_order_seq_cst, memory_scope_device);                                            \
  }

#define SPACE(space)                                                                                                   \
  EXCHANGE(space, int)                                                                                                 \
  EXCHANGE(space, uint)                                                                                                \
  EXCHANGE(space, long)                                                                                                \
  EXCHANGE(space, ulong)                                                                                               \
  EXCHANGE(space, float)                                                                                               \
  EXCHANGE(space, double)                                                                                              \
  FETCH(space, int, int)                                                                                               \
  FETCH(space, uint, uint)                                                                                             \
  FETCH(space, long, long)                                                                                             \
  FETCH(space, ulong, ulong)                                                                                           \
  FETCH(space, long, ulong)                                                                                            \
  FETCH(space, ulong, long)                                                                                            \
  FETCH_FLOAT(space, float)                                                                                            \
  FETCH_FLOAT(space, double)                                                                                           \
  FLAG(space)
SPACE(__global)
SPACE(__local)
SPACE(__generic)
