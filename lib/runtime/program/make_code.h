// How a kernel's code is made: found in its binary or in the disk cache, or asked of a compiler. On a thread that may wait; no lock held.
#ifndef WEFT_RUNTIME_MAKE_CODE_H
#define WEFT_RUNTIME_MAKE_CODE_H

#include <pthread.h>
#include <string.h>

#include "base/base.h"
#include "runtime/program/build_result.h"

// Which of a kernel's codes.
struct weft_code_order {
    bool quick;
    uint32_t form;                    // enum weft_variant
    const uint32_t *group;            // as weft_kernel_request has it; NULL: any
    struct weft_kernel_variant *into; // NULL: the kernel's own
};

// The kernel's own.
struct weft_code_order weft_code_order_own(bool quick);

struct weft_code_failure {
    char *log;    // the caller's; it may be NULL
    bool passing; // this process wanted for memory or the like: no fault of the kernel's
};

// Takes the code over from the disk cache, to where the order says. False: it isn't there.
bool weft_code_from_cache(struct weft_kernel_code *c, const struct weft_code_order *o);
// Has a compiler make it, takes it over, and puts it into the cache. What went wrong is in *f.
weft_status weft_code_compile(struct weft_kernel_code *c, const struct weft_code_order *o,
                              enum weft_compile_priority priority, struct weft_code_failure *f);
// The first code of its own, from wherever it is had soonest.
weft_status weft_code_make(struct weft_kernel_code *c, struct weft_code_failure *f);

// A process that ends stops its compilers: no error.
static inline enum weft_log_level weft_code_failure_level(void)
{
    return weft_compile_queue_is_ending() ? WEFT_LOG_DEBUG : WEFT_LOG_ERROR;
}

static inline enum weft_compile_priority weft_code_asked_priority(struct weft_kernel_code *c)
{
    pthread_mutex_lock(&c->build->lock);
    enum weft_compile_priority asked = c->asked;
    pthread_mutex_unlock(&c->build->lock);
    return asked;
}

// Those who tell it end the line themselves. The text is the callee's.
static inline char *weft_code_cut_line_end(char *text)
{
    for (size_t n = text ? strlen(text) : 0; n && (text[n - 1] == '\n' || text[n - 1] == ' '); n--)
        text[n - 1] = '\0';
    return text;
}

// ---- Another attempt at code that a launch can do without ----

#define WEFT_CODE_RETRY_NS 250000000u // after a want of memory

// relaxed, as in is_too_early: a time, which pairs with nothing.
static inline void weft_code_retry_later(struct weft_kernel_code *c)
{
    atomic_store_explicit(&c->retry_at, weft_time_now() + WEFT_CODE_RETRY_NS, memory_order_relaxed);
}

static inline bool weft_code_is_too_early(const struct weft_kernel_code *c)
{
    uint64_t at = atomic_load_explicit(&c->retry_at, memory_order_relaxed);
    return at && weft_time_now() < at;
}

#endif
