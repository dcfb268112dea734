// Building blocks of the collective functions of work-groups. Only group/*.cl includes it.
//
// Each collective function has two barriers. Before the first, each work-item stores its value into the
// group's row. Between them one work-item computes for all: it reads the row and leaves the result in the
// group's slot, or in the row. After the second, each work-item loads the result. All calls share the row and
// the slot. That is safe: a work-item that reaches the next call has already loaded this call's result, and
// the slot is only written after all have arrived. But a work-item stores to its element of the row before
// that, so no other work-item's element may overlap it: elements of 4 and of 8 bytes have separate rows.
//
// The row is processed in blocks of 16 elements on every machine. So the order of additions, and with it the
// sum, doesn't depend on the number of lanes.
#ifndef WEFT_GROUP_H
#define WEFT_GROUP_H

#include "../builtin.h"

// Lowered by the compiler (prepare/workitem_functions.c). A row has an element for each work-item, in linear
// order, padded to a multiple of 64 elements of any value. The row of 4-byte elements comes first, then the
// row of 8-byte elements.
__private char *__weft_group_rows(void);
__private void *__weft_group_slot(void);
__attribute__((convergent)) void __weft_single_item_barrier(void);

enum { BLOCK = 16 };

static inline size_t group_items(void)
{
    return get_local_size(0) * get_local_size(1) * get_local_size(2);
}

static inline __private void *group_row(size_t element)
{
    return __weft_group_rows() + (element == 4 ? 0 : 4 * ((group_items() + 63) & ~(size_t)63));
}

#define ADD(a, b) ((a) + (b))
#define MIN(a, b) ((b) < (a) ? (b) : (a))
#define MAX(a, b) ((a) < (b) ? (b) : (a))
#define AND(a, b) ((a) & (b))
#define OR(a, b) ((a) | (b))
#define XOR(a, b) ((a) ^ (b))
#define MUL(a, b) ((a) * (b))

// F(T, I, ...) for each type. I: an integer type of T's size.
#define FOR_GROUP_INTEGERS(F, ...) \
    F(int, int, __VA_ARGS__)       \
    F(uint, int, __VA_ARGS__)      \
    F(long, long, __VA_ARGS__)     \
    F(ulong, long, __VA_ARGS__)
#define FOR_GROUP_TYPES(F, ...)        \
    FOR_GROUP_INTEGERS(F, __VA_ARGS__) \
    F(float, int, __VA_ARGS__)         \
    F(double, long, __VA_ARGS__)

// Identities of MIN and MAX. For floating-point types they are the infinities.
#define LEAST_int INT_MIN
#define LEAST_uint 0u
#define LEAST_long LONG_MIN
#define LEAST_ulong 0ul
#define LEAST_float (-INFINITY)
#define LEAST_double (-(double)INFINITY)
#define MOST_int INT_MAX
#define MOST_uint UINT_MAX
#define MOST_long LONG_MAX
#define MOST_ulong ULONG_MAX
#define MOST_float INFINITY
#define MOST_double ((double)INFINITY)
#define ZERO_int 0
#define ZERO_uint 0
#define ZERO_long 0
#define ZERO_ulong 0
#define ZERO_float 0
#define ZERO_double 0

#define ONE_int 1
#define ONE_uint 1
#define ONE_long 1
#define ONE_ulong 1
#define ONE_float 1
#define ONE_double 1
#define BITS_int (-1)
#define BITS_uint (~0u)
#define BITS_long (-1l)
#define BITS_ulong (~0ul)

// Loads the elements of the row from `first` on. Elements of no work-item are replaced by `identity`.
#define ROW_BLOCK(T, I, ...)                                                                              \
    static inline T##16 row_block_##T(const __private T *row, size_t first, size_t count, T identity)     \
    {                                                                                                     \
        T##16 block = *(const __private T##16 *)(row + first);                                            \
        const I##16 number = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};                      \
        return count - first < BLOCK ? (number < (I)(count - first) ? block : (T##16)(identity)) : block; \
    }
FOR_GROUP_TYPES(ROW_BLOCK)

#endif
