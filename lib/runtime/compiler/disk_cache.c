// The entries of the disk cache. Owns no threads, and no descriptors between calls. A folder of it is flat
// and has one file for each entry (base/cache_entry.h). cache_folders.c finds the folders.
//
// A file gets its name only by rename, so it appears as a whole or not at all, also on NFS. The checksum
// finds files that are damaged nevertheless. The modification time is the time of the last use, within an
// hour. When the folder exceeds WEFT_CACHE_SIZE, the entries and the files for debuggers that were unused for
// the longest time are removed.
//
// Only the first folder is written. What is found in another one is copied to it, by one of the processes
// that want it. So the server of a shared folder is asked once by each machine, however many processes start.
#include "runtime/compiler/disk_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "base/cache_entry.h"
#include "base/private_files.h"
#include "runtime/compiler/cache_claim.h"
#include "runtime/compiler/cache_folders.h"
#include "runtime/compiler/cache_identity.h"
#include "runtime/compiler/cache_read.h"
#include "runtime/compiler/compile_queue.h"
#include "weft/status.h"

#define STALE_TEMPORARY_SECONDS 3600
#define DEBUGGED_SECONDS 86400 // a process that uses files for debuggers may run for so long
#define CLAIMED_MAX 64u
#define POLL_NS_MIN 1000000u
#define POLL_NS_MAX 250000000u
#define TRIM_EVERY 64u // stores between two checks of the folder's size

// ---- Reading ----

// From the folders behind the first. Returns the first failure that isn't a missing entry.
static weft_status load_shared(enum weft_cache_kind kind, struct weft_hash key, uint8_t **bytes, size_t *size)
{
    weft_status result = WEFT_NOT_FOUND;
    for (unsigned i = 1; i < weft_cache_folder_count(); i++) {
        const weft_status status = weft_cache_read(i, kind, key, bytes, size);
        if (status == WEFT_OK || status == WEFT_NO_MEMORY)
            return status;
        if (result == WEFT_NOT_FOUND)
            result = status;
    }
    return result;
}

static void copy_to_first(enum weft_cache_kind kind, struct weft_hash key, const void *bytes, size_t size);
static bool await(struct weft_cache_claim *claim, bool asks);

// One process of this machine asks the shared folders; the others wait for its copy, or its note that they
// have none.
static weft_status ask_shared(enum weft_cache_kind kind, struct weft_hash key, uint8_t **bytes, size_t *size)
{
    struct weft_cache_claim claim = {.kind = kind, .key = key};
    if (weft_claim_is_none_noted(kind, key))
        return WEFT_NOT_FOUND;
    if (await(&claim, true)) {
        const weft_status again = weft_cache_read(0, kind, key, bytes, size);
        if (again == WEFT_OK || again == WEFT_NO_MEMORY || weft_claim_is_none_noted(kind, key))
            return again;
    }
    const weft_status shared = load_shared(kind, key, bytes, size);
    if (shared == WEFT_OK && claim.held)
        copy_to_first(kind, key, *bytes, *size);
    if (shared == WEFT_NOT_FOUND && (kind == WEFT_CACHE_PROGRAM || kind == WEFT_CACHE_KERNEL))
        weft_cache_ask_compiler();
    if (claim.held)
        weft_claim_give_up(&claim, shared == WEFT_NOT_FOUND);
    return shared;
}

weft_status weft_cache_load(enum weft_cache_kind kind, struct weft_hash key, uint8_t **bytes, size_t *size)
{
    WEFT_NOT_CANCELLED;
    *bytes = NULL;
    *size = 0;
    weft_status status = weft_cache_enabled() ? weft_cache_read(0, kind, key, bytes, size) : WEFT_NOT_FOUND;
    if (status == WEFT_OK || status == WEFT_NO_MEMORY || weft_cache_folder_count() < 2)
        return status;
    const weft_status shared = ask_shared(kind, key, bytes, size);
    return shared == WEFT_NOT_FOUND ? status : shared;
}

// ---- Size ----

struct entry {
    char name[WEFT_CACHE_ENTRY_NAME];
    uint64_t bytes;
    int64_t used;   // seconds
    bool is_folder; // of WEFT_CACHE_DEBUG
};

struct entries {
    struct entry *at;
    size_t count, capacity;
    uint64_t bytes; // with what isn't to be removed
};

