// Descriptors of imported dma-bufs. No threads, no locks; each belongs to its memory object.
#include "runtime/memory/dma_buf.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/base.h"

struct weft_dma_buf {
    int fd;
    dev_t device; // identify the dma-buf
    ino_t inode;
    uint64_t access;    // DMA_BUF_SYNC_RW or DMA_BUF_SYNC_READ
    _Atomic bool taken; // DMA_BUF_SYNC_START was sent, but not yet its end
};

bool weft_dma_buf_is_one(int fd)
{
    // Dma-bufs have a file system of their own since Linux 5.3. Trying an ioctl instead could do harm to
    // another kind of file.
    struct statfs fs;
    return fstatfs(fd, &fs) == 0 && fs.f_type == DMA_BUF_MAGIC;
}

cl_int weft_dma_buf_hold(int fd, bool writes, struct weft_dma_buf **out)
{
    *out = NULL;
    if (!weft_dma_buf_is_one(fd))
        return CL_SUCCESS;
    struct stat st;
    struct weft_dma_buf *d = weft_zalloc(sizeof *d);
    if (!d)
        return CL_OUT_OF_HOST_MEMORY;
    // A duplicate: the application might continue to use its own descriptor, or close it twice.
    d->fd = fstat(fd, &st) == 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 3) : -1;
    if (d->fd < 0) {
        weft_free(d);
        return CL_OUT_OF_RESOURCES;
    }
    d->device = st.st_dev;
    d->inode = st.st_ino;
    d->access = writes ? DMA_BUF_SYNC_RW : DMA_BUF_SYNC_READ;
    *out = d;
    return CL_SUCCESS;
}

// Does the descriptor still refer to the dma-buf? The application may have closed all descriptors and opened
// something else.
static bool is_ours(const struct weft_dma_buf *d)
{
    struct stat st;
    return fstat(d->fd, &st) == 0 && st.st_dev == d->device && st.st_ino == d->inode;
}

static const char *sync_access(const struct weft_dma_buf *d, uint64_t what)
{
    if (!is_ours(d))
        return "the application has closed its descriptor";
    const struct dma_buf_sync sync = {.flags = what | d->access};
    while (ioctl(d->fd, DMA_BUF_IOCTL_SYNC, &sync) != 0)
        if (errno != EINTR && errno != EAGAIN)
            return strerror(errno);
    return NULL;
}

const char *weft_dma_buf_take(struct weft_dma_buf *d)
{
    const char *why = sync_access(d, DMA_BUF_SYNC_START);
    if (!why)
        atomic_store(&d->taken, true);
    return why;
}

const char *weft_dma_buf_give(struct weft_dma_buf *d)
{
    // An exporter may refuse an end without a start.
    return atomic_exchange(&d->taken, false) ? sync_access(d, DMA_BUF_SYNC_END) : NULL;
}

void weft_dma_buf_drop(struct weft_dma_buf *d)
{
    if (!d)
        return;
    (void)weft_dma_buf_give(d);
    if (is_ours(d))
        (void)close(d->fd);
    weft_free(d);
}
