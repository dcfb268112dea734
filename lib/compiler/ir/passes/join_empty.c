// Blocks that only pass values on to the phis of their successor: the ends of a long chain of `a ? x : b ? y
// : ...`, the many `continue` of a loop. LLVM's simplifycfg removes one after the other, and looks at all
// predecessors of the successor each time; in a chain it does so from the innermost one on and moves ever
// longer lists. Here all blocks that end in one successor are removed at once. Where there are few, they are
// left to LLVM. Stateless.
#include <string.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/ir/cfg.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/passes/passes.h"

// So many empty blocks before one successor aren't left to LLVM.
enum { MANY = 96 };
#define NONE UINT32_MAX

struct joining {
    LLVMValueRef function;
    LLVMBasicBlockRef *blocks;
    uint32_t count;
    struct weftc_edges edges;
    unsigned loop_kind; // of metadata
    // For each block:
    uint32_t *sink;  // of an empty one: the block that it ends in, or NONE
    uint32_t *group; // how many empty blocks end in it
    bool *header;    // is it a loop's first one?
    uint32_t *place; // which edge comes from it
    uint32_t
        *owner; // the block whose removal gave it an edge into the sink at hand; NONE: it has no such edge
    uint32_t *stack;
    LLVMBuilderRef builder;
};

// ---- which blocks are empty ----
static LLVMValueRef first_phi(LLVMBasicBlockRef b)
{
    LLVMValueRef i = LLVMGetFirstInstruction(b);
    return i && LLVMIsAPHINode(i) ? i : NULL;
}

static LLVMValueRef next_phi(LLVMValueRef phi)
{
    LLVMValueRef i = LLVMGetNextInstruction(phi);
    return i && LLVMIsAPHINode(i) ? i : NULL;
}

static bool is_used_only_in(LLVMValueRef phi, LLVMBasicBlockRef block)
{
    for (LLVMUseRef u = LLVMGetFirstUse(phi); u; u = LLVMGetNextUse(u))
        if (!LLVMIsAPHINode(LLVMGetUser(u)) || LLVMGetInstructionParent(LLVMGetUser(u)) != block)
            return false;
    return true;
}

// Does the block choose between two values of one branch, as the end of `x ? 1 : 2`? LLVM makes a selection
// of that while only two edges lead there.
static bool is_choice(const struct joining *j, uint32_t b)
{
    uint32_t from[2];
    if (weftc_in_count(&j->edges, b) != 2 || !first_phi(j->blocks[b]))
        return false;
    for (unsigned e = 0; e < 2; e++) {
        const uint32_t before = weftc_ins(&j->edges, b)[e];
        const bool bare = LLVMIsATerminatorInst(LLVMGetFirstInstruction(j->blocks[before])) &&
                          weftc_in_count(&j->edges, before) == 1;
        from[e] = bare ? weftc_ins(&j->edges, before)[0] : before;
    }
    return from[0] == from[1];
}

static bool is_empty(const struct joining *j, uint32_t b)
{
    LLVMBasicBlockRef block = j->blocks[b];
    if (block == LLVMGetEntryBasicBlock(j->function) || weftc_out_count(&j->edges, b) != 1 ||
        weftc_in_count(&j->edges, b) == 0)
        return false;
    const uint32_t to = weftc_outs(&j->edges, b)[0];
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(block);
    if (to == b || !LLVMIsABranchInst(branch) || is_choice(j, b))
        return false;
    // A phi of a successor that isn't a loop's first block uses what is computed here only as what comes from
    // here.
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i != branch; i = LLVMGetNextInstruction(i))
        if (!LLVMIsAPHINode(i) || j->header[to] || !is_used_only_in(i, j->blocks[to]))
            return false;
    // As simplifycfg, keeps what makes a loop's entry or its end one block.
    if (weftc_in_count(&j->edges, b) > 1 && (j->header[b] || j->header[to]))
        return false;
    // What is said of the loop goes to the branch before it.
    const bool said = LLVMGetMetadata(branch, j->loop_kind) != NULL;
    for (uint32_t e = 0; e < weftc_in_count(&j->edges, b); e++) {
        LLVMValueRef before = LLVMGetBasicBlockTerminator(j->blocks[weftc_ins(&j->edges, b)[e]]);
        if ((!LLVMIsABranchInst(before) && !LLVMIsASwitchInst(before)) ||
            (said && (LLVMGetNumSuccessors(before) == 1 || LLVMGetMetadata(before, j->loop_kind))))
            return false;
    }
    return true;
}

