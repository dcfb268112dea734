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

struct pair {
    cl_context context;
    cl_event first, second, third;
    _Atomic int released, renewed;
};

static void CL_CALLBACK release_event(cl_event event, cl_int status, void *user)
{
    (void)status;
    OK(clReleaseEvent(event));
    atomic_fetch_add(&((struct pair *)user)->released, 1);
}

// On the thread on which the event went, so that its memory is used again: by an event that succeeds.
static void CL_CALLBACK renew(cl_event event, cl_int status, void *user)
{
    struct pair *p = user;
    (void)event, (void)status;
    p->third = new_user_event(p->context);
    OK(clSetUserEventStatus(p->third, CL_COMPLETE));
    atomic_fetch_add(&p->renewed, 1);
}

static void *complete_both(void *arg)
{
    struct pair *p = arg;
    sleep_ms(50); // the other thread waits for the first
    OK(clSetUserEventStatus(p->second, -5));
    await_count(&p->released, 1);
    cl_event e = new_user_event(p->context);
    OK(clSetEventCallback(e, CL_COMPLETE, renew, p));
    OK(clSetUserEventStatus(e, CL_COMPLETE));
    await_count(&p->renewed, 1);
    OK(clReleaseEvent(e));
    OK(clSetUserEventStatus(p->first, CL_COMPLETE));
    return NULL;
}

TEST(an_event_may_be_released_by_its_callback_while_it_is_waited_for)
{
    struct pair p = {.context = new_context()};
    p.first = new_user_event(p.context);
    p.second = new_user_event(p.context);
    cl_event both[] = {p.first, p.second};
    pthread_t other;
    OK(clSetEventCallback(p.second, CL_COMPLETE, release_event, &p));
    CHECK_EQ(pthread_create(&other, NULL, complete_both, &p), 0);
    CHECK_EQ(clWaitForEvents(2, both), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    pthread_join(other, NULL);
    OK(clReleaseEvent(p.third));
    OK(clReleaseEvent(p.first));
    OK(clReleaseContext(p.context));
}
