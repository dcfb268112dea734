// On which processors the threads that run kernels are, and for how long at a time: bound threads, threads
// that keep apart, time slices. Owns the list of threads last seen on each processor.
#include "scheduler/internal.h"

#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RESET_ON_FORK 1u // SCHED_FLAG_RESET_ON_FORK of Linux
#define SLICE_NS 300000  // ns that a thread wants to run before it is another program's turn

// ---- Bound threads ----

bool weft_thread_bind(struct weft_thread *t, const cpu_set_t *cpus, size_t bytes)
{
    if (sched_setaffinity(0, bytes, cpus) != 0)
        return false;
    t->bound = cpus;
    t->bound_bytes = bytes;
    return true;
}

// Has the thread with this id the affinity mask? 0: the calling thread. or_less: or a part of it.
static bool has_mask(pid_t id, const cpu_set_t *mask, size_t bytes, bool or_less)
{
    _Alignas(cpu_set_t) unsigned char now[WEFT_MASK_BYTES] = {0};
    size_t outside = 0, missing = 0;
    if (sched_getaffinity(id, sizeof now, (cpu_set_t *)now) != 0)
        return false;
    const unsigned char *wanted = (const unsigned char *)mask;
    for (size_t i = 0; i < sizeof now; i++) {
        const unsigned char w = i < bytes ? wanted[i] : 0;
        outside += (now[i] & ~w) != 0;
        missing += (w & ~now[i]) != 0;
    }
    return outside == 0 && (or_less || missing == 0);
}

bool weft_thread_is_free(void)
{
    size_t bytes;
    const cpu_set_t *all = weft_affinity_saved(&bytes);
    // A thread that the application has bound may start this one. The first thread shows whether the whole
    // process has been bound.
    return all && (has_mask(0, all, bytes, false) || has_mask(getpid(), all, bytes, false));
}

bool weft_thread_unbind(void)
{
    const struct weft_thread *me = weft_thread_now();
    size_t bytes;
    const cpu_set_t *all = weft_affinity_saved(&bytes);
    // Somebody may have bound the thread to others since. That holds for what it starts, too.
    return me && me->bound && all && has_mask(0, me->bound, me->bound_bytes, true) &&
           sched_setaffinity(0, bytes, all) == 0;
}

void weft_thread_rebind(bool was_bound)
{
    const struct weft_thread *me = weft_thread_now();
    if (was_bound)
        sched_setaffinity(0, me->bound_bytes, me->bound);
}

static _Atomic uint32_t cpus_at_first; // 0: no thread has asked

uint32_t weft_thread_cpus_at_first(void)
{
    uint32_t first = 0;
    const uint32_t own = weft_cpus_of_thread();
    return atomic_compare_exchange_strong(&cpus_at_first, &first, own) ? own : first;
}

void weft_placement_fork_child(void)
{
    struct weft_thread *me = weft_thread_now();
    atomic_store(&cpus_at_first, 0);
    (void)weft_thread_unbind();
    if (me)
        me->bound = NULL;
}

// ---- Threads side by side ----
//
// Linux balances how many threads each processor has, whosever they are. Beside other programs that
// compute, it may leave two of our threads on one processor and another program's thread alone on the next
// one. Then we get less than our share, and a launch waits for two turns instead of one. So a thread that
// takes part in a range looks whether another of ours is on its processor, and moves to one that has none.
// So does a thread that an application's thread has woken where that runs: that one is about to help. Linux
// does so where no processor is idle, even if the other one only makes better code for the kernel.

// For each processor: 1 + the index of the pool's thread that was last seen there. All relaxed: hints.
static _Atomic uint16_t seen_on[WEFT_MASK_BYTES * 8];

// Is a thread of ours but `self` on the processor?
static bool is_taken(const struct weft_pool_thread *self, const struct weft_pool_thread *workers,
                     uint32_t cpu)
{
    const uint32_t index = atomic_load_explicit(&seen_on[cpu], memory_order_relaxed);
    if (atomic_load_explicit(&weft_pool.helper_cpu, memory_order_relaxed) == cpu + 1 &&
        atomic_load_explicit(&weft_pool.helpers, memory_order_relaxed) != 0)
        return true;
    if (index == 0 || index > weft_pool.size || index == self->index + 1)
        return false;
    return atomic_load_explicit(&workers[index - 1].cpu, memory_order_relaxed) == cpu + 1 &&
           !weft_pool_is_asleep(index - 1);
}

