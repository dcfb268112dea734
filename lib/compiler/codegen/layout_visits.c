// What LLVM's block placement costs. It aligns the blocks of loops, and looks for the metadata of the loop of
// each of them: at the branch that ends the loop. That is in the last block of most loops. A loop without
// such a block, as gotos make it, is searched for one block that leaves it: for each of its blocks, all its
// blocks are visited.
#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/bridge/vectorize.h"
#include "compiler/codegen/codegen.h"
#include "compiler/ir/cfg.h"

struct loops {
    struct weftc_bridge_trees trees;
    struct weftc_edges edges;
    LLVMBasicBlockRef *blocks;
    size_t *size, *own; // blocks of a loop; those that aren't in an inner one
};

static bool contains(const struct loops *l, uint32_t loop, uint32_t block)
{
    uint32_t n = l->trees.loop[block];
    while (n != UINT32_MAX && n > loop) // outer loops have smaller numbers
        n = l->trees.loop_parent[n];
    return n == loop;
}

// Has the loop one block that leads back to its start, and does that also leave the loop?
static bool ends_last(const struct loops *l, uint32_t loop)
{
    const uint32_t header = l->trees.loop_header[loop];
    uint32_t latch = UINT32_MAX;
    for (uint32_t k = 0; k < weftc_in_count(&l->edges, header); k++) {
        const uint32_t from = weftc_ins(&l->edges, header)[k];
        if (!contains(l, loop, from))
            continue;
        if (latch != UINT32_MAX && latch != from)
            return false;
        latch = from;
    }
    for (uint32_t k = 0; latch != UINT32_MAX && k < weftc_out_count(&l->edges, latch); k++)
        if (!contains(l, loop, weftc_outs(&l->edges, latch)[k]))
            return true;
    return false;
}

static size_t count_visits(struct loops *l)
{
    size_t visits = 0;
    for (size_t k = 0; k < l->trees.reached; k++)
        if (l->trees.loop[l->trees.order[k]] != UINT32_MAX)
            l->own[l->trees.loop[l->trees.order[k]]]++;
    for (size_t n = l->trees.loop_count; n-- > 0;) {
        l->size[n] += l->own[n];
        if (l->trees.loop_parent[n] != UINT32_MAX)
            l->size[l->trees.loop_parent[n]] += l->size[n];
        if (!ends_last(l, (uint32_t)n))
            visits += l->own[n] * l->size[n];
    }
    return visits;
}

static size_t visits_in(LLVMValueRef f)
{
    const uint32_t count = LLVMCountBasicBlocks(f);
    struct loops l = {.blocks = weft_alloc_array(count, sizeof *l.blocks),
                      .size = weft_alloc_array(count, sizeof *l.size),
                      .own = weft_alloc_array(count, sizeof *l.own)};
    uint32_t **const arrays[] = {&l.trees.order, &l.trees.idom, &l.trees.loop, &l.trees.loop_parent,
                                 &l.trees.loop_header};
    bool ok = l.blocks && l.size && l.own;
    for (size_t k = 0; k < WEFT_COUNT_OF(arrays); k++) {
        *arrays[k] = weft_alloc_array(count, sizeof **arrays[k]);
        ok &= *arrays[k] != NULL;
    }
    size_t visits = 0;
    if (ok) {
        LLVMGetBasicBlocks(f, l.blocks);
        if (weftc_edges_init(&l.edges, l.blocks, count) == WEFT_OK) {
            weftc_bridge_trees(f, &l.trees);
            visits = count_visits(&l);
        }
    }
    weftc_edges_fini(&l.edges);
    for (size_t k = 0; k < WEFT_COUNT_OF(arrays); k++)
        weft_free(*arrays[k]);
    weft_free(l.blocks);
    weft_free(l.size);
    weft_free(l.own);
    return visits;
}

size_t weftc_layout_visits(LLVMModuleRef module)
{
    enum { MIN_BLOCKS = 1000 }; // of a function that can have many
    size_t most = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        const size_t visits =
            !LLVMIsDeclaration(f) && LLVMCountBasicBlocks(f) > MIN_BLOCKS ? visits_in(f) : 0;
        most = visits > most ? visits : most;
    }
    return most;
}
