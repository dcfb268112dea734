// Accepting orders to build, compile and link. An order is checked against the program's state. It is carried
// out on this thread, or on a thread of the compile queue if it has a callback. Its outcome becomes the
// program's state in one step. No lock is held while a compiler works or a callback runs. OpenCL 2.2 §5.8.4
// and §5.8.5.
// An order is for some of the program's devices. Orders for others may be under way at the same time. Devices
// whose inputs are the same share one part of the order, which is built once. For a source there is one part;
// for links and binaries there are as many as there are different inputs.
#include "runtime/program/build_program.h"

#include <pthread.h>
#include <string.h>

#include "base/base.h"
#include "runtime/checker/checker.h"
#include "runtime/compiler/client.h"
#include "runtime/compiler/compile_queue.h"
#include "runtime/core/application_call.h"
#include "runtime/device/context.h"
#include "runtime/device/device.h"
#include "runtime/core/diagnostics.h"
#include "runtime/core/object.h"
#include "runtime/program/build_job.h"
#include "runtime/code/build_result.h"
#include "runtime/program/program.h"
#include "weft/code_object.h"
#include "weft/protocol.h"
#include "weft/status.h"

static void drop_outcomes(struct weft_build_job *j)
{
    for (cl_uint i = 0; i < j->program->device_count; i++) {
        weft_outcome_unref(j->places[i].outcome, true);
        j->places[i].outcome = NULL;
    }
}

static void job_free(struct weft_build_job *j)
{
    if (!j)
        return;
    for (uint32_t i = 0; j->headers && i < j->header_count; i++) {
        weft_free(j->headers[i].name);
        weft_free(j->headers[i].source);
    }
    for (uint32_t i = 0; i < j->part_count; i++) {
        struct weft_build_part *part = &j->parts[i];
        for (uint32_t n = 0; part->inputs && n < j->input_count; n++)
            weft_build_unref(part->inputs[n]);
        weft_free(part->inputs);
        weft_build_unref(part->binary);
        weft_build_unref(part->made);
        weft_free(part->log);
    }
    if (j->places)
        drop_outcomes(j);
    weft_free(j->headers);
    weft_free(j->places);
    weft_free(j->parts);
    weft_free(j->options);
    weft_free(j->spirv);
    weft_object_unref(&j->program->obj);
    weft_free(j);
}

static void job_run(struct weft_compile_job *job)
{
    struct weft_build_job *j = WEFT_CONTAINER_OF(job, struct weft_build_job, job);
    weft_build_job_carry_out(j);
    WEFT_CALL_APPLICATION(j->notify((cl_program)j->program, j->user));
    job_free(j);
}

static void job_drop(struct weft_compile_job *job)
{
    job_free(
        WEFT_CONTAINER_OF(job, struct weft_build_job, job)); // the callback isn't called: the process ends
}

// ---- Accepting an order ----

static weft_status copy_headers(struct weft_build_job *j, const struct weft_build_order *o)
{
    j->headers = weft_alloc_array(o->header_count, sizeof *j->headers);
    if (!j->headers)
        return WEFT_NO_MEMORY;
    j->header_count = o->header_count;
    for (cl_uint i = 0; i < o->header_count; i++) {
        const struct weft_program *h = o->headers[i];
        j->headers[i].name = weft_strdup(o->header_names[i]);
        j->headers[i].source = weft_memdup(h->source ? h->source : "", h->source ? h->source_size + 1 : 1);
        j->headers[i].size = h->source ? h->source_size : 0;
        if (!j->headers[i].name || !j->headers[i].source)
            return WEFT_NO_MEMORY;
    }
    return WEFT_OK;
}

static bool is_linkable(const struct weft_build *b)
{
    return b && b->object.binary_type != WEFT_BINARY_EXECUTABLE;
}

