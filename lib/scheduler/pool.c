// The pool: its threads, how work is found and run, how idle threads sleep and are called, fork and unload.
//
// An idle pool thread spins for some microseconds, reading only `signal`. The first one that has spun in vain
// becomes the watcher: it dozes in short timed sleeps and looks at the queues at each waking, taking only
// work that has been there since its last look, so that a stream of small launches, each of which the
// submitter runs itself while it waits, meets neither system calls nor a second core. After WATCH_NS without
// activity it parks like the others. A lazy submit wakes one thread for watch duty when there is no watcher;
// an urgent one changes `signal` and wakes as many as it has work for.
//
// No wake-up is lost: a thread that goes to sleep publishes that (watching, searching, sleepers) before it
// looks into the queues under their locks; a submitter pushes under the lock and reads those afterwards.
// Whichever locks second sees the other.
#include "internal.h"

#include "weft/fault.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define STACK_BYTES (8u << 20)
#define GUARD_BYTES (64u << 10)
#define SPIN_ROUNDS 300         // about 10 us
#define DOZE_NS 50000           // when something is queued: taken if it is still there at the next look
#define DOZE_IDLE_NS 100000     // when nothing is
#define WATCH_NS 1500000        // without activity, until the watcher parks
#define START_RETRY_NS 10000000 // after a thread could not be started
#define JOIN_PATIENCE_NS 1000000000ull // at unload, before kernels that still run are interrupted
#define JOIN_STEP_NS 50000000          // then this often
#define JOIN_MOST_NS 10000000000ull    // until the thread is given up

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

static bool stopping(void)
{
    // Acquire: pairs with the store in weft_sched_shutdown.
    return atomic_load_explicit(&weft_pool.stop, memory_order_acquire) != 0;
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
        // A pool thread's share is open to thieves. Units that they take they also account for.
        uint64_t first, last;
        units = 0;
        weft_frame_open(t->own, p);
        while (!stopping() && weft_frame_next(t->own, &first, &last)) {
            task->run(task, w, first, last);
            units += last - first;
        }
        if (stopping() && weft_frame_drop(t->own))
            return; // at unload: the rest of the range, and with it the task, is dropped
    } else {
        task->run(task, w, p->first, p->last);
    }
    t->depth--;
    t->in_done = outer_done;
    if (units == 0 && count != 0)
        return; // thieves took it all; the task may be gone
    // Acquire and release: the last one sees what the others' units wrote.
    if ((p->whole && units == count) ||
        atomic_fetch_sub_explicit(&task->left, units, memory_order_acq_rel) == units)
        finish_task(t, task, w);
    weft_free(deep.arena);
}

bool weft_find_piece(struct weft_thread *t, const struct weft_claim_rules *rules, struct weft_piece *out,
                     bool *more)
{
    struct weft_pool_thread *workers = atomic_load_explicit(&weft_pool.workers, memory_order_acquire);
    bool own_first = t->own && ++t->round % 16 != 0; // now and then the others' work comes first
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
    // Relaxed: a hint for how many to wake; the guarantee is the watcher's.
    uint32_t started = atomic_load_explicit(&weft_pool.started, memory_order_relaxed);
    uint32_t asleep = atomic_load_explicit(&weft_pool.sleepers, memory_order_relaxed);
    return started > asleep ? started - asleep : 0;
}

static bool start_thread(void);

// Starts threads until there are `n`; each new thread starts others in its turn, see pool_main.
static void want_threads(uint32_t n)
{
    if (n > weft_sched_thread_count())
        n = weft_sched_thread_count();
    // Relaxed: start_thread looks again under its lock.
    if (WEFT_LIKELY(atomic_load_explicit(&weft_pool.started, memory_order_relaxed) >= n))
        return;
    uint32_t wanted = atomic_load(&weft_pool.wanted);
    while (wanted < n && !atomic_compare_exchange_weak(&weft_pool.wanted, &wanted, n))
        ;
    start_thread();
}

