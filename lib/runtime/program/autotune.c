// Autotuning (ADR 27). For some kernels the compiler can't know how many lanes are best for a region, or
// whether any are. The runtime has other code variants made, which give the same results, and measures them.
// It compares one candidate at a time with the best code so far. Ranges of work-groups run in one or the
// other, chosen at random, until the medians show which is faster. From then on launches run the faster one.
// Threads: everything here is atomic; there is no lock.
#include "base/base.h"
#include "runtime/program/build_result.h"
#include "runtime/program/kernel_code.h"
#include "runtime/program/kernel_variants.h"
#include "weft/kernel_abi.h"

// Autotuning begins when the kernel has run three times as long as its best code took to compile, since a
// variant takes about as long to compile. Of the kernels with candidates, a third get faster by a half or
// more.
enum { RUNS_FOR_MAKING = 3, RUNS_LEAST_MS = 20 };

enum {
    SAMPLES = 15,    // of each code
    FEW = 3,         // samples of the best code that suffice to reject a candidate
    MUCH_LONGER = 4, // whose samples take this many times as long
    // samples of each code that suffice if the candidate's time, in percent of the best code's, is
    // at least LONGER (rejected) or at most SHORTER (accepted)
    SOME = 5,
    LONGER = 130,
    SHORTER = 60,
    WORTH_IT = 90, // the candidate is accepted with all samples if its time is at most this many percent
};

enum verdict { TRYING, BEST_GOES_ON, OTHER };
enum { LEFT_OUT = 1 }; // the first range of each code doesn't count: it meets cold caches

// The candidates in the order in which they are measured, and their names for the log.
static const struct {
    uint32_t doubt, form;
    const char *name;
} candidates[] = {
    {WEFT_AUTOTUNE_NARROW, WEFT_VARIANT_NARROW, "eight lanes throughout"},
    {WEFT_AUTOTUNE_SCALAR, WEFT_VARIANT_SCALAR, "code without lanes"},
};
enum { CANDIDATES = WEFT_COUNT_OF(candidates) };

// The comparison of one candidate with the best code so far.
struct stage {
    unsigned candidate;
    _Atomic uint32_t turns;
    _Atomic uint32_t count[2];           // ranges measured: of the best code, of the candidate
    _Atomic uint32_t sample[2][SAMPLES]; // ns for 1024 work-items; 0: none yet
};

struct weft_autotune {
    struct weft_kernel_code *code;
    unsigned stage_count;
    _Atomic uint32_t standing; // see state_of
    struct stage stages[CANDIDATES];
};

// The state of autotuning: the current stage (stage_count: autotuning is over), and the variant that is the
// best so far (WEFT_VARIANT_ANY: the code that a launch would run without autotuning). Both are in one word
// because they change together.
static uint32_t standing_of(unsigned stage, uint32_t best)
{
    return stage << 8 | best;
}

static unsigned stage_in(uint32_t standing)
{
    return standing >> 8;
}

static uint32_t best_in(uint32_t standing)
{
    return standing & 0xff;
}

static struct weft_autotune *trial_of(struct weft_kernel_code *c)
{
    // acquire: pairs with the release in begin.
    return atomic_load_explicit(&c->trial, memory_order_acquire);
}

// doubts is a set of enum weft_autotune_candidate. Returns NULL if there is no memory.
static struct weft_autotune *begin(struct weft_kernel_code *c, uint32_t doubts)
{
    struct weft_autotune *there = trial_of(c), *made = there ? NULL : weft_zalloc(sizeof *made);
    if (!made)
        return there;
    made->code = c;
    for (unsigned k = 0; k < CANDIDATES; k++)
        if (doubts & candidates[k].doubt)
            made->stages[made->stage_count++].candidate = k;
    // release: pairs with the acquire in trial_of.
    if (atomic_compare_exchange_strong_explicit(&c->trial, &there, made, memory_order_release,
                                                memory_order_acquire))
        return made;
    weft_free(made);
    return there;
}

void weft_autotune_note_time(struct weft_kernel_code *c, uint32_t doubts, uint64_t ns)
{
    if (trial_of(c) || !weft_kernel_code_is_best(c))
        return;
    // relaxed, both: hints, which pair with nothing. Threads may overwrite each other's sums.
    uint64_t sum = atomic_load_explicit(&c->doubtful_ns, memory_order_relaxed) + ns;
    atomic_store_explicit(&c->doubtful_ns, sum, memory_order_relaxed);
    uint64_t pays = RUNS_FOR_MAKING * (uint64_t)atomic_load_explicit(&c->better_ms, memory_order_relaxed);
    if (sum < 1000000 * (pays < RUNS_LEAST_MS ? RUNS_LEAST_MS : pays))
        return;
    struct weft_autotune *t = begin(c, doubts);
    if (t && t->stage_count)
        weft_kernel_code_of_variant(c, candidates[t->stages[0].candidate].form);
}

static struct weft_kernel_variant *form_in(struct weft_kernel_code *c, uint32_t form)
{
    return &c->forms[form - WEFT_VARIANT_DIM];
}

void weft_autotune_wait(struct weft_kernel_code *c)
{
    if (weft_kernel_code_wait_best(c) != WEFT_OK || c->build->free_bits ||
        weft_kernel_code_info(c)->sub_groups || (c->build->quick_first && !c->build->better_then))
        return;
    if (!begin(c, WEFT_AUTOTUNE_NARROW | WEFT_AUTOTUNE_SCALAR))
        return;
    for (unsigned k = 0; k < CANDIDATES; k++)
        weft_kernel_variant_wait(form_in(c, candidates[k].form));
}

