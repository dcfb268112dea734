// Accesses that LLVM has an instruction or intrinsic for: one for all lanes, whole vectors, gather and
// scatter.
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

static LLVMValueRef intrinsic(struct weftc_vec *v, const char *name, LLVMTypeRef a, LLVMTypeRef b)
{
    LLVMTypeRef types[] = {a, b};
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    return LLVMGetIntrinsicDeclaration(v->module, id, types, b ? 2 : 1);
}

static LLVMValueRef call(struct weftc_vec *v, LLVMValueRef f, LLVMValueRef *arguments, unsigned count)
{
    return LLVMBuildCall2(v->b, LLVMGlobalGetValueType(f), f, arguments, count, "");
}

static LLVMValueRef reversed(struct weftc_vec *v, LLVMValueRef vector)
{
    LLVMTypeRef type = LLVMTypeOf(vector);
    return call(v, intrinsic(v, "llvm.vector.reverse", type, NULL), &vector, 1);
}

// The lowest address that any lane accesses.
static LLVMValueRef lowest_address(struct weftc_vec *v, LLVMValueRef i, bool backwards)
{
    LLVMValueRef address = weftc_vec_scalar(v, weftc_vec_pointer(i));
    if (!backwards)
        return address;
    int64_t size = (int64_t)LLVMStoreSizeOfType(v->s->layout, weftc_vec_accessed_type(i));
    LLVMValueRef back = weftc_i64(v->c, (uint64_t)(-size * (int64_t)(v->lanes - 1)));
    return LLVMBuildGEP2(v->b, LLVMInt8TypeInContext(v->c), address, &back, 1, "");
}

// ---- uniform ----

// The number of the last active lane.
static LLVMValueRef last_lane(struct weftc_vec *v)
{
    LLVMValueRef mask = weftc_vec_mask(v);
    if (!mask)
        return weftc_i32(v->c, v->lanes - 1);
    LLVMTypeRef i64 = LLVMInt64TypeInContext(v->c);
    LLVMValueRef bits = LLVMBuildIntCast2(v->b, weftc_vec_bits(v, mask), i64, false, "");
    LLVMValueRef arguments[] = {bits, LLVMConstInt(LLVMInt1TypeInContext(v->c), 1, false)};
    LLVMValueRef zeros = call(v, intrinsic(v, "llvm.ctlz", i64, NULL), arguments, 2);
    return LLVMBuildTrunc(v->b, LLVMBuildSub(v->b, weftc_i64(v->c, 63), zeros, ""),
                          LLVMInt32TypeInContext(v->c), "");
}

// All lanes store to one place: the last active lane's value stays.
void weftc_vec_uniform_store(struct weftc_vec *v, LLVMValueRef i)
{
    LLVMValueRef value = LLVMGetOperand(i, 0);
    LLVMValueRef stored = weftc_vec_shape(v, value).kind == WEFTC_UNIFORM
                              ? weftc_vec_scalar(v, value)
                              : weftc_vec_lane(v, value, last_lane(v));
    LLVMValueRef result = LLVMBuildStore(v->b, stored, weftc_vec_scalar(v, weftc_vec_pointer(i)));
    LLVMSetAlignment(result, LLVMGetAlignment(i));
    weftc_bridge_copy_access(result, i);
}

// ---- consecutive ----

static void load_side_by_side(struct weftc_vec *v, LLVMValueRef i, bool backwards)
{
    LLVMTypeRef type = weftc_vec_type(v, LLVMTypeOf(i)), pointer = LLVMPointerTypeInContext(v->c, 0);
    LLVMValueRef mask = weftc_vec_mask(v), result;
    unsigned align = LLVMGetAlignment(i);
    if (mask) {
        LLVMValueRef arguments[] = {lowest_address(v, i, backwards), weftc_i32(v->c, align),
                                    backwards ? reversed(v, mask) : mask, LLVMGetPoison(type)};
        result = call(v, intrinsic(v, "llvm.masked.load", type, pointer), arguments, 4);
    } else {
        result = LLVMBuildLoad2(v->b, type, lowest_address(v, i, backwards), "");
        LLVMSetAlignment(result, align);
    }
    weftc_bridge_copy_access(result, i);
    weftc_vec_set_vector(v, i, backwards ? reversed(v, result) : result);
}

static void store_side_by_side(struct weftc_vec *v, LLVMValueRef i, bool backwards)
{
    LLVMValueRef mask = weftc_vec_mask(v), vector = weftc_vec_vector(v, LLVMGetOperand(i, 0));
    LLVMTypeRef type = LLVMTypeOf(vector), pointer = LLVMPointerTypeInContext(v->c, 0);
    if (backwards)
        vector = reversed(v, vector);
    if (!mask) {
        weftc_vec_store_all(v, i, vector, lowest_address(v, i, backwards));
        return;
    }
    LLVMValueRef arguments[] = {vector, lowest_address(v, i, backwards), weftc_i32(v->c, LLVMGetAlignment(i)),
                                backwards ? reversed(v, mask) : mask};
    LLVMValueRef result = call(v, intrinsic(v, "llvm.masked.store", type, pointer), arguments, 4);
    weftc_bridge_copy_access(result, i);
}

void weftc_vec_consecutive_load(struct weftc_vec *v, LLVMValueRef i)
{
    load_side_by_side(v, i, false);
}

void weftc_vec_reversed_load(struct weftc_vec *v, LLVMValueRef i)
{
    load_side_by_side(v, i, true);
}

void weftc_vec_consecutive_store(struct weftc_vec *v, LLVMValueRef i)
{
    store_side_by_side(v, i, false);
}

void weftc_vec_reversed_store(struct weftc_vec *v, LLVMValueRef i)
{
    store_side_by_side(v, i, true);
}

// ---- an address for each lane ----

void weftc_vec_gather(struct weftc_vec *v, LLVMValueRef i)
{
    LLVMTypeRef type = weftc_vec_type(v, LLVMTypeOf(i)),
                pointers = LLVMVectorType(LLVMPointerTypeInContext(v->c, 0), v->lanes);
    LLVMValueRef mask = weftc_vec_mask(v);
    LLVMValueRef arguments[] = {weftc_vec_vector(v, weftc_vec_pointer(i)),
                                weftc_i32(v->c, LLVMGetAlignment(i)), mask ? mask : weftc_vec_true(v),
                                LLVMGetPoison(type)};
    LLVMValueRef result = call(v, intrinsic(v, "llvm.masked.gather", type, pointers), arguments, 4);
    weftc_bridge_copy_access(result, i);
    weftc_vec_set_vector(v, i, result);
}

void weftc_vec_scatter(struct weftc_vec *v, LLVMValueRef i)
{
    LLVMValueRef mask = weftc_vec_mask(v), vector = weftc_vec_vector(v, LLVMGetOperand(i, 0));
    LLVMTypeRef type = LLVMTypeOf(vector),
                pointers = LLVMVectorType(LLVMPointerTypeInContext(v->c, 0), v->lanes);
    LLVMValueRef arguments[] = {vector, weftc_vec_vector(v, weftc_vec_pointer(i)),
                                weftc_i32(v->c, LLVMGetAlignment(i)), mask ? mask : weftc_vec_true(v)};
    LLVMValueRef result = call(v, intrinsic(v, "llvm.masked.scatter", type, pointers), arguments, 4);
    weftc_bridge_copy_access(result, i);
}
