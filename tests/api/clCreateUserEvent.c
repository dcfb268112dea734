#include "api/api.h"

TEST(starts_submitted_and_completes_once)
{
    cl_context c = new_context();
    cl_event e = new_user_event(c);
    CHECK_EQ(status_of(e), CL_SUBMITTED);
    cl_command_queue q = (void *)&q;
    OK(clGetEventInfo(e, CL_EVENT_COMMAND_QUEUE, sizeof q, &q, NULL));
    CHECK(q == NULL);
    OK(clSetUserEventStatus(e, CL_COMPLETE));
    CHECK_EQ(status_of(e), CL_COMPLETE);
    CHECK_EQ(clSetUserEventStatus(e, CL_COMPLETE), CL_INVALID_OPERATION);
    CHECK_EQ(clSetUserEventStatus(e, -1), CL_INVALID_OPERATION);
    OK(clReleaseEvent(e));
    OK(clReleaseContext(c));
}

TEST(BadContext)
{
    cl_context c = new_context();
    cl_int err = 1;
    CHECK(clCreateUserEvent(not_an_object(c), &err) == NULL);
    CHECK_EQ(err, CL_INVALID_CONTEXT);
    OK(clReleaseContext(c));
}

TEST(BadStatus)
{
    cl_context c = new_context();
    cl_command_queue q = new_queue(c, 0);
    cl_event e = new_user_event(c), m = NULL;
    OK(clEnqueueMarkerWithWaitList(q, 0, NULL, &m));
    CHECK_EQ(clSetUserEventStatus(not_an_object(e), CL_COMPLETE), CL_INVALID_EVENT);
    CHECK_EQ(clSetUserEventStatus(m, CL_COMPLETE), CL_INVALID_EVENT); // not a user event
    CHECK_EQ(clSetUserEventStatus(e, CL_RUNNING), CL_INVALID_VALUE);
    CHECK_EQ(clSetUserEventStatus(e, CL_QUEUED), CL_INVALID_VALUE);
    CHECK_EQ(status_of(e), CL_SUBMITTED);
    OK(clSetUserEventStatus(e, CL_COMPLETE));
    OK(clReleaseEvent(m));
    OK(clReleaseEvent(e));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
}

// An error reaches whatever waits for it, through any number of commands, and nothing else.
TEST(errors_pass_along_wait_lists_only)
{
    enum { N = 100000 };
    cl_context c = new_context();
    cl_command_queue chain = new_queue(c, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE), order = new_queue(c, 0);
    cl_event gate = new_user_event(c), failing = NULL, next = NULL, last = gate;
    OK(clEnqueueMarkerWithWaitList(order, 1, &gate, &failing));
    OK(clEnqueueMarkerWithWaitList(order, 0, NULL,
                                   &next)); // after it in an in-order queue, without waiting for its event
    OK(clRetainEvent(gate));
    for (int i = 0; i < HARNESS_SCALE(N); i++) {
        cl_event e = NULL;
        OK(clEnqueueMarkerWithWaitList(chain, 1, &last, &e));
        OK(clReleaseEvent(last));
        last = e;
    }
    OK(clSetUserEventStatus(gate, -1234));
    CHECK_EQ(status_of(gate), -1234);
    CHECK_EQ(clWaitForEvents(1, &last), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CHECK_EQ(status_of(last), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CHECK_EQ(status_of(failing), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    OK(clWaitForEvents(1, &next));
    CHECK_EQ(status_of(next), CL_COMPLETE);
    // An event that has failed already fails who waits for it from the start.
    cl_event late = NULL;
    OK(clEnqueueMarkerWithWaitList(chain, 1, &gate, &late));
    OK(clFinish(chain));
    CHECK_EQ(status_of(late), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    cl_event all[] = {gate, failing, next, last, late};
    for (size_t i = 0; i < COUNT_OF(all); i++)
        OK(clReleaseEvent(all[i]));
    OK(clReleaseCommandQueue(chain));
    OK(clReleaseCommandQueue(order));
    OK(clReleaseContext(c));
}

TEST(may_be_released_while_commands_wait_for_it)
{
    cl_context c = new_context();
    cl_command_queue q = new_queue(c, 0);
    cl_event gate = new_user_event(c), m = NULL;
    OK(clEnqueueMarkerWithWaitList(q, 1, &gate, &m));
    OK(clRetainEvent(gate));
    OK(clReleaseEvent(gate));
    CHECK_EQ(status_of(m), CL_QUEUED);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clReleaseEvent(gate));
    OK(clWaitForEvents(1, &m));
    OK(clReleaseEvent(m));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
}
