// `weft cache`: the disk cache of this user.
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "base/cache_entry.h"
#include "tools/tool.h"

char *weft_cache_folder(unsigned index)
{
    char *path = weft_cache_entry_folder(index);
    if (path && access(path, F_OK) == 0)
        return path;
    weft_free(path);
    return NULL;
}

static bool read_file(int fd, uint8_t *p, size_t n)
{
    while (n > 0) {
        const ssize_t got = read(fd, p, n);
        if (got <= 0)
            return false;
        p += got;
        n -= (size_t)got;
    }
    return true;
}

static bool is_damaged(int folder, const char *name, struct weft_hash key, off_t size)
{
    if (size < (off_t)WEFT_CACHE_ENTRY_HEADER || size > (off_t)WEFT_CACHE_ENTRY_MAX)
        return true;
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return false; // removed meanwhile
    uint8_t *bytes = weft_alloc((size_t)size);
    const bool damaged = bytes && (!read_file(fd, bytes, (size_t)size) ||
                                   weft_cache_entry_check(bytes, (size_t)size, key) != WEFT_OK);
    weft_free(bytes);
    close(fd);
    return damaged;
}

// What is done with each entry.
struct visit {
    bool read, list, clear;
    struct weft_cache_totals *totals;
};

static void print_entry(const char *name, const struct stat *st)
{
    char day[32] = "?";
    struct tm t;
    if (localtime_r(&st->st_mtim.tv_sec, &t))
        strftime(day, sizeof day, "%Y-%m-%d %H:%M", &t);
    const char *kind = name[0] == WEFT_CACHE_PROGRAM  ? "program"
                       : name[0] == WEFT_CACHE_KERNEL ? "kernel"
                                                      : "verdict";
    printf("%-8s %10lld  %s  %s\n", kind, (long long)st->st_size, day, name);
}

static void visit_file(int folder, const char *name, const struct visit *v)
{
    struct stat st;
    struct weft_hash key;
    struct weft_cache_totals *t = v->totals;
    if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode))
        return;
    const bool is_entry = weft_cache_entry_is_name(name, &key),
               is_limits = strncmp(name, WEFT_LIMITS_FILE, strlen(WEFT_LIMITS_FILE)) == 0;
    // When the cache is cleared, these are the bytes that it loses.
    if (is_entry || is_limits || !v->clear)
        t->bytes += (unsigned long long)st.st_blocks * 512;
    if (!is_entry) {
        t->others++;
        if (v->clear && is_limits)
            unlinkat(folder, name, 0);
        return;
    }
    t->programs += name[0] == WEFT_CACHE_PROGRAM;
    t->kernels += name[0] == WEFT_CACHE_KERNEL;
    t->verdicts += name[0] == WEFT_CACHE_VERDICTS;
    if (v->list)
        print_entry(name, &st);
    if (v->read && is_damaged(folder, name, key, st.st_size)) {
        t->damaged++;
        printf("damaged: %s\n", name);
    }
    if (v->clear)
        unlinkat(folder, name, 0);
}

// Files for debuggers lie two folders deeper.
static void visit_debug(int folder, const char *name, const struct visit *v)
{
    const int fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    if (!d) {
        if (fd >= 0)
            close(fd);
        return;
    }
    for (struct dirent *f; (f = readdir(d));) {
        struct stat st;
        if (f->d_name[0] == '.' || fstatat(fd, f->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        if (S_ISDIR(st.st_mode)) {
            visit_debug(fd, f->d_name, v);
        } else {
            v->totals->bytes += (unsigned long long)st.st_blocks * 512;
            v->totals->debug_files++;
            if (v->clear)
                unlinkat(fd, f->d_name, 0);
        }
    }
    closedir(d);
    if (v->clear)
        unlinkat(folder, name, AT_REMOVEDIR);
}

static bool visit_folder(const char *path, const struct visit *v)
{
    memset(v->totals, 0, sizeof *v->totals);
    DIR *d = opendir(path);
    if (!d)
        return false;
    for (struct dirent *f; (f = readdir(d));)
        visit_file(dirfd(d), f->d_name, v);
    visit_debug(dirfd(d), "debug", v);
    closedir(d);
    return true;
}

bool weft_cache_count(const char *folder, bool read, struct weft_cache_totals *totals)
{
    const struct visit v = {.read = read, .totals = totals};
    return visit_folder(folder, &v);
}

// Returns the exit status.
static int visit_and_tell(const char *folder, const struct visit *v)
{
    const struct weft_cache_totals *t = v->totals;
    weft_tool_progress(v->read ? "reading the disk cache" : "looking through the disk cache");
    const bool visited = visit_folder(folder, v);
    weft_tool_progress(NULL);
    if (!visited) {
        fprintf(stderr, "weft: %s can't be read\n", folder);
        return 1;
    }
    printf("%s: %u programs, %u kernels, %u verdicts of autotuning, %u files for debuggers; %.1f MiB%s\n",
           folder, t->programs, t->kernels, t->verdicts, t->debug_files, (double)t->bytes / (1 << 20),
           v->clear  ? "; removed"
           : v->read ? t->damaged ? "" : "; all are whole"
                     : "");
    return t->damaged != 0;
}

int weft_tool_cache(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "size";
    struct weft_cache_totals t;
    const struct visit v = {.read = strcmp(what, "verify") == 0,
                            .list = strcmp(what, "list") == 0,
                            .clear = strcmp(what, "clear") == 0,
                            .totals = &t};
    if (argc > 2 || (!v.read && !v.list && !v.clear && strcmp(what, "size") != 0))
        return weft_tool_usage(argv[0], argv[argc > 2 ? 2 : 1]);
    int status = 0;
    bool any = false;
    char *path;
    for (unsigned i = 0; (path = weft_cache_entry_folder(i)); i++) {
        weft_free(path);
        char *folder = i == 0 || !v.clear ? weft_cache_folder(i) : NULL; // the others are shared
        if (folder)
            status |= visit_and_tell(folder, &v);
        any = any || folder;
        weft_free(folder);
    }
    if (!any)
        puts("There is no cache folder yet.");
    return status;
}
