// What the files of the scheduler share. Only this folder and its tests include it.
//
// The folder scheduler/ owns the worker threads and runs pieces of work on them; include/weft/scheduler.h is
// its contract. In: a function with a range to run, or a task for a queue, and the CPUs that may be used.
// Out: the range has run, each piece once, or the task has. It knows no OpenCL object, kernel or device, and
// no reason why work is to be done: it sees functions and arguments. It calls only base/ and, for the
// machine's topology, hwloc.
#ifndef WEFT_SCHEDULER_INTERNAL_H
#define WEFT_SCHEDULER_INTERNAL_H

#include <pthread.h>
#include <sched.h>

#include "base/base.h"
#include "base/libc/libc.h"
#include "base/text/cgroup.h"
#include "weft/scheduler.h"

struct weft_team;
struct weft_range_rules; // range.h

#define WEFT_POOL_MAX 1024u // threads, on any machine
#define WEFT_CACHE_LINE 64
#define WEFT_NEST_MAX 4u // nested waits whose arenas are kept

// ---- futex.c: the kernel's wait and wake. mutex.c: a lock made of one word. Any thread. ----

// Sleeps while *word == value. timeout_ns < 0: for ever. May return early at any time.
void weft_futex_wait(_Atomic uint32_t *word, uint32_t value, int64_t timeout_ns);
void weft_futex_wake(_Atomic uint32_t *word, uint32_t count);

struct weft_mutex {
    _Atomic uint32_t state; // 0 free, 1 held, 2 held and somebody sleeps
};
void weft_mutex_lock_slow(struct weft_mutex *m);
static inline void weft_mutex_lock(struct weft_mutex *m)
{
    uint32_t free = 0;
    // Acquire: pairs with the release in unlock.
    if (WEFT_UNLIKELY(!atomic_compare_exchange_strong_explicit(&m->state, &free, 1, memory_order_acquire,
                                                               memory_order_relaxed)))
        weft_mutex_lock_slow(m);
}
static inline void weft_mutex_unlock(struct weft_mutex *m)
{
    if (WEFT_UNLIKELY(atomic_exchange_explicit(&m->state, 0, memory_order_release) == 2))
        weft_futex_wake(&m->state, 1);
}

// ---- queue.c: run queues. ----
//
// A run queue is a list of ready tasks that no thread has begun. A thread claims a whole task.

struct weft_runqueue {
    _Alignas(WEFT_CACHE_LINE) struct weft_mutex lock; // guards the members below
    struct weft_task *head, *tail;
    _Atomic uint32_t size;   // tasks in the list; read without the lock as a hint
    _Atomic uint32_t pushes; // counts pushes and claims, for the watcher
    _Atomic uint32_t claims;
    _Atomic uint64_t *queued; // a word of weft_pool.queued, in which `bit` says that the list isn't empty
    uint64_t bit;             // 0: none
};

static inline bool weft_task_divisible(const struct weft_task *t)
{
    return t->count > t->grain;
}

void weft_runqueue_push(struct weft_runqueue *q, struct weft_task *t, bool front);
// Claims the first task that has none of the flags `unfit`. NULL: there is none. *more: the list isn't empty
// afterwards.
struct weft_task *weft_runqueue_claim(struct weft_runqueue *q, uint32_t unfit, bool *more);
// Is the list non-empty? Takes the lock. So it sees all earlier pushes, and a thread that pushes later sees
// what the caller has written before.
bool weft_runqueue_pending(struct weft_runqueue *q);

// ---- thread.c: the state of an executing thread. ----

struct weft_thread {
    struct weft_worker worker[WEFT_NEST_MAX]; // one for each nested wait, because each needs its own arena
    struct weft_pool_thread *own;             // pool threads; NULL for others
    // The domain whose task it is running, or the domain that it is a thread of; else NULL.
    struct weft_domain *domain;
    uint32_t rank; // of a thread of the pool or of a domain: its rank in that team
    // The processors that it is bound to; NULL: those of the process.
    const cpu_set_t *bound;
    size_t bound_bytes;
    struct weft_task *next; // the first task that the last `done` submitted; this thread runs it next
    uint32_t depth;         // number of nested waits that are running a task
    bool in_done;
    uint32_t round;       // counts claims, for fairness
    _Atomic bool waiting; // inside weft_sched_wait; if so at exit, what it uses must stay allocated
    uintptr_t stack_low, stack_high;
    struct weft_thread *list_prev, *list_next;
};

