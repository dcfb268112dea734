#include "api/api.h"

TEST(errors_in_the_order_of_the_specification)
{
    cl_context c = new_context(), other = new_context();
    cl_event e = new_user_event(c), foreign = new_user_event(other);
    cl_event bad[] = {e, not_an_object(e)}, mixed[] = {e, foreign};
    CHECK_EQ(clWaitForEvents(0, &e), CL_INVALID_VALUE);
    CHECK_EQ(clWaitForEvents(2, bad), CL_INVALID_EVENT);
    CHECK_EQ(clWaitForEvents(2, mixed), CL_INVALID_CONTEXT);
    OK(clReleaseEvent(e));
    OK(clReleaseEvent(foreign));
    OK(clReleaseContext(c));
    OK(clReleaseContext(other));
}

static void *set_later(void *event)
{
    sleep_ms(30);
    OK(clSetUserEventStatus(event, CL_COMPLETE));
    return NULL;
}

TEST(waits_for_all_of_them)
{
    cl_context c = new_context();
    cl_command_queue q = new_queue(c, 0);
    cl_event gate = new_user_event(c), m[2];
    OK(clEnqueueMarkerWithWaitList(q, 0, NULL, &m[0]));
    OK(clEnqueueMarkerWithWaitList(q, 1, &gate, &m[1]));
    pthread_t t;
    CHECK_EQ(pthread_create(&t, NULL, set_later, gate), 0);
    OK(clWaitForEvents(2, m));
    CHECK_EQ(status_of(m[0]), CL_COMPLETE);
    CHECK_EQ(status_of(m[1]), CL_COMPLETE);
    pthread_join(t, NULL);
    OK(clReleaseEvent(m[0]));
    OK(clReleaseEvent(m[1]));
    OK(clReleaseEvent(gate));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
}
