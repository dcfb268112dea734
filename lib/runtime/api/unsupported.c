// Entry points of features that the device reports as not supported (info/device.def, features.def). Each
// checks its first object and then returns what the specification says for such devices: CL_INVALID_OPERATION
// or, if it takes an object that can't exist, that object's error. A feature that gets implemented is removed
// from here.
#include "runtime/api/api.h"
#include "runtime/core/call_scope.h"
#include "runtime/core/diagnostics.h"
#include "runtime/core/object.h"

// Entry points here look at their first argument only, so the others are unused.
#pragma GCC diagnostic ignored "-Wunused-parameter"

static cl_int unsupported(void)
{
    return weft_error(CL_INVALID_OPERATION,
                      "Weft doesn't support sharing with OpenGL, EGL, Direct3D or DirectX");
}

#define REFUSE_CREATION(type, name, context, ...)                                                            \
    type weft_##name(__VA_ARGS__)                                                                            \
    {                                                                                                        \
        WEFT_CALL;                                                                                           \
        return WEFT_API_RETURN(context, NULL, weft_context_of(context) ? unsupported() : CL_INVALID_CONTEXT, \
                               errcode_ret);                                                                 \
    }
#define REFUSE_ON(check, object, error, name, ...)                         \
    cl_int weft_##name(__VA_ARGS__)                                        \
    {                                                                      \
        WEFT_CALL;                                                         \
        return WEFT_ANSWER(object, check(object) ? unsupported() : error); \
    }
#define REFUSE_COMMAND(name, queue, ...) \
    REFUSE_ON(weft_queue_of, queue, CL_INVALID_COMMAND_QUEUE, name, __VA_ARGS__)
#define REFUSE_QUERY(name, error, ...)   \
    cl_int weft_##name(__VA_ARGS__)      \
    {                                    \
        WEFT_CALL;                       \
        return WEFT_ANSWER(NULL, error); \
    }

// OpenGL and EGL
REFUSE_CREATION(cl_mem, clCreateFromGLBuffer, context, cl_context context, cl_mem_flags flags,
                cl_GLuint bufobj, cl_int *errcode_ret)
REFUSE_CREATION(cl_mem, clCreateFromGLTexture2D, context, cl_context context, cl_mem_flags flags,
                cl_GLenum target, cl_GLint miplevel, cl_GLuint texture, cl_int *errcode_ret)
REFUSE_CREATION(cl_mem, clCreateFromGLTexture3D, context, cl_context context, cl_mem_flags flags,
                cl_GLenum target, cl_GLint miplevel, cl_GLuint texture, cl_int *errcode_ret)
REFUSE_CREATION(cl_mem, clCreateFromGLRenderbuffer, context, cl_context context, cl_mem_flags flags,
                cl_GLuint renderbuffer, cl_int *errcode_ret)
// A valid memory object isn't one of OpenGL.
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

// Direct3D and DirectX: slots that only another operating system uses.

cl_int weft_no_d3d_int(void)
{
    return WEFT_ANSWER(NULL, unsupported());
}

cl_mem weft_no_d3d_buffer(cl_context context, cl_mem_flags flags, void *resource, cl_int *errcode_ret)
{
    return WEFT_API_RETURN(context, NULL, unsupported(), errcode_ret);
}

cl_mem weft_no_d3d_texture(cl_context context, cl_mem_flags flags, void *resource, cl_uint subresource,
                           cl_int *errcode_ret)
{
    return WEFT_API_RETURN(context, NULL, unsupported(), errcode_ret);
}

cl_mem weft_no_dx9_surface(cl_context context, cl_mem_flags flags, cl_uint adapter_type, void *surface_info,
                           cl_uint plane, cl_int *errcode_ret)
{
    return WEFT_API_RETURN(context, NULL, unsupported(), errcode_ret);
}
