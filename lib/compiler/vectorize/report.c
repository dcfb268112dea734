// The vectorizer's report (`weftc --report=vectorize`, and the build log with -weft-report), for a person who
// asks what became of a kernel, and why. For each region it has the totals, then in the order of the code
// what happens to each loop, branch and access.
//
// Notes of a function are taken while it is made, when its accesses are classified (weftc_vec_note). What is
// printed in the end is what was decided for the real code (struct weftc_vec_decisions). Nothing is decided
// here.
//
// More than 500 lines in one file: every sentence of the report is here, in the order in which it is printed.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "base/base.h"
#include "compiler/ir/cfg.h"
#include "compiler/ir/group_independence.h"
#include "compiler/ir/module_facts.h"
#include "compiler/ir/primitives.h"
#include "compiler/shapes/shapes.h"
#include "compiler/vectorize/access/access.h"
#include "compiler/vectorize/cost/cost.h"
#include "compiler/vectorize/emit/emit.h"
#include "compiler/vectorize/legalize/legalize.h"
#include "compiler/vectorize/report.h"
#include "compiler/vectorize/vectorize.h"
#include "weft/kernel_abi.h"

enum { MAX_TEXT = 160, MAX_HOW = 112 };

// Lines that are the same are printed once, in the place of the first.
struct line {
    char text[MAX_TEXT];
    unsigned times;
};

struct weftc_vec_notes {
    struct line *lines; // in the order of the code
    size_t count, capacity;
    bool failed;                           // memory was short
    unsigned accesses[WEFTC_ACCESS_KINDS]; // how many there are of each kind
    unsigned serial, together;             // other instructions lane by lane; calls of all lanes together
    unsigned uniform_branches, divergent_branches;
    unsigned uniform_values, strided_values, varying_values;
    char most_expensive[MAX_TEXT + 64]; // where lanes don't pay: the instruction that costs most
};

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

unsigned weftc_line_of(LLVMValueRef i)
{
    unsigned line = LLVMGetDebugLocLine(i);
    return line == UINT32_MAX ? 0 : line;
}

// ---- lines ----

static struct line *new_line(struct weftc_vec_notes *n)
{
    if (n->count == n->capacity) {
        const size_t capacity = n->capacity ? 2 * n->capacity : 64;
        size_t bytes;
        struct line *more =
            weft_mul_size(capacity, sizeof *more, &bytes) ? weft_realloc(n->lines, bytes) : NULL;
        if (!more) {
            n->failed = true;
            return NULL;
        }
        n->lines = more;
        n->capacity = capacity;
    }
    return &n->lines[n->count++];
}

