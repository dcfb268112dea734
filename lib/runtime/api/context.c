// Entry points of contexts. OpenCL 2.2 §4.4; clSetContextDestructorCallback of 3.0.
#include "runtime/api/api.h"
#include "runtime/check/check.h"
#include "runtime/compiler/compile_queue.h"
#include "runtime/core/call_scope.h"
#include "runtime/device/context.h"
#include "runtime/device/device.h"
#include "runtime/core/diagnostics.h"
#include "runtime/core/object.h"
#include "runtime/device/platform.h"
#include "runtime/core/query.h"
#include "runtime/info/since.h"
#include "runtime/info/info.h"

// "... used by the OpenCL implementation to report information on errors during context creation". There is
// no context whose pfn_notify could be called, so a temporary one stands in for it. Nobody else gets it.
static cl_context refuse(const char *entry, weft_notify_function notify, void *user, cl_int err,
                         cl_int *errcode_ret)
{
    _Alignas(WEFT_OBJECT_ALIGN) struct weft_context stand_in = {
        .obj = {.life = WEFT_OBJECT_LIFE(WEFT_OBJECT_MAGIC(WEFT_KIND_CONTEXT), 1), .kind = WEFT_KIND_CONTEXT},
        .notify = {notify, user}};
    return weft_api_return(entry, &stand_in, NULL, err, errcode_ret);
}

static cl_context make(const char *entry, const cl_context_properties *properties, size_t entries,
                       cl_uint num_devices, const cl_device_id *devices, weft_notify_function notify,
                       void *user, cl_int *errcode_ret)
{
    struct weft_context *c = weft_context_create(properties, entries, num_devices,
                                                 (struct weft_device *const *)devices, notify, user);
    if (c)
        weft_compiler_prestart(); // so that it is ready for the first build
    return c ? (cl_context)weft_api_return(entry, NULL, c, CL_SUCCESS, errcode_ret)
             : refuse(entry, notify, user, CL_OUT_OF_HOST_MEMORY, errcode_ret);
}

cl_context weft_clCreateContext(const cl_context_properties *properties, cl_uint num_devices,
                                const cl_device_id *devices, weft_notify_function notify, void *user,
                                cl_int *errcode_ret)
{
    WEFT_CALL;
    size_t entries;
    cl_int err = weft_check_context_properties(properties, &entries);
    if (!err)
        err = weft_check_context_devices(num_devices, devices, notify != NULL, user);
    if (err)
        return refuse(__func__, notify, user, err, errcode_ret);
    return make(__func__, properties, entries, num_devices, devices, notify, user, errcode_ret);
}

cl_context weft_clCreateContextFromType(const cl_context_properties *properties, cl_device_type type,
                                        weft_notify_function notify, void *user, cl_int *errcode_ret)
{
    WEFT_CALL;
    size_t entries;
    cl_device_id root = (cl_device_id)weft_platform_get()->device;
    cl_int err = weft_check_context_properties(properties, &entries);
    if (!err && !notify && user)
        err = weft_error(CL_INVALID_VALUE, "user_data is given without pfn_notify");
    if (!err && !weft_device_type_valid(type))
        err = CL_INVALID_DEVICE_TYPE;
    if (!err && weft_device_match(weft_platform_get()->device, type) == 0)
        err = CL_DEVICE_NOT_FOUND;
    if (err)
        return refuse(__func__, notify, user, err, errcode_ret);
    return make(__func__, properties, entries, 1, &root, notify, user, errcode_ret);
}

cl_int weft_clRetainContext(cl_context context)
{
    return WEFT_ANSWER(NULL,
                       weft_object_retain(context, WEFT_KIND_CONTEXT) ? CL_SUCCESS : CL_INVALID_CONTEXT);
}

cl_int weft_clReleaseContext(cl_context context)
{
    return WEFT_ANSWER(NULL,
                       weft_object_release(context, WEFT_KIND_CONTEXT) ? CL_SUCCESS : CL_INVALID_CONTEXT);
}

cl_int weft_clGetContextInfo(cl_context context, cl_context_info param_name, size_t param_value_size,
                             void *param_value, size_t *param_value_size_ret)
{
    WEFT_CALL;
    const struct weft_context *c = weft_context_of(context);
    if (!c)
        return WEFT_ANSWER(context, CL_INVALID_CONTEXT);
    switch (param_name) {
#include "runtime/info/context.def"
    }
    return WEFT_ANSWER(context,
                       weft_error_with(CL_INVALID_VALUE, "param_name %h isn't known here", param_name));
}

cl_int weft_clSetContextDestructorCallback(cl_context context, void(CL_CALLBACK *notify)(cl_context, void *),
                                           void *user)
{
    WEFT_CALL;
    struct weft_context *c = weft_context_of(context);
    if (!c)
        return WEFT_ANSWER(context, CL_INVALID_CONTEXT);
    if (!notify)
        return WEFT_ANSWER(context, weft_error(CL_INVALID_VALUE, "pfn_notify is NULL"));
    return WEFT_ANSWER(context, weft_context_add_destructor(c, notify, user));
}
