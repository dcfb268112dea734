// Names of files, complete writes, and texts for their errors.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "base/libc/libc.h"

void weft_file_name_of(char out[WEFT_FILE_NAME], const char *text)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+";
    size_t n = 0;
    for (; text[n] && n < WEFT_FILE_NAME - 1; n++)
        out[n] = (char)(strchr(allowed, text[n]) ? text[n] : '_');
    out[n] = '\0';
    if (n == 0 || out[0] == '.')
        memcpy(out, "_", n ? 1 : 2);
}

static bool write_all(int fd, const void *bytes, size_t size)
{
    const uint8_t *p = bytes;
    while (size > 0) {
        ssize_t done = write(fd, p, size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        p += done;
        size -= (size_t)done;
    }
    return true;
}

// A write beyond RLIMIT_FSIZE would raise SIGXFSZ on this thread, which may be the application's, and end the
// process.
bool weft_write_all(int fd, const void *bytes, size_t size)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return write_all(fd, bytes, size);
    sigset_t too_large, before, pending;
    sigemptyset(&too_large);
    sigaddset(&too_large, SIGXFSZ);
    sigemptyset(&pending);
    pthread_sigmask(SIG_BLOCK, &too_large, &before);
    sigpending(&pending);
    bool ok = write_all(fd, bytes, size);
    const int error = errno;
    const struct timespec now = {0};
    if (!ok && error == EFBIG &&
        !sigismember(&pending, SIGXFSZ)) // if one was pending before, it is the application's
        sigtimedwait(&too_large, NULL, &now);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return ok;
}

const char *weft_write_error(int error, char *room, size_t size)
{
    char text[128];
    const char *what = weft_error_text(error, text, sizeof text);
    struct rlimit limit;
    if (error == EFBIG && getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        snprintf(room, size, "%s: files of this process are limited to %llu bytes (RLIMIT_FSIZE, ulimit -f)",
                 what, (unsigned long long)limit.rlim_cur);
    else
        snprintf(room, size, "%s", what);
    return room;
}

struct weft_whole_file weft_whole_file_open(const char *path)
{
    struct weft_whole_file f = {.fd = -1, .path = path};
    struct stat st;
    const bool is_special = lstat(path, &st) == 0 && !S_ISREG(st.st_mode);
    if (!is_special && !(f.part = weft_format("%s.%d.part", path, (int)getpid()))) {
        errno = ENOMEM;
        return f;
    }
    // The part's name can be guessed, so nothing that somebody has put there is written to.
    if (f.part)
        unlink(f.part);
    f.fd = open(is_special ? path : f.part,
                O_WRONLY | O_CREAT | O_CLOEXEC | (is_special ? O_TRUNC : O_EXCL | O_NOFOLLOW), 0666);
    return f;
}

bool weft_whole_file_close(struct weft_whole_file *f, bool ok)
{
    int error = ok ? 0 : errno;
    if (f->fd >= 0 && close(f->fd) != 0 && !error)
        error = errno;
    if (f->part && f->fd >= 0 && !error && rename(f->part, f->path) != 0)
        error = errno;
    if (f->part && f->fd >= 0 && error)
        unlink(f->part);
    weft_free(f->part);
    ok = f->fd >= 0 && !error;
    *f = (struct weft_whole_file){.fd = -1};
    errno = error;
    return ok;
}
