// Finds large irreducible loops, which can be entered at several blocks, in time that grows with the code.
// LLVM's CycleInfo takes the square of the number of loops that lie in each other.
//
// Natural loops have one entry. An edge counts in the innermost natural loop that has both its ends, where it
// goes from block to block, or from or to an inner loop as a whole. Without edges back to the headers of
// natural loops, what is still a cycle is an irreducible loop.
#include <string.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/bridge/vectorize.h"
#include "compiler/ir/cfg.h"
#include "compiler/vectorize/legalize/legalize.h"

// Blocks of an irreducible loop. It becomes loops in loops, one for each way in.
enum { MAX_IRREDUCIBLE = 128 };

// Nodes are blocks, and loops from `count` on.
struct graph {
    uint32_t count;
    struct weftc_bridge_trees trees;
    struct weftc_edges edges;
    uint32_t *first, *out, *depth, *blocks; // the depth of each loop; blocks in a node
};

// Moves `node` to the loop around it that lies in `level`.
static uint32_t parent_of(const struct graph *g, uint32_t node)
{
    return node < g->count ? g->trees.loop[node] : g->trees.loop_parent[node - g->count];
}

static uint32_t depth_of(const struct graph *g, uint32_t loop)
{
    return loop == UINT32_MAX ? 0 : g->depth[loop];
}

// The edge between what has the ends in the innermost loop that has both. Returns false for a back edge.
static bool common_edge(const struct graph *g, uint32_t *from, uint32_t *to)
{
    uint32_t in = parent_of(g, *from), out = parent_of(g, *to);
    while (in != out) {
        const bool climb_in = depth_of(g, in) >= depth_of(g, out);
        uint32_t *const node = climb_in ? from : to;
        uint32_t *const loop = climb_in ? &in : &out;
        *node = g->count + *loop;
        *loop = g->trees.loop_parent[*loop];
    }
    return *from != *to && (in == UINT32_MAX || *to != g->trees.loop_header[in]);
}

static bool allocate(struct graph *g, LLVMBasicBlockRef **blocks)
{
    const size_t n = g->count;
    uint32_t **const arrays[] = {&g->trees.order,       &g->trees.idom,        &g->trees.loop,
                                 &g->trees.loop_parent, &g->trees.loop_header, &g->depth};
    *blocks = weft_alloc_array(n, sizeof **blocks);
    bool ok = *blocks != NULL;
    for (size_t k = 0; k < WEFT_COUNT_OF(arrays); k++) {
        *arrays[k] = weft_alloc_array(n, sizeof **arrays[k]);
        ok &= *arrays[k] != NULL;
    }
    g->first = weft_alloc_array(2 * n + 2, sizeof *g->first);
    g->blocks = weft_alloc_array(2 * n + 1, sizeof *g->blocks);
    return ok && g->first && g->blocks;
}

static void count_blocks(struct graph *g)
{
    for (uint32_t b = 0; b < g->count; b++)
        g->blocks[b] = 1;
    for (uint32_t l = 0; l < g->trees.loop_count; l++) // outer loops come first
        g->depth[l] = depth_of(g, g->trees.loop_parent[l]) + 1;
    for (uint32_t b = 0; b < g->count; b++)
        if (g->trees.loop[b] != UINT32_MAX)
            g->blocks[g->count + g->trees.loop[b]]++;
    for (uint32_t l = (uint32_t)g->trees.loop_count; l-- > 0;)
        if (g->trees.loop_parent[l] != UINT32_MAX)
            g->blocks[g->count + g->trees.loop_parent[l]] += g->blocks[g->count + l];
}

static weft_status find_components(struct graph *g, struct weftc_components *c)
{
    const uint32_t nodes = g->count + (uint32_t)g->trees.loop_count, edges = g->edges.first_out[g->count];
    g->out = weft_alloc_array((size_t)edges + 1, sizeof *g->out);
    if (!g->out)
        return WEFT_NO_MEMORY;
    // Counts first; then first[n + 1] is where the next edge of n goes.
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t b = 0; b < g->count; b++)
            for (uint32_t e = 0; e < weftc_out_count(&g->edges, b); e++) {
                uint32_t from = b, to = weftc_outs(&g->edges, b)[e];
                if (!common_edge(g, &from, &to))
                    continue;
                if (pass == 0)
                    g->first[from + 2]++;
                else
                    g->out[g->first[from + 1]++] = to;
            }
        for (uint32_t n = 0; pass == 0 && n < nodes; n++)
            g->first[n + 2] += g->first[n + 1];
    }
    return weftc_components_init(c, g->first, g->out, nodes);
}

weft_status weftc_vec_is_entangled(LLVMValueRef f, bool *entangled)
{
    *entangled = false;
    struct graph g = {.count = LLVMCountBasicBlocks(f)};
    if (g.count <= MAX_IRREDUCIBLE)
        return WEFT_OK;
    LLVMBasicBlockRef *blocks;
    struct weftc_components c = {0};
    weft_status status = allocate(&g, &blocks) ? WEFT_OK : WEFT_NO_MEMORY;
    if (status == WEFT_OK) {
        LLVMGetBasicBlocks(f, blocks);
        status = weftc_edges_init(&g.edges, blocks, g.count);
    }
    if (status == WEFT_OK) {
        weftc_bridge_trees(f, &g.trees);
        if (!g.trees.reducible) {
            count_blocks(&g);
            status = find_components(&g, &c);
        }
    }
    for (uint32_t k = 0; status == WEFT_OK && k < c.count; k++) {
        uint32_t sum = 0;
        for (uint32_t n = c.begin[k]; n < c.begin[k + 1]; n++)
            sum += g.blocks[c.nodes[n]];
        *entangled |= c.begin[k + 1] - c.begin[k] > 1 && sum > MAX_IRREDUCIBLE;
    }
    weftc_components_fini(&c);
    weftc_edges_fini(&g.edges);
    uint32_t *const all[] = {
        g.trees.order, g.trees.idom, g.trees.loop, g.trees.loop_parent, g.trees.loop_header, g.depth,
        g.first,       g.blocks,     g.out};
    for (size_t k = 0; k < WEFT_COUNT_OF(all); k++)
        weft_free(all[k]);
    weft_free(blocks);
    return status;
}
