// Single-item regions: code that one work-item runs for the whole group, from a single-item barrier up to the
// next barriers.
//
// LLVM may have sunk the program's own computations into it, towards their uses after the second barrier.
// Each work-item needs these for itself. So they are moved back to where they came from, before the first
// barrier. Single-item code itself passes its results on through memory.
#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/ir/cfg.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/primitives.h"
#include "compiler/regions/regions.h"

// Marks the blocks of single-item code, each with its barrier.
static weft_status mark(struct weftc_cfg *g)
{
    uint32_t *work = weft_alloc_array((size_t)g->block_count + 1, sizeof *work);
    if (!work)
        return WEFT_NO_MEMORY;
    for (uint32_t k = 0; k < g->barrier_count; k++) {
        uint32_t depth = 0;
        if (weftc_calls(LLVMGetFirstInstruction(g->blocks[g->barriers[k]].block), WEFTC_SINGLE_ITEM_BARRIER))
            work[depth++] = g->barriers[k];
        while (depth > 0) {
            uint32_t at = work[--depth];
            for (uint32_t e = 0; e < weftc_out_count(&g->edges, at); e++) {
                uint32_t to = weftc_outs(&g->edges, at)[e];
                if (g->blocks[to].single_item || g->blocks[to].barrier != UINT32_MAX)
                    continue;
                g->blocks[to].single_item = true;
                g->blocks[to].single_item_barrier = g->barriers[k];
                work[depth++] = to;
            }
        }
    }
    weft_free(work);
    return WEFT_OK;
}

static const struct weftc_block *single_item_block_of(const struct weftc_cfg *g, LLVMValueRef value)
{
    LLVMValueRef i = LLVMIsAInstruction(value);
    const struct weftc_block *b = i ? &g->blocks[weftc_block_of_instruction(g, i)] : NULL;
    return b && b->single_item ? b : NULL;
}

// Does the instruction depend on nothing but its operands?
static bool is_movable(LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMPHI:
    case LLVMAlloca:
    case LLVMLoad:
    case LLVMStore:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
    case LLVMFence:
    case LLVMVAArg:
        return false;
    case LLVMCall:
        return weftc_callee(i) && weftc_is_pure(weftc_callee(i));
    default:
        return !LLVMIsATerminatorInst(i);
    }
}

enum { MAX_DEPTH = 1000 };

// Can the value, with everything that it is computed from, be moved out of single-item code?
static bool can_leave(const struct weftc_cfg *g, LLVMValueRef value, unsigned depth)
{
    if (!single_item_block_of(g, value))
        return true;
    if (depth == 0 || !is_movable(value))
        return false;
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(value); k++)
        if (!can_leave(g, LLVMGetOperand(value, k), depth - 1))
            return false;
    return true;
}

static void leave(const struct weftc_cfg *g, LLVMBuilderRef b, LLVMValueRef value)
{
    const struct weftc_block *from = single_item_block_of(g, value);
    if (!from)
        return;
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(value); k++)
        leave(g, b, LLVMGetOperand(value, k));
    // A barrier's block was split off the block before it, its only predecessor.
    uint32_t before = weftc_ins(&g->edges, from->single_item_barrier)[0];
    LLVMInstructionRemoveFromParent(value);
    LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(g->blocks[before].block));
    LLVMInsertIntoBuilder(b, value);
}

static bool is_used_outside(const struct weftc_cfg *g, LLVMValueRef i)
{
    for (LLVMUseRef use = LLVMGetFirstUse(i); use; use = LLVMGetNextUse(use))
        if (!single_item_block_of(g, LLVMGetUser(use)))
            return true;
    return false;
}

weft_status weftc_single_item_find(struct weftc_cfg *g)
{
    weft_status status = mark(g);
    if (status != WEFT_OK)
        return status;
    LLVMBuilderRef b = LLVMCreateBuilderInContext(g->context);
    for (uint32_t n = 0; n < g->block_count; n++) {
        if (!g->blocks[n].single_item)
            continue;
        // Goes backwards: an instruction that is moved takes its operands along, which come before it.
        LLVMValueRef before;
        for (LLVMValueRef i = LLVMGetLastInstruction(g->blocks[n].block); i; i = before) {
            before = LLVMGetPreviousInstruction(i);
            if (!is_used_outside(g, i) || !can_leave(g, i, MAX_DEPTH))
                continue;
            leave(g, b, i);
            before = LLVMGetLastInstruction(g->blocks[n].block);
        }
    }
    LLVMDisposeBuilder(b);
    return WEFT_OK;
}
