// Checks of the wait list of an enqueue function (OpenCL 2.2 §5.10). Launches call them after their own
// checks. Each returns CL_SUCCESS or the error that the specification names.
#ifndef WEFT_RUNTIME_WAIT_LIST_H
#define WEFT_RUNTIME_WAIT_LIST_H

#include "base/base.h"
#include "runtime/device/context.h"

// CL_INVALID_EVENT_WAIT_LIST: one of count and list is 0 but not the other, or an event isn't live.
// CL_INVALID_CONTEXT: an event of another context.
cl_int weft_check_wait_list(const struct weft_context *context, cl_uint count, const cl_event *list);
// For a list that has been checked: CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST if a command has failed
// already.
cl_int weft_check_wait_states(cl_uint count, const cl_event *list);
// The two parts of weft_check_wait_list, for functions whose specification puts errors of other arguments
// between them.
cl_int weft_check_wait_context(const struct weft_context *context, cl_uint count, const cl_event *list);
cl_int weft_check_wait_events(cl_uint count, const cl_event *list);
// Like weft_check_wait_events, but for a list on which weft_check_wait_context was called in this call:
// whether all handles are events is known from there. Inline, because most launches have no list.
cl_int weft_check_wait_found(cl_uint count, const cl_event *list);
static inline cl_int weft_check_wait_events_again(cl_uint count, const cl_event *list)
{
    return WEFT_LIKELY(count == 0 && !list) ? CL_SUCCESS : weft_check_wait_found(count, list);
}
// Blocking calls with a failed event in the list: weft_command_submit finds
// CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST.

#endif
