// Autotuning (ADR 27). For some kernels the compiler can't know how many lanes are best for a region, or
// whether any are. The runtime has other code variants made, which give the same results, and measures them.
// It compares one candidate at a time with the best code so far. Ranges of work-groups run in one or the
// other, chosen at random, until the medians show which is faster. From then on launches run the faster one.
// The narrow variant is measured two times: against code with lanes, soon, and against the best code.
// Launches of different size classes are tuned apart. What is decided is kept in the disk cache (verdicts.c).
// Threads: everything here is atomic; there is no lock.
#include "base/base.h"
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
    SAMPLES = 15,         // of each code
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

// The candidates in the order in which they are measured, and their names for the log.
static const struct {
    uint32_t flag, variant;
    const char *name;
} candidates[] = {
    {WEFT_AUTOTUNE_NARROW, WEFT_VARIANT_NARROW, "the narrow variant"},
    {WEFT_AUTOTUNE_SCALAR, WEFT_VARIANT_SCALAR, "the scalar variant"},
};
enum { CANDIDATES = WEFT_COUNT_OF(candidates) };

// The comparison of one candidate with the best code so far. If the candidate is the best so far, since it
// won at a lower level, the kernel's own code is measured against it.
struct stage {
    unsigned candidate;
    enum weft_code_level level; // the lowest of the candidate's code
    _Atomic uint32_t random;
    _Atomic uint32_t count[2];           // ranges measured: of the best code, of the candidate
    _Atomic uint32_t sample[2][SAMPLES]; // ns for 1024 work-items; 0: none yet
};

