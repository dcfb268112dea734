// Checks of wait lists: are all entries events of the queue's context? OpenCL 2.2 §5.10.
#include "runtime/command/wait_list.h"

#include "runtime/command/command.h"
#include "runtime/core/call_scope.h"
#include "runtime/device/context.h"
#include "runtime/core/diagnostics.h"
#include "runtime/core/object.h"

cl_int weft_check_wait_context(const struct weft_context *context, cl_uint count, const cl_event *list)
{
    // "CL_INVALID_CONTEXT if context associated with command_queue and events in event_wait_list are not the
    // same." Handles that aren't events have no context and are checked later.
    for (cl_uint i = 0; list && i < count; i++) {
        const struct weft_command *e = weft_command_of(list[i]);
        if (!e && weft_call_current->lacks_memory)
            return CL_OUT_OF_HOST_MEMORY;
        if (e && e->context != context)
            return weft_error_with(CL_INVALID_CONTEXT,
                                   "event %n of the wait list belongs to another context than the queue", i);
    }
    return CL_SUCCESS;
}

// again: weft_check_wait_context has been called on the list in this call.
static cl_int check_events(cl_uint count, const cl_event *list, bool again)
{
    // "CL_INVALID_EVENT_WAIT_LIST if event_wait_list is NULL and num_events_in_wait_list > 0, or
    // event_wait_list is not NULL and num_events_in_wait_list is 0, or if event objects in event_wait_list
    // are not valid events."
    if ((count == 0) != (list == NULL))
        return weft_error_with(CL_INVALID_EVENT_WAIT_LIST,
                               "num_events_in_wait_list is %n, but event_wait_list is %s", count,
                               list ? "not NULL" : "NULL");
    if (count == 0 || (again && !weft_call_current->missed)) // no handle was missed: all are events
        return CL_SUCCESS;
    for (cl_uint i = 0; i < count; i++)
        if (!weft_command_of(list[i]))
            return weft_error_with(CL_INVALID_EVENT_WAIT_LIST,
                                   "entry %n of the wait list is not an event, or it has been released", i);
    return CL_SUCCESS;
}

cl_int weft_check_wait_events(cl_uint count, const cl_event *list)
{
    return check_events(count, list, false);
}

cl_int weft_check_wait_found(cl_uint count, const cl_event *list)
{
    return check_events(count, list, true);
}

cl_int weft_check_wait_list(const struct weft_context *context, cl_uint count, const cl_event *list)
{
    cl_int err = weft_check_wait_context(context, count, list);
    return err ? err : weft_check_wait_events_again(count, list);
}

cl_int weft_check_wait_states(cl_uint count, const cl_event *list)
{
    // "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST if the execution status of any of the events in
    // event_wait_list is a negative integer value."
    for (cl_uint i = 0; i < count; i++)
        if (weft_command_status((const struct weft_command *)list[i]) < 0)
            return CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    return CL_SUCCESS;
}
