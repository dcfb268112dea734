// Private memory of all lanes, and addresses. An address is emitted once where it is uniform or strided,
// otherwise for all lanes.
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "base/base.h"
#include "compiler/bridge/vectorize.h"
#include "compiler/ir/gep.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/value_map.h"
#include "compiler/shapes/shapes.h"
#include "compiler/vectorize/access/access.h"
#include "compiler/vectorize/emit/emit.h"

// ---- private memory ----

void weftc_vec_alloca(struct weftc_emission *em, LLVMValueRef i)
{
    uint32_t at = weftc_map_get(&em->v->s->private_of, i);
    if (at == UINT32_MAX) {
        em->reason = "private memory is made in the middle of the kernel";
        return;
    }
    const struct weftc_private *p = &em->v->s->privates[at];
    uint64_t size = LLVMABISizeOfType(em->v->s->layout, LLVMGetAllocatedType(i)), align = LLVMGetAlignment(i);
    uint64_t bytes = (p->layout == WEFTC_LAYOUT_SOA ? size : p->stride) * em->v->lanes;
    if (p->layout == WEFTC_LAYOUT_SOA && p->stride * em->v->lanes > align)
        align = p->stride * em->v->lanes;
    LLVMPositionBuilderAtEnd(em->at_def, em->entry);
    LLVMTypeRef type = LLVMArrayType2(LLVMInt8TypeInContext(em->c), bytes);
    LLVMValueRef memory = LLVMBuildAlloca(em->at_def, type, "");
    LLVMSetAlignment(memory, (unsigned)align);
    weftc_vec_set_scalar(em, i, memory);
}

// ---- addresses ----

// In memory that is interleaved over the lanes (SoA), an offset is `lanes` times that in one lane's memory.
static void emit_soa_gep(struct weftc_emission *em, LLVMValueRef i)
{
    unsigned operands = (unsigned)LLVMGetNumOperands(i);
    struct weftc_step *steps = weft_alloc_array(operands, sizeof *steps);
    if (!steps) {
        em->no_memory = true;
        return;
    }
    bool scalar = weftc_vec_is_scalar(em->v, i);
    LLVMTypeRef i64 = LLVMInt64TypeInContext(em->c), type = scalar ? i64 : LLVMVectorType(i64, em->v->lanes);
    LLVMValueRef offset = LLVMConstNull(type);
    unsigned count = weftc_gep_steps(em->v->s->layout, i, steps);
    for (unsigned k = 0; k < count; k++) {
        uint64_t factor = (steps[k].index ? steps[k].scale : steps[k].offset) * em->v->lanes;
        LLVMValueRef by = weftc_i64(em->c, factor);
        if (!scalar)
            by = weftc_vec_splat(em, em->b, by);
        if (steps[k].index) {
            LLVMValueRef index =
                scalar ? weftc_vec_scalar(em, steps[k].index) : weftc_vec_vector(em, steps[k].index);
            by = LLVMBuildMul(em->b, LLVMBuildIntCast2(em->b, index, type, true, ""), by, "");
        }
        offset = LLVMBuildAdd(em->b, offset, by, "");
    }
    weft_free(steps);
    LLVMValueRef base = LLVMGetOperand(i, 0);
    base = scalar ? weftc_vec_scalar(em, base) : weftc_vec_vector(em, base);
    LLVMValueRef result = LLVMBuildGEP2(em->b, LLVMInt8TypeInContext(em->c), base, &offset, 1, "");
    if (scalar)
        weftc_vec_set_scalar(em, i, result);
    else
        weftc_vec_set_vector(em, i, result);
}

void weftc_vec_gep(struct weftc_emission *em, LLVMValueRef i)
{
    if (weftc_is_soa(em->v->s, i)) {
        emit_soa_gep(em, i);
        return;
    }
    unsigned operands = (unsigned)LLVMGetNumOperands(i);
    LLVMValueRef *indices = weft_alloc_array(operands, sizeof *indices);
    if (!indices) {
        em->no_memory = true;
        return;
    }
    bool scalar = weftc_vec_is_scalar(em->v, i), full = em->v->s->flow.blocks[em->block].full,
         strided = false;
    LLVMValueRef base = NULL;
    for (unsigned k = 0; k < operands; k++) {
        LLVMValueRef operand = LLVMGetOperand(i, k);
        enum weftc_shape_kind kind = (enum weftc_shape_kind)weftc_vec_shape(em->v, operand).kind;
        strided |= kind == WEFTC_STRIDED;
        bool one = scalar || kind == WEFTC_UNIFORM;
        LLVMValueRef value = one ? weftc_vec_scalar(em, operand) : weftc_vec_vector(em, operand);
        if (k == 0)
            base = value;
        else
            indices[k - 1] = value;
    }
    LLVMTypeRef type = LLVMGetGEPSourceElementType(i);
    LLVMValueRef result = LLVMBuildGEP2(em->b, type, base, indices, operands - 1, "");
    weft_free(indices);
    // Flags that hold for the active lanes may not hold for lane 0.
    if (!scalar || (em->blocks[em->block].nonempty && (full || !strided)))
        weftc_bridge_copy_flags(result, i);
    if (scalar)
        weftc_vec_set_scalar(em, i, result);
    else
        weftc_vec_set_vector(em, i, result);
}
