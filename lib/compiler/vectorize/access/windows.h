// Permute windows: a few registers' worth of memory in which the lanes' segments of a group lie
// (vectorize/access/windows.c).
#ifndef WEFTC_VECTORIZE_WINDOWS_H
#define WEFTC_VECTORIZE_WINDOWS_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

struct weftc_vec;
struct weftc_vec_group;
struct weftc_vec_plan;

enum {
    WEFTC_WINDOW_TERMS = 3,
    WEFTC_WINDOW_WIDENED = 4,
    WEFTC_WINDOW_LANES = 16, // words in a register
};

// How far a lane's segment lies from lane 0's; windows.c has the formula.
struct weftc_window_pattern {
    int64_t slope;
    struct {
        LLVMValueRef of, mask; // s * l, and m
        int64_t factor;        // c
        int64_t stride;        // s
    } terms[WEFTC_WINDOW_TERMS];
    unsigned count;
    struct {
        LLVMValueRef value; // of 32 bits, extended to 64
        bool is_signed;
        int64_t below, above; // how far other lanes may be from lane 0
    } widened[WEFTC_WINDOW_WIDENED];
    unsigned widened_count;
};

// Where the segments of a group's lanes lie.
struct weftc_window {
    struct weftc_window_pattern pattern;
    unsigned segments; // that the window has room for
    unsigned before;   // so many of them lie before lane 0's
};

// Do the lanes' segments of g lie in a window? If so, *plan says how many registers it
// has. *w is written whatever the answer is. Only
// access/plan.c asks; it keeps *w in struct weftc_vec_group.
bool weftc_vec_plan_permute_window(const struct weftc_vec *v, const struct weftc_vec_group *g, bool full,
                                   struct weftc_vec_plan *plan, struct weftc_window *w);

#endif
