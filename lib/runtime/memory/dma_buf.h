// Dma-bufs of the kernel's: memory that drivers share by a descriptor, and whose exporter wants to know when the processor
// accesses it (DMA_BUF_IOCTL_SYNC). docs/adr/0031-dma-bufs.md
#ifndef WEFT_RUNTIME_DMA_BUF_H
#define WEFT_RUNTIME_DMA_BUF_H

#include "runtime/core/context.h"

struct weft_dma_buf;

// Is the descriptor one of a dma-buf?
bool weft_dma_buf_is_one(int fd);
// What a memory object keeps of the dma-buf that it is a mapping of: a descriptor of its own. *out is NULL where `fd` is something else.
// CL_OUT_OF_RESOURCES (there is no descriptor left), CL_OUT_OF_HOST_MEMORY. writes: commands may.
cl_int weft_dma_buf_hold(int fd, bool writes, struct weft_dma_buf **out);
// Gives it back to its other users if need be. NULL is fine.
void weft_dma_buf_drop(struct weft_dma_buf *d);

// Waits until other devices have done with it, and makes what they wrote seen here: the processor's from now on. Any thread. NULL, or why it
// failed: a sentence's end, that lives until the thread's next call to the system.
const char *weft_dma_buf_take(struct weft_dma_buf *d);
// Makes what was written here seen by other devices. One that wasn't taken stays as it is.
const char *weft_dma_buf_give(struct weft_dma_buf *d);

#endif
