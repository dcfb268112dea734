// Launches of kernels (OpenCL 2.2 §5.10).
#ifndef WEFT_RUNTIME_NDRANGE_H
#define WEFT_RUNTIME_NDRANGE_H

#include "runtime/command/command.h"
#include "runtime/program/kernel.h"

// Captures the kernel's arguments and submits the command. q: a ref that this takes over, but for failures, of which the caller
// tells. Handles, sizes and
// the contexts of the wait list have been checked; global NULL or 0 in a dimension: the command does nothing. CL_INVALID_KERNEL_ARGS,
// CL_MISALIGNED_SUB_BUFFER_OFFSET, CL_OUT_OF_RESOURCES, CL_INVALID_EVENT_WAIT_LIST, CL_INVALID_PROGRAM_EXECUTABLE (no code could be
// made), CL_OUT_OF_HOST_MEMORY.
cl_int weft_ndrange_enqueue(struct weft_queue *q, struct weft_kernel *k, cl_uint dim, const size_t *offset,
                            const size_t *global, const size_t *local, cl_uint wait_count,
                            const cl_event *wait_list, cl_event *event);
// Enqueues one work-item, as clEnqueueTask, whose command is of a type of its own.
cl_int weft_task_enqueue(struct weft_queue *q, struct weft_kernel *k, cl_uint wait_count,
                         const cl_event *wait_list, cl_event *event);

// For a recorded command, of any kind, before it is first replayed: a launch waits for its code. No lock held.
void weft_ndrange_finalize(struct weft_command *c);

// The local size that an enqueue of k without one takes. An error: as of the enqueue.
cl_int weft_ndrange_suggest_local(struct weft_kernel *k, cl_uint dim, const size_t *global, size_t local[3]);

#endif
