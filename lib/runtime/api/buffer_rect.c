// Commands on rectangular regions of buffers. OpenCL 2.2 §5.2.2.
#include "base/base.h"
#include "runtime/api/api.h"
#include "runtime/check/memory.h"
#include "runtime/check/rect.h"
#include "runtime/command/queue.h"
#include "runtime/command/wait_list.h"
#include "runtime/core/call_scope.h"
#include "runtime/device/device.h"
#include "runtime/core/diagnostics.h"
#include "runtime/memory/memory.h"
#include "runtime/memory/transfer.h"

static struct weft_rect_view view_of(const void *base, const struct weft_rect_side *side)
{
    return (struct weft_rect_view){(unsigned char *)(uintptr_t)base + side->begin, side->row_pitch,
                                   side->slice_pitch};
}

// For read and write, which differ only in the direction.
static cl_int check_host_rect(const struct weft_queue *q, const struct weft_mem *m,
                              const size_t *buffer_origin, const size_t *host_origin, const size_t *region,
                              size_t buffer_row_pitch, size_t buffer_slice_pitch, size_t host_row_pitch,
                              size_t host_slice_pitch, const void *ptr, cl_uint wait_count,
                              const cl_event *wait_list, struct weft_rect_side *inside,
                              struct weft_rect_side *host)
{
    cl_int error = weft_check_rect_region(region);
    if (!error)
        error = weft_check_rect_side(buffer_origin, region, buffer_row_pitch, buffer_slice_pitch,
                                     WEFT_SLICE_ANY, inside);
    // "CL_INVALID_VALUE if the region being read or written specified by (buffer_origin, region,
    // buffer_row_pitch, buffer_slice_pitch) is out of bounds." "CL_INVALID_VALUE if ptr is a NULL value."
    if (!error && (inside->end > m->size || !ptr))
        error =
            weft_error_with(CL_INVALID_VALUE, "ptr is NULL, or the region ends at byte %n of a buffer of %n",
                            inside->end, m->size);
    if (!error)
        error =
            weft_check_rect_side(host_origin, region, host_row_pitch, host_slice_pitch, WEFT_SLICE_ANY, host);
    size_t host_end;
    if (!error && !weft_add_size((size_t)ptr, host->end, &host_end))
        error = weft_error(CL_INVALID_VALUE, "the region reaches from ptr beyond the end of the address "
                                             "space"); // beyond the end of the address space
    if (!error)
        error = weft_check_wait_list(q->context, wait_count, wait_list);
    return error ? error : weft_check_sub_buffer_align(m, WEFT_DEVICE_MEM_ALIGN);
}

cl_int weft_clEnqueueReadBufferRect(cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_read,
                                    const size_t *buffer_origin, const size_t *host_origin,
                                    const size_t *region, size_t buffer_row_pitch, size_t buffer_slice_pitch,
                                    size_t host_row_pitch, size_t host_slice_pitch, void *ptr,
                                    cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                    cl_event *event)
{
    WEFT_CALL;
    struct weft_queue *q;
    struct weft_mem *m;
    struct weft_rect_side inside, host;
    cl_int error =
        weft_check_queue_buffer(command_queue, buffer, num_events_in_wait_list, event_wait_list, &q, &m);
    if (!error)
        error = check_host_rect(q, m, buffer_origin, host_origin, region, buffer_row_pitch,
                                buffer_slice_pitch, host_row_pitch, host_slice_pitch, ptr,
                                num_events_in_wait_list, event_wait_list, &inside, &host);
    if (!error)
        error = weft_check_host_read(m->flags);
    if (error)
        return WEFT_ANSWER(command_queue, error);
    struct weft_queue_call call = {
        q, CL_COMMAND_READ_BUFFER_RECT, blocking_read, num_events_in_wait_list, event_wait_list, event};
    return WEFT_ANSWER(command_queue, weft_enqueue_copy_rect(&call, m, NULL, view_of(ptr, &host),
                                                             view_of(m->data, &inside), region));
}

cl_int weft_clEnqueueWriteBufferRect(cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_write,
                                     const size_t *buffer_origin, const size_t *host_origin,
                                     const size_t *region, size_t buffer_row_pitch, size_t buffer_slice_pitch,
                                     size_t host_row_pitch, size_t host_slice_pitch, const void *ptr,
                                     cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                     cl_event *event)
{
    WEFT_CALL;
    struct weft_queue *q;
    struct weft_mem *m;
    struct weft_rect_side inside, host;
    cl_int error =
        weft_check_queue_buffer(command_queue, buffer, num_events_in_wait_list, event_wait_list, &q, &m);
    if (!error)
        error = check_host_rect(q, m, buffer_origin, host_origin, region, buffer_row_pitch,
                                buffer_slice_pitch, host_row_pitch, host_slice_pitch, ptr,
                                num_events_in_wait_list, event_wait_list, &inside, &host);
    if (!error)
        error = weft_check_host_write(m->flags);
    if (error)
        return WEFT_ANSWER(command_queue, error);
    struct weft_queue_call call = {
        q, CL_COMMAND_WRITE_BUFFER_RECT, blocking_write, num_events_in_wait_list, event_wait_list, event};
    return WEFT_ANSWER(command_queue, weft_enqueue_copy_rect(&call, m, NULL, view_of(m->data, &inside),
                                                             view_of(ptr, &host), region));
}

