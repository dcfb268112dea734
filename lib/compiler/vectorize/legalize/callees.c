// Calls of functions that weren't inlined (prepare/inline.c, prepare/outline_image_reads.c). All lanes call them together: the function is
// vectorized as a region is, for arguments of the shapes that the call has,
//
//     {float, float, float, float} f(ptr, float, float)
//     {<16 x float>, <16 x float>, <16 x float>, <16 x float>} f.lanes(ptr, <16 x float>, <16 x float>, <16 x i1>)
//
// where what is uniform or strided is handed over as lane 0's scalar, and where not all lanes call, which do so is the last
// argument. The function then is one in which that is the condition around its body. Each such function is made once for all calls.
#include <stdio.h>
#include <string.h>

#include "compiler/bridge/passes.h"
#include "compiler/bridge/vectorize.h"
#include "compiler/vectorize/vectorize.h"

enum {
    MOST_FORMS = 4, // of one function: calls whose arguments are of further shapes hand over vectors
    CALL_COST = 8,
    WEIGHT = 32, // of code outside of loops in weftc_vec_cost
};

struct weftc_vec_callee {
    LLVMValueRef function;
    LLVMValueRef vector; // NULL: there is none, and lanes call one after the other
    uint32_t lanes;
    bool masked;
    uint64_t at_once, alone; // what a call of all lanes costs, and one of each
    struct weftc_shape *shapes;
    struct weftc_vec_callee *next;
};

void weftc_vec_callees_free(struct weftc_vec_callees *c)
{
    for (struct weftc_vec_callee *next, *at = c->first; at; at = next) {
        next = at->next;
        weft_free(at->shapes);
        weft_free(at);
    }
    c->first = NULL;
}

// ---- which function ----

// What the function is told of an argument. Lane 0 may not be there in a masked one, and then what its number says in 64 bits
// isn't what the others' do.
static struct weftc_shape handed_over(struct weftc_shape shape, bool masked)
{
    struct weftc_shape told = {.kind = shape.kind, .stride = shape.stride, .most = UINT64_MAX};
    told.exact = shape.kind == WEFTC_UNIFORM || (shape.exact && !masked);
    if (shape.kind == WEFTC_VARYING || shape.kind == WEFTC_UNKNOWN)
        told = (struct weftc_shape){.kind = WEFTC_VARYING, .most = UINT64_MAX};
    return told;
}

static bool same_shapes(const struct weftc_shape *a, const struct weftc_shape *b, unsigned count)
{
    for (unsigned k = 0; k < count; k++)
        if (a[k].kind != b[k].kind || a[k].stride != b[k].stride || a[k].exact != b[k].exact)
            return false;
    return true;
}

static struct weftc_vec_callee *find(const struct weftc_vec_callees *c, const struct weftc_vec_callee *like,
                                     unsigned params, unsigned *forms)
{
    *forms = 0;
    for (struct weftc_vec_callee *at = c->first; at; at = at->next) {
        if (at->function != like->function)
            continue;
        ++*forms;
        if (at->lanes == like->lanes && at->masked == like->masked &&
            same_shapes(at->shapes, like->shapes, params))
            return at;
    }
    return NULL;
}

// ---- making it ----

static weft_status make(struct weftc_vec_callees *c, struct weftc_vec_callee *callee)
{
    LLVMValueRef form =
        weftc_vec_form(callee->function, "weft.called.form", callee->lanes, c->target, c->options);
    if (callee->masked) {
        LLVMTypeRef i1 = LLVMInt1TypeInContext(LLVMGetModuleContext(LLVMGetGlobalParent(form)));
        form = weftc_bridge_add_parameters(form, &i1, 1);
        weftc_vec_mask_by(form, LLVMGetParam(form, LLVMCountParams(form) - 1));
    }
    const char *reason = NULL;
    struct weftc_vec_cost cost = {0};
    weft_status status =
        weftc_vec_called(c, form, callee->shapes, callee->lanes, &callee->vector, &cost, &reason);
    callee->at_once = cost.total / WEIGHT + CALL_COST;
    callee->alone = cost.alone / WEIGHT + callee->lanes * CALL_COST;
    if (!callee->vector) {
        callee->alone = callee->lanes * weftc_function_size(callee->function);
        callee->at_once = callee->alone + callee->lanes * CALL_COST;
    } else {
        weftc_add_attribute(callee->vector, WEFTC_OF_FUNCTION, "nounwind", 0);
        if (weftc_only_reads(callee->function))
            weftc_add_attribute(callee->vector, WEFTC_OF_FUNCTION, "memory", WEFTC_MEMORY_READ);
    }
    if (status == WEFT_OK && !callee->vector)
        weft_log(WEFT_LOG_DEBUG, "%s is called lane by lane: %s", LLVMGetValueName(callee->function), reason);
    LLVMDeleteFunction(form);
    return status;
}

