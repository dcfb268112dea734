// Sums, minima and maxima over sub-groups: sub_group_reduce and sub_group_scan (OpenCL C 3.0 §6.15.19), and
// those of cl_khr_subgroup_extended_types, cl_khr_subgroup_non_uniform_arithmetic and
// cl_khr_subgroup_clustered_reduce.
#include "sub_group.h"

#define CALLS(T, t, P, NAME)                                                                                           \
  T __weft_sub_reduce_##NAME##_##T(T) __asm("weft.sub.reduce." P #NAME "." t);                                         \
  T __weft_sub_inclusive_##NAME##_##T(T) __asm("weft.sub.inclusive." P #NAME "." t);                                   \
  T __weft_sub_exclusive_##NAME##_##T(T) __asm("weft.sub.exclusive." P #NAME "." t);                                   \
  T __weft_sub_clustered_##NAME##_##T(T, uint) __asm("weft.sub.clustered." P #NAME "." t);                             \
  T OVERLOAD sub_group_non_uniform_reduce_##NAME(T x) { return __weft_sub_reduce_##NAME##_##T(x); }                    \
  T OVERLOAD sub_group_non_uniform_scan_inclusive_##NAME(T x) { return __weft_sub_inclusive_##NAME##_##T(x); }         \
  T OVERLOAD sub_group_non_uniform_scan_exclusive_##NAME(T x) { return __weft_sub_exclusive_##NAME##_##T(x); }         \
  T OVERLOAD sub_group_clustered_reduce_##NAME(T x, uint size) { return __weft_sub_clustered_##NAME##_##T(x, size); }

#define WHOLE(T, NAME)                                                                                                 \
  T OVERLOAD sub_group_reduce_##NAME(T x) { return __weft_sub_reduce_##NAME##_##T(x); }                                \
  T OVERLOAD sub_group_scan_inclusive_##NAME(T x) { return __weft_sub_inclusive_##NAME##_##T(x); }                     \
  T OVERLOAD sub_group_scan_exclusive_##NAME(T x) { return __weft_sub_exclusive_##NAME##_##T(x); }

#define ARITHMETIC(T, t, A, M, ...)                                                                                    \
  CALLS(T, t, A, add)                                                                                                  \
  CALLS(T, t, A, mul)                                                                                                  \
  CALLS(T, t, M, min)                                                                                                  \
  CALLS(T, t, M, max)                                                                                                  \
  WHOLE(T, add)                                                                                                        \
  WHOLE(T, min)                                                                                                        \
  WHOLE(T, max)
FOR_SUB_TYPES(ARITHMETIC)

// Halves are summed as floats.
#define HALF_CALLS(NAME)                                                                                               \
  half OVERLOAD sub_group_non_uniform_reduce_##NAME(half x) { return (half)__weft_sub_reduce_##NAME##_float(x); }      \
  half OVERLOAD sub_group_non_uniform_scan_inclusive_##NAME(half x) {                                                  \
    return (half)__weft_sub_inclusive_##NAME##_float(x);                                                               \
  }                                                                                                                    \
  half OVERLOAD sub_group_non_uniform_scan_exclusive_##NAME(half x) {                                                  \
    return (half)__weft_sub_exclusive_##NAME##_float(x);                                                               \
  }                                                                                                                    \
  half OVERLOAD sub_group_clustered_reduce_##NAME(half x, uint size) {                                                 \
    return (half)__weft_sub_clustered_##NAME##_float(x, size);                                                         \
  }
#define HALF_WHOLE(NAME)                                                                                               \
  half OVERLOAD sub_group_reduce_##NAME(half x) { return (half)__weft_sub_reduce_##NAME##_float(x); }                  \
  half OVERLOAD sub_group_scan_inclusive_##NAME(half x) { return (half)__weft_sub_inclusive_##NAME##_float(x); }       \
  half OVERLOAD sub_group_scan_exclusive_##NAME(half x) { return (half)__weft_sub_exclusive_##NAME##_float(x); }
HALF_CALLS(add)
HALF_CALLS(mul)
HALF_CALLS(min)
HALF_CALLS(max)
HALF_WHOLE(add)
HALF_WHOLE(min)
HALF_WHOLE(max)

#define BITS(T, t, ...)                                                                                                \
  CALLS(T, t, "", and)                                                                                                 \
  CALLS(T, t, "", or)                                                                                                  \
  CALLS(T, t, "", xor)
FOR_SUB_INTEGERS(BITS)

// Logical operations: bitwise operations on 0 and 1.
#define LOGICAL(NAME)                                                                                                  \
  int OVERLOAD sub_group_non_uniform_reduce_logical_##NAME(int x) { return __weft_sub_reduce_##NAME##_int(x != 0); }   \
  int OVERLOAD sub_group_non_uniform_scan_inclusive_logical_##NAME(int x) {                                            \
    return __weft_sub_inclusive_##NAME##_int(x != 0);                                                                  \
  }                                                                                                                    \
  int OVERLOAD sub_group_non_uniform_scan_exclusive_logical_##NAME(int x) {                                            \
    return __weft_sub_exclusive_##NAME##_int(x != 0) & 1;                                                              \
  }                                                                                                                    \
  int OVERLOAD sub_group_clustered_reduce_logical_##NAME(int x, uint size) {                                           \
    return __weft_sub_clustered_##NAME##_int(x != 0, size);                                                            \
  }
LOGICAL(and)
LOGICAL(or)
LOGICAL(xor)
