// Functions that move values between work-items: sub_group_broadcast (OpenCL C 3.0 §6.15.19),
// cl_khr_subgroup_extended_types, cl_khr_subgroup_shuffle, cl_khr_subgroup_shuffle_relative,
// cl_khr_subgroup_rotate, and the broadcasts of cl_khr_subgroup_ballot.
#include "sub_group.h"

#define MOVE(T, ...)                                                                                                   \
  T OVERLOAD sub_group_broadcast(T x, uint id) { return __weft_sub_broadcast_##T(x, id); }                             \
  T OVERLOAD sub_group_non_uniform_broadcast(T x, uint id) { return __weft_sub_broadcast_##T(x, id); }                 \
  T OVERLOAD sub_group_broadcast_first(T x) { return __weft_sub_first_##T(x); }                                        \
  T OVERLOAD sub_group_shuffle(T x, uint id) { return __weft_sub_shuffle_##T(x, id); }                                 \
  T OVERLOAD sub_group_shuffle_xor(T x, uint mask) {                                                                   \
    return __weft_sub_shuffle_##T(x, get_sub_group_local_id() ^ mask);                                                 \
  }                                                                                                                    \
  T OVERLOAD sub_group_shuffle_up(T x, uint by) { return __weft_sub_shuffle_##T(x, get_sub_group_local_id() - by); }   \
  T OVERLOAD sub_group_shuffle_down(T x, uint by) { return __weft_sub_shuffle_##T(x, get_sub_group_local_id() + by); } \
  T OVERLOAD sub_group_rotate(T x, int by) {                                                                           \
    int size = (int)get_max_sub_group_size(), less = by % size;                                                        \
    uint from = get_sub_group_local_id() + (uint)(less < 0 ? less + size : less);                                      \
    return __weft_sub_shuffle_##T(x, from < (uint)size ? from : from - (uint)size);                                    \
  }                                                                                                                    \
  T OVERLOAD sub_group_clustered_rotate(T x, int by, uint size) {                                                      \
    uint id = get_sub_group_local_id(), most = get_max_sub_group_size();                                               \
    uint within = (size < most ? size : most) - 1;                                                                     \
    return __weft_sub_shuffle_##T(x, (id & ~within) + ((id + (uint)by) & within));                                     \
  }
FOR_SUB_TYPES(MOVE)

// Halves are moved as 16-bit integers.
static inline half __weft_sub_first_half(half x) { return AS(half, __weft_sub_first_short(AS(short, x))); }
static inline half __weft_sub_broadcast_half(half x, uint id) {
  return AS(half, __weft_sub_broadcast_short(AS(short, x), id));
}
static inline half __weft_sub_shuffle_half(half x, uint id) { return AS(half, __weft_sub_shuffle_short(AS(short, x), id)); }
MOVE(half)

#define ONE(x, T, id) __weft_sub_broadcast_##T(x, id)
#define BROADCAST_2(x, T, id) (T##2)(ONE((x).s0, T, id), ONE((x).s1, T, id))
#define BROADCAST_3(x, T, id) (T##3)(ONE((x).s0, T, id), ONE((x).s1, T, id), ONE((x).s2, T, id))
#define BROADCAST_4(x, T, id) (T##4)(BROADCAST_2((x).lo, T, id), BROADCAST_2((x).hi, T, id))
#define BROADCAST_8(x, T, id) (T##8)(BROADCAST_4((x).lo, T, id), BROADCAST_4((x).hi, T, id))
#define BROADCAST_16(x, T, id) (T##16)(BROADCAST_8((x).lo, T, id), BROADCAST_8((x).hi, T, id))
#define VECTOR(n, T)                                                                                                   \
  T##n OVERLOAD sub_group_broadcast(T##n x, uint id) { return BROADCAST_##n(x, T, id); }                               \
  T##n OVERLOAD sub_group_non_uniform_broadcast(T##n x, uint id) { return BROADCAST_##n(x, T, id); }
#define VECTORS(T, ...) FOR_VECTORS(VECTOR, T)
FOR_SUB_TYPES(VECTORS)
VECTORS(half)
