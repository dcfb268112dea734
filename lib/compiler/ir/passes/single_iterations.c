// Loops that end after their first iteration, whatever the numbers are:
//
//   for (int y = y0, end = min(rows, y0 + ROWS); y < end; y += STEP)    with ROWS at most STEP
//
// Image filters are written like that, and built with ROWS = 1 for most devices. LLVM doesn't see that there
// is no second iteration, and unrolls such a loop where the program asks for it. So the loop's condition
// becomes one that is false in the second iteration. Loop rotation then leaves no loop.
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/passes/passes.h"

enum { MAX_BITS = 64 };

static bool is_minimum(LLVMValueRef value, bool is_signed)
{
    const char *name = is_signed ? "llvm.smin" : "llvm.umin";
    LLVMValueRef callee = LLVMIsACallInst(value) ? weftc_callee(value) : NULL;
    return callee && LLVMGetIntrinsicID(callee) == LLVMLookupIntrinsicID(name, strlen(name));
}

// Is `value` the sum of `start` and a number that is at most `most`, without wrapping? Or less than such a
// sum, since it is a minimum?
static bool is_at_most(LLVMValueRef value, LLVMValueRef start, int64_t most, bool is_signed, bool minimum)
{
    if (LLVMIsAConstantInt(value) && LLVMIsAConstantInt(start)) {
        const int64_t a = LLVMConstIntGetSExtValue(value), b = LLVMConstIntGetSExtValue(start);
        return b >= 0 && b <= INT32_MAX && a >= 0 && a <= b + most;
    }
    if (!LLVMIsAInstruction(value))
        return false;
    if (LLVMGetInstructionOpcode(value) == LLVMAdd) {
        LLVMValueRef by = LLVMGetOperand(value, 1);
        return LLVMGetOperand(value, 0) == start && LLVMIsAConstantInt(by) &&
               (is_signed ? LLVMGetNSW(value) : LLVMGetNUW(value)) && LLVMConstIntGetSExtValue(by) >= 0 &&
               LLVMConstIntGetSExtValue(by) <= most;
    }
    if (!minimum || !is_minimum(value, is_signed))
        return false;
    return is_at_most(LLVMGetOperand(value, 0), start, most, is_signed, false) ||
           is_at_most(LLVMGetOperand(value, 1), start, most, is_signed, false);
}

// Does the branch at the end of its block never lead to a second iteration? *back: the incoming edge of the
// block's PHIs that comes from an iteration.
static bool ends_at_once(LLVMValueRef branch, unsigned *back)
{
    LLVMValueRef condition = LLVMGetCondition(branch);
    if (!LLVMIsAICmpInst(condition))
        return false;
    const LLVMIntPredicate predicate = LLVMGetICmpPredicate(condition);
    LLVMValueRef phi = LLVMGetOperand(condition, 0), end = LLVMGetOperand(condition, 1);
    if ((predicate != LLVMIntSLT && predicate != LLVMIntULT) || !LLVMIsAPHINode(phi) ||
        LLVMCountIncoming(phi) != 2 || LLVMGetInstructionParent(phi) != LLVMGetInstructionParent(branch) ||
        LLVMGetIntTypeWidth(LLVMTypeOf(phi)) > MAX_BITS)
        return false;
    const bool is_signed = predicate == LLVMIntSLT;
    for (*back = 0; *back < 2; ++*back) {
        LLVMValueRef next = LLVMGetIncomingValue(phi, *back);
        if (!LLVMIsAInstruction(next) || LLVMGetInstructionOpcode(next) != LLVMAdd ||
            LLVMGetOperand(next, 0) != phi || !LLVMIsAConstantInt(LLVMGetOperand(next, 1)) ||
            !(is_signed ? LLVMGetNSW(next) : LLVMGetNUW(next)))
            continue;
        const int64_t step = LLVMConstIntGetSExtValue(LLVMGetOperand(next, 1));
        return step > 0 && is_at_most(end, LLVMGetIncomingValue(phi, !*back), step, is_signed, true);
    }
    return false;
}

void weftc_single_iterations(LLVMValueRef function)
{
    LLVMContextRef c = LLVMGetModuleContext(LLVMGetGlobalParent(function));
    LLVMBuilderRef b = LLVMCreateBuilderInContext(c);
    LLVMTypeRef i1 = LLVMInt1TypeInContext(c);
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
         block = LLVMGetNextBasicBlock(block)) {
        LLVMValueRef branch = LLVMGetBasicBlockTerminator(block);
        unsigned back;
        if (!branch || !LLVMIsABranchInst(branch) || !LLVMIsConditional(branch) ||
            !ends_at_once(branch, &back))
            continue;
        LLVMValueRef condition = LLVMGetCondition(branch), phi = LLVMGetOperand(condition, 0);
        LLVMBasicBlockRef from[2] = {LLVMGetIncomingBlock(phi, 0), LLVMGetIncomingBlock(phi, 1)};
        LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(from[!back]));
        LLVMValueRef goes_on[2];
        goes_on[back] = LLVMConstNull(i1);
        goes_on[!back] = LLVMBuildICmp(b, LLVMGetICmpPredicate(condition), LLVMGetIncomingValue(phi, !back),
                                       LLVMGetOperand(condition, 1), "");
        LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(block));
        LLVMValueRef first = LLVMBuildPhi(b, i1, "");
        LLVMAddIncoming(first, goes_on, from, 2);
        LLVMSetCondition(branch, first);
    }
    LLVMDisposeBuilder(b);
}
