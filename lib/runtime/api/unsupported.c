// Entry points of features that the device reports as not supported (info/device.def, features.def). Each
// checks the object that it is called on and then returns what the specification gives for such devices:
// CL_INVALID_OPERATION, or, where it takes an object that cannot exist, that object's error. Whoever brings a
// feature takes its lines out of here.
#include "api.h"

// By design nothing here looks at more than the first argument.
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define REFUSE_CREATION(type, name, context, ...)                                                          \
    type weft_##name(__VA_ARGS__)                                                                          \
    {                                                                                                      \
        return weft_api_return(NULL, weft_context_of(context) ? CL_INVALID_OPERATION : CL_INVALID_CONTEXT, \
                               errcode_ret);                                                               \
    }
#define REFUSE_ON(check, object, error, name, ...)           \
    cl_int weft_##name(__VA_ARGS__)                          \
    {                                                        \
        return check(object) ? CL_INVALID_OPERATION : error; \
    }
#define REFUSE_COMMAND(name, queue, ...) \
    REFUSE_ON(weft_queue_of, queue, CL_INVALID_COMMAND_QUEUE, name, __VA_ARGS__)
#define REFUSE_QUERY(name, error, ...) \
    cl_int weft_##name(__VA_ARGS__)    \
    {                                  \
        return error;                  \
    }

// Images
REFUSE_CREATION(cl_mem, clCreateImage2D, context, cl_context context, cl_mem_flags flags,
                const cl_image_format *image_format, size_t image_width, size_t image_height,
                size_t image_row_pitch, void *host_ptr, cl_int *errcode_ret)
REFUSE_CREATION(cl_mem, clCreateImage3D, context, cl_context context, cl_mem_flags flags,
                const cl_image_format *image_format, size_t image_width, size_t image_height,
                size_t image_depth, size_t image_row_pitch, size_t image_slice_pitch, void *host_ptr,
                cl_int *errcode_ret)
REFUSE_QUERY(clGetImageInfo, CL_INVALID_MEM_OBJECT, cl_mem image, cl_image_info param_name,
             size_t param_value_size, void *param_value, size_t *param_value_size_ret)
REFUSE_COMMAND(clEnqueueReadImage, command_queue, cl_command_queue command_queue, cl_mem image,
               cl_bool blocking_read, const size_t *origin, const size_t *region, size_t row_pitch,
               size_t slice_pitch, void *ptr, cl_uint num_events_in_wait_list,
               const cl_event *event_wait_list, cl_event *event)
REFUSE_COMMAND(clEnqueueWriteImage, command_queue, cl_command_queue command_queue, cl_mem image,
               cl_bool blocking_write, const size_t *origin, const size_t *region, size_t input_row_pitch,
               size_t input_slice_pitch, const void *ptr, cl_uint num_events_in_wait_list,
               const cl_event *event_wait_list, cl_event *event)
REFUSE_COMMAND(clEnqueueCopyImage, command_queue, cl_command_queue command_queue, cl_mem src_image,
               cl_mem dst_image, const size_t *src_origin, const size_t *dst_origin, const size_t *region,
               cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event)
REFUSE_COMMAND(clEnqueueCopyImageToBuffer, command_queue, cl_command_queue command_queue, cl_mem src_image,
               cl_mem dst_buffer, const size_t *src_origin, const size_t *region, size_t dst_offset,
               cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event)
REFUSE_COMMAND(clEnqueueCopyBufferToImage, command_queue, cl_command_queue command_queue, cl_mem src_buffer,
               cl_mem dst_image, size_t src_offset, const size_t *dst_origin, const size_t *region,
               cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event)
void *weft_clEnqueueMapImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking_map,
                             cl_map_flags map_flags, const size_t *origin, const size_t *region,
                             size_t *image_row_pitch, size_t *image_slice_pitch,
                             cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                             cl_event *event, cl_int *errcode_ret)
{
    return weft_api_return(
        NULL, weft_queue_of(command_queue) ? CL_INVALID_OPERATION : CL_INVALID_COMMAND_QUEUE, errcode_ret);
}
REFUSE_CREATION(cl_mem, clCreateImage, context, cl_context context, cl_mem_flags flags,
                const cl_image_format *image_format, const cl_image_desc *image_desc, void *host_ptr,
                cl_int *errcode_ret)
REFUSE_COMMAND(clEnqueueFillImage, command_queue, cl_command_queue command_queue, cl_mem image,
               const void *fill_color, const size_t *origin, const size_t *region,
               cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event)
REFUSE_CREATION(cl_mem, clCreateImageWithProperties, context, cl_context context,
                const cl_mem_properties *properties, cl_mem_flags flags, const cl_image_format *image_format,
                const cl_image_desc *image_desc, void *host_ptr, cl_int *errcode_ret)

// Samplers
REFUSE_CREATION(cl_sampler, clCreateSampler, context, cl_context context, cl_bool normalized_coords,
                cl_addressing_mode addressing_mode, cl_filter_mode filter_mode, cl_int *errcode_ret)
REFUSE_QUERY(clRetainSampler, CL_INVALID_SAMPLER, cl_sampler sampler)
REFUSE_QUERY(clReleaseSampler, CL_INVALID_SAMPLER, cl_sampler sampler)
REFUSE_QUERY(clGetSamplerInfo, CL_INVALID_SAMPLER, cl_sampler sampler, cl_sampler_info param_name,
             size_t param_value_size, void *param_value, size_t *param_value_size_ret)
