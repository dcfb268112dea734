// Entry points of programs. OpenCL 2.2 §5.8.
#include <string.h>

#include "base/base.h"
#include "runtime/api/api.h"
#include "runtime/check/kernel.h"
#include "runtime/compiler/client.h"
#include "runtime/core/call_scope.h"
#include "runtime/device/context.h"
#include "runtime/device/device.h"
#include "runtime/core/diagnostics.h"
#include "runtime/core/object.h"
#include "runtime/program/build_program.h"
#include "runtime/code/build_result.h"
#include "runtime/program/program.h"
#include "runtime/code/release_callback.h"
#include "weft/code_object.h"
#include "weft/status.h"

// ---- Creating ----

// Joins all strings into one text, without NULs in them (§5.8.9, CL_PROGRAM_SOURCE). The caller frees it.
// NULL: no memory.
static char *join(cl_uint count, const char **strings, const size_t *lengths, size_t *size)
{
    struct weft_buf b = {0};
    for (cl_uint i = 0; i < count; i++) {
        size_t n = lengths && lengths[i] ? lengths[i] : strlen(strings[i]);
        for (const char *at = strings[i], *end = at + n; at < end;) {
            size_t piece = strnlen(at, (size_t)(end - at));
            weft_buf_append(&b, at, piece);
            at += piece + 1;
        }
    }
    return weft_buf_take(&b, size);
}

cl_program weft_clCreateProgramWithSource(cl_context context, cl_uint count, const char **strings,
                                          const size_t *lengths, cl_int *errcode_ret)
{
    WEFT_CALL;
    struct weft_context *c = weft_context_of(context);
    cl_int err = c ? weft_check_source(count, strings) : CL_INVALID_CONTEXT;
    if (err)
        return WEFT_API_RETURN(context, NULL, err, errcode_ret);
    struct weft_program *p = weft_program_create(c, c->device_count, c->devices);
    if (p)
        p->source = join(count, strings, lengths, &p->source_size);
    if (p && !p->source) {
        weft_object_release_handle(&p->obj);
        p = NULL;
    }
    return WEFT_API_RETURN(context, p, p ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY, errcode_ret);
}

static cl_int check_binaries(const struct weft_context *c, cl_uint count, const cl_device_id *list,
                             const size_t *lengths, const unsigned char **binaries, cl_int *status)
{
    if (!list || !count)
        return weft_error(CL_INVALID_VALUE, "device_list is NULL, or num_devices is 0");
    cl_int err = weft_check_build_devices(count, list, c->devices, c->device_count);
    // "CL_INVALID_VALUE if lengths or binaries are NULL or if any entry in lengths[i] is zero or binaries[i]
    // is NULL."
    if (!err && (!lengths || !binaries))
        err = weft_error(CL_INVALID_VALUE, "lengths or binaries is NULL");
    // "binary_status returns whether the program binary for each device [...] was loaded successfully or
    // not". So all entries are checked.
    for (cl_uint i = 0, all = err ? 0 : count; i < all; i++) {
        bool bad = lengths[i] == 0 || !binaries[i];
        if (status)
            status[i] = bad ? CL_INVALID_VALUE : CL_SUCCESS;
        if (bad && !err)
            err = weft_error_with(CL_INVALID_VALUE, "binaries[%n] is NULL, or lengths[%n] is 0", i, i);
    }
    return err;
}

static bool begins_as_ours(const unsigned char *binary, size_t length)
{
    struct weft_reader r = weft_reader_of(binary, length);
    uint32_t magic = weft_get_u32(&r);
    return !r.bad && magic == WEFT_CODE_OBJECT_MAGIC;
}

