// The disk cache. Owns no threads, and no descriptors between calls. It is one flat folder with one file for
// each entry (base/cache_entry.h).
//
// An entry contains machine code, so folder and file must belong to the user, and nobody else may be able to
// write them. A file gets its name only by rename, so it appears as a whole or not at all. The checksum finds
// files that are damaged nevertheless. The modification time is the time of the last use, within an hour.
// When the folder exceeds WEFT_CACHE_SIZE, the entries that were unused for the longest time are removed.
#include "runtime/compiler/disk_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/arch/arch.h"
#include "base/base.h"
#include "base/cache_entry.h"
#include "base/private_files.h"
#include "runtime/compiler/client.h"
#include "runtime/compiler/compile_queue.h"
#include "runtime/compiler/spawn.h"
#include "weft/code_object.h"
#include "weft/kernel_abi.h"
#include "weft/protocol.h"
#include "weft/status.h"

#define TOUCH_SECONDS 3600
#define STALE_TEMPORARY_SECONDS 3600
#define TRIM_EVERY 64u // stores between two checks of the folder's size

// ---- The folder ----

static pthread_once_t folder_once = PTHREAD_ONCE_INIT;
// NULL: no cache. Never freed, because threads may still store while the process ends.
static char *folder;

static bool make_folders(char *path)
{
    for (char *p = path + 1;; p++) {
        if (*p != '/' && *p != '\0')
            continue;
        char was = *p;
        *p = '\0';
        bool ok = mkdir(path, 0700) == 0 || errno == EEXIST || errno == EROFS || errno == EACCES;
        *p = was;
        if (!ok)
            return false;
        if (was == '\0')
            return true;
    }
}

