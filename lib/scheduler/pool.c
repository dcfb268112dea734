// The pool: how work is found and run, and how idle threads sleep and are woken. pool_threads.c has its
// threads.
//
// An idle pool thread spins for some microseconds and reads only `signal`. The first thread that has spun in
// vain becomes the watcher. It dozes, in short timed sleeps, and looks at the queues each time it wakes. It
// only takes work that was already there at its last look. So a series of small launches, each of which the
// submitter runs itself while it waits, needs neither system calls nor a second core. After WATCH_NS without
// activity the watcher parks like the others. A lazy submit wakes one thread as the watcher if there is none.
// An urgent submit changes `signal` and wakes as many threads as it has work for.
//
// No wake-up is lost. A thread that goes to sleep publishes that (watching, searching, sleepers) before it
// looks into the queues under their locks. A submitter pushes under the lock and reads those variables
// afterwards. Whichever locks second sees the other.
#include "base/arch/arch.h"
#include "scheduler/internal.h"

#define SPIN_ITERATIONS 300 // about 10 us
#define DOZE_NS 50000       // if something is queued: it is taken if it is still there at the next look
#define DOZE_IDLE_NS 100000 // if nothing is queued
#define WATCH_NS 1500000    // time without activity after which the watcher parks

struct weft_pool weft_pool;

uint32_t weft_sched_thread_count(void)
{
    static _Atomic uint32_t count;
    // Relaxed: every thread computes the same value.
    uint32_t n = atomic_load_explicit(&count, memory_order_relaxed);
    if (WEFT_UNLIKELY(n == 0)) {
        uint64_t asked = weft_config_uint(WEFT_CFG_THREADS);
        n = asked == 0 ? weft_cpus_allowed("/") : asked > WEFT_POOL_MAX ? WEFT_POOL_MAX : (uint32_t)asked;
        if (n > WEFT_POOL_MAX)
            n = WEFT_POOL_MAX;
        atomic_store_explicit(&count, n, memory_order_relaxed);
    }
    return n;
}

// ---- Running ----

static void finish_task(struct weft_thread *t, struct weft_task *task, struct weft_worker *w)
{
    bool outer = t->in_done;
    t->in_done = true;
    task->done(task, w);
    t->in_done = outer;
}

void weft_run_piece(struct weft_thread *t, const struct weft_piece *p)
{
    struct weft_task *task = p->task;
    struct weft_worker deep = {.index = t->worker[0].index, .is_pool = t->worker[0].is_pool};
    struct weft_worker *w = t->depth < WEFT_NEST_MAX ? &t->worker[t->depth] : &deep;
    bool outer_done = t->in_done;
    uint64_t units = p->last - p->first;
    const uint64_t count = task->count;
    t->in_done = false;
    t->depth++;
    if (p->whole && !weft_task_divisible(task)) {
        if (count)
            task->run(task, w, p->first, p->last);
    } else if (t->own && t->depth == 1) {
        // A pool thread's share is open to thieves. A thief accounts for the units that it takes.
        uint64_t first, last;
        units = 0;
        weft_frame_open(t->own, p);
        while (!weft_pool_stopping() && weft_frame_next(t->own, &first, &last)) {
            task->run(task, w, first, last);
            units += last - first;
        }
        if (weft_pool_stopping() && weft_frame_drop(t->own))
            return; // at unload the rest of the range, and so the task, is dropped
    } else {
        task->run(task, w, p->first, p->last);
    }
    t->depth--;
    t->in_done = outer_done;
    if (units == 0 && count != 0)
        return; // thieves took all of it; the task may be freed
    // Acquire and release: the last thread sees what the others' units wrote.
    if ((p->whole && units == count) ||
        atomic_fetch_sub_explicit(&task->left, units, memory_order_acq_rel) == units)
        finish_task(t, task, w);
    weft_worker_arena_free(&deep);
}

bool weft_find_piece(struct weft_thread *t, const struct weft_claim_rules *rules, struct weft_piece *out,
                     bool *more)
{
    struct weft_pool_thread *workers = atomic_load_explicit(&weft_pool.workers, memory_order_acquire);
    bool own_first = t->own && ++t->round % 16 != 0; // now and then other threads' work comes first
    if (own_first && weft_runqueue_claim(t->own, rules, out, more))
        return true;
    if (weft_runqueue_claim(&weft_pool.injection, rules, out, more))
        return true;
    if (t->own && !own_first && weft_runqueue_claim(t->own, rules, out, more))
        return true;
    if (!workers)
        return false;
    const uint16_t *order = t->own ? WEFT_CONTAINER_OF(t->own, struct weft_pool_thread, queue)->order : NULL;
    uint32_t n = order ? weft_pool.size - 1 : weft_pool.size;
    for (uint32_t i = 0; i < n; i++) {
        struct weft_runqueue *q = &workers[order ? order[i] : i].queue;
        if (weft_runqueue_claim(q, rules, out, more))
            return true;
    }
    for (uint32_t i = 0; i < n; i++) {
        struct weft_runqueue *q = &workers[order ? order[i] : i].queue;
        if (q != t->own && weft_frame_steal(q, rules, out))
            return true;
    }
    return false;
}

