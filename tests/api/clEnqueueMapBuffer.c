// clEnqueueMapBuffer and clEnqueueUnmapMemObject.
#include "memory_fixture.h"

static void *last_mapped;
static cl_int map_call(cl_command_queue q, cl_mem m, cl_uint n, const cl_event *list, cl_event *event)
{
    cl_int error = 1;
    last_mapped = clEnqueueMapBuffer(q, m, CL_FALSE, CL_MAP_READ, 0, 64, n, list, event, &error);
    CHECK_EQ(last_mapped != NULL, error == CL_SUCCESS);
    return error;
}
TEST_ENQUEUE_CALL(map_call, CL_COMMAND_MAP_BUFFER)

static cl_int unmap_call(cl_command_queue q, cl_mem m, cl_uint n, const cl_event *list, cl_event *event)
{
    // Mapped through a queue of the buffer's own context, whichever the wrong arguments are.
    cl_context context;
    if (clGetMemObjectInfo(m, CL_MEM_CONTEXT, sizeof context, &context, NULL) == CL_SUCCESS) {
        cl_device_id device;
        CHECK_EQ(clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof device, &device, NULL), CL_SUCCESS);
        cl_command_queue own = make_queue(context, device, 0);
        CHECK_EQ(map_call(own, m, 0, NULL, NULL), CL_SUCCESS);
        CHECK_EQ(clFinish(own), CL_SUCCESS);
        CHECK_EQ(clReleaseCommandQueue(own), CL_SUCCESS);
    }
    return clEnqueueUnmapMemObject(q, m, last_mapped, n, list, event);
}
TEST(unmap_checks_its_handles)
{
    check_handles(unmap_call);
}
TEST(unmap_checks_its_wait_list)
{
    check_wait_lists(unmap_call);
}
TEST(unmap_has_an_event)
{
    check_event(unmap_call, CL_COMMAND_UNMAP_MEM_OBJECT);
}
TEST(unmap_holds_the_buffer)
{
    check_lifetime(unmap_call);
}

static cl_int map_error(cl_command_queue q, cl_mem m, cl_map_flags flags, size_t offset, size_t size)
{
    cl_int error = 1;
    void *p = clEnqueueMapBuffer(q, m, CL_TRUE, flags, offset, size, 0, NULL, NULL, &error);
    CHECK_EQ(p != NULL, error == CL_SUCCESS);
    return error;
}

static cl_uint map_count(cl_mem m)
{
    cl_uint count = 99;
    CHECK_EQ(clGetMemObjectInfo(m, CL_MEM_MAP_COUNT, sizeof count, &count, NULL), CL_SUCCESS);
    return count;
}

TEST(bad_regions_and_flags_are_refused)
{
    struct world w = open_world(0);
    cl_mem m = make_buffer(w.context, 0, 1024, NULL);
    CHECK_EQ(map_error(w.queue, m, CL_MAP_READ, 0, 0), CL_INVALID_VALUE);
    CHECK_EQ(map_error(w.queue, m, CL_MAP_READ, 0, 1025), CL_INVALID_VALUE);
    CHECK_EQ(map_error(w.queue, m, CL_MAP_READ, 1024, 1), CL_INVALID_VALUE);
    CHECK_EQ(map_error(w.queue, m, CL_MAP_READ, 8, SIZE_MAX - 4), CL_INVALID_VALUE);
    CHECK_EQ(map_error(w.queue, m, 1u << 5, 0, 16), CL_INVALID_VALUE);
    CHECK_EQ(map_error(w.queue, m, CL_MAP_READ | CL_MAP_WRITE_INVALIDATE_REGION, 0, 16), CL_INVALID_VALUE);
    CHECK(clEnqueueMapBuffer(w.queue, m, CL_TRUE, CL_MAP_READ, 0, 0, 0, NULL, NULL, NULL) == NULL);
    CHECK_EQ(map_count(m), 0u);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    close_world(&w);
}

