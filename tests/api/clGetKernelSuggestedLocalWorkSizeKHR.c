// cl_khr_suggested_local_work_size: the size that an enqueue without one takes, and the errors.
#include "memory_fixture.h"

#include <CL/cl_ext.h>

static clGetKernelSuggestedLocalWorkSizeKHR_fn suggest;

static cl_kernel make_kernel(struct world *w, const char *name)
{
    const char *source =
        "kernel void sizes(global ulong *p)\n"
        "{ p[0] = get_local_size(0); p[1] = get_local_size(1); p[2] = get_local_size(2); }\n"
        "kernel __attribute__((reqd_work_group_size(4, 2, 1))) void fixed(global ulong *p) { p[0] = 1; }\n";
    cl_int error = 1;
    cl_program p = clCreateProgramWithSource(w->context, 1, &source, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clBuildProgram(p, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
    cl_kernel k = clCreateKernel(p, name, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    cl_platform_id platform;
    CHECK_EQ(clGetDeviceInfo(w->device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL), CL_SUCCESS);
    suggest = (clGetKernelSuggestedLocalWorkSizeKHR_fn)clGetExtensionFunctionAddressForPlatform(
        platform, "clGetKernelSuggestedLocalWorkSizeKHR");
    CHECK(suggest != NULL);
    return k;
}

TEST(errors_in_their_order)
{
    struct world w = open_world(0);
    cl_kernel k = make_kernel(&w, "sizes");
    cl_mem m = make_buffer(w.context, 0, 64, NULL);
    const size_t global[3] = {64, 2, 2}, none[3] = {64, 0, 2}, far[3] = {SIZE_MAX, 0, 0};
    size_t local[3];
    CHECK_EQ(suggest(NULL, NULL, 0, NULL, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    CHECK_EQ(suggest(w.queue, NULL, 0, NULL, NULL, NULL), CL_INVALID_KERNEL);
    CHECK_EQ(suggest(w.other_queue, k, 0, NULL, NULL, NULL), CL_INVALID_CONTEXT);
    CHECK_EQ(suggest(w.queue, k, 0, NULL, NULL, NULL), CL_INVALID_KERNEL_ARGS);
    CHECK_EQ(clSetKernelArg(k, 0, sizeof m, &m), CL_SUCCESS);
    CHECK_EQ(suggest(w.queue, k, 0, NULL, NULL, NULL), CL_INVALID_WORK_DIMENSION);
    CHECK_EQ(suggest(w.queue, k, 4, NULL, NULL, NULL), CL_INVALID_WORK_DIMENSION);
    CHECK_EQ(suggest(w.queue, k, 3, NULL, NULL, NULL), CL_INVALID_GLOBAL_WORK_SIZE);
    CHECK_EQ(suggest(w.queue, k, 3, NULL, none, NULL), CL_INVALID_GLOBAL_WORK_SIZE);
    CHECK_EQ(suggest(w.queue, k, 3, far, global, NULL), CL_INVALID_GLOBAL_OFFSET);
    CHECK_EQ(suggest(w.queue, k, 3, NULL, global, NULL), CL_INVALID_VALUE);
    CHECK_EQ(suggest(w.queue, k, 3, NULL, global, local), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    close_world(&w);
}

TEST(an_enqueue_without_a_local_size_takes_the_suggested_one)
{
    struct world w = open_world(0);
    cl_kernel k = make_kernel(&w, "sizes");
    cl_mem m = make_buffer(w.context, 0, 64, NULL);
    CHECK_EQ(clSetKernelArg(k, 0, sizeof m, &m), CL_SUCCESS);
    static const size_t globals[][3] = {{1, 1, 1},    {64, 1, 1},    {1000, 3, 1},
                                        {17, 19, 23}, {4096, 64, 2}, {97, 1, 1}};
    for (size_t i = 0; i < sizeof globals / sizeof *globals; i++)
        for (cl_uint dim = 1; dim <= 3; dim++) {
            size_t local[3] = {1, 1, 1};
            cl_ulong seen[3] = {0};
            CHECK_EQ(suggest(w.queue, k, dim, NULL, globals[i], local), CL_SUCCESS);
            CHECK_EQ(clEnqueueNDRangeKernel(w.queue, k, dim, NULL, globals[i], NULL, 0, NULL, NULL),
                     CL_SUCCESS);
            CHECK_EQ(clEnqueueReadBuffer(w.queue, m, CL_TRUE, 0, sizeof seen, seen, 0, NULL, NULL),
                     CL_SUCCESS);
            for (int d = 0; d < 3; d++)
                CHECK_EQ(seen[d], local[d]);
        }
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    close_world(&w);
}

TEST(a_required_size_is_the_suggested_one)
{
    struct world w = open_world(0);
    cl_kernel k = make_kernel(&w, "fixed");
    cl_mem m = make_buffer(w.context, 0, 64, NULL);
    CHECK_EQ(clSetKernelArg(k, 0, sizeof m, &m), CL_SUCCESS);
    const size_t global[2] = {64, 64}, odd[2] = {63, 64};
    size_t local[2] = {0};
    CHECK_EQ(suggest(w.queue, k, 2, NULL, odd, local), CL_INVALID_WORK_GROUP_SIZE);
    CHECK_EQ(suggest(w.queue, k, 2, NULL, global, local), CL_SUCCESS);
    CHECK_EQ(local[0], 4);
    CHECK_EQ(local[1], 2);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    close_world(&w);
}
