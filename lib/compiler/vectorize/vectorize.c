// vectorize: for each region's function a second one, in which one call does the work of
// consecutive work-items, one a lane. The first stays, for what is left over and for those that can't be
// vectorized; nothing that happens here can make a kernel fail to build.
//
// Steps: the region is copied and brought into a form that the emission can rely on (vectorize/legalize/canonicalize.c); shapes are found
// (shapes/shapes.c); the new function is emitted block by block (vectorize/emit/control_flow.c), value by value (vectorize/emit/values.c, vectorize/emit/loads_stores.c).
//
// More than 500 lines in one file: the report on a region goes through the same decisions as the making of its functions.
#include <stdio.h>
#include <string.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/bridge/passes.h"
#include "compiler/bridge/vectorize.h"
#include "compiler/compiler.h"
#include "compiler/ir/group_independence.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/module_facts.h"
#include "compiler/ir/region_functions.h"
#include "compiler/arch/target.h"
#include "compiler/ir/value_map.h"
#include "compiler/shapes/shapes.h"
#include "compiler/vectorize/access/access.h"
#include "compiler/vectorize/attempt.h"
#include "compiler/vectorize/cost/cost.h"
#include "compiler/vectorize/emit/emit.h"
#include "compiler/vectorize/legalize/legalize.h"
#include "compiler/vectorize/vectorize.h"
#include "weft/kernel_abi.h"

enum {
    MOST_LANES = 32,
    MOST_WIDE = 64,
    EAGER_LANES = 8, // what goes lane by lane is mostly best with so many: bytes of theirs fill a word
};

enum {
    MOST_WIDE_FORM = 2000,
    DEAR_STEP = 4 * 16, // what a step of all lanes costs, as weftc_vec_cost has it
    DOUBTFUL_STEP = 5 * 16 / 2,
    DOUBTFUL_FAR_APART = 3 * 16 / 2,
    WORSE_IN_WIDE =
        2, // a step of several times the lanes costs as many times more than steps of fewer, at least
    // Instructions of a kernel with all that it calls: beyond that LLVM takes minutes over the code of all lanes (hashcat's m01800, 50 s).
    MOST_CALLED = 20000,
};

static uint32_t choose_lanes(LLVMModuleRef module, const struct weftc_target *target,
                             const struct weftc_kernel_options *options)
{
    uint32_t required = (uint32_t)weftc_module_number(module, WEFTC_SUB_GROUP_REQUIRED);
    uint32_t lanes = required                ? required
                     : options->vector_width ? options->vector_width
                                             : target->native_width;
    if (options->form == WEFT_VARIANT_NARROW && !required && !options->vector_width && lanes > EAGER_LANES)
        lanes = EAGER_LANES;
    // Rows of the group that are shorter would leave lanes empty. Of a kernel with one region rows of several groups may run as one.
    uint32_t row = (uint32_t)weftc_module_number(module, WEFTC_GROUP_SIZE_0);
    bool whole = options->group[0] || weftc_module_number(module, WEFTC_REGION_COUNT) > 1;
    if (whole && options->form == WEFT_VARIANT_ANY && !required && !options->vector_width && row < lanes &&
        (row == 4 || row == 8))
        lanes = row;
    uint32_t power = 1;
    while (2 * power <= lanes && power < MOST_LANES)
        power *= 2;
    return power;
}

static bool is_forced(const struct weftc_kernel_options *options)
{
    return options->vector_width > 1 || options->form == WEFT_VARIANT_NARROW;
}

