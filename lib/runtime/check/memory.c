// Checks of the calls on memory objects. Each check quotes its sentence of the specification. No state.
#include "runtime/check/memory.h"
#include "runtime/checker/misuse.h"

#include "base/base.h"
#include "runtime/command/queue.h"
#include "runtime/command/wait_list.h"
#include "runtime/device/context.h"
#include "runtime/device/device.h"
#include "runtime/core/diagnostics.h"
#include "runtime/core/object.h"
#include "runtime/memory/external_memory.h"
#include "runtime/memory/map.h"
#include "runtime/memory/memory.h"

#define ACCESS_FLAGS (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY)
#define HOST_ACCESS_FLAGS (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS)
#define WRITING_FLAGS (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_HOST_WRITE_ONLY)

static bool at_most_one(cl_bitfield bits)
{
    return (bits & (bits - 1)) == 0;
}

cl_int weft_check_mem_flags(cl_mem_flags flags)
{
    // "CL_INVALID_VALUE if values specified in flags are not valid as defined in table 5.3." The SVM flags,
    // which have the same type, belong to clSVMAlloc; CL_MEM_KERNEL_READ_AND_WRITE belongs to
    // clGetSupportedImageFormats.
    if (flags &
        ~(cl_mem_flags)(ACCESS_FLAGS | HOST_ACCESS_FLAGS | WEFT_HOST_PTR_FLAGS | CL_MEM_IMMUTABLE_EXT))
        return weft_error_with(CL_INVALID_VALUE, "flags has bits that aren't allowed here, %h",
                               flags & ~(cl_mem_flags)(ACCESS_FLAGS | HOST_ACCESS_FLAGS |
                                                       WEFT_HOST_PTR_FLAGS | CL_MEM_IMMUTABLE_EXT));
    // "... if CL_MEM_IMMUTABLE_EXT is set in flags and CL_MEM_READ_WRITE, CL_MEM_WRITE_ONLY, or
    // CL_MEM_HOST_WRITE_ONLY is set".
    if ((flags & CL_MEM_IMMUTABLE_EXT) && (flags & WRITING_FLAGS))
        return weft_error(CL_INVALID_VALUE,
                          "CL_MEM_IMMUTABLE_EXT can't be combined with flags that allow writing");
    // "CL_MEM_READ_WRITE or CL_MEM_WRITE_ONLY and CL_MEM_READ_ONLY are mutually exclusive."
    if (!at_most_one(flags & ACCESS_FLAGS))
        return weft_error(CL_INVALID_VALUE,
                          "CL_MEM_READ_WRITE, CL_MEM_WRITE_ONLY and CL_MEM_READ_ONLY exclude each other");
    // "CL_MEM_HOST_WRITE_ONLY or CL_MEM_HOST_READ_ONLY and CL_MEM_HOST_NO_ACCESS are mutually exclusive."
    if (!at_most_one(flags & HOST_ACCESS_FLAGS))
        return weft_error(
            CL_INVALID_VALUE,
            "CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY and CL_MEM_HOST_NO_ACCESS exclude each other");
    // "CL_MEM_ALLOC_HOST_PTR and CL_MEM_USE_HOST_PTR are mutually exclusive." "CL_MEM_COPY_HOST_PTR and
    // CL_MEM_USE_HOST_PTR are mutually exclusive."
    if ((flags & CL_MEM_USE_HOST_PTR) && (flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)))
        return weft_error(CL_INVALID_VALUE,
                          "CL_MEM_USE_HOST_PTR excludes CL_MEM_ALLOC_HOST_PTR and CL_MEM_COPY_HOST_PTR");
    return CL_SUCCESS;
}

cl_int weft_check_immutable_contents(cl_mem_flags flags)
{
    // "CL_INVALID_VALUE ... if CL_MEM_IMMUTABLE_EXT is set in flags and none of the following conditions are
    // met: CL_MEM_COPY_HOST_PTR or CL_MEM_USE_HOST_PTR is set in flags ..."
    bool empty = !(flags & (CL_MEM_COPY_HOST_PTR | CL_MEM_USE_HOST_PTR));
    return (flags & CL_MEM_IMMUTABLE_EXT) && empty
               ? weft_error(
                     CL_INVALID_VALUE,
                     "CL_MEM_IMMUTABLE_EXT needs contents, CL_MEM_COPY_HOST_PTR or CL_MEM_USE_HOST_PTR")
               : CL_SUCCESS;
}

