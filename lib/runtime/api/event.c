// Entry points of events, markers and barriers. OpenCL 2.2 §5.11, §5.12, §5.14.
#include "runtime/checker/misuse.h"
#include "runtime/checker/order.h"
#include "runtime/api/api.h"
#include "runtime/command/command.h"
#include "runtime/command/event.h"
#include "runtime/command/queue.h"
#include "runtime/command/wait_list.h"
#include "runtime/core/call_scope.h"
#include "runtime/device/context.h"
#include "runtime/core/diagnostics.h"
#include "runtime/core/object.h"
#include "runtime/core/query.h"
#include "runtime/info/since.h"
#include "runtime/info/info.h"

cl_event weft_clCreateUserEvent(cl_context context, cl_int *errcode_ret)
{
    WEFT_CALL;
    struct weft_context *c = weft_context_of(context);
    if (!c)
        return WEFT_API_RETURN(context, NULL, CL_INVALID_CONTEXT, errcode_ret);
    struct weft_command *e = weft_command_create(c, NULL, CL_COMMAND_USER);
    return WEFT_API_RETURN(context, e, e ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY, errcode_ret);
}

cl_int weft_clSetUserEventStatus(cl_event event, cl_int execution_status)
{
    WEFT_CALL;
    struct weft_command *c = weft_command_of(event);
    // "CL_INVALID_EVENT if event is not a valid user event object."
    if (!c || c->queue)
        return WEFT_ANSWER(event,
                           weft_error(CL_INVALID_EVENT, "event is no user event, or it has been released"));
    // "CL_INVALID_VALUE if the execution_status is not CL_COMPLETE or a negative integer value."
    if (execution_status > CL_COMPLETE)
        return WEFT_ANSWER(event,
                           weft_error(CL_INVALID_VALUE, "execution_status must be CL_COMPLETE or negative"));
    // "CL_INVALID_OPERATION if the execution_status for event has already been changed ..."
    return WEFT_ANSWER(event, weft_command_set_user_status(c, execution_status)
                                  ? CL_SUCCESS
                                  : weft_error(CL_INVALID_OPERATION, "the user event has a status already"));
}

cl_int weft_clWaitForEvents(cl_uint num_events, const cl_event *event_list)
{
    WEFT_CALL;
    if (WEFT_UNLIKELY(weft_misuse_is_on()))
        weft_misuse_note_wait("clWaitForEvents");
    // "CL_INVALID_VALUE if num_events is zero or event_list is NULL."
    if (num_events == 0 || !event_list)
        return WEFT_ANSWER(NULL, weft_error(CL_INVALID_VALUE, "num_events is 0, or event_list is NULL"));
    const struct weft_context *context = NULL;
    cl_int err = CL_SUCCESS;
    for (cl_uint i = 0; i < num_events; i++) {
        const struct weft_command *c = weft_command_of(event_list[i]);
        // "CL_INVALID_CONTEXT if events specified in event_list do not belong to the same context."
        if (c && context && c->context != context)
            return WEFT_ANSWER(NULL, weft_error(CL_INVALID_CONTEXT, "the events are of several contexts"));
        // "CL_INVALID_EVENT if event objects specified in event_list are not valid event objects."
        if (c)
            context = c->context;
        else
            err = weft_error(CL_INVALID_EVENT, "an element of event_list is no event, or has been released");
    }
    if (err)
        return WEFT_ANSWER(NULL, err);
    // The call holds all the events. A callback may release an event when it is complete, while this thread
    // still waits for an earlier one in the list.
    for (cl_uint i = 0; i < num_events; i++)
        if (weft_command_wait((struct weft_command *)event_list[i]) < 0)
            err = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    return WEFT_ANSWER(NULL, err);
}

cl_int weft_clGetEventInfo(cl_event event, cl_event_info param_name, size_t param_value_size,
                           void *param_value, size_t *param_value_size_ret)
{
    WEFT_CALL;
    const struct weft_command *c = weft_command_of(event);
    if (!c)
        return WEFT_ANSWER(event, CL_INVALID_EVENT);
    if (WEFT_UNLIKELY(c->order != NULL) && param_name == CL_EVENT_COMMAND_EXECUTION_STATUS &&
        weft_command_status(c) <= CL_COMPLETE)
        weft_order_seen(c->order);
    switch (param_name) {
#include "runtime/info/event.def"
    }
    return WEFT_ANSWER(event,
                       weft_error_with(CL_INVALID_VALUE, "param_name %h isn't known here", param_name));
}

cl_int weft_clGetEventProfilingInfo(cl_event event, cl_profiling_info param_name, size_t param_value_size,
                                    void *param_value, size_t *param_value_size_ret)
{
    WEFT_CALL;
    const struct weft_command *c = weft_command_of(event);
    if (!c)
        return WEFT_ANSWER(event, CL_INVALID_EVENT);
    // "CL_PROFILING_INFO_NOT_AVAILABLE if the CL_QUEUE_PROFILING_ENABLE flag is not set for the
    // command-queue, if the execution status of the command identified by event is not CL_COMPLETE or if
    // event ... is a user event object." The atomic load makes the times visible, which are written before
    // the status.
    if (!c->queue || !c->queue->profiling || atomic_load(&c->status) != CL_COMPLETE)
        return WEFT_ANSWER(event, CL_PROFILING_INFO_NOT_AVAILABLE);
    if (WEFT_UNLIKELY(c->order != NULL))
        weft_order_seen(c->order);
    switch (param_name) {
#include "runtime/info/profiling.def"
    }
    return WEFT_ANSWER(event,
                       weft_error_with(CL_INVALID_VALUE, "param_name %h isn't known here", param_name));
}

