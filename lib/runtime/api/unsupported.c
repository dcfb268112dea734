// Entry points of features that the device reports as not supported: each returns the error that the
// specification allows for that, CL_INVALID_OPERATION. They are weak: the file that implements one simply
// defines it.
#include "api.h"

#define WEAK __attribute__((weak))

static void *refuse(cl_int *errcode_ret)
{
    if (errcode_ret)
        *errcode_ret = CL_INVALID_OPERATION;
    return NULL;
}

cl_int weft_no_d3d_int(void)
{
    return CL_INVALID_OPERATION;
}

cl_mem weft_no_d3d_buffer(cl_context context, cl_mem_flags flags, void *resource, cl_int *errcode_ret)
{
    (void)context;
    (void)flags;
    (void)resource;
    return refuse(errcode_ret);
}

cl_mem weft_no_d3d_texture(cl_context context, cl_mem_flags flags, void *resource, cl_uint subresource,
                           cl_int *errcode_ret)
{
    (void)context;
    (void)flags;
    (void)resource;
    (void)subresource;
    return refuse(errcode_ret);
}

cl_mem weft_no_dx9_surface(cl_context context, cl_mem_flags flags, cl_uint adapter_type, void *surface_info,
                           cl_uint plane, cl_int *errcode_ret)
{
    (void)context;
    (void)flags;
    (void)adapter_type;
    (void)surface_info;
    (void)plane;
    return refuse(errcode_ret);
}

WEAK cl_mem weft_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host_ptr,
                                cl_int *errcode_ret)
{
    (void)context;
    (void)flags;
    (void)size;
    (void)host_ptr;
    return refuse(errcode_ret);
}

WEAK cl_mem weft_clCreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format *image_format,
                                 size_t image_width, size_t image_height, size_t image_row_pitch,
                                 void *host_ptr, cl_int *errcode_ret)
{
    (void)context;
    (void)flags;
    (void)image_format;
    (void)image_width;
    (void)image_height;
    (void)image_row_pitch;
    (void)host_ptr;
    return refuse(errcode_ret);
}

WEAK cl_mem weft_clCreateImage3D(cl_context context, cl_mem_flags flags, const cl_image_format *image_format,
                                 size_t image_width, size_t image_height, size_t image_depth,
                                 size_t image_row_pitch, size_t image_slice_pitch, void *host_ptr,
                                 cl_int *errcode_ret)
{
    (void)context;
    (void)flags;
    (void)image_format;
    (void)image_width;
    (void)image_height;
    (void)image_depth;
    (void)image_row_pitch;
    (void)image_slice_pitch;
    (void)host_ptr;
    return refuse(errcode_ret);
}

WEAK cl_int weft_clRetainMemObject(cl_mem memobj)
{
    (void)memobj;
    return CL_INVALID_OPERATION;
}

WEAK cl_int weft_clReleaseMemObject(cl_mem memobj)
{
    (void)memobj;
    return CL_INVALID_OPERATION;
}

WEAK cl_int weft_clGetSupportedImageFormats(cl_context context, cl_mem_flags flags,
                                            cl_mem_object_type image_type, cl_uint num_entries,
                                            cl_image_format *image_formats, cl_uint *num_image_formats)
{
    (void)context;
    (void)flags;
    (void)image_type;
    (void)num_entries;
    (void)image_formats;
    (void)num_image_formats;
    return CL_INVALID_OPERATION;
}

WEAK cl_int weft_clGetMemObjectInfo(cl_mem memobj, cl_mem_info param_name, size_t param_value_size,
                                    void *param_value, size_t *param_value_size_ret)
{
    (void)memobj;
    (void)param_name;
    (void)param_value_size;
    (void)param_value;
    (void)param_value_size_ret;
    return CL_INVALID_OPERATION;
}

WEAK cl_int weft_clGetImageInfo(cl_mem image, cl_image_info param_name, size_t param_value_size,
                                void *param_value, size_t *param_value_size_ret)
{
    (void)image;
    (void)param_name;
    (void)param_value_size;
    (void)param_value;
    (void)param_value_size_ret;
    return CL_INVALID_OPERATION;
}

WEAK cl_sampler weft_clCreateSampler(cl_context context, cl_bool normalized_coords,
                                     cl_addressing_mode addressing_mode, cl_filter_mode filter_mode,
                                     cl_int *errcode_ret)
{
    (void)context;
    (void)normalized_coords;
    (void)addressing_mode;
    (void)filter_mode;
    return refuse(errcode_ret);
}

WEAK cl_int weft_clRetainSampler(cl_sampler sampler)
{
    (void)sampler;
    return CL_INVALID_OPERATION;
}

WEAK cl_int weft_clReleaseSampler(cl_sampler sampler)
{
    (void)sampler;
    return CL_INVALID_OPERATION;
}

