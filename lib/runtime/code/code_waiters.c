// Commands that wait for code (code_waiters.h).
#include "runtime/code/code_waiters.h"

#include <pthread.h>

#include "base/base.h"
#include "runtime/checker/order.h"
#include "runtime/code/build_result.h"
#include "runtime/command/command.h"
#include "runtime/command/event.h"
#include "runtime/compiler/compile_queue.h"
#include "runtime/core/object.h"

struct weft_code_waiter {
    struct weft_code_waiter *next;
    struct weft_command *event; // a reference
};

struct weft_code_waiter *weft_code_waiter_new(struct weft_context *context, struct weft_command **event)
{
    struct weft_code_waiter *w = weft_zalloc(sizeof *w);
    *event = w ? weft_command_create(context, NULL, CL_COMMAND_USER) : NULL;
    if (!*event) {
        weft_free(w);
        return NULL;
    }
    (*event)->order = weft_order_new(); // it orders no launches
    w->event = *event;
    weft_object_ref(&(*event)->obj);
    return w;
}

void weft_code_waiters_add(struct weft_code_waiter **list, struct weft_code_waiter *w)
{
    w->next = *list;
    *list = w;
}

void weft_code_waiters_move(struct weft_code_waiter **from, struct weft_code_waiter **to)
{
    while (*to)
        to = &(*to)->next;
    *to = *from;
    *from = NULL;
}

void weft_code_waiter_notify(struct weft_code_waiter *w)
{
    weft_command_set_user_status(w->event, CL_COMPLETE);
    weft_object_unref(&w->event->obj);
    weft_free(w);
}

void weft_code_waiters_notify(struct weft_kernel_code *c, struct weft_code_waiter **list)
{
    pthread_mutex_lock(&c->build->lock);
    struct weft_code_waiter *w = *list;
    *list = NULL;
    pthread_mutex_unlock(&c->build->lock);
    if (weft_compile_queue_is_ending()) // the threads that would run the launches have ended or are ending
        return;
    while (w) {
        struct weft_code_waiter *next = w->next;
        weft_code_waiter_notify(w);
        w = next;
    }
}
