// work_group_scan_inclusive and exclusive (OpenCL C 3.0 §6.15.16), and the scans of
// cl_khr_work_group_uniform_arithmetic.
#include "group.h"

// Prefix sums of a block: each step adds the sums of twice as many left neighbours.
#define SCAN_BLOCK(T, I, NAME, OP, IDENTITY)                                                                           \
  static inline T##16 NAME##_block_##T(T##16 x) {                                                                      \
    const T##16 none = (T##16)(IDENTITY##_##T);                                                                        \
    x = OP(x, __builtin_shufflevector(none, x, 0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30));        \
    x = OP(x, __builtin_shufflevector(none, x, 0, 1, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29));         \
    x = OP(x, __builtin_shufflevector(none, x, 0, 1, 2, 3, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27));           \
    return OP(x, __builtin_shufflevector(none, x, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23));            \
  }

#define SCAN(T, I, NAME, OP, IDENTITY)                                                                                 \
  SCAN_BLOCK(T, I, NAME, OP, IDENTITY)                                                                                 \
  T OVERLOAD work_group_scan_inclusive_##NAME(T x) {                                                                   \
    __private T *row = group_row(sizeof(T)), *mine = row + get_local_linear_id();                                        \
    *mine = x;                                                                                                         \
    __weft_single_item_barrier();                                                                                             \
    T before = IDENTITY##_##T;                                                                                         \
    for (size_t i = 0, count = group_items(); i < count; i += BLOCK) {                                                 \
      __private T##16 *place = (__private T##16 *)(row + i);                                                           \
      T##16 block = NAME##_block_##T(*place);                                                                          \
      *place = OP((T##16)(before), block);                                                                             \
      before = OP(before, block.sf);                                                                                   \
    }                                                                                                                  \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                      \
    return *mine;                                                                                                      \
  }                                                                                                                    \
  T OVERLOAD work_group_scan_exclusive_##NAME(T x) {                                                                   \
    __private T *row = group_row(sizeof(T)), *mine = row + get_local_linear_id();                                        \
    *mine = x;                                                                                                         \
    __weft_single_item_barrier();                                                                                             \
    T before = IDENTITY##_##T;                                                                                         \
    for (size_t i = 0, count = group_items(); i < count; i += BLOCK) {                                                 \
      __private T##16 *place = (__private T##16 *)(row + i);                                                           \
      const T##16 none = (T##16)(IDENTITY##_##T);                                                                      \
      T##16 block = NAME##_block_##T(*place);                                                                          \
      T##16 left = __builtin_shufflevector(none, block, 0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,     \
                                           30);                                                                        \
      *place = OP((T##16)(before), left);                                                                              \
      before = OP(before, block.sf);                                                                                   \
    }                                                                                                                  \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                      \
    return *mine;                                                                                                      \
  }
FOR_GROUP_TYPES(SCAN, add, ADD, ZERO)
FOR_GROUP_TYPES(SCAN, min, MIN, MOST)
FOR_GROUP_TYPES(SCAN, max, MAX, LEAST)
FOR_GROUP_TYPES(SCAN, mul, MUL, ONE)
FOR_GROUP_INTEGERS(SCAN, and, AND, BITS)
FOR_GROUP_INTEGERS(SCAN, or, OR, ZERO)
FOR_GROUP_INTEGERS(SCAN, xor, XOR, ZERO)

// The names that llvm-spirv uses.
FOR_GROUP_INTEGERS(SCAN, bitwise_and, AND, BITS)
FOR_GROUP_INTEGERS(SCAN, bitwise_or, OR, ZERO)
FOR_GROUP_INTEGERS(SCAN, bitwise_xor, XOR, ZERO)

// Logical operations: bitwise operations on 0 and 1.
#define SCAN_LOGICAL(NAME)                                                                                             \
  int OVERLOAD work_group_scan_inclusive_logical_##NAME(int x) { return work_group_scan_inclusive_##NAME(x != 0); }    \
  int OVERLOAD work_group_scan_exclusive_logical_##NAME(int x) { return work_group_scan_exclusive_##NAME(x != 0) & 1; }
SCAN_LOGICAL(and)
SCAN_LOGICAL(or)
SCAN_LOGICAL(xor)

// Halves are summed as floats.
#define SCAN_HALF(NAME)                                                                                                \
  half OVERLOAD work_group_scan_inclusive_##NAME(half x) { return (half)work_group_scan_inclusive_##NAME((float)x); }  \
  half OVERLOAD work_group_scan_exclusive_##NAME(half x) { return (half)work_group_scan_exclusive_##NAME((float)x); }
SCAN_HALF(add)
SCAN_HALF(mul)
SCAN_HALF(min)
SCAN_HALF(max)
