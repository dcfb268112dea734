// Launches of kernels (OpenCL 2.2 §5.10).
#ifndef WEFT_RUNTIME_NDRANGE_H
#define WEFT_RUNTIME_NDRANGE_H

#include "runtime/command/command.h"
#include "runtime/program/kernel.h"

// Captures the kernel's arguments and submits the command. Takes the caller's reference to q on success; on
// failure the caller keeps it and reports the error. Handles, sizes and the contexts of the wait list are
// checked already. If global is NULL or 0 in a dimension, the command does nothing. CL_INVALID_KERNEL_ARGS,
// CL_MISALIGNED_SUB_BUFFER_OFFSET, CL_OUT_OF_RESOURCES, CL_INVALID_EVENT_WAIT_LIST,
// CL_INVALID_PROGRAM_EXECUTABLE (no code could be made), CL_OUT_OF_HOST_MEMORY.
cl_int weft_ndrange_enqueue(struct weft_queue *q, struct weft_kernel *k, cl_uint dim, const size_t *offset,
                            const size_t *global, const size_t *local, cl_uint wait_count,
                            const cl_event *wait_list, cl_event *event);
// clEnqueueTask: enqueues one work-item, in a command of type CL_COMMAND_TASK. References and errors are
// those of weft_ndrange_enqueue.
cl_int weft_task_enqueue(struct weft_queue *q, struct weft_kernel *k, cl_uint wait_count,
                         const cl_event *wait_list, cl_event *event);

// Prepares a recorded command of any kind for its first replay: a launch waits for its code. The caller holds
// no lock.
void weft_ndrange_finalize(struct weft_command *c);

// The local size that an enqueue of k without one would use. Returns the errors that the enqueue would
// return.
cl_int weft_ndrange_suggest_local(struct weft_kernel *k, cl_uint dim, const size_t *global, size_t local[3]);

#endif
