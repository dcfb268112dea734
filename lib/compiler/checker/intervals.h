// Intervals of numbers whose ends only running code knows (checker/intervals.c): instructions compute them.
// Used by checker/ranges.c.
#ifndef WEFTC_CHECKER_INTERVALS_H
#define WEFTC_CHECKER_INTERVALS_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

// All numbers from low to high, i64. NULL: nothing is known of this end. A number of less bits is taken as
// signed. Ends of WEFTC_ENDLESS and more, and of minus that and less, are none: running code has
// found that it can't know one.
struct weftc_interval {
    LLVMValueRef low, high;
};
#define WEFTC_ENDLESS ((int64_t)1 << 61)

struct weftc_intervals {
    LLVMBuilderRef b;
    LLVMContextRef c;
};

static inline bool weftc_interval_is_known(struct weftc_interval a)
{
    return a.low && a.high;
}

LLVMValueRef weftc_interval_number(const struct weftc_intervals *u, int64_t n);
LLVMValueRef weftc_interval_least(const struct weftc_intervals *u, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef weftc_interval_most(const struct weftc_intervals *u, LLVMValueRef a, LLVMValueRef b);
// i1: a <= b
LLVMValueRef weftc_interval_is_below(const struct weftc_intervals *u, LLVMValueRef a, LLVMValueRef b);

// i1: is one of the ends none?
LLVMValueRef weftc_interval_is_endless(const struct weftc_intervals *u, struct weftc_interval a);
// The interval, or one without ends.
struct weftc_interval weftc_interval_unless(const struct weftc_intervals *u, LLVMValueRef wrong,
                                            struct weftc_interval a);

// What a number of so many bits can be.
struct weftc_interval weftc_interval_of_type(const struct weftc_intervals *u, unsigned bits);
// What an instruction of LLVM of so many bits makes of two such numbers.
struct weftc_interval weftc_interval_operate(const struct weftc_intervals *u, LLVMOpcode opcode,
                                             unsigned bits, struct weftc_interval a, struct weftc_interval b);
struct weftc_interval weftc_interval_zero_extended(const struct weftc_intervals *u, unsigned from,
                                                   struct weftc_interval a);
struct weftc_interval weftc_interval_truncated(const struct weftc_intervals *u, unsigned to,
                                               struct weftc_interval a);
// The least or the greatest of two numbers. no_sign: as unsigned numbers.
struct weftc_interval weftc_interval_choice(const struct weftc_intervals *u, bool greatest, bool no_sign,
                                            unsigned bits, struct weftc_interval a, struct weftc_interval b);
struct weftc_interval weftc_interval_join(const struct weftc_intervals *u, struct weftc_interval a,
                                          struct weftc_interval b);
// What is left of a where a comparison of it with b holds.
struct weftc_interval weftc_interval_where(const struct weftc_intervals *u, LLVMIntPredicate predicate,
                                           struct weftc_interval a, struct weftc_interval b);

#endif
