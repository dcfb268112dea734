// The pool's threads. They start one by one when there is work for them, don't exist in a forked child, and
// end at unload.
//
// A new thread starts others, until there are as many as are wanted. `start_lock` guards the array of
// threads. A thread that starts or ends a thread locks it; a thread that looks for work never does.
#include "scheduler/internal.h"
#include "scheduler/range.h"

#include "weft/fault.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

#define STACK_BYTES (8u << 20)
#define GUARD_BYTES (64u << 10)
#define START_RETRY_NS 10000000        // pause after a thread could not be started
#define JOIN_PATIENCE_NS 1000000000ull // at unload: time until kernels that still run are interrupted
#define JOIN_STEP_NS 50000000          // time between two interruptions
#define JOIN_LIMIT_NS 10000000000ull   // time until a thread is abandoned

// Binds the calling thread to one processor. Returns the mask, to be freed when the thread ends, or NULL.
static cpu_set_t *pin(struct weft_thread *t, uint32_t index)
{
    cpu_set_t *set = CPU_ALLOC(8 * WEFT_MASK_BYTES);
    if (!set)
        return NULL;
    CPU_ZERO_S(WEFT_MASK_BYTES, set);
    CPU_SET_S(weft_cpu_nth_allowed(index), WEFT_MASK_BYTES, set);
    if (!weft_thread_bind(t, set, WEFT_MASK_BYTES))
        weft_log(WEFT_LOG_WARN, "thread %u cannot be bound: errno %d", index, errno);
    return set;
}

static void bind_to_node(struct weft_thread *t, struct weft_pool_thread *self)
{
    const struct weft_node *n = weft_numa_node(self->index, weft_pool.size, &self->node);
    const bool may_bind = n && weft_thread_is_free();
    if (may_bind && weft_thread_bind(t, (const cpu_set_t *)n->cpus, sizeof n->cpus)) {
        self->cpus = n->processors;
        return;
    }
    if (may_bind)
        weft_log(WEFT_LOG_WARN, "thread %u cannot be bound to its node: errno %d", self->index, errno);
    self->node = 0;
    // With several nodes the bound threads count what is lost.
    self->cpus = n ? 0 : weft_thread_cpus_at_first();
}

static bool start_thread(void);

static void *end_thread(struct weft_pool_thread *self)
{
    atomic_store(&self->ended, 1);
    weft_futex_wake(&self->ended, 1);
    return NULL;
}

// Runs a task or takes part in a range. False: there is none. was_idle: submitters may have relied on this
// thread with more than one thing.
static bool work_once(struct weft_thread *t, bool was_idle)
{
    const struct weft_range_rules rules = {.rank = t->rank, .is_last = weft_pool_is_last(t->own)};
    struct weft_task *task = t->next;
    if (task) {
        t->next = NULL;
        weft_run_task(t, task, &rules);
        return true;
    }
    if (!was_idle && weft_aside_call_is_owed())
        weft_aside_call_make();
    // Now and then ranges come first, so that a series of small tasks doesn't keep all threads from them.
    if (!was_idle && t->round % 16 == 15 && weft_range_work(t, weft_pool.team, &rules)) {
        t->round++;
        return true;
    }
    bool more = false;
    task = weft_find_task(t, 0, &more);
    if (was_idle && (task ? weft_pool_other_work() : weft_range_several(weft_pool.team)))
        weft_pool_watch();
    if (!task)
        return weft_range_work(t, weft_pool.team, &rules);
    weft_pool_call_another(task, more);
    weft_run_task(t, task, &rules);
    return true;
}

static void *pool_main(void *arg)
{
    WEFT_NOT_CANCELLED; // native kernels can find out the thread's id
    struct weft_pool_thread *self = arg;
    char name[16];
    snprintf(name, sizeof name, "weft-%u", self->index);
    pthread_setname_np(pthread_self(), name);
    prctl(PR_SET_TIMERSLACK, 1000ul); // dozing needs short sleeps
    weft_thread_ask_for_short_slices();
    struct weft_thread *t = weft_thread_create(self->index, true);
    if (!t) { // no memory; start_thread tries this slot again later
        atomic_store(&weft_pool.start_failed_at, weft_time_now());
        atomic_fetch_sub(&weft_pool.started, 1);
        return end_thread(self);
    }
    t->own = self;
    t->rank = self->index;
    cpu_set_t *pinned = NULL;
    if (weft_config_uint(WEFT_CFG_PIN))
        pinned = pin(t, self->index);
    else
        bind_to_node(t, self);
    weft_thread_adopt(t);
    for (int i = 0; i < 2; i++) // starting threads forms a tree
        if (atomic_load(&weft_pool.started) < atomic_load(&weft_pool.wanted) && !start_thread())
            break;
    for (bool worked = false; !weft_pool_stopping();) {
        const struct weft_calls seen = weft_pool_calls();
        if (work_once(t, !worked)) {
            worked = true;
            continue;
        }
        weft_pool_idle(self, seen, worked);
        worked = false;
    }
    if (t->next) // for a thread that still waits for it
        weft_runqueue_push(&weft_pool.injection, t->next, true);
    weft_thread_destroy(t);
    CPU_FREE(pinned);
    return end_thread(self);
}

