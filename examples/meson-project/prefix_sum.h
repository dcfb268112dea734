// Prefix sums on an OpenCL device: the library of this project.
#ifndef PREFIX_SUM_H
#define PREFIX_SUM_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <stddef.h>

// Each number becomes the sum of itself and all numbers before it. Returns CL_SUCCESS, or the error of the call that
// failed; the numbers are then as they were.
cl_int prefix_sum(cl_command_queue queue, cl_uint *numbers, size_t count);

#endif
