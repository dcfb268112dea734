// Non-temporal stores, for large results that nobody reads soon. A usual store brings its cache line into the
// caches, where the line pushes something else out, and later it is written back. For lines that are stored
// as a whole, and have left all caches before anybody reads them, both are in vain. So stores of whole lines
// may go past the caches (`!nontemporal`).
//
// Whether they should is known at the launch: if its work-items touch more memory than the last cache holds
// (launch/ndrange.c; the primitive `temporal_stores`). Other threads may see such a store late, unless a
// fence comes after it (workitem_loops/run.c). So kernels that communicate with other work-groups, by atomics
// or fences, have no such stores.
#include <stdio.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "base/base.h"
#include "compiler/arch/target.h"
#include "compiler/bridge/vectorize.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/module_facts.h"
#include "compiler/ir/primitives.h"
#include "compiler/ir/region_functions.h"
#include "compiler/shapes/shapes.h"
#include "compiler/vectorize/access/access.h"
#include "compiler/vectorize/emit/emit.h"

enum {
    LINE = 64,        // bytes of a cache line; only whole lines go past the caches
    MAX_STRIDE = 256, // bytes of a work-item; beyond that, lines are skipped
    MAX_DEEP = 16,
};

// The number of the kernel argument, a pointer to global memory, that the address surely points into;
// UINT32_MAX: it is unknown.
static uint32_t argument_of(const struct weftc_nontemporal *s, LLVMValueRef address)
{
    for (unsigned k = 0; k < MAX_DEEP && !LLVMIsAArgument(address); k++) {
        if (!LLVMIsAGetElementPtrInst(address))
            return UINT32_MAX;
        address = LLVMGetOperand(address, 0);
    }
    if (!LLVMIsAArgument(address))
        return UINT32_MAX;
    LLVMValueRef f = LLVMGetParamParent(address);
    for (uint32_t k = 0; k < s->count; k++) {
        if (LLVMGetParam(f, k) != address)
            continue;
        unsigned length = 0;
        LLVMAttributeRef kind = weftc_fact_attribute(f, k + 1, WEFTC_ATTRIBUTE_KIND);
        return kind && strcmp(LLVMGetStringAttributeValue(kind, &length), "value") == 0 ? k : UINT32_MAX;
    }
    return UINT32_MAX;
}

static bool is_access(LLVMValueRef i)
{
    return LLVMIsALoadInst(i) || LLVMIsAStoreInst(i);
}

static LLVMValueRef address_of(LLVMValueRef i)
{
    return LLVMGetOperand(i, LLVMIsALoadInst(i) ? 0 : 1);
}

// May i let other work-groups know of what is stored before it?
static bool may_tell_others(LLVMValueRef i)
{
    if (is_access(i))
        return LLVMGetVolatile(i) || LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic;
    if (LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i) || LLVMIsAFenceInst(i))
        return true;
    LLVMValueRef f = LLVMIsACallInst(i) ? weftc_callee(i) : NULL;
    return LLVMIsACallInst(i) &&
           !(f && (weftc_is_pure(f) || weftc_is_lifetime(i) || weftc_vec_is_hint(i) || weftc_is_barrier(i)));
}

static bool look_at(struct weftc_nontemporal *s, LLVMValueRef region)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(region); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            if (may_tell_others(i))
                return false;
            uint32_t k = LLVMIsALoadInst(i) ? argument_of(s, address_of(i)) : UINT32_MAX;
            if (k != UINT32_MAX)
                s->arguments[k].loaded = true;
        }
    return true;
}

weft_status weftc_nontemporal_find(LLVMModuleRef module, struct weftc_nontemporal *s)
{
    *s = (struct weftc_nontemporal){0};
    // On other processors such stores are ordered as usual ones are, or there are none; nobody has measured
    // them.
    if (!weftc_target_ops->nontemporal_fence)
        return WEFT_OK;
    unsigned regions = (unsigned)weftc_module_number(module, WEFTC_REGION_COUNT);
    bool may = true;
    for (unsigned n = 0; n < regions && may; n++) {
        char name[48];
        snprintf(name, sizeof name, WEFTC_REGION_NAME "%u", n);
        LLVMValueRef region = LLVMGetNamedFunction(module, name);
        if (!region)
            return WEFT_INTERNAL;
        if (n == 0) {
            while (s->count < LLVMCountParams(region) &&
                   weftc_fact_attribute(region, s->count + 1, WEFTC_ATTRIBUTE_KIND))
                s->count++;
            s->arguments = weft_alloc_array(s->count + 1, sizeof *s->arguments);
            if (!s->arguments)
                return WEFT_NO_MEMORY;
        }
        may = look_at(s, region);
    }
    if (!may)
        s->count = 0;
    return WEFT_OK;
}

void weftc_nontemporal_free(struct weftc_nontemporal *s)
{
    weft_free(s->arguments);
    *s = (struct weftc_nontemporal){0};
}

bool weftc_loads_little(const struct weftc_shapes *s)
{
    unsigned loads = 0;
    for (uint32_t n = 0; n < s->count && loads < WEFTC_MIN_SHARED; n++)
        loads += LLVMIsALoadInst(s->instructions[n]) != NULL;
    return loads < WEFTC_MIN_SHARED;
}

static bool in_loop(const struct weftc_vec *v, LLVMValueRef i)
{
    uint32_t block = weftc_flow_block_of(&v->s->flow, LLVMGetInstructionParent(i));
    return v->s->flow.blocks[block].loop != UINT32_MAX;
}

bool weftc_vec_is_nontemporal(const struct weftc_vec *v, LLVMValueRef store, uint64_t bytes)
{
    if (!v->nontemporal || v->nontemporal->count == 0 || bytes == 0 || bytes % LINE != 0 || in_loop(v, store))
        return false;
    uint32_t k = argument_of(v->nontemporal, address_of(store));
    return k != UINT32_MAX && !v->nontemporal->arguments[k].loaded;
}

