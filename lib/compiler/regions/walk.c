// Walks over the kernel's blocks, used by the analyses of regions/.
#include <llvm-c/Core.h>

#include "base/base.h"
#include "compiler/regions/regions.h"

uint32_t weftc_block_of_instruction(const struct weftc_cfg *g, LLVMValueRef instruction)
{
    return weftc_block_of(g, LLVMGetInstructionParent(instruction));
}

weft_status weftc_walk_init(struct weftc_walk *w, const struct weftc_cfg *g)
{
    *w = (struct weftc_walk){0};
    w->stack = weft_alloc_array((size_t)g->block_count + 1, sizeof *w->stack);
    w->stamp = weft_alloc_array((size_t)g->block_count + 1, sizeof *w->stamp);
    return w->stack && w->stamp ? WEFT_OK : WEFT_NO_MEMORY;
}

void weftc_walk_fini(struct weftc_walk *w)
{
    weft_free(w->stack);
    weft_free(w->stamp);
    *w = (struct weftc_walk){0};
}