// "CL_INVALID_DEVICE if a device identified by the property CL_MEM_DEVICE_HANDLE_LIST_KHR is not a valid
// device or is not associated with context".
static cl_int check_device_list(const struct weft_context *c, const cl_mem_properties *list)
{
    for (; *list != CL_MEM_DEVICE_HANDLE_LIST_END_KHR; list++) {
        const struct weft_device *d = weft_device_of((cl_device_id)(uintptr_t)*list);
        if (!d || !weft_context_has_device(c, d))
            return weft_error(CL_INVALID_DEVICE,
                              "an element of CL_MEM_DEVICE_HANDLE_LIST_KHR is no device of the context");
    }
    return CL_SUCCESS;
}

cl_int weft_check_external(const struct weft_context *c, const cl_mem_properties *properties,
                           struct weft_external *out)
{
    unsigned handles = 0, lists = 0;
    cl_int error = CL_SUCCESS;
    *out = (struct weft_external){.fd = -1};
    for (const cl_mem_properties *p = properties; p && *p; p = weft_mem_property_next(p)) {
        if (!weft_external_property(p[0]))
            continue;
        bool is_list = p[0] == CL_MEM_DEVICE_HANDLE_LIST_KHR;
        lists += is_list;
        handles += !is_list;
        if (is_list && !error)
            error = check_device_list(c, p + 1);
    }
    // "CL_INVALID_PROPERTY ... if the same property name is specified more than once", "if properties does
    // not include a supported external memory handle and CL_MEM_DEVICE_HANDLE_LIST_KHR is specified", "if
    // properties includes more than one external memory handle".
    if (lists > 1 || handles > 1 || lists > handles)
        return weft_error(
            CL_INVALID_PROPERTY,
            "an external memory handle or its list of devices is given twice, or the list without a handle");
    if (handles)
        weft_external_read(properties, out);
    return error;
}

cl_int weft_check_host_ptr(cl_mem_flags flags, const void *host_ptr)
{
    // "CL_INVALID_HOST_PTR if host_ptr is NULL and CL_MEM_USE_HOST_PTR or CL_MEM_COPY_HOST_PTR are set in
    // flags or if host_ptr is not NULL but CL_MEM_COPY_HOST_PTR or CL_MEM_USE_HOST_PTR are not set in flags."
    bool wants_host_ptr = (flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)) != 0;
    return wants_host_ptr == (host_ptr != NULL)
               ? CL_SUCCESS
               : weft_error_with(CL_INVALID_HOST_PTR, "host_ptr is %s",
                                 host_ptr ? "given without CL_MEM_USE_HOST_PTR or CL_MEM_COPY_HOST_PTR"
                                          : "NULL with CL_MEM_USE_HOST_PTR or CL_MEM_COPY_HOST_PTR");
}

cl_int weft_check_buffer_create(const cl_mem_properties *properties, cl_mem_flags flags, size_t size,
                                size_t max_size, const void *host_ptr)
{
    // "CL_INVALID_PROPERTY if a property name in properties is not a supported property name, if the value
    // specified for a supported property name is not valid, or if the same property name is specified more
    // than once" (3.0). Supported are one of cl_ext_buffer_device_address, and those of
    // cl_khr_external_memory, which weft_check_external checks.
    bool address = false, external = false;
    for (const cl_mem_properties *p = properties; p && *p; p = weft_mem_property_next(p)) {
        if (weft_external_property(p[0])) {
            external = true;
            continue;
        }
        if (p[0] != CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT || address || (p[1] != CL_TRUE && p[1] != CL_FALSE))
            return weft_error_with(
                CL_INVALID_PROPERTY,
                "property %h isn't known, is given twice, or is neither CL_TRUE nor CL_FALSE", p[0]);
        address = true;
    }
    cl_int error = weft_check_mem_flags(flags);
    // "CL_INVALID_VALUE ... if properties includes a supported external memory handle and flags includes
    // CL_MEM_USE_HOST_PTR, CL_MEM_ALLOC_HOST_PTR, or CL_MEM_COPY_HOST_PTR".
    if (!error && external && (flags & WEFT_HOST_PTR_FLAGS))
        error = weft_error(CL_INVALID_VALUE, "external memory can't be combined with CL_MEM_USE_HOST_PTR, "
                                             "CL_MEM_ALLOC_HOST_PTR or CL_MEM_COPY_HOST_PTR");
    if (!error && !external)
        error = weft_check_immutable_contents(flags);
    if (error)
        return error;
    // "CL_INVALID_BUFFER_SIZE if size is 0", or "if size is greater than CL_DEVICE_MAX_MEM_ALLOC_SIZE".
    if (size == 0 || size > max_size)
        return weft_error_with(CL_INVALID_BUFFER_SIZE,
                               "size is %n, and may be 1 to CL_DEVICE_MAX_MEM_ALLOC_SIZE, %n", size,
                               max_size);
    error = weft_check_host_ptr(flags, host_ptr);
    if (error)
        return error;
    // The host's memory must not wrap around the end of the address space.
    size_t end;
    if (!weft_add_size((size_t)host_ptr, size, &end))
        return weft_error_with(CL_INVALID_HOST_PTR,
                               "size %n from host_ptr on reaches beyond the end of the address space", size);
    return CL_SUCCESS;
}

