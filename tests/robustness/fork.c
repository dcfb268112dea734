// Commands that are enqueued but not complete when a process forks have failed in the child. There no wait
// hangs, whatever it waits for, and the queues work again. The parent isn't affected.
// timeout: 240
// env: WEFT_CACHE=0
#include <stdatomic.h>

#include "api/command_buffer/command_buffer_fixture.h"

static _Atomic int begun, go;

static void CL_CALLBACK work_until_stopped(void *unused)
{
    (void)unused;
    begun = 1;
    while (!go)
        usleep(1000);
}

static void CL_CALLBACK nothing(void *unused)
{
    (void)unused;
}

static void CL_CALLBACK note(cl_event e, cl_int status, void *reported)
{
    (void)e;
    atomic_store((_Atomic int *)reported, status);
}

static cl_int status_of(cl_event e)
{
    cl_int status = 1;
    CHECK_EQ(clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL), CL_SUCCESS);
    return status;
}

static void end_child(void)
{
    fflush(NULL);
    _exit(0);
}

static void check_child(pid_t pid)
{
    int status = 1;
    CHECK_GT(pid, 0);
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    if (status != 0)
        FAIL("the child ended with %#x", (unsigned)status);
}

// One command that runs, one that follows it, one that waits for an event of the application, and that event.
struct flight {
    cl_event running, behind, held, user;
    cl_mem memory;
};

