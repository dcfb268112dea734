// What the engine tells the timeline (weft/trace.h) of its commands. Called only while there is one, on any
// thread.
#ifndef WEFT_RUNTIME_COMMAND_TRACE_H
#define WEFT_RUNTIME_COMMAND_TRACE_H

#include "runtime/command/command.h"
#include "weft/trace.h"

// How the timeline knows the command. A user event has no queue, and isn't there.
static inline struct weft_trace_command weft_command_trace_id(const struct weft_command *c)
{
    return (struct weft_trace_command){(uintptr_t)c, c->time_queued};
}
// The kernel's name, or what sort of command it is.
weft_trace_text weft_command_trace_name(const struct weft_command *c);
// The name of a launch's kernel. Set at load by those who know launches (launch/ndrange.c).
extern weft_trace_text (*weft_command_kernel_name)(const struct weft_command *c);
// c is complete, and its times are known.
void weft_command_trace(const struct weft_command *c);
// c is about to be submitted, and waits for these events.
void weft_command_trace_waits(const struct weft_command *c, cl_uint wait_count, const cl_event *wait_list);

static inline bool weft_command_is_launch(const struct weft_command *c)
{
    return c->type == CL_COMMAND_NDRANGE_KERNEL || c->type == CL_COMMAND_TASK;
}

#endif
