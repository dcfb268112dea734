// cl_khr_semaphore: the errors of each function, the queries, and that a wait waits.
#include "semaphore_fixture.h"

TEST(is_reported)
{
    char names[8192];
    cl_uint type = 77;
    size_t size;
    OK(clGetDeviceInfo(the_device(), CL_DEVICE_EXTENSIONS, sizeof names, names, NULL));
    CHECK(strstr(names, "cl_khr_semaphore ") != NULL);
    OK(clGetPlatformInfo(the_platform(), CL_PLATFORM_EXTENSIONS, sizeof names, names, NULL));
    CHECK(strstr(names, "cl_khr_semaphore ") != NULL);
    OK(clGetDeviceInfo(the_device(), CL_DEVICE_SEMAPHORE_TYPES_KHR, sizeof type, &type, &size));
    CHECK_EQ(size, sizeof type);
    CHECK_EQ(type, CL_SEMAPHORE_TYPE_BINARY_KHR);
    type = 77;
    OK(clGetPlatformInfo(the_platform(), CL_PLATFORM_SEMAPHORE_TYPES_KHR, sizeof type, &type, &size));
    CHECK_EQ(size, sizeof type);
    CHECK_EQ(type, CL_SEMAPHORE_TYPE_BINARY_KHR);
}

TEST(creation_errors)
{
    open_all();
    const cl_properties none[] = {0}, unknown[] = {0x1234, 1, 0}, bad[] = {CL_SEMAPHORE_TYPE_KHR, 2, 0},
                        twice[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR, CL_SEMAPHORE_TYPE_KHR,
                                   0},
                        no_device[] = {CL_SEMAPHORE_TYPE_KHR, CL_SEMAPHORE_TYPE_BINARY_KHR,
                                       CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR, 0, 0},
                        two[] = {CL_SEMAPHORE_TYPE_KHR,
                                 CL_SEMAPHORE_TYPE_BINARY_KHR,
                                 CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR,
                                 (cl_properties)(uintptr_t)the_device(),
                                 (cl_properties)(uintptr_t)the_device(),
                                 0,
                                 0};
    const struct {
        const cl_properties *p;
        cl_int error;
    } rows[] = {{NULL, CL_INVALID_VALUE},   {none, CL_INVALID_VALUE},     {unknown, CL_INVALID_PROPERTY},
                {bad, CL_INVALID_PROPERTY}, {twice, CL_INVALID_PROPERTY}, {no_device, CL_INVALID_DEVICE},
                {two, CL_INVALID_DEVICE}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        cl_int err = 1;
        CHECK(f.clCreateSemaphoreWithPropertiesKHR(context, rows[i].p, &err) == NULL);
        CHECK_EQ(err, rows[i].error);
    }
    cl_int err = 1;
    CHECK(f.clCreateSemaphoreWithPropertiesKHR(not_an_object(context), binary, &err) == NULL);
    CHECK_EQ(err, CL_INVALID_CONTEXT);
    CHECK(f.clCreateSemaphoreWithPropertiesKHR(NULL, binary, NULL) == NULL);
    OK(clReleaseContext(context));
}

static cl_int ask_semaphore(void *s, cl_uint name, size_t size, void *value, size_t *size_ret)
{
    return f.clGetSemaphoreInfoKHR(s, name, size, value, size_ret);
}

TEST(queries_and_counts)
{
    static const struct query_row rows[] = {
#include "runtime/info/semaphore.def"
    };
    open_all();
    semaphore s = new_semaphore();
    check_queries(ask_semaphore, s, rows, COUNT_OF(rows), CL_INVALID_SEMAPHORE_KHR);
    cl_uint n = 0;
    OK(f.clRetainSemaphoreKHR(s));
    OK(f.clGetSemaphoreInfoKHR(s, CL_SEMAPHORE_REFERENCE_COUNT_KHR, sizeof n, &n, NULL));
    CHECK_EQ(n, 2);
    cl_device_id d = NULL;
    OK(f.clGetSemaphoreInfoKHR(s, CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR, sizeof d, &d, NULL));
    CHECK(d == the_device());
    int fd;
    CHECK_EQ(f.clGetSemaphoreHandleForTypeKHR(s, d, 0x2055, sizeof fd, &fd, NULL), CL_INVALID_VALUE);
    CHECK_EQ(f.clGetSemaphoreHandleForTypeKHR(s, NULL, 0x2055, sizeof fd, &fd, NULL), CL_INVALID_DEVICE);
    CHECK_EQ(f.clGetSemaphoreHandleForTypeKHR(NULL, d, 0x2055, sizeof fd, &fd, NULL),
             CL_INVALID_SEMAPHORE_KHR);
    OK(f.clReleaseSemaphoreKHR(s));
    OK(f.clReleaseSemaphoreKHR(s));
    CHECK_EQ(f.clReleaseSemaphoreKHR(s), CL_INVALID_SEMAPHORE_KHR);
    CHECK_EQ(f.clRetainSemaphoreKHR(s), CL_INVALID_SEMAPHORE_KHR);
    CHECK_EQ(f.clReleaseSemaphoreKHR(NULL), CL_INVALID_SEMAPHORE_KHR);
    OK(clReleaseContext(context));
}