// What the runtime is to try beside this form (docs/adr/0027): a set of enum weft_autotune_candidate. Eight lanes, where none are estimated to be
// cheaper, where much goes lane by lane, or wide steps of many were chosen, which is a bet. No lanes, where some may keep the
// others waiting for long, or where a step isn't cheap and its cost is that of accesses and branches, of which a count of
// instructions knows little: LLVM may have made more of a work-item's own row or vector.
static uint32_t tried_forms(const struct weftc_vec_attempt *a, const struct weftc_kernel_options *options,
                            const char *reason, const struct weftc_vec_cost *cost, bool wide)
{
    if (options->form != WEFT_VARIANT_ANY || options->vector_width || options->group[0] ||
        options->only_code || weftc_vec_is_large(a->form, WEFTC_VEC_HUGE) ||
        (reason && reason != weftc_vec_too_dear))
        return 0;
    if (reason)
        return WEFT_AUTOTUNE_NARROW;
    bool dear = cost->step >= DEAR_STEP || (wide && cost->twice.times == 4);
    uint32_t tried = dear && a->lanes > EAGER_LANES ? WEFT_AUTOTUNE_NARROW : 0;
    if (cost->uneven || (cost->step >= DOUBTFUL_FAR_APART && cost->far_apart) ||
        (cost->step >= DOUBTFUL_STEP && (cost->apart || cost->diverges_again)))
        tried |= WEFT_AUTOTUNE_SCALAR;
    return tried;
}

// The function for the end of a row, from the region in form. Without one single work-items run there.
static weft_status vectorize_masked(LLVMValueRef form, unsigned number, uint32_t lanes,
                                    struct weftc_vec_callees *callees,
                                    const struct weftc_kernel_options *options)
{
    char name[48], scratch[48];
    snprintf(scratch, sizeof scratch, WEFTC_REGION_NAME "%u.end", number);
    snprintf(name, sizeof name, WEFTC_REGION_NAME "%u" WEFTC_REGION_TAIL, number);
    LLVMValueRef end = weftc_bridge_clone_function(form, scratch), result = NULL;
    weftc_vec_fold_tail(end);
    struct weftc_shapes shapes;
    const char *reason = NULL;
    LLVMValueRef at;
    struct weftc_vec_cost cost;
    weft_status status = weftc_shapes_init(&shapes, end, lanes, false);
    if (status == WEFT_OK)
        status = weftc_vec_why_not(&shapes, &reason, &at);
    if (status == WEFT_OK && !reason)
        status = weftc_vec_emit_attempt(&(struct weftc_vec_attempt){.forced = true, .callees = callees},
                                        &shapes, name, &result, &cost, &reason);
    if (status == WEFT_UNSUPPORTED)
        status = WEFT_OK;
    if (reason)
        weft_log(WEFT_LOG_DEBUG, "%s: the end of rows in region %u is not vectorized: %s", options->name,
                 number, reason);
    weftc_shapes_fini(&shapes);
    LLVMDeleteFunction(end);
    return status;
}

// Steps of as many times the lanes as are wished for, whatever was estimated.
static void take_wish(const struct weftc_vec_attempt *a, struct weftc_vec_interleave *t)
{
    uint64_t wish = weft_config_uint(WEFT_CFG_INTERLEAVE);
    unsigned times = wish == 4 && 4 * a->lanes <= MOST_WIDE ? 4 : 2;
    if (wish >= 2 && times != t->times) {
        t->times = times;
        t->percent = 0; // what was estimated is of the other
    }
}

// Why there is no function for t->times the lanes beside the one of which this is said; NULL: there is to be one.
static const char *why_not_interleave(const struct weftc_vec_attempt *a, const struct weftc_vec_interleave *t,
                                      const struct weftc_vec_tiling *tiling,
                                      const struct weftc_kernel_options *options)
{
    uint64_t wish = weft_config_uint(WEFT_CFG_INTERLEAVE);
    if (!a->assumes)
        return "a step is a sub-group";
    if (tiling->tiles)
        return "work-items run in tiles";
    if (2 * a->lanes > MOST_LANES)
        return "that is too many";
    if (wish == 1 || (wish == 0 && (options->vector_width || options->form == WEFT_VARIANT_NARROW)))
        return "they aren't wished for";
    if (wish >= 2)
        return NULL;
    // What is assumed may be small beside what any step needs, as with images of any format.
    return !t->reason && weftc_vec_is_large(a->form, MOST_WIDE_FORM) ? "the function for any step is large"
                                                                     : t->reason;
}