// Marks the blocks that an edge leads back to, by a walk from the entry.
static bool find_headers(struct joining *j)
{
    uint32_t *next = weft_alloc_array((size_t)j->count + 1, sizeof *next);
    bool *open = weft_alloc_array((size_t)j->count + 1, sizeof *open);
    uint32_t depth = 0;
    const bool ok = next && open;
    if (ok) {
        const uint32_t entry = weftc_edges_block(&j->edges, LLVMGetEntryBasicBlock(j->function));
        j->stack[depth++] = entry;
        open[entry] = true;
        next[entry] = 1;
    }
    while (depth > 0) {
        const uint32_t b = j->stack[depth - 1], k = next[b] - 1;
        if (k == weftc_out_count(&j->edges, b)) {
            open[b] = false;
            depth--;
            continue;
        }
        next[b]++;
        const uint32_t to = weftc_outs(&j->edges, b)[k];
        if (open[to])
            j->header[to] = true;
        if (next[to] == 0) {
            next[to] = open[to] = 1;
            j->stack[depth++] = to;
        }
    }
    weft_free(next);
    weft_free(open);
    return ok;
}

// Follows each empty block to the one that it ends in, and counts. A ring of empty blocks ends nowhere.
static void find_sinks(struct joining *j)
{
    enum { UNKNOWN = NONE - 1, OPEN = NONE - 2 };
    for (uint32_t b = 0; b < j->count; b++)
        j->sink[b] = is_empty(j, b) ? UNKNOWN : NONE;
    for (uint32_t b = 0; b < j->count; b++) {
        uint32_t depth = 0, at = b;
        while (j->sink[at] == UNKNOWN) {
            j->sink[at] = OPEN;
            j->stack[depth++] = at;
            at = weftc_outs(&j->edges, at)[0];
        }
        const uint32_t end = j->sink[at] == OPEN ? NONE : j->sink[at] == NONE ? at : j->sink[at];
        while (depth > 0) {
            j->sink[j->stack[--depth]] = end;
            if (end != NONE)
                j->group[end]++;
        }
    }
}

// ---- the change ----
// An edge into the sink: the block that it comes from, and what each phi of the sink gets.
struct list {
    LLVMBasicBlockRef *from;
    LLVMValueRef *values; // phi by phi for each edge
    uint32_t count, capacity;
};

static bool add_edge(struct list *l, uint32_t phis, LLVMBasicBlockRef from, LLVMValueRef *const *values)
{
    if (l->count == l->capacity) {
        const uint32_t capacity = l->capacity ? 2 * l->capacity : 256;
        LLVMBasicBlockRef *more_from = weft_realloc(l->from, (size_t)capacity * sizeof *more_from);
        l->from = more_from ? more_from : l->from;
        LLVMValueRef *more = weft_realloc(l->values, ((size_t)capacity * phis + 1) * sizeof *more);
        l->values = more ? more : l->values;
        if (!more_from || !more)
            return false;
        l->capacity = capacity;
    }
    l->from[l->count] = from;
    memcpy(&l->values[(size_t)l->count * phis], *values, phis * sizeof **values);
    l->count++;
    return true;
}

// Reads what the phis of block b get over each edge into it, in the order of weftc_ins: values[edge * phis +
// phi].
static LLVMValueRef *read_phis(struct joining *j, uint32_t b, uint32_t *phis)
{
    *phis = 0;
    for (LLVMValueRef phi = first_phi(j->blocks[b]); phi; phi = next_phi(phi))
        ++*phis;
    LLVMValueRef *values = weft_alloc_array((size_t)*phis * weftc_in_count(&j->edges, b) + 1, sizeof *values);
    for (uint32_t e = 0; values && e < weftc_in_count(&j->edges, b); e++)
        j->place[weftc_ins(&j->edges, b)[e]] = e;
    uint32_t number = 0;
    for (LLVMValueRef phi = first_phi(j->blocks[b]); values && phi; phi = next_phi(phi), number++)
        for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
            const uint32_t from = weftc_edges_block(&j->edges, LLVMGetIncomingBlock(phi, k));
            values[(size_t)j->place[from] * *phis + number] = LLVMGetIncomingValue(phi, k);
        }
    // A block may have several edges into this one; they all bring the same value.
    for (uint32_t e = 0; values && e < weftc_in_count(&j->edges, b); e++) {
        const uint32_t same = j->place[weftc_ins(&j->edges, b)[e]];
        if (same != e)
            memcpy(&values[(size_t)e * *phis], &values[(size_t)same * *phis], *phis * sizeof *values);
    }
    return values;
}

