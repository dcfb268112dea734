// Commands on buffers: read, write, copy, fill, map. OpenCL 2.2 §5.2.2 to §5.2.4. Rectangles: buffer_rect.c.
#include "runtime/api/api.h"
#include "runtime/check/memory.h"
#include "runtime/command/queue.h"
#include "runtime/command/wait_list.h"
#include "runtime/core/call_scope.h"
#include "runtime/device/device.h"
#include "runtime/core/diagnostics.h"
#include "runtime/memory/map.h"
#include "runtime/memory/memory.h"
#include "runtime/memory/transfer.h"

// The checks that all of them make after those of handles and regions.
static cl_int check_tail(const struct weft_queue *q, const struct weft_mem *m, cl_uint wait_count,
                         const cl_event *wait_list)
{
    cl_int error = weft_check_wait_list(q->context, wait_count, wait_list);
    return error ? error : weft_check_sub_buffer_align(m, WEFT_DEVICE_MEM_ALIGN);
}

static cl_int check_transfer(const struct weft_queue *q, const struct weft_mem *m, size_t offset, size_t size,
                             const void *ptr, cl_uint wait_count, const cl_event *wait_list)
{
    // "CL_INVALID_VALUE if the region being read or written specified by (offset, size) is out of bounds or
    // if ptr is a NULL value." A size of 0 transfers nothing; it is no error since OpenCL 2.1.
    if (weft_check_region(m->size, offset, size) || !ptr)
        return weft_error_with(CL_INVALID_VALUE,
                               "ptr is NULL, or offset %n and size %n reach beyond the buffer's %n bytes",
                               offset, size, m->size);
    return check_tail(q, m, wait_count, wait_list);
}

cl_int weft_clEnqueueReadBuffer(cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_read,
                                size_t offset, size_t size, void *ptr, cl_uint num_events_in_wait_list,
                                const cl_event *event_wait_list, cl_event *event)
{
    WEFT_CALL;
    struct weft_queue *q;
    struct weft_mem *m;
    cl_int error =
        weft_check_queue_buffer(command_queue, buffer, num_events_in_wait_list, event_wait_list, &q, &m);
    if (!error)
        error = check_transfer(q, m, offset, size, ptr, num_events_in_wait_list, event_wait_list);
    if (!error)
        error = weft_check_host_read(m->flags);
    if (error)
        return WEFT_ANSWER(command_queue, error);
    struct weft_queue_call call = {
        q, CL_COMMAND_READ_BUFFER, blocking_read, num_events_in_wait_list, event_wait_list, event};
    return WEFT_ANSWER(command_queue, weft_enqueue_copy(&call, m, NULL, ptr, m->data + offset, size));
}

cl_int weft_clEnqueueWriteBuffer(cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_write,
                                 size_t offset, size_t size, const void *ptr, cl_uint num_events_in_wait_list,
                                 const cl_event *event_wait_list, cl_event *event)
{
    WEFT_CALL;
    struct weft_queue *q;
    struct weft_mem *m;
    cl_int error =
        weft_check_queue_buffer(command_queue, buffer, num_events_in_wait_list, event_wait_list, &q, &m);
    if (!error)
        error = check_transfer(q, m, offset, size, ptr, num_events_in_wait_list, event_wait_list);
    if (!error)
        error = weft_check_host_write(m->flags);
    if (error)
        return WEFT_ANSWER(command_queue, error);
    struct weft_queue_call call = {
        q, CL_COMMAND_WRITE_BUFFER, blocking_write, num_events_in_wait_list, event_wait_list, event};
    return WEFT_ANSWER(command_queue, weft_enqueue_copy(&call, m, NULL, m->data + offset, ptr, size));
}

