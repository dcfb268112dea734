// Emits the region's instructions one by one. What is uniform or strided is computed once, everything else
// for all lanes at once. Accesses are emitted by the functions of access/kinds.def; calls, and what is done
// lane by lane, are in other files.
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

void weftc_vec_emit_scalar(struct weftc_vec *v, LLVMValueRef i)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    if (weftc_is_wide_extension(v->s, i)) {
        LLVMValueRef value = weftc_vec_wide(v, LLVMGetOperand(i, 0));
        weftc_vec_set_scalar(v, i, LLVMBuildIntCast2(v->b, value, LLVMTypeOf(i), true, ""));
        return;
    }
    if (opcode == LLVMOr && weftc_vec_shape(v, i).kind == WEFTC_STRIDED) {
        // Bits that are disjoint make this a sum, in active lanes. In others the bits may overlap, in lane 0
        // too; the progression begins with the sum there.
        LLVMValueRef a = weftc_vec_scalar(v, LLVMGetOperand(i, 0)),
                     b = weftc_vec_scalar(v, LLVMGetOperand(i, 1));
        weftc_vec_set_scalar(v, i, LLVMBuildAdd(v->b, a, b, ""));
        return;
    }
    if (opcode == LLVMSelect && weftc_vec_shape(v, i).kind == WEFTC_STRIDED &&
        weftc_speculated_choice(v->s, i)) {
        weftc_vec_set_scalar(v, i, weftc_vec_scalar(v, weftc_speculated_choice(v->s, i)));
        return;
    }
    LLVMValueRef copy = LLVMInstructionClone(i);
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(i); k++)
        LLVMSetOperand(copy, k, weftc_vec_scalar(v, LLVMGetOperand(i, k)));
    LLVMInsertIntoBuilder(v->b, copy);
    // Flags hold in active lanes; lane 0 may be inactive.
    if (!v->blocks[v->block].nonempty || (!v->s->flow.blocks[v->block].full && has_strided_operand(v, i)))
        weftc_bridge_drop_flags(copy);
    if (LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMVoidTypeKind)
        weftc_vec_set_scalar(v, i, copy);
}

// ---- vector instructions ----

// The divisor; inactive lanes divide by one.
static LLVMValueRef guarded_divisor(struct weftc_vec *v, LLVMValueRef i)
{
    LLVMValueRef divisor = weftc_vec_vector(v, LLVMGetOperand(i, 1)), mask = weftc_vec_mask(v);
    if (!mask || LLVMIsAConstantInt(LLVMGetOperand(i, 1)))
        return divisor;
    return LLVMBuildSelect(v->b, mask, divisor,
                           weftc_vec_splat(v, v->b, LLVMConstInt(LLVMTypeOf(i), 1, false)), "");
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
static LLVMValueRef times_reciprocal(struct weftc_vec *v, LLVMValueRef a, LLVMValueRef divisor,
                                     bool is_signed)
{
    LLVMTypeRef real = LLVMDoubleTypeInContext(v->c);
    LLVMValueRef b = weftc_vec_scalar(v, divisor);
    b = is_signed ? LLVMBuildSIToFP(v->b, b, real, "") : LLVMBuildUIToFP(v->b, b, real, "");
    LLVMValueRef r = LLVMBuildFDiv(v->b, LLVMConstReal(real, 1 + 0x1p-48), b, "");
    return LLVMBuildFMul(v->b, a, weftc_vec_splat(v, v->b, r), "");
}

static LLVMValueRef divide_as_double(struct weftc_vec *v, LLVMValueRef i)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    bool is_signed = opcode == LLVMSDiv || opcode == LLVMSRem,
         rest = opcode == LLVMSRem || opcode == LLVMURem;
    LLVMValueRef divisor = LLVMGetOperand(i, 1), a = weftc_vec_vector(v, LLVMGetOperand(i, 0)), quotient;
    LLVMTypeRef real = weftc_vec_type(v, LLVMDoubleTypeInContext(v->c)), whole = LLVMTypeOf(a);
    LLVMTypeRef word = weftc_vec_type(v, LLVMInt32TypeInContext(v->c));
    LLVMValueRef x = is_signed ? LLVMBuildSIToFP(v->b, a, real, "") : LLVMBuildUIToFP(v->b, a, real, "");
    LLVMValueRef b;
    if (weftc_vec_shape(v, divisor).kind == WEFTC_UNIFORM) {
        b = weftc_vec_vector(v, divisor);
        quotient = times_reciprocal(v, x, divisor, is_signed);
    } else {
        b = guarded_divisor(v, i);
        LLVMValueRef y = is_signed ? LLVMBuildSIToFP(v->b, b, real, "") : LLVMBuildUIToFP(v->b, b, real, "");
        quotient = LLVMBuildFDiv(v->b, x, y, "");
    }
    quotient =
        is_signed ? LLVMBuildFPToSI(v->b, quotient, word, "") : LLVMBuildFPToUI(v->b, quotient, word, "");
    quotient = LLVMBuildIntCast2(v->b, quotient, whole, is_signed, "");
    return rest ? LLVMBuildSub(v->b, a, LLVMBuildMul(v->b, quotient, b, ""), "") : quotient;
}

