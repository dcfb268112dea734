// timeout: 120
// env: WEFT_CACHE=0
// Programs with initializers and finalizers in command buffers that are remapped, and what is told of refusals around them.
#include "api/command_buffer_fixture.h"
#include "spirv.h"

static volatile cl_uint *words;

static char told[1024];
static cl_uint times, depth, deepest; // atomic: the driver's thread calls
static void CL_CALLBACK on_error(const char *why, const void *data, size_t size, void *user)
{
    (void)data, (void)size;
    cl_uint now = __atomic_add_fetch(&depth, 1, __ATOMIC_ACQ_REL);
    if (now > deepest)
        deepest = now;
    snprintf(told, sizeof told, "%s", why);
    if (now < 4)
        CHECK_EQ(clReleaseEvent(*(cl_event *)user), CL_INVALID_EVENT); // a context, if anything
    __atomic_sub_fetch(&depth, 1, __ATOMIC_ACQ_REL);
    __atomic_add_fetch(&times, 1, __ATOMIC_RELEASE);
}

static struct e2e open_all(void)
{
    static cl_event no_event;
    struct e2e t = e2e_open();
    cl_int error = 1;
    CHECK_EQ(clReleaseCommandQueue(t.queue), CL_SUCCESS);
    CHECK_EQ(clReleaseContext(t.context), CL_SUCCESS);
    t.context = clCreateContext(NULL, 1, &t.device, on_error, &no_event, &error);
    CHECK_EQ(error, CL_SUCCESS);
    no_event = (cl_event)t.context;
    t.queue = clCreateCommandQueue(t.context, t.device, 0, &error);
    CHECK_EQ(error, CL_SUCCESS);
    cl_platform_id platform;
    CHECK_EQ(clGetPlatformIDs(1, &platform, NULL), CL_SUCCESS);
    find_command_buffer_calls(platform);
    return t;
}

// One launch of the kernel, without arguments if it has none yet and `properties` let it.
static buffer_handle record(cl_command_queue q, cl_kernel k, const cl_properties *properties)
{
    cl_int error = 1;
    const size_t one = 1;
    buffer_handle b = clCreateCommandBufferKHR(1, &q, properties, &error);
    CHECK_EQ(error, CL_SUCCESS);
    const cl_properties later[] = {CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR,
                                   CL_MUTABLE_DISPATCH_ARGUMENTS_KHR, 0};
    command_handle h;
    CHECK_EQ(clCommandNDRangeKernelKHR(b, NULL, properties ? later : NULL, k, 1, NULL, &one, NULL, 0, NULL,
                                       NULL, properties ? &h : NULL),
             CL_SUCCESS);
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
    buffer_handle b = record(t.queue, k, NULL);
    CHECK_EQ(clFinalizeCommandBufferKHR(b), CL_SUCCESS);
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
    const cl_device_partition_property parts[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_device_id half[256];
    cl_uint n = 0;
    if (clCreateSubDevices(t.device, parts, 256, half, &n) != CL_SUCCESS || n == 0)
        SKIP("the device has one processor");
    cl_int error = 1;
    const cl_device_id both[] = {t.device, half[0]};
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
    buffer_handle b = record(from, k, NULL);
    CHECK_EQ(clFinalizeCommandBufferKHR(b), CL_SUCCESS);
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
    for (cl_uint i = 0; i < n; i++)
        CHECK_EQ(clReleaseDevice(half[i]), CL_SUCCESS);
    e2e_close(&t);
}

// The driver's thread tells of the fault; a call that is refused in pfn_notify doesn't lead to pfn_notify.
TEST(an_application_is_not_told_within_being_told)
{
    struct e2e t = open_all();
    cl_program p = e2e_build(&t, "kernel void wild(ulong far) { *(global int *)far = 1; }", "");
    cl_kernel k = new_kernel(p, "wild");
    const cl_ulong far = 16;
    const size_t one = 1;
    E2E_ARG(k, 0, far);
    CHECK_EQ(clEnqueueNDRangeKernel(t.queue, k, 1, NULL, &one, NULL, 0, NULL, NULL), CL_SUCCESS);
    (void)clFinish(t.queue);
    await(&times);
    CHECK_EQ(deepest, 1);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_close(&t);
}

TEST(what_a_finalizer_failed_of_leaves_refusals_to_be_told)
{
    words = map_words();
    struct e2e t = open_all();
    cl_program p = new_il(&t, read_module("finalizer_faults")), q = new_il(&t, read_module("finalizers"));
    build(&t, p, "");
    (void)get(&t, p);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    told[0] = '\0';
    const cl_uint value = 1;
    CHECK_EQ(clSetProgramSpecializationConstant(q, 77, sizeof value, &value), CL_INVALID_SPEC_ID);
    CHECK_CONTAINS(told, "CL_INVALID_SPEC_ID");
    CHECK_EQ(clReleaseProgram(q), CL_SUCCESS);
    e2e_close(&t);
}

// Recording without arguments is no refusal where they may come later; what was noted for it is of a program that may be gone.
TEST(a_reason_is_never_of_a_call_that_succeeded)
{
    struct e2e t = open_all();
    const cl_properties mutable[] = {CL_COMMAND_BUFFER_FLAGS_KHR, CL_COMMAND_BUFFER_MUTABLE_KHR, 0};
    cl_program s = e2e_build(&t, "kernel void innocent(global int *p) { *p = 1; }", "-cl-kernel-arg-info");
    cl_kernel k = new_kernel(s, "innocent");
    buffer_handle b = record(t.queue, k, mutable);
    CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(s), CL_SUCCESS);
    cl_program p = new_il(&t, read_module("finalizers"));
    build(&t, p, "");
    cl_kernel g = new_kernel(p, "get");
    const size_t one = 1;
    cl_int error = 1;
    b = clCreateCommandBufferKHR(1, &t.queue, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clCommandNDRangeKernelKHR(b, NULL, NULL, g, 1, NULL, &one, NULL, 0, NULL, NULL, NULL),
             CL_INVALID_KERNEL_ARGS);
    CHECK_CONTAINS(told, "of kernel get isn't set");
    CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(g), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_close(&t);
}
