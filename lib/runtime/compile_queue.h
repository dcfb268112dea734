// Threads that build programs and generate kernels' code in the background, by priority.
#ifndef WEFT_RUNTIME_COMPILE_QUEUE_H
#define WEFT_RUNTIME_COMPILE_QUEUE_H

#include "compiler_client.h"

// Intrusive; the submitter keeps the memory until `run` has been called, which may free it.
struct weft_compile_job {
    void (*run)(struct weft_compile_job *j);
    enum weft_compile_priority priority;
    bool finish_at_exit; // short, and worth doing also when the process ends (a cache entry)
    // The queue's own.
    bool queued;
    struct weft_compile_job *next;
};

// Runs the job on a thread of the queue, after those of the same or a higher priority. When no thread can be
// started it is run before the call returns. Any thread, no lock held.
void weft_compile_queue_push(struct weft_compile_job *j, enum weft_compile_priority priority);
// Moves a job that still waits up to a higher priority; j must be alive.
void weft_compile_queue_raise(struct weft_compile_job *j, enum weft_compile_priority priority);

// Has the process begun to end? What a job leads to (launches) is then left undone.
bool weft_compile_queue_is_ending(void);

// Called when a context is made: starts a compiler ahead of need, on another thread.
void weft_compiler_prestart(void);

#endif
