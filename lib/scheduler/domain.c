// Domains: parts of the machine's processors with threads of their own, for sub-devices.
//
// A domain has one run queue, and its threads are a team that shares ranges (range.c). No other thread runs
// its tasks, and its threads are bound to its processors. Waiting threads don't take up its tasks, so every
// submit wakes a thread. The pool's means to keep a small launch cheap don't exist here.
//
// Threads start one by one when there is work, and end with the domain. Two kinds of destroyed domains are
// freed later, when another domain is made or destroyed, or at unload: one that is destroyed by one of its
// own threads, and one that is destroyed before a submit has returned whose task is done. If no thread can be
// started, waiting threads run the domain's tasks, bound to its processors while they do so.
//
// Owns the list of domains. `list_lock` guards the list and the array of threads in each domain. It is locked
// before the pool's start_lock. A thread that looks for work never locks it.
//
// More than 500 lines in one file: making, using and ending a domain are about the same lock and the same
// states.
#include "base/arch/arch.h"
#include "scheduler/internal.h"
#include "scheduler/range.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <sys/prctl.h>

#define SPIN_ITERATIONS 300 // about 10 us
#define START_RETRY_NS 10000000
// Free bytes on a waiting thread's stack that are needed to run a task there.
#define STACK_NEEDED (128u << 10)

struct domain_thread {
    struct weft_domain *domain;
    pthread_t thread;
    _Atomic uint32_t ended; // 1: only pthread_join is left to do
    bool joinable;
};

struct weft_domain {
    struct weft_runqueue queue;
    struct weft_team *_Atomic team;                    // NULL until a range is submitted, or without memory
    _Alignas(WEFT_CACHE_LINE) _Atomic uint32_t signal; // the futex on which its threads sleep; counts submits
    _Atomic uint32_t sleepers, searching, started, wanted, stop;
    _Atomic bool stranded;      // counted in weft_domains_stranded
    _Atomic uint64_t failed_at; // ns: when starting a thread failed; 0: the last start succeeded
    uint32_t size;              // maximum number of threads
    cpu_set_t *cpus;            // NULL: its threads aren't bound
    size_t cpu_bytes;
    struct weft_domain *next;     // under list_lock
    struct domain_thread *thread; // array of `size`; under list_lock
    bool destroyed;               // under list_lock
    uint32_t users;               // threads that need it to stay allocated; under list_lock
    // Submits in progress, which need that too: their task may be done before they return.
    _Atomic uint32_t submitting;
};

_Atomic uint32_t weft_domains_stranded;

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct weft_domain *list;
static _Atomic uint32_t
    indexes; // numbers the threads, above the numbers of the pool's and the application's threads

// ---- Creating and freeing ----

static bool bind_to(struct weft_domain *d, const uint32_t *unit, uint32_t count)
{
    const struct weft_places *p = weft_topology_places();
    uint32_t highest = 0, known = 0;
    if (!p)
        return false;
    for (uint32_t i = 0; i < count; i++)
        highest = p->cpu[unit[i]] > highest ? p->cpu[unit[i]] : highest;
    cpu_set_t *set = CPU_ALLOC(highest + 1);
    if (!set)
        return false;
    size_t bytes = CPU_ALLOC_SIZE(highest + 1);
    CPU_ZERO_S(bytes, set);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t cpu = p->cpu[unit[i]];
        // A synthetic topology may have processors that this machine lacks. Threads can't be bound to those.
        if (p->synthetic && !weft_cpu_is_allowed(cpu))
            continue;
        CPU_SET_S(cpu, bytes, set);
        known++;
    }
    if (!known) {
        CPU_FREE(set);
        return true;
    }
    d->cpus = set;
    d->cpu_bytes = bytes;
    return true;
}

static void free_domain(struct weft_domain *d)
{
    if (d->cpus)
        CPU_FREE(d->cpus);
    weft_team_destroy(d->team);
    weft_free(d->thread);
    weft_free(d);
}

