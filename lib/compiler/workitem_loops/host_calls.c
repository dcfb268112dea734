// The interface between a code object and the host, besides `run` (workitem_loops/run.c): weft_kernel_info,
// and the calls of printf and of device-side enqueue.
#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/compiler.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/module_facts.h"
#include "compiler/ir/primitives.h"
#include "compiler/workitem_loops/workitem_loops.h"
#include "weft/kernel_abi.h"

enum { MAX_OPERANDS = 12 };

// Calls go through the host's table, with the thread's own weft_exec as first argument. They are lowered in
// the regions, so that weft_exec gets to wherever the code of a region is moved.
// has_exec: the calls have the weft_exec as an argument.
static void lower_calls(struct weftc_loops *l, const char *name, uint64_t place, bool has_exec)
{
    LLVMValueRef f = LLVMGetNamedFunction(l->module, name);
    if (!f)
        return;
    LLVMTypeRef pointer = LLVMPointerTypeInContext(l->c, 0), params[MAX_OPERANDS + 1] = {pointer};
    const unsigned first = has_exec ? 0 : 1;
    LLVMTypeRef declared = LLVMGlobalGetValueType(f);
    unsigned count = LLVMCountParamTypes(declared); // at most MAX_OPERANDS: the primitives are few
    LLVMGetParamTypes(declared, params + first);
    LLVMTypeRef type = LLVMFunctionType(LLVMGetReturnType(declared), params, count + first, false);
    for (LLVMUseRef use; (use = LLVMGetFirstUse(f));) {
        LLVMValueRef call = LLVMGetUser(use);
        LLVMPositionBuilderBefore(l->b, call);
        LLVMValueRef x = has_exec ? LLVMGetOperand(call, 0)
                                  : weftc_primitive_build(l->b, l->module, WEFTC_EXEC, 0),
                     arguments[MAX_OPERANDS + 1] = {x};
        LLVMValueRef host = weftc_loops_field(l, x, offsetof(struct weft_exec, host), pointer);
        LLVMValueRef callee = weftc_loops_field(l, host, place, pointer);
        for (unsigned i = 0; i < count; i++)
            arguments[i + first] = LLVMGetOperand(call, i);
        LLVMReplaceAllUsesWith(call, LLVMBuildCall2(l->b, type, callee, arguments, count + first, ""));
        LLVMInstructionEraseFromParent(call);
    }
    LLVMDeleteFunction(f);
}

LLVMValueRef weftc_loops_device_call(struct weftc_loops *l, uint32_t what)
{
    LLVMTypeRef pointer = LLVMPointerTypeInContext(l->c, 0), i64 = weftc_loops_i64(l);
    LLVMTypeRef params[] = {pointer, LLVMInt32TypeInContext(l->c), pointer, i64, pointer};
    LLVMTypeRef type = LLVMFunctionType(i64, params, WEFT_COUNT_OF(params), false);
    LLVMValueRef x = l->at.value[WEFTC_EXEC][0], nothing = LLVMConstNull(pointer);
    LLVMValueRef host = weftc_loops_field(l, x, offsetof(struct weft_exec, host), pointer);
    LLVMValueRef callee = weftc_loops_field(l, host, offsetof(struct weft_kernel_host, device_call), pointer);
    LLVMValueRef arguments[] = {x, weftc_i32(l->c, what), nothing, weftc_i64(l->c, 0), nothing};
    return LLVMBuildCall2(l->b, type, callee, arguments, WEFT_COUNT_OF(arguments), "");
}

void weftc_loops_host_calls(struct weftc_loops *l)
{
    lower_calls(l, WEFTC_PRINTF, offsetof(struct weft_kernel_host, printf), false);
    lower_calls(l, WEFTC_PRINTF_WITH_EXEC, offsetof(struct weft_kernel_host, printf), true);
    lower_calls(l, WEFTC_ENQUEUE, offsetof(struct weft_kernel_host, enqueue), false);
    lower_calls(l, WEFTC_TOUCH, offsetof(struct weft_kernel_host, touch), false);
    lower_calls(l, WEFTC_TOUCH_STORE, offsetof(struct weft_kernel_host, touch_store), false);
    lower_calls(l, WEFTC_DEVICE_CALL, offsetof(struct weft_kernel_host, device_call), false);
}

