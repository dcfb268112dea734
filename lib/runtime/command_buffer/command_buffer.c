// Command buffers: recording and replay (cl_khr_command_buffer 0.9.8).
// Recording: a buffer has one queue of its own, a recorder, for each of the application's queues. The entry
// points enqueue the commands there, with all the usual checks. weft_command_submit hands the command out,
// with its arguments captured, and the buffer stores it.
// Replay: one command in the application's queue runs them in the order of recording, which satisfies all
// sync-points and barriers. Small commands run on the replay's thread, large ones are split among all
// threads. Nothing is allocated, looked up or checked again.
// A buffer owns the recorded commands, in `commands` and in the sequence that enqueues run. An update makes a
// new sequence; enqueues under way keep theirs.
// Two replays of a buffer never overlap, since recorded commands contain their own state. An enqueue that
// becomes ready during another waits for its turn without occupying a thread. It doesn't wait for enqueues
// that aren't ready. A replay also leaves its thread after a kernel that has enqueued others, and goes on
// when they are complete.
// The buffer's lock guards what the header says.
#include "runtime/command_buffer/command_buffer.h"

#include <pthread.h>

#include "base/base.h"
#include "runtime/command/command.h"
#include "runtime/command/queue.h"
#include "runtime/command_buffer/replay.h"
#include "runtime/device/context.h"
#include "runtime/core/diagnostics.h"
#include "runtime/core/object.h"
#include "runtime/launch/ndrange.h"
#include "weft/scheduler.h"
#include "weft/trace.h"

// ---- Sequences ----

// Makes the sequence for the buffer's present commands. Commands that do nothing are left out. NULL: no
// memory.
static struct weft_sequence *sequence_make_locked(const struct weft_command_buffer *b)
{
    size_t bytes;
    if (!weft_mul_size(b->count, sizeof(struct weft_command *), &bytes) ||
        !weft_add_size(bytes, sizeof(struct weft_sequence), &bytes))
        return NULL;
    struct weft_sequence *s = weft_zalloc(bytes);
    if (!s)
        return NULL;
    atomic_store_explicit(&s->refs, 1, memory_order_relaxed); // relaxed: nobody else knows s
    if (b->queue_count > 1 && !(s->plan = weft_replay_plan_make_locked(b))) {
        weft_free(s);
        return NULL;
    }
    for (size_t i = 0; i < b->count; i++) {
        struct weft_command *c = b->commands[i]->shape.command;
        if (!c || (!c->run && !c->run_range))
            continue;
        weft_object_ref(&c->obj);
        s->at[s->count++] = c;
        s->pool_only |= weft_command_keeps_to_pool(c);
    }
    return s;
}

// ---- Replay in one queue ----

// Takes the turn if it is free. True: c has the turn.
static bool take_turn(struct weft_command_buffer *b, struct weft_command *c)
{
    pthread_mutex_lock(&b->lock);
    if (!b->running)
        b->running = c;
    bool mine = b->running == c;
    pthread_mutex_unlock(&b->lock);
    return mine;
}

static void start_replay(struct weft_command *c)
{
    weft_queue_start_task(c->queue, &c->task, WEFT_LAZY);
}

// Inlined in both callers, so that a replay that isn't traced does nothing for it.
WEFT_ALWAYS_INLINE void replay(struct weft_command *c, struct weft_worker *w, bool traced)
{
    struct weft_replay *r = weft_replay_of(c);
    bool waited = r->early;
    r->early = !take_turn(r->buffer, c);
    if (r->early)
        return;
    if (waited && c->queue->timed)
        c->time_started = weft_time_now();
    const struct weft_sequence *s = r->sequence;
    // relaxed: the thread that completed the last child has published it.
    cl_int error = r->parent ? atomic_load_explicit(&r->parent->failure, memory_order_relaxed) : CL_COMPLETE;
    r->parent = NULL;
    while (r->at < s->count && error == CL_COMPLETE) {
        struct weft_command *recorded = s->at[r->at++];
        recorded->waiting = &r->waiting;
        error = traced ? weft_recorded_run_traced(recorded, w, c->queue) : weft_recorded_run(recorded, w);
        // relaxed: the command has run, and counts itself as a child until again_in_turn.
        if (WEFT_UNLIKELY(atomic_load_explicit(&recorded->children, memory_order_relaxed))) {
            r->parent = recorded;
            return;
        }
    }
    if (error)
        weft_command_fail(c, error);
    struct weft_command *next = weft_replay_pass_turn(r->buffer);
    if (next)
        start_replay(next);
}

