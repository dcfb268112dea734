// Events as the application sees them: a command's callbacks, waiting for its end, and user events.
#ifndef WEFT_RUNTIME_EVENT_H
#define WEFT_RUNTIME_EVENT_H

#include "runtime/command/command.h"

// Calls `call` on the callback thread when the status has reached `type`. false: no memory.
bool weft_event_add_callback(struct weft_command *c, cl_int type,
                             void(CL_CALLBACK *call)(cl_event event, cl_int status, void *user), void *user);
// For command/command.c: the status has changed; dispatches the callbacks that are due.
void weft_event_run_callbacks(struct weft_command *c);
// Waits for one, which somebody holds; helps meanwhile. Returns its final status.
cl_int weft_command_wait(struct weft_command *c);

// ---- command/user_event.c ----
// Sets a user event's final status (OpenCL 2.2 §5.11); false when it was set before.
bool weft_command_set_user_status(struct weft_command *c, cl_int status);

#endif
