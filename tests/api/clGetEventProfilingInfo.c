#include "api/api.h"

static const struct query_row rows[] = {
#include "runtime/info/profiling.def"
};

static cl_int ask(void *object, cl_uint name, size_t size, void *value, size_t *size_ret)
{
    return clGetEventProfilingInfo(object, name, size, value, size_ret);
}

static void CL_CALLBACK nap(void *unused)
{
    (void)unused;
    sleep_ms(5);
}

static void check_times(cl_event e, cl_ulong before, cl_ulong after, cl_ulong at_least)
{
    cl_ulong t[5];
    const cl_uint names[] = {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
                             CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END,
                             CL_PROFILING_COMMAND_COMPLETE};
    for (int i = 0; i < 5; i++)
        OK(ask(e, names[i], sizeof t[i], &t[i], NULL));
    CHECK_LE(before, t[0]);
    for (int i = 0; i < 4; i++)
        CHECK_LE(t[i], t[i + 1]);
    CHECK_EQ(t[3], t[4]);
    CHECK_LE(t[4], after);
    CHECK_GE(t[3] - t[2], at_least);
}

TEST(times_are_in_order_and_on_the_host_timer)
{
    for (int out_of_order = 0; out_of_order < 2; out_of_order++) {
        cl_context c = new_context();
        cl_command_queue q = new_queue(c, CL_QUEUE_PROFILING_ENABLE |
                                              (out_of_order ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0));
        cl_event work = NULL, marker = NULL, barrier = NULL;
        cl_ulong before = 0, after = 0;
        OK(clGetHostTimer(the_device(), &before));
        OK(clEnqueueNativeKernel(q, nap, NULL, 0, 0, NULL, NULL, 0, NULL, &work));
        OK(clEnqueueMarkerWithWaitList(q, 0, NULL, &marker));
        OK(clEnqueueBarrierWithWaitList(q, 1, &work, &barrier));
        OK(clFinish(q));
        OK(clGetHostTimer(the_device(), &after));
        check_times(work, before, after, 5000000);
        check_times(marker, before, after, 0);
        check_times(barrier, before, after, 0);
        for (size_t i = 0; i < COUNT_OF(rows); i++)
            check_query(ask, work, &rows[i]);
        size_t size;
        CHECK_EQ(ask(work, 0xdead, 0, NULL, &size), CL_INVALID_VALUE);
        CHECK_EQ(ask(not_an_object(work), CL_PROFILING_COMMAND_END, 0, NULL, &size), CL_INVALID_EVENT);
        OK(clReleaseEvent(work));
        OK(clReleaseEvent(marker));
        OK(clReleaseEvent(barrier));
        OK(clReleaseCommandQueue(q));
        OK(clReleaseContext(c));
    }
}

static cl_ulong time_of(cl_event e, cl_uint name)
{
    cl_ulong t = 0;
    OK(ask(e, name, sizeof t, &t, NULL));
    return t;
}

// From start to end a command runs: the time that it waits for others isn't in between.
TEST(the_start_is_when_it_runs)
{
    cl_context c = new_context();
    cl_command_queue q = new_queue(c, CL_QUEUE_PROFILING_ENABLE);
    cl_event gate = new_user_event(c), nap_event[2] = {NULL, NULL};
    cl_ulong opened = 0;
    OK(clEnqueueNativeKernel(q, nap, NULL, 0, 0, NULL, NULL, 1, &gate, &nap_event[0]));
    OK(clEnqueueNativeKernel(q, nap, NULL, 0, 0, NULL, NULL, 0, NULL, &nap_event[1]));
    sleep_ms(5);
    OK(clGetHostTimer(the_device(), &opened));
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clFinish(q));
    CHECK_LE(time_of(nap_event[0], CL_PROFILING_COMMAND_QUEUED), opened - 5000000);
    CHECK_GE(time_of(nap_event[0], CL_PROFILING_COMMAND_SUBMIT), opened);
    CHECK_GE(time_of(nap_event[1], CL_PROFILING_COMMAND_START),
             time_of(nap_event[0], CL_PROFILING_COMMAND_END));
    OK(clReleaseEvent(gate));
    OK(clReleaseEvent(nap_event[0]));
    OK(clReleaseEvent(nap_event[1]));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
}

TEST(not_available)
{
    cl_context c = new_context();
    cl_command_queue plain = new_queue(c, 0), timed = new_queue(c, CL_QUEUE_PROFILING_ENABLE);
    cl_event gate = new_user_event(c), m = NULL, waiting = NULL, failed = NULL;
    size_t size;
    OK(clEnqueueMarkerWithWaitList(plain, 0, NULL, &m));
    OK(clEnqueueMarkerWithWaitList(timed, 1, &gate, &waiting));
    OK(clFinish(plain));
    CHECK_EQ(ask(m, CL_PROFILING_COMMAND_END, 0, NULL, &size), CL_PROFILING_INFO_NOT_AVAILABLE);
    CHECK_EQ(ask(waiting, CL_PROFILING_COMMAND_QUEUED, 0, NULL, &size), CL_PROFILING_INFO_NOT_AVAILABLE);
    OK(clSetUserEventStatus(gate, -5));
    CHECK_EQ(ask(gate, CL_PROFILING_COMMAND_END, 0, NULL, &size), CL_PROFILING_INFO_NOT_AVAILABLE);
    OK(clEnqueueMarkerWithWaitList(timed, 1, &gate, &failed));
    OK(clFinish(timed));
    CHECK_EQ(ask(failed, CL_PROFILING_COMMAND_END, 0, NULL, &size), CL_PROFILING_INFO_NOT_AVAILABLE);
    cl_event all[] = {gate, m, waiting, failed};
    for (size_t i = 0; i < COUNT_OF(all); i++)
        OK(clReleaseEvent(all[i]));
    OK(clReleaseCommandQueue(plain));
    OK(clReleaseCommandQueue(timed));
    OK(clReleaseContext(c));
}
