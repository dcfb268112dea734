// Entry points of cl_khr_command_buffer: creating, recording, enqueueing. The arguments of a recorded command
// are checked by the enqueue function of the same name, which is called with one of the buffer's recorders
// (command_buffer/command_buffer.c). Launches and their updates are in command_buffer_launch.c.
#include "runtime/api/command_buffer.h"

#include <pthread.h>

#include "runtime/api/api.h"
#include "runtime/check/kernel.h"
#include "runtime/command/command.h"
#include "runtime/command/queue.h"
#include "runtime/command/wait_list.h"
#include "runtime/command_buffer/command_buffer.h"
#include "runtime/core/call_scope.h"
#include "runtime/device/context.h"
#include "runtime/core/diagnostics.h"
#include "runtime/core/object.h"
#include "runtime/core/query.h"
#include "runtime/info/since.h"

#include "runtime/info/info.h"

// ---- Creating ----

static cl_int check_properties(const cl_properties *p, size_t *entries, cl_bitfield *flags,
                               bool *no_more_groups)
{
    // All devices can synchronize with each other (CL_DEVICE_COMMAND_BUFFER_SYNC_DEVICES_KHR).
    const cl_bitfield known = CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR | CL_COMMAND_BUFFER_MUTABLE_KHR |
                              CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR;
    bool flags_seen = false, asserts_seen = false;
    *entries = 0;
    *flags = 0;
    *no_more_groups = false;
    size_t n = 0;
    for (; p && p[n]; n += 2) {
        bool *seen = p[n] == CL_COMMAND_BUFFER_FLAGS_KHR                      ? &flags_seen
                     : p[n] == CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR ? &asserts_seen
                                                                              : NULL;
        // "CL_INVALID_VALUE if values specified in properties are not valid, or if the same property name is
        // specified more than once."
        if (!seen || *seen)
            return weft_error_with(CL_INVALID_VALUE, "property %h isn't known, or is given twice", p[n]);
        *seen = true;
        if (seen == &flags_seen)
            *flags = p[n + 1];
        else if (p[n + 1] & ~(cl_properties)CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR)
            return weft_error(CL_INVALID_VALUE, "CL_MUTABLE_DISPATCH_ASSERTS_KHR has bits that don't exist");
        else
            *no_more_groups = p[n + 1] != 0;
    }
    *entries = p ? n + 1 : 0;
    return *flags & ~known
               ? weft_error(CL_INVALID_VALUE, "CL_COMMAND_BUFFER_FLAGS_KHR has bits that don't exist")
               : CL_SUCCESS;
}

// "CL_INVALID_COMMAND_QUEUE if any command-queue in queues is not a valid command-queue." "CL_INVALID_CONTEXT
// if all the command-queues in queues do not have the same OpenCL context". context: the one that they must
// have; NULL: that of the first queue.
static cl_int check_handles(cl_uint count, const cl_command_queue *queues, const struct weft_context *context)
{
    for (cl_uint i = 0; i < count; i++)
        if (!weft_queue_of(queues[i]))
            return CL_INVALID_COMMAND_QUEUE;
    for (cl_uint i = 0; i < count; i++) {
        const struct weft_queue *q = (const struct weft_queue *)queues[i];
        if (context && q->context != context)
            return weft_error(CL_INVALID_CONTEXT,
                              "a queue is of another context than the others, or than the command buffer");
        context = q->context;
    }
    return CL_SUCCESS;
}

struct _cl_command_buffer_khr *weft_clCreateCommandBufferKHR(cl_uint num_queues,
                                                             const cl_command_queue *queues,
                                                             const cl_properties *properties,
                                                             cl_int *errcode_ret)
{
    WEFT_CALL;
    size_t entries;
    cl_bitfield flags;
    bool no_more_groups;
    // "CL_INVALID_VALUE if num_queues is zero", "... if queues is NULL".
    cl_int error = num_queues == 0 || !queues
                       ? weft_error(CL_INVALID_VALUE, "num_queues is 0, or queues is NULL")
                       : check_handles(num_queues, queues, NULL);
    if (!error)
        error = check_properties(properties, &entries, &flags, &no_more_groups);
    struct weft_command_buffer *b = NULL;
    if (!error) {
        b = weft_command_buffer_create((struct weft_queue *const *)queues, num_queues, properties, entries,
                                       flags, no_more_groups);
        error = b ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    }
    return WEFT_API_RETURN(NULL, b, error, errcode_ret);
}