__attribute__((format(printf, 4, 5))) static void add_line(struct weftc_vec_notes *n, unsigned depth,
                                                           unsigned line, const char *format, ...)
{
    char what[MAX_HOW], text[MAX_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (line)
        snprintf(text, sizeof text, "  line %u: %*s%s", line, (int)(2 * depth), "", what);
    else
        snprintf(text, sizeof text, "  %*s%s", (int)(2 * depth), "", what);
    // Most lines that are the same lie close together.
    for (size_t k = n->count; k > 0; k--)
        if (strcmp(text, n->lines[k - 1].text) == 0) {
            n->lines[k - 1].times++;
            return;
        }
    struct line *added = new_line(n);
    if (!added)
        return;
    memcpy(added->text, text, sizeof added->text);
    added->times = 1;
}

// ---- accesses ----

static const char *nontemporal(const struct weftc_vec *v, LLVMValueRef i, uint64_t bytes)
{
    bool full = v->s->flow.blocks[weftc_flow_block_of(&v->s->flow, LLVMGetInstructionParent(i))].full;
    return LLVMIsAStoreInst(i) && full && weftc_vec_is_nontemporal(v, i, bytes)
               ? "; past the caches in large launches"
               : "";
}

struct words {
    char *text;
    size_t size, used;
};

__attribute__((format(printf, 2, 3))) static void put(struct words *w, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int more = vsnprintf(w->text + w->used, w->size - w->used, format, arguments);
    va_end(arguments);
    w->used += more < 0 ? 0 : (size_t)more < w->size - w->used ? (size_t)more : w->size - w->used - 1;
}

static void put_count(struct words *w, uint64_t n, const char *what)
{
    put(w, "%llu %s%s", (unsigned long long)n, what, plural(n));
}

// Puts what {name} stands for in the words of access/kinds.def.
static void put_named(const struct weftc_vec *v, LLVMValueRef i, const struct weftc_access *a,
                      const char *name, size_t length, struct words *w)
{
    const struct weftc_vec_plan *plan = a->group ? &a->group->plan : NULL;
#define IS(text) (length == strlen(text) && strncmp(name, text, length) == 0)
    if (IS("words") && plan)
        put_count(w, plan->words, "word");
    else if (IS("stride") && plan)
        put(w, "%u", plan->stride);
    else if (IS("segment") && plan) {
        if (plan->words > 1)
            put(w, ": each lane's %u words at once, then shuffled", plan->words);
    } else if (IS("registers") && plan)
        put_count(w, plan->stride, "register");
    else if (IS("members") && plan)
        put(w, "%u", a->group->count);
    else if (IS("gathered"))
        put(w, LLVMIsALoadInst(i) ? "gathered" : "scattered");
    else if (IS("apart") && a->stride)
        put(w, ", %lld byte%s from lane to lane", (long long)a->stride, plural((uint64_t)a->stride));
    else if (IS("nontemporal"))
        put(w, "%s", nontemporal(v, i, (uint64_t)a->bytes * v->lanes));
    else if (IS("guard"))
        put(w, weftc_vec_shape(v, weftc_vec_pointer(i)).clamped ? "it is clamped" : "a 32-bit index wraps");
#undef IS
}

// How access i is done, in words; and counts it.
static void describe_access(const struct weftc_vec *v, LLVMValueRef i, struct weftc_vec_notes *n, char *text,
                            size_t size)
{
    const struct weftc_access *a = weftc_vec_access(v, i);
    struct words w = {.text = text, .size = size};
    n->accesses[a->kind]++;
    text[0] = '\0';
    for (const char *at = weftc_access_traits[a->kind].words; *at; at++) {
        const char *end = *at == '{' ? strchr(at, '}') : NULL;
        if (end) {
            put_named(v, i, a, at + 1, (size_t)(end - at - 1), &w);
            at = end;
        } else {
            put(&w, "%c", *at);
        }
    }
}

// Is it an access to a spill slot, where a value waits for the code after a barrier (regions/build.c)?
// Accesses to an array that the kernel has there have source lines.
static bool is_spilled(LLVMValueRef access)
{
    enum weftc_primitive p;
    unsigned dim;
    LLVMValueRef place = weftc_vec_pointer(access);
    while (LLVMIsAGetElementPtrInst(place))
        place = LLVMGetOperand(place, 0);
    return !weftc_line_of(access) && weftc_primitive_of(place, &p, &dim) && p == WEFTC_STATE;
}

// ---- instructions ----

static bool is_serial(const struct weftc_vec *v, LLVMValueRef i)
{
    return !LLVMIsATerminatorInst(i) && !LLVMIsAPHINode(i) && !weftc_vec_is_scalar(v, i) &&
           weftc_vec_needs_lane(v, i) && !weftc_vec_is_together(v, i) &&
           (v->callees || !weftc_vec_is_call(i)); // nobody knows without callees
}

static const char *name_of(LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMCall:
        return "call";
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem:
        return "division";
    default:
        return "instruction";
    }
}

// How one instruction is done; counts it. False: nothing worth a line.
static bool describe(const struct weftc_vec *v, LLVMValueRef i, struct weftc_vec_notes *n, char *text,
                     size_t size)
{
    char how[MAX_HOW];
    const struct weftc_access *a = weftc_vec_access(v, i);
    if (a->kind != WEFTC_ACCESS_NONE) {
        describe_access(v, i, n, how, sizeof how);
        if (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i))
            snprintf(text, size, "%s of %u byte%s%s: %s", LLVMIsALoadInst(i) ? "load" : "store", a->bytes,
                     plural(a->bytes), is_spilled(i) ? ", spilled across a barrier" : "", how);
        else
            snprintf(text, size, "atomic: %s", how);
    } else if (weftc_vec_is_together(v, i)) {
        n->together++;
        snprintf(text, size, "call: of all lanes together");
    } else if (is_serial(v, i)) {
        n->serial++;
        snprintf(text, size, "%s: lane by lane", name_of(i));
    } else if (v->s->assume && weftc_shape_is_speculated(v->s, i)) {
        snprintf(text, size, "speculated to be %s, which each vector iteration checks first",
                 weftc_vec_shape(v, i).kind == WEFTC_UNIFORM ? "uniform" : "strided");
    } else {
        return false;
    }
    return true;
}

