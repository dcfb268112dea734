// Entry points of samplers. OpenCL 2.2 §5.7.
#include "runtime/api/api.h"
#include "runtime/check/sampler.h"
#include "runtime/core/call_scope.h"
#include "runtime/device/context.h"
#include "runtime/core/diagnostics.h"
#include "runtime/core/object.h"
#include "runtime/core/query.h"
#include "runtime/info/since.h"
#include "runtime/image/sampler.h"

static cl_sampler create(const char *entry, struct weft_context *c, const cl_sampler_properties *properties,
                         const struct weft_sampler_values *values, cl_int *errcode_ret)
{
    struct weft_sampler *s = weft_sampler_create(c, properties, values);
    return weft_api_return(entry, c, s, s ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY, errcode_ret);
}

cl_sampler weft_clCreateSamplerWithProperties(cl_context context,
                                              const cl_sampler_properties *sampler_properties,
                                              cl_int *errcode_ret)
{
    WEFT_CALL;
    struct weft_context *c = weft_context_of(context);
    struct weft_sampler_values values;
    cl_int error = c ? weft_check_sampler_properties(sampler_properties, &values) : CL_INVALID_CONTEXT;
    return error ? WEFT_API_RETURN(context, NULL, error, errcode_ret)
                 : create(__func__, c, sampler_properties, &values, errcode_ret);
}

cl_sampler weft_clCreateSampler(cl_context context, cl_bool normalized_coords,
                                cl_addressing_mode addressing_mode, cl_filter_mode filter_mode,
                                cl_int *errcode_ret)
{
    WEFT_CALL;
    struct weft_context *c = weft_context_of(context);
    struct weft_sampler_values values;
    weft_check_sampler_properties(NULL, &values);
    values.normalized = normalized_coords;
    values.addressing = addressing_mode;
    values.filter = filter_mode;
    cl_int error = c ? weft_check_sampler(&values) : CL_INVALID_CONTEXT;
    return error ? WEFT_API_RETURN(context, NULL, error, errcode_ret)
                 : create(__func__, c, NULL, &values, errcode_ret);
}

cl_int weft_clRetainSampler(cl_sampler sampler)
{
    return WEFT_ANSWER(NULL,
                       weft_object_retain(sampler, WEFT_KIND_SAMPLER) ? CL_SUCCESS : CL_INVALID_SAMPLER);
}

cl_int weft_clReleaseSampler(cl_sampler sampler)
{
    return WEFT_ANSWER(NULL,
                       weft_object_release(sampler, WEFT_KIND_SAMPLER) ? CL_SUCCESS : CL_INVALID_SAMPLER);
}

cl_int weft_clGetSamplerInfo(cl_sampler sampler, cl_sampler_info param_name, size_t param_value_size,
                             void *param_value, size_t *param_value_size_ret)
{
    WEFT_CALL;
    struct weft_sampler *s = weft_sampler_of(sampler);
    if (!s)
        return WEFT_ANSWER(sampler, CL_INVALID_SAMPLER);
    switch (param_name) {
#include "runtime/info/info.h"
#include "runtime/info/sampler.def"
    }
    return WEFT_ANSWER(sampler,
                       weft_error_with(CL_INVALID_VALUE, "param_name %h isn't known here", param_name));
}