TEST(a_wait_waits_and_takes)
{
    open_all();
    cl_command_queue a = new_queue(context, 0), b = new_queue(context, 0);
    semaphore s = new_semaphore();
    for (int i = 0; i < 200; i++) {
        cl_event waited, gate = new_user_event(context);
        OK(f.clEnqueueWaitSemaphoresKHR(a, 1, &s, NULL, 0, NULL, &waited));
        OK(f.clEnqueueSignalSemaphoresKHR(b, 1, &s, NULL, 1, &gate, NULL));
        OK(clFlush(a));
        CHECK_NE(status_of(waited), CL_COMPLETE);
        CHECK_EQ(payload_of(s), 0);
        OK(clSetUserEventStatus(gate, CL_COMPLETE));
        OK(clFinish(a));
        CHECK_EQ(status_of(waited), CL_COMPLETE);
        OK(clFinish(b));
        CHECK_EQ(payload_of(s), 0);
        OK(clReleaseEvent(waited));
        OK(clReleaseEvent(gate));
    }
    OK(f.clEnqueueSignalSemaphoresKHR(a, 1, &s, NULL, 0, NULL, NULL));
    OK(clFinish(a));
    CHECK_EQ(payload_of(s), 1);
    OK(f.clReleaseSemaphoreKHR(s));
    OK(clReleaseCommandQueue(a));
    OK(clReleaseCommandQueue(b));
    OK(clReleaseContext(context));
}

// Each signal lets one go, in the order in which they came; who waits for several takes all or none.
TEST(those_who_came_first_are_served_first)
{
    open_all();
    enum { MANY = 20 }; // more than a command has room for
    cl_command_queue q = new_queue(context, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE),
                     signaler = new_queue(context, 0);
    semaphore s[MANY];
    cl_event all, single[3];
    for (int i = 0; i < MANY; i++)
        s[i] = new_semaphore();
    OK(f.clEnqueueWaitSemaphoresKHR(q, MANY, s, NULL, 0, NULL, &all));
    for (int i = 0; i < 3; i++)
        OK(f.clEnqueueWaitSemaphoresKHR(q, 1, &s[MANY - 1], NULL, i ? 1 : 0, i ? &single[i - 1] : NULL,
                                        &single[i]));
    OK(clFlush(q));
    OK(f.clEnqueueSignalSemaphoresKHR(signaler, MANY - 1, s, NULL, 0, NULL, NULL));
    OK(clFinish(signaler));
    CHECK_NE(status_of(all), CL_COMPLETE); // the last is missing
    int done = 0;
    for (int i = 0; i < 4; i++) {
        OK(f.clEnqueueSignalSemaphoresKHR(signaler, 1, &s[MANY - 1], NULL, 0, NULL, NULL));
        OK(clFinish(signaler));
        // Exactly one more: a second signal would be lost on a semaphore that is signaled.
        for (int t = 0; t < 10000 && done == i; t++) {
            done = status_of(all) == CL_COMPLETE;
            for (int k = 0; k < 3; k++)
                done += status_of(single[k]) == CL_COMPLETE;
            if (done == i)
                sleep_ms(1);
        }
        CHECK_EQ(done, i + 1);
    }
    OK(clFinish(q));
    for (int i = 0; i < MANY; i++) {
        CHECK_EQ(payload_of(s[i]), 0);
        OK(f.clReleaseSemaphoreKHR(s[i]));
    }
    for (int i = 0; i < 3; i++)
        OK(clReleaseEvent(single[i]));
    OK(clReleaseEvent(all));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseCommandQueue(signaler));
    OK(clReleaseContext(context));
}

typedef weft_fn_clEnqueueWaitSemaphoresKHR command;

