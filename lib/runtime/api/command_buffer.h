// What the recording entry points of cl_khr_command_buffer share.
#ifndef WEFT_RUNTIME_API_COMMAND_BUFFER_H
#define WEFT_RUNTIME_API_COMMAND_BUFFER_H

#include "runtime/api/api.h"
#include "runtime/command_buffer/command_buffer.h"

// The arguments that all of them have, and the type of the command.
struct weft_recording {
    struct _cl_command_buffer_khr *buffer;
    cl_command_queue queue;
    const cl_properties *properties;
    cl_uint point_count;
    const cl_uint *points;
    cl_uint *point;
    struct _cl_mutable_command_khr **handle;
    cl_command_type type;
    struct weft_command_buffer *b; // set by weft_recording_begin
    uint32_t stream;               // set by weft_recording_begin: the queue's index in the buffer
};

// Initializes a weft_recording with an entry point's parameters, which have the specification's names.
#define WEFT_RECORDING(command_type)              \
    {.buffer = command_buffer,                    \
     .queue = command_queue,                      \
     .properties = properties,                    \
     .point_count = num_sync_points_in_wait_list, \
     .points = sync_point_wait_list,              \
     .point = sync_point,                         \
     .handle = mutable_handle,                    \
     .type = (command_type)}

// Checks what comes before the command's own arguments, in the specification's order, and sets r->b and
// r->stream.
cl_int weft_recording_begin(struct weft_recording *r);
cl_int weft_recording_check_points(const struct weft_recording *r);
// Appends the command and takes its reference, also on failure. Stores the sync-point and the handle where
// the application wants them.
cl_int weft_recording_append(const struct weft_recording *r, struct weft_recorded *made);

#endif
