// Accesses that LLVM has an instruction or intrinsic for: one for all lanes, whole vectors, gather and
// scatter.
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "base/base.h"
#include "compiler/arch/target.h"
#include "compiler/bridge/vectorize.h"
#include "compiler/ir/gep.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/value_map.h"
#include "compiler/shapes/shapes.h"
#include "compiler/vectorize/access/access.h"
#include "compiler/vectorize/emit/emit.h"

static LLVMValueRef intrinsic(struct weftc_emission *em, const char *name, LLVMTypeRef a, LLVMTypeRef b)
{
    LLVMTypeRef types[] = {a, b};
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    return LLVMGetIntrinsicDeclaration(em->module, id, types, b ? 2 : 1);
}

static LLVMValueRef call(struct weftc_emission *em, LLVMValueRef f, LLVMValueRef *arguments, unsigned count)
{
    return LLVMBuildCall2(em->b, LLVMGlobalGetValueType(f), f, arguments, count, "");
}

LLVMValueRef weftc_vec_reversed(struct weftc_emission *em, LLVMValueRef vector)
{
    LLVMTypeRef type = LLVMTypeOf(vector);
    return call(em, intrinsic(em, "llvm.vector.reverse", type, NULL), &vector, 1);
}

// Do addresses fall from lane to lane?
static bool is_backwards(const struct weftc_emission *em, LLVMValueRef i)
{
    return weftc_vec_shape(em->v, weftc_vec_pointer(i)).stride < 0;
}

// The lowest address of the lanes' elements, which lie side by side from `place`, lane 0's, on.
static LLVMValueRef lowest_address(struct weftc_emission *em, LLVMValueRef i, LLVMValueRef place)
{
    const int64_t stride = weftc_vec_shape(em->v, weftc_vec_pointer(i)).stride;
    LLVMValueRef back = weftc_i64(em->c, (uint64_t)(stride * (int64_t)(em->v->lanes - 1)));
    return stride < 0 ? LLVMBuildGEP2(em->b, LLVMInt8TypeInContext(em->c), place, &back, 1, "") : place;
}

// ---- uniform ----

// The number of the last active lane.
static LLVMValueRef last_lane(struct weftc_emission *em)
{
    LLVMValueRef mask = weftc_vec_mask(em);
    if (!mask)
        return weftc_i32(em->c, em->v->lanes - 1);
    LLVMTypeRef i64 = LLVMInt64TypeInContext(em->c);
    LLVMValueRef bits = LLVMBuildIntCast2(em->b, weftc_vec_bits(em, mask), i64, false, "");
    LLVMValueRef arguments[] = {bits, LLVMConstInt(LLVMInt1TypeInContext(em->c), 1, false)};
    LLVMValueRef zeros = call(em, intrinsic(em, "llvm.ctlz", i64, NULL), arguments, 2);
    return LLVMBuildTrunc(em->b, LLVMBuildSub(em->b, weftc_i64(em->c, 63), zeros, ""),
                          LLVMInt32TypeInContext(em->c), "");
}

// All lanes store to one place: the last active lane's value stays.
void weftc_vec_uniform_store(struct weftc_emission *em, LLVMValueRef i)
{
    LLVMValueRef value = LLVMGetOperand(i, 0);
    LLVMValueRef stored = weftc_vec_shape(em->v, value).kind == WEFTC_UNIFORM
                              ? weftc_vec_scalar(em, value)
                              : weftc_vec_lane(em, value, last_lane(em));
    LLVMValueRef result = LLVMBuildStore(em->b, stored, weftc_vec_scalar(em, weftc_vec_pointer(i)));
    LLVMSetAlignment(result, LLVMGetAlignment(i));
    weftc_bridge_copy_access(result, i);
}

// ---- consecutive ----

