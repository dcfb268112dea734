// The linear order of a function's blocks (shapes/shapes.h). Loop levels are nested in each other. Within a
// level, the dominator tree is walked in preorder, with siblings in reverse post-order.
#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/bridge/vectorize.h"
#include "compiler/ir/cfg.h"
#include "compiler/shapes/shapes.h"

struct builder {
    struct weftc_flow *g;
    struct weftc_bridge_trees t; // indexed by the function's block order
    LLVMBasicBlockRef *blocks;
    uint32_t count;
    uint32_t *place; // block -> place in the linear order
    uint32_t *first_child, *next_sibling;
};

// The loop in whose level the block is a node. A header is the node for its loop in the level around the
// loop.
static uint32_t level_of(const struct builder *o, uint32_t block)
{
    uint32_t loop = o->t.loop[block];
    return loop != UINT32_MAX && o->t.loop_header[loop] == block ? o->t.loop_parent[loop] : loop;
}

// The node of `level` that is, or contains, the block; UINT32_MAX: none.
static uint32_t node_in_level(const struct builder *o, uint32_t block, uint32_t level)
{
    uint32_t loop = o->t.loop[block];
    if (loop == level)
        return block;
    while (loop != UINT32_MAX && o->t.loop_parent[loop] != level)
        loop = o->t.loop_parent[loop];
    return loop == UINT32_MAX ? UINT32_MAX : o->t.loop_header[loop];
}

static weft_status link_children(struct builder *o)
{
    for (uint32_t i = 0; i < o->count; i++)
        o->first_child[i] = o->next_sibling[i] = UINT32_MAX;
    // The lists are built in falling order: pushed on a stack, they are popped in rising order.
    for (uint32_t k = 1; k < o->t.reached; k++) {
        uint32_t block = o->t.order[k];
        uint32_t parent = node_in_level(o, o->t.idom[block], level_of(o, block));
        if (parent == UINT32_MAX)
            return WEFT_UNSUPPORTED;
        o->next_sibling[block] = o->first_child[parent];
        o->first_child[parent] = block;
    }
    return WEFT_OK;
}

static weft_status place_blocks(struct builder *o)
{
    struct weftc_flow *g = o->g;
    enum { LOOP_END = 1u << 31 };
    uint32_t *stack = weft_alloc_array(2 * (size_t)o->count + o->t.loop_count + 2, sizeof *stack);
    if (!stack)
        return WEFT_NO_MEMORY;
    size_t depth = 0;
    uint32_t placed = 0;
    stack[depth++] = o->t.order[0];
    while (depth > 0) {
        uint32_t at = stack[--depth];
        if (at & LOOP_END) {
            g->loops[at & ~(uint32_t)LOOP_END].end = placed;
            continue;
        }
        uint32_t loop = o->t.loop[at];
        bool header = loop != UINT32_MAX && o->t.loop_header[loop] == at;
        o->place[at] = placed;
        g->blocks[placed++] = (struct weftc_flow_block){.block = o->blocks[at], .loop = loop};
        for (uint32_t c = o->first_child[at]; c != UINT32_MAX; c = o->next_sibling[c])
            if (!header || level_of(o, c) != loop)
                stack[depth++] = c;
        if (!header)
            continue;
        g->loops[loop] = (struct weftc_flow_loop){.parent = o->t.loop_parent[loop], .begin = placed - 1};
        stack[depth++] = loop | LOOP_END;
        for (uint32_t c = o->first_child[at]; c != UINT32_MAX; c = o->next_sibling[c])
            if (level_of(o, c) == loop)
                stack[depth++] = c;
    }
    weft_free(stack);
    return placed == o->count ? WEFT_OK : WEFT_UNSUPPORTED;
}

static weft_status number_edges(struct weftc_flow *g)
{
    LLVMBasicBlockRef *blocks = weft_alloc_array((size_t)g->block_count + 1, sizeof(LLVMBasicBlockRef));
    if (!blocks)
        return WEFT_NO_MEMORY;
    for (uint32_t i = 0; i < g->block_count; i++)
        blocks[i] = g->blocks[i].block;
    weft_status status = weftc_edges_init(&g->edges, blocks, g->block_count);
    weft_free(blocks);
    return status;
}

// ---- post-dominators within one loop level ----
// Nodes are the blocks of the level, and the loops in it, each as one node. There are no cycles without back
// edges, so one pass from the end is enough. The next iteration, leaving the level, and the end of the
// function all count as the end of the level.

static uint32_t next_post_dominator(const struct weftc_flow *g, uint32_t node, uint32_t level)
{
    return g->blocks[node].loop == level ? g->blocks[node].ipdom : g->loops[g->blocks[node].loop].ipdom;
}