cl_int weft_check_sub_buffer(cl_mem_flags parent_flags, size_t parent_size, cl_mem_flags flags,
                             cl_buffer_create_type type, const void *info, size_t align)
{
    // "CL_INVALID_VALUE ... if flags specifies CL_MEM_USE_HOST_PTR or CL_MEM_ALLOC_HOST_PTR or
    // CL_MEM_COPY_HOST_PTR."
    if (weft_check_mem_flags(flags) || (flags & WEFT_HOST_PTR_FLAGS))
        return weft_error(CL_INVALID_VALUE,
                          "flags of a sub-buffer can't have CL_MEM_USE_HOST_PTR, CL_MEM_ALLOC_HOST_PTR or "
                          "CL_MEM_COPY_HOST_PTR, nor bits that exclude each other");
    // "CL_INVALID_VALUE if buffer was created with CL_MEM_WRITE_ONLY and flags specifies CL_MEM_READ_WRITE or
    // CL_MEM_READ_ONLY, or if buffer was created with CL_MEM_READ_ONLY and flags specifies CL_MEM_READ_WRITE
    // or CL_MEM_WRITE_ONLY."
    if ((parent_flags & CL_MEM_WRITE_ONLY) && (flags & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY)))
        return weft_error(CL_INVALID_VALUE,
                          "flags allow kernels to read a buffer made with CL_MEM_WRITE_ONLY");
    if ((parent_flags & CL_MEM_READ_ONLY) && (flags & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY)))
        return weft_error(CL_INVALID_VALUE,
                          "flags allow kernels to write a buffer made with CL_MEM_READ_ONLY");
    // "... or if buffer was created with CL_MEM_IMMUTABLE_EXT and flags specifies CL_MEM_READ_WRITE,
    // CL_MEM_WRITE_ONLY, or CL_MEM_HOST_WRITE_ONLY."
    if ((parent_flags & CL_MEM_IMMUTABLE_EXT) && (flags & WRITING_FLAGS))
        return weft_error(CL_INVALID_VALUE, "flags allow writing to a buffer made with CL_MEM_IMMUTABLE_EXT");
    // "CL_INVALID_VALUE if buffer was created with CL_MEM_HOST_WRITE_ONLY and flags specify
    // CL_MEM_HOST_READ_ONLY, or if buffer was created with CL_MEM_HOST_READ_ONLY and flags specify
    // CL_MEM_HOST_WRITE_ONLY, or if buffer was created with CL_MEM_HOST_NO_ACCESS and flags specify
    // CL_MEM_HOST_READ_ONLY or CL_MEM_HOST_WRITE_ONLY."
    if ((parent_flags & CL_MEM_HOST_WRITE_ONLY) && (flags & CL_MEM_HOST_READ_ONLY))
        return weft_error(CL_INVALID_VALUE,
                          "CL_MEM_HOST_READ_ONLY for a buffer made with CL_MEM_HOST_WRITE_ONLY");
    if ((parent_flags & CL_MEM_HOST_READ_ONLY) && (flags & CL_MEM_HOST_WRITE_ONLY))
        return weft_error(CL_INVALID_VALUE,
                          "CL_MEM_HOST_WRITE_ONLY for a buffer made with CL_MEM_HOST_READ_ONLY");
    if ((parent_flags & CL_MEM_HOST_NO_ACCESS) && (flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY)))
        return weft_error(CL_INVALID_VALUE,
                          "flags allow the host to access a buffer made with CL_MEM_HOST_NO_ACCESS");
    // "CL_INVALID_VALUE if value specified in buffer_create_type is not valid."
    if (type != CL_BUFFER_CREATE_TYPE_REGION)
        return weft_error(CL_INVALID_VALUE, "buffer_create_type isn't CL_BUFFER_CREATE_TYPE_REGION");
    // "CL_INVALID_VALUE if value(s) specified in buffer_create_info ... is not valid or if buffer_create_info
    // is NULL."
    if (!info)
        return weft_error(CL_INVALID_VALUE, "buffer_create_info is NULL");
    const cl_buffer_region *region = info;
    if (weft_check_region(parent_size, region->origin, region->size))
        return weft_error_with(CL_INVALID_VALUE,
                               "the region (origin %n, size %n) reaches beyond the buffer's %n bytes",
                               region->origin, region->size, parent_size);
    // "CL_INVALID_BUFFER_SIZE if size is 0."
    if (region->size == 0)
        return weft_error(CL_INVALID_BUFFER_SIZE, "the region's size is 0");
    // "CL_MISALIGNED_SUB_BUFFER_OFFSET ... if there are no devices in context associated with buffer for
    // which the origin value is aligned to the CL_DEVICE_MEM_BASE_ADDR_ALIGN value."
    return region->origin % align
               ? weft_error_with(
                     CL_MISALIGNED_SUB_BUFFER_OFFSET,
                     "origin is %n, which is no multiple of CL_DEVICE_MEM_BASE_ADDR_ALIGN, %n bytes",
                     region->origin, align)
               : CL_SUCCESS;
}

