// Vectors of halves on processors that don't convert them (F16C), where LLVM calls a function for each
// element. Conversions become operations on vectors of whole numbers, with the results of the support
// functions (lib/kernel-builtins/support/half.c), and arithmetic is done in floats between conversions, as
// LLVM does it for single halves. Runs after the optimiser.
#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "compiler/codegen/codegen.h"
#include "compiler/ir/llvm_helpers.h"

enum {
    SIGN = 0x8000,          // of a half
    INFINITE = 0x7c00,      // the half
    QUIET = 0x200,          // of a NaN that is a half
    FRACTION = 0x3ff,       // of a half
    CUT = 13,               // bits that a float's fraction has more
    REBIAS = 112 << 23,     // what a float's exponent is larger by
    SMALL = 113 << 23,      // the float 2^-14, the least normal half
    HALF_OF_ONE = 126 << 23 // the float 0.5: its last bit is that of the denormal halves
};

struct lowering {
    LLVMBuilderRef b;
    LLVMTypeRef words, floats; // vectors
    unsigned lanes;
};

static LLVMValueRef all(const struct lowering *l, uint32_t number)
{
    return weftc_constant(l->words, number);
}

static LLVMValueRef as_words(const struct lowering *l, LLVMValueRef floats)
{
    return LLVMBuildBitCast(l->b, floats, l->words, "");
}

static LLVMValueRef as_floats(const struct lowering *l, LLVMValueRef words)
{
    return LLVMBuildBitCast(l->b, words, l->floats, "");
}

static LLVMValueRef both(const struct lowering *l, LLVMValueRef x, uint32_t bits)
{
    return LLVMBuildAnd(l->b, x, all(l, bits), "");
}

// Where x < bound, both of which have no sign: `yes`, else `no`.
static LLVMValueRef if_less(const struct lowering *l, LLVMValueRef x, uint32_t bound, LLVMValueRef yes,
                            LLVMValueRef no)
{
    return LLVMBuildSelect(l->b, LLVMBuildICmp(l->b, LLVMIntSLT, x, all(l, bound), ""), yes, no, "");
}

static LLVMValueRef float_of_half(const struct lowering *l, LLVMValueRef half)
{
    LLVMTypeRef shorts = LLVMVectorType(LLVMInt16TypeInContext(LLVMGetTypeContext(l->words)), l->lanes);
    LLVMValueRef h = LLVMBuildZExt(l->b, LLVMBuildBitCast(l->b, half, shorts, ""), l->words, "");
    LLVMValueRef x = LLVMBuildShl(l->b, both(l, h, SIGN - 1), all(l, CUT), "");
    LLVMValueRef normal = LLVMBuildAdd(l->b, x, all(l, REBIAS), "");
    LLVMValueRef special = LLVMBuildAdd(l->b, normal, all(l, REBIAS), "");
    // A denormal's fraction becomes that of a number above 2^-14, from which 2^-14 is taken away.
    LLVMValueRef above = as_floats(l, LLVMBuildAdd(l->b, x, all(l, SMALL), ""));
    LLVMValueRef denormal =
        as_words(l, LLVMBuildFSub(l->b, above, LLVMConstBitCast(all(l, SMALL), l->floats), ""));
    LLVMValueRef result = if_less(l, x, (FRACTION + 1) << CUT, denormal, normal);
    result = if_less(l, x, INFINITE << CUT, result, special);
    LLVMValueRef quiet = if_less(l, x, (INFINITE << CUT) + 1, all(l, 0), all(l, QUIET << CUT));
    LLVMValueRef sign = LLVMBuildShl(l->b, both(l, h, SIGN), all(l, 16), "");
    return as_floats(l, LLVMBuildOr(l->b, LLVMBuildOr(l->b, result, quiet, ""), sign, ""));
}

