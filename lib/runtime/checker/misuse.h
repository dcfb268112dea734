// Misuse of the host's API that the specification calls undefined, and that mostly goes unnoticed (API,
// docs/check.md). It is reported at the call. Any thread may call, while it holds no lock.
#ifndef WEFT_RUNTIME_CHECKER_MISUSE_H
#define WEFT_RUNTIME_CHECKER_MISUSE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

extern atomic_bool weft_misuse_wanted;
// Is it to be reported? Only with WEFT_CHECK: a build option comes too late.
static inline bool weft_misuse_is_on(void)
{
    // relaxed: it is set before the first object is created, and stays.
    return atomic_load_explicit(&weft_misuse_wanted, memory_order_relaxed);
}

extern atomic_bool weft_guards_wanted;
enum { WEFT_GUARD_BYTES = 4096 };
// Bytes behind the storage of each buffer that are no object's: a kernel that reads pointers from memory may
// come there. 0: nobody wants them.
static inline size_t weft_misuse_guard_bytes(void)
{
    // relaxed: like weft_misuse_wanted.
    return atomic_load_explicit(&weft_guards_wanted, memory_order_relaxed) ? WEFT_GUARD_BYTES : 0;
}

// Says so. The message is a clause without a period, printf-like. The place is that of the call into the
// driver.
void weft_misuse_report(const char *kernel, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Where the application called the driver.
struct weft_misuse_place {
    char file[512]; // with the distance from its beginning
    const char *symbol;
};
void weft_misuse_find_place(struct weft_misuse_place *out);
// Reports what happened at an earlier call.
void weft_misuse_report_at(const struct weft_misuse_place *place, const char *kernel, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// checker/unwaited.c: the application has enqueued a "read" or "map" that it has to wait for. number: in
// order.h.
void weft_misuse_note_read(uint64_t number, const char *what);
// At the end of the process.
void weft_misuse_report_reads(void);

// This thread enters or leaves a callback of an event.
void weft_misuse_enter_callback(void);
void weft_misuse_leave_callback(void);
// This thread is about to wait for commands in the function `call`.
void weft_misuse_note_wait(const char *call);

// What counts the objects that the application still holds when the process ends: writes "2 buffers, 1 queue"
// into `text`, "" if there are none.
typedef void (*weft_misuse_leaks_fn)(char *text, size_t size);
void weft_misuse_set_leaks(weft_misuse_leaks_fn leaks);
// At the end of the process.
void weft_misuse_report_leaks(void);

#endif