// In static TLS, so finding it needs no call. NULL: not created yet.
extern _Thread_local struct weft_thread *weft_thread_own WEFT_STATIC_TLS;

static inline struct weft_thread *weft_thread_now(void)
{
    return weft_thread_own;
}

// Returns the calling thread's state and creates it on first use. NULL: no memory; then the thread doesn't
// help.
struct weft_thread *weft_thread_get(void);
struct weft_thread *weft_thread_create(uint32_t index, bool is_pool);
void weft_thread_adopt(struct weft_thread *t); // makes it the calling thread's state
void weft_thread_destroy(struct weft_thread *t);
size_t
weft_thread_stack_left(const struct weft_thread *t); // 0: the thread runs on a stack that isn't its own
// Around calls of a task's `run`: one level of nesting, and the worker that `run` gets. `done` is called
// after leave, before free.
struct weft_nesting {
    struct weft_worker deep; // if the thread has no worker of its own for this level
    struct weft_worker *worker;
    bool outer_done;
};
void weft_nesting_enter(struct weft_thread *t, struct weft_nesting *l);
void weft_nesting_leave(struct weft_thread *t, struct weft_nesting *l);
void weft_nesting_free(struct weft_nesting *l);
void weft_threads_fork_prepare(void);
void weft_threads_fork_parent(void);
void weft_threads_fork_child(void); // keeps only the calling thread's state
// At exit or unload. Frees all states and deletes the key. Returns false if what other threads use must stay
// allocated:
// - At exit other threads go on and may be in the middle of a submit. Their states stay.
// - A thread is in a wait, or a pool thread has not ended. Then nothing is freed.
bool weft_threads_fini(void);

// ---- pool.c ----

enum { WEFT_NODES_MAX = 64 };

#define WEFT_POOL_WORDS (WEFT_POOL_MAX / 64)

struct weft_pool {
    // Read by all threads, seldom written.
    _Alignas(WEFT_CACHE_LINE) struct weft_pool_thread *_Atomic workers;
    struct weft_team *team; // constant once `workers` is set; see weft_pool_team
    uint32_t size;          // maximum number of threads; likewise
    _Atomic uint32_t stop;
    _Atomic uint32_t started; // number of running threads
    _Atomic uint32_t wanted;  // number of threads that should run
    struct weft_mutex start_lock;
    _Atomic uint64_t start_failed_at; // ns; 0: the last start of a thread succeeded
    // Written by lazy submits and by threads that claim.
    struct weft_runqueue injection;
    // Counts calls for immediate help with tasks. Only urgent submits write it, so that lazy ones don't
    // disturb the thread that watches it.
    _Alignas(WEFT_CACHE_LINE) _Atomic uint32_t urgent;
    // Written when a pool thread changes its state. Of the bitmaps, thread i has bit i.
    _Alignas(WEFT_CACHE_LINE) _Atomic uint64_t asleep[WEFT_POOL_WORDS]; // sleeps or dozes
    _Alignas(WEFT_CACHE_LINE) _Atomic uint64_t queued[WEFT_POOL_WORDS]; // its run queue has tasks
    // 1: a thread spins that looks for tasks when `urgent` changes. Others that spin look for ranges only.
    _Alignas(WEFT_CACHE_LINE) _Atomic uint32_t searching;
    // 1 + the index of the watcher, a thread that dozes and looks at the queues (idle.c); 0: there is none.
    _Atomic uint32_t watching;
    // Application threads that take part in a range or run a long task.
    _Alignas(WEFT_CACHE_LINE) _Atomic uint32_t helpers;
    _Atomic uint32_t helper_cpu; // 1 + the processor on which one of them was seen
    _Atomic uint32_t wakes;      // counts threads that were woken
    _Atomic uint32_t moves;      // counts threads that moved to another processor (affinity.c)
    // How many threads may run at once; 0: not counted yet.
    _Alignas(WEFT_CACHE_LINE) _Atomic uint32_t processors;
    _Atomic uint32_t lost[WEFT_NODES_MAX]; // processors that were taken away since the start
};