static LLVMValueRef half_of_float(const struct lowering *l, LLVMValueRef number, LLVMTypeRef halves)
{
    LLVMValueRef bits = as_words(l, number), x = both(l, bits, INT32_MAX);
    LLVMValueRef cut = LLVMBuildLShr(l->b, x, all(l, CUT), "");
    // To the nearest, and to the even one of two: half of the last place is added, less one unless that is
    // odd.
    LLVMValueRef rounding = all(l, (1u << (CUT - 1)) - 1 - (uint32_t)REBIAS);
    LLVMValueRef rounded = LLVMBuildAdd(l->b, LLVMBuildAdd(l->b, x, rounding, ""), both(l, cut, 1), "");
    LLVMValueRef normal = LLVMBuildLShr(l->b, rounded, all(l, CUT), "");
    // The sum with 0.5 rounds to the last place of denormal halves.
    LLVMValueRef half = LLVMConstBitCast(all(l, HALF_OF_ONE), l->floats);
    LLVMValueRef sum = as_words(l, LLVMBuildFAdd(l->b, as_floats(l, x), half, ""));
    LLVMValueRef denormal = LLVMBuildSub(l->b, sum, all(l, HALF_OF_ONE), "");
    LLVMValueRef nan = LLVMBuildOr(l->b, both(l, cut, FRACTION), all(l, INFINITE | QUIET), "");
    enum { TOO_LARGE = (127 + 16) << 23, NAN_FROM = (255 << 23) + 1 };
    LLVMValueRef special = if_less(l, x, NAN_FROM, all(l, INFINITE), nan);
    LLVMValueRef result = if_less(l, x, SMALL, denormal, if_less(l, x, TOO_LARGE, normal, special));
    LLVMValueRef sign = both(l, LLVMBuildLShr(l->b, bits, all(l, 16), ""), SIGN);
    LLVMTypeRef shorts = LLVMVectorType(LLVMInt16TypeInContext(LLVMGetTypeContext(l->words)), l->lanes);
    return LLVMBuildBitCast(l->b, LLVMBuildTrunc(l->b, LLVMBuildOr(l->b, result, sign, ""), shorts, ""),
                            halves, "");
}

static bool is_vector_of(LLVMValueRef v, LLVMTypeKind kind)
{
    return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind &&
           LLVMGetTypeKind(LLVMGetElementType(LLVMTypeOf(v))) == kind;
}

// Builds what replaces i; NULL: i stays.
static LLVMValueRef lowered(void *context, LLVMValueRef i)
{
    struct lowering *l = context;
    const LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    const bool extends = opcode == LLVMFPExt && is_vector_of(LLVMGetOperand(i, 0), LLVMHalfTypeKind);
    if (!extends && !is_vector_of(i, LLVMHalfTypeKind))
        return NULL;
    LLVMContextRef c = LLVMGetTypeContext(LLVMTypeOf(i));
    l->lanes = LLVMGetVectorSize(LLVMTypeOf(i));
    l->words = LLVMVectorType(LLVMInt32TypeInContext(c), l->lanes);
    l->floats = LLVMVectorType(LLVMFloatTypeInContext(c), l->lanes);
    LLVMPositionBuilderBefore(l->b, i);
    switch (opcode) {
    case LLVMFPExt:
        // To doubles, by way of floats.
        return LLVMBuildFPCast(l->b, float_of_half(l, LLVMGetOperand(i, 0)), LLVMTypeOf(i), "");
    case LLVMFPTrunc:
        return is_vector_of(LLVMGetOperand(i, 0), LLVMFloatTypeKind)
                   ? half_of_float(l, LLVMGetOperand(i, 0), LLVMTypeOf(i))
                   : NULL;
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv: {
        LLVMValueRef x = float_of_half(l, LLVMGetOperand(i, 0)), y = float_of_half(l, LLVMGetOperand(i, 1));
        return half_of_float(l, LLVMBuildBinOp(l->b, opcode, x, y, ""), LLVMTypeOf(i));
    }
    default:
        return NULL;
    }
}

void weftc_lower_half_conversions(LLVMModuleRef module)
{
    struct lowering l = {.b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module))};
    weftc_replace_instructions(module, lowered, &l);
    LLVMDisposeBuilder(l.b);
}
