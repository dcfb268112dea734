// Addresses: what a getelementptr adds to its base, index by index.
#ifndef WEFTC_GEP_H
#define WEFTC_GEP_H

#include <stdint.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

// Operand `index` of a getelementptr, behind the base, adds index * *scale bytes; a constant is in *offset.
struct weftc_step {
    LLVMValueRef index; // NULL: none, the step is the constant alone
    uint64_t scale;
    uint64_t offset;
};
// steps: at least LLVMGetNumOperands elements. Returns how many.
unsigned weftc_gep_steps(LLVMTargetDataRef layout, LLVMValueRef gep, struct weftc_step *steps);

#endif
