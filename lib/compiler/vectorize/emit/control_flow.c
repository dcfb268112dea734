// Control flow of the vectorized function: uniform branches stay, divergent ones are linearized.
//
// Blocks are emitted in the order of the flow. After a divergent branch, lanes wait at several blocks. The
// one that is first in the order runs next. The others are *pending*: they run later, each under the mask of
// the lanes that came there. If a block may have no lane at all, a branch around it goes straight to the
// first pending block. A divergent loop goes on while any lane is in it. Lanes that leave wait at the exits,
// which are pending for the loop as a whole. At the end of an iteration the loop goes on if a lane came back
// to its header.
//
//       if (x) A; else B; C;        mask A = x         -> A (unless empty) -> B (unless empty) -> C
//                                   mask B = !x
//
// Masks and PHIs are stack slots. Each edge stores what it hands over, a varying value only in its own lanes,
// and the block loads it. LLVM makes registers of them.
//
// More than 500 lines in one file: masks, edges and loops are one walk over the blocks, with one state.
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include "base/base.h"
#include "compiler/ir/cfg.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/module_facts.h"
#include "compiler/ir/value_map.h"
#include "compiler/shapes/shapes.h"
#include "compiler/vectorize/access/access.h"
#include "compiler/vectorize/emit/emit.h"

enum { NONE = UINT32_MAX };

// ---- sets ----

static void insert(struct weftc_emission *em, struct weftc_vec_set *s, uint32_t block)
{
    uint32_t at = s->count;
    while (at > 0 && s->list[at - 1] > block)
        at--;
    if (at > 0 && s->list[at - 1] == block)
        return;
    if (s->count == s->capacity) {
        uint32_t capacity = s->capacity ? 2 * s->capacity : 8;
        uint32_t *larger = weft_realloc(s->list, capacity * sizeof *larger);
        if (!larger) {
            em->no_memory = true;
            return;
        }
        s->list = larger;
        s->capacity = capacity;
    }
    memmove(s->list + at + 1, s->list + at, (s->count - at) * sizeof *s->list);
    s->list[at] = block;
    s->count++;
}

static void insert_all(struct weftc_emission *em, struct weftc_vec_set *s, const struct weftc_vec_set *more)
{
    for (uint32_t k = 0; k < more->count; k++)
        insert(em, s, more->list[k]);
}

// ---- where to go ----

static LLVMBasicBlockRef new_block(struct weftc_emission *em)
{
    return LLVMAppendBasicBlockInContext(em->c, em->to, "");
}

static LLVMBasicBlockRef head_of(struct weftc_emission *em, uint32_t block)
{
    if (!em->blocks[block].head)
        em->blocks[block].head = new_block(em);
    return em->blocks[block].head;
}

static LLVMBasicBlockRef fail(struct weftc_emission *em, const char *reason)
{
    if (!em->reason)
        em->reason = reason;
    return em->entry;
}

// Takes all of *targets, blocks inside or outside of the level, and picks the one to run next; the others
// wait. nonempty: the block that is known to have a lane, if it is the next one.
static LLVMBasicBlockRef route(struct weftc_emission *em, uint32_t level, struct weftc_vec_set *targets,
                               uint32_t nonempty)
{
    const struct weftc_flow *g = &em->v->s->flow;
    for (;;) {
        struct weftc_vec_set outside = {0};
        uint32_t inside = 0;
        for (uint32_t k = 0; k < targets->count; k++) {
            if (weftc_flow_in_loop(g, level, targets->list[k]))
                targets->list[inside++] = targets->list[k];
            else
                insert(em, &outside, targets->list[k]);
        }
        targets->count = inside;
        bool divergent = level != NONE && g->loops[level].divergent;
        if (divergent)
            insert_all(em, &em->loops[level].exits, &outside);
        else if (inside > 0 && outside.count > 0)
            fail(em, "lanes leave a loop that was taken for uniform");
        if (inside > 0) {
            weft_free(outside.list);
            uint32_t next = targets->list[0];
            for (uint32_t k = 1; k < inside; k++)
                insert(em, &em->blocks[next].pending, targets->list[k]);
            if (next != nonempty)
                em->blocks[next].maybe_empty = true;
            return head_of(em, next);
        }
        if (divergent) {
            weft_free(outside.list);
            if (!em->loops[level].end)
                em->loops[level].end = new_block(em);
            return em->loops[level].end;
        }
        insert_all(em, targets, &outside);
        weft_free(outside.list);
        if (level == NONE || targets->count == 0)
            return NULL;
        insert_all(em, targets, &em->loops[level].outside);
        level = g->loops[level].parent;
    }
}