static void note_instruction(const struct weftc_vec *v, LLVMValueRef i, unsigned depth,
                             struct weftc_vec_notes *n)
{
    char text[MAX_HOW];
    if (describe(v, i, n, text, sizeof text))
        add_line(n, depth, weftc_line_of(i), "%s", text);
    if (LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMVoidTypeKind)
        return;
    struct weftc_shape shape = weftc_vec_shape(v, i);
    shape.kind == WEFTC_UNIFORM   ? n->uniform_values++
    : shape.kind == WEFTC_STRIDED ? n->strided_values++
                                  : n->varying_values++;
}

static void note_block(const struct weftc_vec *v, uint32_t b, struct weftc_vec_notes *n)
{
    const struct weftc_flow *g = &v->s->flow;
    LLVMValueRef terminator = LLVMGetBasicBlockTerminator(g->blocks[b].block);
    unsigned depth = 0;
    for (uint32_t loop = g->blocks[b].loop; loop != UINT32_MAX; loop = g->loops[loop].parent)
        depth++;
    if (weftc_flow_is_header(g, b)) {
        uint32_t loop = g->blocks[b].loop;
        unsigned line = weftc_line_of(terminator);
        for (LLVMValueRef i = LLVMGetFirstInstruction(g->blocks[b].block); i && !line;
             i = LLVMGetNextInstruction(i))
            line = weftc_line_of(i);
        add_line(n, depth - 1, line, "loop %u: %s", loop,
                 g->loops[loop].divergent ? "divergent: goes on until the last lane has left" : "uniform");
    }
    for (LLVMValueRef i = LLVMGetFirstInstruction(g->blocks[b].block); i; i = LLVMGetNextInstruction(i))
        note_instruction(v, i, depth, n);
    if (weftc_out_count(&g->edges, b) > 1) {
        bool divergent = g->blocks[b].divergent;
        divergent ? n->divergent_branches++ : n->uniform_branches++;
        add_line(n, depth, weftc_line_of(terminator), "branch: %s", divergent ? "divergent" : "uniform");
    }
}

static void note_most_expensive(const struct weftc_vec *v, const struct weftc_vec_cost *cost,
                                struct weftc_vec_notes *n)
{
    static const char *const sorts[WEFTC_VEC_SORTS] = {"loads", "stores", "atomics", "calls", "operations"};
    const struct weftc_flow *g = &v->s->flow;
    LLVMValueRef i = cost->most_expensive;
    const uint32_t b = weftc_flow_block_of(g, LLVMGetInstructionParent(i));
    struct weftc_vec_notes uncounted = {0};
    char text[MAX_HOW], line[24] = "";
    bool idle = false;
    for (uint32_t loop = g->blocks[b].loop; loop != UINT32_MAX; loop = g->loops[loop].parent)
        idle |= g->loops[loop].divergent;
    if (weftc_line_of(i))
        snprintf(line, sizeof line, "line %u: ", weftc_line_of(i));
    snprintf(n->most_expensive, sizeof n->most_expensive,
             "its %s are %u %% of that, the most expensive: %s%s%s%s", sorts[weftc_vec_sort(i)],
             cost->percent, line,
             describe(v, i, &uncounted, text, sizeof text) ? text
             : weftc_vec_is_scalar(v, i)                   ? "the same for all lanes"
                                                           : name_of(i),
             idle ? ", in a divergent loop" : "",
             idle || g->blocks[b].full ? "" : ", counted as if all work-items came there");
}