// Adds to region `number` a step of as many times the lanes as cost->twice says, or of half as many, beside `narrow`, a step of
// narrow_attempt->lanes that costs *cost. *wide: the function; NULL: there is none, and cost->twice says why.
static weft_status widen(const struct weftc_vec_attempt *narrow_attempt, unsigned number, LLVMValueRef narrow,
                         struct weftc_vec_cost *cost, LLVMValueRef *wide)
{
    struct weftc_vec_interleave *t = &cost->twice;
    bool wished = weft_config_uint(WEFT_CFG_INTERLEAVE) >= 2;
    weft_status status = WEFT_OK;
    *wide = NULL;
    for (unsigned times = t->times; status == WEFT_OK && !*wide && times > 1; times /= 2) {
        char name[48];
        snprintf(name, sizeof name, WEFTC_REGION_NAME "%u%s", number,
                 times == 4 ? WEFTC_REGION_INTERLEAVED_4 : WEFTC_REGION_INTERLEAVED_2);
        struct weftc_vec_attempt a = *narrow_attempt;
        struct weftc_vec_cost own = {0};
        const char *why = NULL;
        a.name = name;
        a.narrow = narrow;
        a.narrow_lanes = a.lanes;
        a.lanes *= times;
        a.forced = true;
        a.target = NULL;
        status = weftc_vec_attempt_form(&a, wide, &own, &why, NULL);
        // Over 16 lanes id % 16 may be assumed to be strided, over more of them never.
        if (*wide && !wished && own.total > (uint64_t)WORSE_IN_WIDE * times * cost->total) {
            LLVMDeleteFunction(*wide);
            *wide = NULL;
        }
        if (*wide && times != t->times) {
            t->times = times;
            t->percent = 0; // what was estimated is of the other
        }
    }
    if (!*wide)
        t->reason = "little can be assumed of so many lanes";
    return status;
}

// In a region that runs for single work-items only: loops whose rounds are as many as each work-item's data wants stay
// rolled. How many rounds there are is hard to predict as it is, and LLVM's loop for the odd ones makes it two guesses: 20 % of
// a product with a sparse matrix.
static weft_status keep_rolled(LLVMValueRef region, uint32_t lanes)
{
    weftc_bridge_remove_unreachable(region);
    weftc_bridge_simplify_loops(region);
    struct weftc_shapes s;
    weft_status status = weftc_shapes_init(&s, region, lanes, false);
    const struct weftc_flow *g = &s.flow;
    for (uint32_t b = 0; status == WEFT_OK && b < g->block_count; b++) {
        LLVMValueRef branch = LLVMGetBasicBlockTerminator(g->blocks[b].block);
        for (unsigned k = 0; k < LLVMGetNumSuccessors(branch); k++) {
            uint32_t to = weftc_flow_block_of(g, LLVMGetSuccessor(branch, k));
            if (to <= b && g->loops[g->blocks[to].loop].divergent)
                weftc_bridge_keep_rolled(branch);
        }
    }
    weftc_shapes_fini(&s);
    return status == WEFT_UNSUPPORTED ? WEFT_OK : status;
}

