// The vectorizer's report (`weftc --report=vectorize`, and the build log with -weft-report), for a person who
// asks what became of a kernel, and why. For each region it has the totals, then in the order of the code
// what happens to each loop, branch and access (vectorize/notes.c).
//
// Printed is what was decided for the real code (struct weftc_vec_decisions). Nothing is decided here.
#include <string.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/ir/group_independence.h"
#include "compiler/ir/module_facts.h"
#include "compiler/vectorize/access/access.h"
#include "compiler/vectorize/cost/cost.h"
#include "compiler/vectorize/report.h"
#include "compiler/vectorize/vectorize.h"
#include "weft/kernel_abi.h"

// ---- a region ----

static void put_tenths(struct weft_buf *out, uint32_t tenths)
{
    weft_buf_printf(out, "%u.%u", tenths / 10, tenths % 10);
}

// Lanes wouldn't pay: says which bound is exceeded, and by what most.
static void print_exceeded_bound(const struct weftc_vec_decision *d, struct weft_buf *out)
{
    const struct weftc_vec_cost *cost = &d->outcome.cost;
    const struct weftc_vec_bound *time = &cost->interleave.time;
    const bool rows = cost->interleave.loses && !cost->by_hand;
    weft_buf_printf(out, ": a vector iteration of %u lanes is estimated at the %s of ", d->lanes,
                    rows ? "time" : "work");
    put_tenths(out, rows ? time->estimated : cost->work.estimated);
    weft_buf_puts(out, " work-items in scalar code; at most ");
    put_tenths(out, rows ? time->allowed : cost->work.allowed);
    weft_buf_puts(out, rows ? " are allowed, where each lane goes along a row of its own" : " are allowed");
    if (!rows && !cost->by_hand && time->allowed) {
        weft_buf_puts(out, ", or the time of ");
        put_tenths(out, time->allowed);
        weft_buf_puts(out, ", where it is estimated at ");
        put_tenths(out, time->estimated);
    }
    weft_buf_puts(out, "\n");
    if (!cost->by_hand && d->outcome.notes && d->outcome.notes->most_expensive[0])
        weft_buf_printf(out, "  %s\n", d->outcome.notes->most_expensive);
}

static void print_cost(const struct weftc_vec_decision *d, struct weft_buf *out)
{
    const struct weftc_vec_cost *cost = &d->outcome.cost;
    weft_buf_printf(out, "  a vector iteration %s about as much as %.1f work-items in scalar code",
                    d->outcome.reason ? "would cost" : "costs", (double)cost->iteration / 16);
    if (cost->long_loops) {
        weft_buf_puts(out, "; if its loops are long, as is assumed, ");
        put_tenths(out, cost->work.estimated);
    }
    // The count of work speaks against lanes.
    if (cost->interleave.saves && cost->work.estimated > cost->work.allowed) {
        weft_buf_puts(out, ", and takes the time of ");
        put_tenths(out, cost->interleave.time.estimated);
    }
    weft_buf_puts(out, "\n");
}

// row: work-items in a row of a group, where rows can't run as one; else 0.
static void print_interleaving(const struct weftc_vec_decision *d, uint32_t row, struct weft_buf *out)
{
    const struct weftc_vec_interleave *t = &d->outcome.cost.interleave;
    const unsigned vectors = d->vectors ? d->vectors : t->times;
    if (t->percent)
        weft_buf_printf(
            out,
            "  cycles: %u of latency, %u of work, %u of shared work; %u register%s: one iteration of "
            "%u lanes takes %u %% of the time of %u of %u\n",
            t->chain, t->work, t->shared, t->registers, weftc_plural(t->registers), t->times * d->lanes,
            t->percent, t->times, d->lanes);
    if (!d->vectors)
        weft_buf_printf(out, "  no iterations of %u lanes: %s\n", vectors * d->lanes, d->not_interleaved);
    else if (row && row < vectors * d->lanes)
        weft_buf_printf(out, "  no iterations of %u lanes: the rows of groups are shorter\n",
                        vectors * d->lanes);
    else
        weft_buf_printf(out, "  iterations of %u lanes, then of %u\n", vectors * d->lanes, d->lanes);
}

// How many accesses there are of each name; several kinds may have one name.
static void print_accesses(const struct weftc_vec_notes *n, struct weft_buf *out)
{
    const char *separator = "  accesses: ";
    for (unsigned k = 1; k < WEFTC_ACCESS_KINDS; k++) {
        const char *name = weftc_access_traits[k].name;
        unsigned count = 0, first = k;
        for (unsigned m = WEFTC_ACCESS_KINDS - 1; m >= 1; m--)
            if (strcmp(weftc_access_traits[m].name, name) == 0) {
                count += n->accesses[m];
                first = m;
            }
        if (first != k || !count)
            continue;
        weft_buf_printf(out, "%s%u %s", separator, count, name);
        separator = ", ";
    }
    weft_buf_puts(out, separator[0] == ' ' ? "  accesses: none\n" : "\n");
}

