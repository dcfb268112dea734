// The timeline of a process (WEFT_TRACE): what it did and when, for Perfetto and chrome://tracing (ADR 41).
// Implemented in lib/base/trace. Any thread may call these functions, unless a comment says otherwise. When
// the timeline is off they do nothing; who calls them often asks weft_trace_is_on first.
//
// A thread writes what it does into a ring of its own, without a lock. When a ring is full, its oldest
// records are overwritten, and counted. The file is written when the process ends or the library is unloaded.
#ifndef WEFT_TRACE_H
#define WEFT_TRACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

// Set at load, before other threads are there. Becomes false when the file is written, and in a forked child
// that has no file of its own. A hint: a thread that sees the old value writes a record that nobody reads.
extern _Atomic bool weft_trace_on __attribute__((visibility("hidden")));
static inline bool weft_trace_is_on(void)
{
    return __builtin_expect(atomic_load_explicit(&weft_trace_on, memory_order_relaxed), 0);
}

// Texts, as numbers. 0: none.
typedef uint32_t weft_trace_text;

// X(kind, phase, category, arguments). Phase X: something that took time, i: a point in time.
// Arguments: up to five, separated by blanks, in the order of the record's values. A name that begins with $
// stands for a weft_trace_text, @ for the address of a kernel's code (weft_trace_code).
#define WEFT_TRACE_KINDS(X)                                \
    X(CALL, 'X', "api", "result")                          \
    X(RANGE, 'X', "run", "first end @code command queued") \
    X(SLEEP, 'X', "scheduler", "timeout_ns")               \
    X(WAKE, 'i', "scheduler", "threads")                   \
    X(STEAL, 'i', "scheduler", "chunk chunks")             \
    X(BUILD, 'X', "build", "$kernel $what status")         \
    X(CACHE_HIT, 'i', "build", "$kernel $what")            \
    X(CODE, 'i', "build", "$kernel $what bytes")           \
    X(FAULT, 'i', "fault", "$kernel $what group")          \
    X(COMMAND, 'X', "command", "")                         \
    X(WAITS_FOR, 0, "command", "")

enum weft_trace_kind {
#define WEFT_TRACE_KIND(kind, phase, category, arguments) WEFT_TRACE_##kind,
    WEFT_TRACE_KINDS(WEFT_TRACE_KIND)
#undef WEFT_TRACE_KIND
        WEFT_TRACE_KIND_COUNT
};

// The number of a text, the same for equal texts. The text is copied. Takes a lock. 0 also if there are too
// many.
weft_trace_text weft_trace_name(const char *text);

// The number of a kernel of that program, whose name other programs' kernels may have, too; they are shown as
// `sum` and `sum (2)`. The same for the same two.
struct weft_hash;
weft_trace_text weft_trace_kernel(const char *name, struct weft_hash program);

// The time at which something begins. 0: the timeline is off.
uint64_t weft_trace_begin(void);
// Records something that began at `since` and ends now. since 0: nothing is recorded.
void weft_trace_end(enum weft_trace_kind kind, uint64_t since, weft_trace_text name, uint64_t a, uint64_t b,
                    uint64_t c);
// Records a point in time.
void weft_trace_point(enum weft_trace_kind kind, weft_trace_text name, uint64_t a, uint64_t b, uint64_t c);
// Records that so many bytes more of memory objects are in use, or fewer.
void weft_trace_memory(int64_t bytes);

// A command is known by its address and the time at which it was queued.
struct weft_trace_command {
    uint64_t address, queued;
};
// Records that the calling thread ran the units [first, end) of a command, from `since` until now. code: the
// address that weft_trace_code was called with; NULL: it is no kernel's.
void weft_trace_range(uint64_t since, weft_trace_text name, uint64_t first, uint64_t end, const void *code,
                      struct weft_trace_command command);

// Numbers queues, from 1 on. name: what is to be written beside the number.
uint32_t weft_trace_queue(const char *name);
// A command is about to be submitted. If it isn't complete when the file is written, it is there as well.
void weft_trace_submitted(struct weft_trace_command command, uint32_t queue, weft_trace_text name);
// A command that is complete. Times in ns; 0: it never came so far. They must not decrease.
struct weft_trace_completion {
    struct weft_trace_command command;
    uint64_t submitted, started, completed;
    uint32_t queue; // weft_trace_queue
    weft_trace_text name;
    int32_t status; // CL_COMPLETE or an error
};
void weft_trace_complete(const struct weft_trace_completion *c);
void weft_trace_waits_for(struct weft_trace_command waiter, struct weft_trace_command on);

// ---- Sums for each kernel (WEFT_PROFILE), in the same way: they are on only if weft_trace_is_on ----

extern _Atomic bool weft_profile_on __attribute__((visibility("hidden")));
static inline bool weft_profile_is_on(void)
{
    return weft_trace_is_on() && atomic_load_explicit(&weft_profile_on, memory_order_relaxed);
}
// A thread ran so many work-items of a kernel in this code, from `since` until now.
struct weft_kernel_info;
void weft_profile_range(weft_trace_text kernel, uint64_t since, uint64_t items,
                        const struct weft_kernel_info *code);
// Is some of the kernel's work to be counted in this launch now, with lanes along this dimension? Then the
// result is to be reported.
bool weft_profile_wants_count(weft_trace_text kernel, struct weft_trace_command command, unsigned along);
struct weft_kernel_counts;
void weft_profile_count(weft_trace_text kernel, struct weft_trace_command command, uint64_t since,
                        unsigned along, const struct weft_kernel_counts *counts);
// Where the source is that the kernel was built from, and with which options.
void weft_profile_source(weft_trace_text kernel, const char *path, const char *options);

// ---- Tasks for profilers of the ITT interface (INTEL_LIBITTNOTIFY64), likewise ----

// The thread begins to run a kernel. True: then it is to end the task.
bool weft_itt_task_begin(weft_trace_text kernel);
void weft_itt_task_end(void);

// To be called once at load, when the settings are known, and before other components register fork handlers:
// a fork then takes the timeline's locks last. Turns the timeline on if WEFT_TRACE says so, the sums
// if WEFT_PROFILE does, and tasks if a profiler has set INTEL_LIBITTNOTIFY64. Files are written by a
// destructor.
void weft_trace_start(void);

// Says what the code at an address is, until something else is loaded there.
void weft_trace_code(const void *code, const char *what);

#endif
