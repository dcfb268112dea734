// Finds the folders of the disk cache, once. The first one is made if it isn't there; the others belong to
// somebody who shares them.
//
// Those behind the first may be on a server that thousands of processes ask, so they aren't looked at before
// something is missing in the first one.
//
// An entry contains machine code, so folder and file must belong to the user, and nobody else may be able to
// write them. Folders behind the first may also be root's.
#include "runtime/compiler/cache_folders.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "base/cache_entry.h"
#include "runtime/compiler/disk_cache.h"

#define FOLDERS_MAX 16u

static pthread_once_t once = PTHREAD_ONCE_INIT;
// [0] is NULL if that folder can't be used. Never freed, because threads may still store while the process
// ends.
static char *folders[FOLDERS_MAX];
static unsigned count; // 0: no cache

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

bool weft_cache_is_trusted(const struct stat *st, bool is_first)
{
    return (st->st_uid == geteuid() || (!is_first && st->st_uid == 0)) &&
           (st->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

static const char *why_untrusted(const struct stat *st, bool is_first)
{
    if (weft_cache_is_trusted(st, is_first))
        return NULL;
    return is_first ? "the folder must belong to this user, and nobody else may write to it"
                    : "the folder must belong to this user or to root, and nobody else may write to it";
}

// Makes the first folder. A sentence: why it can't be the cache's. NULL: it can.
static const char *why_unusable(char *path, char *text, size_t size)
{
    struct stat st;
    if (!make_folders(path) || stat(path, &st) != 0)
        return weft_write_error(errno, text, size);
    return S_ISDIR(st.st_mode) ? why_untrusted(&st, true) : "this is no folder";
}

static void warn_without(const char *path, const char *why)
{
    weft_log(WEFT_LOG_WARN, "the disk cache does without a folder: %.200s: %s", path, why);
}

static void find_shared(void)
{
    char *path;
    for (unsigned i = 1; count < FOLDERS_MAX && (path = weft_cache_entry_folder(i)); i++) {
        if (path[0] == '/') {
            folders[count++] = path;
            continue;
        }
        warn_without(path, "it must begin with a slash");
        weft_free(path);
    }
}

static void find(void)
{
    if (!weft_config_uint(WEFT_CFG_CACHE) || !weft_config_uint(WEFT_CFG_CACHE_SIZE) || getauxval(AT_SECURE))
        return;
    const char *given = weft_config_str(WEFT_CFG_CACHE_DIR);
    if (given && given[0] != '/')
        weft_log(WEFT_LOG_WARN, "WEFT_CACHE_DIR=%.100s is ignored: it must begin with a slash", given);
    char *path = weft_cache_entry_folder(0);
    char text[128];
    const char *why = path ? why_unusable(path, text, sizeof text) : "no folder for it (set WEFT_CACHE_DIR)";
    count = 1;
    find_shared();
    if (!why) {
        folders[0] = path;
        return;
    }
    weft_log(given ? WEFT_LOG_WARN : WEFT_LOG_INFO, "%s: %s%s%s",
             count > 1 ? "nothing is stored in the disk cache" : "the disk cache is off", path ? path : "",
             path ? ": " : "", why);
    weft_free(path);
    if (count == 1)
        count = 0;
}

unsigned weft_cache_folder_count(void)
{
    pthread_once(&once, find);
    return count;
}

bool weft_cache_enabled(void)
{
    WEFT_NOT_CANCELLED;
    return weft_cache_folder_count() > 0;
}

const char *weft_cache_folder_path(unsigned index)
{
    return index < weft_cache_folder_count() ? folders[index] : NULL;
}

int weft_cache_folder_open(unsigned index)
{
    static atomic_bool warned[FOLDERS_MAX];
    const char *path = weft_cache_folder_path(index);
    if (!path)
        return -1;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct stat st;
    char text[128];
    const char *why = fd < 0 || fstat(fd, &st) != 0 ? weft_write_error(errno, text, sizeof text)
                                                    : why_untrusted(&st, index == 0);
    if (!why)
        return fd;
    if (fd >= 0)
        close(fd);
    if (index > 0 && !atomic_exchange(&warned[index], true))
        warn_without(path, why);
    return -1;
}

void weft_cache_temporary_name(char name[WEFT_CACHE_TEMPORARY])
{
    static _Atomic uint32_t counter;
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    snprintf(name, WEFT_CACHE_TEMPORARY, "tmp.%d.%u.%llx", (int)getpid(), atomic_fetch_add(&counter, 1),
             (unsigned long long)t.tv_sec * 1000000000ull + (unsigned long long)t.tv_nsec);
}

int64_t weft_cache_folder_now(int dir)
{
    char name[WEFT_CACHE_TEMPORARY];
    struct stat st;
    weft_cache_temporary_name(name);
    int fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return INT64_MIN;
    const bool known = fstat(fd, &st) == 0;
    close(fd);
    unlinkat(dir, name, 0);
    return known ? st.st_mtim.tv_sec : INT64_MIN;
}