cl_int weft_clEnqueueCopyBuffer(cl_command_queue command_queue, cl_mem src_buffer, cl_mem dst_buffer,
                                size_t src_offset, size_t dst_offset, size_t size,
                                cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                cl_event *event)
{
    WEFT_CALL;
    struct weft_queue *q;
    struct weft_mem *src, *dst;
    cl_int error = weft_check_queue_buffers(command_queue, src_buffer, dst_buffer, num_events_in_wait_list,
                                            event_wait_list, &q, &src, &dst);
    if (!error)
        error = weft_check_command_write(dst->flags);
    if (error)
        return WEFT_ANSWER(command_queue, error);
    // "CL_INVALID_VALUE if src_offset, dst_offset, size, src_offset + size or dst_offset + size require
    // accessing elements outside the src_buffer and dst_buffer buffer objects respectively."
    if (weft_check_region(src->size, src_offset, size) || weft_check_region(dst->size, dst_offset, size))
        return WEFT_ANSWER(command_queue,
                           weft_error_with(CL_INVALID_VALUE,
                                           "size %n at src_offset or dst_offset reaches beyond the buffer",
                                           size));
    error = check_tail(q, src, num_events_in_wait_list, event_wait_list);
    if (!error)
        error = weft_check_sub_buffer_align(dst, WEFT_DEVICE_MEM_ALIGN);
    if (error)
        return WEFT_ANSWER(command_queue, error);
    // "CL_MEM_COPY_OVERLAP if src_buffer and dst_buffer are the same buffer or sub-buffer object and the
    // source and destination regions overlap or if src_buffer and dst_buffer are different sub-buffers of the
    // same associated buffer object and they overlap." A buffer and its own sub-buffer are treated in the
    // same way.
    if (weft_mem_root(src) == weft_mem_root(dst) &&
        weft_ranges_overlap(src->origin + src_offset, dst->origin + dst_offset, size))
        return WEFT_ANSWER(command_queue, CL_MEM_COPY_OVERLAP);
    struct weft_queue_call call = {
        q, CL_COMMAND_COPY_BUFFER, false, num_events_in_wait_list, event_wait_list, event};
    return WEFT_ANSWER(command_queue, weft_enqueue_copy(&call, src, dst, dst->data + dst_offset,
                                                        src->data + src_offset, size));
}

cl_int weft_clEnqueueFillBuffer(cl_command_queue command_queue, cl_mem buffer, const void *pattern,
                                size_t pattern_size, size_t offset, size_t size,
                                cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                cl_event *event)
{
    WEFT_CALL;
    struct weft_queue *q;
    struct weft_mem *m;
    cl_int error =
        weft_check_queue_buffer(command_queue, buffer, num_events_in_wait_list, event_wait_list, &q, &m);
    if (!error)
        error = weft_check_command_write(m->flags);
    if (!error)
        error = weft_check_fill(m->size, pattern, pattern_size, offset, size);
    if (!error)
        error = check_tail(q, m, num_events_in_wait_list, event_wait_list);
    if (error)
        return WEFT_ANSWER(command_queue, error);
    struct weft_queue_call call = {
        q, CL_COMMAND_FILL_BUFFER, false, num_events_in_wait_list, event_wait_list, event};
    return WEFT_ANSWER(command_queue,
                       weft_enqueue_fill(&call, m, m->data + offset, pattern, pattern_size, size));
}

void *weft_clEnqueueMapBuffer(cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_map,
                              cl_map_flags map_flags, size_t offset, size_t size,
                              cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                              cl_event *event, cl_int *errcode_ret)
{
    WEFT_CALL;
    struct weft_queue *q;
    struct weft_mem *m;
    void *ptr = NULL;
    cl_int error =
        weft_check_queue_buffer(command_queue, buffer, num_events_in_wait_list, event_wait_list, &q, &m);
    // "CL_INVALID_VALUE if region being mapped given by (offset, size) is out of bounds or if size is 0 or if
    // values specified in map_flags are not valid."
    if (!error && (weft_check_region(m->size, offset, size) || size == 0 || weft_check_map_flags(map_flags)))
        error = weft_error_with(
            CL_INVALID_VALUE,
            "map_flags isn't allowed, or offset %n and size %n aren't a part of the buffer's %n bytes",
            offset, size, m->size);
    if (!error)
        error = check_tail(q, m, num_events_in_wait_list, event_wait_list);
    if (!error)
        error = weft_check_map_access(m->flags, map_flags);
    if (!error) {
        struct weft_queue_call call = {
            q, CL_COMMAND_MAP_BUFFER, blocking_map, num_events_in_wait_list, event_wait_list, event};
        ptr = weft_enqueue_map(&call, m, map_flags, offset, size, &error);
    }
    return weft_api_return_pointer(__func__, command_queue, ptr, error, errcode_ret);
}
