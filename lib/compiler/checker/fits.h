// Which accesses are within their objects, and aligned, in all work-items of a launch (checker/fits.c). Used
// by checker/proofs.c.
#ifndef WEFTC_CHECKER_FITS_H
#define WEFTC_CHECKER_FITS_H

#include <stdint.h>

#include <llvm-c/Core.h>

#include "compiler/checker/ranges.h"

// i1: nothing is wrong with the access that a call WEFTC_CHECK_ACCESS asks of. NULL: that isn't to be found.
// b: where the code goes that finds it. kinds: what is looked for.
LLVMValueRef weftc_check_fits(LLVMBuilderRef b, struct weftc_ranges *ranges, LLVMValueRef kernel,
                              LLVMValueRef call, uint32_t kinds);

#endif
