// Entry points of command queues. OpenCL 2.2 §5.1, §5.15.
#include "runtime/checker/misuse.h"
#include "runtime/api/api.h"
#include "runtime/check/check.h"
#include "runtime/command/queue.h"
#include "runtime/core/call_scope.h"
#include "runtime/device/context.h"
#include "runtime/device/device.h"
#include "runtime/core/diagnostics.h"
#include "runtime/core/object.h"
#include "runtime/core/query.h"
#include "runtime/info/since.h"
#include "weft/scheduler.h"
#include "runtime/info/info.h"

static cl_int check_owner(cl_context context, cl_device_id device)
{
    const struct weft_context *c = weft_context_of(context);
    // "CL_INVALID_CONTEXT if context is not a valid context."
    if (!c)
        return CL_INVALID_CONTEXT;
    // "CL_INVALID_DEVICE if device is not a valid device or is not associated with context."
    const struct weft_device *d = weft_device_of(device);
    return d && weft_context_has_device(c, d) ? CL_SUCCESS : CL_INVALID_DEVICE;
}

static cl_command_queue make(const char *entry, cl_context context, cl_device_id device,
                             const struct weft_queue_request *w, const cl_queue_properties *given,
                             cl_int *errcode_ret)
{
    struct weft_queue *q = weft_queue_create((struct weft_context *)context, (struct weft_device *)device,
                                             w->bits, given, w->entries);
    if (q && w->high)
        q->high = q->special = true;
    return weft_api_return(entry, context, q, q ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY, errcode_ret);
}

static cl_command_queue make_on_device(const char *entry, struct weft_context *context,
                                       struct weft_device *device, const struct weft_queue_request *w,
                                       const cl_queue_properties *given, cl_int *errcode_ret)
{
    struct weft_device_queue *q =
        weft_device_queue_create(context, device, w->bits, w->size, given, w->entries);
    if (q && (w->bits & CL_QUEUE_ON_DEVICE_DEFAULT)) {
        // "There can only be one default device queue for each device within a context. [...] will return the
        // default device queue that has already been created and increment its retain count by 1."
        struct weft_device_queue *known = weft_default_queue_set(q, true);
        if (known != q)
            weft_object_release_handle(&q->queue.obj);
        q = known;
    }
    return weft_api_return(entry, context, q, q ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY, errcode_ret);
}

cl_command_queue weft_clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                                         const cl_queue_properties *properties,
                                                         cl_int *errcode_ret)
{
    WEFT_CALL;
    struct weft_queue_request request;
    cl_int err = check_owner(context, device);
    if (!err)
        err = weft_check_queue_properties(properties, &request);
    if (err)
        return WEFT_API_RETURN(context, NULL, err, errcode_ret);
    return request.bits & CL_QUEUE_ON_DEVICE
               ? make_on_device(__func__, (struct weft_context *)context, (struct weft_device *)device,
                                &request, properties, errcode_ret)
               : make(__func__, context, device, &request, properties, errcode_ret);
}

// cl_khr_create_command_queue.
cl_command_queue weft_clCreateCommandQueueWithPropertiesKHR(cl_context context, cl_device_id device,
                                                            const cl_properties *properties,
                                                            cl_int *errcode_ret)
{
    WEFT_CALL;
    return WEFT_ON_BEHALF(weft_clCreateCommandQueueWithProperties(context, device, properties, errcode_ret));
}

cl_command_queue weft_clCreateCommandQueue(cl_context context, cl_device_id device,
                                           cl_command_queue_properties properties, cl_int *errcode_ret)
{
    WEFT_CALL;
    cl_int err = check_owner(context, device);
    // Device queues came with clCreateCommandQueueWithProperties. In this function their bits are "not
    // valid".
    if (!err && (properties & (CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT)))
        err = weft_error(CL_INVALID_VALUE,
                         "queues on the device are made with clCreateCommandQueueWithProperties");
    if (!err)
        err = weft_check_queue_bits(properties);
    if (err)
        return WEFT_API_RETURN(context, NULL, err, errcode_ret);
    return make(__func__, context, device, &(struct weft_queue_request){.bits = properties}, NULL,
                errcode_ret);
}

