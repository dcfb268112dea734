// clGetPlatformIDs and clGetPlatformInfo. OpenCL 2.2 §4.1.

#include "base/base.h"
#include "runtime/api/api.h"
#include "runtime/core/call_scope.h"
#include "runtime/core/diagnostics.h"
#include "runtime/device/features.h"
#include "runtime/core/object.h"
#include "runtime/device/platform.h"
#include "runtime/core/query.h"
#include "runtime/info/since.h"
#include "runtime/memory/external_memory.h"
#include "runtime/memory/svm.h"

#include "runtime/info/info.h"

cl_int weft_clGetPlatformIDs(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms)
{
    WEFT_CALL;
    // "CL_INVALID_VALUE if num_entries is equal to zero and platforms is not NULL or if both num_platforms
    // and platforms are NULL."
    if ((num_entries == 0 && platforms) || (!num_platforms && !platforms))
        return WEFT_ANSWER(
            NULL,
            weft_error(
                CL_INVALID_VALUE,
                "num_entries is 0 and platforms isn't NULL, or both num_platforms and platforms are NULL"));
    if (platforms)
        platforms[0] = (cl_platform_id)weft_platform_get();
    if (num_platforms)
        *num_platforms = 1;
    return CL_SUCCESS;
}

cl_int weft_clGetPlatformInfo(cl_platform_id platform, cl_platform_info param_name, size_t param_value_size,
                              void *param_value, size_t *param_value_size_ret)
{
    WEFT_CALL;
    // A NULL platform: "the behavior is implementation-defined". Here it means the only platform.
    if (platform && !weft_platform_of(platform))
        return WEFT_ANSWER(NULL, CL_INVALID_PLATFORM);
    switch (param_name) {
#include "runtime/info/platform.def"
    }
    return WEFT_ANSWER(NULL, weft_error_with(CL_INVALID_VALUE, "param_name %h isn't known here", param_name));
}