// Moves the calling thread. Afterwards it is bound to the same processors as before. False: it can't be
// moved, because there is no free processor, or because somebody has bound it to others than we have: to put
// back what the system reports now would make that last.
static bool move_from(const struct weft_thread *t, const struct weft_pool_thread *workers, uint32_t *cpu)
{
    _Alignas(cpu_set_t) unsigned char one[WEFT_MASK_BYTES] = {0};
    size_t bytes;
    const cpu_set_t *all = t->bound ? t->bound : weft_affinity_saved(&bytes); // both of WEFT_MASK_BYTES
    if (!all || !has_mask(0, all, WEFT_MASK_BYTES, false))
        return false;
    int left = CPU_COUNT_S(WEFT_MASK_BYTES, all);
    for (uint32_t i = 0; left > 0 && i < WEFT_MASK_BYTES * 8; i++) {
        const uint32_t to = (*cpu + i) % (WEFT_MASK_BYTES * 8);
        if (!CPU_ISSET_S(to, WEFT_MASK_BYTES, all))
            continue;
        left--;
        if (to == *cpu || is_taken(t->own, workers, to))
            continue;
        CPU_SET_S(to, WEFT_MASK_BYTES, (cpu_set_t *)one);
        if (sched_setaffinity(0, WEFT_MASK_BYTES, (cpu_set_t *)one) != 0)
            return false;
        // The move may have taken long, and somebody may have bound the thread to others meanwhile.
        if (has_mask(0, (cpu_set_t *)one, WEFT_MASK_BYTES, false))
            sched_setaffinity(0, WEFT_MASK_BYTES, all);
        *cpu = to;
        return true;
    }
    return false;
}

void weft_thread_note_cpu(struct weft_pool_thread *self)
{
    const int at = sched_getcpu();
    if (WEFT_LIKELY(at < 0 || (uint32_t)at + 1 == atomic_load_explicit(&self->cpu, memory_order_relaxed)) ||
        (uint32_t)at >= WEFT_MASK_BYTES * 8)
        return;
    atomic_store_explicit(&self->cpu, (uint32_t)at + 1, memory_order_relaxed);
}

void weft_thread_keep_apart(const struct weft_thread *t)
{
    const int at = sched_getcpu();
    uint32_t cpu = (uint32_t)at;
    struct weft_pool_thread *self = t->own;
    if (at < 0 || cpu >= WEFT_MASK_BYTES * 8)
        return;
    if (!self) {
        if (atomic_load_explicit(&weft_pool.helper_cpu, memory_order_relaxed) != cpu + 1)
            atomic_store_explicit(&weft_pool.helper_cpu, cpu + 1, memory_order_relaxed);
        return;
    }
    const struct weft_pool_thread *workers = atomic_load_explicit(&weft_pool.workers, memory_order_relaxed);
    if (WEFT_UNLIKELY(self->caller == cpu + 1 || is_taken(self, workers, cpu)) &&
        !weft_config_uint(WEFT_CFG_PIN) && move_from(t, workers, &cpu))
        atomic_fetch_add_explicit(&weft_pool.moves, 1, memory_order_relaxed);
    self->caller = 0;
    if (atomic_load_explicit(&self->cpu, memory_order_relaxed) != cpu + 1)
        atomic_store_explicit(&self->cpu, cpu + 1, memory_order_relaxed);
    if (atomic_load_explicit(&seen_on[cpu], memory_order_relaxed) != self->index + 1)
        atomic_store_explicit(&seen_on[cpu], (uint16_t)(self->index + 1), memory_order_relaxed);
}

// ---- Time slices ----

// A thread that lost its processor to another program has units in hand, and the whole launch waits for them.
// A task with short time slices gets its processor back sooner, and has to give it back sooner. It gets as
// much in all. Linux has that since 6.12; older systems ignore it. The structure is the kernel's: C
// libraries have had it only for a short time.
//
// Threads and programs that it starts, in a callback or a native kernel, get ordinary slices. They also
// lose a negative nice value then, so a thread that has one leaves its slices as they are.
void weft_thread_ask_for_short_slices(void)
{
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime, deadline, period;
    } attributes = {0};
    if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0 ||
        attributes.policy != SCHED_OTHER || attributes.nice < 0)
        return;
    attributes.size = sizeof attributes;
    attributes.flags |= RESET_ON_FORK;
    attributes.runtime = SLICE_NS;
    (void)syscall(SYS_sched_setattr, 0, &attributes, 0); // it is as good as without
}
