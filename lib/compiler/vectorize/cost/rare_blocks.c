// How often a block is reached, by the weights that branches have: from __builtin_expect, and from the
// checker (compiler/checker/mark.c). And by how many work-items of a row: of `if (get_local_id(0) < 2)`, with
// which kernels load the edges of a tile, a few.
#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/ir/module_facts.h"
#include "compiler/ir/primitives.h"
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

static bool is_cold_edge(LLVMValueRef terminator, LLVMBasicBlockRef to)
{
    return is_rare_edge(terminator, to, WEFTC_VEC_COLD);
}

static bool is_local_id(LLVMValueRef value)
{
    enum weftc_primitive p;
    unsigned dim;
    while (LLVMIsATruncInst(value) || LLVMIsASExtInst(value) || LLVMIsAZExtInst(value))
        value = LLVMGetOperand(value, 0);
    return weftc_primitive_of(value, &p, &dim) && (p == WEFTC_LOCAL_ID || p == WEFTC_LOCAL_ID32) && dim == 0;
}

// Do only the first work-items of a row take the edge?
static bool is_edge_of_few(LLVMValueRef terminator, LLVMBasicBlockRef to)
{
    enum { FEW = 4 };
    LLVMValueRef condition =
        LLVMIsABranchInst(terminator) && LLVMIsConditional(terminator) ? LLVMGetCondition(terminator) : NULL;
    if (!condition || !LLVMIsAICmpInst(condition) || LLVMGetSuccessor(terminator, 0) != to ||
        LLVMGetSuccessor(terminator, 1) == to || !is_local_id(LLVMGetOperand(condition, 0)))
        return false;
    const LLVMIntPredicate predicate = LLVMGetICmpPredicate(condition);
    LLVMModuleRef module = LLVMGetGlobalParent(LLVMGetBasicBlockParent(to));
    const uint64_t row = weftc_module_number(module, WEFTC_GROUP_SIZE_0);
    LLVMValueRef bound = LLVMGetOperand(condition, 1);
    return (predicate == LLVMIntULT || predicate == LLVMIntSLT) && LLVMIsAConstantInt(bound) &&
           LLVMConstIntGetZExtValue(bound) <= FEW &&
           (!row || row >= WEFTC_VEC_PART_OF_FEW * LLVMConstIntGetZExtValue(bound));
}

// Finds the blocks that are only reached by such edges, and from blocks that are only reached by them.
static bool *find_behind(const struct weftc_vec *v, bool (*is_edge)(LLVMValueRef, LLVMBasicBlockRef))
{
    const struct weftc_flow *g = &v->s->flow;
    bool *behind = weft_alloc_array((size_t)g->block_count + 1, sizeof *behind);
    for (uint32_t b = 0; behind && b < g->block_count; b++) {
        bool reached = false, only = true;
        for (uint32_t e = 0; e < weftc_in_count(&g->edges, b); e++) {
            const uint32_t from = weftc_ins(&g->edges, b)[e];
            if (from >= b) // the way back in a loop
                continue;
            reached = true;
            only &= behind[from] ||
                    is_edge(LLVMGetBasicBlockTerminator(g->blocks[from].block), g->blocks[b].block);
        }
        behind[b] = reached && only;
    }
    return behind;
}

bool *weftc_vec_find_cold(const struct weftc_vec *v)
{
    return find_behind(v, is_cold_edge);
}

bool *weftc_vec_find_few(const struct weftc_vec *v)
{
    return find_behind(v, is_edge_of_few);
}
