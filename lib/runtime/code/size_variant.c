// Size variants: code for launches whose work-groups all have one local size (ADR 22). This file decides when
// one is made and which launches run it.
#include <pthread.h>

#include "base/base.h"
#include "runtime/code/build_result.h"
#include "runtime/code/kernel_code.h"
#include "runtime/code/kernel_variants.h"
#include "weft/kernel_abi.h"

// A size variant is requested when the kernel, which has its best code by then, has run ten times as long as
// that code took to compile. The variant takes about as long to compile and saves a sixth of the time on
// average (ADR 22). So it pays after a while even where it saves little.
enum { MAX_SIZES = 2, RUN_TIME_FACTOR = 10, MIN_RUN_MS = 250 };

// Three sizes of at most WEFT_GROUP_MAX in one number, which is never 0.
static uint64_t size_key(const struct weft_ndrange *nd)
{
    return nd->local_size[0] | nd->local_size[1] << 16 | nd->local_size[2] << 32;
}

// Have all groups of the launch the full local size, and are all ids below 2^31?
static bool has_plain_groups(const struct weft_ndrange *nd)
{
    const uint64_t max = 1ull << 31;
    for (int d = 0; d < 3; d++)
        if (nd->num_groups[d] * nd->local_size[d] != nd->global_size[d] || nd->global_offset[d] > max ||
            nd->global_size[d] > max - nd->global_offset[d])
            return false;
    return true;
}

// Not for group-shape independent kernels, which run in rows of any length, nor for kernels with sub-groups,
// which have one code only.
static bool may_have_size_variant(const struct weft_kernel_code *c, const struct weft_kernel_info *own)
{
    return weft_build_optimizes(c->build) && own->vector_width > 1 && !own->group_independence &&
           !own->sub_groups && !c->build->free_bits;
}

// May a size variant be the best code for the launch? If another variant suits the launch, that one runs. The
// exception is a row of 4 or 8 work-items: the size variant then has as many lanes as the row is long.
static bool suits(struct weft_kernel_code *c, const struct weft_ndrange *nd,
                  const struct weft_kernel_info *own)
{
    uint64_t row = nd->local_size[0];
    uint32_t variant = weft_kernel_variant_for(c, nd, own);
    return variant == WEFT_VARIANT_ANY || (variant == WEFT_VARIANT_DIM && (row == 4 || row == 8));
}

static struct weft_size_variant *find_variant(struct weft_kernel_code *c, const struct weft_ndrange *nd,
                                              unsigned *count)
{
    // acquire: pairs with the release in add_variant.
    struct weft_size_variant *s = atomic_load_explicit(&c->size_variants, memory_order_acquire);
    for (; s; s = s->next, ++*count)
        if (s->variant.group[0] == nd->local_size[0] && s->variant.group[1] == nd->local_size[1] &&
            s->variant.group[2] == nd->local_size[2])
            return s;
    return NULL;
}

// Returns NULL if there is no memory or the kernel has MAX_SIZES variants already.
static struct weft_size_variant *add_variant(struct weft_kernel_code *c, const struct weft_ndrange *nd)
{
    struct weft_size_variant *added = weft_zalloc(sizeof *added), *found;
    if (!added)
        return NULL;
    added->variant.code = c;
    added->variant.variant = WEFT_VARIANT_ANY;
    for (int d = 0; d < 3; d++)
        added->variant.group[d] = (uint32_t)nd->local_size[d];
    unsigned count = 0;
    pthread_mutex_lock(&c->build->lock);
    found = find_variant(c, nd, &count);
    if (!found && (count < MAX_SIZES || c->exact_size)) {
        added->next = atomic_load_explicit(&c->size_variants, memory_order_relaxed);
        // release: pairs with the acquire in find_variant.
        atomic_store_explicit(&c->size_variants, added, memory_order_release);
        found = added;
        added = NULL;
    }
    pthread_mutex_unlock(&c->build->lock);
    weft_free(added);
    return found;
}

const struct weft_kernel_info *weft_size_variant_code(struct weft_kernel_code *c,
                                                      const struct weft_kernel_info *own,
                                                      const struct weft_ndrange *nd)
{
    // relaxed: mostly there is no size variant, and this answers soon.
    if (WEFT_LIKELY(!atomic_load_explicit(&c->size_variants, memory_order_relaxed)))
        return NULL;
    unsigned count = 0;
    struct weft_size_variant *s = find_variant(c, nd, &count);
    if (!s || !may_have_size_variant(c, own) || !has_plain_groups(nd))
        return NULL;
    // acquire: pairs with the release in adopt.
    const struct weft_kernel_info *i = atomic_load_explicit(&s->variant.info, memory_order_acquire);
    if (!i && !atomic_load_explicit(&s->variant.attempt, memory_order_relaxed))
        weft_kernel_variant_request(&s->variant); // the last attempt had no memory
    return i;
}

void weft_kernel_code_note_time(struct weft_kernel_code *c, const struct weft_kernel_info *own,
                                const struct weft_ndrange *nd, uint64_t ns)
{
    // Launches with lanes along another dimension don't run what is measured.
    if (WEFT_UNLIKELY(own->autotune_candidates) && weft_kernel_variant_for(c, nd, own) <= WEFT_VARIANT_DIM)
        weft_autotune_note_time(c, nd, own->autotune_candidates, ns);
    if (!may_have_size_variant(c, own) || !weft_kernel_code_is_best(c) || !has_plain_groups(nd) ||
        !suits(c, nd, own))
        return;
    // relaxed, all: hints, which pair with nothing.
    uint64_t key = size_key(nd), sum = atomic_load_explicit(&c->dominant_ns, memory_order_relaxed);
    if (atomic_load_explicit(&c->dominant_size, memory_order_relaxed) != key) {
        if (sum > ns) { // most launches have another size
            atomic_store_explicit(&c->dominant_ns, sum - ns, memory_order_relaxed);
            return;
        }
        atomic_store_explicit(&c->dominant_size, key, memory_order_relaxed);
        sum = 0;
    }
    sum += ns;
    atomic_store_explicit(&c->dominant_ns, sum, memory_order_relaxed);
    uint64_t worthwhile_ms =
        RUN_TIME_FACTOR * (uint64_t)atomic_load_explicit(&c->better_ms, memory_order_relaxed);
    if (sum < 1000000 * (worthwhile_ms < MIN_RUN_MS ? MIN_RUN_MS : worthwhile_ms))
        return;
    atomic_store_explicit(&c->dominant_ns, 0, memory_order_relaxed);
    struct weft_size_variant *s = add_variant(c, nd);
    if (s && !atomic_load(&s->variant.attempt))
        weft_kernel_variant_request(&s->variant);
}

void weft_size_variant_wait(struct weft_kernel_code *c, const struct weft_ndrange *nd)
{
    if (weft_kernel_code_wait_best(c) != WEFT_OK || !may_have_size_variant(c, weft_kernel_code_info(c)) ||
        !has_plain_groups(nd))
        return;
    struct weft_size_variant *s = add_variant(c, nd);
    if (s)
        weft_kernel_variant_wait(&s->variant);
}
