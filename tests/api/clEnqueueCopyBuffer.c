// clEnqueueCopyBuffer.
#include "memory_fixture.h"

static cl_int from_call(cl_command_queue q, cl_mem m, cl_uint n, const cl_event *list, cl_event *event)
{
    return clEnqueueCopyBuffer(q, m, m, 0, 512, 16, n, list, event);
}
TEST_ENQUEUE_CALL(from_call, CL_COMMAND_COPY_BUFFER)

TEST(both_buffers_are_checked)
{
    struct world w = open_world(0);
    cl_mem m = make_buffer(w.context, 0, 100, NULL), big = make_buffer(w.context, 0, 1000, NULL);
    cl_mem foreign = make_buffer(w.other, 0, 100, NULL);
    CHECK_EQ(clEnqueueCopyBuffer(w.queue, m, NULL, 0, 0, 4, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    CHECK_EQ(clEnqueueCopyBuffer(w.queue, m, foreign, 0, 0, 4, 0, NULL, NULL), CL_INVALID_CONTEXT);
    CHECK_EQ(clEnqueueCopyBuffer(w.queue, foreign, m, 0, 0, 4, 0, NULL, NULL), CL_INVALID_CONTEXT);
    // The contexts of both come before the validity of either.
    CHECK_EQ(clEnqueueCopyBuffer(w.queue, NULL, foreign, 0, 0, 4, 0, NULL, NULL), CL_INVALID_CONTEXT);
    CHECK_EQ(clEnqueueCopyBuffer(w.queue, m, big, 97, 0, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueCopyBuffer(w.queue, big, m, 0, 97, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueCopyBuffer(w.queue, big, m, SIZE_MAX, 0, 4, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueCopyBuffer(w.queue, big, m, 4, 4, SIZE_MAX - 2, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueCopyBuffer(w.queue, big, m, 0, 0, 100, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clFinish(w.queue), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(big), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(foreign), CL_SUCCESS);
    close_world(&w);
}

TEST(overlap_is_found_through_sub_buffers)
{
    struct world w = open_world(0);
    cl_mem m = make_buffer(w.context, 0, 1024, NULL);
    cl_mem low = make_sub(m, 0, 512), high = make_sub(m, 256, 512);
    CHECK_EQ(clEnqueueCopyBuffer(w.queue, m, m, 0, 99, 100, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    CHECK_EQ(clEnqueueCopyBuffer(w.queue, m, m, 99, 0, 100, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    CHECK_EQ(clEnqueueCopyBuffer(w.queue, m, m, 7, 7, 1, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    CHECK_EQ(clEnqueueCopyBuffer(w.queue, m, m, 0, 100, 100, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueCopyBuffer(w.queue, low, high, 200, 0, 57, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    CHECK_EQ(clEnqueueCopyBuffer(w.queue, low, high, 200, 0, 56, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueCopyBuffer(w.queue, high, low, 0, 200, 57, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    CHECK_EQ(clEnqueueCopyBuffer(w.queue, m, high, 300, 0, 100, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    CHECK_EQ(clFinish(w.queue), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(low), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(high), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    close_world(&w);
}

TEST(bytes_arrive_and_no_others_change)
{
    struct world w = open_world(0);
    const size_t sizes[] = {1, 1000, 100000, 600001, 20u << 20};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t n = sizes[i];
        cl_mem src = make_counted(w.context, n + 3), dst = make_buffer(w.context, 0, n + 9, NULL);
        unsigned char *back = malloc(n + 9);
        CHECK(back != NULL);
        CHECK_EQ(clEnqueueFillBuffer(w.queue, dst, "\xee", 1, 0, n + 9, 0, NULL, NULL), CL_SUCCESS);
        CHECK_EQ(clEnqueueCopyBuffer(w.queue, src, dst, 3, 5, n, 0, NULL, NULL), CL_SUCCESS);
        CHECK_EQ(clEnqueueReadBuffer(w.queue, dst, CL_TRUE, 0, n + 9, back, 0, NULL, NULL), CL_SUCCESS);
        for (size_t k = 0; k < n + 9; k++)
            CHECK_EQ(back[k], k < 5 || k >= n + 5 ? 0xee : counted(k - 5 + 3));
        free(back);
        CHECK_EQ(clReleaseMemObject(src), CL_SUCCESS);
        CHECK_EQ(clReleaseMemObject(dst), CL_SUCCESS);
    }
    close_world(&w);
}
