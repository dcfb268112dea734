// The stage `vectorize`: beside each region's function it makes a second one, in which one call does the work
// of consecutive work-items, one in each lane. The first one stays, for the tail of a row and for regions
// that can't be vectorized. Nothing that happens here can make a build fail, except for sub-groups that a
// kernel requires.
//
// A region is copied and brought into canonical form (legalize/), its accesses are classified (access/),
// cost/ estimates whether lanes pay, and the function is emitted (emit/). This file decides which functions
// are made: with how many lanes, with two or four vectors at once, for the tail. All that is decided is kept
// in struct weftc_vec_decisions, which the report prints.
#include <stdio.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/bridge/passes.h"
#include "compiler/bridge/vectorize.h"
#include "compiler/compiler.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/module_facts.h"
#include "compiler/ir/region_functions.h"
#include "compiler/arch/target.h"
#include "compiler/ir/value_map.h"
#include "compiler/shapes/shapes.h"
#include "compiler/vectorize/access/access.h"
#include "compiler/vectorize/access/nontemporal.h"
#include "compiler/vectorize/attempt.h"
#include "compiler/vectorize/cost/cost.h"
#include "compiler/vectorize/legalize/legalize.h"
#include "compiler/vectorize/report.h"
#include "compiler/vectorize/vectorize.h"
#include "weft/kernel_abi.h"

enum {
    MAX_LANES = 32,
    MAX_INTERLEAVED_LANES = 64,
    NARROW_LANES = 8, // best for what is done lane by lane, mostly: bytes of so many lanes fill a word
    MAX_INTERLEAVED_SIZE = 2000,
    MAX_INTERLEAVED_REGIONS = 40, // of a kernel: a second copy of each took a quarter of its compile time
    MANY_REGIONS = 40,            // of a kernel: slow paths with lanes took a quarter, too
    MAX_INTERLEAVED_LOOPS = 16,   // the code of many loops takes as long to compile again, and gains little
    // Costs of a vector iteration, as struct weftc_vec_cost has them.
    EXPENSIVE_ITERATION = 4 * 16,
    UNSURE_ITERATION = 5 * 16 / 2,
    UNSURE_FAR_APART = 3 * 16 / 2,
    // An iteration of several vectors isn't kept if it costs this many times more than as many of one vector.
    WORSE_INTERLEAVED = 2,
    MOSTLY_LOADS = 80, // percent of a vector iteration: there is little else that vectors could do
    // Instructions of a kernel with all that it calls: with more, LLVM takes minutes over the code of all
    // lanes (hashcat's m01800, 50 s).
    MAX_CALLED = 20000,
};

static uint32_t choose_lanes(LLVMModuleRef module, const struct weftc_target *target,
                             const struct weftc_kernel_options *options)
{
    uint32_t required = (uint32_t)weftc_module_number(module, WEFTC_SUB_GROUP_REQUIRED);
    uint32_t lanes = required                ? required
                     : options->vector_width ? options->vector_width
                                             : target->native_width;
    if (options->variant == WEFT_VARIANT_NARROW && !required && !options->vector_width &&
        lanes > NARROW_LANES)
        lanes = NARROW_LANES;
    // Shorter rows of the group would leave lanes empty. In a kernel with one region, rows of several groups
    // may run as one.
    uint32_t row = (uint32_t)weftc_module_number(module, WEFTC_GROUP_SIZE_0);
    bool whole = options->group[0] || weftc_module_number(module, WEFTC_REGION_COUNT) > 1;
    if (whole && options->variant == WEFT_VARIANT_ANY && !required && !options->vector_width && row < lanes &&
        (row == 4 || row == 8))
        lanes = row;
    uint32_t power = 1;
    while (2 * power <= lanes && power < MAX_LANES)
        power *= 2;
    return power;
}

static bool is_forced(const struct weftc_kernel_options *options)
{
    return options->vector_width > 1 || options->variant == WEFT_VARIANT_NARROW;
}

