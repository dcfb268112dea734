// Reproducers: a source or bitcode that made a compiler fail, as <hash>.cl or <hash>.bc. Its options are in
// <hash>.options; for bitcode the first line is the kernel's name. If more is needed (embedded headers, a
// link), the whole request is saved as <hash>.request. They are in the folder `crash` of the disk cache or,
// without one, in a private folder for temporary files. Owns nothing between calls.
#include "runtime/compiler/reproducer.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "runtime/compiler/disk_cache.h"
#include "runtime/compiler/spawn.h"
#include "weft/protocol.h"
#include "weft/status.h"

#define MAX_FILES 200 // beyond that the oldest files are removed

bool weft_reproducer_wanted(weft_status status)
{
    return status == WEFT_CRASHED || status == WEFT_TIMEOUT || status == WEFT_DAMAGED ||
           status == WEFT_NO_MEMORY || status == WEFT_INTERNAL;
}

static char *folder_name(void)
{
    char *cache = weft_cache_path("crash");
    if (cache || getauxval(AT_SECURE))
        return cache;
    const char *temporary = secure_getenv("TMPDIR");
    return weft_format("%s/weft-crash-%u", temporary && temporary[0] == '/' ? temporary : "/tmp",
                       (unsigned)geteuid());
}

static bool is_part_of_one(const char *name)
{
    const char *end = strrchr(name, '.');
    return end && (!strcmp(end, ".cl") || !strcmp(end, ".bc") || !strcmp(end, ".options") ||
                   !strcmp(end, ".request"));
}

// Removes the oldest file if there are MAX_FILES. False: there are too many files, and none can be removed.
static bool make_room(int dir)
{
    int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = copy >= 0 ? fdopendir(copy) : NULL;
    if (!d) {
        if (copy >= 0)
            close(copy);
        return false;
    }
    int count = 0;
    char oldest[NAME_MAX + 1] = "";
    struct timespec since = {0};
    for (struct dirent *e; (e = readdir(d)); count++) {
        struct stat st;
        if (!is_part_of_one(e->d_name) || fstatat(dir, e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        bool older = st.st_mtim.tv_sec < since.tv_sec ||
                     (st.st_mtim.tv_sec == since.tv_sec && st.st_mtim.tv_nsec < since.tv_nsec);
        if (!oldest[0] || older) {
            since = st.st_mtim;
            snprintf(oldest, sizeof oldest, "%s", e->d_name);
        }
    }
    closedir(d);
    return count < MAX_FILES || (oldest[0] && unlinkat(dir, oldest, 0) == 0);
}

// Opens the folder, and creates it if needed. A folder that others may write to isn't used: another user may
// have created it.
static int folder_open(const char *path)
{
    mkdir(path, 0700);
    int dir = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat st;
    if (dir >= 0 && (fstat(dir, &st) != 0 || st.st_uid != geteuid() || (st.st_mode & (S_IWGRP | S_IWOTH)))) {
        close(dir);
        return -1;
    }
    return dir;
}

static bool write_file(int dir, const char *name, const void *head, size_t head_size, const void *bytes,
                       size_t size)
{
    int fd =
        !make_room(dir) ? -1 : openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return false;
    bool ok = weft_write_all(fd, head, head_size) && weft_write_all(fd, bytes, size);
    return close(fd) == 0 && ok;
}

char *weft_reproducer_save(const void *bytes, size_t size, const char *kernel, const char *options)
{
    WEFT_NOT_CANCELLED;
    char *folder = folder_name(), *path = NULL;
    int dir = folder ? folder_open(folder) : -1;
    if (dir >= 0) {
        struct weft_hash h = weft_hash_str(weft_hash_bytes((struct weft_hash){0}, bytes, size), options);
        char hex[33], name[48];
        weft_hash_hex(kernel ? weft_hash_str(h, kernel) : h, hex);
        char *head = kernel ? weft_format("%s\n", kernel) : weft_strdup("");
        snprintf(name, sizeof name, "%.16s.options", hex);
        bool ok = head && write_file(dir, name, head, strlen(head), options, strlen(options));
        weft_free(head);
        snprintf(name, sizeof name, "%.16s.%s", hex, kernel ? "bc" : "cl");
        if (ok && write_file(dir, name, NULL, 0, bytes, size))
            path = weft_format("%s/%s", folder, name);
        close(dir);
    }
    weft_free(folder);
    return path;
}

// Saves a whole request to the compiler, where a source and its options don't suffice. Returns the path (the
// caller's), or NULL if it can't be written.
static char *save_request(enum weft_message type, const struct weft_buf *payload)
{
    char *folder = folder_name(), *path = NULL;
    int dir = folder && !payload->failed ? folder_open(folder) : -1;
    if (dir >= 0) {
        struct weft_buf head = {0};
        weft_put_u32(&head, WEFT_REPLAY_MAGIC);
        weft_put_u32(&head, WEFT_PROTOCOL_VERSION);
        weft_put_u32(&head, (uint32_t)type);
        char hex[33], name[48];
        weft_hash_hex(weft_hash_bytes((struct weft_hash){0}, payload->data, payload->size), hex);
        snprintf(name, sizeof name, "%.16s.request", hex);
        if (!head.failed && write_file(dir, name, head.data, head.size, payload->data, payload->size))
            path = weft_format("%s/%s", folder, name);
        weft_buf_free(&head);
        close(dir);
    }
    weft_free(folder);
    return path;
}

// Takes over path.
static char *sentence_with(char *path)
{
    const char *weftc = weft_compiler_path();
    char *sentence = path ? weft_format("To reproduce this: %s --replay %s\n", weftc ? weftc : "weftc", path)
                          : weft_strdup("");
    weft_free(path);
    return sentence;
}

char *weft_reproducer_sentence(const void *bytes, size_t size, const char *kernel, const char *options)
{
    return sentence_with(weft_reproducer_save(bytes, size, kernel, options));
}

char *weft_reproducer_request_sentence(enum weft_message type, const struct weft_buf *payload)
{
    return sentence_with(save_request(type, payload));
}
