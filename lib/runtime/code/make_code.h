// Making a kernel's code: it is found in the program's binary or in the disk cache, or a compiler makes it.
// These functions run on a thread that may wait. The caller holds no lock.
#ifndef WEFT_RUNTIME_MAKE_CODE_H
#define WEFT_RUNTIME_MAKE_CODE_H

#include <pthread.h>
#include <string.h>

#include "base/base.h"
#include "runtime/code/build_result.h"
#include "weft/fault_location.h"

// Which code of a kernel to make, and where to put it.
struct weft_code_order {
    enum weft_code_level level;
    uint32_t variant;                 // enum weft_variant
    const uint32_t *group;            // as in weft_kernel_request. NULL: for any local size
    struct weft_kernel_variant *into; // NULL: it becomes the kernel's own code
};

// An order for the kernel's own code.
struct weft_code_order weft_code_order_own(enum weft_code_level level);
// The same for code with lanes: along the dimension that all the kernel's launches have had their work-items
// in (weft_kernel_code.along).
struct weft_code_order weft_code_order_lanes(struct weft_kernel_code *c);

// The cache key of the code: everything that it depends on.
struct weft_hash weft_code_key(const struct weft_kernel_code *c, const struct weft_code_order *o);

struct weft_code_failure {
    char *log;      // the caller frees it. May be NULL
    bool transient; // this process lacked memory or the like; nothing is wrong with the kernel
};

// Loads the code from the disk cache to where the order says. Returns false if it isn't there.
bool weft_code_from_cache(struct weft_kernel_code *c, const struct weft_code_order *o);
// Lets a compiler make the code, puts it where the order says, and stores it in the cache. On errors *f is
// filled.
weft_status weft_code_compile(struct weft_kernel_code *c, const struct weft_code_order *o,
                              enum weft_compile_priority priority, struct weft_code_failure *f);
// Asks a compiler what the instruction of a fault worked on (weft/fault_location.h). info: the code that ran.
// state->base is filled in. Waits as long as compiling the kernel takes. False: it isn't known. The caller
// frees *location with weft_free(location->file).
bool weft_code_locate(struct weft_kernel_code *c, const struct weft_kernel_info *info,
                      struct weft_fault_state *state, struct weft_location *location);
// Makes the kernel's first own code from the source that has it soonest: binary, cache, or compiler.
weft_status weft_code_make(struct weft_kernel_code *c, struct weft_code_failure *f);

// The kernel's own code and its variants, as `full, dim1, 8x8x1`: the caller's. NULL: no memory. The kernel
// is READY.
char *weft_code_list(const struct weft_kernel_code *c);

// A process that ends stops its compilers. That is no error.
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

// Cuts newlines and spaces at the end of a text, in place. The caller adds its own line end. Returns text.
static inline char *weft_code_cut_line_end(char *text)
{
    for (size_t n = text ? strlen(text) : 0; n && (text[n - 1] == '\n' || text[n - 1] == ' '); n--)
        text[n - 1] = '\0';
    return text;
}

// ---- Repeating an attempt to make code that a launch can do without ----

#define WEFT_CODE_RETRY_NS 250000000u // after an attempt that had no memory

// relaxed, here and in weft_code_is_too_early: a time, which pairs with nothing.
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
