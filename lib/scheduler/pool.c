// The pool: how tasks are found and run, and how idle threads are called. pool_threads.c has its threads,
// range.c the ranges that they share.
//
// idle.c says how idle threads wait, and why no wake-up is lost.
#include "scheduler/internal.h"
#include "scheduler/range.h"

#include <sched.h>

#define LOOK_NS 50000000 // between two looks of a thread at its processors
#define ALONE_NS 16000   // after that time others are called to a task that one thread began alone

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

// How many processors the process has now.
static uint32_t count_processors(void)
{
    size_t bytes;
    weft_affinity_save();
    const cpu_set_t *mask = weft_affinity_saved(&bytes);
    uint32_t cpus = mask ? (uint32_t)CPU_COUNT_S(bytes, mask) : weft_cpus_allowed("/"), lost = 0;
    for (uint32_t i = 0; i < WEFT_NODES_MAX; i++)
        lost += atomic_load(&weft_pool.lost[i]);
    cpus = cpus > lost ? cpus - lost : 1;
    const uint32_t quota = weft_cgroup_cpus("/");
    return quota && quota < cpus ? quota : cpus;
}

static uint32_t set_processors(void)
{
    const uint32_t threads = weft_sched_thread_count();
    uint32_t cpus;
    do { // another thread may have noticed a loss at the same time: who stores last counts once more
        cpus = count_processors();
        atomic_store(&weft_pool.processors, threads < cpus ? threads : cpus);
    } while (count_processors() != cpus);
    return threads < cpus ? threads : cpus;
}

uint32_t weft_pool_processors(void)
{
    // Relaxed: threads that use an older number for a while wait for each other a little longer.
    const uint32_t n = atomic_load_explicit(&weft_pool.processors, memory_order_relaxed);
    return WEFT_LIKELY(n != 0) ? n : set_processors();
}

// How many processors have gone away that the calling thread had.
static uint32_t lost_processors(const struct weft_pool_thread *self)
{
    // A thread that loses all processors of its node gets others. So it isn't enough to count.
    const struct weft_thread *me = weft_thread_now();
    if (me && me->bound)
        return weft_cpus_lost(me->bound, me->bound_bytes);
    const uint32_t cpus = weft_cpus_of_thread();
    return cpus && cpus < self->cpus ? self->cpus - cpus : 0;
}

void weft_pool_look_at_processors(struct weft_pool_thread *self, uint64_t now)
{
    if (now - self->looked_at < LOOK_NS || self->cpus == 0 || weft_config_uint(WEFT_CFG_PIN))
        return;
    self->looked_at = now;
    const uint32_t lost = lost_processors(self);
    if (lost == atomic_load_explicit(&weft_pool.lost[self->node], memory_order_relaxed))
        return;
    atomic_store(&weft_pool.lost[self->node], lost);
    set_processors();
}

// ---- Running ----

void weft_finish_task(struct weft_thread *t, struct weft_task *task, struct weft_worker *w)
{
    bool outer = t->in_done;
    t->in_done = true;
    task->done(task, w);
    t->in_done = outer;
}

static struct weft_team *team_of(const struct weft_thread *t)
{
    return t->domain ? weft_domain_team(t->domain) : weft_pool_team();
}

static uint32_t most_threads(const struct weft_team *team)
{
    return team->domain ? team->size : weft_pool_processors();
}

// Gives the units of the task that haven't run to other threads. False: nobody can take them. After true the
// task may be done and freed.
static bool share(struct weft_team *team, struct weft_task *task)
{
    const uint32_t threads = team ? most_threads(team) : 1;
    if (threads <= 1 || !weft_range_open(team, task, threads))
        return false;
    weft_range_call(team, 0, threads);
    return true;
}

// The thread is needed elsewhere.
static void put_back(struct weft_thread *t, struct weft_task *task)
{
    if (t->domain) {
        weft_domain_put_back(t->domain, task);
        return;
    }
    weft_runqueue_push(t->own && !weft_pool_stopping() ? &t->own->queue : &weft_pool.injection, task, false);
    weft_pool_watch();
}

