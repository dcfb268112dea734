// What this process may use: affinity mask and cgroup limits (v1 and v2), and the processor's name. Files are
// read below `root`: "/" in production, a made-up tree in tests. Owns the limits that the first call read for
// "/": the kernel takes 60 us to write /proc/self/mountinfo, and several components ask for it at the start.
// Owns the affinity mask of the process, too.
#include "base/arch/arch.h"
#include "scheduler/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Returns the file's text, NUL-terminated; the caller owns it. NULL: it can't be read.
static char *read_file(const char *root, const char *path)
{
    struct weft_buf b = {0};
    char *name = weft_format("%s/%s", root, path);
    int fd = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
    weft_free(name);
    if (fd < 0)
        return NULL;
    char part[4096];
    ssize_t n;
    while ((n = read(fd, part, sizeof part)) > 0 && b.size < (16u << 20))
        weft_buf_append(&b, part, (size_t)n);
    close(fd);
    return weft_buf_take(&b, NULL);
}

static bool list_has(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = list; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL)
        if (strncmp(p, word, n) == 0 && (p[n] == ',' || p[n] == '\0' || p[n] == '\n'))
            return true;
    return false;
}

// Where a controller of this process is: its mount point, and the path below that.
struct cgroup {
    char *mount;
    char *path; // "" or "/a/b"
    bool v2;
};

static void cgroup_fini(struct cgroup *c)
{
    weft_free(c->mount);
    weft_free(c->path);
    *c = (struct cgroup){0};
}

// controller NULL: the v2 hierarchy. A line of /proc/self/cgroup is id:controllers:path
static char *cgroup_path(char *text, const char *controller)
{
    char *save = NULL;
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        char *list = strchr(line, ':'), *path = list ? strchr(list + 1, ':') : NULL;
        if (!path)
            continue;
        *path++ = '\0';
        list++;
        if (controller ? list_has(list, controller) : *list == '\0')
            return weft_strdup(path);
    }
    return NULL;
}

// A line of /proc/self/mountinfo is: id parent dev root mountpoint options... - type source super-options
static bool cgroup_mount(char *text, const char *controller, struct cgroup *c)
{
    char *save = NULL;
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        char *rest = strstr(line, " - "), *word = NULL, *fields[5];
        if (!rest)
            continue;
        *rest = '\0';
        size_t n = 0;
        for (char *f = strtok_r(line, " ", &word); f && n < 5; f = strtok_r(NULL, " ", &word))
            fields[n++] = f;
        char *type = strtok_r(rest + 3, " ", &word);
        strtok_r(NULL, " ", &word);
        char *options = strtok_r(NULL, " ", &word);
        if (n < 5 || !type || strcmp(type, controller ? "cgroup" : "cgroup2") != 0 ||
            (controller && !(options && list_has(options, controller))))
            continue;
        // In a container the mount shows only a part of the hierarchy. Paths are relative to that part.
        size_t length = strcmp(fields[3], "/") == 0 ? 0 : strlen(fields[3]);
        const char *below = c->path;
        if (length && strncmp(c->path, fields[3], length) == 0 &&
            (c->path[length] == '/' || !c->path[length]))
            below = c->path + length;
        else if (length)
            below = "";
        char *path = weft_strdup(strcmp(below, "/") == 0 ? "" : below);
        weft_free(c->path);
        c->path = path;
        c->mount = weft_strdup(fields[4]);
        return c->path && c->mount;
    }
    return false;
}

// groups, mounts: the contents of the two files.
static bool cgroup_find(const char *groups, const char *mounts, const char *controller, struct cgroup *c)
{
    *c = (struct cgroup){.v2 = controller == NULL};
    char *text = weft_strdup(groups);
    if (text)
        c->path = cgroup_path(text, controller);
    weft_free(text);
    text = c->path ? weft_strdup(mounts) : NULL;
    bool ok = text && cgroup_mount(text, controller, c);
    weft_free(text);
    if (!ok)
        cgroup_fini(c);
    return ok;
}

// Calls visit with the file of the group and with that of each group above it.
static void cgroup_each(const char *root, const struct cgroup *c, const char *file,
                        void (*visit)(const char *root, const char *path, const char *text, void *arg),
                        void *arg)
{
    char *path = weft_strdup(c->path);
    while (path) {
        char *folder = weft_format("%s%s", c->mount, path);
        char *name = folder ? weft_format("%s/%s", folder, file) : NULL;
        char *text = name ? read_file(root, name) : NULL;
        if (text)
            visit(root, folder, text, arg);
        weft_free(text);
        weft_free(name);
        weft_free(folder);
        char *slash = strrchr(path, '/');
        if (!slash)
            break;
        *slash = '\0';
    }
    weft_free(path);
}

static void lower_cpus(uint32_t *min, int64_t quota, int64_t period)
{
    if (quota <= 0 || period <= 0)
        return;
    int64_t cpus = quota / period + (quota % period != 0);
    if (cpus < UINT32_MAX && (*min == 0 || (uint32_t)cpus < *min))
        *min = (uint32_t)cpus;
}

static void visit_cpu_v2(const char *root, const char *folder, const char *text, void *arg)
{
    (void)root, (void)folder;
    char *end; // "max 100000" or "150000 100000"
    int64_t quota = strtoll(text, &end, 10);
    if (end != text)
        lower_cpus(arg, quota, strtoll(end, NULL, 10));
}

