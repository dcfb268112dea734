// Finds what a count of instructions can't tell of a vectorized region: how long the last lane stays in a
// loop, and what accesses cost that aren't side by side. The runtime may measure it instead (ADR 27).
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "compiler/shapes/shapes.h"
#include "compiler/vectorize/access/access.h"
#include "compiler/vectorize/cost/cost.h"

static bool is_even(const struct weftc_vec *v, LLVMValueRef value)
{
    return weftc_vec_shape(v, value).kind != WEFTC_VARYING;
}

// Do all lanes leave here after about the same number of iterations? Yes, if the branch compares a number
// that is the same for all lanes with a loop counter. The counter grows equally in all lanes, or starts at
// the id. An example are loops in which work-items share out the elements of an array.
static bool leaves_evenly(const struct weftc_vec *v, LLVMValueRef branch)
{
    LLVMValueRef condition =
        LLVMIsABranchInst(branch) && LLVMIsConditional(branch) ? LLVMGetCondition(branch) : NULL;
    return condition && LLVMIsAICmpInst(condition) && is_even(v, LLVMGetOperand(condition, 0)) &&
           is_even(v, LLVMGetOperand(condition, 1));
}

// Do lanes part at the end of this block of the loop, other than by leaving the loop evenly?
static bool lanes_part(const struct weftc_vec *v, uint32_t loop, uint32_t b, bool *leaves)
{
    const struct weftc_flow *g = &v->s->flow;
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(g->blocks[b].block);
    *leaves = false;
    for (unsigned k = 0; k < LLVMGetNumSuccessors(branch); k++)
        *leaves |= !weftc_flow_in_loop(g, loop, weftc_flow_block_of(g, LLVMGetSuccessor(branch, k)));
    return g->blocks[b].divergent && !(*leaves && leaves_evenly(v, branch));
}

static void look_at_loop(const struct weftc_vec *v, uint32_t loop, struct weftc_vec_cost *cost)
{
    const struct weftc_flow_loop *l = &v->s->flow.loops[loop];
    for (uint32_t b = l->begin; b < l->end; b++) {
        bool leaves, apart = lanes_part(v, loop, b, &leaves);
        cost->uneven_trip_counts |= apart && leaves;
        cost->diverges_in_loop |=
            apart && v->s->flow.blocks[b].loop == loop; // not where an inner loop is left
    }
}

static void look_at(const struct weftc_vec *v, LLVMValueRef i, struct weftc_vec_cost *cost)
{
    const enum weftc_access_reach reach = LLVMIsACallInst(i)
                                              ? weftc_call_traits[weftc_vec_call(v, i)->kind].reach
                                              : weftc_access_traits[weftc_vec_access(v, i)->kind].reach;
    cost->apart |= reach != WEFTC_REACH_TOGETHER;
    cost->far_apart |= reach == WEFTC_REACH_FAR;
    cost->narrow_apart |=
        reach == WEFTC_REACH_FAR && !LLVMIsACallInst(i) && weftc_vec_access(v, i)->bytes < 4;
}

void weftc_vec_find_autotune_candidates(const struct weftc_vec *v, struct weftc_vec_cost *cost)
{
    const struct weftc_flow *g = &v->s->flow;
    cost->diverges_in_loop = cost->uneven_trip_counts = cost->apart = cost->far_apart = cost->narrow_apart =
        false;
    for (uint32_t l = 0; l < g->loop_count; l++)
        look_at_loop(v, l, cost);
    for (uint32_t b = 0; b < g->block_count; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(g->blocks[b].block); i; i = LLVMGetNextInstruction(i))
            look_at(v, i, cost);
}
