// Many threads create, use and release objects in random order for some seconds. Nothing is lost, used after
// it was freed, or run twice. WEFT_TEST_SEED repeats a run, as far as threads can: each thread's seed is made
// of it.
// timeout: 120
// labels: stress
// env: WEFT_CACHE=0
#include "e2e/e2e.h"

enum { THREADS = 6, SLOTS = 8, BYTES = 256 };
static const double seconds = 5;

static cl_context context;
static cl_device_id device;
static cl_program program;
static cl_mem source; // of copies; never written
static double until;

// What a thread has under way. One event of each is awaited in the end, whatever became of the rest.
struct owner {
    uint64_t seed;
    cl_command_queue queues[SLOTS];
    cl_mem buffers[SLOTS];
    cl_kernel kernels[SLOTS];
    cl_event events[SLOTS];
    cl_event gates[SLOTS]; // user events that nothing has been set on yet
};

static _Atomic unsigned callbacks_due, callbacks_called, destructors_due, destructors_called;

static void CL_CALLBACK on_complete(cl_event e, cl_int status, void *user)
{
    (void)user;
    // The event is alive here though every thread may have released it.
    cl_int now = 1;
    CHECK_EQ(clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof now, &now, NULL), CL_SUCCESS);
    CHECK_EQ(now, status);
    callbacks_called++;
}

static void CL_CALLBACK on_destroyed(cl_mem m, void *user)
{
    (void)m, (void)user;
    destructors_called++;
}

static unsigned pick(struct owner *o, unsigned n)
{
    return (unsigned)(harness_random(&o->seed) % n);
}

static cl_uint wait_list(struct owner *o, cl_event *list, bool with_gates)
{
    cl_uint n = 0;
    for (int i = 0; i < SLOTS; i++)
        if (o->events[i] && pick(o, 4) == 0)
            list[n++] = o->events[i];
    if (with_gates && pick(o, 4) == 0)
        for (int i = 0; i < SLOTS; i++)
            if (o->gates[i] && pick(o, 3) == 0)
                list[n++] = o->gates[i];
    return n;
}

static void keep_event(struct owner *o, cl_event e)
{
    if (pick(o, 3) == 0) {
        CHECK_EQ(clSetEventCallback(e, CL_COMPLETE, on_complete, NULL), CL_SUCCESS);
        callbacks_due++;
    }
    cl_event *slot = &o->events[pick(o, SLOTS)];
    if (*slot)
        CHECK_EQ(clReleaseEvent(*slot), CL_SUCCESS);
    *slot = e;
}

static void renew_queue(struct owner *o, unsigned i)
{
    static const cl_command_queue_properties kinds[] = {
        0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_QUEUE_PROFILING_ENABLE,
        CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE};
    cl_int error = 1;
    if (o->queues[i]) // with what was queued in it still to come
        CHECK_EQ(clReleaseCommandQueue(o->queues[i]), CL_SUCCESS);
    o->queues[i] = clCreateCommandQueue(context, device, kinds[pick(o, 4)], &error);
    CHECK_EQ(error, CL_SUCCESS);
}

static void make_buffer(cl_mem *m)
{
    static const cl_uint zeros[BYTES / 4];
    cl_int error = 1;
    *m = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, BYTES, (void *)(uintptr_t)zeros, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clSetMemObjectDestructorCallback(*m, on_destroyed, NULL), CL_SUCCESS);
    destructors_due++;
}

static void renew_buffer(struct owner *o, unsigned i)
{
    if (o->buffers[i])
        CHECK_EQ(clReleaseMemObject(o->buffers[i]), CL_SUCCESS);
    make_buffer(&o->buffers[i]);
}

static void renew_kernel(struct owner *o, unsigned i)
{
    cl_int error = 1;
    if (o->kernels[i])
        CHECK_EQ(clReleaseKernel(o->kernels[i]), CL_SUCCESS);
    o->kernels[i] = clCreateKernel(program, "count", &error);
    CHECK_EQ(error, CL_SUCCESS);
}

static void open_gate(struct owner *o, unsigned i)
{
    if (!o->gates[i])
        return;
    // A failing gate fails what waits for it, and those commands only.
    CHECK_EQ(clSetUserEventStatus(o->gates[i], pick(o, 4) ? CL_COMPLETE : -77), CL_SUCCESS);
    CHECK_EQ(clReleaseEvent(o->gates[i]), CL_SUCCESS);
    o->gates[i] = NULL;
}

static void open_all_gates(struct owner *o)
{
    for (unsigned i = 0; i < SLOTS; i++)
        open_gate(o, i);
}

static void launch(struct owner *o)
{
    cl_event list[2 * SLOTS], e = NULL;
    cl_uint n = wait_list(o, list, true);
    cl_kernel k = o->kernels[pick(o, SLOTS)];
    E2E_ARG(k, 0, o->buffers[pick(o, SLOTS)]);
    const size_t global = BYTES / 4;
    CHECK_EQ(
        clEnqueueNDRangeKernel(o->queues[pick(o, SLOTS)], k, 1, NULL, &global, NULL, n, n ? list : NULL, &e),
        CL_SUCCESS);
    keep_event(o, e);
}