// The inputs' builds for the nth device of the program. *count is set to the number of inputs that have one.
// The caller frees the array and the references. NULL: no memory.
static struct weft_build **inputs_for(const struct weft_build_job *j, const struct weft_build_order *o,
                                      cl_uint nth, uint32_t *count)
{
    struct weft_build **inputs = weft_alloc_array(o->input_count, sizeof *inputs);
    *count = 0;
    for (cl_uint i = 0; inputs && i < o->input_count; i++) {
        inputs[i] = weft_program_current(o->inputs[i], j->program->devices[nth]);
        if (!is_linkable(inputs[i])) {
            weft_build_unref(inputs[i]);
            inputs[i] = NULL;
        }
        *count += inputs[i] != NULL;
    }
    return inputs;
}

static cl_uint first_missing(struct weft_build *const *inputs)
{
    cl_uint i = 0;
    while (inputs[i])
        i++;
    return i;
}

// Finds or adds the part of the devices with these inputs. Takes ownership of `inputs`.
static struct weft_build_part *part_of_inputs(struct weft_build_job *j, struct weft_build **inputs)
{
    for (uint32_t i = 0; i < j->part_count; i++) {
        if (memcmp(j->parts[i].inputs, inputs, j->input_count * sizeof *inputs) != 0)
            continue;
        for (uint32_t n = 0; n < j->input_count; n++)
            weft_build_unref(inputs[n]);
        weft_free(inputs);
        return &j->parts[i];
    }
    struct weft_build_part *made = &j->parts[j->part_count++];
    made->inputs = inputs;
    return made;
}

// "All programs specified by input_programs contain a compiled binary or library for the device. In this
// case, a link is performed [...] None of the programs contain a compiled binary or library for that device.
// In this case, no link is performed and there will be no program executable generated for this device. All
// other cases will return a CL_INVALID_OPERATION error." A link for no device at all returns that error, too.
static cl_int divide_by_inputs(struct weft_build_job *j, const struct weft_build_order *o)
{
    j->input_count = o->input_count;
    cl_uint missing = 0, bare = 0;
    for (cl_uint i = 0; i < j->program->device_count; i++) {
        uint32_t count;
        struct weft_build **inputs = inputs_for(j, o, i, &count);
        if (!inputs)
            return CL_OUT_OF_HOST_MEMORY;
        if (count == j->input_count) {
            j->places[i].part = part_of_inputs(j, inputs);
            continue;
        }
        missing = first_missing(inputs);
        bare = i;
        for (uint32_t n = 0; n < j->input_count; n++)
            weft_build_unref(inputs[n]);
        weft_free(inputs);
        if (count)
            return weft_error_with(CL_INVALID_OPERATION,
                                   "input program %n is neither compiled nor a library for device %n of the "
                                   "list, for which others are",
                                   missing, bare);
    }
    return j->part_count ? CL_SUCCESS
                         : weft_error_with(CL_INVALID_OPERATION,
                                           "input program %n is neither compiled nor a library", missing);
}

// Finds or adds the part of the devices with this binary. Devices that were given equal binaries have the
// same build.
static struct weft_build_part *part_of_binary(struct weft_build_job *j, struct weft_build *binary)
{
    for (uint32_t i = 0; i < j->part_count; i++)
        if (j->parts[i].binary == binary)
            return &j->parts[i];
    struct weft_build_part *made = &j->parts[j->part_count++];
    made->binary = binary;
    weft_build_ref(binary);
    return made;
}

static bool is_for(const struct weft_build_order *o, const struct weft_device *d)
{
    for (cl_uint i = 0; i < o->device_count; i++)
        if (o->devices[i] == d)
            return true;
    return o->device_count == 0;
}

static bool takes_binaries(const struct weft_build_job *j)
{
    return j->kind == WEFT_DO_BUILD && j->program->places[0].loaded;
}

