// Stores with a mask, for processors without mask registers. vmaskmovps to memory is microcode on AMD's: it
// takes as long as a dozen plain stores, whatever the mask is. So a branch is taken to a plain store where
// all lanes take part, which is nearly always.
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "compiler/bridge/passes.h"
#include "compiler/bridge/vectorize.h"
#include "compiler/codegen/codegen.h"
#include "compiler/ir/llvm_helpers.h"

enum { MAX_STORES = 64 }; // of a function: each takes three blocks

// Does the call become instructions that take a mask?
static bool is_masked_store(LLVMValueRef i, unsigned intrinsic)
{
    LLVMValueRef callee = LLVMIsACallInst(i) ? weftc_callee(i) : NULL;
    if (!callee || LLVMGetIntrinsicID(callee) != intrinsic ||
        LLVMIsConstant(weftc_bridge_masked_mask(i, true)))
        return false;
    const unsigned bits = weftc_number_bits(LLVMGetElementType(LLVMTypeOf(LLVMGetOperand(i, 0))));
    return bits == 32 || bits == 64;
}

static void branch_around(LLVMBuilderRef b, LLVMValueRef call)
{
    LLVMValueRef mask = weftc_bridge_masked_mask(call, true);
    LLVMContextRef c = LLVMGetTypeContext(LLVMTypeOf(mask));
    const unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(mask));
    LLVMBasicBlockRef before = LLVMGetInstructionParent(call), some = weftc_bridge_split_block(call);
    LLVMBasicBlockRef after = weftc_bridge_split_block(LLVMGetNextInstruction(call));
    LLVMBasicBlockRef all = LLVMInsertBasicBlockInContext(c, after, "");
    LLVMPositionBuilderAtEnd(b, all);
    LLVMValueRef store = LLVMBuildStore(b, LLVMGetOperand(call, 0), LLVMGetOperand(call, 1));
    LLVMSetAlignment(store, weftc_bridge_masked_alignment(call, true));
    weftc_bridge_copy_access(store, call);
    LLVMBuildBr(b, after);
    LLVMValueRef jump = LLVMGetBasicBlockTerminator(before);
    LLVMPositionBuilderBefore(b, jump);
    LLVMTypeRef bits = LLVMIntTypeInContext(c, lanes);
    LLVMValueRef is_all =
        LLVMBuildICmp(b, LLVMIntEQ, LLVMBuildBitCast(b, mask, bits, ""), LLVMConstAllOnes(bits), "");
    weftc_set_unlikely(LLVMBuildCondBr(b, is_all, all, some), false);
    LLVMInstructionEraseFromParent(jump);
}

void weftc_branch_around_masked_stores(LLVMModuleRef module)
{
    static const char name[] = "llvm.masked.store";
    const unsigned intrinsic = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        LLVMValueRef stores[MAX_STORES];
        size_t count = 0;
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
                if (is_masked_store(i, intrinsic)) {
                    if (count < MAX_STORES)
                        stores[count] = i;
                    count++;
                }
        for (size_t k = 0; count <= MAX_STORES && k < count; k++)
            branch_around(b, stores[k]);
    }
    LLVMDisposeBuilder(b);
}
