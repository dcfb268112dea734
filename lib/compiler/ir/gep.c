// Addresses: what a getelementptr adds to its base, index by index.
#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "compiler/ir/gep.h"

static uint64_t scaled(uint64_t scale, LLVMValueRef index)
{
    return scale * (uint64_t)LLVMConstIntGetSExtValue(index);
}

unsigned weftc_gep_steps(LLVMTargetDataRef layout, LLVMValueRef gep, struct weftc_step *steps)
{
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    unsigned count = 0, operands = (unsigned)LLVMGetNumOperands(gep);
    for (unsigned k = 1; k < operands; k++) {
        LLVMValueRef index = LLVMGetOperand(gep, k);
        if (k > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            unsigned field = (unsigned)LLVMConstIntGetZExtValue(index);
            steps[count++] = (struct weftc_step){.offset = LLVMOffsetOfElement(layout, type, field)};
            type = LLVMStructGetTypeAtIndex(type, field);
            continue;
        }
        if (k > 1)
            type = LLVMGetElementType(type);
        uint64_t scale = LLVMABISizeOfType(layout, type);
        bool constant = LLVMIsAConstantInt(index);
        steps[count++] = constant ? (struct weftc_step){.offset = scaled(scale, index)}
                                  : (struct weftc_step){.index = index, .scale = scale};
    }
    return count;
}