// The candidates that the runtime measures beside this variant (ADR 27): a set of enum
// weft_autotune_candidate. Eight lanes are a candidate if lanes don't pay, if much is done lane by lane, or
// if four vectors at once were chosen, which is a bet. Scalar code is one if some lanes may keep the others
// waiting for long, or if lanes pay only where loops are long. It is also one if an iteration is expensive
// mainly because of accesses and branches: the cost model counts instructions, which says little about
// those, and LLVM may vectorize a work-item's own row.
static uint32_t autotune_candidates(const struct weftc_vec_attempt *a,
                                    const struct weftc_kernel_options *options,
                                    const struct weftc_vec_decision *d)
{
    const struct weftc_vec_cost *cost = &d->outcome.cost;
    if (options->variant != WEFT_VARIANT_ANY || options->vector_width || options->group[0] ||
        options->only_code || options->level == WEFT_LEVEL_QUICK ||
        weftc_vec_is_large(a->canonical, WEFTC_VEC_HUGE) ||
        (d->outcome.reason && d->outcome.reason != weftc_vec_too_expensive))
        return 0;
    if (d->outcome.reason)
        return WEFT_AUTOTUNE_NARROW;
    bool expensive = cost->iteration >= EXPENSIVE_ITERATION || (d->vectors && cost->interleave.times == 4);
    uint32_t candidates = expensive && a->lanes > NARROW_LANES ? WEFT_AUTOTUNE_NARROW : 0;
    if (cost->uneven_trip_counts || cost->long_loops ||
        (cost->iteration >= UNSURE_FAR_APART && cost->far_apart) ||
        (cost->iteration >= UNSURE_ITERATION && (cost->apart || cost->diverges_in_loop)))
        candidates |= WEFT_AUTOTUNE_SCALAR;
    return candidates;
}

// Are the tails of rows folded? The masks of a tail often make it larger than the whole vectors' code. Lanes
// along dimension 1 or 2 are for groups that have no lanes without them, so code that is made quickly is
// there sooner with tails in scalar code: most of these groups have none.
static bool folds_tails(const struct weftc_kernel_options *options)
{
    const bool along = options->variant == WEFT_VARIANT_DIM + 1 || options->variant == WEFT_VARIANT_DIM + 2;
    return options->variant != WEFT_VARIANT_ANY && !(along && options->level == WEFT_LEVEL_LANES);
}

// The function for the tail of a row, from the region's canonical form. *made: there is one; without it the
// tail runs in scalar code.
static weft_status vectorize_tail(LLVMValueRef canonical, unsigned number, uint32_t lanes,
                                  struct weftc_vec_callees *callees,
                                  const struct weftc_kernel_options *options, bool *made)
{
    char name[48], scratch[48];
    snprintf(scratch, sizeof scratch, WEFTC_REGION_NAME "%u.end", number);
    snprintf(name, sizeof name, WEFTC_REGION_NAME "%u" WEFTC_REGION_TAIL, number);
    LLVMValueRef end = weftc_bridge_clone_function(canonical, scratch);
    weftc_vec_fold_tail(end);
    struct weftc_shapes shapes;
    LLVMValueRef at;
    struct weftc_vec_outcome o = {0};
    weft_status status = weftc_shapes_init(&shapes, end, lanes, false);
    if (status == WEFT_OK)
        status = weftc_vec_why_not(&shapes, &o.reason, &at);
    if (status == WEFT_OK && !o.reason)
        status = weftc_vec_emit_attempt(&(struct weftc_vec_attempt){.forced = true, .callees = callees},
                                        &shapes, name, &o);
    if (status == WEFT_UNSUPPORTED)
        status = WEFT_OK;
    if (o.reason)
        weft_log(WEFT_LOG_DEBUG, "%s: the tail of rows in region %u is not vectorized: %s", options->name,
                 number, o.reason);
    *made = o.function != NULL;
    weftc_shapes_fini(&shapes);
    LLVMDeleteFunction(end);
    return status;
}

// WEFT_INTERLEAVE asks for that many vectors, whatever was estimated.
static void take_requested_interleaving(const struct weftc_vec_attempt *a, struct weftc_vec_interleave *t)
{
    uint64_t requested = weft_config_uint(WEFT_CFG_INTERLEAVE);
    unsigned times = requested == 4 && 4 * a->lanes <= MAX_INTERLEAVED_LANES ? 4 : 2;
    if (requested >= 2 && times != t->times) {
        t->times = times;
        t->percent = 0; // the estimate is of the other number
    }
}

