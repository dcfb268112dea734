// `weftc --report=vectorize`, and the build log with -weft-report: for a person who asks what became of a kernel and why. For
// each region the totals, then in the order of the code what happens to each loop, branch and access.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "base/base.h"
#include "compiler/ir/cfg.h"
#include "compiler/ir/primitives.h"
#include "compiler/shapes/shapes.h"
#include "compiler/vectorize/access/access.h"
#include "compiler/vectorize/cost/cost.h"
#include "compiler/vectorize/emit/emit.h"
#include "compiler/vectorize/legalize/legalize.h"
#include "compiler/vectorize/vectorize.h"

enum { LONGEST = 112 }; // what is told of an instruction

struct tally {
    unsigned accesses[WEFTC_ACCESS_KINDS], serial, together; // the last two of other instructions
    unsigned uniform_branches, divergent_branches;
    unsigned uniform_values, strided_values, varying_values;
};

// What is told in the order of the code; lines that are the same are told once, where the first is.
struct line {
    char text[160];
    unsigned times;
};
struct teller {
    struct line *lines;
    size_t count, capacity;
    bool failed;
};

static void flush(struct teller *t, struct weft_buf *out)
{
    for (size_t i = 0; i < t->count; i++) {
        weft_buf_puts(out, t->lines[i].text);
        if (t->lines[i].times > 1)
            weft_buf_printf(out, " (%u times)", t->lines[i].times);
        weft_buf_puts(out, "\n");
    }
    out->failed |= t->failed;
    weft_free(t->lines);
}

static struct line *new_line(struct teller *t)
{
    if (t->count == t->capacity) {
        const size_t capacity = t->capacity ? 2 * t->capacity : 64;
        size_t bytes;
        struct line *more =
            weft_mul_size(capacity, sizeof *more, &bytes) ? weft_realloc(t->lines, bytes) : NULL;
        if (!more) {
            t->failed = true;
            return NULL;
        }
        t->lines = more;
        t->capacity = capacity;
    }
    return &t->lines[t->count++];
}

static unsigned line_of(LLVMValueRef i)
{
    unsigned line = LLVMGetDebugLocLine(i);
    return line == UINT32_MAX ? 0 : line;
}

