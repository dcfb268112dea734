// The edges between the blocks of a function. Blocks are identified by their index in the array that the
// caller passes.
#ifndef WEFTC_CFG_H
#define WEFTC_CFG_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "compiler/ir/value_map.h"
#include "weft/status.h"

struct weftc_edges {
    struct weftc_map index; // number of a block
    // edges of block b: out[first_out[b]] up to, not including, out[first_out[b + 1]]; in likewise
    uint32_t *first_out, *out, *first_in, *in;
};
// blocks: all blocks of a function. Call weftc_edges_fini also after a failure.
weft_status weftc_edges_init(struct weftc_edges *g, const LLVMBasicBlockRef *blocks, uint32_t count);
void weftc_edges_fini(struct weftc_edges *g);
// Numbers the blocks that `entry` reaches in reverse post-order: position[block] for each of `count` blocks;
// UINT32_MAX: it isn't reached.
weft_status weftc_reverse_post_order(const struct weftc_edges *g, uint32_t entry, uint32_t count,
                                     uint32_t *position);
// The strongly connected components of any graph, whose nodes are numbers. Component c has nodes[begin[c]] up
// to, not including, nodes[begin[c + 1]]. What it reaches comes before it.
struct weftc_components {
    uint32_t count, *begin, *nodes;
    uint32_t *of; // the component of each node
};
// Edges of node n: out[first_out[n]] up to, not including, out[first_out[n + 1]]. Call weftc_components_fini
// also after a failure.
weft_status weftc_components_init(struct weftc_components *c, const uint32_t *first_out, const uint32_t *out,
                                  uint32_t count);
void weftc_components_fini(struct weftc_components *c);
static inline uint32_t weftc_edges_block(const struct weftc_edges *g, LLVMBasicBlockRef block)
{
    return weftc_map_get(&g->index, block);
}
static inline uint32_t weftc_out_count(const struct weftc_edges *g, uint32_t block)
{
    return g->first_out[block + 1] - g->first_out[block];
}
static inline const uint32_t *weftc_outs(const struct weftc_edges *g, uint32_t block)
{
    return &g->out[g->first_out[block]];
}
static inline uint32_t weftc_in_count(const struct weftc_edges *g, uint32_t block)
{
    return g->first_in[block + 1] - g->first_in[block];
}
static inline const uint32_t *weftc_ins(const struct weftc_edges *g, uint32_t block)
{
    return &g->in[g->first_in[block]];
}

// Which blocks each way from the entry passes. Of each block, by number; block 0 is the entry. UINT32_MAX: it
// isn't reached.
struct weftc_dominators {
    uint32_t *position; // in reverse post-order
    uint32_t *above;    // the next dominator; of the entry: the entry
};
// Call weftc_dominators_fini also after a failure.
weft_status weftc_dominators_init(struct weftc_dominators *d, const struct weftc_edges *g, uint32_t count);
void weftc_dominators_fini(struct weftc_dominators *d);
static inline bool weftc_is_reached(const struct weftc_dominators *d, uint32_t block)
{
    return d->position[block] != UINT32_MAX;
}
// Does each way to b pass a? True of a block that isn't reached.
bool weftc_dominates(const struct weftc_dominators *d, uint32_t a, uint32_t b);

#endif
