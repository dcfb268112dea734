// Atomics of all lanes on one address whose results nobody wants: the lanes' operands are put together first, and
// one atomic is done for all. The order in which work-items do theirs is anybody's, so this is one of them.
#include <string.h>

#include "compiler/bridge/vectorize.h"
#include "compiler/vectorize/vectorize.h"

struct reduction {
    LLVMAtomicRMWBinOp op;
    const char *intrinsic;
    enum { ZERO, ONES, SMALLEST, LARGEST } neutral; // of signed numbers
};

static const struct reduction reductions[] = {
    {LLVMAtomicRMWBinOpAdd, "llvm.vector.reduce.add", ZERO},
    {LLVMAtomicRMWBinOpSub, "llvm.vector.reduce.add", ZERO},
    {LLVMAtomicRMWBinOpOr, "llvm.vector.reduce.or", ZERO},
    {LLVMAtomicRMWBinOpXor, "llvm.vector.reduce.xor", ZERO},
    {LLVMAtomicRMWBinOpAnd, "llvm.vector.reduce.and", ONES},
    {LLVMAtomicRMWBinOpMax, "llvm.vector.reduce.smax", SMALLEST},
    {LLVMAtomicRMWBinOpMin, "llvm.vector.reduce.smin", LARGEST},
    {LLVMAtomicRMWBinOpUMax, "llvm.vector.reduce.umax", ZERO},
    {LLVMAtomicRMWBinOpUMin, "llvm.vector.reduce.umin", ONES},
};

static const struct reduction *reduction_of(LLVMValueRef i)
{
    for (size_t k = 0; k < WEFT_COUNT_OF(reductions); k++)
        if (LLVMGetAtomicRMWBinOp(i) == reductions[k].op)
            return &reductions[k];
    return NULL;
}

bool weftc_vec_is_reduced(const struct weftc_vec *v, LLVMValueRef i)
{
    return LLVMIsAAtomicRMWInst(i) && !LLVMGetFirstUse(i) &&
           weftc_vec_shape(v, LLVMGetOperand(i, 0)).kind == WEFTC_UNIFORM &&
           LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMIntegerTypeKind && reduction_of(i);
}

static LLVMValueRef neutral(LLVMTypeRef type, const struct reduction *r)
{
    unsigned bits = LLVMGetIntTypeWidth(type);
    uint64_t sign = 1ull << (bits - 1);
    switch (r->neutral) {
    case ONES:
        return LLVMConstAllOnes(type);
    case SMALLEST:
        return LLVMConstInt(type, sign, false);
    case LARGEST:
        return LLVMConstInt(type, sign - 1, false);
    case ZERO:
        break;
    }
    return LLVMConstNull(type);
}

void weftc_vec_reduced(struct weftc_vec *v, LLVMValueRef i)
{
    const struct reduction *r = reduction_of(i);
    LLVMValueRef vector = weftc_vec_vector(v, LLVMGetOperand(i, 1)), mask = weftc_vec_mask(v);
    LLVMTypeRef type = LLVMTypeOf(vector);
    if (mask)
        vector = LLVMBuildSelect(v->b, mask, vector, weftc_vec_splat(v, v->b, neutral(LLVMTypeOf(i), r)), "");
    unsigned id = LLVMLookupIntrinsicID(r->intrinsic, strlen(r->intrinsic));
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(v->module, id, &type, 1);
    LLVMValueRef sum = LLVMBuildCall2(v->b, LLVMGlobalGetValueType(f), f, &vector, 1, "");
    LLVMValueRef copy = LLVMInstructionClone(i);
    LLVMSetOperand(copy, 0, weftc_vec_scalar(v, LLVMGetOperand(i, 0)));
    LLVMSetOperand(copy, 1, sum);
    LLVMInsertIntoBuilder(v->b, copy);
}