static weft_status vectorize_region(LLVMModuleRef module, unsigned number, const struct weftc_target *target,
                                    const struct weftc_kernel_options *options,
                                    struct weftc_vec_callees *callees, struct weftc_nontemporal *streams,
                                    bool *done, struct weftc_vec_cost *cost, struct weftc_vec_tiling *tiling)
{
    char name[48], scratch[48];
    snprintf(name, sizeof name, WEFTC_REGION_NAME "%u", number);
    LLVMValueRef region = LLVMGetNamedFunction(module, name), result = NULL, twice = NULL;
    if (!region)
        return WEFT_INTERNAL;
    if (weftc_region_is_single_item(region)) {
        *done = true; // nothing in it is left for lanes
        return WEFT_OK;
    }
    if (weftc_vec_is_entangled(region)) {
        weft_log(WEFT_LOG_DEBUG, "%s: region %u is not vectorized: %s", options->name, number,
                 weftc_vec_too_entangled);
        *done = false;
        return WEFT_OK;
    }
    snprintf(scratch, sizeof scratch, WEFTC_REGION_NAME "%u.form", number);
    snprintf(name, sizeof name, WEFTC_REGION_NAME "%u" WEFTC_REGION_VECTOR, number);
    uint32_t lanes = choose_lanes(module, target, options);
    LLVMValueRef form = weftc_vec_canonicalize(region, scratch, lanes, target, options);
    bool sub_groups = weftc_module_number(module, WEFTC_SUB_GROUPS) != 0;
    struct weftc_vec_attempt a = {.form = form,
                                  .name = name,
                                  .lanes = lanes,
                                  .forced = is_forced(options) || sub_groups,
                                  .assumes = !sub_groups,
                                  .alone = weftc_module_number(module, WEFTC_REGION_COUNT) == 1,
                                  .target = target,
                                  .callees = callees,
                                  .streams = streams};
    const char *reason = NULL;
    weft_status status = weftc_vec_attempt_form(&a, &result, cost, &reason, tiling);
    weftc_module_number_set(module, WEFTC_TILES, status == WEFT_OK && tiling->tiles);
    if (reason)
        weft_log(strncmp(reason, "internal", 8) == 0 ? WEFT_LOG_ERROR : WEFT_LOG_DEBUG,
                 "%s: region %u is not vectorized: %s", options->name, number, reason);
    *done = result != NULL;
    take_wish(&a, &cost->twice);
    if (status == WEFT_OK && result && !why_not_interleave(&a, &cost->twice, tiling, options))
        status = widen(&a, number, result, cost, &twice);
    cost->tried = tried_forms(&a, options, reason, cost, twice != NULL);
    if (status == WEFT_OK && result &&
        (sub_groups || (options->form != WEFT_VARIANT_ANY && !weftc_vec_is_large(form, WEFTC_VEC_HUGE))))
        status = vectorize_masked(form, number, a.lanes, callees, options);
    LLVMDeleteFunction(form);
    if (status == WEFT_OK && !result && !weftc_vec_is_large(region, WEFTC_VEC_LARGE))
        status = keep_rolled(region, a.lanes);
    return status;
}

// Lanes are the work-items of a sub-group in all regions, at the ends of rows too, or in none: then the functions for
// several are removed.
static bool keep_sub_groups(LLVMModuleRef module, unsigned count)
{
    bool all = true;
    for (int pass = 0; pass < 2; pass++) {
        for (unsigned i = 0; i < count; i++) {
            static const char *const suffixes[] = {"", WEFTC_REGION_VECTOR, WEFTC_REGION_TAIL};
            LLVMValueRef f[3];
            for (size_t k = 0; k < WEFT_COUNT_OF(suffixes); k++) {
                char name[48];
                snprintf(name, sizeof name, WEFTC_REGION_NAME "%u%s", i, suffixes[k]);
                f[k] = LLVMGetNamedFunction(module, name);
            }
            if (pass == 0)
                all = all && f[0] && (weftc_region_is_single_item(f[0]) || (f[1] && f[2]));
            for (size_t k = 1; k < WEFT_COUNT_OF(suffixes) && pass == 1 && !all; k++)
                if (f[k])
                    LLVMDeleteFunction(f[k]);
        }
    }
    return all;
}

// What is known of a kernel before its regions are looked at.
struct plan {
    uint32_t lanes;
    bool required, sub_groups; // sub-groups are of so many work-items; the kernel knows of them
    bool unwanted;             // it is to be built without optimization
    const char *none;          // why no region gets lanes, whatever is in it; NULL: each is looked at
};

static struct plan plan_for(LLVMModuleRef module, const struct weftc_target *target,
                            const struct weftc_kernel_options *options)
{
    struct plan p = {.lanes = choose_lanes(module, target, options)};
    weftc_module_number_set(module, WEFTC_PERMUTES, target->permutes);
    p.required = weftc_module_number(module, WEFTC_SUB_GROUP_REQUIRED) != 0;
    p.sub_groups = weftc_module_number(module, WEFTC_SUB_GROUPS) != 0;
    p.unwanted = options->opt_disable && options->vector_width == 0 && !p.required;
    if (weftc_module_number(module, WEFTC_SCHEDULED))
        p.none = "it has named barriers: each work-item is a sub-group that goes its own way";
    else if (p.lanes < 2 && options->vector_width)
        p.none = "lanes aren't wished for (WEFT_VF=1)";
    else if (options->form == WEFT_VARIANT_SCALAR)
        p.none = "lanes aren't wished for (WEFT_VARIANT=scalar)";
    else if (p.lanes < 2)
        p.none = p.required ? "its sub-groups are of one work-item" : "the target has no vectors";
    else if (p.unwanted)
        p.none = "it is to be built without optimization";
    else if (weftc_module_number(module, WEFTC_CALLS_ATOMIC))
        p.none = "it calls functions that are too large to be inlined and access memory atomically";
    else if (weftc_module_number(module, WEFTC_CALLS_KEPT) && weftc_instruction_count(module) > MOST_CALLED)
        p.none = "it calls functions that are too large to be inlined, and is large itself";
    return p;
}

