// Commands that wait for code: each depends on a hidden user event. The lists are in struct weft_kernel_code
// and belong to the build's lock.
#ifndef WEFT_RUNTIME_CODE_WAITERS_H
#define WEFT_RUNTIME_CODE_WAITERS_H

#include "runtime/code/kernel_code.h"

// A waiter for *event, a new user event of `context`, of which the caller gets a reference as well. NULL: no
// memory.
struct weft_code_waiter *weft_code_waiter_new(struct weft_context *context, struct weft_command **event);
// The caller holds the build's lock. The list owns w.
void weft_code_waiters_add(struct weft_code_waiter **list, struct weft_code_waiter *w);
// Moves all of one list to the end of another. The caller holds the build's lock.
void weft_code_waiters_move(struct weft_code_waiter **from, struct weft_code_waiter **to);
// Completes the events of *list, and empties it: what they wait for is there, or won't be. The caller holds
// no lock.
void weft_code_waiters_notify(struct weft_kernel_code *code, struct weft_code_waiter **list);
// The same for a waiter that is in no list.
void weft_code_waiter_notify(struct weft_code_waiter *w);

#endif
