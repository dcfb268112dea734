#include "api/api.h"

struct seen {
    _Atomic int calls;
    _Atomic int status;
    _Atomic(cl_event) event;
};

static void CL_CALLBACK note(cl_event event, cl_int status, void *user)
{
    struct seen *s = user;
    atomic_store(&s->event, event);
    atomic_store(&s->status, status);
    atomic_fetch_add(&s->calls, 1);
}

static void CL_CALLBACK nothing(void *unused)
{
    (void)unused;
}

TEST(every_state_once)
{
    cl_context c = new_context();
    cl_command_queue q = new_queue(c, 0);
    cl_event gate = new_user_event(c), e = NULL;
    struct seen s[3] = {0}, late[3] = {0};
    const cl_int types[] = {CL_SUBMITTED, CL_RUNNING, CL_COMPLETE};
    OK(clEnqueueNativeKernel(q, nothing, NULL, 0, 0, NULL, NULL, 1, &gate, &e));
    for (int i = 0; i < 3; i++)
        OK(clSetEventCallback(e, types[i], note, &s[i]));
    sleep_ms(5);
    for (int i = 0; i < 3; i++)
        CHECK_EQ(atomic_load(&s[i].calls), 0);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clFinish(q));
    for (int i = 0; i < 3; i++)
        OK(clSetEventCallback(e, types[i], note, &late[i])); // the state has passed: called at once
    for (int i = 0; i < 3; i++) {
        await_count(&s[i].calls, 1);
        await_count(&late[i].calls, 1);
        CHECK_EQ(atomic_load(&s[i].status), types[i]);
        CHECK_EQ(atomic_load(&late[i].status), types[i]);
        CHECK(atomic_load(&s[i].event) == e);
    }
    sleep_ms(5);
    for (int i = 0; i < 3; i++)
        CHECK_EQ(atomic_load(&s[i].calls) + atomic_load(&late[i].calls), 2);
    OK(clReleaseEvent(e));
    OK(clReleaseEvent(gate));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
}

TEST(an_error_reaches_all_callbacks)
{
    cl_context c = new_context();
    cl_command_queue q = new_queue(c, 0);
    cl_event gate = new_user_event(c), m = NULL;
    struct seen of_gate = {0}, of_marker[3] = {0};
    OK(clEnqueueMarkerWithWaitList(q, 1, &gate, &m));
    OK(clSetEventCallback(gate, CL_COMPLETE, note, &of_gate));
    for (int i = 0; i < 3; i++)
        OK(clSetEventCallback(m, i, note, &of_marker[i]));
    OK(clSetUserEventStatus(gate, -77));
    await_count(&of_gate.calls, 1);
    CHECK_EQ(atomic_load(&of_gate.status), -77);
    for (int i = 0; i < 3; i++) {
        await_count(&of_marker[i].calls, 1);
        CHECK_EQ(atomic_load(&of_marker[i].status), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    }
    OK(clReleaseEvent(m));
    OK(clReleaseEvent(gate));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
}

static cl_command_queue the_queue;
static pthread_mutex_t applications_lock = PTHREAD_MUTEX_INITIALIZER;

static void CL_CALLBACK enqueue_more(cl_event event, cl_int status, void *user)
{
    (void)event, (void)status;
    pthread_mutex_lock(&applications_lock);
    OK(clEnqueueMarkerWithWaitList(the_queue, 0, NULL, NULL));
    OK(clFlush(the_queue));
    pthread_mutex_unlock(&applications_lock);
    atomic_fetch_add((_Atomic int *)user, 1);
}

TEST(may_call_OpenCL_and_take_a_lock_that_the_waiting_thread_holds)
{
    cl_context c = new_context();
    static _Atomic int calls;
    the_queue = new_queue(c, 0);
    for (int i = 0; i < 100; i++) {
        cl_event e = NULL;
        pthread_mutex_lock(&applications_lock);
        OK(clEnqueueNativeKernel(the_queue, nothing, NULL, 0, 0, NULL, NULL, 0, NULL, &e));
        OK(clSetEventCallback(e, CL_COMPLETE, enqueue_more, &calls));
        OK(clSetEventCallback(e, CL_RUNNING, enqueue_more, &calls));
        OK(clWaitForEvents(1, &e));
        OK(clSetEventCallback(e, CL_COMPLETE, enqueue_more, &calls));
        pthread_mutex_unlock(&applications_lock);
        OK(clReleaseEvent(e)); // the callbacks keep it
    }
    await_count(&calls, 300);
    OK(clFinish(the_queue));
    OK(clReleaseCommandQueue(the_queue));
    OK(clReleaseContext(c));
}

static _Atomic int next_in_order, out_of_order;

static void CL_CALLBACK note_order(cl_event event, cl_int status, void *user)
{
    (void)event, (void)status;
    if (atomic_fetch_add(&next_in_order, 1) != *(int *)user)
        atomic_fetch_add(&out_of_order, 1);
}

TEST(callbacks_come_in_the_order_of_states_and_of_registration)
{
    cl_context c = new_context();
    cl_command_queue q = new_queue(c, 0);
    cl_event gate = new_user_event(c), e = NULL;
    const cl_int types[] = {CL_COMPLETE, CL_SUBMITTED, CL_RUNNING};
    static const int place[] = {2, 0, 1}; // of the states above
    static int numbers[3][5];
    OK(clEnqueueMarkerWithWaitList(q, 1, &gate, &e)); // goes from queued to complete at once
    for (int i = 0; i < 5; i++)
        for (int t = 0; t < 3; t++) {
            numbers[t][i] = 5 * place[t] + i;
            OK(clSetEventCallback(e, types[t], note_order, &numbers[t][i]));
        }
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    await_count(&next_in_order, 15);
    CHECK_EQ(atomic_load(&out_of_order), 0);
    OK(clReleaseEvent(e));
    OK(clReleaseEvent(gate));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
}

TEST(errors)
{
    cl_context c = new_context();
    cl_event e = new_user_event(c);
    struct seen s = {0};
    CHECK_EQ(clSetEventCallback(not_an_object(e), CL_COMPLETE, note, &s), CL_INVALID_EVENT);
    CHECK_EQ(clSetEventCallback(e, CL_COMPLETE, NULL, &s), CL_INVALID_VALUE);
    CHECK_EQ(clSetEventCallback(e, CL_QUEUED, note, &s), CL_INVALID_VALUE);
    CHECK_EQ(clSetEventCallback(e, -1, note, &s), CL_INVALID_VALUE);
    OK(clReleaseEvent(e));
    OK(clReleaseContext(c));
}
