// Emits the region's instructions one by one. What is uniform or strided is computed once, everything else
// for all lanes at once. Accesses and calls are emitted by the functions of access/kinds.def and
// access/calls.def, most of which are in other files.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "compiler/bridge/vectorize.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/shapes/shapes.h"
#include "compiler/vectorize/access/access.h"
#include "compiler/vectorize/emit/emit.h"

// ---- scalar instructions ----

static bool has_strided_operand(const struct weftc_vec *v, LLVMValueRef i)
{
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(i); k++)
        if (weftc_vec_shape(v, LLVMGetOperand(i, k)).kind == WEFTC_STRIDED)
            return true;
    return false;
}

// Where clamps and mirrors are speculated not to change their value they aren't computed, nor are
// comparisons whose outcome follows from that. Returns false if i is something else.
static bool emit_unclamped(struct weftc_emission *em, LLVMValueRef i)
{
    LLVMValueRef clamped = weftc_unclamped(em->v->s, i);
    if (!clamped && (!weftc_is_within_clamps(em->v->s, i) || !weftc_shape_is_speculated(em->v->s, i)))
        return false;
    weftc_vec_set_scalar(em, i,
                         clamped ? weftc_vec_scalar(em, clamped) : LLVMConstInt(LLVMTypeOf(i), 1, false));
    return true;
}

void weftc_vec_emit_scalar(struct weftc_emission *em, LLVMValueRef i)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    if (weftc_is_wide_extension(em->v->s, i)) {
        LLVMValueRef value = weftc_vec_wide(em, LLVMGetOperand(i, 0));
        weftc_vec_set_scalar(em, i, LLVMBuildIntCast2(em->b, value, LLVMTypeOf(i), true, ""));
        return;
    }
    if (opcode == LLVMOr && weftc_vec_shape(em->v, i).kind == WEFTC_STRIDED) {
        // Bits that are disjoint make this a sum, in active lanes. In others the bits may overlap, in lane 0
        // too; the progression begins with the sum there.
        LLVMValueRef a = weftc_vec_scalar(em, LLVMGetOperand(i, 0)),
                     b = weftc_vec_scalar(em, LLVMGetOperand(i, 1));
        weftc_vec_set_scalar(em, i, LLVMBuildAdd(em->b, a, b, ""));
        return;
    }
    if (opcode == LLVMSelect && weftc_vec_shape(em->v, i).kind == WEFTC_STRIDED &&
        weftc_speculated_choice(em->v->s, i)) {
        weftc_vec_set_scalar(em, i, weftc_vec_scalar(em, weftc_speculated_choice(em->v->s, i)));
        return;
    }
    if (em->v->s->speculate && emit_unclamped(em, i))
        return;
    LLVMValueRef copy = LLVMInstructionClone(i);
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(i); k++)
        LLVMSetOperand(copy, k, weftc_vec_scalar(em, LLVMGetOperand(i, k)));
    LLVMInsertIntoBuilder(em->b, copy);
    // Flags hold in active lanes; lane 0 may be inactive.
    if (!em->blocks[em->block].nonempty ||
        (!em->v->s->flow.blocks[em->block].full && has_strided_operand(em->v, i)))
        weftc_bridge_drop_flags(copy);
    if (LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMVoidTypeKind)
        weftc_vec_set_scalar(em, i, copy);
}

// ---- vector instructions ----

// The divisor; inactive lanes divide by one.
static LLVMValueRef guarded_divisor(struct weftc_emission *em, LLVMValueRef i)
{
    LLVMValueRef divisor = weftc_vec_vector(em, LLVMGetOperand(i, 1)), mask = weftc_vec_mask(em);
    if (!mask || LLVMIsAConstantInt(LLVMGetOperand(i, 1)))
        return divisor;
    return LLVMBuildSelect(em->b, mask, divisor,
                           weftc_vec_splat(em, em->b, LLVMConstInt(LLVMTypeOf(i), 1, false)), "");
}

// Processors divide whole numbers one by one, but doubles in vectors. A quotient a / b of numbers of up to 32
// bits that isn't whole is at least 1 / b away from the next whole number. A division of doubles is wrong by
// at most a / b * 2^-53, so its truncated result is right.
static bool divides_as_double(const struct weftc_vec *v, LLVMValueRef i)
{
    return weftc_is_division(LLVMGetInstructionOpcode(i)) && !weftc_vec_is_scalar(v, i) &&
           LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMIntegerTypeKind &&
           LLVMGetIntTypeWidth(LLVMTypeOf(i)) <= 32 && !LLVMIsConstant(LLVMGetOperand(i, 1));
}

