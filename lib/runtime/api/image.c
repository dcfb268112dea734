// Entry points that create and query images. OpenCL 2.2 §5.3.1, §5.3.2, §5.3.7. Commands: image_commands.c.
#include "runtime/api/api.h"
#include "runtime/check/image.h"
#include "runtime/core/call_scope.h"
#include "runtime/device/context.h"
#include "runtime/core/diagnostics.h"
#include "runtime/core/object.h"
#include "runtime/core/query.h"
#include "runtime/info/since.h"
#include "runtime/memory/external_memory.h"
#include "runtime/image/image.h"
#include "runtime/image/format.h"
#include "runtime/memory/memory.h"

static cl_mem create(const char *entry, cl_context context, const cl_mem_properties *properties,
                     cl_mem_flags flags, const cl_image_format *image_format, const cl_image_desc *image_desc,
                     void *host_ptr, enum weft_image_table table, cl_int *errcode_ret)
{
    struct weft_context *c = weft_context_of(context);
    struct weft_image_request request;
    cl_int error =
        c ? weft_check_image_create(c, properties, flags, image_format, image_desc, host_ptr, table, &request)
          : CL_INVALID_CONTEXT;
    struct weft_mem *m = NULL;
    if (!error)
        m = weft_image_create(c, properties, request.flags, image_desc->image_type, &request.layout,
                              request.bytes, request.parent, &request.external, host_ptr, &error);
    if (m)
        weft_external_taken(&request.external);
    return weft_api_return(entry, context, m, error, errcode_ret);
}

cl_mem weft_clCreateImageWithProperties(cl_context context, const cl_mem_properties *properties,
                                        cl_mem_flags flags, const cl_image_format *image_format,
                                        const cl_image_desc *image_desc, void *host_ptr, cl_int *errcode_ret)
{
    WEFT_CALL;
    return create(__func__, context, properties, flags, image_format, image_desc, host_ptr, WEFT_IMAGE_TABLE,
                  errcode_ret);
}

cl_mem weft_clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *image_format,
                          const cl_image_desc *image_desc, void *host_ptr, cl_int *errcode_ret)
{
    WEFT_CALL;
    return create(__func__, context, NULL, flags, image_format, image_desc, host_ptr, WEFT_IMAGE_TABLE,
                  errcode_ret);
}

cl_mem weft_clCreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format *image_format,
                            size_t image_width, size_t image_height, size_t image_row_pitch, void *host_ptr,
                            cl_int *errcode_ret)
{
    WEFT_CALL;
    const cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                             .image_width = image_width,
                             .image_height = image_height,
                             .image_row_pitch = image_row_pitch};
    return create(__func__, context, NULL, flags, image_format, &d, host_ptr, WEFT_IMAGE_TABLE_1_1,
                  errcode_ret);
}

cl_mem weft_clCreateImage3D(cl_context context, cl_mem_flags flags, const cl_image_format *image_format,
                            size_t image_width, size_t image_height, size_t image_depth,
                            size_t image_row_pitch, size_t image_slice_pitch, void *host_ptr,
                            cl_int *errcode_ret)
{
    WEFT_CALL;
    const cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE3D,
                             .image_width = image_width,
                             .image_height = image_height,
                             .image_depth = image_depth,
                             .image_row_pitch = image_row_pitch,
                             .image_slice_pitch = image_slice_pitch};
    return create(__func__, context, NULL, flags, image_format, &d, host_ptr, WEFT_IMAGE_TABLE_1_1,
                  errcode_ret);
}

