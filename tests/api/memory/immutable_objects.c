// cl_ext_immutable_memory_objects: an object that gets its contents when it is created keeps them, whatever
// is enqueued.
#include "api/program_fixture.h"

#include "weft/cl_ext_weft.h"

enum { SIDE = 4, BYTES = SIDE * SIDE * 4 };
static const cl_image_format rgba = {CL_RGBA, CL_UNSIGNED_INT8};
static unsigned char contents[BYTES];

static cl_mem buffer_of(cl_context c, cl_mem_flags flags)
{
    cl_int err = 1;
    cl_mem m = clCreateBuffer(c, flags, BYTES, contents, &err);
    OK(err);
    return m;
}

static cl_mem image_of(cl_context c, cl_mem_flags flags, cl_mem over, void *host, cl_int *err)
{
    const cl_image_desc d = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = SIDE, .image_height = SIDE, .mem_object = over};
    return clCreateImage(c, flags, &rgba, &d, host, err);
}

TEST(contents_come_with_the_object)
{
    cl_context c = new_context();
    const cl_mem_flags writing[] = {CL_MEM_READ_WRITE, CL_MEM_WRITE_ONLY, CL_MEM_HOST_WRITE_ONLY};
    cl_int err = 1;
    for (size_t i = 0; i < COUNT_OF(writing); i++) {
        const cl_mem_flags flags = CL_MEM_IMMUTABLE_EXT | CL_MEM_COPY_HOST_PTR | writing[i];
        CHECK(!clCreateBuffer(c, flags, BYTES, contents, &err));
        CHECK_EQ(err, CL_INVALID_VALUE);
        CHECK(!image_of(c, flags, NULL, contents, &err));
        CHECK_EQ(err, CL_INVALID_VALUE);
    }
    CHECK(!clCreateBuffer(c, CL_MEM_IMMUTABLE_EXT, BYTES, NULL, &err));
    CHECK_EQ(err, CL_INVALID_VALUE);
    CHECK(!image_of(c, CL_MEM_IMMUTABLE_EXT, NULL, NULL, &err));
    CHECK_EQ(err, CL_INVALID_VALUE);
    CHECK(!clSVMAlloc(c, CL_MEM_IMMUTABLE_EXT, BYTES, 0));
    CHECK(!clCreatePipe(c, CL_MEM_IMMUTABLE_EXT, 4, 4, NULL, &err));
    CHECK_EQ(err, CL_INVALID_VALUE);
    cl_mem m = buffer_of(c, CL_MEM_IMMUTABLE_EXT | CL_MEM_USE_HOST_PTR);
    cl_mem_flags flags;
    OK(clGetMemObjectInfo(m, CL_MEM_FLAGS, sizeof flags, &flags, NULL));
    CHECK_EQ(flags, CL_MEM_IMMUTABLE_EXT | CL_MEM_USE_HOST_PTR);
    OK(clReleaseMemObject(m));
    OK(clReleaseContext(c));
}

TEST(parts_are_immutable_too)
{
    cl_context c = new_context();
    cl_mem m = buffer_of(c, CL_MEM_IMMUTABLE_EXT | CL_MEM_COPY_HOST_PTR);
    const cl_buffer_region all = {0, BYTES};
    const cl_mem_flags writing[] = {CL_MEM_READ_WRITE, CL_MEM_WRITE_ONLY, CL_MEM_HOST_WRITE_ONLY};
    cl_int err = 1;
    for (size_t i = 0; i < COUNT_OF(writing); i++) {
        CHECK(!clCreateSubBuffer(m, writing[i], CL_BUFFER_CREATE_TYPE_REGION, &all, &err));
        CHECK_EQ(err, CL_INVALID_VALUE);
    }
    cl_mem sub = clCreateSubBuffer(m, CL_MEM_READ_ONLY, CL_BUFFER_CREATE_TYPE_REGION, &all, &err);
    OK(err);
    cl_mem_flags flags;
    OK(clGetMemObjectInfo(sub, CL_MEM_FLAGS, sizeof flags, &flags, NULL));
    CHECK_EQ(flags, CL_MEM_IMMUTABLE_EXT | CL_MEM_COPY_HOST_PTR | CL_MEM_READ_ONLY);
    CHECK(!image_of(c, CL_MEM_READ_ONLY, m, NULL, &err));
    CHECK_EQ(err, CL_INVALID_VALUE);
    cl_mem image = image_of(c, CL_MEM_IMMUTABLE_EXT, m, NULL, &err);
    OK(err);
    OK(clReleaseMemObject(image));
    OK(clReleaseMemObject(sub));
    OK(clReleaseMemObject(m));
    OK(clReleaseContext(c));
}

static void check_no_map(cl_command_queue q, cl_mem buffer, cl_mem image)
{
    const cl_map_flags writing[] = {CL_MAP_WRITE, CL_MAP_WRITE_INVALIDATE_REGION};
    const size_t zero[3] = {0}, all[3] = {SIDE, SIDE, 1};
    size_t row;
    cl_int err = 1;
    for (size_t i = 0; i < COUNT_OF(writing); i++) {
        CHECK(!clEnqueueMapBuffer(q, buffer, CL_TRUE, writing[i], 0, BYTES, 0, NULL, NULL, &err));
        CHECK_EQ(err, CL_INVALID_OPERATION);
        CHECK(!clEnqueueMapImage(q, image, CL_TRUE, writing[i], zero, all, &row, NULL, 0, NULL, NULL, &err));
        CHECK_EQ(err, CL_INVALID_OPERATION);
    }
    void *p = clEnqueueMapBuffer(q, buffer, CL_TRUE, CL_MAP_READ, 0, BYTES, 0, NULL, NULL, &err);
    OK(err);
    CHECK_EQ(memcmp(p, contents, BYTES), 0);
    OK(clEnqueueUnmapMemObject(q, buffer, p, 0, NULL, NULL));
}

