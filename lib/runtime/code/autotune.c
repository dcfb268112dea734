// Autotuning (ADR 27). For some kernels the compiler can't know how many lanes are best for a region, or
// whether any are. The runtime has other code variants made, which give the same results, and measures them.
// It compares one candidate at a time with the best code so far. Ranges of work-groups run in one or the
// other, chosen at random, until the medians show which is faster. From then on launches run the faster one.
// The narrow variant is measured two times: against code with lanes, soon, and against the best code.
// Launches of different size classes are tuned apart. What is decided is kept in the disk cache (verdicts.c).
// Threads: everything here is atomic; there is no lock.
#include <stdlib.h>

#include "base/base.h"
#include "runtime/code/autotune_state.h"
#include "runtime/code/build_result.h"
#include "runtime/code/kernel_code.h"
#include "runtime/code/kernel_variants.h"
#include "runtime/code/ladder.h"
#include "weft/kernel_abi.h"

// Candidates of the best code are measured when the kernel has run three times as long as that took to
// compile, since a variant takes about as long to compile. Of the kernels with candidates, a third gain a
// half or more.
enum { RUN_TIME_FACTOR = 3, MIN_RUN_MS = 20 };

// The size classes of launches: less work-items than this, ..., more than all of these.
static const uint64_t size_limits[WEFT_SIZE_CLASSES - 1] = {1 << 16, 1 << 22};

enum {
    MIN_BEST_SAMPLES = 3, // samples of the best code that suffice to reject a candidate
    // Of the candidate: one alone may be long because its thread was preempted.
    MIN_OTHER_SAMPLES = 3,
    HOPELESS_FACTOR = 4, // whose samples take this many times as long
    // samples of each code that suffice if the candidate's time, in percent of the best code's, is
    // at least REJECT_PERCENT (rejected) or at most ACCEPT_PERCENT (accepted)
    MIN_SAMPLES = 5,
    REJECT_PERCENT = 130,
    ACCEPT_PERCENT = 60,
    FINAL_PERCENT = 90, // the candidate is accepted with all samples if its time is at most this many percent
};

enum verdict { UNDECIDED, REJECT, ACCEPT };
enum { WARM_UP = 1 }; // the first range of each code doesn't count: it meets cold caches

// Of a kernel whose codes run in turn for ever, all launches are in one class.
static uint32_t class_of(const struct weft_kernel_code *c, const struct weft_ndrange *nd)
{
    const uint64_t items = nd->global_size[0] * nd->global_size[1] * nd->global_size[2];
    uint32_t k = 0;
    while (k < WEFT_SIZE_CLASSES - 1 && items >= size_limits[k] && !c->tune_forever)
        k++;
    return k;
}

static struct weft_kernel_variant *variant_in(struct weft_kernel_code *c, uint32_t variant)
{
    return &c->variants[variant - WEFT_VARIANT_DIM];
}

// While the kernel has code with lanes: measures the narrow variant if that is worthwhile by now. Kernels in
// doubt may gain so much that no processor has to be idle for it.
static void tune_lanes(struct weft_kernel_code *c, uint32_t size_class, uint32_t candidate_set)
{
    // relaxed, both: hints, which pair with nothing.
    if (!(candidate_set & WEFT_AUTOTUNE_NARROW) || weft_autotune_of(c, size_class) ||
        atomic_load_explicit(&c->level, memory_order_relaxed) != WEFT_LEVEL_LANES ||
        !weft_ladder_pays_early(c, WEFT_LEVEL_LANES,
                                atomic_load_explicit(&c->spent_ns, memory_order_relaxed)))
        return;
    if (weft_autotune_begin(c, size_class, WEFT_AUTOTUNE_NARROW, WEFT_LEVEL_LANES, WEFT_VARIANT_ANY))
        weft_kernel_variant_request(variant_in(c, WEFT_VARIANT_NARROW));
}

void weft_autotune_note_time(struct weft_kernel_code *c, const struct weft_ndrange *nd,
                             uint32_t candidate_set, uint64_t ns)
{
    const uint32_t size_class = class_of(c, nd);
    struct weft_autotune *t = weft_autotune_of(c, size_class);
    if (!weft_build_optimizes(c->build) || (t && weft_autotune_is_whole(t)))
        return;
    if (!weft_kernel_code_is_best(c)) {
        tune_lanes(c, size_class, candidate_set);
        return;
    }
    // relaxed, both: hints, which pair with nothing. Threads may overwrite each other's sums.
    uint64_t sum = atomic_load_explicit(&c->autotune_ns, memory_order_relaxed) + ns;
    atomic_store_explicit(&c->autotune_ns, sum, memory_order_relaxed);
    uint64_t worthwhile_ms =
        RUN_TIME_FACTOR * (uint64_t)atomic_load_explicit(&c->better_ms, memory_order_relaxed);
    if (sum < 1000000 * (worthwhile_ms < MIN_RUN_MS ? MIN_RUN_MS : worthwhile_ms))
        return;
    // Candidates are requested when their stages begin (weft_autotune_code).
    t = weft_autotune_begin(c, size_class, candidate_set, WEFT_LEVEL_FULL, WEFT_VARIANT_ANY);
    if (t && !weft_autotune_is_whole(t) && !atomic_exchange(&t->extended, true))
        weft_autotune_add_stages(t, candidate_set, WEFT_LEVEL_FULL);
}

