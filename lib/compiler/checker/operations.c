// Operations that may be wrong: divisions, shifts, conversions; and, if they are asked for, NaNs and signed
// overflow. Before each, or behind it, a comparison and a branch on a call that says so.
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include "compiler/checker/checker.h"
#include "compiler/checker/marker.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/module_facts.h"

static void set_location(LLVMValueRef call, LLVMValueRef i)
{
    LLVMInstructionSetDebugLoc(call, LLVMInstructionGetDebugLoc(i));
}

// Is one of the elements true?
static LLVMValueRef any(const struct weftc_check_marker *m, LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return v;
    static const char name[] = "llvm.vector.reduce.or";
    const unsigned id = LLVMLookupIntrinsicID(name, sizeof name - 1);
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(m->module, id, &type, 1);
    return LLVMBuildCall2(m->b, LLVMGlobalGetValueType(f), f, &v, 1, "");
}

static void report_if(const struct weftc_check_marker *m, LLVMValueRef i, LLVMValueRef wrong, uint32_t fault,
                      LLVMValueRef number, uint32_t bits)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(m->c), i64 = LLVMInt64TypeInContext(m->c);
    LLVMTypeRef params[] = {i32, i64, i32};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(m->c), params, WEFT_COUNT_OF(params), false);
    LLVMValueRef f = weftc_check_declare(m->module, WEFTC_CHECK_OPERATION, type);
    if (LLVMIsAConstantInt(wrong) && !LLVMConstIntGetZExtValue(wrong))
        return;
    LLVMBasicBlockRef instead;
    // The operation itself runs in any case, so the branch is around nothing.
    LLVMValueRef nothing = LLVMBuildFreeze(m->b, wrong, "");
    weftc_check_branch_around(m, nothing, wrong, &instead);
    LLVMValueRef arguments[] = {weftc_i32(m->c, fault),
                                number ? LLVMBuildZExtOrBitCast(m->b, number, i64, "") : weftc_i64(m->c, 0),
                                weftc_i32(m->c, bits)};
    set_location(LLVMBuildCall2(m->b, type, f, arguments, WEFT_COUNT_OF(arguments), ""), i);
    LLVMInstructionEraseFromParent(nothing);
}

static unsigned width_of(LLVMValueRef v)
{
    return LLVMGetIntTypeWidth(weftc_element_of(LLVMTypeOf(v)));
}

static LLVMValueRef scalar_or_null(LLVMValueRef v)
{
    return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMIntegerTypeKind && width_of(v) <= 64 ? v : NULL;
}

static void check_division(const struct weftc_check_marker *m, LLVMValueRef i)
{
    LLVMValueRef a = LLVMGetOperand(i, 0), by = LLVMGetOperand(i, 1);
    LLVMTypeRef type = LLVMTypeOf(i);
    LLVMPositionBuilderBefore(m->b, i);
    LLVMValueRef zero = any(m, LLVMBuildICmp(m->b, LLVMIntEQ, by, LLVMConstNull(type), ""));
    report_if(m, i, zero, WEFT_FAULT_DIVISION_BY_ZERO, NULL, 0);
    const LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    if ((opcode != LLVMSDiv && opcode != LLVMSRem) || width_of(i) > 64)
        return;
    LLVMPositionBuilderBefore(m->b, i);
    LLVMValueRef smallest = weftc_constant(type, 1ull << (width_of(i) - 1));
    LLVMValueRef is = LLVMBuildICmp(m->b, LLVMIntEQ, a, smallest, "");
    LLVMValueRef minus = LLVMBuildICmp(m->b, LLVMIntEQ, by, LLVMConstAllOnes(type), "");
    report_if(m, i, any(m, LLVMBuildAnd(m->b, is, minus, "")), WEFT_FAULT_DIVISION_OVERFLOW, NULL, 0);
}

// OpenCL C takes the low bits of the count (§6.3, "shift"): Clang writes an `and`.
static void check_shift(const struct weftc_check_marker *m, LLVMValueRef i)
{
    LLVMValueRef masked = LLVMGetOperand(i, 1);
    if (!LLVMIsAInstruction(masked) || LLVMGetInstructionOpcode(masked) != LLVMAnd)
        return;
    LLVMValueRef mask = LLVMGetOperand(masked, 1), count = LLVMGetOperand(masked, 0);
    const unsigned width = width_of(i);
    uint64_t number;
    if (LLVMIsAConstantInt(mask))
        number = LLVMConstIntGetZExtValue(mask);
    else if (!weftc_is_splat(mask, &number))
        return;
    if (number != width - 1)
        return;
    LLVMPositionBuilderBefore(m->b, i);
    LLVMValueRef far =
        LLVMBuildICmp(m->b, LLVMIntUGT, count, weftc_constant(LLVMTypeOf(count), width - 1), "");
    report_if(m, i, any(m, far), WEFT_FAULT_SHIFT, scalar_or_null(count), width);
}

