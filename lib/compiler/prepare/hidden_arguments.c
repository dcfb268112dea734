// Hidden arguments of outlined functions (prepare/inline.c). Later stages look for ids, __local and
// program-scope variables in the kernel only. So an outlined function that needs such a value gets it as a
// further argument:
//
//     f(x)  {... weft.local_id.0() ... @tile ...}   ->   f(x, id, tile)  {... id ... tile ...}
//
// Its callers compute the value, and get it as an argument themselves if they are outlined, too. printf needs
// the thread's weft_exec, which is handed over in the same way.
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include "base/base.h"
#include "compiler/bridge/passes.h"
#include "compiler/ir/ir.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/primitives.h"
#include "compiler/ir/value_map.h"
#include "compiler/link/link.h"
#include "compiler/prepare/prepare.h"

// What a function needs: declarations of primitives, and variables.
struct needs {
    LLVMValueRef *list;
    uint32_t count, capacity;
    struct weftc_map index;
};

static void needs_free(struct needs *n)
{
    weft_free(n->list);
    weftc_map_free(&n->index);
}

static bool add_need(struct needs *n, LLVMValueRef what)
{
    if (weftc_map_get(&n->index, what) != UINT32_MAX)
        return true;
    if (n->count == n->capacity) {
        uint32_t capacity = n->capacity ? 2 * n->capacity : 16;
        LLVMValueRef *larger = weft_realloc(n->list, capacity * sizeof *larger);
        if (!larger)
            return false;
        n->list = larger;
        n->capacity = capacity;
    }
    n->list[n->count] = what;
    return weftc_map_put(&n->index, what, n->count++);
}

bool weftc_is_named_in_kernel_only(LLVMValueRef variable)
{
    return LLVMGetPointerAddressSpace(LLVMTypeOf(variable)) == WEFTC_SPACE_LOCAL || weftc_has_place(variable);
}

bool weftc_can_be_handed_over(LLVMValueRef call)
{
    enum weftc_primitive p;
    unsigned dim;
    if (weftc_calls(call, WEFTC_PRINTF))
        return true;
    if (!weftc_primitive_of(call, &p, &dim))
        return false;
    switch (p) {
    case WEFTC_GLOBAL_ID:
    case WEFTC_LOCAL_ID:
    case WEFTC_GROUP_ID:
    case WEFTC_LOCAL_SIZE:
    case WEFTC_FULL_LOCAL_SIZE:
    case WEFTC_NUM_GROUPS:
    case WEFTC_GLOBAL_SIZE:
    case WEFTC_GLOBAL_OFFSET:
    case WEFTC_WORK_DIM:
    case WEFTC_EXEC:
        return true;
    default: // of sub-groups and groups: what they are depends on the lanes that ask together
        return false;
    }
}

// Gives calls of printf the weft_exec as an argument.
static void name_exec(LLVMModuleRef module, LLVMValueRef f)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef i = LLVMGetFirstInstruction(block), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (!weftc_calls(i, WEFTC_PRINTF))
                continue;
            LLVMPositionBuilderBefore(b, i);
            LLVMValueRef with = weftc_effect_function(module, WEFTC_PRINTF_WITH_EXEC);
            LLVMValueRef arguments[] = {weftc_primitive_build(b, module, WEFTC_EXEC, 0), LLVMGetOperand(i, 0),
                                        LLVMGetOperand(i, 1), LLVMGetOperand(i, 2)};
            LLVMValueRef call = LLVMBuildCall2(b, LLVMGlobalGetValueType(with), with, arguments, 4, "");
            LLVMInstructionSetDebugLoc(call, LLVMInstructionGetDebugLoc(i));
            LLVMReplaceAllUsesWith(i, call);
            LLVMInstructionEraseFromParent(i);
        }
    LLVMDisposeBuilder(b);
}

static bool find_needs(LLVMValueRef f, struct needs *n)
{
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
            if (LLVMIsACallInst(i) && weftc_can_be_handed_over(i) && !add_need(n, weftc_callee(i)))
                return false;
            for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(i); k++) {
                LLVMValueRef v = LLVMGetOperand(i, k);
                if (LLVMIsAGlobalVariable(v) && weftc_is_named_in_kernel_only(v) && !add_need(n, v))
                    return false;
            }
        }
    return true;
}

