// The shuffles of cl_intel_subgroups and related extensions, and functions that they call by their own names.
// block.cl has the block reads and writes.
#include "sub_group.h"

// The value of the work-item `by` positions further, in two consecutive rows of a sub-group's values:
// `first`, then `second`.
#define SHUFFLES(T, ...)                                                                                               \
  static inline T in_rows_##T(T first, T second, uint at) {                                                            \
    uint size = get_max_sub_group_size();                                                                              \
    T low = __weft_sub_shuffle_##T(first, at & (size - 1)), high = __weft_sub_shuffle_##T(second, at & (size - 1));    \
    return at < size ? low : high;                                                                                     \
  }                                                                                                                    \
  T OVERLOAD intel_sub_group_shuffle(T x, uint id) { return __weft_sub_shuffle_##T(x, id); }                           \
  T OVERLOAD intel_sub_group_shuffle_xor(T x, uint mask) {                                                             \
    return __weft_sub_shuffle_##T(x, get_sub_group_local_id() ^ mask);                                                 \
  }                                                                                                                    \
  T OVERLOAD intel_sub_group_shuffle_down(T now, T next, uint by) {                                                    \
    return in_rows_##T(now, next, get_sub_group_local_id() + by);                                                      \
  }                                                                                                                    \
  T OVERLOAD intel_sub_group_shuffle_up(T before, T now, uint by) {                                                    \
    return in_rows_##T(before, now, get_sub_group_local_id() + get_max_sub_group_size() - by);                         \
  }
FOR_SUB_TYPES(SHUFFLES)

// Halves are shuffled as 16-bit integers.
static inline half __weft_sub_shuffle_half(half x, uint id) { return AS(half, __weft_sub_shuffle_short(AS(short, x), id)); }
SHUFFLES(half)

#define VECTOR_SHUFFLES_OF(n, T)                                                                                 \
  T##n OVERLOAD intel_sub_group_shuffle(T##n x, uint id) {                                                             \
    return (T##n)(intel_sub_group_shuffle(x.lo, id), intel_sub_group_shuffle(x.hi, id));                   \
  }                                                                                                                    \
  T##n OVERLOAD intel_sub_group_shuffle_xor(T##n x, uint mask) {                                                       \
    return (T##n)(intel_sub_group_shuffle_xor(x.lo, mask), intel_sub_group_shuffle_xor(x.hi, mask));       \
  }                                                                                                                    \
  T##n OVERLOAD intel_sub_group_shuffle_down(T##n now, T##n next, uint by) {                                           \
    return (T##n)(intel_sub_group_shuffle_down(now.lo, next.lo, by), intel_sub_group_shuffle_down(now.hi, next.hi, by)); \
  }                                                                                                                    \
  T##n OVERLOAD intel_sub_group_shuffle_up(T##n before, T##n now, uint by) {                                           \
    return (T##n)(intel_sub_group_shuffle_up(before.lo, now.lo, by), intel_sub_group_shuffle_up(before.hi, now.hi, by)); \
  }
#define VECTOR_SHUFFLES(T, ...)                                                                                        \
  VECTOR_SHUFFLES_OF(2, T)                                                                                       \
  T##3 OVERLOAD intel_sub_group_shuffle(T##3 x, uint id) {                                                             \
    return (T##3)(intel_sub_group_shuffle(x.xy, id), intel_sub_group_shuffle(x.z, id));                                \
  }                                                                                                                    \
  T##3 OVERLOAD intel_sub_group_shuffle_xor(T##3 x, uint mask) {                                                       \
    return (T##3)(intel_sub_group_shuffle_xor(x.xy, mask), intel_sub_group_shuffle_xor(x.z, mask));                    \
  }                                                                                                                    \
  T##3 OVERLOAD intel_sub_group_shuffle_down(T##3 now, T##3 next, uint by) {                                           \
    return (T##3)(intel_sub_group_shuffle_down(now.xy, next.xy, by), intel_sub_group_shuffle_down(now.z, next.z, by)); \
  }                                                                                                                    \
  T##3 OVERLOAD intel_sub_group_shuffle_up(T##3 before, T##3 now, uint by) {                                           \
    return (T##3)(intel_sub_group_shuffle_up(before.xy, now.xy, by), intel_sub_group_shuffle_up(before.z, now.z, by)); \
  }                                                                                                                    \
  VECTOR_SHUFFLES_OF(4, T)                                                                                       \
  VECTOR_SHUFFLES_OF(8, T)                                                                                       \
  VECTOR_SHUFFLES_OF(16, T)
VECTOR_SHUFFLES(int)
VECTOR_SHUFFLES(uint)
VECTOR_SHUFFLES(float)
VECTOR_SHUFFLES(char)
VECTOR_SHUFFLES(uchar)
VECTOR_SHUFFLES(short)
VECTOR_SHUFFLES(ushort)

#define OF_ONE(T, op)                                                                                                  \
  T OVERLOAD intel_sub_group_reduce_##op(T x) { return sub_group_reduce_##op(x); }                                     \
  T OVERLOAD intel_sub_group_scan_exclusive_##op(T x) { return sub_group_scan_exclusive_##op(x); }                     \
  T OVERLOAD intel_sub_group_scan_inclusive_##op(T x) { return sub_group_scan_inclusive_##op(x); }
#define SMALL(T)                                                                                                       \
  T OVERLOAD intel_sub_group_broadcast(T x, uint id) { return sub_group_broadcast(x, id); }                            \
  OF_ONE(T, add) OF_ONE(T, min) OF_ONE(T, max)
SMALL(char)
SMALL(uchar)
SMALL(short)
SMALL(ushort)

// Vectors of them, as Clang's header declares them.
#define SMALL_VECTOR(n, T)                                                                                             \
  T##n OVERLOAD intel_sub_group_broadcast(T##n x, uint id) { return sub_group_broadcast(x, id); }
SMALL_VECTOR(2, char) SMALL_VECTOR(3, char) SMALL_VECTOR(4, char) SMALL_VECTOR(8, char)
SMALL_VECTOR(2, uchar) SMALL_VECTOR(3, uchar) SMALL_VECTOR(4, uchar) SMALL_VECTOR(8, uchar)
SMALL_VECTOR(2, short) SMALL_VECTOR(3, short) SMALL_VECTOR(4, short) SMALL_VECTOR(8, short)
SMALL_VECTOR(2, ushort) SMALL_VECTOR(3, ushort) SMALL_VECTOR(4, ushort) SMALL_VECTOR(8, ushort)