static int by_use(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    return (x->used > y->used) - (x->used < y->used);
}

static bool add_entry(struct entries *e, const char *name, uint64_t bytes, int64_t used, bool is_folder)
{
    if (e->count == e->capacity) {
        size_t capacity = e->capacity ? 2 * e->capacity : 256, room;
        struct entry *at = weft_mul_size(capacity, sizeof *at, &room) ? weft_realloc(e->at, room) : NULL;
        if (!at)
            return false;
        e->at = at;
        e->capacity = capacity;
    }
    struct entry *n = &e->at[e->count++];
    *n = (struct entry){.bytes = bytes, .used = used, .is_folder = is_folder};
    snprintf(n->name, sizeof n->name, "%s", name);
    e->bytes += bytes;
    return true;
}

static DIR *open_in(int folder, const char *name)
{
    const int fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    if (!d && fd >= 0)
        close(fd);
    return d;
}

void weft_cache_remove_folder(int in, const char *name)
{
    DIR *d = open_in(in, name);
    if (!d)
        return;
    for (struct dirent *f; (f = readdir(d));)
        if (f->d_name[0] != '.')
            unlinkat(dirfd(d), f->d_name, 0);
    closedir(d);
    unlinkat(in, name, AT_REMOVEDIR);
}

static uint64_t bytes_of_folder(int in, const char *name)
{
    DIR *d = open_in(in, name);
    uint64_t bytes = 0;
    struct stat st;
    for (struct dirent *f; d && (f = readdir(d));)
        if (fstatat(dirfd(d), f->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode))
            bytes += (uint64_t)st.st_blocks * 512;
    if (d)
        closedir(d);
    return bytes;
}

static bool is_older(const struct stat *st, int64_t now, int64_t seconds)
{
    return st->st_mtim.tv_sec < now && now - st->st_mtim.tv_sec > seconds;
}

