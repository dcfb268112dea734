// Sums for each kernel (WEFT_PROFILE), which `weft prof` reads: how often and how long it ran, how long its
// launches waited, in which code, and what was counted of its work. Owns the rows, under a lock; they stay
// until the process ends. Whoever calls knows that the timeline or the sums are on (weft_trace_is_on).
//
// The file has a line for each fact; a tab is between words:
//     weft-profile  4
//     process       number, ns from the load of the library until the file is written
//     kernel        name, launches, of these failed, ns, ns of the median, ns of the longest one, ns from
//                   queued to started, work-items, ns of compiles, ns and work-items of the launches since
//                   code last ran that was new; 0: there is none
//     code          name of the kernel, ns of all threads in this code, what code it is, private bytes of a
//                   work-item, bytes of stack, instructions that spill a register; -1: unknown
//     counted       name, work-items that were counted, bytes of global memory, operations on floats, ns
//                   that counting took
//     lanes         name, dimension of the lanes, lanes, instructions of single work-items where not all
//                   lanes are active, vector instructions there, all vector instructions: of the work-items
//                   that were counted
//     line          name, number, dimension of the lanes, bytes, operations, vector instructions with 1, 2,
//                   4, ... 64 lanes
//     strip         name, "run" or "build", ns at which it begins, ns of a span, ns of all threads in each
//     source        name, the file with the source, options of the build
//     command       name of other commands, how many, ns
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/trace/internal.h"

#define WRITE_NS 500000000u // the file is at most so old, and written so often

enum {
    PARTS = 16, // of a factor of two, in which a duration is counted: the median is exact to 3 %
    BUCKETS = 48 * PARTS,
    CODES = 8,
    MAX_ROWS = 4096,
    MIN_COUNTS = 2 // even if they take long
};

struct row {
    weft_trace_text name;
    bool is_kernel;
    uint64_t launches, failed, waited, items, compile_ns;
    // Of launches in which nothing was counted, and of others, in which counting is what takes long.
    uint64_t plain, plain_ns, longest, counting_ns;
    // Of plain launches that were complete after the first one in which the newest code ran: in those before,
    // code was worse, or pages were touched for the first time. A launch's work-items are those that were
    // done since the launch before was complete, which is wrong for launches at the same time, but not in the
    // sum.
    uint64_t steady_ns, steady_items, open_items;
    bool has_new_code;  // since the last launch was complete
    uint64_t thread_ns; // of all threads
    uint64_t counting;  // address of the last command in which something was counted
    struct {
        const struct weft_kernel_info *code; // only its address once the code may be gone
        uint64_t ns, private_bytes, stack_bytes;
        uint32_t spills;
    } codes[CODES];
    uint64_t counts[WEFT_COUNT_DIMS], count_ns;
    struct weft_profile_work work;
    struct weft_profile_strip *runs, *builds;
    weft_trace_text source;
    char *options; // texts are limited, and options may be long
    uint32_t bucket[BUCKETS];
};

_Atomic bool weft_profile_on;

static char *pattern; // of the file's name: absolute, with %p

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct row *rows[MAX_ROWS];
static size_t row_count;
static uint64_t began, written; // when; the file is written now and then, since the process may be killed

// The row of a name. NULL: no memory, or there are too many.
static struct row *row_locked(weft_trace_text name)
{
    for (size_t i = 0; i < row_count; i++)
        if (rows[i]->name == name)
            return rows[i];
    struct row *r = name && row_count < MAX_ROWS ? weft_zalloc(sizeof *r) : NULL;
    if (r) {
        r->name = name;
        rows[row_count++] = r;
    }
    return r;
}

// Durations are counted by their highest bit and the four below it.
static size_t bucket_of(uint64_t ns)
{
    if (ns < PARTS)
        return (size_t)ns;
    const unsigned high = 63 - (unsigned)__builtin_clzll(ns);
    const size_t b = (size_t)(high - 3) * PARTS + (size_t)(ns >> (high - 4)) % PARTS;
    return b < BUCKETS ? b : BUCKETS - 1;
}

// The middle of a bucket.
static uint64_t middle_of(size_t b)
{
    if (b < PARTS)
        return b;
    const unsigned shift = (unsigned)(b / PARTS) - 1;
    return ((uint64_t)(PARTS + b % PARTS) << shift) + ((UINT64_C(1) << shift) >> 1);
}

