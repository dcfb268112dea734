// Decides how each load, store and atomic of a region is done (weftc_vec_classify). First each is classified
// by itself, from the shape of its address. Then groups are found (groups.c, memory_order.c), and their
// members get the kind of their group (plan.c). Last, stores are found that may be non-temporal
// (nontemporal.c). calls.c decides about calls.
#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "base/base.h"
#include "compiler/bridge/vectorize.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/primitives.h"
#include "compiler/ir/value_map.h"
#include "compiler/shapes/shapes.h"
#include "compiler/vectorize/access/access.h"
#include "compiler/vectorize/access/nontemporal.h"
#include "compiler/vectorize/access/tables.h"

const struct weftc_access_traits weftc_access_traits[WEFTC_ACCESS_KINDS] = {
    [WEFTC_ACCESS_NONE] = {"", "", WEFTC_REACH_TOGETHER, WEFTC_LANE_NEITHER},
#define ACCESS(kind, reach, lane, piece, load, store, atomic, work, time, idle, name, words) \
    [WEFTC_ACCESS_##kind] = {name, words, WEFTC_REACH_##reach, WEFTC_LANE_##lane},
#include "compiler/vectorize/access/kinds.def"
#undef ACCESS
};

// Has the access no vector form? scattered: neither uniform nor consecutive, from the shape of its address.
static bool must_be_serial(const struct weftc_vec *v, LLVMValueRef i, bool scattered)
{
    LLVMTypeRef type = weftc_vec_accessed_type(i);
    if (LLVMGetVolatile(i) || LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic)
        return true;
    // A gather goes through all lanes, whether they are active or not; here only one is.
    if (scattered && v->s->flow.blocks[weftc_flow_block_of(&v->s->flow, LLVMGetInstructionParent(i))].single)
        return true;
    switch (LLVMGetTypeKind(type)) {
    case LLVMHalfTypeKind:
    case LLVMBFloatTypeKind:
    case LLVMFloatTypeKind:
    case LLVMDoubleTypeKind:
    case LLVMPointerTypeKind:
        return false;
    case LLVMIntegerTypeKind: {
        unsigned bits = LLVMGetIntTypeWidth(type);
        return bits != 8 && bits != 16 && bits != 32 && bits != 64;
    }
    default:
        return true;
    }
}

static bool is_reduced(const struct weftc_vec *v, LLVMValueRef i)
{
    return LLVMIsAAtomicRMWInst(i) && !LLVMGetFirstUse(i) &&
           weftc_vec_shape(v, LLVMGetOperand(i, 0)).kind == WEFTC_UNIFORM &&
           LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMIntegerTypeKind && weftc_vec_reduction_of(i);
}

// The order of the tests is the order of preference. *t is written if a table is looked for.
static enum weftc_access_kind kind_of(const struct weftc_vec *v, LLVMValueRef i, struct weftc_lookup *t)
{
    if (LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i))
        return is_reduced(v, i) ? WEFTC_ACCESS_REDUCED : WEFTC_ACCESS_SERIAL;
    if (!LLVMIsALoadInst(i) && !LLVMIsAStoreInst(i))
        return WEFTC_ACCESS_NONE;
    // A value that is the same for all lanes is loaded once, whatever its type.
    if (LLVMIsALoadInst(i) && weftc_vec_is_scalar(v, i))
        return WEFTC_ACCESS_UNIFORM;
    const struct weftc_shape pointer = weftc_vec_shape(v, weftc_vec_pointer(i));
    const int64_t size = (int64_t)LLVMStoreSizeOfType(v->s->layout, weftc_vec_accessed_type(i));
    const bool uniform = pointer.kind == WEFTC_UNIFORM, strided = pointer.kind == WEFTC_STRIDED;
    const bool side_by_side = strided && (pointer.stride == size || pointer.stride == -size);
    if (must_be_serial(v, i, !uniform && !side_by_side))
        return WEFTC_ACCESS_SERIAL;
    if (uniform)
        return WEFTC_ACCESS_UNIFORM;
    if (side_by_side)
        return pointer.stride == size ? WEFTC_ACCESS_CONSECUTIVE : WEFTC_ACCESS_REVERSED;
    if (pointer.wrap_guarded && (pointer.stride == size || pointer.stride == -size))
        return WEFTC_ACCESS_WRAP_GUARDED;
    return weftc_vec_find_lookup(v, i, t) ? WEFTC_ACCESS_TABLE : WEFTC_ACCESS_GATHER;
}