// The quotient of vectors of double by a uniform number: a product with its reciprocal. The reciprocal is
// enlarged by more than all roundings take away, and by less than would lift a quotient to the next whole
// number: a / b * 2^-47 is less than 1 / b.
static LLVMValueRef times_reciprocal(struct weftc_emission *em, LLVMValueRef a, LLVMValueRef divisor,
                                     bool is_signed)
{
    LLVMTypeRef real = LLVMDoubleTypeInContext(em->c);
    LLVMValueRef b = weftc_vec_scalar(em, divisor);
    b = is_signed ? LLVMBuildSIToFP(em->b, b, real, "") : LLVMBuildUIToFP(em->b, b, real, "");
    LLVMValueRef r = LLVMBuildFDiv(em->b, LLVMConstReal(real, 1 + 0x1p-48), b, "");
    return LLVMBuildFMul(em->b, a, weftc_vec_splat(em, em->b, r), "");
}

static LLVMValueRef divide_as_double(struct weftc_emission *em, LLVMValueRef i)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    bool is_signed = opcode == LLVMSDiv || opcode == LLVMSRem,
         rest = opcode == LLVMSRem || opcode == LLVMURem;
    LLVMValueRef divisor = LLVMGetOperand(i, 1), a = weftc_vec_vector(em, LLVMGetOperand(i, 0)), quotient;
    LLVMTypeRef real = weftc_vec_type(em, LLVMDoubleTypeInContext(em->c)), whole = LLVMTypeOf(a);
    LLVMTypeRef word = weftc_vec_type(em, LLVMInt32TypeInContext(em->c));
    LLVMValueRef x = is_signed ? LLVMBuildSIToFP(em->b, a, real, "") : LLVMBuildUIToFP(em->b, a, real, "");
    LLVMValueRef b;
    if (weftc_vec_shape(em->v, divisor).kind == WEFTC_UNIFORM) {
        b = weftc_vec_vector(em, divisor);
        quotient = times_reciprocal(em, x, divisor, is_signed);
    } else {
        b = guarded_divisor(em, i);
        LLVMValueRef y =
            is_signed ? LLVMBuildSIToFP(em->b, b, real, "") : LLVMBuildUIToFP(em->b, b, real, "");
        quotient = LLVMBuildFDiv(em->b, x, y, "");
    }
    quotient =
        is_signed ? LLVMBuildFPToSI(em->b, quotient, word, "") : LLVMBuildFPToUI(em->b, quotient, word, "");
    quotient = LLVMBuildIntCast2(em->b, quotient, whole, is_signed, "");
    return rest ? LLVMBuildSub(em->b, a, LLVMBuildMul(em->b, quotient, b, ""), "") : quotient;
}

static void emit_vector(struct weftc_emission *em, LLVMValueRef i)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    LLVMValueRef a, b, result = NULL;
    LLVMTypeRef type = LLVMTypeOf(i);
    switch (opcode) {
    case LLVMFNeg:
        result = LLVMBuildFNeg(em->b, weftc_vec_vector(em, LLVMGetOperand(i, 0)), "");
        break;
    case LLVMFreeze:
        result = LLVMBuildFreeze(em->b, weftc_vec_vector(em, LLVMGetOperand(i, 0)), "");
        break;
    case LLVMICmp:
    case LLVMFCmp:
        a = weftc_vec_vector(em, LLVMGetOperand(i, 0));
        b = weftc_vec_vector(em, LLVMGetOperand(i, 1));
        result = opcode == LLVMICmp ? LLVMBuildICmp(em->b, LLVMGetICmpPredicate(i), a, b, "")
                                    : LLVMBuildFCmp(em->b, LLVMGetFCmpPredicate(i), a, b, "");
        break;
    case LLVMSelect: {
        LLVMValueRef condition = LLVMGetOperand(i, 0);
        bool same = weftc_vec_shape(em->v, condition).kind == WEFTC_UNIFORM;
        condition = same ? weftc_vec_scalar(em, condition) : weftc_vec_vector(em, condition);
        a = weftc_vec_vector(em, LLVMGetOperand(i, 1));
        b = weftc_vec_vector(em, LLVMGetOperand(i, 2));
        result = same ? LLVMBuildSelect(em->b, condition, a, b, "") : weftc_vec_blend(em, condition, a, b);
        break;
    }
    case LLVMExtractValue:
        result = LLVMBuildExtractValue(em->b, weftc_vec_vector(em, LLVMGetOperand(i, 0)),
                                       LLVMGetIndices(i)[0], "");
        break;
    case LLVMInsertValue:
        a = weftc_vec_vector(em, LLVMGetOperand(i, 0));
        b = weftc_vec_vector(em, LLVMGetOperand(i, 1));
        result = LLVMBuildInsertValue(em->b, a, b, LLVMGetIndices(i)[0], "");
        break;
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMFPToUI:
    case LLVMFPToSI:
    case LLVMUIToFP:
    case LLVMSIToFP:
    case LLVMFPTrunc:
    case LLVMFPExt:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMBitCast:
        a = weftc_vec_vector(em, LLVMGetOperand(i, 0));
        result = LLVMBuildCast(em->b, opcode, a, weftc_vec_type(em, type), "");
        break;
    default:
        if (divides_as_double(em->v, i)) {
            weftc_vec_set_vector(em, i, divide_as_double(em, i));
            return;
        }
        a = weftc_vec_vector(em, LLVMGetOperand(i, 0));
        b = weftc_is_division(opcode) ? guarded_divisor(em, i) : weftc_vec_vector(em, LLVMGetOperand(i, 1));
        result = LLVMBuildBinOp(em->b, opcode, a, b, "");
        break;
    }
    weftc_bridge_copy_flags(result, i);
    weftc_vec_set_vector(em, i, result);
}

