// Dominators, by going through all blocks until nothing changes: kernels have few loops in loops.
#include "compiler/checker/dominators.h"

#include "base/base.h"

static uint32_t meet(const struct weftc_dominators *d, uint32_t a, uint32_t b)
{
    while (a != b) {
        while (d->position[a] > d->position[b])
            a = d->above[a];
        while (d->position[b] > d->position[a])
            b = d->above[b];
    }
    return a;
}

static uint32_t above_of(const struct weftc_dominators *d, const struct weftc_edges *g, uint32_t block)
{
    uint32_t above = UINT32_MAX;
    for (uint32_t n = 0; n < weftc_in_count(g, block); n++) {
        const uint32_t from = weftc_ins(g, block)[n];
        if (d->above[from] != UINT32_MAX)
            above = above == UINT32_MAX ? from : meet(d, above, from);
    }
    return above;
}

weft_status weftc_dominators_init(struct weftc_dominators *d, const struct weftc_edges *g, uint32_t count)
{
    d->position = weft_alloc_array(count, sizeof *d->position);
    d->above = weft_alloc_array(count, sizeof *d->above);
    uint32_t *order = weft_alloc_array(count, sizeof *order);
    weft_status status = d->position && d->above && order ? weftc_reverse_post_order(g, 0, count, d->position)
                                                          : WEFT_NO_MEMORY;
    for (uint32_t k = 0; k < count && status == WEFT_OK; k++) {
        d->above[k] = UINT32_MAX;
        order[k] = UINT32_MAX;
    }
    for (uint32_t k = 0; k < count && status == WEFT_OK; k++)
        if (weftc_is_reached(d, k))
            order[d->position[k]] = k;
    if (status == WEFT_OK)
        d->above[0] = 0;
    for (bool changed = status == WEFT_OK; changed;) {
        changed = false;
        for (uint32_t k = 0; k < count; k++) {
            if (order[k] == UINT32_MAX || order[k] == 0)
                continue;
            const uint32_t above = above_of(d, g, order[k]);
            changed |= above != d->above[order[k]];
            d->above[order[k]] = above;
        }
    }
    weft_free(order);
    return status;
}

void weftc_dominators_fini(struct weftc_dominators *d)
{
    weft_free(d->position);
    weft_free(d->above);
}

bool weftc_dominates(const struct weftc_dominators *d, uint32_t a, uint32_t b)
{
    if (!weftc_is_reached(d, b))
        return true;
    while (d->position[b] > d->position[a])
        b = d->above[b];
    return a == b;
}