REFUSE_CREATION(cl_sampler, clCreateSamplerWithProperties, context, cl_context context,
                const cl_sampler_properties *sampler_properties, cl_int *errcode_ret)

// OpenGL and EGL
REFUSE_CREATION(cl_mem, clCreateFromGLBuffer, context, cl_context context, cl_mem_flags flags,
                cl_GLuint bufobj, cl_int *errcode_ret)
REFUSE_CREATION(cl_mem, clCreateFromGLTexture2D, context, cl_context context, cl_mem_flags flags,
                cl_GLenum target, cl_GLint miplevel, cl_GLuint texture, cl_int *errcode_ret)
REFUSE_CREATION(cl_mem, clCreateFromGLTexture3D, context, cl_context context, cl_mem_flags flags,
                cl_GLenum target, cl_GLint miplevel, cl_GLuint texture, cl_int *errcode_ret)
REFUSE_CREATION(cl_mem, clCreateFromGLRenderbuffer, context, cl_context context, cl_mem_flags flags,
                cl_GLuint renderbuffer, cl_int *errcode_ret)
// A memory object that is there isn't OpenGL's.
REFUSE_QUERY(clGetGLObjectInfo, weft_mem_of(memobj) ? CL_INVALID_GL_OBJECT : CL_INVALID_MEM_OBJECT,
             cl_mem memobj, cl_gl_object_type *gl_object_type, cl_GLuint *gl_object_name)
REFUSE_QUERY(clGetGLTextureInfo, weft_mem_of(memobj) ? CL_INVALID_GL_OBJECT : CL_INVALID_MEM_OBJECT,
             cl_mem memobj, cl_gl_texture_info param_name, size_t param_value_size, void *param_value,
             size_t *param_value_size_ret)
REFUSE_COMMAND(clEnqueueAcquireGLObjects, command_queue, cl_command_queue command_queue, cl_uint num_objects,
               const cl_mem *mem_objects, cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
               cl_event *event)
REFUSE_COMMAND(clEnqueueReleaseGLObjects, command_queue, cl_command_queue command_queue, cl_uint num_objects,
               const cl_mem *mem_objects, cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
               cl_event *event)
REFUSE_QUERY(clGetGLContextInfoKHR, CL_INVALID_OPERATION, const cl_context_properties *properties,
             cl_gl_context_info param_name, size_t param_value_size, void *param_value,
             size_t *param_value_size_ret)
REFUSE_CREATION(cl_event, clCreateEventFromGLsyncKHR, context, cl_context context, cl_GLsync sync,
                cl_int *errcode_ret)
REFUSE_CREATION(cl_mem, clCreateFromGLTexture, context, cl_context context, cl_mem_flags flags,
                cl_GLenum target, cl_GLint miplevel, cl_GLuint texture, cl_int *errcode_ret)
REFUSE_CREATION(cl_mem, clCreateFromEGLImageKHR, context, cl_context context, CLeglDisplayKHR egldisplay,
                CLeglImageKHR eglimage, cl_mem_flags flags, const cl_egl_image_properties_khr *properties,
                cl_int *errcode_ret)
REFUSE_COMMAND(clEnqueueAcquireEGLObjectsKHR, command_queue, cl_command_queue command_queue,
               cl_uint num_objects, const cl_mem *mem_objects, cl_uint num_events_in_wait_list,
               const cl_event *event_wait_list, cl_event *event)
REFUSE_COMMAND(clEnqueueReleaseEGLObjectsKHR, command_queue, cl_command_queue command_queue,
               cl_uint num_objects, const cl_mem *mem_objects, cl_uint num_events_in_wait_list,
               const cl_event *event_wait_list, cl_event *event)
REFUSE_CREATION(cl_event, clCreateEventFromEGLSyncKHR, context, cl_context context, CLeglSyncKHR sync,
                CLeglDisplayKHR display, cl_int *errcode_ret)

// cl_ext_device_fission
REFUSE_ON(weft_device_of, in_device, CL_INVALID_DEVICE, clCreateSubDevicesEXT, cl_device_id in_device,
          const cl_device_partition_property_ext *properties, cl_uint num_entries, cl_device_id *out_devices,
          cl_uint *num_devices)
REFUSE_ON(weft_device_of, device, CL_INVALID_DEVICE, clRetainDeviceEXT, cl_device_id device)
REFUSE_ON(weft_device_of, device, CL_INVALID_DEVICE, clReleaseDeviceEXT, cl_device_id device)

// Direct3D and DirectX: slots of another operating system.

cl_int weft_no_d3d_int(void)
{
    return CL_INVALID_OPERATION;
}

cl_mem weft_no_d3d_buffer(cl_context context, cl_mem_flags flags, void *resource, cl_int *errcode_ret)
{
    return weft_api_return(NULL, CL_INVALID_OPERATION, errcode_ret);
}

cl_mem weft_no_d3d_texture(cl_context context, cl_mem_flags flags, void *resource, cl_uint subresource,
                           cl_int *errcode_ret)
{
    return weft_api_return(NULL, CL_INVALID_OPERATION, errcode_ret);
}

cl_mem weft_no_dx9_surface(cl_context context, cl_mem_flags flags, cl_uint adapter_type, void *surface_info,
                           cl_uint plane, cl_int *errcode_ret)
{
    return weft_api_return(NULL, CL_INVALID_OPERATION, errcode_ret);
}
