// Conversions of floating-point numbers to integers of 8 and 16 bits. LLVM's result is undefined for numbers
// out of range. In vectors it takes the processor's wider result for one of the narrow type, so that a uchar
// of 497 is used as an index. OpenCL makes the result implementation-defined (OpenCL C 2.0 §6.2.3.3), but it
// has to be a value of the type. With this pass it is. On x86 it doesn't depend on the number of lanes
// either; on AArch64, vectors of doubles are truncated from 64 bits. Conversions that Clang or the inliner
// has folded already stay undefined.
#include <llvm-c/Core.h>

#include "compiler/ir/llvm_helpers.h"
#include "compiler/prepare/prepare.h"

// Converts to 32 bits, as processors do, and truncates.
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

void weftc_prepare_clamp_conversions(LLVMValueRef function)
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