// Does the target lack an instruction that loads or stores bytes, or words of 16 bits, under a mask? LLVM
// then branches for each lane.
static bool lacks_masks(const struct weftc_emission *em, LLVMTypeRef vector)
{
    return LLVMStoreSizeOfType(em->v->s->layout, LLVMGetElementType(vector)) < 4 &&
           !(em->v->permutes & (WEFTC_PERMUTES_512_SHORTS | WEFTC_PERMUTES_MASKED));
}

// Without such an instruction, whole vectors have code of their own. Mostly all lanes are there.
struct whole {
    LLVMBasicBlockRef all, some, after;
};

// Leaves the builder in `all`.
static struct whole branch_if_whole(struct weftc_emission *em, LLVMValueRef mask)
{
    LLVMValueRef bits = weftc_vec_bits(em, mask);
    LLVMValueRef full = LLVMBuildICmp(em->b, LLVMIntEQ, bits, LLVMConstAllOnes(LLVMTypeOf(bits)), "");
    struct whole to = {.all = LLVMAppendBasicBlockInContext(em->c, em->to, ""),
                       .some = LLVMAppendBasicBlockInContext(em->c, em->to, ""),
                       .after = LLVMAppendBasicBlockInContext(em->c, em->to, "")};
    LLVMBuildCondBr(em->b, full, to.all, to.some);
    LLVMPositionBuilderAtEnd(em->b, to.all);
    return to;
}

static void leave(struct weftc_emission *em, const struct whole *to, LLVMBasicBlockRef next)
{
    LLVMBuildBr(em->b, to->after);
    LLVMPositionBuilderAtEnd(em->b, next);
}

static LLVMValueRef plain_load(struct weftc_emission *em, LLVMValueRef i, LLVMTypeRef type,
                               LLVMValueRef place)
{
    LLVMValueRef load = LLVMBuildLoad2(em->b, type, place, "");
    LLVMSetAlignment(load, LLVMGetAlignment(i));
    weftc_bridge_copy_access(load, i);
    return load;
}

static LLVMValueRef masked_load(struct weftc_emission *em, LLVMValueRef i, LLVMTypeRef type,
                                LLVMValueRef place, LLVMValueRef mask)
{
    LLVMValueRef arguments[] = {place, weftc_i32(em->c, LLVMGetAlignment(i)), mask, LLVMGetPoison(type)};
    LLVMValueRef load =
        weftc_bridge_masked_access(em->b, "llvm.masked.load", type, LLVMTypeOf(place), arguments);
    weftc_bridge_copy_access(load, i);
    return load;
}

static void masked_store(struct weftc_emission *em, LLVMValueRef i, LLVMValueRef vector, LLVMValueRef place,
                         LLVMValueRef mask)
{
    LLVMValueRef arguments[] = {vector, place, weftc_i32(em->c, LLVMGetAlignment(i)), mask};
    LLVMTypeRef type = LLVMTypeOf(vector);
    weftc_bridge_copy_access(
        weftc_bridge_masked_access(em->b, "llvm.masked.store", type, LLVMTypeOf(place), arguments), i);
}

static LLVMValueRef load_under(struct weftc_emission *em, LLVMValueRef i, LLVMTypeRef type,
                               LLVMValueRef place, LLVMValueRef mask)
{
    if (!mask)
        return plain_load(em, i, type, place);
    if (!lacks_masks(em, type))
        return masked_load(em, i, type, place, mask);
    const struct whole to = branch_if_whole(em, mask);
    LLVMValueRef loads[2] = {plain_load(em, i, type, place)};
    leave(em, &to, to.some);
    loads[1] = masked_load(em, i, type, place, mask);
    leave(em, &to, to.after);
    LLVMValueRef result = LLVMBuildPhi(em->b, type, "");
    LLVMAddIncoming(result, loads, (LLVMBasicBlockRef[]){to.all, to.some}, 2);
    return result;
}