static LLVMValueRef widen_call(struct weftc_vec *v, LLVMValueRef i)
{
    uint32_t scalar_operands = 0;
    LLVMValueRef f = weftc_bridge_widen_intrinsic(i, v->lanes, &scalar_operands);
    if (!f)
        return NULL;
    unsigned count = LLVMGetNumArgOperands(i);
    LLVMValueRef arguments[32];
    for (unsigned k = 0; k < count; k++) {
        LLVMValueRef operand = LLVMGetOperand(i, k);
        bool scalar = scalar_operands >> k & 1;
        if (scalar && weftc_vec_shape(v, operand).kind != WEFTC_UNIFORM)
            return NULL;
        arguments[k] = scalar ? weftc_vec_scalar(v, operand) : weftc_vec_vector(v, operand);
    }
    return LLVMBuildCall2(v->b, LLVMGlobalGetValueType(f), f, arguments, count, "");
}

// memcpy and the like between places that are the same for all lanes: doing it once is enough.
static bool is_uniform_copy(const struct weftc_vec *v, LLVMValueRef i)
{
    LLVMValueRef f = weftc_callee(i);
    const char *name = f ? LLVMGetValueName(f) : "";
    if (strncmp(name, "llvm.mem", 8) != 0 || LLVMGetNumArgOperands(i) < 4)
        return false;
    for (unsigned k = 0; k < 3; k++)
        if (weftc_vec_shape(v, LLVMGetOperand(i, k)).kind != WEFTC_UNIFORM)
            return false;
    LLVMValueRef is_volatile = LLVMGetOperand(i, 3);
    return LLVMIsAConstantInt(is_volatile) && LLVMConstIntGetZExtValue(is_volatile) == 0;
}

static void emit_call(struct weftc_vec *v, LLVMValueRef i)
{
    if (weftc_vec_is_hint(i))
        return;
    if (weftc_vec_is_scope(i) || is_uniform_copy(v, i)) {
        weftc_vec_emit_scalar(v, i);
        return;
    }
    if (weftc_vec_call(v, i))
        return;
    LLVMValueRef vector = widen_call(v, i);
    if (!vector) {
        weftc_vec_serial(v, i);
        return;
    }
    weftc_bridge_copy_flags(vector, i);
    weftc_vec_set_vector(v, i, vector);
}

