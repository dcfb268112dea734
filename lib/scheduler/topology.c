// The machine's topology, read on first use. Only this file uses hwloc. It is loaded when caches or nodes are
// first asked for, because reading /sys takes it a millisecond that not every program need spend.
//
// Owns two struct weft_topology (without and with hwloc's data), the places, and the handle of the hwloc
// library. All live as long as this library.
#include "scheduler/internal.h"

#include <dlfcn.h>
#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/arch/arch.h"
#include "base/private_files.h"

#define HWLOC_SONAME "libhwloc.so.15"

// All hwloc functions that are used here, as pointers.
#define HWLOC_FUNCTIONS(X)                   \
    X(hwloc_topology_init)                   \
    X(hwloc_topology_destroy)                \
    X(hwloc_topology_set_all_types_filter)   \
    X(hwloc_topology_set_cache_types_filter) \
    X(hwloc_topology_set_type_filter)        \
    X(hwloc_topology_set_synthetic)          \
    X(hwloc_topology_load)                   \
    X(hwloc_get_type_depth)                  \
    X(hwloc_get_nbobjs_by_depth)             \
    X(hwloc_get_obj_by_depth)                \
    X(hwloc_bitmap_isset)

static struct {
    void *handle;
#define HWLOC_MEMBER(name) __typeof__(&name) name;
    HWLOC_FUNCTIONS(HWLOC_MEMBER)
} hw;

static pthread_once_t hw_once = PTHREAD_ONCE_INIT, basics_once = PTHREAD_ONCE_INIT,
                      read_once = PTHREAD_ONCE_INIT;
static pthread_mutex_t places_lock = PTHREAD_MUTEX_INITIALIZER;
// Guards opening hwloc and what it loads. Locked after places_lock.
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(struct weft_places *) places;
static struct weft_topology basics, machine;

// hwloc's calls to itself are bound to the first functions of those names in the process. If the application
// has an hwloc of its own, perhaps another version, it would get calls with our library's data.
static bool is_shadowed(void *handle)
{
#define HWLOC_NAME(name) #name,
    static const char *const names[] = {HWLOC_FUNCTIONS(HWLOC_NAME) "hwloc_bitmap_alloc"};
    for (size_t i = 0; i < WEFT_COUNT_OF(names); i++) {
        void *first = dlsym(RTLD_DEFAULT, names[i]);
        if (first && first != dlsym(handle, names[i]))
            return true;
    }
    return false;
}