cl_int weft_clRetainCommandBufferKHR(struct _cl_command_buffer_khr *command_buffer)
{
    return WEFT_ANSWER(NULL, weft_object_retain(command_buffer, WEFT_KIND_COMMAND_BUFFER)
                                 ? CL_SUCCESS
                                 : CL_INVALID_COMMAND_BUFFER_KHR);
}

cl_int weft_clReleaseCommandBufferKHR(struct _cl_command_buffer_khr *command_buffer)
{
    return WEFT_ANSWER(NULL, weft_object_release(command_buffer, WEFT_KIND_COMMAND_BUFFER)
                                 ? CL_SUCCESS
                                 : CL_INVALID_COMMAND_BUFFER_KHR);
}

cl_int weft_clFinalizeCommandBufferKHR(struct _cl_command_buffer_khr *command_buffer)
{
    WEFT_CALL;
    struct weft_command_buffer *b = weft_command_buffer_of(command_buffer);
    return WEFT_ANSWER(command_buffer, b ? weft_command_buffer_finalize(b) : CL_INVALID_COMMAND_BUFFER_KHR);
}

cl_int weft_clGetCommandBufferInfoKHR(struct _cl_command_buffer_khr *command_buffer, cl_uint param_name,
                                      size_t param_value_size, void *param_value,
                                      size_t *param_value_size_ret)
{
    WEFT_CALL;
    struct weft_command_buffer *b = weft_command_buffer_of(command_buffer);
    if (!b)
        return WEFT_ANSWER(command_buffer, CL_INVALID_COMMAND_BUFFER_KHR);
    switch (param_name) {
#include "runtime/info/command_buffer.def"
    }
    return WEFT_ANSWER(command_buffer,
                       weft_error_with(CL_INVALID_VALUE, "param_name %h isn't known here", param_name));
}

// Do num_handles and the two lists match, and do all handles belong to the buffer?
static bool are_handles(const struct weft_command_buffer *b, cl_uint count,
                        struct _cl_mutable_command_khr *const *handles,
                        struct _cl_mutable_command_khr *const *handles_ret)
{
    if ((handles == NULL) != (count == 0) || (handles_ret == NULL) != (count == 0))
        return false;
    for (cl_uint i = 0; i < count; i++) {
        const struct weft_recorded *r = weft_recorded_of(handles[i]);
        if (!r || r->buffer != b)
            return false;
    }
    return true;
}

struct _cl_command_buffer_khr *
weft_clRemapCommandBufferKHR(struct _cl_command_buffer_khr *command_buffer, cl_bool automatic,
                             cl_uint num_queues, const cl_command_queue *queues, cl_uint num_handles,
                             struct _cl_mutable_command_khr *const *handles,
                             struct _cl_mutable_command_khr **handles_ret, cl_int *errcode_ret)
{
    WEFT_CALL;
    struct weft_command_buffer *b = weft_command_buffer_of(command_buffer), *made = NULL;
    cl_int error = b ? CL_SUCCESS : CL_INVALID_COMMAND_BUFFER_KHR;
    // "CL_INVALID_VALUE if num_queues is 0, or if queues is NULL", "... if automatic is CL_FALSE and
    // num_queues is not equal to the number of queues used on creation of command_buffer", "... if any handle
    // in handles is not a valid command handle belonging to command_buffer", and the like.
    if (!error && (num_queues == 0 || !queues || (!automatic && num_queues != b->queue_count) ||
                   !are_handles(b, num_handles, handles, handles_ret)))
        error = weft_error(CL_INVALID_VALUE, "num_queues and queues, or num_handles, handles and "
                                             "handles_ret, don't match each other or the command buffer");
    if (!error)
        error = check_handles(num_queues, queues, b->context);
    if (!error)
        error = weft_command_buffer_remap(b, (struct weft_queue *const *)queues, num_queues,
                                          weft_check_ndrange, &made);
    for (cl_uint i = 0; !error && i < num_handles; i++) {
        struct weft_recorded *r = made->commands[((struct weft_recorded *)(void *)handles[i])->point - 1];
        weft_object_publish(&r->obj);
        handles_ret[i] = (struct _cl_mutable_command_khr *)r;
    }
    return WEFT_API_RETURN(command_buffer, made, error, errcode_ret);
}

