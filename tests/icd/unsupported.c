// Entry points of features that the device doesn't have, through the dispatch table: a handle that is none
// gets its own error, and after that comes what the specification gives for devices without the feature.
#include "icd/icd.h"

struct driver {
    const cl_icd_dispatch *d;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_mem buffer;
};

static struct driver open_all(void)
{
    struct driver v = {0};
    cl_platform_id p = NULL;
    cl_int err;
    OK(SYMBOL(open_driver(), get_platforms_fn, "clIcdGetPlatformIDsKHR")(1, &p, NULL));
    v.d = ((struct head *)(void *)p)->dispatch;
    OK(v.d->clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, 1, &v.device, NULL));
    v.context = v.d->clCreateContext(NULL, 1, &v.device, NULL, NULL, &err);
    OK(err);
    v.queue = v.d->clCreateCommandQueue(v.context, v.device, 0, &err);
    OK(err);
    v.buffer = v.d->clCreateBuffer(v.context, CL_MEM_READ_WRITE, 64, NULL, &err);
    OK(err);
    return v;
}

static void close_all(const struct driver *v)
{
    OK(v->d->clReleaseMemObject(v->buffer));
    OK(v->d->clReleaseCommandQueue(v->queue));
    OK(v->d->clReleaseContext(v->context));
}

// A creating call with *context* in it; it sets err.
#define REFUSES_CREATION(call)                 \
    do {                                       \
        cl_int err = 1;                        \
        cl_context context = v.context;        \
        CHECK((call) == NULL);                 \
        CHECK_EQ(err, CL_INVALID_OPERATION);   \
        context = NULL;                        \
        CHECK((call) == NULL);                 \
        CHECK_EQ(err, CL_INVALID_CONTEXT);     \
        context = (cl_context)(void *)v.queue; \
        CHECK((call) == NULL);                 \
        CHECK_EQ(err, CL_INVALID_CONTEXT);     \
    } while (0)

// A command with *queue* in it.
#define REFUSES_COMMAND(call)                        \
    do {                                             \
        cl_command_queue queue = v.queue;            \
        CHECK_EQ((call), CL_INVALID_OPERATION);      \
        queue = NULL;                                \
        CHECK_EQ((call), CL_INVALID_COMMAND_QUEUE);  \
        queue = (cl_command_queue)(void *)v.context; \
        CHECK_EQ((call), CL_INVALID_COMMAND_QUEUE);  \
    } while (0)

TEST(other_interfaces_memory)
{
    struct driver v = open_all();
    cl_uint value;
    REFUSES_CREATION(v.d->clCreateFromGLBuffer(context, 0, 1, &err));
    REFUSES_CREATION(v.d->clCreateFromGLTexture(context, 0, 0, 0, 1, &err));
    REFUSES_CREATION(v.d->clCreateFromGLTexture2D(context, 0, 0, 0, 1, &err));
    REFUSES_CREATION(v.d->clCreateFromGLTexture3D(context, 0, 0, 0, 1, &err));
    REFUSES_CREATION(v.d->clCreateFromGLRenderbuffer(context, 0, 1, &err));
    REFUSES_CREATION(v.d->clCreateEventFromGLsyncKHR(context, NULL, &err));
    REFUSES_CREATION(v.d->clCreateFromEGLImageKHR(context, NULL, NULL, 0, NULL, &err));
    REFUSES_CREATION(v.d->clCreateEventFromEGLSyncKHR(context, NULL, NULL, &err));
    REFUSES_COMMAND(v.d->clEnqueueAcquireGLObjects(queue, 1, &v.buffer, 0, NULL, NULL));
    REFUSES_COMMAND(v.d->clEnqueueReleaseGLObjects(queue, 1, &v.buffer, 0, NULL, NULL));
    REFUSES_COMMAND(v.d->clEnqueueAcquireEGLObjectsKHR(queue, 1, &v.buffer, 0, NULL, NULL));
    REFUSES_COMMAND(v.d->clEnqueueReleaseEGLObjectsKHR(queue, 1, &v.buffer, 0, NULL, NULL));
    CHECK_EQ(v.d->clGetGLObjectInfo(v.buffer, NULL, NULL), CL_INVALID_GL_OBJECT);
    CHECK_EQ(v.d->clGetGLObjectInfo(NULL, NULL, NULL), CL_INVALID_MEM_OBJECT);
    CHECK_EQ(v.d->clGetGLTextureInfo(v.buffer, CL_GL_TEXTURE_TARGET, sizeof value, &value, NULL),
             CL_INVALID_GL_OBJECT);
    CHECK_EQ(v.d->clGetGLContextInfoKHR(NULL, CL_CURRENT_DEVICE_FOR_GL_CONTEXT_KHR, 0, NULL, NULL),
             CL_INVALID_OPERATION);
    close_all(&v);
}

TEST(direct3d)
{
    struct driver v = open_all();
    cl_int err = 1;
    cl_mem (*create)(cl_context, cl_mem_flags, void *, cl_int *) =
        (cl_mem(*)(cl_context, cl_mem_flags, void *, cl_int *))v.d->clCreateFromD3D11BufferKHR;
    CHECK(create(v.context, 0, NULL, &err) == NULL);
    CHECK_EQ(err, CL_INVALID_OPERATION);
    // Without the arguments, whose types belong to another system's headers.
    cl_int (*acquire)(void) = (cl_int(*)(void))v.d->clEnqueueAcquireDX9MediaSurfacesKHR;
    CHECK_EQ(acquire(), CL_INVALID_OPERATION);
    close_all(&v);
}

TEST(the_newer_versions_optional_features)
{
    struct driver v = open_all();
    cl_int err = 1;
    const char *source = "kernel void k(global int *p) { *p = 1; }";
    cl_program p = v.d->clCreateProgramWithSource(v.context, 1, &source, NULL, &err);
    OK(err);
    OK(v.d->clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
    cl_kernel k = v.d->clCreateKernel(p, "k", &err);
    OK(err);
    CHECK_EQ(v.d->clSetProgramReleaseCallback(NULL, NULL, NULL), CL_INVALID_PROGRAM);
    CHECK_EQ(v.d->clSetDefaultDeviceCommandQueue(NULL, v.device, v.queue), CL_INVALID_CONTEXT);
    CHECK_EQ(v.d->clSetDefaultDeviceCommandQueue(v.context, v.device, v.queue), CL_INVALID_COMMAND_QUEUE);
    OK(v.d->clReleaseKernel(k));
    OK(v.d->clReleaseProgram(p));
    close_all(&v);
}