void weft_pool_wake(uint64_t pieces)
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
    // One processor is left for the thread that submits, which likely waits and helps; whoever finds more
    // work than he can do calls another.
    uint32_t running = awake() + 1, room = size > running ? size - running : 0;
    uint32_t n = use < room ? use : room;
    if (n == 0 && searching == 0)
        n = 1;
    if (asleep)
        weft_futex_wake(&weft_pool.signal, n);
    if (n > asleep)
        want_threads(started + n - asleep);
}

void weft_pool_watch(void)
{
    if (WEFT_LIKELY(atomic_load(&weft_pool.watching) != 0 || atomic_load(&weft_pool.searching) != 0))
        return;
    if (atomic_load(&weft_pool.sleepers) > 0) {
        atomic_fetch_add(&weft_pool.signal, 1);
        weft_futex_wake(&weft_pool.signal, 1);
    } else if (atomic_load(&weft_pool.started) < weft_sched_thread_count()) {
        want_threads(atomic_load(&weft_pool.started) + 1);
    }
}

// After a pool thread has claimed: is there work for one more?
static void call_another(const struct weft_piece *p, bool more)
{
    bool shareable = more || (p->last - p->first) / p->task->grain >= 2;
    if (shareable &&
        awake() + atomic_load_explicit(&weft_pool.helpers, memory_order_relaxed) <
            weft_sched_thread_count() &&
        atomic_load(&weft_pool.searching) == 0) {
        atomic_fetch_add(&weft_pool.urgent, 1);
        atomic_fetch_add(&weft_pool.signal, 1);
        if (atomic_load(&weft_pool.sleepers) > 0)
            weft_futex_wake(&weft_pool.signal, 1);
        else
            want_threads(atomic_load(&weft_pool.started) + 1);
    }
}

// ---- Submitting ----

void weft_sched_submit(struct weft_task *t, enum weft_urgency urgency)
{
    struct weft_thread *me = weft_thread_now();
    // Relaxed: published by the queue's lock.
    atomic_store_explicit(&t->claimed, 0, memory_order_relaxed);
    atomic_store_explicit(&t->left, t->count, memory_order_relaxed);
    if (t->grain == 0)
        t->grain = 1;
    bool divisible = weft_task_divisible(t);
    if (me && me->in_done && !me->next && !divisible && (me->own || !(t->flags & WEFT_TASK_POOL_ONLY))) {
        t->next = NULL;
        me->next = t;
        return;
    }
    // In front: a range that takes the place of `next`, and what run submits, as it may wait for that and
    // should then meet it before anything that nests deeper.
    if (me && me->own)
        weft_runqueue_push(me->own, t, me->in_done ? divisible && !me->next : me->depth > 0);
    else
        weft_runqueue_push(&weft_pool.injection, t, false);
    if (urgency == WEFT_URGENT)
        weft_pool_wake(divisible ? (t->count + t->grain - 1) / t->grain : 1);
    else
        weft_pool_watch();
}

void weft_sched_flush(void)
{
    // Relaxed hint: who flushes submitted before.
    uint64_t pieces = atomic_load_explicit(&weft_pool.injection.size, memory_order_relaxed);
    struct weft_thread *me = weft_thread_now();
    if (me && me->own)
        pieces += atomic_load_explicit(&me->own->size, memory_order_relaxed);
    if (pieces)
        weft_pool_wake(pieces);
}

// ---- Idling ----

// What a sleeping thread must not miss. Locks each queue, so that a later push sees what was written before.
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
    // Relaxed: only whether they change matters.
    for (uint32_t i = 0; i <= weft_pool.size; i++) {
        struct weft_runqueue *q = i == weft_pool.size ? &weft_pool.injection : &workers[i].queue;
        a.pushes += atomic_load_explicit(&q->pushes, memory_order_relaxed);
        a.claims += atomic_load_explicit(&q->claims, memory_order_relaxed);
        a.queued |= atomic_load_explicit(&q->size, memory_order_relaxed) != 0;
    }
    return a;
}

