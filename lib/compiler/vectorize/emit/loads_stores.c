// Memory accesses of the vectorized function, by the shape of their address: uniform, consecutive, and the
// rest; and what has to be done one lane after the other.
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

enum { MOST_LAID_OUT = 4 };

// ---- private memory ----

void weftc_vec_alloca(struct weftc_vec *v, LLVMValueRef i)
{
    uint32_t at = weftc_map_get(&v->s->private_of, i);
    if (at == UINT32_MAX) {
        v->reason = "private memory is made in the middle of the kernel";
        return;
    }
    const struct weftc_private *p = &v->s->privates[at];
    uint64_t size = LLVMABISizeOfType(v->s->layout, LLVMGetAllocatedType(i)), align = LLVMGetAlignment(i);
    uint64_t bytes = (p->layout == WEFTC_LAYOUT_SOA ? size : p->stride) * v->lanes;
    if (p->layout == WEFTC_LAYOUT_SOA && p->stride * v->lanes > align)
        align = p->stride * v->lanes;
    LLVMPositionBuilderAtEnd(v->at_def, v->entry);
    LLVMTypeRef type = LLVMArrayType2(LLVMInt8TypeInContext(v->c), bytes);
    LLVMValueRef memory = LLVMBuildAlloca(v->at_def, type, "");
    LLVMSetAlignment(memory, (unsigned)align);
    weftc_vec_set_scalar(v, i, memory);
}

// ---- addresses ----

// An offset in one lane's memory is `lanes` times that in woven memory.
static void emit_woven_gep(struct weftc_vec *v, LLVMValueRef i)
{
    unsigned operands = (unsigned)LLVMGetNumOperands(i);
    struct weftc_step *steps = weft_alloc_array(operands, sizeof *steps);
    if (!steps) {
        v->no_memory = true;
        return;
    }
    bool scalar = weftc_vec_is_scalar(v, i);
    LLVMTypeRef i64 = LLVMInt64TypeInContext(v->c), type = scalar ? i64 : LLVMVectorType(i64, v->lanes);
    LLVMValueRef offset = LLVMConstNull(type);
    unsigned count = weftc_gep_steps(v->s->layout, i, steps);
    for (unsigned k = 0; k < count; k++) {
        uint64_t factor = (steps[k].index ? steps[k].scale : steps[k].offset) * v->lanes;
        LLVMValueRef by = weftc_i64(v->c, factor);
        if (!scalar)
            by = weftc_vec_splat(v, v->b, by);
        if (steps[k].index) {
            LLVMValueRef index =
                scalar ? weftc_vec_scalar(v, steps[k].index) : weftc_vec_vector(v, steps[k].index);
            by = LLVMBuildMul(v->b, LLVMBuildIntCast2(v->b, index, type, true, ""), by, "");
        }
        offset = LLVMBuildAdd(v->b, offset, by, "");
    }
    weft_free(steps);
    LLVMValueRef base = LLVMGetOperand(i, 0);
    base = scalar ? weftc_vec_scalar(v, base) : weftc_vec_vector(v, base);
    LLVMValueRef result = LLVMBuildGEP2(v->b, LLVMInt8TypeInContext(v->c), base, &offset, 1, "");
    if (scalar)
        weftc_vec_set_scalar(v, i, result);
    else
        weftc_vec_set_vector(v, i, result);
}

