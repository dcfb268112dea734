// What the files of the command engine share: command/command.c runs and completes, command/submit.c puts into order and links,
// command/user_event.c completes what the application does, command/profile_wish.c tells times to kernels.
#ifndef WEFT_RUNTIME_COMMAND_ENGINE_H
#define WEFT_RUNTIME_COMMAND_ENGINE_H

#include "runtime/command/command.h"

// The mark of a closed list of successors; never dereferenced.
extern struct weft_edge weft_edges_closed;

// Counts one dependency of c down; failed: it ended with an error that c must pass on. True: that was the
// last.
static inline bool weft_command_count_down(struct weft_command *c, uint32_t n, bool failed)
{
    if (failed)
        atomic_store_explicit(&c->dependency_failed, true, memory_order_relaxed);
    // Acquire-release, with itself: who brings it to 0 sees what all dependencies wrote.
    return atomic_fetch_sub_explicit(&c->unmet, n, memory_order_acq_rel) == n;
}

// c's dependencies are met. True: nothing is to be done, c->outcome is set and c can be settled. False: the
// scheduler has it, or its maker, or it is the parent's.
bool weft_command_ready(struct weft_command *c, enum weft_urgency urgency);
// Completes c with c->outcome, and all that is completed by this. urgency: of what it starts.
void weft_command_settle(struct weft_command *c, enum weft_urgency urgency);
// Tells c's times, which are known, to those who asked for them (weft_command_request_profile).
void weft_command_grant_wishes(struct weft_command *c);

#endif