weft_status weftc_vectorize(LLVMModuleRef module, const struct weftc_target *target,
                            const struct weftc_kernel_options *options, struct weft_buf *log)
{
    const struct plan p = plan_for(module, target, options);
    weftc_module_number_set(module, WEFTC_SUB_GROUP_MAX, p.sub_groups || p.unwanted ? 1 : p.lanes);
    if (weftc_module_number(module, WEFTC_SCHEDULED) && p.required && p.lanes > 1) {
        weft_buf_printf(log,
                        "error: kernel '%s' has named barriers and can't have sub-groups of %u work-items\n",
                        options->name, p.lanes);
        return WEFT_BUILD_FAILED;
    }
    if (p.none)
        weft_log(WEFT_LOG_DEBUG, "%s: not vectorized: %s", options->name, p.none);
    if (p.none || options->quick)
        return WEFT_OK;
    unsigned count = (unsigned)weftc_module_number(module, WEFTC_REGION_COUNT);
    struct weftc_nontemporal streams;
    weft_status status = weftc_nontemporal_find(module, &streams);
    bool all = true;
    uint64_t at_once = 0, alone = 0; // what the regions with lanes cost
    bool turned = false, bound = p.sub_groups;
    uint32_t tried = 0;
    struct weftc_vec_callees callees = {
        .target = target, .options = options, .vectorize = weftc_vec_vectorize_called};
    for (unsigned i = 0; i < count && status == WEFT_OK; i++) {
        bool done = false;
        struct weftc_vec_cost cost = {0};
        struct weftc_vec_tiling tiling = {0};
        status = vectorize_region(module, i, target, options, &callees, &streams, &done, &cost, &tiling);
        turned |= tiling.swap_dimensions;
        bound |= tiling.bound;
        tried |= cost.tried;
        all = all && done;
        at_once += done ? cost.total : 0;
        alone += done ? cost.alone : 0;
    }
    weftc_vec_callees_free(&callees);
    weftc_module_number_set(module, WEFTC_NONTEMPORAL_BYTES, weftc_nontemporal_bytes(&streams, module));
    weftc_nontemporal_free(&streams);
    if (p.sub_groups && status == WEFT_OK) {
        all = keep_sub_groups(module, count);
        if (!all && p.required) {
            weft_buf_printf(log, "error: kernel '%s' can't have sub-groups of %u work-items\n", options->name,
                            p.lanes);
            return WEFT_BUILD_FAILED;
        }
        weftc_module_number_set(module, WEFTC_SUB_GROUP_MAX, all ? p.lanes : 1);
    }
    weftc_module_number_set(module, WEFTC_LANES, p.lanes);
    weftc_module_number_set(module, WEFTC_ALL_IN_LANES, all);
    weftc_module_number_set(module, WEFTC_STEP_COST, alone ? weftc_vec_step(p.lanes, at_once, alone) : 0);
    weftc_module_number_set(module, WEFTC_AUTOTUNE, tried);
    weftc_module_number_set(module, WEFTC_SWAP_DIMENSIONS, turned && !bound);
    return status;
}

