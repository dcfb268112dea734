// The local size for enqueues that specify none.
#ifndef WEFT_RUNTIME_LOCAL_SIZE_H
#define WEFT_RUNTIME_LOCAL_SIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/core/cl.h"

// Chooses a local size that divides `global` in each dimension; the dimension of the rows needn't be divided
// if groups may be non-uniform (`uniform` is false). A group has at most WEFT_DEVICE_MAX_GROUP work-items.
// threads: number of threads that run kernels at once. No side effects; exported for tests.
void weft_ndrange_choose_local(cl_uint dim, const size_t *global, bool uniform, uint32_t threads,
                               size_t local[3]);
// Chooses a local size like weft_ndrange_choose_local, for a kernel whose lanes belong along dimension 1
// (weft_kernel_info.swap_dimensions): rows lie along dimension 1, if there are two dimensions.
void weft_ndrange_choose_local_swapped(cl_uint dim, const size_t *global, bool uniform, uint32_t threads,
                                       size_t local[3]);

struct weft_kernel;
// The local size of a launch of the kernel that specifies none: the required one, or one that is chosen. The
// kernel remembers the last choice. Under the kernel's lock.
void weft_kernel_default_local_locked(struct weft_kernel *k, cl_uint dim, const size_t *global,
                                      size_t local[3]);

enum { WEFT_NDRANGE_ROW = 64 }; // work-items of a row that suffice for every vector width

#endif
