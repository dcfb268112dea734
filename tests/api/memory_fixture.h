// What the tests of memory object calls share: a context with its queue, a second context, and the checks
// that hold for every enqueue call.
#ifndef WEFT_TESTS_MEMORY_FIXTURE_H
#define WEFT_TESTS_MEMORY_FIXTURE_H

#include <pthread.h>

#include "harness.h"

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

struct world {
    cl_device_id device;
    cl_context context, other;
    cl_command_queue queue, other_queue;
};

HARNESS_UNUSED static cl_command_queue make_queue(cl_context context, cl_device_id device,
                                                  cl_queue_properties bits)
{
    cl_int error = 1;
    const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, bits, 0};
    cl_command_queue q = clCreateCommandQueueWithProperties(context, device, properties, &error);
    CHECK_EQ(error, CL_SUCCESS);
    return q;
}

HARNESS_UNUSED static struct world open_world(cl_queue_properties bits)
{
    struct world w;
    cl_platform_id platform;
    cl_int error = 1;
    CHECK_EQ(clGetPlatformIDs(1, &platform, NULL), CL_SUCCESS);
    CHECK_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &w.device, NULL), CL_SUCCESS);
    w.context = clCreateContext(NULL, 1, &w.device, NULL, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    w.other = clCreateContext(NULL, 1, &w.device, NULL, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    w.queue = make_queue(w.context, w.device, bits);
    w.other_queue = make_queue(w.other, w.device, bits);
    return w;
}

HARNESS_UNUSED static void close_world(struct world *w)
{
    CHECK_EQ(clReleaseCommandQueue(w->queue), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandQueue(w->other_queue), CL_SUCCESS);
    CHECK_EQ(clReleaseContext(w->context), CL_SUCCESS);
    CHECK_EQ(clReleaseContext(w->other), CL_SUCCESS);
}

HARNESS_UNUSED static cl_mem make_buffer(cl_context context, cl_mem_flags flags, size_t size, void *host)
{
    cl_int error = 1;
    cl_mem m = clCreateBuffer(context, flags, size, host, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK(m != NULL);
    return m;
}

HARNESS_UNUSED static cl_mem make_sub(cl_mem buffer, size_t origin, size_t size)
{
    cl_int error = 1;
    cl_buffer_region r = {origin, size};
    cl_mem m = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &r, &error);
    CHECK_EQ(error, CL_SUCCESS);
    return m;
}

HARNESS_UNUSED static unsigned char *make_shared(cl_context context, size_t size)
{
    unsigned char *p = clSVMAlloc(context, CL_MEM_READ_WRITE, size, 0);
    CHECK(p != NULL);
    return p;
}

// Does the pointer lie in one of the context's allocations? A range that leaves one is an error; a pointer in
// none is the application's own memory.
HARNESS_UNUSED static bool is_shared(cl_command_queue queue, const void *p)
{
    const size_t too_much = (size_t)1 << 40;
    const cl_int err = clEnqueueSVMMigrateMem(queue, 1, &p, &too_much, 0, 0, NULL, NULL);
    CHECK(err == CL_SUCCESS || err == CL_INVALID_VALUE);
    return err == CL_INVALID_VALUE;
}

// A buffer of bytes 0, 1, 2 ... (mod 251).
HARNESS_UNUSED static unsigned char counted(size_t i)
{
    return (unsigned char)(i % 251);
}
HARNESS_UNUSED static cl_mem make_counted(cl_context context, size_t size)
{
    unsigned char *bytes = malloc(size);
    CHECK(bytes != NULL);
    for (size_t i = 0; i < size; i++)
        bytes[i] = counted(i);
    cl_mem m = make_buffer(context, CL_MEM_COPY_HOST_PTR, size, bytes);
    free(bytes);
    return m;
}

// What the calls below are made on.
#ifndef MAKE_OBJECT
#define MAKE_OBJECT(context) make_buffer(context, 0, 1024, NULL)
#endif

// A call on such an object that is right but for the arguments given here.
typedef cl_int (*enqueue_call)(cl_command_queue q, cl_mem m, cl_uint n, const cl_event *list,
                               cl_event *event);

HARNESS_UNUSED static cl_event make_user_event(cl_context context)
{
    cl_int error = 1;
    cl_event e = clCreateUserEvent(context, &error);
    CHECK_EQ(error, CL_SUCCESS);
    return e;
}

HARNESS_UNUSED static void check_handles(enqueue_call call)
{
    struct world w = open_world(0);
    cl_mem m = MAKE_OBJECT(w.context), foreign = MAKE_OBJECT(w.other);
    CHECK_EQ(call(w.queue, m, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(call(NULL, m, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    CHECK_EQ(call((cl_command_queue)w.context, m, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    CHECK_EQ(call(w.queue, NULL, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    CHECK_EQ(call(w.queue, (cl_mem)w.queue, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    CHECK_EQ(call(w.queue, foreign, 0, NULL, NULL), CL_INVALID_CONTEXT);
    CHECK_EQ(call(w.other_queue, m, 0, NULL, NULL), CL_INVALID_CONTEXT);
    CHECK_EQ(clReleaseMemObject(foreign), CL_SUCCESS);
    CHECK_EQ(call(w.queue, foreign, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    close_world(&w);
}

HARNESS_UNUSED static void check_wait_lists(enqueue_call call)
{
    struct world w = open_world(0);
    cl_mem m = MAKE_OBJECT(w.context);
    cl_event user = make_user_event(w.context), foreign = make_user_event(w.other), none = NULL;
    CHECK_EQ(clSetUserEventStatus(user, CL_COMPLETE), CL_SUCCESS);
    CHECK_EQ(call(w.queue, m, 0, &user, NULL), CL_INVALID_EVENT_WAIT_LIST);
    CHECK_EQ(call(w.queue, m, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    CHECK_EQ(call(w.queue, m, 1, &none, NULL), CL_INVALID_EVENT_WAIT_LIST);
    CHECK_EQ(call(w.queue, m, 1, (const cl_event *)&w.queue, NULL), CL_INVALID_EVENT_WAIT_LIST);
    CHECK_EQ(call(w.queue, m, 1, &foreign, NULL), CL_INVALID_CONTEXT);
    CHECK_EQ(call(w.queue, m, 1, &user, NULL), CL_SUCCESS);
    CHECK_EQ(clFinish(w.queue), CL_SUCCESS);
    CHECK_EQ(clReleaseEvent(user), CL_SUCCESS);
    CHECK_EQ(clReleaseEvent(foreign), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    close_world(&w);
}

HARNESS_UNUSED static cl_int event_status(cl_event e)
{
    cl_int status = 1;
    CHECK_EQ(clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL), CL_SUCCESS);
    return status;
}

// Checks the event of the call: its type, its times, and that it waits for the events of its wait list.
HARNESS_UNUSED static void check_event(enqueue_call call, cl_command_type type)
{
    struct world w = open_world(CL_QUEUE_PROFILING_ENABLE);
    cl_mem m = MAKE_OBJECT(w.context);
    cl_event e = NULL, gate = make_user_event(w.context);
    CHECK_EQ(call(w.queue, m, 1, &gate, &e), CL_SUCCESS);
    CHECK(e != NULL);
    CHECK_GT(event_status(e), CL_COMPLETE);
    CHECK_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    CHECK_EQ(clWaitForEvents(1, &e), CL_SUCCESS);
    CHECK_EQ(event_status(e), CL_COMPLETE);
    cl_command_type got = 0;
    CHECK_EQ(clGetEventInfo(e, CL_EVENT_COMMAND_TYPE, sizeof got, &got, NULL), CL_SUCCESS);
    CHECK_EQ(got, type);
    cl_ulong last = 0;
    const cl_profiling_info names[] = {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
                                       CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END};
    for (int i = 0; i < 4; i++) {
        cl_ulong t = 0;
        CHECK_EQ(clGetEventProfilingInfo(e, names[i], sizeof t, &t, NULL), CL_SUCCESS);
        CHECK_GE(t, last);
        CHECK_GT(t, 0);
        last = t;
    }
    CHECK_EQ(clReleaseEvent(e), CL_SUCCESS);
    CHECK_EQ(clReleaseEvent(gate), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    close_world(&w);
}

// The command holds its buffer: released while it waits, the buffer dies only after the command.
HARNESS_UNUSED static void CL_CALLBACK note_destruction(cl_mem m, void *user)
{
    (void)m;
    __atomic_store_n((int *)user, 1, __ATOMIC_SEQ_CST);
}
// What a command held dies on the thread for callbacks, soon.
HARNESS_UNUSED static void await_destruction(int *count, int n)
{
    for (int ms = 0; ms < 10000 && __atomic_load_n(count, __ATOMIC_SEQ_CST) < n; ms++)
        usleep(1000);
    CHECK_EQ(__atomic_load_n(count, __ATOMIC_SEQ_CST), n);
}
// Threads that do what `churn` says, each with its number, to an object that they share and to ones of their
// own, whose destructions *destroyed counts: in the end nothing is mapped and all but the shared one are
// gone.
HARNESS_UNUSED static void churn_in_threads(struct world *w, void *(*churn)(void *), size_t threads,
                                            cl_mem shared, int *destroyed, const int *created)
{
    pthread_t thread[16];
    CHECK_LE(threads, sizeof thread / sizeof *thread);
    for (size_t i = 0; i < threads; i++)
        CHECK_EQ(pthread_create(&thread[i], NULL, churn, (void *)(uintptr_t)i), 0);
    for (size_t i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
    CHECK_EQ(clFinish(w->queue), CL_SUCCESS);
    cl_uint maps = 99;
    CHECK_EQ(clGetMemObjectInfo(shared, CL_MEM_MAP_COUNT, sizeof maps, &maps, NULL), CL_SUCCESS);
    CHECK_EQ(maps, 0u);
    await_destruction(destroyed, *created);
    CHECK_GT(*created, 0);
    CHECK_EQ(clReleaseMemObject(shared), CL_SUCCESS);
}

HARNESS_UNUSED static void CL_CALLBACK count_destruction(cl_mem m, void *count)
{
    (void)m;
    __atomic_fetch_add((int *)count, 1, __ATOMIC_SEQ_CST);
}

HARNESS_UNUSED static void check_lifetime(enqueue_call call)
{
    struct world w = open_world(0);
    cl_mem m = MAKE_OBJECT(w.context);
    int destroyed = 0;
    cl_event e = NULL, gate = make_user_event(w.context);
    CHECK_EQ(clSetMemObjectDestructorCallback(m, note_destruction, &destroyed), CL_SUCCESS);
    CHECK_EQ(call(w.queue, m, 1, &gate, &e), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(__atomic_load_n(&destroyed, __ATOMIC_SEQ_CST), 0);
    CHECK_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    CHECK_EQ(clWaitForEvents(1, &e), CL_SUCCESS);
    await_destruction(&destroyed, 1);
    CHECK_EQ(clReleaseEvent(e), CL_SUCCESS);
    CHECK_EQ(clReleaseEvent(gate), CL_SUCCESS);
    close_world(&w);
}

#define TEST_ENQUEUE_CALL(call, type)     \
    TEST(handles_are_checked)             \
    {                                     \
        check_handles(call);              \
    }                                     \
    TEST(wait_lists_are_checked)          \
    {                                     \
        check_wait_lists(call);           \
    }                                     \
    TEST(the_event_has_type_and_times)    \
    {                                     \
        check_event(call, type);          \
    }                                     \
    TEST(the_buffer_outlives_the_command) \
    {                                     \
        check_lifetime(call);             \
    }

#endif