struct weft_autotune {
    struct weft_kernel_code *code;
    // It may grow once, when the best code is there: `extended` is set by the thread that does that.
    _Atomic uint32_t stage_count;
    _Atomic bool extended;
    _Atomic uint32_t state; // see state_of
    struct stage stages[CANDIDATES + 1];
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

// Of a kernel whose codes run in turn for ever, all launches are in one class.
static uint32_t class_of(const struct weft_kernel_code *c, const struct weft_ndrange *nd)
{
    const uint64_t items = nd->global_size[0] * nd->global_size[1] * nd->global_size[2];
    uint32_t k = 0;
    while (k < WEFT_SIZE_CLASSES - 1 && items >= size_limits[k] && !c->tune_forever)
        k++;
    return k;
}

static struct weft_autotune *autotune_of(struct weft_kernel_code *c, uint32_t size_class)
{
    // acquire: pairs with the release in begin.
    return atomic_load_explicit(&c->autotune[size_class], memory_order_acquire);
}

// Adds a stage for each candidate of the set (enum weft_autotune_candidate).
static void add_stages(struct weft_autotune *t, uint32_t candidate_set, enum weft_code_level level)
{
    uint32_t count = atomic_load_explicit(&t->stage_count, memory_order_relaxed);
    for (unsigned k = 0; k < CANDIDATES; k++)
        if (candidate_set & candidates[k].flag) {
            t->stages[count].candidate = k;
            t->stages[count++].level = level;
        }
    // release: pairs with the acquire in weft_autotune_code and is_whole.
    atomic_store_explicit(&t->stage_count, count, memory_order_release);
}

// Autotuning of a size class: the one that has begun, or one with a stage for each candidate of the set. With
// no candidate it is decided for the variant `best`. Returns NULL if there is no memory.
static struct weft_autotune *begin(struct weft_kernel_code *c, uint32_t size_class, uint32_t candidate_set,
                                   enum weft_code_level level, uint32_t best)
{
    struct weft_autotune *found = autotune_of(c, size_class),
                         *added = found ? NULL : weft_zalloc(sizeof *added);
    if (!added)
        return found;
    added->code = c;
    atomic_init(&added->state, state_of(0, best));
    add_stages(added, candidate_set, level);
    // release: pairs with the acquire in autotune_of.
    if (atomic_compare_exchange_strong_explicit(&c->autotune[size_class], &found, added, memory_order_release,
                                                memory_order_acquire))
        return added;
    weft_free(added);
    return found;
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
    if (!(candidate_set & WEFT_AUTOTUNE_NARROW) || autotune_of(c, size_class) ||
        atomic_load_explicit(&c->level, memory_order_relaxed) != WEFT_LEVEL_LANES ||
        !weft_ladder_pays(c, WEFT_LEVEL_LANES, atomic_load_explicit(&c->spent_ns, memory_order_relaxed),
                          true))
        return;
    if (begin(c, size_class, WEFT_AUTOTUNE_NARROW, WEFT_LEVEL_LANES, WEFT_VARIANT_ANY))
        weft_kernel_variant_request(variant_in(c, WEFT_VARIANT_NARROW));
}

// Has it all its stages? Those of the best code come last; a verdict of an earlier process has none.
static bool is_whole(const struct weft_autotune *t)
{
    // acquire: pairs with the release in add_stages.
    const uint32_t count = atomic_load_explicit(&t->stage_count, memory_order_acquire);
    return !count || t->stages[count - 1].level == WEFT_LEVEL_FULL;
}

void weft_autotune_note_time(struct weft_kernel_code *c, const struct weft_ndrange *nd,
                             uint32_t candidate_set, uint64_t ns)
{
    const uint32_t size_class = class_of(c, nd);
    struct weft_autotune *t = autotune_of(c, size_class);
    if (!weft_build_optimizes(c->build) || (t && is_whole(t)))
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
    t = begin(c, size_class, candidate_set, WEFT_LEVEL_FULL, WEFT_VARIANT_ANY);
    if (t && !is_whole(t) && !atomic_exchange(&t->extended, true))
        add_stages(t, candidate_set, WEFT_LEVEL_FULL);
}

void weft_autotune_decide(struct weft_kernel_code *c, uint32_t size_class, uint32_t variant)
{
    begin(c, size_class, 0, WEFT_LEVEL_FULL, variant);
}

bool weft_autotune_verdict(struct weft_kernel_code *c, uint32_t size_class, uint32_t *variant)
{
    struct weft_autotune *t = autotune_of(c, size_class);
    // relaxed: read by whoever has changed it last, or later.
    const uint32_t state = t ? atomic_load_explicit(&t->state, memory_order_relaxed) : 0;
    *variant = best_in(state);
    return t && is_whole(t) && stage_in(state) == atomic_load_explicit(&t->stage_count, memory_order_relaxed);
}

void weft_autotune_wait(struct weft_kernel_code *c)
{
    if (weft_kernel_code_wait_best(c) != WEFT_OK || c->build->free_bits ||
        weft_kernel_code_info(c)->sub_groups ||
        (c->build->first_level == WEFT_LEVEL_QUICK && !c->build->better_later))
        return;
    if (!begin(c, 0, WEFT_AUTOTUNE_NARROW | WEFT_AUTOTUNE_SCALAR, WEFT_LEVEL_FULL, WEFT_VARIANT_ANY))
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
    struct weft_autotune *t = autotune_of(c, class_of(c, nd));
    if (!t)
        return NULL;
    if (WEFT_UNLIKELY(c->tune_forever))
        return any_code(t);
    // relaxed: any code gives the launch's results.
    uint32_t state = atomic_load_explicit(&t->state, memory_order_relaxed), best = best_in(state);
    const struct weft_kernel_info *best_code = best ? weft_kernel_code_of_variant(c, best) : NULL;
    unsigned k = stage_in(state);
    // acquire: pairs with the release in add_stages.
    if (WEFT_LIKELY(k == atomic_load_explicit(&t->stage_count, memory_order_acquire)))
        return best_code;
    struct stage *s = &t->stages[k];
    uint32_t variant = candidates[s->candidate].variant;
    const struct weft_kernel_info *i = weft_kernel_code_of_variant(c, variant);
    if (!has_level(variant_in(c, variant), s->level))
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
    if (best_count >= MIN_BEST_SAMPLES && other_count >= MIN_OTHER_SAMPLES && other > HOPELESS_FACTOR * best)
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
    const bool rematch = variant == previous;
    if (rematch)
        variant = WEFT_VARIANT_ANY;
    if (verdict == UNDECIDED ||
        !end_stage(t, stage_in(sample->state), previous, verdict == ACCEPT ? variant : previous))
        return;
    if (verdict == ACCEPT)
        // the new code is measured afresh; pairs with nothing
        atomic_store_explicit(&c->cost, 0, memory_order_relaxed);
    weft_log(WEFT_LOG_INFO, "kernel %s: %s takes %llu %% of the best code's time and is %s", c->meta->name,
             rematch ? "its own code" : candidates[s->candidate].name,
             (unsigned long long)(100 * other / best), verdict == ACCEPT ? "accepted" : "rejected");
    if (s->level == WEFT_LEVEL_FULL)
        weft_verdicts_store(c);
}
