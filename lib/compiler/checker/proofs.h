// What needn't be looked at (checker/proofs.c).
#ifndef WEFTC_CHECKER_PROOFS_H
#define WEFTC_CHECKER_PROOFS_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "compiler/arch/target.h"
#include "compiler/checker/ranges.h"
#include "weft/status.h"

struct weft_buf;

// Of the kernel's accesses that can't be part of a race under conditions that the running code tests, the
// calls WEFTC_CHECK_TOUCH are removed. The kernel then has a second body, with all calls, that runs where the
// conditions don't hold. Before the calls are replaced.
weft_status weftc_check_prove(LLVMModuleRef module, const struct weftc_target *target, LLVMValueRef kernel,
                              uint32_t kinds, const uint32_t group[3], struct weft_buf *log);

// ---- checker/fits.c ----
// The argument or variable that the pointer was made from, over phis and selects too. NULL: there are
// several, or something else.
LLVMValueRef weftc_check_single_root(LLVMValueRef pointer);

// i1: nothing is wrong with the access that a call WEFTC_CHECK_ACCESS asks of. NULL: that isn't to be found.
// b: where the code goes that finds it. kinds: what is looked for.
LLVMValueRef weftc_check_fits(LLVMBuilderRef b, struct weftc_ranges *ranges, LLVMValueRef kernel,
                              LLVMValueRef call, uint32_t kinds);

// ---- checker/look_ups.c ----
// How many calls there are.
uint32_t weftc_check_count_look_ups(LLVMValueRef kernel);
// Simplifies all functions of the module, and removes look-ups from the kernel. *enough: an i1, computed
// before the instruction `before` of the kernel's entry: the kernel finds all that it would have found with
// them. NULL: nothing was removed. *alike is set if that needs what the first group tells of local memory
// (checker/races/same_groups.h). group: as for weftc_ranges_new.
weft_status weftc_check_drop_look_ups(LLVMModuleRef module, const struct weftc_target *target,
                                      LLVMValueRef kernel, const uint32_t group[3], LLVMValueRef before,
                                      LLVMValueRef *enough, bool *alike, struct weft_buf *log);

// ---- checker/zeros.c ----
// Replaces values of a function that are zero in all work-items.
weft_status weftc_check_fold_zeros(LLVMValueRef f);

#endif
