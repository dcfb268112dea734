// The thread pool: runs tasks, each a range of indivisible units (work-groups, pages of a copy, or one unit
// for a plain call). Knows nothing of OpenCL. One pool per process; started by the first submit; clean after
// fork; joined at unload.
#ifndef WEFT_SCHEDULER_H
#define WEFT_SCHEDULER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weft/status.h"

// An executing thread: a pool thread, or an application thread while it helps. Passed to every task.
struct weft_worker {
    uint32_t index; // 0..pool size-1; >= pool size for application threads
    bool is_pool;   // false: an application thread that helps while it waits
    void *arena;    // scratch memory of this thread, WEFT_LOCAL_ALIGN aligned; see weft_worker_arena
    size_t arena_size;
    size_t arena_guard; // bytes before and behind it that nobody can touch: kernels write it
};

// Grows the thread's arena to at least `bytes` (contents are lost) and returns it; NULL: no memory.
void *weft_worker_arena(struct weft_worker *w, size_t bytes);
void weft_worker_arena_free(struct weft_worker *w); // it may have none

enum weft_task_flags {
    WEFT_TASK_POOL_ONLY = 1, // never on an application thread (stack use large or unknown)
    WEFT_TASK_LONG = 2, // indivisible, and known to take so long that nothing queued should wait for its end
};

// Intrusive; the submitter owns the memory and keeps it until `done` has been called.
struct weft_task {
    // Runs units [first, last). May be called on several threads at once for disjoint ranges.
    void (*run)(struct weft_task *t, struct weft_worker *w, uint64_t first, uint64_t last);
    // Called once, after the last unit has returned, on the thread that ran it. May free or resubmit t, and
    // may submit others: the first task that it submits is run next by this thread.
    void (*done)(struct weft_task *t, struct weft_worker *w);
    uint64_t count; // units; 0 is allowed: done is called without run
    uint64_t grain; // smallest range worth handing to another thread; >= 1
    uint32_t flags;
    // The scheduler's own.
    struct weft_task *next;
    _Atomic uint64_t claimed;
    _Atomic uint64_t left;
    _Atomic uint64_t spare[2];
};

enum weft_urgency {
    // May be left to a thread that waits soon (no system call here). Starts within a bounded delay (about
    // 100 us) even if nobody waits or flushes.
    WEFT_LAZY,
    WEFT_URGENT, // wake idle threads now, as many as the range can use
};

// A part of the machine's processors with threads of its own, bound to them (domain.c): a sub-device. The pool's
// threads and those that wait leave its tasks alone. Its threads start with its first work.
struct weft_domain;

// Starts the pool if need be. WEFT_NO_RESOURCES when not even one thread can start: the pool then works with
// waiting threads alone and retries at the next submit. Any thread.
weft_status weft_sched_start(void);
// Any thread, also inside run and done. *t may be done, and gone, before this returns.
void weft_sched_submit(struct weft_task *t, enum weft_urgency urgency);
// The same for a domain's threads, which start at once.
void weft_domain_submit(struct weft_domain *d, struct weft_task *t, enum weft_urgency urgency);
// From inside run, which will wait for it: to the threads that the task which is being run belongs to. Urgent.
void weft_sched_submit_inside(struct weft_task *t);
void weft_sched_flush(void); // lazily submitted work starts now
// Stops and joins the pool; queued work stays queued, and later waits run it on the waiting thread. For the
// library's destructor: to be called before anything that tasks use is freed. Calling it again is fine.
void weft_sched_shutdown(void);
uint32_t weft_sched_thread_count(void); // threads that run kernels at once; does not start the pool

// For the units `unit[0 .. count-1]` of weft_topology_places; count >= 1. NULL: no memory.
struct weft_domain *weft_domain_create(const uint32_t *unit, uint32_t count);
// Any thread, its own too. Nothing may be submitted any more; what it runs ends by itself. NULL is fine.
void weft_domain_destroy(struct weft_domain *d);
// Around the start of a thread that is nobody's or the pool's: such a thread isn't bound to the processors of the domain whose
// task starts it. The first gives what the second takes; NULL where there is nothing to do.
struct weft_domain *weft_domain_step_out(void);
void weft_domain_step_in(struct weft_domain *d);
uint32_t weft_domain_thread_count(const struct weft_domain *d);

// Where threads wait for a condition. Zeroed: ready for use.
struct weft_park {
    _Atomic uint32_t sequence;
    _Atomic uint32_t waiters;
};
// Returns when ready(arg) is true. Runs ready tasks on this thread meanwhile (help), then spins briefly, then
// sleeps. From inside `run` or `done` of a pool thread it helps in the same way and so can't deadlock on pool
// work. ready must be cheap, and may be called often.
void weft_sched_wait(struct weft_park *park, bool (*ready)(void *arg), void *arg);
// To be called after the condition of waiters on `park` has become true. Costs a load when nobody sleeps.
// The memory of `park` must outlive the call.
void weft_park_wake(struct weft_park *park);

// ---- Topology (hwloc, cgroup, affinity), read once on first use. ----

struct weft_topology {
    char cpu_name[128];   // as the machine names itself
    uint32_t cpus;        // that this process may use: affinity mask and cgroup quota, at least 1
    uint32_t cpus_online; // of the machine
    uint32_t numa_nodes;
    uint64_t memory_bytes;                  // that this process may use: machine and cgroup limit
    uint64_t l1d_bytes, l2_bytes, l3_bytes; // of one cache; 0: unknown
    uint32_t cache_line;                    // bytes
    uint32_t clock_mhz;                     // highest; 0: unknown
    char vendor[32];
    uint32_t vendor_id;
};
const struct weft_topology *weft_topology_get(void); // never NULL; lives as long as the library
// The same without asking hwloc, which takes a millisecond: caches are 0 and the nodes 1, unless the topology is
// synthetic.
const struct weft_topology *weft_topology_basics(void);

enum weft_level { WEFT_LEVEL_NUMA, WEFT_LEVEL_L4, WEFT_LEVEL_L3, WEFT_LEVEL_L2, WEFT_LEVEL_L1, WEFT_LEVELS };

// The processors that weft_topology_get()->cpus counts, in an order in which those that share most are neighbours.
struct weft_places {
    uint32_t count;
    uint32_t *cpu; // the system's number of each
    // Which node, or cache of that level, each is at; NULL: nothing is known of this level.
    uint32_t *at[WEFT_LEVELS];
    bool synthetic; // the numbers aren't those of this machine's processors
};
// Read once, lives as long as the library. NULL: no memory. Any thread.
const struct weft_places *weft_topology_places(void);

#endif
