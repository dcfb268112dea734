// `weft prof`: what a program's kernels took. Only the files of this subcommand include this header.
#ifndef WEFT_TOOLS_PROF_H
#define WEFT_TOOLS_PROF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "weft/kernel_abi.h"

// ---- limits.c ----

struct weft_limits {
    double bytes_per_ns, operations_per_ns, doubles_per_ns; // GB/s, and GFLOP/s of floats and of doubles
};
// What this machine can do; measured if it isn't known, or if `again`. False: it can't be measured.
bool weft_limits_find(struct weft_limits *out, bool again);

// ---- profile.c: what the driver has written (lib/base/trace/profile.c) ----

enum weft_bound {
    WEFT_BOUND_UNKNOWN,
    WEFT_BOUND_MEMORY, // reaches half of what memory gives
    WEFT_BOUND_CACHES, // accesses more than memory could give
    WEFT_BOUND_COMPUTE,
    WEFT_BOUND_LATENCY,
    WEFT_BOUND_LAUNCHES
};

// A line of the source, and what work-items did there.
struct weft_profiled_line {
    unsigned number; // 0: not known which
    double bytes, operations, instructions[WEFT_COUNT_DIMS][WEFT_COUNT_LEVELS];
    // weft_profile_judge, with the kernel's lanes: the share of the kernel's work, and the mean number of
    // active lanes where not all are (0: all are)
    double share, active_lanes;
};

struct weft_profiled {
    char *name;
    double launches, failed, ns, median, longest, waited, items, compile_ns;
    double steady_ns, steady_items; // of launches in the newest code, but the first; 0: there is none
    double counted_items, bytes, operations, doubles; // of launches that were counted; 0 items: none were
    double sampled_items;                             // of these, those that were counted
    double code_ns;                                   // of all threads, in `code`
    char *code;                                       // the code in which it ran longest. NULL: unknown
    unsigned lanes;                                   // of that code; 0: unknown
    unsigned along;                                   // the dimension along which they lie
    double private_bytes, stack_bytes, spills;        // of that code; -1: unknown
    char *source, *options, *own_name;                // own_name: in the source. NULL: unknown
    // What was counted (lib/base/trace/work.c), by the lanes' dimension and by lanes: 1 << level.
    struct {
        double all[WEFT_COUNT_LEVELS], divergent[WEFT_COUNT_LEVELS], active[WEFT_COUNT_LEVELS];
    } counted[WEFT_COUNT_DIMS];
    struct weft_profiled_line *lines;
    size_t line_count;
    char *report; // the vectorizer's (weft_profile_report). NULL: not asked for
    // from here on: weft_profile_judge
    double gb_per_s, gflop_per_s; // of those launches, or of all; 0: unknown
    // The mean number of active lanes where not all are, and the share of that in what it does. 0: all are
    double active_lanes, divergent_share;
    enum weft_bound bound;
    unsigned line; // that the advice is about; 0: none
    char *advice;
};

struct weft_profile {
    struct weft_profiled *kernels; // those that took longest first
    size_t count;
    double ns; // of all kernels
    // The coarse timeline: what ran, or was built, in spans of time.
    struct weft_profiled_strip {
        char *name, *what; // what: "run" or "build"
        double from_ns, width_ns;
        char *spans; // ns in each, separated by commas
        char *process;
    } *strips;
    size_t strip_count;
};

// Adds the file of one process. False: it can't be read.
bool weft_profile_read(struct weft_profile *p, const char *path);
// Sorts, and says of each kernel what limits it and what to do. limits: NULL: unknown.
void weft_profile_judge(struct weft_profile *p, const struct weft_limits *limits);
// The vectorizer's report on the kernel, which stays the kernel's. NULL: there is none.
const char *weft_profile_report(struct weft_profiled *k);
// The next remark of a report, with its line; it ends at *size. *at: the report at first. NULL: no more.
const char *weft_profile_next_remark(const char **at, unsigned *line, size_t *size);
const char *weft_bound_name(enum weft_bound b);

// ---- prof_json.c ----

// with_sources: with the kernels' sources and what the vectorizer says of their lines.
void weft_prof_json(FILE *out, struct weft_profile *p, const struct weft_limits *limits, bool with_sources);
// The page, with all data in it. template: the file. False: it can't be read.
bool weft_prof_html(FILE *out, const char *template, struct weft_profile *p,
                    const struct weft_limits *limits);

#endif
