// What replays of command buffers share, in one queue (command_buffer/command_buffer.c) and in several
// (command_buffer/multi_queue.c).
#ifndef WEFT_RUNTIME_COMMAND_BUFFER_REPLAY_H
#define WEFT_RUNTIME_COMMAND_BUFFER_REPLAY_H

#include "runtime/command_buffer/command_buffer.h"

// A dependency on another queue stream: a command waits until that stream has completed so many positions.
struct weft_stream_dependency {
    uint32_t stream, position;
};

struct weft_stream_entry {
    struct weft_command *command; // the sequence holds it. NULL: there is nothing to run
    uint32_t first_dependency, dependency_count;
};

// For a buffer with several queues. The commands of each queue are a queue stream and run in their order.
struct weft_replay_plan {
    uint32_t stream_count;
    uint32_t *first; // index of each stream's first entry, followed by the number of all entries
    bool *pool_only; // one for each stream
    struct weft_stream_entry *entries;
    struct weft_stream_dependency *dependencies;
};

struct weft_sequence {
    _Atomic uint32_t refs;
    uint32_t count;
    bool pool_only;
    struct weft_replay_plan *plan; // NULL: the buffer has one queue
    struct weft_command *at[];     // a reference to each
};
void weft_sequence_unref(struct weft_sequence *s); // s may be NULL

// The payload of the commands that an enqueue makes.
struct weft_multi_replay;
struct weft_replay {
    struct weft_command_buffer *buffer; // a reference. NULL in a multi-queue replay, which has its own
    struct weft_sequence *sequence;     // a reference. NULL in a multi-queue replay, which has its own
    struct weft_multi_replay *multi;    // NULL: the buffer has one queue
    struct weft_command *next;          // in the list of commands that wait for their turn
    bool early;                         // it was started before its turn and did nothing
    uint32_t at;                        // index in the sequence of the command that runs next
    struct weft_command *parent;        // the command whose children this replay waits for
    struct weft_waiting waiting;        // for these children
};
_Static_assert(sizeof(struct weft_replay) <= WEFT_COMMAND_PAYLOAD, "payload");

static inline struct weft_replay *weft_replay_of(struct weft_command *c)
{
    return (struct weft_replay *)(void *)c->payload;
}

// Gives c, of an enqueue of b, the turn, or lets it be started when it has the turn. True: it has the turn.
// Takes b's lock.
bool weft_replay_await_turn(struct weft_command_buffer *b, struct weft_command *c);
// Gives the turn to the command that has waited longest, and returns it; NULL: none waits. The caller starts
// it. All enqueues of a buffer are of one kind, in one queue or in several, so it knows how. Takes b's lock.
struct weft_command *weft_replay_pass_turn(struct weft_command_buffer *b);
// Runs a recorded command. Returns CL_COMPLETE or an error. If its kernel enqueued others, these may not be
// complete; c->waiting is notified of their end.
cl_int weft_recorded_run(struct weft_command *c, struct weft_worker *w);
// Likewise, and tells the timeline and the kernels' sums of a command in that queue, in which the replay is.
cl_int weft_recorded_run_traced(struct weft_command *c, struct weft_worker *w, const struct weft_queue *q);

// ---- command_buffer/multi_queue.c ----
// Makes the plan for the buffer's present commands. NULL: no memory. The caller holds the buffer's lock.
struct weft_replay_plan *weft_replay_plan_make_locked(const struct weft_command_buffer *b);
// weft_command_buffer_enqueue for a buffer with several queues. There is a queue for each of the buffer's.
cl_int weft_multi_replay_enqueue(struct weft_command_buffer *b, const cl_command_queue *queues,
                                 cl_uint wait_count, const cl_event *wait_list, cl_event *event);

#endif
