// Values of the vectorized function. Uniform and strided ones are computed once, as scalars; varying ones in
// all lanes at once. A form that is missing is made right after the definition when it is first needed.
#include <stdio.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/bridge/vectorize.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/value_map.h"
#include "compiler/shapes/shapes.h"
#include "compiler/vectorize/access/access.h"
#include "compiler/vectorize/emit/emit.h"

enum { MAX_LANES = 64 };

// ---- types and constants ----

LLVMTypeRef weftc_vec_type(const struct weftc_emission *em, LLVMTypeRef scalar)
{
    if (LLVMGetTypeKind(scalar) != LLVMStructTypeKind)
        return LLVMVectorType(scalar, em->v->lanes);
    unsigned count = LLVMCountStructElementTypes(scalar);
    LLVMTypeRef fields[MAX_LANES];
    if (count > WEFT_COUNT_OF(fields))
        return scalar;
    for (unsigned k = 0; k < count; k++)
        fields[k] = weftc_vec_type(em, LLVMStructGetTypeAtIndex(scalar, k));
    return LLVMStructTypeInContext(em->c, fields, count, false);
}

static LLVMValueRef constant_splat(const struct weftc_vec *v, LLVMValueRef constant)
{
    LLVMValueRef elements[MAX_LANES];
    for (unsigned k = 0; k < v->lanes; k++)
        elements[k] = constant;
    return LLVMConstVector(elements, v->lanes);
}

LLVMValueRef weftc_vec_true(const struct weftc_emission *em)
{
    return constant_splat(em->v, LLVMConstInt(LLVMInt1TypeInContext(em->c), 1, false));
}

LLVMValueRef weftc_vec_mask(const struct weftc_emission *em)
{
    const struct weftc_flow_block *b = &em->v->s->flow.blocks[em->block];
    return b->full ? NULL : em->blocks[b->mask_class].mask;
}

LLVMValueRef weftc_vec_bits(struct weftc_emission *em, LLVMValueRef mask)
{
    return LLVMBuildBitCast(em->b, mask, LLVMIntTypeInContext(em->c, em->v->lanes), "");
}

LLVMValueRef weftc_vec_any(struct weftc_emission *em, LLVMValueRef mask)
{
    LLVMValueRef bits = weftc_vec_bits(em, mask);
    return LLVMBuildICmp(em->b, LLVMIntNE, bits, LLVMConstNull(LLVMTypeOf(bits)), "");
}

LLVMValueRef weftc_vec_splat(struct weftc_emission *em, LLVMBuilderRef b, LLVMValueRef scalar)
{
    LLVMTypeRef type = LLVMTypeOf(scalar);
    if (LLVMGetTypeKind(type) == LLVMStructTypeKind) {
        LLVMTypeRef wide = weftc_vec_type(em, type);
        if (LLVMIsUndef(scalar) || LLVMIsPoison(scalar))
            return LLVMGetPoison(wide);
        LLVMValueRef result = LLVMGetPoison(wide);
        for (unsigned k = 0; k < LLVMCountStructElementTypes(type); k++) {
            LLVMValueRef field = weftc_vec_splat(em, b, LLVMBuildExtractValue(b, scalar, k, ""));
            result = LLVMBuildInsertValue(b, result, field, k, "");
        }
        return result;
    }
    if (LLVMIsConstant(scalar) && !LLVMIsAGlobalValue(scalar))
        return constant_splat(em->v, scalar);
    LLVMTypeRef wide = LLVMVectorType(type, em->v->lanes);
    LLVMValueRef first = LLVMBuildInsertElement(b, LLVMGetPoison(wide), scalar, weftc_i64(em->c, 0), "");
    LLVMValueRef zeros = LLVMConstNull(LLVMVectorType(LLVMInt32TypeInContext(em->c), em->v->lanes));
    return LLVMBuildShuffleVector(b, first, LLVMGetPoison(wide), zeros, "");
}

// <0, 1, 2, ...> * factor
static LLVMValueRef progression(const struct weftc_vec *v, LLVMTypeRef integer, int64_t factor)
{
    LLVMValueRef elements[MAX_LANES];
    for (unsigned k = 0; k < v->lanes; k++)
        elements[k] = LLVMConstInt(integer, (uint64_t)factor * k, false);
    return LLVMConstVector(elements, v->lanes);
}

LLVMValueRef weftc_vec_slot(struct weftc_emission *em, LLVMTypeRef type)
{
    LLVMPositionBuilderAtEnd(em->at_def, em->entry);
    return LLVMBuildAlloca(em->at_def, type, "");
}

// ---- the forms of a value ----

static struct weftc_vec_value *forms_of(struct weftc_emission *em, LLVMValueRef value)
{
    if (LLVMIsAInstruction(value)) {
        uint32_t n = weftc_map_get(&em->v->s->number, value);
        return n == UINT32_MAX ? NULL : &em->values[n];
    }
    if (!LLVMIsAArgument(value))
        return NULL;
    unsigned k = 0;
    while (LLVMGetParam(em->v->from, k) != value)
        k++;
    struct weftc_vec_value *forms = &em->arguments[k];
    if (weftc_vec_shape(em->v, value).kind == WEFTC_VARYING)
        forms->vector = LLVMGetParam(em->to, k);
    else
        forms->scalar = LLVMGetParam(em->to, k);
    return forms;
}

