// What the files of the command engine share. command/command.c runs and completes commands, command/submit.c
// orders and links them, command/user_event.c completes user events, and command/profile_request.c reports
// times to kernels.
#ifndef WEFT_RUNTIME_COMMAND_ENGINE_H
#define WEFT_RUNTIME_COMMAND_ENGINE_H

#include "runtime/command/command.h"

// Marks a closed list of successors. Never dereferenced.
extern struct weft_edge weft_edges_closed;

// Counts n dependencies of c as met. failed: a dependency failed with an error that c must pass on. True: c
// has no dependencies left.
static inline bool weft_command_count_down(struct weft_command *c, uint32_t n, bool failed)
{
    if (failed)
        atomic_store_explicit(&c->dependency_failed, true, memory_order_relaxed);
    // Acquire-release, pairs with itself: the thread that reaches 0 sees what all dependencies wrote.
    return atomic_fetch_sub_explicit(&c->unmet, n, memory_order_acq_rel) == n;
}

// Called when c's dependencies are met. True: there is nothing to run; c->outcome is set and c can be
// settled. False: c belongs to the scheduler, to its owner (on_ready), or to the parent process.
bool weft_command_ready(struct weft_command *c, enum weft_urgency urgency);
// Completes c with c->outcome, and all commands that complete as a consequence. urgency: of the commands that
// it starts.
void weft_command_settle(struct weft_command *c, enum weft_urgency urgency);
// Answers the requests for c's times (weft_command_request_profile). The times are known.
void weft_command_answer_profile_requests(struct weft_command *c);

#endif
