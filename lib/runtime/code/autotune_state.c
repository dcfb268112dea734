// The state of autotuning (autotune_state.h).
#include "runtime/code/autotune_state.h"

const struct weft_autotune_kind weft_autotune_candidates[WEFT_AUTOTUNE_CANDIDATES] = {
    {WEFT_AUTOTUNE_NARROW, WEFT_VARIANT_NARROW, "the narrow variant"},
    {WEFT_AUTOTUNE_SCALAR, WEFT_VARIANT_SCALAR, "the scalar variant"},
};

struct weft_autotune *weft_autotune_of(struct weft_kernel_code *c, uint32_t size_class)
{
    // acquire: pairs with the release in weft_autotune_begin.
    return atomic_load_explicit(&c->autotune[size_class], memory_order_acquire);
}

void weft_autotune_add_stages(struct weft_autotune *t, uint32_t candidate_set, enum weft_code_level level)
{
    uint32_t count = atomic_load_explicit(&t->stage_count, memory_order_relaxed);
    for (unsigned k = 0; k < WEFT_AUTOTUNE_CANDIDATES; k++)
        if (candidate_set & weft_autotune_candidates[k].flag) {
            t->stages[count].candidate = k;
            t->stages[count++].level = level;
        }
    // release: pairs with the acquire in weft_autotune_code and weft_autotune_is_whole.
    atomic_store_explicit(&t->stage_count, count, memory_order_release);
}

struct weft_autotune *weft_autotune_begin(struct weft_kernel_code *c, uint32_t size_class,
                                          uint32_t candidate_set, enum weft_code_level level, uint32_t best)
{
    struct weft_autotune *found = weft_autotune_of(c, size_class),
                         *added = found ? NULL : weft_zalloc(sizeof *added);
    if (!added)
        return found;
    added->code = c;
    atomic_init(&added->state, weft_autotune_state(0, best));
    weft_autotune_add_stages(added, candidate_set, level);
    // release: pairs with the acquire in weft_autotune_of.
    if (atomic_compare_exchange_strong_explicit(&c->autotune[size_class], &found, added, memory_order_release,
                                                memory_order_acquire))
        return added;
    weft_free(added);
    return found;
}

bool weft_autotune_is_whole(const struct weft_autotune *t)
{
    // acquire: pairs with the release in weft_autotune_add_stages.
    const uint32_t count = atomic_load_explicit(&t->stage_count, memory_order_acquire);
    return !count || t->stages[count - 1].level == WEFT_LEVEL_FULL;
}

void weft_autotune_decide(struct weft_kernel_code *c, uint32_t size_class, uint32_t variant)
{
    weft_autotune_begin(c, size_class, 0, WEFT_LEVEL_FULL, variant);
}

bool weft_autotune_verdict(struct weft_kernel_code *c, uint32_t size_class, uint32_t *variant)
{
    struct weft_autotune *t = weft_autotune_of(c, size_class);
    // relaxed: read by whoever has changed it last, or later.
    const uint32_t state = t ? atomic_load_explicit(&t->state, memory_order_relaxed) : 0;
    *variant = weft_autotune_best_in(state);
    return t && weft_autotune_is_whole(t) &&
           weft_autotune_stage_in(state) == atomic_load_explicit(&t->stage_count, memory_order_relaxed);
}
