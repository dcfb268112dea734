// A driver that never answers, as another driver's broken installation may: HANGS_IN says where. It has one
// device, and all of its functions that `weft bench` calls before that say that all is well.
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_icd.h>
#include <string.h>
#include <unistd.h>

enum place { LOAD, BUILD, FINISH };

// Objects of a driver begin with its table of functions.
static cl_icd_dispatch table;
static struct {
    cl_icd_dispatch *table;
} object = {&table};

static void hang_in(enum place here)
{
    while (here == HANGS_IN)
        pause();
}

__attribute__((constructor)) static void load(void)
{
    hang_in(LOAD);
}

static void *made(cl_int *error)
{
    if (error)
        *error = CL_SUCCESS;
    return &object;
}

static cl_int CL_API_CALL get_devices(cl_platform_id p, cl_device_type t, cl_uint n, cl_device_id *d,
                                      cl_uint *count)
{
    (void)p, (void)t, (void)n, (void)count;
    *d = made(NULL);
    return CL_SUCCESS;
}

static cl_int CL_API_CALL get_info(cl_device_id d, cl_device_info what, size_t size, void *value, size_t *got)
{
    (void)d, (void)got;
    if (what != CL_DRIVER_VERSION)
        return CL_INVALID_VALUE;
    strncpy(value, "hangs", size);
    return CL_SUCCESS;
}

static cl_context CL_API_CALL create_context(const cl_context_properties *p, cl_uint n, const cl_device_id *d,
                                             void(CL_CALLBACK *f)(const char *, const void *, size_t, void *),
                                             void *u, cl_int *error)
{
    (void)p, (void)n, (void)d, (void)f, (void)u;
    return made(error);
}

static cl_command_queue CL_API_CALL create_queue(cl_context c, cl_device_id d, cl_command_queue_properties p,
                                                 cl_int *error)
{
    (void)c, (void)d, (void)p;
    return made(error);
}

static cl_mem CL_API_CALL create_buffer(cl_context c, cl_mem_flags f, size_t n, void *p, cl_int *error)
{
    (void)c, (void)f, (void)n, (void)p;
    return made(error);
}

static cl_program CL_API_CALL create_program(cl_context c, cl_uint n, const char **t, const size_t *l,
                                             cl_int *error)
{
    (void)c, (void)n, (void)t, (void)l;
    return made(error);
}

static cl_int CL_API_CALL build(cl_program p, cl_uint n, const cl_device_id *d, const char *o,
                                void(CL_CALLBACK *f)(cl_program, void *), void *u)
{
    (void)p, (void)n, (void)d, (void)o, (void)f, (void)u;
    hang_in(BUILD);
    return CL_SUCCESS;
}

static cl_kernel CL_API_CALL create_kernel(cl_program p, const char *name, cl_int *error)
{
    (void)p, (void)name;
    return made(error);
}

static cl_int CL_API_CALL set_argument(cl_kernel k, cl_uint i, size_t n, const void *v)
{
    (void)k, (void)i, (void)n, (void)v;
    return CL_SUCCESS;
}

static cl_int CL_API_CALL launch(cl_command_queue q, cl_kernel k, cl_uint d, const size_t *o, const size_t *g,
                                 const size_t *l, cl_uint n, const cl_event *w, cl_event *e)
{
    (void)q, (void)k, (void)d, (void)o, (void)g, (void)l, (void)n, (void)w, (void)e;
    return CL_SUCCESS;
}

static cl_int CL_API_CALL finish(cl_command_queue q)
{
    (void)q;
    hang_in(FINISH);
    return CL_SUCCESS;
}

static cl_int CL_API_CALL get_platforms(cl_uint n, cl_platform_id *p, cl_uint *count)
{
    table = (cl_icd_dispatch){.clGetDeviceIDs = get_devices,
                              .clGetDeviceInfo = get_info,
                              .clCreateContext = create_context,
                              .clCreateCommandQueue = create_queue,
                              .clCreateBuffer = create_buffer,
                              .clCreateProgramWithSource = create_program,
                              .clBuildProgram = build,
                              .clCreateKernel = create_kernel,
                              .clSetKernelArg = set_argument,
                              .clEnqueueNDRangeKernel = launch,
                              .clFinish = finish};
    if (n)
        *p = made(NULL);
    if (count)
        *count = 1;
    return CL_SUCCESS;
}

__attribute__((visibility("default"))) void *clGetExtensionFunctionAddress(const char *name)
{
    return strcmp(name, "clIcdGetPlatformIDsKHR") == 0 ? (void *)get_platforms : NULL;
}
