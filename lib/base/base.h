// What every component needs: allocation, checked sizes, buffers, wire format, hashing, files, logging,
// configuration. Any thread may call these functions unless a comment says otherwise. Only private_files.h
// starts threads, one for each call, which waits for it.
//
// The folder base/ holds what libweft and weftc both need and what belongs to neither: this file, and the
// functions behind include/weft: status, faults, the protocol between the two, code objects, build options.
// It also holds what only libweft uses but what knows no OpenCL object: configuration files, private files.
// In: plain values, bytes, paths, environment variables. Out: values, memory that the caller owns, and a
// weft_status or NULL where something fails. It knows no OpenCL object, no LLVM, no scheduler and no
// processor: what depends on one, it asks base/arch for. It calls only the C library, POSIX and base/arch.
// base/fault has the guarded calls of include/weft/fault.h, and stands above this folder.
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
#define WEFT_TEXT(x) WEFT_TEXT_OF(x) // the value of a macro as a string
// For steps of a launch that are functions only for readability. A call would cost more than the step itself.
#define WEFT_ALWAYS_INLINE static inline __attribute__((always_inline))
#define WEFT_LIKELY(x) __builtin_expect(!!(x), 1)
#define WEFT_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define WEFT_COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))
#define WEFT_CONTAINER_OF(ptr, type, member) ((type *)(void *)((char *)(ptr) - offsetof(type, member)))

// ---- Sizes. Each function returns false, and doesn't change *out, if the result doesn't fit. ----

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

// Rounds n up to a multiple of alignment, a power of two.
static inline bool weft_align_size(size_t n, size_t alignment, size_t *out)
{
    size_t r;
    if (!weft_add_size(n, alignment - 1, &r))
        return false;
    *out = r & ~(alignment - 1);
    return true;
}

// pthread_atfork. If it fails that is logged once; nothing else can be done.
void weft_at_fork(void (*prepare)(void), void (*parent)(void), void (*child)(void));
// For a handler in the forked child: initializes m again. If it was locked at the fork, its holder exists
// only in the parent.
void weft_lock_after_fork(pthread_mutex_t *m);
// Is this the process that loaded the library, or a child that fork() made of it? In any other process
// destructors must do nothing.
bool weft_process_is_known(void);
// For destructors: true: the process is ending (exit), so other threads may be in the middle of a call.
// False: the library is being unloaded.
bool weft_process_is_ending(void);
// Any thread: has the end of the process reached this library's destructors? False also if that can't be
// found out.
bool weft_process_has_begun_to_end(void);

// ns of CLOCK_MONOTONIC, which is both the device timer and the host timer.
uint64_t weft_time_now(void);
// The same clock to some milliseconds, in a fraction of the time.
uint64_t weft_time_coarse(void);

// ---- Allocation. NULL: no memory; nothing here aborts. The caller frees with weft_free, unless a comment
// says otherwise. ----

void *weft_alloc(size_t bytes);
void *weft_zalloc(size_t bytes);
void *weft_alloc_array(size_t count, size_t element);     // checks for overflow; zeroed
void *weft_realloc(void *p, size_t bytes);                // after a failure p is still valid
void *weft_alloc_aligned(size_t alignment, size_t bytes); // alignment: a power of two >= sizeof(void*)
void weft_free(void *p);                                  // p may be NULL
// Maps fresh, zeroed pages for memory that kernels write, between guards that nobody can touch. To be freed
// with weft_unmap_guarded.
// - alignment: a power of two
// - bytes: > 0, is rounded up to whole pages
// - *guard: in: the wanted bytes of each guard, at least WEFT_GUARD. Out: the actual bytes; fewer, or 0, if
//   addresses are scarce.
//
// The caller must call weft_alloc_fails first.
#define WEFT_GUARD ((size_t)1 << 20)
// The guard for memory with private arrays of kernels. Private arrays of lanes are interleaved, so an index
// that is 16 MB too large reaches up to 64 times as far. A guard takes addresses but no memory.
#define WEFT_FAR_GUARD ((size_t)1 << (sizeof(size_t) > 4 ? 30 : 20))
void *weft_map_guarded(size_t alignment, size_t bytes, size_t *guard);
// Keeps a guard out of core dumps: debuggers write all that is mapped, also what nobody can read.
void weft_no_dump(void *guard, size_t bytes);
void weft_unmap_guarded(void *p, size_t bytes, size_t guard); // with the same bytes and guard; p may be NULL
// Is the address space limited (RLIMIT_AS)? Then a large reservation would take addresses from others.
bool weft_addresses_are_scarce(void);
char *weft_strdup(const char *s);
char *weft_strndup(const char *s, size_t n);
void *weft_memdup(const void *p, size_t n);
char *weft_format(const char *fmt, ...) WEFT_PRINTF(1, 2); // NULL: no memory