static void run_replay(struct weft_command *c, struct weft_worker *w, uint64_t first, uint64_t last)
{
    (void)first, (void)last;
    replay(c, w, false);
}

static void run_replay_traced(struct weft_command *c, struct weft_worker *w, uint64_t first, uint64_t last)
{
    (void)first, (void)last;
    replay(c, w, true);
}

static void (*run)(struct weft_command *c, struct weft_worker *w, uint64_t first, uint64_t last) = run_replay;

__attribute__((constructor)) static void choose_run(void)
{
    if (weft_trace_is_on())
        run = run_replay_traced;
}

static void go_on_behind_children(struct weft_waiting *w)
{
    struct weft_replay *r = WEFT_CONTAINER_OF(w, struct weft_replay, waiting);
    start_replay(WEFT_CONTAINER_OF(r, struct weft_command, payload));
}

// Called after run_replay, when the scheduler is done with the task. Not before may the thread that ends the
// last child, or that passes on the turn, start it again. Enqueues that become ready later are behind this
// one in the list.
static bool again_in_turn(struct weft_command *c)
{
    struct weft_replay *r = weft_replay_of(c);
    if (r->parent) {
        if (weft_command_await_children(r->parent))
            start_replay(c);
        return true;
    }
    if (!r->early)
        return false;
    if (weft_replay_await_turn(r->buffer, c))
        start_replay(c);
    return true;
}

static void release_replay(struct weft_command *c)
{
    struct weft_replay *r = weft_replay_of(c);
    weft_sequence_unref(r->sequence);
    weft_object_unref(&r->buffer->obj);
}

static struct weft_command *replay_create_locked(struct weft_command_buffer *b, struct weft_queue *q)
{
    struct weft_command *c = weft_command_create(b->context, q, CL_COMMAND_COMMAND_BUFFER_KHR);
    if (!c)
        return NULL;
    weft_object_ref(&b->obj);
    // relaxed: the buffer holds a reference.
    atomic_fetch_add_explicit(&b->sequence->refs, 1, memory_order_relaxed);
    *weft_replay_of(c) =
        (struct weft_replay){.buffer = b, .sequence = b->sequence, .waiting = {go_on_behind_children}};
    c->run_range = run;
    c->again = again_in_turn;
    c->units = c->grain = 1;
    c->release = release_replay;
    weft_command_keep_to_pool(c, b->sequence->pool_only);
    return c;
}

cl_int weft_command_buffer_enqueue(struct weft_command_buffer *b, const cl_command_queue *queues,
                                   cl_uint wait_count, const cl_event *wait_list, cl_event *event)
{
    if (b->queue_count > 1)
        return weft_multi_replay_enqueue(b, queues, wait_count, wait_list, event);
    struct weft_queue *q = (struct weft_queue *)queues[0];
    pthread_mutex_lock(&b->lock);
    bool ready = b->state == CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR;
    struct weft_command *c = ready ? replay_create_locked(b, q) : NULL;
    pthread_mutex_unlock(&b->lock);
    if (!c)
        return ready ? CL_OUT_OF_HOST_MEMORY
                     : weft_error(CL_INVALID_OPERATION, "the command buffer isn't finalized");
    return weft_command_submit(c, wait_count, wait_list, event, false);
}

// ---- Recording ----

