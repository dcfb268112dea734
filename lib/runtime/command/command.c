// The command engine: dependencies between commands, their way through the scheduler, completion. OpenCL 2.2
// §3.2.1, §5.11-§5.15.
//
// Each command counts its unmet dependencies in `unmet`. A command that it waits for has it in its list of
// successors, through an edge that lies in the waiting command. Completion closes that list for good and
// counts down the successors. The list is lock-free: edges are pushed by compare-and-swap and taken with one
// exchange. The only lock is the queue's, for the order of submission.
//
// References: a submitted command holds one to itself until it is complete, one to its queue until it is
// destroyed, and one to each user event that it waits for. The application's handles hold another, and an
// in-order queue holds one in `last`.
//
// A command whose kernel enqueued others (launch/device_enqueue.c) isn't complete when it has run, but only
// when these are. `children` counts them and the command itself; the thread that counts it down to 0
// completes the parent. A recorded parent isn't completed; instead, its replay continues.
//
// In a forked child, commands of the parent process never start or end. What waits for one sees it fail
// (weft_command_status).
//
// Completion never recurses. Commands that complete as a consequence (markers, failed commands) are put on a
// list and settled one after the other. Those with work go to the scheduler.
#include "runtime/command/command.h"

#include <pthread.h>

#include "base/base.h"
#include "runtime/command/engine.h"
#include "runtime/command/event.h"
#include "runtime/command/queue.h"
#include "runtime/command/trace.h"
#include "runtime/device/context.h"
#include "runtime/core/object.h"
#include "weft/scheduler.h"

struct weft_edge weft_edges_closed;

static void run_units(struct weft_task *t, struct weft_worker *w, uint64_t first, uint64_t last);
// run_units, or with a timeline run_units_traced. Set at load.
static void (*run_task)(struct weft_task *t, struct weft_worker *w, uint64_t first,
                        uint64_t last) = run_units;
static void units_done(struct weft_task *t, struct weft_worker *w);

// owner: the queue, or the context of a user event. The command takes over the caller's reference to it,
// unless this fails.
WEFT_ALWAYS_INLINE struct weft_command *create(struct weft_object *owner, struct weft_context *context,
                                               struct weft_queue *queue, cl_command_type type)
{
    struct weft_command *c = weft_object_create(WEFT_KIND_EVENT, sizeof *c, owner);
    if (!c)
        return NULL;
    c->context = context;
    c->queue = queue;
    c->type = type;
    c->forks = weft_forks;
    // Relaxed: no other thread knows c.
    atomic_store_explicit(&c->status, queue ? CL_QUEUED : CL_SUBMITTED, memory_order_relaxed);
    if (queue && queue->timed)
        c->time_queued = weft_time_now();
    return c;
}

struct weft_command *weft_command_create(struct weft_context *context, struct weft_queue *queue,
                                         cl_command_type type)
{
    struct weft_object *owner = queue ? &queue->obj : &context->obj;
    weft_object_ref(owner);
    struct weft_command *c = create(owner, context, queue, type);
    if (!c)
        weft_object_unref(owner);
    return c;
}

struct weft_command *weft_command_create_with(struct weft_queue *queue, cl_command_type type)
{
    return create(&queue->obj, queue->context, queue, type);
}

void weft_command_destroy(struct weft_object *o)
{
    struct weft_command *c = (struct weft_command *)o;
    if (c->recorded && c->release)
        c->release(c);
    weft_free(c->more_edges);
    if (WEFT_UNLIKELY(c->order != NULL))
        weft_free(c->order);
    if (WEFT_UNLIKELY(c->origin != NULL))
        weft_object_unref(&c->origin->obj);
    weft_object_unref(c->queue ? &c->queue->obj : &c->context->obj);
}

void weft_command_abandon(struct weft_command *c)
{
    if (c->release)
        c->release(c);
    weft_object_unref(&c->obj);
}

bool weft_command_fail(struct weft_command *c, cl_int error)
{
    cl_int none = 0;
    // Relaxed: it is read in units_done, which the scheduler orders after every unit.
    return atomic_compare_exchange_strong_explicit(&c->failure, &none, error, memory_order_relaxed,
                                                   memory_order_relaxed);
}

// ---- Ready, running, done ----

void weft_queue_start_task(struct weft_queue *q, struct weft_task *t, enum weft_urgency urgency)
{
    if (q->high)
        urgency = WEFT_URGENT;
    if (q->device->domain)
        weft_domain_submit(q->device->domain, t, urgency);
    else
        weft_sched_submit(t, urgency);
}

void weft_command_mark_submitted(struct weft_command *c)
{
    if (c->queue->timed)
        c->time_submitted = weft_time_now();
    // Release, pairs with readers of the status: they may read what the caller wrote.
    atomic_store_explicit(&c->status, CL_SUBMITTED, memory_order_release);
    if (WEFT_UNLIKELY(atomic_load_explicit(&c->callbacks, memory_order_acquire) != NULL))
        weft_event_run_callbacks(c);
}