// To a buffer that nobody else knows, and that the copy alone keeps alive. (Commands of several queues that
// write to the same one would be a race of the application's.)
static void copy(struct owner *o)
{
    cl_event list[2 * SLOTS], e = NULL;
    cl_uint n = wait_list(o, list, true);
    cl_mem to = NULL;
    make_buffer(&to);
    CHECK_EQ(clEnqueueCopyBuffer(o->queues[pick(o, SLOTS)], source, to, 0, 0, BYTES, n, n ? list : NULL, &e),
             CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(to), CL_SUCCESS);
    keep_event(o, e);
}

static void one_step(struct owner *o)
{
    cl_event list[2 * SLOTS], e = NULL;
    cl_int error = 1;
    cl_uint n;
    unsigned i = pick(o, SLOTS);
    switch (pick(o, 24)) {
    case 0:
        renew_queue(o, i);
        break;
    case 1:
    case 2:
        renew_buffer(o, i);
        break;
    case 3:
        renew_kernel(o, i);
        break;
    case 4:
    case 5:
        if (o->gates[i])
            break;
        o->gates[i] = clCreateUserEvent(context, &error);
        CHECK_EQ(error, CL_SUCCESS);
        break;
    case 6:
    case 7:
    case 8:
        open_gate(o, i);
        break;
    case 9:
        n = wait_list(o, list, true);
        CHECK_EQ(clEnqueueBarrierWithWaitList(o->queues[i], n, n ? list : NULL, &e), CL_SUCCESS);
        keep_event(o, e);
        break;
    case 10:
        n = wait_list(o, list, false);
        CHECK_EQ(clEnqueueMarkerWithWaitList(o->queues[i], n, n ? list : NULL, &e), CL_SUCCESS);
        keep_event(o, e);
        break;
    case 11:
        open_all_gates(o); // or the wait could be for ever
        n = wait_list(o, list, false);
        error = n ? clWaitForEvents(n, list) : CL_SUCCESS;
        CHECK(error == CL_SUCCESS || error == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        break;
    case 12:
        open_all_gates(o);
        CHECK_EQ(clFinish(o->queues[i]), CL_SUCCESS);
        break;
    case 13:
        CHECK_EQ(clFlush(o->queues[i]), CL_SUCCESS);
        break;
    case 14:
    case 15:
    case 16:
        copy(o);
        break;
    default:
        launch(o);
    }
}

static void *live(void *arg)
{
    const char *seed = getenv("WEFT_TEST_SEED");
    struct owner o = {.seed = (seed ? strtoull(seed, NULL, 0) : 20240607u) * 1000003u + (uintptr_t)arg + 1};
    for (unsigned i = 0; i < SLOTS; i++) {
        renew_queue(&o, i);
        renew_buffer(&o, i);
        renew_kernel(&o, i);
    }
    unsigned steps = 0;
    for (; harness_seconds() < until; steps++)
        one_step(&o);
    open_all_gates(&o);
    // Half of the threads wait, the others leave everything to itself.
    for (unsigned i = 0; i < SLOTS; i++) {
        if ((uintptr_t)arg % 2)
            CHECK_EQ(clFinish(o.queues[i]), CL_SUCCESS);
        if (o.events[i])
            CHECK_EQ(clReleaseEvent(o.events[i]), CL_SUCCESS);
        CHECK_EQ(clReleaseKernel(o.kernels[i]), CL_SUCCESS);
        CHECK_EQ(clReleaseMemObject(o.buffers[i]), CL_SUCCESS);
        CHECK_EQ(clReleaseCommandQueue(o.queues[i]), CL_SUCCESS);
    }
    return (void *)(uintptr_t)steps;
}

static void await_equal(_Atomic unsigned *called, _Atomic unsigned *due, const char *what)
{
    for (int i = 0; i < 20000 && *called != *due; i++)
        usleep(1000);
    if (*called != *due)
        FAIL("%u %s of %u", *called, what, *due);
}

TEST(threads_make_use_and_release_everything_at_random)
{
    struct e2e t = e2e_open();
    context = t.context;
    device = t.device;
    program = e2e_build(&t, "kernel void count(global uint *p) { atomic_inc(&p[get_global_id(0)]); }", "");
    make_buffer(&source);
    until = harness_seconds() + seconds;
    pthread_t threads[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, live, (void *)i), 0);
    uintptr_t steps = 0;
    for (int i = 0; i < THREADS; i++) {
        void *done;
        CHECK_EQ(pthread_join(threads[i], &done), 0);
        steps += (uintptr_t)done;
    }
    CHECK_GT(steps, THREADS * 10);
    CHECK_EQ(clReleaseMemObject(source), CL_SUCCESS);
    // Nobody waits for what the threads left: it happens nevertheless.
    await_equal(&callbacks_called, &callbacks_due, "callbacks were called");
    await_equal(&destructors_called, &destructors_due, "buffers were freed");
    CHECK_GT(callbacks_called, 0);
    cl_uint references = 0;
    CHECK_EQ(clReleaseProgram(program), CL_SUCCESS);
    CHECK_EQ(clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof references, &references, NULL),
             CL_SUCCESS);
    CHECK_EQ(references, 1);
    e2e_works(&t, "");
    e2e_close(&t);
    printf("%zu steps, %u callbacks, %u buffers\n", (size_t)steps, callbacks_called, destructors_called);
}