TEST(host_access_flags_are_obeyed)
{
    struct world w = open_world(0);
    cl_mem r = make_buffer(w.context, CL_MEM_HOST_READ_ONLY, 64, NULL);
    cl_mem wr = make_buffer(w.context, CL_MEM_HOST_WRITE_ONLY, 64, NULL);
    cl_mem none = make_buffer(w.context, CL_MEM_HOST_NO_ACCESS, 64, NULL);
    CHECK_EQ(map_error(w.queue, r, CL_MAP_READ, 0, 4), CL_SUCCESS);
    CHECK_EQ(map_error(w.queue, r, CL_MAP_WRITE, 0, 4), CL_INVALID_OPERATION);
    CHECK_EQ(map_error(w.queue, r, CL_MAP_WRITE_INVALIDATE_REGION, 0, 4), CL_INVALID_OPERATION);
    CHECK_EQ(map_error(w.queue, wr, CL_MAP_READ, 0, 4), CL_INVALID_OPERATION);
    CHECK_EQ(map_error(w.queue, wr, CL_MAP_WRITE, 0, 4), CL_SUCCESS);
    CHECK_EQ(map_error(w.queue, none, CL_MAP_READ, 0, 4), CL_INVALID_OPERATION);
    CHECK_EQ(map_error(w.queue, none, CL_MAP_WRITE, 0, 4), CL_INVALID_OPERATION);
    CHECK_EQ(clReleaseMemObject(r), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(wr), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(none), CL_SUCCESS);
    close_world(&w);
}

