// Reads entries of the disk cache and checks them.
#include "runtime/compiler/cache_read.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "runtime/compiler/cache_folders.h"

#define TOUCH_SECONDS 3600

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

static weft_status read_entry(int fd, struct weft_hash key, bool is_first, uint8_t **bytes, size_t *size)
{
    struct stat st;
    if (fstat(fd, &st) != 0)
        return WEFT_IO;
    if (!S_ISREG(st.st_mode) || !weft_cache_is_trusted(&st, is_first) ||
        st.st_size < WEFT_CACHE_ENTRY_HEADER || st.st_size > WEFT_CACHE_ENTRY_MAX)
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
    // If the folder is on a server with another clock, that is too early or too late, which harms nothing:
    // what is written is the server's time.
    if (is_first && time(NULL) - st.st_mtim.tv_sec > TOUCH_SECONDS)
        futimens(fd, NULL);
    return WEFT_OK;
}

weft_status weft_cache_read(unsigned index, enum weft_cache_kind kind, struct weft_hash key, uint8_t **bytes,
                            size_t *size)
{
    char name[WEFT_CACHE_ENTRY_NAME];
    weft_cache_entry_name(name, kind, key);
    int dir = weft_cache_folder_open(index);
    if (dir < 0)
        return WEFT_NOT_FOUND;
    int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    weft_status status = fd >= 0 ? read_entry(fd, key, index == 0, bytes, size) : WEFT_NOT_FOUND;
    if (fd >= 0)
        close(fd);
    if (status == WEFT_DAMAGED) {
        weft_log(WEFT_LOG_INFO, "the cache entry %s is damaged and will be %s", name,
                 index == 0 ? "replaced" : "made again");
        if (index == 0)
            unlinkat(dir, name, 0);
    }
    close(dir);
    return status;
}