enum { WEFT_CALLED = 1 };

struct weft_pool_thread {
    struct weft_runqueue queue;
    // The futex on which the thread sleeps. 0: it isn't called, else WEFT_CALLED plus what `caller` becomes.
    _Alignas(WEFT_CACHE_LINE) _Atomic uint32_t called;
    pthread_t thread;
    _Atomic uint32_t ended; // 1: only pthread_join is left to do
    _Atomic bool idle;      // it has no work, though it may be awake
    uint32_t index;
    bool joinable;
    // Of the thread itself: when it ran out of work; how long that lasts as a rule, in ns; when it last lost
    // its processor; and until when it expects others to need that.
    uint64_t idle_since, usual_idle, preempted_at, crowded_until;
    _Atomic uint32_t cpu; // 1 + the processor on which it was last seen; 0: none
    uint32_t caller;      // of the thread itself: 1 + the processor of the application's thread that woke it
    // How many processors it may use if none goes away, 0: unknown; the index of their node; when it last
    // looked, in ns.
    uint32_t cpus, node;
    uint64_t looked_at;
};

extern struct weft_pool weft_pool;

// Returns the first thread from `from` on whose bit is set, or `size`. The bits are read one word at a time.
static inline uint32_t weft_next_bit(const _Atomic uint64_t *words, uint32_t from, uint32_t size)
{
    while (from < size) {
        // Sequentially consistent: see weft_runqueue_push.
        const uint64_t w = atomic_load(&words[from / 64]) >> from % 64;
        if (w)
            return from + (uint32_t)__builtin_ctzll(w);
        from = (from / 64 + 1) * 64;
    }
    return size;
}

// Relaxed: a hint. A thread that has been called counts as awake before it runs.
static inline bool weft_pool_is_asleep(uint32_t index)
{
    return atomic_load_explicit(&weft_pool.asleep[index / 64], memory_order_relaxed) >> index % 64 & 1;
}

// Runs a task that nobody else runs, and its `done`. If it is a range that takes long, others get the rest.
// rules: when to leave it. Afterwards the thread may have a `next`.
void weft_run_task(struct weft_thread *t, struct weft_task *task, const struct weft_range_rules *rules);
void weft_finish_task(struct weft_thread *t, struct weft_task *task, struct weft_worker *w); // calls `done`
// Claims a task of the pool's queues: the thread's own, the injection queue, other threads'. *more: that
// queue has others. NULL: there is none.
struct weft_task *weft_find_task(struct weft_thread *t, uint32_t unfit, bool *more);
// For a thread of the pool or of a domain that takes part in a range: claims a task that waits, as its
// `next`. False: there is none.
bool weft_thread_take_next(struct weft_thread *t);
void weft_pool_watch(void);                          // makes sure that a thread looks soon
bool weft_pool_wake_one(void);                       // wakes or starts a thread. False: all are awake
static inline struct weft_team *weft_pool_team(void) // NULL: the pool has no memory yet
{
    // Acquire: pairs with the store in make_workers_locked.
    return atomic_load_explicit(&weft_pool.workers, memory_order_acquire) ? weft_pool.team : NULL;
}
bool weft_pool_somebody_looks(void); // will a thread look at queues and ranges within 50 us or so?
// How many of n threads would have to be woken, because fewer are awake.
uint32_t weft_team_missing(const struct weft_team *team, uint32_t n);
// Wakes or starts at most n threads that sleep, for a range of the team, as long as there are processors.
// early: one processor is left for an application thread, which will probably wait for the range and help. If
// it is the only one left, a thread looks later whether somebody helps. False: no thread was called.
bool weft_team_call(struct weft_team *team, uint32_t n, bool early);
// To be called when a thread has claimed a task: wakes another thread if there is work for it. more: the
// queue of the task has others.
void weft_pool_call_another(const struct weft_task *task, bool more);
uint32_t weft_pool_asleep(void); // number of threads
// Threads that work or look for work: those of the pool that are awake, and helpers.
uint32_t weft_pool_busy(void);
// At most that many threads share a range: there is no gain in more than there are processors.
uint32_t weft_pool_processors(void);
// Is there a processor for the thread only if no application thread helps? It then takes part in ranges that
// have their last place free (range.h).
bool weft_pool_is_last(const struct weft_pool_thread *self);
// To be called by a pool thread now and then: notices that processors were taken away from the process, or
// given back.
void weft_pool_look_at_processors(struct weft_pool_thread *self, uint64_t now);
static inline bool weft_pool_stopping(void)
{
    // Acquire: pairs with the store in weft_sched_shutdown.
    return atomic_load_explicit(&weft_pool.stop, memory_order_acquire) != 0;
}

