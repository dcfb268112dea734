// clEnqueueNativeKernel. OpenCL 2.2 §5.10.
#include "runtime/api/api.h"
#include "runtime/command/queue.h"
#include "runtime/command/wait_list.h"
#include "runtime/core/call_scope.h"
#include "runtime/core/diagnostics.h"
#include "runtime/core/object.h"
#include "runtime/launch/native_kernel.h"
#include "runtime/memory/memory.h"

static cl_int check_args(const void *args, size_t cb_args, cl_uint num_mem_objects, const cl_mem *mem_list,
                         const void **args_mem_loc)
{
    // "CL_INVALID_VALUE if args is a NULL value and cb_args > 0, or if args is a NULL value and
    // num_mem_objects > 0."
    if (!args && (cb_args > 0 || num_mem_objects > 0))
        return weft_error(CL_INVALID_VALUE, "args is NULL, and cb_args or num_mem_objects isn't 0");
    // "CL_INVALID_VALUE if args is not NULL and cb_args is 0."
    if (args && cb_args == 0)
        return weft_error(CL_INVALID_VALUE, "cb_args is 0, and args isn't NULL");
    // "CL_INVALID_VALUE if num_mem_objects > 0 and mem_list or args_mem_loc are NULL." "... if
    // num_mem_objects = 0 and mem_list or args_mem_loc are not NULL."
    if (num_mem_objects ? !mem_list || !args_mem_loc : mem_list || args_mem_loc)
        return weft_error(
            CL_INVALID_VALUE,
            "mem_list and args_mem_loc must be NULL if num_mem_objects is 0, and not NULL otherwise");
    for (cl_uint i = 0; i < num_mem_objects; i++) {
        // "args_mem_loc is a pointer to appropriate locations that args points to". The command would write
        // anywhere else.
        uintptr_t place = (uintptr_t)args_mem_loc[i], block = (uintptr_t)args;
        if (place < block || cb_args < sizeof(void *) || place - block > cb_args - sizeof(void *))
            return weft_error_with(CL_INVALID_VALUE, "args_mem_loc[%n] doesn't point into args", i);
    }
    return CL_SUCCESS;
}

static cl_int check_mems(cl_uint num_mem_objects, const cl_mem *mem_list)
{
    // "CL_INVALID_MEM_OBJECT if one or more memory objects specified in mem_list are not valid or are not
    // buffer objects." "The buffer object values specified in mem_list are memory object handles ... or
    // NULL."
    for (cl_uint i = 0; i < num_mem_objects; i++) {
        const struct weft_mem *m = weft_mem_of(mem_list[i]);
        if (mem_list[i] && (!m || m->type != CL_MEM_OBJECT_BUFFER))
            return CL_INVALID_MEM_OBJECT;
    }
    return CL_SUCCESS;
}

cl_int weft_clEnqueueNativeKernel(cl_command_queue command_queue, void(CL_CALLBACK *user_func)(void *),
                                  void *args, size_t cb_args, cl_uint num_mem_objects, const cl_mem *mem_list,
                                  const void **args_mem_loc, cl_uint num_events_in_wait_list,
                                  const cl_event *event_wait_list, cl_event *event)
{
    WEFT_CALL;
    struct weft_queue *q = weft_queue_of(command_queue);
    if (!q)
        return WEFT_ANSWER(command_queue, CL_INVALID_COMMAND_QUEUE);
    cl_int err = weft_check_wait_context(q->context, num_events_in_wait_list, event_wait_list);
    // "CL_INVALID_VALUE if user_func is NULL."
    if (!err && !user_func)
        err = weft_error(CL_INVALID_VALUE, "user_func is NULL");
    if (!err)
        err = check_args(args, cb_args, num_mem_objects, mem_list, args_mem_loc);
    if (!err)
        err = check_mems(num_mem_objects, mem_list);
    if (!err)
        err = weft_check_wait_list(q->context, num_events_in_wait_list, event_wait_list);
    if (err)
        return WEFT_ANSWER(command_queue, err);
    return WEFT_ANSWER(command_queue,
                       weft_native_enqueue(q, user_func, args, cb_args, num_mem_objects, mem_list,
                                           args_mem_loc, num_events_in_wait_list, event_wait_list, event));
}
