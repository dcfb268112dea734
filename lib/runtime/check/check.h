// Pure argument checks, in the order and with the words of the specification: those of contexts and queues.
//
// The folder finds the application's errors. In come the arguments of entry points, handles among them; out goes CL_SUCCESS or the
// error that the spec names first, with its reason noted (core/diagnostics.h), and the objects that handles are of, held by the call.
// It changes nothing, makes nothing and waits for nothing. It must not know launches, command buffers and entry points; of queues,
// events, memory objects, programs and kernels it knows what they are made of. Wait lists, which launches check again, are
// command/wait_list.h's.
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
struct weft_queue_request {
    cl_command_queue_properties bits;
    bool high;
    cl_uint size; // of a device queue, in bytes
    size_t entries;
};
cl_int weft_check_queue_properties(const cl_queue_properties *properties, struct weft_queue_request *w);
// Bits of CL_QUEUE_PROPERTIES, also those of clCreateCommandQueue.
cl_int weft_check_queue_bits(cl_command_queue_properties bits);

#endif
