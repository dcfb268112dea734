// Entry points of command queues. OpenCL 2.2 §5.1, §5.15.
#include "api.h"
#include "../check/check.h"
#include "../info/info.h"

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

static cl_command_queue make(cl_context context, cl_device_id device, cl_command_queue_properties bits,
                             const cl_queue_properties *given, size_t entries, cl_int *errcode_ret)
{
    struct weft_queue *q =
        weft_queue_create((struct weft_context *)context, (struct weft_device *)device, bits, given, entries);
    return weft_api_return(q, q ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY, errcode_ret);
}

cl_command_queue weft_clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                                         const cl_queue_properties *properties,
                                                         cl_int *errcode_ret)
{
    cl_command_queue_properties bits;
    bool high;
    size_t entries;
    cl_int err = check_owner(context, device);
    if (!err)
        err = weft_check_queue_properties(properties, &bits, &high, &entries);
    if (err)
        return weft_api_return(NULL, err, errcode_ret);
    cl_command_queue q = make(context, device, bits, properties, entries, errcode_ret);
    if (q && high)
        ((struct weft_queue *)q)->high = ((struct weft_queue *)q)->special = true;
    return q;
}

// cl_khr_create_command_queue.
cl_command_queue weft_clCreateCommandQueueWithPropertiesKHR(cl_context context, cl_device_id device,
                                                            const cl_properties *properties,
                                                            cl_int *errcode_ret)
{
    return weft_clCreateCommandQueueWithProperties(context, device, properties, errcode_ret);
}

cl_command_queue weft_clCreateCommandQueue(cl_context context, cl_device_id device,
                                           cl_command_queue_properties properties, cl_int *errcode_ret)
{
    cl_int err = check_owner(context, device);
    // Device queues came with the function above: here their bits are "not valid".
    if (!err && (properties & (CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT)))
        err = CL_INVALID_VALUE;
    if (!err)
        err = weft_check_queue_bits(properties);
    if (err)
        return weft_api_return(NULL, err, errcode_ret);
    return make(context, device, properties, NULL, 0, errcode_ret);
}

cl_int weft_clRetainCommandQueue(cl_command_queue command_queue)
{
    struct weft_queue *q = weft_queue_of(command_queue);
    if (!q)
        return CL_INVALID_COMMAND_QUEUE;
    weft_object_retain_handle(&q->obj);
    return CL_SUCCESS;
}

cl_int weft_clReleaseCommandQueue(cl_command_queue command_queue)
{
    struct weft_queue *q = weft_queue_of(command_queue);
    if (!q)
        return CL_INVALID_COMMAND_QUEUE;
    weft_object_ref(&q->obj);
    bool released = weft_object_release_handle(&q->obj);
    if (atomic_load(&q->obj.handles) == 0)
        weft_queue_detach(q);
    weft_object_unref_here(&q->obj);
    weft_sched_flush(); // "performs an implicit flush"
    return released ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE;
}

cl_int weft_clGetCommandQueueInfo(cl_command_queue command_queue, cl_command_queue_info param_name,
                                  size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
    const struct weft_queue *q = weft_queue_of(command_queue);
    if (!q)
        return CL_INVALID_COMMAND_QUEUE;
    switch (param_name) {
#include "../info/queue.def"
    case CL_QUEUE_SIZE: // "CL_INVALID_COMMAND_QUEUE if command_queue is not a valid command-queue for
                        // param_name."
        return CL_INVALID_COMMAND_QUEUE;
    }
    return CL_INVALID_VALUE;
}

cl_int weft_clSetCommandQueueProperty(cl_command_queue command_queue, cl_command_queue_properties properties,
                                      cl_bool enable, cl_command_queue_properties *old_properties)
{
    (void)properties;
    (void)enable;
    (void)old_properties;
    // Deprecated by 1.1: "CL_INVALID_OPERATION if no devices in context support OpenCL 1.0" only.
    return weft_queue_of(command_queue) ? CL_INVALID_OPERATION : CL_INVALID_COMMAND_QUEUE;
}

cl_int weft_clSetDefaultDeviceCommandQueue(cl_context context, cl_device_id device,
                                           cl_command_queue command_queue)
{
    cl_int err = check_owner(context, device);
    if (err)
        return err;
    // 3.0: "CL_INVALID_OPERATION if device does not support a replaceable default on-device queue."
    (void)command_queue;
    return CL_INVALID_OPERATION;
}

cl_int weft_clFlush(cl_command_queue command_queue)
{
    if (!weft_queue_of(command_queue))
        return CL_INVALID_COMMAND_QUEUE;
    weft_sched_flush();
    return CL_SUCCESS;
}

cl_int weft_clFinish(cl_command_queue command_queue)
{
    struct weft_queue *q = weft_queue_of(command_queue);
    return q ? weft_queue_finish(q) : CL_INVALID_COMMAND_QUEUE;
}
