// Entry points of cl_intel_unified_shared_memory: memory that kernels and the host access by pointers, and
// queries about such pointers. The three kinds of memory differ only in name here. Kernels can use the
// application's other memory as well, but the calls make the extension's checks.
#include "base/base.h"
#include "runtime/api/api.h"
#include "runtime/api/svm.h"
#include "runtime/check/memory.h"
#include "runtime/command/queue.h"
#include "runtime/command/wait_list.h"
#include "runtime/core/call_scope.h"
#include "runtime/device/context.h"
#include "runtime/device/device.h"
#include "runtime/core/diagnostics.h"
#include "runtime/core/object.h"
#include "runtime/core/query.h"
#include "runtime/info/since.h"
#include "runtime/memory/memory.h"
#include "runtime/memory/svm.h"
#include "runtime/memory/transfer.h"
#include "runtime/info/info.h"

typedef void *weft_host_ptr; // a type name without `*`, for the rows of usm.def

// ---- Allocating ----

static cl_int read_properties(const cl_properties *properties, cl_bitfield *flags)
{
    const cl_bitfield placed = CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL |
                               CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL,
                      known = placed | CL_MEM_ALLOC_WRITE_COMBINED_INTEL;
    bool seen = false;
    *flags = 0;
    // "CL_INVALID_PROPERTY if a memory property name in properties is not a supported property name, if the
    // value specified for a supported property name is not valid, or if the same property name is specified
    // more than once."
    for (const cl_properties *p = properties; p && *p; p += 2) {
        if (p[0] != CL_MEM_ALLOC_FLAGS_INTEL || seen || (p[1] & ~known) || (p[1] & placed) == placed)
            return weft_error(CL_INVALID_PROPERTY,
                              "a property isn't known, is given twice, or has bits that don't exist");
        seen = true;
        *flags = p[1];
    }
    return CL_SUCCESS;
}

static void *allocate(const char *entry, struct weft_context *c, struct weft_usm usm,
                      const cl_properties *properties, size_t size, cl_uint alignment, cl_int *errcode_ret)
{
    cl_int error = read_properties(properties, &usm.flags);
    // "CL_INVALID_VALUE if alignment is not zero or a power of two", or if it is larger than that of the
    // largest data type.
    if (!error && ((alignment & (alignment - 1)) != 0 || alignment > WEFT_SVM_MAX_ALIGN))
        error =
            weft_error_with(CL_INVALID_VALUE, "alignment is %n: it must be 0 or a power of two, at most %n",
                            alignment, WEFT_SVM_MAX_ALIGN);
    // "CL_INVALID_BUFFER_SIZE if size is zero or greater than CL_DEVICE_MAX_MEM_ALLOC_SIZE"
    if (!error && (size == 0 || size > weft_mem_max_size(c)))
        error = weft_error_with(CL_INVALID_BUFFER_SIZE,
                                "size is %n, and may be 1 to CL_DEVICE_MAX_MEM_ALLOC_SIZE, %n", size,
                                weft_mem_max_size(c));
    void *p = error ? NULL : weft_usm_alloc(c, size, &usm);
    return weft_api_return_pointer(entry, c, p,
                                   error ? error
                                   : p   ? CL_SUCCESS
                                         : CL_OUT_OF_HOST_MEMORY,
                                   errcode_ret);
}

void *weft_clHostMemAllocINTEL(cl_context context, const cl_properties *properties, size_t size,
                               cl_uint alignment, cl_int *errcode_ret)
{
    WEFT_CALL;
    struct weft_context *c = weft_context_of(context);
    if (!c)
        return WEFT_API_RETURN(context, NULL, CL_INVALID_CONTEXT, errcode_ret);
    struct weft_usm usm = {.type = CL_MEM_TYPE_HOST_INTEL};
    return allocate(__func__, c, usm, properties, size, alignment, errcode_ret);
}

void *weft_clDeviceMemAllocINTEL(cl_context context, cl_device_id device, const cl_properties *properties,
                                 size_t size, cl_uint alignment, cl_int *errcode_ret)
{
    WEFT_CALL;
    struct weft_context *c = weft_context_of(context);
    struct weft_device *d = weft_device_of(device);
    if (!c || !d || !weft_context_has_device(c, d))
        return WEFT_API_RETURN(context, NULL, c ? CL_INVALID_DEVICE : CL_INVALID_CONTEXT, errcode_ret);
    struct weft_usm usm = {.type = CL_MEM_TYPE_DEVICE_INTEL, .device = d};
    return allocate(__func__, c, usm, properties, size, alignment, errcode_ret);
}

