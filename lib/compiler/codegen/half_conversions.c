// Vectors of halves on processors that don't convert them (F16C), where LLVM calls a function for each
// element. Conversions become operations on vectors of whole numbers, with the results of the support
// functions (lib/kernel-builtins/support/half.c), and arithmetic is done in floats between conversions, as
// LLVM does it for single halves. Runs after the optimiser.
//
// A conversion is about twenty instructions. Where a kernel has very many, they are calls of two functions,
// which keep the registers that they don't need.
#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/bridge/vectorize.h"
#include "compiler/codegen/codegen.h"
#include "compiler/ir/llvm_helpers.h"

enum {
    MANY_LANES = 1024, // converted in a module: then conversions are calls
    CALLED_LANES = 8   // of a call, at most; 4 at least
};

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
    LLVMModuleRef module; // whose conversions are calls; NULL: they aren't
    LLVMValueRef
        functions[2][2]; // that are called, by whether they extend, and have 8 lanes; NULL: not made yet
};

static void set_lanes(struct lowering *l, LLVMContextRef c, unsigned lanes)
{
    l->lanes = lanes;
    l->words = LLVMVectorType(LLVMInt32TypeInContext(c), lanes);
    l->floats = LLVMVectorType(LLVMFloatTypeInContext(c), lanes);
}

static LLVMTypeRef shorts_of(const struct lowering *l)
{
    return LLVMVectorType(LLVMInt16TypeInContext(LLVMGetTypeContext(l->words)), l->lanes);
}

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

static LLVMValueRef extended(const struct lowering *l, LLVMValueRef shorts)
{
    LLVMValueRef h = LLVMBuildZExt(l->b, shorts, l->words, "");
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

static LLVMValueRef truncated(const struct lowering *l, LLVMValueRef number)
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
    return LLVMBuildTrunc(l->b, LLVMBuildOr(l->b, result, sign, ""), shorts_of(l), "");
}

// The function that converts so many numbers, for the target of `like`.
static LLVMValueRef converter(const struct lowering *l, LLVMValueRef like, unsigned lanes, bool extends)
{
    LLVMContextRef c = LLVMGetModuleContext(l->module);
    struct lowering own = {.b = LLVMCreateBuilderInContext(c)};
    set_lanes(&own, c, lanes);
    LLVMTypeRef from = extends ? shorts_of(&own) : own.floats, to = extends ? own.floats : shorts_of(&own);
    LLVMValueRef f = LLVMAddFunction(l->module, extends ? "weft.extend.half" : "weft.truncate.half",
                                     LLVMFunctionType(to, &from, 1, false));
    LLVMSetLinkage(f, LLVMInternalLinkage);
    LLVMSetFunctionCallConv(f, LLVMIntelOCLBICallConv); // keeps half of the vector registers
    weftc_add_attribute(f, WEFTC_OF_FUNCTION, "nounwind", 0);
    weftc_copy_target(f, like);
    LLVMPositionBuilderAtEnd(own.b, LLVMAppendBasicBlockInContext(c, f, ""));
    LLVMValueRef x = LLVMGetParam(f, 0);
    LLVMBuildRet(own.b, extends ? extended(&own, x) : truncated(&own, x));
    LLVMDisposeBuilder(own.b);
    return f;
}

// Elements from `first` on of two vectors, one behind the other; b may be NULL.
static LLVMValueRef elements(const struct lowering *l, LLVMValueRef a, LLVMValueRef b, unsigned first,
                             unsigned count)
{
    LLVMTypeRef i32 = LLVMGetElementType(l->words);
    LLVMValueRef places[64];
    const unsigned there = LLVMGetVectorSize(LLVMTypeOf(a)) * (b ? 2 : 1);
    for (unsigned k = 0; k < count; k++)
        places[k] = first + k < there ? LLVMConstInt(i32, first + k, false) : LLVMGetPoison(i32);
    return LLVMBuildShuffleVector(l->b, a, b ? b : LLVMGetPoison(LLVMTypeOf(a)),
                                  LLVMConstVector(places, count), "");
}

static LLVMValueRef converted_by_calls(struct lowering *l, LLVMValueRef x, bool extends)
{
    const unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(x));
    if (lanes > CALLED_LANES) {
        const unsigned half = (lanes + 1) / 2;
        LLVMValueRef low = converted_by_calls(l, elements(l, x, NULL, 0, half), extends);
        LLVMValueRef high = converted_by_calls(l, elements(l, x, NULL, half, half), extends);
        return elements(l, low, high, 0, lanes);
    }
    const unsigned called = lanes <= 4 ? 4 : CALLED_LANES;
    LLVMValueRef *f = &l->functions[extends][called > 4];
    if (!*f)
        *f = converter(l, LLVMGetBasicBlockParent(LLVMGetInsertBlock(l->b)), called, extends);
    x = lanes < called ? elements(l, x, NULL, 0, called) : x;
    LLVMValueRef call = LLVMBuildCall2(l->b, LLVMGlobalGetValueType(*f), *f, &x, 1, "");
    LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(*f));
    return lanes < called ? elements(l, call, NULL, 0, lanes) : call;
}