void weft_profile_complete(const struct weft_trace_completion *c)
{
    pthread_mutex_lock(&lock);
    struct row *r = row_locked(c->name);
    if (r) {
        const uint64_t ns = c->started && c->completed > c->started ? c->completed - c->started : 0;
        r->launches++;
        r->failed += c->status < 0;
        r->waited += c->started > c->command.queued ? c->started - c->command.queued : 0;
        if (r->counting == c->command.address) {
            r->counting = 0;
            r->counting_ns += ns;
        } else {
            r->plain++;
            r->plain_ns += ns;
            r->longest = ns > r->longest ? ns : r->longest;
            r->bucket[bucket_of(ns)]++;
            r->steady_ns += ns;
            r->steady_items += r->open_items;
        }
        if (r->has_new_code)
            r->steady_ns = r->steady_items = 0;
        r->has_new_code = false;
        r->open_items = 0;
        if (!r->is_kernel)
            weft_profile_strip_add(&r->runs, c->completed - ns, c->completed);
    }
    const bool is_due = c->completed > written + WRITE_NS;
    written = is_due ? c->completed : written;
    pthread_mutex_unlock(&lock);
    if (!is_due)
        return;
    weft_trace_names_lock();
    weft_profile_write();
    weft_trace_names_unlock();
}

void weft_profile_range(weft_trace_text kernel, uint64_t since, uint64_t items,
                        const struct weft_kernel_info *code)
{
    const uint64_t now = weft_time_now(), ns = now - since;
    if (!atomic_load_explicit(&weft_profile_on, memory_order_relaxed))
        return;
    pthread_mutex_lock(&lock);
    struct row *r = row_locked(kernel);
    for (size_t i = 0; r && code && i < CODES; i++)
        if (!r->codes[i].code || r->codes[i].code == code || i == CODES - 1) {
            r->has_new_code |= !r->codes[i].code;
            r->codes[i].code = code;
            r->codes[i].private_bytes = code->private_bytes;
            r->codes[i].stack_bytes = code->stack_bytes;
            r->codes[i].spills = code->spills;
            r->codes[i].ns += ns;
            break;
        }
    if (r) {
        r->is_kernel = true;
        r->items += items;
        r->open_items += items;
        r->thread_ns += ns;
        weft_profile_strip_add(&r->runs, since, now);
    }
    pthread_mutex_unlock(&lock);
}

bool weft_profile_wants_count(weft_trace_text kernel, struct weft_trace_command command, unsigned along)
{
    // Counting takes a twentieth of a kernel's time at most, and most launches are free of it.
    enum { SHARE = 20, LAUNCHES = 8 };
    if (!atomic_load_explicit(&weft_profile_on, memory_order_relaxed))
        return false;
    pthread_mutex_lock(&lock);
    const struct row *r = row_locked(kernel);
    const bool wants =
        r && (r->counts[along] < MIN_COUNTS ||
              (r->count_ns < r->thread_ns / SHARE &&
               (r->counting == command.address || r->launches >= LAUNCHES * (r->launches - r->plain))));
    pthread_mutex_unlock(&lock);
    return wants;
}

void weft_profile_count(weft_trace_text kernel, struct weft_trace_command command, uint64_t since,
                        unsigned along, const struct weft_kernel_counts *counts)
{
    const uint64_t now = weft_time_now();
    pthread_mutex_lock(&lock);
    struct row *r = row_locked(kernel);
    if (r) {
        r->counting = command.address;
        r->counts[along]++;
        r->is_kernel = true;
        r->items += weft_profile_work_add(&r->work, along, counts);
        r->count_ns += now - since;
        weft_profile_strip_add(&r->runs, since, now);
    }
    pthread_mutex_unlock(&lock);
}

void weft_profile_compile(weft_trace_text what, uint64_t since, uint64_t until)
{
    pthread_mutex_lock(&lock);
    struct row *r = row_locked(what);
    if (r) {
        r->compile_ns += until - since;
        weft_profile_strip_add(&r->builds, since, until);
    }
    pthread_mutex_unlock(&lock);
}

void weft_profile_source(weft_trace_text kernel, const char *path, const char *options)
{
    const weft_trace_text file = weft_trace_name(path);
    pthread_mutex_lock(&lock);
    struct row *r = row_locked(kernel);
    if (r) {
        r->source = file;
        weft_free(r->options);
        r->options = weft_strdup(options);
    }
    pthread_mutex_unlock(&lock);
}

// ---- The file ----

static uint64_t median_of(const struct row *r)
{
    uint64_t before = 0;
    for (size_t b = 0; b < BUCKETS; b++) {
        before += r->bucket[b];
        if (2 * before >= r->plain && before)
            return middle_of(b);
    }
    return 0;
}

// A word of the file.
static void put_text(struct weft_buf *out, const char *text)
{
    weft_buf_puts(out, "\t");
    for (; text && *text; text++) {
        const char c = (char)((unsigned char)*text < ' ' ? ' ' : *text);
        weft_buf_append(out, &c, 1);
    }
}

