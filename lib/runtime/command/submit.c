// Submission: a command's place in the order of its queue, and the edges from the commands that it waits for.
// OpenCL 2.2 §5.15.
//
// Until all edges are linked, `unmet` is one higher than their number, so that the command doesn't start too
// early. The queue's lock is held only for the order of the queue; edges to the wait list are linked without
// it.
#include <pthread.h>

#include "base/base.h"
#include "runtime/checker/misuse.h"
#include "runtime/checker/order.h"
#include "runtime/command/command.h"
#include "runtime/command/engine.h"
#include "runtime/command/event.h"
#include "runtime/command/queue.h"
#include "runtime/command/trace.h"
#include "runtime/core/object.h"
#include "weft/scheduler.h"

// Makes `waiter` wait for `on`. False: `on` is complete already, so the edge counts as met.
static bool link_edge(struct weft_edge *e, struct weft_command *waiter, struct weft_command *on, bool strict)
{
    e->waiter = waiter;
    e->strict = strict;
    // Only the application completes a user event, so the event must live until then.
    bool user = !on->queue;
    if (user)
        weft_object_ref(&on->obj);
    // Acquire here and in the failure order, pairs with the exchange in settle_one: makes visible what a
    // complete command wrote.
    struct weft_edge *head = atomic_load_explicit(&on->successors, memory_order_acquire);
    do {
        if (head == &weft_edges_closed || weft_command_is_parents(on)) {
            // The acquire load of `successors` has made the final status visible.
            if (strict && weft_command_status(on) < 0)
                atomic_store_explicit(&waiter->dependency_failed, true, memory_order_relaxed);
            if (user)
                weft_object_unref(&on->obj);
            return false;
        }
        e->next = head;
        // Release, pairs with the exchange in settle_one: publishes the edge's members.
    } while (!atomic_compare_exchange_weak_explicit(&on->successors, &head, e, memory_order_acq_rel,
                                                    memory_order_acquire));
    return true;
}

static bool waits_for_all(const struct weft_command *c, cl_uint wait_count)
{
    return wait_count == 0 && (c->type == CL_COMMAND_MARKER || c->type == CL_COMMAND_BARRIER);
}

// The next live command that a command which waits for all needs an edge to. The list ends after a command
// that has waited for all itself. Otherwise many barriers in a blocked queue would have edges to each other,
// quadratic in number.
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

// Links the implicit dependencies of a command of an out-of-order queue, and enters it into the list of live
// commands. Returns the next free edge. *met: counts edges that are met already.
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

// A command that is being entered into the order of its queue.
struct entry {
    struct weft_command *command;
    size_t edges;
    struct weft_edge *e;
    struct weft_command *before; // the command that was last, or the last barrier; the queue's reference
    uint32_t met;                // edges to commands that are complete already
};

// Provides all edges that the command needs. False: no memory.
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