// Picks the next block from `to` (NONE: no block) and those where lanes wait while the current block runs.
static LLVMBasicBlockRef route_to(struct weftc_emission *em, uint32_t level,
                                  const struct weftc_vec_set *pending, uint32_t to, uint32_t nonempty)
{
    struct weftc_vec_set targets = {0};
    insert_all(em, &targets, pending);
    if (to != NONE)
        insert(em, &targets, to);
    LLVMBasicBlockRef next = route(em, level, &targets, nonempty);
    weft_free(targets.list);
    return next;
}

// ---- masks ----

static LLVMTypeRef mask_type(const struct weftc_emission *em)
{
    return LLVMVectorType(LLVMInt1TypeInContext(em->c), em->v->lanes);
}

static LLVMValueRef both(struct weftc_emission *em, LLVMValueRef mask, LLVMValueRef condition)
{
    // Not `and`: in an inactive lane the condition may be poison.
    return mask ? LLVMBuildSelect(em->b, mask, condition, LLVMConstNull(mask_type(em)), "") : condition;
}

static void clear_mask(struct weftc_emission *em, LLVMBuilderRef b, uint32_t block)
{
    if (em->blocks[block].mask_slot)
        LLVMBuildStore(b, LLVMConstNull(mask_type(em)), em->blocks[block].mask_slot);
}

// When an iteration (or the function) begins, no lane has come to the level's blocks yet.
static void clear_masks(struct weftc_emission *em, LLVMBuilderRef b, uint32_t level)
{
    const struct weftc_flow *g = &em->v->s->flow;
    uint32_t at = level == NONE ? 0 : g->loops[level].begin;
    uint32_t end = level == NONE ? g->block_count : g->loops[level].end;
    while (at < end) {
        clear_mask(em, b, at);
        uint32_t loop = g->blocks[at].loop;
        while (loop != level && g->loops[loop].parent != level)
            loop = g->loops[loop].parent;
        at = loop == level ? at + 1 : g->loops[loop].end; // of an inner loop only the header
    }
}

// ---- edges ----

static bool is_back_edge(uint32_t from, uint32_t to)
{
    return to <= from;
}

static bool leaves_divergent_loop(const struct weftc_flow *g, uint32_t from, uint32_t to)
{
    for (uint32_t loop = g->blocks[from].loop; !weftc_flow_in_loop(g, loop, to); loop = g->loops[loop].parent)
        if (g->loops[loop].divergent)
            return true;
    return false;
}

// A block after which every edge to `block` comes in the same iteration: its dominator, or one further up if
// that is in a loop that `block` isn't in.
static uint32_t before_edges(const struct weftc_flow *g, uint32_t block)
{
    uint32_t at = g->blocks[block].idom;
    while (at != NONE && g->blocks[at].loop != NONE && !weftc_flow_in_loop(g, g->blocks[at].loop, block))
        at = g->blocks[at].idom;
    return at;
}

// No lane has come yet to the blocks that `from` leads to. An edge keeps what other lanes have brought.
// Without this, LLVM would carry along the values of the last iteration, or of other work-items, in
// registers. (The masks were cleared with all of the level, but for LLVM they have been alive since then.)
static void clear_after(struct weftc_emission *em, uint32_t from)
{
    for (uint32_t b = em->blocks[from].first_cleared; b != 0; b = em->blocks[b].next_cleared) {
        clear_mask(em, em->b, b);
        for (LLVMValueRef phi = LLVMGetFirstInstruction(em->v->s->flow.blocks[b].block);
             phi && LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi)) {
            const uint32_t number = weftc_map_get(&em->v->s->number, phi);
            LLVMTypeRef type = LLVMGetAllocatedType(em->slots[number]);
            LLVMBuildStore(em->b, em->flags[number] ? LLVMConstNull(type) : LLVMGetPoison(type),
                           em->slots[number]);
        }
    }
}

