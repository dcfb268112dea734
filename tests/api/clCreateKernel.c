// clCreateKernel, clCreateKernelsInProgram, clCloneKernel, and kernels' reference counts.
// env: WEFT_CACHE=0
#include "program_fixture.h"

TEST(create_refuses)
{
    cl_context c = new_context();
    cl_program p = new_program(c, SIMPLE_SOURCE), broken = new_program(c, "kernel void k( {}");
    cl_int err = 1;
    CHECK(clCreateKernel(NULL, "k", &err) == NULL);
    CHECK_EQ(err, CL_INVALID_PROGRAM);
    CHECK(clCreateKernel(not_an_object(p), "k", &err) == NULL);
    CHECK_EQ(err, CL_INVALID_PROGRAM);
    CHECK(clCreateKernel(p, "k", &err) == NULL); // not built
    CHECK_EQ(err, CL_INVALID_PROGRAM_EXECUTABLE);
    CHECK_EQ(clBuildProgram(broken, 0, NULL, NULL, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    CHECK(clCreateKernel(broken, NULL, &err) == NULL);
    CHECK_EQ(err, CL_INVALID_PROGRAM_EXECUTABLE);
    OK(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
    CHECK(clCreateKernel(p, "nothing", &err) == NULL);
    CHECK_EQ(err, CL_INVALID_KERNEL_NAME);
    CHECK(clCreateKernel(p, "", &err) == NULL);
    CHECK_EQ(err, CL_INVALID_KERNEL_NAME);
    CHECK(clCreateKernel(p, NULL, &err) == NULL);
    CHECK_EQ(err, CL_INVALID_VALUE);
    CHECK(clCreateKernel(p, "nothing", NULL) == NULL);
    OK(clReleaseProgram(p));
    OK(clReleaseProgram(broken));
    OK(clReleaseContext(c));
}

TEST(all_kernels_of_a_program)
{
    cl_context c = new_context();
    cl_program p = new_program(c, SIMPLE_SOURCE "kernel void l(void) {}\n");
    cl_kernel kernels[3] = {NULL, NULL, NULL};
    cl_uint n = 77;
    CHECK_EQ(clCreateKernelsInProgram(NULL, 3, kernels, &n), CL_INVALID_PROGRAM);
    CHECK_EQ(clCreateKernelsInProgram(p, 3, kernels, &n), CL_INVALID_PROGRAM_EXECUTABLE);
    OK(clBuildProgram(p, 0, NULL, NULL, NULL, NULL));
    CHECK_EQ(clCreateKernelsInProgram(p, 1, kernels, &n), CL_INVALID_VALUE);
    CHECK(kernels[0] == NULL);
    OK(clCreateKernelsInProgram(p, 0, NULL, &n));
    CHECK_EQ(n, 2);
    OK(clCreateKernelsInProgram(p, 3, kernels, NULL));
    CHECK(kernels[0] && kernels[1] && !kernels[2]);
    OK(clReleaseKernel(kernels[0]));
    OK(clReleaseKernel(kernels[1]));
    OK(clReleaseProgram(p));
    OK(clReleaseContext(c));
}

TEST(kernels_are_counted_and_keep_the_program)
{
    cl_context c = new_context();
    cl_program p = built_program(c, SIMPLE_SOURCE, "");
    cl_kernel k = new_kernel(p, "k");
    cl_uint count = 0;
    OK(clReleaseProgram(p));
    OK(clReleaseContext(c));
    OK(clRetainKernel(k));
    OK(clGetKernelInfo(k, CL_KERNEL_REFERENCE_COUNT, sizeof count, &count, NULL));
    CHECK_EQ(count, 2);
    OK(clReleaseKernel(k));
    CHECK_EQ(clRetainKernel(NULL), CL_INVALID_KERNEL);
    CHECK_EQ(clReleaseKernel(NULL), CL_INVALID_KERNEL);
    CHECK_EQ(clRetainKernel(not_an_object(k)), CL_INVALID_KERNEL);
    CHECK_EQ(clReleaseKernel(not_an_object(k)), CL_INVALID_KERNEL);
    OK(clReleaseKernel(k));
    CHECK_EQ(clReleaseKernel(k), CL_INVALID_KERNEL);
}

TEST(a_clone_has_arguments_of_its_own)
{
    cl_context c = new_context();
    cl_command_queue q = new_queue(c, 0);
    cl_program p = built_program(c, SIMPLE_SOURCE, "");
    cl_kernel k = new_kernel(p, "k");
    cl_mem m = new_buffer(c, 4);
    cl_int n = 5, got = 0, err = 1;
    size_t one = 1;
    OK(clSetKernelArg(k, 0, sizeof m, &m));
    OK(clSetKernelArg(k, 1, sizeof n, &n));
    cl_kernel copy = clCloneKernel(k, &err);
    OK(err);
    n = 6;
    OK(clSetKernelArg(k, 1, sizeof n, &n));
    OK(clEnqueueNDRangeKernel(q, copy, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(q, m, CL_TRUE, 0, 4, &got, 0, NULL, NULL));
    CHECK_EQ(got, 5);
    CHECK(clCloneKernel(NULL, &err) == NULL);
    CHECK_EQ(err, CL_INVALID_KERNEL);
    OK(clReleaseKernel(copy));
    OK(clReleaseKernel(k));
    OK(clReleaseMemObject(m));
    OK(clReleaseProgram(p));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
}
