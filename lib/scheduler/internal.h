// What the files of the scheduler share. Nobody outside this folder includes it, tests excepted.
#ifndef WEFT_SCHEDULER_INTERNAL_H
#define WEFT_SCHEDULER_INTERNAL_H

#include <pthread.h>
#include <sched.h>

#include "base/base.h"
#include "weft/scheduler.h"

#define WEFT_POOL_MAX 1024u // threads, whatever the machine has
#define WEFT_CACHE_LINE 64
#define WEFT_NEST_MAX 4u // waits inside waits whose arenas are kept

// ---- futex.c: the kernel's wait and wake, and a lock of one word made of it. ----

// Sleeps while *word == value. timeout_ns < 0: for ever. Returns early for any reason.
void weft_futex_wait(_Atomic uint32_t *word, uint32_t value, int64_t timeout_ns);
void weft_futex_wake(_Atomic uint32_t *word, uint32_t count);
uint64_t weft_now_ns(void); // CLOCK_MONOTONIC

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
// A run queue is a list of ready tasks and, for a pool thread, the part of a range that it has claimed and
// not yet begun (its frame). Threads claim pieces: a whole task when it is small, a share of its range
// otherwise; a task leaves its list when its last unit is claimed. From a frame the owner takes from the
// front, thieves the back half.

struct weft_piece {
    struct weft_task *task;
    uint64_t first, last;
    bool whole; // the task is in one piece: no count of what is left is needed
};

struct weft_runqueue {
    _Alignas(WEFT_CACHE_LINE) struct weft_mutex lock; // everything below
    struct weft_task *head, *tail;
    _Atomic uint32_t size;   // tasks in the list; read without the lock as a hint
    _Atomic uint32_t pushes; // activity, for the watcher
    _Atomic uint32_t claims;
    struct weft_task *frame_task;             // NULL: no frame
    _Atomic uint64_t frame_first, frame_last; // read without the lock as a hint
};

struct weft_claim_rules {
    uint32_t unfit;   // weft_task_flags of what may not be taken
    bool whole_only;  // no share of a range: enough threads are at work
    uint32_t sharers; // threads among which a range is shared out
    uint64_t most;    // units of a range at once
};

static inline bool weft_task_divisible(const struct weft_task *t)
{
    return t->count > t->grain;
}

void weft_runqueue_push(struct weft_runqueue *q, struct weft_task *t, bool front);
// Claims a piece of the first task that the rules allow. *more: the list has something left.
bool weft_runqueue_claim(struct weft_runqueue *q, const struct weft_claim_rules *rules,
                         struct weft_piece *out, bool *more);
// Takes the lock: after this, what was pushed before is seen, and whoever pushes later sees what the caller
// wrote before.
bool weft_runqueue_pending(struct weft_runqueue *q);
// The owner: makes the piece its frame; takes the next chunk from it (false: the frame is used up and gone).
void weft_frame_open(struct weft_runqueue *q, const struct weft_piece *p);
bool weft_frame_next(struct weft_runqueue *q, uint64_t *first, uint64_t *last);
bool weft_frame_drop(struct weft_runqueue *q); // at unload; true: there was a frame
// A thief: the back half of the frame, at most `most` units. False: nothing that is worth it.
bool weft_frame_steal(struct weft_runqueue *q, const struct weft_claim_rules *rules, struct weft_piece *out);

// ---- thread.c: what each executing thread has. ----

struct weft_thread {
    struct weft_worker worker[WEFT_NEST_MAX]; // one for each nested wait: each has its own arena
    struct weft_runqueue *own;                // pool threads: the thread's run queue; NULL for others
    struct weft_domain *domain; // whose task it is running, or, of a domain's thread, has come for; else NULL
    struct weft_task *next;     // submitted first by the done that just ran: runs next here
    uint32_t depth;             // of waits that are running a task
    bool in_done;
    uint32_t round;       // counts claims, for fairness
    _Atomic bool waiting; // inside weft_sched_wait, so at exit: what it uses must stay
    uintptr_t stack_low, stack_high;
    struct weft_thread *list_prev, *list_next;
};

// Static TLS: no call to find it. NULL: not made yet.
extern _Thread_local struct weft_thread *weft_thread_own __attribute__((tls_model("initial-exec")));

static inline struct weft_thread *weft_thread_now(void)
{
    return weft_thread_own;
}

// The calling thread's, made on first use. NULL: no memory; the thread then doesn't help.
struct weft_thread *weft_thread_get(void);
struct weft_thread *weft_thread_create(uint32_t index, bool is_pool);
void weft_thread_adopt(struct weft_thread *t); // makes it the calling thread's
void weft_thread_destroy(struct weft_thread *t);
size_t weft_thread_stack_left(const struct weft_thread *t); // 0: on a stack that isn't the thread's own
void weft_threads_fork_prepare(void);
void weft_threads_fork_parent(void);
void weft_threads_fork_child(void); // keeps only the calling thread's
// At exit or unload: frees all and deletes the key. At exit other threads go on and may be in the middle of a submit: what they have
// stays, and false says that what those use must stay too. So does false when one is in a wait, or is a pool thread that hasn't
// ended; then nothing changes.
bool weft_threads_fini(void);

// ---- pool.c ----

