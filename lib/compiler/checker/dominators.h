// Which blocks each way from the entry passes (checker/dominators.c).
#ifndef WEFTC_CHECKER_DOMINATORS_H
#define WEFTC_CHECKER_DOMINATORS_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler/ir/cfg.h"
#include "weft/status.h"

// Of each block, by number; block 0 is the entry. UINT32_MAX: it isn't reached.
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