cl_int weft_clGetSupportedImageFormats(cl_context context, cl_mem_flags flags, cl_mem_object_type image_type,
                                       cl_uint num_entries, cl_image_format *image_formats,
                                       cl_uint *num_image_formats)
{
    WEFT_CALL;
    if (!weft_context_of(context))
        return WEFT_ANSWER(context, CL_INVALID_CONTEXT);
    cl_int error = weft_check_image_query(flags, image_type);
    // "or if num_entries is 0 and image_formats is not NULL."
    if (error || (num_entries == 0 && image_formats))
        return WEFT_ANSWER(
            context,
            weft_error(
                CL_INVALID_VALUE,
                "num_entries is 0 and image_formats isn't NULL, or flags or image_type isn't allowed"));
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

// The maximum number of texels or layers that an image of this type has in a dimension. 0: it doesn't have
// that dimension.
static cl_uint max_extent(cl_mem_object_type type, cl_image_requirements_info_ext what)
{
    bool solid = type == CL_MEM_OBJECT_IMAGE3D, layered = weft_image_is_array(type);
    bool tall = solid || type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    cl_uint side = solid ? WEFT_IMAGE_3D_MAX : WEFT_IMAGE_2D_MAX;
    switch (what) {
    case CL_IMAGE_REQUIREMENTS_MAX_WIDTH_EXT:
        return type == CL_MEM_OBJECT_IMAGE1D_BUFFER ? WEFT_IMAGE_BUFFER_MAX : side;
    case CL_IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT:
        return tall ? side : 0;
    case CL_IMAGE_REQUIREMENTS_MAX_DEPTH_EXT:
        return solid ? side : 0;
    default:
        return layered ? WEFT_IMAGE_MAX_LAYERS : 0;
    }
}

// cl_ext_image_requirements_info, cl_ext_image_from_buffer.
cl_int weft_clGetImageRequirementsInfoEXT(cl_context context, const cl_mem_properties *properties,
                                          cl_mem_flags flags, const cl_image_format *image_format,
                                          const cl_image_desc *image_desc,
                                          cl_image_requirements_info_ext param_name, size_t param_value_size,
                                          void *param_value, size_t *param_value_size_ret)
{
    WEFT_CALL;
    if (!weft_context_of(context))
        return WEFT_ANSWER(context, CL_INVALID_CONTEXT);
    struct weft_image_requirements requirements;
    cl_int error = weft_check_image_requirements(properties, flags, image_format, image_desc, &requirements);
    if (error)
        return WEFT_ANSWER(context, error);
    switch (param_name) {
    case CL_IMAGE_REQUIREMENTS_BASE_ADDRESS_ALIGNMENT_EXT:
        return WEFT_ANSWER(context, WEFT_INFO(size_t, 1));
    // The alignment of whole texels. Without a format: one that suits every format.
    case CL_IMAGE_REQUIREMENTS_ROW_PITCH_ALIGNMENT_EXT:
    case CL_IMAGE_REQUIREMENTS_SLICE_PITCH_ALIGNMENT_EXT:
        return WEFT_ANSWER(
            context,
            WEFT_INFO(size_t, requirements.format ? weft_image_pitch_unit(requirements.format) : 16));
    // "CL_INVALID_VALUE if ... image_format is NULL". For the size, image_desc must not be NULL either.
    case CL_IMAGE_REQUIREMENTS_SIZE_EXT:
        return WEFT_ANSWER(
            context, requirements.bytes
                         ? WEFT_INFO(size_t, requirements.bytes)
                         : weft_error(CL_INVALID_VALUE, "this query needs image_format and image_desc"));
    case CL_IMAGE_REQUIREMENTS_MAX_WIDTH_EXT:
    case CL_IMAGE_REQUIREMENTS_MAX_HEIGHT_EXT:
    case CL_IMAGE_REQUIREMENTS_MAX_DEPTH_EXT:
    case CL_IMAGE_REQUIREMENTS_MAX_ARRAY_SIZE_EXT:
        if (!image_desc)
            return WEFT_ANSWER(context, weft_error(CL_INVALID_VALUE, "image_desc is NULL"));
        // "CL_INVALID_IMAGE_DESCRIPTOR if image_desc ... is not valid for the query."
        if (!max_extent(image_desc->image_type, param_name))
            return WEFT_ANSWER(context, CL_INVALID_IMAGE_DESCRIPTOR);
        return WEFT_ANSWER(context, WEFT_INFO(cl_uint, max_extent(image_desc->image_type, param_name)));
    }
    return WEFT_ANSWER(context,
                       weft_error_with(CL_INVALID_VALUE, "param_name %h isn't known here", param_name));
}

cl_int weft_clGetImageInfo(cl_mem image, cl_image_info param_name, size_t param_value_size, void *param_value,
                           size_t *param_value_size_ret)
{
    WEFT_CALL;
    const struct weft_mem *m = weft_mem_of(image);
    const struct weft_image_part *i = m ? m->image : NULL;
    if (!i)
        return WEFT_ANSWER(image, CL_INVALID_MEM_OBJECT);
    switch (param_name) {
#include "runtime/info/info.h"
#include "runtime/info/image.def"
    }
    return WEFT_ANSWER(image,
                       weft_error_with(CL_INVALID_VALUE, "param_name %h isn't known here", param_name));
}