// What a flag is after lanes of the mask have brought it a constant. It is a number in all lanes before, too.
// Not a choice by the mask: in a long chain of choices between truth values, which many ways to one block
// make, instcombine looks at all that came before each time it has made an operation of one.
static LLVMValueRef blend_flag(struct weftc_emission *em, LLVMValueRef mask, LLVMValueRef constant,
                               LLVMValueRef old)
{
    return LLVMConstIntGetZExtValue(constant) ? LLVMBuildOr(em->b, old, mask, "")
                                              : LLVMBuildAnd(em->b, old, LLVMBuildNot(em->b, mask, ""), "");
}

// Stores what lanes of the mask (NULL: all) hand over on the edge.
static void emit_edge(struct weftc_emission *em, uint32_t from, uint32_t to, LLVMValueRef mask)
{
    const struct weftc_flow *g = &em->v->s->flow;
    struct weftc_vec_block *target = &em->blocks[to];
    bool blend = mask && !is_back_edge(from, to) && (target->reached || leaves_divergent_loop(g, from, to));
    if (target->mask_slot) {
        LLVMValueRef all = mask ? mask : weftc_vec_true(em);
        LLVMValueRef old = LLVMBuildLoad2(em->b, mask_type(em), target->mask_slot, "");
        LLVMBuildStore(em->b, LLVMBuildOr(em->b, old, all, ""), target->mask_slot);
    }
    for (LLVMValueRef phi = LLVMGetFirstInstruction(g->blocks[to].block); phi && LLVMIsAPHINode(phi);
         phi = LLVMGetNextInstruction(phi)) {
        LLVMValueRef value = NULL;
        for (unsigned k = 0; k < LLVMCountIncoming(phi) && !value; k++)
            if (LLVMGetIncomingBlock(phi, k) == g->blocks[from].block)
                value = LLVMGetIncomingValue(phi, k);
        const uint32_t number = weftc_map_get(&em->v->s->number, phi);
        LLVMValueRef slot = em->slots[number];
        if (!slot || !value)
            continue;
        if (weftc_vec_is_scalar(em->v, phi)) {
            LLVMBuildStore(em->b, weftc_vec_scalar(em, value), slot);
            continue;
        }
        LLVMValueRef vector = weftc_vec_vector(em, value);
        if (blend) {
            LLVMValueRef old = LLVMBuildLoad2(em->b, LLVMTypeOf(vector), slot, "");
            vector =
                em->flags[number] ? blend_flag(em, mask, value, old) : weftc_vec_blend(em, mask, vector, old);
        }
        LLVMBuildStore(em->b, vector, slot);
    }
    target->reached = true;
}

// Where a uniform edge goes, or one whose lanes wait for no others.
static LLVMBasicBlockRef uniform_target(struct weftc_emission *em, uint32_t from, uint32_t to,
                                        const struct weftc_vec_set *pending)
{
    const struct weftc_flow *g = &em->v->s->flow;
    uint32_t level = g->blocks[from].loop;
    uint32_t nonempty = em->blocks[from].nonempty ? to : NONE;
    if (!is_back_edge(from, to))
        return route_to(em, level, pending, to, nonempty);
    if (g->loops[level].divergent)
        return route_to(em, level, pending, NONE, NONE);
    if (pending->count > 0)
        fail(em, "lanes are left behind in a loop that was taken for uniform");
    return head_of(em, to);
}

static void go_to(struct weftc_emission *em, LLVMBasicBlockRef block)
{
    if (block)
        LLVMBuildBr(em->b, block);
    else
        LLVMBuildUnreachable(em->b);
}