enum weftc_access_kind weftc_access_by_itself(const struct weftc_vec *v, LLVMValueRef i)
{
    struct weftc_lookup t;
    return kind_of(v, i, &t);
}

static struct weftc_access classify_by_itself(struct weftc_vec *v, LLVMValueRef i)
{
    struct weftc_lookup t;
    struct weftc_access a = {.kind = kind_of(v, i, &t)};
    if (a.kind == WEFTC_ACCESS_NONE)
        return a;
    const bool plain = LLVMIsALoadInst(i) || LLVMIsAStoreInst(i);
    LLVMTypeRef type = plain ? weftc_vec_accessed_type(i) : LLVMTypeOf(LLVMGetOperand(i, 1));
    struct weftc_shape pointer = weftc_vec_shape(v, LLVMGetOperand(i, LLVMIsAStoreInst(i) ? 1 : 0));
    a.bytes = (uint32_t)LLVMStoreSizeOfType(v->s->layout, type);
    a.stride = pointer.kind == WEFTC_STRIDED ? pointer.stride : 0;
    if (a.kind != WEFTC_ACCESS_TABLE)
        return a;
    a.table = weft_alloc_array(1, sizeof *a.table);
    if (a.table)
        *a.table = t;
    else
        v->no_memory = true;
    return a;
}

static void take_kinds_of_groups(struct weftc_vec *v)
{
    for (uint32_t n = 0; n < v->group_count; n++) {
        struct weftc_vec_group *g = &v->groups[n];
        weftc_vec_plan_group(v, g);
        for (uint32_t k = 0; k < g->count && g->kind != WEFTC_ACCESS_GATHER; k++) {
            struct weftc_access *a = &v->accesses[weftc_map_get(&v->s->number, g->members[k])];
            a->kind = g->kind;
            a->group = g;
        }
    }
}

static void find_nontemporal(struct weftc_vec *v)
{
    for (uint32_t n = 0; n < v->s->count; n++)
        v->accesses[n].nontemporal = weftc_vec_find_nontemporal(v, v->s->instructions[n], &v->accesses[n]);
}

void weftc_vec_classify(struct weftc_vec *v)
{
    v->accesses = weft_alloc_array((size_t)v->s->count + 1, sizeof *v->accesses);
    v->calls = weft_alloc_array((size_t)v->s->count + 1, sizeof *v->calls);
    if (!v->accesses || !v->calls) {
        v->no_memory = true;
        return;
    }
    for (uint32_t n = 0; n < v->s->count; n++) {
        v->accesses[n] = classify_by_itself(v, v->s->instructions[n]);
        v->calls[n] = weftc_vec_classify_call(v, v->s->instructions[n]);
    }
    if (!v->no_memory)
        weftc_vec_find_groups(v);
    if (!v->no_memory)
        weftc_vec_find_order(v);
    if (!v->no_memory)
        take_kinds_of_groups(v);
    if (!v->no_memory)
        find_nontemporal(v);
}

void weftc_vec_access_free(struct weftc_vec *v)
{
    for (uint32_t n = 0; v->accesses && n < v->s->count; n++)
        weft_free(v->accesses[n].table);
    for (uint32_t n = 0; n < v->group_count; n++)
        weft_free(v->groups[n].window);
    weft_free(v->accesses);
    weft_free(v->calls);
    weft_free(v->branches);
    weft_free(v->groups);
    weftc_map_free(&v->group_of);
    v->accesses = NULL;
    v->calls = NULL;
    v->branches = NULL;
    v->groups = NULL;
    v->group_count = 0;
}

bool weftc_vec_needs_lane(const struct weftc_vec *v, LLVMValueRef i)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    switch (opcode) {
    case LLVMLoad:
        return weftc_access_traits[weftc_vec_access(v, i)->kind].lane != WEFTC_LANE_NEITHER;
    case LLVMStore:
        return weftc_access_traits[weftc_vec_access(v, i)->kind].lane == WEFTC_LANE_BOTH;
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
    case LLVMFence:
    case LLVMRet:
        return true;
    case LLVMCall:
        return weftc_vec_call(v, i)->needs_lane;
    default:
        return weftc_vec_is_scalar(v, i) && weftc_is_division(opcode);
    }
}
