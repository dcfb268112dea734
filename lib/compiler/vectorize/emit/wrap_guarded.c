// Accesses that are consecutive unless a 32-bit index wraps between two lanes: a[u + n] with unsigned
// numbers, which practically never wraps there. One scalar comparison checks that. If it doesn't wrap, the
// access is consecutive, otherwise a gather or scatter.
//
// a[clamp(x + k, 0, width - 1)] in a loop over k is treated alike. Clamped numbers grow by no more than
// unclamped ones. So where the last lane's number is as far from the first one's as if nothing were clamped,
// nothing is.
//
// Everything is computed from the first active lane, not from lane 0. In a[u - 1] after `if (u > 0)`, lane
// 0's index may have wrapped, and lane 0 isn't active.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "compiler/bridge/vectorize.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/shapes/shapes.h"
#include "compiler/vectorize/access/access.h"
#include "compiler/vectorize/emit/emit.h"

static LLVMValueRef call_intrinsic(struct weftc_emission *em, const char *name, LLVMTypeRef a, LLVMTypeRef b,
                                   LLVMValueRef *arguments, unsigned count)
{
    LLVMTypeRef types[] = {a, b};
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(em->module, id, types, b ? 2 : 1);
    return LLVMBuildCall2(em->b, LLVMGlobalGetValueType(f), f, arguments, count, "");
}

static LLVMValueRef first_lane(struct weftc_emission *em)
{
    LLVMValueRef mask = weftc_vec_mask(em);
    if (!mask)
        return weftc_i64(em->c, 0);
    LLVMValueRef arguments[] = {weftc_vec_bits(em, mask),
                                LLVMConstInt(LLVMInt1TypeInContext(em->c), 1, false)};
    LLVMTypeRef bits = LLVMIntTypeInContext(em->c, em->v->lanes);
    LLVMValueRef first = call_intrinsic(em, "llvm.cttz", bits, NULL, arguments, 2);
    return LLVMBuildIntCast2(em->b, first, LLVMInt64TypeInContext(em->c), false, "");
}

// The value in that lane, from scalars. Everything that is wrap-guarded is made of sums, products with
// constants, clamps and extensions of what is strided.
static LLVMValueRef value_in(struct weftc_emission *em, LLVMValueRef value, LLVMValueRef lane)
{
    if (!weftc_vec_shape(em->v, value).wrap_guarded)
        return weftc_vec_lane(em, value, lane);
    LLVMValueRef copy = LLVMInstructionClone(value);
    unsigned operands =
        LLVMIsACallInst(value) ? LLVMGetNumArgOperands(value) : (unsigned)LLVMGetNumOperands(value);
    for (unsigned k = 0; k < operands; k++)
        LLVMSetOperand(copy, k, value_in(em, LLVMGetOperand(value, k), lane));
    return weftc_vec_insert_for_any_lane(em->b, copy);
}

// The value in that lane, in 64 bits, of something that is clamped and has uniform numbers added. *fits
// becomes false where a sum wraps: one that wraps, and is moved back after some lanes have been clamped,
// would end as if none were.
static LLVMValueRef clamped_in(struct weftc_emission *em, LLVMValueRef value, LLVMValueRef lane,
                               LLVMValueRef *fits)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(em->c);
    if (!weftc_vec_shape(em->v, value).wrap_guarded)
        return LLVMBuildSExt(em->b, weftc_vec_lane(em, value, lane), i64, "");
    LLVMValueRef a = clamped_in(em, LLVMGetOperand(value, 0), lane, fits),
                 b = clamped_in(em, LLVMGetOperand(value, 1), lane, fits);
    if (LLVMIsACallInst(value)) {
        struct weftc_clamp clamp = {0};
        weftc_clamp_of(value, &clamp);
        LLVMValueRef above = LLVMBuildICmp(em->b, clamp.greater ? LLVMIntSGT : LLVMIntSLT, a, b, "");
        return LLVMBuildSelect(em->b, above, a, b, "");
    }
    LLVMValueRef sum =
        LLVMBuildBinOp(em->b, LLVMGetInstructionOpcode(value) == LLVMSub ? LLVMSub : LLVMAdd, a, b, "");
    LLVMValueRef narrow = LLVMBuildTrunc(em->b, sum, LLVMInt32TypeInContext(em->c), "");
    LLVMValueRef same = LLVMBuildICmp(em->b, LLVMIntEQ, LLVMBuildSExt(em->b, narrow, i64, ""), sum, "");
    *fits = LLVMBuildAnd(em->b, *fits, same, "");
    return sum;
}

