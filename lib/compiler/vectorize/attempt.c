// One attempt to make a function for all lanes of a region, or of a function that regions call: shapes, groups, cost and emission, in their
// order. What is tried, and which of several attempts is taken, is vectorize/vectorize.c's.
#include <string.h>

#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/bridge/passes.h"
#include "compiler/bridge/vectorize.h"
#include "compiler/ir/region_functions.h"
#include "compiler/ir/value_map.h"
#include "compiler/shapes/shapes.h"
#include "compiler/vectorize/access/access.h"
#include "compiler/vectorize/attempt.h"
#include "compiler/vectorize/cost/cost.h"
#include "compiler/vectorize/emit/emit.h"
#include "compiler/vectorize/legalize/legalize.h"
#include "compiler/vectorize/vectorize.h"

enum {
    MOST_TWICE = 1000, // instructions of a region that are emitted twice
    MOST_USUAL = 4000, // ... of which one function has what usually happens alone
    SMALL_TWICE = 400, // ... though little is gained
    CODE_WEIGHT = 32,  // of code outside of loops in weftc_vec_cost
    MOST_IRREDUCIBLE =
        128, // blocks of an irreducible loop, which becomes loops in loops, one for each way in
};

const char weftc_vec_too_dear[] = "lanes wouldn't pay";
const char weftc_vec_too_entangled[] = "a large irreducible loop (gotos)";

bool weftc_vec_is_entangled(LLVMValueRef f)
{
    return weftc_bridge_largest_irreducible(f) > MOST_IRREDUCIBLE;
}

// ---- one function ----

static weft_status allocate(struct weftc_vec *v)
{
    v->values = weft_alloc_array((size_t)v->s->count + 1, sizeof *v->values);
    v->slots = weft_alloc_array((size_t)v->s->count + 1, sizeof *v->slots);
    v->arguments = weft_alloc_array((size_t)LLVMCountParams(v->from) + 1, sizeof *v->arguments);
    v->blocks = weft_alloc_array((size_t)v->s->flow.block_count + 1, sizeof *v->blocks);
    v->loops = weft_alloc_array((size_t)v->s->flow.loop_count + 1, sizeof *v->loops);
    return v->values && v->slots && v->arguments && v->blocks && v->loops ? WEFT_OK : WEFT_NO_MEMORY;
}

static void release(struct weftc_vec *v)
{
    for (uint32_t b = 0; v->blocks && b < v->s->flow.block_count; b++)
        weft_free(v->blocks[b].pending.list);
    for (uint32_t l = 0; v->loops && l < v->s->flow.loop_count; l++) {
        weft_free(v->loops[l].outside.list);
        weft_free(v->loops[l].exits.list);
    }
    weft_free(v->values);
    weft_free(v->slots);
    weft_free(v->arguments);
    weft_free(v->blocks);
    weft_free(v->loops);
    weftc_vec_access_free(v);
    weftc_map_free(&v->callee_of);
    LLVMDisposeBuilder(v->b);
    LLVMDisposeBuilder(v->at_def);
}

// What a function for all lanes takes and gives.
static LLVMTypeRef type_of(const struct weftc_vec *v)
{
    LLVMTypeRef own = LLVMGlobalGetValueType(v->from), result = LLVMGetReturnType(own);
    unsigned count = LLVMCountParams(v->from);
    if (!v->s->parameters)
        return own;
    LLVMTypeRef *types = weft_alloc_array((size_t)count + 1, sizeof(LLVMTypeRef));
    if (!types)
        return NULL;
    for (unsigned k = 0; k < count; k++) {
        types[k] = LLVMTypeOf(LLVMGetParam(v->from, k));
        if (v->s->parameters[k].kind == WEFTC_VARYING)
            types[k] = weftc_vec_type(v, types[k]);
    }
    if (LLVMGetTypeKind(result) != LLVMVoidTypeKind)
        result = weftc_vec_type(v, result);
    LLVMTypeRef type = LLVMFunctionType(result, types, count, false);
    weft_free(types);
    return type;
}

weft_status weftc_vec_emit_attempt(const struct weftc_vec_attempt *a, struct weftc_shapes *s,
                                   const char *name, LLVMValueRef *result, struct weftc_vec_cost *cost,
                                   const char **reason)
{
    struct weftc_vec v = {.s = s,
                          .callees = a->callees,
                          .from = s->flow.function,
                          .lanes = s->lanes,
                          .permutes = weftc_vec_permuted(s->flow.function),
                          .streams = a->alone || weftc_loads_little(s) ? a->streams : NULL};
    v.module = LLVMGetGlobalParent(v.from);
    v.c = LLVMGetModuleContext(v.module);
    v.b = LLVMCreateBuilderInContext(v.c);
    v.at_def = LLVMCreateBuilderInContext(v.c);
    *result = NULL;
    weft_status status = allocate(&v);
    if (status == WEFT_OK)
        weftc_vec_classify(&v);
    if (v.no_memory)
        status = WEFT_NO_MEMORY;
    if (status == WEFT_OK)
        weftc_vec_note_nontemporal(&v);
    if (status == WEFT_OK)
        weftc_vec_make_callees(&v);
    bool pays = status == WEFT_OK && weftc_vec_pays(&v, cost);
    if (status == WEFT_OK)
        weftc_vec_find_autotune_candidates(&v, cost);
    if (status == WEFT_OK && a->target)
        weftc_vec_find_interleave(&v, a->target, a->alone, &cost->twice);
    if (status == WEFT_OK && ((!pays && !cost->twice.saves) || cost->twice.loses) && !a->forced) {
        v.reason = weftc_vec_too_dear;
        cost->refused = true;
    }
    if (v.no_memory)
        status = WEFT_NO_MEMORY;
    LLVMTypeRef type = status == WEFT_OK && !v.reason ? type_of(&v) : NULL;
    if (status == WEFT_OK && !v.reason && !type)
        status = WEFT_NO_MEMORY;
    if (type) {
        v.to = LLVMAddFunction(v.module, name, type);
        LLVMSetLinkage(v.to, LLVMInternalLinkage);
        if (!s->parameters)
            weftc_bridge_copy_attributes(v.to, v.from);
        v.entry = LLVMAppendBasicBlockInContext(v.c, v.to, "entry");
        weftc_vec_emit(&v);
        if (v.no_memory)
            status = WEFT_NO_MEMORY;
        else if (!v.reason && LLVMVerifyFunction(v.to, LLVMPrintMessageAction))
            v.reason = "internal error: the vectorized function is not well formed";
        if (v.no_memory || v.reason) {
            LLVMDeleteFunction(v.to);
        } else {
            *result = v.to;
        }
    }
    *reason = v.reason;
    release(&v);
    return status;
}

