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

static LLVMValueRef call_intrinsic(struct weftc_vec *v, const char *name, LLVMTypeRef a, LLVMTypeRef b,
                                   LLVMValueRef *arguments, unsigned count)
{
    LLVMTypeRef types[] = {a, b};
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef f = LLVMGetIntrinsicDeclaration(v->module, id, types, b ? 2 : 1);
    return LLVMBuildCall2(v->b, LLVMGlobalGetValueType(f), f, arguments, count, "");
}

static LLVMValueRef first_lane(struct weftc_vec *v)
{
    LLVMValueRef mask = weftc_vec_mask(v);
    if (!mask)
        return weftc_i64(v->c, 0);
    LLVMValueRef arguments[] = {weftc_vec_bits(v, mask), LLVMConstInt(LLVMInt1TypeInContext(v->c), 1, false)};
    LLVMTypeRef bits = LLVMIntTypeInContext(v->c, v->lanes);
    LLVMValueRef first = call_intrinsic(v, "llvm.cttz", bits, NULL, arguments, 2);
    return LLVMBuildIntCast2(v->b, first, LLVMInt64TypeInContext(v->c), false, "");
}

// The value in that lane, from scalars. Everything that is wrap-guarded is made of sums, products with
// constants, clamps and extensions of what is strided.
static LLVMValueRef value_in(struct weftc_vec *v, LLVMValueRef value, LLVMValueRef lane)
{
    if (!weftc_vec_shape(v, value).wrap_guarded)
        return weftc_vec_lane(v, value, lane);
    LLVMValueRef copy = LLVMInstructionClone(value);
    unsigned operands =
        LLVMIsACallInst(value) ? LLVMGetNumArgOperands(value) : (unsigned)LLVMGetNumOperands(value);
    for (unsigned k = 0; k < operands; k++)
        LLVMSetOperand(copy, k, value_in(v, LLVMGetOperand(value, k), lane));
    return weftc_vec_insert_for_any_lane(v->b, copy);
}

// The value in that lane, in 64 bits, of something that is clamped and has uniform numbers added. *fits
// becomes false where a sum wraps: one that wraps, and is moved back after some lanes have been clamped,
// would end as if none were.
static LLVMValueRef clamped_in(struct weftc_vec *v, LLVMValueRef value, LLVMValueRef lane, LLVMValueRef *fits)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(v->c);
    if (!weftc_vec_shape(v, value).wrap_guarded)
        return LLVMBuildSExt(v->b, weftc_vec_lane(v, value, lane), i64, "");
    LLVMValueRef a = clamped_in(v, LLVMGetOperand(value, 0), lane, fits),
                 b = clamped_in(v, LLVMGetOperand(value, 1), lane, fits);
    if (LLVMIsACallInst(value)) {
        struct weftc_clamp clamp = {0};
        weftc_clamp_of(value, &clamp);
        LLVMValueRef above = LLVMBuildICmp(v->b, clamp.greater ? LLVMIntSGT : LLVMIntSLT, a, b, "");
        return LLVMBuildSelect(v->b, above, a, b, "");
    }
    LLVMValueRef sum =
        LLVMBuildBinOp(v->b, LLVMGetInstructionOpcode(value) == LLVMSub ? LLVMSub : LLVMAdd, a, b, "");
    LLVMValueRef narrow = LLVMBuildTrunc(v->b, sum, LLVMInt32TypeInContext(v->c), "");
    LLVMValueRef same = LLVMBuildICmp(v->b, LLVMIntEQ, LLVMBuildSExt(v->b, narrow, i64, ""), sum, "");
    *fits = LLVMBuildAnd(v->b, *fits, same, "");
    return sum;
}

// Is nothing clamped from the first active lane to the last one?
static LLVMValueRef is_unclamped(struct weftc_vec *v, struct weftc_shape pointer, LLVMValueRef first,
                                 LLVMValueRef fits)
{
    LLVMValueRef last = weftc_i64(v->c, v->lanes - 1), ends[] = {first, last};
    for (unsigned k = 0; k < 2; k++)
        ends[k] = clamped_in(v, pointer.clamped, ends[k], &fits);
    LLVMValueRef stride = weftc_i64(v->c, (uint64_t)weftc_vec_shape(v, pointer.wrap_guarded).stride);
    LLVMValueRef free = LLVMBuildMul(v->b, LLVMBuildSub(v->b, last, first, ""), stride, "");
    LLVMValueRef same = LLVMBuildICmp(v->b, LLVMIntEQ, LLVMBuildSub(v->b, ends[1], ends[0], ""), free, "");
    return LLVMBuildAnd(v->b, fits, same, "");
}

struct both {
    LLVMValueRef place; // lane 0's address, if nothing wraps
    LLVMBasicBlockRef near, far, after;
};