// The time of all launches, as if nothing had been counted.
static uint64_t whole_time(const struct row *r)
{
    if (r->plain)
        return (uint64_t)((double)r->plain_ns * (double)r->launches / (double)r->plain);
    return r->counting_ns > r->count_ns ? r->counting_ns - r->count_ns : 0;
}

static void put_kernel(struct weft_buf *out, const struct row *r, const char *name)
{
    const uint64_t ns = whole_time(r), each = ns / r->launches;
    const uint64_t longest = r->plain ? r->longest : each, median = r->plain ? median_of(r) : each;
    weft_buf_puts(out, "kernel");
    put_text(out, name);
    weft_buf_printf(out,
                    "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64
                    "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n",
                    r->launches, r->failed, ns, median < longest ? median : longest, longest, r->waited,
                    r->items, r->compile_ns, r->steady_items ? r->steady_ns : 0,
                    r->steady_ns ? r->steady_items : 0);
    for (size_t i = 0; i < CODES && r->codes[i].code; i++) {
        const char *what = weft_trace_code_at((uintptr_t)r->codes[i].code, UINT64_MAX);
        weft_buf_puts(out, "code");
        put_text(out, name);
        weft_buf_printf(out, "\t%" PRIu64, r->codes[i].ns);
        put_text(out, what ? what : "?");
        weft_buf_printf(out, "\t%" PRIu64 "\t%" PRId64 "\t%" PRId32 "\n", r->codes[i].private_bytes,
                        (int64_t)r->codes[i].stack_bytes, (int32_t)r->codes[i].spills);
    }
    if (r->work.items) {
        weft_buf_puts(out, "counted");
        put_text(out, name);
        weft_buf_printf(out, "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n", r->work.items,
                        r->work.bytes, r->work.operations, r->count_ns);
        weft_profile_work_put(out, name, &r->work);
    }
    if (r->source) {
        weft_buf_puts(out, "source");
        put_text(out, name);
        put_text(out, weft_trace_text_of(r->source));
        put_text(out, r->options);
        weft_buf_puts(out, "\n");
    }
}

static void put_all(struct weft_buf *out)
{
    weft_buf_printf(out, "weft-profile\t4\nprocess\t%d\t%" PRIu64 "\n", (int)getpid(),
                    weft_time_now() - began);
    for (size_t i = 0; i < row_count; i++) {
        const struct row *r = rows[i];
        const char *name = weft_trace_text_of(r->name);
        if (r->is_kernel && r->launches) {
            put_kernel(out, r, name);
        } else if (r->launches) {
            weft_buf_puts(out, "command");
            put_text(out, name);
            weft_buf_printf(out, "\t%" PRIu64 "\t%" PRIu64 "\n", r->launches, whole_time(r));
        }
        weft_profile_strip_put(out, name, "run", r->runs);
        weft_profile_strip_put(out, name, "build", r->builds);
    }
}

void weft_profile_write(void)
{
    struct weft_buf out = {0};
    char *path = weft_trace_with_number(pattern);
    pthread_mutex_lock(&lock);
    put_all(&out);
    pthread_mutex_unlock(&lock);
    struct weft_whole_file f = {.fd = -1};
    errno = ENOMEM;
    if (path && !out.failed)
        f = weft_whole_file_open(path);
    const bool ok = weft_whole_file_close(&f, f.fd >= 0 && weft_write_all(f.fd, out.data, out.size));
    const int error = errno;
    static bool said; // under the names' lock
    char text[128];
    if (!ok && !said)
        weft_log(WEFT_LOG_ERROR, "WEFT_PROFILE: %s can't be written: %s", path ? path : "the file",
                 weft_write_error(error, text, sizeof text));
    said = said || !ok;
    weft_buf_free(&out);
    weft_free(path);
}

bool weft_profile_start(void)
{
    pattern = weft_trace_absolute(weft_config_str(WEFT_CFG_PROFILE));
    if (!pattern)
        return false;
    began = weft_time_now();
    written = began;
    weft_profile_strips_start(began);
    atomic_store(&weft_profile_on, true);
    return true;
}

bool weft_profile_has_file_of_its_own(void)
{
    return strstr(pattern, "%p") != NULL;
}

void weft_profile_lock(void)
{
    pthread_mutex_lock(&lock);
}

void weft_profile_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

void weft_profile_after_fork(void)
{
    while (row_count) {
        weft_profile_work_free(&rows[--row_count]->work);
        weft_free(rows[row_count]->options);
        weft_free(rows[row_count]);
    }
    written = began = weft_time_now();
    weft_profile_strips_start(began);
}

void weft_profile_stop(void)
{
    weft_profile_after_fork(); // frees the rows
    weft_free(pattern);
    pattern = NULL;
}
