// Background threads that build programs and generate code of kernels, by priority.
#ifndef WEFT_RUNTIME_COMPILE_QUEUE_H
#define WEFT_RUNTIME_COMPILE_QUEUE_H

#include "runtime/compiler/client.h"

// A job. The submitter owns the memory until `run` or `drop` has been called. `run` may free the job once it
// has concluded it; `drop` may free it. If the process forks while the job runs, the child runs it again from
// the beginning.
struct weft_compile_job {
    void (*run)(struct weft_compile_job *j);
    // Called instead of run when the process ends before the job has started. Gives back what the job holds.
    // May be NULL.
    void (*drop)(struct weft_compile_job *j);
    // For jobs of WEFT_COMPILE_BETTER and WEFT_COMPILE_SOON: what the job gains; those that gain most run
    // first. now: weft_time_now. It runs under the queue's lock, so it must be short and call nothing that
    // locks. May be NULL.
    uint64_t (*gain)(const struct weft_compile_job *j, uint64_t now);
    enum weft_compile_priority priority; // doesn't change once `run` has been called
    bool finish_at_exit; // short, and worth finishing even when the process ends (a cache entry)
    // Private to compile_queue.c. `publish` may set taken to false: then the job may be pushed again.
    bool queued, taken;
    struct weft_compile_job *next;
};

// Runs the job on a background thread, after jobs of the same or a higher priority. If no thread can be
// started, runs it before the call returns. Any thread; the caller must hold no lock.
void weft_compile_queue_push(struct weft_compile_job *j, enum weft_compile_priority priority);
// Raises the priority of a job that is waiting, or about to be pushed. j must be alive.
void weft_compile_queue_raise(struct weft_compile_job *j, enum weft_compile_priority priority);

// `run` must call this once: from here on no forked child runs the job again. `publish` (may be NULL) makes
// the result known, in one step with that. It runs under the queue's lock, so it must be short and call
// nothing. After that, `run` may take long and wait for other jobs (callbacks of the application).
void weft_compile_queue_conclude(struct weft_compile_job *j, void (*publish)(struct weft_compile_job *j));

// `run` may call this instead of concluding. Calls `publish` under the queue's lock. If that returns true,
// the job is given up, and may be pushed again. Otherwise it continues. Returns publish's result.
bool weft_compile_queue_give_up(struct weft_compile_job *j, bool (*publish)(struct weft_compile_job *j));

// Has the process begun to end? Then launches that wait for a job aren't started any more.
bool weft_compile_queue_is_ending(void);

// Does the program leave a processor idle, lately, that no compile uses? A hint; false if nobody knows at
// once. Any thread that doesn't hold the queue's lock.
bool weft_compile_queue_has_idle_processor(void);

// Starts a compiler on another thread before it is needed, unless WEFT_CACHE_DIR names folders that are
// shared. Called when a context is created.
void weft_compiler_prestart(void);
// Starts a second compiler. Called before a program with several kernels is built, because the build keeps
// the first compiler busy until its kernels are needed.
void weft_compiler_prestart_second(void);

#endif
