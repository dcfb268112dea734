// Around which blocks is a branch worth it, if no lane comes there? Without one, the block runs for no lane:
// loads are masked, and results are thrown away. The prices are of that case. They are rougher than those of
// prices.c, and only need to tell a few operations from what costs more than a branch.
#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/shapes/shapes.h"
#include "compiler/vectorize/access/access.h"
#include "compiler/vectorize/cost/cost.h"

enum {
    MAX_WITHOUT_BRANCH = 12,
    // The processor predicts the branch around a block that hardly a lane comes to. Of all that is jumped
    // over.
    MAX_UNLIKELY_WITHOUT_BRANCH = 4,
    UNLIKELY = 64, // one time in so many, by the weights that __builtin_expect gives a branch
    STORE = 6,
    NEAR_LOAD = 4,
    FAR_LOAD = 40, // it takes its time for each lane, active or not
    CALL_PRICE = 6,
    DIVISION = 40, // of whole numbers
    REAL_DIVISION = 10,
};

// ---- a function for each row of access/kinds.def ----

static unsigned near_idle(const struct weftc_vec *v, LLVMValueRef i)
{
    (void)v;
    return LLVMIsAStoreInst(i) ? STORE : NEAR_LOAD;
}

static unsigned far_idle(const struct weftc_vec *v, LLVMValueRef i)
{
    (void)v;
    return LLVMIsAStoreInst(i) ? STORE : FAR_LOAD;
}

// All permutes are done.
static unsigned table_idle(const struct weftc_vec *v, LLVMValueRef i)
{
    return (unsigned)weftc_vec_work(v, i);
}

static unsigned (*const accesses[WEFTC_ACCESS_KINDS])(const struct weftc_vec *, LLVMValueRef) = {
#define ACCESS(kind, reach, lane, piece, load, store, atomic, work, time, idle, name, words) \
    [WEFTC_ACCESS_##kind] = idle,
#include "compiler/vectorize/access/kinds.def"
#undef ACCESS
};

// ---- a function for each row of access/calls.def ----

static unsigned no_call_idle(void)
{
    return 0;
}

static unsigned call_idle(void)
{
    return CALL_PRICE;
}

static unsigned (*const calls[WEFTC_CALL_KINDS])(void) = {
#define CALL(kind, reach, emit, work, idle, words) [WEFTC_CALL_##kind] = idle,
#include "compiler/vectorize/access/calls.def"
#undef CALL
};

// ---- blocks ----

static unsigned price_of(const struct weftc_vec *v, LLVMValueRef i)
{
    const enum weftc_access_kind access = weftc_vec_access(v, i)->kind;
    const enum weftc_call_kind call = weftc_vec_call(v, i)->kind;
    if (access != WEFTC_ACCESS_NONE)
        return accesses[access](v, i);
    if (call != WEFTC_CALL_NONE)
        return calls[call]();
    if (LLVMIsAPHINode(i))
        return 0;
    if (LLVMIsATerminatorInst(i) || weftc_vec_is_scalar(v, i))
        return 1;
    const LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
    return weftc_is_division(opcode)                  ? DIVISION
           : opcode == LLVMFDiv || opcode == LLVMFRem ? REAL_DIVISION
                                                      : 1;
}

static unsigned block_price(const struct weftc_vec *v, uint32_t block)
{
    unsigned price = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(v->s->flow.blocks[block].block);
         i && price <= MAX_WITHOUT_BRANCH; i = LLVMGetNextInstruction(i))
        price += price_of(v, i);
    return price;
}

void weftc_vec_find_branches(struct weftc_vec *v)
{
    const struct weftc_flow *g = &v->s->flow;
    v->branches = weft_alloc_array((size_t)g->block_count + 1, sizeof *v->branches);
    // The price of a block and of all that it dominates: what the branch around an unlikely block jumps over.
    unsigned *all = weft_alloc_array((size_t)g->block_count + 1, sizeof *all);
    v->no_memory |= !v->branches || !all;
    // A block's dominators come before it.
    for (uint32_t b = g->block_count; b-- > 0 && !v->no_memory;) {
        const unsigned price = block_price(v, b);
        all[b] += price;
        v->branches[b] = price > MAX_WITHOUT_BRANCH ||
                         (all[b] > MAX_UNLIKELY_WITHOUT_BRANCH && weftc_vec_is_rare(v, b, UNLIKELY));
        const uint32_t idom = g->blocks[b].idom;
        if (idom < b && all[idom] <= MAX_WITHOUT_BRANCH)
            all[idom] += all[b];
    }
    weft_free(all);
}