struct visit {
    uint32_t block;
    LLVMValueRef *values; // at the end of the block, for the phis of the sink
};

struct visits {
    struct visit *at;
    uint32_t count, capacity;
};

static bool visit_later(struct visits *v, uint32_t block, LLVMValueRef *values)
{
    if (v->count == v->capacity) {
        const uint32_t capacity = v->capacity ? 2 * v->capacity : 64;
        struct visit *larger = weft_realloc(v->at, capacity * sizeof *larger);
        if (!larger)
            return false;
        v->at = larger;
        v->capacity = capacity;
    }
    v->at[v->count++] = (struct visit){block, values};
    return true;
}

static bool is_phi_of(LLVMValueRef v, LLVMBasicBlockRef b)
{
    return LLVMIsAPHINode(v) && LLVMGetInstructionParent(v) == b;
}

// Would a block get a second edge into the sink by the removal of b? Two edges would have to bring the same.
static bool has_second_edge(const struct joining *j, uint32_t b, uint32_t sink)
{
    for (uint32_t e = 0; e < weftc_in_count(&j->edges, b); e++) {
        const uint32_t from = weftc_ins(&j->edges, b)[e];
        if (j->sink[from] != sink && j->owner[from] != NONE && j->owner[from] != b)
            return true;
    }
    return false;
}

// Leads the edges into block b to the sink, in the lists.
static bool pass_edges(struct joining *j, struct list *l, struct visits *visits, uint32_t b, uint32_t sink,
                       const struct visit *at, uint32_t phis)
{
    uint32_t own;
    LLVMValueRef *incoming = read_phis(j, b, &own),
                 *values = weft_alloc_array((size_t)phis + 1, sizeof *values);
    bool ok = incoming && values;
    for (uint32_t e = 0; ok && e < weftc_in_count(&j->edges, b); e++) {
        const uint32_t from = weftc_ins(&j->edges, b)[e];
        for (uint32_t p = 0; p < phis; p++) {
            values[p] = at->values[p];
            if (!is_phi_of(values[p], j->blocks[b]))
                continue;
            uint32_t number = 0;
            for (LLVMValueRef phi = first_phi(j->blocks[b]); phi != values[p]; phi = next_phi(phi))
                number++;
            values[p] = incoming[(size_t)e * own + number];
        }
        if (j->sink[from] == sink) {
            LLVMValueRef *copy = weft_memdup(values, ((size_t)phis + 1) * sizeof *values);
            ok = copy && visit_later(visits, from, copy);
        } else {
            j->owner[from] = b;
            ok = add_edge(l, phis, j->blocks[from], &values);
        }
    }
    weft_free(incoming);
    weft_free(values);
    return ok;
}

static void redirect(struct joining *j, uint32_t b, uint32_t sink)
{
    LLVMValueRef said = LLVMGetMetadata(LLVMGetBasicBlockTerminator(j->blocks[b]), j->loop_kind);
    for (uint32_t e = 0; e < weftc_in_count(&j->edges, b); e++) {
        const uint32_t from = weftc_ins(&j->edges, b)[e];
        if (j->sink[from] == sink)
            continue;
        LLVMValueRef branch = LLVMGetBasicBlockTerminator(j->blocks[from]);
        for (unsigned k = 0; k < LLVMGetNumSuccessors(branch); k++)
            if (LLVMGetSuccessor(branch, k) == j->blocks[b])
                LLVMSetSuccessor(branch, k, j->blocks[sink]);
        if (said)
            LLVMSetMetadata(branch, j->loop_kind, said);
    }
}

// Gives the sink phis with the edges of the list. The old ones may be among the values.
static void replace_phis(struct joining *j, uint32_t sink, const struct list *l, uint32_t phis)
{
    LLVMValueRef first = first_phi(j->blocks[sink]), old = first, built = NULL;
    for (uint32_t p = 0; p < phis; p++, old = LLVMGetNextInstruction(old)) {
        LLVMPositionBuilderBefore(j->builder, first);
        LLVMValueRef phi = LLVMBuildPhi(j->builder, LLVMTypeOf(old), "");
        built = built ? built : phi;
        for (uint32_t e = 0; e < l->count; e++)
            LLVMAddIncoming(phi, &l->values[(size_t)e * phis + p], &l->from[e], 1);
    }
    old = first;
    for (uint32_t p = 0; p < phis; p++) {
        LLVMValueRef next = LLVMGetNextInstruction(old);
        LLVMReplaceAllUsesWith(old, built);
        LLVMInstructionEraseFromParent(old);
        built = LLVMGetNextInstruction(built);
        old = next;
    }
}

