// How many lanes a region has, or whether any, is a bet of the compiler's in some kernels: the code in another form, which has the
// same results, is tried and measured (ADR 27). Ranges of work-groups run in either by chance, until the medians tell which is
// faster; from then on launches run that.
#include "kernel_forms.h"
#include "weft/protocol.h"

// Compiling takes about as long as compiling the kernel's own code did. Of the kernels that are in doubt a third gain a half or more.
enum { RUNS_FOR_MAKING = 3, RUNS_LEAST_MS = 20 };

enum {
    SAMPLES = 15,    // of each
    FEW = 3,         // of the own code's that count,
    MUCH_LONGER = 4, // where the other's take so many times as long
    SOME = 5,        // of both that count where the difference is large, in percent of the own code's time
    LONGER = 130,
    SHORTER = 60,
    WORTH_IT = 90, // at the end
};

enum verdict { TRYING, OWN, OTHER };
enum { LEFT_OUT = 1 }; // each code's first range, which meets cold caches

struct weft_kernel_trial {
    struct weft_kernel_code *code;
    uint32_t form;            // enum weft_form: the other code's
    _Atomic uint32_t verdict; // enum verdict
    _Atomic uint32_t turns;
    _Atomic uint32_t count[2];           // ranges measured: in the own code, in the other one
    _Atomic uint32_t sample[2][SAMPLES]; // ns for 1024 work-items; 0: not yet
};

static struct weft_kernel_trial *trial_of(struct weft_kernel_code *c)
{
    // acquire: pairs with the release in begin.
    return atomic_load_explicit(&c->trial, memory_order_acquire);
}

// NULL: no memory.
static struct weft_kernel_trial *begin(struct weft_kernel_code *c, uint32_t form)
{
    struct weft_kernel_trial *there = trial_of(c), *made = there ? NULL : weft_zalloc(sizeof *made);
    if (!made)
        return there;
    made->code = c;
    made->form = form;
    // release: pairs with the acquire in trial_of.
    if (atomic_compare_exchange_strong_explicit(&c->trial, &there, made, memory_order_release,
                                                memory_order_acquire))
        return made;
    weft_free(made);
    return there;
}

void weft_kernel_trial_note_time(struct weft_kernel_code *c, uint32_t form, uint64_t ns)
{
    if (trial_of(c) || !weft_kernel_code_is_best(c))
        return;
    // relaxed, both: hints, which pair with nothing. Threads may lose each other's.
    uint64_t sum = atomic_load_explicit(&c->doubtful_ns, memory_order_relaxed) + ns;
    atomic_store_explicit(&c->doubtful_ns, sum, memory_order_relaxed);
    uint64_t pays = RUNS_FOR_MAKING * (uint64_t)atomic_load_explicit(&c->better_ms, memory_order_relaxed);
    if (sum < 1000000 * (pays < RUNS_LEAST_MS ? RUNS_LEAST_MS : pays))
        return;
    if (begin(c, form))
        weft_kernel_code_in_form(c, form);
}

void weft_kernel_trial_wait(struct weft_kernel_code *c)
{
    if (weft_kernel_code_wait_best(c) != WEFT_OK || c->build->free_bits ||
        weft_kernel_code_info(c)->sub_groups || (c->build->quick_first && !c->build->better_then))
        return;
    if (begin(c, WEFT_FORM_EAGER))
        weft_kernel_form_wait(&c->forms[WEFT_FORM_EAGER - WEFT_FORM_ROWS]);
}

// ---- Turns ----

// By chance, not one by one: ranges that follow each other may alternate themselves, as those of two threads do.
static bool is_turn(struct weft_kernel_trial *t)
{
    // relaxed, all: counts, which pair with nothing.
    if (atomic_load_explicit(&t->count[0], memory_order_relaxed) >= SAMPLES + LEFT_OUT)
        return true;
    if (atomic_load_explicit(&t->count[1], memory_order_relaxed) >= SAMPLES + LEFT_OUT)
        return false;
    uint32_t turn = atomic_fetch_add_explicit(&t->turns, 1, memory_order_relaxed);
    return turn * 0x9E3779B1u >> 31;
}

const struct weft_kernel_info *weft_kernel_trial_code(struct weft_kernel_code *c,
                                                      struct weft_trial_turn *turn)
{
    struct weft_kernel_trial *t = trial_of(c);
    if (!t)
        return NULL;
    const struct weft_kernel_info *i = weft_kernel_code_in_form(c, t->form);
    if (!i)
        return NULL;
    // relaxed: either code runs the launch right.
    uint32_t verdict = atomic_load_explicit(&t->verdict, memory_order_relaxed);
    if (verdict != TRYING)
        return verdict == OTHER ? i : NULL;
    *turn = (struct weft_trial_turn){t, is_turn(t)};
    return turn->other ? i : NULL;
}

// ---- The verdict ----

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

// The median; *count: of how many.
static uint64_t median(struct weft_kernel_trial *t, bool other, unsigned *count)
{
    uint32_t found[SAMPLES];
    unsigned n = 0;
    for (unsigned k = 0; k < SAMPLES; k++) {
        uint32_t s = atomic_load_explicit(&t->sample[other][k], memory_order_relaxed);
        if (s)
            found[n++] = s;
    }
    qsort(found, n, sizeof *found, compare);
    *count = n;
    return n ? found[n / 2] : 0;
}

static enum verdict judge(uint64_t own, unsigned own_count, uint64_t other, unsigned other_count)
{
    if (own_count >= FEW && other_count && other > MUCH_LONGER * own)
        return OWN;
    if (own_count < SOME || other_count < SOME)
        return TRYING;
    uint64_t percent = 100 * other / own;
    if (own_count == SAMPLES && other_count == SAMPLES)
        return percent <= WORTH_IT ? OTHER : OWN;
    return percent >= LONGER ? OWN : percent <= SHORTER ? OTHER : TRYING;
}

void weft_kernel_trial_note(const struct weft_trial_turn *turn, uint32_t cost)
{
    struct weft_kernel_trial *t = turn->trial;
    struct weft_kernel_code *c = t->code;
    if (c->by_turns)
        return;
    // relaxed, all: samples that are seen late are missing from one judgement, and in the next.
    uint32_t k = atomic_fetch_add_explicit(&t->count[turn->other], 1, memory_order_relaxed);
    if (k < LEFT_OUT || k >= SAMPLES + LEFT_OUT)
        return;
    atomic_store_explicit(&t->sample[turn->other][k - LEFT_OUT], cost ? cost : 1, memory_order_relaxed);
    unsigned own_count, other_count;
    uint64_t own = median(t, false, &own_count), other = median(t, true, &other_count);
    uint32_t trying = TRYING, verdict = judge(own, own_count, other, other_count);
    if (verdict == TRYING || !atomic_compare_exchange_strong(&t->verdict, &trying, verdict))
        return;
    if (verdict == OTHER)
        atomic_store_explicit(&c->cost, 0, memory_order_relaxed); // measured anew; pairs with nothing
    weft_log(WEFT_LOG_INFO, "kernel %s: %s takes %llu %% of the time of what it had, which %s", c->meta->name,
             t->form == WEFT_FORM_EAGER ? "eight lanes throughout" : "code without lanes",
             (unsigned long long)(100 * other / own), verdict == OTHER ? "it replaces" : "goes on");
}

void weft_kernel_trial_fini(struct weft_kernel_code *c)
{
    weft_free(atomic_load(&c->trial));
}
