// The one writer of all clGet*Info queries: OpenCL's rules for value, size and size_ret.
#ifndef WEFT_RUNTIME_QUERY_H
#define WEFT_RUNTIME_QUERY_H

#include <stddef.h>
#include <string.h>

#include "runtime/core/cl.h"

cl_int weft_info_write(const void *value, size_t value_size, size_t param_value_size, void *param_value,
                       size_t *param_value_size_ret);
#define WEFT_INFO(type, expression)                                                         \
    weft_info_write(&(const type){expression}, sizeof(type), param_value_size, param_value, \
                    param_value_size_ret)
#define WEFT_INFO_STR(s) \
    weft_info_write(s, strlen(s) + 1, param_value_size, param_value, param_value_size_ret)

#endif