// A conversion to an integer that can't hold the number (OpenCL C 3.0 §6.3.4: implementation-defined).
static void check_conversion(const struct weftc_check_marker *m, LLVMValueRef i)
{
    LLVMValueRef x = LLVMGetOperand(i, 0);
    if (LLVMGetTypeKind(LLVMTypeOf(x)) == LLVMVectorTypeKind)
        return;
    const unsigned width = width_of(i);
    const bool is_signed = LLVMGetInstructionOpcode(i) == LLVMFPToSI;
    if (width > 64)
        return;
    LLVMTypeRef type = LLVMDoubleTypeInContext(m->c);
    LLVMPositionBuilderBefore(m->b, i);
    if (LLVMTypeOf(x) != type)
        x = LLVMBuildFPExt(m->b, x, type, "");
    const double end = (double)(1ull << (width - 1)) * (is_signed ? 1 : 2), low = is_signed ? -end : 0;
    // What is above low - 1 becomes low, where a double can hold low - 1.
    LLVMRealPredicate above = width <= 32 || !is_signed ? LLVMRealOGT : LLVMRealOGE;
    LLVMValueRef least = LLVMConstReal(type, above == LLVMRealOGT ? low - 1 : low);
    LLVMValueRef right = LLVMBuildAnd(m->b, LLVMBuildFCmp(m->b, above, x, least, ""),
                                      LLVMBuildFCmp(m->b, LLVMRealOLT, x, LLVMConstReal(type, end), ""), "");
    report_if(m, i, LLVMBuildNot(m->b, right, ""), WEFT_FAULT_CONVERSION,
              LLVMBuildBitCast(m->b, x, LLVMInt64TypeInContext(m->c), ""), 0);
}

static bool is_float(LLVMValueRef v)
{
    const LLVMTypeKind kind = LLVMGetTypeKind(weftc_element_of(LLVMTypeOf(v)));
    return kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind || kind == LLVMHalfTypeKind;
}

// Is one of the elements a NaN?
static LLVMValueRef has_nan(const struct weftc_check_marker *m, LLVMValueRef v)
{
    return any(m, LLVMBuildFCmp(m->b, LLVMRealUNO, v, v, ""));
}

// An operation, or a call of a built-in function, whose result is a NaN though no operand is one.
static void check_nan(const struct weftc_check_marker *m, LLVMValueRef i)
{
    const LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    LLVMValueRef f = weftc_callee(i);
    const bool calls = f && !weftc_fact_attribute(f, WEFTC_OF_FUNCTION, WEFTC_CHECK_OWN);
    if (!is_float(i) || !(calls || opcode == LLVMFAdd || opcode == LLVMFSub || opcode == LLVMFMul ||
                          opcode == LLVMFDiv || opcode == LLVMFRem))
        return;
    const unsigned operands = calls ? LLVMGetNumArgOperands(i) : 2;
    LLVMValueRef given = LLVMConstInt(LLVMInt1TypeInContext(m->c), 0, false);
    bool takes = false;
    LLVMPositionBuilderBefore(m->b, LLVMGetNextInstruction(i));
    for (unsigned k = 0; k < operands; k++)
        if (is_float(LLVMGetOperand(i, k))) {
            takes = true;
            given = LLVMBuildOr(m->b, given, has_nan(m, LLVMGetOperand(i, k)), "");
        }
    if (takes)
        report_if(m, i, LLVMBuildAnd(m->b, has_nan(m, i), LLVMBuildNot(m->b, given, ""), ""), WEFT_FAULT_NAN,
                  NULL, 0);
}

// A signed operation in the source, whose result must fit (C11 §6.5).
static void check_overflow(const struct weftc_check_marker *m, LLVMValueRef i)
{
    static const char *const names[] = {"llvm.sadd.with.overflow", "llvm.ssub.with.overflow",
                                        "llvm.smul.with.overflow"};
    const LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    const char *name = names[opcode == LLVMAdd ? 0 : opcode == LLVMSub ? 1 : 2];
    LLVMTypeRef type = LLVMTypeOf(i);
    if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind || width_of(i) > 64)
        return;
    LLVMValueRef operands[] = {LLVMGetOperand(i, 0), LLVMGetOperand(i, 1)};
    LLVMValueRef f =
        LLVMGetIntrinsicDeclaration(m->module, LLVMLookupIntrinsicID(name, strlen(name)), &type, 1);
    LLVMPositionBuilderBefore(m->b, i);
    LLVMValueRef both = LLVMBuildCall2(m->b, LLVMGlobalGetValueType(f), f, operands, 2, "");
    report_if(m, i, LLVMBuildExtractValue(m->b, both, 1, ""), WEFT_FAULT_OVERFLOW, NULL, width_of(i));
}

static void check_arithmetic(const struct weftc_check_marker *m, LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMSDiv:
    case LLVMUDiv:
    case LLVMSRem:
    case LLVMURem:
        check_division(m, i);
        break;
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
        check_shift(m, i);
        break;
    case LLVMFPToSI:
    case LLVMFPToUI:
        check_conversion(m, i);
        break;
    default:
        break;
    }
}

void weftc_check_mark_operation(const struct weftc_check_marker *m, LLVMValueRef i, bool is_signed)
{
    LLVMSetCurrentDebugLocation2(m->b, LLVMInstructionGetDebugLoc(i));
    if (is_signed && weftc_check_wants(m, WEFT_CHECK_OVERFLOW))
        check_overflow(m, i);
    if (weftc_check_wants(m, WEFT_CHECK_ARITH))
        check_arithmetic(m, i);
    if (weftc_check_wants(m, WEFT_CHECK_NAN))
        check_nan(m, i);
}
