// The size of work-groups where an enqueue names none.
#ifndef WEFT_RUNTIME_LOCAL_SIZE_H
#define WEFT_RUNTIME_LOCAL_SIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/core/cl.h"

// A local size for an enqueue that names none (pure; exported for tests): divides `global` in each dimension, but for
// dimension 0 when groups need not be uniform; at most WEFT_DEVICE_MAX_GROUP items. threads: that run kernels at once.
void weft_ndrange_choose_local(cl_uint dim, const size_t *global, bool uniform, uint32_t threads,
                               size_t local[3]);

enum { WEFT_NDRANGE_ROW = 64 }; // work-items of a row that are enough for every vector width

#endif