static void visit_cpu_v1(const char *root, const char *folder, const char *text, void *arg)
{
    char *name = weft_format("%s/cpu.cfs_period_us", folder), *period = name ? read_file(root, name) : NULL;
    if (period)
        lower_cpus(arg, strtoll(text, NULL, 10), strtoll(period, NULL, 10)); // quota -1: no limit
    weft_free(period);
    weft_free(name);
}

struct limits {
    uint32_t cpus;      // 0: no quota
    uint64_t memory;    // UINT64_MAX: no limit
    char *memory_group; // the folder of the cgroup with that limit; NULL: none, or no memory for it
};

static void visit_memory(const char *root, const char *folder, const char *text, void *arg)
{
    (void)root;
    struct limits *l = arg;
    char *end; // "max", or bytes; v1 reports "none" as almost 2^63
    uint64_t bytes = strtoull(text, &end, 10);
    if (end == text || bytes >= 1ull << 62 || bytes >= l->memory)
        return;
    l->memory = bytes;
    weft_free(l->memory_group);
    l->memory_group = weft_strdup(folder);
}

static void read_limits(const char *root, struct limits *l)
{
    *l = (struct limits){.memory = UINT64_MAX};
    char *groups = read_file(root, "proc/self/cgroup"), *mounts = read_file(root, "proc/self/mountinfo");
    struct cgroup c;
    if (groups && mounts && cgroup_find(groups, mounts, NULL, &c)) {
        cgroup_each(root, &c, "cpu.max", visit_cpu_v2, &l->cpus);
        cgroup_each(root, &c, "memory.max", visit_memory, l);
        cgroup_fini(&c);
    }
    if (groups && mounts && cgroup_find(groups, mounts, "cpu", &c)) {
        cgroup_each(root, &c, "cpu.cfs_quota_us", visit_cpu_v1, &l->cpus);
        cgroup_fini(&c);
    }
    if (groups && mounts && cgroup_find(groups, mounts, "memory", &c)) {
        cgroup_each(root, &c, "memory.limit_in_bytes", visit_memory, l);
        cgroup_fini(&c);
    }
    weft_free(groups);
    weft_free(mounts);
}

static struct limits machine_limits;

static void read_machine_limits(void)
{
    read_limits("/", &machine_limits);
}

// To be ended with limits_fini.
static struct limits limits_of(const char *root)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct limits l;
    if (strcmp(root, "/") != 0) {
        read_limits(root, &l);
        return l;
    }
    pthread_once(&once, read_machine_limits);
    return machine_limits;
}

static void limits_fini(struct limits *l)
{
    if (l->memory_group != machine_limits.memory_group)
        weft_free(l->memory_group);
}

uint32_t weft_cgroup_cpus(const char *root)
{
    WEFT_NOT_CANCELLED;
    struct limits l = limits_of(root);
    limits_fini(&l);
    return l.cpus;
}

uint64_t weft_cgroup_memory(const char *root)
{
    WEFT_NOT_CANCELLED;
    struct limits l = limits_of(root);
    limits_fini(&l);
    return l.memory;
}

bool weft_cgroup_memory_group(const char *root, char *folder, size_t size)
{
    WEFT_NOT_CANCELLED;
    struct limits l = limits_of(root);
    bool known = l.memory_group && strlen(l.memory_group) < size;
    if (known)
        memcpy(folder, l.memory_group, strlen(l.memory_group) + 1);
    limits_fini(&l);
    return known;
}

// The string stays until the library is unloaded: other threads may still ask.
__attribute__((destructor(102))) static void free_machine_limits(void)
{
    if (!weft_process_is_known() || weft_process_is_ending())
        return;
    weft_free(machine_limits.memory_group);
    machine_limits.memory_group = NULL;
}

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

uint32_t weft_cpus_allowed(const char *root)
{
    WEFT_NOT_CANCELLED;
    size_t bytes;
    cpu_set_t *set = affinity(&bytes);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    uint32_t cpus = set ? (uint32_t)CPU_COUNT_S(bytes, set) : online > 0 ? (uint32_t)online : 1;
    if (set)
        CPU_FREE(set);
    uint32_t quota = weft_cgroup_cpus(root);
    if (quota && quota < cpus)
        cpus = quota;
    return cpus ? cpus : 1;
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

enum { MASK_BYTES = 1 << 10 }; // 8,192 processors, the maximum of Linux
static _Alignas(cpu_set_t) unsigned char process_mask[MASK_BYTES];
static _Atomic bool has_process_mask;

static void save_affinity(void)
{
    if (sched_getaffinity(0, MASK_BYTES, (cpu_set_t *)process_mask) == 0)
        atomic_store_explicit(&has_process_mask, true, memory_order_release); // pairs with the acquire below
}

void weft_affinity_save(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, save_affinity);
}

const cpu_set_t *weft_affinity_saved(size_t *bytes)
{
    *bytes = MASK_BYTES;
    return atomic_load_explicit(&has_process_mask, memory_order_acquire) ? (const cpu_set_t *)process_mask
                                                                         : NULL;
}

void weft_cpu_brand(char out[128], char vendor[32])
{
    weft_arch_brand(out, vendor);
    if (out[0] == '\0')
        snprintf(out, 128, "CPU");
}