TEST(regions_mapped_for_writing_may_not_overlap)
{
    struct world w = open_world(0);
    cl_mem m = make_buffer(w.context, 0, 1024, NULL), sub = make_sub(m, 256, 256);
    cl_int error = 1;
    void *p = clEnqueueMapBuffer(w.queue, m, CL_TRUE, CL_MAP_WRITE, 200, 100, 0, NULL, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(map_error(w.queue, m, CL_MAP_WRITE, 299, 10), CL_INVALID_OPERATION);
    CHECK_EQ(map_error(w.queue, m, CL_MAP_WRITE_INVALIDATE_REGION, 0, 201), CL_INVALID_OPERATION);
    CHECK_EQ(map_error(w.queue, sub, CL_MAP_WRITE, 0, 44), CL_INVALID_OPERATION);
    CHECK_EQ(map_error(w.queue, sub, CL_MAP_WRITE, 44, 10), CL_SUCCESS);
    CHECK_EQ(map_error(w.queue, m, CL_MAP_WRITE, 0, 200), CL_SUCCESS);
    CHECK_EQ(map_count(m), 2u);
    CHECK_EQ(map_count(sub), 1u);
    // Unmapping and mapping again needs no wait in between, even while nothing runs.
    cl_event gate = make_user_event(w.context);
    CHECK_EQ(clEnqueueUnmapMemObject(w.queue, m, p, 1, &gate, NULL), CL_SUCCESS);
    void *again = clEnqueueMapBuffer(w.queue, m, CL_FALSE, CL_MAP_WRITE, 200, 100, 0, NULL, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(again, p);
    CHECK_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    CHECK_EQ(clFinish(w.queue), CL_SUCCESS);
    CHECK_EQ(clReleaseEvent(gate), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(sub), CL_SUCCESS); // mapped: its mapping goes with it
    sub = make_sub(m, 256, 256);
    CHECK_EQ(map_error(w.queue, sub, CL_MAP_WRITE, 44, 10), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(sub), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    close_world(&w);
}

TEST(unmap_wants_a_pointer_that_is_mapped)
{
    struct world w = open_world(0);
    cl_mem m = make_counted(w.context, 1024), other = make_counted(w.context, 1024);
    cl_int error = 1;
    unsigned char *p = clEnqueueMapBuffer(w.queue, m, CL_TRUE, CL_MAP_READ, 100, 10, 0, NULL, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(p[0], counted(100));
    unsigned char *q = clEnqueueMapBuffer(w.queue, m, CL_TRUE, CL_MAP_READ, 100, 50, 0, NULL, NULL, &error);
    CHECK_EQ(p, q);
    CHECK_EQ(map_count(m), 2u);
    CHECK_EQ(clEnqueueUnmapMemObject(w.queue, m, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueUnmapMemObject(w.queue, m, p + 1, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueUnmapMemObject(w.queue, other, p, 0, NULL, NULL), CL_INVALID_VALUE);
    // Contexts are checked last here, after the validity of every event.
    cl_event events[2] = {make_user_event(w.other), NULL};
    CHECK_EQ(clEnqueueUnmapMemObject(w.queue, m, p, 2, events, NULL), CL_INVALID_EVENT_WAIT_LIST);
    CHECK_EQ(clEnqueueUnmapMemObject(w.queue, m, p, 1, events, NULL), CL_INVALID_CONTEXT);
    CHECK_EQ(clReleaseEvent(events[0]), CL_SUCCESS);
    CHECK_EQ(clEnqueueUnmapMemObject(w.queue, m, p, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueUnmapMemObject(w.queue, m, p, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueUnmapMemObject(w.queue, m, p, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(map_count(m), 0u);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(other), CL_SUCCESS);
    close_world(&w);
}

TEST(what_is_written_through_the_pointer_is_there)
{
    struct world w = open_world(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_mem m = make_buffer(w.context, 0, 1000, NULL);
    cl_int error = 1;
    cl_event mapped = NULL, unmapped = NULL;
    unsigned char back[100];
    unsigned char *p =
        clEnqueueMapBuffer(w.queue, m, CL_FALSE, CL_MAP_WRITE, 500, 100, 0, NULL, &mapped, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clWaitForEvents(1, &mapped), CL_SUCCESS);
    for (int i = 0; i < 100; i++)
        p[i] = (unsigned char)(i + 1);
    CHECK_EQ(clEnqueueUnmapMemObject(w.queue, m, p, 0, NULL, &unmapped), CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBuffer(w.queue, m, CL_TRUE, 500, 100, back, 1, &unmapped, NULL), CL_SUCCESS);
    for (int i = 0; i < 100; i++)
        CHECK_EQ(back[i], i + 1);
    CHECK_EQ(clReleaseEvent(mapped), CL_SUCCESS);
    CHECK_EQ(clReleaseEvent(unmapped), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    close_world(&w);
}

TEST(a_map_that_fails_leaves_nothing_mapped)
{
    struct world w = open_world(0);
    cl_mem m = make_buffer(w.context, 0, 1000, NULL);
    cl_event failed = make_user_event(w.context), e = NULL;
    cl_int error = 1;
    CHECK_EQ(clSetUserEventStatus(failed, -1), CL_SUCCESS);
    CHECK(clEnqueueMapBuffer(w.queue, m, CL_TRUE, CL_MAP_WRITE, 0, 10, 1, &failed, NULL, &error) == NULL);
    CHECK_EQ(error, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CHECK_EQ(map_count(m), 0u);
    CHECK(clEnqueueMapBuffer(w.queue, m, CL_TRUE, CL_MAP_WRITE, 0, 10, 1, &failed, &e, &error) == NULL);
    CHECK(e == NULL);
    CHECK(clEnqueueMapBuffer(w.queue, m, CL_FALSE, CL_MAP_WRITE, 0, 10, 1, &failed, &e, &error) != NULL);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clWaitForEvents(1, &e), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CHECK_EQ(map_count(m), 0u);
    CHECK_EQ(map_error(w.queue, m, CL_MAP_WRITE, 0, 10), CL_SUCCESS);
    CHECK_EQ(clReleaseEvent(e), CL_SUCCESS);
    CHECK_EQ(clReleaseEvent(failed), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    close_world(&w);
}
