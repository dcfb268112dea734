// Entry points that all memory objects share: lifetime, queries, unmapping, migration (OpenCL 2.2 §5.5), and
// creation of buffers (§5.2.1).
#include <string.h>

#include "runtime/api/api.h"
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
#include "runtime/memory/external_memory.h"
#include "runtime/memory/map.h"
#include "runtime/memory/memory.h"
#include "runtime/memory/transfer.h"

#include "runtime/info/info.h"

typedef void *weft_host_ptr;

static cl_mem create_buffer(const char *entry, cl_context context, const cl_mem_properties *properties,
                            cl_mem_flags flags, size_t size, void *host_ptr, cl_int *errcode_ret)
{
    struct weft_context *c = weft_context_of(context);
    if (!c)
        return weft_api_return(entry, NULL, NULL, CL_INVALID_CONTEXT, errcode_ret);
    struct weft_external external;
    struct weft_mem *m = NULL;
    cl_int error = weft_check_external(c, properties, &external);
    if (!error)
        error = weft_check_buffer_create(properties, flags, size, weft_mem_max_size(c), host_ptr);
    if (!error)
        m = external.given ? weft_buffer_import(c, properties, flags, size, &external, &error)
                           : weft_buffer_create(c, properties, flags, size, host_ptr, &error);
    if (m)
        weft_external_taken(&external);
    return weft_api_return(entry, context, m, error, errcode_ret);
}

cl_mem weft_clCreateBufferWithProperties(cl_context context, const cl_mem_properties *properties,
                                         cl_mem_flags flags, size_t size, void *host_ptr, cl_int *errcode_ret)
{
    WEFT_CALL;
    return create_buffer(__func__, context, properties, flags, size, host_ptr, errcode_ret);
}

cl_mem weft_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host_ptr,
                           cl_int *errcode_ret)
{
    WEFT_CALL;
    return create_buffer(__func__, context, NULL, flags, size, host_ptr, errcode_ret);
}

cl_mem weft_clCreateSubBuffer(cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type buffer_create_type,
                              const void *buffer_create_info, cl_int *errcode_ret)
{
    WEFT_CALL;
    struct weft_mem *parent = weft_mem_of(buffer);
    // "CL_INVALID_MEM_OBJECT if buffer is not a valid buffer object or is a sub-buffer object."
    if (!parent || parent->type != CL_MEM_OBJECT_BUFFER || parent->parent)
        return WEFT_API_RETURN(buffer, NULL, CL_INVALID_MEM_OBJECT, errcode_ret);
    cl_int error = weft_check_sub_buffer(parent->flags, parent->size, flags, buffer_create_type,
                                         buffer_create_info, WEFT_DEVICE_MEM_ALIGN);
    if (error)
        return WEFT_API_RETURN(buffer, NULL, error, errcode_ret);
    const cl_buffer_region *region = buffer_create_info;
    flags = weft_mem_flags_inherit(parent->flags, flags);
    struct weft_mem *m = weft_sub_buffer_create(parent, flags, region->origin, region->size, &error);
    return WEFT_API_RETURN(buffer, m, error, errcode_ret);
}

cl_int weft_clRetainMemObject(cl_mem memobj)
{
    return WEFT_ANSWER(NULL, weft_object_retain(memobj, WEFT_KIND_MEM) ? CL_SUCCESS : CL_INVALID_MEM_OBJECT);
}

cl_int weft_clReleaseMemObject(cl_mem memobj)
{
    return WEFT_ANSWER(NULL, weft_object_release(memobj, WEFT_KIND_MEM) ? CL_SUCCESS : CL_INVALID_MEM_OBJECT);
}

cl_int weft_clSetMemObjectDestructorCallback(cl_mem memobj, void(CL_CALLBACK *pfn_notify)(cl_mem, void *),
                                             void *user_data)
{
    WEFT_CALL;
    struct weft_mem *m = weft_mem_of(memobj);
    if (!m)
        return WEFT_ANSWER(memobj, CL_INVALID_MEM_OBJECT);
    // "CL_INVALID_VALUE if pfn_notify is NULL."
    return WEFT_ANSWER(memobj, pfn_notify ? weft_mem_add_destructor(m, pfn_notify, user_data)
                                          : weft_error(CL_INVALID_VALUE, "pfn_notify is NULL"));
}

