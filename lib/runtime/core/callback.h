// The callback thread. It runs callbacks one after the other, in the order in which they are dispatched. Any
// thread may dispatch, but it must hold no lock of the runtime.
#ifndef WEFT_RUNTIME_CALLBACK_H
#define WEFT_RUNTIME_CALLBACK_H

struct weft_callback {
    void (*call)(struct weft_callback *b); // may free b
    struct weft_callback *next;            // private to core/callback.c
};

// Queues b. If there can be no callback thread, b runs on the calling thread. b must stay valid until it has
// run.
void weft_callback_dispatch(struct weft_callback *b);
// Dispatches b and waits until it has run, but not for long: b may want a lock that the application holds
// while it waits for us. On the callback thread itself, b runs at once.
void weft_callback_dispatch_and_wait(struct weft_callback *b);

#endif
