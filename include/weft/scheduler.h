// The thread pool. It runs tasks. A task is a range of indivisible units: work-groups, pages of a copy, or a
// single unit for a plain call. It knows nothing of OpenCL. There is one pool in a process. The first submit
// starts it, a forked child gets a new one, and unloading joins it. docs/scheduler.md describes it.
#ifndef WEFT_SCHEDULER_H
#define WEFT_SCHEDULER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weft/status.h"

// An executing thread: a pool thread, or an application thread that helps while it waits. Every task gets it.
struct weft_worker {
    uint32_t index; // pool threads: 0 to pool size - 1; application threads: pool size or more
    bool is_pool;   // false: an application thread that helps
    void *arena;    // scratch memory of this thread, aligned to WEFT_LOCAL_ALIGN; see weft_worker_arena
    size_t arena_size;
    size_t arena_guard; // bytes before and after it that nobody can touch, because kernels write to the arena
};

// Makes the thread's arena at least `bytes` large and returns it. Its contents are lost. NULL: no memory. To
// be called on w's own thread.
void *weft_worker_arena(struct weft_worker *w, size_t bytes);
void weft_worker_arena_free(struct weft_worker *w); // also if it has none

enum weft_task_flags {
    WEFT_TASK_POOL_ONLY = 1, // never run on an application thread: it uses much or an unknown amount of stack
    WEFT_TASK_LONG = 2,      // indivisible, and takes so long that nothing queued should wait for its end
};

// Intrusive: the submitter owns the memory and must keep it until `done` has been called.
struct weft_task {
    // Runs the units [first, last). Several threads may call it at once, for disjoint ranges.
    void (*run)(struct weft_task *t, struct weft_worker *w, uint64_t first, uint64_t last);
    // Called once after the last unit, on the thread that ran that unit. May free or resubmit t. May submit
    // other tasks; this thread runs the first of them next.
    void (*done)(struct weft_task *t, struct weft_worker *w);
    uint64_t count; // units; if 0, done is called without run
    uint64_t grain; // smallest range that is worth handing to another thread; >= 1
    uint64_t cost;  // about how many ns all units take on one thread; 0: unknown. Decides how many share it
    uint32_t flags;
    // For the scheduler only.
    struct weft_task *next;
    uint64_t first; // the units before it have run
};

enum weft_urgency {
    // May be left to a thread that will wait soon, so the submit makes no system call. Starts within about
    // 100 us even if nobody waits or flushes.
    WEFT_LAZY,
    WEFT_URGENT, // wakes idle threads now, as many as the range can use
};

// Some of the machine's processors and the threads that are bound to them: a sub-device (domain.c). Threads
// of the pool and threads that wait don't run its tasks. Its threads start when it gets its first task.
struct weft_domain;

// Starts the pool if it isn't running. WEFT_NO_RESOURCES: no thread could be started; then only waiting
// threads run tasks, and the next submit tries again. Any thread.
weft_status weft_sched_start(void);
// Any thread, also inside run and done. *t may be done and freed before this returns.
void weft_sched_submit(struct weft_task *t, enum weft_urgency urgency);
// Submits t to the threads of a domain, which start at once. Any thread, also inside run and done.
void weft_domain_submit(struct weft_domain *d, struct weft_task *t, enum weft_urgency urgency);
// For a task that is submitted inside `run` and that `run` will wait for. Goes to the same threads as the
// task that is running. Urgent.
void weft_sched_submit_inside(struct weft_task *t);
void weft_sched_flush(void); // starts lazily submitted work now
// Stops and joins the pool. Queued tasks stay queued; later waits run them on the waiting thread. The
// library's destructor calls it before it frees anything that tasks use. It may be called more than once.
void weft_sched_shutdown(void);
uint32_t weft_sched_thread_count(void); // number of threads that run kernels at once; doesn't start the pool

// unit: `count` indices into weft_topology_places, count >= 1. NULL: no memory.
struct weft_domain *weft_domain_create(const uint32_t *unit, uint32_t count);
// Any thread, also one of the domain's. Nothing may be submitted any more. The domain's threads end by
// themselves. NULL is allowed.
void weft_domain_destroy(struct weft_domain *d);
uint32_t weft_domain_thread_count(const struct weft_domain *d);

