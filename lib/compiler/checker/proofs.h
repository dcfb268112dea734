// What needn't be looked at for races (checker/proofs.c).
#ifndef WEFTC_CHECKER_PROOFS_H
#define WEFTC_CHECKER_PROOFS_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "compiler/arch/target.h"
#include "weft/status.h"

struct weft_buf;

// Of the kernel's accesses that can't be part of a race under conditions that the running code tests, the
// calls WEFTC_CHECK_TOUCH are removed. The kernel then has a second body, with all calls, that runs where the
// conditions don't hold. Before the calls are replaced.
weft_status weftc_check_prove(LLVMModuleRef module, const struct weftc_target *target, LLVMValueRef kernel,
                              uint32_t kinds, const uint32_t group[3], struct weft_buf *log);

// The argument or variable that the pointer was made from, over phis and selects too (checker/fits.c). NULL:
// there are several, or something else.
LLVMValueRef weftc_check_single_root(LLVMValueRef pointer);

#endif