static void store_under(struct weftc_emission *em, LLVMValueRef i, LLVMValueRef vector, LLVMValueRef place,
                        LLVMValueRef mask)
{
    if (!mask) {
        weftc_vec_store_all(em, i, vector, place);
        return;
    }
    if (!lacks_masks(em, LLVMTypeOf(vector))) {
        masked_store(em, i, vector, place, mask);
        return;
    }
    const struct whole to = branch_if_whole(em, mask);
    LLVMValueRef store = LLVMBuildStore(em->b, vector, place);
    LLVMSetAlignment(store, LLVMGetAlignment(i));
    weftc_bridge_copy_access(store, i);
    leave(em, &to, to.some);
    masked_store(em, i, vector, place, mask);
    leave(em, &to, to.after);
}

LLVMValueRef weftc_vec_load_from(struct weftc_emission *em, LLVMValueRef i, LLVMValueRef place)
{
    LLVMTypeRef type = weftc_vec_type(em, LLVMTypeOf(i));
    LLVMValueRef mask = weftc_vec_mask(em);
    place = lowest_address(em, i, place);
    if (!is_backwards(em, i))
        return load_under(em, i, type, place, mask);
    return weftc_vec_reversed(em, load_under(em, i, type, place, mask ? weftc_vec_reversed(em, mask) : NULL));
}

void weftc_vec_store_to(struct weftc_emission *em, LLVMValueRef i, LLVMValueRef place)
{
    LLVMValueRef mask = weftc_vec_mask(em), vector = weftc_vec_vector(em, LLVMGetOperand(i, 0));
    place = lowest_address(em, i, place);
    if (is_backwards(em, i))
        store_under(em, i, weftc_vec_reversed(em, vector), place, mask ? weftc_vec_reversed(em, mask) : NULL);
    else
        store_under(em, i, vector, place, mask);
}

void weftc_vec_side_by_side_load(struct weftc_emission *em, LLVMValueRef i)
{
    weftc_vec_set_vector(em, i, weftc_vec_load_from(em, i, weftc_vec_scalar(em, weftc_vec_pointer(i))));
}

void weftc_vec_side_by_side_store(struct weftc_emission *em, LLVMValueRef i)
{
    weftc_vec_store_to(em, i, weftc_vec_scalar(em, weftc_vec_pointer(i)));
}

// ---- an address for each lane ----

void weftc_vec_gather(struct weftc_emission *em, LLVMValueRef i)
{
    LLVMTypeRef type = weftc_vec_type(em, LLVMTypeOf(i)),
                pointers = LLVMVectorType(LLVMPointerTypeInContext(em->c, 0), em->v->lanes);
    LLVMValueRef mask = weftc_vec_mask(em);
    LLVMValueRef arguments[] = {weftc_vec_vector(em, weftc_vec_pointer(i)),
                                weftc_i32(em->c, LLVMGetAlignment(i)), mask ? mask : weftc_vec_true(em),
                                LLVMGetPoison(type)};
    LLVMValueRef result = weftc_bridge_masked_access(em->b, "llvm.masked.gather", type, pointers, arguments);
    weftc_bridge_copy_access(result, i);
    weftc_vec_set_vector(em, i, result);
}

void weftc_vec_scatter(struct weftc_emission *em, LLVMValueRef i)
{
    LLVMValueRef mask = weftc_vec_mask(em), vector = weftc_vec_vector(em, LLVMGetOperand(i, 0));
    LLVMTypeRef type = LLVMTypeOf(vector),
                pointers = LLVMVectorType(LLVMPointerTypeInContext(em->c, 0), em->v->lanes);
    LLVMValueRef arguments[] = {vector, weftc_vec_vector(em, weftc_vec_pointer(i)),
                                weftc_i32(em->c, LLVMGetAlignment(i)), mask ? mask : weftc_vec_true(em)};
    LLVMValueRef result = weftc_bridge_masked_access(em->b, "llvm.masked.scatter", type, pointers, arguments);
    weftc_bridge_copy_access(result, i);
}