// The watch. Returns when there is something to take, or when it was quiet for long and nothing is left.
static void watch(struct weft_pool_thread *workers, uint32_t urgent)
{
    struct activity before = look(workers);
    uint64_t quiet_since = weft_now_ns();
    while (!stopping()) {
        uint32_t seen = atomic_load(&weft_pool.signal);
        if (atomic_load(&weft_pool.urgent) != urgent)
            break;
        doze(seen, before.queued ? DOZE_NS : DOZE_IDLE_NS);
        struct activity now = look(workers);
        if (now.queued && before.queued && now.claims == before.claims)
            break;
        uint64_t time = weft_now_ns();
        if (now.pushes != before.pushes || now.claims != before.claims || now.queued)
            quiet_since = time;
        before = now;
        if (time - quiet_since > WATCH_NS)
            break;
    }
    atomic_store(&weft_pool.watching, 0);
}

// Nothing was found. Returns when it is time to look again. urgent: its count before the search.
static void idle(struct weft_pool_thread *workers, uint32_t urgent, bool spin)
{
    if (spin) {
        atomic_fetch_add(&weft_pool.searching, 1);
        bool called = false;
        for (int i = 0; i < SPIN_ROUNDS && !called; i++) {
            weft_cpu_relax();
            // Relaxed: what it announces is found under locks.
            called = atomic_load_explicit(&weft_pool.urgent, memory_order_relaxed) != urgent;
        }
        atomic_fetch_sub(&weft_pool.searching, 1);
        if (called)
            return;
    }
    uint32_t none = 0;
    if (atomic_compare_exchange_strong(&weft_pool.watching, &none, 1)) {
        watch(workers, urgent);
        // From here on lazy submits call another watcher; what came before is seen now.
        if (stopping() || atomic_load(&weft_pool.urgent) != urgent || anything_pending(workers))
            return;
    }
    uint32_t seen = atomic_load(&weft_pool.signal);
    if (atomic_load(&weft_pool.urgent) != urgent || stopping())
        return;
    atomic_fetch_add(&weft_pool.sleepers, 1);
    // A lazy submit that found us searching, or the last watcher gone, relies on this look.
    if (atomic_load(&weft_pool.watching) != 0 || !anything_pending(workers))
        weft_futex_wait(&weft_pool.signal, seen, -1);
    atomic_fetch_sub(&weft_pool.sleepers, 1);
}

// ---- Threads ----

static void pin(uint32_t index)
{
    cpu_set_t *set = CPU_ALLOC(8192);
    if (!set)
        return;
    size_t bytes = CPU_ALLOC_SIZE(8192);
    CPU_ZERO_S(bytes, set);
    CPU_SET_S(weft_cpu_nth_allowed(index), bytes, set);
    if (sched_setaffinity(0, bytes, set) != 0)
        weft_log(WEFT_LOG_WARN, "thread %u cannot be bound: errno %d", index, errno);
    CPU_FREE(set);
}

static void *end_thread(struct weft_pool_thread *self)
{
    atomic_store(&self->ended, 1);
    weft_futex_wake(&self->ended, 1);
    return NULL;
}

static void *pool_main(void *arg)
{
    struct weft_pool_thread *self = arg, *workers = atomic_load(&weft_pool.workers);
    char name[16];
    snprintf(name, sizeof name, "weft-%u", self->index);
    pthread_setname_np(pthread_self(), name);
    prctl(PR_SET_TIMERSLACK, 1000ul); // the doze is short
    if (weft_config_uint(WEFT_CFG_PIN))
        pin(self->index);
    struct weft_thread *t = weft_thread_create(self->index, true);
    if (!t) { // no memory; start_thread tries this place again later
        atomic_store(&weft_pool.start_failed_at, weft_now_ns());
        atomic_fetch_sub(&weft_pool.started, 1);
        return end_thread(self);
    }
    t->own = &self->queue;
    weft_thread_adopt(t);
    for (int i = 0; i < 2; i++) // the pool grows like a tree
        if (atomic_load(&weft_pool.started) < atomic_load(&weft_pool.wanted) && !start_thread())
            break;
    const struct weft_claim_rules rules = {true, false, weft_pool.size, UINT64_MAX};
    bool worked = false;
    uint32_t parked_before = 0;
    while (!stopping()) {
        uint32_t urgent = atomic_load(&weft_pool.urgent);
        struct weft_piece p;
        bool more = false;
        if (t->next) {
            p = (struct weft_piece){t->next, 0, t->next->count, true};
            t->next = NULL;
        } else if (!weft_find_piece(t, &rules, &p, &more)) {
            if (!worked && parked_before++ == 0 && weft_pool.size > 2)
                weft_topology_victims(weft_config_str(WEFT_CFG_HWLOC_SYNTHETIC), weft_pool.size, self->index,
                                      self->order);
            idle(workers, urgent, worked);
            worked = false;
            continue;
        } else {
            call_another(&p, more);
        }
        weft_run_piece(t, &p);
        worked = true;
    }
    if (t->next) // for whoever still waits
        weft_runqueue_push(&weft_pool.injection, t->next, true);
    weft_thread_destroy(t);
    return end_thread(self);
}