void weft_autotune_wait(struct weft_kernel_code *c)
{
    if (weft_kernel_code_wait_best(c) != WEFT_OK || c->build->free_bits ||
        weft_kernel_code_info(c)->sub_groups ||
        (c->build->first_level == WEFT_LEVEL_QUICK && !c->build->better_later))
        return;
    if (!weft_autotune_begin(c, 0, WEFT_AUTOTUNE_NARROW | WEFT_AUTOTUNE_SCALAR, WEFT_LEVEL_FULL,
                             WEFT_VARIANT_ANY))
        return;
    for (unsigned k = 0; k < WEFT_AUTOTUNE_CANDIDATES; k++)
        weft_kernel_variant_wait(variant_in(c, weft_autotune_candidates[k].variant));
}

// ---- Choosing a code for a range ----

// A pseudo-random number. Strict alternation would not do: ranges that follow each other may themselves
// alternate, as those of two threads do.
static uint32_t pseudo_random(_Atomic uint32_t *state)
{
    // relaxed: a count, which pairs with nothing.
    return atomic_fetch_add_explicit(state, 1, memory_order_relaxed) * 0x9E3779B1u;
}

// Does the next range run in the candidate? Not before the best code has enough samples to reject the
// candidate.
static bool runs_candidate(struct weft_autotune_stage *s)
{
    // relaxed, both: counts, which pair with nothing.
    uint32_t best = atomic_load_explicit(&s->count[0], memory_order_relaxed);
    if (best < MIN_BEST_SAMPLES + WARM_UP)
        return false;
    if (best >= WEFT_AUTOTUNE_SAMPLES + WARM_UP)
        return true;
    if (atomic_load_explicit(&s->count[1], memory_order_relaxed) >= WEFT_AUTOTUNE_SAMPLES + WARM_UP)
        return false;
    return pseudo_random(&s->random) >> 31;
}

// WEFT_VARIANT=tune: any code that exists, at random. NULL: the one that the launch would run without
// autotuning.
static const struct weft_kernel_info *any_code(struct weft_autotune *t)
{
    const struct weft_kernel_info *all[WEFT_AUTOTUNE_CANDIDATES + 1] = {NULL};
    uint32_t count = 1;
    for (unsigned k = 0; k < WEFT_AUTOTUNE_CANDIDATES; k++) {
        const struct weft_kernel_info *i =
            weft_kernel_code_of_variant(t->code, weft_autotune_candidates[k].variant);
        if (i)
            all[count++] = i;
    }
    return all[(uint64_t)pseudo_random(&t->stages[0].random) * count >> 32];
}

// Ends the stage. Returns false if another thread has ended it already.
static bool end_stage(struct weft_autotune *t, unsigned stage, uint32_t best, uint32_t new_best)
{
    uint32_t state = weft_autotune_state(stage, best);
    // relaxed: readers find code by its variant, which is published with an order of its own, and each sample
    // carries the number of its stage.
    return atomic_compare_exchange_strong_explicit(&t->state, &state,
                                                   weft_autotune_state(stage + 1, new_best),
                                                   memory_order_relaxed, memory_order_relaxed);
}

// Has the variant code of this level, or is the attempt to make it over?
static bool has_level(const struct weft_kernel_variant *v, enum weft_code_level level)
{
    // acquire: pairs with the increment in publish_variant (kernel_variants.c), before which the compiling
    // thread has stored the code.
    return atomic_load_explicit(&v->attempt, memory_order_acquire) >= weft_attempt_of(level, true);
}

