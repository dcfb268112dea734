// Operations that may be wrong: divisions, shifts, conversions; and, if they are asked for, NaNs and signed
// overflow. Before each, or behind it, a comparison and a branch on a call that says so.
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include "compiler/checker/checker.h"
#include "compiler/checker/marker.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/module_facts.h"

// The operation's place in the source. Translators of SPIR-V leave out that of some calls: then it is that of
// what comes next, which mostly uses the result.
static void set_location(LLVMValueRef call, LLVMValueRef i)
{
    LLVMMetadataRef location = NULL;
    for (; i && !location; i = LLVMGetNextInstruction(i))
        location = LLVMInstructionGetDebugLoc(i);
    LLVMInstructionSetDebugLoc(call, location);
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

// A conversion of a number to an integer: a cast, or a call of a convert function.
struct conversion {
    LLVMValueRef from;
    unsigned width;
    bool is_signed;
    char rounding; // as in rtz: to zero; e: to the nearest, p: up, n: down
};

// Parses the mangled name of a convert function that doesn't saturate.
static bool parse_convert(const char *name, struct conversion *c)
{
    static const struct {
        const char *name;
        unsigned width;
        bool is_signed;
    } types[] = {{"char", 8, true}, {"uchar", 8, false}, {"short", 16, true}, {"ushort", 16, false},
                 {"int", 32, true}, {"uint", 32, false}, {"long", 64, true},  {"ulong", 64, false}};
    static const char convert[] = "convert_";
    char *at;
    if (strncmp(name, "_Z", 2) != 0)
        return false;
    const unsigned long length = strtoul(name + 2, &at, 10);
    if (length > strlen(at) || strncmp(at, convert, sizeof convert - 1) != 0)
        return false;
    static const char digits[] = "0123456789";
    const char *end = at + length, *type = at + sizeof convert - 1;
    for (size_t k = 0; k < WEFT_COUNT_OF(types); k++) {
        const size_t n = strlen(types[k].name);
        if (strncmp(type, types[k].name, n) != 0)
            continue;
        const char *rest = type + n; // behind the type; the arguments' types follow without a separator
        rest += rest < end ? strspn(rest, digits) : 0;
        const bool rounds = rest < end && strncmp(rest, "_rt", 3) == 0;
        *c = (struct conversion){.width = types[k].width, .is_signed = types[k].is_signed, .rounding = 'z'};
        if (rounds)
            c->rounding = rest[3];
        return rest == end || rounds;
    }
    return false;
}

static bool is_float(LLVMValueRef v)
{
    const LLVMTypeKind kind = LLVMGetTypeKind(weftc_element_of(LLVMTypeOf(v)));
    return kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind || kind == LLVMHalfTypeKind;
}

static bool is_conversion(LLVMValueRef i, struct conversion *c)
{
    LLVMValueRef f = weftc_callee(i);
    const LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    const bool cast = opcode == LLVMFPToSI || opcode == LLVMFPToUI;
    if (cast)
        *c = (struct conversion){.width = width_of(i), .is_signed = opcode == LLVMFPToSI, .rounding = 'z'};
    else if (!f || !parse_convert(LLVMGetValueName(f), c))
        return false;
    c->from = LLVMGetOperand(i, 0);
    return c->width <= 64 && is_float(c->from);
}

// Does the integer hold what x is rounded to? Which numbers are just inside depends on the rounding. Of 64
// bits the ends are so large that there is no double between them and the next integer.
static LLVMValueRef fits(const struct weftc_check_marker *m, const struct conversion *c, LLVMValueRef x)
{
    LLVMTypeRef type = LLVMDoubleTypeInContext(m->c);
    const double end = (double)(1ull << (c->width - 1)) * (c->is_signed ? 1 : 2),
                 low = c->is_signed ? -end : 0;
    const bool narrow = c->width <= 32;
    double least = low, most = end;
    bool with_least = true, with_most = false;
    if (c->rounding == 'e') { // halves go to the even neighbour
        least = low - 0.5;
        most = narrow ? end - 0.5 : end;
    } else if (c->rounding != 'n' && (narrow || !c->is_signed)) {
        least = low - 1;
        with_least = false;
    }
    if (c->rounding == 'p' && narrow) {
        most = end - 1;
        with_most = true;
    }
    return LLVMBuildAnd(
        m->b, LLVMBuildFCmp(m->b, with_least ? LLVMRealOGE : LLVMRealOGT, x, LLVMConstReal(type, least), ""),
        LLVMBuildFCmp(m->b, with_most ? LLVMRealOLE : LLVMRealOLT, x, LLVMConstReal(type, most), ""), "");
}

// A conversion to an integer that can't hold the number (OpenCL C 3.0 §6.3.4: implementation-defined). Of a
// vector's elements the last wrong one is told.
static void check_conversion(const struct weftc_check_marker *m, LLVMValueRef i, const struct conversion *c)
{
    LLVMTypeRef type = LLVMDoubleTypeInContext(m->c);
    const bool is_vector = LLVMGetTypeKind(LLVMTypeOf(c->from)) == LLVMVectorTypeKind;
    const unsigned count = is_vector ? LLVMGetVectorSize(LLVMTypeOf(c->from)) : 1;
    LLVMPositionBuilderBefore(m->b, i);
    LLVMValueRef any_wrong = LLVMConstInt(LLVMInt1TypeInContext(m->c), 0, false),
                 number = LLVMConstReal(type, 0);
    for (unsigned k = 0; k < count; k++) {
        LLVMValueRef x = is_vector ? LLVMBuildExtractElement(m->b, c->from, weftc_i32(m->c, k), "") : c->from;
        if (LLVMTypeOf(x) != type)
            x = LLVMBuildFPExt(m->b, x, type, "");
        LLVMValueRef wrong = LLVMBuildNot(m->b, fits(m, c, x), "");
        number = count > 1 ? LLVMBuildSelect(m->b, wrong, x, number, "") : x;
        any_wrong = count > 1 ? LLVMBuildOr(m->b, any_wrong, wrong, "") : wrong;
    }
    report_if(m, i, any_wrong, WEFT_FAULT_CONVERSION,
              LLVMBuildBitCast(m->b, number, LLVMInt64TypeInContext(m->c), ""), 0);
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
    struct conversion conversion;
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
    case LLVMCall:
        if (is_conversion(i, &conversion))
            check_conversion(m, i, &conversion);
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
