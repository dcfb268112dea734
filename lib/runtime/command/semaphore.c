// Semaphores and the commands that wait for them and signal them (cl_khr_semaphore).
//
// A wait whose semaphores aren't all signaled when it runs keeps no thread. It is parked in a list. The
// signal that completes its set of semaphores takes them on its behalf and hands it to the scheduler again.
// One lock guards all semaphores and that list. Waits are served in the order in which they came.
//
// A shared semaphore has its state in a payload, which other processes change without that lock. So a wait
// that has taken some payloads may have to give them back. A thread of its own (command/semaphore_watch.c)
// serves the list for such semaphores.
#include "runtime/command/semaphore.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/base.h"
#include "runtime/command/command.h"
#include "runtime/command/external_semaphore.h"
#include "runtime/command/queue.h"
#include "runtime/command/semaphore_watch.h"
#include "runtime/device/context.h"
#include "runtime/device/device.h"
#include "runtime/core/object.h"
#include "weft/scheduler.h"

#define INLINE_SEMAPHORES 16

struct batch {
    struct weft_semaphore **semaphores; // a reference each; `inline_semaphores`, or allocated
    cl_uint count;
    bool taken; // the wait has taken its semaphores
    // One of them has a payload; they are sorted by weft_payload_order.
    bool shared;
    struct weft_command *next; // the next parked command
    struct weft_semaphore *inline_semaphores[INLINE_SEMAPHORES];
};
_Static_assert(sizeof(struct batch) <= WEFT_COMMAND_PAYLOAD, "payload");

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // no other lock is taken under it
static struct weft_command *parked, **parked_end = &parked;
static size_t parked_shared; // how many parked commands have `shared`

// ---- Creation and destruction ----

// In a forked child nothing is parked: the waiting commands belong to the parent.
static void fork_prepare(void)
{
    pthread_mutex_lock(&lock);
}

static void fork_parent(void)
{
    pthread_mutex_unlock(&lock);
}