static struct flight take_off(const struct place *w, cl_command_queue q)
{
    static const int seven = 7;
    struct flight f;
    cl_int error = 1;
    begun = go = 0;
    f.memory = clCreateBuffer(w->context, 0, 64, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    f.user = clCreateUserEvent(w->context, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clEnqueueNativeKernel(q, work_until_stopped, NULL, 0, 0, NULL, NULL, 0, NULL, &f.running),
             CL_SUCCESS);
    CHECK_EQ(clEnqueueBarrierWithWaitList(q, 0, NULL, &f.behind), CL_SUCCESS);
    CHECK_EQ(clEnqueueFillBuffer(q, f.memory, &seven, 4, 0, 64, 1, &f.user, &f.held), CL_SUCCESS);
    CHECK_EQ(clFlush(q), CL_SUCCESS);
    while (!begun)
        usleep(1000);
    return f;
}

static void land(struct flight *f)
{
    CHECK_EQ(clReleaseEvent(f->running), CL_SUCCESS);
    CHECK_EQ(clReleaseEvent(f->behind), CL_SUCCESS);
    CHECK_EQ(clReleaseEvent(f->held), CL_SUCCESS);
    CHECK_EQ(clReleaseEvent(f->user), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(f->memory), CL_SUCCESS);
}

static void check_that_all_is_lost(const struct flight *f, cl_command_queue q, bool finish_first)
{
    cl_event lost[] = {f->running, f->behind, f->held};
    if (finish_first)
        CHECK_EQ(clFinish(q), CL_OUT_OF_RESOURCES);
    for (int i = 0; i < 3; i++) {
        CHECK_EQ(status_of(lost[i]), CL_OUT_OF_RESOURCES);
        CHECK_EQ(clWaitForEvents(1, &lost[i]), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        _Atomic int reported = 1;
        CHECK_EQ(clSetEventCallback(lost[i], CL_COMPLETE, note, (void *)&reported), CL_SUCCESS);
        for (int n = 0; n < 20000 && reported == 1; n++)
            usleep(1000);
        CHECK_EQ(reported, CL_OUT_OF_RESOURCES);
    }
}

static void take_a_while(void *arg)
{
    (void)arg;
    usleep(300000);
    go = 2;
}

static void check_that_it_works_again(const struct place *w, const struct flight *f, cl_command_queue q,
                                      bool finished)
{
    cl_event e;
    int data[16] = {0};
    const int five = 5;
    // The user event exists in the child, too. The command that waits for it does not.
    CHECK_EQ(clSetUserEventStatus(f->user, CL_COMPLETE), CL_SUCCESS);
    CHECK_EQ(clWaitForEvents(1, &f->user), CL_SUCCESS);
    CHECK_EQ(status_of(f->held), CL_OUT_OF_RESOURCES);
    CHECK_EQ(clEnqueueMarkerWithWaitList(q, 1, &f->running, &e), CL_SUCCESS);
    CHECK_EQ(clWaitForEvents(1, &e), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    CHECK_EQ(clReleaseEvent(e), CL_SUCCESS);
    CHECK_EQ(clEnqueueFillBuffer(q, f->memory, &five, 4, 0, 64, 0, NULL, &e), CL_SUCCESS);
    CHECK_EQ(clWaitForEvents(1, &e), CL_SUCCESS);
    CHECK_EQ(clReleaseEvent(e), CL_SUCCESS);
    CHECK_EQ(clEnqueueNativeKernel(q, nothing, NULL, 0, 0, NULL, NULL, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueBarrierWithWaitList(q, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBuffer(q, f->memory, CL_TRUE, 0, 64, data, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(data[15], 5);
    size_t n = 16;
    CHECK_EQ(clSetKernelArg(w->kernel, 0, sizeof f->memory, &f->memory), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(w->kernel, 1, sizeof five, &five), CL_SUCCESS);
    CHECK_EQ(clEnqueueNDRangeKernel(q, w->kernel, 1, NULL, &n, NULL, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueBarrierWithWaitList(q, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBuffer(q, f->memory, CL_TRUE, 0, 64, data, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(data[15], 10);
    // Waits for the child's own command, and reports once what was lost.
    CHECK_EQ(clEnqueueNativeKernel(q, take_a_while, NULL, 0, 0, NULL, NULL, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clFinish(q), finished ? CL_SUCCESS : CL_OUT_OF_RESOURCES);
    CHECK_EQ(go, 2);
    CHECK_EQ(clFinish(q), CL_SUCCESS);
}

static void check_in_flight(cl_command_queue_properties bits, bool finish_first)
{
    if (HARNESS_TSAN)
        SKIP("the thread sanitizer has no threads after a fork");
    struct place w = open_place(bits);
    struct flight f = take_off(&w, w.queue);
    pid_t pid = fork();
    if (pid == 0) {
        alarm(100);
        check_that_all_is_lost(&f, w.queue, finish_first);
        check_that_it_works_again(&w, &f, w.queue, finish_first);
        land(&f);
        CHECK_EQ(clReleaseCommandQueue(w.queue), CL_SUCCESS);
        end_child();
    }
    check_child(pid);
    go = 1;
    CHECK_EQ(clSetUserEventStatus(f.user, CL_COMPLETE), CL_SUCCESS);
    CHECK_EQ(clFinish(w.queue), CL_SUCCESS);
    CHECK_EQ(status_of(f.running), CL_COMPLETE);
    CHECK_EQ(status_of(f.behind), CL_COMPLETE);
    CHECK_EQ(status_of(f.held), CL_COMPLETE);
    land(&f);
    close_place(&w);
}

TEST(in_order)
{
    check_in_flight(0, true);
    check_in_flight(0, false);
}

TEST(out_of_order)
{
    check_in_flight(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, true);
    check_in_flight(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE, false);
}

// Each repetition is a new process in which nothing has been loaded yet. The fork comes at another moment of
// the compile each time.
static void fork_in_first_code(int round)
{
    struct place w;
    cl_int error = 1;
    const char *source = "kernel void f(global int *p) { *p = 1; }";
    alarm(100);
    CHECK_EQ(clGetPlatformIDs(1, &w.platform, NULL), CL_SUCCESS);
    CHECK_EQ(clGetDeviceIDs(w.platform, CL_DEVICE_TYPE_ALL, 1, &w.device, NULL), CL_SUCCESS);
    w.context = clCreateContext(NULL, 1, &w.device, NULL, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    w.program = clCreateProgramWithSource(w.context, 1, &source, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clBuildProgram(w.program, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
    w.kernel = clCreateKernel(w.program, "f", &error); // its code is generated in the background
    CHECK_EQ(error, CL_SUCCESS);
    usleep((useconds_t)(500 * round));
    pid_t pid = fork();
    if (pid == 0)
        alarm(100);
    w = open_place(0); // builds and runs another program
    set_add(&w, 3);
    size_t n = 1024;
    CHECK_EQ(clEnqueueNDRangeKernel(w.queue, w.kernel, 1, NULL, &n, NULL, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(value_at(&w, 1023), 3);
    if (pid == 0)
        end_child();
    check_child(pid);
    end_child();
}

TEST(while_the_first_code_of_a_process_is_loaded)
{
    if (HARNESS_TSAN)
        SKIP("the thread sanitizer has no threads after a fork");
    for (int round = 0; round < 30; round++) {
        fflush(NULL);
        pid_t pid = fork();
        if (pid == 0)
            fork_in_first_code(round);
        check_child(pid);
    }
}

// A kernel on an array of ints, by which it and the test see each other's progress.
struct watched {
    cl_program program;
    cl_kernel kernel;
    cl_mem memory;
    volatile int *at; // 1024 ints, initially 0
};

static struct watched watch(const struct place *w, const char *source, const char *name)
{
    static _Alignas(4096) int host[1024];
    struct watched k = {.at = host};
    cl_int error = 1;
    memset(host, 0, sizeof host);
    k.program = clCreateProgramWithSource(w->context, 1, &source, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clBuildProgram(k.program, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
    k.kernel = clCreateKernel(k.program, name, &error);
    CHECK_EQ(error, CL_SUCCESS);
    k.memory = clCreateBuffer(w->context, CL_MEM_USE_HOST_PTR, sizeof host, host, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(k.kernel, 0, sizeof k.memory, &k.memory), CL_SUCCESS);
    return k;
}

static void unwatch(struct watched *k)
{
    CHECK_EQ(clReleaseMemObject(k->memory), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k->kernel), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(k->program), CL_SUCCESS);
}

// A replay in progress delays the next replay of its command buffer, in the parent.
TEST(a_command_buffer_that_is_being_replayed)
{
    if (HARNESS_TSAN)
        SKIP("the thread sanitizer has no threads after a fork");
    struct place w = open_place(0);
    struct watched k =
        watch(&w, "kernel void spin(volatile global int *p) { p[1] += 1; while (!p[0]); }", "spin");
    volatile int *at = k.at;
    buffer_handle b = make_command_buffer(&w, CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR);
    size_t one = 1;
    CHECK_EQ(clCommandNDRangeKernelKHR(b, NULL, NULL, k.kernel, 1, NULL, &one, &one, 0, NULL, NULL, NULL),
             CL_SUCCESS);
    CHECK_EQ(clFinalizeCommandBufferKHR(b), CL_SUCCESS);
    replay(b);
    CHECK_EQ(clFlush(w.queue), CL_SUCCESS);
    while (!at[1])
        usleep(1000);
    pid_t pid = fork();
    if (pid == 0) {
        alarm(100);
        at[0] = 1;
        replay(b);
        CHECK_EQ(clFinish(w.queue), CL_OUT_OF_RESOURCES); // because of the parent's replay
        CHECK_EQ(at[1], 2);
        CHECK_EQ(clFinish(w.queue), CL_SUCCESS);
        end_child();
    }
    check_child(pid);
    at[0] = 1;
    replay(b);
    CHECK_EQ(clFinish(w.queue), CL_SUCCESS);
    CHECK_EQ(at[1], 2);
    CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
    unwatch(&k);
    close_place(&w);
}

// A replay over several queues. What its commands wait for in each other, and what its queues wait for, stays
// in the parent. flags: of the command buffer. finish_first: the child finishes its queues before it replays,
// otherwise after.
static void fork_in_a_replay_over_queues(cl_command_queue_properties bits, cl_properties flags,
                                         bool finish_first)
{
    enum { QUEUES = 3 };
    struct place w = open_place(bits);
    // Adds, waits for its flag, and adds in another place.
    struct watched k = watch(&w,
                             "kernel void pass(volatile global int *p, int i)\n"
                             "{ p[16 + i] += 1; while (!p[i]); p[32 + i] += 1; }",
                             "pass");
    volatile int *at = k.at;
    cl_int error = 1;
    cl_command_queue queues[QUEUES] = {w.queue};
    for (int i = 1; i < QUEUES; i++) {
        queues[i] = clCreateCommandQueue(w.context, w.device, bits, &error);
        CHECK_EQ(error, CL_SUCCESS);
    }
    const cl_properties properties[] = {CL_COMMAND_BUFFER_FLAGS_KHR, flags, 0};
    buffer_handle b = clCreateCommandBufferKHR(QUEUES, queues, properties, &error);
    CHECK_EQ(error, CL_SUCCESS);
    cl_uint points[4];
    for (int i = 0; i < 4; i++) { // one after the other, over all queues
        const size_t one = 1;
        CHECK_EQ(clSetKernelArg(k.kernel, 1, sizeof i, &i), CL_SUCCESS);
        CHECK_EQ(clCommandNDRangeKernelKHR(b, queues[i % QUEUES], NULL, k.kernel, 1, NULL, &one, &one, i > 0,
                                           i > 0 ? &points[i - 1] : NULL, &points[i], NULL),
                 CL_SUCCESS);
    }
    CHECK_EQ(clFinalizeCommandBufferKHR(b), CL_SUCCESS);
    cl_event e = NULL;
    at[0] = 1; // the first replay completes, the second is in progress
    CHECK_EQ(clEnqueueCommandBufferKHR(0, NULL, b, 0, NULL, &e), CL_SUCCESS);
    for (int i = 0; i < QUEUES; i++)
        CHECK_EQ(clFlush(queues[i]), CL_SUCCESS);
    while (!at[17])
        usleep(1000);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        alarm(100);
        if (finish_first)
            for (int i = 0; i < QUEUES; i++)
                CHECK_EQ(clFinish(queues[i]), CL_OUT_OF_RESOURCES); // because of the parent's replay
        CHECK_EQ(status_of(e), CL_OUT_OF_RESOURCES);
        CHECK_EQ(clWaitForEvents(1, &e), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        for (int i = 0; i < 4; i++)
            at[i] = 1;
        replay(b);
        replay(b);
        if (!finish_first)
            for (int i = 0; i < QUEUES; i++)
                CHECK_EQ(clFinish(queues[i]), CL_OUT_OF_RESOURCES);
        for (int i = 0; i < QUEUES; i++)
            CHECK_EQ(clFinish(queues[i]), CL_SUCCESS);
        CHECK_EQ(at[32], 3);
        for (int i = 1; i < 4; i++)
            CHECK_EQ(at[32 + i], 2);
        CHECK_EQ(clReleaseEvent(e), CL_SUCCESS);
        CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
        end_child();
    }
    check_child(pid);
    for (int i = 0; i < 4; i++)
        at[i] = 1;
    replay(b);
    for (int i = 0; i < QUEUES; i++)
        CHECK_EQ(clFinish(queues[i]), CL_SUCCESS);
    CHECK_EQ(status_of(e), CL_COMPLETE);
    CHECK_EQ(clReleaseEvent(e), CL_SUCCESS);
    for (int i = 0; i < 4; i++)
        CHECK_EQ(at[32 + i], 2);
    CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
    for (int i = 1; i < QUEUES; i++)
        CHECK_EQ(clReleaseCommandQueue(queues[i]), CL_SUCCESS);
    unwatch(&k);
    close_place(&w);
}

TEST(a_command_buffer_of_several_queues_that_is_being_replayed)
{
    if (HARNESS_TSAN)
        SKIP("the thread sanitizer has no threads after a fork");
    for (int i = 0; i < 8; i++)
        fork_in_a_replay_over_queues(i & 1 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0,
                                     i & 2 ? CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR : 0, i & 4);
}
