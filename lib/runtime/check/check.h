// Pure argument checks, in the order and with the words of the specification. Each returns CL_SUCCESS or the
// spec's error. Checks of memory objects, programs and kernels are declared with theirs.
#ifndef WEFT_RUNTIME_CHECK_H
#define WEFT_RUNTIME_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/core/cl.h"

// *entries: how many values the list has with its closing 0; 0 when it is NULL.
cl_int weft_check_context_properties(const cl_context_properties *properties, size_t *entries);
// Of clCreateContext, with the callback.
cl_int weft_check_context_devices(cl_uint num_devices, const cl_device_id *devices, bool has_notify,
                                  const void *user);

// What a list of queue properties says; entries as above.
struct weft_queue_wish {
    cl_command_queue_properties bits;
    bool high;
    cl_uint size; // of a device queue, in bytes
    size_t entries;
};
cl_int weft_check_queue_properties(const cl_queue_properties *properties, struct weft_queue_wish *w);
// Bits of CL_QUEUE_PROPERTIES, also those of clCreateCommandQueue.
cl_int weft_check_queue_bits(cl_command_queue_properties bits);

#endif