// Why there is no function for several vectors at once; NULL: there is to be one.
static const char *why_not_interleave(const struct weftc_vec_attempt *a, const struct weftc_vec_interleave *t,
                                      const struct weftc_vec_tiling *tiling,
                                      const struct weftc_kernel_options *options)
{
    uint64_t requested = weft_config_uint(WEFT_CFG_INTERLEAVE);
    if (!a->speculates)
        return "a vector iteration is a sub-group";
    if (options->level != WEFT_LEVEL_FULL)
        return "the code is made quickly";
    if (tiling->tiles)
        return "work-items run in tiles";
    if (2 * a->lanes > MAX_LANES)
        return "that is too many";
    if (requested == 1 ||
        (requested == 0 && (options->vector_width || options->variant == WEFT_VARIANT_NARROW)))
        return "interleaving is switched off (WEFT_INTERLEAVE=1, WEFT_VF, or the narrow variant)";
    if (requested >= 2)
        return NULL;
    if (a->lanes > a->target->native_width)
        return "an iteration of one vector has more lanes than usual";
    if (!t->reason &&
        weftc_module_number(LLVMGetGlobalParent(a->canonical), WEFTC_REGION_COUNT) > MAX_INTERLEAVED_REGIONS)
        return "the kernel has many regions";
    if (!t->reason && weftc_bridge_loop_count(a->canonical) > MAX_INTERLEAVED_LOOPS)
        return "it has many loops";
    // The fast path may be small beside the slow one, as with images of any format.
    return !t->reason && weftc_vec_size_with_callees(a->canonical) > MAX_INTERLEAVED_SIZE
               ? "the slow path is large"
               : t->reason;
}

// Adds to region `number` a function for as many vectors at once as cost->interleave says, or for half as
// many. one_vector: the attempt that made d->outcome.function, for one vector. d->vectors: how many it has;
// 0: there is none, for d->not_interleaved.
static weft_status interleave(const struct weftc_vec_attempt *one_vector, unsigned number,
                              struct weftc_vec_decision *d)
{
    struct weftc_vec_interleave *t = &d->outcome.cost.interleave;
    const bool requested = weft_config_uint(WEFT_CFG_INTERLEAVE) >= 2;
    weft_status status = WEFT_OK;
    for (unsigned times = t->times; status == WEFT_OK && !d->vectors && times > 1; times /= 2) {
        char name[48];
        snprintf(name, sizeof name, WEFTC_REGION_NAME "%u%s", number,
                 times == 4 ? WEFTC_REGION_INTERLEAVED_4 : WEFTC_REGION_INTERLEAVED_2);
        struct weftc_vec_attempt a = *one_vector;
        struct weftc_vec_outcome o = {0};
        a.name = name;
        a.narrow = d->outcome.function;
        a.narrow_lanes = a.lanes;
        a.lanes *= times;
        a.forced = true;
        a.noted = false;
        a.target = NULL;
        status = weftc_vec_attempt_region(&a, &o, NULL);
        // For 16 lanes id % 16 may be speculated to be strided, for more never.
        if (o.function && !requested &&
            o.cost.total > (uint64_t)WORSE_INTERLEAVED * times * d->outcome.cost.total) {
            LLVMDeleteFunction(o.function);
            o.function = NULL;
        }
        if (o.function && times != t->times) {
            t->times = times;
            t->percent = 0; // the estimate is of the other number
        }
        d->vectors = o.function ? times : 0;
    }
    if (!d->vectors)
        d->not_interleaved = "little can be speculated for so many lanes";
    return status;
}

// Lanes don't pay. Would twice as many? Bytes leave most of the registers empty.
static bool may_be_wider(LLVMModuleRef module, const struct weftc_vec_attempt *a,
                         const struct weftc_vec_outcome *o)
{
    const uint64_t row = weftc_module_number(module, WEFTC_GROUP_SIZE_0);
    return o->reason == weftc_vec_too_expensive && o->cost.interleave.narrow && a->only_region &&
           !a->forced && 2 * a->lanes <= MAX_LANES && (!row || row >= 2 * a->lanes);
}

