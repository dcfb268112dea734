// Shared by the files that mark what may be wrong: mark.c, operations.c and texels.c.
#ifndef WEFTC_CHECKER_MARKER_H
#define WEFTC_CHECKER_MARKER_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "weft/checker.h"

struct weftc_check_marker {
    LLVMModuleRef module;
    LLVMContextRef c;
    LLVMTargetDataRef layout;
    LLVMBuilderRef b;
    uint32_t kinds;
    bool own;        // the function is the program's
    bool hands_over; // or its pointers may be the program's
    bool reads_pipe; // or all of its pointers but the first one are
};

static inline bool weftc_check_wants(const struct weftc_check_marker *m, enum weft_check_kind kind)
{
    return m->kinds >> kind & 1;
}

// ---- checker/sites.c ----
// Splits the block of `i` so that `i` runs only if `wrong` is false. The builder was before i, and is in the
// block that runs otherwise, before its end. Returns the block after i.
LLVMBasicBlockRef weftc_check_branch_around(const struct weftc_check_marker *m, LLVMValueRef i,
                                            LLVMValueRef wrong, LLVMBasicBlockRef *instead);

// ---- checker/operations.c ----
// Adds what looks for faults of an operation of the program: ARITH and its parts. is_signed: it is a signed
// operation of the source, whose result must fit.
void weftc_check_mark_operation(const struct weftc_check_marker *m, LLVMValueRef i, bool is_signed);

// ---- checker/texels.c ----
// Adds what looks for coordinates outside of an image, if it is an access of one.
void weftc_check_mark_texel(const struct weftc_check_marker *m, LLVMValueRef i);
// The same for UNINIT: of its coordinates.
void weftc_check_mark_coordinates(const struct weftc_check_marker *m, LLVMValueRef i);

// ---- checker/used.c: UNINIT ----
// Asks whether the value is written, at the builder's position. Numbers only; of others nothing is asked.
void weftc_check_mark_used(const struct weftc_check_marker *m, LLVMValueRef value);
// Asks so of the arguments, if it is a call of a function that all work-items of a group compute together.
void weftc_check_mark_collective(const struct weftc_check_marker *m, LLVMValueRef i);

#endif
