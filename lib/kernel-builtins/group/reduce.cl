// work_group_all, any and reduce (OpenCL C 3.0 §6.15.16), and the reductions of
// cl_khr_work_group_uniform_arithmetic.
#include "group.h"

// Four independent sums, so that additions needn't wait for each other.
#define REDUCE_ROW(T, I, NAME, OP, IDENTITY)                                                                           \
  static inline T NAME##_row_##T(const __private T *row, size_t count) {                                               \
    const T identity = IDENTITY##_##T;                                                                                 \
    T##16 a = (T##16)(identity), b = a, c = a, d = a;                                                                  \
    size_t i = 0;                                                                                                      \
    for (; count - i >= 4 * BLOCK; i += 4 * BLOCK) {                                                                   \
      a = OP(a, *(const __private T##16 *)(row + i));                                                                  \
      b = OP(b, *(const __private T##16 *)(row + i + BLOCK));                                                          \
      c = OP(c, *(const __private T##16 *)(row + i + 2 * BLOCK));                                                      \
      d = OP(d, *(const __private T##16 *)(row + i + 3 * BLOCK));                                                      \
    }                                                                                                                  \
    for (; i < count; i += BLOCK)                                                                                      \
      a = OP(a, row_block_##T(row, i, count, identity));                                                               \
    a = OP(a, b);                                                                                                      \
    c = OP(c, d);                                                                                                      \
    a = OP(a, c);                                                                                                      \
    T##8 e = OP(a.lo, a.hi);                                                                                           \
    T##4 f = OP(e.lo, e.hi);                                                                                           \
    T##2 g = OP(f.lo, f.hi);                                                                                           \
    return OP(g.x, g.y);                                                                                               \
  }

#define REDUCE(T, I, NAME, OP, IDENTITY)                                                                               \
  REDUCE_ROW(T, I, NAME, OP, IDENTITY)                                                                                 \
  T OVERLOAD work_group_reduce_##NAME(T x) {                                                                           \
    __private T *row = group_row(sizeof(T)), *slot = __weft_group_slot();                                                \
    row[get_local_linear_id()] = x;                                                                                    \
    __weft_single_item_barrier();                                                                                             \
    *slot = NAME##_row_##T(row, group_items());                                                                        \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                      \
    return *slot;                                                                                                      \
  }
FOR_GROUP_TYPES(REDUCE, add, ADD, ZERO)
FOR_GROUP_TYPES(REDUCE, min, MIN, MOST)
FOR_GROUP_TYPES(REDUCE, max, MAX, LEAST)
FOR_GROUP_TYPES(REDUCE, mul, MUL, ONE)
FOR_GROUP_INTEGERS(REDUCE, and, AND, BITS)
FOR_GROUP_INTEGERS(REDUCE, or, OR, ZERO)
FOR_GROUP_INTEGERS(REDUCE, xor, XOR, ZERO)

// The names that llvm-spirv uses.
FOR_GROUP_INTEGERS(REDUCE, bitwise_and, AND, BITS)
FOR_GROUP_INTEGERS(REDUCE, bitwise_or, OR, ZERO)
FOR_GROUP_INTEGERS(REDUCE, bitwise_xor, XOR, ZERO)

// Logical operations: bitwise operations on 0 and 1.
int OVERLOAD work_group_reduce_logical_and(int x) { return work_group_reduce_and(x != 0); }
int OVERLOAD work_group_reduce_logical_or(int x) { return work_group_reduce_or(x != 0); }
int OVERLOAD work_group_reduce_logical_xor(int x) { return work_group_reduce_xor(x != 0); }

// Halves are summed as floats.
half OVERLOAD work_group_reduce_add(half x) { return (half)work_group_reduce_add((float)x); }
half OVERLOAD work_group_reduce_mul(half x) { return (half)work_group_reduce_mul((float)x); }
half OVERLOAD work_group_reduce_min(half x) { return (half)work_group_reduce_min((float)x); }
half OVERLOAD work_group_reduce_max(half x) { return (half)work_group_reduce_max((float)x); }

#define TRUE_int (-1)
REDUCE_ROW(int, int, all, AND, TRUE)
REDUCE_ROW(int, int, any, OR, ZERO)

#define VOTE(NAME)                                                                                                     \
  int OVERLOAD work_group_##NAME(int predicate) {                                                                      \
    __private int *row = group_row(sizeof(int)), *slot = __weft_group_slot();                                              \
    row[get_local_linear_id()] = predicate != 0;                                                                       \
    __weft_single_item_barrier();                                                                                             \
    *slot = NAME##_row_int(row, group_items());                                                                        \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                                      \
    return *slot;                                                                                                      \
  }
VOTE(all)
VOTE(any)
