// The check of clCreatePipe (OpenCL 3.0 §5.4.1).
#ifndef WEFT_CHECK_PIPE_H
#define WEFT_CHECK_PIPE_H

#include <stddef.h>

#include "runtime/core/cl.h"

cl_int weft_check_pipe_create(cl_mem_flags flags, cl_uint packet_size, cl_uint max_packets,
                              const cl_pipe_properties *properties, size_t max_bytes);

#endif
