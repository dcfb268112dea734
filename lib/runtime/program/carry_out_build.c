// Carrying out an order to build: making its parts one after the other, and publishing the outcome.
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/libc/libc.h"
#include "runtime/compiler/client.h"
#include "runtime/compiler/compile_queue.h"
#include "runtime/compiler/spawn.h"
#include "runtime/program/build_job.h"
#include "runtime/program/build_program.h"
#include "runtime/code/build_result.h"
#include "runtime/program/program.h"
#include "weft/status.h"

static cl_int failure_code(enum weft_build_kind kind)
{
    return kind == WEFT_DO_BUILD     ? CL_BUILD_PROGRAM_FAILURE
           : kind == WEFT_DO_COMPILE ? CL_COMPILE_PROGRAM_FAILURE
                                     : CL_LINK_PROGRAM_FAILURE;
}

static cl_int options_code(enum weft_build_kind kind)
{
    return kind == WEFT_DO_BUILD     ? CL_INVALID_BUILD_OPTIONS
           : kind == WEFT_DO_COMPILE ? CL_INVALID_COMPILER_OPTIONS
                                     : CL_INVALID_LINKER_OPTIONS;
}

cl_int weft_build_error(weft_status s, enum weft_build_kind kind)
{
    return s == WEFT_OK                ? CL_SUCCESS
           : s == WEFT_NO_MEMORY       ? CL_OUT_OF_HOST_MEMORY
           : s == WEFT_INVALID_OPTIONS ? options_code(kind)
                                       : failure_code(kind);
}

static void publish(struct weft_compile_job *job)
{
    struct weft_build_job *j = WEFT_CONTAINER_OF(job, struct weft_build_job, job);
    struct weft_program *p = j->program;
    pthread_mutex_lock(&p->lock);
    for (uint32_t i = 0; i < j->part_count; i++) {
        struct weft_build_part *part = &j->parts[i];
        part->outcome->build = part->made;
        if (part->made)
            weft_build_use(part->made);
        weft_build_unref(part->made);
        part->made = NULL;
        part->outcome->log = part->log;
        part->log = NULL;
        part->outcome->status = part->result == CL_SUCCESS ? CL_BUILD_SUCCESS : CL_BUILD_ERROR;
    }
    pthread_mutex_unlock(&p->lock);
}

// A binary itself needs no compiler, but its kernels do. So the build fails if there is none, rather than
// each launch. A compiler that has been started works even if its file can't be reached any more.
static weft_status check_compiler(struct weft_build_part *part)
{
    const char *path = weft_compiler_path();
    if (!path || access(path, X_OK) == 0)
        return WEFT_OK;
    char text[128];
    const int error = errno;
    const char *why = weft_error_text(error, text, sizeof text);
    char *target = weft_compiler_target();
    bool works = target != NULL;
    weft_free(target);
    if (works)
        return WEFT_OK;
    part->log =
        weft_format("The compiler %s can't be started: %s. Kernels of a binary get their code from it.%s\n",
                    path, why, weft_compiler_advice(error));
    return WEFT_NOT_FOUND;
}

static void make_part(struct weft_build_job *j, struct weft_build_part *part)
{
    weft_status status = WEFT_OK;
    if (part->binary) {
        status = check_compiler(part);
        if (status == WEFT_OK) {
            weft_build_ref(part->binary);
            part->made = part->binary;
        }
    } else {
        status = j->kind == WEFT_DO_LINK ? weft_build_by_linking(j, part) : weft_build_from_source(j, part);
    }
    part->result = weft_build_error(status, j->kind);
    // Otherwise the source isn't to blame, and the log says what is.
    bool theirs = status == WEFT_BUILD_FAILED || status == WEFT_LINK_FAILED;
    // A process that ends stops its compilers: no error.
    enum weft_log_level level = weft_compile_queue_is_ending() ? WEFT_LOG_DEBUG : WEFT_LOG_ERROR;
    // weft_log adds "error" itself.
    const bool again = part->log && !theirs && strncmp(part->log, "error: ", 7) == 0;
    if (status != WEFT_OK && part->log)
        weft_log(level, "%s%s%s", theirs ? weft_status_text(status) : "", theirs ? ": " : "",
                 part->log + (again ? 7 : 0));
    else if (status != WEFT_OK)
        weft_log(level, "%s", weft_status_text(status));
    part->done = true;
}

void weft_build_job_carry_out(struct weft_build_job *j)
{
    for (uint32_t i = 0; i < j->part_count; i++) {
        if (!j->parts[i].done) // in a forked process, the parent may have made it
            make_part(j, &j->parts[i]);
        if (!j->result)
            j->result = j->parts[i].result;
    }
    weft_compile_queue_conclude(&j->job, publish);
}
