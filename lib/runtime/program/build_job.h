// An order to build a program, under way: for program/build_program.c, which accepts it, and program/carry_out_build.c, which does it.
#ifndef WEFT_RUNTIME_BUILD_JOB_H
#define WEFT_RUNTIME_BUILD_JOB_H

#include "runtime/compiler/compile_queue.h"
#include "runtime/program/build_program.h"
#include "weft/protocol.h"

// What is made once, for devices whose inputs are the same.
struct weft_build_part {
    struct weft_build **inputs; // of a link, input_count: a ref each
    struct weft_build *binary;  // to be taken as it is: a ref
    // What comes of it.
    struct weft_outcome *outcome; // no ref: its places keep it until the order is concluded
    bool done;
    struct weft_build *made; // a ref
    char *log;
    cl_int result;
};

// A device of the program.
struct weft_build_place {
    struct weft_build_part *part; // NULL: the order isn't for it
    struct weft_outcome *outcome; // to be put into its place; then the one that was there; a ref
};

// An order as a job. Owns copies of everything that the application may free once its call has returned.
struct weft_build_job {
    struct weft_compile_job job;
    enum weft_build_kind kind;
    struct weft_program *program; // a ref
    char *options;                // as given, with WEFT_BUILD_OPTIONS behind them
    void *spirv; // of a program from IL: the words, as they were specialized when the order came
    size_t spirv_size;
    struct weft_header *headers;
    uint32_t header_count;
    uint32_t input_count;
    bool create_library;
    weft_program_notify notify;
    void *user;
    struct weft_build_place *places; // one for each of the program's devices
    struct weft_build_part *parts;   // room for as many
    uint32_t part_count;
    cl_int result; // of the first part that failed
};

// The error of a call that ends so.
cl_int weft_build_error(weft_status s, enum weft_build_kind kind);
// Makes all parts, and then the program's state of them in one step. On a thread that may wait; no lock held.
void weft_build_job_carry_out(struct weft_build_job *j);

// ---- program/ask_build.c: what a part is made by. Sets part->made or part->log. ----

weft_status weft_build_from_source(struct weft_build_job *j, struct weft_build_part *part);
weft_status weft_build_by_linking(struct weft_build_job *j, struct weft_build_part *part);

#endif