TEST(no_command_modifies_them)
{
    cl_context c = new_context();
    cl_command_queue q = new_queue(c, 0);
    cl_int err = 1;
    memset(contents, 5, BYTES);
    cl_mem fixed = buffer_of(c, CL_MEM_IMMUTABLE_EXT | CL_MEM_COPY_HOST_PTR),
           free = buffer_of(c, CL_MEM_COPY_HOST_PTR);
    cl_mem image = image_of(c, CL_MEM_IMMUTABLE_EXT | CL_MEM_COPY_HOST_PTR, NULL, contents, &err);
    OK(err);
    cl_mem other = image_of(c, CL_MEM_COPY_HOST_PTR, NULL, contents, &err);
    OK(err);
    const size_t zero[3] = {0}, all[3] = {SIDE, SIDE, 1}, bytes[3] = {BYTES, 1, 1};
    const unsigned char pattern = 7;
    const cl_uint color[4] = {7, 7, 7, 7};
    unsigned char other_bytes[BYTES] = {0};
    CHECK_EQ(clEnqueueWriteBuffer(q, fixed, CL_TRUE, 0, BYTES, other_bytes, 0, NULL, NULL),
             CL_INVALID_OPERATION);
    CHECK_EQ(clEnqueueWriteBufferRect(q, fixed, CL_TRUE, zero, zero, bytes, 0, 0, 0, 0, other_bytes, 0, NULL,
                                      NULL),
             CL_INVALID_OPERATION);
    CHECK_EQ(clEnqueueCopyBuffer(q, free, fixed, 0, 0, BYTES, 0, NULL, NULL), CL_INVALID_OPERATION);
    CHECK_EQ(clEnqueueCopyBufferRect(q, free, fixed, zero, zero, bytes, 0, 0, 0, 0, 0, NULL, NULL),
             CL_INVALID_OPERATION);
    CHECK_EQ(clEnqueueFillBuffer(q, fixed, &pattern, 1, 0, BYTES, 0, NULL, NULL), CL_INVALID_OPERATION);
    CHECK_EQ(clEnqueueWriteImage(q, image, CL_TRUE, zero, all, 0, 0, other_bytes, 0, NULL, NULL),
             CL_INVALID_OPERATION);
    CHECK_EQ(clEnqueueCopyImage(q, other, image, zero, zero, all, 0, NULL, NULL), CL_INVALID_OPERATION);
    CHECK_EQ(clEnqueueFillImage(q, image, color, zero, all, 0, NULL, NULL), CL_INVALID_OPERATION);
    CHECK_EQ(clEnqueueCopyBufferToImage(q, free, image, 0, zero, all, 0, NULL, NULL), CL_INVALID_OPERATION);
    CHECK_EQ(clEnqueueCopyImageToBuffer(q, other, fixed, zero, all, 0, 0, NULL, NULL), CL_INVALID_OPERATION);
    check_no_map(q, fixed, image);
    // They are read like others.
    OK(clEnqueueCopyBuffer(q, fixed, free, 0, 0, BYTES, 0, NULL, NULL));
    OK(clEnqueueCopyImage(q, image, other, zero, zero, all, 0, NULL, NULL));
    OK(clEnqueueReadImage(q, image, CL_TRUE, zero, all, 0, 0, other_bytes, 0, NULL, NULL));
    CHECK_EQ(memcmp(other_bytes, contents, BYTES), 0);
    const cl_mem made[] = {fixed, free, image, other};
    for (size_t i = 0; i < COUNT_OF(made); i++)
        OK(clReleaseMemObject(made[i]));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
}

TEST(kernels_get_them_for_reading)
{
    cl_context c = new_context();
    cl_program p = built_program(
        c,
        "kernel void k(constant int *a, global const int *b, global int *c, read_only image2d_t d,"
        "              write_only image2d_t e) {}",
        "");
    cl_kernel k = new_kernel(p, "k");
    cl_int err = 1;
    cl_mem m = buffer_of(c, CL_MEM_IMMUTABLE_EXT | CL_MEM_COPY_HOST_PTR);
    cl_mem image = image_of(c, CL_MEM_IMMUTABLE_EXT | CL_MEM_COPY_HOST_PTR, NULL, contents, &err);
    OK(err);
    OK(clSetKernelArg(k, 0, sizeof m, &m));
    OK(clSetKernelArg(k, 1, sizeof m, &m));
    CHECK_EQ(clSetKernelArg(k, 2, sizeof m, &m), CL_INVALID_ARG_VALUE);
    OK(clSetKernelArg(k, 2, sizeof m, NULL));
    OK(clSetKernelArg(k, 3, sizeof image, &image));
    CHECK_EQ(clSetKernelArg(k, 4, sizeof image, &image), CL_INVALID_ARG_VALUE);
    OK(clReleaseMemObject(image));
    OK(clReleaseMemObject(m));
    OK(clReleaseKernel(k));
    OK(clReleaseProgram(p));
    OK(clReleaseContext(c));
}
