// Uniformity: finds values that are sure to be the same for all work-items of a group.
//
// Data: a value varies if one of its operands varies. Ids, loads of memory that others may write, atomics,
// and private memory always vary.
//
// Control: after a branch on a varying condition, work-items take different paths. So PHIs may get different
// values up to the branch's post-dominator, where all paths meet. A loop that work-items leave in different
// iterations gives different values to the code after it.
//
// The analysis is conservative: what isn't known to be uniform varies.
#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/bridge/passes.h"
#include "compiler/ir/cfg.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/primitives.h"
#include "compiler/ir/value_map.h"
#include "compiler/regions/regions.h"

// After so many steps the analysis gives up, and everything is spilled per work-item.
enum { MAX_STEPS = 20000000 };
enum { MAX_FROZEN = 64 }; // numbers that what is frozen is computed from

struct state {
    struct weftc_cfg *g;
    struct weftc_uniformity *u;
    LLVMValueRef *work; // varying instructions whose users are still to be visited
    size_t pending, capacity;
    uint32_t *ipdom;
    struct weftc_walk walk;
    size_t steps;
    bool no_memory;
};

static void set_varying(struct state *s, LLVMValueRef i)
{
    if (weftc_map_get(&s->u->varying, i) != UINT32_MAX)
        return;
    if (s->pending == s->capacity) {
        size_t capacity = s->capacity ? 2 * s->capacity : 256;
        LLVMValueRef *larger = weft_realloc(s->work, capacity * sizeof *larger);
        if (!larger) {
            s->no_memory = true;
            return;
        }
        s->work = larger;
        s->capacity = capacity;
    }
    if (!weftc_map_put(&s->u->varying, i, 1))
        s->no_memory = true;
    s->work[s->pending++] = i;
}

// May the value be undefined, so that each use may see something else? Numbers of which that isn't known in
// *steps steps may.
static bool may_be_undefined(LLVMValueRef value, unsigned *steps)
{
    if (!LLVMIsAInstruction(value))
        return LLVMIsUndef(value) || LLVMIsPoison(value) ||
               !(LLVMIsAConstantInt(value) || LLVMIsAConstantFP(value) || LLVMIsAArgument(value));
    if (*steps == 0)
        return true;
    --*steps;
    enum weftc_primitive p;
    unsigned dim;
    const LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
    if (opcode == LLVMCall)
        return !weftc_primitive_of(value, &p, &dim);
    if (opcode == LLVMFreeze)
        return false;
    if (!weftc_is_integer_operation(opcode) && !weftc_is_division(opcode))
        return true;
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(value); k++)
        if (may_be_undefined(LLVMGetOperand(value, k), steps))
            return true;
    return false;
}

// Does the instruction vary even if no operand does?
static bool varies_by_itself(LLVMValueRef i, unsigned invariant_kind)
{
    enum weftc_primitive p;
    unsigned dim;
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMAlloca: // private memory: each work-item has its own
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
    case LLVMVAArg:
        return true;
    case LLVMFreeze: // an undefined value may be different each time; not a sum that wraps
        return may_be_undefined(LLVMGetOperand(i, 0), &(unsigned){MAX_FROZEN});
    case LLVMLoad: // the group's slot is shared by all work-items
        if (weftc_primitive_of(LLVMGetOperand(i, 0), &p, &dim) && p == WEFTC_GROUP_SLOT)
            return false;
        return !LLVMGetMetadata(i, invariant_kind);
    case LLVMCall:
        if (weftc_primitive_of(i, &p, &dim))
            return weftc_primitive_varies(p);
        return !weftc_callee(i) || !weftc_is_pure(weftc_callee(i));
    default:
        return false;
    }
}

static void phis_vary(struct state *s, uint32_t block)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(s->g->blocks[block].block); i && LLVMIsAPHINode(i);
         i = LLVMGetNextInstruction(i))
        set_varying(s, i);
}

// Handles the PHIs of the block `join`, where the paths from `block` that the walk took meet again. A PHI may
// have other incoming edges too, such as the back edge of a loop that begins there. But two work-items never
// arrive at the same time over one edge of each kind.
static void join_varies(struct state *s, uint32_t block, uint32_t join)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(s->g->blocks[join].block); i && LLVMIsAPHINode(i);
         i = LLVMGetNextInstruction(i)) {
        LLVMValueRef value = NULL;
        for (unsigned k = 0; k < LLVMCountIncoming(i); k++) {
            uint32_t from = weftc_block_of(s->g, LLVMGetIncomingBlock(i, k));
            s->steps++;
            if (from != block && s->walk.stamp[from] != s->walk.now)
                continue;
            if (value && value != LLVMGetIncomingValue(i, k)) {
                set_varying(s, i);
                break;
            }
            value = LLVMGetIncomingValue(i, k);
        }
    }
}