static void report_shapes(struct weftc_shapes *shapes, unsigned number, struct weftc_vec_callees *callees,
                          struct weftc_nontemporal *streams, const struct weftc_vec_outcome *outcome,
                          struct weft_buf *out)
{
    struct weftc_vec v = {.s = shapes,
                          .callees = callees,
                          .lanes = shapes->lanes,
                          .permutes = weftc_vec_permuted(shapes->flow.function),
                          .streams = streams};
    weftc_vec_find_groups(&v);
    if (!v.no_memory)
        weftc_vec_find_order(&v);
    weftc_vec_make_callees(&v);
    weftc_vec_report(&v, number, outcome, out);
    weft_free(v.groups);
    weftc_map_free(&v.group_of);
    weftc_map_free(&v.callee_of);
}

static weft_status report_region(LLVMModuleRef module, unsigned number, const struct weftc_target *target,
                                 const struct weftc_kernel_options *options,
                                 struct weftc_nontemporal *streams, uint32_t *tried, struct weft_buf *out)
{
    char name[48];
    snprintf(name, sizeof name, WEFTC_REGION_NAME "%u", number);
    if (weftc_region_is_single_item(LLVMGetNamedFunction(module, name))) {
        weft_buf_printf(out, "region %u: one work-item runs it for all of the group\n", number);
        return WEFT_OK;
    }
    if (weftc_vec_is_entangled(LLVMGetNamedFunction(module, name))) {
        weft_buf_printf(out, "region %u: not vectorized: %s\n", number, weftc_vec_too_entangled);
        return WEFT_OK;
    }
    struct weftc_shapes shapes;
    struct weftc_vec_outcome outcome = {0};
    uint32_t lanes = choose_lanes(module, target, options);
    LLVMValueRef form =
        weftc_vec_canonicalize(LLVMGetNamedFunction(module, name), "", lanes, target, options);
    struct weftc_vec_callees callees = {
        .target = target, .options = options, .vectorize = weftc_vec_vectorize_called};
    LLVMValueRef plain = NULL, result;
    struct weftc_vec_attempt a = {.form = form,
                                  .name = "",
                                  .lanes = lanes,
                                  .forced = is_forced(options),
                                  .assumes = weftc_module_number(module, WEFTC_SUB_GROUPS) == 0,
                                  .alone = weftc_module_number(module, WEFTC_REGION_COUNT) == 1,
                                  .target = target,
                                  .callees = &callees,
                                  .streams = streams};
    weft_status status = weftc_shapes_init(&shapes, form, a.lanes, false);
    if (status == WEFT_UNSUPPORTED) {
        weft_buf_printf(out, "region %u: not vectorized: an irreducible loop\n", number);
        weftc_shapes_fini(&shapes);
        LLVMDeleteFunction(form);
        return WEFT_OK;
    }
    if (status == WEFT_OK)
        status = weftc_vec_why_not(&shapes, &outcome.reason, &outcome.at);
    if (status == WEFT_OK && !outcome.reason)
        status = weftc_vec_emit_attempt(&a, &shapes, "", &plain, &outcome.cost, &outcome.reason);
    result = plain;
    if (status == WEFT_OK && a.assumes && weftc_vec_may_assume(&shapes, result, outcome.reason))
        status = weftc_vec_attempt_assumed(&a, &result, &outcome.cost, &outcome.reason);
    if (status == WEFT_OK && result != plain) {
        weftc_shapes_fini(&shapes);
        status = weftc_shapes_init(&shapes, form, a.lanes, true);
    }
    struct weftc_vec_tiling tiling = {0};
    if (status == WEFT_OK)
        status = weftc_vec_tiles(&shapes, &tiling);
    take_wish(&a, &outcome.cost.twice);
    outcome.cost.twice.reason = why_not_interleave(&a, &outcome.cost.twice, &tiling, options);
    const bool has_wide = !outcome.cost.twice.reason;
    LLVMValueRef wide = NULL;
    if (status == WEFT_OK && result && !outcome.cost.twice.reason)
        status = widen(&a, number, result, &outcome.cost, &wide);
    if (wide)
        LLVMDeleteFunction(wide);
    // There is code for them nevertheless.
    const uint64_t row = weftc_module_number(module, WEFTC_GROUP_SIZE_0);
    if (has_wide && row && row < (uint64_t)outcome.cost.twice.times * lanes &&
        !weftc_is_group_shape_independent(module))
        outcome.cost.twice.reason = "the rows of groups are shorter";
    if (status == WEFT_OK)
        report_shapes(&shapes, number, &callees, a.alone || weftc_loads_little(&shapes) ? streams : NULL,
                      &outcome, out);
    *tried |= tried_forms(&a, options, outcome.reason, &outcome.cost, has_wide);
    if (tiling.swap_dimensions)
        weft_buf_puts(out, "  memory is consecutive along dimension 1 alone: lanes will be there, if groups "
                           "are long enough\n");
    if (tiling.tiles)
        weft_buf_puts(out, "  memory is consecutive along dimension 1: tiles, if the kernel doesn't mind how "
                           "groups are cut\n");
    if (result)
        LLVMDeleteFunction(result);
    weftc_vec_callees_free(&callees);
    weftc_shapes_fini(&shapes);
    LLVMDeleteFunction(form);
    return status;
}