// ---- Enqueueing ----

// Checks the queues of an enqueue: as many as the buffer has, for the same devices. Without a list, the
// queues of the recording are used.
static cl_int check_queues(const struct weft_command_buffer *b, cl_uint count, const cl_command_queue *queues)
{
    // "CL_INVALID_VALUE if queues is NULL and num_queues is > 0, or queues is not NULL and num_queues is 0",
    // "... if num_queues is > 0 and not the same value as num_queues set on command_buffer creation".
    if ((queues == NULL) != (count == 0) || (count && count != b->queue_count))
        return weft_error(CL_INVALID_VALUE, "queues and num_queues don't match each other, or num_queues "
                                            "isn't the number of the command buffer's queues");
    // Every property that a queue can have is supported.
    cl_int error = check_handles(count, queues, b->context);
    // "CL_INVALID_DEVICE if any element of queues does not have the same device as the command-queue set on
    // command_buffer creation at the same list index". The CTS expects another code.
    for (cl_uint i = 0; i < count && !error; i++)
        if (((struct weft_queue *)queues[i])->device != ((struct weft_queue *)b->queues[i])->device)
            error = weft_error(
                CL_INCOMPATIBLE_COMMAND_QUEUE_KHR,
                "a queue is of another device than the command buffer's queue with the same index");
    return error;
}

cl_int weft_clEnqueueCommandBufferKHR(cl_uint num_queues, cl_command_queue *queues,
                                      struct _cl_command_buffer_khr *command_buffer,
                                      cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                      cl_event *event)
{
    WEFT_CALL;
    struct weft_command_buffer *b = weft_command_buffer_of(command_buffer);
    if (!b)
        return WEFT_ANSWER(NULL, CL_INVALID_COMMAND_BUFFER_KHR);
    // "CL_INVALID_OPERATION if command_buffer has not been finalized", or still lacks arguments.
    if (weft_command_buffer_state(b) != CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR)
        return WEFT_ANSWER(command_buffer,
                           weft_error(CL_INVALID_OPERATION, "the command buffer isn't finalized"));
    cl_int error = check_queues(b, num_queues, queues);
    if (!error)
        error = weft_check_wait_list(b->context, num_events_in_wait_list, event_wait_list);
    if (!error)
        error = weft_command_buffer_enqueue(b, num_queues ? queues : b->queues, num_events_in_wait_list,
                                            event_wait_list, event);
    return WEFT_ANSWER(command_buffer, error);
}

// ---- Recording ----

cl_int weft_recording_begin(struct weft_recording *r)
{
    r->b = weft_command_buffer_of(r->buffer);
    if (!r->b)
        return CL_INVALID_COMMAND_BUFFER_KHR;
    // "CL_INVALID_COMMAND_QUEUE if ... command_queue is NULL and command_buffer was created with more than
    // one queue, or command_queue is not NULL and not a command-queue listed on command_buffer creation." A
    // listed queue has the buffer's context.
    if (r->queue)
        while (r->stream < r->b->queue_count && r->b->queues[r->stream] != r->queue)
            r->stream++;
    if (r->queue ? r->stream == r->b->queue_count : r->b->queue_count > 1)
        return weft_error(
            CL_INVALID_COMMAND_QUEUE,
            "command_queue isn't one of the command buffer's queues, or it is NULL and there are several");
    // "CL_INVALID_OPERATION if command_buffer has been finalized."
    if (weft_command_buffer_state(r->b) != CL_COMMAND_BUFFER_STATE_RECORDING_KHR)
        return weft_error(CL_INVALID_OPERATION,
                          "the command buffer is finalized: nothing more can be recorded");
    return CL_SUCCESS;
}