static weft_status vectorize_region(LLVMModuleRef module, unsigned number, const struct weftc_target *target,
                                    const struct weftc_kernel_options *options,
                                    struct weftc_vec_callees *callees, struct weftc_nontemporal *nontemporal,
                                    bool noted, struct weftc_vec_decision *d)
{
    char name[48], scratch[48];
    snprintf(name, sizeof name, WEFTC_REGION_NAME "%u", number);
    LLVMValueRef region = LLVMGetNamedFunction(module, name);
    if (!region)
        return WEFT_INTERNAL;
    d->lanes = choose_lanes(module, target, options);
    d->single_item = weftc_region_is_single_item(region);
    if (d->single_item)
        return WEFT_OK;
    bool entangled;
    weft_status status = weftc_vec_is_entangled(region, &entangled);
    if (status != WEFT_OK)
        return status;
    if (entangled) {
        d->outcome.reason = weftc_vec_too_entangled;
        weft_log(WEFT_LOG_DEBUG, "%s: region %u is not vectorized: %s", options->name, number,
                 d->outcome.reason);
        return WEFT_OK;
    }
    snprintf(scratch, sizeof scratch, WEFTC_REGION_NAME "%u.canonical", number);
    snprintf(name, sizeof name, WEFTC_REGION_NAME "%u" WEFTC_REGION_VECTOR, number);
    LLVMValueRef canonical = weftc_vec_canonicalize(region, scratch, d->lanes, target, options);
    const bool sub_groups = weftc_module_number(module, WEFTC_SUB_GROUPS) != 0;
    struct weftc_vec_attempt a = {.canonical = canonical,
                                  .name = name,
                                  .lanes = d->lanes,
                                  .forced = is_forced(options) || sub_groups,
                                  .speculates = !sub_groups,
                                  .only_region = weftc_module_number(module, WEFTC_REGION_COUNT) == 1,
                                  .slow_in_scalar =
                                      weftc_module_number(module, WEFTC_REGION_COUNT) > MANY_REGIONS,
                                  .noted = noted,
                                  .target = target,
                                  .callees = callees,
                                  .nontemporal = nontemporal};
    struct weftc_vec_outcome *o = &d->outcome;
    weftc_vec_find_by_hand(&a, region);
    status = weftc_vec_attempt_region(&a, o, &d->tiling);
    a.compares_plain = o->cost.nearly_pays;
    if (status == WEFT_OK && may_be_wider(module, &a, o))
        status = weftc_vec_attempt_again(&a, region, 2 * a.lanes, options, o, &d->tiling);
    if (status == WEFT_OK && o->reason == weftc_vec_too_expensive && a.compares_plain)
        status = weftc_vec_attempt_again(&a, region, d->lanes, options, o, &d->tiling);
    d->lanes = a.lanes;
    canonical = a.canonical;
    weftc_module_number_set(module, WEFTC_TILES, status == WEFT_OK && d->tiling.tiles);
    if (o->reason)
        weft_log(strncmp(o->reason, "internal", 8) == 0 ? WEFT_LOG_ERROR : WEFT_LOG_DEBUG,
                 "%s: region %u is not vectorized: %s", options->name, number, o->reason);
    take_requested_interleaving(&a, &o->cost.interleave);
    d->not_interleaved = why_not_interleave(&a, &o->cost.interleave, &d->tiling, options);
    if (status == WEFT_OK && o->function && !d->not_interleaved)
        status = interleave(&a, number, d);
    d->autotune = autotune_candidates(&a, options, d);
    if (status == WEFT_OK && o->function &&
        (sub_groups || (folds_tails(options) && !weftc_vec_is_large(canonical, WEFTC_VEC_HUGE))))
        status = vectorize_tail(canonical, number, a.lanes, callees, options, &d->tail);
    if (o->reason == weftc_vec_too_expensive && o->cost.narrow_apart && o->cost.percent >= MOSTLY_LOADS &&
        LLVMIsALoadInst(o->cost.most_expensive))
        weftc_fact_attribute_set(region, WEFTC_OF_FUNCTION, WEFTC_ATTRIBUTE_LANES_DO_NOT_PAY, "", 0);
    LLVMDeleteFunction(canonical);
    if (status == WEFT_OK && !o->function && !weftc_vec_is_large(region, WEFTC_VEC_LARGE))
        status = weftc_vec_keep_rolled(region, a.lanes);
    return status;
}

// Lanes are the work-items of a sub-group in all regions, in the tails of rows too, or in none: then the
// functions for several work-items are removed.
static bool keep_sub_groups(LLVMModuleRef module, struct weftc_vec_decisions *d)
{
    static const char *const suffixes[] = {WEFTC_REGION_VECTOR, WEFTC_REGION_TAIL};
    bool all = true;
    for (unsigned i = 0; i < d->count; i++)
        all = all && (d->regions[i].single_item || (d->regions[i].outcome.function && d->regions[i].tail));
    for (unsigned i = 0; i < d->count && !all; i++) {
        for (size_t k = 0; k < WEFT_COUNT_OF(suffixes); k++) {
            char name[48];
            snprintf(name, sizeof name, WEFTC_REGION_NAME "%u%s", i, suffixes[k]);
            LLVMValueRef f = LLVMGetNamedFunction(module, name);
            if (f)
                LLVMDeleteFunction(f);
        }
        if (d->regions[i].outcome.function)
            d->regions[i].outcome.reason = "sub-groups need lanes in all regions, and in the tails of rows";
        d->regions[i].outcome.function = NULL;
    }
    return all;
}

