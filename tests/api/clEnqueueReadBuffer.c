// clEnqueueReadBuffer and clEnqueueWriteBuffer.
#include "memory_fixture.h"

static unsigned char host[1024];

static cl_int read_call(cl_command_queue q, cl_mem m, cl_uint n, const cl_event *list, cl_event *event)
{
    return clEnqueueReadBuffer(q, m, CL_FALSE, 0, 16, host, n, list, event);
}
static cl_int write_call(cl_command_queue q, cl_mem m, cl_uint n, const cl_event *list, cl_event *event)
{
    return clEnqueueWriteBuffer(q, m, CL_FALSE, 0, 16, host, n, list, event);
}
TEST_ENQUEUE_CALL(read_call, CL_COMMAND_READ_BUFFER)

TEST(write_is_checked_like_read)
{
    check_handles(write_call);
    check_wait_lists(write_call);
    check_event(write_call, CL_COMMAND_WRITE_BUFFER);
    check_lifetime(write_call);
}

TEST(bad_regions_and_pointers_are_refused)
{
    struct world w = open_world(0);
    cl_mem m = make_buffer(w.context, 0, 1000, NULL);
    const struct {
        size_t offset, size;
        cl_int expected;
    } rows[] = {{0, 1000, CL_SUCCESS},          {1000, 0, CL_SUCCESS},      {0, 1001, CL_INVALID_VALUE},
                {1001, 0, CL_INVALID_VALUE},    {999, 2, CL_INVALID_VALUE}, {1, SIZE_MAX, CL_INVALID_VALUE},
                {SIZE_MAX, 1, CL_INVALID_VALUE}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CHECK_EQ(clEnqueueReadBuffer(w.queue, m, CL_TRUE, rows[i].offset, rows[i].size, host, 0, NULL, NULL),
                 rows[i].expected);
        CHECK_EQ(clEnqueueWriteBuffer(w.queue, m, CL_TRUE, rows[i].offset, rows[i].size, host, 0, NULL, NULL),
                 rows[i].expected);
    }
    CHECK_EQ(clEnqueueReadBuffer(w.queue, m, CL_TRUE, 0, 4, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueWriteBuffer(w.queue, m, CL_TRUE, 0, 4, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    close_world(&w);
}

TEST(host_access_flags_are_obeyed)
{
    struct world w = open_world(0);
    const struct {
        cl_mem_flags flags;
        cl_int read, write;
    } rows[] = {{CL_MEM_HOST_READ_ONLY, CL_SUCCESS, CL_INVALID_OPERATION},
                {CL_MEM_HOST_WRITE_ONLY, CL_INVALID_OPERATION, CL_SUCCESS},
                {CL_MEM_HOST_NO_ACCESS, CL_INVALID_OPERATION, CL_INVALID_OPERATION}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cl_mem m = make_buffer(w.context, rows[i].flags, 64, NULL);
        CHECK_EQ(clEnqueueReadBuffer(w.queue, m, CL_TRUE, 0, 4, host, 0, NULL, NULL), rows[i].read);
        CHECK_EQ(clEnqueueWriteBuffer(w.queue, m, CL_TRUE, 0, 4, host, 0, NULL, NULL), rows[i].write);
        CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    }
    close_world(&w);
}

static void round_trip(struct world *w, size_t size, cl_bool blocking, bool with_event)
{
    unsigned char *out = malloc(size), *back = calloc(1, size);
    CHECK(out && back);
    for (size_t i = 0; i < size; i++)
        out[i] = counted(i + size);
    cl_mem m = make_buffer(w->context, 0, size, NULL);
    cl_event written = NULL, read = NULL;
    CHECK_EQ(clEnqueueWriteBuffer(w->queue, m, blocking, 0, size, out, 0, NULL, with_event ? &written : NULL),
             CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBuffer(w->queue, m, blocking, 0, size, back, with_event ? 1 : 0,
                                 with_event ? &written : NULL, with_event ? &read : NULL),
             CL_SUCCESS);
    if (blocking && with_event)
        CHECK_EQ(event_status(read), CL_COMPLETE);
    if (!blocking)
        CHECK_EQ(clFinish(w->queue), CL_SUCCESS);
    CHECK_MEM(back, out, size);
    if (with_event) {
        CHECK_EQ(clReleaseEvent(written), CL_SUCCESS);
        CHECK_EQ(clReleaseEvent(read), CL_SUCCESS);
    }
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    free(out);
    free(back);
}

TEST(what_is_written_is_read_back_whatever_the_way)
{
    struct world w = open_world(CL_QUEUE_PROFILING_ENABLE);
    const size_t sizes[] = {1, 4096, 70000, 524287, 524288, 3000001, 40u << 20};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int way = 0; way < 4; way++)
            round_trip(&w, sizes[i], way & 1, way & 2);
    close_world(&w);
}

TEST(a_blocking_call_waits_for_what_was_enqueued_before)
{
    struct world w = open_world(0);
    cl_mem m = make_buffer(w.context, 0, 8u << 20, NULL);
    for (cl_uchar round = 1; round < 20; round++) {
        CHECK_EQ(clEnqueueFillBuffer(w.queue, m, &round, 1, 0, 8u << 20, 0, NULL, NULL), CL_SUCCESS);
        cl_uchar last = 0;
        CHECK_EQ(clEnqueueReadBuffer(w.queue, m, CL_TRUE, (8u << 20) - 1, 1, &last, 0, NULL, NULL),
                 CL_SUCCESS);
        CHECK_EQ(last, round);
    }
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    close_world(&w);
}

TEST(a_failed_event_fails_what_waits_for_it)
{
    struct world w = open_world(0);
    cl_mem m = make_counted(w.context, 64);
    cl_event failed = make_user_event(w.context), e = NULL;
    CHECK_EQ(clSetUserEventStatus(failed, -77), CL_SUCCESS);
    host[0] = 0xee;
    CHECK_EQ(clEnqueueReadBuffer(w.queue, m, CL_TRUE, 1, 4, host, 1, &failed, NULL),
             CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CHECK_EQ(host[0], 0xee);
    // Who is given an error is given no event: the C++ bindings would drop it.
    CHECK_EQ(clEnqueueReadBuffer(w.queue, m, CL_TRUE, 1, 4, host, 1, &failed, &e),
             CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CHECK(e == NULL);
    CHECK_EQ(clEnqueueReadBuffer(w.queue, m, CL_FALSE, 1, 4, host, 1, &failed, &e), CL_SUCCESS);
    CHECK_EQ(clWaitForEvents(1, &e), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CHECK_LT(event_status(e), 0);
    CHECK_EQ(host[0], 0xee);
    CHECK_EQ(clReleaseEvent(e), CL_SUCCESS);
    CHECK_EQ(clReleaseEvent(failed), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    close_world(&w);
}

TEST(a_buffer_may_be_read_into_its_own_host_memory)
{
    struct world w = open_world(0);
    static unsigned char storage[2u << 20];
    for (size_t i = 0; i < sizeof storage; i++)
        storage[i] = counted(i);
    cl_mem m = make_buffer(w.context, CL_MEM_USE_HOST_PTR, sizeof storage, storage);
    CHECK_EQ(clEnqueueReadBuffer(w.queue, m, CL_TRUE, 5, 100, storage + 5, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBuffer(w.queue, m, CL_TRUE, 0, sizeof storage, storage, 0, NULL, NULL), CL_SUCCESS);
    for (size_t i = 0; i < sizeof storage; i++)
        CHECK_EQ(storage[i], counted(i));
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    close_world(&w);
}