WEAK cl_int weft_clGetSamplerInfo(cl_sampler sampler, cl_sampler_info param_name, size_t param_value_size,
                                  void *param_value, size_t *param_value_size_ret)
{
    (void)sampler;
    (void)param_name;
    (void)param_value_size;
    (void)param_value;
    (void)param_value_size_ret;
    return CL_INVALID_OPERATION;
}

WEAK cl_program weft_clCreateProgramWithSource(cl_context context, cl_uint count, const char **strings,
                                               const size_t *lengths, cl_int *errcode_ret)
{
    (void)context;
    (void)count;
    (void)strings;
    (void)lengths;
    return refuse(errcode_ret);
}

WEAK cl_program weft_clCreateProgramWithBinary(cl_context context, cl_uint num_devices,
                                               const cl_device_id *device_list, const size_t *lengths,
                                               const unsigned char **binaries, cl_int *binary_status,
                                               cl_int *errcode_ret)
{
    (void)context;
    (void)num_devices;
    (void)device_list;
    (void)lengths;
    (void)binaries;
    (void)binary_status;
    return refuse(errcode_ret);
}

WEAK cl_int weft_clRetainProgram(cl_program program)
{
    (void)program;
    return CL_INVALID_OPERATION;
}

WEAK cl_int weft_clReleaseProgram(cl_program program)
{
    (void)program;
    return CL_INVALID_OPERATION;
}

WEAK cl_int weft_clBuildProgram(cl_program program, cl_uint num_devices, const cl_device_id *device_list,
                                const char *options, void (*pfn_notify)(cl_program program, void *user_data),
                                void *user_data)
{
    (void)program;
    (void)num_devices;
    (void)device_list;
    (void)options;
    (void)pfn_notify;
    (void)user_data;
    return CL_INVALID_OPERATION;
}

WEAK cl_int weft_clUnloadCompiler(void)
{
    return CL_INVALID_OPERATION;
}

WEAK cl_int weft_clGetProgramInfo(cl_program program, cl_program_info param_name, size_t param_value_size,
                                  void *param_value, size_t *param_value_size_ret)
{
    (void)program;
    (void)param_name;
    (void)param_value_size;
    (void)param_value;
    (void)param_value_size_ret;
    return CL_INVALID_OPERATION;
}

WEAK cl_int weft_clGetProgramBuildInfo(cl_program program, cl_device_id device,
                                       cl_program_build_info param_name, size_t param_value_size,
                                       void *param_value, size_t *param_value_size_ret)
{
    (void)program;
    (void)device;
    (void)param_name;
    (void)param_value_size;
    (void)param_value;
    (void)param_value_size_ret;
    return CL_INVALID_OPERATION;
}

WEAK cl_kernel weft_clCreateKernel(cl_program program, const char *kernel_name, cl_int *errcode_ret)
{
    (void)program;
    (void)kernel_name;
    return refuse(errcode_ret);
}

WEAK cl_int weft_clCreateKernelsInProgram(cl_program program, cl_uint num_kernels, cl_kernel *kernels,
                                          cl_uint *num_kernels_ret)
{
    (void)program;
    (void)num_kernels;
    (void)kernels;
    (void)num_kernels_ret;
    return CL_INVALID_OPERATION;
}

WEAK cl_int weft_clRetainKernel(cl_kernel kernel)
{
    (void)kernel;
    return CL_INVALID_OPERATION;
}

WEAK cl_int weft_clReleaseKernel(cl_kernel kernel)
{
    (void)kernel;
    return CL_INVALID_OPERATION;
}

WEAK cl_int weft_clSetKernelArg(cl_kernel kernel, cl_uint arg_index, size_t arg_size, const void *arg_value)
{
    (void)kernel;
    (void)arg_index;
    (void)arg_size;
    (void)arg_value;
    return CL_INVALID_OPERATION;
}

WEAK cl_int weft_clGetKernelInfo(cl_kernel kernel, cl_kernel_info param_name, size_t param_value_size,
                                 void *param_value, size_t *param_value_size_ret)
{
    (void)kernel;
    (void)param_name;
    (void)param_value_size;
    (void)param_value;
    (void)param_value_size_ret;
    return CL_INVALID_OPERATION;
}

WEAK cl_int weft_clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device,
                                          cl_kernel_work_group_info param_name, size_t param_value_size,
                                          void *param_value, size_t *param_value_size_ret)
{
    (void)kernel;
    (void)device;
    (void)param_name;
    (void)param_value_size;
    (void)param_value;
    (void)param_value_size_ret;
    return CL_INVALID_OPERATION;
}

WEAK cl_int weft_clEnqueueReadBuffer(cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_read,
                                     size_t offset, size_t size, void *ptr, cl_uint num_events_in_wait_list,
                                     const cl_event *event_wait_list, cl_event *event)
{
    (void)command_queue;
    (void)buffer;
    (void)blocking_read;
    (void)offset;
    (void)size;
    (void)ptr;
    (void)num_events_in_wait_list;
    (void)event_wait_list;
    (void)event;
    return CL_INVALID_OPERATION;
}

