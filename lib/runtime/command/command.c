// The command engine: dependencies between commands, their way through the scheduler, completion (DESIGN §6).
// OpenCL 2.2 §3.2.1, §5.11-§5.15.
//
// Each command counts what it waits for in `unmet`. What it waits for has it in its list of successors,
// through an edge that lies in the waiting command itself; completion closes that list, for good, and counts
// the successors down. The list is lock-free: pushed by compare-and-swap, taken with one exchange. The only
// lock is the queue's, for the order of submission.
//
// References: a command that was submitted holds one on itself until it is complete, one on its queue for
// life, and one on each user event it waits for. The application's handles hold another, and so does an
// in-order queue's `last`.
//
// A command whose kernel enqueued others (launch/device_enqueue.c) has run, but isn't complete, until these are: `children` counts them
// and itself, and whoever counts it to 0 completes the parent. A parent that is recorded isn't completed: the replay that it is run
// in goes on.
//
// In a forked child the parent's commands never start or end: what waits for one has seen it fail (weft_command_status).
//
// Completion never recurses: commands that become complete as a consequence (markers, failed ones) are put on
// a list and settled in turn, and those with work go to the scheduler.
#include "runtime/core/runtime.h"
#include "weft/fault.h"

// The mark of a closed list of successors; never dereferenced.
static struct weft_edge closed;

static void run_units(struct weft_task *t, struct weft_worker *w, uint64_t first, uint64_t last);
static void units_done(struct weft_task *t, struct weft_worker *w);

// owner: the queue, or the context of a user event; a ref, which the command takes over unless this fails.
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
    // Relaxed: nobody else knows c.
    atomic_store_explicit(&c->status, queue ? CL_QUEUED : CL_SUBMITTED, memory_order_relaxed);
    if (queue && queue->profiling)
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
    // Relaxed: read in units_done, which the scheduler orders after every unit.
    return atomic_compare_exchange_strong_explicit(&c->failure, &none, error, memory_order_relaxed,
                                                   memory_order_relaxed);
}

// ---- Edges ----

// Makes `waiter` wait for `on`. False: `on` is complete already, and the edge counts as met.
static bool link_edge(struct weft_edge *e, struct weft_command *waiter, struct weft_command *on, bool strict)
{
    e->waiter = waiter;
    e->strict = strict;
    // An event that nobody but the application completes must live until it does.
    bool user = !on->queue;
    if (user)
        weft_object_ref(&on->obj);
    // Acquire here and in the failure order, with the exchange in settle_one: what a complete command wrote
    // is seen.
    struct weft_edge *head = atomic_load_explicit(&on->successors, memory_order_acquire);
    do {
        if (head == &closed || weft_command_is_parents(on)) {
            // Acquire on `successors` has made the final status visible.
            if (strict && weft_command_status(on) < 0)
                atomic_store_explicit(&waiter->dependency_failed, true, memory_order_relaxed);
            if (user)
                weft_object_unref(&on->obj);
            return false;
        }
        e->next = head;
        // Release, with the exchange in settle_one: the edge's fields.
    } while (!atomic_compare_exchange_weak_explicit(&on->successors, &head, e, memory_order_acq_rel,
                                                    memory_order_acquire));
    return true;
}

// ---- Ready, run, done ----

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
    if (c->queue->profiling)
        c->time_submitted = weft_time_now();
    // Release, with readers of the status: they may look at what the maker wrote.
    atomic_store_explicit(&c->status, CL_SUBMITTED, memory_order_release);
    if (WEFT_UNLIKELY(atomic_load_explicit(&c->callbacks, memory_order_acquire) != NULL))
        weft_event_run_callbacks(c);
}