// How many units come first. The cost may be wrong: the kernel was measured with other arguments.
static uint64_t first_units(const struct weft_task *task)
{
    const uint64_t rest = task->count - task->first;
    return task->cost && task->cost <= ALONE_NS ? rest / 8 : task->grain;
}

// How many units come next, after `n` of them took `ns`.
static uint64_t next_units(const struct weft_task *task, uint64_t n, uint64_t ns)
{
    const uint64_t rest = task->count - task->first;
    if (task->cost && ns < ALONE_NS / 8 && rest / 8 <= n)
        return rest; // the cost was right
    return ns < ALONE_NS / 2 ? 2 * n : ns > ALONE_NS ? n / 2 : n;
}

// Runs the units of a task that nobody else has begun, in pieces while it isn't known how long they take.
// Returns false if others have got the rest. Then the task may be done and freed.
static bool run_alone(struct weft_thread *t, struct weft_task *task, struct weft_worker *w,
                      const struct weft_range_rules *rules)
{
    const uint64_t start = weft_time_now();
    uint64_t n = first_units(task), now = start;
    for (;;) {
        const uint64_t rest = task->count - task->first, before = now;
        n = n < task->grain ? task->grain : n - n % task->grain;
        n = n >= rest || rest - n < task->grain ? rest : n;
        task->run(task, w, task->first, task->first + n);
        task->first += n;
        if (n == rest)
            return true;
        now = weft_time_now();
        if (now - start >= ALONE_NS && share(team_of(t), task))
            return false;
        if (now - start >= ALONE_NS && weft_range_must_leave(t, rules)) {
            put_back(t, task);
            return false;
        }
        n = next_units(task, n, now - before);
    }
}

void weft_run_task(struct weft_thread *t, struct weft_task *task, const struct weft_range_rules *rules)
{
    struct weft_nesting level;
    const bool is_divisible = weft_task_divisible(task);
    bool all = true;
    if (t->own)
        weft_pool_note_work(t->own, false);
    if ((is_divisible || task->flags) && weft_aside_call_is_owed())
        weft_aside_call_make();
    weft_nesting_enter(t, &level);
    if (WEFT_UNLIKELY(is_divisible))
        all = run_alone(t, task, level.worker, rules);
    else if (task->count)
        task->run(task, level.worker, 0, task->count);
    weft_nesting_leave(t, &level);
    if (all)
        weft_finish_task(t, task, level.worker);
    weft_nesting_free(&level);
}

// ---- Finding tasks ----

static struct weft_task *claim_from_others(const struct weft_pool_thread *self, uint32_t unfit, bool *more)
{
    struct weft_pool_thread *workers = atomic_load_explicit(&weft_pool.workers, memory_order_acquire);
    const uint32_t size = workers ? weft_pool.size : 0, own = self ? self->index + 1 : 0;
    for (int pass = 0; pass < 2; pass++) { // threads after this one, then those before it
        const uint32_t end = pass ? own : size;
        for (uint32_t i = pass ? 0 : own; (i = weft_next_bit(weft_pool.queued, i, end)) < end; i++) {
            struct weft_task *task = weft_runqueue_claim(&workers[i].queue, unfit, more);
            if (task)
                return task;
        }
    }
    return NULL;
}

struct weft_task *weft_find_task(struct weft_thread *t, uint32_t unfit, bool *more)
{
    struct weft_task *task;
    bool own_first = t->own && ++t->round % 16 != 0; // now and then other threads' work comes first
    if (own_first && (task = weft_runqueue_claim(&t->own->queue, unfit, more)))
        return task;
    if ((task = weft_runqueue_claim(&weft_pool.injection, unfit, more)))
        return task;
    if (t->own && !own_first && (task = weft_runqueue_claim(&t->own->queue, unfit, more)))
        return task;
    return claim_from_others(t->own, unfit, more);
}