// Is nothing clamped from the first active lane to the last one?
static LLVMValueRef is_unclamped(struct weftc_emission *em, struct weftc_shape pointer, LLVMValueRef first,
                                 LLVMValueRef fits)
{
    LLVMValueRef last = weftc_i64(em->c, em->v->lanes - 1), ends[] = {first, last};
    for (unsigned k = 0; k < 2; k++)
        ends[k] = clamped_in(em, pointer.clamped, ends[k], &fits);
    LLVMValueRef stride = weftc_i64(em->c, (uint64_t)weftc_vec_shape(em->v, pointer.wrap_guarded).stride);
    LLVMValueRef free = LLVMBuildMul(em->b, LLVMBuildSub(em->b, last, first, ""), stride, "");
    LLVMValueRef same = LLVMBuildICmp(em->b, LLVMIntEQ, LLVMBuildSub(em->b, ends[1], ends[0], ""), free, "");
    return LLVMBuildAnd(em->b, fits, same, "");
}

struct both {
    LLVMValueRef place; // lane 0's address, if nothing wraps
    LLVMBasicBlockRef near, far, after;
};

LLVMValueRef weftc_vec_guard(struct weftc_emission *em, LLVMValueRef i, LLVMValueRef first,
                             LLVMValueRef *place)
{
    struct weftc_shape pointer = weftc_vec_shape(em->v, weftc_vec_pointer(i));
    LLVMValueRef index = weftc_vec_lane(em, pointer.wrap_guarded, first);
    const int64_t stride = weftc_vec_shape(em->v, pointer.wrap_guarded).stride,
                  room = stride * (em->v->lanes - 1);
    const bool is_signed = pointer.wrap_guarded_signed;
    const int64_t least = (is_signed ? INT32_MIN : 0) - room,
                  most = (is_signed ? INT32_MAX : UINT32_MAX) - room;
    const LLVMIntPredicate up = is_signed ? LLVMIntSLE : LLVMIntULE,
                           down = is_signed ? LLVMIntSGE : LLVMIntUGE;
    LLVMValueRef bound = LLVMConstInt(LLVMTypeOf(index), (uint32_t)(stride > 0 ? most : least), false);
    LLVMValueRef fits = LLVMBuildICmp(em->b, stride > 0 ? up : down, index, bound, "");
    if (pointer.clamped)
        fits = is_unclamped(em, pointer, first, fits);
    LLVMValueRef own = value_in(em, weftc_vec_pointer(i), first);
    LLVMValueRef back = LLVMBuildMul(em->b, first, weftc_i64(em->c, 0 - (uint64_t)pointer.stride), "");
    *place = LLVMBuildGEP2(em->b, LLVMInt8TypeInContext(em->c), own, &back, 1, "");
    return fits;
}

// Leaves the builder in `near`.
static struct both branch(struct weftc_emission *em, LLVMValueRef i)
{
    struct both to = {0};
    LLVMValueRef fits = weftc_vec_guard(em, i, first_lane(em), &to.place);
    to.near = LLVMAppendBasicBlockInContext(em->c, em->to, "");
    to.far = LLVMAppendBasicBlockInContext(em->c, em->to, "");
    to.after = LLVMAppendBasicBlockInContext(em->c, em->to, "");
    LLVMBuildCondBr(em->b, fits, to.near, to.far);
    LLVMPositionBuilderAtEnd(em->b, to.near);
    return to;
}

static bool is_used_once(LLVMValueRef value)
{
    LLVMUseRef use = LLVMGetFirstUse(value);
    return use && !LLVMGetNextUse(use);
}