// ---- Calling idle threads ----

static uint32_t awake(void)
{
    // Relaxed: a hint for the number of threads to wake. The watcher guarantees progress.
    uint32_t started = atomic_load_explicit(&weft_pool.started, memory_order_relaxed);
    uint32_t asleep = atomic_load_explicit(&weft_pool.sleepers, memory_order_relaxed);
    return started > asleep ? started - asleep : 0;
}

// Urgent: wakes as many threads as can use that many pieces.
static void pool_wake(uint64_t pieces)
{
    uint32_t size = weft_sched_thread_count();
    uint32_t use = pieces < size ? (uint32_t)pieces : size;
    atomic_fetch_add(&weft_pool.urgent, 1);
    atomic_fetch_add(&weft_pool.signal, 1);
    uint32_t searching = atomic_load(&weft_pool.searching), asleep = atomic_load(&weft_pool.sleepers);
    uint32_t started = atomic_load(&weft_pool.started);
    use = use > searching ? use - searching : 0;
    if (use == 0)
        return;
    // One processor is left for the submitting thread, which will probably wait and help. A thread that finds
    // more work than it can do wakes another.
    uint32_t running = awake() + 1, room = size > running ? size - running : 0;
    uint32_t n = use < room ? use : room;
    if (n == 0 && searching == 0)
        n = 1;
    if (asleep)
        weft_futex_wake(&weft_pool.signal, n);
    if (n > asleep)
        weft_pool_want_threads(started + n - asleep);
}

void weft_pool_watch(void)
{
    if (WEFT_LIKELY(atomic_load(&weft_pool.watching) != 0 || atomic_load(&weft_pool.searching) != 0))
        return;
    if (atomic_load(&weft_pool.sleepers) > 0) {
        atomic_fetch_add(&weft_pool.signal, 1);
        weft_futex_wake(&weft_pool.signal, 1);
    } else if (atomic_load(&weft_pool.started) < weft_sched_thread_count()) {
        weft_pool_want_threads(atomic_load(&weft_pool.started) + 1);
    }
}

void weft_pool_call_another(const struct weft_piece *p, bool more)
{
    bool shareable = more || (p->last - p->first) / p->task->grain >= 2;
    if (!shareable)
        return;
    uint32_t searching = atomic_load(&weft_pool.searching), up = awake();
    uint32_t busy = (up > searching ? up - searching : 0) +
                    atomic_load_explicit(&weft_pool.helpers, memory_order_relaxed);
    // A searching thread looks at the queues again after its spin. That is soon enough for a short task.
    bool called = searching > 0 && !(p->task->flags & WEFT_TASK_LONG);
    if (called || busy >= weft_sched_thread_count())
        return;
    atomic_fetch_add(&weft_pool.urgent, 1);
    atomic_fetch_add(&weft_pool.signal, 1);
    if (searching > 0)
        return;
    if (atomic_load(&weft_pool.sleepers) > 0)
        weft_futex_wake(&weft_pool.signal, 1);
    else
        weft_pool_want_threads(atomic_load(&weft_pool.started) + 1);
}

// ---- Submitting ----

void weft_sched_submit(struct weft_task *t, enum weft_urgency urgency)
{
    struct weft_thread *me = weft_thread_now();
    // Relaxed: the queue's lock publishes it.
    atomic_store_explicit(&t->claimed, 0, memory_order_relaxed);
    atomic_store_explicit(&t->left, t->count, memory_order_relaxed);
    if (t->grain == 0)
        t->grain = 1;
    bool divisible = weft_task_divisible(t);
    uint64_t pieces = divisible ? (t->count + t->grain - 1) / t->grain : 1;
    if (me && me->in_done && !me->next && !divisible && (me->own || !(t->flags & WEFT_TASK_POOL_ONLY))) {
        t->next = NULL;
        me->next = t;
        return;
    }
    // Goes to the front: a range that takes the place of `next`, and what `run` submits. `run` may wait for
    // it, and should then find it before anything that nests deeper. Once pushed, t may be done and freed.
    if (me && me->own)
        weft_runqueue_push(me->own, t, me->in_done ? divisible && !me->next : me->depth > 0);
    else
        weft_runqueue_push(&weft_pool.injection, t, false);
    if (urgency == WEFT_URGENT)
        pool_wake(pieces);
    else
        weft_pool_watch();
}

