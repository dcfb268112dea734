// What profile.c and profile_file.c share: the sums of kernels, and where they are written.
#ifndef WEFT_BASE_TRACE_PROFILE_H
#define WEFT_BASE_TRACE_PROFILE_H

#include "base/trace/internal.h"

enum {
    WEFT_PROFILE_PARTS = 16, // of a factor of two, in which a duration is counted: the median is exact to 3 %
    WEFT_PROFILE_BUCKETS = 48 * WEFT_PROFILE_PARTS,
    WEFT_PROFILE_SPANS = 16, // of launches at the same time, and of those that are counted at the same time
};

// How long something went on, if it may have gone on several times at once: the parts of time that were last.
struct weft_profile_union {
    uint64_t ns; // in all
    size_t count;
    struct {
        uint64_t from, to;
    } span[WEFT_PROFILE_SPANS];
};

// What one work-item does, as an average.
struct weft_profile_each {
    double items, bytes, operations, doubles;
};

// A kernel or, if is_kernel is false, a sort of other commands.
struct weft_profile_row {
    weft_trace_text name;
    bool is_kernel;
    uint64_t launches, failed, waited, items, compile_ns;
    // Of launches in which nothing was counted, and of others, in which counting is what takes long.
    uint64_t plain, plain_ns, longest, counting_ns;
    // Of plain launches that were complete after the first one in which the newest code ran: in those before,
    // code was worse, or pages were touched for the first time. A launch's work-items are those that were
    // done since the launch before was complete. For launches at the same time only their sum is right.
    struct weft_profile_union steady;
    uint64_t steady_items, open_items;
    bool has_new_code;  // since the last launch was complete
    uint64_t thread_ns; // of all threads
    // Launches that run, in which something was counted: sums of what was.
    struct {
        uint64_t command; // its address; 0: none
        struct weft_profile_each sum;
    } counting[WEFT_PROFILE_SPANS];
    struct weft_profile_each
        each; // of such launches that are complete, each with the weight of its work-items
    struct weft_profile_code {
        const struct weft_kernel_info *code; // only its address once the code may be gone
        weft_trace_text what;
        uint64_t ns, private_bytes, stack_bytes;
        uint32_t spills;
    } *codes;
    size_t code_count;
    uint64_t counts[WEFT_COUNT_DIMS], count_ns;
    uint64_t asked; // when the launch was queued of which it was asked last whether it is to be counted
    bool chosen;    // the answer
    struct weft_profile_work work;
    struct weft_profile_strip *runs, *builds;
    weft_trace_text source;
    char *options; // texts are limited, and options may be long
    uint32_t bucket[WEFT_PROFILE_BUCKETS];
};

// ---- profile_file.c ----

// Makes the file's name, when the library is loaded or in a forked child. False: no memory.
bool weft_profile_file_start(void);
void weft_profile_file_stop(void);
// What is to be in the file. Under the lock of the rows and that of the names. began: ns, as weft_time_now.
void weft_profile_file_text(struct weft_buf *out, struct weft_profile_row *const *rows, size_t count,
                            uint64_t began);
// Writes the file; one thread at a time. Reports once if it can't.
void weft_profile_file_put(const struct weft_buf *text);

#endif