static void hw_open(void)
{
    void *handle = dlopen(HWLOC_SONAME, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        weft_log(WEFT_LOG_WARN, "hwloc can't be loaded, so caches and NUMA nodes are unknown: %s", dlerror());
        return;
    }
    bool complete = !is_shadowed(handle);
    if (!complete)
        weft_log(WEFT_LOG_WARN, "the application has its own hwloc, so caches and NUMA nodes are unknown");
#define HWLOC_LOOKUP(name)                        \
    {                                             \
        void *symbol = dlsym(handle, #name);      \
        memcpy(&hw.name, &symbol, sizeof symbol); \
        complete &= symbol != NULL;               \
    }
    HWLOC_FUNCTIONS(HWLOC_LOOKUP)
    if (complete)
        hw.handle = handle;
    else
        dlclose(handle);
}

__attribute__((destructor(102))) static void hw_close(void)
{
    if (!weft_process_is_known()) // it may be the parent's memory
        return;
    if (hw.handle)
        dlclose(hw.handle);
    hw.handle = NULL;
}

struct load {
    hwloc_topology_t topology; // NULL: there is none
    const char *synthetic;
};

// Loads processors, cores, caches and NUMA nodes; no devices.
static void load_topology(void *arg)
{
    struct load *l = arg;
    hwloc_topology_t t;
    if (hw.hwloc_topology_init(&t) != 0)
        return;
    hw.hwloc_topology_set_all_types_filter(t, HWLOC_TYPE_FILTER_KEEP_NONE);
    hw.hwloc_topology_set_cache_types_filter(t, HWLOC_TYPE_FILTER_KEEP_ALL);
    hw.hwloc_topology_set_type_filter(t, HWLOC_OBJ_PACKAGE, HWLOC_TYPE_FILTER_KEEP_ALL);
    hw.hwloc_topology_set_type_filter(t, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL);
    // NUMA nodes are attached to groups where no other object has the same processors. Without groups hwloc
    // gives them more processors than they have.
    hw.hwloc_topology_set_type_filter(t, HWLOC_OBJ_GROUP, HWLOC_TYPE_FILTER_KEEP_STRUCTURE);
    if ((!l->synthetic || hw.hwloc_topology_set_synthetic(t, l->synthetic) == 0) &&
        hw.hwloc_topology_load(t) == 0)
        l->topology = t;
    else
        hw.hwloc_topology_destroy(t);
}

// hwloc writes to stderr if /sys is absent or contradicts itself, as it does with some firmware. Other
// threads may be reading the environment, so its variable HWLOC_HIDE_ERRORS can't be set.
static bool hw_load(hwloc_topology_t *out, const char *synthetic)
{
    WEFT_NOT_CANCELLED;
    struct load l = {NULL, synthetic};
    pthread_mutex_lock(&opening);
    pthread_once(&hw_once, hw_open);
    if (hw.handle && !weft_private_files_call_silently(load_topology, &l))
        weft_log(
            WEFT_LOG_WARN,
            "hwloc isn't used, so caches and NUMA nodes are unknown: nothing hides what it writes to stderr");
    pthread_mutex_unlock(&opening);
    *out = l.topology;
    return l.topology != NULL;
}

static unsigned count_of(hwloc_topology_t t, hwloc_obj_type_t type)
{
    int depth = hw.hwloc_get_type_depth(t, type);
    return depth == HWLOC_TYPE_DEPTH_UNKNOWN || depth == HWLOC_TYPE_DEPTH_MULTIPLE
               ? 0
               : hw.hwloc_get_nbobjs_by_depth(t, depth);
}

static hwloc_obj_t first_of(hwloc_topology_t t, hwloc_obj_type_t type)
{
    return count_of(t, type) ? hw.hwloc_get_obj_by_depth(t, hw.hwloc_get_type_depth(t, type), 0) : NULL;
}

static uint64_t cache_size(hwloc_topology_t t, hwloc_obj_type_t type, uint32_t *line)
{
    hwloc_obj_t o = first_of(t, type);
    if (o && o->attr->cache.linesize)
        *line = o->attr->cache.linesize;
    return o ? o->attr->cache.size : 0;
}

// The highest clock that the system reports of any processor. The processors of hybrid machines differ.
static uint32_t read_clock(const char *root)
{
    uint64_t best = 0;
    char line[512];
    for (unsigned cpu = 0; cpu < WEFT_POOL_MAX; cpu++) {
        char *path = weft_format("%s/sys/devices/system/cpu/cpu%u/cpufreq/cpuinfo_max_freq", root, cpu);
        FILE *f = path ? fopen(path, "re") : NULL;
        weft_free(path);
        if (!f)
            break;
        uint64_t khz = fgets(line, sizeof line, f) ? strtoull(line, NULL, 10) : 0;
        fclose(f);
        best = khz / 1000 > best ? khz / 1000 : best;
    }
    char *path = best ? NULL : weft_format("%s/proc/cpuinfo", root);
    FILE *f = path ? fopen(path, "re") : NULL;
    weft_free(path);
    while (f && fgets(line, sizeof line, f)) {
        const char *colon = strchr(line, ':');
        double mhz = strncmp(line, "cpu MHz", 7) == 0 && colon ? strtod(colon + 1, NULL) : 0;
        if (mhz > (double)best && mhz < 1e6)
            best = (uint64_t)mhz;
    }
    if (f)
        fclose(f);
    return (uint32_t)best;
}

static uint32_t vendor_number(const char *vendor)
{
    // PCI's numbers, as CL_DEVICE_VENDOR_ID requires.
    return strcmp(vendor, "GenuineIntel") == 0 ? 0x8086 : strcmp(vendor, "AuthenticAMD") == 0 ? 0x1022 : 0;
}

// Reads what the system reports without hwloc.
static void read_basics(struct weft_topology *out, const char *root)
{
    *out = (struct weft_topology){.cache_line = 64, .numa_nodes = 1};
    weft_arch_brand(out->cpu_name, out->vendor);
    if (out->cpu_name[0] == '\0')
        snprintf(out->cpu_name, sizeof out->cpu_name, "CPU");
    out->vendor_id = vendor_number(out->vendor);
    out->clock_mhz = read_clock(root);
    long online = sysconf(_SC_NPROCESSORS_ONLN), pages = sysconf(_SC_PHYS_PAGES),
         page = sysconf(_SC_PAGESIZE);
    out->cpus_online = online > 0 ? (uint32_t)online : 1;
    out->memory_bytes = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
    out->cpus = weft_cpus_allowed(root);
}

static void apply_limits(struct weft_topology *out, const char *root)
{
    uint32_t quota = weft_cgroup_cpus(root);
    if (quota && quota < out->cpus)
        out->cpus = quota;
    uint64_t limit = weft_cgroup_memory(root);
    if (limit < out->memory_bytes || out->memory_bytes == 0)
        out->memory_bytes = limit;
}

bool weft_topology_read(struct weft_topology *out, const char *synthetic, const char *root)
{
    read_basics(out, root);
    hwloc_topology_t t;
    bool ok = hw_load(&t, synthetic);
    if (ok) {
        out->l1d_bytes = cache_size(t, HWLOC_OBJ_L1CACHE, &out->cache_line);
        out->l2_bytes = cache_size(t, HWLOC_OBJ_L2CACHE, &out->cache_line);
        out->l3_bytes = cache_size(t, HWLOC_OBJ_L3CACHE, &out->cache_line);
        unsigned nodes = count_of(t, HWLOC_OBJ_NUMANODE), cpus = count_of(t, HWLOC_OBJ_PU);
        if (nodes)
            out->numa_nodes = nodes;
        if (synthetic && cpus) {
            hwloc_obj_t top = hw.hwloc_get_obj_by_depth(t, 0, 0);
            out->cpus_online = cpus;
            if (top && top->total_memory)
                out->memory_bytes = top->total_memory;
        }
        hw.hwloc_topology_destroy(t);
    }
    if (synthetic && ok)
        out->cpus = out->cpus_online;
    apply_limits(out, root);
    return ok;
}

static void read_machine(void)
{
    WEFT_NOT_CANCELLED;
    const char *synthetic = weft_config_str(WEFT_CFG_HWLOC_SYNTHETIC);
    if (!weft_topology_read(&machine, synthetic, "/") && synthetic)
        weft_log(WEFT_LOG_WARN,
                 "%s is ignored: hwloc doesn't take its value as a synthetic topology, or isn't there",
                 weft_config_env(WEFT_CFG_HWLOC_SYNTHETIC));
}

const struct weft_topology *weft_topology_get(void)
{
    pthread_once(&read_once, read_machine);
    return &machine;
}

static void read_machine_basics(void)
{
    WEFT_NOT_CANCELLED;
    weft_affinity_save();
    read_basics(&basics, "/");
    apply_limits(&basics, "/");
}

const struct weft_topology *weft_topology_basics(void)
{
    if (weft_config_str(WEFT_CFG_HWLOC_SYNTHETIC))
        return weft_topology_get();
    pthread_once(&basics_once, read_machine_basics);
    return &basics;
}

// ---- Places ----

void weft_places_fini(struct weft_places *p)
{
    weft_free(p->cpu);
    for (int l = 0; l < WEFT_LEVELS; l++)
        weft_free(p->at[l]);
    *p = (struct weft_places){0};
}

// Does the process own this CPU? The calling thread may be bound to only a part of the processors that were
// counted.
static bool is_ours(uint32_t cpu)
{
    size_t bytes;
    const cpu_set_t *mask = weft_affinity_saved(&bytes);
    return mask ? cpu < 8 * bytes && CPU_ISSET_S(cpu, bytes, mask) : weft_cpu_is_allowed(cpu);
}

// Without hwloc: the processors in numerical order, without levels.
static bool read_allowed(struct weft_places *out, uint32_t max)
{
    size_t bytes;
    const cpu_set_t *mask = weft_affinity_saved(&bytes);
    uint32_t cpus = mask ? (uint32_t)CPU_COUNT_S(bytes, mask) : weft_cpus_allowed("/");
    out->cpu = weft_alloc_array(cpus ? cpus : 1, sizeof *out->cpu);
    for (uint32_t cpu = 0; mask && out->cpu && cpu < 8 * bytes && out->count < cpus && out->count < max;
         cpu++)
        if (CPU_ISSET_S(cpu, bytes, mask))
            out->cpu[out->count++] = cpu;
    for (; !mask && out->cpu && out->count < cpus && out->count < max; out->count++)
        out->cpu[out->count] = weft_cpu_nth_allowed(out->count);
    return out->cpu != NULL;
}

// Finds the object of the level that each place belongs to. The level is dropped if a place belongs to none.
static bool read_level(hwloc_topology_t t, hwloc_obj_type_t type, struct weft_places *out, uint32_t **at)
{
    unsigned objects = count_of(t, type);
    int depth = hw.hwloc_get_type_depth(t, type);
    if (objects == 0)
        return true;
    *at = weft_alloc_array(out->count, sizeof **at);
    if (!*at)
        return false;
    uint32_t found = 0;
    for (uint32_t i = 0; i < out->count; i++) {
        for (unsigned o = 0; o < objects; o++) {
            if (hw.hwloc_bitmap_isset(hw.hwloc_get_obj_by_depth(t, depth, o)->cpuset, out->cpu[i])) {
                (*at)[i] = o;
                found++;
                break;
            }
        }
    }
    if (found != out->count) {
        weft_free(*at);
        *at = NULL;
    }
    return true;
}

bool weft_topology_read_places(struct weft_places *out, const char *synthetic, uint32_t max)
{
    static const hwloc_obj_type_t types[WEFT_LEVELS] = {
        HWLOC_OBJ_NUMANODE, HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L1CACHE};
    *out = (struct weft_places){0};
    hwloc_topology_t t;
    if (!hw_load(&t, synthetic))
        return read_allowed(out, max);
    int depth = hw.hwloc_get_type_depth(t, HWLOC_OBJ_PU);
    unsigned cpus = hw.hwloc_get_nbobjs_by_depth(t, depth);
    out->synthetic = synthetic != NULL;
    out->cpu = weft_alloc_array(cpus ? cpus : 1, sizeof *out->cpu);
    bool ok = out->cpu != NULL;
    for (unsigned i = 0; ok && i < cpus && out->count < max; i++) {
        unsigned cpu = hw.hwloc_get_obj_by_depth(t, depth, i)->os_index;
        if (synthetic || is_ours(cpu))
            out->cpu[out->count++] = cpu;
    }
    for (int l = 0; ok && out->count && l < WEFT_LEVELS; l++)
        ok = read_level(t, types[l], out, &out->at[l]);
    hw.hwloc_topology_destroy(t);
    if (ok && out->count == 0) { // hwloc and the affinity mask have no processor in common
        weft_places_fini(out);
        ok = read_allowed(out, max);
    }
    if (!ok)
        weft_places_fini(out);
    return ok;
}

// A fork waits for threads that are in the dynamic linker, because a child would find its locks held. But not
// for ever: an application may fork in a constructor while it holds those locks, and a thread that opens
// hwloc waits for them. See also runtime/code/module.c.
enum { FORK_PATIENCE_S = 5 };
static __thread bool fork_has_places, fork_has_opening;

static bool lock_in_time(pthread_mutex_t *m)
{
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += FORK_PATIENCE_S;
    return pthread_mutex_timedlock(m, &limit) == 0;
}

static void fork_prepare(void)
{
    fork_has_places = lock_in_time(&places_lock);
    fork_has_opening = lock_in_time(&opening);
}

static void fork_parent(void)
{
    if (fork_has_opening)
        pthread_mutex_unlock(&opening);
    if (fork_has_places)
        pthread_mutex_unlock(&places_lock);
}

static void fork_child(void)
{
    fork_parent();
    if (!fork_has_opening)
        pthread_mutex_init(&opening, NULL);
    if (!fork_has_places)
        pthread_mutex_init(&places_lock, NULL);
}

__attribute__((constructor)) static void know_forks(void)
{
    weft_at_fork(fork_prepare, fork_parent, fork_child);
}

const struct weft_places *weft_topology_places(void)
{
    WEFT_NOT_CANCELLED;
    // Acquire: pairs with the release below.
    struct weft_places *p = atomic_load_explicit(&places, memory_order_acquire);
    if (p)
        return p;
    uint32_t max = weft_topology_basics()->cpus; // counted in the same mask
    pthread_mutex_lock(&places_lock);
    p = atomic_load_explicit(&places, memory_order_relaxed);
    if (!p && (p = weft_alloc(sizeof *p))) {
        if (weft_topology_read_places(p, weft_config_str(WEFT_CFG_HWLOC_SYNTHETIC), max)) {
            atomic_store_explicit(&places, p, memory_order_release);
        } else {
            weft_free(p);
            p = NULL;
        }
    }
    pthread_mutex_unlock(&places_lock);
    return p;
}

__attribute__((destructor(102))) static void free_places(void)
{
    if (!weft_process_is_known())
        return;
    struct weft_places *p = atomic_exchange(&places, NULL);
    if (p)
        weft_places_fini(p);
    weft_free(p);
}
