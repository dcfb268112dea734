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
#include "compiler/ir/value_map.h"
#include "compiler/shapes/shapes.h"
#include "compiler/vectorize/access/access.h"
#include "compiler/vectorize/emit/emit.h"

enum { NONE = UINT32_MAX };

// ---- sets ----

static void insert(struct weftc_vec *v, struct weftc_vec_set *s, uint32_t block)
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
            v->no_memory = true;
            return;
        }
        s->list = larger;
        s->capacity = capacity;
    }
    memmove(s->list + at + 1, s->list + at, (s->count - at) * sizeof *s->list);
    s->list[at] = block;
    s->count++;
}

static void insert_all(struct weftc_vec *v, struct weftc_vec_set *s, const struct weftc_vec_set *more)
{
    for (uint32_t k = 0; k < more->count; k++)
        insert(v, s, more->list[k]);
}

// ---- where to go ----

static LLVMBasicBlockRef new_block(struct weftc_vec *v)
{
    return LLVMAppendBasicBlockInContext(v->c, v->to, "");
}

static LLVMBasicBlockRef head_of(struct weftc_vec *v, uint32_t block)
{
    if (!v->blocks[block].head)
        v->blocks[block].head = new_block(v);
    return v->blocks[block].head;
}

static LLVMBasicBlockRef fail(struct weftc_vec *v, const char *reason)
{
    if (!v->reason)
        v->reason = reason;
    return v->entry;
}

// Takes all of *targets, blocks inside or outside of the level, and picks the one to run next; the others
// wait. sure: the block that is known to have a lane, if it is the next one.
static LLVMBasicBlockRef route(struct weftc_vec *v, uint32_t level, struct weftc_vec_set *targets,
                               uint32_t sure)
{
    const struct weftc_flow *g = &v->s->flow;
    for (;;) {
        struct weftc_vec_set outside = {0};
        uint32_t inside = 0;
        for (uint32_t k = 0; k < targets->count; k++) {
            if (weftc_flow_in_loop(g, level, targets->list[k]))
                targets->list[inside++] = targets->list[k];
            else
                insert(v, &outside, targets->list[k]);
        }
        targets->count = inside;
        bool divergent = level != NONE && g->loops[level].divergent;
        if (divergent)
            insert_all(v, &v->loops[level].exits, &outside);
        else if (inside > 0 && outside.count > 0)
            fail(v, "lanes leave a loop that was taken for uniform");
        if (inside > 0) {
            weft_free(outside.list);
            uint32_t next = targets->list[0];
            for (uint32_t k = 1; k < inside; k++)
                insert(v, &v->blocks[next].pending, targets->list[k]);
            if (next != sure)
                v->blocks[next].maybe_empty = true;
            return head_of(v, next);
        }
        if (divergent) {
            weft_free(outside.list);
            if (!v->loops[level].end)
                v->loops[level].end = new_block(v);
            return v->loops[level].end;
        }
        insert_all(v, targets, &outside);
        weft_free(outside.list);
        if (level == NONE || targets->count == 0)
            return NULL;
        insert_all(v, targets, &v->loops[level].outside);
        level = g->loops[level].parent;
    }
}

// Picks the next block from `to` (NONE: no block) and those where lanes wait while the current block runs.
static LLVMBasicBlockRef route_to(struct weftc_vec *v, uint32_t level, const struct weftc_vec_set *pending,
                                  uint32_t to, uint32_t sure)
{
    struct weftc_vec_set targets = {0};
    insert_all(v, &targets, pending);
    if (to != NONE)
        insert(v, &targets, to);
    LLVMBasicBlockRef next = route(v, level, &targets, sure);
    weft_free(targets.list);
    return next;
}

// ---- masks ----

static LLVMTypeRef mask_type(const struct weftc_vec *v)
{
    return LLVMVectorType(LLVMInt1TypeInContext(v->c), v->lanes);
}

