// How Weft calls code of the application: destructor callbacks, pfn_notify, event callbacks, native kernels.
// The calling thread is one of Weft's, or an application thread that is doing work of Weft's.
#ifndef WEFT_RUNTIME_APPLICATION_CALL_H
#define WEFT_RUNTIME_APPLICATION_CALL_H

#include <pthread.h>
#include <setjmp.h>

#include "base/base.h"
#include "runtime/core/call_scope.h"

// Calls code of the application. `call` is an expression; variables that it assigns must be volatile.
//
// That code may try to end the calling thread (pthread_exit, or a cancellation that it lets in). The thread
// is Weft's or has work of Weft's to finish, so control returns to this macro instead of leaving the thread.
// From then on the C library regards the thread as ending (docs/robustness.md, out of scope). While the call
// runs, the thread has no current weft_call.
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
// The cleanup handler of WEFT_CALL_APPLICATION. back: a jmp_buf. Doesn't return (core/callback.c).
void weft_application_left(void *back);

#endif
