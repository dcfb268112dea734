// The one writer of all clGet*Info answers.
#include "runtime/core/query.h"

#include <string.h>

#include "runtime/core/diagnostics.h"

cl_int weft_info_write(const void *value, size_t value_size, size_t param_value_size, void *param_value,
                       size_t *param_value_size_ret)
{
    // "CL_INVALID_VALUE if ... size in bytes specified by param_value_size is < size of return type and
    // param_value is not a NULL value."
    if (param_value) {
        if (param_value_size < value_size)
            return weft_error_with(CL_INVALID_VALUE, "param_value_size is %n, but the answer has %n bytes",
                                   param_value_size, value_size);
        if (value_size)
            memcpy(param_value, value, value_size);
    }
    if (param_value_size_ret)
        *param_value_size_ret = value_size;
    return CL_SUCCESS;
}
