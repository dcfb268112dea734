// Waiting threads help: they run ready tasks until their condition is true, then spin briefly, then sleep.
//
// An application thread doesn't run tasks that need a large stack. It leaves a range after some chunks, as
// soon as its condition is true. Owns nothing.
#include "base/arch/arch.h"
#include "scheduler/internal.h"
#include "scheduler/range.h"

// Free bytes on the calling thread's stack that are needed to run a task there.
#define STACK_NEEDED (128u << 10)
// The same on a pool thread's stack, for WEFT_TASK_POOL_ONLY in a nested wait.
#define STACK_NEEDED_BIG (4u << 20)
#define SPIN_ITERATIONS 300 // about 10 us
#define RANGE_SPIN_NS \
    60000 // the same, after taking part in a range: a little more than a thread's last chunks take
#define NAP_NS 20000000 // maximum sleep, so that this thread helps with work that all others are too busy for
#define NAP_ALONE_NS 1000000 // maximum sleep if the pool has no threads

// Is there a processor for one more thread? Relaxed: a hint.
static bool is_room(void)
{
    return weft_pool_busy() < weft_pool_processors();
}

// Is the pool's last thread awake, but without work? It looks for something that it may do, or it has been
// called and doesn't run yet, since other programs have the processor. A hint, too.
static bool is_last_idle(void)
{
    const struct weft_pool_thread *workers = atomic_load_explicit(&weft_pool.workers, memory_order_acquire);
    const uint32_t last = weft_pool_processors() - 1;
    return last < atomic_load_explicit(&weft_pool.started, memory_order_relaxed) &&
           atomic_load_explicit(&workers[last].idle, memory_order_relaxed) && !weft_pool_is_asleep(last);
}

struct wait {
    bool (*ready)(void *arg);
    void *arg;
    bool patient; // leaves ranges to the pool's threads while enough of them are awake
    bool no_pool_threads;
    bool counted; // in weft_pool.helpers: it has taken part in a range, and doesn't sleep
};

static void count_in(struct wait *wait, const struct weft_thread *t)
{
    if (wait->counted || t->own)
        return;
    wait->counted = true;
    atomic_fetch_add_explicit(&weft_pool.helpers, 1, memory_order_relaxed);
}

static void count_out(struct wait *wait)
{
    if (wait->counted)
        atomic_fetch_sub_explicit(&weft_pool.helpers, 1, memory_order_relaxed);
    wait->counted = false;
}

static struct weft_range_rules rules_of(const struct weft_thread *t, const struct wait *wait)
{
    // A nested wait is for what was submitted last.
    return (struct weft_range_rules){.newest = t->own || t->depth, .ready = wait->ready, .arg = wait->arg};
}

static bool run_task(struct weft_thread *t, struct wait *wait, struct weft_task *task, bool more)
{
    const struct weft_range_rules rules = rules_of(t, wait);
    // Pool threads are counted as busy already, and so are threads that have helped with a range.
    const bool counts = (task->flags & WEFT_TASK_LONG) && !t->own && !wait->counted;
    if (counts) {
        weft_pool_call_another(task, more);
        atomic_fetch_add_explicit(&weft_pool.helpers, 1, memory_order_relaxed);
    }
    weft_run_task(t, task, &rules);
    if (counts)
        atomic_fetch_sub_explicit(&weft_pool.helpers, 1, memory_order_relaxed);
    return true;
}

// Is there a processor to take part in a range whose last place is free? Who takes that keeps the pool's last
// thread away.
static bool is_room_in_range(void)
{
    return is_room() || (weft_pool_busy() == weft_pool_processors() && is_last_idle());
}

static bool help_with_range(struct weft_thread *t, struct wait *wait, uint32_t unfit)
{
    struct weft_team *team = weft_pool_team();
    const bool is_last = !t->own && !wait->no_pool_threads;
    if (!team || !weft_range_is_open(team, is_last))
        return false;
    // A nested wait can't leave it to the pool's threads: they may all be in longer ranges.
    const bool patient = wait->patient && t->depth == 0 && !t->own;
    if (patient && !wait->counted && !wait->no_pool_threads && !is_room_in_range())
        return false;
    struct weft_range_rules rules = rules_of(t, wait);
    // An application thread takes the place of the pool's last thread, which then stays away.
    rules.rank = t->own ? t->rank : weft_pool.size - 1;
    rules.is_last = is_last;
    rules.unfit = unfit;
    count_in(wait, t);
    return weft_range_work(t, team, &rules);
}

// Runs a task of the pool, or takes part in a range of it. False: there was none.
static bool help_pool(struct weft_thread *t, struct wait *wait, size_t stack)
{
    bool any = wait->no_pool_threads || (t->own && stack >= STACK_NEEDED_BIG), more;
    const uint32_t unfit = any ? 0 : WEFT_TASK_POOL_ONLY;
    struct weft_task *task = weft_find_task(t, unfit, &more);
    return task ? run_task(t, wait, task, more) : help_with_range(t, wait, unfit);
}

