// What needn't be looked at for races (checker/proofs.c).
#ifndef WEFTC_CHECKER_PROOFS_H
#define WEFTC_CHECKER_PROOFS_H

#include <stdbool.h>

#include <llvm-c/Core.h>

#include "compiler/arch/target.h"
#include "weft/status.h"

struct weft_buf;

// Of the kernel's accesses that can't be part of a race under conditions that the running code tests, the
// calls WEFTC_CHECK_TOUCH are removed. The kernel then has a second body, with all calls, that runs where the
// conditions don't hold. Before the calls are replaced.
weft_status weftc_check_prove(LLVMModuleRef module, const struct weftc_target *target, LLVMValueRef kernel,
                              struct weft_buf *log);

#endif
