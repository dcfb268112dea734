// What every room needs: allocation, checked sizes, buffers, hashing, logging, configuration.
// Owns no threads. Every function may be called from any thread unless it says otherwise.
#ifndef WEFT_BASE_H
#define WEFT_BASE_H

#include <stdatomic.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weft/status.h"

#define WEFT_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))
#define WEFT_TEXT_OF(x) #x
#define WEFT_TEXT(x) WEFT_TEXT_OF(x) // of a macro's value
// What a launch runs through once, written apart to be read: calls would cost more than what they do.
#define WEFT_ALWAYS_INLINE static inline __attribute__((always_inline))
#define WEFT_LIKELY(x) __builtin_expect(!!(x), 1)
#define WEFT_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define WEFT_COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))
#define WEFT_CONTAINER_OF(ptr, type, member) ((type *)(void *)((char *)(ptr) - offsetof(type, member)))

// ---- Sizes. Each returns false, and leaves *out alone, when the result does not fit. ----

static inline bool weft_add_size(size_t a, size_t b, size_t *out)
{
    size_t r;
    if (__builtin_add_overflow(a, b, &r))
        return false;
    *out = r;
    return true;
}

static inline bool weft_mul_size(size_t a, size_t b, size_t *out)
{
    size_t r;
    if (__builtin_mul_overflow(a, b, &r))
        return false;
    *out = r;
    return true;
}

// alignment: a power of two.
static inline bool weft_align_size(size_t n, size_t alignment, size_t *out)
{
    size_t r;
    if (!weft_add_size(n, alignment - 1, &r))
        return false;
    *out = r & ~(alignment - 1);
    return true;
}

// pthread_atfork, which says in the log, once, when it fails: nothing else can be done about it.
void weft_at_fork(void (*prepare)(void), void (*parent)(void), void (*child)(void));
// In the forked child: a lock that was taken at the fork is made anew. Its holder exists in the parent only.
void weft_lock_after_fork(pthread_mutex_t *m);
// Is this the process that has loaded the library, or one that fork() made of it? Destructors do nothing in any other.
bool weft_process_is_known(void);
// For destructors: does the process end (exit), and other threads may be in the middle of a call? False: the library is unloaded.
bool weft_process_is_ending(void);
// For any thread: is the library's turn at the process's end here, or past? False where that can't be known.
bool weft_process_has_begun_to_end(void);

// ns, CLOCK_MONOTONIC: the device's timer and the host's.
uint64_t weft_time_now(void);

// ---- Allocation. NULL when there is no memory; never aborts. Freed with weft_free. ----

void *weft_alloc(size_t bytes);
void *weft_zalloc(size_t bytes);
void *weft_alloc_array(size_t count, size_t element);     // overflow-checked, zeroed
void *weft_realloc(void *p, size_t bytes);                // p stays valid on failure
void *weft_alloc_aligned(size_t alignment, size_t bytes); // alignment: a power of two >= sizeof(void*)
void weft_free(void *p);                                  // NULL is fine
// Pages straight from the system for what kernels write: zero, untouched. Before and behind lie addresses that nobody can
// touch, *guard bytes each (in: what is wanted, WEFT_GUARD or more; out: less, down to none, where addresses are scarce).
// alignment: a power of two; bytes > 0 are rounded up to whole pages. Whoever calls it asks weft_alloc_fails first.
#define WEFT_GUARD ((size_t)1 << 20)
// Where kernels' private arrays are. Those of the lanes are woven: an index that is 16 MB off is up to 64 times as far away. A guard
// takes addresses, but no memory.
#define WEFT_FAR_GUARD ((size_t)1 << (sizeof(size_t) > 4 ? 30 : 20))
void *weft_map_guarded(size_t alignment, size_t bytes, size_t *guard);
void weft_unmap_guarded(void *p, size_t bytes, size_t guard); // the same size and guard; NULL is fine
// Is the address space limited (RLIMIT_AS)? Reserving much of it would take it from others.
bool weft_addresses_are_scarce(void);
char *weft_strdup(const char *s);
char *weft_strndup(const char *s, size_t n);
void *weft_memdup(const void *p, size_t n);
char *weft_format(const char *fmt, ...) WEFT_PRINTF(1, 2); // NULL when there is no memory

// Asked by what makes memory in another way than by these: counts as an allocation, and fails when it is true.
bool weft_alloc_fails(void);

// Fault injection for tests: the n-th allocation (1 = the next) of the process fails, once; 0 switches it off. Also
// read from WEFT_FAIL_ALLOC. Which thread makes it depends on time: the pool's threads and compilers are still
// starting when a test begins. A test that counts failures looks whether its own is ahead yet, or injects here.
void weft_alloc_fail_at(uint64_t n);
void weft_alloc_fail_here_at(uint64_t n); // of the calling thread alone
void weft_alloc_fail_from(uint64_t n);    // the n-th and all that follow, until weft_alloc_fail_at(0)
// The n-th allocation hasn't come. After the scenario: it needed fewer. (With weft_alloc_fail_from always true.)
bool weft_alloc_fail_is_ahead(void);

// ---- Growing byte buffer. A zeroed struct is an empty buffer. After a failed append `failed` stays set and
// further appends do nothing: check once at the end. ----

struct weft_buf {
    uint8_t *data;
    size_t size;
    size_t capacity;
    bool failed;
};

