// Loops in which a lane waits for what another lane does behind them: a spin lock,
//
//     while (atomic_cmpxchg(lock, 0, 1));   ...   atomic_xchg(lock, 0);
//
// Work-items that run one after the other come through. Lanes don't: whoever has the lock waits behind the loop until the
// last lane has left it. Such a region isn't vectorized.
//
// A loop waits, if lanes leave it in different rounds, its branches ask for what an atomic (or volatile) access reads from one
// place in all rounds, and none of its rounds changes what the next one finds there. So these don't wait: a
// compare-and-exchange that expects what this round has read, a search of a hash table from slot to slot, a counter that each round
// moves on, and a loop that frees the lock itself.
#include <string.h>

#include "vectorize.h"

enum { MOST_STEPS = 8 }; // of an address, seen as the same in all rounds

struct search {
    const struct weftc_shapes *s;
    uint32_t loop;
    uint32_t *work;
    uint8_t *seen; // by number of instruction
};

static bool is_inside(const struct search *w, LLVMValueRef value)
{
    if (!LLVMIsAInstruction(value))
        return false;
    uint32_t block = weftc_flow_block_of(&w->s->flow, LLVMGetInstructionParent(value));
    return weftc_flow_in_loop(&w->s->flow, w->loop, block);
}

// The same in every round. What is computed inside of the loop is, when it is so from what comes in.
static bool stays(const struct search *w, LLVMValueRef value, unsigned steps)
{
    if (!is_inside(w, value))
        return true;
    if (steps == 0 || LLVMIsAPHINode(value) || LLVMIsALoadInst(value) || LLVMIsACallInst(value) ||
        LLVMIsAAtomicRMWInst(value) || LLVMIsAAtomicCmpXchgInst(value))
        return false;
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(value); k++)
        if (!stays(w, LLVMGetOperand(value, k), steps - 1))
            return false;
    return true;
}

// Done again it finds what it left the first time, so that a round alone gets nobody further.
static bool may_wait(const struct search *w, LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMLoad:
        return (LLVMGetVolatile(i) || LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic) &&
               stays(w, LLVMGetOperand(i, 0), MOST_STEPS);
    case LLVMAtomicCmpXchg:
        return stays(w, LLVMGetOperand(i, 0), MOST_STEPS) && stays(w, LLVMGetOperand(i, 1), MOST_STEPS) &&
               stays(w, LLVMGetOperand(i, 2), MOST_STEPS);
    case LLVMAtomicRMW:
        break;
    default:
        return false;
    }
    LLVMValueRef operand = LLVMGetOperand(i, 1);
    if (!stays(w, LLVMGetOperand(i, 0), MOST_STEPS) || !stays(w, operand, MOST_STEPS))
        return false;
    switch (LLVMGetAtomicRMWBinOp(i)) {
    case LLVMAtomicRMWBinOpAdd:
    case LLVMAtomicRMWBinOpSub:
    case LLVMAtomicRMWBinOpXor:
        return LLVMIsNull(operand);
    case LLVMAtomicRMWBinOpXchg:
    case LLVMAtomicRMWBinOpAnd:
    case LLVMAtomicRMWBinOpOr:
    case LLVMAtomicRMWBinOpMax:
    case LLVMAtomicRMWBinOpMin:
    case LLVMAtomicRMWBinOpUMax:
    case LLVMAtomicRMWBinOpUMin:
        return true;
    default:
        return false;
    }
}

// Does a branch of the loop ask for the value, or for what is made of it?
static bool decides(const struct search *w, LLVMValueRef value)
{
    memset(w->seen, 0, w->s->count);
    uint32_t pending = 0, n = weftc_map_get(&w->s->number, value);
    w->work[pending++] = n;
    w->seen[n] = 1;
    while (pending > 0) {
        LLVMValueRef at = w->s->instructions[w->work[--pending]];
        for (LLVMUseRef use = LLVMGetFirstUse(at); use; use = LLVMGetNextUse(use)) {
            LLVMValueRef user = LLVMGetUser(use);
            if (!is_inside(w, user))
                continue;
            if (LLVMIsATerminatorInst(user))
                return true;
            uint32_t number = weftc_map_get(&w->s->number, user);
            if (w->seen[number])
                continue;
            w->seen[number] = 1;
            w->work[pending++] = number;
        }
    }
    return false;
}

static LLVMValueRef written(LLVMValueRef i)
{
    if (LLVMIsAStoreInst(i))
        return LLVMGetOperand(i, 1);
    return LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i) ? LLVMGetOperand(i, 0) : NULL;
}

// Does a round also write there what others may wait for?
static bool moves_on(const struct search *w, LLVMValueRef address)
{
    const struct weftc_flow *g = &w->s->flow;
    for (uint32_t b = g->loops[w->loop].begin; b < g->loops[w->loop].end; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(g->blocks[b].block); i; i = LLVMGetNextInstruction(i))
            if (written(i) == address && !(may_wait(w, i) && decides(w, i)))
                return true;
    return false;
}

static LLVMValueRef waits_in(struct search *w, uint32_t loop)
{
    const struct weftc_flow *g = &w->s->flow;
    w->loop = loop;
    for (uint32_t b = g->loops[loop].begin; b < g->loops[loop].end; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(g->blocks[b].block); i; i = LLVMGetNextInstruction(i))
            if (may_wait(w, i) && decides(w, i) && !moves_on(w, LLVMGetOperand(i, 0)))
                return i;
    return NULL;
}

weft_status weftc_vec_waits(const struct weftc_shapes *s, LLVMValueRef *for_what)
{
    struct search w = {.s = s};
    w.work = weft_alloc_array((size_t)s->count + 1, sizeof *w.work);
    w.seen = weft_alloc_array((size_t)s->count + 1, sizeof *w.seen);
    weft_status status = w.work && w.seen ? WEFT_OK : WEFT_NO_MEMORY;
    *for_what = NULL;
    for (uint32_t l = 0; l < s->flow.loop_count && status == WEFT_OK && !*for_what; l++)
        if (s->flow.loops[l].divergent)
            *for_what = waits_in(&w, l);
    weft_free(w.work);
    weft_free(w.seen);
    return status;
}