void *weft_clSharedMemAllocINTEL(cl_context context, cl_device_id device, const cl_properties *properties,
                                 size_t size, cl_uint alignment, cl_int *errcode_ret)
{
    WEFT_CALL;
    struct weft_context *c = weft_context_of(context);
    struct weft_device *d = weft_device_of(device);
    // Without a device, the memory is associated with none.
    if (!c || (device && (!d || !weft_context_has_device(c, d))))
        return WEFT_API_RETURN(context, NULL, c ? CL_INVALID_DEVICE : CL_INVALID_CONTEXT, errcode_ret);
    struct weft_usm usm = {.type = CL_MEM_TYPE_SHARED_INTEL, .device = d};
    return allocate(__func__, c, usm, properties, size, alignment, errcode_ret);
}

cl_int weft_clMemFreeINTEL(cl_context context, void *ptr)
{
    WEFT_CALL;
    struct weft_context *c = weft_context_of(context);
    if (!c)
        return WEFT_ANSWER(context, CL_INVALID_CONTEXT);
    // "CL_INVALID_VALUE if ptr is not a value returned by" one of the functions above "or is NULL". Freeing
    // NULL does nothing.
    return WEFT_ANSWER(
        context, !ptr || weft_usm_free(c, ptr)
                     ? CL_SUCCESS
                     : weft_error(CL_INVALID_VALUE,
                                  "ptr wasn't returned by an allocation function, or is freed already"));
}

// "... waits for all previously enqueued commands that may be using ptr to finish". Any command of the
// context may be using it.
cl_int weft_clMemBlockingFreeINTEL(cl_context context, void *ptr)
{
    WEFT_CALL;
    struct weft_context *c = weft_context_of(context);
    struct weft_usm usm;
    if (!c)
        return WEFT_ANSWER(context, CL_INVALID_CONTEXT);
    if (!ptr)
        return CL_SUCCESS;
    if (!weft_usm_find(c, ptr, &usm) || usm.base != ptr)
        return WEFT_ANSWER(context,
                           weft_error(CL_INVALID_VALUE,
                                      "ptr wasn't returned by an allocation function, or is freed already"));
    cl_int error = weft_context_finish(c);
    return WEFT_ANSWER(context, error ? error : weft_clMemFreeINTEL(context, ptr));
}

cl_int weft_clGetMemAllocInfoINTEL(cl_context context, const void *ptr, cl_uint param_name,
                                   size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
    WEFT_CALL;
    struct weft_context *c = weft_context_of(context);
    struct weft_usm usm;
    if (!c)
        return WEFT_ANSWER(context, CL_INVALID_CONTEXT);
    if (!weft_usm_find(c, ptr, &usm))
        usm = (struct weft_usm){.type = CL_MEM_TYPE_UNKNOWN_INTEL};
    switch (param_name) {
#include "runtime/info/usm.def"
    }
    return WEFT_ANSWER(context,
                       weft_error_with(CL_INVALID_VALUE, "param_name %h isn't known here", param_name));
}

cl_int weft_clSetKernelArgMemPointerINTEL(cl_kernel kernel, cl_uint arg_index, const void *arg_value)
{
    WEFT_CALL;
    return WEFT_ON_BEHALF(weft_clSetKernelArgSVMPointer(kernel, arg_index, arg_value));
}

// ---- Commands ----

static cl_int check_queue(cl_command_queue queue, cl_uint wait_count, const cl_event *wait_list,
                          struct weft_queue **q)
{
    *q = weft_queue_of(queue);
    if (!*q)
        return CL_INVALID_COMMAND_QUEUE;
    cl_int error = weft_check_wait_context((*q)->context, wait_count, wait_list);
    return error ? error : weft_check_wait_list((*q)->context, wait_count, wait_list);
}

static bool is_range(const void *ptr, size_t size)
{
    size_t end;
    return ptr && weft_add_size((size_t)ptr, size, &end);
}

