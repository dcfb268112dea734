// Autotuning (ADR 27). For some kernels the compiler can't know how many lanes are best for a region, or
// whether any are. The runtime has other code variants made, which give the same results, and measures them.
// It compares one candidate at a time with the best code so far. Ranges of work-groups run in one or the
// other, chosen at random, until the medians show which is faster. From then on launches run the faster one.
// Threads: everything here is atomic; there is no lock.
#include "base/base.h"
#include "runtime/code/build_result.h"
#include "runtime/code/kernel_code.h"
#include "runtime/code/kernel_variants.h"
#include "weft/kernel_abi.h"

// Autotuning begins when the kernel has run three times as long as its best code took to compile, since a
// variant takes about as long to compile. Of the kernels with candidates, a third gain a half or more.
enum { RUN_TIME_FACTOR = 3, MIN_RUN_MS = 20 };

enum {
    SAMPLES = 15,         // of each code
    MIN_BEST_SAMPLES = 3, // samples of the best code that suffice to reject a candidate
    HOPELESS_FACTOR = 4,  // whose samples take this many times as long
    // samples of each code that suffice if the candidate's time, in percent of the best code's, is
    // at least REJECT_PERCENT (rejected) or at most ACCEPT_PERCENT (accepted)
    MIN_SAMPLES = 5,
    REJECT_PERCENT = 130,
    ACCEPT_PERCENT = 60,
    FINAL_PERCENT = 90, // the candidate is accepted with all samples if its time is at most this many percent
};

enum verdict { UNDECIDED, REJECT, ACCEPT };
enum { WARM_UP = 1 }; // the first range of each code doesn't count: it meets cold caches

// The candidates in the order in which they are measured, and their names for the log.
static const struct {
    uint32_t flag, variant;
    const char *name;
} candidates[] = {
    {WEFT_AUTOTUNE_NARROW, WEFT_VARIANT_NARROW, "the narrow variant"},
    {WEFT_AUTOTUNE_SCALAR, WEFT_VARIANT_SCALAR, "the scalar variant"},
};
enum { CANDIDATES = WEFT_COUNT_OF(candidates) };

// The comparison of one candidate with the best code so far.
struct stage {
    unsigned candidate;
    _Atomic uint32_t random;
    _Atomic uint32_t count[2];           // ranges measured: of the best code, of the candidate
    _Atomic uint32_t sample[2][SAMPLES]; // ns for 1024 work-items; 0: none yet
};

struct weft_autotune {
    struct weft_kernel_code *code;
    unsigned stage_count;
    _Atomic uint32_t state; // see state_of
    struct stage stages[CANDIDATES];
};

// The state of autotuning: the current stage (stage_count: autotuning is over), and the variant that is the
// best so far (WEFT_VARIANT_ANY: the code that a launch would run without autotuning). Both are in one word
// because they change together.
static uint32_t state_of(unsigned stage, uint32_t best)
{
    return stage << 8 | best;
}

static unsigned stage_in(uint32_t state)
{
    return state >> 8;
}

static uint32_t best_in(uint32_t state)
{
    return state & 0xff;
}

static struct weft_autotune *autotune_of(struct weft_kernel_code *c)
{
    // acquire: pairs with the release in begin.
    return atomic_load_explicit(&c->autotune, memory_order_acquire);
}

// candidate_set is a set of enum weft_autotune_candidate. Returns NULL if there is no memory.
static struct weft_autotune *begin(struct weft_kernel_code *c, uint32_t candidate_set)
{
    struct weft_autotune *found = autotune_of(c), *added = found ? NULL : weft_zalloc(sizeof *added);
    if (!added)
        return found;
    added->code = c;
    for (unsigned k = 0; k < CANDIDATES; k++)
        if (candidate_set & candidates[k].flag)
            added->stages[added->stage_count++].candidate = k;
    // release: pairs with the acquire in autotune_of.
    if (atomic_compare_exchange_strong_explicit(&c->autotune, &found, added, memory_order_release,
                                                memory_order_acquire))
        return added;
    weft_free(added);
    return found;
}

void weft_autotune_note_time(struct weft_kernel_code *c, uint32_t candidate_set, uint64_t ns)
{
    if (autotune_of(c) || !weft_kernel_code_is_best(c))
        return;
    // relaxed, both: hints, which pair with nothing. Threads may overwrite each other's sums.
    uint64_t sum = atomic_load_explicit(&c->autotune_ns, memory_order_relaxed) + ns;
    atomic_store_explicit(&c->autotune_ns, sum, memory_order_relaxed);
    uint64_t worthwhile_ms =
        RUN_TIME_FACTOR * (uint64_t)atomic_load_explicit(&c->better_ms, memory_order_relaxed);
    if (sum < 1000000 * (worthwhile_ms < MIN_RUN_MS ? MIN_RUN_MS : worthwhile_ms))
        return;
    struct weft_autotune *t = begin(c, candidate_set);
    // Requests the first candidate. The next one is requested when its stage begins (weft_autotune_code).
    if (t && t->stage_count)
        weft_kernel_code_of_variant(c, candidates[t->stages[0].candidate].variant);
}

static struct weft_kernel_variant *variant_in(struct weft_kernel_code *c, uint32_t variant)
{
    return &c->variants[variant - WEFT_VARIANT_DIM];
}