static bool join_into(struct joining *j, uint32_t sink)
{
    struct list l = {0};
    struct visits visits = {0};
    uint32_t phis;
    LLVMValueRef *incoming = read_phis(j, sink, &phis);
    bool ok = incoming != NULL;
    for (uint32_t e = 0; ok && e < weftc_in_count(&j->edges, sink); e++) {
        const uint32_t from = weftc_ins(&j->edges, sink)[e];
        LLVMValueRef *values = &incoming[(size_t)e * phis];
        if (j->sink[from] == sink) {
            LLVMValueRef *copy = weft_memdup(values, ((size_t)phis + 1) * sizeof *values);
            ok = copy && visit_later(&visits, from, copy);
        } else {
            j->owner[from] = sink;
            ok = add_edge(&l, phis, j->blocks[from], &values);
        }
    }
    // The list of visits grows, and moves, while it is walked.
    uint32_t removed = 0;
    for (uint32_t k = 0; ok && k < visits.count; k++) {
        const struct visit at = visits.at[k];
        if (has_second_edge(j, at.block, sink)) {
            // Stays, and so do the empty blocks before it.
            j->sink[at.block] = NONE;
            LLVMValueRef *values = at.values;
            j->owner[at.block] = sink;
            ok = add_edge(&l, phis, j->blocks[at.block], &values);
        } else {
            ok = pass_edges(j, &l, &visits, at.block, sink, &at, phis);
            j->stack[removed++] = at.block;
        }
    }
    if (ok) {
        for (uint32_t k = 0; k < removed; k++)
            redirect(j, j->stack[k], sink);
        replace_phis(j, sink, &l, phis);
        for (uint32_t k = 0; k < removed; k++) { // from the sink on: phis go before those that they use
            for (LLVMValueRef phi; (phi = first_phi(j->blocks[j->stack[k]]));)
                LLVMInstructionEraseFromParent(phi);
            LLVMDeleteBasicBlock(j->blocks[j->stack[k]]);
        }
    }
    for (uint32_t e = 0; e < l.count; e++)
        j->owner[weftc_edges_block(&j->edges, l.from[e])] = NONE;
    for (uint32_t k = 0; k < visits.count; k++)
        weft_free(visits.at[k].values);
    weft_free(incoming);
    weft_free(visits.at);
    weft_free(l.from);
    weft_free(l.values);
    return ok;
}

static bool join_all(struct joining *j)
{
    j->blocks = weft_alloc_array(j->count, sizeof *j->blocks);
    j->sink = weft_alloc_array(j->count, sizeof *j->sink);
    j->group = weft_alloc_array(j->count, sizeof *j->group);
    j->header = weft_alloc_array(j->count, sizeof *j->header);
    j->stack = weft_alloc_array(j->count, sizeof *j->stack);
    j->place = weft_alloc_array(j->count, sizeof *j->place);
    j->owner = weft_alloc_array(j->count, sizeof *j->owner);
    if (!j->blocks || !j->sink || !j->group || !j->header || !j->stack || !j->place || !j->owner)
        return false;
    LLVMGetBasicBlocks(j->function, j->blocks);
    for (uint32_t b = 0; b < j->count; b++)
        j->owner[b] = NONE;
    if (weftc_edges_init(&j->edges, j->blocks, j->count) != WEFT_OK || !find_headers(j))
        return false;
    find_sinks(j);
    bool ok = true;
    for (uint32_t b = 0; ok && b < j->count; b++)
        if (j->sink[b] == NONE && j->group[b] >= MANY)
            ok = join_into(j, b);
    return ok;
}

weft_status weftc_join_empty_blocks(LLVMValueRef function)
{
    struct joining j = {.function = function, .count = LLVMCountBasicBlocks(function)};
    if (j.count < MANY)
        return WEFT_OK;
    LLVMContextRef c = LLVMGetModuleContext(LLVMGetGlobalParent(function));
    j.builder = LLVMCreateBuilderInContext(c);
    j.loop_kind = LLVMGetMDKindIDInContext(c, "llvm.loop", sizeof "llvm.loop" - 1);
    const bool ok = join_all(&j);
    LLVMDisposeBuilder(j.builder);
    weftc_edges_fini(&j.edges);
    void *const all[] = {j.blocks, j.sink, j.group, j.header, j.stack, j.place, j.owner};
    for (size_t k = 0; k < WEFT_COUNT_OF(all); k++)
        weft_free(all[k]);
    return ok ? WEFT_OK : WEFT_NO_MEMORY;
}