// For code that allocates memory in another way: counts as an allocation. If it returns true, that allocation
// must fail.
bool weft_alloc_fails(void);

// Fault injection for tests: makes the n-th allocation of the process from now on fail, once; 0: off. Also
// set by WEFT_FAIL_ALLOC. Which thread makes that allocation depends on timing: pool threads and compilers
// are still starting when a test begins. A test that counts failures calls weft_alloc_fail_is_ahead, or uses
// weft_alloc_fail_here_at.
void weft_alloc_fail_at(uint64_t n);
void weft_alloc_fail_here_at(uint64_t n); // counts only allocations of the calling thread
void weft_alloc_fail_from(uint64_t n);    // the n-th and all later ones, until weft_alloc_fail_at(0)
// Is the n-th allocation still to come? True after a test scenario: it made fewer allocations. After
// weft_alloc_fail_from it is always true.
bool weft_alloc_fail_is_ahead(void);

// ---- Byte buffer that grows. A zeroed struct is an empty buffer. After a failed append `failed` stays set
// and later appends do nothing, so one check at the end is enough. A buffer must not be used by two threads
// at once. ----

struct weft_buf {
    uint8_t *data;
    size_t size;
    size_t capacity;
    bool failed;
};

void weft_buf_free(struct weft_buf *b); // b may be zeroed; it is empty afterwards
bool weft_buf_append(struct weft_buf *b, const void *p, size_t n);
bool weft_buf_puts(struct weft_buf *b, const char *s); // appends s without its NUL
bool weft_buf_printf(struct weft_buf *b, const char *fmt, ...) WEFT_PRINTF(2, 3);
// Returns the bytes, followed by a NUL that *size doesn't count, and empties b. The caller owns them. NULL:
// an append has failed.
char *weft_buf_take(struct weft_buf *b, size_t *size);

// ---- Wire format: little-endian, unaligned, length-prefixed. For the protocol, metadata and the disk cache.
// A reader never reads beyond its bytes. After a bad read `bad` stays set and every read returns zero. ----

void weft_put_u8(struct weft_buf *b, uint8_t v);
void weft_put_u32(struct weft_buf *b, uint32_t v);
void weft_put_u64(struct weft_buf *b, uint64_t v);
void weft_put_bytes(struct weft_buf *b, const void *p, size_t n); // u64 length, then the bytes
void weft_put_str(struct weft_buf *b, const char *s);             // NULL is written as ""

struct weft_reader {
    const uint8_t *at;
    const uint8_t *end;
    bool bad;
    bool no_memory; // bad because an allocation failed
};

static inline struct weft_reader weft_reader_of(const void *p, size_t n)
{
    struct weft_reader r = {(const uint8_t *)p, (const uint8_t *)p + n, false, false};
    return r;
}

// For callers that allocate memory for what they read: reading fails, but the bytes aren't damaged.
static inline void weft_reader_no_memory(struct weft_reader *r)
{
    r->bad = r->no_memory = true;
}

uint8_t weft_get_u8(struct weft_reader *r);
uint32_t weft_get_u32(struct weft_reader *r);
uint64_t weft_get_u64(struct weft_reader *r);
const void *weft_get_bytes(struct weft_reader *r, size_t *n); // points into the reader's bytes; NULL if bad
char *weft_get_str(struct weft_reader *r); // a copy that the caller owns; NULL if bad or out of memory
// Reads a number of elements of at least min_bytes each. Bad if the remaining bytes can't hold that many.
uint32_t weft_get_count(struct weft_reader *r, size_t min_bytes);

// ---- Hash: 128 bits; the same on all machines and in all versions of Weft. Not cryptographic. ----

struct weft_hash {
    uint64_t lo, hi;
};
struct weft_hash weft_hash_bytes(struct weft_hash seed, const void *p, size_t n);
struct weft_hash weft_hash_str(struct weft_hash seed, const char *s);
void weft_hash_hex(struct weft_hash h, char out[33]); // NUL-terminated
// Adds to the hash all that makes code for this machine's processor unusable on another.
struct weft_hash weft_arch_identity(struct weft_hash seed);

// ---- Files ----

// A name for a file, made of any text: other characters than letters, digits and ._-+ become underscores, and
// long names are cut.
enum { WEFT_FILE_NAME = 100 };
void weft_file_name_of(char out[WEFT_FILE_NAME], const char *text);

// Writes all bytes, even if signals interrupt it or writes are short. False: errno has the error. A file
// above RLIMIT_FSIZE gives EFBIG and raises no signal.
bool weft_write_all(int fd, const void *bytes, size_t size);
// Describes an errno of a write, with the limit if there is one. Writes the text to room, which has `size`
// bytes, and returns it.
const char *weft_write_error(int error, char *room, size_t size);

