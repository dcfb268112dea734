// fp16 vector operations that processors without fp16 arithmetic lack, and that LLVM does element by element:
// they are done on whole vectors of floats. Sums, products and quotients aren't here, because LLVM widens
// them itself. Runs after the optimiser, which would undo it.
#include <string.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/codegen/codegen.h"
#include "compiler/ir/llvm_helpers.h"

struct lowering {
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMBuilderRef b;
};

// The result of each is exactly a half, or rounds to the same half if it is computed as a float first.
static const char *const through_float[] = {
    "llvm.ceil",      "llvm.floor", "llvm.maximum",   "llvm.maxnum", "llvm.minimum", "llvm.minnum",
    "llvm.nearbyint", "llvm.rint",  "llvm.roundeven", "llvm.round",  "llvm.sqrt",    "llvm.trunc",
};

static bool is_of(LLVMValueRef value, LLVMTypeKind kind)
{
    return LLVMGetTypeKind(weftc_element_of(LLVMTypeOf(value))) == kind;
}

static LLVMTypeRef with_lanes(LLVMTypeRef element, LLVMTypeRef like)
{
    bool vector = LLVMGetTypeKind(like) == LLVMVectorTypeKind;
    return vector ? LLVMVectorType(element, LLVMGetVectorSize(like)) : element;
}

static LLVMValueRef as_float(const struct lowering *l, LLVMValueRef half)
{
    LLVMTypeRef type = with_lanes(LLVMFloatTypeInContext(l->context), LLVMTypeOf(half));
    return LLVMBuildFPExt(l->b, half, type, "");
}

static LLVMValueRef call(const struct lowering *l, unsigned intrinsic, LLVMValueRef *arguments,
                         unsigned count)
{
    LLVMTypeRef type = LLVMTypeOf(arguments[0]);
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(l->module, intrinsic, &type, 1);
    return LLVMBuildCall2(l->b, LLVMGlobalGetValueType(f), f, arguments, count, "");
}

static LLVMValueRef magnitude(const struct lowering *l, LLVMValueRef x)
{
    return call(l, LLVMLookupIntrinsicID("llvm.fabs", strlen("llvm.fabs")), &x, 1);
}

// Converts via a float that is rounded to odd: truncated, with the last bit set if anything was cut off. A
// float has more than two extra bits, so the second rounding is right. convert.h of the built-in functions
// does the same.
static LLVMValueRef half_of_double(const struct lowering *l, LLVMValueRef x, LLVMTypeRef half)
{
    LLVMTypeRef type = LLVMTypeOf(x), words = with_lanes(LLVMInt32TypeInContext(l->context), type);
    LLVMTypeRef floats = with_lanes(LLVMFloatTypeInContext(l->context), type);
    LLVMValueRef nearest = LLVMBuildFPTrunc(l->b, x, floats, "");
    LLVMValueRef back = LLVMBuildFPExt(l->b, nearest, type, "");
    LLVMValueRef beyond = LLVMBuildFCmp(l->b, LLVMRealOGT, magnitude(l, back), magnitude(l, x), "");
    LLVMValueRef inexact = LLVMBuildFCmp(l->b, LLVMRealONE, back, x, "");
    LLVMValueRef bits = LLVMBuildBitCast(l->b, nearest, words, "");
    bits = LLVMBuildAdd(l->b, bits, LLVMBuildSExt(l->b, beyond, words, ""), "");
    bits = LLVMBuildOr(l->b, bits, LLVMBuildZExt(l->b, inexact, words, ""), "");
    return LLVMBuildFPTrunc(l->b, LLVMBuildBitCast(l->b, bits, floats, ""), half, "");
}

static LLVMValueRef of_intrinsic(const struct lowering *l, LLVMValueRef i)
{
    LLVMValueRef f = weftc_callee(i);
    unsigned id = f ? LLVMGetIntrinsicID(f) : 0;
    for (size_t k = 0; id && k < WEFT_COUNT_OF(through_float); k++) {
        if (LLVMLookupIntrinsicID(through_float[k], strlen(through_float[k])) != id)
            continue;
        LLVMValueRef arguments[2];
        unsigned count = LLVMGetNumArgOperands(i);
        for (unsigned n = 0; n < count; n++)
            arguments[n] = as_float(l, LLVMGetOperand(i, n));
        return LLVMBuildFPTrunc(l->b, call(l, id, arguments, count), LLVMTypeOf(i), "");
    }
    return NULL;
}

// Builds what replaces i; NULL: i stays.
static LLVMValueRef lowered(void *context, LLVMValueRef i)
{
    const struct lowering *l = context;
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    LLVMValueRef x;
    switch (opcode) {
    case LLVMFPTrunc:
        x = LLVMGetOperand(i, 0);
        if (!is_of(i, LLVMHalfTypeKind) || !is_of(x, LLVMDoubleTypeKind))
            return NULL;
        LLVMPositionBuilderBefore(l->b, i);
        return half_of_double(l, x, LLVMTypeOf(i));
    case LLVMFCmp:
    case LLVMFPToSI:
    case LLVMFPToUI:
        x = LLVMGetOperand(i, 0);
        if (!is_of(x, LLVMHalfTypeKind))
            return NULL;
        LLVMPositionBuilderBefore(l->b, i);
        x = as_float(l, x);
        return opcode == LLVMFCmp
                   ? LLVMBuildFCmp(l->b, LLVMGetFCmpPredicate(i), x, as_float(l, LLVMGetOperand(i, 1)), "")
                   : LLVMBuildCast(l->b, opcode, x, LLVMTypeOf(i), "");
    case LLVMCall:
        if (!is_of(i, LLVMHalfTypeKind))
            return NULL;
        LLVMPositionBuilderBefore(l->b, i);
        return of_intrinsic(l, i);
    default:
        return NULL;
    }
}

void weftc_lower_fp16_vectors(LLVMModuleRef module)
{
    struct lowering l = {.module = module, .context = LLVMGetModuleContext(module)};
    l.b = LLVMCreateBuilderInContext(l.context);
    weftc_replace_instructions(module, lowered, &l);
    LLVMDisposeBuilder(l.b);
}
