// Files for debuggers. A debugger opens them while the process runs, or later: it attaches late, or reads a
// core file. So nobody knows when one is no longer needed. A folder that nothing was written to for some
// weeks is removed when another process writes its first one; earlier if the disk cache is full
// (disk_cache.c).
#include "runtime/compiler/debug_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/text/kernel_name.h"
#include "base/private_files.h"
#include "runtime/compiler/disk_cache.h"

enum { KEPT_SECONDS = 14 * 24 * 3600 };

// ---- Names ----

static char *folder_of(const struct weft_debug_file *files, size_t count)
{
    struct weft_hash h = {0};
    for (size_t i = 0; i < count; i++)
        h = weft_hash_bytes(weft_hash_str(h, files[i].name), files[i].bytes, files[i].size);
    char name[64];
    snprintf(name, sizeof name, WEFT_CACHE_DEBUG "/%016" PRIx64 "%016" PRIx64, h.hi, h.lo);
    return weft_cache_path(name);
}

static char *path_in(const char *folder, const char *name)
{
    char safe[WEFT_FILE_NAME];
    weft_file_name_of(safe, name);
    return weft_format("%s/%s", folder, safe);
}

char *weft_debug_source_name(const char *source)
{
    char *kernel = weft_first_kernel_name(source), *name = weft_format("%s.cl", kernel ? kernel : "program");
    weft_free(kernel);
    return name;
}

// ---- Writing ----

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
            weft_cache_remove_folder(dirfd(d), f->d_name);
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
    char *all = weft_cache_path(WEFT_CACHE_DEBUG), *folder = folder_of(files, count), *path = NULL;
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
