// The edges between a function's blocks (ir/cfg.h), for stages that walk the control flow by number.
#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/ir/cfg.h"
#include "compiler/ir/value_map.h"

// Turns counts in first[1 ...] into the start of each block's list.
static void begin_lists(uint32_t *first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        first[i + 1] += first[i];
}

weft_status weftc_edges_init(struct weftc_edges *g, const LLVMBasicBlockRef *blocks, uint32_t count)
{
    *g = (struct weftc_edges){0};
    size_t edges = 0;
    for (uint32_t i = 0; i < count; i++) {
        edges += LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(blocks[i]));
        if (!weftc_map_put(&g->index, blocks[i], i))
            return WEFT_NO_MEMORY;
    }
    if (edges > UINT32_MAX)
        return WEFT_UNSUPPORTED;
    g->first_out = weft_alloc_array((size_t)count + 1, sizeof *g->first_out);
    g->first_in = weft_alloc_array((size_t)count + 1, sizeof *g->first_in);
    g->out = weft_alloc_array(edges + 1, sizeof *g->out);
    g->in = weft_alloc_array(edges + 1, sizeof *g->in);
    uint32_t *filled = weft_alloc_array((size_t)count + 1, sizeof *filled);
    if (!g->first_out || !g->first_in || !g->out || !g->in || !filled) {
        weft_free(filled);
        return WEFT_NO_MEMORY;
    }
    uint32_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        LLVMValueRef terminator = LLVMGetBasicBlockTerminator(blocks[i]);
        unsigned successors = LLVMGetNumSuccessors(terminator);
        g->first_out[i + 1] = successors;
        for (unsigned k = 0; k < successors; k++) {
            uint32_t to = weftc_edges_block(g, LLVMGetSuccessor(terminator, k));
            g->out[at++] = to;
            g->first_in[to + 1]++;
        }
    }
    begin_lists(g->first_out, count);
    begin_lists(g->first_in, count);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < weftc_out_count(g, i); k++) {
            uint32_t to = weftc_outs(g, i)[k];
            g->in[g->first_in[to] + filled[to]++] = i;
        }
    }
    weft_free(filled);
    return WEFT_OK;
}

void weftc_edges_fini(struct weftc_edges *g)
{
    weftc_map_free(&g->index);
    weft_free(g->first_out);
    weft_free(g->first_in);
    weft_free(g->out);
    weft_free(g->in);
    *g = (struct weftc_edges){0};
}
