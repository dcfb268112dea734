// Whether memory is short: of the machine, or of the cgroup that limits this process (v1 and v2). Files are
// read below `root`: "/" in production, a made-up tree in tests. Owns nothing, and allocates nothing: it is
// called when memory is short.
#include "scheduler/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

enum { FREE_SHARE = 8, AVAILABLE_SHARE = 16, GROUP_SHARE = 8 };
enum { STALLED = 5 }; // percent of the last ten seconds in which some thread waited for memory

struct text {
    char bytes[8192];
};

// Reads a file, as far as it fits. False: it can't be read.
static bool read_text(const char *root, const char *folder, const char *file, struct text *out)
{
    char path[512];
    if (snprintf(path, sizeof path, "%s%s/%s", root, folder, file) >= (int)sizeof path)
        return false;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t n = read(fd, out->bytes, sizeof out->bytes - 1);
    close(fd);
    out->bytes[n > 0 ? n : 0] = '\0';
    return n > 0;
}

// The number after `key` at the beginning of a line. *out stays as it is if there is no such line.
static bool number_of(const struct text *t, const char *key, uint64_t *out)
{
    size_t length = strlen(key);
    for (const char *line = t->bytes; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        if (strncmp(line, key, length) == 0) {
            *out = strtoull(line + length, NULL, 10);
            return true;
        }
    return false;
}

// Linux 4.20 has these files, if it is built with them.
static bool stalls(const char *root, const char *folder, const char *file)
{
    struct text t;
    return read_text(root, folder, file, &t) && strncmp(t.bytes, "some avg10=", 11) == 0 &&
           strtoull(t.bytes + 11, NULL, 10) >= STALLED;
}

static bool machine_has_much(void)
{
    struct sysinfo s;
    return sysinfo(&s) == 0 && s.freeram >= s.totalram / FREE_SHARE;
}

static bool machine_is_short(const char *root)
{
    struct text t;
    uint64_t total, available;
    if (read_text(root, "/proc", "meminfo", &t) && number_of(&t, "MemTotal:", &total) &&
        number_of(&t, "MemAvailable:", &available) && available < total / AVAILABLE_SHARE)
        return true;
    return stalls(root, "/proc/pressure", "memory");
}

// Pages of files don't count: the system takes them back by itself when it needs them.
static bool group_is_short(const char *root, const char *folder, uint64_t limit)
{
    struct text t;
    uint64_t used = 0, active = 0, inactive = 0;
    if ((read_text(root, folder, "memory.current", &t) ||
         read_text(root, folder, "memory.usage_in_bytes", &t)) &&
        number_of(&t, "", &used) && read_text(root, folder, "memory.stat", &t)) {
        // In v1 the names without "total_" leave out the groups below.
        if (!number_of(&t, "total_active_file ", &active))
            number_of(&t, "active_file ", &active);
        if (!number_of(&t, "total_inactive_file ", &inactive))
            number_of(&t, "inactive_file ", &inactive);
        uint64_t files = active + inactive < used ? active + inactive : used;
        if (used - files > limit - limit / GROUP_SHARE)
            return true;
    }
    return stalls(root, folder, "memory.pressure");
}

bool weft_memory_is_short_at(const char *root)
{
    WEFT_NOT_CANCELLED;
    char folder[256];
    int saved = errno;
    bool is_made_up = strcmp(root, "/") != 0;
    bool is_short = (is_made_up || !machine_has_much()) && machine_is_short(root);
    if (!is_short && weft_cgroup_memory_group(root, folder, sizeof folder))
        is_short = group_is_short(root, folder, weft_cgroup_memory(root));
    errno = saved;
    return is_short;
}

bool weft_memory_is_short(void)
{
    return weft_memory_is_short_at("/");
}