static void emit_uniform_branch(struct weftc_emission *em, uint32_t from, LLVMValueRef terminator,
                                LLVMValueRef mask, const struct weftc_vec_set *pending)
{
    const struct weftc_flow *g = &em->v->s->flow;
    LLVMValueRef condition = weftc_vec_scalar(em, LLVMGetOperand(terminator, 0));
    LLVMBasicBlockRef ways[2] = {new_block(em), new_block(em)};
    LLVMValueRef branch = LLVMBuildCondBr(em->b, condition, ways[0], ways[1]);
    const unsigned likely = weftc_fact_kind(em->c, WEFTC_LIKELY_BRANCH);
    LLVMSetMetadata(branch, likely, LLVMGetMetadata(terminator, likely));
    for (unsigned e = 0; e < 2; e++) {
        uint32_t to = weftc_outs(&g->edges, from)[e];
        LLVMPositionBuilderAtEnd(em->b, ways[e]);
        emit_edge(em, from, to, mask);
        go_to(em, uniform_target(em, from, to, pending));
    }
}

static void emit_divergent_branch(struct weftc_emission *em, uint32_t from, LLVMValueRef terminator,
                                  LLVMValueRef mask, const struct weftc_vec_set *pending)
{
    const struct weftc_flow *g = &em->v->s->flow;
    LLVMValueRef condition = weftc_vec_vector(em, LLVMGetOperand(terminator, 0));
    struct weftc_vec_set targets = {0};
    insert_all(em, &targets, pending);
    LLVMValueRef masks[2] = {both(em, mask, condition), both(em, mask, LLVMBuildNot(em->b, condition, ""))};
    for (unsigned e = 0; e < 2; e++) {
        uint32_t to = weftc_outs(&g->edges, from)[e];
        emit_edge(em, from, to, masks[e]);
        if (!is_back_edge(from, to))
            insert(em, &targets, to);
        else if (!g->loops[g->blocks[from].loop].divergent)
            fail(em, "a divergent branch ends a loop that was taken for uniform");
    }
    go_to(em, route(em, g->blocks[from].loop, &targets, NONE));
    weft_free(targets.list);
}

static void emit_return(struct weftc_emission *em, LLVMValueRef terminator)
{
    if (!em->v->s->flow.blocks[em->block].full) {
        fail(em, "lanes return at different times");
        LLVMBuildUnreachable(em->b);
        return;
    }
    if (LLVMGetNumOperands(terminator) == 0) {
        LLVMBuildRetVoid(em->b);
        return;
    }
    if (em->v->s->parameters) {
        LLVMBuildRet(em->b, weftc_vec_vector(em, LLVMGetOperand(terminator, 0)));
        return;
    }
    // What a region returns is the same for all work-items, or the program is wrong. So lane 0's is returned.
    LLVMValueRef value = LLVMGetOperand(terminator, 0);
    LLVMBuildRet(em->b, weftc_vec_lane(em, value, weftc_i32(em->c, 0)));
}

static void emit_terminator(struct weftc_emission *em, uint32_t block, const struct weftc_vec_set *pending)
{
    const struct weftc_flow *g = &em->v->s->flow;
    LLVMValueRef terminator = LLVMGetBasicBlockTerminator(g->blocks[block].block);
    LLVMValueRef mask = weftc_vec_mask(em);
    switch (LLVMGetInstructionOpcode(terminator)) {
    case LLVMRet:
        emit_return(em, terminator);
        return;
    case LLVMUnreachable:
        go_to(em, route_to(em, g->blocks[block].loop, pending, NONE, NONE));
        return;
    case LLVMBr:
        break;
    default:
        fail(em, "a branch is neither conditional nor unconditional");
        LLVMBuildUnreachable(em->b);
        return;
    }
    const uint32_t *to = weftc_outs(&g->edges, block);
    if (weftc_out_count(&g->edges, block) == 1 || to[0] == to[1]) {
        emit_edge(em, block, to[0], mask);
        go_to(em, uniform_target(em, block, to[0], pending));
    } else if (!g->blocks[block].divergent) {
        emit_uniform_branch(em, block, terminator, mask, pending);
    } else {
        emit_divergent_branch(em, block, terminator, mask, pending);
    }
}