// Moves at_def to the place after the definition of `scalar`.
static void position_behind(struct weftc_emission *em, LLVMValueRef scalar)
{
    LLVMValueRef at = LLVMIsAInstruction(scalar);
    if (!at) {
        LLVMPositionBuilderAtEnd(em->at_def, em->entry);
        return;
    }
    LLVMBasicBlockRef block = LLVMGetInstructionParent(at);
    LLVMValueRef next = LLVMGetNextInstruction(at);
    while (next && LLVMIsAPHINode(next))
        next = LLVMGetNextInstruction(next);
    if (next)
        LLVMPositionBuilderBefore(em->at_def, next);
    else
        LLVMPositionBuilderAtEnd(em->at_def, block);
}

LLVMValueRef weftc_vec_scalar(struct weftc_emission *em, LLVMValueRef value)
{
    struct weftc_vec_value *forms = forms_of(em, value);
    if (!forms)
        return value; // a constant
    if (!forms->scalar) {
        if (!em->reason)
            em->reason = "a value is wanted as a scalar that has no such form";
        return LLVMGetPoison(LLVMTypeOf(value));
    }
    return forms->scalar;
}

static LLVMValueRef spread(struct weftc_emission *em, LLVMValueRef scalar, int64_t stride)
{
    LLVMBuilderRef b = em->at_def;
    LLVMTypeRef type = LLVMTypeOf(scalar);
    if (LLVMGetTypeKind(type) == LLVMPointerTypeKind) {
        LLVMValueRef steps = progression(em->v, LLVMInt64TypeInContext(em->c), stride);
        return LLVMBuildGEP2(b, LLVMInt8TypeInContext(em->c), scalar, &steps, 1, "");
    }
    return LLVMBuildAdd(b, weftc_vec_splat(em, b, scalar), progression(em->v, type, stride), "");
}

LLVMValueRef weftc_vec_vector(struct weftc_emission *em, LLVMValueRef value)
{
    struct weftc_vec_value *forms = forms_of(em, value);
    if (!forms) {
        LLVMPositionBuilderAtEnd(em->at_def, em->entry);
        return weftc_vec_splat(em, em->at_def, value);
    }
    if (!forms->vector) {
        LLVMValueRef scalar = weftc_vec_scalar(em, value);
        position_behind(em, scalar);
        struct weftc_shape shape = weftc_vec_shape(em->v, value);
        forms->vector = shape.kind == WEFTC_STRIDED ? spread(em, scalar, shape.stride)
                                                    : weftc_vec_splat(em, em->at_def, scalar);
    }
    return forms->vector;
}

static LLVMValueRef extract_lane(struct weftc_emission *em, LLVMValueRef vector, LLVMTypeRef type,
                                 LLVMValueRef lane)
{
    if (LLVMGetTypeKind(type) != LLVMStructTypeKind)
        return LLVMBuildExtractElement(em->b, vector, lane, "");
    LLVMValueRef result = LLVMGetPoison(type);
    for (unsigned k = 0; k < LLVMCountStructElementTypes(type); k++) {
        LLVMValueRef field = extract_lane(em, LLVMBuildExtractValue(em->b, vector, k, ""),
                                          LLVMStructGetTypeAtIndex(type, k), lane);
        result = LLVMBuildInsertValue(em->b, result, field, k, "");
    }
    return result;
}

LLVMValueRef weftc_vec_lane(struct weftc_emission *em, LLVMValueRef value, LLVMValueRef lane)
{
    struct weftc_shape shape = weftc_vec_shape(em->v, value);
    if (shape.kind == WEFTC_VARYING)
        return extract_lane(em, weftc_vec_vector(em, value), LLVMTypeOf(value), lane);
    LLVMValueRef scalar = weftc_vec_scalar(em, value);
    if (shape.kind == WEFTC_UNIFORM)
        return scalar;
    bool pointer = LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind;
    LLVMTypeRef integer = pointer ? LLVMInt64TypeInContext(em->c) : LLVMTypeOf(value);
    LLVMValueRef index = LLVMBuildIntCast2(em->b, lane, integer, false, "");
    LLVMValueRef step = LLVMBuildMul(em->b, index, LLVMConstInt(integer, (uint64_t)shape.stride, true), "");
    if (!pointer)
        return LLVMBuildAdd(em->b, scalar, step, "");
    return LLVMBuildGEP2(em->b, LLVMInt8TypeInContext(em->c), scalar, &step, 1, "");
}

void weftc_vec_set_scalar(struct weftc_emission *em, LLVMValueRef i, LLVMValueRef scalar)
{
    forms_of(em, i)->scalar = scalar;
}

