// The thread for callbacks, which runs them one after the other, in the order in which they are dispatched. Any thread may dispatch;
// no lock of the runtime's may be held.
#ifndef WEFT_RUNTIME_CALLBACK_H
#define WEFT_RUNTIME_CALLBACK_H

struct weft_callback {
    void (*call)(struct weft_callback *b); // may free b
    struct weft_callback *next;            // core/callback.c's
};

void weft_callback_dispatch(struct weft_callback *b);
// Dispatches b and waits until it has run, though not for long: it may want a lock that the caller's caller holds. On the thread for
// callbacks itself b is run at once.
void weft_callback_dispatch_and_wait(struct weft_callback *b);

#endif
