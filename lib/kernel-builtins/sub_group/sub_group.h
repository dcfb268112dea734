// Building blocks of the functions of sub-groups: sub-group calls (lib/compiler/ir/sub_groups.h), which the
// vectorizer turns into vector instructions. A call works on the work-items that reach it together. So the
// functions for all work-items of a sub-group and the "non-uniform" functions are the same. A sub-group has
// at most 32 work-items.
#ifndef WEFT_SUB_GROUP_H
#define WEFT_SUB_GROUP_H

#include "../builtin.h"

// F(T, its name in LLVM, prefix of its additions, prefix of its comparisons, ...)
#define FOR_SUB_FLOATS(F, ...)             \
    F(float, "f32", "f", "f", __VA_ARGS__) \
    F(double, "f64", "f", "f", __VA_ARGS__)
#define FOR_SUB_INTEGERS(F, ...)           \
    F(char, "i8", "", "s", __VA_ARGS__)    \
    F(uchar, "i8", "", "u", __VA_ARGS__)   \
    F(short, "i16", "", "s", __VA_ARGS__)  \
    F(ushort, "i16", "", "u", __VA_ARGS__) \
    F(int, "i32", "", "s", __VA_ARGS__)    \
    F(uint, "i32", "", "u", __VA_ARGS__)   \
    F(long, "i64", "", "s", __VA_ARGS__)   \
    F(ulong, "i64", "", "u", __VA_ARGS__)
#define FOR_SUB_TYPES(F, ...) FOR_SUB_INTEGERS(F, __VA_ARGS__) FOR_SUB_FLOATS(F, __VA_ARGS__)

#define MOVES(T, t, ...)                                                \
    T __weft_sub_first_##T(T) __asm("weft.sub.first." t);               \
    T __weft_sub_broadcast_##T(T, uint) __asm("weft.sub.broadcast." t); \
    T __weft_sub_shuffle_##T(T, uint) __asm("weft.sub.shuffle." t);
FOR_SUB_TYPES(MOVES)

// Bit k is set if work-item k of the sub-group reaches this call and its predicate isn't 0.
uint __weft_sub_ballot(int predicate) __asm("weft.sub.ballot");

// The bits of the work-items before this one.
static inline uint bits_below(void)
{
    return (1u << get_sub_group_local_id()) - 1;
}
// The bits of this work-item and those before it.
static inline uint bits_up_to(void)
{
    return bits_below() << 1 | 1;
}
static inline uint bits_of_all(void)
{
    return 0xffffffffu >> (32 - get_max_sub_group_size());
}

#endif
