// MaxByteOffset: constant or local memory that is larger than the argument allows is an error (OpenCL 2.2
// §5.9.2). Smaller memory isn't read beyond its end.
// timeout: 120
// env: WEFT_CACHE=0
#include "spirv.h"

static cl_mem new_buffer(struct e2e *t, size_t size)
{
    cl_int error = 1;
    cl_mem m = clCreateBuffer(t->context, 0, size, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    const cl_uint nine = 9;
    CHECK_EQ(clEnqueueFillBuffer(t->queue, m, &nine, sizeof nine, 0, size, 0, NULL, NULL), CL_SUCCESS);
    return m;
}

static cl_int set_buffer(cl_kernel k, cl_uint index, cl_mem m)
{
    return clSetKernelArg(k, index, sizeof m, &m);
}

static cl_uint run(struct e2e *t, cl_kernel k, cl_mem out)
{
    const size_t one = 1;
    cl_uint result = 0;
    CHECK_EQ(clEnqueueNDRangeKernel(t->queue, k, 1, NULL, &one, NULL, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBuffer(t->queue, out, CL_TRUE, 0, sizeof result, &result, 0, NULL, NULL),
             CL_SUCCESS);
    return result;
}

static void check_limits(struct e2e *t, cl_program p)
{
    cl_kernel k = new_kernel(p, "limits");
    cl_mem out = new_buffer(t, 4096), most = new_buffer(t, 64), more = new_buffer(t, 68), none = NULL;
    CHECK_EQ(set_buffer(k, 0, out), CL_SUCCESS);
    CHECK_EQ(set_buffer(k, 1, more), CL_MAX_SIZE_RESTRICTION_EXCEEDED);
    CHECK_EQ(set_buffer(k, 1, none), CL_SUCCESS);
    CHECK_EQ(set_buffer(k, 1, most), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(k, 2, 33, NULL), CL_MAX_SIZE_RESTRICTION_EXCEEDED);
    CHECK_EQ(clSetKernelArg(k, 2, 32, NULL), CL_SUCCESS);
    CHECK_EQ(run(t, k, out), 9);
    CHECK_EQ(clReleaseMemObject(out), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(most), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(more), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
}

TEST(more_is_refused)
{
    struct e2e t = e2e_open();
    cl_program p = new_il(&t, read_module("limits"));
    build(&t, p, "");
    check_limits(&t, p);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_close(&t);
}

TEST(in_what_is_linked_and_in_binaries_too)
{
    struct e2e t = e2e_open();
    cl_int error = 1;
    cl_program p = new_il(&t, read_module("limits"));
    CHECK_EQ(clCompileProgram(p, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
    cl_program linked = clLinkProgram(t.context, 0, NULL, NULL, 1, &p, NULL, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    check_limits(&t, linked);
    size_t size = 0;
    CHECK_EQ(clGetProgramInfo(linked, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL), CL_SUCCESS);
    unsigned char *bytes = malloc(size);
    CHECK(bytes != NULL);
    CHECK_EQ(clGetProgramInfo(linked, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL), CL_SUCCESS);
    const unsigned char *binary = bytes;
    cl_program b = clCreateProgramWithBinary(t.context, 1, &t.device, &size, &binary, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    build(&t, b, NULL);
    check_limits(&t, b);
    free(bytes);
    CHECK_EQ(clReleaseProgram(b), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(linked), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_close(&t);
}

TEST(less_is_not_read_beyond_its_end)
{
    struct e2e t = e2e_open();
    cl_program p = new_il(&t, read_module("limits"));
    build(&t, p, "");
    cl_kernel k = new_kernel(p, "far");
    cl_mem out = new_buffer(&t, 4096), small = new_buffer(&t, 4 << 20), large = new_buffer(&t, 128 << 20);
    const cl_uint near = 0, far = 1;
    CHECK_EQ(set_buffer(k, 0, out), CL_SUCCESS);
    CHECK_EQ(set_buffer(k, 1, small), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(k, 2, sizeof near, &near), CL_SUCCESS);
    for (int i = 0; i < 100; i++)
        CHECK_EQ(run(&t, k, out), 5);
    CHECK_EQ(set_buffer(k, 1, large), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(k, 2, sizeof far, &far), CL_SUCCESS);
    CHECK_EQ(run(&t, k, out), 9);
    CHECK_EQ(clReleaseMemObject(out), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(small), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(large), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_close(&t);
}
