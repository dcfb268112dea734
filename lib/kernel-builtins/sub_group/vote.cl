// Votes: sub_group_all and any (OpenCL C 3.0 §6.15.19), cl_khr_subgroup_non_uniform_vote and
// cl_khr_subgroup_ballot.
#include "sub_group.h"

int OVERLOAD sub_group_all(int predicate) { return __weft_sub_ballot(!predicate) == 0; }
int OVERLOAD sub_group_any(int predicate) { return __weft_sub_ballot(predicate) != 0; }
int OVERLOAD sub_group_non_uniform_all(int predicate) { return __weft_sub_ballot(!predicate) == 0; }
int OVERLOAD sub_group_non_uniform_any(int predicate) { return __weft_sub_ballot(predicate) != 0; }

int OVERLOAD sub_group_elect(void) { return (__weft_sub_ballot(1) & bits_below()) == 0; }

#define ALL_EQUAL(T, ...)                                                                                              \
  int OVERLOAD sub_group_non_uniform_all_equal(T x) { return __weft_sub_ballot(!(x == __weft_sub_first_##T(x))) == 0; }
FOR_SUB_TYPES(ALL_EQUAL)
int OVERLOAD sub_group_non_uniform_all_equal(half x) { return sub_group_non_uniform_all_equal((float)x); }

uint4 OVERLOAD sub_group_ballot(int predicate) { return (uint4)(__weft_sub_ballot(predicate), 0, 0, 0); }

static inline int bit(uint4 value, uint index) {
  uint word = index < 32 ? value.x : index < 64 ? value.y : index < 96 ? value.z : value.w;
  return word >> (index & 31) & 1;
}
int OVERLOAD sub_group_inverse_ballot(uint4 value) { return bit(value, get_sub_group_local_id()); }
int OVERLOAD sub_group_ballot_bit_extract(uint4 value, uint index) { return bit(value, index); }

uint OVERLOAD sub_group_ballot_bit_count(uint4 value) { return popcount(value.x & bits_of_all()); }
uint OVERLOAD sub_group_ballot_inclusive_scan(uint4 value) { return popcount(value.x & bits_up_to()); }
uint OVERLOAD sub_group_ballot_exclusive_scan(uint4 value) { return popcount(value.x & bits_below()); }
uint OVERLOAD sub_group_ballot_find_lsb(uint4 value) { return ctz(value.x & bits_of_all()); }
uint OVERLOAD sub_group_ballot_find_msb(uint4 value) { return 31 - clz(value.x & bits_of_all()); }

uint4 OVERLOAD get_sub_group_eq_mask(void) { return (uint4)(1u << get_sub_group_local_id(), 0, 0, 0); }
uint4 OVERLOAD get_sub_group_ge_mask(void) { return (uint4)(bits_of_all() & ~bits_below(), 0, 0, 0); }
uint4 OVERLOAD get_sub_group_gt_mask(void) { return (uint4)(bits_of_all() & ~bits_up_to(), 0, 0, 0); }
uint4 OVERLOAD get_sub_group_le_mask(void) { return (uint4)(bits_up_to(), 0, 0, 0); }
uint4 OVERLOAD get_sub_group_lt_mask(void) { return (uint4)(bits_below(), 0, 0, 0); }