void weftc_vec_note_nontemporal(const struct weftc_vec *v)
{
    struct weftc_nontemporal *nontemporal = v->nontemporal;
    for (uint32_t n = 0; nontemporal && nontemporal->count && n < v->s->count; n++) {
        LLVMValueRef i = v->s->instructions[n];
        uint32_t k = is_access(i) ? argument_of(nontemporal, address_of(i)) : UINT32_MAX;
        if (k == UINT32_MAX)
            continue;
        struct weftc_shape pointer = weftc_vec_shape(v, address_of(i));
        uint64_t stride =
            pointer.kind == WEFTC_STRIDED || pointer.wrap_guarded ? (uint64_t)pointer.stride : 0;
        stride = pointer.stride < 0 ? 0 - stride : stride;
        if (stride <= MAX_STRIDE && stride > nontemporal->arguments[k].stride)
            nontemporal->arguments[k].stride = (uint32_t)stride;
    }
}

uint32_t weftc_nontemporal_bytes(const struct weftc_nontemporal *s, LLVMModuleRef module)
{
    LLVMValueRef asked = LLVMGetNamedFunction(module, weftc_primitive_name(WEFTC_TEMPORAL_STORES));
    uint32_t bytes = 0;
    for (uint32_t k = 0; k < s->count && asked && LLVMGetFirstUse(asked); k++)
        bytes += s->arguments[k].stride;
    return bytes;
}

bool weftc_has_nontemporal_stores(LLVMValueRef f)
{
    struct weftc_primitive_call at = {0};
    while (weftc_next_primitive(f, &at))
        if (at.primitive == WEFTC_TEMPORAL_STORES)
            return true;
    return false;
}

// ---- both ways of a store ----

unsigned weftc_vec_fork(struct weftc_emission *em, LLVMValueRef store, LLVMValueRef place, uint64_t bytes,
                        struct weftc_vec_fork *fork)
{
    *fork = (struct weftc_vec_fork){0};
    if (!weftc_vec_is_nontemporal(em->v, store, bytes))
        return 1;
    LLVMTypeRef i32 = LLVMInt32TypeInContext(em->c);
    LLVMBasicBlockRef ask = LLVMAppendBasicBlockInContext(em->c, em->to, "");
    for (unsigned k = 0; k < 2; k++)
        fork->ways[k] = LLVMAppendBasicBlockInContext(em->c, em->to, "");
    fork->after = LLVMAppendBasicBlockInContext(em->c, em->to, "");
    // Two branches: the first one goes the same way in all of a launch.
    LLVMValueRef temporal = weftc_primitive_build(em->b, em->module, WEFTC_TEMPORAL_STORES, 0);
    LLVMBuildCondBr(em->b, LLVMBuildICmp(em->b, LLVMIntEQ, temporal, weftc_i32(em->c, 0), ""), ask,
                    fork->ways[0]);
    LLVMPositionBuilderAtEnd(em->b, ask);
    LLVMValueRef low =
        LLVMBuildTrunc(em->b, LLVMBuildPtrToInt(em->b, place, LLVMInt64TypeInContext(em->c), ""), i32, "");
    LLVMValueRef within = LLVMBuildAnd(em->b, low, weftc_i32(em->c, LINE - 1), "");
    LLVMValueRef whole = LLVMBuildICmp(em->b, LLVMIntEQ, within, weftc_i32(em->c, 0), "");
    LLVMBuildCondBr(em->b, whole, fork->ways[1], fork->ways[0]);
    return 2;
}

void weftc_vec_take(struct weftc_emission *em, const struct weftc_vec_fork *fork, unsigned way)
{
    if (fork->after)
        LLVMPositionBuilderAtEnd(em->b, fork->ways[way]);
}

void weftc_vec_mark_store(struct weftc_emission *em, const struct weftc_vec_fork *fork, unsigned way,
                          LLVMValueRef store)
{
    if (!fork->after)
        return;
    if (way == 1) {
        LLVMMetadataRef one = LLVMValueAsMetadata(weftc_i32(em->c, 1));
        weftc_set_metadata(store, "nontemporal", LLVMMDNodeInContext2(em->c, &one, 1));
        LLVMSetAlignment(store, LINE);
    } else if (LLVMGetAlignment(store) >= LINE) {
        // If both stores were equal, LLVM would make them one and forget the mark.
        LLVMSetAlignment(store, LINE / 2);
    }
}

void weftc_vec_join(struct weftc_emission *em, const struct weftc_vec_fork *fork)
{
    if (!fork->after)
        return;
    for (unsigned k = 0; k < 2; k++) {
        LLVMPositionBuilderAtEnd(em->b, fork->ways[k]);
        LLVMBuildBr(em->b, fork->after);
    }
    LLVMPositionBuilderAtEnd(em->b, fork->after);
}

void weftc_vec_store_all(struct weftc_emission *em, LLVMValueRef i, LLVMValueRef vector, LLVMValueRef place)
{
    struct weftc_vec_fork fork;
    unsigned ways =
        weftc_vec_fork(em, i, place, LLVMStoreSizeOfType(em->v->s->layout, LLVMTypeOf(vector)), &fork);
    for (unsigned way = 0; way < ways; way++) {
        weftc_vec_take(em, &fork, way);
        LLVMValueRef store = LLVMBuildStore(em->b, vector, place);
        LLVMSetAlignment(store, LLVMGetAlignment(i));
        weftc_bridge_copy_access(store, i);
        weftc_vec_mark_store(em, &fork, way, store);
    }
    weftc_vec_join(em, &fork);
}
