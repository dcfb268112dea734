// Dma-bufs: memory that drivers share by a descriptor. Their exporter must be told when the processor
// accesses them (DMA_BUF_IOCTL_SYNC). docs/adr/0031-dma-bufs.md
#ifndef WEFT_RUNTIME_DMA_BUF_H
#define WEFT_RUNTIME_DMA_BUF_H

#include "runtime/device/context.h"

struct weft_dma_buf;

// Does the descriptor refer to a dma-buf?
bool weft_dma_buf_is_one(int fd);
// Creates what a memory object keeps of the dma-buf that it maps: a duplicate of the descriptor. *out is NULL
// if `fd` is no dma-buf. CL_OUT_OF_RESOURCES: no descriptor is left. CL_OUT_OF_HOST_MEMORY. writes: commands
// may write to the memory.
cl_int weft_dma_buf_hold(int fd, bool writes, struct weft_dma_buf **out);
// Releases d, and ends the processor's access first if it was begun. d may be NULL.
void weft_dma_buf_drop(struct weft_dma_buf *d);

// Begins the processor's access: waits until other devices have finished, and makes visible here what they
// wrote. Any thread. Returns NULL, or the reason of a failure as the end of a sentence. The text is valid
// until the thread's next system call.
const char *weft_dma_buf_take(struct weft_dma_buf *d);
// Ends the processor's access: makes visible to other devices what was written here. Does nothing if no
// access was begun. Returns what weft_dma_buf_take returns.
const char *weft_dma_buf_give(struct weft_dma_buf *d);

#endif
