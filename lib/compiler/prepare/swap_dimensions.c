// Lanes along another dimension than 0. The stages behind prepare give lanes to dimension 0; for a kernel whose
// work-groups are short there and long in dimension d, the two change places in all that the kernel asks for,
// and wiloops puts the launch's d where the others put its 0. The kernel itself can't tell.
#include <stdbool.h>
#include <stddef.h>

#include <llvm-c/Core.h>

#include "compiler/ir/primitives.h"
#include "compiler/prepare/prepare.h"

// get_local_linear_id, dimension 0 fastest, which is no longer the order of the nest.
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

void weftc_prepare_turn(LLVMValueRef kernel, unsigned d)
{
    LLVMModuleRef module = LLVMGetGlobalParent(kernel);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    struct weftc_primitive_call at = {0};
    while (weftc_next_primitive(kernel, &at)) {
        bool item = at.primitive == WEFTC_ITEM;
        unsigned turned = weftc_swapped_dimension(at.dim, d);
        if (!item && (weftc_primitive_dims(at.primitive) == 1 || turned == at.dim))
            continue;
        LLVMPositionBuilderBefore(b, at.call);
        LLVMReplaceAllUsesWith(at.call, item ? linear_id(b, module, d)
                                             : weftc_primitive_build(b, module, at.primitive, turned));
        LLVMInstructionEraseFromParent(at.call);
    }
    LLVMDisposeBuilder(b);
}
