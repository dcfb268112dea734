// Named barriers (cl_khr_subgroup_named_barrier), after inlining. Each place that makes one has its own words
// in the group's state (weft/named_barrier.h). The call becomes the number of that place.
#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/module_facts.h"
#include "compiler/ir/primitives.h"
#include "compiler/prepare/prepare.h"
#include "weft/named_barrier.h"

static bool is_used(LLVMModuleRef module, const char *name)
{
    LLVMValueRef f = LLVMGetNamedFunction(module, name);
    return f && LLVMGetFirstUse(f);
}

weft_status weftc_prepare_named_barriers(LLVMModuleRef module, struct weft_buf *log)
{
    if (!is_used(module, WEFTC_BARRIER_SITE) && !is_used(module, WEFTC_YIELD))
        return WEFT_OK;
    LLVMContextRef c = LLVMGetModuleContext(module);
    LLVMValueRef f = weftc_effect_function(module, WEFTC_BARRIER_SITE);
    uint32_t count = 0;
    for (LLVMUseRef use; (use = LLVMGetFirstUse(f)); count++) {
        LLVMValueRef call = LLVMGetUser(use);
        LLVMReplaceAllUsesWith(call, weftc_i32(c, count % WEFT_NAMED_BARRIER_MAX));
        LLVMInstructionEraseFromParent(call);
    }
    LLVMDeleteFunction(f);
    if (count > WEFT_NAMED_BARRIER_MAX) {
        weft_buf_printf(log,
                        "error: the kernel has %u named barriers, but a work-group can have at most %d\n",
                        count, WEFT_NAMED_BARRIER_MAX);
        return WEFT_BUILD_FAILED;
    }
    weftc_module_number_set(module, WEFTC_SCHEDULED, 1);
    weftc_module_number_set(module, WEFTC_BARRIER_COUNT, count);
    return WEFT_OK;
}
