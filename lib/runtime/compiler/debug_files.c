// Files for debuggers. A debugger opens them while the process runs, or later: it attaches late, or reads a
// core file. So nobody knows when one is no longer needed. A folder that nothing was written to for some
// weeks is removed when another process writes its first one.
#include "runtime/compiler/debug_files.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/private_files.h"
#include "runtime/compiler/disk_cache.h"

#define FOLDER "debug"

enum { KEPT_SECONDS = 14 * 24 * 3600 };

// ---- Names ----

static char *folder_of(const struct weft_debug_file *files, size_t count)
{
    struct weft_hash h = {0};
    for (size_t i = 0; i < count; i++)
        h = weft_hash_bytes(weft_hash_str(h, files[i].name), files[i].bytes, files[i].size);
    char name[64];
    snprintf(name, sizeof name, FOLDER "/%016" PRIx64 "%016" PRIx64, h.hi, h.lo);
    return weft_cache_path(name);
}

static char *path_in(const char *folder, const char *name)
{
    char safe[WEFT_FILE_NAME];
    weft_file_name_of(safe, name);
    return weft_format("%s/%s", folder, safe);
}

// The next word at or after *at, with its length; blanks and comments are skipped. Anything that isn't part
// of a name is a word of one character. NULL: the end.
static const char *next_word(const char **at, size_t *length)
{
    const char *p = *at;
    for (;;) {
        p += strspn(p, " \t\r\n\v\f\\");
        if (p[0] == '/' && p[1] == '/') {
            p += strcspn(p, "\n");
        } else if (p[0] == '/' && p[1] == '*') {
            const char *end = strstr(p + 2, "*/");
            p = end ? end + 2 : p + strlen(p);
        } else {
            break;
        }
    }
    size_t n = 0;
    while (isalnum((unsigned char)p[n]) || p[n] == '_')
        n++;
    *length = n ? n : 1;
    *at = *p ? p + *length : p;
    return *p ? p : NULL;
}

static bool is(const char *word, size_t length, const char *what)
{
    return strlen(what) == length && memcmp(word, what, length) == 0;
}

// Skips what is in brackets, from the opening one on.
static void skip_brackets(const char **at)
{
    const char *word;
    size_t length, depth = 0;
    while ((word = next_word(at, &length))) {
        depth += *word == '(';
        if (*word == ')' && --depth == 0)
            return;
    }
}

char *weft_debug_source_name(const char *source)
{
    const char *at = source, *word, *name = NULL;
    size_t length, name_length = 0;
    bool in_kernel = false;
    while ((word = next_word(&at, &length))) {
        if (is(word, length, "kernel") || is(word, length, "__kernel")) {
            in_kernel = true;
        } else if (in_kernel && is(word, length, "__attribute__")) {
            skip_brackets(&at);
        } else if (in_kernel && *word == '(' && name) {
            return weft_format("%.*s.cl", (int)name_length, name);
        } else if (isalnum((unsigned char)*word) || *word == '_') {
            name = word;
            name_length = length;
        } else {
            in_kernel = false;
        }
    }
    return weft_strdup("program.cl");
}

// ---- Writing ----

static void remove_folder(int in, const char *name)
{
    int fd = openat(in, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    if (!d) {
        if (fd >= 0)
            close(fd);
        return;
    }
    for (struct dirent *f; (f = readdir(d));)
        if (f->d_name[0] != '.')
            unlinkat(fd, f->d_name, 0);
    closedir(d);
    unlinkat(in, name, AT_REMOVEDIR);
}

static void remove_old(const char *all)
{
    DIR *d = opendir(all);
    if (!d)
        return;
    const time_t now = time(NULL);
    for (struct dirent *f; (f = readdir(d));) {
        struct stat st;
        if (f->d_name[0] != '.' && fstatat(dirfd(d), f->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISDIR(st.st_mode) && now - st.st_mtim.tv_sec > KEPT_SECONDS)
            remove_folder(dirfd(d), f->d_name);
    }
    closedir(d);
}

static bool make_folder(const char *path)
{
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

static bool write_file(const char *path, const struct weft_debug_file *file)
{
    static _Atomic uint32_t counter;
    char *temporary = weft_format("%s.%d.%u", path, (int)getpid(), counter++);
    int fd = temporary ? open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600) : -1;
    bool ok = fd >= 0 && weft_write_all(fd, file->bytes, file->size);
    if (fd >= 0)
        ok = close(fd) == 0 && ok;
    ok = ok && rename(temporary, path) == 0;
    if (!ok && fd >= 0)
        unlink(temporary);
    weft_free(temporary);
    return ok;
}

struct write_call {
    const struct weft_debug_file *files;
    size_t count;
    const char *all, *folder;
    bool ok;
};

static void call_write(void *arg)
{
    static _Atomic bool cleaned;
    struct write_call *c = arg;
    c->ok = make_folder(c->all) && make_folder(c->folder);
    if (c->ok && !atomic_exchange(&cleaned, true))
        remove_old(c->all);
    for (size_t i = 0; c->ok && i < c->count; i++) {
        char *path = path_in(c->folder, c->files[i].name);
        c->ok = path && write_file(path, &c->files[i]);
        weft_free(path);
    }
}

char *weft_debug_write(const struct weft_debug_file *files, size_t count)
{
    WEFT_NOT_CANCELLED;
    char *all = weft_cache_path(FOLDER), *folder = folder_of(files, count), *path = NULL;
    struct write_call c = {files, count, all, folder, false};
    if (all && folder)
        weft_private_files_call(call_write, &c);
    if (c.ok)
        path = path_in(folder, files[0].name);
    if (!path)
        weft_log(WEFT_LOG_INFO, "-g: there is no folder for what debuggers read (the disk cache is off, or "
                                "can't be written)");
    weft_free(all);
    weft_free(folder);
    return path;
}