static LLVMValueRef as_shorts(const struct lowering *l, LLVMValueRef halves)
{
    const bool were = LLVMIsABitCastInst(halves) && LLVMTypeOf(LLVMGetOperand(halves, 0)) == shorts_of(l);
    return were ? LLVMGetOperand(halves, 0) : LLVMBuildBitCast(l->b, halves, shorts_of(l), "");
}

static LLVMValueRef float_of_half(struct lowering *l, LLVMValueRef halves)
{
    LLVMValueRef shorts = as_shorts(l, halves);
    return l->module ? converted_by_calls(l, shorts, true) : extended(l, shorts);
}

static LLVMValueRef half_of_float(struct lowering *l, LLVMValueRef number, LLVMTypeRef halves)
{
    LLVMValueRef shorts = l->module ? converted_by_calls(l, number, false) : truncated(l, number);
    return LLVMBuildBitCast(l->b, shorts, halves, "");
}

static bool is_vector_of(LLVMValueRef v, LLVMTypeKind kind)
{
    return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind &&
           LLVMGetTypeKind(LLVMGetElementType(LLVMTypeOf(v))) == kind;
}

// How many vectors i makes a conversion of.
static unsigned conversions(LLVMValueRef i)
{
    const LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    if (opcode == LLVMFPExt)
        return is_vector_of(LLVMGetOperand(i, 0), LLVMHalfTypeKind);
    if (!is_vector_of(i, LLVMHalfTypeKind))
        return 0;
    switch (opcode) {
    case LLVMFPTrunc:
        return is_vector_of(LLVMGetOperand(i, 0), LLVMFloatTypeKind);
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv:
        return 3;
    default:
        return 0;
    }
}

// Loads and stores whole numbers instead of halves. Between blocks, which calls end, LLVM would take vectors
// of halves apart.
static LLVMValueRef retyped_access(struct lowering *l, LLVMValueRef i)
{
    LLVMValueRef store = LLVMIsAStoreInst(i), halves = store ? LLVMGetOperand(i, 0) : i;
    if ((!store && !LLVMIsALoadInst(i)) || !is_vector_of(halves, LLVMHalfTypeKind))
        return NULL;
    set_lanes(l, LLVMGetTypeContext(LLVMTypeOf(halves)), LLVMGetVectorSize(LLVMTypeOf(halves)));
    LLVMPositionBuilderBefore(l->b, i);
    if (store) {
        LLVMSetOperand(i, 0, as_shorts(l, halves));
        return NULL;
    }
    LLVMValueRef load = LLVMBuildLoad2(l->b, shorts_of(l), LLVMGetOperand(i, 0), "");
    LLVMSetAlignment(load, LLVMGetAlignment(i));
    LLVMSetVolatile(load, LLVMGetVolatile(i));
    weftc_bridge_copy_access(load, i);
    return LLVMBuildBitCast(l->b, load, LLVMTypeOf(i), "");
}

// Builds what replaces i; NULL: i stays.
static LLVMValueRef lowered(void *context, LLVMValueRef i)
{
    struct lowering *l = context;
    if (!conversions(i))
        return l->module ? retyped_access(l, i) : NULL;
    LLVMValueRef operand = LLVMGetOperand(i, 0);
    set_lanes(l, LLVMGetTypeContext(LLVMTypeOf(i)), LLVMGetVectorSize(LLVMTypeOf(i)));
    LLVMPositionBuilderBefore(l->b, i);
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMFPExt: // to doubles by way of floats
        return LLVMBuildFPCast(l->b, float_of_half(l, operand), LLVMTypeOf(i), "");
    case LLVMFPTrunc:
        return half_of_float(l, operand, LLVMTypeOf(i));
    default: {
        LLVMValueRef x = float_of_half(l, operand), y = float_of_half(l, LLVMGetOperand(i, 1));
        return half_of_float(l, LLVMBuildBinOp(l->b, LLVMGetInstructionOpcode(i), x, y, ""), LLVMTypeOf(i));
    }
    }
}

static size_t converted_lanes(LLVMModuleRef module)
{
    size_t lanes = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
                const unsigned count = conversions(i);
                lanes += count ? (size_t)count * LLVMGetVectorSize(LLVMTypeOf(i)) : 0;
            }
    return lanes;
}

void weftc_lower_half_conversions(LLVMModuleRef module)
{
    struct lowering l = {.b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module))};
    if (weftc_note_limit(module, WEFTC_LIMIT_HALVES, converted_lanes(module) > MANY_LANES))
        l.module = module;
    weftc_replace_instructions(module, lowered, &l);
    LLVMDisposeBuilder(l.b);
}