static bool can_be_freed(const struct weft_domain *d)
{
    if (!d->destroyed || d->users || atomic_load(&d->submitting))
        return false;
    for (uint32_t i = 0; i < d->size; i++)
        if (d->thread[i].joinable && !atomic_load(&d->thread[i].ended))
            return false;
    return true;
}

// Frees the destroyed domains whose threads have ended.
static void reap_locked(void)
{
    struct weft_domain **at = &list, *d;
    while ((d = *at)) {
        if (!can_be_freed(d)) {
            at = &d->next;
            continue;
        }
        for (uint32_t i = 0; i < d->size; i++)
            if (d->thread[i].joinable)
                pthread_join(d->thread[i].thread, NULL); // it is executing its last instructions
        *at = d->next;
        free_domain(d);
    }
}

struct weft_domain *weft_domain_create(const uint32_t *unit, uint32_t count)
{
    WEFT_NOT_CANCELLED;
    struct weft_domain *d = weft_alloc_aligned(WEFT_CACHE_LINE, sizeof *d);
    if (!d)
        return NULL;
    *d = (struct weft_domain){.size = count < WEFT_POOL_MAX ? count : WEFT_POOL_MAX};
    d->thread = weft_alloc_array(d->size, sizeof *d->thread);
    if (!d->thread || !bind_to(d, unit, count)) {
        free_domain(d);
        return NULL;
    }
    for (uint32_t i = 0; i < d->size; i++)
        d->thread[i] = (struct domain_thread){.domain = d};
    pthread_mutex_lock(&list_lock);
    reap_locked();
    d->next = list;
    list = d;
    pthread_mutex_unlock(&list_lock);
    return d;
}

static void stop(struct weft_domain *d)
{
    atomic_store(&d->stop, 1);
    atomic_fetch_add(&d->signal, 1);
    weft_futex_wake(&d->signal, INT32_MAX);
}

void weft_domain_destroy(struct weft_domain *d)
{
    if (!d)
        return;
    WEFT_NOT_CANCELLED;
    pthread_mutex_lock(&list_lock);
    d->destroyed = true;
    stop(d);
    reap_locked();
    pthread_mutex_unlock(&list_lock);
}

static void remove_user(struct weft_domain *d)
{
    pthread_mutex_lock(&list_lock);
    d->users--;
    pthread_mutex_unlock(&list_lock);
}

uint32_t weft_domain_thread_count(const struct weft_domain *d)
{
    return d->size;
}

void weft_sched_place_memory(void *start, size_t bytes, const struct weft_domain *domain)
{
    weft_numa_place(start, bytes, domain ? domain->cpus : NULL, domain ? domain->cpu_bytes : 0);
}

// ---- Threads ----

struct weft_team *weft_domain_team(struct weft_domain *d)
{
    return atomic_load_explicit(&d->team, memory_order_acquire); // pairs with open_range
}

// Sequentially consistent, as in weft_range_open.
static bool has_open_range(struct weft_domain *d)
{
    struct weft_team *team = atomic_load(&d->team);
    return team && weft_range_is_open(team, false);
}

static bool open_range(struct weft_domain *d, struct weft_task *t, uint32_t threads)
{
    if (WEFT_UNLIKELY(!atomic_load(&d->team))) {
        WEFT_NOT_CANCELLED;
        pthread_mutex_lock(&list_lock);
        if (!atomic_load(&d->team))
            atomic_store(&d->team, weft_team_create(d->size, d));
        pthread_mutex_unlock(&list_lock);
    }
    struct weft_team *team = atomic_load(&d->team);
    return team && weft_range_open(team, t, threads);
}

struct weft_task *weft_domain_claim(struct weft_domain *d)
{
    bool more;
    return weft_runqueue_claim(&d->queue, 0, &more);
}

static bool is_stopping(struct weft_domain *d)
{
    return atomic_load(&d->stop) || weft_pool_stopping();
}