static void make_worker(struct weft_pool_thread *w, uint32_t index)
{
    *w = (struct weft_pool_thread){
        .index = index, .queue = {.queued = &weft_pool.queued[index / 64], .bit = UINT64_C(1) << index % 64}};
}

static void fork_prepare(void)
{
    weft_domains_fork_prepare();
    weft_mutex_lock(&weft_pool.start_lock);
    weft_threads_fork_prepare();
}

static void fork_parent(void)
{
    weft_threads_fork_parent();
    weft_mutex_unlock(&weft_pool.start_lock);
    weft_domains_fork_parent();
}

// The child has none of the pool's threads, and doesn't do the parent's work.
static void fork_child(void)
{
    struct weft_pool *p = &weft_pool;
    struct weft_pool_thread *workers = atomic_load(&p->workers);
    uint32_t size = p->size;
    for (uint32_t i = 0; workers && i < size; i++)
        make_worker(&workers[i], i);
    if (workers)
        weft_team_reset(p->team);
    p->injection = (struct weft_runqueue){0};
    for (size_t i = 0; i < WEFT_POOL_WORDS; i++) {
        atomic_store(&p->asleep[i], 0);
        atomic_store(&p->queued[i], 0);
    }
    atomic_store(&p->searching, 0);
    atomic_store(&p->watching, 0);
    atomic_store(&p->helpers, 0);
    atomic_store(&p->started, 0);
    atomic_store(&p->wanted, 0);
    atomic_store(&p->start_failed_at, 0);
    p->start_lock = (struct weft_mutex){0};
    struct weft_thread *me = weft_thread_now();
    for (size_t i = 0; i < WEFT_NODES_MAX; i++)
        atomic_store(&p->lost[i], 0);
    atomic_store(&p->processors, 0);
    weft_placement_fork_child();
    atomic_store(&p->helper_cpu, 0);
    if (me) {
        me->own = NULL;
        me->next = NULL;
        me->domain = NULL;
    }
    weft_threads_fork_child();
    weft_domains_fork_child();
    weft_idle_call_fork_child();
}

__attribute__((constructor)) static void know_forks(void)
{
    weft_at_fork(fork_prepare, fork_parent, fork_child);
}

// With WEFT_LOG=info: what the pool was made for.
static void log_pool(uint32_t threads)
{
    uint32_t node;
    if (weft_log_level_now < WEFT_LOG_INFO)
        return; // the quota stands in files
    const uint32_t quota = weft_cgroup_cpus("/"), cpus = weft_cpus_of_thread();
    char limit[64] = "";
    if (quota && quota < cpus)
        snprintf(limit, sizeof limit, ", of which the cgroup's quota allows %u", quota);
    weft_log(WEFT_LOG_INFO, "at most %u threads run kernels; processors in the affinity mask: %u%s; %s",
             threads, cpus, limit,
             weft_numa_node(0, threads, &node) ? "threads are bound to NUMA nodes"
                                               : "threads aren't bound to NUMA nodes");
}

static bool make_workers_locked(void)
{
    struct weft_pool *p = &weft_pool;
    if (atomic_load(&p->workers))
        return true;
    uint32_t n = weft_sched_thread_count();
    weft_affinity_save(); // before a thread is bound
    struct weft_pool_thread *w = weft_alloc_aligned(WEFT_CACHE_LINE, n * sizeof *w); // n <= WEFT_POOL_MAX
    struct weft_team *team = w ? weft_team_create(n, NULL) : NULL;
    if (!team) {
        weft_free(w);
        return false;
    }
    for (uint32_t i = 0; i < n; i++)
        make_worker(&w[i], i);
    p->size = n;
    p->team = team;
    log_pool(n);
    // Release: pairs with the acquire loads of threads that look for work.
    atomic_store_explicit(&p->workers, w, memory_order_release);
    return true;
}

bool weft_thread_start(pthread_t *thread, void *(*main)(void *), void *arg)
{
    pthread_attr_t attr;
    if (pthread_attr_init(&attr) != 0)
        return false;
    pthread_attr_setstacksize(&attr, STACK_BYTES);
    pthread_attr_setguardsize(&attr, GUARD_BYTES);
    // Signals of the application are handled by its own threads. Here only signals of the processor are
    // unblocked.
    sigset_t block, before;
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
    sigfillset(&block);
    for (size_t i = 0; i < WEFT_COUNT_OF(own); i++)
        sigdelset(&block, own[i]);
    pthread_sigmask(SIG_SETMASK, &block, &before);
    const bool was_bound = weft_thread_unbind();
    bool ok = pthread_create(thread, &attr, main, arg) == 0;
    weft_thread_rebind(was_bound);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
    return ok;
}

