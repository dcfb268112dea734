// Threads that build programs and generate kernels' code in the background, by priority.
#ifndef WEFT_RUNTIME_COMPILE_QUEUE_H
#define WEFT_RUNTIME_COMPILE_QUEUE_H

#include "runtime/compiler/client.h"

// Intrusive; the submitter keeps the memory until `run` has been called, which may free it once it has
// concluded, or `drop`, which may free it. A fork in the middle of a run lets the child run the job again, from
// the beginning.
struct weft_compile_job {
    void (*run)(struct weft_compile_job *j);
    // Instead of run, when the process ends before the job began: gives back what the job holds. May be NULL.
    void (*drop)(struct weft_compile_job *j);
    enum weft_compile_priority priority; // constant once `run` has been called
    bool finish_at_exit;                 // short, and worth doing also when the process ends (a cache entry)
    // The queue's own.
    bool queued, taken;
    struct weft_compile_job *next;
};

// Runs the job on a thread of the queue, after those of the same or a higher priority. When no thread can be
// started it is run before the call returns. Any thread, no lock held.
void weft_compile_queue_push(struct weft_compile_job *j, enum weft_compile_priority priority);
// Moves a job that still waits, or is about to be pushed, up to a higher priority; j must be alive.
void weft_compile_queue_raise(struct weft_compile_job *j, enum weft_compile_priority priority);

// To be called in `run`, once: from here on no forked child runs the job again. What it has come to is made
// known by `publish` (may be NULL), in one step with that: short, under the queue's lock, and calling
// nothing. What follows in `run` may take long and wait for other jobs (callbacks of the application).
void weft_compile_queue_conclude(struct weft_compile_job *j, void (*publish)(struct weft_compile_job *j));

// Instead of concluding: the job is given up if `publish`, called in the same way, says so. Else it goes on.
bool weft_compile_queue_give_up(struct weft_compile_job *j, bool (*publish)(struct weft_compile_job *j));

// Has the process begun to end? What a job leads to (launches) is then left undone.
bool weft_compile_queue_is_ending(void);

// Called when a context is made: starts a compiler ahead of need, on another thread.
void weft_compiler_prestart(void);
// Called when a program of several kernels is about to be built, which keeps one compiler busy until its kernels are asked for.
void weft_compiler_prestart_second(void);

#endif
