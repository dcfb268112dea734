// Kernels in command buffers that enqueue others (CL_COMMAND_BUFFER_CAPABILITY_DEVICE_SIDE_ENQUEUE_KHR).
// Commands that are recorded after them wait for their children, and so does the replay's event. Each replay
// has children of its own.
// timeout: 120
#include "command_buffer_fixture.h"

static const char source[] =
    "kernel void each(global int *out, queue_t q)\n"
    "{\n"
    "    size_t i = get_global_id(0);\n"
    "    int e = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4),\n"
    "                           ^{ out[4 * i + get_global_id(0)] += 1; });\n"
    "    if (e != CLK_SUCCESS)\n"
    "        out[4 * i] = e;\n"
    "}\n"
    "kernel void behind(global int *out)\n"
    "{\n"
    "    if (get_global_id(0) == 0)\n"
    "        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{\n"
    "            enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(64), ^{\n"
    "                out[get_global_id(0)] *= 3;\n"
    "            });\n"
    "        });\n"
    "    out[get_global_id(0)] += 1;\n"
    "}\n"
    "kernel void twice(global int *out) { out[get_global_id(0)] *= 2; }\n"
    "kernel void wild(global int *out, ulong far)\n"
    "{\n"
    "    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ *(global int *)far "
    "= 1; });\n"
    "}\n";

struct family {
    struct place w;
    cl_program program;
    cl_command_queue children;
    buffer_handle buffer;
};

static struct family open_family(cl_properties flags)
{
    struct family f = {.w = open_place(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE)};
    const char *text = source;
    const cl_queue_properties p[] = {
        CL_QUEUE_PROPERTIES,
        CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    cl_int error = 1;
    f.program = clCreateProgramWithSource(f.w.context, 1, &text, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clBuildProgram(f.program, 0, NULL, "-cl-std=CL3.0", NULL, NULL), CL_SUCCESS);
    f.children = clCreateCommandQueueWithProperties(f.w.context, f.w.device, p, &error);
    CHECK_EQ(error, CL_SUCCESS);
    f.buffer = make_command_buffer(&f.w, flags);
    return f;
}

static void close_family(struct family *f)
{
    CHECK_EQ(clReleaseCommandBufferKHR(f->buffer), CL_SUCCESS);
    CHECK_EQ(clFinish(f->w.queue), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandQueue(f->children), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(f->program), CL_SUCCESS);
    close_place(&f->w);
}

static void record(struct family *f, const char *name, size_t items, cl_ulong far)
{
    cl_int error = 1;
    cl_kernel k = clCreateKernel(f->program, name, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(k, 0, sizeof f->w.data, &f->w.data), CL_SUCCESS);
    if (strcmp(name, "each") == 0)
        CHECK_EQ(clSetKernelArg(k, 1, sizeof f->children, &f->children), CL_SUCCESS);
    if (far)
        CHECK_EQ(clSetKernelArg(k, 1, sizeof far, &far), CL_SUCCESS);
    CHECK_EQ(clCommandNDRangeKernelKHR(f->buffer, NULL, NULL, k, 1, NULL, &items, NULL, 0, NULL, NULL, NULL),
             CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
}

TEST(the_capability_is_reported)
{
    struct place w = open_place(0);
    cl_bitfield capabilities = 0;
    CHECK_EQ(clGetDeviceInfo(w.device, CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR, sizeof capabilities,
                             &capabilities, NULL),
             CL_SUCCESS);
    CHECK(capabilities & CL_COMMAND_BUFFER_CAPABILITY_DEVICE_SIDE_ENQUEUE_KHR);
    close_place(&w);
}

TEST(each_replay_has_children_of_its_own)
{
    struct family f = open_family(0);
    record(&f, "each", 256, 0);
    CHECK_EQ(clFinalizeCommandBufferKHR(f.buffer), CL_SUCCESS);
    for (int i = 0; i < 5; i++)
        replay(f.buffer);
    CHECK_EQ(clFinish(f.w.queue), CL_SUCCESS);
    for (size_t i = 0; i < 1024; i++)
        CHECK_EQ(value_at(&f.w, i), 5);
    close_family(&f);
}

TEST(later_commands_run_after_the_children)
{
    struct family f = open_family(0);
    cl_event e = NULL;
    cl_ulong end = 0, complete = 0;
    record(&f, "behind", 64, 0); // (x + 1) * 3
    record(&f, "twice", 64, 0);
    record(&f, "behind", 64, 0);
    CHECK_EQ(clFinalizeCommandBufferKHR(f.buffer), CL_SUCCESS);
    CHECK_EQ(clEnqueueCommandBufferKHR(0, NULL, f.buffer, 0, NULL, &e), CL_SUCCESS);
    CHECK_EQ(clWaitForEvents(1, &e), CL_SUCCESS);
    CHECK_EQ(value_at(&f.w, 0), 21);
    CHECK_EQ(value_at(&f.w, 63), 21);
    CHECK_EQ(clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL), CL_SUCCESS);
    CHECK_EQ(clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_COMPLETE, sizeof complete, &complete, NULL),
             CL_SUCCESS);
    CHECK_GE(complete, end);
    CHECK_EQ(clReleaseEvent(e), CL_SUCCESS);
    close_family(&f);
}

// The queue is out of order, and nothing holds the replays apart but their turn.
TEST(replays_with_children_do_not_overlap)
{
    struct family f = open_family(CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR);
    record(&f, "each", 256, 0);
    record(&f, "each", 256, 0);
    CHECK_EQ(clFinalizeCommandBufferKHR(f.buffer), CL_SUCCESS);
    for (int i = 0; i < 40; i++)
        replay(f.buffer);
    CHECK_EQ(clFinish(f.w.queue), CL_SUCCESS);
    for (size_t i = 0; i < 1024; i += 7)
        CHECK_EQ(value_at(&f.w, i), 80);
    close_family(&f);
}

TEST(a_childs_fault_is_the_enqueues_and_the_next_one_begins_anew)
{
    struct family f = open_family(0);
    record(&f, "each", 256, 0);
    record(&f, "wild", 1, (cl_ulong)1 << 40);
    record(&f, "each", 256, 0);
    CHECK_EQ(clFinalizeCommandBufferKHR(f.buffer), CL_SUCCESS);
    for (int i = 1; i <= 2; i++) {
        cl_event e = NULL;
        cl_int status = 1;
        CHECK_EQ(clEnqueueCommandBufferKHR(0, NULL, f.buffer, 0, NULL, &e), CL_SUCCESS);
        clWaitForEvents(1, &e);
        CHECK_EQ(clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL),
                 CL_SUCCESS);
        CHECK_LT(status, 0);
        CHECK_EQ(value_at(&f.w, 5), i); // what comes after the fault doesn't run
        CHECK_EQ(clReleaseEvent(e), CL_SUCCESS);
    }
    close_family(&f);
}