struct weft_command_buffer *weft_command_buffer_create(struct weft_queue *const *queues, cl_uint count,
                                                       const cl_properties *properties, size_t entries,
                                                       cl_bitfield flags, bool no_more_groups)
{
    struct weft_context *context = queues[0]->context;
    struct weft_command_buffer *b = weft_object_create(WEFT_KIND_COMMAND_BUFFER, sizeof *b, &context->obj);
    if (!b)
        return NULL;
    pthread_mutex_init(&b->lock, NULL);
    weft_object_ref(&context->obj);
    b->context = context;
    b->flags = flags;
    b->no_more_groups = no_more_groups;
    b->state = CL_COMMAND_BUFFER_STATE_RECORDING_KHR;
    b->queues = weft_alloc_array(count, sizeof *b->queues);
    b->recorders = weft_alloc_array(count, sizeof(struct weft_queue *));
    if (properties) {
        b->properties = weft_memdup(properties, entries * sizeof *properties);
        b->property_count = entries;
    }
    bool made = b->queues && b->recorders && (!properties || b->properties);
    for (; made && b->queue_count < count; b->queue_count++) {
        struct weft_queue *q = queues[b->queue_count];
        b->recorders[b->queue_count] = weft_queue_create(context, q->device, 0, NULL, 0);
        made = b->recorders[b->queue_count];
        if (!made)
            break;
        b->recorders[b->queue_count]->recorder = b->recorders[b->queue_count]->observed = true;
        weft_object_publish(&b->recorders[b->queue_count]->obj); // entry points enqueue there by handle
        b->queues[b->queue_count] = (cl_command_queue)q;
        weft_object_ref(&q->obj);
    }
    if (!made) {
        weft_object_release_handle(&b->obj);
        return NULL;
    }
    return b;
}

void weft_command_buffer_destroy(struct weft_object *o)
{
    struct weft_command_buffer *b = (struct weft_command_buffer *)(void *)o;
    weft_sequence_unref(b->sequence);
    for (size_t i = 0; i < b->count; i++)
        weft_object_unref(&b->commands[i]->obj);
    weft_free(b->commands);
    for (cl_uint i = 0; i < b->queue_count; i++) {
        weft_object_unref(&b->recorders[i]->obj);
        weft_object_unref(&((struct weft_queue *)b->queues[i])->obj);
    }
    weft_free(b->recorders);
    weft_free(b->queues);
    weft_free(b->properties);
    pthread_mutex_destroy(&b->lock);
    weft_object_unref(&b->context->obj);
}

struct weft_recorded *weft_recorded_create(struct weft_command_buffer *b, cl_command_type type,
                                           uint32_t stream, const cl_uint *waits, cl_uint wait_count)
{
    struct weft_recorded *r = weft_object_create(WEFT_KIND_RECORDED, sizeof *r, &b->obj);
    if (!r)
        return NULL;
    r->buffer = b;
    r->type = type;
    r->stream = stream;
    r->queue = (struct weft_queue *)b->queues[stream];
    if (wait_count && b->queue_count > 1) {
        r->waits = weft_memdup(waits, wait_count * sizeof *waits);
        r->wait_count = wait_count;
    }
    if (r->wait_count && !r->waits) {
        weft_object_unref(&r->obj);
        return NULL;
    }
    return r;
}

// In the child of a fork, the replay that was running or waiting belongs to the parent.
void weft_command_buffer_after_fork(struct weft_object *o)
{
    struct weft_command_buffer *b = (struct weft_command_buffer *)o;
    weft_lock_after_fork(&b->lock);
    b->running = b->waiting = NULL;
}

void weft_recorded_destroy(struct weft_object *o)
{
    struct weft_recorded *r = (struct weft_recorded *)(void *)o;
    if (r->shape.command)
        weft_object_unref(&r->shape.command->obj);
    if (r->shape.own)
        weft_object_unref(&r->shape.own->obj);
    if (r->kernel)
        weft_object_unref(&r->kernel->obj);
    weft_free(r->properties);
    weft_free(r->waits);
}

static cl_int make_room_locked(struct weft_command_buffer *b)
{
    if (b->count < b->capacity)
        return CL_SUCCESS;
    size_t capacity, bytes;
    if (!weft_mul_size(b->capacity, 2, &capacity))
        return CL_OUT_OF_HOST_MEMORY;
    if (capacity == 0)
        capacity = 16;
    if (!weft_mul_size(capacity, sizeof(struct weft_recorded *), &bytes))
        return CL_OUT_OF_HOST_MEMORY;
    struct weft_recorded **more = weft_realloc(b->commands, bytes);
    if (!more)
        return CL_OUT_OF_HOST_MEMORY;
    b->commands = more;
    b->capacity = capacity;
    return CL_SUCCESS;
}

