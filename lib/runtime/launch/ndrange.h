// Launches of kernels (OpenCL 2.2 §5.10).
#ifndef WEFT_RUNTIME_NDRANGE_H
#define WEFT_RUNTIME_NDRANGE_H

#include "runtime/program/program.h"

// Captures the kernel's arguments and submits the command. q: a ref that this takes over, also on failure. Handles, sizes and
// the contexts of the wait list have been checked; global NULL or 0 in a dimension: the command does nothing. CL_INVALID_KERNEL_ARGS,
// CL_MISALIGNED_SUB_BUFFER_OFFSET, CL_OUT_OF_RESOURCES, CL_INVALID_EVENT_WAIT_LIST, CL_INVALID_PROGRAM_EXECUTABLE (no code could be
// made), CL_OUT_OF_HOST_MEMORY.
cl_int weft_ndrange_enqueue(struct weft_queue *q, struct weft_kernel *k, cl_uint dim, const size_t *offset,
                            const size_t *global, const size_t *local, cl_uint wait_count,
                            const cl_event *wait_list, cl_event *event);
// The same of one work-item, as clEnqueueTask, whose command is of a type of its own.
cl_int weft_task_enqueue(struct weft_queue *q, struct weft_kernel *k, cl_uint wait_count,
                         const cl_event *wait_list, cl_event *event);

// For a recorded command, of any kind, before it is first replayed: a launch waits for its code. No lock held.
void weft_ndrange_finalize(struct weft_command *c);

// The form (enum weft_form) that suits the launch, of a kernel whose code in WEFT_FORM_ANY is `own` (pure).
uint32_t weft_ndrange_form(const struct weft_ndrange *nd, const struct weft_kernel_info *own);

// The local size that an enqueue of k without one takes. An error: as of the enqueue.
cl_int weft_ndrange_suggest_local(struct weft_kernel *k, cl_uint dim, const size_t *global, size_t local[3]);

// A local size for an enqueue that names none (pure; exported for tests): divides `global` in each dimension, but for
// dimension 0 when groups need not be uniform; at most WEFT_DEVICE_MAX_GROUP items. threads: that run kernels at once.
void weft_ndrange_choose_local(cl_uint dim, const size_t *global, bool uniform, uint32_t threads,
                               size_t local[3]);

enum { WEFT_NDRANGE_ROW = 64 }; // work-items of a row that are enough for every vector width

#endif
