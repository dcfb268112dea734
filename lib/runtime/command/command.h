// The heart of the runtime: commands, the queues that order them, the events that show how far they are, and semaphores.
//
// In comes a command that its maker has filled: what it does (a function, or one for ranges of units), in which queue, and what it
// waits for. The folder links it to what comes before it, hands it to the scheduler when that is complete, tells whoever waits for it,
// and starts what it held up. Out go its status, its times and its error. Errors of the application are found before, by check/ and
// command/wait_list.h.
//
// It must not know what a command does: memory, programs, kernels and launches are above, and come here as functions and a payload of
// bytes. It calls core/ and the scheduler alone.
#ifndef WEFT_RUNTIME_COMMAND_H
#define WEFT_RUNTIME_COMMAND_H

#include <stdatomic.h>

#include "runtime/command/queue.h"
#include "weft/scheduler.h"

// Life of a command, which is its event, too: weft_command_create (QUEUED, one ref, the maker's) -> the maker fills run and payload ->
// weft_command_submit, which consumes that ref: dependencies are linked, the event handle is given out, and
// when the last dependency is complete the command becomes SUBMITTED, then RUNNING, then complete.

// Does the whole work; returns CL_COMPLETE or a negative error code. Runs on a pool thread or on a helping
// one.
typedef cl_int (*weft_command_fn)(struct weft_command *c);
// Does units [first, last) of a command that has `units`; several threads at once. Reports failure with
// weft_command_fail.
typedef void (*weft_command_range_fn)(struct weft_command *c, struct weft_worker *w, uint64_t first,
                                      uint64_t last);

// For a recorded command that is run again and again (command_buffer/command_buffer.c). NULL: there is nothing to do.
struct weft_replay_ops {
    void (*before)(struct weft_command *c);
    void (*after)(struct weft_command *c);
};

// Somebody that can't go on yet, without a thread.
struct weft_waiting {
    void (*go_on)(struct weft_waiting *w); // any thread, once; w may be gone when it returns
};

// Bytes of payload inside the command; larger ones are allocated by their makers.
#define WEFT_COMMAND_PAYLOAD 256

// One dependency: `waiter` waits for the command in whose list of successors this is.
struct weft_edge {
    struct weft_edge *next;
    struct weft_command *waiter;
    bool strict; // from a wait list: an error is passed on. The order of a queue alone passes no errors on.
};
#define WEFT_COMMAND_EDGES 3

struct weft_command {
    struct weft_object obj; // a cl_event
    struct weft_context *context;
    struct weft_queue *queue; // a ref; NULL: user event, which holds its context instead
    cl_command_type type;
    _Atomic cl_int status; // CL_QUEUED > CL_SUBMITTED > CL_RUNNING > CL_COMPLETE (0) > error codes
    // What it does: exactly one of run and run_range. Neither: a marker.
    weft_command_fn run;
    weft_command_range_fn run_range;
    uint64_t units, grain; // of run_range
    // WEFT_TASK_POOL_ONLY. Relaxed: a replay knows its code better than the recording did, and a buffer that is changed or remapped
    // meanwhile may take either for true.
    _Atomic bool pool_only;
    bool urgent;            // big enough that idle threads should be woken at once
    bool lengthy;           // WEFT_TASK_LONG
    _Atomic uint32_t began; // launch/time_limit.c: when its first range did; 0: not yet
    bool unrun;             // of one unit: it failed before anything of it ran, for want of memory or code
    // Called once when the command is complete or has been dropped, before the event shows it: gives back
    // what the payload holds. May be NULL.
    void (*release)(struct weft_command *c);
    const struct weft_replay_ops *replay;
    // Called instead of running it when its dependencies are met: weft_command_end will be called. NULL: it is run.
    void (*on_ready)(struct weft_command *c);
    bool many_queues; // its event stands for commands in several
    // Asked when it has run: it wasn't its turn, and it will be handed to the scheduler again. NULL: it is complete.
    bool (*again)(struct weft_command *c);
    // Device-side enqueue: whose kernel enqueued this one; NULL: the host. It is complete only when this one is.
    struct weft_command *parent;
    // How many of its own children aren't complete, and one for itself until it has run. 0: it never had any.
    _Atomic uint32_t children;
    struct weft_command *_Atomic behind; // children that wait until it has run, linked by next_settled
    struct weft_waiting
        *waiting; // recorded: who goes on when its children are complete, after weft_command_await_children
    struct weft_profile_request *_Atomic wishes; // closed by completion
    // command/command.c's own.
    bool recorded;               // never submitted: release is called at its destruction
    bool awaits_all;             // out of order: all that were live before it
    struct weft_command *origin; // recorded: the one whose payload this has, too, and which holds it; a ref
    cl_int outcome;              // final status, before `status` shows it
    _Atomic cl_int failure;      // first error of run_range
    _Atomic bool dependency_failed; // an event of the wait list has an error
    _Atomic uint32_t unmet;         // dependencies not yet complete, + 1 until it is submitted
    uint32_t forks;                 // weft_forks when it was made
    struct weft_task task;
    struct weft_park done;
    _Atomic(struct weft_edge *) successors; // closed by completion
    _Atomic(struct weft_event_callback *) callbacks;
    // To what this command waits for; linked into their successors.
    struct weft_edge edges[WEFT_COMMAND_EDGES];
    struct weft_edge *more_edges; // when those don't suffice
    struct weft_command *next_settled;
    struct weft_command *live_prev, *live_next; // the next is older
    // ns; profiling queues only; read when complete.
    uint64_t time_queued, time_submitted, time_started, time_ended;
    uint64_t time_completed; // with its children
    // The maker's: what to do it to.
    _Alignas(64) unsigned char payload[WEFT_COMMAND_PAYLOAD];
};