// What is known of a kernel before its regions are looked at.
static struct weftc_vec_decisions decisions_for(LLVMModuleRef module, const struct weftc_target *target,
                                                const struct weftc_kernel_options *options)
{
    struct weftc_vec_decisions d = {.lanes = choose_lanes(module, target, options)};
    weftc_module_number_set(module, WEFTC_PERMUTES, target->permutes);
    d.required = weftc_module_number(module, WEFTC_SUB_GROUP_REQUIRED) != 0;
    d.sub_groups = weftc_module_number(module, WEFTC_SUB_GROUPS) != 0;
    d.unoptimized = options->opt_disable && options->vector_width == 0 && !d.required;
    if (weftc_module_number(module, WEFTC_SCHEDULED))
        d.none = "it has named barriers: each work-item is a sub-group of its own";
    else if (d.lanes < 2 && options->vector_width)
        d.none = "scalar code was requested (WEFT_VF=1)";
    else if (options->variant == WEFT_VARIANT_SCALAR)
        d.none = "scalar code was requested (WEFT_VARIANT=scalar)";
    else if (d.lanes < 2)
        d.none = d.required ? "its sub-groups are of one work-item" : "the target has no vectors";
    else if (d.unoptimized)
        d.none = "it is built without optimization";
    else if (weftc_module_number(module, WEFTC_OUTLINED_ATOMICS))
        d.none = "it calls functions that are too large to be inlined and access memory atomically";
    else if (weftc_module_number(module, WEFTC_OUTLINED_CALLS) &&
             weftc_instruction_count(module) > MAX_CALLED)
        d.none = "it calls functions that are too large to be inlined, and is large itself";
    return d;
}

// Vectorizes all regions. noted: their decisions get notes, for a report.
static weft_status vectorize_regions(LLVMModuleRef module, const struct weftc_target *target,
                                     const struct weftc_kernel_options *options, bool noted,
                                     struct weftc_vec_decisions *d, struct weft_buf *log)
{
    d->count = (unsigned)weftc_module_number(module, WEFTC_REGION_COUNT);
    d->regions = weft_alloc_array((size_t)d->count + 1, sizeof *d->regions);
    struct weftc_nontemporal nontemporal = {0};
    weft_status status = d->regions ? weftc_nontemporal_find(module, &nontemporal) : WEFT_NO_MEMORY;
    bool all = true, swapped = false, bound = d->sub_groups;
    uint64_t at_once = 0, scalar = 0; // what the regions with lanes cost
    struct weftc_vec_callees callees = {
        .target = target, .options = options, .vectorize = weftc_vec_vectorize_called};
    for (unsigned i = 0; i < d->count && status == WEFT_OK; i++) {
        struct weftc_vec_decision *r = &d->regions[i];
        status = vectorize_region(module, i, target, options, &callees, &nontemporal, noted, r);
        if (d->count == 1 && r->outcome.function)
            d->lanes = r->lanes;
        const bool done = r->single_item || r->outcome.function;
        swapped |= r->tiling.swap_dimensions;
        bound |= r->tiling.bound;
        d->autotune |= r->autotune;
        all = all && done;
        at_once += done ? r->outcome.cost.total : 0;
        scalar += done ? r->outcome.cost.scalar : 0;
    }
    weftc_vec_callees_free(&callees);
    weftc_module_number_set(module, WEFTC_NONTEMPORAL_BYTES, weftc_nontemporal_bytes(&nontemporal, module));
    weftc_nontemporal_free(&nontemporal);
    if (d->sub_groups && status == WEFT_OK) {
        all = keep_sub_groups(module, d);
        if (!all && d->required) {
            weft_buf_printf(log, "error: kernel '%s' can't have sub-groups of %u work-items\n", options->name,
                            d->lanes);
            return WEFT_BUILD_FAILED;
        }
        weftc_module_number_set(module, WEFTC_SUB_GROUP_MAX, all ? d->lanes : 1);
    }
    weftc_module_number_set(module, WEFTC_LANES, d->lanes);
    weftc_module_number_set(module, WEFTC_ALL_IN_LANES, all);
    weftc_module_number_set(module, WEFTC_VECTOR_ITERATION_COST,
                            scalar ? weftc_vec_iteration_cost(d->lanes, at_once, scalar) : 0);
    weftc_module_number_set(module, WEFTC_AUTOTUNE, d->autotune);
    weftc_module_number_set(module, WEFTC_SWAP_DIMENSIONS, swapped && !bound);
    return status;
}

