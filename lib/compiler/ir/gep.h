// Addresses: what a getelementptr adds to its base, index by index.
#ifndef WEFTC_GEP_H
#define WEFTC_GEP_H

#include <stdint.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

// One index of a getelementptr: it adds index * scale bytes to the base. A constant index adds offset bytes
// instead.
struct weftc_step {
    LLVMValueRef index; // NULL: the index is constant
    uint64_t scale;
    uint64_t offset;
};
// Fills steps, which has at least LLVMGetNumOperands(gep) elements. Returns how many elements it filled.
unsigned weftc_gep_steps(LLVMTargetDataRef layout, LLVMValueRef gep, struct weftc_step *steps);

#endif
