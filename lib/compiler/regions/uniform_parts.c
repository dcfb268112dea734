// Indices that live across a barrier and have uniform parts: instead of the index, its parts live across the
// barrier, each as one value of the group, and the index is computed from them again. With lanes it is then
// known to be consecutive.
#include <string.h>

#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/regions/regions.h"

weft_status weftc_keep_uniform_parts(struct weftc_cfg *g, const struct weftc_uniformity *u, bool *changed)
{
    struct weftc_walk walk;
    struct weftc_barrier_sets scratch = {.words = (g->barrier_count + 63) / 64};
    *changed = false;
    if (u->everything || g->barrier_count == 0)
        return WEFT_OK;
    scratch.bits = weft_alloc_array(scratch.words, sizeof *scratch.bits);
    weft_status status = weftc_walk_init(&walk, g);
    if (!scratch.bits)
        status = WEFT_NO_MEMORY;
    for (uint32_t n = 0; n < g->block_count; n++) {
        for (LLVMValueRef i = LLVMGetFirstInstruction(g->blocks[n].block); i && status == WEFT_OK;
             i = LLVMGetNextInstruction(i)) {
            if (LLVMIsAAllocaInst(i) || !LLVMGetFirstUse(i) || !weftc_remat_pays_in_part(g, u, i))
                continue;
            memset(scratch.bits, 0, scratch.words * sizeof *scratch.bits);
            if (!weftc_live_across(g, &walk, i, &scratch, 0))
                continue;
            status = weftc_remat_in_part(u, i);
            *changed = true;
        }
    }
    weftc_walk_fini(&walk);
    weft_free(scratch.bits);
    return status;
}