void weft_sched_flush(void)
{
    // Relaxed hint: the thread that flushes has submitted before.
    uint64_t pieces = atomic_load_explicit(&weft_pool.injection.size, memory_order_relaxed);
    struct weft_thread *me = weft_thread_now();
    if (me && me->own)
        pieces += atomic_load_explicit(&me->own->size, memory_order_relaxed);
    if (pieces)
        pool_wake(pieces);
}

// ---- Idling ----

// Is there anything that a sleeping thread must not miss? Locks each queue, so a later push sees what was
// written before.
static bool anything_pending(struct weft_pool_thread *workers)
{
    if (weft_runqueue_pending(&weft_pool.injection))
        return true;
    for (uint32_t i = 0; i < weft_pool.size; i++)
        if (weft_runqueue_pending(&workers[i].queue))
            return true;
    return false;
}

static void doze(uint32_t seen, int64_t ns)
{
    atomic_fetch_add(&weft_pool.sleepers, 1);
    weft_futex_wait(&weft_pool.signal, seen, ns);
    atomic_fetch_sub(&weft_pool.sleepers, 1);
}

struct activity {
    uint32_t pushes, claims;
    bool queued;
};

static struct activity look(struct weft_pool_thread *workers)
{
    struct activity a = {0};
    // Relaxed: it only matters whether they change.
    for (uint32_t i = 0; i <= weft_pool.size; i++) {
        struct weft_runqueue *q = i == weft_pool.size ? &weft_pool.injection : &workers[i].queue;
        a.pushes += atomic_load_explicit(&q->pushes, memory_order_relaxed);
        a.claims += atomic_load_explicit(&q->claims, memory_order_relaxed);
        a.queued |= atomic_load_explicit(&q->size, memory_order_relaxed) != 0;
    }
    return a;
}

// Runs as the watcher. Returns when there is something to take, or when it was quiet for long and nothing is
// queued.
static void watch(struct weft_pool_thread *workers, uint32_t urgent)
{
    struct activity before = look(workers);
    uint64_t quiet_since = weft_time_now();
    while (!weft_pool_stopping()) {
        uint32_t seen = atomic_load(&weft_pool.signal);
        if (atomic_load(&weft_pool.urgent) != urgent)
            break;
        doze(seen, before.queued ? DOZE_NS : DOZE_IDLE_NS);
        struct activity now = look(workers);
        if (now.queued && before.queued && now.claims == before.claims)
            break;
        uint64_t time = weft_time_now();
        if (now.pushes != before.pushes || now.claims != before.claims || now.queued)
            quiet_since = time;
        before = now;
        if (time - quiet_since > WATCH_NS)
            break;
    }
    atomic_store(&weft_pool.watching, 0);
}

void weft_pool_idle(struct weft_pool_thread *workers, uint32_t urgent, bool spin)
{
    if (spin) {
        atomic_fetch_add(&weft_pool.searching, 1);
        bool called = false;
        for (int i = 0; i < SPIN_ITERATIONS && !called; i++) {
            weft_arch_relax();
            // Relaxed: the work is found under locks.
            called = atomic_load_explicit(&weft_pool.urgent, memory_order_relaxed) != urgent;
        }
        atomic_fetch_sub(&weft_pool.searching, 1);
        if (called)
            return;
    }
    uint32_t none = 0;
    if (atomic_compare_exchange_strong(&weft_pool.watching, &none, 1)) {
        watch(workers, urgent);
        // From now on a lazy submit wakes another watcher. Earlier submits are seen by anything_pending.
        if (weft_pool_stopping() || atomic_load(&weft_pool.urgent) != urgent || anything_pending(workers))
            return;
    }
    uint32_t seen = atomic_load(&weft_pool.signal);
    if (atomic_load(&weft_pool.urgent) != urgent || weft_pool_stopping())
        return;
    atomic_fetch_add(&weft_pool.sleepers, 1);
    // A lazy submit that saw this thread searching, or saw the last watcher before it left, relies on this
    // look.
    if (atomic_load(&weft_pool.watching) != 0 || !anything_pending(workers)) {
        int64_t timeout = weft_idle_call_begin();
        weft_futex_wait(&weft_pool.signal, seen, timeout);
        atomic_fetch_sub(&weft_pool.sleepers, 1);
        weft_idle_call_end(timeout);
        return;
    }
    atomic_fetch_sub(&weft_pool.sleepers, 1);
}
