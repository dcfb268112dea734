// Mapping memory objects for the host. Mappings are counted and checked when the call is made, as the spec's "clEnqueueMapBuffer
// increments" has it.
#ifndef WEFT_RUNTIME_MAP_H
#define WEFT_RUNTIME_MAP_H

#include "runtime/memory/transfer.h"

// The pointer, or NULL with *error: CL_INVALID_OPERATION when the region is mapped for writing and overlaps
// another that is; CL_OUT_OF_HOST_MEMORY; what submit returns.
void *weft_enqueue_map(const struct weft_queue_call *call, struct weft_mem *m, cl_map_flags flags,
                       size_t offset, size_t size, cl_int *error);
// Maps a box of an image's texels: what lies between its rows and slices isn't mapped.
void *weft_enqueue_map_image(const struct weft_queue_call *call, struct weft_mem *m, cl_map_flags flags,
                             const size_t *origin, const size_t region[3], cl_int *error);
bool weft_mem_is_mapped(struct weft_mem *m, const void *ptr); // through m itself
void weft_mem_maps_free(struct weft_mem *m);                  // mappings that were never undone
// CL_INVALID_VALUE when ptr isn't mapped through m.
cl_int weft_enqueue_unmap(const struct weft_queue_call *call, struct weft_mem *m, void *ptr);

#endif
