// A vector of three elements takes the memory of four (OpenCL C 3.0 §6.1.5). Its store is one of four
// elements, of which the last may be anything. LLVM makes three stores of it where vectors are taken apart,
// and then the lanes' elements have holes between them, which nothing may be stored to. So the last element
// gets the value of another one: four elements are stored in whole vectors.
#include <stddef.h>

#include <llvm-c/Core.h>

#include "compiler/ir/passes/passes.h"

enum { ELEMENTS = 4 };

// Is it a shuffle whose last element, and no other, may be anything?
static bool lacks_last(LLVMValueRef value)
{
    if (!LLVMIsAShuffleVectorInst(value) || LLVMGetNumMaskElements(value) != ELEMENTS)
        return false;
    for (unsigned k = 0; k < ELEMENTS; k++)
        if ((LLVMGetMaskValue(value, k) == LLVMGetUndefMaskElem()) != (k == ELEMENTS - 1))
            return false;
    return true;
}

void weftc_vector_padding(LLVMValueRef function)
{
    LLVMContextRef c = LLVMGetModuleContext(LLVMGetGlobalParent(function));
    LLVMTypeRef i32 = LLVMInt32TypeInContext(c);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(c);
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
         block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
            LLVMValueRef value = LLVMIsAStoreInst(i) ? LLVMGetOperand(i, 0) : NULL;
            if (!value || !lacks_last(value))
                continue;
            LLVMValueRef mask[ELEMENTS];
            for (unsigned k = 0; k < ELEMENTS; k++) {
                const unsigned from = k < ELEMENTS - 1 ? k : k - 1;
                mask[k] = LLVMConstInt(i32, (unsigned)LLVMGetMaskValue(value, from), false);
            }
            LLVMPositionBuilderBefore(b, i);
            LLVMSetOperand(i, 0,
                           LLVMBuildShuffleVector(b, LLVMGetOperand(value, 0), LLVMGetOperand(value, 1),
                                                  LLVMConstVector(mask, ELEMENTS), ""));
        }
    LLVMDisposeBuilder(b);
}
