// Markers and barriers, with and without lists, and their deprecated versions.
#include "api/api.h"

struct step {
    _Atomic int *clock;
    int at; // what the clock showed
    long nap;
};

static void CL_CALLBACK take(void *args)
{
    struct step *s = *(struct step **)args;
    sleep_ms(s->nap);
    s->at = atomic_fetch_add(s->clock, 1);
}

static void enqueue_step(cl_command_queue q, struct step *s, cl_uint n, const cl_event *list, cl_event *event)
{
    OK(clEnqueueNativeKernel(q, take, &s, sizeof s, 0, NULL, NULL, n, list, event));
}

TEST(a_barrier_parts_what_comes_before_from_what_comes_after)
{
    enum { N = 8 };
    for (int form = 0; form < 3; form++) {
        cl_context c = new_context();
        cl_command_queue q = new_queue(c, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
        _Atomic int clock = 0;
        struct step before[N], after[N];
        cl_event e = NULL;
        for (int i = 0; i < N; i++) {
            before[i] = (struct step){&clock, -1, i % 3};
            enqueue_step(q, &before[i], 0, NULL, NULL);
        }
        if (form == 0)
            OK(clEnqueueBarrierWithWaitList(q, 0, NULL, &e));
        else if (form == 1)
            OK(clEnqueueBarrier(q));
        else {
            OK(clEnqueueMarker(q, &e));
            OK(clEnqueueWaitForEvents(q, 1, &e));
        }
        for (int i = 0; i < N; i++) {
            after[i] = (struct step){&clock, -1, 0};
            enqueue_step(q, &after[i], 0, NULL, NULL);
        }
        OK(clFinish(q));
        for (int i = 0; i < N; i++) {
            CHECK_LT(before[i].at, N);
            CHECK_GE(before[i].at, 0);
            CHECK_GE(after[i].at, N);
        }
        if (e)
            OK(clReleaseEvent(e));
        OK(clReleaseCommandQueue(q));
        OK(clReleaseContext(c));
    }
}

TEST(a_barrier_with_a_list_waits_for_the_list_only)
{
    cl_context c = new_context();
    cl_command_queue q = new_queue(c, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_event slow = new_user_event(c), quick = new_user_event(c), hung = NULL, barrier = NULL, after = NULL;
    OK(clEnqueueMarkerWithWaitList(q, 1, &slow, &hung));
    OK(clEnqueueBarrierWithWaitList(q, 1, &quick, &barrier));
    OK(clEnqueueMarkerWithWaitList(q, 1, &quick, &after));
    CHECK_EQ(status_of(barrier), CL_QUEUED);
    OK(clSetUserEventStatus(quick, CL_COMPLETE));
    OK(clWaitForEvents(1, &barrier));
    OK(clWaitForEvents(1, &after));
    CHECK_EQ(status_of(hung), CL_QUEUED);
    OK(clSetUserEventStatus(slow, CL_COMPLETE));
    OK(clFinish(q));
    CHECK_EQ(status_of(hung), CL_COMPLETE);
    cl_event all[] = {slow, quick, hung, barrier, after};
    for (size_t i = 0; i < COUNT_OF(all); i++)
        OK(clReleaseEvent(all[i]));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
}

TEST(a_marker_without_a_list_waits_for_all_before_it_and_holds_nothing_up)
{
    cl_context c = new_context();
    cl_command_queue q = new_queue(c, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_event gate = new_user_event(c), go = new_user_event(c), first = NULL, marker = NULL, later = NULL;
    OK(clSetUserEventStatus(go, CL_COMPLETE));
    OK(clEnqueueMarkerWithWaitList(q, 1, &gate, &first));
    OK(clEnqueueMarkerWithWaitList(q, 0, NULL, &marker));
    OK(clEnqueueMarkerWithWaitList(q, 1, &go, &later));
    OK(clWaitForEvents(1, &later));
    CHECK_EQ(status_of(marker), CL_QUEUED);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clWaitForEvents(1, &marker));
    cl_event all[] = {gate, go, first, marker, later};
    for (size_t i = 0; i < COUNT_OF(all); i++)
        OK(clReleaseEvent(all[i]));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
}

TEST(in_order_queues_keep_the_order)
{
    enum { N = 200 };
    cl_context c = new_context();
    cl_command_queue q = new_queue(c, 0);
    static struct step s[N];
    _Atomic int clock = 0;
    cl_event gate = new_user_event(c);
    for (int i = 0; i < N; i++) {
        s[i] = (struct step){&clock, -1, 0};
        enqueue_step(q, &s[i], i == 0, i == 0 ? &gate : NULL, NULL);
    }
    OK(clFlush(q));
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clFinish(q));
    for (int i = 0; i < N; i++)
        CHECK_EQ(s[i].at, i);
    OK(clReleaseEvent(gate));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
}

TEST(wait_lists_across_queues)
{
    cl_context c = new_context();
    cl_command_queue a = new_queue(c, 0), b = new_queue(c, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    _Atomic int clock = 0;
    struct step s[64];
    cl_event e[64];
    for (int i = 0; i < 64; i++) {
        s[i] = (struct step){&clock, -1, i % 16 == 0};
        // Everything before it, in both queues: more edges than a command has room for.
        enqueue_step(i % 2 ? a : b, &s[i], (cl_uint)i, i ? e : NULL, &e[i]);
    }
    OK(clFinish(a));
    OK(clFinish(b));
    for (int i = 0; i < 64; i++) {
        CHECK_EQ(s[i].at, i);
        OK(clReleaseEvent(e[i]));
    }
    OK(clReleaseCommandQueue(a));
    OK(clReleaseCommandQueue(b));
    OK(clReleaseContext(c));
}

TEST(work_starts_without_a_flush)
{
    cl_context c = new_context();
    cl_command_queue q = new_queue(c, 0);
    _Atomic int clock = 0;
    struct step s = {&clock, -1, 0};
    enqueue_step(q, &s, 0, NULL, NULL);
    await_count(&clock, 1);
    OK(clFinish(q));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
}

typedef cl_int (*enqueue_fn)(cl_command_queue, cl_uint, const cl_event *, cl_event *);

// Edges from each to each would be gigabytes.
TEST(many_barriers_in_a_queue_that_is_held_up)
{
    enum { N = 30000 };
    cl_context c = new_context();
    cl_command_queue q = new_queue(c, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    _Atomic int clock = 0;
    static struct step steps[2];
    cl_event gate = new_user_event(c), last = NULL;
    double begin = harness_seconds();
    for (int i = 0; i < N; i++) {
        OK(clEnqueueMarkerWithWaitList(q, 1, &gate, NULL));
        OK((i & 1 ? clEnqueueBarrierWithWaitList : clEnqueueMarkerWithWaitList)(q, 0, NULL, NULL));
        if (i == N / 2) { // it waits for the barriers before it, and those after it wait for it
            steps[0] = (struct step){&clock, -1, 20};
            enqueue_step(q, &steps[0], 0, NULL, NULL);
        }
    }
    steps[1] = (struct step){&clock, -1, 0};
    enqueue_step(q, &steps[1], 0, NULL, &last);
    OK(clFlush(q));
    sleep_ms(20);
    CHECK_EQ(atomic_load(&clock), 0);
    OK(clSetUserEventStatus(gate, CL_COMPLETE));
    OK(clWaitForEvents(1, &last));
    CHECK_EQ(steps[0].at, 0);
    CHECK_EQ(steps[1].at, 1);
    CHECK_LT(harness_seconds() - begin, 20);
    OK(clFinish(q));
    OK(clReleaseEvent(gate));
    OK(clReleaseEvent(last));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
}

TEST(errors)
{
    const enqueue_fn forms[] = {clEnqueueMarkerWithWaitList, clEnqueueBarrierWithWaitList};
    cl_context c = new_context(), other = new_context();
    cl_command_queue q = new_queue(c, 0);
    cl_event e = new_user_event(c), foreign = new_user_event(other), out = NULL;
    cl_event dead[] = {e, not_an_object(e)}, none[] = {e, NULL}, mixed[] = {e, foreign};
    for (size_t i = 0; i < COUNT_OF(forms); i++) {
        CHECK_EQ(forms[i](not_an_object(q), 0, NULL, &out), CL_INVALID_COMMAND_QUEUE);
        CHECK_EQ(forms[i](q, 1, NULL, &out), CL_INVALID_EVENT_WAIT_LIST);
        CHECK_EQ(forms[i](q, 0, &e, &out), CL_INVALID_EVENT_WAIT_LIST);
        CHECK_EQ(forms[i](q, 2, dead, &out), CL_INVALID_EVENT_WAIT_LIST);
        CHECK_EQ(forms[i](q, 2, none, &out), CL_INVALID_EVENT_WAIT_LIST);
        CHECK_EQ(forms[i](q, 2, mixed, &out), CL_INVALID_CONTEXT);
        CHECK(out == NULL);
    }
    CHECK_EQ(clEnqueueMarker(q, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueMarker(not_an_object(q), &out), CL_INVALID_COMMAND_QUEUE);
    CHECK_EQ(clEnqueueBarrier(not_an_object(q)), CL_INVALID_COMMAND_QUEUE);
    CHECK_EQ(clEnqueueWaitForEvents(q, 0, &e), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueWaitForEvents(q, 2, dead), CL_INVALID_EVENT);
    CHECK_EQ(clEnqueueWaitForEvents(q, 2, mixed), CL_INVALID_CONTEXT);
    CHECK_EQ(clFlush(not_an_object(q)), CL_INVALID_COMMAND_QUEUE);
    CHECK_EQ(clFinish(not_an_object(q)), CL_INVALID_COMMAND_QUEUE);
    OK(clReleaseEvent(e));
    OK(clReleaseEvent(foreign));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(c));
    OK(clReleaseContext(other));
}
