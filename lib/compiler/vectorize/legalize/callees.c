// Calls of functions that weren't inlined (prepare/inline.c, prepare/outline_image_reads.c). All lanes call
// them together. The function is vectorized as a region is, for arguments of the shapes that the call has:
//
//     {float, float, float, float} f(ptr, float, float)
//     {<16 x float>, <16 x float>, <16 x float>, <16 x float>}
//         f.lanes(ptr, <16 x float>, <16 x float>, <16 x i1>)
//
// An argument that is uniform or strided is handed over as lane 0's scalar. If not all lanes call, the last
// argument is the mask of those that do, and the function's body is put under that condition. Each such
// function is made once for all calls.
//
// struct weftc_vec_callees says who vectorizes the function, so this file doesn't depend on the stages above
// it. All functions that a region calls are made before anybody asks for their cost.
#include <stdio.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/bridge/passes.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/module_facts.h"
#include "compiler/ir/value_map.h"
#include "compiler/shapes/shapes.h"
#include "compiler/vectorize/access/access.h"
#include "compiler/vectorize/legalize/legalize.h"

enum {
    MAX_SPECIALIZATIONS = 4, // of one function; calls whose arguments have other shapes hand over vectors
    CALL_COST = 8,
};

void weftc_vec_callees_free(struct weftc_vec_callees *c)
{
    for (uint32_t k = 0; k < c->count; k++) {
        weft_free(c->list[k]->shapes);
        weft_free(c->list[k]);
    }
    weft_free(c->list);
    c->list = NULL;
    c->count = c->capacity = 0;
}

// ---- which function ----

// What the function knows of an argument. In a masked one lane 0 may be inactive, and what its number is in
// 64 bits says nothing about the others'.
static struct weftc_shape handed_over(struct weftc_shape shape, bool masked)
{
    struct weftc_shape known = {.kind = shape.kind, .stride = shape.stride, .max = UINT64_MAX};
    known.exact = shape.kind == WEFTC_UNIFORM || (shape.exact && !masked);
    if (shape.kind == WEFTC_VARYING || shape.kind == WEFTC_UNKNOWN)
        known = (struct weftc_shape){.kind = WEFTC_VARYING, .max = UINT64_MAX};
    return known;
}

static bool same_shapes(const struct weftc_shape *a, const struct weftc_shape *b, unsigned count)
{
    for (unsigned k = 0; k < count; k++)
        if (a[k].kind != b[k].kind || a[k].stride != b[k].stride || a[k].exact != b[k].exact)
            return false;
    return true;
}

// The number of a callee for calls like that; UINT32_MAX: it isn't made yet. *specializations: how
// many the function has.
static uint32_t find(const struct weftc_vec_callees *c, const struct weftc_vec_callee *like,
                     unsigned *specializations)
{
    *specializations = 0;
    for (uint32_t k = 0; k < c->count; k++) {
        const struct weftc_vec_callee *at = c->list[k];
        if (at->function != like->function)
            continue;
        ++*specializations;
        if (at->lanes == like->lanes && at->masked == like->masked &&
            same_shapes(at->shapes, like->shapes, LLVMCountParams(like->function)))
            return k;
    }
    return UINT32_MAX;
}

// ---- making it ----

static weft_status make(struct weftc_vec_callees *c, struct weftc_vec_callee *callee)
{
    LLVMValueRef canonical = weftc_vec_canonicalize(callee->function, "weft.called.canonical", callee->lanes,
                                                    c->target, c->options);
    if (callee->masked) {
        LLVMTypeRef i1 = LLVMInt1TypeInContext(LLVMGetModuleContext(LLVMGetGlobalParent(canonical)));
        canonical = weftc_bridge_add_parameters(canonical, &i1, 1);
        weftc_vec_mask_by(canonical, LLVMGetParam(canonical, LLVMCountParams(canonical) - 1));
    }
    struct weftc_vec_made made = {0};
    weft_status status = c->vectorize(c, canonical, callee->shapes, callee->lanes, &made);
    callee->vector = made.vector;
    callee->at_once = made.at_once + CALL_COST;
    callee->scalar = made.scalar + callee->lanes * CALL_COST;
    if (!callee->vector) {
        callee->scalar = callee->lanes * weftc_function_size(callee->function);
        callee->at_once = callee->scalar + callee->lanes * CALL_COST;
    } else {
        weftc_add_attribute(callee->vector, WEFTC_OF_FUNCTION, "nounwind", 0);
        if (weftc_only_reads(callee->function))
            weftc_add_attribute(callee->vector, WEFTC_OF_FUNCTION, "memory", WEFTC_MEMORY_READ);
        if (weftc_fact_attribute(callee->function, WEFTC_OF_FUNCTION, WEFTC_ATTRIBUTE_CALLED))
            weftc_fact_attribute_set(callee->vector, WEFTC_OF_FUNCTION, WEFTC_ATTRIBUTE_CALLED, "", 0);
    }
    if (status == WEFT_OK && !callee->vector)
        weft_log(WEFT_LOG_DEBUG, "%s is called lane by lane: %s", LLVMGetValueName(callee->function),
                 made.reason);
    LLVMDeleteFunction(canonical);
    return status;
}

