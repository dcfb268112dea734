// Entry points that query programs. OpenCL 2.2 §5.8.7.
#include <pthread.h>
#include <string.h>

#include "base/base.h"
#include "runtime/api/api.h"
#include "runtime/check/kernel.h"
#include "runtime/core/call_scope.h"
#include "runtime/device/device.h"
#include "runtime/core/diagnostics.h"
#include "runtime/core/object.h"
#include "runtime/core/query.h"
#include "runtime/info/since.h"
#include "runtime/code/build_result.h"
#include "runtime/program/kernel.h"
#include "runtime/code/kernel_code.h"
#include "runtime/program/program.h"
#include "weft/code_object.h"
#include "weft/status.h"

// builds has an element for each device, which may be NULL.
static cl_int answer_binaries(const struct weft_program *p, struct weft_build *const *builds,
                              cl_program_info param_name, size_t param_value_size, void *param_value,
                              size_t *param_value_size_ret)
{
    size_t element = param_name == CL_PROGRAM_BINARY_SIZES ? sizeof(size_t) : sizeof(unsigned char *);
    size_t total = p->device_count * element;
    if (param_value && param_value_size < total)
        return weft_error_with(CL_INVALID_VALUE, "param_value_size is %n, and the answer has %n bytes",
                               param_value_size, total);
    // The size of the array is known without making binaries.
    for (cl_uint i = 0; param_value && i < p->device_count; i++) {
        const uint8_t *bytes = NULL;
        size_t size = 0;
        weft_status status = builds[i] ? weft_build_binary(builds[i], &bytes, &size) : WEFT_OK;
        if (status != WEFT_OK)
            return weft_status_to_cl(status);
        unsigned char *to;
        memcpy(&to, (const unsigned char *)param_value + i * element, sizeof to);
        if (param_name == CL_PROGRAM_BINARY_SIZES)
            memcpy((unsigned char *)param_value + i * element, &size, sizeof size);
        else if (to && size) // NULL: this device's binary isn't wanted
            memcpy(to, bytes, size);
    }
    if (param_value_size_ret)
        *param_value_size_ret = total;
    return CL_SUCCESS;
}

// builds are executables.
static cl_int answer_kernels(const struct weft_program *p, struct weft_build *const *builds,
                             cl_program_info param_name, size_t param_value_size, void *param_value,
                             size_t *param_value_size_ret)
{
    // "CL_INVALID_PROGRAM_EXECUTABLE if param_name is CL_PROGRAM_NUM_KERNELS or CL_PROGRAM_KERNEL_NAMES and a
    // successful program executable has not been built"
    if (!weft_program_has_any(p, builds))
        return CL_INVALID_PROGRAM_EXECUTABLE;
    struct weft_kernel_list list = {.builds = builds, .count = p->device_count};
    struct weft_buf names = {0};
    size_t count = 0;
    for (const struct weft_kernel_code *k; (k = weft_kernel_list_next(&list)); count++)
        if (param_name == CL_PROGRAM_KERNEL_NAMES)
            weft_buf_printf(&names, "%s%s", names.size ? ";" : "", k->meta->name);
    if (param_name == CL_PROGRAM_NUM_KERNELS)
        return WEFT_INFO(size_t, count);
    char *text = weft_buf_take(&names, NULL);
    cl_int err = text ? WEFT_INFO_STR(text) : CL_OUT_OF_HOST_MEMORY;
    weft_free(text);
    return err;
}

static cl_int answer_fixed(struct weft_program *p, cl_program_info param_name, size_t param_value_size,
                           void *param_value, size_t *param_value_size_ret)
{
    bool initializes, finalizes;
    weft_program_ask_variables(p, &initializes, &finalizes);
    switch (param_name) {
#include "runtime/info/info.h"
#include "runtime/info/program.def"
    }
    return weft_error_with(CL_INVALID_VALUE, "param_name %h isn't known here", param_name);
}

