// Operations whose results OpenCL leaves open, or undefined, get one that does no harm: integer divisions
// don't trap, and a conversion to a narrow integer gives a value of its type.
#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "compiler/ir/llvm_helpers.h"
#include "compiler/prepare/prepare.h"

// ---- Divisions ----

// Integer division must not trap. OpenCL leaves the results of x / 0 and INT_MIN / -1 undefined, but the
// process has to survive.

// OpenCL's widest vector has 16 elements; built-in functions may work on a few of them at once.
enum { MAX_ELEMENTS = 64 };

static unsigned vector_size(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 1;
}

static bool is_signed(LLVMOpcode opcode)
{
    return opcode == LLVMSDiv || opcode == LLVMSRem;
}

static bool is_division(LLVMOpcode opcode)
{
    return is_signed(opcode) || opcode == LLVMUDiv || opcode == LLVMURem;
}

// Is the divisor a constant that can't trap: no element is 0, and none is -1 in a signed division?
static bool harmless(LLVMValueRef divisor, bool is_signed_division)
{
    if (LLVMIsAConstantInt(divisor)) {
        unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(divisor));
        if (bits > 64)
            return false;
        uint64_t v = LLVMConstIntGetZExtValue(divisor);
        return v != 0 && !(is_signed_division && v == UINT64_MAX >> (64 - bits));
    }
    if (!LLVMIsAConstantDataVector(divisor))
        return false;
    for (unsigned i = 0; i < LLVMGetVectorSize(LLVMTypeOf(divisor)); i++)
        if (!harmless(LLVMGetAggregateElement(divisor, i), is_signed_division))
            return false;
    return true;
}

static LLVMValueRef splat(LLVMTypeRef type, LLVMValueRef (*make)(LLVMTypeRef scalar))
{
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return make(type);
    LLVMValueRef elements[MAX_ELEMENTS];
    unsigned count = LLVMGetVectorSize(type);
    LLVMValueRef one = make(LLVMGetElementType(type));
    for (unsigned i = 0; i < count; i++)
        elements[i] = one;
    return LLVMConstVector(elements, count);
}

static LLVMValueRef one(LLVMTypeRef scalar)
{
    return LLVMConstInt(scalar, 1, false);
}

static LLVMValueRef most_negative(LLVMTypeRef scalar)
{
    unsigned bits = LLVMGetIntTypeWidth(scalar);
    uint64_t words[4] = {0};
    words[(bits - 1) / 64] = 1ull << ((bits - 1) % 64);
    return LLVMConstIntOfArbitraryPrecision(scalar, (bits + 63) / 64, words);
}

static void guard(LLVMBuilderRef b, LLVMValueRef division)
{
    bool is_signed_division = is_signed(LLVMGetInstructionOpcode(division));
    LLVMValueRef dividend = LLVMGetOperand(division, 0), divisor = LLVMGetOperand(division, 1);
    LLVMTypeRef type = LLVMTypeOf(divisor);
    if (harmless(divisor, is_signed_division) || vector_size(type) > MAX_ELEMENTS)
        return;
    LLVMPositionBuilderBefore(b, division);
    // A frozen value is the same in the comparison and in the division.
    if (!LLVMIsConstant(divisor))
        divisor = LLVMBuildFreeze(b, divisor, "");
    LLVMValueRef bad = LLVMBuildICmp(b, LLVMIntEQ, divisor, LLVMConstNull(type), "");
    if (is_signed_division) {
        if (!LLVMIsConstant(dividend)) {
            dividend = LLVMBuildFreeze(b, dividend, "");
            LLVMSetOperand(division, 0, dividend);
        }
        LLVMValueRef minus = LLVMBuildICmp(b, LLVMIntEQ, divisor, LLVMConstAllOnes(type), "");
        LLVMValueRef least = LLVMBuildICmp(b, LLVMIntEQ, dividend, splat(type, most_negative), "");
        bad = LLVMBuildOr(b, bad, LLVMBuildAnd(b, minus, least, ""), "");
    }
    LLVMSetOperand(division, 1, LLVMBuildSelect(b, bad, splat(type, one), divisor, ""));
}

void weftc_prepare_guard_divisions(LLVMValueRef function)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(function)));
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
         block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
            if (is_division(LLVMGetInstructionOpcode(i)))
                guard(b, i);
    LLVMDisposeBuilder(b);
}

// ---- Conversions ----

// Conversions of floating-point numbers to integers of 8 and 16 bits. LLVM's result is undefined for numbers
// out of range. In vectors it takes the processor's wider result for one of the narrow type, so that a uchar
// of 497 is used as an index. OpenCL makes the result implementation-defined (OpenCL C 2.0 §6.2.3.3), but it
// has to be a value of the type. With this pass it is. On x86 it doesn't depend on the number of lanes
// either; on AArch64, vectors of doubles are truncated from 64 bits. Conversions that Clang or the inliner
// has folded already stay undefined.

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