static void idle(struct weft_domain *d, uint32_t seen, bool spin)
{
    if (spin) {
        atomic_fetch_add(&d->searching, 1);
        bool called = false;
        for (int i = 0; i < SPIN_ITERATIONS && !called; i++) {
            weft_arch_relax();
            // Relaxed: the work is found under the queue's lock.
            called = atomic_load_explicit(&d->signal, memory_order_relaxed) != seen;
        }
        atomic_fetch_sub(&d->searching, 1);
        if (called)
            return;
    }
    // Must be published before the look under the lock: a submitter pushes first and then reads `sleepers`
    // (see pool.c).
    atomic_fetch_add(&d->sleepers, 1);
    if (!weft_runqueue_pending(&d->queue) && !has_open_range(d) && !is_stopping(d))
        weft_futex_wait(&d->signal, seen, -1);
    atomic_fetch_sub(&d->sleepers, 1);
}

// Counts d as stranded if it has no thread; it has work.
static void strand(struct weft_domain *d)
{
    if (atomic_load(&d->started) == 0 && !atomic_exchange(&d->stranded, true))
        atomic_fetch_add(&weft_domains_stranded, 1);
}

static bool start_thread(struct weft_domain *d);

static uint32_t rank_of(const struct domain_thread *self)
{
    return (uint32_t)(self - self->domain->thread);
}

// Runs a task or takes part in a range. False: there is none.
static bool work_once(struct weft_thread *t, struct weft_domain *d)
{
    const struct weft_range_rules rules = {.rank = t->rank};
    struct weft_task *task = t->next;
    bool more = false;
    t->next = NULL;
    if (!task)
        task = weft_runqueue_claim(&d->queue, 0, &more);
    if (!task)
        return weft_domain_team(d) && weft_range_work(t, weft_domain_team(d), &rules);
    if (more && atomic_load(&d->searching) == 0)
        weft_domain_call(d, 1);
    weft_run_task(t, task, &rules);
    return true;
}

static void *domain_main(void *arg)
{
    WEFT_NOT_CANCELLED;
    struct domain_thread *self = arg;
    struct weft_domain *d = self->domain;
    // Relaxed: the number only has to be unique.
    uint32_t index = atomic_fetch_add_explicit(&indexes, 1, memory_order_relaxed);
    char name[16];
    snprintf(name, sizeof name, "weft-part-%u", index % 1000);
    pthread_setname_np(pthread_self(), name);
    weft_thread_ask_for_short_slices();
    struct weft_thread *t = weft_thread_create(UINT32_MAX - index, true);
    if (t) {
        if (d->cpus && !weft_thread_bind(t, d->cpus, d->cpu_bytes))
            weft_log(WEFT_LOG_WARN, "a sub-device's thread cannot be bound: errno %d", errno);
        t->domain = d;
        t->rank = rank_of(self);
        weft_thread_adopt(t);
        for (int i = 0; i < 2; i++) // starting threads forms a tree
            if (!start_thread(d))
                break;
    } else {
        atomic_store(&d->failed_at, weft_time_now());
    }
    bool worked = false;
    while (t && !is_stopping(d)) {
        uint32_t seen = atomic_load(&d->signal);
        if (work_once(t, d)) {
            worked = true;
            continue;
        }
        idle(d, seen, worked);
        worked = false;
    }
    if (t && t->next) // for a thread that still waits for it
        weft_runqueue_push(&d->queue, t->next, true);
    atomic_fetch_sub(&d->started, 1);
    if (t)
        weft_thread_destroy(t);
    else
        strand(d);
    atomic_store(&self->ended, 1);
    weft_futex_wake(&self->ended, 1); // the thread that frees d joins this one first
    return NULL;
}

static struct domain_thread *find_place_locked(struct weft_domain *d)
{
    for (uint32_t i = 0; i < d->size; i++) {
        struct domain_thread *p = &d->thread[i];
        if (p->joinable && !atomic_load(&p->ended))
            continue;
        if (p->joinable)
            pthread_join(p->thread, NULL);
        p->joinable = false;
        return p;
    }
    return NULL;
}

