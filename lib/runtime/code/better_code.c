// Better code of a kernel, which replaces its present code (ADR 5, ADR 38). It is requested when the ladder
// says so (ladder.h), and compiled at the lowest priority. It takes over between two ranges of work-groups. A
// job makes code of one level; for the next level the same job is pushed again. A job whose kernel nobody
// launches any more when its turn comes is given up. If a compile fails for want of memory or another
// resource, a later request tries again.
#include "base/base.h"
#include "runtime/compiler/client.h"
#include "runtime/compiler/compile_queue.h"
#include "runtime/code/build_result.h"
#include "runtime/code/code_waiters.h"
#include "runtime/code/kernel_code.h"
#include "runtime/code/kernel_variants.h"
#include "runtime/code/ladder.h"
#include "runtime/code/make_code.h"
#include "weft/scheduler.h"
#include "weft/status.h"

bool weft_kernel_code_is_best(const struct weft_kernel_code *c)
{
    uint32_t better = atomic_load(&c->better);
    return better == WEFT_BETTER_NONE || better == WEFT_BETTER_DONE;
}

static struct weft_kernel_code *code_of(const struct weft_compile_job *j)
{
    return WEFT_CONTAINER_OF(j, struct weft_kernel_code, better_job);
}

static void publish_best(struct weft_compile_job *j)
{
    atomic_store(&code_of(j)->better, WEFT_BETTER_DONE);
}

// Another request may follow: the job can be pushed again.
static void publish_possible(struct weft_compile_job *j)
{
    j->taken = false;
    j->priority = WEFT_COMPILE_BETTER;
    atomic_store(&code_of(j)->better, WEFT_BETTER_POSSIBLE);
}

// more: a later request may still make better code.
static void finish_better(struct weft_kernel_code *c, bool more)
{
    struct weft_build *b = c->build;
    weft_compile_queue_conclude(&c->better_job, more ? publish_possible : publish_best);
    weft_code_waiters_notify(c, &c->lanes_waiters);
    weft_park_wake(&c->ready);
    weft_build_unref(b); // the job's reference
}

static bool publish_unused(struct weft_compile_job *j)
{
    if (j->priority > WEFT_COMPILE_SOON || weft_ladder_gain(code_of(j), weft_time_now()))
        return false;
    atomic_store(&code_of(j)->better, WEFT_BETTER_POSSIBLE);
    return true;
}

static void better_run(struct weft_compile_job *j)
{
    struct weft_kernel_code *c = code_of(j);
    struct weft_build *b = c->build;
    if (weft_compile_queue_give_up(j, publish_unused)) {
        weft_code_waiters_notify(c, &c->lanes_waiters);
        weft_park_wake(&c->ready);
        weft_build_unref(b);
        return;
    }
    struct weft_code_failure f = {0};
    const enum weft_code_level level = (enum weft_code_level)atomic_load(&c->next_level);
    struct weft_code_order full = weft_code_order_own(WEFT_LEVEL_FULL),
                           order = level == WEFT_LEVEL_LANES ? weft_code_order_lanes(c) : full;
    bool best = weft_code_from_cache(c, &full);
    if (!best && (level == WEFT_LEVEL_FULL || !weft_code_from_cache(c, &order))) {
        weft_status status = weft_code_compile(c, &order, j->priority, &f);
        if (status != WEFT_OK)
            weft_log(weft_code_failure_level(),
                     "better code for kernel %s can't be made, so it keeps its present code: %s",
                     c->meta->name, f.log ? f.log : weft_status_text(status));
        if (status != WEFT_OK && level != WEFT_LEVEL_FULL && !f.transient)
            atomic_store(&c->no_lanes, true);
    }
    weft_free(f.log);
    if (f.transient)
        weft_code_retry_later(c);
    const bool more = f.transient || (!best && level != WEFT_LEVEL_FULL);
    if (!more)
        weft_verdicts_load(c);
    finish_better(c, more);
}

static void better_drop(struct weft_compile_job *j)
{
    finish_better(code_of(j), false);
}

static uint64_t better_gain(const struct weft_compile_job *j, uint64_t now)
{
    return weft_ladder_gain(code_of(j), now);
}

void weft_kernel_code_improve(struct weft_kernel_code *c, enum weft_compile_priority priority)
{
    // Either this thread sees that there is quick code, or the thread that made the quick code sees
    // better_wanted.
    atomic_store(&c->better_wanted, true);
    uint32_t possible = WEFT_BETTER_POSSIBLE;
    if (weft_compile_queue_is_ending()) // no launch will run it
        return;
    // The caller may have decided on quick code, and code with lanes has been adopted since.
    if (priority <= WEFT_COMPILE_SOON && (weft_code_is_too_early(c) || !weft_ladder_next_pays(c)))
        return;
    if (atomic_compare_exchange_strong(&c->better, &possible, WEFT_BETTER_ASKED)) {
        // Who waits for the best code gets it at once.
        const enum weft_code_level level =
            priority > WEFT_COMPILE_SOON ? WEFT_LEVEL_FULL : weft_ladder_next(c);
        if (level == WEFT_LEVEL_LANES)
            priority = WEFT_COMPILE_SOON;
        atomic_store(&c->next_level, level);
        weft_build_ref(c->build); // the job's reference
        weft_compile_queue_push(&c->better_job, priority);
    }
}

void weft_better_code_init(struct weft_kernel_code *c)
{
    c->better_job = (struct weft_compile_job){.run = better_run, .drop = better_drop, .gain = better_gain};
}
