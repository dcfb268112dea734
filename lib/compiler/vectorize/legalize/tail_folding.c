// Tail folding: the tail of a row has fewer work-items than there are lanes. The region is put under a
// condition,
//
//     if (lane < lanes_left) { the region }
//
// and its vectorized form does the rest: nothing is touched for a lane that isn't there. A function that not
// all lanes call (vectorize/legalize/callees.c) is treated alike, with its mask as the condition.
#include <stddef.h>

#include <llvm-c/Core.h>

#include "compiler/ir/primitives.h"
#include "compiler/vectorize/legalize/legalize.h"

// condition: NULL stands for lane < lanes_left.
static void mask_by(LLVMValueRef f, LLVMValueRef condition)
{
    LLVMModuleRef module = LLVMGetGlobalParent(f);
    LLVMContextRef c = LLVMGetModuleContext(module);
    LLVMBasicBlockRef region = LLVMGetEntryBasicBlock(f), returns = NULL;
    LLVMTypeRef result = LLVMGetReturnType(LLVMGlobalGetValueType(f));
    for (LLVMBasicBlockRef b = region; b && !returns; b = LLVMGetNextBasicBlock(b))
        if (LLVMIsAReturnInst(LLVMGetBasicBlockTerminator(b)))
            returns = b;
    LLVMBasicBlockRef entry = LLVMInsertBasicBlockInContext(c, region, "");
    LLVMBasicBlockRef exit = LLVMAppendBasicBlockInContext(c, f, "");
    LLVMBuilderRef b = LLVMCreateBuilderInContext(c);
    LLVMPositionBuilderAtEnd(b, entry);
    LLVMValueRef next;
    for (LLVMValueRef i = LLVMGetFirstInstruction(region); i; i = next) {
        next = LLVMGetNextInstruction(i);
        // Private memory is allocated in the entry block.
        if (LLVMIsAAllocaInst(i) && LLVMIsAConstantInt(LLVMGetOperand(i, 0))) {
            LLVMInstructionRemoveFromParent(i);
            LLVMInsertIntoBuilder(b, i);
        }
    }
    if (!condition) {
        LLVMValueRef lane = weftc_primitive_build(b, module, WEFTC_LANE, 0);
        LLVMValueRef left = weftc_primitive_build(b, module, WEFTC_LANES_LEFT, 0);
        condition = LLVMBuildICmp(b, LLVMIntULT, lane, left, "");
    }
    LLVMBuildCondBr(b, condition, region, exit);

    LLVMPositionBuilderAtEnd(b, exit);
    if (LLVMGetTypeKind(result) == LLVMVoidTypeKind) {
        LLVMBuildRetVoid(b);
    } else {
        LLVMValueRef phi = LLVMBuildPhi(b, result, ""), nothing = LLVMGetPoison(result);
        LLVMAddIncoming(phi, &nothing, &entry, 1);
        if (returns) {
            LLVMValueRef value = LLVMGetOperand(LLVMGetBasicBlockTerminator(returns), 0);
            LLVMAddIncoming(phi, &value, &returns, 1);
        }
        LLVMBuildRet(b, phi);
    }
    if (returns) {
        LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(returns));
        LLVMPositionBuilderAtEnd(b, returns);
        LLVMBuildBr(b, exit);
    }
    LLVMDisposeBuilder(b);
}

void weftc_vec_fold_tail(LLVMValueRef f)
{
    mask_by(f, NULL);
}

void weftc_vec_mask_by(LLVMValueRef f, LLVMValueRef condition)
{
    mask_by(f, condition);
}
