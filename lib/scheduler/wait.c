// Waiting threads help: they run ready tasks until their condition is true, then spin briefly, then sleep.
//
// An application thread doesn't run tasks that need a large stack. It takes ranges in small shares, so that
// it is free soon after its condition becomes true. Owns nothing.
#include "base/arch/arch.h"
#include "scheduler/internal.h"

// Free bytes on the calling thread's stack that are needed to run a task there.
#define STACK_NEEDED (128u << 10)
// The same on a pool thread's stack, for WEFT_TASK_POOL_ONLY in a nested wait.
#define STACK_NEEDED_BIG (4u << 20)
#define SPIN_ITERATIONS 300 // about 10 us
#define SHARE_NS 100000     // wanted duration of a helper's share of a range
#define NAP_NS 20000000 // maximum sleep, so that this thread helps with work that all others are too busy for
#define NAP_ALONE_NS 1000000 // maximum sleep if the pool has no threads

static uint32_t busy_threads(void)
{
    // Relaxed: a hint, to avoid more threads than processors.
    uint32_t started = atomic_load_explicit(&weft_pool.started, memory_order_relaxed);
    uint32_t asleep = atomic_load_explicit(&weft_pool.sleepers, memory_order_relaxed);
    return (started > asleep ? started - asleep : 0) +
           atomic_load_explicit(&weft_pool.helpers, memory_order_relaxed);
}

// Runs one piece. Of a range it takes at most *max_units units, which adapts to SHARE_NS. False: there was
// none.
static bool help_once(struct weft_thread *t, uint64_t *max_units, bool patient)
{
    struct weft_piece p;
    if (t->next) {
        p = (struct weft_piece){t->next, 0, t->next->count, true};
        t->next = NULL;
        weft_run_piece(t, &p);
        return true;
    }
    size_t stack = weft_thread_stack_left(t);
    bool no_pool_threads = atomic_load_explicit(&weft_pool.started, memory_order_relaxed) == 0;
    if (stack < STACK_NEEDED)
        return false;
    bool any = no_pool_threads || (t->own && stack >= STACK_NEEDED_BIG);
    struct weft_claim_rules rules = {.unfit = any ? 0 : WEFT_TASK_POOL_ONLY,
                                     .whole_only = patient && !no_pool_threads &&
                                                   busy_threads() >= weft_sched_thread_count(),
                                     .sharers = weft_sched_thread_count(),
                                     .max_units = *max_units};
    bool more;
    if (!weft_find_piece(t, &rules, &p, &more))
        return WEFT_UNLIKELY(t->domain) && weft_domain_help(t);
    if (p.whole && !weft_task_divisible(p.task)) {
        bool counts = (p.task->flags & WEFT_TASK_LONG) && !t->own;
        if (counts) {
            weft_pool_call_another(&p, more);
            atomic_fetch_add_explicit(&weft_pool.helpers, 1, memory_order_relaxed);
        }
        weft_run_piece(t, &p);
        if (counts)
            atomic_fetch_sub_explicit(&weft_pool.helpers, 1, memory_order_relaxed);
        return true;
    }
    // Pool threads are counted as busy already.
    uint64_t units = p.last - p.first, start = weft_time_now();
    if (!t->own)
        atomic_fetch_add_explicit(&weft_pool.helpers, 1, memory_order_relaxed);
    weft_run_piece(t, &p);
    if (!t->own)
        atomic_fetch_sub_explicit(&weft_pool.helpers, 1, memory_order_relaxed);
    uint64_t took = weft_time_now() - start;
    if (took < SHARE_NS / 2 && *max_units < UINT64_MAX / 2)
        *max_units = *max_units > units ? *max_units : units * 2;
    else if (took > SHARE_NS * 2)
        *max_units = units / 2 ? units / 2 : 1;
    return true;
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

void weft_sched_wait(struct weft_park *park, bool (*ready)(void *arg), void *arg)
{
    if (ready(arg))
        return;
    struct weft_thread *t = weft_thread_get();
    bool patient = true, outer_waiting = t && atomic_load_explicit(&t->waiting, memory_order_relaxed);
    uint64_t max_units = 1;
    if (t)
        atomic_store_explicit(&t->waiting, true, memory_order_relaxed);
    for (bool done = false; !done;) {
        while (t && help_once(t, &max_units, patient))
            if ((done = ready(arg)))
                break;
        patient = true;
        bool room = busy_threads() < weft_sched_thread_count();
        // What is queued but not for this thread, such as WEFT_TASK_POOL_ONLY, needs a thread that spins or
        // must be woken.
        if (room)
            weft_sched_flush();
        uint32_t spin = room ? SPIN_ITERATIONS : 10;
        for (uint32_t i = 0; i < spin && !done; i++) {
            weft_arch_relax();
            done = ready(arg);
        }
        if (done || (done = ready(arg)))
            break;
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
            weft_domains_rescue(t);
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
        patient = false;
        done = ready(arg);
    }
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