static cl_int fill(cl_command_queue command_queue, void *dst_ptr, const void *pattern, size_t pattern_size,
                   size_t size, cl_uint wait_count, const cl_event *wait_list, cl_event *event)
{
    struct weft_queue *q;
    cl_int error = check_queue(command_queue, wait_count, wait_list, &q);
    if (!error && !is_range(dst_ptr, size))
        error =
            weft_error(CL_INVALID_VALUE, "dst_ptr is NULL, or reaches beyond the end of the address space");
    if (!error)
        error = weft_check_fill(size, pattern, pattern_size, 0, size);
    // "CL_INVALID_VALUE if dst_ptr is not aligned to pattern_size bytes."
    if (!error && (uintptr_t)dst_ptr % pattern_size != 0)
        error = weft_error_with(CL_INVALID_VALUE, "dst_ptr isn't aligned to the pattern's size, %n",
                                pattern_size);
    if (error)
        return error;
    struct weft_queue_call call = {q, CL_COMMAND_MEMFILL_INTEL, false, wait_count, wait_list, event};
    return weft_enqueue_fill(&call, NULL, dst_ptr, pattern, pattern_size, size);
}

cl_int weft_clEnqueueMemFillINTEL(cl_command_queue command_queue, void *dst_ptr, const void *pattern,
                                  size_t pattern_size, size_t size, cl_uint num_events_in_wait_list,
                                  const cl_event *event_wait_list, cl_event *event)
{
    WEFT_CALL;
    return WEFT_ANSWER(command_queue, fill(command_queue, dst_ptr, pattern, pattern_size, size,
                                           num_events_in_wait_list, event_wait_list, event));
}

cl_int weft_clEnqueueMemsetINTEL(cl_command_queue command_queue, void *dst_ptr, cl_int value, size_t size,
                                 cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                 cl_event *event)
{
    WEFT_CALL;
    const unsigned char byte = (unsigned char)value;
    return WEFT_ANSWER(command_queue, fill(command_queue, dst_ptr, &byte, 1, size, num_events_in_wait_list,
                                           event_wait_list, event));
}

cl_int weft_clEnqueueMemcpyINTEL(cl_command_queue command_queue, cl_bool blocking, void *dst_ptr,
                                 const void *src_ptr, size_t size, cl_uint num_events_in_wait_list,
                                 const cl_event *event_wait_list, cl_event *event)
{
    WEFT_CALL;
    return WEFT_ANSWER(command_queue,
                       weft_api_copy_memory(command_queue, CL_COMMAND_MEMCPY_INTEL, blocking, dst_ptr,
                                            src_ptr, size, num_events_in_wait_list, event_wait_list, event));
}

// The memory isn't moved: the next two commands only take their place in the queue.
cl_int weft_clEnqueueMigrateMemINTEL(cl_command_queue command_queue, const void *ptr, size_t size,
                                     cl_mem_migration_flags flags, cl_uint num_events_in_wait_list,
                                     const cl_event *event_wait_list, cl_event *event)
{
    WEFT_CALL;
    const cl_mem_migration_flags known = CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    struct weft_queue *q;
    cl_int error = check_queue(command_queue, num_events_in_wait_list, event_wait_list, &q);
    if (!error && (!is_range(ptr, size) || (flags & ~known)))
        error = weft_error(
            CL_INVALID_VALUE,
            "ptr is NULL, reaches beyond the end of the address space, or flags has bits that don't exist");
    if (error)
        return WEFT_ANSWER(command_queue, error);
    struct weft_queue_call call = {
        q, CL_COMMAND_MIGRATEMEM_INTEL, false, num_events_in_wait_list, event_wait_list, event};
    return WEFT_ANSWER(command_queue, weft_enqueue_migrate(&call, NULL, 0));
}

cl_int weft_clEnqueueMemAdviseINTEL(cl_command_queue command_queue, const void *ptr, size_t size,
                                    cl_uint advice, cl_uint num_events_in_wait_list,
                                    const cl_event *event_wait_list, cl_event *event)
{
    WEFT_CALL;
    struct weft_queue *q;
    cl_int error = check_queue(command_queue, num_events_in_wait_list, event_wait_list, &q);
    // The extension defines no value for advice except 0.
    if (!error && (!is_range(ptr, size) || advice != 0))
        error = weft_error(CL_INVALID_VALUE,
                           "ptr is NULL, reaches beyond the end of the address space, or advice isn't 0");
    if (error)
        return WEFT_ANSWER(command_queue, error);
    struct weft_queue_call call = {
        q, CL_COMMAND_MEMADVISE_INTEL, false, num_events_in_wait_list, event_wait_list, event};
    return WEFT_ANSWER(command_queue, weft_enqueue_migrate(&call, NULL, 0));
}
