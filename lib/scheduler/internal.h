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
#include "weft/scheduler.h"

#define WEFT_POOL_MAX 1024u // threads, on any machine
#define WEFT_CACHE_LINE 64
#define WEFT_NEST_MAX 4u // nested waits whose arenas are kept

// ---- futex.c: the kernel's wait and wake, and a lock made of one word. Any thread. ----

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
// A run queue is a list of ready tasks. That of a pool thread also has a frame: the part of a range that the
// thread has claimed and not begun yet. Threads claim pieces: a whole task if it is small, else a share of
// its range. A task leaves the list when its last unit has been claimed. The owner takes units from the front
// of its frame, thieves take the back half.

struct weft_piece {
    struct weft_task *task;
    uint64_t first, last;
    bool whole; // the piece is the whole task, so the units left needn't be counted
};

struct weft_runqueue {
    _Alignas(WEFT_CACHE_LINE) struct weft_mutex lock; // guards the members below
    struct weft_task *head, *tail;
    _Atomic uint32_t size;   // tasks in the list; read without the lock as a hint
    _Atomic uint32_t pushes; // counts pushes and claims, for the watcher
    _Atomic uint32_t claims;
    struct weft_task *frame_task;             // NULL: no frame
    _Atomic uint64_t frame_first, frame_last; // read without the lock as a hint
};

struct weft_claim_rules {
    uint32_t unfit;     // weft_task_flags of tasks that mustn't be taken
    bool whole_only;    // take no share of a range: enough threads are working
    uint32_t sharers;   // number of threads that share a range
    uint64_t max_units; // maximum units of a range at once
};

static inline bool weft_task_divisible(const struct weft_task *t)
{
    return t->count > t->grain;
}

void weft_runqueue_push(struct weft_runqueue *q, struct weft_task *t, bool front);
// Claims a piece of the first task that the rules allow. *more: the list isn't empty afterwards.
bool weft_runqueue_claim(struct weft_runqueue *q, const struct weft_claim_rules *rules,
                         struct weft_piece *out, bool *more);
// Is the list non-empty? Takes the lock. So it sees all earlier pushes, and a thread that pushes later sees
// what the caller has written before.
bool weft_runqueue_pending(struct weft_runqueue *q);
// For the owner. open: makes the piece its frame. next: takes the next chunk from the frame. False: the frame
// is used up and removed.
void weft_frame_open(struct weft_runqueue *q, const struct weft_piece *p);
bool weft_frame_next(struct weft_runqueue *q, uint64_t *first, uint64_t *last);
bool weft_frame_drop(struct weft_runqueue *q); // at unload; returns whether there was a frame
// For thieves: takes the back half of the frame, at most rules->max_units. False: there is nothing worth
// taking.
bool weft_frame_steal(struct weft_runqueue *q, const struct weft_claim_rules *rules, struct weft_piece *out);

// ---- thread.c: the state of an executing thread. ----

struct weft_thread {
    struct weft_worker worker[WEFT_NEST_MAX]; // one for each nested wait, because each needs its own arena
    struct weft_runqueue *own;                // pool threads: the thread's run queue; NULL for others
    // The domain whose task it is running, or the domain that it is a thread of; else NULL.
    struct weft_domain *domain;
    struct weft_task *next; // the first task that the last `done` submitted; this thread runs it next
    uint32_t depth;         // number of nested waits that are running a task
    bool in_done;
    uint32_t round;       // counts claims, for fairness
    _Atomic bool waiting; // inside weft_sched_wait; if so at exit, what it uses must stay allocated
    uintptr_t stack_low, stack_high;
    struct weft_thread *list_prev, *list_next;
};

// In static TLS, so finding it needs no call. NULL: not created yet.
extern _Thread_local struct weft_thread *weft_thread_own __attribute__((tls_model("initial-exec")));

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
void weft_threads_fork_prepare(void);
void weft_threads_fork_parent(void);
void weft_threads_fork_child(void); // keeps only the calling thread's state
// At exit or unload. Frees all states and deletes the key. Returns false if what other threads use must stay
// allocated:
// - At exit other threads go on and may be in the middle of a submit. Their states stay.
// - A thread is in a wait, or a pool thread has not ended. Then nothing is freed.
bool weft_threads_fini(void);

// ---- pool.c ----