WEAK cl_int weft_clEnqueueWriteBuffer(cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_write,
                                      size_t offset, size_t size, const void *ptr,
                                      cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                      cl_event *event)
{
    (void)command_queue;
    (void)buffer;
    (void)blocking_write;
    (void)offset;
    (void)size;
    (void)ptr;
    (void)num_events_in_wait_list;
    (void)event_wait_list;
    (void)event;
    return CL_INVALID_OPERATION;
}

WEAK cl_int weft_clEnqueueCopyBuffer(cl_command_queue command_queue, cl_mem src_buffer, cl_mem dst_buffer,
                                     size_t src_offset, size_t dst_offset, size_t size,
                                     cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                     cl_event *event)
{
    (void)command_queue;
    (void)src_buffer;
    (void)dst_buffer;
    (void)src_offset;
    (void)dst_offset;
    (void)size;
    (void)num_events_in_wait_list;
    (void)event_wait_list;
    (void)event;
    return CL_INVALID_OPERATION;
}

WEAK cl_int weft_clEnqueueReadImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking_read,
                                    const size_t *origin, const size_t *region, size_t row_pitch,
                                    size_t slice_pitch, void *ptr, cl_uint num_events_in_wait_list,
                                    const cl_event *event_wait_list, cl_event *event)
{
    (void)command_queue;
    (void)image;
    (void)blocking_read;
    (void)origin;
    (void)region;
    (void)row_pitch;
    (void)slice_pitch;
    (void)ptr;
    (void)num_events_in_wait_list;
    (void)event_wait_list;
    (void)event;
    return CL_INVALID_OPERATION;
}

WEAK cl_int weft_clEnqueueWriteImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking_write,
                                     const size_t *origin, const size_t *region, size_t input_row_pitch,
                                     size_t input_slice_pitch, const void *ptr,
                                     cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                     cl_event *event)
{
    (void)command_queue;
    (void)image;
    (void)blocking_write;
    (void)origin;
    (void)region;
    (void)input_row_pitch;
    (void)input_slice_pitch;
    (void)ptr;
    (void)num_events_in_wait_list;
    (void)event_wait_list;
    (void)event;
    return CL_INVALID_OPERATION;
}

WEAK cl_int weft_clEnqueueCopyImage(cl_command_queue command_queue, cl_mem src_image, cl_mem dst_image,
                                    const size_t *src_origin, const size_t *dst_origin, const size_t *region,
                                    cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                    cl_event *event)
{
    (void)command_queue;
    (void)src_image;
    (void)dst_image;
    (void)src_origin;
    (void)dst_origin;
    (void)region;
    (void)num_events_in_wait_list;
    (void)event_wait_list;
    (void)event;
    return CL_INVALID_OPERATION;
}

WEAK cl_int weft_clEnqueueCopyImageToBuffer(cl_command_queue command_queue, cl_mem src_image,
                                            cl_mem dst_buffer, const size_t *src_origin, const size_t *region,
                                            size_t dst_offset, cl_uint num_events_in_wait_list,
                                            const cl_event *event_wait_list, cl_event *event)
{
    (void)command_queue;
    (void)src_image;
    (void)dst_buffer;
    (void)src_origin;
    (void)region;
    (void)dst_offset;
    (void)num_events_in_wait_list;
    (void)event_wait_list;
    (void)event;
    return CL_INVALID_OPERATION;
}

WEAK cl_int weft_clEnqueueCopyBufferToImage(cl_command_queue command_queue, cl_mem src_buffer,
                                            cl_mem dst_image, size_t src_offset, const size_t *dst_origin,
                                            const size_t *region, cl_uint num_events_in_wait_list,
                                            const cl_event *event_wait_list, cl_event *event)
{
    (void)command_queue;
    (void)src_buffer;
    (void)dst_image;
    (void)src_offset;
    (void)dst_origin;
    (void)region;
    (void)num_events_in_wait_list;
    (void)event_wait_list;
    (void)event;
    return CL_INVALID_OPERATION;
}

WEAK void *weft_clEnqueueMapBuffer(cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_map,
                                   cl_map_flags map_flags, size_t offset, size_t size,
                                   cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                   cl_event *event, cl_int *errcode_ret)
{
    (void)command_queue;
    (void)buffer;
    (void)blocking_map;
    (void)map_flags;
    (void)offset;
    (void)size;
    (void)num_events_in_wait_list;
    (void)event_wait_list;
    (void)event;
    return refuse(errcode_ret);
}