bool weft_thread_take_next(struct weft_thread *t)
{
    bool more = false;
    if (t->next || t->depth > 1)
        return t->next != NULL;
    if (t->own) {
        t->next = weft_runqueue_claim(&t->own->queue, 0, &more);
        if (!t->next)
            t->next = weft_runqueue_claim(&weft_pool.injection, 0, &more);
    } else if (t->domain) {
        t->next = weft_domain_claim(t->domain);
    }
    if (t->next && t->own)
        weft_pool_call_another(t->next, more);
    return t->next != NULL;
}

// ---- Calling idle threads ----

uint32_t weft_pool_asleep(void)
{
    uint32_t n = 0;
    const uint32_t size = weft_pool_team() ? weft_pool.size : 0;
    for (uint32_t i = 0; i < size; i += 64)
        n += (uint32_t)__builtin_popcountll(
            atomic_load_explicit(&weft_pool.asleep[i / 64], memory_order_relaxed));
    return n;
}

// Relaxed: a hint for the number of threads to wake. Who submits makes sure that one looks (weft_pool_watch).
static uint32_t awake(void)
{
    uint32_t started = atomic_load_explicit(&weft_pool.started, memory_order_relaxed);
    uint32_t asleep = weft_pool_asleep();
    return started > asleep ? started - asleep : 0;
}

uint32_t weft_pool_busy(void)
{
    return awake() + atomic_load_explicit(&weft_pool.helpers, memory_order_relaxed);
}

bool weft_pool_is_last(const struct weft_pool_thread *self)
{
    return self->index + 1 >= weft_pool_processors();
}

// Wakes at most n sleeping threads, those with the next numbers after the caller's first. Returns how many.
static uint32_t wake(uint32_t n)
{
    struct weft_pool_thread *workers = atomic_load_explicit(&weft_pool.workers, memory_order_acquire);
    const struct weft_thread *me = weft_thread_now();
    const uint32_t size = workers ? weft_pool.size : 0, own = me && me->own ? me->own->index + 1 : 0;
    // For weft_thread_keep_apart. What the pool's threads are on is known there.
    const int at = own ? -1 : sched_getcpu();
    uint32_t woken = 0;
    for (int pass = 0; pass < 2; pass++) {
        const uint32_t end = pass ? own : size;
        for (uint32_t i = pass ? 0 : own; woken < n && (i = weft_next_bit(weft_pool.asleep, i, end)) < end;
             i++) {
            const uint64_t bit = UINT64_C(1) << i % 64;
            if (!(atomic_fetch_and(&weft_pool.asleep[i / 64], ~bit) & bit))
                continue; // another thread wakes it
            atomic_store(&workers[i].called, WEFT_CALLED + (at < 0 ? 0 : (uint32_t)at + 1));
            weft_futex_wake(&workers[i].called, 1);
            atomic_fetch_add_explicit(&weft_pool.wakes, 1, memory_order_relaxed);
            woken++;
        }
    }
    return woken;
}

static void wake_or_start(uint32_t n)
{
    const uint32_t woken = wake(n);
    if (woken < n)
        weft_pool_want_threads(atomic_load(&weft_pool.started) + n - woken);
}

bool weft_pool_wake_one(void)
{
    if (wake(1))
        return true;
    const uint32_t started = atomic_load(&weft_pool.started);
    if (started >= weft_sched_thread_count())
        return false;
    weft_pool_want_threads(started + 1);
    return true;
}

// Urgent: wakes as many threads as can use that many tasks.
static void call_for_tasks(uint64_t tasks)
{
    const uint32_t size = weft_sched_thread_count();
    uint32_t use = tasks < size ? (uint32_t)tasks : size;
    atomic_fetch_add(&weft_pool.urgent, 1);
    const uint32_t searching = atomic_load(&weft_pool.searching);
    use = use > searching ? use - searching : 0;
    if (use == 0)
        return;
    // One processor is left for the submitting thread, which will probably wait and help. A thread that finds
    // more work than it can do wakes another.
    const uint32_t running = awake() + 1, room = size > running ? size - running : 0;
    uint32_t n = use < room ? use : room;
    if (n == 0 && searching == 0)
        n = 1;
    if (n)
        wake_or_start(n);
}

