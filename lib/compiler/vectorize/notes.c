// Notes for the vectorizer's report (vectorize/report.c): how each loop, branch, access and call of a
// function is done, in words. They are taken while the function is made, when its accesses are classified.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "base/base.h"
#include "compiler/ir/cfg.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/primitives.h"
#include "compiler/shapes/shapes.h"
#include "compiler/vectorize/access/access.h"
#include "compiler/vectorize/cost/cost.h"
#include "compiler/vectorize/report.h"

enum { MAX_HOW = 192 }; // bytes of the longest sentence, with what is before it

const char *weftc_plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

unsigned weftc_line_of(LLVMValueRef i)
{
    unsigned line = LLVMIsAInstruction(i) ? weftc_source_line(i) : LLVMGetDebugLocLine(i);
    return line == UINT32_MAX ? 0 : line;
}

// ---- lines ----

static struct weftc_vec_note_line *new_line(struct weftc_vec_notes *n)
{
    if (n->count == n->capacity) {
        const size_t capacity = n->capacity ? 2 * n->capacity : 64;
        size_t bytes;
        struct weftc_vec_note_line *more =
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
    char what[MAX_HOW], text[WEFTC_MAX_NOTE];
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
    struct weftc_vec_note_line *added = new_line(n);
    if (!added)
        return;
    memcpy(added->text, text, sizeof added->text);
    added->times = 1;
}

// ---- accesses ----

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
    put(w, "%llu %s%s", (unsigned long long)n, what, weftc_plural(n));
}

// The names that may stand in {} in the words of access/kinds.def; put_named knows what each stands for.
static const char *const names[] = {"words", "stride", "segment",     "registers", "members",  "gathered",
                                    "apart", "whole",  "nontemporal", "guard",     "backwards"};

static bool is_name(const char *name, size_t length)
{
    for (size_t k = 0; k < WEFT_COUNT_OF(names); k++)
        if (strlen(names[k]) == length && strncmp(name, names[k], length) == 0)
            return true;
    return false;
}

// A mistake in kinds.def ends the process. All rows are checked, so any test of the report finds it.
static void check_words(void)
{
    for (unsigned k = 0; k < WEFTC_ACCESS_KINDS; k++)
        for (const char *at = strchr(weftc_access_traits[k].words, '{'); at; at = strchr(at + 1, '{')) {
            const char *end = strchr(at, '}');
            if (end && is_name(at + 1, (size_t)(end - at - 1)))
                continue;
            fprintf(stderr,
                    "weftc: internal error: access/kinds.def has a name that notes.c doesn't know: %s\n", at);
            abort();
        }
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
        put(w, ", %lld byte%s from lane to lane", (long long)a->stride, weftc_plural((uint64_t)a->stride));
    else if (IS("backwards") && plan && plan->backwards)
        put(w, ", backwards");
    else if (IS("whole") && plan && plan->whole)
        put(w, ", where all lanes are active");
    else if (IS("nontemporal") && a->nontemporal)
        put(w, "; past the caches in large launches");
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
    const enum weftc_call_kind call = weftc_vec_call(v, i)->kind;
    if (a->kind != WEFTC_ACCESS_NONE) {
        describe_access(v, i, n, how, sizeof how);
        if (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i))
            snprintf(text, size, "%s of %u byte%s%s: %s", LLVMIsALoadInst(i) ? "load" : "store", a->bytes,
                     weftc_plural(a->bytes), is_spilled(i) ? ", spilled across a barrier" : "", how);
        else
            snprintf(text, size, "atomic: %s", how);
    } else if (weftc_call_traits[call].words[0]) {
        n->calls[call]++;
        snprintf(text, size, "call: %s", weftc_call_traits[call].words);
    } else if (v->s->speculate && weftc_shape_is_speculated(v->s, i)) {
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
    check_words();
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