WEAK void *weft_clEnqueueMapImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking_map,
                                  cl_map_flags map_flags, const size_t *origin, const size_t *region,
                                  size_t *image_row_pitch, size_t *image_slice_pitch,
                                  cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                  cl_event *event, cl_int *errcode_ret)
{
    (void)command_queue;
    (void)image;
    (void)blocking_map;
    (void)map_flags;
    (void)origin;
    (void)region;
    (void)image_row_pitch;
    (void)image_slice_pitch;
    (void)num_events_in_wait_list;
    (void)event_wait_list;
    (void)event;
    return refuse(errcode_ret);
}

WEAK cl_int weft_clEnqueueUnmapMemObject(cl_command_queue command_queue, cl_mem memobj, void *mapped_ptr,
                                         cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                         cl_event *event)
{
    (void)command_queue;
    (void)memobj;
    (void)mapped_ptr;
    (void)num_events_in_wait_list;
    (void)event_wait_list;
    (void)event;
    return CL_INVALID_OPERATION;
}

WEAK cl_int weft_clEnqueueNDRangeKernel(cl_command_queue command_queue, cl_kernel kernel, cl_uint work_dim,
                                        const size_t *global_work_offset, const size_t *global_work_size,
                                        const size_t *local_work_size, cl_uint num_events_in_wait_list,
                                        const cl_event *event_wait_list, cl_event *event)
{
    (void)command_queue;
    (void)kernel;
    (void)work_dim;
    (void)global_work_offset;
    (void)global_work_size;
    (void)local_work_size;
    (void)num_events_in_wait_list;
    (void)event_wait_list;
    (void)event;
    return CL_INVALID_OPERATION;
}

WEAK cl_int weft_clEnqueueTask(cl_command_queue command_queue, cl_kernel kernel,
                               cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                               cl_event *event)
{
    (void)command_queue;
    (void)kernel;
    (void)num_events_in_wait_list;
    (void)event_wait_list;
    (void)event;
    return CL_INVALID_OPERATION;
}

WEAK cl_mem weft_clCreateFromGLBuffer(cl_context context, cl_mem_flags flags, cl_GLuint bufobj,
                                      cl_int *errcode_ret)
{
    (void)context;
    (void)flags;
    (void)bufobj;
    return refuse(errcode_ret);
}

WEAK cl_mem weft_clCreateFromGLTexture2D(cl_context context, cl_mem_flags flags, cl_GLenum target,
                                         cl_GLint miplevel, cl_GLuint texture, cl_int *errcode_ret)
{
    (void)context;
    (void)flags;
    (void)target;
    (void)miplevel;
    (void)texture;
    return refuse(errcode_ret);
}

WEAK cl_mem weft_clCreateFromGLTexture3D(cl_context context, cl_mem_flags flags, cl_GLenum target,
                                         cl_GLint miplevel, cl_GLuint texture, cl_int *errcode_ret)
{
    (void)context;
    (void)flags;
    (void)target;
    (void)miplevel;
    (void)texture;
    return refuse(errcode_ret);
}

WEAK cl_mem weft_clCreateFromGLRenderbuffer(cl_context context, cl_mem_flags flags, cl_GLuint renderbuffer,
                                            cl_int *errcode_ret)
{
    (void)context;
    (void)flags;
    (void)renderbuffer;
    return refuse(errcode_ret);
}

WEAK cl_int weft_clGetGLObjectInfo(cl_mem memobj, cl_gl_object_type *gl_object_type,
                                   cl_GLuint *gl_object_name)
{
    (void)memobj;
    (void)gl_object_type;
    (void)gl_object_name;
    return CL_INVALID_OPERATION;
}

WEAK cl_int weft_clGetGLTextureInfo(cl_mem memobj, cl_gl_texture_info param_name, size_t param_value_size,
                                    void *param_value, size_t *param_value_size_ret)
{
    (void)memobj;
    (void)param_name;
    (void)param_value_size;
    (void)param_value;
    (void)param_value_size_ret;
    return CL_INVALID_OPERATION;
}

WEAK cl_int weft_clEnqueueAcquireGLObjects(cl_command_queue command_queue, cl_uint num_objects,
                                           const cl_mem *mem_objects, cl_uint num_events_in_wait_list,
                                           const cl_event *event_wait_list, cl_event *event)
{
    (void)command_queue;
    (void)num_objects;
    (void)mem_objects;
    (void)num_events_in_wait_list;
    (void)event_wait_list;
    (void)event;
    return CL_INVALID_OPERATION;
}

WEAK cl_int weft_clEnqueueReleaseGLObjects(cl_command_queue command_queue, cl_uint num_objects,
                                           const cl_mem *mem_objects, cl_uint num_events_in_wait_list,
                                           const cl_event *event_wait_list, cl_event *event)
{
    (void)command_queue;
    (void)num_objects;
    (void)mem_objects;
    (void)num_events_in_wait_list;
    (void)event_wait_list;
    (void)event;
    return CL_INVALID_OPERATION;
}

