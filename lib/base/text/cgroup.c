// The kernel's files on cgroups (v1 and v2). Owns the limits that the first call read for "/": the kernel
// takes 60 us to write /proc/self/mountinfo, and several components ask for it at the start.
#include "base/text/cgroup.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"

char *weft_system_file(const char *root, const char *path)
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
        char *text = name ? weft_system_file(root, name) : NULL;
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
    char *name = weft_format("%s/cpu.cfs_period_us", folder),
         *period = name ? weft_system_file(root, name) : NULL;
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
    char *groups = weft_system_file(root, "proc/self/cgroup"),
         *mounts = weft_system_file(root, "proc/self/mountinfo");
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