struct weft_pool {
    // Written by lazy submits and by threads that claim.
    struct weft_runqueue injection;
    // Only urgent submits write it, so that lazy ones don't disturb threads that spin on it.
    _Alignas(WEFT_CACHE_LINE) _Atomic uint32_t signal; // the futex on which idle pool threads sleep
    _Atomic uint32_t urgent;                           // counts calls for immediate help
    // Written when a pool thread changes its state.
    _Alignas(WEFT_CACHE_LINE) _Atomic uint32_t sleepers; // number of threads that are parked or dozing
    _Atomic uint32_t searching;                          // number of threads that spin
    _Atomic uint32_t watching; // 1: a watcher exists: a thread that dozes and looks at the queues
    // Application threads that work on a share of a range or on a long task.
    _Atomic uint32_t helpers;
    _Atomic uint32_t started; // number of running threads
    _Atomic uint32_t wanted;  // number of threads that should run
    _Atomic uint32_t stop;
    _Alignas(WEFT_CACHE_LINE) uint32_t size; // maximum number of threads; constant once `workers` is set
    struct weft_pool_thread *_Atomic workers;
    pthread_mutex_t start_lock;
    _Atomic uint64_t start_failed_at; // ns; 0: the last start of a thread succeeded
};

struct weft_pool_thread {
    struct weft_runqueue queue;
    pthread_t thread;
    _Atomic uint32_t ended; // 1: only pthread_join is left to do
    uint32_t index;
    bool joinable;
    uint16_t *order; // victims of stealing, nearest first; pool.size - 1 entries
};

extern struct weft_pool weft_pool;

// Runs a piece, and `done` if it was the last one. Afterwards the thread may have a `next`.
void weft_run_piece(struct weft_thread *t, const struct weft_piece *p);
// Looks for a piece in the queues of the pool: the thread's own, the injection queue, other threads'.
bool weft_find_piece(struct weft_thread *t, const struct weft_claim_rules *rules, struct weft_piece *out,
                     bool *more);
void weft_pool_watch(void); // lazy: makes sure that a thread looks soon
// To be called when a pool thread has claimed a piece: wakes another thread if there is work for it. more:
// the queue of the piece has more tasks.
void weft_pool_call_another(const struct weft_piece *p, bool more);
// For a pool thread that has found nothing. Returns when it is time to look again. urgent: weft_pool.urgent
// before the search.
void weft_pool_idle(struct weft_pool_thread *workers, uint32_t urgent, bool spin);
static inline bool weft_pool_stopping(void)
{
    // Acquire: pairs with the store in weft_sched_shutdown.
    return atomic_load_explicit(&weft_pool.stop, memory_order_acquire) != 0;
}

// ---- idle_call.c ----

// For a pool thread that is about to sleep and is counted in `sleepers`: how long it may sleep, in ns; < 0:
// for ever. `end` is to be called afterwards, with the result.
int64_t weft_idle_call_begin(void);
void weft_idle_call_end(int64_t timeout); // makes the call if it is due
void weft_idle_call_fork_child(void);

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
// processors meanwhile.
void weft_domains_rescue(struct weft_thread *t);
// For a domain's thread that waits inside a task: runs a piece of its domain's work. False: there is none.
bool weft_domain_help(struct weft_thread *t);
void weft_domains_fork_prepare(void);
void weft_domains_fork_parent(void);
void weft_domains_fork_child(void);
void weft_domains_shutdown(uint64_t since); // ends and joins all threads
void weft_domains_free(void);               // to be called when no thread is left

// ---- limits.c: what the process may use. The result depends only on the system and the arguments. ----

// Number of CPUs that a cgroup quota allows, rounded up; 0: no limit. root: "/", or a folder in tests.
uint32_t weft_cgroup_cpus(const char *root);
uint64_t weft_cgroup_memory(const char *root); // bytes; UINT64_MAX: no limit
// Writes the folder of the cgroup that sets this limit, without the root. False: there is none, or it has
// `size` characters or more.
bool weft_cgroup_memory_group(const char *root, char *folder, size_t size);
uint32_t weft_cpus_allowed(const char *root); // by affinity mask and quota; at least 1
// The system's number of the CPU at index n (modulo their count) of the saved mask, or else of the
// thread's mask.
uint32_t weft_cpu_nth_allowed(uint32_t n);
bool weft_cpu_is_allowed(uint32_t cpu); // by the affinity mask of the calling thread
// save: the calling thread's affinity mask is taken as the process's, whatever its threads are bound to
// later. Only the first call counts. It is made when the number of processors is read or the pool is created.
// saved: returns that mask; NULL: none was saved.
void weft_affinity_save(void);
const cpu_set_t *weft_affinity_saved(size_t *bytes);
void weft_cpu_brand(char out[128], char vendor[32]);

// ---- topology.c ----

// Reads a topology from an hwloc synthetic string, or the machine's if NULL; limits from `root`. Pure.
bool weft_topology_read(struct weft_topology *out, const char *synthetic, const char *root);
// Fills order[0 .. n-2] with the other workers, nearest first. Assumes that worker i runs on the i-th allowed
// processor.
void weft_topology_victims(const char *synthetic, uint32_t n, uint32_t self, uint16_t *order);
void weft_ring_victims(uint32_t n, uint32_t self, uint16_t *order);
// Reads at most `max` places, from the synthetic topology or from this process's allowed processors.
bool weft_topology_read_places(struct weft_places *out, const char *synthetic, uint32_t max);
void weft_places_fini(struct weft_places *p);

#endif