static void emit_vector(struct weftc_vec *v, LLVMValueRef i)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    LLVMValueRef a, b, result = NULL;
    LLVMTypeRef type = LLVMTypeOf(i);
    switch (opcode) {
    case LLVMFNeg:
        result = LLVMBuildFNeg(v->b, weftc_vec_vector(v, LLVMGetOperand(i, 0)), "");
        break;
    case LLVMFreeze:
        result = LLVMBuildFreeze(v->b, weftc_vec_vector(v, LLVMGetOperand(i, 0)), "");
        break;
    case LLVMICmp:
    case LLVMFCmp:
        a = weftc_vec_vector(v, LLVMGetOperand(i, 0));
        b = weftc_vec_vector(v, LLVMGetOperand(i, 1));
        result = opcode == LLVMICmp ? LLVMBuildICmp(v->b, LLVMGetICmpPredicate(i), a, b, "")
                                    : LLVMBuildFCmp(v->b, LLVMGetFCmpPredicate(i), a, b, "");
        break;
    case LLVMSelect: {
        LLVMValueRef condition = LLVMGetOperand(i, 0);
        bool same = weftc_vec_shape(v, condition).kind == WEFTC_UNIFORM;
        condition = same ? weftc_vec_scalar(v, condition) : weftc_vec_vector(v, condition);
        a = weftc_vec_vector(v, LLVMGetOperand(i, 1));
        b = weftc_vec_vector(v, LLVMGetOperand(i, 2));
        result = same ? LLVMBuildSelect(v->b, condition, a, b, "") : weftc_vec_blend(v, condition, a, b);
        break;
    }
    case LLVMExtractValue:
        result =
            LLVMBuildExtractValue(v->b, weftc_vec_vector(v, LLVMGetOperand(i, 0)), LLVMGetIndices(i)[0], "");
        break;
    case LLVMInsertValue:
        a = weftc_vec_vector(v, LLVMGetOperand(i, 0));
        b = weftc_vec_vector(v, LLVMGetOperand(i, 1));
        result = LLVMBuildInsertValue(v->b, a, b, LLVMGetIndices(i)[0], "");
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
        a = weftc_vec_vector(v, LLVMGetOperand(i, 0));
        result = LLVMBuildCast(v->b, opcode, a, weftc_vec_type(v, type), "");
        break;
    default:
        if (divides_as_double(v, i)) {
            weftc_vec_set_vector(v, i, divide_as_double(v, i));
            return;
        }
        a = weftc_vec_vector(v, LLVMGetOperand(i, 0));
        b = weftc_is_division(opcode) ? guarded_divisor(v, i) : weftc_vec_vector(v, LLVMGetOperand(i, 1));
        result = LLVMBuildBinOp(v->b, opcode, a, b, "");
        break;
    }
    weftc_bridge_copy_flags(result, i);
    weftc_vec_set_vector(v, i, result);
}

// ---- accesses ----

static void (*const emitters[WEFTC_ACCESS_KINDS][3])(struct weftc_vec *, LLVMValueRef) = {
#define ACCESS(kind, reach, lane, load, store, atomic, work, time, name, words) \
    [WEFTC_ACCESS_##kind] = {load, store, atomic},
#include "compiler/vectorize/access/kinds.def"
#undef ACCESS
};

// False: i is no access.
static bool emit_access(struct weftc_vec *v, LLVMValueRef i)
{
    const struct weftc_access *a = weftc_vec_access(v, i);
    if (a->kind == WEFTC_ACCESS_NONE)
        return false;
    void (*emit)(struct weftc_vec *, LLVMValueRef) = emitters[a->kind][LLVMIsALoadInst(i)    ? 0
                                                                       : LLVMIsAStoreInst(i) ? 1
                                                                                             : 2];
    if (!emit)
        v->reason = "internal error: an access of a kind that can't be emitted";
    // The member at the insert position does the work of the others.
    else if (!a->group || i == weftc_vec_insert_position(a->group))
        emit(v, i);
    return true;
}

void weftc_vec_instruction(struct weftc_vec *v, LLVMValueRef i)
{
    if (emit_access(v, i))
        return;
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMAlloca:
        weftc_vec_alloca(v, i);
        return;
    case LLVMFence:
        weftc_vec_emit_scalar(v, i);
        return;
    case LLVMGetElementPtr:
        weftc_vec_gep(v, i);
        return;
    case LLVMCall:
        if (weftc_vec_sub_group(v, i))
            return;
        if (!weftc_vec_is_scalar(v, i) || LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMVoidTypeKind) {
            emit_call(v, i);
            return;
        }
        break;
    default:
        break;
    }
    if (weftc_vec_is_scalar(v, i))
        weftc_vec_emit_scalar(v, i);
    else
        emit_vector(v, i);
}

// ---- what an instruction costs where lanes take a branch apart ----

unsigned weftc_vec_branch_price(const struct weftc_vec *v, LLVMValueRef i)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    if (opcode == LLVMStore)
        return 6;
    if (opcode == LLVMPHI || LLVMIsATerminatorInst(i) || weftc_vec_is_scalar(v, i))
        return opcode == LLVMCall || opcode == LLVMPHI ? 0 : 1;
    if (weftc_is_division(opcode))
        return 40;
    switch (opcode) {
    case LLVMLoad:
        // Coarser than the kinds' prices in kinds.def: it says only whether lane by lane would be cheap.
        return weftc_vec_access(v, i)->stride ? 4 : 40;
    case LLVMCall:
        return weftc_vec_is_hint(i) || weftc_vec_is_scope(i) ? 0 : 6;
    case LLVMFDiv:
    case LLVMFRem:
        return 10;
    default:
        return 1;
    }
}