static void fork_prepare(void)
{
    pthread_mutex_lock(&weft_pool.start_lock);
    weft_threads_fork_prepare();
}

static void fork_parent(void)
{
    weft_threads_fork_parent();
    pthread_mutex_unlock(&weft_pool.start_lock);
}

// The child has no threads and none of the parent's work: the parent does that.
static void fork_child(void)
{
    struct weft_pool *p = &weft_pool;
    struct weft_pool_thread *workers = atomic_load(&p->workers);
    uint32_t size = p->size;
    for (uint32_t i = 0; workers && i < size; i++) {
        uint16_t *order = workers[i].order;
        workers[i] = (struct weft_pool_thread){.index = i, .order = order};
    }
    p->injection = (struct weft_runqueue){0};
    atomic_store(&p->sleepers, 0);
    atomic_store(&p->searching, 0);
    atomic_store(&p->watching, 0);
    atomic_store(&p->helpers, 0);
    atomic_store(&p->started, 0);
    atomic_store(&p->wanted, 0);
    atomic_store(&p->start_failed_at, 0);
    pthread_mutex_init(&p->start_lock, NULL);
    struct weft_thread *me = weft_thread_now();
    if (me) {
        me->own = NULL;
        me->next = NULL;
    }
    weft_threads_fork_child();
}

static bool make_workers_locked(void)
{
    static bool fork_known;
    struct weft_pool *p = &weft_pool;
    if (atomic_load(&p->workers))
        return true;
    if (!fork_known && pthread_atfork(fork_prepare, fork_parent, fork_child) != 0)
        return false;
    fork_known = true;
    uint32_t n = weft_sched_thread_count();
    size_t bytes, order_bytes;
    if (!weft_mul_size(n, sizeof(struct weft_pool_thread), &bytes) ||
        !weft_mul_size((size_t)n * n, sizeof(uint16_t), &order_bytes))
        return false;
    struct weft_pool_thread *w = weft_alloc_aligned(WEFT_CACHE_LINE, bytes);
    uint16_t *orders = w ? weft_alloc(order_bytes) : NULL;
    if (!orders) {
        weft_free(w);
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        w[i] = (struct weft_pool_thread){.index = i, .order = orders + (size_t)i * n};
        weft_ring_victims(n, i, w[i].order);
    }
    p->size = n;
    // Release: pairs with the acquire loads of whoever looks for work to steal.
    atomic_store_explicit(&p->workers, w, memory_order_release);
    return true;
}

static bool create_locked(struct weft_pool_thread *self)
{
    pthread_attr_t attr;
    if (pthread_attr_init(&attr) != 0)
        return false;
    pthread_attr_setstacksize(&attr, STACK_BYTES);
    pthread_attr_setguardsize(&attr, GUARD_BYTES);
    // The application's signals are the application's threads' business; only what the processor raises comes
    // here.
    sigset_t block, before;
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
    sigfillset(&block);
    for (size_t i = 0; i < WEFT_COUNT_OF(own); i++)
        sigdelset(&block, own[i]);
    pthread_sigmask(SIG_SETMASK, &block, &before);
    atomic_store(&self->ended, 0);
    self->joinable = pthread_create(&self->thread, &attr, pool_main, self) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
    return self->joinable;
}

