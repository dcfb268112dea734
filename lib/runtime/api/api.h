// Prototypes of all entry points, weft_<OpenCL name>, made from icd/api.def with the types of Khronos's
// cl_icd.h. An entry point checks, calls the work and returns; each object's are in api/<object>.c.
#ifndef WEFT_RUNTIME_API_H
#define WEFT_RUNTIME_API_H

#include "../runtime.h"

#include <CL/cl_icd.h>

// The types that Debian 12's headers lack.
typedef void *(CL_API_CALL *weft_fn_clIcdGetFunctionAddressForPlatformKHR)(cl_platform_id platform,
                                                                           const char *name);
typedef cl_int(CL_API_CALL *weft_fn_clIcdSetPlatformDispatchDataKHR)(cl_platform_id platform, void *data);
typedef cl_int(CL_API_CALL *weft_fn_clIcdGetPlatformIDsKHR)(cl_uint num_entries, cl_platform_id *platforms,
                                                            cl_uint *num_platforms);

#define WEFT_SLOT(name) __typeof__(*(cl_api_##name)0) weft_##name;
#define WEFT_TAG(name) WEFT_SLOT(name)
#define WEFT_EXTENSION_CALL(name) __typeof__(*(weft_fn_##name)0) weft_##name;
#include "../../../icd/api.def"

// How an entry point that creates something ends: `object` when err is CL_SUCCESS, else NULL.
static inline void *weft_api_return(void *object, cl_int err, cl_int *errcode_ret)
{
    if (errcode_ret)
        *errcode_ret = err;
    return err == CL_SUCCESS ? object : NULL;
}

// For the slots of other operating systems' interfaces (api/unsupported.c).
cl_int CL_API_CALL weft_no_d3d_int(void);
cl_mem CL_API_CALL weft_no_d3d_buffer(cl_context context, cl_mem_flags flags, void *resource,
                                      cl_int *errcode_ret);
cl_mem CL_API_CALL weft_no_d3d_texture(cl_context context, cl_mem_flags flags, void *resource,
                                       cl_uint subresource, cl_int *errcode_ret);
cl_mem CL_API_CALL weft_no_dx9_surface(cl_context context, cl_mem_flags flags, cl_uint adapter_type,
                                       void *surface_info, cl_uint plane, cl_int *errcode_ret);

#endif