static uint32_t common(const struct weftc_flow *g, uint32_t a, uint32_t b, uint32_t level)
{
    while (a != b) {
        if (a == UINT32_MAX || b == UINT32_MAX)
            return UINT32_MAX;
        if (a < b)
            a = next_post_dominator(g, a, level);
        else
            b = next_post_dominator(g, b, level);
    }
    return a;
}

// The node of `level` that contains the block.
static uint32_t node_of(const struct weftc_flow *g, uint32_t block, uint32_t level)
{
    uint32_t loop = g->blocks[block].loop;
    if (loop == level)
        return block;
    while (g->loops[loop].parent != level)
        loop = g->loops[loop].parent;
    return g->loops[loop].begin;
}

// The immediate post-dominator of the blocks [from, to), which are one node of the level: a block, or a whole
// loop.
static uint32_t post_dominator(const struct weftc_flow *g, uint32_t from, uint32_t to, uint32_t level,
                               bool loop)
{
    uint32_t found = UINT32_MAX;
    bool any = false;
    for (uint32_t b = from; b < to; b++) {
        for (uint32_t e = 0; e < weftc_out_count(&g->edges, b); e++) {
            uint32_t next = weftc_outs(&g->edges, b)[e];
            if (loop && next >= from && next < to)
                continue;
            if (!weftc_flow_in_loop(g, level, next) || next <= b)
                return UINT32_MAX;
            next = node_of(g, next, level);
            found = any ? common(g, found, next, level) : next;
            any = true;
        }
    }
    return found;
}

static void find_post_dominators(struct weftc_flow *g)
{
    for (uint32_t b = g->block_count; b-- > 0;) {
        g->blocks[b].ipdom = post_dominator(g, b, b + 1, g->blocks[b].loop, false);
        if (weftc_flow_is_header(g, b)) {
            struct weftc_flow_loop *l = &g->loops[g->blocks[b].loop];
            l->ipdom = post_dominator(g, l->begin, l->end, l->parent, true);
        }
    }
}

bool weftc_flow_post_dominates(const struct weftc_flow *g, uint32_t a, uint32_t b)
{
    uint32_t level = g->blocks[a].loop;
    while (b < a)
        b = next_post_dominator(g, b, level);
    return a == b;
}

weft_status weftc_flow_init(struct weftc_flow *g, LLVMValueRef function)
{
    *g = (struct weftc_flow){.function = function};
    struct builder o = {.g = g, .count = LLVMCountBasicBlocks(function)};
    size_t n = (size_t)o.count + 1;
    uint32_t *numbers = weft_alloc_array(8 * n, sizeof *numbers);
    o.blocks = weft_alloc_array(n, sizeof *o.blocks);
    g->blocks = weft_alloc_array(n, sizeof *g->blocks);
    weft_status status = WEFT_NO_MEMORY;
    if (!numbers || !o.blocks || !g->blocks)
        goto done;
    o.t = (struct weftc_bridge_trees){.order = numbers,
                                      .idom = numbers + n,
                                      .loop = numbers + 2 * n,
                                      .loop_parent = numbers + 3 * n,
                                      .loop_header = numbers + 4 * n};
    o.place = numbers + 5 * n;
    o.first_child = numbers + 6 * n;
    o.next_sibling = numbers + 7 * n;
    LLVMGetBasicBlocks(function, o.blocks);
    weftc_bridge_trees(function, &o.t);
    g->block_count = o.count;
    g->loop_count = (uint32_t)o.t.loop_count;
    g->loops = weft_alloc_array((size_t)g->loop_count + 1, sizeof *g->loops);
    if (!g->loops)
        goto done;
    status = o.t.reducible && o.t.reached == o.count ? link_children(&o) : WEFT_UNSUPPORTED;
    if (status == WEFT_OK)
        status = place_blocks(&o);
    if (status != WEFT_OK)
        goto done;
    for (uint32_t i = 0; i < o.count; i++)
        g->blocks[o.place[i]].idom = o.t.idom[i] == UINT32_MAX ? UINT32_MAX : o.place[o.t.idom[i]];
    status = number_edges(g);
    if (status == WEFT_OK)
        find_post_dominators(g);
done:
    weft_free(numbers);
    weft_free(o.blocks);
    return status;
}

void weftc_flow_fini(struct weftc_flow *g)
{
    weft_free(g->blocks);
    weft_free(g->loops);
    weftc_edges_fini(&g->edges);
    *g = (struct weftc_flow){0};
}