// A place that no thread has, or whose thread gave up before it did anything. NULL: all are taken.
static struct weft_pool_thread *find_place_locked(void)
{
    struct weft_pool_thread *workers = atomic_load(&weft_pool.workers);
    for (uint32_t i = 0; i < weft_pool.size; i++) {
        if (workers[i].joinable && !atomic_load(&workers[i].ended))
            continue;
        if (workers[i].joinable)
            pthread_join(workers[i].thread, NULL);
        workers[i].joinable = false;
        return &workers[i];
    }
    return NULL;
}

// Starts one more thread if there should be more.
static bool start_thread(void)
{
    struct weft_pool *p = &weft_pool;
    uint64_t failed = atomic_load(&p->start_failed_at);
    if (failed && weft_now_ns() - failed < START_RETRY_NS)
        return false;
    pthread_mutex_lock(&p->start_lock);
    bool ok = !stopping() && make_workers_locked();
    bool more = ok && atomic_load(&p->started) < atomic_load(&p->wanted);
    struct weft_pool_thread *place = more ? find_place_locked() : NULL;
    if (place) {
        atomic_fetch_add(&p->started, 1);
        atomic_store(&p->start_failed_at, 0); // before the thread is there, which may have its own say
        ok = create_locked(place);
        if (!ok) {
            atomic_fetch_sub(&p->started, 1);
            atomic_store(&p->start_failed_at, weft_now_ns());
            weft_log(WEFT_LOG_WARN, "thread %u of the pool cannot be started", place->index);
        }
    }
    pthread_mutex_unlock(&p->start_lock);
    return ok;
}

weft_status weft_sched_start(void)
{
    want_threads(1);
    return atomic_load(&weft_pool.started) > 0 ? WEFT_OK : WEFT_NO_RESOURCES;
}

// A kernel that doesn't end is made to end; code of the application that doesn't return to us can't be
// helped.
static void join(struct weft_pool_thread *w, uint64_t since)
{
    if (pthread_equal(w->thread, pthread_self())) {
        pthread_detach(w->thread); // exit() called by a callback
        return;
    }
    while (!atomic_load(&w->ended)) {
        uint64_t waited = weft_now_ns() - since;
        if (waited > JOIN_MOST_NS) {
            weft_log(WEFT_LOG_ERROR, "a thread of the pool does not end; it is left behind");
            pthread_detach(w->thread);
            return;
        }
        if (waited >= JOIN_PATIENCE_NS)
            weft_fault_interrupt(w->thread);
        weft_futex_wait(&w->ended, 0,
                        waited < JOIN_PATIENCE_NS ? (int64_t)(JOIN_PATIENCE_NS - waited) : JOIN_STEP_NS);
    }
    pthread_join(w->thread, NULL);
}

void weft_sched_shutdown(void)
{
    struct weft_pool *p = &weft_pool;
    uint64_t started_at = weft_now_ns();
    pthread_mutex_lock(&p->start_lock);
    atomic_store(&p->stop, 1);
    pthread_mutex_unlock(&p->start_lock);
    struct weft_pool_thread *workers = atomic_load(&p->workers);
    atomic_fetch_add(&p->urgent, 1);
    atomic_fetch_add(&p->signal, 1);
    weft_futex_wake(&p->signal, INT32_MAX);
    for (uint32_t i = 0; workers && i < p->size; i++) {
        if (!workers[i].joinable)
            continue;
        workers[i].joinable = false;
        join(&workers[i], started_at);
    }
    atomic_store(&p->started, 0);
    atomic_store(&p->watching, 0);
    // What is still queued stays there: a thread that waits for it later, in a destructor of the application,
    // runs it.
}

__attribute__((destructor)) static void at_unload(void)
{
    weft_sched_shutdown();
}

// After the other rooms' destructors, which may still wait for something and so run it.
__attribute__((destructor(103))) static void after_unload(void)
{
    weft_fault_uninstall();
    // At exit other threads of the application may be in the middle of a call, and one of the pool in a
    // callback that doesn't return: what they use stays.
    if (!weft_threads_fini())
        return;
    struct weft_pool_thread *workers = atomic_exchange(&weft_pool.workers, NULL);
    if (workers)
        weft_free(workers[0].order);
    weft_free(workers);
}