cl_mem_flags weft_mem_flags_inherit(cl_mem_flags parent_flags, cl_mem_flags flags)
{
    if (!(flags & (ACCESS_FLAGS | CL_MEM_IMMUTABLE_EXT)))
        flags |= parent_flags & ACCESS_FLAGS;
    if (!(flags & HOST_ACCESS_FLAGS))
        flags |= parent_flags & HOST_ACCESS_FLAGS;
    return flags | (parent_flags & (WEFT_HOST_PTR_FLAGS | CL_MEM_IMMUTABLE_EXT));
}

// "CL_INVALID_CONTEXT if the context associated with command_queue and ... are not the same". This error
// comes before those of invalid handles. What is no memory object has no context.
static cl_int check_mem_contexts(const struct weft_queue *q, cl_uint count, const cl_mem *list)
{
    for (cl_uint i = 0; list && i < count; i++) {
        const struct weft_mem *m = weft_mem_of(list[i]);
        if (m && m->context != q->context)
            return weft_error_with(CL_INVALID_CONTEXT,
                                   "memory object %n is of another context than the queue", i);
    }
    return CL_SUCCESS;
}

static cl_int check_mem_of(const struct weft_queue *q, cl_mem handle, struct weft_mem **out)
{
    struct weft_mem *m = weft_mem_of(handle);
    // "CL_INVALID_MEM_OBJECT if buffer is not a valid buffer object."
    if (!m)
        return weft_error(CL_INVALID_MEM_OBJECT, "the handle is no memory object, or it has been released");
    // "CL_INVALID_CONTEXT if the context associated with command_queue and buffer are not the same."
    if (m->context != q->context)
        return weft_error(CL_INVALID_CONTEXT, "the memory object is of another context than the queue");
    *out = m;
    return CL_SUCCESS;
}

static cl_int check_buffer_of(const struct weft_queue *q, cl_mem handle, struct weft_mem **out)
{
    cl_int error = check_mem_of(q, handle, out);
    if (error)
        return error;
    return (*out)->type == CL_MEM_OBJECT_BUFFER
               ? CL_SUCCESS
               : weft_error(CL_INVALID_MEM_OBJECT, "the memory object is an image or a pipe, and no buffer");
}

cl_int weft_check_queue_buffer(cl_command_queue queue, cl_mem buffer, cl_uint wait_count,
                               const cl_event *wait_list, struct weft_queue **q, struct weft_mem **m)
{
    // "CL_INVALID_COMMAND_QUEUE if command_queue is not a valid host command-queue."
    *q = weft_queue_of(queue);
    if (!*q)
        return CL_INVALID_COMMAND_QUEUE;
    cl_int error = weft_check_wait_context((*q)->context, wait_count, wait_list);
    return error ? error : check_buffer_of(*q, buffer, m);
}

cl_int weft_check_queue_buffers(cl_command_queue queue, cl_mem src, cl_mem dst, cl_uint wait_count,
                                const cl_event *wait_list, struct weft_queue **q, struct weft_mem **s,
                                struct weft_mem **d)
{
    *q = weft_queue_of(queue);
    if (!*q)
        return CL_INVALID_COMMAND_QUEUE;
    cl_int error = check_mem_contexts(*q, 2, (const cl_mem[]){src, dst});
    if (!error)
        error = weft_check_queue_buffer(queue, src, wait_count, wait_list, q, s);
    return error ? error : check_buffer_of(*q, dst, d);
}