void weftc_vec_gep(struct weftc_vec *v, LLVMValueRef i)
{
    if (weftc_is_soa(v->s, i)) {
        emit_woven_gep(v, i);
        return;
    }
    unsigned operands = (unsigned)LLVMGetNumOperands(i);
    LLVMValueRef *indices = weft_alloc_array(operands, sizeof *indices);
    if (!indices) {
        v->no_memory = true;
        return;
    }
    bool scalar = weftc_vec_is_scalar(v, i), full = v->s->flow.blocks[v->block].full, strided = false;
    LLVMValueRef base = NULL;
    for (unsigned k = 0; k < operands; k++) {
        LLVMValueRef operand = LLVMGetOperand(i, k);
        enum weftc_shape_kind kind = (enum weftc_shape_kind)weftc_vec_shape(v, operand).kind;
        strided |= kind == WEFTC_STRIDED;
        bool one = scalar || kind == WEFTC_UNIFORM;
        LLVMValueRef value = one ? weftc_vec_scalar(v, operand) : weftc_vec_vector(v, operand);
        if (k == 0)
            base = value;
        else
            indices[k - 1] = value;
    }
    LLVMTypeRef type = LLVMGetGEPSourceElementType(i);
    LLVMValueRef result = LLVMBuildGEP2(v->b, type, base, indices, operands - 1, "");
    weft_free(indices);
    // What holds for the active lanes may not hold for lane 0.
    if (!scalar || (v->blocks[v->block].sure && (full || !strided)))
        weftc_bridge_copy_flags(result, i);
    if (scalar)
        weftc_vec_set_scalar(v, i, result);
    else
        weftc_vec_set_vector(v, i, result);
}

// ---- loads and stores ----

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

static const struct weftc_vec_group *group_to_emit(const struct weftc_vec *v, LLVMValueRef i)
{
    const struct weftc_vec_group *g = weftc_vec_group_of(v, i);
    return g && weftc_vec_plan(v, g).way != WEFTC_WAY_SINGLY ? g : NULL;
}

// The lowest address that any lane accesses.
static LLVMValueRef lowest_address(struct weftc_vec *v, LLVMValueRef i, enum weftc_vec_address way)
{
    LLVMValueRef address = weftc_vec_scalar(v, weftc_vec_pointer(i));
    if (way != WEFTC_ADDRESS_REVERSE)
        return address;
    int64_t size = (int64_t)LLVMStoreSizeOfType(v->s->layout, weftc_vec_accessed_type(i));
    LLVMValueRef back = weftc_i64(v->c, (uint64_t)(-size * (int64_t)(v->lanes - 1)));
    return LLVMBuildGEP2(v->b, LLVMInt8TypeInContext(v->c), address, &back, 1, "");
}

void weftc_vec_load(struct weftc_vec *v, LLVMValueRef i)
{
    if (weftc_vec_is_serial_access(v, i)) {
        weftc_vec_serial(v, i);
        return;
    }
    const struct weftc_vec_group *group = group_to_emit(v, i);
    if (group) {
        weftc_vec_group_load(v, group, i);
        return;
    }
    if (weftc_vec_is_wrap_guarded(v, i)) {
        weftc_vec_wrap_guarded_load(v, i);
        return;
    }
    if (weftc_vec_is_table_lookup(v, i)) {
        weftc_vec_lookup(v, i);
        return;
    }
    LLVMTypeRef type = weftc_vec_type(v, LLVMTypeOf(i)), pointer = LLVMPointerTypeInContext(v->c, 0);
    LLVMValueRef mask = weftc_vec_mask(v), result;
    unsigned align = LLVMGetAlignment(i);
    enum weftc_vec_address way = weftc_vec_address_of(v, i);
    if (way == WEFTC_ADDRESS_SCATTERED) {
        LLVMValueRef arguments[] = {weftc_vec_vector(v, weftc_vec_pointer(i)), weftc_i32(v->c, align),
                                    mask ? mask : weftc_vec_true(v), LLVMGetPoison(type)};
        LLVMTypeRef pointers = LLVMVectorType(pointer, v->lanes);
        result = call(v, intrinsic(v, "llvm.masked.gather", type, pointers), arguments, 4);
    } else if (mask) {
        LLVMValueRef arguments[] = {lowest_address(v, i, way), weftc_i32(v->c, align),
                                    way == WEFTC_ADDRESS_REVERSE ? reversed(v, mask) : mask,
                                    LLVMGetPoison(type)};
        result = call(v, intrinsic(v, "llvm.masked.load", type, pointer), arguments, 4);
    } else {
        result = LLVMBuildLoad2(v->b, type, lowest_address(v, i, way), "");
        LLVMSetAlignment(result, align);
    }
    weftc_bridge_copy_access(result, i);
    weftc_vec_set_vector(v, i, way == WEFTC_ADDRESS_REVERSE ? reversed(v, result) : result);
}

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

