// clEnqueueNDRangeKernel and clEnqueueTask: their errors, and in which order they are checked. OpenCL 2.2
// §5.10.
// env: WEFT_CACHE=0
#include "program_fixture.h"

struct launch {
    cl_context context, other;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel, required;
    cl_mem buffer;
    size_t max_group;
};

static struct launch open_launch(void)
{
    struct launch l = {.context = new_context(), .other = new_context()};
    cl_int n = 3;
    l.queue = new_queue(l.context, 0);
    l.program = built_program(l.context,
                              SIMPLE_SOURCE "kernel __attribute__((reqd_work_group_size(4, 2, 1)))"
                                            " void r(global int *p) { p[0] = 1; }\n",
                              "");
    l.kernel = new_kernel(l.program, "k");
    l.required = new_kernel(l.program, "r");
    l.buffer = new_buffer(l.context, 1 << 16);
    OK(clSetKernelArg(l.kernel, 0, sizeof l.buffer, &l.buffer));
    OK(clSetKernelArg(l.kernel, 1, sizeof n, &n));
    OK(clSetKernelArg(l.required, 0, sizeof l.buffer, &l.buffer));
    OK(clGetDeviceInfo(the_device(), CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof l.max_group, &l.max_group, NULL));
    return l;
}

static void close_launch(struct launch *l)
{
    OK(clFinish(l->queue));
    OK(clReleaseKernel(l->kernel));
    OK(clReleaseKernel(l->required));
    OK(clReleaseProgram(l->program));
    OK(clReleaseMemObject(l->buffer));
    OK(clReleaseCommandQueue(l->queue));
    OK(clReleaseContext(l->other));
    OK(clReleaseContext(l->context));
}

TEST(sizes)
{
    struct launch l = open_launch();
    size_t m = l.max_group;
    const struct {
        cl_kernel kernel;
        cl_uint dim;
        size_t offset[3], global[3], local[3]; // local[0] == 99: NULL
        cl_int want;
    } rows[] = {
        {l.kernel, 0, {0}, {8}, {99}, CL_INVALID_WORK_DIMENSION},
        {l.kernel, 4, {0}, {8, 1, 1}, {99}, CL_INVALID_WORK_DIMENSION},
        {l.kernel, 1, {0}, {8}, {99}, CL_SUCCESS},
        {l.kernel, 1, {8}, {8}, {99}, CL_SUCCESS},
        {l.kernel, 3, {0}, {4, 2, 2}, {2, 2, 1}, CL_SUCCESS},
        {l.kernel, 1, {0}, {0}, {99}, CL_SUCCESS},
        {l.kernel, 3, {0}, {4, 0, 2}, {99}, CL_SUCCESS},
        {l.kernel, 2, {0}, {SIZE_MAX, 2}, {99}, CL_INVALID_GLOBAL_WORK_SIZE},
        {l.kernel, 1, {SIZE_MAX}, {8}, {99}, CL_INVALID_GLOBAL_OFFSET},
        {l.kernel, 2, {0, SIZE_MAX - 2}, {1, 4}, {99}, CL_INVALID_GLOBAL_OFFSET},
        {l.kernel, 1, {0}, {8}, {0}, CL_INVALID_WORK_GROUP_SIZE},
        {l.kernel, 1, {0}, {8}, {3}, CL_INVALID_WORK_GROUP_SIZE},
        {l.kernel, 2, {0}, {8, 8}, {8, 5}, CL_INVALID_WORK_GROUP_SIZE},
        {l.kernel, 1, {0}, {2 * m}, {2 * m}, CL_INVALID_WORK_ITEM_SIZE},
        {l.kernel, 2, {0}, {m, 2}, {m, 2}, CL_INVALID_WORK_GROUP_SIZE},
        {l.required, 2, {0}, {8, 4}, {4, 2}, CL_SUCCESS},
        {l.required, 2, {0}, {8, 4}, {99}, CL_SUCCESS},
        {l.required, 2, {0}, {8, 4}, {2, 4}, CL_INVALID_WORK_GROUP_SIZE},
        {l.required, 1, {0}, {8}, {4}, CL_INVALID_WORK_GROUP_SIZE},
        {l.required, 2, {0}, {6, 4}, {99}, CL_INVALID_WORK_GROUP_SIZE},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        cl_int got =
            clEnqueueNDRangeKernel(l.queue, rows[i].kernel, rows[i].dim, rows[i].offset, rows[i].global,
                                   rows[i].local[0] == 99 ? NULL : rows[i].local, 0, NULL, NULL);
        if (got != rows[i].want)
            FAIL("row %zu: %d, not %d", i, got, rows[i].want);
    }
    OK(clEnqueueNDRangeKernel(l.queue, l.kernel, 1, NULL, NULL, NULL, 0, NULL, NULL)); // since 2.1
    close_launch(&l);
}