// "CL_INVALID_SYNC_POINT_WAIT_LIST_KHR if sync_point_wait_list is NULL and num_sync_points_in_wait_list is >
// 0, or sync_point_wait_list is not NULL and num_sync_points_in_wait_list is 0, or if synchronization-point
// objects in sync_point_wait_list are not valid synchronization-points."
cl_int weft_recording_check_points(const struct weft_recording *r)
{
    if ((r->point_count == 0) != (r->points == NULL))
        return CL_INVALID_SYNC_POINT_WAIT_LIST_KHR;
    pthread_mutex_lock(&r->b->lock);
    size_t count = r->b->count;
    pthread_mutex_unlock(&r->b->lock);
    for (cl_uint i = 0; i < r->point_count; i++)
        if (r->points[i] == 0 || r->points[i] > count)
            return CL_INVALID_SYNC_POINT_WAIT_LIST_KHR;
    return CL_SUCCESS;
}

cl_int weft_recording_append(const struct weft_recording *r, struct weft_recorded *made)
{
    cl_uint point;
    cl_int error = weft_command_buffer_append(r->b, made, &point);
    if (error)
        return error;
    if (r->point)
        *r->point = point;
    if (r->handle) {
        weft_object_publish(&made->obj);
        *r->handle = (struct _cl_mutable_command_khr *)made;
    }
    return CL_SUCCESS;
}

// The queue in which the command must be enqueued. The event of that enqueue is then the recorded command.
static cl_command_queue recording_queue(const struct weft_recording *r)
{
    return (cl_command_queue)r->b->recorders[r->stream];
}

// Ends a recording after the enqueue, whose result is `error`: appends the command that it made, or releases
// it.
static cl_int end(const struct weft_recording *r, cl_int error, cl_event made)
{
    struct weft_command *c = (struct weft_command *)made;
    // "CL_INVALID_VALUE if values specified in properties are not valid". These commands have no properties.
    if (!error && r->properties && r->properties[0])
        error = weft_error(CL_INVALID_VALUE, "properties must be empty here");
    // "CL_INVALID_VALUE if mutable_handle is not NULL". Only launches can be updated.
    if (!error && r->handle)
        error =
            weft_error(CL_INVALID_VALUE, "mutable_handle must be NULL for commands that can't be changed");
    if (!error)
        error = weft_recording_check_points(r);
    struct weft_recorded *kept =
        error ? NULL : weft_recorded_create(r->b, r->type, r->stream, r->points, r->point_count);
    if (!error && !kept)
        error = CL_OUT_OF_HOST_MEMORY;
    if (kept)
        kept->shape.command = c;
    else if (c)
        weft_object_unref(&c->obj);
    return kept ? weft_recording_append(r, kept) : error;
}

cl_int weft_clCommandBarrierWithWaitListKHR(struct _cl_command_buffer_khr *command_buffer,
                                            cl_command_queue command_queue, const cl_properties *properties,
                                            cl_uint num_sync_points_in_wait_list,
                                            const cl_uint *sync_point_wait_list, cl_uint *sync_point,
                                            struct _cl_mutable_command_khr **mutable_handle)
{
    WEFT_CALL;
    struct weft_recording r = WEFT_RECORDING(CL_COMMAND_BARRIER);
    cl_int error = weft_recording_begin(&r);
    return WEFT_ANSWER(command_buffer, end(&r, error, NULL));
}

cl_int weft_clCommandSVMMemcpyKHR(struct _cl_command_buffer_khr *command_buffer,
                                  cl_command_queue command_queue, const cl_properties *properties,
                                  void *dst_ptr, const void *src_ptr, size_t size,
                                  cl_uint num_sync_points_in_wait_list, const cl_uint *sync_point_wait_list,
                                  cl_uint *sync_point, struct _cl_mutable_command_khr **mutable_handle)
{
    WEFT_CALL;
    struct weft_recording r = WEFT_RECORDING(CL_COMMAND_SVM_MEMCPY);
    cl_event made = NULL;
    cl_int error = weft_recording_begin(&r);
    if (!error)
        error =
            weft_clEnqueueSVMMemcpy(recording_queue(&r), CL_FALSE, dst_ptr, src_ptr, size, 0, NULL, &made);
    return WEFT_ANSWER(command_buffer, end(&r, error, made));
}

