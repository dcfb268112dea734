#include "api/api.h"

static cl_uint references(cl_command_queue q)
{
    cl_uint n = 0;
    OK(clGetCommandQueueInfo(q, CL_QUEUE_REFERENCE_COUNT, sizeof n, &n, NULL));
    return n;
}

TEST(counts)
{
    cl_context c = new_context();
    cl_command_queue q = new_queue(c, 0);
    OK(clEnqueueMarkerWithWaitList(q, 0, NULL, NULL));
    CHECK_EQ(references(q), 1); // commands don't show
    OK(clRetainCommandQueue(q));
    CHECK_EQ(references(q), 2);
    OK(clReleaseCommandQueue(q));
    CHECK_EQ(references(q), 1);
    OK(clReleaseCommandQueue(q));
    CHECK_EQ(clReleaseCommandQueue(q), CL_INVALID_COMMAND_QUEUE);
    OK(clReleaseContext(c));
}

TEST(BadQueue)
{
    cl_context c = new_context();
    cl_command_queue q = new_queue(c, 0);
    CHECK_EQ(clRetainCommandQueue(not_an_object(q)), CL_INVALID_COMMAND_QUEUE);
    CHECK_EQ(clReleaseCommandQueue(not_an_object(q)), CL_INVALID_COMMAND_QUEUE);
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
}

static _Atomic int ran;

static void CL_CALLBACK work(void *unused)
{
    (void)unused;
    sleep_ms(20);
    atomic_fetch_add(&ran, 1);
}

TEST(a_queue_released_with_work_in_flight_completes_it)
{
    for (int out_of_order = 0; out_of_order < 2; out_of_order++) {
        atomic_store(&ran, 0);
        cl_context c = new_context();
        cl_command_queue q = new_queue(c, out_of_order ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0),
                         back = NULL;
        cl_event gate = new_user_event(c), last = NULL;
        for (int i = 0; i < 3; i++)
            OK(clEnqueueNativeKernel(q, work, NULL, 0, 0, NULL, NULL, 1, &gate, i == 2 ? &last : NULL));
        OK(clReleaseCommandQueue(q));
        OK(clSetUserEventStatus(gate, CL_COMPLETE));
        OK(clReleaseEvent(gate));
        OK(clReleaseContext(c));
        OK(clWaitForEvents(1, &last));
        OK(clGetEventInfo(last, CL_EVENT_COMMAND_QUEUE, sizeof back, &back, NULL));
        CHECK(back == q);
        OK(clReleaseEvent(last));
        await_count(&ran, 3);
    }
}