void weftc_loops_info(struct weftc_loops *l)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(l->c), i64 = weftc_loops_i64(l);
    uint32_t width = 1;
    for (unsigned i = 0; i < l->region_count; i++)
        if (l->regions[i].lanes.function)
            width = l->lanes;
    // A size variant: LLVM's vectorizer may make slower code for rows of known length (ADR 22). A width of 1
    // says that the code isn't to be used.
    if (l->options->group[0] && !weftc_module_number(l->module, WEFTC_ALL_IN_LANES))
        width = 1;
    uint64_t state = weftc_module_number(l->module, WEFTC_STATE_PER_ITEM);
    LLVMValueRef fields[] = {
        weftc_i32(l->c, WEFT_KERNEL_ABI_VERSION),
        weftc_i32(l->c, width),
        weftc_i64(l->c, weftc_module_number(l->module, WEFTC_LOCAL_BYTES)),
        weftc_i64(l->c,
                  weftc_loops_debug_fixed(l)), // uniform values are in registers and on the stack of run
        weftc_i64(l->c, state),
        weftc_i64(l->c, weftc_module_number(l->module, WEFTC_PRIVATE_BYTES)),
        weftc_i64(l->c, 0), // stack_bytes: filled in by codegen
        l->run,
        weftc_i32(l->c, l->tiles                ? WEFT_GROUP_ROWS_INDEPENDENT
                        : l->group_independence ? WEFT_GROUP_SHAPE_INDEPENDENT
                                                : 0),
        weftc_i32(l->c, (uint32_t)weftc_module_number(l->module, WEFTC_VECTOR_ITERATION_COST)),
        weftc_i32(l->c, (uint32_t)weftc_module_number(l->module, WEFTC_SUB_GROUP_MAX)),
        weftc_i32(l->c, (uint32_t)weftc_module_number(l->module, WEFTC_SUB_GROUPS)),
        weftc_i32(l->c, (uint32_t)weftc_module_number(l->module, WEFTC_SWAP_DIMENSIONS)),
        weftc_i32(l->c, l->scalar_cost),
        weftc_i32(l->c, 0), // unsafe_stack_writes: filled in by codegen
        weftc_i32(l->c, (uint32_t)weftc_module_number(l->module, WEFTC_AUTOTUNE)),
        weftc_i32(l->c, (uint32_t)weftc_module_number(l->module, WEFTC_NONTEMPORAL_BYTES)),
        weftc_i32(l->c, (uint32_t)weftc_module_number(l->module, WEFTC_FLUSHES_DENORMALS)),
        weftc_i32(l->c, 0), // spills: filled in by codegen
        weftc_i32(l->c, (uint32_t)weftc_module_number(l->module, WEFTC_WRITTEN)),
        weftc_i32(l->c, (uint32_t)weftc_module_number(l->module, WEFTC_ONLY_CHECKS_DEPEND)),
        weftc_i32(l->c, (uint32_t)weftc_module_number(l->module, WEFTC_QUIET)),
    };
    _Static_assert(offsetof(struct weft_kernel_info, run) == 48, "the fields above");
    LLVMTypeRef types[] = {i32, i32, i64, i64, i64, i64, i64, LLVMPointerTypeInContext(l->c, 0),
                           i32, i32, i32, i32, i32, i32, i32, i32,
                           i32, i32, i32, i32, i32, i32};
    LLVMTypeRef type = LLVMStructTypeInContext(l->c, types, WEFT_COUNT_OF(types), false);
    LLVMValueRef info = LLVMAddGlobal(l->module, type, WEFT_KERNEL_INFO_SYMBOL);
    LLVMSetInitializer(info, LLVMConstStructInContext(l->c, fields, WEFT_COUNT_OF(fields), false));
    LLVMSetGlobalConstant(info, true);
    LLVMSetAlignment(info, 8);
}