WEAK cl_int weft_clGetGLContextInfoKHR(const cl_context_properties *properties, cl_gl_context_info param_name,
                                       size_t param_value_size, void *param_value,
                                       size_t *param_value_size_ret)
{
    (void)properties;
    (void)param_name;
    (void)param_value_size;
    (void)param_value;
    (void)param_value_size_ret;
    return CL_INVALID_OPERATION;
}

WEAK cl_mem weft_clCreateSubBuffer(cl_mem buffer, cl_mem_flags flags,
                                   cl_buffer_create_type buffer_create_type, const void *buffer_create_info,
                                   cl_int *errcode_ret)
{
    (void)buffer;
    (void)flags;
    (void)buffer_create_type;
    (void)buffer_create_info;
    return refuse(errcode_ret);
}

WEAK cl_int weft_clSetMemObjectDestructorCallback(cl_mem memobj,
                                                  void (*pfn_notify)(cl_mem memobj, void *user_data),
                                                  void *user_data)
{
    (void)memobj;
    (void)pfn_notify;
    (void)user_data;
    return CL_INVALID_OPERATION;
}

WEAK cl_int weft_clEnqueueReadBufferRect(cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_read,
                                         const size_t *buffer_origin, const size_t *host_origin,
                                         const size_t *region, size_t buffer_row_pitch,
                                         size_t buffer_slice_pitch, size_t host_row_pitch,
                                         size_t host_slice_pitch, void *ptr, cl_uint num_events_in_wait_list,
                                         const cl_event *event_wait_list, cl_event *event)
{
    (void)command_queue;
    (void)buffer;
    (void)blocking_read;
    (void)buffer_origin;
    (void)host_origin;
    (void)region;
    (void)buffer_row_pitch;
    (void)buffer_slice_pitch;
    (void)host_row_pitch;
    (void)host_slice_pitch;
    (void)ptr;
    (void)num_events_in_wait_list;
    (void)event_wait_list;
    (void)event;
    return CL_INVALID_OPERATION;
}

WEAK cl_int weft_clEnqueueWriteBufferRect(cl_command_queue command_queue, cl_mem buffer,
                                          cl_bool blocking_write, const size_t *buffer_origin,
                                          const size_t *host_origin, const size_t *region,
                                          size_t buffer_row_pitch, size_t buffer_slice_pitch,
                                          size_t host_row_pitch, size_t host_slice_pitch, const void *ptr,
                                          cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                          cl_event *event)
{
    (void)command_queue;
    (void)buffer;
    (void)blocking_write;
    (void)buffer_origin;
    (void)host_origin;
    (void)region;
    (void)buffer_row_pitch;
    (void)buffer_slice_pitch;
    (void)host_row_pitch;
    (void)host_slice_pitch;
    (void)ptr;
    (void)num_events_in_wait_list;
    (void)event_wait_list;
    (void)event;
    return CL_INVALID_OPERATION;
}

WEAK cl_int weft_clEnqueueCopyBufferRect(cl_command_queue command_queue, cl_mem src_buffer, cl_mem dst_buffer,
                                         const size_t *src_origin, const size_t *dst_origin,
                                         const size_t *region, size_t src_row_pitch, size_t src_slice_pitch,
                                         size_t dst_row_pitch, size_t dst_slice_pitch,
                                         cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                         cl_event *event)
{
    (void)command_queue;
    (void)src_buffer;
    (void)dst_buffer;
    (void)src_origin;
    (void)dst_origin;
    (void)region;
    (void)src_row_pitch;
    (void)src_slice_pitch;
    (void)dst_row_pitch;
    (void)dst_slice_pitch;
    (void)num_events_in_wait_list;
    (void)event_wait_list;
    (void)event;
    return CL_INVALID_OPERATION;
}

WEAK cl_int weft_clCreateSubDevicesEXT(cl_device_id in_device,
                                       const cl_device_partition_property_ext *properties,
                                       cl_uint num_entries, cl_device_id *out_devices, cl_uint *num_devices)
{
    (void)in_device;
    (void)properties;
    (void)num_entries;
    (void)out_devices;
    (void)num_devices;
    return CL_INVALID_OPERATION;
}

WEAK cl_int weft_clRetainDeviceEXT(cl_device_id device)
{
    (void)device;
    return CL_INVALID_OPERATION;
}

WEAK cl_int weft_clReleaseDeviceEXT(cl_device_id device)
{
    (void)device;
    return CL_INVALID_OPERATION;
}

WEAK cl_event weft_clCreateEventFromGLsyncKHR(cl_context context, cl_GLsync sync, cl_int *errcode_ret)
{
    (void)context;
    (void)sync;
    return refuse(errcode_ret);
}

WEAK cl_mem weft_clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format *image_format,
                               const cl_image_desc *image_desc, void *host_ptr, cl_int *errcode_ret)
{
    (void)context;
    (void)flags;
    (void)image_format;
    (void)image_desc;
    (void)host_ptr;
    return refuse(errcode_ret);
}