// Hands c to the scheduler. All its dependencies are met.
static void start(struct weft_command *c, enum weft_urgency urgency)
{
    weft_command_mark_submitted(c);
    c->task.run = run_task;
    c->task.done = units_done;
    c->task.count = c->run_range ? c->units : 1;
    c->task.grain = c->run_range && c->grain ? c->grain : 1;
    c->task.cost = c->cost;
    c->task.flags = weft_command_task_flags(c);
    if (c->urgent)
        urgency = WEFT_URGENT;
    if (WEFT_UNLIKELY(c->queue->special))
        weft_queue_start_task(c->queue, &c->task, urgency);
    else
        weft_sched_submit(&c->task, urgency);
}

void weft_command_mark_running(struct weft_command *c)
{
    // A relaxed load first: all callers of a range but one find the status changed.
    if (atomic_load_explicit(&c->status, memory_order_relaxed) != CL_SUBMITTED)
        return;
    // Before the exchange: whoever finds the status changed then begins after this time.
    const uint64_t now = c->queue->timed ? weft_time_now() : 0;
    cl_int submitted = CL_SUBMITTED;
    // Relaxed: nobody concludes anything from CL_RUNNING.
    if (!atomic_compare_exchange_strong_explicit(&c->status, &submitted, CL_RUNNING, memory_order_relaxed,
                                                 memory_order_relaxed))
        return;
    if (now)
        c->time_started = now;
    // Acquire, pairs with push in command/event.c.
    if (WEFT_UNLIKELY(atomic_load_explicit(&c->callbacks, memory_order_acquire) != NULL))
        weft_event_run_callbacks(c);
}

static void run_units(struct weft_task *t, struct weft_worker *w, uint64_t first, uint64_t last)
{
    struct weft_command *c = WEFT_CONTAINER_OF(t, struct weft_command, task);
    weft_command_mark_running(c);
    if (c->run_range)
        c->run_range(c, w, first, last);
    else
        c->outcome = c->run(c);
}

// With a timeline. Launches record their ranges themselves, because they know in which code they run.
static void run_units_traced(struct weft_task *t, struct weft_worker *w, uint64_t first, uint64_t last)
{
    struct weft_command *c = WEFT_CONTAINER_OF(t, struct weft_command, task);
    weft_command_mark_running(c);
    const uint64_t since = weft_command_is_launch(c) ? 0 : weft_trace_begin();
    const struct weft_trace_command id = weft_command_trace_id(c);
    const weft_trace_text name = weft_command_trace_name(c);
    run_units(t, w, first, last);
    weft_trace_range(since, name, first, last, NULL, id);
}

__attribute__((constructor)) static void choose_run(void)
{
    if (weft_trace_is_on())
        run_task = run_units_traced;
}

bool weft_command_ready(struct weft_command *c, enum weft_urgency urgency)
{
    if (weft_command_is_parents(c))
        return false;
    if (atomic_load_explicit(&c->dependency_failed, memory_order_relaxed))
        c->outcome = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    else if (c->run || c->run_range) {
        start(c, urgency);
        return false;
    } else if (c->on_ready) {
        c->on_ready(c);
        return false;
    } else {
        c->outcome = CL_COMPLETE;
        if (c->queue->timed)
            c->time_submitted = c->time_started = weft_time_now();
    }
    return true;
}

static void leave_live_list(struct weft_queue *q, struct weft_command *c)
{
    pthread_mutex_lock(&q->lock);
    if (c->live_prev)
        c->live_prev->live_next = c->live_next;
    else
        q->live = c->live_next;
    if (c->live_next)
        c->live_next->live_prev = c->live_prev;
    bool was_barrier = q->barrier == c;
    if (was_barrier)
        q->barrier = NULL;
    pthread_mutex_unlock(&q->lock);
    if (was_barrier)
        weft_object_unref(&c->obj);
}

// Called when c completes after the application has released its last handle of the queue. The queue lives on
// while it has unfinished commands, or while others hold it: a command buffer, or an event whose callback
// enqueues here.
static void leave_queue(struct weft_queue *q, struct weft_command *c)
{
    pthread_mutex_lock(&q->lock);
    bool was_last = q->last == c;
    if (was_last)
        q->last = NULL;
    pthread_mutex_unlock(&q->lock);
    if (was_last)
        weft_object_unref(&c->obj);
}

// All that the command does itself has run. What comes then, as giving back what it holds and writing what
// its kernel printed, isn't its execution.
static void note_run(struct weft_command *c)
{
    c->time_ended = c->time_completed = weft_time_now();
    if (!c->time_started)
        c->time_started = c->time_ended; // a range without units never ran
}

static void note_end(struct weft_command *c)
{
    if (!c->time_completed) { // it never ran, or it has children, and end_as_parent has reset it
        c->time_completed = weft_time_now();
        if (!c->time_ended)
            c->time_ended = c->time_completed;
    }
    if (WEFT_UNLIKELY(c->queue->observed) && weft_trace_is_on())
        weft_command_trace(c);
}