uint32_t weft_team_missing(const struct weft_team *team, uint32_t n)
{
    const uint32_t up = team->domain ? 0 : awake();
    return n > up ? n - up : 0;
}

bool weft_team_call(struct weft_team *team, uint32_t n, bool early)
{
    if (WEFT_UNLIKELY(team->domain != NULL)) {
        weft_domain_call_more(team->domain, n);
        return true;
    }
    // Relaxed: a hint.
    const bool helped = atomic_load_explicit(&weft_pool.helpers, memory_order_relaxed) != 0;
    const uint32_t running = weft_pool_busy() + (early && !helped), processors = weft_pool_processors();
    if (running >= processors) {
        // The application's thread may not come. Who is woken is later than one that comes.
        if (early && !helped)
            weft_pool_watch();
        return false;
    }
    wake_or_start(n < processors - running ? n : processors - running);
    return true;
}

bool weft_pool_somebody_looks(void)
{
    return atomic_load(&weft_pool.watching) != 0 || atomic_load(&weft_pool.searching) != 0;
}

void weft_pool_watch(void)
{
    if (WEFT_UNLIKELY(!weft_pool_somebody_looks()))
        weft_pool_wake_one();
}

void weft_pool_call_another(const struct weft_task *task, bool more)
{
    if (!more)
        return;
    const uint32_t searching = atomic_load(&weft_pool.searching), up = weft_pool_busy();
    // A searching thread looks at the queues again after its spin. That is soon enough for a short task.
    bool called = searching > 0 && !(task->flags & WEFT_TASK_LONG);
    if (called || (up > searching ? up - searching : 0) >= weft_sched_thread_count())
        return;
    atomic_fetch_add(&weft_pool.urgent, 1);
    if (searching == 0)
        weft_pool_wake_one();
}

// ---- Submitting ----

static bool submit_range(struct weft_task *t, uint32_t threads, enum weft_urgency urgency)
{
    struct weft_team *team = weft_pool_team();
    const uint64_t cost = t->cost;
    if (!team || !weft_range_open(team, t, threads))
        return false;
    if (urgency == WEFT_URGENT)
        weft_range_call(team, cost, threads);
    else
        weft_pool_watch();
    return true;
}

void weft_sched_submit(struct weft_task *t, enum weft_urgency urgency)
{
    struct weft_thread *me = weft_thread_now();
    if (t->grain == 0)
        t->grain = 1;
    t->first = 0;
    const uint32_t threads = weft_task_divisible(t) ? weft_range_threads(t, weft_pool_processors()) : 1;
    const bool small = threads <= 1;
    if (me && me->in_done && !me->next && small && (me->own || !(t->flags & WEFT_TASK_POOL_ONLY))) {
        t->next = NULL;
        me->next = t;
        return;
    }
    if (!small && submit_range(t, threads, urgency))
        return;
    // Goes to the front: what `run` submits. It may wait for it, and should then find it before anything that
    // nests deeper. Once pushed, t may be done and freed.
    if (me && me->own)
        weft_runqueue_push(&me->own->queue, t, me->in_done ? !small && !me->next : me->depth > 0);
    else
        weft_runqueue_push(&weft_pool.injection, t, false);
    if (urgency == WEFT_URGENT)
        call_for_tasks(1);
    else
        weft_pool_watch();
}

void weft_sched_flush(void)
{
    // Relaxed hints: the thread that flushes has submitted before.
    uint64_t tasks = atomic_load_explicit(&weft_pool.injection.size, memory_order_relaxed);
    struct weft_thread *me = weft_thread_now();
    if (me && me->own)
        tasks += atomic_load_explicit(&me->own->queue.size, memory_order_relaxed);
    if (tasks)
        call_for_tasks(tasks);
    struct weft_team *team = weft_pool_team();
    if (team && weft_range_is_open(team, false))
        weft_range_call(team, 0, 2);
}
