// A limit of the time that a launch may run (WEFT_KERNEL_TIMEOUT). launch/time_limit.c.
#ifndef WEFT_RUNTIME_TIME_LIMIT_H
#define WEFT_RUNTIME_TIME_LIMIT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct weft_command;

// A range of work-groups under way on this thread. Its place is the caller's until weft_time_limit_end.
struct weft_time_limit {
    pthread_t thread;
    uint64_t deadline; // ns
    _Atomic bool over; // for weft_fault_call_kernel
    bool watched;      // the limit is on
    struct weft_time_limit *next, **at;
};

// The limit in nanoseconds; 0: there is none.
uint64_t weft_time_limit_ns(void);
// This thread is about to run a range of c, a launch. From when its time is over until weft_time_limit_end, `over` is set
// and the thread interrupted again and again. Where no thread can be had that watches, the range runs without limit.
void weft_time_limit_begin(struct weft_time_limit *l, struct weft_command *c);
void weft_time_limit_end(struct weft_time_limit *l);

#endif
