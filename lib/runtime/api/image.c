// clGetSupportedImageFormats. OpenCL 2.2 §5.3.2. The device has no images: the list is empty.
#include "api.h"

static bool flags_valid(cl_mem_flags flags)
{
    const cl_mem_flags access = flags & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY);
    const cl_mem_flags host =
        flags & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS);
    const cl_mem_flags known = CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY |
                               CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR |
                               CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS |
                               CL_MEM_KERNEL_READ_AND_WRITE;
    // Each group's bits exclude each other.
    return !(flags & ~known) && !(access & (access - 1)) && !(host & (host - 1));
}

static bool type_valid(cl_mem_object_type type)
{
    return type == CL_MEM_OBJECT_IMAGE1D || type == CL_MEM_OBJECT_IMAGE1D_BUFFER ||
           type == CL_MEM_OBJECT_IMAGE1D_ARRAY || type == CL_MEM_OBJECT_IMAGE2D ||
           type == CL_MEM_OBJECT_IMAGE2D_ARRAY || type == CL_MEM_OBJECT_IMAGE3D;
}

cl_int weft_clGetSupportedImageFormats(cl_context context, cl_mem_flags flags, cl_mem_object_type image_type,
                                       cl_uint num_entries, cl_image_format *image_formats,
                                       cl_uint *num_image_formats)
{
    if (!weft_context_of(context))
        return CL_INVALID_CONTEXT;
    // "CL_INVALID_VALUE if flags or image_type are not valid, or if num_entries is 0 and image_formats is not
    // NULL."
    if (!flags_valid(flags) || !type_valid(image_type) || (num_entries == 0 && image_formats))
        return CL_INVALID_VALUE;
    if (num_image_formats)
        *num_image_formats = 0;
    return CL_SUCCESS;
}
