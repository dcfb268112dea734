// Checks of clCreatePipe. Each check quotes its sentence of the specification. No state.
#include "runtime/check/pipe.h"

#include "runtime/core/diagnostics.h"
#include "runtime/memory/pipe.h"
#include "weft/pipe.h"

cl_int weft_check_pipe_create(cl_mem_flags flags, cl_uint packet_size, cl_uint max_packets,
                              const cl_pipe_properties *properties, size_t max_bytes)
{
    // "CL_INVALID_VALUE if values specified in flags are not as defined above": "Only CL_MEM_READ_WRITE and
    // CL_MEM_HOST_NO_ACCESS can be specified when creating a pipe object."
    if (flags & ~(cl_mem_flags)(CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS))
        return weft_error(CL_INVALID_VALUE,
                          "a pipe's flags can only be CL_MEM_READ_WRITE and CL_MEM_HOST_NO_ACCESS");
    // "CL_INVALID_VALUE if properties is not NULL."
    if (properties)
        return weft_error(CL_INVALID_VALUE, "properties isn't NULL");
    // "CL_INVALID_PIPE_SIZE if pipe_packet_size is 0 or the pipe_packet_size exceeds
    // CL_DEVICE_PIPE_MAX_PACKET_SIZE value specified in table 4.3 for all devices in context or if
    // pipe_max_packets is 0."
    if (packet_size == 0 || packet_size > WEFT_PIPE_MAX_PACKET || max_packets == 0)
        return CL_INVALID_PIPE_SIZE;
    size_t begin, bytes;
    return weft_pipe_layout(packet_size, max_packets, &begin, &bytes) && bytes <= max_bytes
               ? CL_SUCCESS
               : CL_MEM_OBJECT_ALLOCATION_FAILURE;
}