cl_int weft_clCommandCopyBufferKHR(struct _cl_command_buffer_khr *command_buffer,
                                   cl_command_queue command_queue, const cl_properties *properties,
                                   cl_mem src_buffer, cl_mem dst_buffer, size_t src_offset, size_t dst_offset,
                                   size_t size, cl_uint num_sync_points_in_wait_list,
                                   const cl_uint *sync_point_wait_list, cl_uint *sync_point,
                                   struct _cl_mutable_command_khr **mutable_handle)
{
    WEFT_CALL;
    struct weft_recording r = WEFT_RECORDING(CL_COMMAND_COPY_BUFFER);
    cl_event made = NULL;
    cl_int error = weft_recording_begin(&r);
    if (!error)
        error = weft_clEnqueueCopyBuffer(recording_queue(&r), src_buffer, dst_buffer, src_offset, dst_offset,
                                         size, 0, NULL, &made);
    return WEFT_ANSWER(command_buffer, end(&r, error, made));
}

cl_int weft_clCommandCopyBufferRectKHR(struct _cl_command_buffer_khr *command_buffer,
                                       cl_command_queue command_queue, const cl_properties *properties,
                                       cl_mem src_buffer, cl_mem dst_buffer, const size_t *src_origin,
                                       const size_t *dst_origin, const size_t *region, size_t src_row_pitch,
                                       size_t src_slice_pitch, size_t dst_row_pitch, size_t dst_slice_pitch,
                                       cl_uint num_sync_points_in_wait_list,
                                       const cl_uint *sync_point_wait_list, cl_uint *sync_point,
                                       struct _cl_mutable_command_khr **mutable_handle)
{
    WEFT_CALL;
    struct weft_recording r = WEFT_RECORDING(CL_COMMAND_COPY_BUFFER_RECT);
    cl_event made = NULL;
    cl_int error = weft_recording_begin(&r);
    if (!error)
        error = weft_clEnqueueCopyBufferRect(recording_queue(&r), src_buffer, dst_buffer, src_origin,
                                             dst_origin, region, src_row_pitch, src_slice_pitch,
                                             dst_row_pitch, dst_slice_pitch, 0, NULL, &made);
    return WEFT_ANSWER(command_buffer, end(&r, error, made));
}

cl_int weft_clCommandCopyBufferToImageKHR(struct _cl_command_buffer_khr *command_buffer,
                                          cl_command_queue command_queue, const cl_properties *properties,
                                          cl_mem src_buffer, cl_mem dst_image, size_t src_offset,
                                          const size_t *dst_origin, const size_t *region,
                                          cl_uint num_sync_points_in_wait_list,
                                          const cl_uint *sync_point_wait_list, cl_uint *sync_point,
                                          struct _cl_mutable_command_khr **mutable_handle)
{
    WEFT_CALL;
    struct weft_recording r = WEFT_RECORDING(CL_COMMAND_COPY_BUFFER_TO_IMAGE);
    cl_event made = NULL;
    cl_int error = weft_recording_begin(&r);
    if (!error)
        error = weft_clEnqueueCopyBufferToImage(recording_queue(&r), src_buffer, dst_image, src_offset,
                                                dst_origin, region, 0, NULL, &made);
    return WEFT_ANSWER(command_buffer, end(&r, error, made));
}

cl_int weft_clCommandCopyImageKHR(struct _cl_command_buffer_khr *command_buffer,
                                  cl_command_queue command_queue, const cl_properties *properties,
                                  cl_mem src_image, cl_mem dst_image, const size_t *src_origin,
                                  const size_t *dst_origin, const size_t *region,
                                  cl_uint num_sync_points_in_wait_list, const cl_uint *sync_point_wait_list,
                                  cl_uint *sync_point, struct _cl_mutable_command_khr **mutable_handle)
{
    WEFT_CALL;
    struct weft_recording r = WEFT_RECORDING(CL_COMMAND_COPY_IMAGE);
    cl_event made = NULL;
    cl_int error = weft_recording_begin(&r);
    if (!error)
        error = weft_clEnqueueCopyImage(recording_queue(&r), src_image, dst_image, src_origin, dst_origin,
                                        region, 0, NULL, &made);
    return WEFT_ANSWER(command_buffer, end(&r, error, made));
}

