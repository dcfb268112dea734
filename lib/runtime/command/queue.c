// Command queues: creation, finish and release. The order of their commands is in command/submit.c. OpenCL
// 2.2 §5.1, §5.15.
//
// A queue and its last command hold references to each other. weft_queue_detach breaks this cycle when the
// application releases its last handle, or the command does when it completes after that.
#include "runtime/command/queue.h"

#include <pthread.h>
#include <stdio.h>

#include "base/base.h"
#include "runtime/checker/order.h"
#include "runtime/command/command.h"
#include "runtime/command/event.h"
#include "runtime/device/context.h"
#include "runtime/device/device.h"
#include "runtime/core/object.h"
#include "weft/scheduler.h"
#include "weft/trace.h"

// Gives the queue a track in the timeline.
static void number(struct weft_queue *q)
{
    char name[64];
    snprintf(name, sizeof name, "%s%s%s", q->in_order ? "in order" : "out of order",
             q->obj.kind == WEFT_KIND_DEVICE_QUEUE ? ", on the device" : "",
             q->device->parent ? ", of a sub-device" : "");
    q->trace_number = weft_trace_queue(name);
}

// Initializes a queue of either kind, which is zeroed except for the object. False: no memory.
static bool fill(struct weft_queue *q, struct weft_context *context, struct weft_device *device,
                 cl_command_queue_properties properties, const cl_queue_properties *given, size_t entries)
{
    pthread_mutex_init(&q->lock, NULL);
    weft_object_ref(&context->obj);
    q->context = context;
    q->device = device;
    q->properties = properties;
    q->forks = weft_forks;
    q->in_order = !(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    q->profiling = (properties & CL_QUEUE_PROFILING_ENABLE) != 0;
    q->order = weft_order_queue_new(q->in_order);
    q->observed = weft_trace_is_on() || q->order;
    q->timed = q->profiling || weft_trace_is_on();
    q->special = device->domain != NULL;
    q->threads = device->domain ? weft_domain_thread_count(device->domain) : weft_sched_thread_count();
    if (weft_trace_is_on())
        number(q);
    if (given) {
        q->given = weft_memdup(given, entries * sizeof *given);
        q->given_count = q->given ? entries : 0;
    }
    return !given || q->given;
}

struct weft_queue *weft_queue_create(struct weft_context *context, struct weft_device *device,
                                     cl_command_queue_properties properties, const cl_queue_properties *given,
                                     size_t entries)
{
    struct weft_queue *q = weft_object_create(WEFT_KIND_QUEUE, sizeof *q, &context->obj);
    if (!q)
        return NULL;
    if (!fill(q, context, device, properties, given, entries)) {
        weft_object_unref(&q->obj);
        return NULL;
    }
    pthread_mutex_lock(&context->lock);
    q->next = context->queues;
    if (q->next)
        q->next->prev = q;
    context->queues = q;
    q->listed = true;
    pthread_mutex_unlock(&context->lock);
    return q;
}

static void leave_context(struct weft_queue *q)
{
    pthread_mutex_lock(&q->context->lock);
    if (q->prev)
        q->prev->next = q->next;
    else
        q->context->queues = q->next;
    if (q->next)
        q->next->prev = q->prev;
    pthread_mutex_unlock(&q->context->lock);
}

struct weft_device_queue *weft_device_queue_create(struct weft_context *context, struct weft_device *device,
                                                   cl_command_queue_properties properties, cl_uint size,
                                                   const cl_queue_properties *given, size_t entries)
{
    struct weft_device_queue *q = weft_object_create(WEFT_KIND_DEVICE_QUEUE, sizeof *q, &context->obj);
    if (q && !fill(&q->queue, context, device, properties, given, entries)) {
        weft_object_unref(&q->queue.obj);
        return NULL;
    }
    if (q)
        q->size = size;
    return q;
}

struct weft_queue *weft_any_queue_of(cl_command_queue handle)
{
    struct weft_device_queue *d = weft_device_queue_of(handle);
    return d ? &d->queue : weft_queue_of(handle);
}

// ---- Default queues on the device ----

static struct weft_device_queue *_Atomic *default_place(const struct weft_context *context,
                                                        const struct weft_device *device)
{
    for (cl_uint i = 0; i < context->device_count; i++)
        if (context->devices[i] == device)
            return &context->default_queues[i];
    return NULL;
}

struct weft_device_queue *weft_default_queue(const struct weft_context *context,
                                             const struct weft_device *device)
{
    struct weft_device_queue *_Atomic *place = default_place(context, device);
    return place ? atomic_load(place) : NULL;
}

struct weft_device_queue *weft_default_queue_set(struct weft_device_queue *q, bool only_first)
{
    struct weft_context *context = q->queue.context;
    struct weft_device_queue *_Atomic *place = default_place(context, q->queue.device);
    pthread_mutex_lock(&context->lock);
    // The checks have found the device in the context.
    struct weft_device_queue *known = place ? atomic_load(place) : NULL;
    // The existing default queue must be held. It may not be published yet. If its last reference is gone, it
    // is no longer the default.
    if (!only_first || !known || known == q || !weft_object_try_ref(&known->queue.obj))
        known = q;
    if (known != q) {
        weft_object_retain_handle(&known->queue.obj);
        weft_object_unref(&known->queue.obj);
    } else if (atomic_load(&q->queue.obj.handles) == 0) {
        known = NULL; // forget_default has run for q, or will run and find another queue
    } else if (place) {
        atomic_store(place, q);
    }
    pthread_mutex_unlock(&context->lock);
    return known;
}

static void forget_default(struct weft_queue *q)
{
    struct weft_device_queue *_Atomic *place = default_place(q->context, q->device);
    pthread_mutex_lock(&q->context->lock);
    // Unless somebody has retained a handle of it meanwhile.
    if (place && atomic_load(place) == (struct weft_device_queue *)(void *)q &&
        atomic_load(&q->obj.handles) == 0)
        atomic_store(place, NULL);
    pthread_mutex_unlock(&q->context->lock);
}

// ---- Destruction ----

void weft_queue_destroy(struct weft_object *o)
{
    struct weft_queue *q = (struct weft_queue *)o;
    if (q->listed)
        leave_context(q);
    pthread_mutex_destroy(&q->lock);
    weft_free(q->given);
    weft_free(q->order);
    weft_object_unref(&q->context->obj);
}

void weft_device_queue_destroy(struct weft_object *o)
{
    weft_queue_destroy(o);
}

void weft_queue_after_fork(struct weft_object *o)
{
    // A device queue begins with a host queue.
    weft_lock_after_fork(&((struct weft_queue *)o)->lock);
}

void weft_queue_detach(struct weft_queue *q)
{
    if (q->obj.kind == WEFT_KIND_DEVICE_QUEUE)
        forget_default(q);
    // An unfinished command keeps its place in `last`, because command buffers may enqueue after it. It
    // leaves when it is complete (command/command.c). Either this thread sees its final status, or it sees
    // that there are no handles, because all four accesses are sequentially consistent.
    atomic_fetch_add(&q->obj.handles, 0);
    pthread_mutex_lock(&q->lock);
    struct weft_command *last = q->last && weft_command_status(q->last) <= CL_COMPLETE ? q->last : NULL;
    if (last)
        q->last = NULL;
    pthread_mutex_unlock(&q->lock);
    if (last)
        weft_object_unref(&last->obj);
}

// In a forked child: removes the parent's commands from the queue once, which is idle then. True: some of
// them weren't complete; this is reported once.
static bool drop_parents_commands(struct weft_queue *q)
{
    struct weft_command *held[2] = {NULL};
    pthread_mutex_lock(&q->lock);
    if (q->forks != weft_forks) {
        struct weft_command **at = &q->live, *before = NULL;
        for (struct weft_command *c = q->live; c; c = c->live_next) {
            if (weft_command_is_parents(c)) {
                q->lost |= weft_command_is_lost(c);
                continue;
            }
            c->live_prev = before;
            *at = before = c;
            at = &c->live_next;
        }
        *at = NULL;
        if (q->last && weft_command_is_parents(q->last)) {
            q->lost |= weft_command_is_lost(q->last);
            held[0] = q->last;
            q->last = NULL;
        }
        if (q->barrier && weft_command_is_parents(q->barrier)) {
            held[1] = q->barrier;
            q->barrier = NULL;
        }
        q->forks = weft_forks;
    }
    bool lost = q->lost;
    q->lost = false;
    pthread_mutex_unlock(&q->lock);
    weft_object_unref(held[0] ? &held[0]->obj : NULL);
    weft_object_unref(held[1] ? &held[1]->obj : NULL);
    return lost;
}

// In order: the last command is complete after all before it. Out of order: a marker is.
cl_int weft_queue_finish(struct weft_queue *q)
{
    cl_int result = WEFT_UNLIKELY(weft_forks) && drop_parents_commands(q) ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
    if (!q->in_order) {
        struct weft_command *marker = weft_command_create(q->context, q, CL_COMMAND_MARKER);
        cl_int err = marker ? weft_command_submit(marker, 0, NULL, NULL, true) : CL_OUT_OF_HOST_MEMORY;
        return err ? err : result;
    }
    pthread_mutex_lock(&q->lock);
    struct weft_command *last = q->last;
    if (last)
        weft_object_ref(&last->obj);
    pthread_mutex_unlock(&q->lock);
    if (last) {
        weft_command_wait(last);
        weft_object_unref(&last->obj);
    }
    return result;
}

// Takes references to all queues of the context whose last reference isn't gone; the others have no
// unfinished commands. Returns the number of queues held. If they exceed `room`, returns their number and
// holds none.
static size_t hold_queues_locked(const struct weft_context *c, struct weft_queue **held, size_t room)
{
    size_t all = 0, n = 0;
    for (const struct weft_queue *q = c->queues; q; q = q->next)
        all++;
    if (all > room)
        return all;
    for (struct weft_queue *q = c->queues; q; q = q->next)
        if (weft_object_try_ref(&q->obj))
            held[n++] = q;
    return n;
}

cl_int weft_context_finish(struct weft_context *c)
{
    struct weft_queue **held = NULL;
    size_t room = 0, n;
    for (;;) {
        pthread_mutex_lock(&c->lock);
        n = hold_queues_locked(c, held, room);
        pthread_mutex_unlock(&c->lock);
        if (n <= room)
            break;
        weft_free(held);
        room = n + n / 2 + 1; // others may be created meanwhile
        held = weft_alloc_array(room, sizeof *held);
        if (!held)
            return CL_OUT_OF_HOST_MEMORY;
    }
    cl_int error = CL_SUCCESS;
    for (size_t i = 0; i < n; i++) {
        cl_int e = weft_queue_finish(held[i]);
        error = error ? error : e;
        weft_object_unref(&held[i]->obj);
    }
    weft_free(held);
    return error;
}
