// clSetKernelArg: each kind of argument, right and wrong. OpenCL 2.2 §5.9.2.
// env: WEFT_CACHE=0
#include "program_fixture.h"

static const char source[] =
    "typedef struct { int a; char b; } pair;\n"
    "kernel void k(global int *g, constant int *c, local int *l, int i, float3 v, pair s)\n"
    "{ g[0] = c[0] + i + (int)v.x + s.a; l[0] = 1; }\n";

TEST(each_kind_of_argument)
{
    cl_context c = new_context(), other = new_context();
    cl_program p = built_program(c, source, "");
    cl_kernel k = new_kernel(p, "k");
    cl_mem m = new_buffer(c, 64), foreign = new_buffer(other, 64), gone = new_buffer(c, 64), null = NULL;
    void *no_buffer = (void *)k;
    // A size_t, or a double, in place of a buffer.
    const uint64_t page = 4096, number = 1048576, one = 0x3ff0000000000000;
    cl_int i = 1;
    char bytes[64] = {0};
    const struct {
        cl_uint index;
        size_t size;
        const void *value;
        cl_int want;
    } rows[] = {
        {6, 4, &i, CL_INVALID_ARG_INDEX},
        {0xffffffffu, 0, NULL, CL_INVALID_ARG_INDEX},
        // Buffers.
        {0, sizeof m, &m, CL_SUCCESS},
        {0, sizeof m, &null, CL_SUCCESS},
        {0, sizeof m, NULL, CL_SUCCESS},
        {0, sizeof m, &foreign, CL_INVALID_MEM_OBJECT},
        {0, sizeof m, &gone, CL_INVALID_MEM_OBJECT},
        {0, sizeof m, &no_buffer, CL_INVALID_MEM_OBJECT},
        {0, sizeof m, &page, CL_INVALID_MEM_OBJECT},
        {0, sizeof m, &number, CL_INVALID_MEM_OBJECT},
        {0, sizeof m, &one, CL_INVALID_MEM_OBJECT},
        {0, 4, &m, CL_INVALID_ARG_SIZE},
        {0, 0, &m, CL_INVALID_ARG_SIZE},
        {1, sizeof m, &m, CL_SUCCESS},
        {1, sizeof m, NULL, CL_SUCCESS},
        {1, 16, &m, CL_INVALID_ARG_SIZE},
        // Local memory.
        {2, 16, NULL, CL_SUCCESS},
        {2, 16, bytes, CL_INVALID_ARG_VALUE},
        {2, 0, NULL, takes_spirv() ? CL_SUCCESS : CL_INVALID_ARG_SIZE}, // no local memory: since 3.1
        {2, 0, bytes, CL_INVALID_ARG_VALUE},
        {2, SIZE_MAX, NULL, CL_INVALID_ARG_SIZE},
        // Values.
        {3, 4, &i, CL_SUCCESS},
        {3, 4, NULL, CL_INVALID_ARG_VALUE},
        {3, 8, bytes, CL_INVALID_ARG_SIZE},
        {3, 0, &i, CL_INVALID_ARG_SIZE},
        {4, 16, bytes, CL_SUCCESS},
        {4, 12, bytes, CL_INVALID_ARG_SIZE},
        {5, 8, bytes, CL_SUCCESS},
        {5, 5, bytes, CL_INVALID_ARG_SIZE},
        {5, 8, NULL, CL_INVALID_ARG_VALUE},
    };
    OK(clReleaseMemObject(gone));
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        cl_int got = clSetKernelArg(k, rows[r].index, rows[r].size, rows[r].value);
        if (got != rows[r].want)
            FAIL("row %zu (argument %u): %d, not %d", r, rows[r].index, got, rows[r].want);
    }
    CHECK_EQ(clSetKernelArg(NULL, 9, 4, &i), CL_INVALID_KERNEL);
    CHECK_EQ(clSetKernelArg(not_an_object(k), 9, 4, &i), CL_INVALID_KERNEL);
    OK(clReleaseKernel(k));
    OK(clReleaseMemObject(m));
    OK(clReleaseMemObject(foreign));
    OK(clReleaseProgram(p));
    OK(clReleaseContext(other));
    OK(clReleaseContext(c));
}

