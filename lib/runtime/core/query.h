// The one function that all clGet*Info queries write their answers with. OpenCL's rules for value, size and
// size_ret.
#ifndef WEFT_RUNTIME_QUERY_H
#define WEFT_RUNTIME_QUERY_H

#include <stddef.h>
#include <string.h>

#include "runtime/core/cl.h"
// Writes value_size bytes to param_value and the size to param_value_size_ret, each unless it is NULL.
// CL_INVALID_VALUE: param_value_size is too small.

cl_int weft_info_write(const void *value, size_t value_size, size_t param_value_size, void *param_value,
                       size_t *param_value_size_ret);
// Answers a query with a value of this type, and with a string. They use the parameter names of clGet*Info.
#define WEFT_INFO(type, expression)                                                         \
    weft_info_write(&(const type){expression}, sizeof(type), param_value_size, param_value, \
                    param_value_size_ret)
#define WEFT_INFO_STR(s) \
    weft_info_write(s, strlen(s) + 1, param_value_size, param_value, param_value_size_ret)

#endif