// A file that is seen as a whole or not at all, and of which nobody sees a half: it is written beside its
// place and then renamed. A device, a pipe or a link is written to itself; renaming would replace it.
struct weft_whole_file {
    int fd;           // -1: it can't be opened, and errno says why
    const char *path; // the caller's, until it is closed
    char *part;       // what is renamed. NULL: it is written to itself
};
struct weft_whole_file weft_whole_file_open(const char *path);
// ok: all has been written; otherwise errno says why not. Closes the file and moves it to its place, or
// removes what was written. False: errno has the error. A file that couldn't be opened may be closed, too.
bool weft_whole_file_close(struct weft_whole_file *f, bool ok);

// ---- Cancellation. pthread_cancel must not end a thread inside our calls: a lock would stay locked, or an
// object would be half initialized. A function that may run on a thread of the application and calls a
// cancellation point begins with WEFT_NOT_CANCELLED. The thread can't be cancelled until that function
// returns. ----

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

// ---- Log: WEFT_LOG=error|warn|info|debug (default: nothing). Each message is one write to stderr. ----

enum weft_log_level { WEFT_LOG_NONE, WEFT_LOG_ERROR, WEFT_LOG_WARN, WEFT_LOG_INFO, WEFT_LOG_DEBUG };
extern int weft_log_level_now; // only for weft_log
void weft_log_write(enum weft_log_level level, const char *fmt, ...) WEFT_PRINTF(2, 3);
#define weft_log(level, ...)                                   \
    do {                                                       \
        if (WEFT_UNLIKELY((int)(level) <= weft_log_level_now)) \
            weft_log_write(level, __VA_ARGS__);                \
    } while (0)

// Sets the level to one of these words; NULL or "": no messages. For config.c.
void weft_log_set_level(const char *word);
// Reports a setting that can't be understood: if WEFT_LOG is `warn` or above, and also if it isn't set.
void weft_log_ignored_setting(const char *fmt, ...) WEFT_PRINTF(1, 2);

// ---- Configuration: the table lib/base/config.def. Read once: from the environment, with secure_getenv, and
// in the driver from configuration files (base/config_file.h). ----

enum weft_config {
#define WEFT_CONFIG(id, env, kind, fallback, max, text) WEFT_CFG_##id,
#include "base/config.def"
    WEFT_CFG_COUNT
};
uint64_t weft_config_uint(enum weft_config c); // for every kind but STR
// For kind STR. NULL: not set. The string outlives the library's destructors.
const char *weft_config_str(enum weft_config c);
const char *weft_config_env(enum weft_config c); // the name of the variable
void weft_config_reload(void);                   // for tests only: reads the environment again
// A setting that stands in a configuration file, unless the environment has it. An empty value takes back
// what earlier calls said. What is wrong is reported, and changes nothing. origin: "FILE:LINE", shorter than
// WEFT_CONFIG_PLACE. Only at load, before other threads read settings.
#define WEFT_CONFIG_PLACE 512
void weft_config_take(const char *name, const char *value, const char *origin);
void weft_config_report(void); // logs (`info`) each setting that isn't its default, and where it is from

// ---- What depends on the reported version of OpenCL, and on the translator of SPIR-V (features.c,
// translator.c). Any thread. ----

const char *weft_spirv_translator(void); // the program's path, also if it isn't there; "": there is none
// Where `built`, the translator that was there when Weft was built, isn't: the newest llvm-spirv-N of its
// folder that is of no newer LLVM than weftc's, which couldn't read what that writes. False: `built` is
// there, or there is none.
bool weft_find_other_translator(const char *built, unsigned newest, char *out, size_t size);
bool weft_takes_spirv(void);       // whether it could be run when this was first asked
void weft_report_translator(void); // warns if WEFT_LLVM_SPIRV names something that can't be run
// The version of LLVM that the translator is of; 0: not known. Of one that WEFT_LLVM_SPIRV names, or that
// isn't the one of the build, it is the number at the end of the file's name, as Debian calls them.
unsigned weft_spirv_translator_version(void);
#define WEFT_TRANSLATOR_OF_1_6 17u      // the first version that reads SPIR-V 1.5 and 1.6
uint32_t weft_spirv_newest_minor(void); // of the versions 1.x of SPIR-V that the translator reads

uint32_t weft_cl_version(void);               // 120, 200, 300; if SPIR-V is taken also 210, 220, 310
uint32_t weft_language_version(void);         // the newest version of OpenCL C: 120, 200, 300, 310
bool weft_offers_extension(const char *name); // name: an extension of include/weft/features.def

#endif