// Determines the devices that the order is for, and the part of each. A link does that later, with its
// inputs.
static bool divide(struct weft_build_job *j, const struct weft_build_order *o)
{
    const struct weft_program *p = j->program;
    j->places = weft_alloc_array(p->device_count, sizeof *j->places);
    j->parts = weft_alloc_array(p->device_count, sizeof *j->parts);
    if (!j->places || !j->parts)
        return false;
    if (j->kind != WEFT_DO_LINK && !takes_binaries(j))
        j->part_count = 1;
    for (cl_uint i = 0; j->kind != WEFT_DO_LINK && i < p->device_count; i++)
        if (is_for(o, p->devices[i]))
            j->places[i].part = takes_binaries(j) ? part_of_binary(j, p->places[i].loaded) : j->parts;
    return true;
}

// A copy of the outcome with another log, which is copied. NULL: no memory.
static struct weft_outcome *with_log(const struct weft_outcome *o, const char *log)
{
    struct weft_outcome *n =
        weft_outcome_create(o ? o->status : CL_BUILD_NONE, o && o->options ? o->options : "");
    if (!n)
        return NULL;
    n->build = o ? o->build : NULL;
    if (n->build)
        weft_build_use(n->build);
    n->log = weft_strdup(log);
    return n;
}

// Puts the reason into the build log, although no build begins. The program's status and code stay.
static void refuse_options(struct weft_build_job *j, enum weft_option_use use, const char *given,
                           const char *reason)
{
    struct weft_build_options parsed;
    bool ours = weft_build_options_parse(&parsed, given, use, NULL) == WEFT_OK;
    if (ours)
        weft_build_options_fini(&parsed);
    const char *from = ours ? " (from WEFT_BUILD_OPTIONS)" : "";
    char *log = weft_format("error: %s%s\n", reason, from);
    struct weft_program *p = j->program;
    weft_context_report(p->context, "%s%s", reason, from);
    pthread_mutex_lock(&p->lock);
    for (cl_uint i = 0; log && i < p->device_count; i++) {
        struct weft_outcome *o = p->places[i].outcome;
        if (!j->places[i].part || (o && o->status == CL_BUILD_IN_PROGRESS))
            continue;
        struct weft_outcome *n = with_log(o, log);
        if (n) {
            p->places[i].outcome = n;
            j->places[i].outcome = o; // released when the lock isn't held
        }
    }
    pthread_mutex_unlock(&p->lock);
    weft_free(log);
}

// given: the options without WEFT_BUILD_OPTIONS.
static cl_int check_options(struct weft_build_job *j, const char *given)
{
    static const enum weft_option_use use[] = {[WEFT_DO_BUILD] = WEFT_OPTIONS_BUILD,
                                               [WEFT_DO_COMPILE] = WEFT_OPTIONS_COMPILE,
                                               [WEFT_DO_LINK] = WEFT_OPTIONS_LINK};
    struct weft_build_options parsed;
    char *reason = NULL;
    weft_status status = weft_build_options_parse(&parsed, j->options, use[j->kind], &reason);
    if (status == WEFT_OK) {
        j->create_library = parsed.create_library;
        weft_build_options_fini(&parsed);
    } else if (status == WEFT_INVALID_OPTIONS) {
        refuse_options(j, use[j->kind], given, reason ? reason : weft_status_text(status));
    }
    weft_free(reason);
    return weft_build_error(status, j->kind);
}