WEAK cl_program weft_clCreateProgramWithBuiltInKernels(cl_context context, cl_uint num_devices,
                                                       const cl_device_id *device_list,
                                                       const char *kernel_names, cl_int *errcode_ret)
{
    (void)context;
    (void)num_devices;
    (void)device_list;
    (void)kernel_names;
    return refuse(errcode_ret);
}

WEAK cl_int weft_clCompileProgram(cl_program program, cl_uint num_devices, const cl_device_id *device_list,
                                  const char *options, cl_uint num_input_headers,
                                  const cl_program *input_headers, const char **header_include_names,
                                  void (*pfn_notify)(cl_program program, void *user_data), void *user_data)
{
    (void)program;
    (void)num_devices;
    (void)device_list;
    (void)options;
    (void)num_input_headers;
    (void)input_headers;
    (void)header_include_names;
    (void)pfn_notify;
    (void)user_data;
    return CL_INVALID_OPERATION;
}

WEAK cl_program weft_clLinkProgram(cl_context context, cl_uint num_devices, const cl_device_id *device_list,
                                   const char *options, cl_uint num_input_programs,
                                   const cl_program *input_programs,
                                   void (*pfn_notify)(cl_program program, void *user_data), void *user_data,
                                   cl_int *errcode_ret)
{
    (void)context;
    (void)num_devices;
    (void)device_list;
    (void)options;
    (void)num_input_programs;
    (void)input_programs;
    (void)pfn_notify;
    (void)user_data;
    return refuse(errcode_ret);
}

WEAK cl_int weft_clUnloadPlatformCompiler(cl_platform_id platform)
{
    (void)platform;
    return CL_INVALID_OPERATION;
}

WEAK cl_int weft_clGetKernelArgInfo(cl_kernel kernel, cl_uint arg_indx, cl_kernel_arg_info param_name,
                                    size_t param_value_size, void *param_value, size_t *param_value_size_ret)
{
    (void)kernel;
    (void)arg_indx;
    (void)param_name;
    (void)param_value_size;
    (void)param_value;
    (void)param_value_size_ret;
    return CL_INVALID_OPERATION;
}

WEAK cl_int weft_clEnqueueFillBuffer(cl_command_queue command_queue, cl_mem buffer, const void *pattern,
                                     size_t pattern_size, size_t offset, size_t size,
                                     cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                     cl_event *event)
{
    (void)command_queue;
    (void)buffer;
    (void)pattern;
    (void)pattern_size;
    (void)offset;
    (void)size;
    (void)num_events_in_wait_list;
    (void)event_wait_list;
    (void)event;
    return CL_INVALID_OPERATION;
}

WEAK cl_int weft_clEnqueueFillImage(cl_command_queue command_queue, cl_mem image, const void *fill_color,
                                    const size_t *origin, const size_t *region,
                                    cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                    cl_event *event)
{
    (void)command_queue;
    (void)image;
    (void)fill_color;
    (void)origin;
    (void)region;
    (void)num_events_in_wait_list;
    (void)event_wait_list;
    (void)event;
    return CL_INVALID_OPERATION;
}

WEAK cl_int weft_clEnqueueMigrateMemObjects(cl_command_queue command_queue, cl_uint num_mem_objects,
                                            const cl_mem *mem_objects, cl_mem_migration_flags flags,
                                            cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                            cl_event *event)
{
    (void)command_queue;
    (void)num_mem_objects;
    (void)mem_objects;
    (void)flags;
    (void)num_events_in_wait_list;
    (void)event_wait_list;
    (void)event;
    return CL_INVALID_OPERATION;
}

WEAK cl_mem weft_clCreateFromGLTexture(cl_context context, cl_mem_flags flags, cl_GLenum target,
                                       cl_GLint miplevel, cl_GLuint texture, cl_int *errcode_ret)
{
    (void)context;
    (void)flags;
    (void)target;
    (void)miplevel;
    (void)texture;
    return refuse(errcode_ret);
}

WEAK cl_mem weft_clCreateFromEGLImageKHR(cl_context context, CLeglDisplayKHR egldisplay,
                                         CLeglImageKHR eglimage, cl_mem_flags flags,
                                         const cl_egl_image_properties_khr *properties, cl_int *errcode_ret)
{
    (void)context;
    (void)egldisplay;
    (void)eglimage;
    (void)flags;
    (void)properties;
    return refuse(errcode_ret);
}

WEAK cl_int weft_clEnqueueAcquireEGLObjectsKHR(cl_command_queue command_queue, cl_uint num_objects,
                                               const cl_mem *mem_objects, cl_uint num_events_in_wait_list,
                                               const cl_event *event_wait_list, cl_event *event)
{
    (void)command_queue;
    (void)num_objects;
    (void)mem_objects;
    (void)num_events_in_wait_list;
    (void)event_wait_list;
    (void)event;
    return CL_INVALID_OPERATION;
}

