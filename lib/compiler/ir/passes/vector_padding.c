// A vector of three elements takes the memory of four (OpenCL C 3.0 §6.1.5). Its store is one of four
// elements, of which the last may be anything. LLVM makes three stores of it where vectors are taken apart,
// and then the lanes' elements have holes between them, which nothing may be stored to. So the last element
// gets the value of another one: four elements are stored in whole vectors.
#include <stddef.h>

#include <llvm-c/Core.h>

#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/passes/passes.h"

enum {
    ELEMENTS = 4,
    MAX_STEPS = 6, // from a value to where its last element is left out
};

static bool lacks_last(LLVMValueRef value, bool poison, unsigned steps);

// Of all values that come in, apart from the phi node itself.
static bool phi_lacks_last(LLVMValueRef phi, bool poison, unsigned steps)
{
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
        LLVMValueRef incoming = LLVMGetIncomingValue(phi, k);
        if (incoming != phi && !lacks_last(incoming, poison, steps))
            return false;
    }
    return true;
}

// May the element of a constant be anything? poison: is it so also after an operation?
static bool constant_lacks(LLVMValueRef constant, unsigned element, bool poison)
{
    LLVMValueRef value = LLVMIsPoison(constant) || LLVMIsUndef(constant)
                             ? constant
                             : LLVMGetAggregateElement(constant, element);
    return value && (LLVMIsPoison(value) || (!poison && LLVMIsUndef(value)));
}

// The last element comes from nowhere, or from a constant that says nothing of it, as LLVM 22 makes it.
static bool shuffle_lacks_last(LLVMValueRef shuffle, bool poison)
{
    const int from = LLVMGetMaskValue(shuffle, ELEMENTS - 1);
    if (from == LLVMGetUndefMaskElem())
        return true;
    LLVMValueRef first = LLVMGetOperand(shuffle, 0), second = LLVMGetOperand(shuffle, 1);
    const unsigned element = (unsigned)from, count = LLVMGetVectorSize(LLVMTypeOf(first));
    LLVMValueRef source = element < count ? first : second;
    return LLVMIsAConstant(source) && constant_lacks(source, element % count, poison);
}

// May the last of the vector's four elements be anything? poison: is it so also after an operation?
static bool lacks_last(LLVMValueRef value, bool poison, unsigned steps)
{
    if (LLVMIsAConstant(value))
        return constant_lacks(value, ELEMENTS - 1, poison);
    if (LLVMIsAShuffleVectorInst(value))
        return shuffle_lacks_last(value, poison);
    if (steps == 0)
        return false;
    if (LLVMIsAPHINode(value))
        return phi_lacks_last(value, poison, steps - 1);
    if (LLVMIsASelectInst(value))
        return lacks_last(LLVMGetOperand(value, 1), poison, steps - 1) &&
               lacks_last(LLVMGetOperand(value, 2), poison, steps - 1);
    return LLVMIsABinaryOperator(value) && (lacks_last(LLVMGetOperand(value, 0), true, steps - 1) ||
                                            lacks_last(LLVMGetOperand(value, 1), true, steps - 1));
}

void weftc_vector_padding(LLVMValueRef function)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(LLVMGetGlobalParent(function)));
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
         block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
            LLVMValueRef value = LLVMIsAStoreInst(i) ? LLVMGetOperand(i, 0) : NULL;
            if (!value || !weftc_has_elements(value, ELEMENTS) || !lacks_last(value, false, MAX_STEPS))
                continue;
            LLVMPositionBuilderBefore(b, i);
            LLVMSetOperand(i, 0, weftc_with_fourth(b, value));
        }
    LLVMDisposeBuilder(b);
}