struct weft_pool {
    // Written by lazy submits and by whoever claims.
    struct weft_runqueue injection;
    // Written by urgent submits only, so that lazy ones don't disturb the threads that spin on it.
    _Alignas(WEFT_CACHE_LINE) _Atomic uint32_t signal; // the futex on which idle pool threads sleep
    _Atomic uint32_t urgent;                           // counts calls for help at once
    // Written when pool threads change state.
    _Alignas(WEFT_CACHE_LINE) _Atomic uint32_t sleepers; // parked or dozing
    _Atomic uint32_t searching;                          // spinning
    _Atomic uint32_t watching;                           // 1: a thread dozes and looks at the queues
    _Atomic uint32_t helpers; // application threads at work on a share of a range or a long task
    _Atomic uint32_t started; // threads running
    _Atomic uint32_t wanted;  // threads that should be
    _Atomic uint32_t stop;
    _Alignas(WEFT_CACHE_LINE) uint32_t size; // threads at most; constant once `workers` is set
    struct weft_pool_thread *_Atomic workers;
    pthread_mutex_t start_lock;
    _Atomic uint64_t start_failed_at; // ns; 0: the last start of a thread worked
};

struct weft_pool_thread {
    struct weft_runqueue queue;
    pthread_t thread;
    _Atomic uint32_t ended; // 1: only pthread_join is left to do
    uint32_t index;
    bool joinable;
    uint16_t *order; // of victims, nearest first; pool.size - 1 entries
};

extern struct weft_pool weft_pool;

// Runs a piece and, if it was the last, `done`. The thread may then have a `next`.
void weft_run_piece(struct weft_thread *t, const struct weft_piece *p);
// Looks for a piece in the queues of the pool: own, injection, others.
bool weft_find_piece(struct weft_thread *t, const struct weft_claim_rules *rules, struct weft_piece *out,
                     bool *more);
void weft_pool_wake(uint64_t pieces); // urgent: as many threads as can use it
void weft_pool_watch(void);           // lazy: makes sure that somebody looks soon
// After a pool thread has claimed a piece: is there work for one more? more: in the list it comes from.
void weft_pool_call_another(const struct weft_piece *p, bool more);
// A pool thread found nothing. Returns when it is time to look again. urgent: its count before the search.
void weft_pool_idle(struct weft_pool_thread *workers, uint32_t urgent, bool spin);
static inline bool weft_pool_stopping(void)
{
    // Acquire: pairs with the store in weft_sched_shutdown.
    return atomic_load_explicit(&weft_pool.stop, memory_order_acquire) != 0;
}

// ---- pool_threads.c ----

// Starts threads until there are `n`, or as many as the pool may have.
void weft_pool_want_threads(uint32_t n);
// Starts a thread with the stack and the signal mask of one that runs kernels.
bool weft_thread_start(pthread_t *thread, void *(*main)(void *), void *arg);
// At unload: joins a thread that sets *ended, and wakes its futex, as its last deed. since: when the unload began.
void weft_thread_join(pthread_t thread, _Atomic uint32_t *ended, uint64_t since);

// ---- domain.c ----

// Domains that have work and no thread, which couldn't be started. A waiting thread that is about to sleep asks.
extern _Atomic uint32_t weft_domains_stranded;
// Tries to start their threads, or runs a piece on the calling thread, bound to the domain's processors meanwhile.
void weft_domains_rescue(struct weft_thread *t);
// A domain's thread, which waits inside a task, runs a piece of its domain's. False: there was none.
bool weft_domain_help(struct weft_thread *t);
void weft_domains_fork_prepare(void);
void weft_domains_fork_parent(void);
void weft_domains_fork_child(void);
void weft_domains_shutdown(uint64_t since); // ends and joins all threads
void weft_domains_free(void);               // when no thread is left

// ---- limits.c: what the process may use. Pure but for the paths and strings they are given. ----

// CPUs that a cgroup quota allows, rounded up; 0: no limit. root: normally "/", a folder in tests.
uint32_t weft_cgroup_cpus(const char *root);
uint64_t weft_cgroup_memory(const char *root); // bytes; UINT64_MAX: no limit
uint32_t weft_cpus_allowed(const char *root);  // affinity mask and quota; at least 1
uint32_t weft_cpu_nth_allowed(
    uint32_t n); // OS index of the n-th CPU of the mask that is kept, or else the thread's (modulo its size)
bool weft_cpu_is_allowed(uint32_t cpu); // by the affinity mask of the calling thread
// The calling thread's mask is what the process's threads may use from here on, whatever some of them are bound to later: the first call
// counts, when the number of processors is read or the pool is made. The other gives it; NULL: it hasn't been kept.
void weft_affinity_keep(void);
const cpu_set_t *weft_affinity_kept(size_t *bytes);
void weft_cpu_brand(char out[128], char vendor[32]);

// ---- topology.c ----

// Reads a topology from an hwloc synthetic string, or the machine's when NULL; limits from `root`. Pure.
bool weft_topology_read(struct weft_topology *out, const char *synthetic, const char *root);
// Fills order[0 .. n-2] with the other workers, nearest first, when worker i runs on the i-th allowed
// processor.
void weft_topology_victims(const char *synthetic, uint32_t n, uint32_t self, uint16_t *order);
void weft_ring_victims(uint32_t n, uint32_t self, uint16_t *order);
// At most `most` places, of the synthetic topology or of the machine's processors that this process may use.
bool weft_topology_read_places(struct weft_places *out, const char *synthetic, uint32_t most);
void weft_places_fini(struct weft_places *p);

#endif