// ---- idle.c ----

// How often threads have been called so far, for tasks and for ranges.
struct weft_calls {
    uint32_t tasks, ranges;
};
struct weft_calls weft_pool_calls(void);
// For a pool thread that has found nothing. Returns when it is time to look again. seen: the calls before the
// search. worked: it did something before; then it spins first.
void weft_pool_idle(struct weft_pool_thread *self, struct weft_calls seen, bool worked);
// The thread has found a task or a range, perhaps after it was idle.
void weft_pool_note_work(struct weft_pool_thread *self, bool is_range);
bool weft_pool_other_work(void); // for a thread that has claimed a task: is there more to do?

// ---- idle_call.c ----

// For a pool thread that is about to sleep and has said so: how long it may sleep, in ns; < 0:
// for ever. `end` is to be called afterwards, with the result.
int64_t weft_idle_call_begin(void);
void weft_idle_call_end(int64_t timeout); // makes the call if it is due
void weft_idle_call_fork_child(void);

// ---- aside_call.c ----

bool weft_aside_call_is_owed(void); // a hint, which costs a load
void weft_aside_call_make(void);    // makes it if it is owed

// ---- memory_pressure.c ----

bool weft_memory_is_short_at(const char *root); // as weft_memory_is_short; "/" or a made-up tree of tests

// ---- pool_threads.c ----

// Starts threads until there are `n`, or the pool's maximum.
void weft_pool_want_threads(uint32_t n);
// Starts a thread with the stack and the signal mask that threads running kernels need.
bool weft_thread_start(pthread_t *thread, void *(*main)(void *), void *arg);
// At unload: joins a thread whose last action is to set *ended and wake its futex. since: when the unload
// began.
void weft_thread_join(pthread_t thread, _Atomic uint32_t *ended, uint64_t since);

// ---- domain.c ----

// Number of domains that have work but no thread, because none could be started. A waiting thread checks it
// before it sleeps.
extern _Atomic uint32_t weft_domains_stranded;
// Tries to start threads of stranded domains, or runs a piece on the calling thread, bound to the domain's
// processors meanwhile. rules: when to stop.
void weft_domains_rescue(struct weft_thread *t, const struct weft_range_rules *rules);
// For a domain's thread that waits inside a task: runs a piece of its domain's work. False: there is none.
// rules: when to stop.
bool weft_domain_help(struct weft_thread *t, const struct weft_range_rules *rules);
struct weft_team *weft_domain_team(struct weft_domain *d);
struct weft_task *weft_domain_claim(struct weft_domain *d);
void weft_domain_call(struct weft_domain *d, uint32_t n);      // wakes or starts n of its threads
void weft_domain_call_more(struct weft_domain *d, uint32_t n); // the same, if that many don't run yet
// Puts a task of which a part has run into the domain's queue. The caller keeps the domain allocated.
void weft_domain_put_back(struct weft_domain *d, struct weft_task *t);
void weft_domains_fork_prepare(void);
void weft_domains_fork_parent(void);
void weft_domains_fork_child(void);
void weft_domains_shutdown(uint64_t since); // ends and joins all threads
void weft_domains_free(void);               // to be called when no thread is left

