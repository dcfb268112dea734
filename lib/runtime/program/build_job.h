// One order to build a program. program/build_program.c accepts it, and program/carry_out_build.c carries it
// out.
#ifndef WEFT_RUNTIME_BUILD_JOB_H
#define WEFT_RUNTIME_BUILD_JOB_H

#include "runtime/compiler/compile_queue.h"
#include "runtime/program/build_program.h"
#include "weft/protocol.h"

// A build that is done once for all devices with the same inputs.
struct weft_build_part {
    struct weft_build **inputs; // of a link: input_count builds, a reference to each
    struct weft_build *binary;  // a binary that is used without compiling; a reference
    // The result:
    struct weft_outcome *outcome; // no reference: the places keep it alive until the order is concluded
    bool done;
    struct weft_build *made; // a reference
    char *log;
    cl_int result;
};

// One device of the program.
struct weft_build_place {
    struct weft_build_part *part; // NULL: the order doesn't build for this device
    // what will become the device's outcome; afterwards the outcome that it replaced. A reference
    struct weft_outcome *outcome;
};

// An order as a job. It owns copies of everything that the application may free once its call has returned.
struct weft_build_job {
    struct weft_compile_job job;
    enum weft_build_kind kind;
    struct weft_program *program; // a reference
    char *options;                // as the application gave them, followed by WEFT_BUILD_OPTIONS
    void *spirv; // of a program from IL: the words, specialized with the values at the time of the order
    size_t spirv_size;
    struct weft_header *headers;
    uint32_t header_count;
    uint32_t input_count;
    bool create_library;
    weft_program_notify notify;
    void *user;
    struct weft_build_place *places; // one for each of the program's devices
    struct weft_build_part *parts;   // as many elements; part_count are used
    uint32_t part_count;
    cl_int result; // the error of the first part that failed
};

// The error that a call returns if a build of this kind ended with `s`.
cl_int weft_build_error(weft_status s, enum weft_build_kind kind);
// Makes all parts, then changes the program's state in one step. Runs on a thread that may wait. The caller
// holds no lock.
void weft_build_job_carry_out(struct weft_build_job *j);

// ---- program/ask_build.c ----
// Each makes a part. It sets part->made or part->log.

weft_status weft_build_from_source(struct weft_build_job *j, struct weft_build_part *part);
weft_status weft_build_by_linking(struct weft_build_job *j, struct weft_build_part *part);

#endif