WEAK cl_int weft_clEnqueueReleaseEGLObjectsKHR(cl_command_queue command_queue, cl_uint num_objects,
                                               const cl_mem *mem_objects, cl_uint num_events_in_wait_list,
                                               const cl_event *event_wait_list, cl_event *event)
{
    (void)command_queue;
    (void)num_objects;
    (void)mem_objects;
    (void)num_events_in_wait_list;
    (void)event_wait_list;
    (void)event;
    return CL_INVALID_OPERATION;
}

WEAK cl_event weft_clCreateEventFromEGLSyncKHR(cl_context context, CLeglSyncKHR sync, CLeglDisplayKHR display,
                                               cl_int *errcode_ret)
{
    (void)context;
    (void)sync;
    (void)display;
    return refuse(errcode_ret);
}

WEAK cl_mem weft_clCreatePipe(cl_context context, cl_mem_flags flags, cl_uint pipe_packet_size,
                              cl_uint pipe_max_packets, const cl_pipe_properties *properties,
                              cl_int *errcode_ret)
{
    (void)context;
    (void)flags;
    (void)pipe_packet_size;
    (void)pipe_max_packets;
    (void)properties;
    return refuse(errcode_ret);
}

WEAK cl_int weft_clGetPipeInfo(cl_mem pipe, cl_pipe_info param_name, size_t param_value_size,
                               void *param_value, size_t *param_value_size_ret)
{
    (void)pipe;
    (void)param_name;
    (void)param_value_size;
    (void)param_value;
    (void)param_value_size_ret;
    return CL_INVALID_OPERATION;
}

WEAK void *weft_clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment)
{
    (void)context;
    (void)flags;
    (void)size;
    (void)alignment;
    return NULL;
}

WEAK void weft_clSVMFree(cl_context context, void *svm_pointer)
{
    (void)context;
    (void)svm_pointer;
}

WEAK cl_int weft_clEnqueueSVMFree(cl_command_queue command_queue, cl_uint num_svm_pointers,
                                  void *svm_pointers[],
                                  void (*pfn_free_func)(cl_command_queue queue, cl_uint num_svm_pointers,
                                                        void *svm_pointers[], void *user_data),
                                  void *user_data, cl_uint num_events_in_wait_list,
                                  const cl_event *event_wait_list, cl_event *event)
{
    (void)command_queue;
    (void)num_svm_pointers;
    (void)svm_pointers;
    (void)pfn_free_func;
    (void)user_data;
    (void)num_events_in_wait_list;
    (void)event_wait_list;
    (void)event;
    return CL_INVALID_OPERATION;
}

WEAK cl_int weft_clEnqueueSVMMemcpy(cl_command_queue command_queue, cl_bool blocking_copy, void *dst_ptr,
                                    const void *src_ptr, size_t size, cl_uint num_events_in_wait_list,
                                    const cl_event *event_wait_list, cl_event *event)
{
    (void)command_queue;
    (void)blocking_copy;
    (void)dst_ptr;
    (void)src_ptr;
    (void)size;
    (void)num_events_in_wait_list;
    (void)event_wait_list;
    (void)event;
    return CL_INVALID_OPERATION;
}

WEAK cl_int weft_clEnqueueSVMMemFill(cl_command_queue command_queue, void *svm_ptr, const void *pattern,
                                     size_t pattern_size, size_t size, cl_uint num_events_in_wait_list,
                                     const cl_event *event_wait_list, cl_event *event)
{
    (void)command_queue;
    (void)svm_ptr;
    (void)pattern;
    (void)pattern_size;
    (void)size;
    (void)num_events_in_wait_list;
    (void)event_wait_list;
    (void)event;
    return CL_INVALID_OPERATION;
}

WEAK cl_int weft_clEnqueueSVMMap(cl_command_queue command_queue, cl_bool blocking_map, cl_map_flags flags,
                                 void *svm_ptr, size_t size, cl_uint num_events_in_wait_list,
                                 const cl_event *event_wait_list, cl_event *event)
{
    (void)command_queue;
    (void)blocking_map;
    (void)flags;
    (void)svm_ptr;
    (void)size;
    (void)num_events_in_wait_list;
    (void)event_wait_list;
    (void)event;
    return CL_INVALID_OPERATION;
}

WEAK cl_int weft_clEnqueueSVMUnmap(cl_command_queue command_queue, void *svm_ptr,
                                   cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                   cl_event *event)
{
    (void)command_queue;
    (void)svm_ptr;
    (void)num_events_in_wait_list;
    (void)event_wait_list;
    (void)event;
    return CL_INVALID_OPERATION;
}

