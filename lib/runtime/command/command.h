// The command engine: commands, the queues that order them, the events that show their progress, and
// semaphores. This file has the command itself. Its event is the same object.
//
// A caller fills in a command: what it does (a function, or a function for ranges of units), its queue, and
// what it waits for. The engine links the command to those that it depends on. When these are complete, it
// hands the command to the scheduler. When the command is complete, it wakes the threads that wait, runs
// callbacks and starts the commands that depended on it. Errors of the application are found earlier, by
// check/ and command/wait_list.h.
//
// The engine doesn't know what a command does. Memory, programs, kernels and launches are in higher folders;
// they pass functions and a payload of bytes. It calls only device/, core/ and the
// scheduler.
#ifndef WEFT_RUNTIME_COMMAND_H
#define WEFT_RUNTIME_COMMAND_H

#include <stdatomic.h>

#include "runtime/command/queue.h"
#include "weft/scheduler.h"

// The life of a command: weft_command_create creates it (QUEUED) with one reference, the caller's. The caller
// fills in run and payload. weft_command_submit consumes that reference, links the dependencies and returns
// the event. When the last dependency is complete, the command becomes SUBMITTED, then RUNNING, then
// complete.

// Does all the work of a command. Returns CL_COMPLETE or a negative error code. Runs on a pool thread, or on
// a thread that helps while it waits.
typedef cl_int (*weft_command_fn)(struct weft_command *c);
// Does units [first, last) of a command with `units` units. Several threads call it at once. It reports
// failure with weft_command_fail.
typedef void (*weft_command_range_fn)(struct weft_command *c, struct weft_worker *w, uint64_t first,
                                      uint64_t last);

// For a recorded command, which runs many times (command_buffer/command_buffer.c). NULL: nothing to do.
struct weft_replay_ops {
    void (*before)(struct weft_command *c);
    void (*after)(struct weft_command *c);
};

// Something that continues later, without keeping a thread waiting.
struct weft_waiting {
    // Called once, on any thread. w may be freed when it returns.
    void (*go_on)(struct weft_waiting *w);
};

// Bytes of payload inside the command. Callers allocate larger payloads themselves.
#define WEFT_COMMAND_PAYLOAD 256

// One dependency. The edge is in the list of successors of a command that `waiter` waits for.
struct weft_edge {
    struct weft_edge *next;
    struct weft_command *waiter;
    // From a wait list: `waiter` fails if the command fails. Edges that only order a queue pass on no errors.
    bool strict;
};
#define WEFT_COMMAND_EDGES 3

struct weft_order;

struct weft_command {
    struct weft_object obj; // a cl_event
    struct weft_context *context;
    // A reference. NULL: a user event, which holds a reference to its context instead.
    struct weft_queue *queue;
    cl_command_type type;
    _Atomic cl_int status; // CL_QUEUED > CL_SUBMITTED > CL_RUNNING > CL_COMPLETE (0) > error codes
    // What the command does: one of run and run_range. Neither: a marker.
    weft_command_fn run;
    weft_command_range_fn run_range;
    uint64_t units, grain; // of run_range
    uint64_t cost;         // about how many ns all units take on one thread; 0: unknown
    // WEFT_TASK_POOL_ONLY. Relaxed: a replay may know from the kernel's code what the recording didn't, and
    // sets it. A command buffer that is changed or remapped at the same time may see either value.
    _Atomic bool pool_only;
    bool urgent;  // large enough to wake idle threads at once
    bool lengthy; // WEFT_TASK_LONG
    // For launch/time_limit.c: when the first range began. 0: not yet.
    _Atomic uint32_t began;
    bool unrun; // for a command of one unit: it failed before it ran, for lack of memory or code
    // For the timeline (weft_trace_text): what it runs. Set when it begins to run; 0: what its type says.
    _Atomic uint32_t trace_name;
    // Called once when the command is complete or has been dropped, before the event shows it. Gives back
    // what the payload holds. May be NULL.
    void (*release)(struct weft_command *c);
    const struct weft_replay_ops *replay;
    // Called instead of running the command when its dependencies are met. Its owner later calls
    // weft_command_end. NULL: the command runs.
    void (*on_ready)(struct weft_command *c);
    bool many_queues; // its event stands for commands in several queues
    // Called after the command has run. True: it couldn't finish, and will be handed to the scheduler again.
    // NULL: it is complete.
    bool (*again)(struct weft_command *c);
    // Device-side enqueue: the command whose kernel enqueued this one; NULL: the host enqueued it. The parent
    // completes only after its children.
    struct weft_command *parent;
    // The number of children that aren't complete, plus one for the command itself until it has run. 0: it
    // never had children.
    _Atomic uint32_t children;
    // Children that wait until this command has run, linked by next_settled.
    struct weft_command *_Atomic behind;
    // Of a recorded command: continues when the children are complete (weft_command_await_children).
    struct weft_waiting *waiting;
    // Requests for profiling times; the list is closed on completion.
    struct weft_profile_request *_Atomic profile_requests;
    // The members below belong to the files of this folder.
    bool recorded;   // never submitted; `release` is called on destruction
    bool awaits_all; // in an out-of-order queue: waits for all commands that were live before it
    // Of a recorded command: the command that owns its payload; a reference.
    struct weft_command *origin;
    cl_int outcome;                 // final status, before `status` shows it
    _Atomic cl_int failure;         // first error that run_range reported
    _Atomic bool dependency_failed; // an event of the wait list has an error
    _Atomic uint32_t unmet;         // number of dependencies not yet complete, + 1 until it is submitted
    uint32_t forks;                 // weft_forks when the command was created
    struct weft_task task;
    struct weft_park done;
    _Atomic(struct weft_edge *) successors; // closed on completion
    _Atomic(struct weft_event_callback *) callbacks;
    // The dependencies of this command, linked into the lists of successors of the commands that it waits
    // for.
    struct weft_edge edges[WEFT_COMMAND_EDGES];
    struct weft_edge *more_edges; // if `edges` is too small
    struct weft_command *next_settled;
    struct weft_order *order;                   // for the checker; owned; NULL: it doesn't want to know
    struct weft_command *live_prev, *live_next; // the queue's list of unfinished commands; next is older
    // In ns, only in queues that are `timed`, valid when the command is complete. time_completed includes the
    // children.
    uint64_t time_queued, time_submitted, time_started, time_ended;
    uint64_t time_completed;
    // For the caller: what the command works on.
    _Alignas(64) unsigned char payload[WEFT_COMMAND_PAYLOAD];
};