static void fork_child(void)
{
    parked = NULL;
    parked_end = &parked;
    parked_shared = 0;
    pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void know_forks(void)
{
    weft_at_fork(fork_prepare, fork_parent, fork_child);
}

struct weft_semaphore *weft_semaphore_create(struct weft_context *context, struct weft_device *device,
                                             const cl_properties *properties, size_t entries,
                                             struct weft_payload *payload)
{
    struct weft_semaphore *s = weft_object_create(WEFT_KIND_SEMAPHORE, sizeof *s, &context->obj);
    if (!s) {
        weft_payload_unref(payload);
        return NULL;
    }
    s->payload = payload;
    weft_object_ref(&context->obj);
    s->context = context;
    s->device = device;
    s->properties = weft_memdup(properties, entries * sizeof *properties);
    s->property_count = entries;
    if (s->properties)
        return s;
    weft_object_unref(&s->obj);
    return NULL;
}

void weft_semaphore_destroy(struct weft_object *o)
{
    struct weft_semaphore *s = (struct weft_semaphore *)(void *)o;
    weft_payload_unref(s->payload);
    weft_free(s->properties);
    weft_object_unref(&s->context->obj);
}

static bool is_signaled_locked(const struct weft_semaphore *s)
{
    return s->payload ? weft_payload_is_set(s->payload) : s->signaled;
}

bool weft_semaphore_is_signaled(struct weft_semaphore *s)
{
    pthread_mutex_lock(&lock);
    bool signaled = is_signaled_locked(s);
    pthread_mutex_unlock(&lock);
    return signaled;
}

// ---- Commands ----

static struct batch *batch_of(struct weft_command *c)
{
    return (struct batch *)(void *)c->payload;
}

// Is this payload the same as the previous one? Two semaphores with one payload are the same semaphore.
static bool is_repeated(const struct batch *b, cl_uint i)
{
    return i > 0 && b->semaphores[i]->payload && b->semaphores[i]->payload == b->semaphores[i - 1]->payload;
}

// Takes all payloads or none. Every process takes them in the same order, so that of two that want the same
// ones, one gets them.
static bool take_payloads(const struct batch *b)
{
    cl_uint i = 0;
    while (i < b->count &&
           (!b->semaphores[i]->payload || is_repeated(b, i) || weft_payload_take(b->semaphores[i]->payload)))
        i++;
    if (i == b->count)
        return true;
    while (i-- > 0)
        if (b->semaphores[i]->payload && !is_repeated(b, i)) {
            weft_payload_set(b->semaphores[i]->payload);
            weft_payload_wake(b->semaphores[i]->payload); // others may have seen it unsignaled meanwhile
        }
    return false;
}

static bool take_locked(struct batch *b)
{
    for (cl_uint i = 0; i < b->count; i++)
        if (!is_signaled_locked(b->semaphores[i]))
            return false;
    if (b->shared && !take_payloads(b))
        return false;
    for (cl_uint i = 0; i < b->count; i++)
        b->semaphores[i]->signaled = false;
    b->taken = true;
    return true;
}

static cl_int run_wait(struct weft_command *c)
{
    struct batch *b = batch_of(c);
    pthread_mutex_lock(&lock);
    if (!b->taken)
        take_locked(b);
    pthread_mutex_unlock(&lock);
    return CL_COMPLETE;
}

// Called after run_wait, when the scheduler has finished the task. True: the command is parked.
static bool park(struct weft_command *c)
{
    struct batch *b = batch_of(c);
    pthread_mutex_lock(&lock);
    const bool waits = !b->taken && !take_locked(b), watched = waits && b->shared;
    if (waits) {
        b->next = NULL;
        *parked_end = c;
        parked_end = &b->next;
        parked_shared += watched;
    }
    pthread_mutex_unlock(&lock);
    if (watched)
        weft_semaphore_watch_again();
    return waits;
}

// Removes the commands that can continue from the list and returns them in their order.
static struct weft_command *served_locked(void)
{
    struct weft_command *served = NULL, **end = &served, **at = &parked;
    while (*at) {
        struct weft_command *c = *at;
        struct batch *b = batch_of(c);
        if (!take_locked(b)) {
            at = &b->next;
            continue;
        }
        *at = b->next;
        parked_shared -= b->shared;
        b->next = NULL;
        *end = c;
        end = &b->next;
    }
    parked_end = at;
    return served;
}

static void hand_over(struct weft_command *served)
{
    while (served) {
        struct weft_command *next = batch_of(served)->next; // it may be freed once it is handed over
        weft_queue_start_task(served->queue, &served->task, WEFT_URGENT);
        served = next;
    }
}

static cl_int run_signal(struct weft_command *c)
{
    struct batch *b = batch_of(c);
    pthread_mutex_lock(&lock);
    for (cl_uint i = 0; i < b->count; i++)
        if (b->semaphores[i]->payload)
            weft_payload_set(b->semaphores[i]->payload);
        else
            b->semaphores[i]->signaled = true;
    struct weft_command *served = served_locked();
    // A parked command may now lack only a payload, which the thread saw signaled before and which has been
    // taken since. So the thread must look again.
    const bool look = parked_shared > 0;
    pthread_mutex_unlock(&lock);
    hand_over(served);
    for (cl_uint i = 0; b->shared && i < b->count; i++)
        if (b->semaphores[i]->payload && weft_payload_is_set(b->semaphores[i]->payload))
            weft_payload_wake(b->semaphores[i]->payload);
    if (look)
        weft_semaphore_watch_again();
    return CL_COMPLETE;
}

static size_t serve(struct weft_payload **awaited, size_t maximum, bool *more)
{
    size_t count = 0;
    bool changed = false;
    *more = false;
    pthread_mutex_lock(&lock);
    struct weft_command *served = served_locked();
    for (struct weft_command *c = parked; c && !*more; c = batch_of(c)->next) {
        const struct batch *b = batch_of(c);
        bool missing = false; // a semaphore that only this process signals
        cl_uint i = 0;
        // The first missing payload suffices. When it is signaled, the next look finds the next missing one.
        for (; i < b->count && (!b->semaphores[i]->payload || weft_payload_is_set(b->semaphores[i]->payload));
             i++)
            missing |= !is_signaled_locked(b->semaphores[i]);
        changed |= i == b->count && b->shared && !missing; // all were signaled just now
        *more = i < b->count && count == maximum;
        if (i < b->count && !*more) {
            awaited[count] = b->semaphores[i]->payload;
            weft_payload_ref(awaited[count++]);
        }
    }
    pthread_mutex_unlock(&lock);
    hand_over(served);
    if (changed)
        weft_semaphore_watch_again();
    return count;
}

static void release(struct weft_command *c)
{
    struct batch *b = batch_of(c);
    for (cl_uint i = 0; i < b->count; i++)
        weft_object_unref(&b->semaphores[i]->obj);
    b->count = 0;
    if (b->semaphores != b->inline_semaphores)
        weft_free(b->semaphores);
}

// Semaphores without a payload come first.
static int compare(const void *a, const void *b)
{
    const struct weft_payload *p = (*(struct weft_semaphore *const *)a)->payload,
                              *q = (*(struct weft_semaphore *const *)b)->payload;
    return p && q ? weft_payload_order(p, q) : (p != NULL) - (q != NULL);
}

cl_int weft_enqueue_semaphores(struct weft_queue *q, cl_command_type type, cl_uint count,
                               struct weft_semaphore *const *semaphores, cl_uint wait_count,
                               const cl_event *wait_list, cl_event *event)
{
    struct weft_command *c = weft_command_create(q->context, q, type);
    if (!c)
        return CL_OUT_OF_HOST_MEMORY;
    struct batch *b = batch_of(c);
    b->semaphores =
        count <= INLINE_SEMAPHORES ? b->inline_semaphores : weft_alloc_array(count, sizeof *b->semaphores);
    if (!b->semaphores) {
        weft_command_abandon(c);
        return CL_OUT_OF_HOST_MEMORY;
    }
    c->release = release;
    for (; b->count < count; b->count++) {
        weft_object_ref(&semaphores[b->count]->obj);
        b->semaphores[b->count] = semaphores[b->count];
        b->shared |= semaphores[b->count]->payload != NULL;
    }
    if (b->shared)
        qsort(b->semaphores, count, sizeof *b->semaphores, compare);
    if (b->shared && type == CL_COMMAND_SEMAPHORE_WAIT_KHR && !weft_semaphore_watch_start(serve)) {
        weft_command_abandon(c);
        return CL_OUT_OF_RESOURCES;
    }
    c->run = type == CL_COMMAND_SEMAPHORE_WAIT_KHR ? run_wait : run_signal;
    c->again = type == CL_COMMAND_SEMAPHORE_WAIT_KHR ? park : NULL;
    return weft_command_submit(c, wait_count, wait_list, event, false);
}