// Adds the files for debuggers. Those that a running process may use stay. They count for half the limit at
// most, so that there is room for entries whatever is debugged.
static void add_debug_files(struct entries *e, DIR *debug, uint64_t limit, int64_t now)
{
    uint64_t staying = 0;
    struct stat st;
    for (struct dirent *f; (f = readdir(debug));) {
        if (f->d_name[0] == '.' || strlen(f->d_name) >= WEFT_CACHE_ENTRY_NAME ||
            fstatat(dirfd(debug), f->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(st.st_mode))
            continue;
        const uint64_t bytes = bytes_of_folder(dirfd(debug), f->d_name);
        if (is_older(&st, now, DEBUGGED_SECONDS))
            add_entry(e, f->d_name, bytes, st.st_mtim.tv_sec, true);
        else
            staying += bytes;
    }
    e->bytes += staying < limit / 2 ? staying : limit / 2;
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
    const int64_t now = weft_cache_folder_now(dirfd(d));
    for (struct dirent *f; (f = readdir(d));) {
        struct stat st;
        if (fstatat(dirfd(d), f->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode))
            continue;
        if (weft_cache_entry_is_name(f->d_name, NULL)) {
            if (f->d_name[0] !=
                WEFT_CACHE_COMPILER) // the rest is of no use without it, where there is no weftc
                add_entry(&e, f->d_name, (uint64_t)st.st_blocks * 512, st.st_mtim.tv_sec, false);
        } else if (strncmp(f->d_name, "tmp.", 4) == 0 && is_older(&st, now, STALE_TEMPORARY_SECONDS))
            unlinkat(dirfd(d), f->d_name, 0);
    }
    DIR *debug = open_in(dirfd(d), WEFT_CACHE_DEBUG);
    if (debug)
        add_debug_files(&e, debug, limit, now);
    if (e.bytes > limit) {
        qsort(e.at, e.count, sizeof *e.at, by_use);
        uint64_t goal = limit - limit / 10; // leaves some space, so that not every store has to trim
        for (size_t i = 0; i < e.count && e.bytes > goal; i++) {
            if (e.at[i].is_folder)
                weft_cache_remove_folder(dirfd(debug), e.at[i].name);
            else
                unlinkat(dirfd(d), e.at[i].name, 0);
            e.bytes -= e.at[i].bytes;
        }
    }
    weft_free(e.at);
    if (debug)
        closedir(debug);
    closedir(d);
}

// ---- Writing ----

static weft_status store(enum weft_cache_kind kind, struct weft_hash key, const void *bytes, size_t size)
{
    if (size > WEFT_CACHE_ENTRY_MAX - WEFT_CACHE_ENTRY_HEADER)
        return WEFT_INVALID;
    int dir = weft_cache_folder_open(0);
    if (dir < 0)
        return WEFT_NOT_FOUND;
    struct weft_buf head = {0};
    weft_cache_entry_begin(&head, key, bytes, size);
    char temporary[WEFT_CACHE_TEMPORARY], name[WEFT_CACHE_ENTRY_NAME];
    weft_cache_temporary_name(temporary);
    weft_cache_entry_name(name, kind, key);
    int fd =
        head.failed ? -1 : openat(dir, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    bool ok = fd >= 0 && weft_write_all(fd, head.data, head.size) && weft_write_all(fd, bytes, size);
    if (fd >= 0)
        ok = close(fd) == 0 && ok;
    ok = ok && renameat(dir, temporary, dir, name) == 0;
    if (ok && weft_cache_folder_count() > 1)
        weft_claim_forget_none(dir, kind, key);
    if (!ok && fd >= 0)
        unlinkat(dir, temporary, 0);
    weft_buf_free(&head);
    close(dir);
    return ok ? WEFT_OK : WEFT_IO;
}

// Says in the folder which compiler fills it, once in each process.
static void store_compiler(void)
{
    static atomic_bool done;
    struct weft_hash key;
    struct weft_buf now = {0};
    uint8_t *before;
    size_t size;
    if (atomic_exchange(&done, true) || !weft_cache_compiler_entry(&key, &now))
        return;
    if (weft_cache_read(0, WEFT_CACHE_COMPILER, key, &before, &size) == WEFT_OK) {
        const bool same = size == now.size && memcmp(before, now.data, size) == 0;
        weft_free(before);
        if (same) {
            weft_buf_free(&now);
            return;
        }
    }
    store(WEFT_CACHE_COMPILER, key, now.data, now.size);
    weft_buf_free(&now);
}

struct write_call {
    enum weft_cache_kind kind;
    struct weft_hash key;
    const void *bytes;
    size_t size;
    bool is_copy;
    weft_status status;
};

static void call_store(void *arg)
{
    static _Atomic uint32_t stores, first; // first: somewhere, or each process that starts would look
    struct write_call *c = arg;
    uint32_t none = 0;
    atomic_compare_exchange_strong(&first, &none, 1 + (uint32_t)(weft_time_now() / 1024) % TRIM_EVERY);
    c->status = store(c->kind, c->key, c->bytes, c->size);
    if (c->status != WEFT_OK)
        return;
    if (!c->is_copy)
        store_compiler();
    const uint32_t n = atomic_fetch_add(&stores, 1) + atomic_load(&first);
    int dir = n % TRIM_EVERY == 0 ? weft_cache_folder_open(0) : -1;
    if (dir >= 0)
        trim(dir, weft_config_uint(WEFT_CFG_CACHE_SIZE) << 20);
}

weft_status weft_cache_write(enum weft_cache_kind kind, struct weft_hash key, const void *bytes, size_t size)
{
    WEFT_NOT_CANCELLED;
    struct write_call c = {kind, key, bytes, size, false, WEFT_NOT_FOUND};
    if (weft_cache_enabled())
        weft_private_files_call(call_store, &c);
    return c.status;
}

struct store {
    struct weft_compile_job job;
    enum weft_cache_kind kind;
    struct weft_hash key;
    struct weft_buf bytes;
    struct weft_cache_claim claim;
    _Atomic(struct store *) *place; // in `claimed`, or NULL
    atomic_int users;               // the job, and the thread that writes
};

// Stores whose claims other processes may wait for. Whoever empties a place writes that entry.
static _Atomic(struct store *) claimed[CLAIMED_MAX];

// ---- Entries that others wait for ----

static void leave(struct store *s)
{
    if (atomic_fetch_sub(&s->users, 1) > 1)
        return;
    weft_buf_free(&s->bytes);
    weft_free(s);
}

static void write_entry(struct store *s)
{
    struct write_call c = {s->kind, s->key, s->bytes.data, s->bytes.size, false, WEFT_OK};
    weft_private_files_call(call_store, &c);
    weft_cache_unclaim(&s->claim);
}

static void store_run(struct weft_compile_job *j)
{
    struct store *s = WEFT_CONTAINER_OF(j, struct store, job), *expected = s;
    const bool mine = !s->place || atomic_compare_exchange_strong(s->place, &expected, NULL);
    if (mine)
        write_entry(s);
    weft_compile_queue_conclude(j, NULL);
    if (mine)
        leave(s);
    leave(s);
}

void weft_cache_store_claimed(void)
{
    for (unsigned i = 0; i < CLAIMED_MAX; i++) {
        struct store *s = atomic_load(&claimed[i]) ? atomic_exchange(&claimed[i], NULL) : NULL;
        if (s) {
            write_entry(s);
            leave(s);
        }
    }
}

static bool await(struct weft_cache_claim *claim, bool asks)
{
    struct weft_claim_watch watch = {.asks = asks};
    enum weft_claim taken;
    const uint64_t since = weft_time_now();
    while ((taken = weft_claim_take(claim, &watch)) == WEFT_CLAIM_ANOTHERS &&
           !weft_compile_queue_is_ending()) {
        weft_cache_store_claimed();
        weft_claim_keep();
        // A quarter of the time so far: few questions to a server, and none waits for much too long.
        uint64_t pause = (weft_time_now() - since) / 4;
        pause = pause < POLL_NS_MIN ? POLL_NS_MIN : pause < POLL_NS_MAX ? pause : POLL_NS_MAX;
        nanosleep(&(struct timespec){0, (long)pause}, NULL);
    }
    return taken == WEFT_CLAIM_MADE || taken == WEFT_CLAIM_GIVEN_UP;
}

bool weft_cache_await(enum weft_cache_kind kind, struct weft_hash key, struct weft_cache_claim *claim)
{
    WEFT_NOT_CANCELLED;
    *claim = (struct weft_cache_claim){.kind = kind, .key = key};
    return await(claim, false);
}

void weft_cache_unclaim(struct weft_cache_claim *claim)
{
    WEFT_NOT_CANCELLED;
    if (claim->held)
        weft_claim_give_up(claim, false);
}

// Without a place, others may wait for longer. Once s has one, another thread may write the entry and give
// up the claim; only the job's use of s is left.
static void find_place(struct store *s)
{
    if (!s->claim.held)
        return;
    for (unsigned i = 0; i < CLAIMED_MAX; i++) {
        struct store *none = NULL;
        s->place = &claimed[i];
        if (atomic_compare_exchange_strong(&claimed[i], &none, s))
            return;
    }
    s->place = NULL;
}

void weft_cache_store(enum weft_cache_kind kind, struct weft_hash key, struct weft_buf *bytes,
                      struct weft_cache_claim *claim)
{
    struct store *s = !bytes->failed && weft_cache_enabled() ? weft_zalloc(sizeof *s) : NULL;
    if (s) {
        s->job = (struct weft_compile_job){.run = store_run, .finish_at_exit = true};
        s->kind = kind;
        s->key = key;
        s->bytes = *bytes;
        *bytes = (struct weft_buf){0};
        if (claim) {
            s->claim = *claim;
            claim->held = false;
        }
        atomic_store(&s->users, 2);
        find_place(s);
        weft_compile_queue_push(&s->job, WEFT_COMPILE_LATER);
    }
    if (claim)
        weft_cache_unclaim(claim);
    weft_buf_free(bytes);
}

// Now rather than in the background: others wait.
static void copy_to_first(enum weft_cache_kind kind, struct weft_hash key, const void *bytes, size_t size)
{
    struct write_call c = {kind, key, bytes, size, true, WEFT_OK};
    weft_private_files_call(call_store, &c);
}

// ---- Other files in the folder ----

char *weft_cache_path(const char *name)
{
    WEFT_NOT_CANCELLED;
    int dir = weft_cache_folder_open(0);
    if (dir < 0)
        return NULL;
    close(dir);
    return weft_format("%s/%s", weft_cache_folder_path(0), name);
}

int weft_cache_private_file(char **path)
{
    WEFT_NOT_CANCELLED;
    char name[WEFT_CACHE_TEMPORARY];
    weft_cache_temporary_name(name);
    *path = weft_cache_path(name);
    int fd = *path ? open(*path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600) : -1;
    if (fd < 0) {
        weft_free(*path);
        *path = NULL;
    }
    return fd;
}