struct weftc_vec_notes *weftc_vec_note(const struct weftc_vec *v, const struct weftc_vec_cost *cost)
{
    struct weftc_vec_notes *n = weft_alloc_array(1, sizeof *n);
    if (!n)
        return NULL;
    for (uint32_t b = 0; b < v->s->flow.block_count; b++)
        note_block(v, b, n);
    for (uint32_t p = 0; p < v->s->private_count; p++)
        add_line(n, 0, 0, "private memory %u: %s", p,
                 v->s->privates[p].layout == WEFTC_LAYOUT_SOA ? "interleaved over the lanes (SoA)"
                                                              : "a block for each lane");
    if (cost && cost->refused && cost->most_expensive && !cost->interleave.loses)
        note_most_expensive(v, cost, n);
    if (n->failed) {
        weftc_vec_notes_free(n);
        return NULL;
    }
    return n;
}

void weftc_vec_notes_free(struct weftc_vec_notes *n)
{
    if (n)
        weft_free(n->lines);
    weft_free(n);
}

// ---- a region ----

static void put_tenths(struct weft_buf *out, uint32_t tenths)
{
    weft_buf_printf(out, "%u.%u", tenths / 10, tenths % 10);
}

// Lanes wouldn't pay: says which bound is exceeded, and by what most.
static void print_refusal(const struct weftc_vec_decision *d, struct weft_buf *out)
{
    const struct weftc_vec_cost *cost = &d->outcome.cost;
    const struct weftc_vec_bound *time = &cost->interleave.time;
    const bool rows = cost->interleave.loses;
    weft_buf_printf(out, ": a vector iteration of %u lanes is estimated at the %s of ", d->lanes,
                    rows ? "time" : "work");
    put_tenths(out, rows ? time->estimated : cost->work.estimated);
    weft_buf_puts(out, " work-items in scalar code; at most ");
    put_tenths(out, rows ? time->allowed : cost->work.allowed);
    weft_buf_puts(out, rows ? " are allowed, where each lane goes along a row of its own" : " are allowed");
    if (!rows && time->allowed) {
        weft_buf_puts(out, ", or the time of ");
        put_tenths(out, time->allowed);
        weft_buf_puts(out, ", where it is estimated at ");
        put_tenths(out, time->estimated);
    }
    weft_buf_puts(out, "\n");
    if (d->outcome.notes && d->outcome.notes->most_expensive[0])
        weft_buf_printf(out, "  %s\n", d->outcome.notes->most_expensive);
}

static void print_cost(const struct weftc_vec_decision *d, struct weft_buf *out)
{
    const struct weftc_vec_cost *cost = &d->outcome.cost;
    weft_buf_printf(out, "  a vector iteration %s about as much as %.1f work-items in scalar code",
                    d->outcome.reason ? "would cost" : "costs", (double)cost->iteration / 16);
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
            t->chain, t->work, t->shared, t->registers, plural(t->registers), t->times * d->lanes, t->percent,
            t->times, d->lanes);
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
    if (n->serial)
        weft_buf_printf(out, "  other instructions that are done lane by lane: %u\n", n->serial);
    if (n->together)
        weft_buf_printf(out, "  calls of all lanes together: %u\n", n->together);
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
        print_refusal(d, out);
    if (o->reason && o->line)
        weft_buf_printf(out, "  the reason is in line %u\n", o->line);
    if (o->cost.iteration && !o->cost.refused)
        print_cost(d, out);
    if (!o->reason && o->versions != WEFTC_ONE_VERSION)
        weft_buf_printf(out, "  a fast path for most vector iterations, and a slow path %s\n",
                        o->versions == WEFTC_TWO_VERSIONS ? "with as many lanes" : "in scalar code");
    if (!o->reason)
        print_interleaving(d, row, out);
    if (o->notes)
        print_notes(o->notes, out);
    if (d->tiling.swap_dimensions)
        weft_buf_puts(out,
                      "  memory is consecutive only along dimension 1: lanes will be along it, if groups "
                      "are long enough\n");
    if (d->tiling.tiles)
        weft_buf_puts(out, "  memory is consecutive along dimension 1: the kernel runs in tiles, if it is "
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
                    (unsigned long long)row, plural(row));
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