// ---- Choosing a code for a range ----

// A pseudo-random number. Strict alternation would not do: ranges that follow each other may themselves
// alternate, as those of two threads do.
static uint32_t chance(_Atomic uint32_t *turns)
{
    // relaxed: a count, which pairs with nothing.
    return atomic_fetch_add_explicit(turns, 1, memory_order_relaxed) * 0x9E3779B1u;
}

// Does the next range run in the candidate? Not before the best code has enough samples to reject the
// candidate.
static bool is_turn(struct stage *s)
{
    // relaxed, both: counts, which pair with nothing.
    uint32_t best = atomic_load_explicit(&s->count[0], memory_order_relaxed);
    if (best < FEW + LEFT_OUT)
        return false;
    if (best >= SAMPLES + LEFT_OUT)
        return true;
    if (atomic_load_explicit(&s->count[1], memory_order_relaxed) >= SAMPLES + LEFT_OUT)
        return false;
    return chance(&s->turns) >> 31;
}

// WEFT_VARIANT=tune: any code that exists, at random. NULL: the one that the launch would run without
// autotuning.
static const struct weft_kernel_info *by_turns(struct weft_autotune *t)
{
    const struct weft_kernel_info *all[CANDIDATES + 1] = {NULL};
    uint32_t count = 1;
    for (unsigned k = 0; k < CANDIDATES; k++) {
        const struct weft_kernel_info *i = weft_kernel_code_of_variant(t->code, candidates[k].form);
        if (i)
            all[count++] = i;
    }
    return all[(uint64_t)chance(&t->stages[0].turns) * count >> 32];
}

// Ends the stage. Returns false if another thread has ended it already.
static bool go_on(struct weft_autotune *t, unsigned stage, uint32_t best, uint32_t then_best)
{
    uint32_t standing = standing_of(stage, best);
    // relaxed: readers find code by its variant, which is published with an order of its own, and each sample
    // carries the number of its stage.
    return atomic_compare_exchange_strong_explicit(&t->standing, &standing, standing_of(stage + 1, then_best),
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
                                                  struct weft_autotune_sample *turn)
{
    struct weft_autotune *t = trial_of(c);
    if (!t)
        return NULL;
    if (WEFT_UNLIKELY(c->by_turns))
        return by_turns(t);
    // relaxed: any code gives the launch's results.
    uint32_t standing = atomic_load_explicit(&t->standing, memory_order_relaxed), best = best_in(standing);
    const struct weft_kernel_info *so_far = best ? weft_kernel_code_of_variant(c, best) : NULL;
    unsigned k = stage_in(standing);
    if (WEFT_LIKELY(k == t->stage_count))
        return so_far;
    struct stage *s = &t->stages[k];
    uint32_t form = candidates[s->candidate].form;
    const struct weft_kernel_info *i = weft_kernel_code_of_variant(c, form);
    if (!i) {
        if (is_missing(form_in(c, form)))
            go_on(t, k, best, best);
        return so_far;
    }
    *turn = (struct weft_autotune_sample){t, standing, is_turn(s)};
    return turn->other ? i : so_far;
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
    if (best_count >= FEW && other_count && other > MUCH_LONGER * best)
        return BEST_GOES_ON;
    if (best_count < SOME || other_count < SOME)
        return TRYING;
    uint64_t percent = 100 * other / best;
    if (best_count == SAMPLES && other_count == SAMPLES)
        return percent <= WORTH_IT ? OTHER : BEST_GOES_ON;
    return percent >= LONGER ? BEST_GOES_ON : percent <= SHORTER ? OTHER : TRYING;
}

void weft_autotune_note(const struct weft_autotune_sample *turn, uint32_t cost)
{
    struct weft_autotune *t = turn->trial;
    struct weft_kernel_code *c = t->code;
    struct stage *s = &t->stages[stage_in(turn->standing)];
    // relaxed, all: a sample that becomes visible late is missing from one verdict and is part of the next.
    uint32_t k = atomic_fetch_add_explicit(&s->count[turn->other], 1, memory_order_relaxed);
    if (k < LEFT_OUT)
        return;
    if (k < SAMPLES + LEFT_OUT)
        atomic_store_explicit(&s->sample[turn->other][k - LEFT_OUT], cost ? cost : 1, memory_order_relaxed);
    unsigned best_count, other_count;
    uint64_t best = median(s, false, &best_count), other = median(s, true, &other_count);
    enum verdict verdict = judge(best, best_count, other, other_count);
    uint32_t form = candidates[s->candidate].form, had = best_in(turn->standing);
    if (verdict == TRYING || !go_on(t, stage_in(turn->standing), had, verdict == OTHER ? form : had))
        return;
    if (verdict == OTHER)
        // the new code is measured afresh; pairs with nothing
        atomic_store_explicit(&c->cost, 0, memory_order_relaxed);
    weft_log(WEFT_LOG_INFO, "kernel %s: %s takes %llu %% of the time of what it had, which %s", c->meta->name,
             candidates[s->candidate].name, (unsigned long long)(100 * other / best),
             verdict == OTHER ? "it replaces" : "goes on");
}

void weft_autotune_fini(struct weft_kernel_code *c)
{
    weft_free(atomic_load(&c->trial));
}