// Runs one task, or takes part in one range. False: there was none.
static bool help_once(struct weft_thread *t, struct wait *wait)
{
    if (t->next) {
        struct weft_task *next = t->next;
        t->next = NULL;
        return run_task(t, wait, next, false);
    }
    size_t stack = weft_thread_stack_left(t);
    if (stack < STACK_NEEDED)
        return false;
    struct weft_domain *d = t->domain;
    if (WEFT_UNLIKELY(d != NULL)) {
        const struct weft_range_rules rules = rules_of(t, wait);
        if (weft_domain_help(t, &rules))
            return true;
    }
    t->domain = NULL; // of the pool's tasks, what they submit isn't the domain's
    const bool helped = help_pool(t, wait, stack);
    t->domain = d;
    return helped;
}

static void pass_on_next(struct weft_thread *t)
{
    struct weft_task *next = t->next;
    if (!next || (t->own && t->depth == 0)) // a pool thread between tasks runs it at once
        return;
    t->next = NULL;
    weft_runqueue_push(&weft_pool.injection, next, true);
    weft_pool_watch();
}

// Returns whether the condition has become true.
static bool spin(const struct wait *wait, bool room)
{
    // The others have the last chunks of the range in hand.
    const uint64_t end = wait->counted ? weft_time_now() + RANGE_SPIN_NS : 0;
    for (uint32_t i = 0; i < (room ? SPIN_ITERATIONS : 10) || (wait->counted && weft_time_now() < end); i++) {
        weft_arch_relax();
        if (wait->ready(wait->arg))
            return true;
    }
    return wait->ready(wait->arg);
}

void weft_sched_wait(struct weft_park *park, bool (*ready)(void *arg), void *arg)
{
    if (ready(arg))
        return;
    struct weft_thread *t = weft_thread_get();
    struct wait wait = {ready, arg, true, false, false};
    bool outer_waiting = t && atomic_load_explicit(&t->waiting, memory_order_relaxed);
    if (t)
        atomic_store_explicit(&t->waiting, true, memory_order_relaxed);
    for (bool done = false; !done;) {
        wait.no_pool_threads = atomic_load_explicit(&weft_pool.started, memory_order_relaxed) == 0;
        while (!done && t && help_once(t, &wait))
            done = ready(arg);
        if (done)
            break;
        wait.patient = true;
        // What is queued but not for this thread, such as WEFT_TASK_POOL_ONLY, needs a thread that spins or
        // must be woken.
        const bool room = is_room();
        if (room)
            weft_sched_flush();
        if ((done = spin(&wait, room)))
            break;
        count_out(&wait);
        // What this thread couldn't run must not wait for the watcher.
        weft_sched_flush();
        bool no_pool_threads = atomic_load_explicit(&weft_pool.started, memory_order_relaxed) == 0;
        if (no_pool_threads)
            weft_sched_start();              // starting threads may have become possible
        if (!t && (t = weft_thread_get())) { // and so may memory
            atomic_store_explicit(&t->waiting, true, memory_order_relaxed);
            continue;
        }
        if (WEFT_UNLIKELY(t && atomic_load(&weft_domains_stranded))) {
            const struct weft_range_rules rules = rules_of(t, &wait);
            weft_domains_rescue(t, &rules);
            no_pool_threads = true;
        }
        atomic_fetch_add(&park->waiters, 1);
        atomic_thread_fence(memory_order_seq_cst); // pairs with the fence in weft_park_wake
        uint32_t seen = atomic_load(&park->sequence);
        if (!(done = ready(arg)))
            weft_futex_wait(&park->sequence, seen, no_pool_threads ? NAP_ALONE_NS : NAP_NS);
        atomic_fetch_sub(&park->waiters, 1);
        // After a sleep without result this thread helps even if enough threads seem busy: they may be
        // waiting for it.
        wait.patient = false;
        done = ready(arg);
    }
    count_out(&wait);
    if (t) {
        pass_on_next(t);
        // Release: pairs with the load in weft_threads_fini, after which the pool's memory may be freed.
        atomic_store_explicit(&t->waiting, outer_waiting, memory_order_release);
    }
}

void weft_park_wake(struct weft_park *park)
{
    // Pairs with the fence after the increment of waiters in weft_sched_wait: either the waiter's second
    // check sees the condition, or this thread sees the waiter.
    atomic_thread_fence(memory_order_seq_cst);
    if (WEFT_LIKELY(atomic_load_explicit(&park->waiters, memory_order_relaxed) == 0))
        return;
    atomic_fetch_add(&park->sequence, 1);
    weft_futex_wake(&park->sequence, INT32_MAX);
}