static LLVMTypeRef type_of(LLVMValueRef need)
{
    return LLVMIsAFunction(need) ? LLVMGetReturnType(LLVMGlobalGetValueType(need)) : LLVMTypeOf(need);
}

// Replaces what f needs by its last parameters.
static void use_parameters(LLVMValueRef f, const struct needs *n)
{
    const unsigned first = LLVMCountParams(f) - n->count;
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef i = LLVMGetFirstInstruction(block), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            const uint32_t called =
                LLVMIsACallInst(i) ? weftc_map_get(&n->index, weftc_callee(i)) : UINT32_MAX;
            if (called != UINT32_MAX) {
                LLVMReplaceAllUsesWith(i, LLVMGetParam(f, first + called));
                LLVMInstructionEraseFromParent(i);
                continue;
            }
            for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(i); k++) {
                const uint32_t at = weftc_map_get(&n->index, LLVMGetOperand(i, k));
                if (at != UINT32_MAX)
                    LLVMSetOperand(i, k, LLVMGetParam(f, first + at));
            }
        }
}

// Replaces a call of f, which has new parameters, by one that hands over what f needs.
static bool hand_over(LLVMBuilderRef b, LLVMValueRef call, LLVMValueRef f, const struct needs *n)
{
    const unsigned count = LLVMCountParams(f), first = count - n->count;
    LLVMValueRef *arguments = weft_alloc_array((size_t)count + 1, sizeof *arguments);
    if (!arguments)
        return false;
    LLVMPositionBuilderBefore(b, call);
    for (unsigned k = 0; k < count; k++) {
        LLVMValueRef need = k < first ? NULL : n->list[k - first];
        arguments[k] = k < first ? LLVMGetOperand(call, k)
                       : LLVMIsAFunction(need)
                           ? LLVMBuildCall2(b, LLVMGlobalGetValueType(need), need, NULL, 0, "")
                           : need;
    }
    LLVMValueRef instead = LLVMBuildCall2(b, LLVMGlobalGetValueType(f), f, arguments, count, "");
    weft_free(arguments);
    LLVMInstructionSetDebugLoc(instead, LLVMInstructionGetDebugLoc(call));
    LLVMSetInstructionCallConv(instead, LLVMGetInstructionCallConv(call));
    LLVMReplaceAllUsesWith(call, instead);
    LLVMInstructionEraseFromParent(call);
    return true;
}

static weft_status hand_over_to(LLVMModuleRef module, LLVMValueRef f, struct needs *n)
{
    name_exec(module, f);
    if (!find_needs(f, n))
        return WEFT_NO_MEMORY;
    LLVMTypeRef *types = weft_alloc_array((size_t)n->count + 1, sizeof *types);
    if (!types)
        return WEFT_NO_MEMORY;
    for (uint32_t k = 0; k < n->count; k++)
        types[k] = type_of(n->list[k]);
    if (n->count)
        f = weftc_bridge_add_parameters(f, types, n->count);
    weft_free(types);
    if (!n->count)
        return WEFT_OK;
    use_parameters(f, n);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    bool done = true;
    for (LLVMUseRef use = LLVMGetFirstUse(f), next; done && use;
         use = next) { // new calls come before the first
        next = LLVMGetNextUse(use);
        done = hand_over(b, LLVMGetUser(use), f, n);
    }
    LLVMDisposeBuilder(b);
    return done ? WEFT_OK : WEFT_NO_MEMORY;
}

weft_status weftc_prepare_hidden_arguments(LLVMModuleRef module, const LLVMValueRef *functions, size_t count)
{
    struct needs variables = {0};
    weft_status status = WEFT_OK;
    for (LLVMValueRef v = LLVMGetFirstGlobal(module); v && count; v = LLVMGetNextGlobal(v))
        if (weftc_is_named_in_kernel_only(v) && !add_need(&variables, v))
            status = WEFT_NO_MEMORY;
    if (variables.count && status == WEFT_OK)
        weftc_bridge_expand_constants(variables.list, variables.count);
    needs_free(&variables);
    for (size_t k = 0; k < count && status == WEFT_OK; k++) {
        struct needs n = {0};
        status = hand_over_to(module, functions[k], &n);
        needs_free(&n);
    }
    return status;
}