cl_int weft_clCommandCopyImageToBufferKHR(struct _cl_command_buffer_khr *command_buffer,
                                          cl_command_queue command_queue, const cl_properties *properties,
                                          cl_mem src_image, cl_mem dst_buffer, const size_t *src_origin,
                                          const size_t *region, size_t dst_offset,
                                          cl_uint num_sync_points_in_wait_list,
                                          const cl_uint *sync_point_wait_list, cl_uint *sync_point,
                                          struct _cl_mutable_command_khr **mutable_handle)
{
    WEFT_CALL;
    struct weft_recording r = WEFT_RECORDING(CL_COMMAND_COPY_IMAGE_TO_BUFFER);
    cl_event made = NULL;
    cl_int error = weft_recording_begin(&r);
    if (!error)
        error = weft_clEnqueueCopyImageToBuffer(recording_queue(&r), src_image, dst_buffer, src_origin,
                                                region, dst_offset, 0, NULL, &made);
    return WEFT_ANSWER(command_buffer, end(&r, error, made));
}

cl_int weft_clCommandFillBufferKHR(struct _cl_command_buffer_khr *command_buffer,
                                   cl_command_queue command_queue, const cl_properties *properties,
                                   cl_mem buffer, const void *pattern, size_t pattern_size, size_t offset,
                                   size_t size, cl_uint num_sync_points_in_wait_list,
                                   const cl_uint *sync_point_wait_list, cl_uint *sync_point,
                                   struct _cl_mutable_command_khr **mutable_handle)
{
    WEFT_CALL;
    struct weft_recording r = WEFT_RECORDING(CL_COMMAND_FILL_BUFFER);
    cl_event made = NULL;
    cl_int error = weft_recording_begin(&r);
    if (!error)
        error = weft_clEnqueueFillBuffer(recording_queue(&r), buffer, pattern, pattern_size, offset, size, 0,
                                         NULL, &made);
    return WEFT_ANSWER(command_buffer, end(&r, error, made));
}

cl_int weft_clCommandFillImageKHR(struct _cl_command_buffer_khr *command_buffer,
                                  cl_command_queue command_queue, const cl_properties *properties,
                                  cl_mem image, const void *fill_color, const size_t *origin,
                                  const size_t *region, cl_uint num_sync_points_in_wait_list,
                                  const cl_uint *sync_point_wait_list, cl_uint *sync_point,
                                  struct _cl_mutable_command_khr **mutable_handle)
{
    WEFT_CALL;
    struct weft_recording r = WEFT_RECORDING(CL_COMMAND_FILL_IMAGE);
    cl_event made = NULL;
    cl_int error = weft_recording_begin(&r);
    if (!error)
        error =
            weft_clEnqueueFillImage(recording_queue(&r), image, fill_color, origin, region, 0, NULL, &made);
    return WEFT_ANSWER(command_buffer, end(&r, error, made));
}

cl_int weft_clCommandSVMMemFillKHR(struct _cl_command_buffer_khr *command_buffer,
                                   cl_command_queue command_queue, const cl_properties *properties,
                                   void *svm_ptr, const void *pattern, size_t pattern_size, size_t size,
                                   cl_uint num_sync_points_in_wait_list, const cl_uint *sync_point_wait_list,
                                   cl_uint *sync_point, struct _cl_mutable_command_khr **mutable_handle)
{
    WEFT_CALL;
    struct weft_recording r = WEFT_RECORDING(CL_COMMAND_SVM_MEMFILL);
    cl_event made = NULL;
    cl_int error = weft_recording_begin(&r);
    if (!error)
        error = weft_clEnqueueSVMMemFill(recording_queue(&r), svm_ptr, pattern, pattern_size, size, 0, NULL,
                                         &made);
    return WEFT_ANSWER(command_buffer, end(&r, error, made));
}