weft_status weftc_vec_vectorize_called(struct weftc_vec_callees *c, LLVMValueRef form,
                                       const struct weftc_shape *shapes, uint32_t lanes,
                                       struct weftc_vec_made *made)
{
    struct weftc_shapes s;
    struct weftc_vec_cost cost = {0};
    LLVMValueRef at;
    *made = (struct weftc_vec_made){0};
    if (weftc_vec_is_entangled(form)) {
        made->reason = weftc_vec_too_entangled;
        return WEFT_OK;
    }
    weft_status status = weftc_shapes_init_called(&s, form, lanes, shapes);
    if (status == WEFT_OK)
        status = weftc_vec_why_not(&s, &made->reason, &at);
    struct weftc_vec_attempt a = {.forced = true, .callees = c};
    if (status == WEFT_OK && !made->reason)
        status = weftc_vec_emit_attempt(&a, &s, WEFTC_CALLED_NAME, &made->vector, &cost, &made->reason);
    if (status == WEFT_UNSUPPORTED) {
        status = WEFT_OK;
        made->reason = "an irreducible loop";
    }
    made->at_once = cost.total / CODE_WEIGHT;
    made->alone = cost.alone / CODE_WEIGHT;
    weftc_shapes_fini(&s);
    return status;
}

// ---- what may be assumed of a region ----

weft_status weftc_vec_attempt_assumed(const struct weftc_vec_attempt *a, LLVMValueRef *result,
                                      struct weftc_vec_cost *cost, const char **reason)
{
    struct weftc_shapes shapes;
    LLVMValueRef form = a->form, assumed = NULL;
    const char *why = NULL;
    struct weftc_vec_cost own = {0};
    LLVMValueRef condition, usual = weftc_vec_specialize_likely(form, &condition);
    if (weftc_vec_is_large(usual ? usual : form, usual ? MOST_USUAL : MOST_TWICE)) {
        if (usual)
            LLVMDeleteFunction(usual);
        return WEFT_OK;
    }
    weft_status status = weftc_shapes_init(&shapes, usual ? usual : form, a->lanes, true);
    if (status == WEFT_OK && weftc_vec_speculates(&shapes))
        status = weftc_vec_emit_attempt(a, &shapes, "weft.assumed", &assumed, &own, &why);
    uint32_t tenths = weftc_vec_is_large(usual ? usual : form, SMALL_TWICE) ? 7 : 9;
    bool streams = assumed && weftc_has_nontemporal_stores(assumed) &&
                   !(*result && weftc_has_nontemporal_stores(*result));
    if (status == WEFT_OK && assumed && *result && 10 * own.total > tenths * cost->total && !streams) {
        LLVMDeleteFunction(assumed);
        assumed = NULL;
    }
    if (status == WEFT_OK && assumed) {
        if (*result && a->narrow) {
            LLVMDeleteFunction(*result);
            *result = NULL;
        } else if (*result) {
            LLVMSetValueName2(*result, "weft.any", strlen("weft.any"));
        }
        status = weftc_vec_version(&shapes, a->narrow ? a->narrow : form, a->narrow ? a->narrow_lanes : 1,
                                   condition, a->name, assumed, *result, result);
        *cost = own;
        *reason = NULL;
    }
    weftc_shapes_fini(&shapes);
    if (usual)
        LLVMDeleteFunction(usual);
    return status;
}

bool weftc_vec_may_assume(const struct weftc_shapes *s, LLVMValueRef result, const char *reason)
{
    return (result || reason == weftc_vec_too_dear) && weftc_vec_speculates(s);
}

weft_status weftc_vec_attempt_form(const struct weftc_vec_attempt *a, LLVMValueRef *result,
                                   struct weftc_vec_cost *cost, const char **reason,
                                   struct weftc_vec_tiling *tiling)
{
    struct weftc_shapes shapes;
    LLVMValueRef at;
    weft_status status = weftc_shapes_init(&shapes, a->form, a->lanes, false);
    if (status == WEFT_OK)
        status = weftc_vec_why_not(&shapes, reason, &at);
    if (status == WEFT_OK && !*reason)
        status = weftc_vec_emit_attempt(a, &shapes, a->name, result, cost, reason);
    if (status == WEFT_UNSUPPORTED) {
        status = WEFT_OK;
        *reason = "an irreducible loop";
    }
    if (status == WEFT_OK && a->assumes && weftc_vec_may_assume(&shapes, *result, *reason))
        status = weftc_vec_attempt_assumed(a, result, cost, reason);
    if (status == WEFT_OK && shapes.count && tiling)
        status = weftc_vec_tiles(&shapes, tiling);
    weftc_shapes_fini(&shapes);
    return status;
}