void weftc_vec_store(struct weftc_vec *v, LLVMValueRef i)
{
    if (weftc_vec_is_serial_access(v, i)) {
        weftc_vec_serial(v, i);
        return;
    }
    const struct weftc_vec_group *group = group_to_emit(v, i);
    if (group) {
        weftc_vec_group_store(v, group, i);
        return;
    }
    if (weftc_vec_is_wrap_guarded(v, i)) {
        weftc_vec_wrap_guarded_store(v, i);
        return;
    }
    LLVMValueRef value = LLVMGetOperand(i, 0), mask = weftc_vec_mask(v), result;
    LLVMTypeRef pointer = LLVMPointerTypeInContext(v->c, 0);
    unsigned align = LLVMGetAlignment(i);
    enum weftc_vec_address way = weftc_vec_address_of(v, i);
    if (way == WEFTC_ADDRESS_UNIFORM) {
        // All lanes store to one place: what the last one stores stays.
        LLVMValueRef last = weftc_vec_shape(v, value).kind == WEFTC_UNIFORM
                                ? weftc_vec_scalar(v, value)
                                : weftc_vec_lane(v, value, last_lane(v));
        result = LLVMBuildStore(v->b, last, weftc_vec_scalar(v, weftc_vec_pointer(i)));
        LLVMSetAlignment(result, align);
        weftc_bridge_copy_access(result, i);
        return;
    }
    LLVMValueRef vector = weftc_vec_vector(v, value);
    LLVMTypeRef type = LLVMTypeOf(vector);
    if (way == WEFTC_ADDRESS_REVERSE)
        vector = reversed(v, vector);
    if (way == WEFTC_ADDRESS_SCATTERED) {
        LLVMValueRef arguments[] = {vector, weftc_vec_vector(v, weftc_vec_pointer(i)), weftc_i32(v->c, align),
                                    mask ? mask : weftc_vec_true(v)};
        LLVMTypeRef pointers = LLVMVectorType(pointer, v->lanes);
        result = call(v, intrinsic(v, "llvm.masked.scatter", type, pointers), arguments, 4);
    } else if (mask) {
        LLVMValueRef arguments[] = {vector, lowest_address(v, i, way), weftc_i32(v->c, align),
                                    way == WEFTC_ADDRESS_REVERSE ? reversed(v, mask) : mask};
        result = call(v, intrinsic(v, "llvm.masked.store", type, pointer), arguments, 4);
    } else {
        weftc_vec_store_all(v, i, vector, lowest_address(v, i, way));
        return;
    }
    weftc_bridge_copy_access(result, i);
}

// ---- one lane after the other ----

static LLVMValueRef with_lane(struct weftc_vec *v, LLVMValueRef vector, LLVMValueRef value, LLVMValueRef lane)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    if (LLVMGetTypeKind(type) != LLVMStructTypeKind)
        return LLVMBuildInsertElement(v->b, vector, value, lane, "");
    for (unsigned k = 0; k < LLVMCountStructElementTypes(type); k++) {
        LLVMValueRef field = with_lane(v, LLVMBuildExtractValue(v->b, vector, k, ""),
                                       LLVMBuildExtractValue(v->b, value, k, ""), lane);
        vector = LLVMBuildInsertValue(v->b, vector, field, k, "");
    }
    return vector;
}

// Operand k of i, of all lanes, in memory, from which lanes take theirs by number; NULL: it isn't of a kind that is laid out there. A number that
// isn't known would have the code generator store all of it for each lane.
static LLVMValueRef laid_out(struct weftc_vec *v, LLVMValueRef operand)
{
    LLVMTypeRef type = LLVMTypeOf(operand);
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    unsigned bits = kind == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0;
    bool whole = bits == 8 || bits == 16 || bits == 32 || bits == 64;
    if (weftc_vec_is_scalar(v, operand) ||
        !(whole || kind == LLVMPointerTypeKind || kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind))
        return NULL;
    LLVMValueRef vector = weftc_vec_vector(v, operand);
    LLVMValueRef slot = weftc_vec_slot(v, LLVMTypeOf(vector));
    LLVMBuildStore(v->b, vector, slot);
    return slot;
}