// Leaves the builder in `near`.
static struct both branch(struct weftc_vec *v, LLVMValueRef i)
{
    struct weftc_shape pointer = weftc_vec_shape(v, weftc_vec_pointer(i));
    LLVMValueRef first = first_lane(v), index = weftc_vec_lane(v, pointer.wrap_guarded, first);
    uint64_t room = (uint64_t)weftc_vec_shape(v, pointer.wrap_guarded).stride * (v->lanes - 1);
    uint64_t max = (pointer.wrap_guarded_signed ? INT32_MAX : UINT32_MAX) - room;
    LLVMValueRef fits = LLVMBuildICmp(v->b, pointer.wrap_guarded_signed ? LLVMIntSLE : LLVMIntULE, index,
                                      LLVMConstInt(LLVMTypeOf(index), max, false), "");
    if (pointer.clamped)
        fits = is_unclamped(v, pointer, first, fits);
    LLVMValueRef place = value_in(v, weftc_vec_pointer(i), first);
    LLVMValueRef back = LLVMBuildMul(v->b, first, weftc_i64(v->c, 0 - (uint64_t)pointer.stride), "");
    struct both to = {.near = LLVMAppendBasicBlockInContext(v->c, v->to, ""),
                      .far = LLVMAppendBasicBlockInContext(v->c, v->to, ""),
                      .after = LLVMAppendBasicBlockInContext(v->c, v->to, "")};
    to.place = LLVMBuildGEP2(v->b, LLVMInt8TypeInContext(v->c), place, &back, 1, "");
    LLVMBuildCondBr(v->b, fits, to.near, to.far);
    LLVMPositionBuilderAtEnd(v->b, to.near);
    return to;
}

void weftc_vec_wrap_guarded_load(struct weftc_vec *v, LLVMValueRef i)
{
    LLVMTypeRef type = weftc_vec_type(v, LLVMTypeOf(i));
    LLVMValueRef mask = weftc_vec_mask(v), addresses = weftc_vec_vector(v, weftc_vec_pointer(i)), loads[2];
    LLVMValueRef align = weftc_i32(v->c, LLVMGetAlignment(i));
    struct both to = branch(v, i);
    if (mask) {
        LLVMValueRef arguments[] = {to.place, align, mask, LLVMGetPoison(type)};
        loads[0] = call_intrinsic(v, "llvm.masked.load", type, LLVMTypeOf(to.place), arguments, 4);
    } else {
        loads[0] = LLVMBuildLoad2(v->b, type, to.place, "");
        LLVMSetAlignment(loads[0], LLVMGetAlignment(i));
    }
    LLVMBuildBr(v->b, to.after);
    LLVMPositionBuilderAtEnd(v->b, to.far);
    LLVMValueRef arguments[] = {addresses, align, mask ? mask : weftc_vec_true(v), LLVMGetPoison(type)};
    loads[1] = call_intrinsic(v, "llvm.masked.gather", type, LLVMTypeOf(addresses), arguments, 4);
    LLVMBuildBr(v->b, to.after);
    LLVMPositionBuilderAtEnd(v->b, to.after);
    LLVMValueRef result = LLVMBuildPhi(v->b, type, "");
    LLVMBasicBlockRef from[] = {to.near, to.far};
    LLVMAddIncoming(result, loads, from, 2);
    for (unsigned k = 0; k < 2; k++)
        weftc_bridge_copy_access(loads[k], i);
    weftc_vec_set_vector(v, i, result);
}

void weftc_vec_wrap_guarded_store(struct weftc_vec *v, LLVMValueRef i)
{
    LLVMValueRef mask = weftc_vec_mask(v), addresses = weftc_vec_vector(v, weftc_vec_pointer(i)), store;
    LLVMValueRef value = weftc_vec_vector(v, LLVMGetOperand(i, 0));
    LLVMValueRef align = weftc_i32(v->c, LLVMGetAlignment(i));
    LLVMTypeRef type = LLVMTypeOf(value);
    struct both to = branch(v, i);
    if (mask) {
        LLVMValueRef arguments[] = {value, to.place, align, mask};
        store = call_intrinsic(v, "llvm.masked.store", type, LLVMTypeOf(to.place), arguments, 4);
        weftc_bridge_copy_access(store, i);
    } else {
        weftc_vec_store_all(v, i, value, to.place);
    }
    LLVMBuildBr(v->b, to.after);
    LLVMPositionBuilderAtEnd(v->b, to.far);
    LLVMValueRef arguments[] = {value, addresses, align, mask ? mask : weftc_vec_true(v)};
    store = call_intrinsic(v, "llvm.masked.scatter", type, LLVMTypeOf(addresses), arguments, 4);
    weftc_bridge_copy_access(store, i);
    LLVMBuildBr(v->b, to.after);
    LLVMPositionBuilderAtEnd(v->b, to.after);
}
