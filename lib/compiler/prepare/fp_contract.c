// Contraction: the language allows x * y + z to be rounded once or twice (OpenCL C 3.0 §7.4). LLVM decides
// that for each expression, and again in each code variant: an expression whose factors turn out to be
// constant is rounded twice, the same expression elsewhere once. This pass decides it once for all variants:
// one rounding if the processor has such an instruction.
#include <stdbool.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "compiler/arch/target.h"
#include "compiler/prepare/prepare.h"

static unsigned intrinsic(const char *name)
{
    return LLVMLookupIntrinsicID(name, strlen(name));
}

static bool result_is_free(LLVMValueRef call)
{
    return LLVMCanValueUseFastMathFlags(call) && (LLVMGetFastMathFlags(call) & LLVMFastMathAllowReassoc);
}

static void decide(LLVMModuleRef module, LLVMValueRef call, const struct weftc_target *target)
{
    LLVMTypeRef type = LLVMTypeOf(call);
    LLVMValueRef operands[] = {LLVMGetOperand(call, 0), LLVMGetOperand(call, 1), LLVMGetOperand(call, 2)};
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    LLVMPositionBuilderBefore(b, call);
    LLVMValueRef sum;
    if (weftc_target_fuses(target, type)) {
        LLVMValueRef fma = LLVMGetIntrinsicDeclaration(module, intrinsic("llvm.fma"), &type, 1);
        sum = LLVMBuildCall2(b, LLVMGlobalGetValueType(fma), fma, operands, 3, "");
    } else {
        LLVMValueRef product = LLVMBuildFMul(b, operands[0], operands[1], "");
        sum = LLVMBuildFAdd(b, product, operands[2], "");
        if (LLVMIsAInstruction(product))
            LLVMSetFastMathFlags(product, LLVMGetFastMathFlags(call));
    }
    if (LLVMIsAInstruction(sum))
        LLVMSetFastMathFlags(sum, LLVMGetFastMathFlags(call));
    LLVMDisposeBuilder(b);
    LLVMReplaceAllUsesWith(call, sum);
    LLVMInstructionEraseFromParent(call);
}

void weftc_prepare_fp_contract(LLVMModuleRef module, const struct weftc_target *target)
{
    unsigned either = intrinsic("llvm.fmuladd");
    for (LLVMValueRef f = LLVMGetFirstFunction(module), next; f; f = next) {
        next = LLVMGetNextFunction(f);
        if (LLVMGetIntrinsicID(f) != either)
            continue;
        for (LLVMUseRef use = LLVMGetFirstUse(f), after; use; use = after) {
            after = LLVMGetNextUse(use);
            LLVMValueRef call = LLVMGetUser(use);
            if (!result_is_free(call))
                decide(module, call, target);
        }
    }
}