cl_int weft_command_buffer_append(struct weft_command_buffer *b, struct weft_recorded *r, cl_uint *point)
{
    pthread_mutex_lock(&b->lock);
    cl_int error = b->state == CL_COMMAND_BUFFER_STATE_RECORDING_KHR
                       ? make_room_locked(b)
                       : weft_error(CL_INVALID_OPERATION,
                                    "the command buffer is finalized: nothing more can be recorded");
    if (!error && b->count >= UINT32_MAX - 1) // sync-points are cl_uint, and 0 isn't one
        error = CL_OUT_OF_RESOURCES;
    if (!error) {
        b->commands[b->count++] = r;
        *point = r->point = (cl_uint)b->count;
    }
    pthread_mutex_unlock(&b->lock);
    if (error)
        weft_object_unref(&r->obj);
    return error;
}

cl_uint weft_command_buffer_state(struct weft_command_buffer *b)
{
    pthread_mutex_lock(&b->lock);
    cl_uint state = b->state;
    pthread_mutex_unlock(&b->lock);
    return state;
}

// Sets the state to executable, or to finalized if a launch has missing arguments.
static void look_at_state_locked(struct weft_command_buffer *b)
{
    b->state = CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR;
    for (size_t i = 0; i < b->count; i++)
        if (b->commands[i]->type == CL_COMMAND_NDRANGE_KERNEL && !b->commands[i]->shape.command)
            b->state = CL_COMMAND_BUFFER_STATE_FINALIZED_KHR;
}

cl_int weft_command_buffer_finalize(struct weft_command_buffer *b)
{
    pthread_mutex_lock(&b->lock);
    cl_int error = b->state == CL_COMMAND_BUFFER_STATE_RECORDING_KHR
                       ? CL_SUCCESS
                       : weft_error(CL_INVALID_OPERATION,
                                    "the command buffer is finalized: nothing more can be recorded");
    size_t count = b->count;
    pthread_mutex_unlock(&b->lock);
    // A command that another thread appends meanwhile waits for its code when it runs. The array may be
    // reallocated, but the commands stay.
    for (size_t i = 0; !error && i < count; i++) {
        pthread_mutex_lock(&b->lock);
        struct weft_command *c = b->commands[i]->shape.command;
        pthread_mutex_unlock(&b->lock);
        if (c)
            weft_ndrange_finalize(c);
    }
    if (error)
        return error;
    pthread_mutex_lock(&b->lock);
    if (b->state != CL_COMMAND_BUFFER_STATE_RECORDING_KHR)
        error = weft_error(CL_INVALID_OPERATION, "the command buffer is finalized already");
    else if (!(b->sequence = sequence_make_locked(b)))
        error = CL_OUT_OF_HOST_MEMORY;
    else
        look_at_state_locked(b);
    pthread_mutex_unlock(&b->lock);
    return error;
}

bool weft_command_buffer_settle(struct weft_command_buffer *b)
{
    pthread_mutex_lock(&b->lock);
    b->sequence = sequence_make_locked(b);
    if (b->sequence)
        look_at_state_locked(b);
    bool made = b->sequence;
    pthread_mutex_unlock(&b->lock);
    return made;
}

struct weft_launch_shape weft_recorded_shape(struct weft_recorded *r)
{
    pthread_mutex_lock(&r->buffer->lock);
    struct weft_launch_shape s = r->shape;
    if (s.own)
        weft_object_ref(&s.own->obj);
    if (s.command)
        weft_object_ref(&s.command->obj);
    pthread_mutex_unlock(&r->buffer->lock);
    return s;
}

static void exchange_locked(struct weft_recorded *const *changed, struct weft_launch_shape *shapes,
                            cl_uint count)
{
    for (cl_uint i = 0; i < count; i++) {
        struct weft_launch_shape old = changed[i]->shape;
        changed[i]->shape = shapes[i];
        shapes[i] = old;
    }
}

cl_int weft_command_buffer_exchange(struct weft_command_buffer *b, struct weft_recorded *const *changed,
                                    struct weft_launch_shape *shapes, cl_uint count)
{
    pthread_mutex_lock(&b->lock);
    exchange_locked(changed, shapes, count);
    struct weft_sequence *next = sequence_make_locked(b), *before = NULL;
    if (next) {
        before = b->sequence;
        b->sequence = next;
        look_at_state_locked(b);
    } else {
        exchange_locked(changed, shapes, count);
    }
    pthread_mutex_unlock(&b->lock);
    weft_sequence_unref(before);
    return next ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}