// ---- affinity.c ----

enum { WEFT_MASK_BYTES = 1 << 10 }; // of an affinity mask: 8,192 processors, the maximum of Linux

uint32_t weft_cpus_allowed(const char *root); // by affinity mask and quota; at least 1
// The system's number of the CPU at index n (modulo their count) of the saved mask, or else of the
// thread's mask.
uint32_t weft_cpu_nth_allowed(uint32_t n);
uint32_t weft_cpus_of_thread(void); // in the calling thread's mask; 0: unknown
// How many processors of `first` are no longer in the calling thread's mask; 0 if that is unknown.
uint32_t weft_cpus_lost(const cpu_set_t *first, size_t bytes);
bool weft_cpu_is_allowed(uint32_t cpu); // by the affinity mask of the calling thread
// save: the calling thread's affinity mask is taken as the process's, whatever its threads are bound to
// later. Only the first call counts. It is made when the number of processors is read or the pool is created.
// saved: returns that mask; NULL: none was saved.
void weft_affinity_save(void);
const cpu_set_t *weft_affinity_saved(size_t *bytes);

// ---- placement.c ----

// May the calling thread, a new one of the pool's, be bound to any of the process's processors? False:
// somebody has bound the process to fewer of them meanwhile.
bool weft_thread_is_free(void);
// Binds the calling thread, whose state is t. cpus: lives as long as t. False: the system refuses.
bool weft_thread_bind(struct weft_thread *t, const cpu_set_t *cpus, size_t bytes);

// How many processors the first thread of the pool had that isn't bound to a node. A thread that starts when
// some have gone away compares with that.
uint32_t weft_thread_cpus_at_first(void);
// Unbinds the calling thread for good: what it is bound to may end.
void weft_placement_fork_child(void);
// For a thread that begins to take part in a range: moves it to another processor if another thread of ours
// is on the same one.
void weft_thread_keep_apart(const struct weft_thread *t);
void weft_thread_note_cpu(struct weft_pool_thread *self); // for an idle thread of the pool
// The calling thread runs kernels: it is to get its processor back soon if another program takes it.
void weft_thread_ask_for_short_slices(void);

// ---- numa.c ----

struct weft_node {
    uint32_t number;     // the system's
    uint32_t processors; // of this process, at least 1
    _Alignas(cpu_set_t) unsigned char cpus[WEFT_MASK_BYTES];
};
struct weft_nodes {
    uint32_t count; // 0: unknown
    uint32_t processors;
    struct weft_node node[WEFT_NODES_MAX];
};
// Reads the nodes that have processors of `allowed` from the files below root.
void weft_nodes_read(struct weft_nodes *out, const char *root, const cpu_set_t *allowed, size_t bytes);
// The node for the thread with this rank of `threads`: they are divided as the processors are.
const struct weft_node *weft_nodes_of_rank(const struct weft_nodes *n, uint32_t rank, uint32_t threads);
// The same on this machine. NULL: threads aren't bound to nodes, because there is one, or WEFT_NUMA=off.
// *index: of that node, or 0.
const struct weft_node *weft_numa_node(uint32_t rank, uint32_t threads, uint32_t *index);
// Does what weft_sched_place_memory promises. cpus: of the threads that use it; NULL: those of the pool.
void weft_numa_place(void *start, size_t bytes, const cpu_set_t *cpus, size_t mask_bytes);

// ---- topology.c ----

// Reads a topology from an hwloc synthetic string, or the machine's if NULL; limits from `root`. Pure.
bool weft_topology_read(struct weft_topology *out, const char *synthetic, const char *root);
// Reads at most `max` places, from the synthetic topology or from this process's allowed processors.
bool weft_topology_read_places(struct weft_places *out, const char *synthetic, uint32_t max);
void weft_places_fini(struct weft_places *p);

#endif