TEST(command_errors)
{
    open_all();
    cl_context other = new_context();
    cl_command_queue q = new_queue(context, 0), foreign = new_queue(other, 0);
    semaphore s = new_semaphore(), dead[] = {s, NULL};
    cl_event theirs = new_user_event(other), failed = new_user_event(context);
    OK(clSetUserEventStatus(failed, -5));
    const command commands[] = {f.clEnqueueWaitSemaphoresKHR, f.clEnqueueSignalSemaphoresKHR};
    for (size_t i = 0; i < COUNT_OF(commands); i++) {
        command call = commands[i];
        CHECK_EQ(call(NULL, 1, &s, NULL, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
        CHECK_EQ(call(q, 0, &s, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
        CHECK_EQ(call(q, 1, NULL, NULL, 0, NULL, NULL), CL_INVALID_VALUE);
        CHECK_EQ(call(q, 2, dead, NULL, 0, NULL, NULL), CL_INVALID_SEMAPHORE_KHR);
        CHECK_EQ(call(foreign, 1, &s, NULL, 0, NULL, NULL), CL_INVALID_CONTEXT);
        CHECK_EQ(call(q, 1, &s, NULL, 1, &theirs, NULL), CL_INVALID_CONTEXT);
        CHECK_EQ(call(q, 1, &s, NULL, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
        CHECK_EQ(call(q, 1, &s, NULL, 0, &failed, NULL), CL_INVALID_EVENT_WAIT_LIST);
        CHECK_EQ(call(q, 1, &s, NULL, 1, &failed, NULL), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    }
    CHECK_EQ(payload_of(s), 0);
    OK(clReleaseEvent(theirs));
    OK(clReleaseEvent(failed));
    OK(f.clReleaseSemaphoreKHR(s));
    OK(clReleaseCommandQueue(q));
    OK(clReleaseCommandQueue(foreign));
    OK(clReleaseContext(other));
    OK(clReleaseContext(context));
}

// Of three semaphores of a context of parts, each of one part: the queue of the first uses its own only, that
// of the whole device, in another context, each.
TEST(semaphores_of_parts)
{
    const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_device_id parts[2];
    setenv("WEFT_HWLOC_SYNTHETIC", "core:2 pu:1", 1);
    open_all();
    cl_device_id whole = the_device();
    OK(clCreateSubDevices(whole, equally, 2, parts, NULL));
    cl_int err;
    cl_context of_parts = clCreateContext(NULL, 2, parts, NULL, NULL, &err);
    OK(err);
    cl_command_queue first = clCreateCommandQueue(of_parts, parts[0], 0, &err);
    OK(err);
    cl_command_queue of_whole = new_queue(context, 0);
    semaphore own = new_semaphore();
    for (int i = 0; i < 2; i++) {
        const cl_properties properties[] = {CL_SEMAPHORE_TYPE_KHR,
                                            CL_SEMAPHORE_TYPE_BINARY_KHR,
                                            CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR,
                                            (cl_properties)(uintptr_t)parts[i],
                                            0,
                                            0};
        semaphore s = f.clCreateSemaphoreWithPropertiesKHR(of_parts, properties, &err);
        OK(err);
        OK(f.clEnqueueSignalSemaphoresKHR(of_whole, 1, &s, NULL, 0, NULL, NULL));
        OK(clFinish(of_whole));
        CHECK_EQ(payload_of(s), 1);
        CHECK_EQ(f.clEnqueueWaitSemaphoresKHR(first, 1, &s, NULL, 0, NULL, NULL),
                 i == 0 ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE);
        OK(clFinish(first));
        CHECK_EQ(payload_of(s), i == 0 ? 0 : 1);
        OK(f.clReleaseSemaphoreKHR(s));
    }
    // The specification says nothing about the opposite case.
    CHECK_EQ(f.clEnqueueSignalSemaphoresKHR(first, 1, &own, NULL, 0, NULL, NULL), CL_INVALID_CONTEXT);
    OK(f.clReleaseSemaphoreKHR(own));
    OK(clReleaseCommandQueue(first));
    OK(clReleaseCommandQueue(of_whole));
    OK(clReleaseContext(of_parts));
    OK(clReleaseDevice(parts[0]));
    OK(clReleaseDevice(parts[1]));
    OK(clReleaseContext(context));
}

static semaphore _Atomic passed_on;
static _Atomic bool over;

static void *signal_many(void *unused)
{
    (void)unused;
    cl_command_queue q = new_queue(context, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    while (!atomic_load(&over)) {
        semaphore s = atomic_load(&passed_on);
        cl_int err = f.clEnqueueSignalSemaphoresKHR(q, 1, &s, NULL, 0, NULL, NULL);
        if (err != CL_INVALID_SEMAPHORE_KHR && err != CL_INVALID_CONTEXT && err != CL_INVALID_COMMAND_QUEUE)
            OK(err);
    }
    OK(clFinish(q));
    OK(clReleaseCommandQueue(q));
    return NULL;
}

// No program may do that, but it crashes nothing.
TEST(another_thread_releases_what_is_being_enqueued)
{
    if (HARNESS_TSAN)
        SKIP("it is a race of the application's");
    open_all();
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, signal_many, NULL), 0);
    for (int i = 0; i < 100000; i++) {
        semaphore s = new_semaphore();
        atomic_store(&passed_on, s);
        OK(f.clReleaseSemaphoreKHR(s));
    }
    atomic_store(&over, true);
    for (int i = 0; i < 2; i++)
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
    OK(clReleaseContext(context));
}
