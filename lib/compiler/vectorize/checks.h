// The functions that check whether what is speculated holds: for a vector iteration (versioning.c), and for a
// whole work-group (group_check.c).
#ifndef WEFTC_VECTORIZE_CHECKS_H
#define WEFTC_VECTORIZE_CHECKS_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "compiler/ir/value_map.h"
#include "compiler/shapes/shapes.h"
#include "weft/status.h"

// The function that checks, while it is made.
struct weftc_check {
    const struct weftc_shapes *s;
    LLVMContextRef c;
    LLVMValueRef f; // with the same parameters as s->flow.function
    LLVMBuilderRef b;
    uint32_t step;          // work-items that one call of the slow path runs
    struct weftc_map place; // value of the old function -> its place in made
    struct weftc_map wide;  // value of the old function -> the place of its 64-bit form in made
    LLVMValueRef *made;
    uint32_t count;
    LLVMValueRef also; // what else must hold; NULL: nothing
    bool no_memory;
};

// ---- vectorize/versioning.c ----
// The value of the first work-item, computed where the function begins. The value is early
// (shapes/shapes.h).
LLVMValueRef weftc_check_early(struct weftc_check *q, LLVMValueRef value);

// ---- vectorize/group_check.c ----
// Makes a function `name`.check, with the type of `fast` but for the result, for a loop over work-items to
// call (WEFTC_REGION_CHECK). *made: there is one. False for what can't be checked for a group at once.
weft_status weftc_make_group_check(const struct weftc_shapes *s, const char *name, LLVMValueRef fast,
                                   bool *made);

#endif
