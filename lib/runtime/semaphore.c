// Semaphores and the commands that wait for them and signal them (cl_khr_semaphore).
//
// A wait whose semaphores aren't all signaled when its turn comes keeps no thread: it is parked in a list, and the
// signal after which it can have all that it waits for takes them in its name and hands it to the scheduler again. One
// lock guards all semaphores and that list, in which those who came first are served first.
#include "semaphore.h"

#define INLINE_SEMAPHORES 16

struct batch {
    struct weft_semaphore **semaphores; // a ref each; `few`, or allocated
    cl_uint count;
    bool taken;                // a wait has what it waits for
    struct weft_command *next; // parked behind this one
    struct weft_semaphore *few[INLINE_SEMAPHORES];
};
_Static_assert(sizeof(struct batch) <= WEFT_COMMAND_PAYLOAD, "payload");

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // no other is taken under it
static struct weft_command *parked, **parked_end = &parked;

// ---- Life ----

// In a forked child nobody waits: the parent's commands are the parent's.
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
    pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void know_forks(void)
{
    weft_at_fork(fork_prepare, fork_parent, fork_child);
}

struct weft_semaphore *weft_semaphore_create(struct weft_context *context, struct weft_device *device,
                                             const cl_properties *properties, size_t entries)
{
    struct weft_semaphore *s = weft_object_create(WEFT_KIND_SEMAPHORE, sizeof *s, &context->obj);
    if (!s)
        return NULL;
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
    weft_free(s->properties);
    weft_object_unref(&s->context->obj);
}

bool weft_semaphore_is_signaled(struct weft_semaphore *s)
{
    pthread_mutex_lock(&lock);
    bool signaled = s->signaled;
    pthread_mutex_unlock(&lock);
    return signaled;
}

// ---- Commands ----

static struct batch *batch_of(struct weft_command *c)
{
    return (struct batch *)(void *)c->payload;
}

static bool take_locked(struct batch *b)
{
    for (cl_uint i = 0; i < b->count; i++)
        if (!b->semaphores[i]->signaled)
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

// Behind run_wait, when the scheduler is done with the task.
static bool park(struct weft_command *c)
{
    struct batch *b = batch_of(c);
    pthread_mutex_lock(&lock);
    bool waits = !b->taken && !take_locked(b);
    if (waits) {
        b->next = NULL;
        *parked_end = c;
        parked_end = &b->next;
    }
    pthread_mutex_unlock(&lock);
    return waits;
}

// Takes those that can go on out of the list, in their order.
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
        b->next = NULL;
        *end = c;
        end = &b->next;
    }
    parked_end = at;
    return served;
}

static cl_int run_signal(struct weft_command *c)
{
    struct batch *b = batch_of(c);
    pthread_mutex_lock(&lock);
    for (cl_uint i = 0; i < b->count; i++)
        b->semaphores[i]->signaled = true;
    struct weft_command *served = served_locked();
    pthread_mutex_unlock(&lock);
    while (served) {
        struct weft_command *next = batch_of(served)->next; // it may be gone once it is handed over
        weft_queue_start_task(served->queue, &served->task, WEFT_URGENT);
        served = next;
    }
    return CL_COMPLETE;
}

static void release(struct weft_command *c)
{
    struct batch *b = batch_of(c);
    for (cl_uint i = 0; i < b->count; i++)
        weft_object_unref(&b->semaphores[i]->obj);
    b->count = 0;
    if (b->semaphores != b->few)
        weft_free(b->semaphores);
}

cl_int weft_enqueue_semaphores(struct weft_queue *q, cl_command_type type, cl_uint count,
                               struct weft_semaphore *const *semaphores, cl_uint wait_count,
                               const cl_event *wait_list, cl_event *event)
{
    struct weft_command *c = weft_command_create(q->context, q, type);
    if (!c)
        return CL_OUT_OF_HOST_MEMORY;
    struct batch *b = batch_of(c);
    b->semaphores = count <= INLINE_SEMAPHORES ? b->few : weft_alloc_array(count, sizeof *b->semaphores);
    if (!b->semaphores) {
        weft_command_abandon(c);
        return CL_OUT_OF_HOST_MEMORY;
    }
    for (; b->count < count; b->count++) {
        b->semaphores[b->count] = semaphores[b->count];
        weft_object_ref(&semaphores[b->count]->obj);
    }
    c->run = type == CL_COMMAND_SEMAPHORE_WAIT_KHR ? run_wait : run_signal;
    c->again = type == CL_COMMAND_SEMAPHORE_WAIT_KHR ? park : NULL;
    c->release = release;
    return weft_command_submit(c, wait_count, wait_list, event, false);
}