const struct weft_kernel_info *weft_autotune_code(struct weft_kernel_code *c, const struct weft_ndrange *nd,
                                                  struct weft_autotune_sample *sample)
{
    struct weft_autotune *t = weft_autotune_of(c, class_of(c, nd));
    if (!t)
        return NULL;
    if (WEFT_UNLIKELY(c->tune_forever))
        return any_code(t);
    // relaxed: any code gives the launch's results.
    uint32_t state = atomic_load_explicit(&t->state, memory_order_relaxed),
             best = weft_autotune_best_in(state);
    const struct weft_kernel_info *best_code = best ? weft_kernel_code_of_variant(c, best) : NULL;
    unsigned k = weft_autotune_stage_in(state);
    // acquire: pairs with the release in add_stages.
    if (WEFT_LIKELY(k == atomic_load_explicit(&t->stage_count, memory_order_acquire)))
        return best_code;
    struct weft_autotune_stage *s = &t->stages[k];
    uint32_t variant = weft_autotune_candidates[s->candidate].variant;
    // Read before the code: an attempt that ends in between has code, but `i` would still be NULL. The call
    // below may also begin the attempt, and end it before it returns.
    const bool made = has_level(variant_in(c, variant), s->level);
    const struct weft_kernel_info *i = weft_kernel_code_of_variant(c, variant);
    if (!made)
        return best_code;
    if (!i) {
        if (end_stage(t, k, best, best) && s->level == WEFT_LEVEL_FULL)
            weft_verdicts_store(c);
        return best_code;
    }
    *sample = (struct weft_autotune_sample){t, state, runs_candidate(s)};
    if (variant == best)
        return sample->candidate ? NULL : i;
    return sample->candidate ? i : best_code;
}

// ---- The verdict ----

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

// The median of the samples; *count is set to their number.
static uint64_t median(struct weft_autotune_stage *in, bool other, unsigned *count)
{
    uint32_t found[WEFT_AUTOTUNE_SAMPLES];
    unsigned n = 0;
    for (unsigned k = 0; k < WEFT_AUTOTUNE_SAMPLES; k++) {
        uint32_t s = atomic_load_explicit(&in->sample[other][k], memory_order_relaxed);
        if (s)
            found[n++] = s;
    }
    qsort(found, n, sizeof *found, compare);
    *count = n;
    return n ? found[n / 2] : 0;
}

static enum verdict judge(uint64_t best, unsigned best_count, uint64_t other, unsigned other_count)
{
    if (best_count >= MIN_BEST_SAMPLES && other_count >= MIN_OTHER_SAMPLES && other > HOPELESS_FACTOR * best)
        return REJECT;
    if (best_count < MIN_SAMPLES || other_count < MIN_SAMPLES)
        return UNDECIDED;
    uint64_t percent = 100 * other / best;
    if (best_count == WEFT_AUTOTUNE_SAMPLES && other_count == WEFT_AUTOTUNE_SAMPLES)
        return percent <= FINAL_PERCENT ? ACCEPT : REJECT;
    return percent >= REJECT_PERCENT ? REJECT : percent <= ACCEPT_PERCENT ? ACCEPT : UNDECIDED;
}

void weft_autotune_note(const struct weft_autotune_sample *sample, uint32_t cost)
{
    struct weft_autotune *t = sample->autotune;
    struct weft_kernel_code *c = t->code;
    struct weft_autotune_stage *s = &t->stages[weft_autotune_stage_in(sample->state)];
    // relaxed, all: a sample that becomes visible late is missing from one verdict and is part of the next.
    uint32_t k = atomic_fetch_add_explicit(&s->count[sample->candidate], 1, memory_order_relaxed);
    if (k < WARM_UP)
        return;
    if (k < WEFT_AUTOTUNE_SAMPLES + WARM_UP)
        atomic_store_explicit(&s->sample[sample->candidate][k - WARM_UP], cost ? cost : 1,
                              memory_order_relaxed);
    unsigned best_count, other_count;
    uint64_t best = median(s, false, &best_count), other = median(s, true, &other_count);
    enum verdict verdict = judge(best, best_count, other, other_count);
    uint32_t variant = weft_autotune_candidates[s->candidate].variant,
             previous = weft_autotune_best_in(sample->state);
    const bool rematch = variant == previous;
    if (rematch)
        variant = WEFT_VARIANT_ANY;
    if (verdict == UNDECIDED || !end_stage(t, weft_autotune_stage_in(sample->state), previous,
                                           verdict == ACCEPT ? variant : previous))
        return;
    if (verdict == ACCEPT)
        // the new code is measured afresh; pairs with nothing
        atomic_store_explicit(&c->cost, 0, memory_order_relaxed);
    weft_log(WEFT_LOG_INFO, "kernel %s: %s takes %llu %% of the best code's time and is %s", c->meta->name,
             rematch ? "its own code" : weft_autotune_candidates[s->candidate].name,
             (unsigned long long)(100 * other / best), verdict == ACCEPT ? "accepted" : "rejected");
    if (s->level == WEFT_LEVEL_FULL)
        weft_verdicts_store(c);
}