__attribute__((format(printf, 4, 5))) static void tell(struct teller *t, unsigned depth, unsigned line,
                                                       const char *format, ...)
{
    char what[LONGEST], text[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (line)
        snprintf(text, sizeof text, "  line %u: %*s%s", line, (int)(2 * depth), "", what);
    else
        snprintf(text, sizeof text, "  %*s%s", (int)(2 * depth), "", what);
    // Most that are the same lie close together.
    for (size_t k = t->count; k > 0; k--)
        if (strcmp(text, t->lines[k - 1].text) == 0) {
            t->lines[k - 1].times++;
            return;
        }
    struct line *added = new_line(t);
    if (!added)
        return;
    memcpy(added->text, text, sizeof added->text);
    added->times = 1;
}

// ---- accesses ----

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

// All lanes store so many bytes side by side.
static const char *streams(const struct weftc_vec *v, LLVMValueRef i, uint64_t bytes)
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

// What {name} stands for in the words of access/kinds.def.
static void put_named(const struct weftc_vec *v, LLVMValueRef i, const struct weftc_access *a,
                      const char *name, size_t length, struct words *w)
{
    const struct weftc_vec_plan *plan = a->group ? &a->group->plan : NULL;
#define IS(text) (length == strlen(text) && strncmp(name, text, length) == 0)
    if (IS("words") && plan)
        put_count(w, plan->words, "word");
    else if (IS("stride") && plan)
        put(w, "%u", plan->stride);
    else if (IS("registers") && plan)
        put_count(w, plan->stride, "register");
    else if (IS("members") && plan)
        put(w, "%u", a->group->count);
    else if (IS("gathered"))
        put(w, LLVMIsALoadInst(i) ? "gathered" : "scattered");
    else if (IS("apart") && a->stride)
        put(w, ", %lld byte%s from lane to lane", (long long)a->stride, plural((uint64_t)a->stride));
    else if (IS("nontemporal"))
        put(w, "%s", streams(v, i, (uint64_t)a->bytes * v->lanes));
    else if (IS("guard"))
        put(w, weftc_vec_shape(v, weftc_vec_pointer(i)).clamped ? "it is clamped" : "a 32-bit index wraps");
#undef IS
}

// How access i is done, in words; and counts it.
static void describe_access(const struct weftc_vec *v, LLVMValueRef i, struct tally *t, char *text,
                            size_t size)
{
    const struct weftc_access *a = weftc_vec_access(v, i);
    struct words w = {.text = text, .size = size};
    t->accesses[a->kind]++;
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

static bool is_serial(const struct weftc_vec *v, LLVMValueRef i)
{
    return !LLVMIsATerminatorInst(i) && !LLVMIsAPHINode(i) && !weftc_vec_is_scalar(v, i) &&
           weftc_vec_needs_lane(v, i) && !weftc_vec_is_together(v, i);
}

static const char *name_of(LLVMValueRef i)
{
    if (LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i))
        return "atomic";
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

// Of the row in which a value waits for what is behind a barrier (regions/build.c)? An array there has source lines.
static bool is_kept(LLVMValueRef access)
{
    enum weftc_primitive p;
    unsigned dim;
    LLVMValueRef place = LLVMGetOperand(access, LLVMIsALoadInst(access) ? 0 : 1);
    while (LLVMIsAGetElementPtrInst(place))
        place = LLVMGetOperand(place, 0);
    return !line_of(access) && weftc_primitive_of(place, &p, &dim) && p == WEFTC_STATE;
}

// What happens to one instruction; counts it. False: nothing worth a line.
static bool describe(const struct weftc_vec *v, LLVMValueRef i, struct tally *t, char *text, size_t size)
{
    char how[96];
    const struct weftc_access *a = weftc_vec_access(v, i);
    if (a->kind != WEFTC_ACCESS_NONE) {
        describe_access(v, i, t, how, sizeof how);
        if (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i))
            snprintf(text, size, "%s of %u byte%s%s: %s", LLVMIsALoadInst(i) ? "load" : "store", a->bytes,
                     plural(a->bytes), is_kept(i) ? ", kept across a barrier" : "", how);
        else
            snprintf(text, size, "atomic: %s", how);
    } else if (weftc_vec_is_together(v, i)) {
        t->together++;
        snprintf(text, size, "call: of all lanes together");
    } else if (is_serial(v, i)) {
        t->serial++;
        snprintf(text, size, "%s: lane by lane", name_of(i));
    } else if (v->s->assume && weftc_shape_is_speculated(v->s, i)) {
        snprintf(text, size, "assumed to be %s, which each step asks first",
                 weftc_vec_shape(v, i).kind == WEFTC_UNIFORM ? "uniform" : "strided");
    } else {
        return false;
    }
    return true;
}

static void report_instruction(const struct weftc_vec *v, LLVMValueRef i, unsigned depth, struct tally *t,
                               struct teller *teller)
{
    char text[LONGEST];
    if (describe(v, i, t, text, sizeof text))
        tell(teller, depth, line_of(i), "%s", text);
    if (LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMVoidTypeKind)
        return;
    struct weftc_shape shape = weftc_vec_shape(v, i);
    shape.kind == WEFTC_UNIFORM   ? t->uniform_values++
    : shape.kind == WEFTC_STRIDED ? t->strided_values++
                                  : t->varying_values++;
}

static void report_block(const struct weftc_vec *v, uint32_t b, struct tally *t, struct teller *teller)
{
    const struct weftc_flow *g = &v->s->flow;
    LLVMValueRef terminator = LLVMGetBasicBlockTerminator(g->blocks[b].block);
    unsigned depth = 0;
    for (uint32_t loop = g->blocks[b].loop; loop != UINT32_MAX; loop = g->loops[loop].parent)
        depth++;
    if (weftc_flow_is_header(g, b)) {
        uint32_t loop = g->blocks[b].loop;
        unsigned line = line_of(terminator);
        for (LLVMValueRef i = LLVMGetFirstInstruction(g->blocks[b].block); i && !line;
             i = LLVMGetNextInstruction(i))
            line = line_of(i);
        tell(teller, depth - 1, line, "loop %u: %s", loop,
             g->loops[loop].divergent ? "divergent: goes on until the last lane has left" : "uniform");
    }
    for (LLVMValueRef i = LLVMGetFirstInstruction(g->blocks[b].block); i; i = LLVMGetNextInstruction(i))
        report_instruction(v, i, depth, t, teller);
    if (weftc_out_count(&g->edges, b) > 1) {
        bool divergent = g->blocks[b].divergent;
        divergent ? t->divergent_branches++ : t->uniform_branches++;
        tell(teller, depth, line_of(terminator), "branch: %s", divergent ? "divergent" : "uniform");
    }
}

static void report_interleave(const struct weftc_vec *v, const struct weftc_vec_interleave *t,
                              struct weft_buf *out)
{
    if (t->percent)
        weft_buf_printf(out,
                        "  %u cycle%s of latency, %u of work, %u of work shared, %u register%s: one step of "
                        "%u lanes takes "
                        "%u %% of %s steps of %u\n",
                        t->chain, plural(t->chain), t->work, t->shared, t->registers, plural(t->registers),
                        t->times * v->lanes, t->percent, t->times == 4 ? "four" : "two", v->lanes);
    if (t->reason)
        weft_buf_printf(out, "  no steps of %u lanes: %s\n", t->times * v->lanes, t->reason);
    else
        weft_buf_printf(out, "  steps of %u lanes, then of %u\n", t->times * v->lanes, v->lanes);
}

static void puts_tenths(struct weft_buf *out, uint32_t tenths)
{
    weft_buf_printf(out, "%u.%u", tenths / 10, tenths % 10);
}

// Lanes wouldn't pay: by which bound, and what exceeds it most.
static void report_refusal(const struct weftc_vec *v, const struct weftc_vec_cost *cost, struct weft_buf *out)
{
    const struct weftc_vec_bound *time = &cost->twice.time;
    const bool rows = cost->twice.loses;
    weft_buf_printf(out, ": a step of %u lanes is estimated as the %s of ", v->lanes, rows ? "time" : "work");
    puts_tenths(out, rows ? time->estimated : cost->work.estimated);
    weft_buf_puts(out, " work-items alone; at most ");
    puts_tenths(out, rows ? time->allowed : cost->work.allowed);
    weft_buf_puts(out, rows ? " are allowed, where each lane goes along a row of its own" : " are allowed");
    if (!rows && time->allowed) {
        weft_buf_puts(out, ", or the time of ");
        puts_tenths(out, time->allowed);
        weft_buf_puts(out, ", where it is estimated at ");
        puts_tenths(out, time->estimated);
    }
    weft_buf_puts(out, "\n");
    if (rows || !cost->most_expensive)
        return;
    const struct weftc_flow *g = &v->s->flow;
    const uint32_t b = weftc_flow_block_of(g, LLVMGetInstructionParent(cost->most_expensive));
    bool idle = false;
    for (uint32_t loop = g->blocks[b].loop; loop != UINT32_MAX; loop = g->loops[loop].parent)
        idle |= g->loops[loop].divergent;
    struct tally t = {0};
    char text[LONGEST];
    static const char *const sorts[WEFTC_VEC_SORTS] = {"loads", "stores", "atomics", "calls", "operations"};
    weft_buf_printf(out, "  its %s are %u %% of that, the most_expensive: ",
                    sorts[weftc_vec_sort(cost->most_expensive)], cost->percent);
    if (line_of(cost->most_expensive))
        weft_buf_printf(out, "line %u: ", line_of(cost->most_expensive));
    weft_buf_puts(out, describe(v, cost->most_expensive, &t, text, sizeof text) ? text
                       : weftc_vec_is_scalar(v, cost->most_expensive)           ? "the same for all lanes"
                                                                      : name_of(cost->most_expensive));
    weft_buf_printf(out, "%s%s\n", idle ? ", in a divergent loop" : "",
                    idle || g->blocks[b].full ? "" : ", counted as if all work-items came there");
}

// How many accesses there are of each name; several kinds may have one.
static void report_accesses(const struct tally *t, struct weft_buf *out)
{
    const char *separator = "  accesses: ";
    for (unsigned k = 1; k < WEFTC_ACCESS_KINDS; k++) {
        const char *name = weftc_access_traits[k].name;
        unsigned count = 0, first = k;
        for (unsigned n = WEFTC_ACCESS_KINDS - 1; n >= 1; n--)
            if (strcmp(weftc_access_traits[n].name, name) == 0) {
                count += t->accesses[n];
                first = n;
            }
        if (first != k || !count)
            continue;
        weft_buf_printf(out, "%s%u %s", separator, count, name);
        separator = ", ";
    }
    weft_buf_puts(out, separator[0] == ' ' ? "  accesses: none\n" : "\n");
    if (t->serial)
        weft_buf_printf(out, "  other instructions lane by lane: %u\n", t->serial);
    if (t->together)
        weft_buf_printf(out, "  calls of all lanes together: %u\n", t->together);
}

void weftc_vec_report(const struct weftc_vec *v, unsigned region, const struct weftc_vec_outcome *outcome,
                      struct weft_buf *out)
{
    const struct weftc_flow *g = &v->s->flow;
    struct tally t = {0};
    struct teller teller = {0};
    for (uint32_t b = 0; b < g->block_count; b++)
        report_block(v, b, &t, &teller);
    if (outcome->reason)
        weft_buf_printf(out, "region %u: not vectorized: %s%s", region, outcome->reason,
                        outcome->cost.refused ? "" : "\n");
    else
        weft_buf_printf(out, "region %u: vectorized, %u lanes\n", region, v->lanes);
    if (outcome->reason && outcome->cost.refused)
        report_refusal(v, &outcome->cost, out);
    if (outcome->reason && outcome->at && line_of(outcome->at))
        weft_buf_printf(out, "  line %u is to blame\n", line_of(outcome->at));
    if (outcome->cost.step && !outcome->cost.refused) {
        weft_buf_printf(out, "  a step of all lanes %s about as much as %.1f work-items alone",
                        outcome->reason ? "would cost" : "costs", (double)outcome->cost.step / 16);
        // The count of work is against these.
        if (outcome->cost.twice.saves && outcome->cost.work.estimated > outcome->cost.work.allowed) {
            weft_buf_puts(out, ", and takes the time of ");
            puts_tenths(out, outcome->cost.twice.time.estimated);
        }
        weft_buf_puts(out, "\n");
    }
    if (!outcome->reason)
        report_interleave(v, &outcome->cost.twice, out);
    report_accesses(&t, out);
    weft_buf_printf(out, "  branches: %u uniform, %u divergent\n", t.uniform_branches, t.divergent_branches);
    weft_buf_printf(out, "  values: %u uniform, %u strided, %u varying\n", t.uniform_values, t.strided_values,
                    t.varying_values);
    flush(&teller, out);
    for (uint32_t p = 0; p < v->s->private_count; p++)
        weft_buf_printf(out, "  private memory %u: %s\n", p,
                        v->s->privates[p].layout == WEFTC_LAYOUT_SOA ? "woven over the lanes"
                                                                     : "a block for each lane");
}
