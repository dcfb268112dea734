// What the tests of command buffers share: the functions, which are looked up by name, and a kernel.
#ifndef WEFT_TESTS_COMMAND_BUFFER_FIXTURE_H
#define WEFT_TESTS_COMMAND_BUFFER_FIXTURE_H

#include "runtime/api/api.h"
#include "harness.h"

typedef struct _cl_command_buffer_khr *buffer_handle;
typedef struct _cl_mutable_command_khr *command_handle;

#define COMMAND_BUFFER_CALLS(X)        \
    X(clCreateCommandBufferKHR)        \
    X(clRetainCommandBufferKHR)        \
    X(clReleaseCommandBufferKHR)       \
    X(clFinalizeCommandBufferKHR)      \
    X(clEnqueueCommandBufferKHR)       \
    X(clGetCommandBufferInfoKHR)       \
    X(clCommandBarrierWithWaitListKHR) \
    X(clCommandCopyBufferKHR)          \
    X(clCommandCopyBufferRectKHR)      \
    X(clCommandCopyBufferToImageKHR)   \
    X(clCommandCopyImageKHR)           \
    X(clCommandCopyImageToBufferKHR)   \
    X(clCommandFillBufferKHR)          \
    X(clCommandFillImageKHR)           \
    X(clCommandSVMMemcpyKHR)           \
    X(clCommandSVMMemFillKHR)          \
    X(clCommandNDRangeKernelKHR)       \
    X(clRemapCommandBufferKHR)         \
    X(clUpdateMutableCommandsKHR)      \
    X(clGetMutableCommandInfoKHR)

// Under other names than those that an older header declares, with other types.
#define DECLARE_CALL(name) static weft_fn_##name found_##name;
COMMAND_BUFFER_CALLS(DECLARE_CALL)
#define clCreateCommandBufferKHR found_clCreateCommandBufferKHR
#define clRetainCommandBufferKHR found_clRetainCommandBufferKHR
#define clReleaseCommandBufferKHR found_clReleaseCommandBufferKHR
#define clFinalizeCommandBufferKHR found_clFinalizeCommandBufferKHR
#define clEnqueueCommandBufferKHR found_clEnqueueCommandBufferKHR
#define clGetCommandBufferInfoKHR found_clGetCommandBufferInfoKHR
#define clCommandBarrierWithWaitListKHR found_clCommandBarrierWithWaitListKHR
#define clCommandCopyBufferKHR found_clCommandCopyBufferKHR
#define clCommandCopyBufferRectKHR found_clCommandCopyBufferRectKHR
#define clCommandCopyBufferToImageKHR found_clCommandCopyBufferToImageKHR
#define clCommandCopyImageKHR found_clCommandCopyImageKHR
#define clCommandCopyImageToBufferKHR found_clCommandCopyImageToBufferKHR
#define clCommandFillBufferKHR found_clCommandFillBufferKHR
#define clCommandFillImageKHR found_clCommandFillImageKHR
#define clCommandSVMMemcpyKHR found_clCommandSVMMemcpyKHR
#define clCommandSVMMemFillKHR found_clCommandSVMMemFillKHR
#define clCommandNDRangeKernelKHR found_clCommandNDRangeKernelKHR
#define clRemapCommandBufferKHR found_clRemapCommandBufferKHR
#define clUpdateMutableCommandsKHR found_clUpdateMutableCommandsKHR
#define clGetMutableCommandInfoKHR found_clGetMutableCommandInfoKHR

