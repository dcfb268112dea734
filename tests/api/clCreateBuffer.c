// clCreateBuffer and clCreateBufferWithProperties. The argument checks themselves:
// tests/runtime/memory/argument_checks.c.
#include "memory_fixture.h"

TEST(errors_are_those_of_the_spec)
{
    struct world w = open_world(0);
    cl_int error = 1;
    char host[64];
    const struct {
        cl_mem_flags flags;
        size_t size;
        void *host;
        cl_int expected;
    } rows[] = {
        {CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 64, NULL, CL_INVALID_VALUE},
        {(cl_mem_flags)1 << 33, 64, NULL, CL_INVALID_VALUE},
        {CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, 64, host, CL_INVALID_VALUE},
        {0, 0, NULL, CL_INVALID_BUFFER_SIZE},
        {0, SIZE_MAX, NULL, CL_INVALID_BUFFER_SIZE},
        {0, 64, host, CL_INVALID_HOST_PTR},
        {CL_MEM_USE_HOST_PTR, 64, NULL, CL_INVALID_HOST_PTR},
        {CL_MEM_COPY_HOST_PTR, 64, NULL, CL_INVALID_HOST_PTR},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        error = 1;
        CHECK(clCreateBuffer(w.context, rows[i].flags, rows[i].size, rows[i].host, &error) == NULL);
        CHECK_EQ(error, rows[i].expected);
        CHECK(clCreateBuffer(w.context, rows[i].flags, rows[i].size, rows[i].host, NULL) == NULL);
    }
    CHECK(clCreateBuffer(NULL, 0, 64, NULL, &error) == NULL);
    CHECK_EQ(error, CL_INVALID_CONTEXT);
    CHECK(clCreateBuffer((cl_context)w.queue, 0, 64, NULL, &error) == NULL);
    CHECK_EQ(error, CL_INVALID_CONTEXT);
    cl_mem m = clCreateBuffer(w.context, 0, 64, NULL, NULL);
    CHECK(m != NULL);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    close_world(&w);
}

TEST(size_limit_is_the_one_reported)
{
    struct world w = open_world(0);
    cl_ulong max = 0;
    cl_int error = 1;
    CHECK_EQ(clGetDeviceInfo(w.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof max, &max, NULL), CL_SUCCESS);
    CHECK(clCreateBuffer(w.context, 0, (size_t)max + 1, NULL, &error) == NULL);
    CHECK_EQ(error, CL_INVALID_BUFFER_SIZE);
    cl_mem m = clCreateBuffer(w.context, 0, (size_t)max, NULL, &error);
    CHECK(error == CL_SUCCESS || error == CL_MEM_OBJECT_ALLOCATION_FAILURE);
    if (m)
        CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    close_world(&w);
}

TEST(storage_is_aligned_and_holds_every_size)
{
    struct world w = open_world(0);
    const size_t sizes[] = {1, 127, 128, 129, 4096, (2u << 20) - 1, 2u << 20, (2u << 20) + 1, 9000001};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        cl_mem m = make_buffer(w.context, CL_MEM_ALLOC_HOST_PTR, sizes[i], NULL);
        cl_int error = 1;
        unsigned char *p =
            clEnqueueMapBuffer(w.queue, m, CL_TRUE, CL_MAP_WRITE, 0, sizes[i], 0, NULL, NULL, &error);
        CHECK_EQ(error, CL_SUCCESS);
        CHECK_EQ((uintptr_t)p % 128, 0u);
        memset(p, 7, sizes[i]);
        CHECK_EQ(clEnqueueUnmapMemObject(w.queue, m, p, 0, NULL, NULL), CL_SUCCESS);
        CHECK_EQ(clFinish(w.queue), CL_SUCCESS);
        CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    }
    close_world(&w);
}

TEST(copy_host_ptr_copies_at_once_and_use_host_ptr_uses_it)
{
    struct world w = open_world(0);
    char host[256] = "before", back[256];
    cl_mem copied = make_buffer(w.context, CL_MEM_COPY_HOST_PTR | CL_MEM_ALLOC_HOST_PTR, sizeof host, host);
    cl_mem used = make_buffer(w.context, CL_MEM_USE_HOST_PTR, sizeof host - 1, host + 1);
    strcpy(host, "after");
    CHECK_EQ(clEnqueueReadBuffer(w.queue, copied, CL_TRUE, 0, sizeof back, back, 0, NULL, NULL), CL_SUCCESS);
    CHECK_STR(back, "before");
    cl_int error = 1;
    void *p = clEnqueueMapBuffer(w.queue, used, CL_TRUE, CL_MAP_READ, 3, 8, 0, NULL, NULL, &error);
    CHECK_EQ(p, (void *)(host + 4));
    CHECK_EQ(clReleaseMemObject(copied), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(used), CL_SUCCESS);
    close_world(&w);
}

TEST(properties_are_none_or_an_error_and_are_returned_as_given)
{
    struct world w = open_world(0);
    cl_int error = 1;
    const cl_mem_properties none[] = {0}, unknown[] = {0x4321, 1, 0};
    CHECK(clCreateBufferWithProperties(w.context, unknown, 0, 64, NULL, &error) == NULL);
    CHECK_EQ(error, CL_INVALID_PROPERTY);
    cl_mem with = clCreateBufferWithProperties(w.context, none, 0, 64, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    cl_mem without = clCreateBufferWithProperties(w.context, NULL, 0, 64, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    size_t size = 99;
    cl_mem_properties got = 99;
    CHECK_EQ(clGetMemObjectInfo(with, CL_MEM_PROPERTIES, sizeof got, &got, &size), CL_SUCCESS);
    CHECK_EQ(size, sizeof got);
    CHECK_EQ(got, 0u);
    CHECK_EQ(clGetMemObjectInfo(without, CL_MEM_PROPERTIES, 0, NULL, &size), CL_SUCCESS);
    CHECK_EQ(size, 0u);
    CHECK_EQ(clReleaseMemObject(with), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(without), CL_SUCCESS);
    close_world(&w);
}
