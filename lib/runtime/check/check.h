// Argument checks of contexts and queues, in the specification's order of errors. No side effects.
// This folder finds the application's errors. Its input: the arguments of entry points, handles among them.
// Its output: CL_SUCCESS, or the error that the specification names first with its reason recorded
// (core/diagnostics.h), and the objects of the handles, held by the call. It changes nothing, makes nothing
// and waits for nothing. It must not know launches, command buffers or entry points. It knows the members of
// queues, events, memory objects, programs and kernels. Wait lists are checked in command/wait_list.h, since
// launches check them again.
#ifndef WEFT_RUNTIME_CHECK_H
#define WEFT_RUNTIME_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/core/cl.h"

// *entries is set to the number of values in the list including the 0 at the end; to 0 if the list is NULL.
// CL_INVALID_PLATFORM, CL_INVALID_PROPERTY.
cl_int weft_check_context_properties(const cl_context_properties *properties, size_t *entries);
// The devices and the callback of clCreateContext.
cl_int weft_check_context_devices(cl_uint num_devices, const cl_device_id *devices, bool has_notify,
                                  const void *user);

// The values in a list of queue properties. entries: number of values including the 0 at the end; 0 if the
// list is NULL.
struct weft_queue_request {
    cl_command_queue_properties bits;
    bool high;
    cl_uint size; // of a device queue, in bytes
    size_t entries;
};
cl_int weft_check_queue_properties(const cl_queue_properties *properties, struct weft_queue_request *w);
// The bits of CL_QUEUE_PROPERTIES, also those of clCreateCommandQueue.
cl_int weft_check_queue_bits(cl_command_queue_properties bits);

#endif