TEST(handles_arguments_and_wait_lists)
{
    struct launch l = open_launch();
    cl_command_queue other_queue = new_queue(l.other, 0);
    cl_kernel unset = new_kernel(l.program, "k");
    cl_event foreign = new_user_event(l.other), own = new_user_event(l.context), none = NULL;
    OK(clSetUserEventStatus(own, CL_COMPLETE));
    size_t one = 1, bad_local = 0;
    CHECK_EQ(clEnqueueNDRangeKernel(NULL, l.kernel, 1, NULL, &one, NULL, 0, NULL, NULL),
             CL_INVALID_COMMAND_QUEUE);
    CHECK_EQ(clEnqueueNDRangeKernel(not_an_object(l.queue), NULL, 1, NULL, &one, NULL, 0, NULL, NULL),
             CL_INVALID_COMMAND_QUEUE);
    CHECK_EQ(clEnqueueNDRangeKernel(l.queue, NULL, 9, NULL, &one, NULL, 0, NULL, NULL), CL_INVALID_KERNEL);
    CHECK_EQ(clEnqueueNDRangeKernel(l.queue, (cl_kernel)l.program, 9, NULL, &one, NULL, 0, NULL, NULL),
             CL_INVALID_KERNEL);
    CHECK_EQ(clEnqueueNDRangeKernel(other_queue, unset, 9, NULL, &one, NULL, 0, NULL, NULL),
             CL_INVALID_CONTEXT);
    CHECK_EQ(clEnqueueNDRangeKernel(l.queue, unset, 9, NULL, &one, NULL, 1, &foreign, NULL),
             CL_INVALID_CONTEXT);
    CHECK_EQ(clEnqueueNDRangeKernel(l.queue, unset, 9, NULL, &one, NULL, 0, NULL, NULL),
             CL_INVALID_KERNEL_ARGS);
    CHECK_EQ(clEnqueueNDRangeKernel(l.queue, l.kernel, 9, NULL, &one, NULL, 1, NULL, NULL),
             CL_INVALID_WORK_DIMENSION);
    CHECK_EQ(clEnqueueNDRangeKernel(l.queue, l.kernel, 1, NULL, &one, &bad_local, 1, NULL, NULL),
             CL_INVALID_WORK_GROUP_SIZE);
    CHECK_EQ(clEnqueueNDRangeKernel(l.queue, l.kernel, 1, NULL, &one, NULL, 1, NULL, NULL),
             CL_INVALID_EVENT_WAIT_LIST);
    CHECK_EQ(clEnqueueNDRangeKernel(l.queue, l.kernel, 1, NULL, &one, NULL, 0, &own, NULL),
             CL_INVALID_EVENT_WAIT_LIST);
    CHECK_EQ(clEnqueueNDRangeKernel(l.queue, l.kernel, 1, NULL, &one, NULL, 1, &none, NULL),
             CL_INVALID_EVENT_WAIT_LIST);
    cl_event both[] = {NULL, foreign};
    CHECK_EQ(clEnqueueNDRangeKernel(l.queue, l.kernel, 1, NULL, &one, NULL, 2, both, NULL),
             CL_INVALID_CONTEXT);
    cl_event done = NULL;
    OK(clEnqueueNDRangeKernel(l.queue, l.kernel, 1, NULL, &one, NULL, 1, &own, &done));
    OK(clWaitForEvents(1, &done));
    CHECK_EQ(status_of(done), CL_COMPLETE);
    OK(clEnqueueTask(l.queue, l.kernel, 0, NULL, NULL));
    CHECK_EQ(clEnqueueTask(l.queue, unset, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
    CHECK_EQ(clEnqueueTask(l.queue, l.required, 0, NULL, NULL), CL_INVALID_WORK_GROUP_SIZE);
    OK(clReleaseEvent(done));
    OK(clReleaseEvent(own));
    OK(clReleaseEvent(foreign));
    OK(clReleaseKernel(unset));
    OK(clReleaseCommandQueue(other_queue));
    close_launch(&l);
}

static char reported[256];

static void CL_CALLBACK note(const char *info, const void *data, size_t size, void *user)
{
    (void)data, (void)size, (void)user;
    snprintf(reported, sizeof reported, "%s", info);
}

TEST(more_local_memory_than_there_is)
{
    cl_device_id d = the_device();
    cl_int err = 1;
    cl_context c = clCreateContext(NULL, 1, &d, note, NULL, &err);
    OK(err);
    cl_command_queue q = new_queue(c, 0);
    cl_program p = built_program(c, "kernel void k(local int *l) { l[0] = 1; }", "");
    cl_kernel k = new_kernel(p, "k");
    cl_ulong most = 0;
    size_t one = 1;
    OK(clGetDeviceInfo(the_device(), CL_DEVICE_LOCAL_MEM_SIZE, sizeof most, &most, NULL));
    OK(clSetKernelArg(k, 0, (size_t)most, NULL));
    OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clSetKernelArg(k, 0, (size_t)most + 1, NULL));
    CHECK_EQ(clEnqueueNDRangeKernel(q, k, 1, NULL, &one, NULL, 0, NULL, NULL), CL_OUT_OF_RESOURCES);
    CHECK(strstr(reported, "bytes of local memory") != NULL);
    // It comes before the wait list.
    CHECK_EQ(clEnqueueNDRangeKernel(q, k, 1, NULL, &one, NULL, 1, NULL, NULL), CL_OUT_OF_RESOURCES);
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(p));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
}
