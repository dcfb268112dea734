// The driver without a loader: what cl_khr_icd 1.0 and 2.0.0 ask of a vendor library.
#include "icd/icd.h"

static cl_platform_id platform_of(void *lib)
{
    cl_platform_id p = NULL;
    cl_uint n = 0;
    get_platforms_fn get = SYMBOL(lib, get_platforms_fn, "clIcdGetPlatformIDsKHR");
    OK(get(0, NULL, &n));
    CHECK_EQ(n, 1);
    OK(get(1, &p, NULL));
    return p;
}

TEST(no_slot_of_the_table_is_empty)
{
    cl_platform_id p = platform_of(open_driver());
    const cl_icd_dispatch *d = ((struct head *)(void *)p)->dispatch;
    void *const *slots = (void *const *)(const void *)d;
    for (size_t i = 0; i < sizeof *d / sizeof *slots; i++)
        if (!slots[i])
            FAIL("slot %zu is NULL", i);
    // The functions that OpenCL 3.1 added after them, whatever the header of this build has.
    get_function_fn all = SYMBOL(open_driver(), get_function_fn, "clIcdGetFunctionAddressForPlatformKHR");
    const size_t after = offsetof(cl_icd_dispatch, clSetContextDestructorCallback) / sizeof *slots + 1;
    CHECK(slots[after] && slots[after] == all(p, "clGetKernelSuggestedLocalWorkSize"));
    // Both tags, or a loader ignores the driver.
    CHECK_EQ((intptr_t)d->clGetPlatformIDs, TAG);
    CHECK_EQ((intptr_t)d->clUnloadCompiler, TAG);
}

TEST(functions_by_name)
{
    void *lib = open_driver();
    cl_platform_id p = platform_of(lib);
    const cl_icd_dispatch *d = ((struct head *)(void *)p)->dispatch;
    get_function_fn all = SYMBOL(lib, get_function_fn, "clIcdGetFunctionAddressForPlatformKHR");
    void *(*extension)(const char *) = (void *(*)(const char *))symbol(lib, "clGetExtensionFunctionAddress");
    CHECK(all(p, "clCreateContext") == (void *)d->clCreateContext);
    CHECK(all(p, "clSetContextDestructorCallback") == (void *)d->clSetContextDestructorCallback);
    CHECK(all(p, "clIcdGetPlatformIDsKHR") != NULL);
    CHECK(all(p, "clGetPlatformIDs") != NULL); // whose slot holds the tag
    CHECK(all(p, "clNoSuchFunction") == NULL);
    CHECK(all(p, "clCreateContex") == NULL);
    CHECK(all(p, NULL) == NULL);
    CHECK(all(NULL, "clCreateContext") == NULL);
    CHECK(extension("clIcdGetPlatformIDsKHR") != NULL);
    CHECK(extension("clIcdSetPlatformDispatchDataKHR") != NULL);
    CHECK(extension("clGetPlatformInfo") != NULL);
    CHECK(extension("clNoSuchFunction") == NULL);
    CHECK(extension("clCreateFromGLBuffer") == NULL); // cl_khr_gl_sharing isn't there
    CHECK(extension(NULL) == NULL);
    CHECK(d->clGetExtensionFunctionAddressForPlatform != NULL);
    get_function_fn for_platform = (get_function_fn)d->clGetExtensionFunctionAddressForPlatform;
    CHECK(for_platform(p, "clIcdGetPlatformIDsKHR") != NULL);
    CHECK(for_platform(p, "clNoSuchFunction") == NULL);
    CHECK(for_platform(NULL, "clIcdGetPlatformIDsKHR") == NULL);
}

static void check_data(const void *object, void *data)
{
    CHECK(object != NULL);
    CHECK(((const struct head *)object)->data == data);
}