// What reqd_work_group_size makes of the lanes, where rows of the groups are shorter (ADR 7, ADR 22).
static void report_short_rows(LLVMModuleRef module, const struct plan *p, struct weft_buf *out)
{
    const uint64_t row = weftc_module_number(module, WEFTC_GROUP_SIZE_0);
    if (!row || row >= p->lanes)
        return;
    const bool longer = row > 1 || weftc_module_number(module, WEFTC_GROUP_SIZE_1) > 1 ||
                        weftc_module_number(module, WEFTC_GROUP_SIZE_2) > 1;
    weft_buf_printf(out, "groups have rows of %llu work-item%s, fewer than there are lanes: ",
                    (unsigned long long)row, row > 1 ? "s" : "");
    if (weftc_is_group_shape_independent(module))
        weft_buf_puts(out, "the kernel can't tell how groups are cut, and those of a row run as one\n");
    else if (p->sub_groups)
        weft_buf_puts(out, "no sub-group has more, and steps run under a mask\n");
    else if (longer)
        weft_buf_puts(out,
                      "work-items run one by one; lanes that are filled otherwise (along another dimension, "
                      "fewer, or under a mask) come when the kernel has run for a while, where they pay\n");
    else
        weft_buf_puts(out, "work-items run one by one, without lanes\n");
}

// What is left to a measurement (ADR 27).
static void report_tried(uint32_t tried, struct weft_buf *out)
{
    if (!tried)
        return;
    const bool both = tried == (WEFT_AUTOTUNE_NARROW | WEFT_AUTOTUNE_SCALAR);
    weft_buf_printf(out,
                    "if this kernel runs for long, %s tried and measured (WEFT_LOG=info tells the verdict)\n",
                    both ? "code with at most eight lanes and code without lanes are"
                    : tried == WEFT_AUTOTUNE_NARROW ? "code with at most eight lanes is"
                                                    : "code without lanes is");
}

weft_status weftc_vectorize_report(LLVMModuleRef module, const struct weftc_target *target,
                                   const struct weftc_kernel_options *options, struct weft_buf *out)
{
    weft_status status = WEFT_OK;
    unsigned count = (unsigned)weftc_module_number(module, WEFTC_REGION_COUNT);
    const struct plan p = plan_for(module, target, options);
    if (p.none) {
        weft_buf_printf(out, "not vectorized: %s\n", p.none);
        return WEFT_OK;
    }
    report_short_rows(module, &p, out);
    struct weftc_nontemporal streams;
    status = weftc_nontemporal_find(module, &streams);
    uint32_t tried = 0;
    for (unsigned i = 0; i < count && status == WEFT_OK; i++)
        status = report_region(module, i, target, options, &streams, &tried, out);
    weftc_nontemporal_free(&streams);
    if (status == WEFT_OK)
        report_tried(tried, out);
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
        LLVMValueRef form =
            weftc_vec_canonicalize(LLVMGetNamedFunction(module, name), "", lanes, target, options);
        status = weftc_shapes_init(&shapes, form, lanes, false);
        if (status == WEFT_OK) {
            weft_buf_printf(out, "shapes of %s, region %u, for %u lanes\n", options->name, i, shapes.lanes);
            weftc_shapes_print(&shapes, out);
        }
        weftc_shapes_fini(&shapes);
        LLVMDeleteFunction(form);
    }
    return status;
}