// Copies the module in its present state. Specialization constants that are set later belong to the next
// build.
static cl_int copy_module(struct weft_build_job *j)
{
    struct weft_program *p = j->program;
    pthread_mutex_lock(&p->lock);
    j->spirv_size = p->spirv.count * sizeof *p->spirv.words;
    j->spirv = weft_memdup(p->spirv.words, j->spirv_size);
    pthread_mutex_unlock(&p->lock);
    return j->spirv ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

static cl_int prepare(struct weft_build_job *j, const struct weft_build_order *o)
{
    const char *extra = weft_config_str(WEFT_CFG_EXTRA_OPTIONS), *given = o->options ? o->options : "";
    const char *check = weft_checker_option();
    // The options of the setting are for sources; a link would reject them.
    if (o->kind == WEFT_DO_LINK)
        extra = NULL;
    j->options = weft_format("%s%s%s%s", given, extra ? " " : "", extra ? extra : "", check);
    if (!j->options)
        return CL_OUT_OF_HOST_MEMORY;
    cl_int err = check_options(j, given);
    if (!err && o->header_count && copy_headers(j, o) != WEFT_OK)
        err = CL_OUT_OF_HOST_MEMORY;
    if (!err && o->kind == WEFT_DO_LINK)
        err = divide_by_inputs(j, o);
    else if (!err && j->program->il)
        err = copy_module(j);
    return err;
}

// Checks that the program's state allows the order.
static cl_int check_state_locked(const struct weft_build_job *j)
{
    const struct weft_program *p = j->program;
    for (cl_uint i = 0; i < p->device_count; i++)
        if (j->places[i].part && p->places[i].outcome && p->places[i].outcome->status == CL_BUILD_IN_PROGRESS)
            return weft_error(CL_INVALID_OPERATION, "a build of the program is under way");
    if (atomic_load(&p->kernel_handles) > 0)
        return weft_error(CL_INVALID_OPERATION,
                          "the program can't be built again: it has kernels that aren't released");
    if (j->kind == WEFT_DO_COMPILE && !p->source && !p->il)
        return weft_error(CL_INVALID_OPERATION, "the program has neither source nor intermediate language");
    // a program made by clLinkProgram
    if (j->kind == WEFT_DO_BUILD && !p->source && !p->il && !takes_binaries(j))
        return weft_error(CL_INVALID_OPERATION,
                          "the program has neither source, nor intermediate language, nor a binary");
    return CL_SUCCESS;
}

// Creates an outcome for each part, with a reference for each of its devices.
static bool make_outcomes(struct weft_build_job *j, const char *given)
{
    for (cl_uint i = 0; i < j->program->device_count; i++) {
        struct weft_build_place *place = &j->places[i];
        if (!place->part)
            continue;
        struct weft_outcome *o = place->part->outcome;
        if (o)
            atomic_fetch_add(&o->refs, 1);
        else
            o = place->part->outcome = weft_outcome_create(CL_BUILD_IN_PROGRESS, given ? given : "");
        place->outcome = o;
        if (!o)
            return false;
    }
    return true;
}

static cl_int begin(struct weft_build_job *j, const char *given)
{
    struct weft_program *p = j->program;
    if (!make_outcomes(j, given))
        return CL_OUT_OF_HOST_MEMORY;
    pthread_mutex_lock(&p->lock);
    cl_int err = check_state_locked(j);
    for (cl_uint i = 0; !err && i < p->device_count; i++) {
        if (!j->places[i].part)
            continue;
        struct weft_outcome *old = p->places[i].outcome;
        p->places[i].outcome = j->places[i].outcome;
        j->places[i].outcome = old;
    }
    pthread_mutex_unlock(&p->lock);
    drop_outcomes(j);
    return err;
}

cl_int weft_program_build(const struct weft_build_order *o, bool *begun)
{
    WEFT_NOT_CANCELLED;
    *begun = false;
    struct weft_build_job *j = weft_zalloc(sizeof *j);
    if (!j)
        return CL_OUT_OF_HOST_MEMORY;
    j->job.run = job_run;
    j->job.drop = job_drop;
    j->kind = o->kind;
    j->program = o->program;
    weft_object_ref(&j->program->obj);
    j->notify = o->notify;
    j->user = o->user;
    cl_int err = divide(j, o) ? prepare(j, o) : CL_OUT_OF_HOST_MEMORY;
    if (!err)
        err = begin(j, o->options);
    if (err) {
        job_free(j);
        return err;
    }
    *begun = true;
    if (j->notify) {
        weft_compile_queue_push(&j->job, WEFT_COMPILE_NOW);
        return CL_SUCCESS;
    }
    weft_build_job_carry_out(j);
    err = j->result;
    job_free(j);
    return err;
}
