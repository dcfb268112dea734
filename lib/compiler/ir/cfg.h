// The edges between the blocks of a function, which are known by number.
#ifndef WEFTC_CFG_H
#define WEFTC_CFG_H

#include <stdint.h>

#include <llvm-c/Core.h>

#include "compiler/ir/value_map.h"
#include "weft/status.h"

struct weftc_edges {
    struct weftc_map index;                    // of a block
    uint32_t *first_out, *out, *first_in, *in; // block b's: out[first_out[b]] up to out[first_out[b + 1]]
};
// blocks: all of a function. Fini must follow whatever the outcome.
weft_status weftc_edges_init(struct weftc_edges *g, const LLVMBasicBlockRef *blocks, uint32_t count);
void weftc_edges_fini(struct weftc_edges *g);
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

#endif