// ---- blocks ----

// Must the block be jumped over if no lane is there, or is that worth it?
static bool needs_guard(struct weftc_emission *em, uint32_t block)
{
    const struct weftc_flow *g = &em->v->s->flow;
    // A uniform branch needs a lane that decides it.
    if (em->v->branches[block] || (weftc_out_count(&g->edges, block) > 1 && !g->blocks[block].divergent))
        return true;
    for (LLVMValueRef i = LLVMGetFirstInstruction(g->blocks[block].block); i; i = LLVMGetNextInstruction(i))
        if (weftc_vec_needs_lane(em->v, i))
            return true;
    for (uint32_t e = 0; e < weftc_out_count(&g->edges, block); e++) {
        uint32_t to = weftc_outs(&g->edges, block)[e];
        if (weftc_flow_is_header(g, to) && !is_back_edge(block, to))
            return true;
        for (LLVMValueRef i = LLVMGetFirstInstruction(g->blocks[to].block); i && LLVMIsAPHINode(i);
             i = LLVMGetNextInstruction(i))
            if (weftc_vec_is_scalar(em->v, i))
                return true;
    }
    return false;
}

static void load_phis(struct weftc_emission *em, uint32_t block)
{
    for (LLVMValueRef phi = LLVMGetFirstInstruction(em->v->s->flow.blocks[block].block);
         phi && LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi)) {
        LLVMValueRef slot = em->slots[weftc_map_get(&em->v->s->number, phi)];
        LLVMTypeRef type = LLVMTypeOf(phi);
        if (weftc_vec_is_scalar(em->v, phi))
            weftc_vec_set_scalar(em, phi, LLVMBuildLoad2(em->b, type, slot, ""));
        else
            weftc_vec_set_vector(em, phi, LLVMBuildLoad2(em->b, weftc_vec_type(em, type), slot, ""));
    }
}

static void find_nonempty(struct weftc_emission *em, uint32_t block, const struct weftc_vec_set *pending)
{
    const struct weftc_flow *g = &em->v->s->flow;
    struct weftc_vec_block *at = &em->blocks[block];
    uint32_t class = g->blocks[block].mask_class;
    uint32_t loop = g->blocks[block].loop;
    bool divergent_loop = loop != NONE && g->loops[loop].divergent;
    at->nonempty = g->blocks[block].full || !at->maybe_empty ||
                   (class != block && em->blocks[class].nonempty) || (pending->count == 0 && !divergent_loop);
}

static void emit_block(struct weftc_emission *em, uint32_t block)
{
    const struct weftc_flow *g = &em->v->s->flow;
    struct weftc_vec_block *at = &em->blocks[block];
    uint32_t loop = g->blocks[block].loop;
    bool header = weftc_flow_is_header(g, block);
    static const struct weftc_vec_set none;
    const struct weftc_vec_set *pending = &at->pending;
    em->block = block;
    LLVMPositionBuilderAtEnd(em->b, head_of(em, block));
    if (header) {
        insert_all(em, &em->loops[loop].outside, &at->pending);
        pending = &none;
    }
    if (at->mask_slot)
        at->mask = LLVMBuildLoad2(em->b, mask_type(em), at->mask_slot, "");
    if (header)
        clear_masks(em, em->b, loop);
    load_phis(em, block);
    if (header) {
        if (at->maybe_empty && !g->blocks[block].full)
            fail(em, "a loop may be entered without a lane");
        at->nonempty = true;
    } else {
        find_nonempty(em, block, pending);
    }
    if (!at->nonempty && needs_guard(em, block)) {
        LLVMBasicBlockRef body = new_block(em);
        LLVMBasicBlockRef around = route_to(em, loop, pending, NONE, NONE);
        if (!around)
            around = (LLVMBasicBlockRef)fail(em, "no lane waits elsewhere");
        LLVMBuildCondBr(em->b, weftc_vec_any(em, weftc_vec_mask(em)), body, around);
        LLVMPositionBuilderAtEnd(em->b, body);
        at->nonempty = true;
    }
    for (LLVMValueRef i = LLVMGetFirstInstruction(g->blocks[block].block); i && !em->reason && !em->no_memory;
         i = LLVMGetNextInstruction(i))
        if (!LLVMIsATerminatorInst(i) && !LLVMIsAPHINode(i)) {
            LLVMSetCurrentDebugLocation2(em->b, LLVMInstructionGetDebugLoc(i));
            weftc_vec_instruction(em, i);
        }
    clear_after(em, block);
    emit_terminator(em, block, pending);
    LLVMSetCurrentDebugLocation2(em->b, NULL);
}

