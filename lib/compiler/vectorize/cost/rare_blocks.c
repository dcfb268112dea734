// How often a block is reached, by the weights that branches have: from __builtin_expect, and from the
// checker (compiler/checker/mark.c).
#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/shapes/shapes.h"
#include "compiler/vectorize/access/access.h"
#include "compiler/vectorize/cost/cost.h"

// Is the terminator's edge to this block taken less than one time in `times`?
static bool is_rare_edge(LLVMValueRef terminator, LLVMBasicBlockRef to, uint64_t times)
{
    static const char prof[] = "prof";
    if (!LLVMIsABranchInst(terminator) || !LLVMIsConditional(terminator))
        return false;
    LLVMContextRef c = LLVMGetTypeContext(LLVMTypeOf(terminator));
    LLVMValueRef weights = LLVMGetMetadata(terminator, LLVMGetMDKindIDInContext(c, prof, sizeof prof - 1));
    LLVMValueRef operands[4];
    // A name, perhaps where the weights are from, and the weights.
    const unsigned count = weights ? (unsigned)LLVMGetMDNodeNumOperands(weights) : 0;
    if (count < 3 || count > 4)
        return false;
    LLVMGetMDNodeOperands(weights, operands);
    uint64_t weight[2], sum = 0;
    for (unsigned way = 0; way < 2; way++) {
        LLVMValueRef number = operands[count - 2 + way];
        if (!number || !LLVMIsAConstantInt(number))
            return false;
        sum += weight[way] = LLVMConstIntGetZExtValue(number);
    }
    const unsigned way = LLVMGetSuccessor(terminator, 1) == to;
    return LLVMGetSuccessor(terminator, !way) != to && weight[way] < sum / times;
}

bool weftc_vec_is_rare(const struct weftc_vec *v, uint32_t block, uint64_t times)
{
    const struct weftc_flow *g = &v->s->flow;
    const uint32_t count = weftc_in_count(&g->edges, block);
    for (uint32_t e = 0; e < count; e++) {
        LLVMBasicBlockRef from = g->blocks[weftc_ins(&g->edges, block)[e]].block;
        if (!is_rare_edge(LLVMGetBasicBlockTerminator(from), g->blocks[block].block, times))
            return false;
    }
    return count > 0;
}

bool *weftc_vec_find_cold(const struct weftc_vec *v)
{
    const struct weftc_flow *g = &v->s->flow;
    bool *cold = weft_alloc_array((size_t)g->block_count + 1, sizeof *cold);
    for (uint32_t b = 0; cold && b < g->block_count; b++) {
        bool reached = false, from_cold = true;
        for (uint32_t e = 0; e < weftc_in_count(&g->edges, b); e++) {
            const uint32_t from = weftc_ins(&g->edges, b)[e];
            if (from >= b) // the way back in a loop
                continue;
            reached = true;
            from_cold &= cold[from] || is_rare_edge(LLVMGetBasicBlockTerminator(g->blocks[from].block),
                                                    g->blocks[b].block, WEFTC_VEC_COLD);
        }
        cold[b] = reached && from_cold;
    }
    return cold;
}
