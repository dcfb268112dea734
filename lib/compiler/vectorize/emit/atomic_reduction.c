// Atomics of all lanes on one address whose results are unused: the lanes' operands are combined first, and
// one atomic is done for all. Work-items may do theirs in any order, so this is one of the orders.
#include <stdint.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "compiler/vectorize/access/access.h"
#include "compiler/vectorize/emit/emit.h"

static LLVMValueRef neutral(LLVMTypeRef type, const struct weftc_reduction *r)
{
    unsigned bits = LLVMGetIntTypeWidth(type);
    uint64_t sign = 1ull << (bits - 1);
    switch (r->neutral) {
    case WEFTC_NEUTRAL_ONES:
        return LLVMConstAllOnes(type);
    case WEFTC_NEUTRAL_SMALLEST:
        return LLVMConstInt(type, sign, false);
    case WEFTC_NEUTRAL_LARGEST:
        return LLVMConstInt(type, sign - 1, false);
    case WEFTC_NEUTRAL_ZERO:
        break;
    }
    return LLVMConstNull(type);
}

void weftc_vec_reduced(struct weftc_emission *em, LLVMValueRef i)
{
    const struct weftc_reduction *r = weftc_vec_reduction_of(i);
    LLVMValueRef vector = weftc_vec_vector(em, LLVMGetOperand(i, 1)), mask = weftc_vec_mask(em);
    LLVMTypeRef type = LLVMTypeOf(vector);
    if (mask)
        vector =
            LLVMBuildSelect(em->b, mask, vector, weftc_vec_splat(em, em->b, neutral(LLVMTypeOf(i), r)), "");
    unsigned id = LLVMLookupIntrinsicID(r->intrinsic, strlen(r->intrinsic));
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(em->module, id, &type, 1);
    LLVMValueRef sum = LLVMBuildCall2(em->b, LLVMGlobalGetValueType(f), f, &vector, 1, "");
    LLVMValueRef copy = LLVMInstructionClone(i);
    LLVMSetOperand(copy, 0, weftc_vec_scalar(em, LLVMGetOperand(i, 0)));
    LLVMSetOperand(copy, 1, sum);
    LLVMInsertIntoBuilder(em->b, copy);
}