static LLVMValueRef taken_from(struct weftc_vec *v, LLVMValueRef slot, LLVMTypeRef type, LLVMValueRef lane)
{
    return LLVMBuildLoad2(v->b, type, LLVMBuildGEP2(v->b, type, slot, &lane, 1, ""), "");
}

// for each bit set in the mask, from the lowest: the instruction with that lane's operands. The mask isn't
// empty: weftc_vec_needs_lane says so of everything that comes here.
void weftc_vec_serial(struct weftc_vec *v, LLVMValueRef i)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(v->c), type = LLVMTypeOf(i);
    LLVMValueRef mask = weftc_vec_mask(v), bits;
    bool result = LLVMGetTypeKind(type) != LLVMVoidTypeKind;
    if (!v->blocks[v->block].sure) {
        v->reason = "an instruction for single lanes may have none";
        return;
    }
    // Forms of operands are made before the loop.
    LLVMValueRef slots[MOST_LAID_OUT] = {NULL};
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(i); k++) {
        if (!weftc_vec_is_scalar(v, LLVMGetOperand(i, k)))
            weftc_vec_vector(v, LLVMGetOperand(i, k));
        if (k < MOST_LAID_OUT)
            slots[k] = laid_out(v, LLVMGetOperand(i, k));
    }
    if (mask)
        bits = LLVMBuildIntCast2(v->b, weftc_vec_bits(v, mask), i64, false, "");
    else
        bits = weftc_i64(v->c, v->lanes >= 64 ? UINT64_MAX : (1ull << v->lanes) - 1);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(v->b);
    LLVMBasicBlockRef body = LLVMAppendBasicBlockInContext(v->c, v->to, "");
    LLVMBasicBlockRef after = LLVMAppendBasicBlockInContext(v->c, v->to, "");
    LLVMBuildBr(v->b, body);
    LLVMPositionBuilderAtEnd(v->b, body);
    LLVMValueRef left = LLVMBuildPhi(v->b, i64, ""), sofar = NULL;
    LLVMAddIncoming(left, &bits, &before, 1);
    if (result) {
        sofar = LLVMBuildPhi(v->b, weftc_vec_type(v, type), "");
        LLVMValueRef poison = LLVMGetPoison(LLVMTypeOf(sofar));
        LLVMAddIncoming(sofar, &poison, &before, 1);
    }
    LLVMValueRef arguments[] = {left, LLVMConstInt(LLVMInt1TypeInContext(v->c), 1, false)};
    LLVMValueRef lane = call(v, intrinsic(v, "llvm.cttz", i64, NULL), arguments, 2);
    LLVMValueRef copy = LLVMInstructionClone(i);
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(i); k++)
        LLVMSetOperand(copy, k,
                       k < MOST_LAID_OUT && slots[k]
                           ? taken_from(v, slots[k], LLVMTypeOf(LLVMGetOperand(i, k)), lane)
                           : weftc_vec_lane(v, LLVMGetOperand(i, k), lane));
    LLVMInsertIntoBuilder(v->b, copy);
    LLVMValueRef vector = result ? with_lane(v, sofar, copy, lane) : NULL;
    LLVMValueRef fewer = LLVMBuildSub(v->b, left, weftc_i64(v->c, 1), "");
    LLVMValueRef rest = LLVMBuildAnd(v->b, left, fewer, "");
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(v->b);
    LLVMAddIncoming(left, &rest, &latch, 1);
    if (result)
        LLVMAddIncoming(sofar, &vector, &latch, 1);
    LLVMValueRef again = LLVMBuildICmp(v->b, LLVMIntNE, rest, weftc_i64(v->c, 0), "");
    LLVMBuildCondBr(v->b, again, body, after);
    LLVMPositionBuilderAtEnd(v->b, after);
    if (result)
        weftc_vec_set_vector(v, i, vector);
}
