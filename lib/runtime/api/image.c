// Entry points that create images and ask about them. OpenCL 2.2 §5.3.1, §5.3.2, §5.3.7. Commands: image_commands.c.
#include "api.h"
#include "../check/image.h"

cl_mem weft_clCreateImageWithProperties(cl_context context, const cl_mem_properties *properties,
                                        cl_mem_flags flags, const cl_image_format *image_format,
                                        const cl_image_desc *image_desc, void *host_ptr, cl_int *errcode_ret)
{
    struct weft_context *c = weft_context_of(context);
    struct weft_image_order_form form;
    cl_int error =
        c ? weft_check_image_create(c, properties, flags, image_format, image_desc, host_ptr, &form)
          : CL_INVALID_CONTEXT;
    struct weft_mem *m = NULL;
    if (!error)
        m = weft_image_create(c, properties, form.flags, image_desc->image_type, &form.layout, form.bytes,
                              form.parent, host_ptr, &error);
    return weft_api_return(m, error, errcode_ret);
}

cl_mem weft_clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *image_format,
                          const cl_image_desc *image_desc, void *host_ptr, cl_int *errcode_ret)
{
    return weft_clCreateImageWithProperties(context, NULL, flags, image_format, image_desc, host_ptr,
                                            errcode_ret);
}

cl_mem weft_clCreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format *image_format,
                            size_t image_width, size_t image_height, size_t image_row_pitch, void *host_ptr,
                            cl_int *errcode_ret)
{
    const cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                             .image_width = image_width,
                             .image_height = image_height,
                             .image_row_pitch = image_row_pitch};
    return weft_clCreateImage(context, flags, image_format, &d, host_ptr, errcode_ret);
}

cl_mem weft_clCreateImage3D(cl_context context, cl_mem_flags flags, const cl_image_format *image_format,
                            size_t image_width, size_t image_height, size_t image_depth,
                            size_t image_row_pitch, size_t image_slice_pitch, void *host_ptr,
                            cl_int *errcode_ret)
{
    const cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE3D,
                             .image_width = image_width,
                             .image_height = image_height,
                             .image_depth = image_depth,
                             .image_row_pitch = image_row_pitch,
                             .image_slice_pitch = image_slice_pitch};
    return weft_clCreateImage(context, flags, image_format, &d, host_ptr, errcode_ret);
}

cl_int weft_clGetSupportedImageFormats(cl_context context, cl_mem_flags flags, cl_mem_object_type image_type,
                                       cl_uint num_entries, cl_image_format *image_formats,
                                       cl_uint *num_image_formats)
{
    if (!weft_context_of(context))
        return CL_INVALID_CONTEXT;
    cl_int error = weft_check_image_query(flags, image_type);
    // "or if num_entries is 0 and image_formats is not NULL."
    if (error || (num_entries == 0 && image_formats))
        return CL_INVALID_VALUE;
    cl_uint count = 0;
    for (size_t i = 0; i < weft_image_format_count; i++) {
        if (!weft_image_format_fits(&weft_image_formats[i], image_type, flags))
            continue;
        if (image_formats && count < num_entries)
            image_formats[count] = weft_image_formats[i].cl;
        count++;
    }
    if (num_image_formats)
        *num_image_formats = count;
    return CL_SUCCESS;
}

cl_int weft_clGetImageInfo(cl_mem image, cl_image_info param_name, size_t param_value_size, void *param_value,
                           size_t *param_value_size_ret)
{
    const struct weft_mem *m = weft_mem_of(image);
    const struct weft_image_part *i = m ? m->image : NULL;
    if (!i)
        return CL_INVALID_MEM_OBJECT;
    switch (param_name) {
#include "../info/info.h"
#include "../info/image.def"
    }
    return CL_INVALID_VALUE;
}
