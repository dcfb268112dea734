// Which loops may run for long, if the launch wants it, and which branches can't be predicted
// (vectorize/cost/work.c)?
#include <stdint.h>

#include <llvm-c/Core.h>

#include "compiler/shapes/shapes.h"
#include "compiler/vectorize/access/access.h"
#include "compiler/vectorize/cost/cost.h"

// Does i count iterations, or check for another one? That costs next to nothing where a loop is unrolled.
bool weftc_vec_is_counting(LLVMValueRef i)
{
    if (LLVMIsATerminatorInst(i) || LLVMIsAICmpInst(i))
        return true;
    return LLVMGetInstructionOpcode(i) == LLVMAdd && LLVMIsAPHINode(LLVMGetOperand(i, 0)) &&
           LLVMIsAConstantInt(LLVMGetOperand(i, 1));
}

// Is the value multiplied or divided in each iteration, as in for (d = n / 2; d > 0; d /= 2)?
static bool is_scaled(LLVMValueRef value)
{
    if (!LLVMIsAInstruction(value))
        return false;
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMMul:
        return LLVMIsAPHINode(LLVMGetOperand(value, 0)) != NULL;
    case LLVMPHI:
        for (unsigned k = 0; k < LLVMCountIncoming(value); k++) {
            LLVMValueRef next = LLVMGetIncomingValue(value, k);
            if (LLVMIsAInstruction(next) && !LLVMIsAPHINode(next) && LLVMGetOperand(next, 0) == value &&
                is_scaled(next))
                return true;
        }
        return false;
    default:
        return false;
    }
}

// Does the condition end a loop early? So does a comparison of a counter with a constant: if that is small,
// the loop has been unrolled, and else its trip count isn't the launch's. Numbers that grow by a factor come
// to any bound soon.
static bool ends_soon(LLVMValueRef condition)
{
    if (!LLVMIsAICmpInst(condition))
        return false;
    LLVMValueRef counter = LLVMGetOperand(condition, 0), bound = LLVMGetOperand(condition, 1);
    return is_scaled(counter) || is_scaled(bound) ||
           (LLVMIsAConstantInt(bound) && LLVMIsAInstruction(counter) && weftc_vec_is_counting(counter));
}

// May the loop run for long, if the launch wants it?
bool weftc_vec_may_be_long(const struct weftc_flow *g, uint32_t loop)
{
    for (uint32_t b = g->loops[loop].begin; b < g->loops[loop].end; b++) {
        LLVMValueRef branch = LLVMGetBasicBlockTerminator(g->blocks[b].block);
        bool leaves = false;
        for (unsigned k = 0; k < LLVMGetNumSuccessors(branch); k++)
            leaves |= !weftc_flow_in_loop(g, loop, weftc_flow_block_of(g, LLVMGetSuccessor(branch, k)));
        if (leaves && LLVMIsABranchInst(branch) && LLVMIsConditional(branch) &&
            ends_soon(LLVMGetCondition(branch)))
            return false;
    }
    return true;
}

// Is the value computed from memory? From ids alone, as in `id % 2 == 0`, there is a pattern.
static bool is_loaded(const struct weftc_vec *v, LLVMValueRef value, unsigned steps)
{
    if (!LLVMIsAInstruction(value) || weftc_vec_shape(v, value).kind != WEFTC_VARYING || steps == 0)
        return false;
    if (LLVMIsALoadInst(value))
        return true;
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(value); k++)
        if (is_loaded(v, LLVMGetOperand(value, k), steps - 1))
            return true;
    return false;
}

bool weftc_vec_is_unpredictable(const struct weftc_vec *v, LLVMValueRef i)
{
    const struct weftc_flow_block *block =
        &v->s->flow.blocks[weftc_flow_block_of(&v->s->flow, LLVMGetInstructionParent(i))];
    LLVMValueRef condition = LLVMIsABranchInst(i) && LLVMIsConditional(i) ? LLVMGetCondition(i) : NULL;
    if (!condition || !block->divergent || block->loop != UINT32_MAX)
        return false;
    // In code of many branches most aren't reached by all, and are rarely taken. Few numbers are equal.
    enum { MAX_STEPS = 6, FEW_BLOCKS = 8 };
    if (v->s->flow.block_count > FEW_BLOCKS)
        return false;
    const LLVMIntPredicate p = LLVMIsAICmpInst(condition) ? LLVMGetICmpPredicate(condition) : LLVMIntSLT;
    return p != LLVMIntEQ && p != LLVMIntNE && is_loaded(v, condition, MAX_STEPS);
}
