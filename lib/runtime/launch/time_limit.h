// A limit for the time that a launch may run (WEFT_KERNEL_TIMEOUT).
#ifndef WEFT_RUNTIME_TIME_LIMIT_H
#define WEFT_RUNTIME_TIME_LIMIT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct weft_command;

// A range of work-groups that this thread is running. The caller provides the memory until
// weft_time_limit_end.
struct weft_time_limit {
    pthread_t thread;
    uint64_t deadline; // ns
    _Atomic bool over; // for weft_fault_call_kernel
    bool watched;      // the range is in the list
    struct weft_time_limit *next, **at;
};

// The limit in nanoseconds. 0: there is none.
uint64_t weft_time_limit_ns(void);
// To be called when this thread is about to run a range of the launch c. When the time is over, `over` is set
// and the thread is interrupted again and again until weft_time_limit_end. If no watching thread can be
// started, the range runs without a limit.
void weft_time_limit_begin(struct weft_time_limit *l, struct weft_command *c);
void weft_time_limit_end(struct weft_time_limit *l);

#endif
