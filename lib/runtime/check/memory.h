// Argument checks of the memory object calls (OpenCL 2.2 §5.2 and §5.5, 3.0 for properties). Pure: they look
// at their arguments only, and return CL_SUCCESS or the error that the spec names, in the spec's order.
#ifndef WEFT_CHECK_MEMORY_H
#define WEFT_CHECK_MEMORY_H

#include "runtime/command/queue.h"
#include "runtime/memory/memory.h"

#define WEFT_MAX_PATTERN 128 // bytes: the largest vector type

// ---- Creation ----

#define WEFT_HOST_PTR_FLAGS (CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)

cl_int weft_check_mem_flags(cl_mem_flags flags);
// cl_ext_immutable_memory_objects: an object that is made of no other has its contents from the start.
cl_int weft_check_immutable_contents(cl_mem_flags flags);
// Is host_ptr given where the flags want it, of a buffer or an image? It is only compared with NULL.
cl_int weft_check_host_ptr(cl_mem_flags flags, const void *host_ptr);
cl_int weft_check_buffer_create(const cl_mem_properties *properties, cl_mem_flags flags, size_t size,
                                size_t max_size, const void *host_ptr);
// What cl_khr_external_memory says of the properties of a buffer or an image, and of what goes with them. Fills *out.
struct weft_external;
cl_int weft_check_external(const struct weft_context *c, const cl_mem_properties *properties,
                           struct weft_external *out);
// parent_flags 0 means CL_MEM_READ_WRITE. align: a power of two, bytes.
cl_int weft_check_sub_buffer(cl_mem_flags parent_flags, size_t parent_size, cl_mem_flags flags,
                             cl_buffer_create_type type, const void *info, size_t align);
// What a sub-buffer's flags become (§5.2.1).
cl_mem_flags weft_mem_flags_inherit(cl_mem_flags parent_flags, cl_mem_flags flags);

// ---- Handles ----

// A host queue and a buffer of one context; *q and *m are set on success.
// Of the wait list only its contexts count here: the spec has that error before, and its other errors after,
// those of the values.
cl_int weft_check_queue_buffer(cl_command_queue queue, cl_mem buffer, cl_uint wait_count,
                               const cl_event *wait_list, struct weft_queue **q, struct weft_mem **m);
cl_int weft_check_queue_buffers(cl_command_queue queue, cl_mem src, cl_mem dst, cl_uint wait_count,
                                const cl_event *wait_list, struct weft_queue **q, struct weft_mem **s,
                                struct weft_mem **d);
// clEnqueueUnmapMemObject, with the wait list.
cl_int weft_check_unmap(cl_command_queue queue, cl_mem memobj, const void *ptr, cl_uint wait_count,
                        const cl_event *wait_list, struct weft_queue **q, struct weft_mem **m);
// clEnqueueMigrateMemObjects, without the wait list.
cl_int weft_check_migrate(cl_command_queue queue, cl_uint count, const cl_mem *list,
                          cl_mem_migration_flags flags, cl_uint wait_count, const cl_event *wait_list,
                          struct weft_queue **q);
cl_int weft_check_sub_buffer_align(const struct weft_mem *m, size_t align);

// ---- Regions and access ----

cl_int weft_check_region(size_t object_size, size_t offset, size_t size);
// The host reads or writes by a command.
cl_int weft_check_host_read(cl_mem_flags flags);
cl_int weft_check_host_write(cl_mem_flags flags);
// A copy or fill command writes.
cl_int weft_check_command_write(cl_mem_flags flags);
cl_int weft_check_map_flags(cl_map_flags map_flags);
cl_int weft_check_map_access(cl_mem_flags flags, cl_map_flags map_flags);
cl_int weft_check_fill(size_t object_size, const void *pattern, size_t pattern_size, size_t offset,
                       size_t size);
// Do [a, a + size) and [b, b + size) share a byte? The sums must not overflow.
bool weft_ranges_overlap(size_t a, size_t b, size_t size);

#endif
