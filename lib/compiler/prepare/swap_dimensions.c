// Code variants with lanes along another dimension than 0. The stages after prepare always lay lanes along
// dimension 0. If a kernel's work-groups are short there and long in dimension d, this pass swaps the two
// dimensions in everything that the kernel asks for, and the stage workitem_loops swaps the launch's
// dimensions in the same way. The kernel can't observe the difference.
#include <stdbool.h>
#include <stddef.h>

#include <llvm-c/Core.h>

#include "compiler/ir/primitives.h"
#include "compiler/prepare/prepare.h"

// get_local_linear_id. Dimension 0 of the launch varies fastest, which is no longer the order of the loop
// nest.
static LLVMValueRef linear_id(LLVMBuilderRef b, LLVMModuleRef module, unsigned d)
{
    LLVMValueRef linear = NULL;
    for (unsigned dim = 3; dim-- > 0;) {
        LLVMValueRef id = weftc_primitive_build(b, module, WEFTC_LOCAL_ID, weftc_swapped_dimension(dim, d));
        if (linear) {
            LLVMValueRef size =
                weftc_primitive_build(b, module, WEFTC_LOCAL_SIZE, weftc_swapped_dimension(dim, d));
            id = LLVMBuildAdd(b, LLVMBuildMul(b, linear, size, ""), id, "");
        }
        linear = id;
    }
    return linear;
}

void weftc_prepare_swap_dimensions(LLVMValueRef kernel, unsigned d)
{
    LLVMModuleRef module = LLVMGetGlobalParent(kernel);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    struct weftc_primitive_call at = {0};
    while (weftc_next_primitive(kernel, &at)) {
        bool item = at.primitive == WEFTC_ITEM;
        unsigned swapped = weftc_swapped_dimension(at.dim, d);
        if (!item && (weftc_primitive_dims(at.primitive) == 1 || swapped == at.dim))
            continue;
        LLVMPositionBuilderBefore(b, at.call);
        LLVMReplaceAllUsesWith(at.call, item ? linear_id(b, module, d)
                                             : weftc_primitive_build(b, module, at.primitive, swapped));
        LLVMInstructionEraseFromParent(at.call);
    }
    LLVMDisposeBuilder(b);
}
