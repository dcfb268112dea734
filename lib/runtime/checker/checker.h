// The checker's findings (WEFT_CHECK, docs/check.md): what checked kernels have reported is counted, written
// to stderr when it is found first, and to the file of WEFT_CHECK_REPORT.
//
// Input: findings, as launch/check_calls.c makes them of what kernels say. Output: text, JSON lines, SARIF,
// the exit status. The folder knows no objects, programs and launches. Any thread may call, while it holds no
// lock.
#ifndef WEFT_RUNTIME_CHECKER_H
#define WEFT_RUNTIME_CHECKER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "weft/checker.h"

// The build option that asks for what WEFT_CHECK says; "": it isn't set. Never freed.
const char *weft_checker_option(void);

// A place of a finding. The strings outlive the call only.
struct weft_finding_place {
    // "": not known. A place in the host's program (line 0) has the binary and the function.
    const char *file, *source;
    uint32_t line, column;                  // 0: not known
    uint64_t global[3], local[3], group[3]; // ids of the work-item
};

struct weft_finding {
    enum weft_check_kind kind;
    const char *kernel;  // "": none, or not known
    const char *message; // a clause without a period
    struct weft_finding_place at;
    struct weft_finding_place other; // line 0: there is no second place
    const char *access;              // "read", "write", "atomic"; NULL: none
    uint64_t size;                   // bytes of the access
    const char *object;              // its name; NULL: none
    uint64_t object_bytes, offset;   // offset: two's complement; valid if there is a length
    bool has_object_bytes;
};

// Counts what is about to be reported. True: it is new, and the caller calls weft_checker_add. So messages
// are only made of what is new.
bool weft_checker_is_new(enum weft_check_kind kind, const char *kernel, const struct weft_finding_place *at,
                         const struct weft_finding_place *other);
void weft_checker_add(const struct weft_finding *f);
// A checked kernel is launched. So there will be a report, even if it is empty.
void weft_checker_note_launch(void);

// ---- for the folder's own files ----

// At the end of the process: prints a summary and completes the report. True: something was found.
bool weft_checker_finish(void);

// A finding that is kept. The strings are owned.
struct weft_kept {
    struct weft_finding f;
    uint64_t count;
    bool suppressed;
    struct weft_kept *next; // in the order in which they were found
};
// checker/suppress.c: does the file of WEFT_CHECK_SUPPRESS name it?
bool weft_checker_is_suppressed(const struct weft_finding *f);
// checker/report.c
void weft_checker_print(FILE *out, const struct weft_finding *f);
void weft_checker_print_count(FILE *out, const struct weft_kept *k); // a line of the summary
void weft_checker_write_line(FILE *out, const struct weft_kept *k);  // of JSON
void weft_checker_write_json(FILE *out, const struct weft_kept *first);
void weft_checker_write_sarif(FILE *out, const struct weft_kept *first);

#endif
