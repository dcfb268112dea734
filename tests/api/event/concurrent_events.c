// Many threads, queues and events at once: nothing is lost, run twice or freed early. Meant for TSan and
// ASan.
// timeout: 120
// labels: stress
#include "api/api.h"

enum { THREADS = 4 };

static cl_context context;
static _Atomic int ran;

static void CL_CALLBACK count(void *unused)
{
    (void)unused;
    atomic_fetch_add_explicit(&ran, 1, memory_order_relaxed);
}

static _Atomic int called;

static void CL_CALLBACK note(cl_event e, cl_int status, void *user)
{
    (void)e, (void)status, (void)user;
    atomic_fetch_add_explicit(&called, 1, memory_order_relaxed);
}

static cl_command_queue shared[2];

// Random commands in shared queues with random wait lists from the thread's own last events.
static void *storm(void *arg)
{
    uint64_t seed = 88172645463325252ull + (uintptr_t)arg * 7919;
    enum { KEPT = 6 };
    cl_event kept[KEPT] = {NULL};
    int works = 0;
    for (int i = 0; i < HARNESS_SCALE(20000); i++) {
        cl_command_queue q = shared[harness_random(&seed) % 2];
        cl_event list[KEPT], e = NULL;
        cl_uint n = 0;
        for (int k = 0; k < KEPT; k++)
            if (kept[k] && harness_random(&seed) % 3 == 0)
                list[n++] = kept[k];
        switch (harness_random(&seed) % 16) {
        case 0:
            OK(clEnqueueBarrierWithWaitList(q, n, n ? list : NULL, &e));
            break;
        case 1:
        case 2:
        case 3:
            OK(clEnqueueMarkerWithWaitList(q, n, n ? list : NULL, &e));
            break;
        case 4:
            if (n)
                OK(clWaitForEvents(n, list));
            continue;
        case 5:
            if (harness_random(&seed) % 8 == 0)
                OK(clFinish(q));
            continue;
        default:
            OK(clEnqueueNativeKernel(q, count, NULL, 0, 0, NULL, NULL, n, n ? list : NULL, &e));
            works++;
        }
        if (harness_random(&seed) % 8 == 0)
            OK(clSetEventCallback(e, (cl_int)(harness_random(&seed) % 3), note, NULL));
        int slot = (int)(harness_random(&seed) % KEPT);
        if (kept[slot])
            OK(clReleaseEvent(kept[slot]));
        kept[slot] = e;
    }
    for (int k = 0; k < KEPT; k++)
        if (kept[k])
            OK(clReleaseEvent(kept[k]));
    return (void *)(intptr_t)works;
}

TEST(random_commands_from_many_threads)
{
    context = new_context();
    shared[0] = new_queue(context, CL_QUEUE_PROFILING_ENABLE);
    shared[1] = new_queue(context, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    pthread_t t[THREADS];
    int works = 0;
    for (int i = 0; i < THREADS; i++)
        CHECK_EQ(pthread_create(&t[i], NULL, storm, (void *)(uintptr_t)(i + 1)), 0);
    for (int i = 0; i < THREADS; i++) {
        void *n;
        pthread_join(t[i], &n);
        works += (int)(intptr_t)n;
    }
    OK(clFinish(shared[0]));
    OK(clFinish(shared[1]));
    CHECK_EQ(atomic_load(&ran), works);
    OK(clReleaseCommandQueue(shared[0]));
    OK(clReleaseCommandQueue(shared[1]));
    OK(clReleaseContext(context));
}

static cl_event gate;

static void *race_to_set(void *arg)
{
    return (void *)(intptr_t)(clSetUserEventStatus(gate, *(cl_int *)arg) == CL_SUCCESS);
}

// One setter wins; a wait list that is being linked meanwhile loses nothing.
TEST(setting_a_user_event_races_with_waiting_for_it)
{
    context = new_context();
    cl_command_queue q = new_queue(context, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    for (int round = 0; round < HARNESS_SCALE(2000); round++) {
        gate = new_user_event(context);
        cl_int values[2] = {CL_COMPLETE, -9};
        pthread_t t[2];
        for (int i = 0; i < 2; i++)
            CHECK_EQ(pthread_create(&t[i], NULL, race_to_set, &values[i]), 0);
        cl_event m[8];
        for (int i = 0; i < 8; i++) {
            OK(clEnqueueMarkerWithWaitList(q, 1, &gate, &m[i]));
            OK(clSetEventCallback(gate, CL_COMPLETE, note, NULL));
        }
        int winners = 0;
        for (int i = 0; i < 2; i++) {
            void *won;
            pthread_join(t[i], &won);
            winners += (int)(intptr_t)won;
        }
        CHECK_EQ(winners, 1);
        OK(clFinish(q));
        cl_int outcome =
            status_of(gate) == CL_COMPLETE ? CL_COMPLETE : CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
        for (int i = 0; i < 8; i++) {
            CHECK_EQ(status_of(m[i]), outcome);
            OK(clReleaseEvent(m[i]));
        }
        OK(clReleaseEvent(gate));
    }
    await_count(&called, 8 * HARNESS_SCALE(2000));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseContext(context));
}

static void *come_and_go(void *arg)
{
    (void)arg;
    for (int i = 0; i < HARNESS_SCALE(2000); i++) {
        cl_context c = new_context();
        cl_command_queue q = new_queue(c, i % 2 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0);
        cl_event e = NULL;
        OK(clEnqueueNativeKernel(q, count, NULL, 0, 0, NULL, NULL, 0, NULL, &e));
        OK(clReleaseCommandQueue(q));
        OK(clReleaseContext(c));
        if (i % 3 == 0)
            OK(clWaitForEvents(1, &e));
        OK(clReleaseEvent(e));
    }
    return NULL;
}

TEST(objects_released_in_any_order_with_work_in_flight)
{
    pthread_t t[THREADS];
    for (int i = 0; i < THREADS; i++)
        CHECK_EQ(pthread_create(&t[i], NULL, come_and_go, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    await_count(&ran, THREADS * HARNESS_SCALE(2000));
}
