// The check of an enqueue function's wait list, which launches make too, behind their own. CL_SUCCESS or the spec's error.
#ifndef WEFT_RUNTIME_WAIT_LIST_H
#define WEFT_RUNTIME_WAIT_LIST_H

#include "base/base.h"
#include "runtime/core/context.h"

// (num == 0) != (list == NULL), dead events: CL_INVALID_EVENT_WAIT_LIST; other context: CL_INVALID_CONTEXT.
cl_int weft_check_wait_list(const struct weft_context *context, cl_uint count, const cl_event *list);
// Of a list that has been checked: CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST where a command has failed already.
cl_int weft_check_wait_states(cl_uint count, const cl_event *list);
// Each of the two alone: where the spec names the contexts before errors of other arguments, or last.
cl_int weft_check_wait_context(const struct weft_context *context, cl_uint count, const cl_event *list);
cl_int weft_check_wait_events(cl_uint count, const cl_event *list);
// Of a list whose contexts have been checked in this call (weft_check_wait_context), which has found out what isn't an event. Inlined,
// for launches: most have no list.
cl_int weft_check_wait_found(cl_uint count, const cl_event *list);
static inline cl_int weft_check_wait_events_again(cl_uint count, const cl_event *list)
{
    return WEFT_LIKELY(count == 0 && !list) ? CL_SUCCESS : weft_check_wait_found(count, list);
}
// Blocking calls with a failed event in the list: CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST is found by
// submit.

#endif