static bool is_private(const struct stat *st)
{
    return st->st_uid == geteuid() && (st->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

// Makes the folder. A sentence: why it can't be the cache's. NULL: it can.
static const char *why_unusable(char *path, char *text, size_t size)
{
    struct stat st;
    if (!make_folders(path) || stat(path, &st) != 0)
        return weft_write_error(errno, text, size);
    if (!S_ISDIR(st.st_mode))
        return "this is no folder";
    return is_private(&st) ? NULL : "the folder must belong to this user, and nobody else may write to it";
}

static void folder_find(void)
{
    if (!weft_config_uint(WEFT_CFG_CACHE) || !weft_config_uint(WEFT_CFG_CACHE_SIZE) || getauxval(AT_SECURE))
        return;
    const char *given = weft_config_str(WEFT_CFG_CACHE_DIR);
    if (given && given[0] != '/')
        weft_log(WEFT_LOG_WARN, "WEFT_CACHE_DIR=%.100s is ignored: it must begin with a slash", given);
    char *path = weft_cache_entry_folder();
    char text[128];
    const char *why = path ? why_unusable(path, text, sizeof text) : "no folder for it (set WEFT_CACHE_DIR)";
    if (!why) {
        folder = path;
        return;
    }
    weft_log(given ? WEFT_LOG_WARN : WEFT_LOG_INFO, "the disk cache is off: %s%s%s", path ? path : "",
             path ? ": " : "", why);
    weft_free(path);
}

static const char *folder_get(void)
{
    pthread_once(&folder_once, folder_find);
    return folder;
}

bool weft_cache_enabled(void)
{
    WEFT_NOT_CANCELLED;
    return folder_get() != NULL;
}

// Opens the folder and checks it again, because somebody may have opened it to other users meanwhile.
static int folder_open(void)
{
    const char *path = folder_get();
    if (!path)
        return -1;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct stat st;
    if (fd >= 0 && (fstat(fd, &st) != 0 || !is_private(&st))) {
        close(fd);
        return -1;
    }
    return fd;
}

// ---- Identity ----

static struct weft_hash hash_file_identity(struct weft_hash h, const char *path)
{
    struct stat st;
    uint64_t id[5] = {0};
    if (stat(path, &st) == 0) {
        id[0] = st.st_dev;
        id[1] = st.st_ino;
        id[2] = (uint64_t)st.st_size;
        id[3] = (uint64_t)st.st_mtim.tv_sec;
        id[4] = (uint64_t)st.st_mtim.tv_nsec;
    }
    return weft_hash_bytes(weft_hash_str(h, path), id, sizeof id);
}

static struct weft_hash hash_cpu(struct weft_hash h)
{
    uint64_t caps[2] = {getauxval(AT_HWCAP), getauxval(AT_HWCAP2)};
    h = weft_hash_bytes(h, caps, sizeof caps);
    return weft_arch_identity(h);
}

static pthread_once_t identity_once = PTHREAD_ONCE_INIT;
static struct weft_hash identity;

static void identity_find(void)
{
    struct weft_hash h = weft_hash_str((struct weft_hash){0}, "weft " WEFT_VERSION);
    uint64_t versions[] = {WEFT_CODE_OBJECT_VERSION,
                           WEFT_KERNEL_ABI_VERSION,
                           WEFT_PROTOCOL_VERSION,
                           WEFT_CACHE_ENTRY_VERSION,
                           weft_config_uint(WEFT_CFG_VF),
                           weft_config_uint(WEFT_CFG_INTERLEAVE),
                           weft_config_uint(WEFT_CFG_IMAGE_READS)};
    h = weft_hash_bytes(h, versions, sizeof versions);
    const char *cpu = weft_config_str(WEFT_CFG_CPU);
    // Even if WEFT_CPU names another processor: weftc falls back to this one if it doesn't know it.
    h = hash_cpu(h);
    if (cpu)
        h = weft_hash_str(h, cpu);
    const char *weftc = weft_compiler_path();
    if (weftc) {
        h = hash_file_identity(h, weftc);
        const char *slash = strrchr(weftc, '/');
        char *builtins =
            weft_format("%.*s/builtins.pack", slash ? (int)(slash - weftc) : 1, slash ? weftc : ".");
        if (builtins)
            h = hash_file_identity(h, builtins);
        weft_free(builtins);
    }
    identity = h;
}

struct weft_hash weft_cache_identity(void)
{
    WEFT_NOT_CANCELLED;
    pthread_once(&identity_once, identity_find);
    return identity;
}

// ---- Reading ----

static bool read_all(int fd, uint8_t *p, size_t n)
{
    while (n > 0) {
        ssize_t got = read(fd, p, n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        p += got;
        n -= (size_t)got;
    }
    return true;
}

static weft_status read_entry(int fd, struct weft_hash key, uint8_t **bytes, size_t *size)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return WEFT_IO;
    if (!S_ISREG(st.st_mode) || !is_private(&st) || st.st_size < WEFT_CACHE_ENTRY_HEADER ||
        st.st_size > WEFT_CACHE_ENTRY_MAX)
        return WEFT_DAMAGED;
    size_t all = (size_t)st.st_size;
    uint8_t *p = weft_alloc(all);
    if (!p)
        return WEFT_NO_MEMORY;
    weft_status status = read_all(fd, p, all) ? weft_cache_entry_check(p, all, key) : WEFT_IO;
    if (status != WEFT_OK) {
        weft_free(p);
        return status;
    }
    *size = all - WEFT_CACHE_ENTRY_HEADER;
    memmove(p, p + WEFT_CACHE_ENTRY_HEADER, *size);
    *bytes = p;
    if (time(NULL) - st.st_mtim.tv_sec > TOUCH_SECONDS)
        futimens(fd, NULL);
    return WEFT_OK;
}

weft_status weft_cache_load(enum weft_cache_kind kind, struct weft_hash key, uint8_t **bytes, size_t *size)
{
    WEFT_NOT_CANCELLED;
    *bytes = NULL;
    *size = 0;
    int dir = folder_open();
    if (dir < 0)
        return WEFT_NOT_FOUND;
    char name[WEFT_CACHE_ENTRY_NAME];
    weft_cache_entry_name(name, kind, key);
    int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    weft_status status = fd >= 0 ? read_entry(fd, key, bytes, size) : WEFT_NOT_FOUND;
    if (fd >= 0)
        close(fd);
    if (status == WEFT_DAMAGED) {
        weft_log(WEFT_LOG_INFO, "the cache entry %s is damaged and will be replaced", name);
        unlinkat(dir, name, 0);
    }
    close(dir);
    return status;
}

// ---- Size ----

struct entry {
    char name[WEFT_CACHE_ENTRY_NAME];
    uint64_t bytes;
    int64_t used; // seconds
};

struct entries {
    struct entry *at;
    size_t count, capacity;
    uint64_t bytes;
};

static int by_use(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    return (x->used > y->used) - (x->used < y->used);
}

static bool add_entry(struct entries *e, const char *name, const struct stat *st)
{
    if (e->count == e->capacity) {
        size_t capacity = e->capacity ? 2 * e->capacity : 256, bytes;
        struct entry *at = weft_mul_size(capacity, sizeof *at, &bytes) ? weft_realloc(e->at, bytes) : NULL;
        if (!at)
            return false;
        e->at = at;
        e->capacity = capacity;
    }
    struct entry *n = &e->at[e->count++];
    memcpy(n->name, name, WEFT_CACHE_ENTRY_NAME);
    n->bytes = (uint64_t)st->st_blocks * 512;
    n->used = st->st_mtim.tv_sec;
    e->bytes += n->bytes;
    return true;
}

// Removes old entries until the cache fits the limit, and old temporary files. Takes over the folder's
// descriptor.
static void trim(int dir, uint64_t limit)
{
    DIR *d = fdopendir(dir);
    if (!d) {
        close(dir);
        return;
    }
    struct entries e = {0};
    time_t now = time(NULL);
    for (struct dirent *f; (f = readdir(d));) {
        struct stat st;
        if (fstatat(dirfd(d), f->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode))
            continue;
        if (weft_cache_entry_is_name(f->d_name, NULL))
            add_entry(&e, f->d_name, &st);
        else if (strncmp(f->d_name, "tmp.", 4) == 0 && now - st.st_mtim.tv_sec > STALE_TEMPORARY_SECONDS)
            unlinkat(dirfd(d), f->d_name, 0);
    }
    if (e.bytes > limit) {
        qsort(e.at, e.count, sizeof *e.at, by_use);
        uint64_t goal = limit - limit / 10; // leaves some space, so that not every store has to trim
        for (size_t i = 0; i < e.count && e.bytes > goal; i++) {
            unlinkat(dirfd(d), e.at[i].name, 0);
            e.bytes -= e.at[i].bytes;
        }
    }
    weft_free(e.at);
    closedir(d);
}

// ---- Writing ----

static void temporary_name(char *out, size_t size)
{
    static _Atomic uint32_t counter;
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    snprintf(out, size, "tmp.%d.%u.%llx", (int)getpid(), atomic_fetch_add(&counter, 1),
             (unsigned long long)t.tv_sec * 1000000000ull + (unsigned long long)t.tv_nsec);
}

static weft_status store(enum weft_cache_kind kind, struct weft_hash key, const void *bytes, size_t size)
{
    static _Atomic uint32_t stores;
    if (size > WEFT_CACHE_ENTRY_MAX - WEFT_CACHE_ENTRY_HEADER)
        return WEFT_INVALID;
    int dir = folder_open();
    if (dir < 0)
        return WEFT_NOT_FOUND;
    struct weft_buf head = {0};
    weft_cache_entry_begin(&head, key, bytes, size);
    char temporary[80], name[WEFT_CACHE_ENTRY_NAME];
    temporary_name(temporary, sizeof temporary);
    weft_cache_entry_name(name, kind, key);
    int fd =
        head.failed ? -1 : openat(dir, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    bool ok = fd >= 0 && weft_write_all(fd, head.data, head.size) && weft_write_all(fd, bytes, size);
    if (fd >= 0)
        ok = close(fd) == 0 && ok;
    ok = ok && renameat(dir, temporary, dir, name) == 0;
    if (!ok && fd >= 0)
        unlinkat(dir, temporary, 0);
    weft_buf_free(&head);
    if (ok && atomic_fetch_add(&stores, 1) % TRIM_EVERY == 0)
        trim(dir, weft_config_uint(WEFT_CFG_CACHE_SIZE) << 20);
    else
        close(dir);
    return ok ? WEFT_OK : WEFT_IO;
}

struct write_call {
    enum weft_cache_kind kind;
    struct weft_hash key;
    const void *bytes;
    size_t size;
    weft_status status;
};

static void call_store(void *arg)
{
    struct write_call *c = arg;
    c->status = store(c->kind, c->key, c->bytes, c->size);
}

weft_status weft_cache_write(enum weft_cache_kind kind, struct weft_hash key, const void *bytes, size_t size)
{
    WEFT_NOT_CANCELLED;
    struct write_call c = {kind, key, bytes, size, WEFT_NOT_FOUND};
    if (weft_cache_enabled())
        weft_private_files_call(call_store, &c);
    return c.status;
}

struct store {
    struct weft_compile_job job;
    enum weft_cache_kind kind;
    struct weft_hash key;
    struct weft_buf bytes;
};

static void store_run(struct weft_compile_job *j)
{
    struct store *s = WEFT_CONTAINER_OF(j, struct store, job);
    weft_cache_write(s->kind, s->key, s->bytes.data, s->bytes.size);
    weft_compile_queue_conclude(j, NULL);
    weft_buf_free(&s->bytes);
    weft_free(s);
}

void weft_cache_store(enum weft_cache_kind kind, struct weft_hash key, struct weft_buf *bytes)
{
    struct store *s = !bytes->failed && weft_cache_enabled() ? weft_zalloc(sizeof *s) : NULL;
    if (s) {
        s->job = (struct weft_compile_job){.run = store_run, .finish_at_exit = true};
        s->kind = kind;
        s->key = key;
        s->bytes = *bytes;
        *bytes = (struct weft_buf){0};
        weft_compile_queue_push(&s->job, WEFT_COMPILE_LATER);
    }
    weft_buf_free(bytes);
}

// ---- Other files in the folder ----

char *weft_cache_path(const char *name)
{
    WEFT_NOT_CANCELLED;
    int dir = folder_open();
    if (dir < 0)
        return NULL;
    close(dir);
    return weft_format("%s/%s", folder, name);
}

int weft_cache_private_file(char **path)
{
    WEFT_NOT_CANCELLED;
    char name[80];
    temporary_name(name, sizeof name);
    *path = weft_cache_path(name);
    int fd = *path ? open(*path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600) : -1;
    if (fd < 0) {
        weft_free(*path);
        *path = NULL;
    }
    return fd;
}