// The entry for calls like that; NULL for want of memory. shapes: become the entry's.
static struct weftc_vec_callee *callee_for(struct weftc_vec_callees *c, LLVMValueRef f, uint32_t lanes,
                                           bool masked, struct weftc_shape *shapes)
{
    struct weftc_vec_callee like = {.function = f, .lanes = lanes, .masked = masked, .shapes = shapes};
    unsigned forms, params = LLVMCountParams(f);
    struct weftc_vec_callee *found = find(c, &like, params, &forms);
    if (!found && forms >= MOST_FORMS) {
        for (unsigned k = 0; k < params; k++)
            shapes[k] = handed_over((struct weftc_shape){.kind = WEFTC_VARYING}, masked);
        found = find(c, &like, params, &forms);
    }
    if (found) {
        weft_free(shapes);
        return found;
    }
    struct weftc_vec_callee *made = weft_alloc_array(1, sizeof *made);
    if (!made) {
        weft_free(shapes);
        return NULL;
    }
    *made = like;
    made->next = c->first;
    c->first = made;
    return make(c, made) == WEFT_OK ? made : NULL;
}

bool weftc_vec_is_call(LLVMValueRef i)
{
    LLVMValueRef f = LLVMIsACallInst(i) ? weftc_callee(i) : NULL;
    return f && !LLVMIsDeclaration(f);
}

// NULL: i is no such call, or memory is short.
static const struct weftc_vec_callee *callee_of(const struct weftc_vec *v, LLVMValueRef i)
{
    if (!v->callees || !weftc_vec_is_call(i) || weftc_vec_is_scalar(v, i))
        return NULL;
    const struct weftc_flow *g = &v->s->flow;
    LLVMValueRef f = weftc_callee(i);
    unsigned params = LLVMCountParams(f);
    // One for the mask.
    struct weftc_shape *shapes = weft_alloc_array((size_t)params + 1, sizeof *shapes);
    if (!shapes)
        return NULL;
    bool masked = !g->blocks[weftc_flow_block_of(g, LLVMGetInstructionParent(i))].full;
    for (unsigned k = 0; k < params; k++)
        shapes[k] = handed_over(weftc_vec_shape(v, LLVMGetOperand(i, k)), masked);
    shapes[params] = (struct weftc_shape){.kind = WEFTC_VARYING, .most = UINT64_MAX};
    return callee_for(v->callees, f, v->lanes, masked, shapes);
}

// ---- calling it ----

bool weftc_vec_is_together(const struct weftc_vec *v, LLVMValueRef i)
{
    const struct weftc_vec_callee *callee = callee_of(v, i);
    return callee && callee->vector;
}

bool weftc_vec_call_costs(const struct weftc_vec *v, LLVMValueRef i, uint64_t *alone, uint64_t *at_once)
{
    const struct weftc_vec_callee *callee = callee_of(v, i);
    if (!callee)
        return false;
    *alone = callee->alone;
    *at_once = callee->at_once;
    return true;
}

bool weftc_vec_call(struct weftc_vec *v, LLVMValueRef i)
{
    const struct weftc_vec_callee *callee = callee_of(v, i);
    if (!callee || !callee->vector)
        return false;
    unsigned params = LLVMCountParams(callee->function);
    LLVMValueRef *arguments = weft_alloc_array((size_t)params + 1, sizeof(LLVMValueRef));
    if (!arguments) {
        v->no_memory = true;
        return true;
    }
    for (unsigned k = 0; k < params; k++) {
        LLVMValueRef argument = LLVMGetOperand(i, k);
        arguments[k] = callee->shapes[k].kind == WEFTC_VARYING ? weftc_vec_vector(v, argument)
                                                               : weftc_vec_scalar(v, argument);
    }
    if (callee->masked)
        arguments[params] = weftc_vec_mask(v);
    LLVMValueRef call = LLVMBuildCall2(v->b, LLVMGlobalGetValueType(callee->vector), callee->vector,
                                       arguments, params + callee->masked, "");
    if (LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMVoidTypeKind)
        weftc_vec_set_vector(v, i, call);
    weft_free(arguments);
    return true;
}