cl_int weft_check_unmap(cl_command_queue queue, cl_mem memobj, const void *ptr, cl_uint wait_count,
                        const cl_event *wait_list, struct weft_queue **q, struct weft_mem **m)
{
    *q = weft_queue_of(queue);
    if (!*q)
        return CL_INVALID_COMMAND_QUEUE;
    // "CL_INVALID_MEM_OBJECT if memobj is not a valid memory object or is a pipe object."
    *m = weft_mem_of(memobj);
    if (!*m || (*m)->type == CL_MEM_OBJECT_PIPE)
        return weft_error(CL_INVALID_MEM_OBJECT, "memobj is no memory object, or a pipe");
    // "CL_INVALID_VALUE if mapped_ptr is not a valid pointer returned by clEnqueueMapBuffer or
    // clEnqueueMapImage for memobj." Another thread may unmap it before this one does, so weft_enqueue_unmap
    // checks again.
    const bool mapped = weft_mem_is_mapped(*m, ptr);
    if (!mapped && weft_misuse_is_on())
        weft_misuse_report(NULL, "clEnqueueUnmapMemObject gets a pointer that isn't mapped");
    if (!mapped)
        return weft_error(CL_INVALID_VALUE,
                          "mapped_ptr wasn't returned by a call that maps memobj, or is unmapped already");
    // In this call, unlike others, the contexts come last.
    cl_int error = weft_check_wait_events(wait_count, wait_list);
    if (!error)
        error = weft_check_wait_context((*q)->context, wait_count, wait_list);
    if (!error && (*m)->context != (*q)->context)
        error = weft_error(CL_INVALID_CONTEXT, "memobj is of another context than the queue");
    return error;
}

cl_int weft_check_migrate(cl_command_queue queue, cl_uint count, const cl_mem *list,
                          cl_mem_migration_flags flags, cl_uint wait_count, const cl_event *wait_list,
                          struct weft_queue **q)
{
    *q = weft_queue_of(queue);
    if (!*q)
        return CL_INVALID_COMMAND_QUEUE;
    cl_int error = weft_check_wait_context((*q)->context, wait_count, wait_list);
    if (!error)
        error = check_mem_contexts(*q, count, list);
    // "CL_INVALID_MEM_OBJECT if any of the memory objects in mem_objects is not a valid memory object."
    struct weft_mem *m;
    for (cl_uint i = 0; list && i < count && !error; i++)
        error = check_mem_of(*q, list[i], &m);
    if (error)
        return error;
    // "CL_INVALID_VALUE if num_mem_objects is zero or if mem_objects is NULL."
    if (count == 0 || !list)
        return weft_error(CL_INVALID_VALUE, "mem_objects is NULL, or num_mem_objects is 0");
    // "CL_INVALID_VALUE if flags is not 0 or is not any of the values described in the table above."
    const cl_mem_migration_flags known = CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    return flags & ~known
               ? weft_error_with(CL_INVALID_VALUE, "flags has bits that don't exist, %h", flags & ~known)
               : CL_SUCCESS;
}

cl_int weft_check_sub_buffer_align(const struct weft_mem *m, size_t align)
{
    // "CL_MISALIGNED_SUB_BUFFER_OFFSET if buffer is a sub-buffer object and offset specified when the
    // sub-buffer object is created is not aligned to CL_DEVICE_MEM_BASE_ADDR_ALIGN value for device
    // associated with queue."
    return m->parent && m->origin % align ? CL_MISALIGNED_SUB_BUFFER_OFFSET : CL_SUCCESS;
}

cl_int weft_check_region(size_t object_size, size_t offset, size_t size)
{
    // "CL_INVALID_VALUE if the region ... specified by (offset, size) is out of bounds."
    return offset <= object_size && size <= object_size - offset
               ? CL_SUCCESS
               : weft_error_with(CL_INVALID_VALUE, "offset %n and size %n reach beyond the end, %n", offset,
                                 size, object_size);
}