// Moves the vector of an address, and what it alone is computed from, to the builder's place: only the gather
// or scatter uses it. LLVM doesn't do so in large kernels (choose_sinking in prepare/prepare.c).
static void sink_address(struct weftc_emission *em, LLVMValueRef value)
{
    if (!LLVMIsAInstruction(value) || !is_used_once(value) || !weftc_vec_shape(em->v, value).wrap_guarded)
        return;
    LLVMValueRef made = weftc_vec_vector(em, value);
    LLVMOpcode opcode = LLVMIsAInstruction(made) ? LLVMGetInstructionOpcode(made) : LLVMPHI;
    if ((opcode != LLVMGetElementPtr && opcode != LLVMSExt && opcode != LLVMZExt) || !is_used_once(made))
        return;
    LLVMInstructionRemoveFromParent(made);
    LLVMInsertIntoBuilder(em->b, made);
    LLVMPositionBuilderBefore(em->b, made);
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(value); k++)
        sink_address(em, LLVMGetOperand(value, k));
}

void weftc_vec_wrap_guarded_load(struct weftc_emission *em, LLVMValueRef i)
{
    LLVMTypeRef type = weftc_vec_type(em, LLVMTypeOf(i));
    LLVMValueRef mask = weftc_vec_mask(em), addresses = weftc_vec_vector(em, weftc_vec_pointer(i)), loads[2];
    LLVMValueRef align = weftc_i32(em->c, LLVMGetAlignment(i));
    struct both to = branch(em, i);
    loads[0] = weftc_vec_load_from(em, i, to.place);
    to.near = LLVMGetInsertBlock(em->b);
    LLVMBuildBr(em->b, to.after);
    LLVMPositionBuilderAtEnd(em->b, to.far);
    LLVMValueRef arguments[] = {addresses, align, mask ? mask : weftc_vec_true(em), LLVMGetPoison(type)};
    loads[1] =
        weftc_bridge_masked_access(em->b, "llvm.masked.gather", type, LLVMTypeOf(addresses), arguments);
    LLVMPositionBuilderBefore(em->b, loads[1]);
    sink_address(em, weftc_vec_pointer(i));
    LLVMPositionBuilderAtEnd(em->b, to.far);
    LLVMBuildBr(em->b, to.after);
    LLVMPositionBuilderAtEnd(em->b, to.after);
    LLVMValueRef result = LLVMBuildPhi(em->b, type, "");
    LLVMBasicBlockRef from[] = {to.near, to.far};
    LLVMAddIncoming(result, loads, from, 2);
    weftc_bridge_copy_access(loads[1], i);
    weftc_vec_set_vector(em, i, result);
}

void weftc_vec_wrap_guarded_store(struct weftc_emission *em, LLVMValueRef i)
{
    LLVMValueRef mask = weftc_vec_mask(em), addresses = weftc_vec_vector(em, weftc_vec_pointer(i)), store;
    LLVMValueRef value = weftc_vec_vector(em, LLVMGetOperand(i, 0));
    LLVMValueRef align = weftc_i32(em->c, LLVMGetAlignment(i));
    LLVMTypeRef type = LLVMTypeOf(value);
    struct both to = branch(em, i);
    weftc_vec_store_to(em, i, to.place);
    LLVMBuildBr(em->b, to.after);
    LLVMPositionBuilderAtEnd(em->b, to.far);
    LLVMValueRef arguments[] = {value, addresses, align, mask ? mask : weftc_vec_true(em)};
    store = weftc_bridge_masked_access(em->b, "llvm.masked.scatter", type, LLVMTypeOf(addresses), arguments);
    weftc_bridge_copy_access(store, i);
    LLVMPositionBuilderBefore(em->b, store);
    sink_address(em, weftc_vec_pointer(i));
    LLVMPositionBuilderAtEnd(em->b, to.far);
    LLVMBuildBr(em->b, to.after);
    LLVMPositionBuilderAtEnd(em->b, to.after);
}