// A call that fails leaves the argument as it was.
TEST(a_refused_value_changes_nothing)
{
    cl_context c = new_context();
    cl_command_queue q = new_queue(c, 0);
    cl_program p = built_program(c, SIMPLE_SOURCE, "");
    cl_kernel k = new_kernel(p, "k");
    cl_mem m = new_buffer(c, 4);
    cl_int n = 7, got = 0;
    cl_long other = 9;
    size_t one = 1;
    void *no_buffer = (void *)k;
    OK(clSetKernelArg(k, 0, sizeof m, &m));
    OK(clSetKernelArg(k, 1, sizeof n, &n));
    CHECK_EQ(clSetKernelArg(k, 0, sizeof m, &no_buffer), CL_INVALID_MEM_OBJECT);
    CHECK_EQ(clSetKernelArg(k, 1, sizeof other, &other), CL_INVALID_ARG_SIZE);
    CHECK_EQ(clSetKernelArg(k, 1, sizeof n, NULL), CL_INVALID_ARG_VALUE);
    OK(clEnqueueNDRangeKernel(q, k, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(q, m, CL_TRUE, 0, 4, &got, 0, NULL, NULL));
    CHECK_EQ(got, 7);
    OK(clReleaseKernel(k));
    OK(clReleaseMemObject(m));
    OK(clReleaseProgram(p));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
}

static const char image_source[] = "kernel void k(read_only image2d_t a, global float *p) {"
                                   " p[get_global_id(0)] = read_imagef(a, (int2)(0)).x; }\n";

static cl_mem new_image(cl_context c, cl_mem_object_type type)
{
    const cl_image_format f = {CL_RGBA, CL_FLOAT};
    const cl_image_desc d = {
        .image_type = type, .image_width = 4, .image_height = 4, .image_depth = 4, .image_array_size = 4};
    cl_int err = 1;
    cl_mem m = clCreateImage(c, CL_MEM_READ_WRITE, &f, &d, NULL, &err);
    OK(err);
    return m;
}

TEST(an_image_of_another_dimension_is_refused)
{
    cl_context c = new_context();
    cl_program p = built_program(c, image_source, "");
    cl_kernel k = new_kernel(p, "k");
    const cl_mem_object_type others[] = {CL_MEM_OBJECT_IMAGE1D, CL_MEM_OBJECT_IMAGE3D,
                                         CL_MEM_OBJECT_IMAGE2D_ARRAY};
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        cl_mem m = new_image(c, others[i]);
        CHECK_EQ(clSetKernelArg(k, 0, sizeof m, &m), CL_INVALID_ARG_VALUE);
        OK(clReleaseMemObject(m));
    }
    cl_mem m = new_image(c, CL_MEM_OBJECT_IMAGE2D);
    OK(clSetKernelArg(k, 0, sizeof m, &m));
    OK(clReleaseMemObject(m));
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(p));
    OK(clReleaseContext(c));
}

// The place of a memory object that has gone may be another's: a buffer must not be taken for an image.
TEST(an_argument_that_became_something_else_is_refused)
{
    cl_context c = new_context();
    cl_command_queue q = new_queue(c, 0);
    cl_program p = built_program(c, image_source, "");
    cl_kernel k = new_kernel(p, "k");
    cl_mem out = new_buffer(c, 64), image = new_image(c, CL_MEM_OBJECT_IMAGE2D);
    const size_t one = 1;
    OK(clSetKernelArg(k, 0, sizeof image, &image));
    OK(clSetKernelArg(k, 1, sizeof out, &out));
    OK(clReleaseMemObject(image));
    CHECK_EQ(clEnqueueNDRangeKernel(q, k, 1, NULL, &one, NULL, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
    cl_mem next = new_buffer(c, 64); // a thread gets back what it freed last
    CHECK(next == image);
    CHECK_EQ(clEnqueueNDRangeKernel(q, k, 1, NULL, &one, NULL, 0, NULL, NULL), CL_INVALID_KERNEL_ARGS);
    OK(clReleaseMemObject(next));
    OK(clReleaseMemObject(out));
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(p));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
}
