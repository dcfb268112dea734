// What numbers a value can have in any work-item of a launch, whatever it does (checker/ranges.c): code
// before the kernel's own finds out. Used by checker/fits.c.
#ifndef WEFTC_CHECKER_RANGES_H
#define WEFTC_CHECKER_RANGES_H

#include <stdint.h>

#include <llvm-c/Core.h>

#include "compiler/checker/intervals.h"
#include "weft/status.h"

struct weftc_ranges;
// blocks: all blocks of the kernel, the entry first; kept. group: the size of work-groups; zeros: not known.
// b: where the code goes that finds it. *out: freed with weftc_ranges_free, also after a failure.
weft_status weftc_ranges_new(struct weftc_ranges **out, LLVMModuleRef module, LLVMValueRef kernel,
                             const LLVMBasicBlockRef *blocks, uint32_t count, const uint32_t group[3],
                             LLVMBuilderRef b);
void weftc_ranges_free(struct weftc_ranges *r);
// Of a pointer: its distance from the object that it was made from. at: the instruction that uses it.
struct weftc_interval weftc_ranges_interval(struct weftc_ranges *r, LLVMValueRef v, LLVMValueRef at);

#endif
