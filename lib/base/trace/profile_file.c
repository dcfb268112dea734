// The file of WEFT_PROFILE, which `weft prof` reads. Owns its name.
//
// The file has a line for each fact; a tab is between words:
//     weft-profile  5
//     process       number, ns from the load of the library until the file is written
//     kernel        name, launches, of these failed, ns, ns of the median, ns of the longest one, ns from
//                   queued to started, work-items, ns of compiles, ns and work-items of the launches since
//                   code last ran that was new; 0: there is none. These ns count once where launches ran at
//                   the same time
//     code          name of the kernel, ns of all threads in this code, what code it is (without the kernel's
//                   name), private bytes of a work-item, bytes of stack, instructions that spill a register;
//                   -1: unknown
//     counted       name, work-items of launches in which some were counted, bytes of global memory,
//                   operations on floating-point numbers, of these on doubles: as if all had been; ns that
//                   counting took; work-items that were counted
//     lanes         name, dimension of the lanes, lanes, instructions of single work-items where not all
//                   lanes are active, vector instructions there, all vector instructions: of the work-items
//                   that were counted
//     line          name, number, dimension of the lanes, bytes, operations, vector instructions with 1, 2,
//                   4, ... 64 lanes
//     strip         name, "run" or "build", ns at which it begins, ns of a span, ns of all threads in each
//     source        name, the file with the source, options of the build, the kernel's name there
//     command       name of other commands, how many, ns
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/trace/profile.h"

static char *pattern, *path; // pattern: absolute, with %p

// A program that another one of the same process has started (exec) finds that one's file.
static char *free_name(char *wanted)
{
    char *name = wanted ? weft_strdup(wanted) : NULL;
    for (unsigned i = 2; name && strstr(pattern, "%p") && access(name, F_OK) == 0; i++) {
        weft_free(name);
        name = weft_format("%s.%u", wanted, i);
    }
    weft_free(wanted);
    return name;
}

bool weft_profile_file_start(void)
{
    if (!pattern)
        pattern = weft_trace_absolute(weft_config_str(WEFT_CFG_PROFILE));
    weft_free(path);
    path = pattern ? free_name(weft_trace_with_number(pattern)) : NULL;
    return path != NULL;
}

void weft_profile_file_stop(void)
{
    weft_free(pattern);
    weft_free(path);
    pattern = path = NULL;
}

bool weft_profile_has_file_of_its_own(void)
{
    return strstr(pattern, "%p") != NULL;
}

// The middle of a bucket of durations (bucket_of in profile.c).
static uint64_t middle_of(size_t b)
{
    if (b < WEFT_PROFILE_PARTS)
        return b;
    const unsigned shift = (unsigned)(b / WEFT_PROFILE_PARTS) - 1;
    return ((uint64_t)(WEFT_PROFILE_PARTS + b % WEFT_PROFILE_PARTS) << shift) + ((UINT64_C(1) << shift) >> 1);
}

static uint64_t median_of(const struct weft_profile_row *r)
{
    uint64_t before = 0;
    for (size_t b = 0; b < WEFT_PROFILE_BUCKETS; b++) {
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
static uint64_t whole_time(const struct weft_profile_row *r)
{
    if (r->plain)
        return (uint64_t)((double)r->plain_ns * (double)r->launches / (double)r->plain);
    // What was counted may have been all that a failed launch did.
    const bool counted_more = r->counting_ns > r->count_ns && r->failed < r->launches;
    return counted_more ? r->counting_ns - r->count_ns : r->counting_ns;
}

static void put_kernel(struct weft_buf *out, const struct weft_profile_row *r, const char *name)
{
    const char *own = weft_trace_own_name(r->name);
    const uint64_t ns = whole_time(r), each = ns / r->launches;
    const uint64_t longest = r->plain ? r->longest : each, median = r->plain ? median_of(r) : each;
    weft_buf_puts(out, "kernel");
    put_text(out, name);
    weft_buf_printf(out,
                    "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64
                    "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n",
                    r->launches, r->failed, ns, median < longest ? median : longest, longest, r->waited,
                    r->items, r->compile_ns, r->steady_items ? r->steady.ns : 0,
                    r->steady.ns ? r->steady_items : 0);
    for (size_t i = 0; i < r->code_count; i++) {
        const char *what = weft_trace_text_of(r->codes[i].what);
        if (what && own && strncmp(what, own, strlen(own)) == 0 && what[strlen(own)] == ' ')
            what += strlen(own) + 1;
        weft_buf_puts(out, "code");
        put_text(out, name);
        weft_buf_printf(out, "\t%" PRIu64, r->codes[i].ns);
        put_text(out, what ? what : "?");
        weft_buf_printf(out, "\t%" PRIu64 "\t%" PRId64 "\t%" PRId32 "\n", r->codes[i].private_bytes,
                        (int64_t)r->codes[i].stack_bytes, (int32_t)r->codes[i].spills);
    }
    if (r->each.items > 0) {
        weft_buf_puts(out, "counted");
        put_text(out, name);
        weft_buf_printf(out, "\t%.0f\t%.0f\t%.0f\t%.0f\t%" PRIu64 "\t%" PRIu64 "\n", r->each.items,
                        r->each.bytes, r->each.operations, r->each.doubles, r->count_ns, r->work.items);
        weft_profile_work_put(out, name, &r->work);
    }
    if (r->source) {
        weft_buf_puts(out, "source");
        put_text(out, name);
        put_text(out, weft_trace_text_of(r->source));
        put_text(out, r->options);
        put_text(out, own);
        weft_buf_puts(out, "\n");
    }
}

void weft_profile_file_text(struct weft_buf *out, struct weft_profile_row *const *rows, size_t count,
                            uint64_t began)
{
    weft_buf_printf(out, "weft-profile\t5\nprocess\t%d\t%" PRIu64 "\n", (int)getpid(),
                    weft_time_now() - began);
    for (size_t i = 0; i < count; i++) {
        const struct weft_profile_row *r = rows[i];
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

void weft_profile_file_put(const struct weft_buf *text)
{
    errno = ENOMEM;
    struct weft_whole_file f = {.fd = -1};
    if (!text->failed)
        f = weft_whole_file_open(path);
    if (weft_whole_file_close(&f, f.fd >= 0 && weft_write_all(f.fd, text->data, text->size)))
        return;
    const int error = errno;
    static bool said;
    char why[128];
    if (!said)
        weft_log_ignored_setting("WEFT_PROFILE: %s can't be written: %s", path,
                                 weft_write_error(error, why, sizeof why));
    said = true;
}