void weft_buf_free(struct weft_buf *b); // b may be zeroed; leaves it empty
bool weft_buf_append(struct weft_buf *b, const void *p, size_t n);
bool weft_buf_puts(struct weft_buf *b, const char *s); // without the NUL
bool weft_buf_printf(struct weft_buf *b, const char *fmt, ...) WEFT_PRINTF(2, 3);
bool weft_buf_vprintf(struct weft_buf *b, const char *fmt, va_list ap);
// Hands the bytes over, NUL-terminated (the NUL is not counted), and empties b. NULL on failure.
char *weft_buf_take(struct weft_buf *b, size_t *size);

// ---- Wire format: little-endian, unaligned, length-prefixed. Used for the protocol, metadata and the cache.
// A reader never reads outside its bytes: after a bad read `bad` stays set and every read yields zero. ----

void weft_put_u8(struct weft_buf *b, uint8_t v);
void weft_put_u32(struct weft_buf *b, uint32_t v);
void weft_put_u64(struct weft_buf *b, uint64_t v);
void weft_put_bytes(struct weft_buf *b, const void *p, size_t n); // u64 length, then the bytes
void weft_put_str(struct weft_buf *b, const char *s);             // NULL is written as ""

struct weft_reader {
    const uint8_t *at;
    const uint8_t *end;
    bool bad;
    bool no_memory; // bad for want of memory
};

static inline struct weft_reader weft_reader_of(const void *p, size_t n)
{
    struct weft_reader r = {(const uint8_t *)p, (const uint8_t *)p + n, false, false};
    return r;
}

// For who reads into memory of its own: nothing is wrong with the bytes.
static inline void weft_reader_no_memory(struct weft_reader *r)
{
    r->bad = r->no_memory = true;
}

uint8_t weft_get_u8(struct weft_reader *r);
uint32_t weft_get_u32(struct weft_reader *r);
uint64_t weft_get_u64(struct weft_reader *r);
const void *weft_get_bytes(struct weft_reader *r, size_t *n); // points into the reader's bytes; NULL when bad
char *weft_get_str(struct weft_reader *r); // a copy, the caller's; NULL when bad or no memory
// A count of elements of which each takes at least `min_bytes` of what is left; bad when that can't be.
uint32_t weft_get_count(struct weft_reader *r, size_t min_bytes);

// ---- Hash: 128 bits, stable across machines and versions of Weft. Not cryptographic. ----

struct weft_hash {
    uint64_t lo, hi;
};
struct weft_hash weft_hash_bytes(struct weft_hash seed, const void *p, size_t n);
struct weft_hash weft_hash_str(struct weft_hash seed, const char *s);
void weft_hash_hex(struct weft_hash h, char out[33]); // NUL-terminated

// ---- Files. All of it, whatever signals and short writes come between; false: errno says why. ----

// A file that may not become so large (RLIMIT_FSIZE) is EFBIG, without the signal.
bool weft_write_all(int fd, const void *bytes, size_t size);
// What to say of an errno of a write, and of the limit if there is one; returns room.
const char *weft_write_error(int error, char *room, size_t size);

// ---- Cancellation. No call of ours is a point at which pthread_cancel ends the thread: a lock would stay taken, or an
// object half-made. Whatever calls a function of the system's that is one, in a thread which may be the
// application's, begins with WEFT_NOT_CANCELLED; until it returns the thread isn't cancelled. ----

static inline int weft_cancel_disable(void)
{
    int before;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    return before;
}

static inline void weft_cancel_restore(const int *before)
{
    pthread_setcancelstate(*before, NULL);
}
#define WEFT_NOT_CANCELLED \
    __attribute__((unused, cleanup(weft_cancel_restore))) int weft_cancel_before = weft_cancel_disable()

// ---- Log: WEFT_LOG=error|warn|info|debug (default: nothing), to stderr in one write a line. ----

enum weft_log_level { WEFT_LOG_NONE, WEFT_LOG_ERROR, WEFT_LOG_WARN, WEFT_LOG_INFO, WEFT_LOG_DEBUG };
extern int weft_log_level_now; // read through weft_log only
void weft_log_write(enum weft_log_level level, const char *fmt, ...) WEFT_PRINTF(2, 3);
#define weft_log(level, ...)                                   \
    do {                                                       \
        if (WEFT_UNLIKELY((int)(level) <= weft_log_level_now)) \
            weft_log_write(level, __VA_ARGS__);                \
    } while (0)

// A setting that isn't understood: told at WEFT_LOG=warn, and where WEFT_LOG isn't set.
void weft_log_refusal(const char *fmt, ...) WEFT_PRINTF(1, 2);

// ---- Configuration: one table, lib/base/config.def. Read once, with secure_getenv. ----

enum weft_config {
#define WEFT_CONFIG(id, env, kind, fallback, most, text) WEFT_CFG_##id,
#include "base/config.def"
    WEFT_CFG_COUNT
};
uint64_t weft_config_uint(enum weft_config c); // every kind but STR
// Kind STR; NULL when unset. Lives as long as the library, and longer than its destructors.
const char *weft_config_str(enum weft_config c);
const char *weft_config_env(enum weft_config c); // the variable's name
void weft_config_reload(void);                   // tests only: reads the environment again

// ---- What depends on the version of OpenCL that is reported (features.c) ----

uint32_t weft_cl_version(void);               // 120, 200, 210, 220, 300, 310
uint32_t weft_language_version(void);         // the newest OpenCL C: 120, 200, 300
bool weft_offers_extension(const char *name); // of include/weft/features.def

#endif