// Loads one binary. Equal binaries share one build, like the devices of one order to build.
static cl_int load_binary(const struct weft_context *c, cl_uint nth, const size_t *lengths,
                          const unsigned char **binaries, struct weft_program_place *places)
{
    for (cl_uint i = 0; i < nth; i++)
        if (places[i].loaded && lengths[i] == lengths[nth] &&
            memcmp(binaries[i], binaries[nth], lengths[nth]) == 0) {
            places[nth].loaded = places[i].loaded;
            weft_build_ref(places[nth].loaded);
            return CL_SUCCESS;
        }
    struct weft_program_object object;
    weft_status s = weft_program_object_decode(&object, binaries[nth], lengths[nth]);
    if (s != WEFT_OK && s != WEFT_NO_MEMORY)
        return weft_error_with(CL_INVALID_BINARY, "binaries[%n]: %s", nth,
                               begins_as_ours(binaries[nth], lengths[nth]) ? weft_status_text(s)
                                                                           : "not a binary of Weft's");
    char *options = s == WEFT_OK ? weft_strdup(object.options) : NULL;
    if (options)
        places[nth].loaded = weft_build_create(&object, options, c);
    weft_free(options);
    weft_program_object_fini(&object);
    return places[nth].loaded ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

cl_program weft_clCreateProgramWithBinary(cl_context context, cl_uint num_devices,
                                          const cl_device_id *device_list, const size_t *lengths,
                                          const unsigned char **binaries, cl_int *binary_status,
                                          cl_int *errcode_ret)
{
    WEFT_CALL;
    struct weft_context *c = weft_context_of(context);
    if (!c)
        return WEFT_API_RETURN(context, NULL, CL_INVALID_CONTEXT, errcode_ret);
    cl_int err = check_binaries(c, num_devices, device_list, lengths, binaries, binary_status);
    struct weft_program *p = NULL;
    if (!err) {
        p = weft_program_create(c, num_devices, (struct weft_device *const *)device_list);
        err = p ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    }
    for (cl_uint i = 0; p && i < num_devices; i++) {
        cl_int e = load_binary(c, i, lengths, binaries, p->places);
        if (binary_status)
            binary_status[i] = e;
        err = err ? err : e;
    }
    if (p)
        weft_program_unite_devices(p);
    if (p && err) {
        weft_object_release_handle(&p->obj);
        p = NULL;
    }
    return WEFT_API_RETURN(context, p, err, errcode_ret);
}

cl_program weft_clCreateProgramWithBuiltInKernels(cl_context context, cl_uint num_devices,
                                                  const cl_device_id *device_list, const char *kernel_names,
                                                  cl_int *errcode_ret)
{
    WEFT_CALL;
    struct weft_context *c = weft_context_of(context);
    if (!c)
        return WEFT_API_RETURN(context, NULL, CL_INVALID_CONTEXT, errcode_ret);
    // "CL_INVALID_VALUE if device_list is NULL or num_devices is zero." "... if kernel_names is NULL or
    // kernel_names contains a kernel name that is not supported by any of the devices in device_list".
    // CL_DEVICE_BUILT_IN_KERNELS is empty, so every name is an error, whatever the devices are.
    (void)num_devices;
    (void)device_list;
    (void)kernel_names;
    return WEFT_API_RETURN(context, NULL, weft_error(CL_INVALID_VALUE, "there are no built-in kernels"),
                           errcode_ret);
}

// "CL_INVALID_OPERATION if no devices in context support intermediate language programs."
static cl_int check_takes_spirv(void)
{
    const char *path = weft_spirv_translator();
    if (weft_takes_spirv())
        return CL_SUCCESS;
    if (!*path)
        return weft_error(CL_INVALID_OPERATION, "Weft was built without a SPIR-V translator (set "
                                                "WEFT_LLVM_SPIRV to the path of llvm-spirv)");
    return weft_error_with(CL_INVALID_OPERATION,
                           "the SPIR-V translator %s can't be run (install the package that has it, or set "
                           "WEFT_LLVM_SPIRV to the path of another)",
                           path);
}

cl_program weft_clCreateProgramWithIL(cl_context context, const void *il, size_t length, cl_int *errcode_ret)
{
    WEFT_CALL;
    struct weft_context *c = weft_context_of(context);
    cl_int err = c ? check_takes_spirv() : CL_INVALID_CONTEXT;
    if (!err && (!il || !length))
        err = weft_error(CL_INVALID_VALUE, "il is NULL, or length is 0");
    struct weft_program *p = NULL;
    if (!err && !(p = weft_program_create(c, c->device_count, c->devices)))
        err = CL_OUT_OF_HOST_MEMORY;
    if (!err)
        err = weft_program_set_il(p, il, length);
    if (err && p)
        weft_object_release_handle(&p->obj);
    return WEFT_API_RETURN(context, p, err, errcode_ret);
}

cl_program weft_clCreateProgramWithILKHR(cl_context context, const void *il, size_t length,
                                         cl_int *errcode_ret)
{
    WEFT_CALL;
    return WEFT_ON_BEHALF(weft_clCreateProgramWithIL(context, il, length, errcode_ret));
}

cl_int weft_clRetainProgram(cl_program program)
{
    return WEFT_ANSWER(NULL,
                       weft_object_retain(program, WEFT_KIND_PROGRAM) ? CL_SUCCESS : CL_INVALID_PROGRAM);
}

cl_int weft_clReleaseProgram(cl_program program)
{
    return WEFT_ANSWER(NULL,
                       weft_object_release(program, WEFT_KIND_PROGRAM) ? CL_SUCCESS : CL_INVALID_PROGRAM);
}

cl_int weft_clSetProgramReleaseCallback(cl_program program, weft_program_notify notify, void *user)
{
    WEFT_CALL;
    struct weft_program *p = weft_program_of(program);
    if (!p)
        return WEFT_ANSWER(program, CL_INVALID_PROGRAM);
    // 3.0: "CL_INVALID_OPERATION if no devices associated with program support destructors for program scope
    // global variables." The conformance suite expects this for every program in OpenCL C. 2.2 has no such
    // error.
    bool constructs, destroys;
    weft_program_ask_variables(p, &constructs, &destroys);
    cl_int err;
    if (!destroys && weft_cl_version() >= 300)
        err = weft_error(CL_INVALID_OPERATION,
                         "no executable of the program has destructors of program-scope variables");
    else if (!notify)
        err = weft_error(CL_INVALID_VALUE, "pfn_notify is NULL");
    else
        err = weft_program_add_release_callback(p, notify, user);
    return WEFT_ANSWER(program, err);
}

cl_int weft_clSetProgramSpecializationConstant(cl_program program, cl_uint spec_id, size_t spec_size,
                                               const void *spec_value)
{
    WEFT_CALL;
    struct weft_program *p = weft_program_of(program);
    return WEFT_ANSWER(program, p && p->il ? weft_program_specialize(p, spec_id, spec_size, spec_value)
                                           : CL_INVALID_PROGRAM);
}

// ---- Building ----

// "CL_INVALID_BINARY if program is created with clCreateProgramWithBinary and devices listed in device_list
// do not have a valid program binary loaded". A compiled program or a library isn't one.
static cl_int check_loaded(const struct weft_program *p, cl_uint count, const cl_device_id *list)
{
    for (cl_uint i = 0; i < (count ? count : p->device_count); i++) {
        cl_uint place = count ? weft_program_place_of(p, (const struct weft_device *)list[i]) : i;
        const struct weft_build *loaded = p->places[place].loaded;
        if (loaded && loaded->object.binary_type != WEFT_BINARY_EXECUTABLE)
            return CL_INVALID_BINARY;
    }
    return CL_SUCCESS;
}

cl_int weft_clBuildProgram(cl_program program, cl_uint num_devices, const cl_device_id *device_list,
                           const char *options, weft_program_notify notify, void *user)
{
    WEFT_CALL;
    struct weft_program *p = weft_program_of(program);
    if (!p)
        return WEFT_ANSWER(program, CL_INVALID_PROGRAM);
    cl_int err = !device_list != !num_devices
                     ? weft_error(CL_INVALID_VALUE,
                                  "device_list is NULL and num_devices isn't 0, or the other way round")
                     : weft_check_build_notify((const void *)notify, user);
    if (!err)
        err = weft_check_build_devices(num_devices, device_list, p->devices, p->device_count);
    if (!err)
        err = check_loaded(p, num_devices, device_list);
    if (err)
        return WEFT_ANSWER(program, err);
    struct weft_build_order order = {.kind = WEFT_DO_BUILD,
                                     .program = p,
                                     .device_count = num_devices,
                                     .devices = (struct weft_device *const *)device_list,
                                     .options = options,
                                     .notify = notify,
                                     .user = user};
    bool begun;
    return WEFT_ANSWER(program, weft_program_build(&order, &begun));
}

static cl_int check_headers(const struct weft_program *p, cl_uint count, const cl_program *programs,
                            const char **names)
{
    // "CL_INVALID_VALUE if num_input_headers is zero and header_include_names or input_headers are not NULL
    // or if num_input_headers is not zero and header_include_names or input_headers are NULL."
    if (count ? !programs || !names : programs || names)
        return weft_error(CL_INVALID_VALUE, "input_headers and header_include_names must be NULL if "
                                            "num_input_headers is 0, and not NULL otherwise");
    for (cl_uint i = 0; i < count; i++) {
        const struct weft_program *h = weft_program_of(programs[i]);
        if (!h)
            return CL_INVALID_PROGRAM;
        if (!names[i])
            return weft_error_with(CL_INVALID_VALUE, "header_include_names[%n] is NULL", i);
        if (h->context != p->context)
            return weft_error_with(CL_INVALID_CONTEXT, "header %n is of another context", i);
    }
    return CL_SUCCESS;
}

cl_int weft_clCompileProgram(cl_program program, cl_uint num_devices, const cl_device_id *device_list,
                             const char *options, cl_uint num_input_headers, const cl_program *input_headers,
                             const char **header_include_names, weft_program_notify notify, void *user)
{
    WEFT_CALL;
    struct weft_program *p = weft_program_of(program);
    if (!p)
        return WEFT_ANSWER(program, CL_INVALID_PROGRAM);
    // In the specification's order, errors of device_list itself come before those of headers, and errors of
    // its devices after them.
    cl_int err = !device_list != !num_devices
                     ? weft_error(CL_INVALID_VALUE,
                                  "device_list is NULL and num_devices isn't 0, or the other way round")
                     : CL_SUCCESS;
    if (!err)
        err = check_headers(p, num_input_headers, input_headers, header_include_names);
    if (!err)
        err = weft_check_build_notify((const void *)notify, user);
    if (!err)
        err = weft_check_build_devices(num_devices, device_list, p->devices, p->device_count);
    if (err)
        return WEFT_ANSWER(program, err);
    struct weft_build_order order = {.kind = WEFT_DO_COMPILE,
                                     .program = p,
                                     .device_count = num_devices,
                                     .devices = (struct weft_device *const *)device_list,
                                     .options = options,
                                     .header_count = num_input_headers,
                                     .headers = (struct weft_program *const *)(const void *)input_headers,
                                     .header_names = header_include_names,
                                     .notify = notify,
                                     .user = user};
    bool begun;
    return WEFT_ANSWER(program, weft_program_build(&order, &begun));
}

static cl_int check_inputs(const struct weft_context *c, cl_uint count, const cl_program *programs)
{
    // "CL_INVALID_VALUE if num_input_programs is zero and input_programs is NULL or if num_input_programs is
    // zero and input_programs is not NULL or if num_input_programs is not zero and input_programs is NULL."
    if (!count || !programs)
        return weft_error(CL_INVALID_VALUE, "input_programs is NULL, or num_input_programs is 0");
    for (cl_uint i = 0; i < count; i++) {
        const struct weft_program *p = weft_program_of(programs[i]);
        if (!p)
            return CL_INVALID_PROGRAM;
        if (p->context != c)
            return weft_error_with(CL_INVALID_CONTEXT, "program %n is of another context", i);
    }
    return CL_SUCCESS;
}

cl_program weft_clLinkProgram(cl_context context, cl_uint num_devices, const cl_device_id *device_list,
                              const char *options, cl_uint num_input_programs,
                              const cl_program *input_programs, weft_program_notify notify, void *user,
                              cl_int *errcode_ret)
{
    WEFT_CALL;
    struct weft_context *c = weft_context_of(context);
    cl_int err = !c ? CL_INVALID_CONTEXT
                 : !device_list != !num_devices
                     ? weft_error(CL_INVALID_VALUE,
                                  "device_list is NULL and num_devices isn't 0, or the other way round")
                     : check_inputs(c, num_input_programs, input_programs);
    if (!err)
        err = weft_check_build_notify((const void *)notify, user);
    if (!err)
        err = weft_check_build_devices(num_devices, device_list, c->devices, c->device_count);
    if (err)
        return WEFT_API_RETURN(context, NULL, err, errcode_ret);
    struct weft_program *p =
        weft_program_create(c, num_devices ? num_devices : c->device_count,
                            num_devices ? (struct weft_device *const *)device_list : c->devices);
    if (!p)
        return WEFT_API_RETURN(context, NULL, CL_OUT_OF_HOST_MEMORY, errcode_ret);
    weft_program_unite_devices(p);
    weft_object_publish(&p->obj); // from here on, pfn_notify may be called with it
    struct weft_build_order order = {.kind = WEFT_DO_LINK,
                                     .program = p,
                                     .options = options,
                                     .input_count = num_input_programs,
                                     .inputs = (struct weft_program *const *)(const void *)input_programs,
                                     .notify = notify,
                                     .user = user};
    bool begun;
    err = weft_program_build(&order, &begun);
    // "If the linking operation can begin, clLinkProgram returns a valid non-zero program object", also if
    // the link fails.
    if (!begun) {
        weft_object_release_handle(&p->obj);
        p = NULL;
    }
    err = WEFT_ANSWER(context, err);
    if (errcode_ret)
        *errcode_ret = err;
    return (cl_program)p;
}

cl_int weft_clUnloadPlatformCompiler(cl_platform_id platform)
{
    WEFT_CALL;
    if (!weft_platform_of(platform))
        return WEFT_ANSWER(NULL, CL_INVALID_PLATFORM);
    weft_compiler_unload();
    return CL_SUCCESS;
}

cl_int weft_clUnloadCompiler(void)
{
    WEFT_CALL;
    weft_compiler_unload();
    return CL_SUCCESS;
}