cl_int weft_clGetProgramInfo(cl_program program, cl_program_info param_name, size_t param_value_size,
                             void *param_value, size_t *param_value_size_ret)
{
    WEFT_CALL;
    struct weft_program *p = weft_program_of(program);
    if (!p)
        return WEFT_ANSWER(program, CL_INVALID_PROGRAM);
    bool binaries = param_name == CL_PROGRAM_BINARIES || param_name == CL_PROGRAM_BINARY_SIZES;
    if (!binaries && param_name != CL_PROGRAM_NUM_KERNELS && param_name != CL_PROGRAM_KERNEL_NAMES)
        return WEFT_ANSWER(program,
                           answer_fixed(p, param_name, param_value_size, param_value, param_value_size_ret));
    struct weft_build **builds = weft_program_builds(p, !binaries);
    cl_int err = CL_OUT_OF_HOST_MEMORY;
    if (builds)
        err = (binaries ? answer_binaries : answer_kernels)(p, builds, param_name, param_value_size,
                                                            param_value, param_value_size_ret);
    weft_program_builds_free(p, builds);
    return WEFT_ANSWER(program, err);
}

struct build_state {
    cl_build_status status;
    cl_program_binary_type type;
    const char *options, *log;
    size_t global_bytes;
};

static cl_program_binary_type binary_type(const struct weft_build *b)
{
    if (!b)
        return CL_PROGRAM_BINARY_TYPE_NONE;
    return b->object.binary_type == WEFT_BINARY_COMPILED  ? CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT
           : b->object.binary_type == WEFT_BINARY_LIBRARY ? CL_PROGRAM_BINARY_TYPE_LIBRARY
                                                          : CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
}

static cl_int answer_build(const struct build_state *s, cl_program_build_info param_name,
                           size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
    switch (param_name) {
#include "runtime/info/info.h"
#include "runtime/info/program_build.def"
    }
    return weft_error_with(CL_INVALID_VALUE, "param_name %h isn't known here", param_name);
}

// The log grows when a kernel's code fails. If the application has queried the size and now provides room for
// that size, it gets the log that it had then.
static const char *log_for_locked(struct weft_outcome *o, const char *log, size_t room, const void *into)
{
    if (!log)
        return NULL;
    if (into)
        return o->reported_log && room <= strlen(log) && room > strlen(o->reported_log) ? o->reported_log
                                                                                        : log;
    weft_free(o->reported_log);
    o->reported_log = weft_strdup(log);
    return log;
}

cl_int weft_clGetProgramBuildInfo(cl_program program, cl_device_id device, cl_program_build_info param_name,
                                  size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
    WEFT_CALL;
    struct weft_program *p = weft_program_of(program);
    if (!p)
        return WEFT_ANSWER(program, CL_INVALID_PROGRAM);
    if (weft_check_build_devices(1, &device, p->devices, p->device_count) != CL_SUCCESS)
        return WEFT_ANSWER(program, CL_INVALID_DEVICE);
    const cl_uint place = weft_program_place_of(p, (const struct weft_device *)device);
    pthread_mutex_lock(&p->lock); // the texts belong to the last build and live until the next one begins
    struct weft_outcome *o = weft_program_outcome_locked(p, place);
    struct build_state s = {
        .status = o ? o->status : CL_BUILD_NONE,
        .type = binary_type(o && o->status != CL_BUILD_NONE ? o->build : p->places[place].loaded),
        .options = o && o->options ? o->options : "",
        .log = ""};
    if (o && o->build)
        s.global_bytes = (size_t)o->build->object.global_variable_bytes;
    struct weft_buf room = {0};
    if (p->places[place].outcome)
        o = p->places[place].outcome; // the log of the last order, even if its options were rejected
    if (o && param_name == CL_PROGRAM_BUILD_LOG) {
        const char *log = o->build ? weft_build_whole_log(o->build, o->log, &room) : o->log ? o->log : "";
        s.log = log_for_locked(o, log, param_value_size, param_value);
    }
    cl_int err = s.log ? answer_build(&s, param_name, param_value_size, param_value, param_value_size_ret)
                       : CL_OUT_OF_HOST_MEMORY;
    pthread_mutex_unlock(&p->lock);
    weft_buf_free(&room);
    return WEFT_ANSWER(program, err);
}
