// One attempt to make a function for all lanes of a region, or of a function that regions call: shapes,
// access kinds, cost and emission, in this order. vectorize/vectorize.c decides what is attempted, and which
// of several attempts is taken.
#include <stdio.h>
#include <string.h>

#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/arch/prices.h"
#include "compiler/arch/target.h"
#include "compiler/bridge/passes.h"
#include "compiler/bridge/vectorize.h"
#include "compiler/ir/region_functions.h"
#include "compiler/ir/value_map.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/shapes/shapes.h"
#include "compiler/vectorize/access/access.h"
#include "compiler/vectorize/access/nontemporal.h"
#include "compiler/vectorize/attempt.h"
#include "compiler/vectorize/cost/cost.h"
#include "compiler/vectorize/emit/emit.h"
#include "compiler/vectorize/legalize/legalize.h"
#include "compiler/vectorize/report.h"
#include "compiler/vectorize/vectorize.h"

enum {
    MAX_VERSIONED = 1000,  // instructions of a region that gets two versions, at most
    MAX_LIKELY = 4000,     // ... if its fast path has only one side of a likely branch
    SMALL_VERSIONED = 400, // ... for two versions of which the fast one gains little
    CODE_WEIGHT = 32,      // of code outside of loops in struct weftc_vec_cost
    MIN_SHARE_BY_HAND = 4, // of so many elements that operations handle, at least one is a vector's
    // Elements of vectors in an operation, on average: from here on a kernel counts as written with vectors.
    MIN_BY_HAND = 3 * WEFTC_BY_HAND_UNIT / 2,
};

const char weftc_vec_too_expensive[] = "lanes wouldn't pay";
const char weftc_vec_too_crowded[] = "registers wouldn't suffice for lanes beside the kernel's own vectors";
const char weftc_vec_too_shuffled[] = "lanes would mostly take the kernel's own vectors apart";
const char weftc_vec_too_entangled[] = "a large irreducible loop (gotos)";

void weftc_vec_find_by_hand(struct weftc_vec_attempt *a, LLVMValueRef region)
{
    struct weftc_bridge_elements n;
    weftc_bridge_count_elements(region, 32 * a->target->native_width, &n);
    a->by_hand =
        n.operations ? (uint32_t)(WEFTC_BY_HAND_UNIT * n.elements / n.operations) : WEFTC_BY_HAND_UNIT;
    // Many of the other operations compute addresses, which lanes share.
    if (n.operations_by_hand && MIN_SHARE_BY_HAND * n.elements_by_hand >= n.elements)
        a->vectors = (uint32_t)(WEFTC_BY_HAND_UNIT * n.elements_by_hand / n.operations_by_hand);
}

// ---- one function ----

static weft_status allocate(struct weftc_emission *em)
{
    const struct weftc_vec *v = em->v;
    em->values = weft_alloc_array((size_t)v->s->count + 1, sizeof *em->values);
    em->slots = weft_alloc_array((size_t)v->s->count + 1, sizeof *em->slots);
    em->flags = weft_alloc_array((size_t)v->s->count + 1, sizeof *em->flags);
    em->arguments = weft_alloc_array((size_t)LLVMCountParams(v->from) + 1, sizeof *em->arguments);
    em->blocks = weft_alloc_array((size_t)v->s->flow.block_count + 1, sizeof *em->blocks);
    em->loops = weft_alloc_array((size_t)v->s->flow.loop_count + 1, sizeof *em->loops);
    return em->values && em->slots && em->flags && em->arguments && em->blocks && em->loops ? WEFT_OK
                                                                                            : WEFT_NO_MEMORY;
}

static void release(struct weftc_emission *em)
{
    for (uint32_t b = 0; em->blocks && b < em->v->s->flow.block_count; b++)
        weft_free(em->blocks[b].pending.list);
    for (uint32_t l = 0; em->loops && l < em->v->s->flow.loop_count; l++) {
        weft_free(em->loops[l].outside.list);
        weft_free(em->loops[l].exits.list);
    }
    weft_free(em->values);
    weft_free(em->slots);
    weft_free(em->flags);
    weft_free(em->arguments);
    weft_free(em->blocks);
    weft_free(em->loops);
    LLVMDisposeBuilder(em->b);
    LLVMDisposeBuilder(em->at_def);
}