// The side's offsets relative to the first byte of the storage that a buffer and its sub-buffers share.
static struct weft_rect_side in_root(const struct weft_mem *m, struct weft_rect_side side)
{
    side.begin += m->origin;
    side.end += m->origin;
    return side;
}

static cl_int check_copy_rect(const struct weft_mem *src, const struct weft_mem *dst,
                              const size_t *src_origin, const size_t *dst_origin, const size_t *region,
                              size_t src_row_pitch, size_t src_slice_pitch, size_t dst_row_pitch,
                              size_t dst_slice_pitch, struct weft_rect_side *s, struct weft_rect_side *d)
{
    cl_int error = weft_check_rect_region(region);
    if (!error)
        error = weft_check_rect_side(src_origin, region, src_row_pitch, src_slice_pitch,
                                     WEFT_SLICE_WHOLE_ROWS, s);
    if (!error)
        error = weft_check_rect_side(dst_origin, region, dst_row_pitch, dst_slice_pitch,
                                     WEFT_SLICE_WHOLE_ROWS, d);
    if (error)
        return error;
    // "CL_INVALID_VALUE if (src_origin, region, src_row_pitch, src_slice_pitch) or (dst_origin, region,
    // dst_row_pitch, dst_slice_pitch) require accessing elements outside the src_buffer and dst_buffer buffer
    // objects respectively."
    if (s->end > src->size || d->end > dst->size)
        return weft_error_with(
            CL_INVALID_VALUE,
            "the region ends at byte %n of the source or %n of the destination, which is beyond the buffer",
            s->end, d->end);
    // "CL_INVALID_VALUE if src_buffer and dst_buffer are the same buffer object and src_slice_pitch is not
    // equal to dst_slice_pitch and src_row_pitch is not equal to dst_row_pitch."
    if (src == dst && s->slice_pitch != d->slice_pitch && s->row_pitch != d->row_pitch)
        return weft_error(CL_INVALID_VALUE,
                          "within one buffer row and slice pitches must be the same on both sides");
    return CL_SUCCESS;
}

cl_int weft_clEnqueueCopyBufferRect(cl_command_queue command_queue, cl_mem src_buffer, cl_mem dst_buffer,
                                    const size_t *src_origin, const size_t *dst_origin, const size_t *region,
                                    size_t src_row_pitch, size_t src_slice_pitch, size_t dst_row_pitch,
                                    size_t dst_slice_pitch, cl_uint num_events_in_wait_list,
                                    const cl_event *event_wait_list, cl_event *event)
{
    WEFT_CALL;
    struct weft_queue *q;
    struct weft_mem *src, *dst;
    struct weft_rect_side s, d;
    cl_int error = weft_check_queue_buffers(command_queue, src_buffer, dst_buffer, num_events_in_wait_list,
                                            event_wait_list, &q, &src, &dst);
    if (!error)
        error = weft_check_command_write(dst->flags);
    if (!error)
        error = check_copy_rect(src, dst, src_origin, dst_origin, region, src_row_pitch, src_slice_pitch,
                                dst_row_pitch, dst_slice_pitch, &s, &d);
    if (!error)
        error = weft_check_wait_list(q->context, num_events_in_wait_list, event_wait_list);
    if (error)
        return WEFT_ANSWER(command_queue, error);
    // "CL_MEM_COPY_OVERLAP if src_buffer and dst_buffer are the same buffer or sub-buffer object and the
    // source and destination regions overlap or if src_buffer and dst_buffer are different sub-buffers of the
    // same associated buffer object and they overlap."
    struct weft_rect_side rs = in_root(src, s), rd = in_root(dst, d);
    if (weft_mem_root(src) == weft_mem_root(dst) && weft_rects_overlap(&rs, &rd, region))
        return WEFT_ANSWER(command_queue, CL_MEM_COPY_OVERLAP);
    error = weft_check_sub_buffer_align(src, WEFT_DEVICE_MEM_ALIGN);
    if (!error)
        error = weft_check_sub_buffer_align(dst, WEFT_DEVICE_MEM_ALIGN);
    if (error)
        return WEFT_ANSWER(command_queue, error);
    struct weft_queue_call call = {
        q, CL_COMMAND_COPY_BUFFER_RECT, false, num_events_in_wait_list, event_wait_list, event};
    return WEFT_ANSWER(command_queue, weft_enqueue_copy_rect(&call, src, dst, view_of(dst->data, &d),
                                                             view_of(src->data, &s), region));
}
