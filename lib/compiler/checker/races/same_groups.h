// Local memory of which one work-group tells what all do (checker/races/same_groups.c).
#ifndef WEFTC_CHECKER_SAME_GROUPS_H
#define WEFTC_CHECKER_SAME_GROUPS_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "weft/status.h"

// An access, and the local object that it is to; root NULL: none.
struct weftc_check_alike {
    LLVMValueRef touch, root;
    bool alike; // all groups do it alike
};
// Finds which accesses are alike, for all of an object or none, and adds calls WEFTC_CHECK_ALIKE for them.
// blocks: of the kernel, the entry first.
weft_status weftc_check_find_alike(LLVMValueRef kernel, const LLVMBasicBlockRef *block, uint32_t blocks,
                                   struct weftc_check_alike *of, uint32_t count);
bool weftc_check_is_alike(LLVMValueRef i);
// Removes these calls.
void weftc_check_drop_alike(LLVMValueRef kernel);
// Replaces such a call; the caller erases it.
void weftc_check_expand_alike(LLVMBuilderRef b, LLVMValueRef kernel, LLVMValueRef call);
// i1: has the driver found all of this (a set of enum weft_check_local)?
LLVMValueRef weftc_check_local_is(LLVMBuilderRef b, LLVMValueRef kernel, uint32_t bits);

#endif
