// Facts about ids and sizes beyond what the kernel's code says. If all groups have one size (OpenCL C before
// 2.0, -cl-uniform-work-group-size), `get_group_id(d) * get_local_size(d) + get_local_id(d)` is the
// work-item's index in the launch. It is consecutive over the lanes, and stays so when it is truncated to
// fewer bits. A size is a constant if reqd_work_group_size names it, or if the code is a size variant.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "compiler/compiler.h"
#include "compiler/ir/kernel_attributes.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/module_facts.h"
#include "compiler/ir/primitives.h"
#include "compiler/prepare/prepare.h"

static bool is_primitive(LLVMValueRef v, enum weftc_primitive p, unsigned dim)
{
    enum weftc_primitive actual;
    unsigned actual_dim;
    return weftc_primitive_of(v, &actual, &actual_dim) && actual == p && actual_dim == dim;
}

static bool is_size(LLVMValueRef v, unsigned dim, const uint32_t required[3])
{
    if (required[0] && LLVMIsAConstantInt(v))
        return LLVMConstIntGetZExtValue(v) == required[dim];
    return is_primitive(v, WEFTC_FULL_LOCAL_SIZE, dim);
}

// The dimension whose index `sum` is; 3: none.
static unsigned index_dimension(LLVMValueRef sum, const uint32_t required[3])
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(sum);
    for (unsigned d = 0; d < 3 && (opcode == LLVMAdd || opcode == LLVMSub); d++) {
        LLVMValueRef a = LLVMGetOperand(sum, 0), b = LLVMGetOperand(sum, 1);
        if (opcode == LLVMSub) {
            if (is_primitive(a, WEFTC_GLOBAL_ID, d) && is_primitive(b, WEFTC_GLOBAL_OFFSET, d))
                return d;
            continue;
        }
        if (is_primitive(a, WEFTC_LOCAL_ID, d)) {
            LLVMValueRef swap = a;
            a = b;
            b = swap;
        }
        if (!is_primitive(b, WEFTC_LOCAL_ID, d) || !LLVMIsAInstruction(a) ||
            LLVMGetInstructionOpcode(a) != LLVMMul)
            continue;
        LLVMValueRef x = LLVMGetOperand(a, 0), y = LLVMGetOperand(a, 1);
        if ((is_primitive(x, WEFTC_GROUP_ID, d) && is_size(y, d, required)) ||
            (is_primitive(y, WEFTC_GROUP_ID, d) && is_size(x, d, required)))
            return d;
    }
    return 3;
}

void weftc_prepare_known_sizes(LLVMValueRef kernel, const struct weftc_kernel_options *options)
{
    LLVMModuleRef module = LLVMGetGlobalParent(kernel);
    LLVMContextRef c = LLVMGetModuleContext(module);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(c);
    bool uniform = weftc_groups_are_uniform(kernel);
    uint32_t required[3];
    weftc_required_group(kernel, required);
    if (options->group[0]) {
        if (!required[0])
            memcpy(required, options->group, sizeof required);
        uniform = true;
    }
    weftc_module_number_set(module, WEFTC_SMALL_IDS, options->group[0] != 0);
    weftc_module_number_set(module, WEFTC_UNIFORM_GROUPS, uniform);
    static const enum weftc_fact numbers[] = {WEFTC_GROUP_SIZE_0, WEFTC_GROUP_SIZE_1, WEFTC_GROUP_SIZE_2};
    for (unsigned d = 0; d < 3; d++)
        weftc_module_number_set(module, numbers[d], required[d]);
    // Sizes come first: in the order of the blocks, a use may come before the definition.
    struct weftc_primitive_call at = {0};
    while (weftc_next_primitive(kernel, &at)) {
        bool full = at.primitive == WEFTC_FULL_LOCAL_SIZE;
        if (!full && !(at.primitive == WEFTC_LOCAL_SIZE && uniform))
            continue;
        LLVMPositionBuilderBefore(b, at.call);
        LLVMValueRef better = NULL;
        if (required[0])
            better = weftc_i64(c, required[at.dim]);
        else if (!full)
            better = weftc_primitive_build(b, module, WEFTC_FULL_LOCAL_SIZE, at.dim);
        if (!better)
            continue;
        LLVMReplaceAllUsesWith(at.call, better);
        LLVMInstructionEraseFromParent(at.call);
    }
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(kernel); block;
         block = LLVMGetNextBasicBlock(block)) {
        LLVMValueRef next;
        for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = next) {
            next = LLVMGetNextInstruction(i);
            unsigned dim = index_dimension(i, required);
            if (dim >= 3)
                continue;
            LLVMPositionBuilderBefore(b, i);
            LLVMReplaceAllUsesWith(i, weftc_primitive_build(b, module, WEFTC_INDEX, dim));
            LLVMInstructionEraseFromParent(i);
        }
    }
    LLVMDisposeBuilder(b);
}