TEST(the_loaders_data_reaches_every_kind_of_object)
{
    void *lib = open_driver();
    cl_platform_id p = platform_of(lib);
    const cl_icd_dispatch *d = ((struct head *)(void *)p)->dispatch;
    set_data_fn set = SYMBOL(lib, set_data_fn, "clIcdSetPlatformDispatchDataKHR");
    static int data;
    CHECK_EQ(set(NULL, &data), CL_INVALID_PLATFORM);
    OK(set(p, &data));
    check_data(p, &data);

    cl_device_id device = NULL;
    cl_event event = NULL;
    cl_int err;
    const char *source = "kernel void k(void) {}";
    OK(d->clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    check_data(device, &data);
    cl_context c = d->clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    check_data(c, &data);
    cl_command_queue q = d->clCreateCommandQueue(c, device, 0, NULL);
    check_data(q, &data);
    cl_event user = d->clCreateUserEvent(c, NULL);
    check_data(user, &data);
    OK(d->clEnqueueMarkerWithWaitList(q, 0, NULL, &event));
    check_data(event, &data);
    cl_mem m = d->clCreateBuffer(c, CL_MEM_READ_WRITE, 4096, NULL, NULL);
    check_data(m, &data);
    cl_buffer_region half = {0, 2048};
    cl_mem sub = d->clCreateSubBuffer(m, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &half, NULL);
    check_data(sub, &data);
    cl_program program = d->clCreateProgramWithSource(c, 1, &source, NULL, &err);
    check_data(program, &data);
    OK(d->clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    cl_kernel k = d->clCreateKernel(program, "k", NULL), all = NULL;
    check_data(k, &data);
    OK(d->clCreateKernelsInProgram(program, 1, &all, NULL));
    check_data(all, &data);
    cl_kernel copy = d->clCloneKernel(k, NULL);
    check_data(copy, &data);
    unsigned char *binary = NULL;
    size_t size = 0;
    OK(d->clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    CHECK((binary = malloc(size)) != NULL);
    OK(d->clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
    const unsigned char *loaded = binary;
    cl_program again = d->clCreateProgramWithBinary(c, 1, &device, &size, &loaded, NULL, NULL);
    check_data(again, &data);
    free(binary);
    cl_program compiled = d->clCreateProgramWithSource(c, 1, &source, NULL, NULL);
    OK(d->clCompileProgram(compiled, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    cl_program linked = d->clLinkProgram(c, 0, NULL, NULL, 1, &compiled, NULL, NULL, NULL);
    check_data(linked, &data);
    cl_event launched = NULL, mapped = NULL;
    size_t one = 1;
    OK(d->clEnqueueNDRangeKernel(q, k, 1, NULL, &one, NULL, 0, NULL, &launched));
    check_data(launched, &data);
    CHECK(d->clEnqueueMapBuffer(q, m, CL_TRUE, CL_MAP_READ, 0, 8, 0, NULL, &mapped, NULL) != NULL);
    check_data(mapped, &data);
    cl_context by_type = d->clCreateContextFromType(NULL, CL_DEVICE_TYPE_ALL, NULL, NULL, NULL);
    check_data(by_type, &data);
    cl_command_queue with = d->clCreateCommandQueueWithProperties(c, device, NULL, NULL);
    check_data(with, &data);
    OK(d->clFinish(q));
    OK(d->clReleaseCommandQueue(with));
    OK(d->clReleaseContext(by_type));
    OK(d->clReleaseEvent(launched));
    OK(d->clReleaseEvent(mapped));
    OK(d->clReleaseProgram(linked));
    OK(d->clReleaseProgram(compiled));
    OK(d->clReleaseProgram(again));
    OK(d->clReleaseKernel(copy));
    OK(d->clReleaseKernel(all));
    OK(d->clReleaseKernel(k));
    OK(d->clReleaseProgram(program));
    OK(d->clReleaseMemObject(sub));
    OK(d->clReleaseMemObject(m));
    OK(d->clReleaseEvent(event));
    OK(d->clReleaseEvent(user));
    OK(d->clReleaseCommandQueue(q));
    OK(d->clReleaseContext(c));
}

TEST(entry_points_of_what_is_not_supported_refuse)
{
    void *lib = open_driver();
    cl_platform_id p = platform_of(lib);
    const cl_icd_dispatch *d = ((struct head *)(void *)p)->dispatch;
    cl_device_id device = NULL;
    cl_int err = 1;
    OK(d->clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    cl_context c = d->clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    CHECK(d->clCreateFromGLBuffer(c, 0, 1, &err) == NULL);
    CHECK_EQ(err, CL_INVALID_OPERATION);
    err = 1;
    cl_mem (*d3d)(cl_context, cl_mem_flags, void *, cl_int *) =
        (cl_mem(*)(cl_context, cl_mem_flags, void *, cl_int *))d->clCreateFromD3D10BufferKHR;
    CHECK(d3d(c, 0, NULL, &err) == NULL);
    CHECK_EQ(err, CL_INVALID_OPERATION);
    OK(d->clReleaseContext(c));
}

// The driver is loaded, used, and unloaded with work in flight, again and again. Memory that it didn't
// release would grow each time.
TEST(unloading_and_loading_again)
{
    for (int i = 0; i < 20; i++) {
        void *lib = open_driver();
        cl_platform_id p = platform_of(lib);
        const cl_icd_dispatch *d = ((struct head *)(void *)p)->dispatch;
        cl_device_id device = NULL;
        OK(d->clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
        cl_context c = d->clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
        cl_command_queue q = d->clCreateCommandQueue(c, device, 0, NULL);
        char zeros[4096] = {0};
        cl_mem m = d->clCreateBuffer(c, CL_MEM_READ_WRITE, sizeof zeros, NULL, NULL);
        OK(d->clEnqueueWriteBuffer(q, m, CL_FALSE, 0, sizeof zeros, zeros, 0, NULL, NULL));
        OK(d->clFlush(q));
        OK(d->clFinish(q));
        OK(d->clReleaseMemObject(m));
        OK(d->clReleaseCommandQueue(q));
        OK(d->clReleaseContext(c));
        CHECK_EQ(dlclose(lib), 0);
    }
}
