// Counts bytes on an OpenCL device: the library of this project.
#ifndef HISTOGRAM_H
#define HISTOGRAM_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <stddef.h>

// counts[b]: how often the byte b occurs. Returns CL_SUCCESS, or the error of the call that failed.
cl_int count_bytes(cl_command_queue queue, const unsigned char *data, size_t bytes, cl_uint counts[256]);

#endif