// The caller frees *d whatever the outcome.
static weft_status vectorize(LLVMModuleRef module, const struct weftc_target *target,
                             const struct weftc_kernel_options *options, bool noted,
                             struct weftc_vec_decisions *d, struct weft_buf *log)
{
    *d = decisions_for(module, target, options);
    weftc_module_number_set(module, WEFTC_SUB_GROUP_MAX, d->sub_groups || d->unoptimized ? 1 : d->lanes);
    if (weftc_module_number(module, WEFTC_SCHEDULED) && d->required && d->lanes > 1) {
        weft_buf_printf(log,
                        "error: kernel '%s' has named barriers and can't have sub-groups of %u work-items\n",
                        options->name, d->lanes);
        return WEFT_BUILD_FAILED;
    }
    if (d->none)
        weft_log(WEFT_LOG_DEBUG, "%s: not vectorized: %s", options->name, d->none);
    if (d->none || (options->level == WEFT_LEVEL_QUICK && !noted))
        return WEFT_OK;
    return vectorize_regions(module, target, options, noted, d, log);
}

// Regions without lanes have nothing but their scalar code.
static bool inline_where_scalar(LLVMModuleRef module)
{
    bool ok = true;
    for (unsigned i = 0; ok && i < weftc_module_number(module, WEFTC_REGION_COUNT); i++) {
        char name[48];
        snprintf(name, sizeof name, WEFTC_REGION_NAME "%u" WEFTC_REGION_VECTOR, i);
        if (LLVMGetNamedFunction(module, name))
            continue;
        snprintf(name, sizeof name, WEFTC_REGION_NAME "%u", i);
        LLVMValueRef region = LLVMGetNamedFunction(module, name);
        ok = !region || weftc_vec_inline_for_lanes(region);
    }
    return ok;
}

static void free_decisions(struct weftc_vec_decisions *d)
{
    for (unsigned i = 0; d->regions && i < d->count; i++)
        weftc_vec_notes_free(d->regions[i].outcome.notes);
    weft_free(d->regions);
}

weft_status weftc_vectorize(LLVMModuleRef module, const struct weftc_target *target,
                            const struct weftc_kernel_options *options, struct weft_buf *log)
{
    struct weftc_vec_decisions d;
    weft_status status = vectorize(module, target, options, false, &d, log);
    free_decisions(&d);
    if (status == WEFT_OK && !inline_where_scalar(module))
        status = WEFT_INTERNAL;
    if (status == WEFT_OK && weftc_module_number(module, WEFTC_ALL_IN_LANES))
        weftc_vec_shrink_scalar(module);
    return status;
}

weft_status weftc_vectorize_report(LLVMModuleRef module, const struct weftc_target *target,
                                   const struct weftc_kernel_options *options, struct weft_buf *out)
{
    struct weftc_vec_decisions d;
    weft_status status = vectorize(module, target, options, true, &d, out);
    if (status == WEFT_OK)
        weftc_vec_print_decisions(module, &d, out);
    // What the kernel's build fails for has been said.
    if (status == WEFT_BUILD_FAILED)
        status = WEFT_OK;
    free_decisions(&d);
    return status;
}

weft_status weftc_shapes_dump(LLVMModuleRef module, const struct weftc_target *target,
                              const struct weftc_kernel_options *options, struct weft_buf *out)
{
    weft_status status = WEFT_OK;
    unsigned count = (unsigned)weftc_module_number(module, WEFTC_REGION_COUNT);
    for (unsigned i = 0; i < count && status == WEFT_OK; i++) {
        char name[32];
        snprintf(name, sizeof name, WEFTC_REGION_NAME "%u", i);
        struct weftc_shapes shapes;
        uint32_t lanes = choose_lanes(module, target, options);
        LLVMValueRef canonical =
            weftc_vec_canonicalize(LLVMGetNamedFunction(module, name), "", lanes, target, options);
        status = weftc_shapes_init(&shapes, canonical, lanes, false);
        if (status == WEFT_OK) {
            weft_buf_printf(out, "shapes of %s, region %u, for %u lanes\n", options->name, i, shapes.lanes);
            weftc_shapes_print(&shapes, out);
        }
        weftc_shapes_fini(&shapes);
        LLVMDeleteFunction(canonical);
    }
    return status;
}
