// clCreateSubBuffer. The rules of flags and regions themselves: tests/runtime/memory/argument_checks.c.
#include "memory_fixture.h"

static cl_int create_error(cl_mem m, cl_mem_flags flags, cl_buffer_create_type type, const void *info)
{
    cl_int error = 1;
    CHECK(clCreateSubBuffer(m, flags, type, info, &error) == NULL);
    CHECK(clCreateSubBuffer(m, flags, type, info, NULL) == NULL);
    return error;
}

TEST(errors_are_those_of_the_spec)
{
    struct world w = open_world(0);
    cl_mem m = make_buffer(w.context, CL_MEM_READ_ONLY, 1024, NULL);
    cl_mem sub = make_sub(m, 128, 256);
    cl_buffer_region good = {0, 128}, outside = {128, 1024}, wraps = {128, SIZE_MAX - 64}, empty = {0, 0},
                     odd = {4, 4};
    const cl_buffer_create_type region = CL_BUFFER_CREATE_TYPE_REGION;
    CHECK_EQ(create_error(NULL, 0, region, &good), CL_INVALID_MEM_OBJECT);
    CHECK_EQ(create_error(sub, 0, region, &good), CL_INVALID_MEM_OBJECT);
    CHECK_EQ(create_error((cl_mem)w.queue, 0, region, &good), CL_INVALID_MEM_OBJECT);
    CHECK_EQ(create_error(m, CL_MEM_WRITE_ONLY, region, &good), CL_INVALID_VALUE);
    CHECK_EQ(create_error(m, CL_MEM_COPY_HOST_PTR, region, &good), CL_INVALID_VALUE);
    CHECK_EQ(create_error(m, 0, region + 1, &good), CL_INVALID_VALUE);
    CHECK_EQ(create_error(m, 0, region, NULL), CL_INVALID_VALUE);
    CHECK_EQ(create_error(m, 0, region, &outside), CL_INVALID_VALUE);
    CHECK_EQ(create_error(m, 0, region, &wraps), CL_INVALID_VALUE);
    CHECK_EQ(create_error(m, 0, region, &empty), CL_INVALID_BUFFER_SIZE);
    CHECK_EQ(create_error(m, 0, region, &odd), CL_MISALIGNED_SUB_BUFFER_OFFSET);
    CHECK_EQ(clReleaseMemObject(sub), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    close_world(&w);
}

TEST(it_is_a_window_on_its_buffer)
{
    struct world w = open_world(0);
    cl_mem m = make_counted(w.context, 1024), sub = make_sub(m, 256, 128);
    unsigned char bytes[128];
    CHECK_EQ(clEnqueueReadBuffer(w.queue, sub, CL_TRUE, 0, 128, bytes, 0, NULL, NULL), CL_SUCCESS);
    for (size_t i = 0; i < 128; i++)
        CHECK_EQ(bytes[i], counted(256 + i));
    CHECK_EQ(clEnqueueWriteBuffer(w.queue, sub, CL_TRUE, 100, 4, "abcd", 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBuffer(w.queue, m, CL_TRUE, 356, 4, bytes, 0, NULL, NULL), CL_SUCCESS);
    CHECK_MEM(bytes, "abcd", 4);
    CHECK_EQ(clEnqueueWriteBuffer(w.queue, sub, CL_TRUE, 100, 29, bytes, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    // The buffer lives on in its sub-buffer.
    CHECK_EQ(clEnqueueReadBuffer(w.queue, sub, CL_TRUE, 100, 4, bytes, 0, NULL, NULL), CL_SUCCESS);
    CHECK_MEM(bytes, "abcd", 4);
    CHECK_EQ(clReleaseMemObject(sub), CL_SUCCESS);
    close_world(&w);
}

TEST(it_inherits_flags_and_host_pointer)
{
    struct world w = open_world(0);
    static char host[1024];
    const cl_mem_flags flags = CL_MEM_READ_ONLY | CL_MEM_HOST_WRITE_ONLY | CL_MEM_USE_HOST_PTR;
    cl_mem m = make_buffer(w.context, flags, sizeof host, host), sub = make_sub(m, 256, 128);
    cl_mem_flags got = 0;
    void *p = NULL;
    cl_mem parent = NULL;
    size_t offset = 0;
    CHECK_EQ(clGetMemObjectInfo(sub, CL_MEM_FLAGS, sizeof got, &got, NULL), CL_SUCCESS);
    CHECK_EQ(got, flags);
    CHECK_EQ(clGetMemObjectInfo(sub, CL_MEM_HOST_PTR, sizeof p, &p, NULL), CL_SUCCESS);
    CHECK_EQ(p, (void *)(host + 256));
    CHECK_EQ(clGetMemObjectInfo(sub, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent, NULL), CL_SUCCESS);
    CHECK_EQ(parent, m);
    CHECK_EQ(clGetMemObjectInfo(sub, CL_MEM_OFFSET, sizeof offset, &offset, NULL), CL_SUCCESS);
    CHECK_EQ(offset, 256u);
    CHECK_EQ(clReleaseMemObject(sub), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    close_world(&w);
}
