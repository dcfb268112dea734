// Events as the application sees them: callbacks, and waiting for completion. A command is its own event
// (command/command.c). OpenCL 2.2 §5.11.
//
// Until they are due, callbacks are in a lock-free stack of the command. Then they go to the callback thread
// (core/callback.c).
#include "runtime/checker/misuse.h"
#include "runtime/checker/order.h"
#include "runtime/command/event.h"

#include "base/base.h"
#include "runtime/command/command.h"
#include "runtime/core/application_call.h"
#include "runtime/core/callback.h"
#include "runtime/core/object.h"
#include "weft/scheduler.h"

struct weft_event_callback {
    struct weft_callback dispatch;
    struct weft_event_callback *next;
    struct weft_command *event; // a reference
    cl_int type, status;
    void(CL_CALLBACK *call)(cl_event event, cl_int status, void *user);
    void *user;
};

static void push(struct weft_command *c, struct weft_event_callback *b)
{
    struct weft_event_callback *head = atomic_load_explicit(&c->callbacks, memory_order_relaxed);
    do {
        b->next = head;
        // Sequentially consistent, pairs with the load in settle_one (command/command.c), which follows its
        // store of the status.
    } while (!atomic_compare_exchange_weak(&c->callbacks, &head, b));
}

static void call_back(struct weft_callback *d)
{
    struct weft_event_callback *b = WEFT_CONTAINER_OF(d, struct weft_event_callback, dispatch);
    weft_misuse_enter_callback();
    WEFT_CALL_APPLICATION(b->call((cl_event)b->event, b->status, b->user));
    weft_misuse_leave_callback();
    weft_object_unref(&b->event->obj);
    weft_free(b);
}

// Dispatches callbacks in the order of the states, and those of one state in the order of their registration.
static void dispatch(struct weft_event_callback *due, cl_int status)
{
    for (cl_int type = CL_SUBMITTED; due && type >= CL_COMPLETE; type--) {
        struct weft_event_callback **at = &due;
        while (*at) {
            struct weft_event_callback *b = *at;
            if (b->type != type) {
                at = &b->next;
                continue;
            }
            *at = b->next;
            b->status = status < 0 ? status : b->type;
            b->dispatch.call = call_back;
            weft_callback_dispatch(&b->dispatch);
        }
    }
}

void weft_event_run_callbacks(struct weft_command *c)
{
    for (;;) {
        // Sequentially consistent, as the load of the status: see push.
        struct weft_event_callback *list = atomic_exchange(&c->callbacks, NULL), *due = NULL, *rest = NULL;
        cl_int status = weft_command_status(c);
        while (list) { // the newest comes first, so this reverses both lists
            struct weft_event_callback *b = list, **to = status > b->type ? &rest : &due;
            list = b->next;
            b->next = *to;
            *to = b;
        }
        if (WEFT_UNLIKELY(c->order != NULL) && due && status <= CL_COMPLETE)
            weft_order_seen(c->order);
        dispatch(due, status);
        if (!rest)
            return;
        while (rest) {
            struct weft_event_callback *next = rest->next;
            push(c, rest);
            rest = next;
        }
        // While these callbacks weren't in the list, another thread may have changed the status and found the
        // list empty.
        if (weft_command_status(c) == status)
            return;
    }
}

bool weft_event_add_callback(struct weft_command *c, cl_int type,
                             void(CL_CALLBACK *call)(cl_event event, cl_int status, void *user), void *user)
{
    struct weft_event_callback *b = weft_zalloc(sizeof *b);
    if (!b)
        return false;
    b->event = c;
    b->type = type;
    b->call = call;
    b->user = user;
    weft_object_ref(&c->obj);
    push(c, b);
    if (weft_command_status(c) <= type)
        weft_event_run_callbacks(c);
    return true;
}

static bool complete(void *arg)
{
    struct weft_command *c = arg;
    return weft_command_status(c) <= CL_COMPLETE;
}

cl_int weft_command_wait(struct weft_command *c)
{
    if (!complete(c))
        weft_sched_wait(&c->done, complete, c);
    if (WEFT_UNLIKELY(c->order != NULL))
        weft_order_seen(c->order);
    return weft_command_status(c);
}