cl_int weft_clSetEventCallback(cl_event event, cl_int type,
                               void(CL_CALLBACK *notify)(cl_event event, cl_int status, void *user),
                               void *user)
{
    WEFT_CALL;
    struct weft_command *c = weft_command_of(event);
    if (!c)
        return WEFT_ANSWER(event, CL_INVALID_EVENT);
    // "CL_INVALID_VALUE if pfn_event_notify is NULL or if command_exec_callback_type is not CL_SUBMITTED,
    // CL_RUNNING or CL_COMPLETE."
    if (!notify || type < CL_COMPLETE || type > CL_SUBMITTED)
        return WEFT_ANSWER(
            event,
            weft_error(CL_INVALID_VALUE,
                       "pfn_notify is NULL, or the status isn't CL_SUBMITTED, CL_RUNNING or CL_COMPLETE"));
    return WEFT_ANSWER(event,
                       weft_event_add_callback(c, type, notify, user) ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY);
}

cl_int weft_clRetainEvent(cl_event event)
{
    return WEFT_ANSWER(NULL, weft_object_retain(event, WEFT_KIND_EVENT) ? CL_SUCCESS : CL_INVALID_EVENT);
}

cl_int weft_clReleaseEvent(cl_event event)
{
    return WEFT_ANSWER(NULL, weft_object_release(event, WEFT_KIND_EVENT) ? CL_SUCCESS : CL_INVALID_EVENT);
}

// ---- Markers and barriers: commands without work ----

static cl_int enqueue_mark(struct weft_queue *q, cl_command_type type, cl_uint count, const cl_event *list,
                           cl_event *event)
{
    struct weft_command *c = weft_command_create(q->context, q, type);
    return c ? weft_command_submit(c, count, list, event, false) : CL_OUT_OF_HOST_MEMORY;
}

static cl_int check_and_mark(cl_command_queue command_queue, cl_command_type type, cl_uint count,
                             const cl_event *list, cl_event *event)
{
    struct weft_queue *q = weft_queue_of(command_queue);
    if (!q)
        return CL_INVALID_COMMAND_QUEUE;
    cl_int err = weft_check_wait_list(q->context, count, list);
    return err ? err : enqueue_mark(q, type, count, list, event);
}

cl_int weft_clEnqueueMarkerWithWaitList(cl_command_queue command_queue, cl_uint num_events_in_wait_list,
                                        const cl_event *event_wait_list, cl_event *event)
{
    WEFT_CALL;
    return WEFT_ANSWER(command_queue, check_and_mark(command_queue, CL_COMMAND_MARKER,
                                                     num_events_in_wait_list, event_wait_list, event));
}

cl_int weft_clEnqueueBarrierWithWaitList(cl_command_queue command_queue, cl_uint num_events_in_wait_list,
                                         const cl_event *event_wait_list, cl_event *event)
{
    WEFT_CALL;
    return WEFT_ANSWER(command_queue, check_and_mark(command_queue, CL_COMMAND_BARRIER,
                                                     num_events_in_wait_list, event_wait_list, event));
}

cl_int weft_clEnqueueMarker(cl_command_queue command_queue, cl_event *event)
{
    WEFT_CALL;
    struct weft_queue *q = weft_queue_of(command_queue);
    if (!q)
        return WEFT_ANSWER(command_queue, CL_INVALID_COMMAND_QUEUE);
    // 1.1: "CL_INVALID_VALUE if event is a NULL value."
    return WEFT_ANSWER(command_queue, event ? enqueue_mark(q, CL_COMMAND_MARKER, 0, NULL, event)
                                            : weft_error(CL_INVALID_VALUE, "event is NULL"));
}

cl_int weft_clEnqueueBarrier(cl_command_queue command_queue)
{
    WEFT_CALL;
    return WEFT_ANSWER(command_queue, check_and_mark(command_queue, CL_COMMAND_BARRIER, 0, NULL, NULL));
}

cl_int weft_clEnqueueWaitForEvents(cl_command_queue command_queue, cl_uint num_events,
                                   const cl_event *event_list)
{
    WEFT_CALL;
    struct weft_queue *q = weft_queue_of(command_queue);
    if (!q)
        return WEFT_ANSWER(command_queue, CL_INVALID_COMMAND_QUEUE);
    // 1.1: "CL_INVALID_VALUE if num_events is zero or event_list is NULL."
    if (num_events == 0 || !event_list)
        return WEFT_ANSWER(command_queue,
                           weft_error(CL_INVALID_VALUE, "num_events is 0, or event_list is NULL"));
    cl_int err = weft_check_wait_list(q->context, num_events, event_list);
    // 1.1: "CL_INVALID_EVENT if event objects specified in event_list are not valid events."
    if (err)
        return WEFT_ANSWER(command_queue, err == CL_INVALID_EVENT_WAIT_LIST ? CL_INVALID_EVENT : err);
    return WEFT_ANSWER(command_queue, enqueue_mark(q, CL_COMMAND_BARRIER, num_events, event_list, NULL));
}