static LLVMValueRef both(struct weftc_vec *v, LLVMValueRef mask, LLVMValueRef condition)
{
    // Not `and`: in an inactive lane the condition may be poison.
    return mask ? LLVMBuildSelect(v->b, mask, condition, LLVMConstNull(mask_type(v)), "") : condition;
}

static void clear_mask(struct weftc_vec *v, LLVMBuilderRef b, uint32_t block)
{
    if (v->blocks[block].mask_slot)
        LLVMBuildStore(b, LLVMConstNull(mask_type(v)), v->blocks[block].mask_slot);
}

// When an iteration (or the function) begins, no lane has come to the level's blocks yet.
static void clear_masks(struct weftc_vec *v, LLVMBuilderRef b, uint32_t level)
{
    const struct weftc_flow *g = &v->s->flow;
    uint32_t at = level == NONE ? 0 : g->loops[level].begin;
    uint32_t end = level == NONE ? g->block_count : g->loops[level].end;
    while (at < end) {
        clear_mask(v, b, at);
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
static void clear_after(struct weftc_vec *v, uint32_t from)
{
    for (uint32_t b = v->blocks[from].first_cleared; b != 0; b = v->blocks[b].next_cleared) {
        clear_mask(v, v->b, b);
        for (LLVMValueRef phi = LLVMGetFirstInstruction(v->s->flow.blocks[b].block);
             phi && LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi)) {
            LLVMValueRef slot = v->slots[weftc_map_get(&v->s->number, phi)];
            LLVMBuildStore(v->b, LLVMGetPoison(LLVMGetAllocatedType(slot)), slot);
        }
    }
}

// Stores what lanes of the mask (NULL: all) hand over on the edge.
static void emit_edge(struct weftc_vec *v, uint32_t from, uint32_t to, LLVMValueRef mask)
{
    const struct weftc_flow *g = &v->s->flow;
    struct weftc_vec_block *target = &v->blocks[to];
    bool blend = mask && !is_back_edge(from, to) && (target->reached || leaves_divergent_loop(g, from, to));
    if (target->mask_slot) {
        LLVMValueRef all = mask ? mask : weftc_vec_true(v);
        LLVMValueRef old = LLVMBuildLoad2(v->b, mask_type(v), target->mask_slot, "");
        LLVMBuildStore(v->b, LLVMBuildOr(v->b, old, all, ""), target->mask_slot);
    }
    for (LLVMValueRef phi = LLVMGetFirstInstruction(g->blocks[to].block); phi && LLVMIsAPHINode(phi);
         phi = LLVMGetNextInstruction(phi)) {
        LLVMValueRef value = NULL;
        for (unsigned k = 0; k < LLVMCountIncoming(phi) && !value; k++)
            if (LLVMGetIncomingBlock(phi, k) == g->blocks[from].block)
                value = LLVMGetIncomingValue(phi, k);
        LLVMValueRef slot = v->slots[weftc_map_get(&v->s->number, phi)];
        if (!slot || !value)
            continue;
        if (weftc_vec_is_scalar(v, phi)) {
            LLVMBuildStore(v->b, weftc_vec_scalar(v, value), slot);
            continue;
        }
        LLVMValueRef vector = weftc_vec_vector(v, value);
        if (blend) {
            LLVMValueRef old = LLVMBuildLoad2(v->b, LLVMTypeOf(vector), slot, "");
            vector = weftc_vec_blend(v, mask, vector, old);
        }
        LLVMBuildStore(v->b, vector, slot);
    }
    target->reached = true;
}

// Where a uniform edge goes, or one whose lanes wait for no others.
static LLVMBasicBlockRef uniform_target(struct weftc_vec *v, uint32_t from, uint32_t to,
                                        const struct weftc_vec_set *pending)
{
    const struct weftc_flow *g = &v->s->flow;
    uint32_t level = g->blocks[from].loop;
    uint32_t sure = v->blocks[from].sure ? to : NONE;
    if (!is_back_edge(from, to))
        return route_to(v, level, pending, to, sure);
    if (g->loops[level].divergent)
        return route_to(v, level, pending, NONE, NONE);
    if (pending->count > 0)
        fail(v, "lanes are left behind in a loop that was taken for uniform");
    return head_of(v, to);
}

static void go_to(struct weftc_vec *v, LLVMBasicBlockRef block)
{
    if (block)
        LLVMBuildBr(v->b, block);
    else
        LLVMBuildUnreachable(v->b);
}

static void emit_uniform_branch(struct weftc_vec *v, uint32_t from, LLVMValueRef terminator,
                                LLVMValueRef mask, const struct weftc_vec_set *pending)
{
    const struct weftc_flow *g = &v->s->flow;
    LLVMValueRef condition = weftc_vec_scalar(v, LLVMGetOperand(terminator, 0));
    LLVMBasicBlockRef ways[2] = {new_block(v), new_block(v)};
    LLVMBuildCondBr(v->b, condition, ways[0], ways[1]);
    for (unsigned e = 0; e < 2; e++) {
        uint32_t to = weftc_outs(&g->edges, from)[e];
        LLVMPositionBuilderAtEnd(v->b, ways[e]);
        emit_edge(v, from, to, mask);
        go_to(v, uniform_target(v, from, to, pending));
    }
}

static void emit_divergent_branch(struct weftc_vec *v, uint32_t from, LLVMValueRef terminator,
                                  LLVMValueRef mask, const struct weftc_vec_set *pending)
{
    const struct weftc_flow *g = &v->s->flow;
    LLVMValueRef condition = weftc_vec_vector(v, LLVMGetOperand(terminator, 0));
    struct weftc_vec_set targets = {0};
    insert_all(v, &targets, pending);
    LLVMValueRef masks[2] = {both(v, mask, condition), both(v, mask, LLVMBuildNot(v->b, condition, ""))};
    for (unsigned e = 0; e < 2; e++) {
        uint32_t to = weftc_outs(&g->edges, from)[e];
        emit_edge(v, from, to, masks[e]);
        if (!is_back_edge(from, to))
            insert(v, &targets, to);
        else if (!g->loops[g->blocks[from].loop].divergent)
            fail(v, "a divergent branch ends a loop that was taken for uniform");
    }
    go_to(v, route(v, g->blocks[from].loop, &targets, NONE));
    weft_free(targets.list);
}

static void emit_return(struct weftc_vec *v, LLVMValueRef terminator)
{
    if (!v->s->flow.blocks[v->block].full) {
        fail(v, "lanes return at different times");
        LLVMBuildUnreachable(v->b);
        return;
    }
    if (LLVMGetNumOperands(terminator) == 0) {
        LLVMBuildRetVoid(v->b);
        return;
    }
    if (v->s->parameters) {
        LLVMBuildRet(v->b, weftc_vec_vector(v, LLVMGetOperand(terminator, 0)));
        return;
    }
    // What a region returns is the same for all work-items, or the program is wrong. So lane 0's is returned.
    LLVMValueRef value = LLVMGetOperand(terminator, 0);
    LLVMBuildRet(v->b, weftc_vec_lane(v, value, weftc_i32(v->c, 0)));
}

static void emit_terminator(struct weftc_vec *v, uint32_t block, const struct weftc_vec_set *pending)
{
    const struct weftc_flow *g = &v->s->flow;
    LLVMValueRef terminator = LLVMGetBasicBlockTerminator(g->blocks[block].block);
    LLVMValueRef mask = weftc_vec_mask(v);
    switch (LLVMGetInstructionOpcode(terminator)) {
    case LLVMRet:
        emit_return(v, terminator);
        return;
    case LLVMUnreachable:
        go_to(v, route_to(v, g->blocks[block].loop, pending, NONE, NONE));
        return;
    case LLVMBr:
        break;
    default:
        fail(v, "a branch is neither conditional nor unconditional");
        LLVMBuildUnreachable(v->b);
        return;
    }
    const uint32_t *to = weftc_outs(&g->edges, block);
    if (weftc_out_count(&g->edges, block) == 1 || to[0] == to[1]) {
        emit_edge(v, block, to[0], mask);
        go_to(v, uniform_target(v, block, to[0], pending));
    } else if (!g->blocks[block].divergent) {
        emit_uniform_branch(v, block, terminator, mask, pending);
    } else {
        emit_divergent_branch(v, block, terminator, mask, pending);
    }
}

// ---- blocks ----

enum { MAX_COST_WITHOUT_BRANCH = 12 };

// Must the block be jumped over if no lane is there, or is that worth it?
static bool needs_guard(struct weftc_vec *v, uint32_t block)
{
    const struct weftc_flow *g = &v->s->flow;
    unsigned cost = 0;
    // A uniform branch needs a lane that decides it.
    if (weftc_out_count(&g->edges, block) > 1 && !g->blocks[block].divergent)
        return true;
    for (LLVMValueRef i = LLVMGetFirstInstruction(g->blocks[block].block); i; i = LLVMGetNextInstruction(i)) {
        if (weftc_vec_needs_lane(v, i))
            return true;
        cost += weftc_vec_branch_price(v, i);
        if (cost > MAX_COST_WITHOUT_BRANCH)
            return true;
    }
    for (uint32_t e = 0; e < weftc_out_count(&g->edges, block); e++) {
        uint32_t to = weftc_outs(&g->edges, block)[e];
        if (weftc_flow_is_header(g, to) && !is_back_edge(block, to))
            return true;
        for (LLVMValueRef i = LLVMGetFirstInstruction(g->blocks[to].block); i && LLVMIsAPHINode(i);
             i = LLVMGetNextInstruction(i))
            if (weftc_vec_is_scalar(v, i))
                return true;
    }
    return false;
}

static void load_phis(struct weftc_vec *v, uint32_t block)
{
    for (LLVMValueRef phi = LLVMGetFirstInstruction(v->s->flow.blocks[block].block);
         phi && LLVMIsAPHINode(phi); phi = LLVMGetNextInstruction(phi)) {
        LLVMValueRef slot = v->slots[weftc_map_get(&v->s->number, phi)];
        LLVMTypeRef type = LLVMTypeOf(phi);
        if (weftc_vec_is_scalar(v, phi))
            weftc_vec_set_scalar(v, phi, LLVMBuildLoad2(v->b, type, slot, ""));
        else
            weftc_vec_set_vector(v, phi, LLVMBuildLoad2(v->b, weftc_vec_type(v, type), slot, ""));
    }
}

static void find_sure(struct weftc_vec *v, uint32_t block, const struct weftc_vec_set *pending)
{
    const struct weftc_flow *g = &v->s->flow;
    struct weftc_vec_block *at = &v->blocks[block];
    uint32_t class = g->blocks[block].mask_class;
    uint32_t loop = g->blocks[block].loop;
    bool divergent_loop = loop != NONE && g->loops[loop].divergent;
    at->sure = g->blocks[block].full || !at->maybe_empty || (class != block && v->blocks[class].sure) ||
               (pending->count == 0 && !divergent_loop);
}

static void emit_block(struct weftc_vec *v, uint32_t block)
{
    const struct weftc_flow *g = &v->s->flow;
    struct weftc_vec_block *at = &v->blocks[block];
    uint32_t loop = g->blocks[block].loop;
    bool header = weftc_flow_is_header(g, block);
    static const struct weftc_vec_set none;
    const struct weftc_vec_set *pending = &at->pending;
    v->block = block;
    LLVMPositionBuilderAtEnd(v->b, head_of(v, block));
    if (header) {
        insert_all(v, &v->loops[loop].outside, &at->pending);
        pending = &none;
    }
    if (at->mask_slot)
        at->mask = LLVMBuildLoad2(v->b, mask_type(v), at->mask_slot, "");
    if (header)
        clear_masks(v, v->b, loop);
    load_phis(v, block);
    if (header) {
        if (at->maybe_empty && !g->blocks[block].full)
            fail(v, "a loop may be entered without a lane");
        at->sure = true;
    } else {
        find_sure(v, block, pending);
    }
    if (!at->sure && needs_guard(v, block)) {
        LLVMBasicBlockRef body = new_block(v);
        LLVMBasicBlockRef around = route_to(v, loop, pending, NONE, NONE);
        if (!around)
            around = (LLVMBasicBlockRef)fail(v, "no lane waits elsewhere");
        LLVMBuildCondBr(v->b, weftc_vec_any(v, weftc_vec_mask(v)), body, around);
        LLVMPositionBuilderAtEnd(v->b, body);
        at->sure = true;
    }
    for (LLVMValueRef i = LLVMGetFirstInstruction(g->blocks[block].block); i && !v->reason && !v->no_memory;
         i = LLVMGetNextInstruction(i))
        if (!LLVMIsATerminatorInst(i) && !LLVMIsAPHINode(i)) {
            LLVMSetCurrentDebugLocation2(v->b, LLVMInstructionGetDebugLoc(i));
            weftc_vec_instruction(v, i);
        }
    clear_after(v, block);
    emit_terminator(v, block, pending);
    LLVMSetCurrentDebugLocation2(v->b, NULL);
}

// The end of an iteration: it goes on with the lanes that came back, or out with those that left.
static void emit_loop_end(struct weftc_vec *v, uint32_t loop)
{
    const struct weftc_flow *g = &v->s->flow;
    struct weftc_vec_loop *l = &v->loops[loop];
    if (!l->end)
        return;
    uint32_t header = g->loops[loop].begin;
    LLVMPositionBuilderAtEnd(v->b, l->end);
    LLVMValueRef mask = LLVMBuildLoad2(v->b, mask_type(v), v->blocks[header].mask_slot, "");
    struct weftc_vec_set targets = {0};
    insert_all(v, &targets, &l->exits);
    insert_all(v, &targets, &l->outside);
    uint32_t sure = targets.count == 1 ? targets.list[0] : NONE;
    LLVMBasicBlockRef out = targets.count ? route(v, g->loops[loop].parent, &targets, sure) : NULL;
    if (out)
        LLVMBuildCondBr(v->b, weftc_vec_any(v, mask), v->blocks[header].head, out);
    else
        LLVMBuildBr(v->b, v->blocks[header].head);
    weft_free(targets.list);
}

static void make_slots(struct weftc_vec *v)
{
    const struct weftc_flow *g = &v->s->flow;
    for (uint32_t b = 0; b < g->block_count; b++) {
        if (!g->blocks[b].full && g->blocks[b].mask_class == b)
            v->blocks[b].mask_slot = weftc_vec_slot(v, mask_type(v));
        uint32_t before = before_edges(g, b);
        if (before != NONE) {
            v->blocks[b].next_cleared = v->blocks[before].first_cleared;
            v->blocks[before].first_cleared = b;
        }
        for (LLVMValueRef phi = LLVMGetFirstInstruction(g->blocks[b].block); phi && LLVMIsAPHINode(phi);
             phi = LLVMGetNextInstruction(phi)) {
            LLVMTypeRef type = LLVMTypeOf(phi);
            if (!weftc_vec_is_scalar(v, phi))
                type = weftc_vec_type(v, type);
            v->slots[weftc_map_get(&v->s->number, phi)] = weftc_vec_slot(v, type);
        }
    }
}

void weftc_vec_emit(struct weftc_vec *v)
{
    const struct weftc_flow *g = &v->s->flow;
    make_slots(v);
    LLVMPositionBuilderAtEnd(v->b, v->entry);
    clear_masks(v, v->b, NONE);
    for (uint32_t b = 0; b < g->block_count && !v->reason && !v->no_memory; b++) {
        emit_block(v, b);
        for (uint32_t loop = g->blocks[b].loop; loop != NONE && g->loops[loop].end == b + 1;
             loop = g->loops[loop].parent)
            emit_loop_end(v, loop);
    }
    LLVMPositionBuilderAtEnd(v->b, v->entry);
    LLVMBuildBr(v->b, v->blocks[0].head);
}