void weftc_vec_set_vector(struct weftc_emission *em, LLVMValueRef i, LLVMValueRef vector)
{
    forms_of(em, i)->vector = vector;
}

LLVMValueRef weftc_vec_blend(struct weftc_emission *em, LLVMValueRef mask, LLVMValueRef yes, LLVMValueRef no)
{
    LLVMTypeRef type = LLVMTypeOf(yes);
    if (LLVMGetTypeKind(type) != LLVMStructTypeKind)
        return LLVMBuildSelect(em->b, mask, yes, no, "");
    LLVMValueRef result = LLVMGetPoison(type);
    for (unsigned k = 0; k < LLVMCountStructElementTypes(type); k++) {
        LLVMValueRef field = weftc_vec_blend(em, mask, LLVMBuildExtractValue(em->b, yes, k, ""),
                                             LLVMBuildExtractValue(em->b, no, k, ""));
        result = LLVMBuildInsertValue(em->b, result, field, k, "");
    }
    return result;
}

LLVMValueRef weftc_vec_insert_for_any_lane(LLVMBuilderRef b, LLVMValueRef copy)
{
    if (LLVMGetInstructionOpcode(copy) == LLVMOr && LLVMGetIsDisjoint(copy)) {
        LLVMValueRef sum = LLVMBuildAdd(b, LLVMGetOperand(copy, 0), LLVMGetOperand(copy, 1), "");
        LLVMDeleteInstruction(copy);
        return sum;
    }
    LLVMInsertIntoBuilder(b, copy);
    weftc_bridge_drop_flags(copy);
    return copy;
}

LLVMValueRef weftc_vec_wide(struct weftc_emission *em, LLVMValueRef value)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(em->c);
    struct weftc_vec_value *forms = forms_of(em, value);
    if (forms && forms->wide)
        return forms->wide;
    LLVMValueRef scalar = weftc_vec_scalar(em, value), result;
    struct weftc_shape shape = weftc_vec_shape(em->v, value);
    LLVMOpcode opcode = LLVMIsAInstruction(value) ? LLVMGetInstructionOpcode(value) : LLVMPHI;
    if (shape.kind == WEFTC_STRIDED && shape.max > INT32_MAX && weftc_is_progression(opcode)) {
        LLVMValueRef a = weftc_vec_wide(em, LLVMGetOperand(value, 0)),
                     b = weftc_vec_wide(em, LLVMGetOperand(value, 1));
        position_behind(em, scalar);
        result = LLVMBuildBinOp(em->at_def, opcode == LLVMOr ? LLVMAdd : opcode, a, b, "");
    } else if (opcode == LLVMSelect && weftc_speculated_choice(em->v->s, value)) {
        result = weftc_vec_wide(em, weftc_speculated_choice(em->v->s, value));
    } else if (em->v->s->speculate && weftc_unclamped(em->v->s, value)) {
        // The check found that no sum wraps. So neighbours have addresses at constant distances.
        int64_t constant;
        LLVMValueRef base = weftc_vec_scalar(em, weftc_without_constant(em->v->s, value, &constant));
        position_behind(em, scalar);
        base = LLVMBuildIntCast2(em->at_def, base, i64, true, "");
        result = LLVMBuildNSWAdd(em->at_def, base, weftc_i64(em->c, (uint64_t)constant), "");
    } else {
        position_behind(em, scalar);
        result = LLVMBuildIntCast2(em->at_def, scalar, i64, true, "");
    }
    if (forms)
        forms->wide = result;
    return result;
}

// From the operands of the address, where they are known lane by lane: taking an index out of its vector is
// cheaper than taking out a pointer.
LLVMValueRef weftc_vec_lane_address(struct weftc_emission *em, LLVMValueRef pointer, unsigned lane)
{
    LLVMValueRef number = weftc_i64(em->c, lane);
    if (weftc_vec_is_scalar(em->v, pointer) || !LLVMIsAGetElementPtrInst(pointer) ||
        weftc_is_soa(em->v->s, pointer))
        return weftc_vec_lane(em, pointer, number);
    LLVMValueRef indices[8];
    unsigned count = (unsigned)LLVMGetNumOperands(pointer) - 1;
    if (count > WEFT_COUNT_OF(indices))
        return weftc_vec_lane(em, pointer, number);
    LLVMValueRef base = weftc_vec_lane_address(em, LLVMGetOperand(pointer, 0), lane);
    for (unsigned k = 0; k < count; k++) {
        LLVMValueRef index = LLVMGetOperand(pointer, k + 1);
        bool cast = LLVMIsASExtInst(index) || LLVMIsAZExtInst(index);
        if (cast && !weftc_vec_is_scalar(em->v, index))
            indices[k] = LLVMBuildIntCast2(em->b, weftc_vec_lane(em, LLVMGetOperand(index, 0), number),
                                           LLVMTypeOf(index), LLVMIsASExtInst(index) != NULL, "");
        else
            indices[k] = weftc_vec_lane(em, index, number);
    }
    return LLVMBuildGEP2(em->b, LLVMGetGEPSourceElementType(pointer), base, indices, count, "");
}
