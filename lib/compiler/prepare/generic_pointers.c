// Generic pointers (OpenCL C 3.0 §6.7.5): to_global, to_local, to_private and get_fence.
//
// Machine code has one address space. So a pointer's space is found from its address. Local memory is the
// first part of the thread's arena. Private memory is the rest of the arena, which holds variables that live
// across a barrier, and the stack frame of `run`, which holds all other variables (every function that asks
// is inlined into `run`). Everything else is global. That includes the application's own stack, which system
// SVM may point to; it ends where the frame of `run` begins.
//
// After inlining most pointers' spaces are known at compile time, and no check is left.
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "compiler/bridge/passes.h"
#include "compiler/ir/ir.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/primitives.h"
#include "compiler/prepare/prepare.h"

#define IS_LOCAL "weft.generic.is_local" // i1(ptr addrspace(4)), pure
#define IS_PRIVATE "weft.generic.is_private"

static LLVMValueRef ask(LLVMBuilderRef b, LLVMModuleRef module, const char *name, LLVMValueRef pointer)
{
    LLVMContextRef c = LLVMGetModuleContext(module);
    LLVMTypeRef generic = LLVMPointerTypeInContext(c, WEFTC_SPACE_GENERIC);
    LLVMTypeRef type = LLVMFunctionType(LLVMInt1TypeInContext(c), &generic, 1, false);
    LLVMValueRef f = LLVMGetNamedFunction(module, name);
    if (!f) {
        f = LLVMAddFunction(module, name, type);
        weftc_add_pure_attributes(f);
    }
    return LLVMBuildCall2(b, type, f, &pointer, 1, "");
}

static LLVMValueRef or_null(LLVMBuilderRef b, LLVMValueRef is, LLVMValueRef pointer, LLVMTypeRef type)
{
    return LLVMBuildSelect(b, is, LLVMBuildAddrSpaceCast(b, pointer, type, ""), LLVMConstNull(type), "");
}

LLVMValueRef weftc_prepare_generic_call(LLVMBuilderRef b, LLVMModuleRef module, LLVMValueRef call,
                                        const char *name)
{
    LLVMContextRef c = LLVMGetModuleContext(module);
    if (strcmp(name, "__to_local") == 0) {
        LLVMValueRef pointer = LLVMGetOperand(call, 0);
        return or_null(b, ask(b, module, IS_LOCAL, pointer), pointer, LLVMTypeOf(call));
    }
    if (strcmp(name, "__to_private") == 0) {
        LLVMValueRef pointer = LLVMGetOperand(call, 0);
        return or_null(b, ask(b, module, IS_PRIVATE, pointer), pointer, LLVMTypeOf(call));
    }
    if (strcmp(name, "__to_global") == 0) {
        LLVMValueRef pointer = LLVMGetOperand(call, 0);
        LLVMValueRef other =
            LLVMBuildOr(b, ask(b, module, IS_LOCAL, pointer), ask(b, module, IS_PRIVATE, pointer), "");
        return or_null(b, LLVMBuildNot(b, other, ""), pointer, LLVMTypeOf(call));
    }
    static const char fence[] = "_Z9get_fencePU3AS4"; // SPIR-V says what is fenced
    if (strncmp(name, fence, sizeof fence - 1) == 0) {
        enum { LOCAL_FENCE = 1, GLOBAL_FENCE = 2 }; // the values of frontend/prelude.py
        LLVMValueRef local = ask(b, module, IS_LOCAL, LLVMGetOperand(call, 0));
        return LLVMBuildSelect(b, local, weftc_i32(c, LOCAL_FENCE), weftc_i32(c, GLOBAL_FENCE), "");
    }
    return NULL;
}

// ---- after inlining ----

// The space that the pointer was cast from; WEFTC_SPACE_GENERIC if it isn't known.
static unsigned space_of(LLVMValueRef pointer)
{
    for (;;) {
        unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(pointer));
        if (space != WEFTC_SPACE_GENERIC)
            return space;
        const LLVMOpcode opcode = weftc_opcode(pointer);
        if (opcode != LLVMAddrSpaceCast && opcode != LLVMGetElementPtr)
            return space;
        pointer = LLVMGetOperand(pointer, 0);
    }
}

static LLVMValueRef is_between(LLVMBuilderRef b, LLVMModuleRef module, LLVMValueRef number,
                               enum weftc_primitive begin, enum weftc_primitive end)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(LLVMGetModuleContext(module));
    LLVMValueRef low = LLVMBuildPtrToInt(b, weftc_primitive_build(b, module, begin, 0), i64, "");
    LLVMValueRef high = LLVMBuildPtrToInt(b, weftc_primitive_build(b, module, end, 0), i64, "");
    return LLVMBuildICmp(b, LLVMIntULT, LLVMBuildSub(b, number, low, ""), LLVMBuildSub(b, high, low, ""), "");
}

static LLVMValueRef answer(LLVMBuilderRef b, LLVMModuleRef module, LLVMValueRef pointer, unsigned space)
{
    LLVMContextRef c = LLVMGetModuleContext(module);
    unsigned known = space_of(pointer);
    if (known != WEFTC_SPACE_GENERIC)
        return LLVMConstInt(LLVMInt1TypeInContext(c), known == space, false);
    LLVMValueRef number = LLVMBuildPtrToInt(b, pointer, LLVMInt64TypeInContext(c), "");
    if (space == WEFTC_SPACE_LOCAL)
        return is_between(b, module, number, WEFTC_LOCAL_MEMORY, WEFTC_LOCAL_END);
    LLVMValueRef on_stack = is_between(b, module, number, WEFTC_FRAME_END, WEFTC_FRAME);
    return LLVMBuildOr(b, on_stack, is_between(b, module, number, WEFTC_LOCAL_END, WEFTC_STATE_END), "");
}

static void answer_all(LLVMModuleRef module, const char *name, unsigned space)
{
    LLVMValueRef f = LLVMGetNamedFunction(module, name);
    if (!f)
        return;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMUseRef use; (use = LLVMGetFirstUse(f));) {
        LLVMValueRef call = LLVMGetUser(use);
        LLVMPositionBuilderBefore(b, call);
        LLVMReplaceAllUsesWith(call, answer(b, module, LLVMGetOperand(call, 0), space));
        LLVMInstructionEraseFromParent(call);
    }
    LLVMDisposeBuilder(b);
    LLVMDeleteFunction(f);
}

void weftc_prepare_generic_pointers(LLVMModuleRef module, LLVMValueRef kernel)
{
    weftc_bridge_infer_spaces(kernel, WEFTC_SPACE_GENERIC);
    answer_all(module, IS_LOCAL, WEFTC_SPACE_LOCAL);
    answer_all(module, IS_PRIVATE, WEFTC_SPACE_PRIVATE);
}
