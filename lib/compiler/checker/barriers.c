// Do all work-items of a group reach the same barriers? Before each barrier, and before the end of the
// kernel, a work-item says where it is. All work-items run up to their next barrier before any of them goes
// on (regions/regions.c). So the driver hears from each of them once, and compares the places.
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include "base/base.h"
#include "compiler/checker/checker.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/primitives.h"

static void call_before(LLVMBuilderRef b, LLVMModuleRef module, LLVMValueRef i)
{
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(LLVMGetModuleContext(module)), NULL, 0, false);
    LLVMValueRef f = weftc_check_declare(module, WEFTC_CHECK_ARRIVAL, type);
    LLVMPositionBuilderBefore(b, i);
    LLVMInstructionSetDebugLoc(LLVMBuildCall2(b, type, f, NULL, 0, ""), LLVMInstructionGetDebugLoc(i));
}

// Only one work-item goes from a single-item barrier to the next barrier.
static bool has_single_item(LLVMValueRef f)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (weftc_calls(i, WEFTC_SINGLE_ITEM_BARRIER))
                return true;
    return false;
}

void weftc_check_mark_barriers(LLVMModuleRef module, LLVMValueRef kernel)
{
    // At named barriers and between sub-groups work-items may wait at different places.
    if (LLVMGetNamedFunction(module, WEFTC_YIELD) || LLVMGetNamedFunction(module, WEFTC_BARRIER_SITE) ||
        !LLVMGetNamedFunction(module, WEFTC_BARRIER))
        return;
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        const char *barrier =
            !LLVMIsDeclaration(f) && has_single_item(f) ? WEFTC_SINGLE_ITEM_BARRIER : WEFTC_BARRIER;
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                if (weftc_calls(i, barrier) || (f == kernel && LLVMIsAReturnInst(i)))
                    call_before(builder, module, i);
    }
    LLVMDisposeBuilder(builder);
}