// Was this command enqueued by the parent process, before this process was forked? The threads that would run
// and complete it exist only in the parent. Such a command is left alone with all that it holds, because the
// parent's threads may have been working on it. User events belong to the child as well.
static inline bool weft_command_is_parents(const struct weft_command *c)
{
    return WEFT_UNLIKELY(c->forks != weft_forks) && c->queue;
}

// Is it a command of the parent process that wasn't complete at the fork?
static inline bool weft_command_is_lost(const struct weft_command *c)
{
    // Sequentially consistent, pairs with the store in settle_one: needed by threads that add a callback.
    return weft_command_is_parents(c) && atomic_load(&c->status) > CL_COMPLETE;
}

// The status that the event shows.
static inline cl_int weft_command_status(const struct weft_command *c)
{
    // Sequentially consistent, pairs with the store in settle_one. It makes visible what a complete command
    // wrote. And a thread that adds a callback or goes to sleep doesn't miss the change.
    cl_int status = atomic_load(&c->status);
    return weft_command_is_lost(c) ? CL_OUT_OF_RESOURCES : status;
}

// Creates a command with a zeroed payload. queue NULL: a user event. NULL: no memory.
struct weft_command *weft_command_create(struct weft_context *context, struct weft_queue *queue,
                                         cl_command_type type);
// Creates a command in a queue and takes over the caller's reference to the queue. NULL: no memory; the
// reference is still the caller's.
struct weft_command *weft_command_create_with(struct weft_queue *queue, cl_command_type type);
// Drops a command that was never submitted. Calls `release`.
void weft_command_abandon(struct weft_command *c);

// Submits a command and consumes the caller's reference. The wait list must have been checked
// (weft_check_wait_list). event: receives the handle; NULL: not wanted. blocking: waits until the command is
// complete, and returns CL_SUCCESS, its error or CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST. Otherwise
// returns CL_SUCCESS or CL_OUT_OF_HOST_MEMORY; in the latter case the command was abandoned and *event is
// unchanged.
// In a recorder queue, the command isn't submitted but returned in *event, with one reference. Wait list and
// `blocking` are ignored then.
cl_int weft_command_submit(struct weft_command *c, cl_uint wait_count, const cl_event *wait_list,
                           cl_event *event, bool blocking);
// Submits a command without blocking. CL_OUT_OF_HOST_MEMORY: the command is unchanged and still the caller's.
cl_int weft_command_try_submit(struct weft_command *c, cl_uint wait_count, const cl_event *wait_list,
                               cl_event *event);

// Submits commands to different queues as one step: there are no two queues in which another command is
// between these. parts: sorted by the addresses of their queues. All have on_ready and get the same wait
// list. leader: the part whose event is returned. event NULL: not wanted. CL_OUT_OF_HOST_MEMORY: all parts
// were abandoned.
cl_int weft_command_submit_together(struct weft_command *const *parts, uint32_t count, cl_uint wait_count,
                                    const cl_event *wait_list, struct weft_command *leader, cl_event *event);
// Report the progress of a command with on_ready, once each and in this order (mark_running may be called
// again). They set the status and the times. weft_command_end may free c.
void weft_command_mark_submitted(struct weft_command *c);
void weft_command_mark_running(struct weft_command *c);
void weft_command_end(struct weft_command *c);

// Hands a task of the queue to the threads of its device.
void weft_queue_start_task(struct weft_queue *q, struct weft_task *t, enum weft_urgency urgency);

// Submits a command that a running kernel of `parent` enqueues. The parent completes only after it. held: it
// doesn't start before weft_command_let_go. Other arguments and results: see weft_command_submit.
cl_int weft_command_submit_child(struct weft_command *c, struct weft_command *parent, bool held,
                                 cl_uint wait_count, const cl_event *wait_list, cl_event *event);
// Lets held children start: a list linked by next_settled; may be NULL.
void weft_command_let_go(struct weft_command *list);
// Requests the running times of c, a child in a profiling queue: value[0] is the time from its start to its
// end, value[1] to the end of its children, in ns. They are written now if c is complete, or else before
// anything that waits for c continues. False: no memory.
bool weft_command_request_profile(struct weft_command *c, cl_ulong *value);
// Lets the held child c start when its parent has run.
void weft_command_hold_behind(struct weft_command *c);

// Called when a recorded command with children has run. True: the children are complete. False:
// c->waiting->go_on is called when they are, which may already have happened.
bool weft_command_await_children(struct weft_command *c);

// Reports an error of run_range. Only the first error counts. Returns true if this was the first; the caller
// then reports the reason.
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