static void print_notes(const struct weftc_vec_notes *n, struct weft_buf *out)
{
    print_accesses(n, out);
    for (unsigned k = 0; k < WEFTC_CALL_KINDS; k++)
        if (n->calls[k])
            weft_buf_printf(out, "  calls %s: %u\n", weftc_call_traits[k].words, n->calls[k]);
    weft_buf_printf(out, "  branches: %u uniform, %u divergent\n", n->uniform_branches,
                    n->divergent_branches);
    weft_buf_printf(out, "  values: %u uniform, %u strided, %u varying\n", n->uniform_values,
                    n->strided_values, n->varying_values);
    for (size_t k = 0; k < n->count; k++) {
        weft_buf_puts(out, n->lines[k].text);
        if (n->lines[k].times > 1)
            weft_buf_printf(out, " (%u times)", n->lines[k].times);
        weft_buf_puts(out, "\n");
    }
}

// row: work-items in a row of a group, where rows can't run as one; else 0.
static void print_region(unsigned number, const struct weftc_vec_decision *d, uint32_t row,
                         struct weft_buf *out)
{
    const struct weftc_vec_outcome *o = &d->outcome;
    weft_buf_printf(out, "region %u: ", number);
    if (d->single_item) {
        weft_buf_puts(out, "one work-item runs it for all of the group\n");
        return;
    }
    if (!o->reason)
        weft_buf_printf(out, "vectorized, %u lanes\n", d->lanes);
    else
        weft_buf_printf(out, "not vectorized: %s%s", o->reason, o->cost.refused ? "" : "\n");
    if (o->reason && o->cost.refused)
        print_exceeded_bound(d, out);
    if (o->reason && o->line)
        weft_buf_printf(out, "  the reason is in line %u\n", o->line);
    if (o->cost.iteration && !o->cost.refused)
        print_cost(d, out);
    if (!o->reason && o->versions != WEFTC_ONE_VERSION)
        weft_buf_printf(out, "  a fast path for most vector iterations, and a slow path %s\n",
                        o->versions == WEFTC_TWO_VERSIONS ? "with as many lanes"
                        : o->versions == WEFTC_SCALAR_SLOW_PATH
                            ? "in scalar code"
                            : "in scalar code: there are very many regions");
    if (!o->reason)
        print_interleaving(d, row, out);
    if (o->notes)
        print_notes(o->notes, out);
    if (d->tiling.swap_dimensions)
        weft_buf_puts(out,
                      "  memory is consecutive only along dimension 1: lanes will be along it, if groups "
                      "are long enough\n");
    if (d->tiling.tiles)
        weft_buf_puts(out, "  memory is close together along dimension 1: the kernel runs in tiles, if it is "
                           "group-shape independent\n");
}

// ---- a kernel ----

// What reqd_work_group_size means for lanes, where rows of the groups are shorter than there are lanes (ADR
// 7, ADR 22).
static void print_short_rows(LLVMModuleRef module, const struct weftc_vec_decisions *d, struct weft_buf *out)
{
    const uint64_t row = weftc_module_number(module, WEFTC_GROUP_SIZE_0);
    if (!row || row >= d->lanes)
        return;
    const bool longer = row > 1 || weftc_module_number(module, WEFTC_GROUP_SIZE_1) > 1 ||
                        weftc_module_number(module, WEFTC_GROUP_SIZE_2) > 1;
    weft_buf_printf(out, "groups have rows of %llu work-item%s, fewer than there are lanes: ",
                    (unsigned long long)row, weftc_plural(row));
    if (weftc_is_group_shape_independent(module))
        weft_buf_puts(out, "the kernel is group-shape independent, so the groups of a row run as one\n");
    else if (d->sub_groups)
        weft_buf_puts(out, "sub-groups have no more work-items, and vector iterations are masked\n");
    else if (longer)
        weft_buf_puts(out, "work-items run in scalar code; code variants that fill lanes (along another "
                           "dimension, with fewer lanes, or with tail folding) are made when the kernel has "
                           "run for a while, where they pay\n");
    else
        weft_buf_puts(out, "work-items run in scalar code\n");
}

// What is left to a measurement (ADR 27).
static void print_autotune(uint32_t candidates, struct weft_buf *out)
{
    if (!candidates)
        return;
    const bool both = candidates == (WEFT_AUTOTUNE_NARROW | WEFT_AUTOTUNE_SCALAR);
    weft_buf_printf(out,
                    "if this kernel runs for long, the runtime also measures %s (WEFT_LOG=info reports the "
                    "result)\n",
                    both                                 ? "code with at most eight lanes and scalar code"
                    : candidates == WEFT_AUTOTUNE_NARROW ? "code with at most eight lanes"
                                                         : "scalar code");
}

void weftc_vec_print_decisions(LLVMModuleRef module, const struct weftc_vec_decisions *d,
                               struct weft_buf *out)
{
    if (d->none) {
        weft_buf_printf(out, "not vectorized: %s\n", d->none);
        return;
    }
    print_short_rows(module, d, out);
    const uint64_t row = weftc_module_number(module, WEFTC_GROUP_SIZE_0);
    const bool limits = row && !weftc_is_group_shape_independent(module);
    for (unsigned k = 0; k < d->count; k++)
        print_region(k, &d->regions[k], limits ? (uint32_t)row : 0, out);
    print_autotune(d->autotune, out);
}
