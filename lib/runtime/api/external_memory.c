// Entry points of cl_khr_external_memory: acquiring and releasing imported memory objects. The memory isn't
// moved; the commands only take their place in the queue. The exporters of dma-bufs are notified.
#include "runtime/api/api.h"
#include "runtime/command/queue.h"
#include "runtime/command/wait_list.h"
#include "runtime/core/call_scope.h"
#include "runtime/device/context.h"
#include "runtime/core/diagnostics.h"
#include "runtime/core/object.h"
#include "runtime/memory/external_memory.h"
#include "runtime/memory/memory.h"
#include "runtime/memory/transfer.h"

static cl_int check_objects(const struct weft_queue *q, cl_uint count, const cl_mem *list)
{
    // "CL_INVALID_VALUE if num_mem_objects is zero and mem_objects is not a NULL value, or if num_mem_objects
    // is greater than 0 and mem_objects is NULL."
    if ((count == 0) != (list == NULL))
        return weft_error(CL_INVALID_VALUE,
                          "mem_objects is NULL and num_mem_objects isn't 0, or the other way round");
    // "CL_INVALID_MEM_OBJECT if any of the memory objects in mem_objects is not a valid OpenCL memory object
    // created using an external memory handle."
    for (cl_uint i = 0; i < count; i++)
        if (!weft_mem_of(list[i]) || !weft_mem_of(list[i])->external)
            return CL_INVALID_MEM_OBJECT;
    // "CL_INVALID_COMMAND_QUEUE ... if device associated with command_queue is not one of the devices
    // specified by CL_MEM_DEVICE_HANDLE_LIST_KHR at the time of creating one or more of mem_objects, or if
    // one or more of mem_objects belong to a context that does not contain a device associated with
    // command_queue."
    for (cl_uint i = 0; i < count; i++) {
        const struct weft_mem *m = weft_mem_of(list[i]);
        if (!weft_context_has_device(m->context, q->device) || !weft_external_has_device(m, q->device))
            return CL_INVALID_COMMAND_QUEUE;
        if (m->context != q->context)
            return weft_error(CL_INVALID_CONTEXT, "a memory object is of another context than the queue");
    }
    return CL_SUCCESS;
}

static cl_int enqueue(cl_command_queue queue, cl_command_type type, cl_uint count, const cl_mem *list,
                      cl_uint wait_count, const cl_event *wait_list, cl_event *event)
{
    struct weft_queue *q = weft_queue_of(queue);
    cl_int error = q ? check_objects(q, count, list) : CL_INVALID_COMMAND_QUEUE;
    if (!error)
        error = weft_check_wait_list(q->context, wait_count, wait_list);
    if (!error)
        error = weft_check_wait_states(wait_count, wait_list);
    if (error)
        return error;
    struct weft_queue_call call = {q, type, false, wait_count, wait_list, event};
    return weft_enqueue_hand_over(&call, (struct weft_mem *const *)(const void *)list, count);
}

cl_int weft_clEnqueueAcquireExternalMemObjectsKHR(cl_command_queue command_queue, cl_uint num_mem_objects,
                                                  const cl_mem *mem_objects, cl_uint num_events_in_wait_list,
                                                  const cl_event *event_wait_list, cl_event *event)
{
    WEFT_CALL;
    return WEFT_ANSWER(command_queue,
                       enqueue(command_queue, CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR, num_mem_objects,
                               mem_objects, num_events_in_wait_list, event_wait_list, event));
}

cl_int weft_clEnqueueReleaseExternalMemObjectsKHR(cl_command_queue command_queue, cl_uint num_mem_objects,
                                                  const cl_mem *mem_objects, cl_uint num_events_in_wait_list,
                                                  const cl_event *event_wait_list, cl_event *event)
{
    WEFT_CALL;
    return WEFT_ANSWER(command_queue,
                       enqueue(command_queue, CL_COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR, num_mem_objects,
                               mem_objects, num_events_in_wait_list, event_wait_list, event));
}
