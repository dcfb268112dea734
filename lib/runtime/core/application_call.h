// How code of the application is called, from a thread of Weft's or from one that has work of Weft's in hand.
#ifndef WEFT_RUNTIME_APPLICATION_CALL_H
#define WEFT_RUNTIME_APPLICATION_CALL_H

#include <pthread.h>
#include <setjmp.h>

#include "base/base.h"
#include "runtime/core/call_scope.h"

// Code of the application may end the thread that it is called on (pthread_exit, or a cancellation that it lets in). The thread is
// ours, or has work of ours in hand: it comes back here instead. (The C library takes it for one that is ending from then on:
// docs/robustness.md, out of scope.) `call` is an expression; what it assigns must be volatile.
#define WEFT_CALL_APPLICATION(call)                          \
    do {                                                     \
        jmp_buf left_;                                       \
        int cancel_ = weft_cancel_disable();                 \
        struct weft_call *const in_ = weft_call_current;     \
        weft_call_current = NULL;                            \
        pthread_cleanup_push(weft_application_left, &left_); \
        if (setjmp(left_) == 0)                              \
            call;                                            \
        pthread_cleanup_pop(0);                              \
        weft_call_current = in_;                             \
        weft_cancel_restore(&cancel_);                       \
    } while (0)
void weft_application_left(void *back); // core/callback.c; a jmp_buf

#endif
