// Weft's own statuses as OpenCL's error codes.
#ifndef WEFT_RUNTIME_STATUS_H
#define WEFT_RUNTIME_STATUS_H

#include "runtime/core/cl.h"
#include "weft/status.h"

cl_int weft_status_to_cl(weft_status s); // CL_OUT_OF_HOST_MEMORY, CL_BUILD_PROGRAM_FAILURE, ...

#endif
