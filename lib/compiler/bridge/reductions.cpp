// Reductions of vectors, which LLVM's Scalarizer leaves. Stateless.
#include "compiler/bridge/vectorize.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

using namespace llvm;

void weftc_bridge_split_reductions(LLVMValueRef function)
{
    Function &f = *cast<Function>(unwrap(function));
    SmallVector<IntrinsicInst *, 8> reductions;
    for (Instruction &i : instructions(f))
        if (auto *call = dyn_cast<IntrinsicInst>(&i);
            call && call->getCalledFunction()->getName().starts_with("llvm.vector.reduce.") &&
            isa<FixedVectorType>(call->getArgOperand(call->arg_size() - 1)->getType()))
            reductions.push_back(call);
    for (IntrinsicInst *call : reductions) {
        const Intrinsic::ID id = call->getIntrinsicID();
        const bool starts = call->arg_size() == 2; // reductions of floats begin with a number
        Value *vector = call->getArgOperand(starts ? 1 : 0), *all = starts ? call->getArgOperand(0) : nullptr;
        const unsigned operation = getArithmeticReductionInstruction(id);
        IRBuilder<> b(call);
        if (isa<FPMathOperator>(call))
            b.setFastMathFlags(call->getFastMathFlags());
        for (unsigned k = 0; k < cast<FixedVectorType>(vector->getType())->getNumElements(); k++) {
            Value *one = b.CreateExtractElement(vector, k);
            if (!all)
                all = one;
            else if (operation == Instruction::ICmp || operation == Instruction::FCmp)
                all = b.CreateBinaryIntrinsic(getMinMaxReductionIntrinsicOp(id), all, one);
            else
                all = b.CreateBinOp(static_cast<Instruction::BinaryOps>(operation), all, one);
        }
        call->replaceAllUsesWith(all);
        call->eraseFromParent();
    }
}