// Call these around the creation of a thread, which inherits its creator's affinity. Threads of the pool
// and of domains may be bound to some processors. Between the two calls the calling thread isn't. unbind
// returns what rebind needs.
bool weft_thread_unbind(void);
void weft_thread_rebind(bool was_bound);

// Where threads wait for a condition. A zeroed struct is ready for use.
struct weft_park {
    _Atomic uint32_t sequence;
    _Atomic uint32_t waiters;
};
// Returns when ready(arg) is true. Until then the thread helps: it runs ready tasks. If there are none it
// spins briefly, then sleeps. Inside `run` or `done` on a pool thread it helps in the same way, so it can't
// deadlock on work of the pool. ready must be cheap and may be called often.
void weft_sched_wait(struct weft_park *park, bool (*ready)(void *arg), void *arg);
// To be called after the condition of the waiters on `park` has become true. Costs one load if nobody sleeps.
// The memory of `park` must outlive the call.
void weft_park_wake(struct weft_park *park);

// Calls `call` once on a pool thread that has nothing to do, `ns` nanoseconds from now or later. There is one
// such call at a time: if one is ahead already, this does nothing, and costs a load. It may be lost if no
// thread can be started, or at unload. call must be short, and may call this function. Any thread.
void weft_sched_call_when_idle(void (*call)(void), uint64_t ns);

// Calls `call` once, soon: on a pool thread that has nothing to do, or on this thread if there is none. For
// system calls that others needn't wait for, such as waking a thread that isn't of the pool. call must be the
// same each time, must be short and mustn't submit. If it is owed already, it is called once for both. Any
// thread; from `done` on a pool thread it is made before that thread begins anything long.
void weft_sched_call_aside(void (*call)(void));

// ---- Memory ----

// Is the machine short of memory, or the cgroup that limits this process? Reads files below /proc and
// /sys/fs/cgroup, which takes some 50 us, unless the machine has much free memory and the cgroup no limit.
// False if it can't be found out. Any thread.
bool weft_memory_is_short(void);

// Says on which NUMA nodes the pages of large storage are to lie, as far as nobody has touched them
// (WEFT_NUMA). On a machine with one node this does nothing. start: at the beginning of a page. domain: the
// threads that use it; NULL: those of the pool. Any thread.
void weft_sched_place_memory(void *start, size_t bytes, const struct weft_domain *domain);

// ---- Topology (hwloc, cgroup, affinity): read on first use, then constant. Any thread. ----

struct weft_topology {
    char cpu_name[128]; // the machine's own name for it
    uint32_t cpus;      // processors that this process may use, by affinity mask and cgroup quota; at least 1
    uint32_t cpus_online; // processors of the machine
    uint32_t numa_nodes;
    uint64_t memory_bytes;                  // that this process may use, by machine and cgroup limit
    uint64_t l1d_bytes, l2_bytes, l3_bytes; // of one cache; 0: unknown
    uint32_t cache_line;                    // bytes
    uint32_t clock_mhz;                     // maximum; 0: unknown
    char vendor[32];
    uint32_t vendor_id;
};
const struct weft_topology *weft_topology_get(void); // never NULL; lives as long as the library
// The topology without hwloc, which takes a millisecond: cache sizes are 0 and numa_nodes is 1. A synthetic
// topology is complete nevertheless.
const struct weft_topology *weft_topology_basics(void);

enum weft_level { WEFT_LEVEL_NUMA, WEFT_LEVEL_L4, WEFT_LEVEL_L3, WEFT_LEVEL_L2, WEFT_LEVEL_L1, WEFT_LEVELS };

// The processors that weft_topology_get()->cpus counts. Processors that share caches are neighbours.
struct weft_places {
    uint32_t count;
    uint32_t *cpu; // the system's number of each processor
    // The index of the node, or the cache of that level, that each processor belongs to. NULL: nothing is
    // known of this level.
    uint32_t *at[WEFT_LEVELS];
    bool synthetic; // the numbers aren't those of processors of this machine
};
// Read on first use; lives as long as the library. NULL: no memory. Any thread.
const struct weft_places *weft_topology_places(void);

#endif
