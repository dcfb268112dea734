// Join barriers: they keep all regions together about as large as the kernel.
//
// Code after a conditional that holds a barrier belongs to two regions: the one that begins at the barrier,
// and the one that skipped it. If many such conditionals follow each other, the last code is copied into all
// their regions: n conditionals make n^2 code. Where the copies add up, this pass adds a barrier where the
// paths meet again: at the first block through which all paths from a barrier go. It does so only if all
// work-items are sure to get there together, so the block isn't divergent. An added barrier doesn't change
// the results, but costs spilling everything that is live across it. So small kernels get none.
//
// In scheduled kernels (named barriers) work-items may be in different regions, and nobody waits at a join
// barrier: a work-item only lets the others run and goes on.
#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/bridge/passes.h"
#include "compiler/ir/cfg.h"
#include "compiler/ir/llvm_helpers.h"
#include "compiler/ir/module_facts.h"
#include "compiler/ir/primitives.h"
#include "compiler/regions/regions.h"
#include "weft/named_barrier.h"

enum { TOLERATED_COPIES = 3, TOLERATED_INSTRUCTIONS = 400 };
// Instructions at the end of a region for each barrier that it may come to; regions that get more of them
// where some were added already, since they cost time when the kernel runs.
enum { EXIT_SIZE = 4, TOLERATED_LATER = 16000 };

static uint32_t instructions_of(LLVMBasicBlockRef block)
{
    uint32_t count = 0;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
        count++;
    return count;
}

// Counts the instructions of the region that starts at `start`, with those that leave it. Adds one to seen[]
// for each of its blocks.
static uint64_t measure(const struct weftc_cfg *g, struct weftc_walk *w, const uint32_t *sizes,
                        uint32_t *seen, uint32_t start, uint32_t exit_size)
{
    uint64_t sum = 0;
    w->now++;
    w->depth = 0;
    w->stamp[start] = w->now;
    w->stack[w->depth++] = start;
    while (w->depth > 0) {
        uint32_t at = w->stack[--w->depth];
        sum += sizes[at];
        seen[at]++;
        for (uint32_t e = 0; e < weftc_out_count(&g->edges, at); e++) {
            uint32_t to = weftc_outs(&g->edges, at)[e];
            if (w->stamp[to] == w->now)
                continue;
            w->stamp[to] = w->now;
            if (g->blocks[to].barrier != UINT32_MAX)
                sum += exit_size;
            else
                w->stack[w->depth++] = to;
        }
    }
    return sum;
}

static void add_barrier(const struct weftc_cfg *g, bool scheduled, LLVMBasicBlockRef block)
{
    LLVMValueRef at = LLVMGetFirstInstruction(block);
    while (LLVMIsAPHINode(at))
        at = LLVMGetNextInstruction(at);
    LLVMBuilderRef b = LLVMCreateBuilderInContext(g->context);
    LLVMPositionBuilderBefore(b, at);
    LLVMValueRef f = weftc_effect_function(g->module, scheduled ? WEFTC_YIELD : WEFTC_BARRIER);
    LLVMBuildCall2(b, LLVMGlobalGetValueType(f), f, NULL, 0, "");
    if (scheduled) { // mark progress: a work-item that gets here doesn't wait
        LLVMValueRef words = weftc_primitive_build(b, g->module, WEFTC_GROUP_BARRIERS, 0);
        LLVMValueRef index = weftc_i64(g->context, WEFT_BARRIER_PROGRESS), one = weftc_i32(g->context, 1);
        LLVMValueRef place = LLVMBuildInBoundsGEP2(b, LLVMTypeOf(one), words, &index, 1, "");
        LLVMSetVolatile(LLVMBuildStore(b, one, place), true);
    }
    LLVMDisposeBuilder(b);
}

weft_status weftc_add_join_barriers(const struct weftc_cfg *g, const struct weftc_uniformity *u,
                                    uint32_t entry, bool again, bool *added)
{
    *added = false;
    const bool scheduled = weftc_module_number(g->module, WEFTC_SCHEDULED) != 0;
    if (u->everything && !scheduled)
        return WEFT_OK;
    struct weftc_walk walk;
    weft_status status = weftc_walk_init(&walk, g);
    uint32_t *sizes = weft_alloc_array(g->block_count, sizeof *sizes);
    uint32_t *seen = weft_alloc_array(g->block_count, sizeof *seen);
    uint32_t *ipdom = weft_alloc_array(g->block_count, sizeof *ipdom);
    LLVMBasicBlockRef *blocks = weft_alloc_array(g->block_count, sizeof(LLVMBasicBlockRef));
    if (status != WEFT_OK || !sizes || !seen || !ipdom || !blocks) {
        status = WEFT_NO_MEMORY;
        goto done;
    }
    const uint32_t exit_size = again ? EXIT_SIZE : 0;
    uint64_t kernel = 0, regions = 0;
    for (uint32_t i = 0; i < g->block_count; i++) {
        blocks[i] = g->blocks[i].block;
        sizes[i] = instructions_of(blocks[i]);
        kernel += sizes[i];
    }
    regions = measure(g, &walk, sizes, seen, entry, exit_size);
    for (uint32_t k = 0; k < g->barrier_count; k++) {
        uint32_t after = weftc_outs(&g->edges, g->barriers[k])[0];
        regions += measure(g, &walk, sizes, seen, after, exit_size);
    }
    if (regions <= TOLERATED_COPIES * kernel + TOLERATED_INSTRUCTIONS ||
        (again && regions <= TOLERATED_LATER))
        goto done;
    weftc_bridge_post_dominators(g->kernel, blocks, g->block_count, ipdom);
    for (uint32_t k = 0; k < g->barrier_count; k++) {
        // The first post-dominator of the barrier that several regions share.
        uint32_t at = g->barriers[k];
        while (at != UINT32_MAX && seen[at] < 2)
            at = ipdom[at];
        if (at == UINT32_MAX || (g->blocks[at].divergent && !scheduled) || g->blocks[at].single_item)
            continue;
        add_barrier(g, scheduled, blocks[at]);
        seen[at] = 0;
        *added = true;
    }
done:
    weft_free(sizes);
    weft_free(seen);
    weft_free(ipdom);
    weft_free(blocks);
    weftc_walk_fini(&walk);
    return status;
}
