// Terms of a sum that a factor of zero takes away, as in a filter with constants:
//
//   sum += convert_float(pixel) * 0.0f
//
// The sum is a fused multiply-add (prepare/fp_contract.c), of which LLVM doesn't know that the factor takes
// the term away: the other one may be infinite. A number that was a whole number can't be. fma(x, 0, y) is
// x * 0 + y then, since nothing is rounded twice; and x * 0 is a zero whose sign is known. So no bit changes.
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/passes/passes.h"

enum { MAX_BITS = 64 };
static const double max_factor = 1 << 30; // of a number of 64 bits: the product is a finite float

// A constant, or a vector of which all elements are one.
static bool constant_of(LLVMValueRef value, double *number)
{
    if (!LLVMIsConstant(value))
        return false;
    if (LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMVectorTypeKind) {
        LLVMValueRef first = LLVMGetAggregateElement(value, 0);
        const unsigned count = LLVMGetVectorSize(LLVMTypeOf(value));
        for (unsigned k = 1; k < count; k++)
            if (LLVMGetAggregateElement(value, k) != first)
                return false;
        value = first;
    }
    LLVMBool loses;
    if (!value || !LLVMIsAConstantFP(value))
        return false;
    *number = LLVMConstRealGetDouble(value, &loses);
    return true;
}

// Was the number a whole one, without a sign? Then it is finite, and not less than +0.
static bool was_unsigned(LLVMValueRef value)
{
    if (!LLVMIsAInstruction(value) || LLVMGetInstructionOpcode(value) != LLVMUIToFP)
        return false;
    LLVMTypeRef from = weftc_element_of(LLVMTypeOf(LLVMGetOperand(value, 0)));
    const LLVMTypeKind to = LLVMGetTypeKind(weftc_element_of(LLVMTypeOf(value)));
    return LLVMGetIntTypeWidth(from) <= MAX_BITS && (to == LLVMFloatTypeKind || to == LLVMDoubleTypeKind);
}

// Is the value such a number, or one times a constant? *negative: its sign, which a zero has, too.
static bool is_finite(LLVMValueRef value, bool *negative)
{
    *negative = false;
    if (was_unsigned(value))
        return true;
    double factor;
    if (!LLVMIsAInstruction(value) || LLVMGetInstructionOpcode(value) != LLVMFMul ||
        !was_unsigned(LLVMGetOperand(value, 0)) || !constant_of(LLVMGetOperand(value, 1), &factor) ||
        !(factor <= max_factor && factor >= -max_factor))
        return false;
    *negative = signbit(factor);
    return true;
}

static void simplify(LLVMValueRef fma)
{
    double factor;
    unsigned k = 0;
    while (k < 2 && !constant_of(LLVMGetOperand(fma, k), &factor))
        k++;
    bool negative;
    if (k == 2 || factor != 0 || !is_finite(LLVMGetOperand(fma, !k), &negative))
        return;
    LLVMValueRef sum = LLVMGetOperand(fma, 2);
    if (negative == (signbit(factor) != 0)) { // the product is +0; y + -0 is y, whatever y is
        LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(fma)));
        LLVMPositionBuilderBefore(b, fma);
        sum = LLVMBuildFAdd(b, sum, LLVMConstNull(LLVMTypeOf(sum)), "");
        LLVMDisposeBuilder(b);
    }
    LLVMReplaceAllUsesWith(fma, sum);
    LLVMInstructionEraseFromParent(fma);
}

void weftc_zero_factors(LLVMModuleRef module)
{
    const unsigned fma = LLVMLookupIntrinsicID("llvm.fma", strlen("llvm.fma"));
    for (LLVMValueRef f = LLVMGetFirstFunction(module), next; f; f = next) {
        next = LLVMGetNextFunction(f);
        if (LLVMGetIntrinsicID(f) != fma)
            continue;
        for (LLVMUseRef use = LLVMGetFirstUse(f), after; use; use = after) {
            after = LLVMGetNextUse(use);
            simplify(LLVMGetUser(use));
        }
    }
}
