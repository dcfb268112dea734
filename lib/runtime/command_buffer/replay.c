// What replays of command buffers share, in one queue and in several: running one recorded command, and
// taking turns.
#include "runtime/command_buffer/replay.h"

#include <pthread.h>

#include "base/base.h"
#include "runtime/command/command.h"
#include "runtime/command/queue.h"
#include "runtime/command/trace.h"
#include "runtime/command_buffer/command_buffer.h"
#include "runtime/core/object.h"
#include "weft/scheduler.h"

void weft_sequence_unref(struct weft_sequence *s)
{
    // acq_rel: pairs with itself. The thread that drops the last reference sees what all enqueues wrote.
    if (!s || atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) != 1)
        return;
    for (uint32_t i = 0; i < s->count; i++)
        weft_object_unref(&s->at[i]->obj);
    weft_free(s->plan);
    weft_free(s);
}

static void share_run(struct weft_task *t, struct weft_worker *w, uint64_t first, uint64_t last)
{
    struct weft_command *c = WEFT_CONTAINER_OF(t, struct weft_command, task);
    c->run_range(c, w, first, last);
}

static void share_done(struct weft_task *t, struct weft_worker *w)
{
    (void)w;
    struct weft_command *c = WEFT_CONTAINER_OF(t, struct weft_command, task);
    atomic_store(&c->status, CL_COMPLETE);
    weft_park_wake(&c->done); // from here on, the waiting thread may go on and release the buffer
    weft_object_unref(&c->obj);
}

static bool is_shared_out(void *arg)
{
    return atomic_load(&((struct weft_command *)arg)->status) == CL_COMPLETE;
}

static void share(struct weft_command *c)
{
    atomic_store(&c->status, CL_RUNNING);
    weft_object_ref(&c->obj); // released by share_done
    c->task = (struct weft_task){.run = share_run,
                                 .done = share_done,
                                 .count = c->units,
                                 .grain = c->grain ? c->grain : 1,
                                 .cost = c->cost,
                                 .flags = weft_command_task_flags(c)};
    weft_sched_submit_inside(&c->task);
    weft_sched_wait(&c->done, is_shared_out, c);
}

cl_int weft_recorded_run(struct weft_command *c, struct weft_worker *w)
{
    // relaxed: the previous replay has ended and passed on the turn.
    atomic_store_explicit(&c->failure, 0, memory_order_relaxed);
    if (c->replay)
        c->replay->before(c);
    cl_int result = CL_COMPLETE;
    if (c->run)
        result = c->run(c);
    else if (c->urgent && c->units > c->grain)
        share(c);
    else
        c->run_range(c, w, 0, c->units);
    if (c->replay)
        c->replay->after(c);
    // share has waited for all parts
    cl_int failure = atomic_load_explicit(&c->failure, memory_order_relaxed);
    return failure ? failure : result;
}

cl_int weft_recorded_run_traced(struct weft_command *c, struct weft_worker *w, const struct weft_queue *q)
{
    // Each replay is a command of its own there. Only one replay of the buffer has the turn, so this one may
    // change the time by which the command is known.
    c->time_queued = weft_time_now();
    const cl_int result = weft_recorded_run(c, w);
    const struct weft_trace_completion done = {.command = weft_command_trace_id(c),
                                               .submitted = c->time_queued,
                                               .started = c->time_queued,
                                               .completed = weft_time_now(),
                                               .queue = q->trace_number,
                                               .name = weft_command_trace_name(c),
                                               .status = result};
    weft_trace_complete(&done);
    return result;
}

bool weft_replay_await_turn(struct weft_command_buffer *b, struct weft_command *c)
{
    struct weft_replay *r = weft_replay_of(c);
    r->next = NULL;
    pthread_mutex_lock(&b->lock);
    bool free = !b->running;
    if (free) {
        b->running = c;
    } else {
        if (b->waiting)
            *b->waiting_end = c;
        else
            b->waiting = c;
        b->waiting_end = &r->next;
    }
    pthread_mutex_unlock(&b->lock);
    return free;
}

struct weft_command *weft_replay_pass_turn(struct weft_command_buffer *b)
{
    pthread_mutex_lock(&b->lock);
    struct weft_command *next = b->running = b->waiting;
    if (next)
        b->waiting = weft_replay_of(next)->next;
    pthread_mutex_unlock(&b->lock);
    return next;
}