// Enters the command into its queue's order and sets the references that it has from now on. refs: without
// the queue's. has_event: the application gets a handle.
WEFT_ALWAYS_INLINE void order_locked(struct entry *n, cl_uint wait_count, uint32_t refs, bool has_event)
{
    struct weft_command *c = n->command;
    struct weft_queue *q = c->queue;
    bool barrier = !q->in_order && c->type == CL_COMMAND_BARRIER;
    // Relaxed: no other thread knows c before the first link, which releases.
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

// Links the command to its wait list. Returns how much is to be counted down from `unmet`: edges that are met
// already, and the one that keeps the command from starting.
WEFT_ALWAYS_INLINE uint32_t link_list(struct entry *n, cl_uint wait_count, const cl_event *wait_list)
{
    for (cl_uint i = 0; i < wait_count; i++)
        n->met += !link_edge(n->e++, n->command, (struct weft_command *)wait_list[i], true);
    if (n->before)
        weft_object_unref(&n->before->obj);
    return n->met + 1;
}

// The three steps above, for one command. *guard: see link_list.
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

static cl_int submit_observed(struct weft_command *c, cl_uint wait_count, const cl_event *wait_list,
                              cl_event *event, bool blocking, bool keep);

// Inlined into its callers; launches don't block, so their copy has no code for that. keep: on failure, the
// command stays the caller's. seen: submit_observed has looked at it.
WEFT_ALWAYS_INLINE cl_int submit(struct weft_command *c, cl_uint wait_count, const cl_event *wait_list,
                                 cl_event *event, bool blocking, bool keep, bool seen)
{
    if (!seen && WEFT_UNLIKELY(c->queue->observed)) // a tail call, which costs others nothing
        return submit_observed(c, wait_count, wait_list, event, blocking, keep);
    uint32_t guard;
    // References: of the running command, of the application's handle, of this function while it waits.
    uint32_t refs = 1u + (event != NULL) + blocking;
    cl_int err = enter_queue(c, wait_count, wait_list, refs, event != NULL, &guard);
    if (err) {
        if (!keep)
            weft_command_abandon(c);
        return err;
    }
    // Relaxed: without an event nobody reads `handles`, and with one they have been set by
    // weft_object_create.
    if (!event)
        atomic_store_explicit(&c->obj.handles, 0, memory_order_relaxed);
    else if (!blocking)
        *event = (cl_event)c;
    if (weft_command_count_down(c, guard, false) && weft_command_ready(c, WEFT_LAZY))
        weft_command_settle(c, WEFT_LAZY);
    if (!blocking)
        return CL_SUCCESS;
    err = weft_command_wait(c);
    // An application that gets an error ignores the event and wouldn't release it.
    if (event && err == CL_SUCCESS)
        *event = (cl_event)c;
    else if (event)
        weft_object_release_handle(&c->obj);
    weft_object_unref(&c->obj);
    return err;
}

// What the application has to wait for: a read or a mapping that doesn't block. NULL: something else.
static const char *awaited(const struct weft_command *c, bool blocking)
{
    if (blocking || c->parent || !weft_misuse_is_on())
        return NULL;
    switch (c->type) {
    case CL_COMMAND_READ_BUFFER:
    case CL_COMMAND_READ_BUFFER_RECT:
    case CL_COMMAND_READ_IMAGE:
        return "read";
    case CL_COMMAND_MAP_BUFFER:
    case CL_COMMAND_MAP_IMAGE:
    case CL_COMMAND_SVM_MAP:
        return "map";
    default:
        return NULL;
    }
}

// Tells who wants to know of a command that is about to be submitted.
static __attribute__((noinline, cold)) void observe(struct weft_command *c, cl_uint wait_count,
                                                    const cl_event *wait_list, bool blocking)
{
    if (weft_trace_is_on())
        weft_command_trace_waits(c, wait_count, wait_list);
    if (!c->queue->order || (!c->order && !(c->order = weft_order_new())))
        return;
    for (cl_uint i = 0; i < wait_count; i++) {
        const struct weft_command *on = (const struct weft_command *)wait_list[i];
        weft_order_wait_for(c->order, on->order);
    }
    const struct weft_order_entry e = {
        // What a kernel enqueues isn't compared with others.
        .is_launch = ((c->type == CL_COMMAND_NDRANGE_KERNEL || c->type == CL_COMMAND_TASK) && !c->parent) ||
                     awaited(c, blocking),
        .waits_for_all = waits_for_all(c, wait_count),
        .is_barrier = c->type == CL_COMMAND_BARRIER,
        .waits_elsewhere = c->type == CL_COMMAND_SEMAPHORE_WAIT_KHR};
    weft_order_enter(c->queue->order, c->order, &e);
    if (c->order->entered)
        c->order->entered(c->order, c->order->user);
    if (awaited(c, blocking))
        weft_misuse_note_read(c->order->launch, awaited(c, blocking));
}

// Of a queue that records its commands, or that somebody looks at.
static __attribute__((noinline, cold)) cl_int submit_observed(struct weft_command *c, cl_uint wait_count,
                                                              const cl_event *wait_list, cl_event *event,
                                                              bool blocking, bool keep)
{
    if (c->queue->recorder) {
        c->recorded = true;
        *event = (cl_event)c;
        return CL_SUCCESS;
    }
    observe(c, wait_count, wait_list, blocking);
    return submit(c, wait_count, wait_list, event, blocking, keep, true);
}

cl_int weft_command_submit(struct weft_command *c, cl_uint wait_count, const cl_event *wait_list,
                           cl_event *event, bool blocking)
{
    if (blocking && WEFT_UNLIKELY(weft_misuse_is_on()))
        weft_misuse_note_wait("a blocking command");
    return submit(c, wait_count, wait_list, event, blocking, false, false);
}

cl_int weft_command_try_submit(struct weft_command *c, cl_uint wait_count, const cl_event *wait_list,
                               cl_event *event)
{
    return submit(c, wait_count, wait_list, event, false, true, false);
}

// Holds the locks of all queues at once, taken in the order of their addresses. If the commands were entered
// one by one, other commands between them could make one of these wait for another one that waits for it.
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
        if (WEFT_UNLIKELY(parts[i]->queue->observed))
            observe(parts[i], wait_count, wait_list, true);
    for (uint32_t i = 0; room && i < count; i++)
        order_locked(&n[i], wait_count, 1u + (event && parts[i] == leader), event && parts[i] == leader);
    for (uint32_t i = 0; n && i < count; i++)
        pthread_mutex_unlock(&parts[i]->queue->lock);
    for (uint32_t i = 0; i < count; i++) {
        if (!room)
            weft_command_abandon(parts[i]);
        else if (event && parts[i] == leader)
            *event = (cl_event)leader;
        else // relaxed, see submit
            atomic_store_explicit(&parts[i]->obj.handles, 0, memory_order_relaxed);
    }
    for (uint32_t i = 0; room && i < count; i++) {
        struct weft_command *c = n[i].command; // the array of parts may be freed with the last of them
        if (weft_command_count_down(c, link_list(&n[i], wait_count, wait_list), false) &&
            weft_command_ready(c, WEFT_LAZY))
            weft_command_settle(c, WEFT_LAZY);
    }
    weft_free(n);
    return room ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

cl_int weft_command_submit_child(struct weft_command *c, struct weft_command *parent, bool held,
                                 cl_uint wait_count, const cl_event *wait_list, cl_event *event)
{
    uint32_t guard;
    c->parent = parent; // set before others can find c by its event
    if (WEFT_UNLIKELY(c->queue->observed))
        observe(c, wait_count, wait_list, false);
    cl_int err = enter_queue(c, wait_count, wait_list, 1u + (event != NULL), event != NULL, &guard);
    if (err) {
        weft_command_abandon(c);
        return err;
    }
    // Relaxed, all of these: c hasn't started yet, and the parent is running.
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
    if (guard && weft_command_count_down(c, guard, false) && weft_command_ready(c, WEFT_LAZY))
        weft_command_settle(c, WEFT_LAZY);
    return CL_SUCCESS;
}
