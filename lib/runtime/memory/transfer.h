// The commands that move bytes: copies, fills and migrations. Also the common arguments of enqueue functions.
#ifndef WEFT_RUNTIME_TRANSFER_H
#define WEFT_RUNTIME_TRANSFER_H

#include "runtime/command/command.h"
#include "runtime/memory/memory.h"

// Copies at once, with all threads if it is large, so that new pages are touched in parallel. dst and src
// must not overlap. False: some of the memory isn't accessible.
bool weft_bulk_copy(void *dst, const void *src, size_t size);

// A box of bytes: region[2] slices of region[1] rows of region[0] bytes. `at` is its first byte.
struct weft_rect_view {
    unsigned char *at;
    size_t row_pitch, slice_pitch;
};

struct weft_queue_call {
    struct weft_queue *queue;
    cl_command_type type;
    bool blocking;
    cl_uint wait_count; // already checked (weft_check_wait_list)
    const cl_event *wait_list;
    cl_event *event;
};

// Creates the command of a call. It isn't submitted. NULL: no memory.
static inline struct weft_command *weft_queue_call_command(const struct weft_queue_call *call)
{
    return weft_command_create(call->queue->context, call->queue, call->type);
}
static inline cl_int weft_queue_call_submit(struct weft_command *c, const struct weft_queue_call *call)
{
    return weft_command_submit(c, call->wait_count, call->wait_list, call->event, call->blocking);
}

// May the calling thread do the work of `bytes` bytes at once, without a command? Only if the queue has no
// unfinished commands, the call has no wait list and no event, and the work is short.
bool weft_queue_call_is_direct(const struct weft_queue_call *call, size_t bytes);

// Enqueue a copy. The command holds the memory objects (may be NULL) until it is complete. Results: those of
// weft_command_submit.
cl_int weft_enqueue_copy(const struct weft_queue_call *call, struct weft_mem *a, struct weft_mem *b,
                         void *dst, const void *src, size_t size);
// Enqueues a copy of a box. region: bytes, rows, slices. src is only read.
cl_int weft_enqueue_copy_rect(const struct weft_queue_call *call, struct weft_mem *a, struct weft_mem *b,
                              struct weft_rect_view dst, struct weft_rect_view src, const size_t region[3]);
// Enqueues a fill. pattern is copied; pattern_size is a power of two up to 128 and divides size.
cl_int weft_enqueue_fill(const struct weft_queue_call *call, struct weft_mem *m, void *dst,
                         const void *pattern, size_t pattern_size, size_t size);
// Enqueues a fill of a box. region: bytes, rows, slices; region[0] is a multiple of pattern_size.
cl_int weft_enqueue_fill_rect(const struct weft_queue_call *call, struct weft_mem *m,
                              struct weft_rect_view dst, const void *pattern, size_t pattern_size,
                              const size_t region[3]);
// Enqueues a migration. Moves nothing, because all devices use the same memory. The command holds the
// objects.
cl_int weft_enqueue_migrate(const struct weft_queue_call *call, struct weft_mem *const *mems, size_t count);
// Enqueues the acquire or release of imported memory, depending on call->type (cl_khr_external_memory). The
// command fails with CL_OUT_OF_RESOURCES if the exporter of a dma-buf refuses.
cl_int weft_enqueue_hand_over(const struct weft_queue_call *call, struct weft_mem *const *mems, size_t count);

#endif
