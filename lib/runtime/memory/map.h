// Mapping memory objects into the host's address space. Mappings are counted and checked when the call is
// made, not when its command runs, because the specification says "clEnqueueMapBuffer increments".
#ifndef WEFT_RUNTIME_MAP_H
#define WEFT_RUNTIME_MAP_H

#include "runtime/memory/transfer.h"

// Enqueues a mapping of bytes [offset, offset + size). Returns the pointer, or NULL with *error:
// CL_INVALID_OPERATION (the region and one that overlaps it are both mapped for writing),
// CL_OUT_OF_HOST_MEMORY, errors of weft_command_submit.
void *weft_enqueue_map(const struct weft_queue_call *call, struct weft_mem *m, cl_map_flags flags,
                       size_t offset, size_t size, cl_int *error);
// Enqueues a mapping of a box of m's bytes, which begins at view.at and has region[0] bytes, region[1] rows
// and region[2] slices. Bytes between its rows and slices aren't mapped. Returns view.at, or NULL with
// *error: errors of weft_enqueue_map.
void *weft_enqueue_map_rect(const struct weft_queue_call *call, struct weft_mem *m, cl_map_flags flags,
                            struct weft_rect_view view, const size_t region[3], cl_int *error);
// Is ptr mapped through m itself? Mappings through its parent or sub-buffers don't count.
bool weft_mem_is_mapped(struct weft_mem *m, const void *ptr);
// Are bytes of the object mapped for writing, through it or another object with this storage?
bool weft_mem_is_mapped_to_write(struct weft_mem *m);
// Frees the mappings of m that were never unmapped.
void weft_mem_maps_free(struct weft_mem *m);
// Enqueues an unmap. CL_INVALID_VALUE: ptr isn't mapped through m. Also errors of weft_command_submit.
cl_int weft_enqueue_unmap(const struct weft_queue_call *call, struct weft_mem *m, void *ptr);

#endif