static bool has_room(struct weftc_vec_callees *c)
{
    if (c->count < c->capacity)
        return true;
    uint32_t capacity = c->capacity ? 2 * c->capacity : 8;
    struct weftc_vec_callee **larger = weft_realloc(c->list, capacity * sizeof *larger);
    if (!larger)
        return false;
    c->list = larger;
    c->capacity = capacity;
    return true;
}

// The number of the entry for calls like that; UINT32_MAX: memory is short. Takes over like.shapes.
static uint32_t callee_for(struct weftc_vec_callees *c, struct weftc_vec_callee like)
{
    unsigned specializations, params = LLVMCountParams(like.function);
    uint32_t found = find(c, &like, &specializations);
    if (found == UINT32_MAX && specializations >= MAX_SPECIALIZATIONS) {
        for (unsigned k = 0; k < params; k++)
            like.shapes[k] = handed_over((struct weftc_shape){.kind = WEFTC_VARYING}, like.masked);
        found = find(c, &like, &specializations);
    }
    struct weftc_vec_callee *made =
        found == UINT32_MAX && has_room(c) ? weft_alloc_array(1, sizeof *made) : NULL;
    if (!made) {
        weft_free(like.shapes);
        return found;
    }
    *made = like;
    found = c->count++;
    c->list[found] = made;
    return make(c, made) == WEFT_OK ? found : UINT32_MAX;
}

static void make_for(struct weftc_vec *v, LLVMValueRef i)
{
    const struct weftc_flow *g = &v->s->flow;
    LLVMValueRef f = weftc_callee(i);
    unsigned params = LLVMCountParams(f);
    // One more, for the mask.
    struct weftc_shape *shapes = weft_alloc_array((size_t)params + 1, sizeof *shapes);
    if (!shapes)
        return;
    bool masked = !g->blocks[weftc_flow_block_of(g, LLVMGetInstructionParent(i))].full;
    for (unsigned k = 0; k < params; k++)
        shapes[k] = handed_over(weftc_vec_shape(v, LLVMGetOperand(i, k)), masked);
    shapes[params] = (struct weftc_shape){.kind = WEFTC_VARYING, .max = UINT64_MAX};
    uint32_t n = callee_for(
        v->callees,
        (struct weftc_vec_callee){.function = f, .lanes = v->lanes, .masked = masked, .shapes = shapes});
    if (n == UINT32_MAX)
        return;
    struct weftc_call *call = &v->calls[weftc_map_get(&v->s->number, i)];
    call->callee = v->callees->list[n];
    call->kind = call->callee->vector ? WEFTC_CALL_TOGETHER : WEFTC_CALL_SERIAL;
}

void weftc_vec_make_callees(struct weftc_vec *v)
{
    const struct weftc_flow *g = &v->s->flow;
    for (uint32_t b = 0; v->callees && b < g->block_count; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(g->blocks[b].block); i; i = LLVMGetNextInstruction(i))
            if (weftc_vec_call(v, i)->kind == WEFTC_CALL_FUNCTION && !weftc_vec_is_scalar(v, i))
                make_for(v, i);
}

uint64_t weftc_vec_size_with_callees(LLVMValueRef f)
{
    uint64_t size = weftc_function_size(f);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            LLVMValueRef callee = LLVMIsACallInst(i) ? weftc_callee(i) : NULL;
            size += callee && !LLVMIsDeclaration(callee) ? weftc_function_size(callee) * 3 / 4 : 0;
        }
    return size;
}

void weftc_vec_share_scalar_versions(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module), next; f; f = next) {
        next = LLVMGetNextFunction(f);
        LLVMAttributeRef a = weftc_fact_attribute(f, WEFTC_OF_FUNCTION, WEFTC_ATTRIBUTE_SCALAR_VERSION);
        unsigned length;
        LLVMValueRef shared =
            a ? LLVMGetNamedFunction(module, LLVMGetStringAttributeValue(a, &length)) : NULL;
        if (!shared || LLVMGlobalGetValueType(shared) != LLVMGlobalGetValueType(f))
            continue;
        LLVMReplaceAllUsesWith(f, shared);
        LLVMDeleteFunction(f);
    }
}