// The type of the function for all lanes; NULL: memory is short.
static LLVMTypeRef type_of(const struct weftc_emission *em)
{
    const struct weftc_vec *v = em->v;
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
            types[k] = weftc_vec_type(em, types[k]);
    }
    if (LLVMGetTypeKind(result) != LLVMVoidTypeKind)
        result = weftc_vec_type(em, result);
    LLVMTypeRef type = LLVMFunctionType(result, types, count, false);
    weft_free(types);
    return type;
}

// Emits the function `name`: o->function, or o->reason if it can't be emitted.
static weft_status emit_function(const struct weftc_vec *v, const char *name, struct weftc_vec_outcome *o)
{
    struct weftc_emission em = {.v = v, .module = LLVMGetGlobalParent(v->from)};
    em.c = LLVMGetModuleContext(em.module);
    em.b = LLVMCreateBuilderInContext(em.c);
    em.at_def = LLVMCreateBuilderInContext(em.c);
    weft_status status = allocate(&em);
    LLVMTypeRef type = status == WEFT_OK ? type_of(&em) : NULL;
    if (type) {
        em.to = LLVMAddFunction(em.module, name, type);
        LLVMSetLinkage(em.to, LLVMInternalLinkage);
        if (!v->s->parameters)
            weftc_bridge_copy_attributes(em.to, v->from);
        em.entry = LLVMAppendBasicBlockInContext(em.c, em.to, "entry");
        weftc_vec_emit(&em);
        if (!em.no_memory && !em.reason && LLVMVerifyFunction(em.to, LLVMPrintMessageAction))
            em.reason = "internal error: the vectorized function is not well formed";
        if (em.no_memory || em.reason)
            LLVMDeleteFunction(em.to);
        else
            o->function = em.to;
    }
    o->reason = em.reason;
    status = !type || em.no_memory ? WEFT_NO_MEMORY : status;
    release(&em);
    return status;
}

// Decides how v's accesses and calls are done, around which blocks a branch is worth it, and whether lanes
// pay. If not, o->reason is set.
static weft_status decide(const struct weftc_vec_attempt *a, struct weftc_vec *v, struct weftc_vec_outcome *o)
{
    struct weftc_vec_cost *cost = &o->cost;
    weftc_vec_classify(v);
    if (v->no_memory)
        return WEFT_NO_MEMORY;
    weftc_vec_note_nontemporal(v);
    weftc_vec_make_callees(v);
    const bool pays = weftc_vec_pays(v, a->one_by_one, cost);
    weftc_vec_find_autotune_candidates(v, cost);
    if (a->target)
        weftc_vec_find_interleave(v, a->target, a->only_region, &cost->interleave);
    if (((!pays && !cost->interleave.saves) || cost->interleave.loses) && !a->forced) {
        o->reason = weftc_vec_too_expensive;
        cost->refused = true;
    }
    if (!a->forced && a->target && a->by_hand > MIN_BY_HAND &&
        weftc_vec_is_crowded(v, a->target, a->by_hand, &cost->work)) {
        o->reason = weftc_vec_too_crowded;
        cost->refused = cost->by_hand = true;
    } else if (!a->forced && a->target && a->vectors > MIN_BY_HAND &&
               weftc_vec_is_mostly_shuffled(v, a->target, a->vectors, &cost->work)) {
        o->reason = weftc_vec_too_shuffled;
        cost->refused = cost->by_hand = true;
    }
    weftc_vec_find_branches(v);
    if (v->no_memory)
        return WEFT_NO_MEMORY;
    o->nontemporal = !o->reason && weftc_vec_has_nontemporal(v);
    if (a->noted && !(o->notes = weftc_vec_note(v, cost)))
        return WEFT_NO_MEMORY;
    return WEFT_OK;
}

weft_status weftc_vec_emit_attempt(const struct weftc_vec_attempt *a, struct weftc_shapes *s,
                                   const char *name, struct weftc_vec_outcome *o)
{
    struct weftc_vec v = {.s = s,
                          .callees = a->callees,
                          .nontemporal = a->only_region || weftc_loads_little(s) ? a->nontemporal : NULL,
                          .from = s->flow.function,
                          .lanes = s->lanes,
                          .permutes = weftc_vec_permuted(s->flow.function),
                          .prices = weftc_target_prices(a->callees->target)->of};
    o->function = NULL;
    o->reason = NULL;
    weft_status status = decide(a, &v, o);
    if (status == WEFT_OK && !o->reason)
        status = emit_function(&v, name, o);
    weftc_vec_access_free(&v);
    return status;
}