cl_int weft_clRetainCommandQueue(cl_command_queue command_queue)
{
    return WEFT_ANSWER(NULL, weft_object_retain(command_queue, WEFT_KIND_QUEUE) ||
                                     weft_object_retain(command_queue, WEFT_KIND_DEVICE_QUEUE)
                                 ? CL_SUCCESS
                                 : CL_INVALID_COMMAND_QUEUE);
}

cl_int weft_clReleaseCommandQueue(cl_command_queue command_queue)
{
    WEFT_CALL;
    weft_call.releases = true;
    struct weft_queue *q = weft_any_queue_of(command_queue);
    if (!q)
        return WEFT_ANSWER(command_queue, CL_INVALID_COMMAND_QUEUE);
    bool released = weft_object_release_handle(&q->obj);
    if (atomic_load(&q->obj.handles) == 0)
        weft_queue_detach(q);
    weft_sched_flush(); // "performs an implicit flush"
    return WEFT_ANSWER(NULL, released ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE);
}

cl_int weft_clGetCommandQueueInfo(cl_command_queue command_queue, cl_command_queue_info param_name,
                                  size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
    WEFT_CALL;
    const struct weft_queue *q = weft_any_queue_of(command_queue);
    if (!q)
        return WEFT_ANSWER(command_queue, CL_INVALID_COMMAND_QUEUE);
    switch (param_name) {
#include "runtime/info/queue.def"
    case CL_QUEUE_SIZE: {
        if (WEFT_INFO_LACKS(CL_QUEUE_SIZE))
            break;
        // "CL_INVALID_COMMAND_QUEUE if command_queue is not a valid command-queue for param_name."
        const struct weft_device_queue *on_device = weft_device_queue_of(command_queue);
        return WEFT_ANSWER(command_queue,
                           on_device ? WEFT_INFO(cl_uint, on_device->size) : CL_INVALID_COMMAND_QUEUE);
    }
    }
    return WEFT_ANSWER(command_queue,
                       weft_error_with(CL_INVALID_VALUE, "param_name %h isn't known here", param_name));
}

cl_int weft_clSetCommandQueueProperty(cl_command_queue command_queue, cl_command_queue_properties properties,
                                      cl_bool enable, cl_command_queue_properties *old_properties)
{
    WEFT_CALL;
    (void)properties;
    (void)enable;
    (void)old_properties;
    // Deprecated by 1.1: "CL_INVALID_OPERATION if no devices in context support OpenCL 1.0" is the only
    // possible result.
    return WEFT_ANSWER(
        command_queue,
        weft_any_queue_of(command_queue)
            ? weft_error(CL_INVALID_OPERATION, "the properties of a queue can't be changed since OpenCL 1.1")
            : CL_INVALID_COMMAND_QUEUE);
}

cl_int weft_clSetDefaultDeviceCommandQueue(cl_context context, cl_device_id device,
                                           cl_command_queue command_queue)
{
    WEFT_CALL;
    cl_int err = check_owner(context, device);
    if (err)
        return WEFT_ANSWER(context, err);
    // "CL_INVALID_COMMAND_QUEUE if command_queue is not a valid command-queue for device."
    struct weft_device_queue *q = weft_device_queue_of(command_queue);
    if (!q || (cl_context)q->queue.context != context || (cl_device_id)q->queue.device != device)
        return WEFT_ANSWER(context, CL_INVALID_COMMAND_QUEUE);
    return WEFT_ANSWER(context, weft_default_queue_set(q, false) ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE);
}

cl_int weft_clFlush(cl_command_queue command_queue)
{
    WEFT_CALL;
    if (!weft_queue_of(command_queue))
        return WEFT_ANSWER(command_queue, CL_INVALID_COMMAND_QUEUE);
    weft_sched_flush();
    return CL_SUCCESS;
}

cl_int weft_clFinish(cl_command_queue command_queue)
{
    WEFT_CALL_SINGLE;
    if (WEFT_UNLIKELY(weft_misuse_is_on()))
        weft_misuse_note_wait("clFinish");
    struct weft_queue *q = weft_call_hold_early(&weft_call, command_queue, WEFT_KIND_QUEUE);
    return WEFT_ANSWER(command_queue, q ? weft_queue_finish(q) : CL_INVALID_COMMAND_QUEUE);
}
