// Programs with initializers and finalizers in command buffers that are remapped; and errors that are
// reported after a finalizer's fault.
// timeout: 120
// env: WEFT_CACHE=0
#include "api/command_buffer/command_buffer_fixture.h"
#include "api/sub_device_fixture.h"
#include "spirv.h"

static volatile cl_uint *words;

static struct e2e open_all(void)
{
    struct e2e t = e2e_open();
    cl_platform_id platform;
    CHECK_EQ(clGetPlatformIDs(1, &platform, NULL), CL_SUCCESS);
    find_command_buffer_calls(platform);
    return t;
}

// One launch of the kernel.
static buffer_handle record(cl_command_queue q, cl_kernel k)
{
    cl_int error = 1;
    const size_t one = 1;
    buffer_handle b = clCreateCommandBufferKHR(1, &q, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clCommandNDRangeKernelKHR(b, NULL, NULL, k, 1, NULL, &one, NULL, 0, NULL, NULL, NULL),
             CL_SUCCESS);
    CHECK_EQ(clFinalizeCommandBufferKHR(b), CL_SUCCESS);
    return b;
}

TEST(remapped_buffers_use_the_program)
{
    words = map_words();
    struct e2e t = open_all();
    cl_program p = new_il(&t, read_module("finalizers"));
    build(&t, p, "");
    cl_kernel k = new_kernel(p, "get");
    cl_mem m = e2e_buffer(&t, sizeof(cl_uint), NULL);
    cl_int error = 1;
    E2E_ARG(k, 0, m);
    buffer_handle b = record(t.queue, k);
    buffer_handle c = NULL;
    for (int i = 0; i < 5; i++) {
        if (c)
            CHECK_EQ(clReleaseCommandBufferKHR(c), CL_SUCCESS);
        c = clRemapCommandBufferKHR(b, CL_FALSE, 1, &t.queue, 0, NULL, NULL, &error);
        CHECK_EQ(error, CL_SUCCESS);
        CHECK_EQ(words[0], 0);
    }
    CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    CHECK_EQ(clEnqueueCommandBufferKHR(0, NULL, c, 0, NULL, NULL), CL_SUCCESS);
    cl_uint number = 0;
    e2e_read(&t, m, sizeof number, &number);
    CHECK_EQ(number, 42);
    CHECK_EQ(words[0], 0);
    CHECK_EQ(clReleaseCommandBufferKHR(c), CL_SUCCESS);
    await(words);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    e2e_close(&t);
}

TEST(initializers_run_on_the_device_that_a_buffer_is_remapped_to)
{
    words = map_words();
    struct e2e t = open_all();
    cl_device_id both[2];
    if (device_and_parts(t.device, both, 2) < 2)
        SKIP("the device has one processor");
    cl_int error = 1;
    cl_context context = clCreateContext(NULL, 2, both, NULL, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    cl_command_queue from = clCreateCommandQueue(context, both[0], 0, &error);
    CHECK_EQ(error, CL_SUCCESS);
    cl_command_queue to = clCreateCommandQueue(context, both[1], 0, &error);
    CHECK_EQ(error, CL_SUCCESS);
    struct e2e u = t;
    u.context = context;
    cl_program p = new_il(&u, read_module("initializer_counts"));
    build(&u, p, "");
    cl_kernel k = new_kernel(p, "get");
    cl_mem m = e2e_buffer(&u, sizeof(cl_uint), NULL);
    E2E_ARG(k, 0, m);
    buffer_handle b = record(from, k);
    CHECK_EQ(words[0], 1);
    buffer_handle c = clRemapCommandBufferKHR(b, CL_FALSE, 1, &to, 0, NULL, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clEnqueueCommandBufferKHR(0, NULL, c, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clFinish(to), CL_SUCCESS);
    CHECK_EQ(words[0], 2);
    const size_t one = 1;
    CHECK_EQ(clEnqueueNDRangeKernel(to, k, 1, NULL, &one, NULL, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clFinish(to), CL_SUCCESS);
    CHECK_EQ(words[0], 2);
    CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandBufferKHR(c), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandQueue(from), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandQueue(to), CL_SUCCESS);
    CHECK_EQ(clReleaseContext(context), CL_SUCCESS);
    CHECK_EQ(clReleaseDevice(both[1]), CL_SUCCESS);
    e2e_close(&t);
}

TEST(errors_are_still_reported_after_a_finalizer_failed)
{
    words = map_words();
    struct e2e t = open_all();
    cl_program p = new_il(&t, read_module("finalizer_faults")), q = new_il(&t, read_module("finalizers"));
    build(&t, p, "");
    (void)get(&t, p);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_notice[0] = '\0';
    const cl_uint value = 1;
    CHECK_EQ(clSetProgramSpecializationConstant(q, 77, sizeof value, &value), CL_INVALID_SPEC_ID);
    CHECK_CONTAINS(e2e_notice, "CL_INVALID_SPEC_ID");
    CHECK_EQ(clReleaseProgram(q), CL_SUCCESS);
    e2e_close(&t);
}
