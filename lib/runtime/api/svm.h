// What clEnqueueSVMMemcpy and clEnqueueMemcpyINTEL share.
#ifndef WEFT_API_SVM_H
#define WEFT_API_SVM_H

#include "runtime/api/api.h"

// Enqueues a copy between two ranges of the host's memory, as a command of this type. Returns the errors of
// the two calls; those of the wait list come before those of the values.
cl_int weft_api_copy_memory(cl_command_queue queue, cl_command_type type, cl_bool blocking, void *dst,
                            const void *src, size_t size, cl_uint wait_count, const cl_event *wait_list,
                            cl_event *event);

#endif