cl_int weft_check_host_read(cl_mem_flags flags)
{
    // "CL_INVALID_OPERATION if clEnqueueReadBuffer is called on buffer which has been created with
    // CL_MEM_HOST_WRITE_ONLY or CL_MEM_HOST_NO_ACCESS."
    return flags & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS)
               ? weft_error(CL_INVALID_OPERATION, "the object was made with CL_MEM_HOST_WRITE_ONLY or "
                                                  "CL_MEM_HOST_NO_ACCESS: the host can't read it")
               : CL_SUCCESS;
}

cl_int weft_check_host_write(cl_mem_flags flags)
{
    // "CL_INVALID_OPERATION if clEnqueueWriteBuffer is called on buffer which has been created with
    // CL_MEM_HOST_READ_ONLY or CL_MEM_HOST_NO_ACCESS", or CL_MEM_IMMUTABLE_EXT.
    return flags & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS | CL_MEM_IMMUTABLE_EXT)
               ? weft_error(CL_INVALID_OPERATION,
                            "the object was made with CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_NO_ACCESS or "
                            "CL_MEM_IMMUTABLE_EXT: the host can't write it")
               : CL_SUCCESS;
}

cl_int weft_check_command_write(cl_mem_flags flags)
{
    // "CL_INVALID_OPERATION if dst_buffer was created with CL_MEM_IMMUTABLE_EXT".
    return flags & CL_MEM_IMMUTABLE_EXT
               ? weft_error(CL_INVALID_OPERATION,
                            "the object was made with CL_MEM_IMMUTABLE_EXT: nothing writes it")
               : CL_SUCCESS;
}

cl_int weft_check_map_flags(cl_map_flags map_flags)
{
    const cl_map_flags read_write = CL_MAP_READ | CL_MAP_WRITE;
    // "CL_INVALID_VALUE ... if values specified in map_flags are not valid."
    if (map_flags & ~(read_write | CL_MAP_WRITE_INVALIDATE_REGION))
        return weft_error_with(CL_INVALID_VALUE, "map_flags has bits that don't exist, %h", map_flags);
    // "CL_MAP_READ or CL_MAP_WRITE and CL_MAP_WRITE_INVALIDATE_REGION are mutually exclusive."
    if ((map_flags & CL_MAP_WRITE_INVALIDATE_REGION) && (map_flags & read_write))
        return weft_error(CL_INVALID_VALUE,
                          "CL_MAP_WRITE_INVALIDATE_REGION excludes CL_MAP_READ and CL_MAP_WRITE");
    return CL_SUCCESS;
}

cl_int weft_check_map_access(cl_mem_flags flags, cl_map_flags map_flags)
{
    // "CL_INVALID_OPERATION if buffer has been created with CL_MEM_HOST_WRITE_ONLY or CL_MEM_HOST_NO_ACCESS
    // and CL_MAP_READ is set in map_flags or if buffer has been created with CL_MEM_HOST_READ_ONLY or
    // CL_MEM_HOST_NO_ACCESS and CL_MAP_WRITE or CL_MAP_WRITE_INVALIDATE_REGION is set in map_flags."
    if ((map_flags & CL_MAP_READ) && weft_check_host_read(flags))
        return CL_INVALID_OPERATION;
    if ((map_flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) && weft_check_host_write(flags))
        return CL_INVALID_OPERATION;
    return CL_SUCCESS;
}

cl_int weft_check_fill(size_t object_size, const void *pattern, size_t pattern_size, size_t offset,
                       size_t size)
{
    // "CL_INVALID_VALUE if offset or offset + size require accessing elements outside the buffer."
    if (weft_check_region(object_size, offset, size))
        return weft_error(CL_INVALID_VALUE, "the region to fill reaches beyond the buffer");
    // "CL_INVALID_VALUE if pattern is NULL or if pattern_size is 0 or if pattern_size is not one of {1, 2, 4,
    // 8, 16, 32, 64, 128}."
    if (!pattern || pattern_size == 0 || pattern_size > WEFT_MAX_PATTERN || !at_most_one(pattern_size))
        return weft_error_with(CL_INVALID_VALUE,
                               "pattern is NULL, or its size %n isn't 1, 2, 4, 8, 16, 32, 64 or 128",
                               pattern_size);
    // "CL_INVALID_VALUE if offset and size are not a multiple of pattern_size."
    return offset % pattern_size || size % pattern_size
               ? weft_error_with(CL_INVALID_VALUE,
                                 "offset %n or size %n is no multiple of the pattern's size %n", offset, size,
                                 pattern_size)
               : CL_SUCCESS;
}

bool weft_ranges_overlap(size_t a, size_t b, size_t size)
{
    return a < b ? b - a < size : a - b < size;
}