HARNESS_UNUSED static void find_command_buffer_calls(cl_platform_id platform)
{
#define FIND_CALL(name) \
    CHECK((found_##name = (weft_fn_##name)clGetExtensionFunctionAddressForPlatform(platform, #name)) != NULL);
    COMMAND_BUFFER_CALLS(FIND_CALL)
}

struct place {
    cl_platform_id platform;
    cl_device_id device;
    cl_context context, other;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel; // p[get_global_id(0)] += n
    cl_mem data;      // 1024 ints of 0
};

HARNESS_UNUSED static struct place open_place(cl_command_queue_properties bits)
{
    struct place w;
    cl_int error = 1;
    CHECK_EQ(clGetPlatformIDs(1, &w.platform, NULL), CL_SUCCESS);
    CHECK_EQ(clGetDeviceIDs(w.platform, CL_DEVICE_TYPE_ALL, 1, &w.device, NULL), CL_SUCCESS);
    w.context = clCreateContext(NULL, 1, &w.device, NULL, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    w.other = clCreateContext(NULL, 1, &w.device, NULL, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    w.queue = clCreateCommandQueue(w.context, w.device, bits, &error);
    CHECK_EQ(error, CL_SUCCESS);
    const char *source = "kernel void add(global int *p, int n) { p[get_global_id(0)] += n; }\n"
                         "kernel void shout(int n) { printf(\"%d!\", n); }\n"
                         "kernel void wild(global int *p, ulong far) { p[far] = 1; }\n"
                         "kernel void groups(global int *p) { p[get_global_id(0)] = get_num_groups(0); }\n";
    w.program = clCreateProgramWithSource(w.context, 1, &source, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clBuildProgram(w.program, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
    w.kernel = clCreateKernel(w.program, "add", &error);
    CHECK_EQ(error, CL_SUCCESS);
    static const int zeros[1024];
    w.data = clCreateBuffer(w.context, CL_MEM_COPY_HOST_PTR, sizeof zeros, (void *)(uintptr_t)zeros, &error);
    CHECK_EQ(error, CL_SUCCESS);
    find_command_buffer_calls(w.platform);
    return w;
}

HARNESS_UNUSED static void close_place(struct place *w)
{
    CHECK_EQ(clFinish(w->queue), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(w->data), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(w->kernel), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(w->program), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandQueue(w->queue), CL_SUCCESS);
    CHECK_EQ(clReleaseContext(w->context), CL_SUCCESS);
    CHECK_EQ(clReleaseContext(w->other), CL_SUCCESS);
}

HARNESS_UNUSED static buffer_handle make_command_buffer(struct place *w, cl_properties flags)
{
    const cl_properties properties[] = {CL_COMMAND_BUFFER_FLAGS_KHR, flags, 0};
    cl_int error = 1;
    buffer_handle b = clCreateCommandBufferKHR(1, &w->queue, flags ? properties : NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK(b != NULL);
    return b;
}

HARNESS_UNUSED static void set_add(struct place *w, cl_int n)
{
    CHECK_EQ(clSetKernelArg(w->kernel, 0, sizeof w->data, &w->data), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(w->kernel, 1, sizeof n, &n), CL_SUCCESS);
}

// Adds n to the first `items` ints.
HARNESS_UNUSED static command_handle record_add(struct place *w, buffer_handle b, size_t items, cl_int n)
{
    command_handle command = NULL;
    set_add(w, n);
    CHECK_EQ(
        clCommandNDRangeKernelKHR(b, NULL, NULL, w->kernel, 1, NULL, &items, NULL, 0, NULL, NULL, &command),
        CL_SUCCESS);
    CHECK(command != NULL);
    return command;
}

// Updates what one configuration says.
HARNESS_UNUSED static cl_int update(buffer_handle b, const struct weft_mutable_config *c)
{
    const cl_uint type = WEFT_MUTABLE_DISPATCH_CONFIG;
    const void *configs[] = {c};
    return clUpdateMutableCommandsKHR(b, 1, &type, configs);
}

// Updates the second argument, an int, of an `add`.
HARNESS_UNUSED static cl_int update_n(buffer_handle b, command_handle command, cl_int n)
{
    const struct weft_mutable_arg arg = {1, sizeof n, &n};
    const struct weft_mutable_config c = {.command = command, .arg_count = 1, .args = &arg};
    return update(b, &c);
}

HARNESS_UNUSED static void replay(buffer_handle b)
{
    CHECK_EQ(clEnqueueCommandBufferKHR(0, NULL, b, 0, NULL, NULL), CL_SUCCESS);
}

HARNESS_UNUSED static cl_int value_at(struct place *w, size_t i)
{
    cl_int value = -1;
    CHECK_EQ(clEnqueueReadBuffer(w->queue, w->data, CL_TRUE, i * sizeof value, sizeof value, &value, 0, NULL,
                                 NULL),
             CL_SUCCESS);
    return value;
}

HARNESS_UNUSED static cl_uint state_of(buffer_handle b)
{
    cl_uint state = 99;
    CHECK_EQ(clGetCommandBufferInfoKHR(b, CL_COMMAND_BUFFER_STATE_KHR, sizeof state, &state, NULL),
             CL_SUCCESS);
    return state;
}

#endif