// ---- calls ----

static void widened_call(struct weftc_emission *em, LLVMValueRef i)
{
    uint32_t scalar_operands = 0;
    LLVMValueRef f = weftc_bridge_widen_intrinsic(i, em->v->lanes, &scalar_operands);
    unsigned count = LLVMGetNumArgOperands(i);
    LLVMValueRef arguments[32];
    for (unsigned k = 0; k < count; k++) {
        LLVMValueRef operand = LLVMGetOperand(i, k);
        arguments[k] =
            scalar_operands >> k & 1 ? weftc_vec_scalar(em, operand) : weftc_vec_vector(em, operand);
    }
    LLVMValueRef vector = LLVMBuildCall2(em->b, LLVMGlobalGetValueType(f), f, arguments, count, "");
    weftc_bridge_copy_flags(vector, i);
    weftc_vec_set_vector(em, i, vector);
}

static void (*const call_emitters[WEFTC_CALL_KINDS])(struct weftc_emission *, LLVMValueRef) = {
#define CALL(kind, reach, emit, work, idle, words) [WEFTC_CALL_##kind] = emit,
#include "compiler/vectorize/access/calls.def"
#undef CALL
};

static void emit_call(struct weftc_emission *em, LLVMValueRef i)
{
    void (*emit)(struct weftc_emission *, LLVMValueRef) = call_emitters[weftc_vec_call(em->v, i)->kind];
    if (emit)
        emit(em, i);
}

// ---- accesses ----

static void (*const emitters[WEFTC_ACCESS_KINDS][3])(struct weftc_emission *, LLVMValueRef) = {
#define ACCESS(kind, reach, lane, piece, load, store, atomic, work, time, idle, name, words) \
    [WEFTC_ACCESS_##kind] = {load, store, atomic},
#include "compiler/vectorize/access/kinds.def"
#undef ACCESS
};

// False: i is no access.
static bool emit_access(struct weftc_emission *em, LLVMValueRef i)
{
    const struct weftc_access *a = weftc_vec_access(em->v, i);
    if (a->kind == WEFTC_ACCESS_NONE)
        return false;
    void (*emit)(struct weftc_emission *, LLVMValueRef) = emitters[a->kind][LLVMIsALoadInst(i)    ? 0
                                                                            : LLVMIsAStoreInst(i) ? 1
                                                                                                  : 2];
    if (!emit)
        em->reason = "internal error: an access of a kind that can't be emitted";
    // The member at the insert position does the work of the others.
    else if (!a->group || i == weftc_vec_insert_position(a->group))
        emit(em, i);
    return true;
}

void weftc_vec_instruction(struct weftc_emission *em, LLVMValueRef i)
{
    if (emit_access(em, i))
        return;
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMAlloca:
        weftc_vec_alloca(em, i);
        return;
    case LLVMFence:
        weftc_vec_emit_scalar(em, i);
        return;
    case LLVMGetElementPtr:
        weftc_vec_gep(em, i);
        return;
    case LLVMCall:
        emit_call(em, i);
        return;
    default:
        break;
    }
    if (weftc_vec_is_scalar(em->v, i))
        weftc_vec_emit_scalar(em, i);
    else
        emit_vector(em, i);
}