// The end of an iteration: it goes on with the lanes that came back, or out with those that left.
static void emit_loop_end(struct weftc_emission *em, uint32_t loop)
{
    const struct weftc_flow *g = &em->v->s->flow;
    struct weftc_vec_loop *l = &em->loops[loop];
    if (!l->end)
        return;
    uint32_t header = g->loops[loop].begin;
    LLVMPositionBuilderAtEnd(em->b, l->end);
    LLVMValueRef mask = LLVMBuildLoad2(em->b, mask_type(em), em->blocks[header].mask_slot, "");
    struct weftc_vec_set targets = {0};
    insert_all(em, &targets, &l->exits);
    insert_all(em, &targets, &l->outside);
    uint32_t nonempty = targets.count == 1 ? targets.list[0] : NONE;
    LLVMBasicBlockRef out = targets.count ? route(em, g->loops[loop].parent, &targets, nonempty) : NULL;
    if (out)
        LLVMBuildCondBr(em->b, weftc_vec_any(em, mask), em->blocks[header].head, out);
    else
        LLVMBuildBr(em->b, em->blocks[header].head);
    weft_free(targets.list);
}

static bool is_flag(const struct weftc_emission *em, LLVMValueRef phi)
{
    if (weftc_vec_is_scalar(em->v, phi) || LLVMTypeOf(phi) != LLVMInt1TypeInContext(em->c))
        return false;
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++)
        if (!LLVMIsAConstantInt(LLVMGetIncomingValue(phi, k)))
            return false;
    return true;
}

static void make_slots(struct weftc_emission *em)
{
    const struct weftc_flow *g = &em->v->s->flow;
    for (uint32_t b = 0; b < g->block_count; b++) {
        if (!g->blocks[b].full && g->blocks[b].mask_class == b)
            em->blocks[b].mask_slot = weftc_vec_slot(em, mask_type(em));
        uint32_t before = before_edges(g, b);
        if (before != NONE) {
            em->blocks[b].next_cleared = em->blocks[before].first_cleared;
            em->blocks[before].first_cleared = b;
        }
        for (LLVMValueRef phi = LLVMGetFirstInstruction(g->blocks[b].block); phi && LLVMIsAPHINode(phi);
             phi = LLVMGetNextInstruction(phi)) {
            LLVMTypeRef type = LLVMTypeOf(phi);
            if (!weftc_vec_is_scalar(em->v, phi))
                type = weftc_vec_type(em, type);
            const uint32_t number = weftc_map_get(&em->v->s->number, phi);
            em->slots[number] = weftc_vec_slot(em, type);
            em->flags[number] = is_flag(em, phi);
            if (em->flags[number])
                LLVMBuildStore(em->at_def, LLVMConstNull(type), em->slots[number]);
        }
    }
}

void weftc_vec_emit(struct weftc_emission *em)
{
    const struct weftc_flow *g = &em->v->s->flow;
    make_slots(em);
    LLVMPositionBuilderAtEnd(em->b, em->entry);
    clear_masks(em, em->b, NONE);
    for (uint32_t b = 0; b < g->block_count && !em->reason && !em->no_memory; b++) {
        emit_block(em, b);
        for (uint32_t loop = g->blocks[b].loop; loop != NONE && g->loops[loop].end == b + 1;
             loop = g->loops[loop].parent)
            emit_loop_end(em, loop);
    }
    LLVMPositionBuilderAtEnd(em->b, em->entry);
    LLVMBuildBr(em->b, em->blocks[0].head);
}