// Hands c to the scheduler, all its dependencies being met.
static void start(struct weft_command *c, enum weft_urgency urgency)
{
    weft_command_mark_submitted(c);
    c->task.run = run_units;
    c->task.done = units_done;
    c->task.count = c->run_range ? c->units : 1;
    c->task.grain = c->run_range && c->grain ? c->grain : 1;
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
    cl_int submitted = CL_SUBMITTED;
    // Relaxed load first: all but one of a range's callers find it changed. The exchange is relaxed, too:
    // nobody concludes anything from CL_RUNNING.
    if (atomic_load_explicit(&c->status, memory_order_relaxed) != submitted ||
        !atomic_compare_exchange_strong_explicit(&c->status, &submitted, CL_RUNNING, memory_order_relaxed,
                                                 memory_order_relaxed))
        return;
    if (c->queue->profiling)
        c->time_started = weft_time_now();
    // Acquire, with the push in command/event.c.
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

// Counts one dependency of c down; failed: it ended with an error that c must pass on. True: that was the
// last.
static bool count_down(struct weft_command *c, uint32_t n, bool failed)
{
    if (failed)
        atomic_store_explicit(&c->dependency_failed, true, memory_order_relaxed);
    // Acquire-release, with itself: who brings it to 0 sees what all dependencies wrote.
    return atomic_fetch_sub_explicit(&c->unmet, n, memory_order_acq_rel) == n;
}

// c's dependencies are met. True: nothing is to be done, c->outcome is set and c can be settled. False: the
// scheduler has it, or its maker, or it is the parent's.
static bool ready(struct weft_command *c, enum weft_urgency urgency)
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
        if (c->queue->profiling)
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

// The application has let go of the queue, in which this wasn't complete yet, or which others still have: a command buffer, or the event
// whose callback enqueues here.
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

static void note_end(struct weft_command *c)
{
    c->time_completed = weft_time_now();
    if (!c->time_ended) // else it had children
        c->time_ended = c->time_completed;
}

// ---- What kernels want to know of the times of children ----

struct weft_profile_wish {
    struct weft_profile_wish *next;
    cl_ulong *value;
};
static struct weft_profile_wish no_more_wishes; // the mark of a closed list

struct told {
    const struct weft_command *command;
    cl_ulong *value;
};

static void write_profile(void *arg)
{
    const struct told *t = arg;
    const struct weft_command *c = t->command;
    t->value[0] = c->time_ended - c->time_started;
    t->value[1] = c->time_completed - c->time_started;
}

// Guarded: the address is a kernel's.
static void tell_profile(const struct weft_command *c, cl_ulong *value)
{
    struct told told = {c, value};
    struct weft_fault fault;
    weft_fault_install();
    if (!weft_fault_call(write_profile, &told, &fault))
        weft_context_report_from_command(c->context, "capture_event_profiling_info: there is no memory at %p",
                                         (void *)value);
}

// c's times are known.
static void grant_wishes(struct weft_command *c)
{
    // Acquire-release, with weft_command_wish_profile.
    struct weft_profile_wish *w = atomic_exchange_explicit(&c->wishes, &no_more_wishes, memory_order_acq_rel);
    while (w) {
        struct weft_profile_wish *next = w->next;
        tell_profile(c, w->value);
        weft_free(w);
        w = next;
    }
}

bool weft_command_wish_profile(struct weft_command *c, cl_ulong *value)
{
    struct weft_profile_wish *w = weft_alloc(sizeof *w);
    if (!w)
        return false;
    w->value = value;
    // Acquire, with grant_wishes: the times. Release, with the same: the wish.
    w->next = atomic_load_explicit(&c->wishes, memory_order_acquire);
    while (w->next != &no_more_wishes)
        if (atomic_compare_exchange_weak_explicit(&c->wishes, &w->next, w, memory_order_acq_rel,
                                                  memory_order_acquire))
            return true;
    weft_free(w);
    tell_profile(c, value);
    return true;
}

static void take_outcome(struct weft_command *c)
{
    // Relaxed: the scheduler orders this after every unit, and `children` after those of the children.
    cl_int failure = atomic_load_explicit(&c->failure, memory_order_relaxed);
    if (c->run_range)
        c->outcome = CL_COMPLETE;
    if (failure)
        c->outcome = failure;
}

// Counts one of those that p waits for down. True: that was the last.
static bool leave_family(struct weft_command *p)
{
    // Acquire-release, with itself: who completes p sees what all its children wrote.
    return atomic_fetch_sub_explicit(&p->children, 1, memory_order_acq_rel) == 1;
}

// Completes c with c->outcome and puts commands that this completes on *more. urgency: of those that it
// starts.
static void settle_one(struct weft_command *c, struct weft_command **more, enum weft_urgency urgency)
{
    struct weft_queue *q = c->queue;
    if (c->release)
        c->release(c);
    if (q) {
        if (q->profiling)
            note_end(c);
        if (WEFT_UNLIKELY(c->parent && q->profiling))
            grant_wishes(c);
        // Sequentially consistent: either this sees a callback that is being added, or its adder sees the
        // status; likewise for the sleepers on `done`.
        atomic_store(&c->status, c->outcome);
        // Sequentially consistent, behind the status: weft_queue_detach.
        if (!q->in_order)
            leave_live_list(q, c);
        else if (WEFT_UNLIKELY(atomic_load(&q->obj.handles) == 0))
            leave_queue(q, c);
    }
    struct weft_command *parent = c->parent;
    bool failed = c->outcome < 0;
    // What went wrong in a child went wrong in the parent; a child that wasn't to run for an event's sake is none.
    if (WEFT_UNLIKELY(parent && failed && c->outcome != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST))
        weft_command_fail(parent, c->outcome);
    // Acquire-release, with link_edge.
    struct weft_edge *e = atomic_exchange_explicit(&c->successors, &closed, memory_order_acq_rel);
    weft_park_wake(&c->done);
    while (e) {
        struct weft_edge *next = e->next; // e lies in the waiter, which may be gone once it is counted down
        struct weft_command *s = e->waiter;
        if (count_down(s, 1, failed && e->strict) && ready(s, urgency)) {
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
        weft_object_unref(&c->obj); // its own, of being under way
    if (parent && leave_family(parent)) {
        if (parent->recorded) {
            parent->waiting->go_on(parent->waiting);
            return;
        }
        take_outcome(parent);
        parent->next_settled = *more;
        *more = parent;
    }
}

static void settle(struct weft_command *c, enum weft_urgency urgency)
{
    c->next_settled = NULL;
    struct weft_command *list = c;
    while (list) {
        c = list;
        list = c->next_settled;
        settle_one(c, &list, urgency);
    }
}

// c's kernel has run. True: its children are complete, too.
static bool end_as_parent(struct weft_command *c)
{
    if (c->queue->profiling)
        c->time_ended = weft_time_now();
    return weft_command_await_children(c);
}

bool weft_command_await_children(struct weft_command *c)
{
    // Acquire, with weft_command_hold_behind.
    struct weft_command *behind = atomic_exchange_explicit(&c->behind, NULL, memory_order_acquire);
    weft_command_let_go(behind);
    return leave_family(c);
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
    if (c->queue->profiling && !c->time_started)
        c->time_started = weft_time_now(); // a range of no units never ran
    // Relaxed: its own kernel has counted its children, and the scheduler orders this after every unit.
    if (WEFT_UNLIKELY(atomic_load_explicit(&c->children, memory_order_relaxed)) && !end_as_parent(c))
        return;
    take_outcome(c);
    // The first that becomes ready is run next by this thread, without a wake-up; the scheduler sees to the
    // others.
    settle(c, WEFT_LAZY);
}

// ---- Submission ----

static bool waits_for_all(const struct weft_command *c, cl_uint wait_count)
{
    return wait_count == 0 && (c->type == CL_COMMAND_MARKER || c->type == CL_COMMAND_BARRIER);
}

// The next of the live commands that one which waits for all has an edge to. Behind one that has waited for all itself there is none: were
// each to wait for each, many barriers in a queue that is held up would have edges without end.
static struct weft_command *next_awaited(const struct weft_command *live)
{
    return live->awaits_all ? NULL : live->live_next;
}

static struct weft_edge *edges_of(struct weft_command *c, size_t count)
{
    if (count <= WEFT_COMMAND_EDGES)
        return c->edges;
    c->more_edges = weft_alloc_array(count, sizeof *c->more_edges);
    return c->more_edges;
}

// The implicit dependencies of a command of an out-of-order queue; enters it into the list of live commands.
static struct weft_edge *order_freely_locked(struct weft_queue *q, struct weft_command *c, bool all,
                                             struct weft_edge *e, uint32_t *met)
{
    if (all) {
        c->awaits_all = true;
        for (struct weft_command *l = q->live; l; l = next_awaited(l))
            *met += !link_edge(e++, c, l, false);
    } else if (q->barrier) {
        *met += !link_edge(e++, c, q->barrier, false);
    }
    c->live_next = q->live;
    if (q->live)
        q->live->live_prev = c;
    q->live = c;
    return e;
}

// A command on its way into the order of its queue.
struct entry {
    struct weft_command *command;
    size_t edges;
    struct weft_edge *e;
    struct weft_command *before; // a ref that the queue had
    uint32_t met;                // edges to what is complete already
};

// Room for all edges. False: no memory.
WEFT_ALWAYS_INLINE bool make_edges_locked(struct entry *n, cl_uint wait_count)
{
    const struct weft_queue *q = n->command->queue;
    n->edges = wait_count;
    if (q->in_order)
        n->edges += q->last != NULL;
    else if (!waits_for_all(n->command, wait_count))
        n->edges += q->barrier != NULL;
    else
        for (struct weft_command *l = q->live; l; l = next_awaited(l))
            n->edges++;
    n->e = n->edges < UINT32_MAX ? edges_of(n->command, n->edges) : NULL;
    return n->e;
}

// Puts the command into its queue's order. Its references are then those it has once it is under way; has_event: the application's
// handle is among them.
WEFT_ALWAYS_INLINE void order_locked(struct entry *n, cl_uint wait_count, uint32_t refs, bool has_event)
{
    struct weft_command *c = n->command;
    struct weft_queue *q = c->queue;
    bool barrier = !q->in_order && c->type == CL_COMMAND_BARRIER;
    // Relaxed: nobody else knows c before the first link, which releases.
    atomic_store_explicit(&c->unmet, (uint32_t)n->edges + 1, memory_order_relaxed);
    weft_object_set_refs(&c->obj, refs + (q->in_order || barrier), has_event);
    if (q->in_order) {
        n->before = q->last;
        if (WEFT_UNLIKELY(weft_forks) && n->before && weft_command_is_lost(n->before))
            q->lost = true;
        q->last = c;
        if (n->before)
            n->met += !link_edge(n->e++, c, n->before, false);
    } else {
        n->e = order_freely_locked(q, c, waits_for_all(c, wait_count), n->e, &n->met);
        if (barrier) {
            n->before = q->barrier;
            q->barrier = c;
        }
    }
}

// Links it to its wait list. `unmet` holds one more than the links, which is what this returns with the links already met.
WEFT_ALWAYS_INLINE uint32_t link_list(struct entry *n, cl_uint wait_count, const cl_event *wait_list)
{
    for (cl_uint i = 0; i < wait_count; i++)
        n->met += !link_edge(n->e++, n->command, (struct weft_command *)wait_list[i], true);
    if (n->before)
        weft_object_unref(&n->before->obj);
    return n->met + 1;
}

// All of these for one command.
static cl_int enter_queue(struct weft_command *c, cl_uint wait_count, const cl_event *wait_list,
                          uint32_t refs, bool has_event, uint32_t *guard)
{
    struct entry n = {.command = c};
    pthread_mutex_lock(&c->queue->lock);
    bool room = make_edges_locked(&n, wait_count);
    if (room)
        order_locked(&n, wait_count, refs, has_event);
    pthread_mutex_unlock(&c->queue->lock);
    if (room)
        *guard = link_list(&n, wait_count, wait_list);
    return room ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

cl_int weft_command_submit(struct weft_command *c, cl_uint wait_count, const cl_event *wait_list,
                           cl_event *event, bool blocking)
{
    if (WEFT_UNLIKELY(c->queue->recorder)) {
        c->recorded = true;
        *event = (cl_event)c;
        return CL_SUCCESS;
    }
    uint32_t guard;
    // Under way, the application's handle, this function's wait.
    uint32_t refs = 1u + (event != NULL) + blocking;
    cl_int err = enter_queue(c, wait_count, wait_list, refs, event != NULL, &guard);
    if (err) {
        weft_command_abandon(c);
        return err;
    }
    // Relaxed: without an event nobody looks at the handles, and with one they are what weft_object_create
    // made them.
    if (!event)
        atomic_store_explicit(&c->obj.handles, 0, memory_order_relaxed);
    else if (!blocking)
        *event = (cl_event)c;
    if (count_down(c, guard, false) && ready(c, WEFT_LAZY))
        settle(c, WEFT_LAZY);
    if (!blocking)
        return CL_SUCCESS;
    err = weft_command_wait(c);
    // Who is told of an error looks at no event, and wouldn't release it.
    if (event && err == CL_SUCCESS)
        *event = (cl_event)c;
    else if (event)
        weft_object_release_handle(&c->obj);
    weft_object_unref(&c->obj);
    return err;
}

// The locks of all queues are held at once, taken in the order of their addresses: were the commands put in one by one, others
// between them could make one of these wait for what waits for another.
cl_int weft_command_submit_together(struct weft_command *const *parts, uint32_t count, cl_uint wait_count,
                                    const cl_event *wait_list, struct weft_command *leader, cl_event *event)
{
    struct entry *n = weft_alloc_array(count, sizeof *n);
    bool room = n;
    for (uint32_t i = 0; n && i < count; i++) {
        pthread_mutex_lock(&parts[i]->queue->lock);
        n[i] = (struct entry){.command = parts[i]};
        room &= make_edges_locked(&n[i], wait_count);
    }
    for (uint32_t i = 0; room && i < count; i++)
        order_locked(&n[i], wait_count, 1u + (event && parts[i] == leader), event && parts[i] == leader);
    for (uint32_t i = 0; n && i < count; i++)
        pthread_mutex_unlock(&parts[i]->queue->lock);
    for (uint32_t i = 0; i < count; i++) {
        if (!room)
            weft_command_abandon(parts[i]);
        else if (event && parts[i] == leader)
            *event = (cl_event)leader;
        else // relaxed, as in weft_command_submit
            atomic_store_explicit(&parts[i]->obj.handles, 0, memory_order_relaxed);
    }
    for (uint32_t i = 0; room && i < count; i++) {
        struct weft_command *c = n[i].command; // the array of parts may go with the last of them
        if (count_down(c, link_list(&n[i], wait_count, wait_list), false) && ready(c, WEFT_LAZY))
            settle(c, WEFT_LAZY);
    }
    weft_free(n);
    return room ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

cl_int weft_command_submit_child(struct weft_command *c, struct weft_command *parent, bool held,
                                 cl_uint wait_count, const cl_event *wait_list, cl_event *event)
{
    uint32_t guard;
    c->parent = parent; // before it is found by its event
    cl_int err = enter_queue(c, wait_count, wait_list, 1u + (event != NULL), event != NULL, &guard);
    if (err) {
        weft_command_abandon(c);
        return err;
    }
    // Relaxed, all of these: c isn't under way yet, and the parent runs.
    uint32_t n = atomic_load_explicit(&parent->children, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&parent->children, &n, n ? n + 1 : 2, memory_order_relaxed,
                                                  memory_order_relaxed)) {
    }
    if (event)
        *event = (cl_event)c;
    else
        atomic_store_explicit(&c->obj.handles, 0, memory_order_relaxed);
    if (held)
        guard--;
    if (guard && count_down(c, guard, false) && ready(c, WEFT_LAZY))
        settle(c, WEFT_LAZY);
    return CL_SUCCESS;
}

void weft_command_let_go(struct weft_command *list)
{
    while (list) {
        struct weft_command *c = list;
        list = c->next_settled;
        if (count_down(c, 1, false) && ready(c, WEFT_LAZY))
            settle(c, WEFT_LAZY);
    }
}

void weft_command_hold_behind(struct weft_command *c)
{
    struct weft_command *_Atomic *list = &c->parent->behind;
    c->next_settled = atomic_load_explicit(list, memory_order_relaxed);
    // Release, with the exchange in end_as_parent.
    while (!atomic_compare_exchange_weak_explicit(list, &c->next_settled, c, memory_order_release,
                                                  memory_order_relaxed)) {
    }
}

void weft_command_settle_user(struct weft_command *c)
{
    // Whoever waited for the application's word may have been flushed long ago: idle threads are woken at
    // once.
    settle(c, WEFT_URGENT);
}
