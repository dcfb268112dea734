// User events: commands without a queue, which the application completes. OpenCL 2.2 §5.11.
#include "runtime/command/command.h"
#include "runtime/command/engine.h"
#include "runtime/command/event.h"
#include "runtime/core/object.h"
#include "weft/scheduler.h"

bool weft_command_set_user_status(struct weft_command *c, cl_int status)
{
    cl_int unset = CL_SUBMITTED;
    if (c->queue || !atomic_compare_exchange_strong(&c->status, &unset, status))
        return false;
    weft_object_ref(&c->obj); // the application may release it meanwhile
    c->outcome = status;
    // Commands that waited for this event may have been flushed long ago, so idle threads are woken at once.
    weft_command_settle(c, WEFT_URGENT);
    weft_object_unref(&c->obj);
    return true;
}
