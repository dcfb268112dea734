// The commands that move bytes: copies, fills, migrations. And what an enqueue function is called with.
#ifndef WEFT_RUNTIME_TRANSFER_H
#define WEFT_RUNTIME_TRANSFER_H

#include "runtime/command/command.h"
#include "runtime/memory/memory.h"

// Copies now, with all threads when it is much; touches new pages in parallel. dst and src don't overlap. False: some
// of it isn't there.
bool weft_bulk_copy(void *dst, const void *src, size_t size);

// Bytes laid out as rows in slices: part [0, row bytes) of each of region[1] rows in region[2] slices from
// `at` on.
struct weft_rect_view {
    unsigned char *at;
    size_t row_pitch, slice_pitch;
};

struct weft_queue_call {
    struct weft_queue *queue;
    cl_command_type type;
    bool blocking;
    cl_uint wait_count; // checked (weft_check_wait_list)
    const cl_event *wait_list;
    cl_event *event;
};

// The command of a call, not submitted; NULL: no memory.
static inline struct weft_command *weft_queue_call_command(const struct weft_queue_call *call)
{
    return weft_command_create(call->queue->context, call->queue, call->type);
}
static inline cl_int weft_queue_call_submit(struct weft_command *c, const struct weft_queue_call *call)
{
    return weft_command_submit(c, call->wait_count, call->wait_list, call->event, call->blocking);
}

// May the calling thread do the work of `bytes` bytes at once, without a command? When nothing of the queue
// is unfinished, nobody waits for or asks about it (no wait list, no event), and it is quick.
bool weft_queue_call_is_direct(const struct weft_queue_call *call, size_t bytes);

// Enqueue the move. The mems (NULL allowed) are kept alive until it is complete. Results as of
// weft_command_submit.
cl_int weft_enqueue_copy(const struct weft_queue_call *call, struct weft_mem *a, struct weft_mem *b,
                         void *dst, const void *src, size_t size);
// The source view isn't written to.
cl_int weft_enqueue_copy_rect(const struct weft_queue_call *call, struct weft_mem *a, struct weft_mem *b,
                              struct weft_rect_view dst, struct weft_rect_view src, const size_t region[3]);
// pattern: copied; pattern_size 1, 2, 4 ... 128 divides size.
cl_int weft_enqueue_fill(const struct weft_queue_call *call, struct weft_mem *m, void *dst,
                         const void *pattern, size_t pattern_size, size_t size);
// Rows of a multiple of pattern_size; region[0] in bytes, as for copies.
cl_int weft_enqueue_fill_rect(const struct weft_queue_call *call, struct weft_mem *m,
                              struct weft_rect_view dst, const void *pattern, size_t pattern_size,
                              const size_t region[3]);
// Moves nothing: memory is where it is. Keeps the objects alive until then.
cl_int weft_enqueue_migrate(const struct weft_queue_call *call, struct weft_mem *const *mems, size_t count);
// Imported memory changes hands; which way tells the command's type. It fails with CL_OUT_OF_RESOURCES where a dma-buf's exporter
// refuses.
cl_int weft_enqueue_hand_over(const struct weft_queue_call *call, struct weft_mem *const *mems, size_t count);

#endif
