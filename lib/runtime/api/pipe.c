// Pipes: creation and queries. OpenCL 3.0 §5.4.
#include "base/base.h"
#include "runtime/api/api.h"
#include "runtime/check/pipe.h"
#include "runtime/core/call_scope.h"
#include "runtime/device/context.h"
#include "runtime/core/diagnostics.h"
#include "runtime/core/object.h"
#include "runtime/core/query.h"
#include "runtime/info/since.h"
#include "runtime/memory/memory.h"
#include "runtime/memory/pipe.h"
#include "runtime/info/info.h"

cl_mem weft_clCreatePipe(cl_context context, cl_mem_flags flags, cl_uint pipe_packet_size,
                         cl_uint pipe_max_packets, const cl_pipe_properties *properties, cl_int *errcode_ret)
{
    WEFT_CALL;
    struct weft_context *c = weft_context_of(context);
    if (!c)
        return WEFT_API_RETURN(context, NULL, CL_INVALID_CONTEXT, errcode_ret);
    // "CL_INVALID_OPERATION if no devices in context support pipes". Pipes came with 2.0.
    if (weft_cl_version() < 200)
        return WEFT_API_RETURN(
            context, NULL,
            weft_error(CL_INVALID_OPERATION, "WEFT_CL_VERSION is below 2.0, which has no pipes"),
            errcode_ret);
    cl_int error =
        weft_check_pipe_create(flags, pipe_packet_size, pipe_max_packets, properties, weft_mem_max_size(c));
    struct weft_mem *m =
        error ? NULL : weft_pipe_create(c, flags, pipe_packet_size, pipe_max_packets, &error);
    return WEFT_API_RETURN(context, m, error, errcode_ret);
}

cl_int weft_clGetPipeInfo(cl_mem pipe, cl_pipe_info param_name, size_t param_value_size, void *param_value,
                          size_t *param_value_size_ret)
{
    WEFT_CALL;
    const struct weft_mem *m = weft_mem_of(pipe);
    if (!m || !weft_mem_is_pipe(m))
        return WEFT_ANSWER(pipe, CL_INVALID_MEM_OBJECT);
    switch (param_name) {
#include "runtime/info/pipe.def"
    }
    return WEFT_ANSWER(pipe, weft_error_with(CL_INVALID_VALUE, "param_name %h isn't known here", param_name));
}
