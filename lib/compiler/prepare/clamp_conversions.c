// Conversions of floating-point numbers to integers of 8 and 16 bits, which LLVM has undefined results for out of range: in vectors it takes
// the wider number that the processor makes for one of the narrow type, and uses a uchar of 497 as an index. OpenCL leaves the
// value to the implementation (OpenCL C 2.0 §6.2.3.3), but it is one of its type, and on x86 the same for every number of lanes (AArch64
// cuts doubles of lanes from 64 bits). What Clang or the inliner has computed before stays undefined.
#include <llvm-c/Core.h>

#include "compiler/ir/llvm_helpers.h"
#include "compiler/prepare/prepare.h"

// By way of 32 bits, as the processors do it; these are cut.
static void widen(LLVMBuilderRef b, LLVMValueRef i)
{
    LLVMTypeRef to = LLVMTypeOf(i), wide = LLVMInt32TypeInContext(LLVMGetTypeContext(to));
    if (LLVMGetIntTypeWidth(weftc_element_of(to)) >= 32)
        return;
    if (LLVMGetTypeKind(to) == LLVMVectorTypeKind)
        wide = LLVMVectorType(wide, LLVMGetVectorSize(to));
    LLVMPositionBuilderBefore(b, i);
    LLVMValueRef number = LLVMBuildFPToSI(b, LLVMGetOperand(i, 0), wide, "");
    LLVMReplaceAllUsesWith(i, LLVMBuildTrunc(b, number, to, ""));
    LLVMInstructionEraseFromParent(i);
}

void weftc_prepare_conversions(LLVMValueRef function)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(function)));
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
         block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef i = LLVMGetFirstInstruction(block), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
            if (opcode == LLVMFPToUI || opcode == LLVMFPToSI)
                widen(b, i);
        }
    LLVMDisposeBuilder(b);
}
