// Events as the application sees them: callbacks, waiting and user events. OpenCL 2.2 §5.11.
#ifndef WEFT_RUNTIME_EVENT_H
#define WEFT_RUNTIME_EVENT_H

#include "runtime/command/command.h"

// Calls `call` on the callback thread when the status has reached `type`. False: no memory.
bool weft_event_add_callback(struct weft_command *c, cl_int type,
                             void(CL_CALLBACK *call)(cl_event event, cl_int status, void *user), void *user);
// For command/command.c: the status has changed. Dispatches the callbacks that are due.
void weft_event_run_callbacks(struct weft_command *c);
// Waits for a command, which somebody must hold. The thread runs other tasks meanwhile. Returns the final
// status.
cl_int weft_command_wait(struct weft_command *c);

// ---- command/user_event.c ----
// Sets the final status of a user event (OpenCL 2.2 §5.11). False: it was set before.
bool weft_command_set_user_status(struct weft_command *c, cl_int status);

#endif
