// Which processors the process and the calling thread may use. Owns the affinity mask of the process.
#include "scheduler/internal.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

// The affinity mask, for any number of processors that the kernel was built for. NULL: unknown. To be freed
// with CPU_FREE.
static cpu_set_t *affinity(size_t *bytes)
{
    for (int cpus = 1024; cpus <= 1 << 20; cpus *= 4) {
        cpu_set_t *set = CPU_ALLOC((size_t)cpus);
        *bytes = CPU_ALLOC_SIZE((size_t)cpus);
        if (!set)
            return NULL;
        if (sched_getaffinity(0, *bytes, set) == 0)
            return set;
        CPU_FREE(set);
        if (errno != EINVAL)
            return NULL;
    }
    return NULL;
}

uint32_t weft_cpus_of_thread(void)
{
    size_t bytes;
    cpu_set_t *set = affinity(&bytes);
    const uint32_t cpus = set ? (uint32_t)CPU_COUNT_S(bytes, set) : 0;
    if (set)
        CPU_FREE(set);
    return cpus;
}

uint32_t weft_cpus_lost(const cpu_set_t *first, size_t bytes)
{
    size_t own_bytes;
    cpu_set_t *own = affinity(&own_bytes);
    uint32_t lost = 0;
    for (uint32_t cpu = 0; own && cpu < bytes * 8; cpu++)
        lost += CPU_ISSET_S(cpu, bytes, first) && !CPU_ISSET_S(cpu, own_bytes, own);
    if (own)
        CPU_FREE(own);
    return lost;
}

uint32_t weft_cpus_allowed(const char *root)
{
    WEFT_NOT_CANCELLED;
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    uint32_t cpus = weft_cpus_of_thread();
    if (cpus == 0)
        cpus = online > 0 ? (uint32_t)online : 1;
    const uint32_t quota = weft_cgroup_cpus(root);
    return quota && quota < cpus ? quota : cpus;
}

uint32_t weft_cpu_nth_allowed(uint32_t n)
{
    size_t bytes;
    // The process's mask, not the thread's: the calling thread may already be bound to one processor, or
    // inherit such a mask.
    const cpu_set_t *of_process = weft_affinity_saved(&bytes);
    cpu_set_t *own = of_process ? NULL : affinity(&bytes);
    const cpu_set_t *set = of_process ? of_process : own;
    uint32_t count = set ? (uint32_t)CPU_COUNT_S(bytes, set) : 0, at = 0;
    n = count ? n % count : 0;
    for (uint32_t cpu = 0; set && cpu < bytes * 8; cpu++) {
        if (CPU_ISSET_S(cpu, bytes, set) && n-- == 0) {
            at = cpu;
            break;
        }
    }
    if (own)
        CPU_FREE(own);
    return at;
}

bool weft_cpu_is_allowed(uint32_t cpu)
{
    size_t bytes;
    cpu_set_t *set = affinity(&bytes);
    bool allowed = !set || (cpu < bytes * 8 && CPU_ISSET_S(cpu, bytes, set));
    if (set)
        CPU_FREE(set);
    return allowed;
}

// ---- The process's affinity mask ----

static _Alignas(cpu_set_t) unsigned char process_mask[WEFT_MASK_BYTES];
static _Atomic bool has_process_mask;

static void save_affinity(void)
{
    if (sched_getaffinity(0, WEFT_MASK_BYTES, (cpu_set_t *)process_mask) == 0)
        atomic_store_explicit(&has_process_mask, true, memory_order_release); // pairs with the acquire below
}

void weft_affinity_save(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, save_affinity);
}

const cpu_set_t *weft_affinity_saved(size_t *bytes)
{
    *bytes = WEFT_MASK_BYTES;
    return atomic_load_explicit(&has_process_mask, memory_order_acquire) ? (const cpu_set_t *)process_mask
                                                                         : NULL;
}