static bool create_locked(struct weft_pool_thread *self)
{
    atomic_store(&self->ended, 0);
    self->joinable = weft_thread_start(&self->thread, pool_main, self);
    return self->joinable;
}

// A slot without a thread, or whose thread gave up before it did any work. NULL: all are taken.
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
    WEFT_NOT_CANCELLED;
    struct weft_pool *p = &weft_pool;
    uint64_t failed = atomic_load(&p->start_failed_at);
    if (failed && weft_time_now() - failed < START_RETRY_NS)
        return false;
    weft_mutex_lock(&p->start_lock);
    bool ok = !weft_pool_stopping() && make_workers_locked();
    bool more = ok && atomic_load(&p->started) < atomic_load(&p->wanted);
    struct weft_pool_thread *place = more ? find_place_locked() : NULL;
    if (place) {
        atomic_fetch_add(&p->started, 1);
        atomic_store(&p->start_failed_at, 0); // before the thread exists, which may set it itself
        ok = create_locked(place);
        if (!ok) {
            atomic_fetch_sub(&p->started, 1);
            atomic_store(&p->start_failed_at, weft_time_now());
            weft_log(WEFT_LOG_WARN, "thread %u of the pool cannot be started", place->index);
        }
    }
    weft_mutex_unlock(&p->start_lock);
    return ok;
}

void weft_pool_want_threads(uint32_t n)
{
    if (n > weft_sched_thread_count())
        n = weft_sched_thread_count();
    // Relaxed: start_thread checks again under its lock.
    if (WEFT_LIKELY(atomic_load_explicit(&weft_pool.started, memory_order_relaxed) >= n))
        return;
    uint32_t wanted = atomic_load(&weft_pool.wanted);
    while (wanted < n && !atomic_compare_exchange_weak(&weft_pool.wanted, &wanted, n))
        ;
    start_thread();
}

weft_status weft_sched_start(void)
{
    weft_pool_want_threads(1);
    return atomic_load(&weft_pool.started) > 0 ? WEFT_OK : WEFT_NO_RESOURCES;
}

// Interrupts a kernel that doesn't end. There is no remedy for code of the application that doesn't return.
void weft_thread_join(pthread_t thread, _Atomic uint32_t *ended, uint64_t since)
{
    if (pthread_equal(thread, pthread_self())) {
        pthread_detach(thread); // a callback has called exit()
        return;
    }
    while (!atomic_load(ended)) {
        uint64_t waited = weft_time_now() - since;
        if (waited > JOIN_LIMIT_NS) {
            weft_log(WEFT_LOG_ERROR, "a thread of the pool does not end and is abandoned");
            pthread_detach(thread);
            return;
        }
        if (waited >= JOIN_PATIENCE_NS)
            weft_fault_interrupt(thread);
        weft_futex_wait(ended, 0,
                        waited < JOIN_PATIENCE_NS ? (int64_t)(JOIN_PATIENCE_NS - waited) : JOIN_STEP_NS);
    }
    pthread_join(thread, NULL);
}

void weft_sched_shutdown(void)
{
    struct weft_pool *p = &weft_pool;
    uint64_t started_at = weft_time_now();
    weft_mutex_lock(&p->start_lock);
    atomic_store(&p->stop, 1);
    weft_mutex_unlock(&p->start_lock);
    struct weft_pool_thread *workers = atomic_load(&p->workers);
    atomic_fetch_add(&p->urgent, 1);
    if (workers)
        atomic_fetch_add(&p->team->calls, 1);
    for (uint32_t i = 0; workers && i < p->size; i++) {
        atomic_store(&workers[i].called, WEFT_CALLED);
        weft_futex_wake(&workers[i].called, 1);
    }
    for (uint32_t i = 0; workers && i < p->size; i++) {
        if (!workers[i].joinable)
            continue;
        workers[i].joinable = false;
        weft_thread_join(workers[i].thread, &workers[i].ended, started_at);
    }
    weft_domains_shutdown(started_at);
    atomic_store(&p->started, 0);
    atomic_store(&p->watching, 0);
    // Tasks that are still queued stay queued. A thread that waits for them later, in a destructor of the
    // application, runs them.
}

__attribute__((destructor)) static void at_unload(void)
{
    if (weft_process_is_known())
        weft_sched_shutdown();
}

// Runs after the destructors of other components, which may still wait for tasks and so run them.
__attribute__((destructor(103))) static void after_unload(void)
{
    if (!weft_process_is_known())
        return;
    weft_fault_uninstall();
    // At exit other threads of the application may be in the middle of a call, and a pool thread may be in a
    // callback that doesn't return. What they use must stay allocated.
    if (!weft_threads_fini())
        return;
    struct weft_pool_thread *workers = atomic_exchange(&weft_pool.workers, NULL);
    if (workers)
        weft_team_destroy(weft_pool.team);
    weft_pool.team = NULL;
    weft_free(workers);
    weft_domains_free();
}