weft_status weftc_vec_vectorize_called(struct weftc_vec_callees *c, LLVMValueRef canonical,
                                       const struct weftc_shape *shapes, uint32_t lanes,
                                       struct weftc_vec_made *made)
{
    struct weftc_shapes s;
    struct weftc_vec_outcome o = {0};
    LLVMValueRef at;
    *made = (struct weftc_vec_made){0};
    bool entangled;
    weft_status status = weftc_vec_is_entangled(canonical, &entangled);
    if (status != WEFT_OK || entangled) {
        made->reason = weftc_vec_too_entangled;
        return status;
    }
    status = weftc_shapes_init_called(&s, canonical, lanes, shapes);
    if (status == WEFT_OK)
        status = weftc_vec_why_not(&s, &o.reason, &at);
    struct weftc_vec_attempt a = {.forced = true, .callees = c};
    if (status == WEFT_OK && !o.reason)
        status = weftc_vec_emit_attempt(&a, &s, WEFTC_CALLED_NAME, &o);
    if (status == WEFT_UNSUPPORTED) {
        status = WEFT_OK;
        o.reason = "an irreducible loop";
    }
    made->vector = o.function;
    made->reason = o.reason;
    made->at_once = o.cost.total / CODE_WEIGHT;
    made->scalar = o.cost.scalar / CODE_WEIGHT;
    weftc_shapes_fini(&s);
    return status;
}

// ---- versions ----

// Does the slow path only run at an edge of an image? Its first texel is 0. Clamps to other constants, as of
// colours, may hold for many lanes.
static bool is_mostly_fast(const struct weftc_shapes *s)
{
    LLVMValueRef bound;
    for (uint32_t n = 0; n < s->count; n++)
        if (weftc_shape_is_speculated(s, s->instructions[n]) &&
            weftc_speculated_clamp(s, s->instructions[n], &bound) && LLVMIsAConstant(bound) &&
            !LLVMIsNull(bound))
            return false;
    return true;
}

// Makes a fast path, and takes it where it is much better than *o, the outcome without versions. o->function
// then checks which of the two a vector iteration runs.
static weft_status attempt_versions(const struct weftc_vec_attempt *a, struct weftc_vec_outcome *o)
{
    struct weftc_shapes shapes;
    LLVMValueRef canonical = a->canonical, condition,
                 likely = weftc_vec_specialize_likely(canonical, &condition);
    struct weftc_vec_outcome fast = {0};
    if (weftc_vec_is_large(likely ? likely : canonical, likely ? MAX_LIKELY : MAX_VERSIONED)) {
        if (likely)
            LLVMDeleteFunction(likely);
        return WEFT_OK;
    }
    // Where lanes pay without versions, a faster version pays too. Compared with what scalar code costs by
    // its own shapes, it might not seem so: more is the same for all lanes there, which counts but once in
    // scalar code.
    struct weftc_vec_attempt faster = *a;
    faster.forced |= o->function != NULL;
    faster.one_by_one = a->compares_plain ? o->cost.one_by_one : 0;
    weft_status status = weftc_shapes_init(&shapes, likely ? likely : canonical, a->lanes, true);
    if (status == WEFT_OK && weftc_vec_speculates(&shapes))
        status = weftc_vec_emit_attempt(&faster, &shapes, "weft.speculated", &fast);
    o->cost.nearly_pays =
        fast.reason == weftc_vec_too_expensive && weftc_vec_pays_for(fast.cost.total, o->cost.one_by_one);
    uint32_t tenths = weftc_vec_is_large(likely ? likely : canonical, SMALL_VERSIONED) ? 7 : 9;
    bool nontemporal = fast.nontemporal && !o->nontemporal;
    if (status == WEFT_OK && fast.function && o->function && 10 * fast.cost.total > tenths * o->cost.total &&
        !nontemporal) {
        LLVMDeleteFunction(fast.function);
        fast.function = NULL;
    }
    if (status == WEFT_OK && fast.function) {
        const bool dropped = o->function && !a->narrow && a->slow_in_scalar;
        if (o->function && (a->narrow || dropped)) {
            LLVMDeleteFunction(o->function);
            o->function = NULL;
        } else if (o->function) {
            LLVMSetValueName2(o->function, "weft.unspeculated", strlen("weft.unspeculated"));
            if (is_mostly_fast(&shapes))
                weftc_vec_drop_likely(o->function);
        }
        if (o->cost.scalar > fast.cost.scalar) {
            fast.cost.scalar = o->cost.scalar;
            fast.cost.iteration = weftc_vec_iteration_cost(a->lanes, fast.cost.total, fast.cost.scalar);
        }
        fast.versions = o->function ? WEFTC_TWO_VERSIONS
                        : dropped   ? WEFTC_SLOW_PATH_OF_MANY
                                    : WEFTC_SCALAR_SLOW_PATH;
        status =
            weftc_vec_version(&shapes, a->narrow ? a->narrow : canonical, a->narrow ? a->narrow_lanes : 1,
                              condition, a->name, fast.function, o->function, &fast.function);
        weftc_vec_notes_free(o->notes);
        *o = fast;
        fast.notes = NULL;
    }
    weftc_vec_notes_free(fast.notes);
    weftc_shapes_fini(&shapes);
    if (likely)
        LLVMDeleteFunction(likely);
    return status;
}

