// `weftc --report=vectorize`: for a person who asks what became of a kernel and why. One paragraph a region.
#include <llvm-c/Target.h>

#include "vectorize.h"

struct tally {
    unsigned uniform, consecutive, interleaved, scattered, serial; // accesses
    unsigned uniform_branches, divergent_branches;
};

static void count_access(const struct weftc_vec *v, LLVMValueRef i, struct tally *t)
{
    bool load = LLVMIsALoadInst(i);
    LLVMTypeRef type = LLVMTypeOf(load ? i : LLVMGetOperand(i, 0));
    struct weftc_shape pointer = weftc_vec_shape(v, LLVMGetOperand(i, load ? 0 : 1));
    int64_t size = (int64_t)LLVMStoreSizeOfType(v->s->layout, type);
    const struct weftc_vec_group *g = weftc_vec_group_of(v, i);
    if (weftc_vec_is_serial_access(v, i))
        t->serial++;
    else if (pointer.kind == WEFTC_UNIFORM)
        t->uniform++;
    else if (pointer.kind == WEFTC_STRIDED && (pointer.stride == size || pointer.stride == -size))
        t->consecutive++;
    else if (weftc_vec_is_nearly(v, i))
        t->consecutive++;
    else if (g && weftc_vec_plan(v, g).way == WEFTC_WAY_NEAR)
        t->interleaved++;
    else
        t->scattered++;
}

void weftc_vec_report(const struct weftc_vec *v, unsigned region, const char *reason, struct weft_buf *out)
{
    const struct weftc_flow *g = &v->s->flow;
    struct tally t = {0};
    for (uint32_t n = 0; n < v->s->count; n++) {
        LLVMValueRef i = v->s->instructions[n];
        if (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i))
            count_access(v, i, &t);
        else if (!LLVMIsATerminatorInst(i) && !LLVMIsAPHINode(i) && !weftc_vec_is_scalar(v, i) &&
                 weftc_vec_needs_lane(v, i) && !weftc_vec_is_reduced(v, i))
            t.serial++;
    }
    for (uint32_t b = 0; b < g->block_count; b++)
        if (weftc_out_count(&g->edges, b) > 1)
            g->blocks[b].divergent ? t.divergent_branches++ : t.uniform_branches++;
    weft_buf_printf(out, "region %u: ", region);
    if (reason)
        weft_buf_printf(out, "not vectorized: %s\n", reason);
    else
        weft_buf_printf(out, "vectorized, %u lanes\n", v->lanes);
    weft_buf_printf(out,
                    "  accesses: %u uniform, %u consecutive, %u interleaved, %u gathered or scattered; "
                    "lane by lane: %u\n",
                    t.uniform, t.consecutive, t.interleaved, t.scattered, t.serial);
    weft_buf_printf(out, "  branches: %u uniform, %u divergent\n", t.uniform_branches, t.divergent_branches);
    for (uint32_t l = 0; l < g->loop_count; l++)
        weft_buf_printf(out, "  loop %u: %s\n", l,
                        g->loops[l].divergent ? "divergent: goes on until the last lane has left"
                                              : "uniform");
    for (uint32_t p = 0; p < v->s->private_count; p++)
        weft_buf_printf(out, "  private memory %u: %s\n", p,
                        v->s->privates[p].layout == WEFTC_LAYOUT_WOVEN ? "woven over the lanes"
                                                                       : "a block for each lane");
}