// Of a command that the parent enqueued before this process was forked from it: the threads that would run and complete it are the
// parent's. Such a command is left as it is, with all that it holds: its parent's threads may have been at it. User
// events are the child's own, too.
static inline bool weft_command_is_parents(const struct weft_command *c)
{
    return WEFT_UNLIKELY(c->forks != weft_forks) && c->queue;
}

// Is it one of those, and wasn't complete then?
static inline bool weft_command_is_lost(const struct weft_command *c)
{
    // Sequentially consistent, as the store in settle_one, for who adds a callback.
    return weft_command_is_parents(c) && atomic_load(&c->status) > CL_COMPLETE;
}

// What events show.
static inline cl_int weft_command_status(const struct weft_command *c)
{
    // Sequentially consistent, as the store in settle_one: what a complete command wrote is seen, and who adds a callback, or
    // sleeps, isn't missed.
    cl_int status = atomic_load(&c->status);
    return weft_command_is_lost(c) ? CL_OUT_OF_RESOURCES : status;
}

// payload is zeroed. queue NULL: user event. NULL: no memory.
struct weft_command *weft_command_create(struct weft_context *context, struct weft_queue *queue,
                                         cl_command_type type);
// Of a queue, to which it takes the caller's ref over, unless there is no memory (NULL).
struct weft_command *weft_command_create_with(struct weft_queue *queue, cl_command_type type);
// Drops a command that was never submitted (calls release).
void weft_command_abandon(struct weft_command *c);

// The wait list must have been checked (weft_check_wait_list). event: where the application wants the handle;
// NULL: it doesn't. blocking: returns when it is complete, with CL_COMPLETE's 0, its error, or
// CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST. Otherwise CL_SUCCESS, or CL_OUT_OF_HOST_MEMORY (the command
// was then abandoned and *event left alone). To a recorder: the command isn't submitted, but handed out through
// `event`, with one ref; wait list and blocking aren't looked at.
cl_int weft_command_submit(struct weft_command *c, cl_uint wait_count, const cl_event *wait_list,
                           cl_event *event, bool blocking);
// Submits without blocking. CL_OUT_OF_HOST_MEMORY: the command is the maker's as it was before.
cl_int weft_command_try_submit(struct weft_command *c, cl_uint wait_count, const cl_event *wait_list,
                               cl_event *event);

// Submits commands of different queues, sorted by those, as if at once: no other command is between them in two queues' orders.
// All have on_ready and wait for the list. *event: that of the leader, one of them; NULL: it isn't wanted. CL_OUT_OF_HOST_MEMORY:
// all were abandoned.
cl_int weft_command_submit_together(struct weft_command *const *parts, uint32_t count, cl_uint wait_count,
                                    const cl_event *wait_list, struct weft_command *leader, cl_event *event);
// What becomes of a command with on_ready, each once, in this order; status and times show it. The second may be called again.
void weft_command_mark_submitted(struct weft_command *c);
void weft_command_mark_running(struct weft_command *c);
void weft_command_end(struct weft_command *c); // c may be gone then

// Hands a task of the queue's to the threads of its device.
void weft_queue_start_task(struct weft_queue *q, struct weft_task *t, enum weft_urgency urgency);

// For a command that a kernel of `parent` makes while it runs: the parent is complete when this one is, too. held: it doesn't
// start before weft_command_let_go. Otherwise as weft_command_submit.
cl_int weft_command_submit_child(struct weft_command *c, struct weft_command *parent, bool held,
                                 cl_uint wait_count, const cl_event *wait_list, cl_event *event);
// Of a list that next_settled links. NULL is fine.
void weft_command_let_go(struct weft_command *list);
// Has what it takes to run c, a child in a profiling queue, written to value, two numbers of ns: until its end, and until its
// children's. Now, if it is complete, or before anything that waits for c goes on. False: no memory.
bool weft_command_request_profile(struct weft_command *c, cl_ulong *value);
// Lets the held child c go when its parent has run.
void weft_command_hold_behind(struct weft_command *c);

// A recorded command has run and has children. True: they are complete. False: c->waiting will go on, or does already.
bool weft_command_await_children(struct weft_command *c);

// For run_range: the first negative code wins. Returns whether this was it: whoever then tells why is the only one.
bool weft_command_fail(struct weft_command *c, cl_int error);
static inline bool weft_command_keeps_to_pool(const struct weft_command *c)
{
    return atomic_load_explicit(&c->pool_only, memory_order_relaxed);
}
static inline void weft_command_keep_to_pool(struct weft_command *c, bool keep)
{
    atomic_store_explicit(&c->pool_only, keep, memory_order_relaxed);
}
static inline uint32_t weft_command_task_flags(const struct weft_command *c)
{
    return (weft_command_keeps_to_pool(c) ? WEFT_TASK_POOL_ONLY : 0u) | (c->lengthy ? WEFT_TASK_LONG : 0u);
}

void weft_command_destroy(struct weft_object *o); // for kinds.c

#endif
