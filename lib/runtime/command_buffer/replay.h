// What replays of command buffers share, in one queue (command_buffer/command_buffer.c) and in several (command_buffer/multi_queue.c).
#ifndef WEFT_RUNTIME_COMMAND_BUFFER_REPLAY_H
#define WEFT_RUNTIME_COMMAND_BUFFER_REPLAY_H

#include "runtime/command_buffer/command_buffer.h"

// The commands of a lane wait until another lane has done so many of its steps.
struct weft_need {
    uint32_t lane, steps;
};

struct weft_step {
    struct weft_command *command; // the sequence's; NULL: nothing to run
    uint32_t first_need, need_count;
};

// Of a buffer with several queues: each queue's commands are a lane, and run in their order.
struct weft_plan {
    uint32_t lanes;
    uint32_t *first; // of each lane's steps, and their end
    bool *pool_only; // of each lane
    struct weft_step *steps;
    struct weft_need *needs;
};

struct weft_sequence {
    _Atomic uint32_t refs;
    uint32_t count;
    bool pool_only;
    struct weft_plan *plan;    // NULL: one queue
    struct weft_command *at[]; // a ref each
};
void weft_sequence_unref(struct weft_sequence *s); // NULL is fine

// The payload of the commands that an enqueue makes.
struct weft_joint;
struct weft_replay {
    struct weft_command_buffer *buffer;    // a ref; with a joint that has it
    struct weft_sequence *sequence;        // likewise
    struct weft_joint *joint;              // NULL: the buffer has one queue
    void (*start)(struct weft_command *c); // of one that waits for its turn: it has it now
    struct weft_command *next;             // in the list of those whose turn will come
    bool early;                            // it ran, and it wasn't its turn
    uint32_t at;                           // of the sequence: the next to run
    struct weft_command *family;           // the one that has run and whose children it waits for
    struct weft_waiting waiting;           // for them
};
_Static_assert(sizeof(struct weft_replay) <= WEFT_COMMAND_PAYLOAD, "payload");

static inline struct weft_replay *weft_replay_of(struct weft_command *c)
{
    return (struct weft_replay *)(void *)c->payload;
}

// c, of an enqueue of b, has the turn, or will be started when it has. True: it has it.
bool weft_replay_await_turn(struct weft_command_buffer *b, struct weft_command *c);
// To the one that has waited longest.
void weft_replay_pass_turn(struct weft_command_buffer *b);
// Runs a recorded command. Returns CL_COMPLETE or an error. Its children may not be complete: those it waits for are c->waiting's.
cl_int weft_recorded_run(struct weft_command *c, struct weft_worker *w);

// ---- command_buffer/multi_queue.c ----
// Of the buffer's commands as they are. NULL: no memory. Its lock is held.
struct weft_plan *weft_plan_make_locked(const struct weft_command_buffer *b);
// An enqueue of a buffer that has several queues, on those given, one for each. The rest is weft_command_buffer_enqueue's.
cl_int weft_joint_enqueue(struct weft_command_buffer *b, const cl_command_queue *queues, cl_uint wait_count,
                          const cl_event *wait_list, cl_event *event);

#endif