void weft_autotune_wait(struct weft_kernel_code *c)
{
    if (weft_kernel_code_wait_best(c) != WEFT_OK || c->build->free_bits ||
        weft_kernel_code_info(c)->sub_groups ||
        (c->build->first_level != WEFT_LEVEL_FULL && !c->build->better_later))
        return;
    if (!begin(c, WEFT_AUTOTUNE_NARROW | WEFT_AUTOTUNE_SCALAR))
        return;
    for (unsigned k = 0; k < CANDIDATES; k++)
        weft_kernel_variant_wait(variant_in(c, candidates[k].variant));
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
static bool runs_candidate(struct stage *s)
{
    // relaxed, both: counts, which pair with nothing.
    uint32_t best = atomic_load_explicit(&s->count[0], memory_order_relaxed);
    if (best < MIN_BEST_SAMPLES + WARM_UP)
        return false;
    if (best >= SAMPLES + WARM_UP)
        return true;
    if (atomic_load_explicit(&s->count[1], memory_order_relaxed) >= SAMPLES + WARM_UP)
        return false;
    return pseudo_random(&s->random) >> 31;
}

// WEFT_VARIANT=tune: any code that exists, at random. NULL: the one that the launch would run without
// autotuning.
static const struct weft_kernel_info *any_code(struct weft_autotune *t)
{
    const struct weft_kernel_info *all[CANDIDATES + 1] = {NULL};
    uint32_t count = 1;
    for (unsigned k = 0; k < CANDIDATES; k++) {
        const struct weft_kernel_info *i = weft_kernel_code_of_variant(t->code, candidates[k].variant);
        if (i)
            all[count++] = i;
    }
    return all[(uint64_t)pseudo_random(&t->stages[0].random) * count >> 32];
}

// Ends the stage. Returns false if another thread has ended it already.
static bool end_stage(struct weft_autotune *t, unsigned stage, uint32_t best, uint32_t new_best)
{
    uint32_t state = state_of(stage, best);
    // relaxed: readers find code by its variant, which is published with an order of its own, and each sample
    // carries the number of its stage.
    return atomic_compare_exchange_strong_explicit(&t->state, &state, state_of(stage + 1, new_best),
                                                   memory_order_relaxed, memory_order_relaxed);
}

// Has the attempt to make this variant failed for good?
static bool is_missing(struct weft_kernel_variant *f)
{
    // acquire, both: the compiling thread stores the code before it sets `done`.
    return atomic_load_explicit(&f->done, memory_order_acquire) &&
           !atomic_load_explicit(&f->info, memory_order_acquire);
}

const struct weft_kernel_info *weft_autotune_code(struct weft_kernel_code *c,
                                                  struct weft_autotune_sample *sample)
{
    struct weft_autotune *t = autotune_of(c);
    if (!t)
        return NULL;
    if (WEFT_UNLIKELY(c->tune_forever))
        return any_code(t);
    // relaxed: any code gives the launch's results.
    uint32_t state = atomic_load_explicit(&t->state, memory_order_relaxed), best = best_in(state);
    const struct weft_kernel_info *best_code = best ? weft_kernel_code_of_variant(c, best) : NULL;
    unsigned k = stage_in(state);
    if (WEFT_LIKELY(k == t->stage_count))
        return best_code;
    struct stage *s = &t->stages[k];
    uint32_t variant = candidates[s->candidate].variant;
    const struct weft_kernel_info *i = weft_kernel_code_of_variant(c, variant);
    if (!i) {
        if (is_missing(variant_in(c, variant)))
            end_stage(t, k, best, best);
        return best_code;
    }
    *sample = (struct weft_autotune_sample){t, state, runs_candidate(s)};
    return sample->candidate ? i : best_code;
}

// ---- The verdict ----

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

// The median of the samples; *count is set to their number.
static uint64_t median(struct stage *in, bool other, unsigned *count)
{
    uint32_t found[SAMPLES];
    unsigned n = 0;
    for (unsigned k = 0; k < SAMPLES; k++) {
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
    if (best_count >= MIN_BEST_SAMPLES && other_count && other > HOPELESS_FACTOR * best)
        return REJECT;
    if (best_count < MIN_SAMPLES || other_count < MIN_SAMPLES)
        return UNDECIDED;
    uint64_t percent = 100 * other / best;
    if (best_count == SAMPLES && other_count == SAMPLES)
        return percent <= FINAL_PERCENT ? ACCEPT : REJECT;
    return percent >= REJECT_PERCENT ? REJECT : percent <= ACCEPT_PERCENT ? ACCEPT : UNDECIDED;
}

void weft_autotune_note(const struct weft_autotune_sample *sample, uint32_t cost)
{
    struct weft_autotune *t = sample->autotune;
    struct weft_kernel_code *c = t->code;
    struct stage *s = &t->stages[stage_in(sample->state)];
    // relaxed, all: a sample that becomes visible late is missing from one verdict and is part of the next.
    uint32_t k = atomic_fetch_add_explicit(&s->count[sample->candidate], 1, memory_order_relaxed);
    if (k < WARM_UP)
        return;
    if (k < SAMPLES + WARM_UP)
        atomic_store_explicit(&s->sample[sample->candidate][k - WARM_UP], cost ? cost : 1,
                              memory_order_relaxed);
    unsigned best_count, other_count;
    uint64_t best = median(s, false, &best_count), other = median(s, true, &other_count);
    enum verdict verdict = judge(best, best_count, other, other_count);
    uint32_t variant = candidates[s->candidate].variant, previous = best_in(sample->state);
    if (verdict == UNDECIDED ||
        !end_stage(t, stage_in(sample->state), previous, verdict == ACCEPT ? variant : previous))
        return;
    if (verdict == ACCEPT)
        // the new code is measured afresh; pairs with nothing
        atomic_store_explicit(&c->cost, 0, memory_order_relaxed);
    weft_log(WEFT_LOG_INFO, "kernel %s: %s takes %llu %% of the best code's time and is %s", c->meta->name,
             candidates[s->candidate].name, (unsigned long long)(100 * other / best),
             verdict == ACCEPT ? "accepted" : "rejected");
}