// Starts one more thread if there should be more. False: it failed, or there are enough.
static bool start_thread(struct weft_domain *d)
{
    WEFT_NOT_CANCELLED;
    if (atomic_load(&d->started) >= atomic_load(&d->wanted))
        return false;
    uint64_t failed = atomic_load(&d->failed_at);
    if (failed && weft_time_now() - failed < START_RETRY_NS)
        return false;
    pthread_mutex_lock(&list_lock);
    bool more = !is_stopping(d) && atomic_load(&d->started) < atomic_load(&d->wanted);
    struct domain_thread *place = more ? find_place_locked(d) : NULL;
    if (place) {
        atomic_fetch_add(&d->started, 1);
        atomic_store(&d->failed_at, 0);
        atomic_store(&place->ended, 0);
        place->joinable = weft_thread_start(&place->thread, domain_main, place);
        if (!place->joinable) {
            atomic_fetch_sub(&d->started, 1);
            atomic_store(&d->failed_at, weft_time_now());
            weft_log(WEFT_LOG_WARN, "a thread of a sub-device cannot be started");
            place = NULL;
        }
    }
    pthread_mutex_unlock(&list_lock);
    return place != NULL;
}

static void want_threads(struct weft_domain *d, uint32_t n)
{
    n = n < d->size ? n : d->size;
    uint32_t wanted = atomic_load(&d->wanted);
    while (wanted < n && !atomic_compare_exchange_weak(&d->wanted, &wanted, n))
        ;
    start_thread(d);
}

void weft_domain_call(struct weft_domain *d, uint32_t n)
{
    atomic_fetch_add(&d->signal, 1);
    uint32_t asleep = atomic_load(&d->sleepers), started = atomic_load(&d->started);
    if (asleep)
        weft_futex_wake(&d->signal, n);
    if (n > asleep && started < d->size)
        want_threads(d, started + n - asleep);
    if (WEFT_UNLIKELY(atomic_load(&d->started) == 0))
        strand(d);
}

void weft_domain_call_more(struct weft_domain *d, uint32_t n)
{
    if (atomic_load(&d->sleepers) || atomic_load(&d->started) < d->size)
        weft_domain_call(d, n);
}

void weft_domain_put_back(struct weft_domain *d, struct weft_task *t)
{
    weft_runqueue_push(&d->queue, t, false);
    weft_domain_call(d, 1);
}

void weft_domain_submit(struct weft_domain *d, struct weft_task *t, enum weft_urgency urgency)
{
    struct weft_thread *me = weft_thread_now();
    if (t->grain == 0)
        t->grain = 1;
    t->first = 0;
    const uint32_t threads = weft_task_divisible(t) ? weft_range_threads(t, d->size) : 1;
    const bool ours = me && me->domain == d && me->worker[0].is_pool;
    // Not inside a wait: there the pool may run what is next.
    if (ours && me->in_done && me->depth == 0 && !me->next && threads <= 1) {
        t->next = NULL;
        me->next = t;
        return;
    }
    // Once pushed, t may be done and freed, and a thread that knows of that may have destroyed d.
    atomic_fetch_add(&d->submitting, 1);
    if (threads <= 1 || !open_range(d, t, threads))
        weft_runqueue_push(&d->queue, t, ours && me->depth > 0 && !me->in_done);
    uint32_t n = urgency == WEFT_URGENT && threads ? threads : 1, searching = atomic_load(&d->searching);
    if (n > searching)
        weft_domain_call(d, n - searching);
    else
        atomic_fetch_add(&d->signal, 1);
    atomic_fetch_sub(&d->submitting, 1);
}

void weft_sched_submit_inside(struct weft_task *t)
{
    struct weft_thread *me = weft_thread_now();
    if (WEFT_UNLIKELY(me && me->domain))
        weft_domain_submit(me->domain, t, WEFT_URGENT);
    else
        weft_sched_submit(t, WEFT_URGENT);
}

bool weft_domain_help(struct weft_thread *t, const struct weft_range_rules *rules)
{
    struct weft_task *task = weft_domain_claim(t->domain);
    if (!task) {
        struct weft_range_rules here = *rules;
        here.rank = t->rank < t->domain->size ? t->rank : 0;
        here.newest = true;
        return has_open_range(t->domain) && weft_range_work(t, weft_domain_team(t->domain), &here);
    }
    weft_run_task(t, task, rules);
    return true;
}