// Notes for a region that isn't even attempted. No callees are made for it.
static weft_status note_refused(struct weftc_shapes *s, struct weftc_vec_outcome *o)
{
    struct weftc_vec v = {.s = s,
                          .from = s->flow.function,
                          .lanes = s->lanes,
                          .permutes = weftc_vec_permuted(s->flow.function)};
    weftc_vec_classify(&v);
    if (!v.no_memory)
        o->notes = weftc_vec_note(&v, NULL);
    weftc_vec_access_free(&v);
    return o->notes ? WEFT_OK : WEFT_NO_MEMORY;
}

static bool calls_functions(LLVMValueRef f)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            LLVMValueRef callee = LLVMIsACallInst(i) ? weftc_callee(i) : NULL;
            if (callee && !LLVMIsDeclaration(callee))
                return true;
        }
    return false;
}

weft_status weftc_vec_attempt_region(const struct weftc_vec_attempt *a, struct weftc_vec_outcome *o,
                                     struct weftc_vec_tiling *tiling)
{
    struct weftc_shapes shapes;
    LLVMValueRef at = NULL;
    weft_status status = weftc_shapes_init(&shapes, a->canonical, a->lanes, false);
    if (status == WEFT_OK)
        status = weftc_vec_why_not(&shapes, &o->reason, &at);
    o->line = at ? weftc_line_of(at) : 0;
    if (status == WEFT_OK && o->reason && a->noted)
        status = note_refused(&shapes, o);
    // Where there is a fast path, several vectors take the slow path one by one. Code for all of them at once
    // would be made in vain, with versions for so many lanes of all that it calls.
    const bool only_fast = status == WEFT_OK && !o->reason && a->narrow && a->speculates &&
                           weftc_vec_speculates(&shapes) && calls_functions(a->canonical);
    if (status == WEFT_OK && !o->reason && !only_fast)
        status = weftc_vec_emit_attempt(a, &shapes, a->name, o);
    if (status == WEFT_UNSUPPORTED) {
        status = WEFT_OK;
        o->reason = "an irreducible loop";
    }
    if (status == WEFT_OK && a->speculates &&
        (o->function || only_fast || o->reason == weftc_vec_too_expensive ||
         o->reason == weftc_vec_too_shuffled) &&
        weftc_vec_speculates(&shapes))
        status = attempt_versions(a, o);
    if (status == WEFT_OK && shapes.count && tiling)
        status = weftc_vec_tiles(&shapes, tiling);
    weftc_shapes_fini(&shapes);
    return status;
}

weft_status weftc_vec_attempt_again(struct weftc_vec_attempt *a, LLVMValueRef region, uint32_t lanes,
                                    const struct weftc_kernel_options *options, struct weftc_vec_outcome *o,
                                    struct weftc_vec_tiling *tiling)
{
    char scratch[48];
    size_t length;
    snprintf(scratch, sizeof scratch, "%s", LLVMGetValueName2(a->canonical, &length));
    LLVMDeleteFunction(a->canonical);
    weftc_vec_notes_free(o->notes);
    *o = (struct weftc_vec_outcome){0};
    a->lanes = lanes;
    a->canonical = weftc_vec_canonicalize(region, scratch, lanes, a->target, options);
    return weftc_vec_attempt_region(a, o, tiling);
}
