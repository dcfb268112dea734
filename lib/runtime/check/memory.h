// Argument checks of the calls on memory objects (OpenCL 2.2 §5.2 and §5.5, 3.0 for properties). They look
// only at their arguments and return CL_SUCCESS, or the error that the specification names first.
#ifndef WEFT_CHECK_MEMORY_H
#define WEFT_CHECK_MEMORY_H

#include "runtime/command/queue.h"
#include "runtime/memory/memory.h"

#define WEFT_MAX_PATTERN 128 // bytes: the size of the largest vector type

// ---- Creation ----

#define WEFT_HOST_PTR_FLAGS (CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)

cl_int weft_check_mem_flags(cl_mem_flags flags);
// cl_ext_immutable_memory_objects: an immutable object that isn't made from another must have its contents
// from the start.
cl_int weft_check_immutable_contents(cl_mem_flags flags);
// Is host_ptr given if and only if the flags need it? For buffers and images. It is only compared with NULL.
cl_int weft_check_host_ptr(cl_mem_flags flags, const void *host_ptr);
cl_int weft_check_buffer_create(const cl_mem_properties *properties, cl_mem_flags flags, size_t size,
                                size_t max_size, const void *host_ptr);
// Checks the properties of cl_khr_external_memory of a buffer or an image, and what may be combined with
// them. Fills *out.
struct weft_external;
cl_int weft_check_external(const struct weft_context *c, const cl_mem_properties *properties,
                           struct weft_external *out);
// parent_flags 0 means CL_MEM_READ_WRITE. align is a power of two, in bytes.
cl_int weft_check_sub_buffer(cl_mem_flags parent_flags, size_t parent_size, cl_mem_flags flags,
                             cl_buffer_create_type type, const void *info, size_t align);
// The flags that a sub-buffer gets (§5.2.1).
cl_mem_flags weft_mem_flags_inherit(cl_mem_flags parent_flags, cl_mem_flags flags);

// ---- Handles ----

// Checks that `queue` is a host queue, `buffer` is a buffer, and both are of one context, as are the events.
// Sets *q and *m on success. Of the wait list only the contexts are checked: in the specification's order,
// its other errors come after those of the call's values.
cl_int weft_check_queue_buffer(cl_command_queue queue, cl_mem buffer, cl_uint wait_count,
                               const cl_event *wait_list, struct weft_queue **q, struct weft_mem **m);
cl_int weft_check_queue_buffers(cl_command_queue queue, cl_mem src, cl_mem dst, cl_uint wait_count,
                                const cl_event *wait_list, struct weft_queue **q, struct weft_mem **s,
                                struct weft_mem **d);
// clEnqueueUnmapMemObject, with its wait list. Sets *q and *m on success.
cl_int weft_check_unmap(cl_command_queue queue, cl_mem memobj, const void *ptr, cl_uint wait_count,
                        const cl_event *wait_list, struct weft_queue **q, struct weft_mem **m);
// clEnqueueMigrateMemObjects. Of the wait list only the contexts are checked. Sets *q on success.
cl_int weft_check_migrate(cl_command_queue queue, cl_uint count, const cl_mem *list,
                          cl_mem_migration_flags flags, cl_uint wait_count, const cl_event *wait_list,
                          struct weft_queue **q);
cl_int weft_check_sub_buffer_align(const struct weft_mem *m, size_t align);

// ---- Regions and access ----

cl_int weft_check_region(size_t object_size, size_t offset, size_t size);
// May the host read or write the object with commands?
cl_int weft_check_host_read(cl_mem_flags flags);
cl_int weft_check_host_write(cl_mem_flags flags);
// May a copy or a fill command write the object?
cl_int weft_check_command_write(cl_mem_flags flags);
cl_int weft_check_map_flags(cl_map_flags map_flags);
cl_int weft_check_map_access(cl_mem_flags flags, cl_map_flags map_flags);
cl_int weft_check_fill(size_t object_size, const void *pattern, size_t pattern_size, size_t offset,
                       size_t size);
// Do [a, a + size) and [b, b + size) share a byte? The sums must not overflow.
bool weft_ranges_overlap(size_t a, size_t b, size_t size);

#endif
