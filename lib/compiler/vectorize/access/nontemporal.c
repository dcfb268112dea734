// Non-temporal stores, for large results that nobody reads soon. A usual store brings its cache line into the
// caches, where the line pushes something else out, and later it is written back. For lines that are stored
// as a whole, and have left all caches before anybody reads them, both are in vain. So stores of whole lines
// may go past the caches (`!nontemporal`).
//
// Whether they should is known at the launch: if its work-items touch more memory than the last cache holds
// (launch/ndrange.c; the primitive
// `temporal_stores`). Other threads may see such a store late, unless a fence comes
// after it (workitem_loops/run.c). So kernels that communicate with other work-groups, by atomics or fences,
// have no such stores.
//
// This file decides which stores may do so. vectorize/emit/nontemporal.c emits them.
#include <stdio.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "base/base.h"
#include "compiler/arch/target.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/module_facts.h"
#include "compiler/ir/primitives.h"
#include "compiler/ir/region_functions.h"
#include "compiler/shapes/shapes.h"
#include "compiler/vectorize/access/access.h"
#include "compiler/vectorize/access/nontemporal.h"

enum {
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

// ---- what each kind of access stores, a function for each row of access/kinds.def ----
// Bytes without a hole that all lanes store with one vector; 0: there is no such vector.

static uint64_t no_piece(const struct weftc_vec *v, const struct weftc_access *a)
{
    (void)v;
    (void)a;
    return 0;
}

static uint64_t piece_of_elements(const struct weftc_vec *v, const struct weftc_access *a)
{
    return (uint64_t)a->bytes * v->lanes;
}

static uint64_t piece_of_words(const struct weftc_vec *v, const struct weftc_access *a)
{
    const struct weftc_vec_plan *plan = &a->group->plan;
    return plan->words == plan->stride ? (uint64_t)plan->word * v->lanes : 0;
}

static uint64_t (*const pieces[WEFTC_ACCESS_KINDS])(const struct weftc_vec *, const struct weftc_access *) = {
    [WEFTC_ACCESS_NONE] = no_piece,
#define ACCESS(kind, reach, lane, piece, load, store, atomic, work, time, idle, name, words) \
    [WEFTC_ACCESS_##kind] = piece,
#include "compiler/vectorize/access/kinds.def"
#undef ACCESS
};

// ---- which stores ----

bool weftc_vec_find_nontemporal(const struct weftc_vec *v, LLVMValueRef i, const struct weftc_access *a)
{
    if (!v->nontemporal || v->nontemporal->count == 0 || !LLVMIsAStoreInst(i))
        return false;
    const struct weftc_flow *g = &v->s->flow;
    const struct weftc_flow_block *block = &g->blocks[weftc_flow_block_of(g, LLVMGetInstructionParent(i))];
    if (!block->full || block->loop != UINT32_MAX)
        return false;
    const uint64_t bytes = pieces[a->kind](v, a);
    if (bytes == 0 || bytes % WEFTC_CACHE_LINE != 0)
        return false;
    // The members of a group are stored together, at one of them.
    LLVMValueRef store = a->group ? weftc_vec_insert_position(a->group) : i;
    const uint32_t k = argument_of(v->nontemporal, address_of(store));
    return k != UINT32_MAX && !v->nontemporal->arguments[k].loaded;
}

bool weftc_vec_has_nontemporal(const struct weftc_vec *v)
{
    for (uint32_t n = 0; n < v->s->count; n++)
        if (v->accesses[n].nontemporal)
            return true;
    return false;
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
