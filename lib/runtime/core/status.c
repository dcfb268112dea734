// Converts status codes of other components to OpenCL's error codes.
#include "runtime/core/diagnostics.h"
#include "weft/status.h"

cl_int weft_status_to_cl(weft_status s)
{
    switch (s) {
    case WEFT_OK:
        return CL_SUCCESS;
    case WEFT_NO_MEMORY:
        return CL_OUT_OF_HOST_MEMORY;
    case WEFT_INVALID:
        return CL_INVALID_VALUE;
    case WEFT_INVALID_OPTIONS:
        return CL_INVALID_BUILD_OPTIONS;
    case WEFT_BUILD_FAILED:
    case WEFT_TIMEOUT:
    case WEFT_CRASHED:
        return CL_BUILD_PROGRAM_FAILURE;
    case WEFT_LINK_FAILED:
        return CL_LINK_PROGRAM_FAILURE;
    case WEFT_UNSUPPORTED:
        return CL_INVALID_OPERATION;
    case WEFT_DAMAGED:
    case WEFT_STALE:
        return CL_INVALID_BINARY;
    case WEFT_NO_RESOURCES:
    case WEFT_IO:
    case WEFT_NOT_FOUND:
    case WEFT_INTERNAL:
        break;
    }
    return CL_OUT_OF_RESOURCES;
}