// ---- Without threads ----

static void run_bound(struct weft_thread *t, struct weft_domain *d, const struct weft_range_rules *rules)
{
    size_t bytes = CPU_ALLOC_SIZE(1 << 16);
    cpu_set_t *before = d->cpus ? CPU_ALLOC(1 << 16) : NULL;
    const cpu_set_t *outer_bound = t->bound;
    const size_t outer_bytes = t->bound_bytes;
    bool bound =
        before && sched_getaffinity(0, bytes, before) == 0 && weft_thread_bind(t, d->cpus, d->cpu_bytes);
    struct weft_domain *outer = t->domain;
    t->domain = d;
    weft_domain_help(t, rules);
    t->domain = outer;
    if (bound)
        sched_setaffinity(0, bytes, before);
    t->bound = outer_bound;
    t->bound_bytes = outer_bytes;
    if (before)
        CPU_FREE(before);
}

void weft_domains_rescue(struct weft_thread *t, const struct weft_range_rules *rules)
{
    WEFT_NOT_CANCELLED;
    struct weft_domain *work = NULL;
    pthread_mutex_lock(&list_lock);
    for (struct weft_domain *d = list; d && !work; d = d->next) {
        if (!atomic_load(&d->stranded))
            continue;
        if (weft_runqueue_pending(&d->queue) || has_open_range(d)) {
            work = d;
            d->users++;
        } else {
            atomic_store(&d->stranded, false);
            atomic_fetch_sub(&weft_domains_stranded, 1);
        }
    }
    pthread_mutex_unlock(&list_lock);
    if (!work)
        return;
    want_threads(work, 1);
    if (atomic_load(&work->started) == 0 && weft_thread_stack_left(t) >= STACK_NEEDED)
        run_bound(t, work, rules);
    remove_user(work);
}

// ---- Fork and unload ----

void weft_domains_fork_prepare(void)
{
    pthread_mutex_lock(&list_lock);
}

void weft_domains_fork_parent(void)
{
    pthread_mutex_unlock(&list_lock);
}

// The child has none of the parent's threads, and doesn't do the parent's work.
void weft_domains_fork_child(void)
{
    for (struct weft_domain *d = list; d; d = d->next) {
        d->queue = (struct weft_runqueue){0};
        if (d->team)
            weft_team_reset(d->team);
        atomic_store(&d->sleepers, 0);
        atomic_store(&d->searching, 0);
        atomic_store(&d->started, 0);
        atomic_store(&d->wanted, 0);
        atomic_store(&d->failed_at, 0);
        atomic_store(&d->stranded, false);
        for (uint32_t i = 0; i < d->size; i++)
            d->thread[i] = (struct domain_thread){.domain = d};
    }
    atomic_store(&weft_domains_stranded, 0);
    pthread_mutex_unlock(&list_lock);
}

// Returns a thread that has not been joined, and marks its domain as used. NULL: there is none.
static struct domain_thread *any_thread(void)
{
    struct domain_thread *found = NULL;
    pthread_mutex_lock(&list_lock);
    for (struct weft_domain *d = list; d && !found; d = d->next)
        for (uint32_t i = 0; i < d->size && !found; i++)
            found = d->thread[i].joinable ? &d->thread[i] : NULL;
    if (found) {
        found->joinable = false;
        found->domain->users++;
    }
    pthread_mutex_unlock(&list_lock);
    return found;
}

void weft_domains_shutdown(uint64_t since)
{
    // `stop` of the pool is set, so no thread starts any more.
    pthread_mutex_lock(&list_lock);
    for (struct weft_domain *d = list; d; d = d->next)
        stop(d);
    pthread_mutex_unlock(&list_lock);
    for (struct domain_thread *t; (t = any_thread());) {
        weft_thread_join(t->thread, &t->ended, since);
        remove_user(t->domain);
    }
}

void weft_domains_free(void)
{
    while (list) {
        struct weft_domain *d = list;
        list = d->next;
        free_domain(d);
    }
}