static void take_outcome(struct weft_command *c)
{
    // Relaxed: the scheduler orders this after every unit, and `children` orders it after those of the
    // children.
    cl_int failure = atomic_load_explicit(&c->failure, memory_order_relaxed);
    if (c->run_range)
        c->outcome = CL_COMPLETE;
    if (failure)
        c->outcome = failure;
}

// Counts down p->children. True: it is 0 now.
static bool count_down_children(struct weft_command *p)
{
    // Acquire-release, pairs with itself: who completes p sees what all its children wrote.
    return atomic_fetch_sub_explicit(&p->children, 1, memory_order_acq_rel) == 1;
}

// Completes c with c->outcome, and puts commands that complete as a consequence on *more. urgency: of
// commands that it starts.
static void settle_one(struct weft_command *c, struct weft_command **more, enum weft_urgency urgency)
{
    struct weft_queue *q = c->queue;
    if (c->release)
        c->release(c);
    if (q) {
        if (q->timed)
            note_end(c);
        if (WEFT_UNLIKELY(c->parent && q->profiling))
            weft_command_answer_profile_requests(c);
        // Sequentially consistent: either this thread sees a callback that is being added, or the thread that
        // adds it sees the status. The same holds for threads that go to sleep on `done`.
        atomic_store(&c->status, c->outcome);
        // Sequentially consistent, after the store of the status: pairs with weft_queue_detach.
        if (!q->in_order)
            leave_live_list(q, c);
        else if (WEFT_UNLIKELY(atomic_load(&q->obj.handles) == 0))
            leave_queue(q, c);
    }
    struct weft_command *parent = c->parent;
    bool failed = c->outcome < 0;
    // If a child failed, the parent has failed. A child that didn't run because an event in its wait list
    // failed doesn't count.
    if (WEFT_UNLIKELY(parent && failed && c->outcome != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST))
        weft_command_fail(parent, c->outcome);
    // Acquire-release, pairs with link_edge.
    struct weft_edge *e = atomic_exchange_explicit(&c->successors, &weft_edges_closed, memory_order_acq_rel);
    weft_park_wake(&c->done);
    while (e) {
        struct weft_edge *next = e->next; // e lies in the waiter, which may be freed once it is counted down
        struct weft_command *s = e->waiter;
        if (weft_command_count_down(s, 1, failed && e->strict) && weft_command_ready(s, urgency)) {
            s->next_settled = *more;
            *more = s;
        }
        if (!q)
            weft_object_unref(&c->obj);
        e = next;
    }
    if (WEFT_UNLIKELY(atomic_load(&c->callbacks) != NULL))
        weft_event_run_callbacks(c);
    if (q)
        weft_object_unref(&c->obj); // the reference that it held while it was running
    if (parent && count_down_children(parent)) {
        if (parent->recorded) {
            parent->waiting->go_on(parent->waiting);
            return;
        }
        take_outcome(parent);
        parent->next_settled = *more;
        *more = parent;
    }
}

void weft_command_settle(struct weft_command *c, enum weft_urgency urgency)
{
    c->next_settled = NULL;
    struct weft_command *list = c;
    while (list) {
        c = list;
        list = c->next_settled;
        settle_one(c, &list, urgency);
    }
}

// Called when c's kernel has run. True: its children are complete, too.
static bool end_as_parent(struct weft_command *c)
{
    c->time_completed = 0; // before another thread may complete c
    return weft_command_await_children(c);
}

bool weft_command_await_children(struct weft_command *c)
{
    // Acquire, pairs with weft_command_hold_behind.
    struct weft_command *behind = atomic_exchange_explicit(&c->behind, NULL, memory_order_acquire);
    weft_command_let_go(behind);
    return count_down_children(c);
}

static void units_done(struct weft_task *t, struct weft_worker *w)
{
    (void)w;
    struct weft_command *c = WEFT_CONTAINER_OF(t, struct weft_command, task);
    if (WEFT_LIKELY(!c->again || !c->again(c)))
        weft_command_end(c);
}

void weft_command_end(struct weft_command *c)
{
    if (c->queue->timed)
        note_run(c);
    // Relaxed: c's own kernel has counted its children, and the scheduler orders this after every unit.
    if (WEFT_UNLIKELY(atomic_load_explicit(&c->children, memory_order_relaxed)) && !end_as_parent(c))
        return;
    take_outcome(c);
    // This thread runs the first command that becomes ready next, without a wake-up. The scheduler
    // distributes the others.
    weft_command_settle(c, WEFT_LAZY);
}

void weft_command_let_go(struct weft_command *list)
{
    while (list) {
        struct weft_command *c = list;
        list = c->next_settled;
        if (weft_command_count_down(c, 1, false) && weft_command_ready(c, WEFT_LAZY))
            weft_command_settle(c, WEFT_LAZY);
    }
}

void weft_command_hold_behind(struct weft_command *c)
{
    struct weft_command *_Atomic *list = &c->parent->behind;
    c->next_settled = atomic_load_explicit(list, memory_order_relaxed);
    // Release, pairs with the exchange in weft_command_await_children.
    while (!atomic_compare_exchange_weak_explicit(list, &c->next_settled, c, memory_order_release,
                                                  memory_order_relaxed)) {
    }
}