// cl_ext_buffer_device_address: the address on each device of the context, which is the host's address.
static cl_int device_addresses(struct weft_mem *m, size_t param_value_size, void *param_value,
                               size_t *param_value_size_ret)
{
    struct weft_mem *root = weft_mem_root(m);
    cl_uint n = m->context->device_count;
    cl_ulong address = (uintptr_t)m->data;
    bool has_address = false;
    for (const cl_mem_properties *p = root->properties; p && *p; p = weft_mem_property_next(p))
        has_address |= p[0] == CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT && p[1] == CL_TRUE;
    // "CL_INVALID_OPERATION if the buffer was not created with CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT"
    if (root->type != CL_MEM_OBJECT_BUFFER || !has_address || m->type != CL_MEM_OBJECT_BUFFER)
        return weft_error(CL_INVALID_OPERATION,
                          "the buffer was made without CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT");
    if (param_value && param_value_size < n * sizeof address)
        return weft_error_with(CL_INVALID_VALUE, "param_value_size is %n, and the answer has %n bytes",
                               param_value_size, n * sizeof address);
    for (cl_uint i = 0; param_value && i < n; i++)
        memcpy((unsigned char *)param_value + i * sizeof address, &address, sizeof address);
    if (param_value_size_ret)
        *param_value_size_ret = n * sizeof address;
    return CL_SUCCESS;
}

cl_int weft_clGetMemObjectInfo(cl_mem memobj, cl_mem_info param_name, size_t param_value_size,
                               void *param_value, size_t *param_value_size_ret)
{
    WEFT_CALL;
    struct weft_mem *m = weft_mem_of(memobj);
    if (!m)
        return WEFT_ANSWER(memobj, CL_INVALID_MEM_OBJECT);
    switch (param_name) {
#include "runtime/info/mem.def"
    case CL_MEM_DEVICE_ADDRESS_EXT:
        if (WEFT_INFO_LACKS(CL_MEM_DEVICE_ADDRESS_EXT))
            break;
        return WEFT_ANSWER(memobj, device_addresses(m, param_value_size, param_value, param_value_size_ret));
    }
    return WEFT_ANSWER(memobj,
                       weft_error_with(CL_INVALID_VALUE, "param_name %h isn't known here", param_name));
}

cl_int weft_clEnqueueUnmapMemObject(cl_command_queue command_queue, cl_mem memobj, void *mapped_ptr,
                                    cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                    cl_event *event)
{
    WEFT_CALL;
    struct weft_queue *q;
    struct weft_mem *m;
    cl_int error =
        weft_check_unmap(command_queue, memobj, mapped_ptr, num_events_in_wait_list, event_wait_list, &q, &m);
    if (error)
        return WEFT_ANSWER(command_queue, error);
    struct weft_queue_call call = {
        q, CL_COMMAND_UNMAP_MEM_OBJECT, false, num_events_in_wait_list, event_wait_list, event};
    return WEFT_ANSWER(command_queue, weft_enqueue_unmap(&call, m, mapped_ptr));
}

cl_int weft_clEnqueueMigrateMemObjects(cl_command_queue command_queue, cl_uint num_mem_objects,
                                       const cl_mem *mem_objects, cl_mem_migration_flags flags,
                                       cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                       cl_event *event)
{
    WEFT_CALL;
    struct weft_queue *q;
    cl_int error = weft_check_migrate(command_queue, num_mem_objects, mem_objects, flags,
                                      num_events_in_wait_list, event_wait_list, &q);
    if (!error)
        error = weft_check_wait_list(q->context, num_events_in_wait_list, event_wait_list);
    if (error)
        return WEFT_ANSWER(command_queue, error);
    struct weft_queue_call call = {
        q, CL_COMMAND_MIGRATE_MEM_OBJECTS, false, num_events_in_wait_list, event_wait_list, event};
    return WEFT_ANSWER(
        command_queue,
        weft_enqueue_migrate(&call, (struct weft_mem *const *)(const void *)mem_objects, num_mem_objects));
}
