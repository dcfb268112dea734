// Calls of functions that all lanes call together (vectorize/legalize/callees.c makes these functions).
#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/shapes/shapes.h"
#include "compiler/vectorize/access/access.h"
#include "compiler/vectorize/emit/emit.h"
#include "compiler/vectorize/legalize/legalize.h"

void weftc_vec_call_together(struct weftc_emission *em, LLVMValueRef i)
{
    const struct weftc_vec_callee *callee = weftc_vec_call(em->v, i)->callee;
    unsigned params = LLVMCountParams(callee->function);
    LLVMValueRef *arguments = weft_alloc_array((size_t)params + 1, sizeof(LLVMValueRef));
    if (!arguments) {
        em->no_memory = true;
        return;
    }
    for (unsigned k = 0; k < params; k++) {
        LLVMValueRef argument = LLVMGetOperand(i, k);
        arguments[k] = callee->shapes[k].kind == WEFTC_VARYING ? weftc_vec_vector(em, argument)
                                                               : weftc_vec_scalar(em, argument);
    }
    if (callee->masked)
        arguments[params] = weftc_vec_mask(em);
    LLVMValueRef call = LLVMBuildCall2(em->b, LLVMGlobalGetValueType(callee->vector), callee->vector,
                                       arguments, params + callee->masked, "");
    if (LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMVoidTypeKind)
        weftc_vec_set_vector(em, i, call);
    weft_free(arguments);
}