WEAK cl_sampler weft_clCreateSamplerWithProperties(cl_context context,
                                                   const cl_sampler_properties *sampler_properties,
                                                   cl_int *errcode_ret)
{
    (void)context;
    (void)sampler_properties;
    return refuse(errcode_ret);
}

WEAK cl_int weft_clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint arg_index, const void *arg_value)
{
    (void)kernel;
    (void)arg_index;
    (void)arg_value;
    return CL_INVALID_OPERATION;
}

WEAK cl_int weft_clSetKernelExecInfo(cl_kernel kernel, cl_kernel_exec_info param_name,
                                     size_t param_value_size, const void *param_value)
{
    (void)kernel;
    (void)param_name;
    (void)param_value_size;
    (void)param_value;
    return CL_INVALID_OPERATION;
}

WEAK cl_int weft_clGetKernelSubGroupInfoKHR(cl_kernel in_kernel, cl_device_id in_device,
                                            cl_kernel_sub_group_info param_name, size_t input_value_size,
                                            const void *input_value, size_t param_value_size,
                                            void *param_value, size_t *param_value_size_ret)
{
    (void)in_kernel;
    (void)in_device;
    (void)param_name;
    (void)input_value_size;
    (void)input_value;
    (void)param_value_size;
    (void)param_value;
    (void)param_value_size_ret;
    return CL_INVALID_OPERATION;
}

WEAK cl_kernel weft_clCloneKernel(cl_kernel source_kernel, cl_int *errcode_ret)
{
    (void)source_kernel;
    return refuse(errcode_ret);
}

WEAK cl_program weft_clCreateProgramWithIL(cl_context context, const void *il, size_t length,
                                           cl_int *errcode_ret)
{
    (void)context;
    (void)il;
    (void)length;
    return refuse(errcode_ret);
}

WEAK cl_int weft_clEnqueueSVMMigrateMem(cl_command_queue command_queue, cl_uint num_svm_pointers,
                                        const void **svm_pointers, const size_t *sizes,
                                        cl_mem_migration_flags flags, cl_uint num_events_in_wait_list,
                                        const cl_event *event_wait_list, cl_event *event)
{
    (void)command_queue;
    (void)num_svm_pointers;
    (void)svm_pointers;
    (void)sizes;
    (void)flags;
    (void)num_events_in_wait_list;
    (void)event_wait_list;
    (void)event;
    return CL_INVALID_OPERATION;
}

WEAK cl_int weft_clGetKernelSubGroupInfo(cl_kernel kernel, cl_device_id device,
                                         cl_kernel_sub_group_info param_name, size_t input_value_size,
                                         const void *input_value, size_t param_value_size, void *param_value,
                                         size_t *param_value_size_ret)
{
    (void)kernel;
    (void)device;
    (void)param_name;
    (void)input_value_size;
    (void)input_value;
    (void)param_value_size;
    (void)param_value;
    (void)param_value_size_ret;
    return CL_INVALID_OPERATION;
}

WEAK cl_int weft_clSetProgramReleaseCallback(cl_program program,
                                             void (*pfn_notify)(cl_program program, void *user_data),
                                             void *user_data)
{
    (void)program;
    (void)pfn_notify;
    (void)user_data;
    return CL_INVALID_OPERATION;
}

WEAK cl_int weft_clSetProgramSpecializationConstant(cl_program program, cl_uint spec_id, size_t spec_size,
                                                    const void *spec_value)
{
    (void)program;
    (void)spec_id;
    (void)spec_size;
    (void)spec_value;
    return CL_INVALID_OPERATION;
}

WEAK cl_mem weft_clCreateBufferWithProperties(cl_context context, const cl_mem_properties *properties,
                                              cl_mem_flags flags, size_t size, void *host_ptr,
                                              cl_int *errcode_ret)
{
    (void)context;
    (void)properties;
    (void)flags;
    (void)size;
    (void)host_ptr;
    return refuse(errcode_ret);
}

WEAK cl_mem weft_clCreateImageWithProperties(cl_context context, const cl_mem_properties *properties,
                                             cl_mem_flags flags, const cl_image_format *image_format,
                                             const cl_image_desc *image_desc, void *host_ptr,
                                             cl_int *errcode_ret)
{
    (void)context;
    (void)properties;
    (void)flags;
    (void)image_format;
    (void)image_desc;
    (void)host_ptr;
    return refuse(errcode_ret);
}

// Objects that cannot be created yet need no destruction.
#define WEAK_DESTROY(tag)                                                                                    \
    WEAK void tag##_destroy(struct weft_object *o);                                                          \
    WEAK void tag##_destroy(struct weft_object *o)                                                           \
    {                                                                                                        \
        (void)o;                                                                                             \
    }
WEAK_DESTROY(weft_mem)
WEAK_DESTROY(weft_sampler)
WEAK_DESTROY(weft_program)
WEAK_DESTROY(weft_kernel)