// Values that are defined in the walk's blocks and used outside vary, because work-items leave the loop
// around the branch in different iterations.
static void exits_vary(struct state *s, uint32_t block)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(s->g->blocks[block].block); i;
         i = LLVMGetNextInstruction(i)) {
        for (LLVMUseRef use = LLVMGetFirstUse(i); use; use = LLVMGetNextUse(use)) {
            uint32_t user = weftc_block_of_instruction(s->g, LLVMGetUser(use));
            s->steps++;
            if (s->walk.stamp[user] != s->walk.now) {
                set_varying(s, i);
                break;
            }
        }
    }
}

// Handles a varying terminator of `block`: work-items take different ways.
static void branch_varies(struct state *s, uint32_t block)
{
    struct weftc_cfg *g = s->g;
    struct weftc_walk *w = &s->walk;
    uint32_t join = s->ipdom[block], count = 0;
    w->now++;
    // The stack keeps all blocks that were met: the walk only appends to it and goes through it with `next`.
    for (uint32_t next = 0, at = block;; at = w->stack[next++]) {
        for (uint32_t e = 0; e < weftc_out_count(&g->edges, at); e++) {
            uint32_t to = weftc_outs(&g->edges, at)[e];
            s->steps++;
            if (to == join || w->stamp[to] == w->now)
                continue;
            w->stamp[to] = w->now;
            w->stack[count++] = to;
        }
        if (next == count)
            break;
    }
    for (uint32_t i = 0; i < count; i++) {
        g->blocks[w->stack[i]].divergent = true;
        phis_vary(s, w->stack[i]);
    }
    if (join != UINT32_MAX)
        join_varies(s, block, join);
    if (w->stamp[block] == w->now)
        for (uint32_t i = 0; i < count; i++)
            exits_vary(s, w->stack[i]);
}

static void users_vary(struct state *s, LLVMValueRef i)
{
    for (LLVMUseRef use = LLVMGetFirstUse(i); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        s->steps++;
        if (!LLVMIsATerminatorInst(user))
            set_varying(s, user);
        else if (weftc_map_get(&s->u->varying, user) != UINT32_MAX)
            continue;
        else if (weftc_map_put(&s->u->varying, user, 1))
            branch_varies(s, weftc_block_of_instruction(s->g, user));
        else
            s->no_memory = true;
    }
}

weft_status weftc_uniformity_find(struct weftc_cfg *g, struct weftc_uniformity *u)
{
    struct state s = {.g = g, .u = u};
    *u = (struct weftc_uniformity){0};
    weft_status status = weftc_walk_init(&s.walk, g);
    LLVMBasicBlockRef *blocks = weft_alloc_array(g->block_count, sizeof(LLVMBasicBlockRef));
    s.ipdom = weft_alloc_array(g->block_count, sizeof *s.ipdom);
    if (status != WEFT_OK || !blocks || !s.ipdom) {
        status = WEFT_NO_MEMORY;
        goto done;
    }
    for (uint32_t i = 0; i < g->block_count; i++)
        blocks[i] = g->blocks[i].block;
    weftc_bridge_post_dominators(g->kernel, blocks, g->block_count, s.ipdom);

    unsigned invariant = LLVMGetMDKindIDInContext(g->context, "invariant.load", 14);
    for (uint32_t b = 0; b < g->block_count; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(blocks[b]); i; i = LLVMGetNextInstruction(i))
            if (varies_by_itself(i, invariant))
                set_varying(&s, i);
    while (s.pending > 0 && s.steps < MAX_STEPS && !s.no_memory)
        users_vary(&s, s.work[--s.pending]);
    u->everything = s.pending > 0;
    if (s.no_memory)
        status = WEFT_NO_MEMORY;
done:
    weft_free(blocks);
    weft_free(s.ipdom);
    weft_free(s.work);
    weftc_walk_fini(&s.walk);
    return status;
}

bool weftc_is_uniform(const struct weftc_uniformity *u, LLVMValueRef v)
{
    return !u->everything && weftc_map_get(&u->varying, v) == UINT32_MAX;
}
