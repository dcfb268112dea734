// Functions of the application as commands (clEnqueueNativeKernel).
#ifndef WEFT_RUNTIME_NATIVE_KERNEL_H
#define WEFT_RUNTIME_NATIVE_KERNEL_H

#include "runtime/command/queue.h"

// clEnqueueNativeKernel, arguments checked. args and the list of memory objects are copied. mem_places point
// into args.
cl_int weft_native_enqueue(struct weft_queue *q, void(CL_CALLBACK *call)(void *), const void *args,
                           size_t args_size, cl_uint mem_count, const cl_mem *mems, const void **mem_places,
                           cl_uint wait_count, const cl_event *wait_list, cl_event *event);

#endif
