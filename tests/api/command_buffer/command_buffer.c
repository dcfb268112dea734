// cl_khr_command_buffer 0.9.8: the errors of each function, in their order, and what a replay does.
// timeout: 120
#include "command_buffer_fixture.h"

// ---- Creating ----

static cl_int create_error(struct place *w, cl_uint count, const cl_command_queue *queues,
                           const cl_properties *p)
{
    cl_int error = 1;
    buffer_handle b = clCreateCommandBufferKHR(count, queues, p, &error);
    CHECK_EQ(b != NULL, error == CL_SUCCESS);
    if (b)
        CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
    (void)w;
    return error;
}

TEST(creation_checks_queues_and_properties)
{
    struct place w = open_place(0);
    cl_command_queue bad = (cl_command_queue)w.context;
    const cl_properties twice[] = {CL_COMMAND_BUFFER_FLAGS_KHR, 1, CL_COMMAND_BUFFER_FLAGS_KHR, 1, 0};
    const cl_properties unknown[] = {12345, 1, 0}, bits[] = {CL_COMMAND_BUFFER_FLAGS_KHR, 1 << 20, 0};
    const cl_properties other[] = {CL_COMMAND_BUFFER_FLAGS_KHR, CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR, 0};
    const cl_properties asserts[] = {CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR, 2, 0}, none[] = {0};
    CHECK_EQ(create_error(&w, 0, &w.queue, NULL), CL_INVALID_VALUE);
    CHECK_EQ(create_error(&w, 1, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(create_error(&w, 1, &bad, unknown), CL_INVALID_COMMAND_QUEUE);
    CHECK_EQ(create_error(&w, 1, &w.queue, twice), CL_INVALID_VALUE);
    CHECK_EQ(create_error(&w, 1, &w.queue, unknown), CL_INVALID_VALUE);
    CHECK_EQ(create_error(&w, 1, &w.queue, bits), CL_INVALID_VALUE);
    CHECK_EQ(create_error(&w, 1, &w.queue, asserts), CL_INVALID_VALUE);
    CHECK_EQ(create_error(&w, 1, &w.queue, other), CL_SUCCESS);
    CHECK_EQ(create_error(&w, 1, &w.queue, none), CL_SUCCESS);
    CHECK_EQ(create_error(&w, 1, &w.queue, NULL), CL_SUCCESS);
    close_place(&w);
}

TEST(queries_return_what_was_given)
{
    struct place w = open_place(0);
    buffer_handle b = make_command_buffer(&w, CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR), stale;
    cl_uint n = 0;
    size_t size = 0;
    cl_command_queue queue = NULL;
    cl_context context = NULL;
    cl_properties properties[3] = {0};
    CHECK_EQ(clGetCommandBufferInfoKHR(b, CL_COMMAND_BUFFER_NUM_QUEUES_KHR, sizeof n, &n, &size), CL_SUCCESS);
    CHECK_EQ(n, 1);
    CHECK_EQ(size, sizeof n);
    CHECK_EQ(clGetCommandBufferInfoKHR(b, CL_COMMAND_BUFFER_NUM_QUEUES_KHR, 3, &n, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clGetCommandBufferInfoKHR(b, CL_COMMAND_BUFFER_QUEUES_KHR, sizeof queue, &queue, NULL),
             CL_SUCCESS);
    CHECK_EQ((void *)queue, (void *)w.queue);
    CHECK_EQ(clGetCommandBufferInfoKHR(b, CL_COMMAND_BUFFER_CONTEXT_KHR, sizeof context, &context, NULL),
             CL_SUCCESS);
    CHECK_EQ((void *)context, (void *)w.context);
    CHECK_EQ(clGetCommandBufferInfoKHR(b, CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR, sizeof properties,
                                       properties, &size),
             CL_SUCCESS);
    CHECK_EQ(size, sizeof properties);
    CHECK_EQ(properties[1], CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR);
    CHECK_EQ(clGetCommandBufferInfoKHR(b, CL_COMMAND_BUFFER_FLAGS_KHR, 0, NULL, &size), CL_INVALID_VALUE);
    CHECK_EQ(clGetCommandBufferInfoKHR(NULL, CL_COMMAND_BUFFER_STATE_KHR, 0, NULL, &size),
             CL_INVALID_COMMAND_BUFFER_KHR);
    CHECK_EQ(clRetainCommandBufferKHR(b), CL_SUCCESS);
    CHECK_EQ(clGetCommandBufferInfoKHR(b, CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR, sizeof n, &n, NULL),
             CL_SUCCESS);
    CHECK_EQ(n, 2);
    CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
    stale = b;
    CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
    CHECK_EQ(clRetainCommandBufferKHR(stale), CL_INVALID_COMMAND_BUFFER_KHR);
    CHECK_EQ(clReleaseCommandBufferKHR(stale), CL_INVALID_COMMAND_BUFFER_KHR);
    CHECK_EQ(clRetainCommandBufferKHR((buffer_handle)(void *)w.queue), CL_INVALID_COMMAND_BUFFER_KHR);
    close_place(&w);
}

// ---- Recording: what all functions check ----

struct call {
    buffer_handle buffer;
    cl_command_queue queue;
    const cl_properties *properties;
    cl_uint count;
    const cl_uint *points;
    cl_uint *point;
    command_handle *handle;
};
typedef cl_int (*record_call)(struct place *w, const struct call *c);

#define HEAD c->buffer, c->queue, c->properties
#define TAIL c->count, c->points, c->point, c->handle
static const size_t zero[3], region[3] = {4, 2, 1};

static cl_int barrier(struct place *w, const struct call *c)
{
    (void)w;
    return clCommandBarrierWithWaitListKHR(HEAD, TAIL);
}
static cl_int copy(struct place *w, const struct call *c)
{
    return clCommandCopyBufferKHR(HEAD, w->data, w->data, 0, 64, 64, TAIL);
}
static cl_int copy_rect(struct place *w, const struct call *c)
{
    const size_t to[3] = {64, 0, 0};
    return clCommandCopyBufferRectKHR(HEAD, w->data, w->data, zero, to, region, 0, 0, 0, 0, TAIL);
}
static cl_int fill(struct place *w, const struct call *c)
{
    return clCommandFillBufferKHR(HEAD, w->data, "abcd", 4, 0, 64, TAIL);
}
static unsigned char memory[256];
static cl_int svm_copy(struct place *w, const struct call *c)
{
    (void)w;
    return clCommandSVMMemcpyKHR(HEAD, memory, memory + 128, 64, TAIL);
}
static cl_int svm_fill(struct place *w, const struct call *c)
{
    (void)w;
    return clCommandSVMMemFillKHR(HEAD, memory, "a", 1, 64, TAIL);
}
static cl_int launch(struct place *w, const struct call *c)
{
    const size_t one = 1;
    return clCommandNDRangeKernelKHR(HEAD, w->kernel, 1, NULL, &one, NULL, TAIL);
}

static cl_command_queue second_queue(struct place *w)
{
    cl_int error = 1;
    cl_command_queue q = clCreateCommandQueue(w->context, w->device, 0, &error);
    CHECK_EQ(error, CL_SUCCESS);
    return q;
}

static void check_recording(record_call record, bool handles)
{
    struct place w = open_place(0);
    set_add(&w, 1);
    buffer_handle b = make_command_buffer(&w, 0);
    const cl_properties unknown[] = {12345, 1, 0}, none[] = {0};
    cl_uint point = 0, beyond = 100;
    command_handle handle = NULL;
    struct call good = {b, NULL, NULL, 0, NULL, &point, NULL}, c = good;
    CHECK_EQ(record(&w, &c), CL_SUCCESS);
    CHECK_NE(point, 0);
    c.properties = none;
    CHECK_EQ(record(&w, &c), CL_SUCCESS);
    c = good, c.buffer = NULL;
    CHECK_EQ(record(&w, &c), CL_INVALID_COMMAND_BUFFER_KHR);
    c = good, c.buffer = (buffer_handle)(void *)w.queue;
    CHECK_EQ(record(&w, &c), CL_INVALID_COMMAND_BUFFER_KHR);
    c = good, c.queue = w.queue;
    CHECK_EQ(record(&w, &c), CL_SUCCESS);
    c = good, c.queue = second_queue(&w);
    CHECK_EQ(record(&w, &c), CL_INVALID_COMMAND_QUEUE);
    CHECK_EQ(clReleaseCommandQueue(c.queue), CL_SUCCESS);
    c = good, c.properties = unknown;
    CHECK_EQ(record(&w, &c), CL_INVALID_VALUE);
    c = good, c.count = 1;
    CHECK_EQ(record(&w, &c), CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);
    c = good, c.points = &point;
    CHECK_EQ(record(&w, &c), CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);
    c = good, c.count = 1, c.points = &beyond;
    CHECK_EQ(record(&w, &c), CL_INVALID_SYNC_POINT_WAIT_LIST_KHR);
    c = good, c.count = 1, c.points = &point;
    CHECK_EQ(record(&w, &c), CL_SUCCESS);
    c = good, c.handle = &handle;
    CHECK_EQ(record(&w, &c), handles ? CL_SUCCESS : CL_INVALID_VALUE);
    CHECK_EQ(handle != NULL, handles);
    CHECK_EQ(clFinalizeCommandBufferKHR(b), CL_SUCCESS);
    CHECK_EQ(record(&w, &good), CL_INVALID_OPERATION);
    replay(b);
    CHECK_EQ(clFinish(w.queue), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
    CHECK_EQ(record(&w, &good), CL_INVALID_COMMAND_BUFFER_KHR);
    close_place(&w);
}

#define RECORDING_TEST(call, handles)   \
    TEST(call##_checks_its_arguments)   \
    {                                   \
        check_recording(call, handles); \
    }
RECORDING_TEST(barrier, false)
RECORDING_TEST(copy, false)
RECORDING_TEST(copy_rect, false)
RECORDING_TEST(fill, false)
RECORDING_TEST(svm_copy, false)
RECORDING_TEST(svm_fill, false)
RECORDING_TEST(launch, true)

TEST(copies_of_no_bytes_are_recorded)
{
    struct place w = open_place(0);
    buffer_handle b = make_command_buffer(&w, 0);
    record_add(&w, b, 4, 3);
    CHECK_EQ(clCommandSVMMemcpyKHR(b, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clCommandSVMMemcpyKHR(b, NULL, NULL, memory, memory, 0, 0, NULL, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clCommandSVMMemFillKHR(b, NULL, NULL, NULL, "a", 1, 0, 0, NULL, NULL, NULL), CL_SUCCESS);
    record_add(&w, b, 4, 4);
    CHECK_EQ(clFinalizeCommandBufferKHR(b), CL_SUCCESS);
    for (int i = 1; i <= 3; i++) {
        replay(b);
        CHECK_EQ(clFinish(w.queue), CL_SUCCESS);
        CHECK_EQ(value_at(&w, 0), 7 * i);
    }
    CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
    close_place(&w);
}

TEST(what_is_recorded_is_checked_as_what_is_enqueued)
{
    struct place w = open_place(0);
    buffer_handle b = make_command_buffer(&w, 0);
    cl_int error = 1;
    cl_mem foreign = clCreateBuffer(w.other, 0, 4096, NULL, &error);
    const size_t one = 1, big[1] = {(size_t)1 << 20};
#define AFTER 0, NULL, NULL, NULL
    CHECK_EQ(clCommandCopyBufferKHR(b, NULL, NULL, NULL, w.data, 0, 0, 4, AFTER), CL_INVALID_MEM_OBJECT);
    CHECK_EQ(clCommandCopyBufferKHR(b, NULL, NULL, foreign, w.data, 0, 0, 4, AFTER), CL_INVALID_CONTEXT);
    CHECK_EQ(clCommandCopyBufferKHR(b, NULL, NULL, w.data, w.data, 0, 4096, 4, AFTER), CL_INVALID_VALUE);
    CHECK_EQ(clCommandCopyBufferKHR(b, NULL, NULL, w.data, w.data, 0, 2, 4, AFTER), CL_MEM_COPY_OVERLAP);
    CHECK_EQ(clCommandCopyBufferRectKHR(b, NULL, NULL, w.data, NULL, zero, zero, region, 0, 0, 0, 0, AFTER),
             CL_INVALID_MEM_OBJECT);
    CHECK_EQ(clCommandFillBufferKHR(b, NULL, NULL, w.data, "abc", 3, 0, 6, AFTER), CL_INVALID_VALUE);
    CHECK_EQ(clCommandFillBufferKHR(b, NULL, NULL, foreign, "a", 1, 0, 6, AFTER), CL_INVALID_CONTEXT);
    CHECK_EQ(clCommandSVMMemcpyKHR(b, NULL, NULL, NULL, memory, 4, AFTER), CL_INVALID_VALUE);
    CHECK_EQ(clCommandSVMMemcpyKHR(b, NULL, NULL, memory, memory + 2, 4, AFTER), CL_MEM_COPY_OVERLAP);
    CHECK_EQ(clCommandSVMMemFillKHR(b, NULL, NULL, memory, NULL, 1, 4, AFTER), CL_INVALID_VALUE);
    CHECK_EQ(clCommandNDRangeKernelKHR(b, NULL, NULL, NULL, 1, NULL, &one, NULL, AFTER), CL_INVALID_KERNEL);
    CHECK_EQ(clCommandNDRangeKernelKHR(b, NULL, NULL, w.kernel, 1, NULL, &one, NULL, AFTER),
             CL_INVALID_KERNEL_ARGS);
    set_add(&w, 1);
    CHECK_EQ(clCommandNDRangeKernelKHR(b, NULL, NULL, w.kernel, 4, NULL, &one, NULL, AFTER),
             CL_INVALID_WORK_DIMENSION);
    CHECK_EQ(clCommandNDRangeKernelKHR(b, NULL, NULL, w.kernel, 1, NULL, big, big, AFTER),
             CL_INVALID_WORK_ITEM_SIZE);
    // Nothing of it was recorded.
    CHECK_EQ(clFinalizeCommandBufferKHR(b), CL_SUCCESS);
    replay(b);
    CHECK_EQ(value_at(&w, 0), 0);
    CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(foreign), CL_SUCCESS);
    close_place(&w);
}

TEST(image_commands_refuse_what_is_no_image)
{
    struct place w = open_place(0);
    cl_bool images = CL_TRUE;
    CHECK_EQ(clGetDeviceInfo(w.device, CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images, NULL), CL_SUCCESS);
    buffer_handle b = make_command_buffer(&w, 0);
    const cl_float color[4] = {0};
    CHECK_LT(clCommandCopyImageKHR(b, NULL, NULL, w.data, w.data, zero, zero, region, AFTER), 0);
    CHECK_LT(clCommandCopyBufferToImageKHR(b, NULL, NULL, w.data, w.data, 0, zero, region, AFTER), 0);
    CHECK_LT(clCommandCopyImageToBufferKHR(b, NULL, NULL, w.data, w.data, zero, region, 0, AFTER), 0);
    CHECK_LT(clCommandFillImageKHR(b, NULL, NULL, w.data, color, zero, region, AFTER), 0);
    if (!images)
        CHECK_EQ(clCommandCopyImageKHR(b, NULL, NULL, w.data, w.data, zero, zero, region, AFTER),
                 CL_INVALID_OPERATION);
    CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
    close_place(&w);
}

// ---- Finalizing and enqueueing ----

TEST(only_a_finalized_buffer_can_be_enqueued_and_only_once_finalized)
{
    struct place w = open_place(0);
    buffer_handle b = make_command_buffer(&w, 0);
    CHECK_EQ(state_of(b), CL_COMMAND_BUFFER_STATE_RECORDING_KHR);
    CHECK_EQ(clEnqueueCommandBufferKHR(0, NULL, b, 0, NULL, NULL), CL_INVALID_OPERATION);
    CHECK_EQ(clFinalizeCommandBufferKHR(NULL), CL_INVALID_COMMAND_BUFFER_KHR);
    CHECK_EQ(clFinalizeCommandBufferKHR(b), CL_SUCCESS);
    CHECK_EQ(state_of(b), CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR);
    CHECK_EQ(clFinalizeCommandBufferKHR(b), CL_INVALID_OPERATION);
    replay(b); // of nothing
    CHECK_EQ(clFinish(w.queue), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
    close_place(&w);
}

TEST(enqueue_checks_its_arguments)
{
    struct place w = open_place(0);
    buffer_handle b = make_command_buffer(&w, 0);
    cl_int error = 1;
    cl_command_queue foreign = clCreateCommandQueue(w.other, w.device, 0, &error),
                     two[2] = {w.queue, w.queue};
    cl_command_queue bad = NULL;
    cl_event elsewhere = clCreateUserEvent(w.other, &error), none = NULL;
    CHECK_EQ(clFinalizeCommandBufferKHR(b), CL_SUCCESS);
    CHECK_EQ(clEnqueueCommandBufferKHR(0, NULL, NULL, 0, NULL, NULL), CL_INVALID_COMMAND_BUFFER_KHR);
    CHECK_EQ(clEnqueueCommandBufferKHR(1, NULL, b, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueCommandBufferKHR(0, two, b, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueCommandBufferKHR(2, two, b, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueCommandBufferKHR(1, &bad, b, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    CHECK_EQ(clEnqueueCommandBufferKHR(1, &foreign, b, 0, NULL, NULL), CL_INVALID_CONTEXT);
    CHECK_EQ(clEnqueueCommandBufferKHR(0, NULL, b, 1, &elsewhere, NULL), CL_INVALID_CONTEXT);
    CHECK_EQ(clEnqueueCommandBufferKHR(0, NULL, b, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    CHECK_EQ(clEnqueueCommandBufferKHR(0, NULL, b, 0, &elsewhere, NULL), CL_INVALID_EVENT_WAIT_LIST);
    CHECK_EQ(clEnqueueCommandBufferKHR(0, NULL, b, 1, &none, NULL), CL_INVALID_EVENT_WAIT_LIST);
    CHECK_EQ(clEnqueueCommandBufferKHR(1, two, b, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clReleaseEvent(elsewhere), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandQueue(foreign), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
    close_place(&w);
}

// ---- Replaying ----

TEST(commands_of_all_sizes_run_in_their_order_each_time)
{
    struct place w = open_place(0);
    buffer_handle b = make_command_buffer(&w, 0);
    enum { MUCH = 4 << 20 };
    cl_int error = 1, one = 1;
    cl_mem big = clCreateBuffer(w.context, 0, MUCH, NULL, &error),
           big2 = clCreateBuffer(w.context, 0, MUCH, NULL, &error);
    // data[0..1023] = 1; += 2; big = data[0] all over, copied; data[1] from the end of that; += 3.
    CHECK_EQ(clCommandFillBufferKHR(b, NULL, NULL, w.data, &one, 4, 0, 4096, AFTER), CL_SUCCESS);
    record_add(&w, b, 1024, 2);
    CHECK_EQ(clCommandCopyBufferKHR(b, NULL, NULL, w.data, big, 0, 0, 4096, AFTER), CL_SUCCESS);
    for (size_t n = 4096; n < MUCH; n *= 2)
        CHECK_EQ(clCommandCopyBufferKHR(b, NULL, NULL, big, big, 0, n, n, AFTER), CL_SUCCESS);
    CHECK_EQ(clCommandCopyBufferKHR(b, NULL, NULL, big, big2, 0, 0, MUCH, AFTER), CL_SUCCESS);
    CHECK_EQ(clCommandFillBufferKHR(b, NULL, NULL, big, "\0", 1, 0, MUCH, AFTER), CL_SUCCESS);
    CHECK_EQ(clCommandCopyBufferKHR(b, NULL, NULL, big2, w.data, MUCH - 4, 4, 4, AFTER), CL_SUCCESS);
    record_add(&w, b, 1024, 3);
    CHECK_EQ(clFinalizeCommandBufferKHR(b), CL_SUCCESS);
    for (int i = 0; i < 20; i++) {
        CHECK_EQ(clEnqueueFillBuffer(w.queue, w.data, "\0", 1, 0, 4096, 0, NULL, NULL), CL_SUCCESS);
        replay(b);
        CHECK_EQ(value_at(&w, 0), 6);
        CHECK_EQ(value_at(&w, 1), 6);
        CHECK_EQ(value_at(&w, 1023), 6);
    }
    CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(big), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(big2), CL_SUCCESS);
    close_place(&w);
}

TEST(many_enqueues_pend_at_once_and_do_not_overlap)
{
    struct place w = open_place(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    buffer_handle b = make_command_buffer(&w, CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR);
    cl_int error = 1;
    cl_command_queue second = clCreateCommandQueue(w.context, w.device, 0, &error);
    for (int i = 0; i < 10; i++)
        record_add(&w, b, 1024, 1);
    CHECK_EQ(clFinalizeCommandBufferKHR(b), CL_SUCCESS);
    cl_event gate = clCreateUserEvent(w.context, &error);
    for (int i = 0; i < 100; i++)
        CHECK_EQ(clEnqueueCommandBufferKHR(1, i % 3 ? &w.queue : &second, b, i % 10 == 0,
                                           i % 10 ? NULL : &gate, NULL),
                 CL_SUCCESS);
    // The application is done with it, the enqueues aren't.
    CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
    CHECK_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    CHECK_EQ(clFinish(w.queue), CL_SUCCESS);
    CHECK_EQ(clFinish(second), CL_SUCCESS);
    for (size_t i = 0; i < 1024; i += 11)
        CHECK_EQ(value_at(&w, i), 1000);
    CHECK_EQ(clReleaseEvent(gate), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandQueue(second), CL_SUCCESS);
    close_place(&w);
}

TEST(an_enqueue_that_waits_holds_no_other_up)
{
    struct place w = open_place(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    buffer_handle b = make_command_buffer(&w, 0);
    cl_int error = 1;
    record_add(&w, b, 1024, 1);
    CHECK_EQ(clFinalizeCommandBufferKHR(b), CL_SUCCESS);
    cl_event gate = clCreateUserEvent(w.context, &error), second = NULL;
    CHECK_EQ(clEnqueueCommandBufferKHR(0, NULL, b, 1, &gate, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueCommandBufferKHR(0, NULL, b, 0, NULL, &second), CL_SUCCESS);
    CHECK_EQ(clWaitForEvents(1, &second), CL_SUCCESS);
    CHECK_EQ(value_at(&w, 0), 1);
    CHECK_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    CHECK_EQ(clFinish(w.queue), CL_SUCCESS);
    CHECK_EQ(value_at(&w, 1023), 2);
    CHECK_EQ(clReleaseEvent(gate), CL_SUCCESS);
    CHECK_EQ(clReleaseEvent(second), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
    close_place(&w);
}

TEST(the_arguments_are_those_of_the_recording_and_are_kept_alive)
{
    struct place w = open_place(0);
    buffer_handle b = make_command_buffer(&w, 0);
    cl_int error = 1;
    static const cl_int zeros[16];
    cl_mem own =
        clCreateBuffer(w.context, CL_MEM_COPY_HOST_PTR, sizeof zeros, (void *)(uintptr_t)zeros, &error);
    size_t items = 16;
    cl_int n = 7;
    CHECK_EQ(clSetKernelArg(w.kernel, 0, sizeof own, &own), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(w.kernel, 1, sizeof n, &n), CL_SUCCESS);
    CHECK_EQ(clCommandNDRangeKernelKHR(b, NULL, NULL, w.kernel, 1, NULL, &items, NULL, AFTER), CL_SUCCESS);
    CHECK_EQ(clCommandCopyBufferKHR(b, NULL, NULL, own, w.data, 0, 0, sizeof zeros, AFTER), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(own), CL_SUCCESS);
    set_add(&w, 1000);
    CHECK_EQ(clFinalizeCommandBufferKHR(b), CL_SUCCESS);
    replay(b);
    replay(b);
    CHECK_EQ(value_at(&w, 15), 14);
    CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
    close_place(&w);
}

TEST(the_event_has_type_queue_and_times)
{
    struct place w = open_place(CL_QUEUE_PROFILING_ENABLE);
    buffer_handle b = make_command_buffer(&w, 0);
    record_add(&w, b, 100, 1);
    CHECK_EQ(clFinalizeCommandBufferKHR(b), CL_SUCCESS);
    cl_event e = NULL;
    CHECK_EQ(clEnqueueCommandBufferKHR(0, NULL, b, 0, NULL, &e), CL_SUCCESS);
    CHECK_EQ(clWaitForEvents(1, &e), CL_SUCCESS);
    cl_command_type type = 0;
    cl_command_queue queue = NULL;
    cl_ulong start = 0, end = 0;
    CHECK_EQ(clGetEventInfo(e, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL), CL_SUCCESS);
    CHECK_EQ(type, CL_COMMAND_COMMAND_BUFFER_KHR);
    CHECK_EQ(clGetEventInfo(e, CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, NULL), CL_SUCCESS);
    CHECK_EQ((void *)queue, (void *)w.queue);
    CHECK_EQ(clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL), CL_SUCCESS);
    CHECK_EQ(clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL), CL_SUCCESS);
    CHECK_GE(end, start);
    CHECK_GT(start, 0);
    CHECK_EQ(clReleaseEvent(e), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
    close_place(&w);
}

// Replays; the event's status.
static cl_int replay_status(buffer_handle b)
{
    cl_event e = NULL;
    cl_int status = 1;
    CHECK_EQ(clEnqueueCommandBufferKHR(0, NULL, b, 0, NULL, &e), CL_SUCCESS);
    clWaitForEvents(1, &e);
    CHECK_EQ(clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL), CL_SUCCESS);
    CHECK_EQ(clReleaseEvent(e), CL_SUCCESS);
    return status;
}

TEST(a_fault_fails_the_enqueue_and_the_next_one_begins_anew)
{
    struct place w = open_place(0);
    buffer_handle b = make_command_buffer(&w, 0), good = make_command_buffer(&w, 0);
    cl_int error = 1;
    cl_kernel wild = clCreateKernel(w.program, "wild", &error);
    cl_ulong far = (cl_ulong)1 << 40;
    size_t one = 1;
    CHECK_EQ(clSetKernelArg(wild, 0, sizeof w.data, &w.data), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(wild, 1, sizeof far, &far), CL_SUCCESS);
    record_add(&w, b, 1, 1);
    CHECK_EQ(clCommandNDRangeKernelKHR(b, NULL, NULL, wild, 1, NULL, &one, NULL, AFTER), CL_SUCCESS);
    record_add(&w, b, 1, 100);
    CHECK_EQ(clFinalizeCommandBufferKHR(b), CL_SUCCESS);
    record_add(&w, good, 1, 10);
    CHECK_EQ(clFinalizeCommandBufferKHR(good), CL_SUCCESS);
    CHECK_LT(replay_status(b), 0);
    CHECK_EQ(replay_status(good), CL_COMPLETE);
    CHECK_LT(replay_status(b), 0);
    CHECK_EQ(value_at(&w, 0), 12); // what comes after the fault doesn't run
    CHECK_EQ(clReleaseKernel(wild), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandBufferKHR(good), CL_SUCCESS);
    close_place(&w);
}

TEST(printf_is_written_at_each_replay)
{
    struct place w = open_place(0);
    buffer_handle b = make_command_buffer(&w, 0);
    cl_int error = 1, n = 5;
    cl_kernel shout = clCreateKernel(w.program, "shout", &error);
    size_t two = 2;
    CHECK_EQ(clSetKernelArg(shout, 0, sizeof n, &n), CL_SUCCESS);
    CHECK_EQ(clCommandNDRangeKernelKHR(b, NULL, NULL, shout, 1, NULL, &two, NULL, AFTER), CL_SUCCESS);
    CHECK_EQ(clFinalizeCommandBufferKHR(b), CL_SUCCESS);
    char text[64] = {0};
    const struct harness_capture c = harness_capture(STDOUT_FILENO);
    for (int i = 0; i < 3; i++) {
        replay(b);
        CHECK_EQ(clFinish(w.queue), CL_SUCCESS);
        CHECK_EQ(pread(c.file, text, sizeof text - 1, 0), 4 * (i + 1));
    }
    harness_uncapture(&c);
    CHECK_STR(text, "5!5!5!5!5!5!");
    CHECK_EQ(clReleaseKernel(shout), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
    close_place(&w);
}

static struct place shared;
static buffer_handle shared_buffer;

static void *replay_many(void *arg)
{
    for (int i = 0; i < 50; i++)
        replay(shared_buffer);
    return arg;
}

TEST(several_threads_record_and_replay)
{
    shared = open_place(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    shared_buffer = make_command_buffer(&shared, 0);
    record_add(&shared, shared_buffer, 1024, 1);
    CHECK_EQ(clFinalizeCommandBufferKHR(shared_buffer), CL_SUCCESS);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, replay_many, NULL), 0);
    for (int i = 0; i < 4; i++)
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
    CHECK_EQ(clFinish(shared.queue), CL_SUCCESS);
    CHECK_EQ(value_at(&shared, 0), 200);
    CHECK_EQ(value_at(&shared, 1023), 200);
    CHECK_EQ(clReleaseCommandBufferKHR(shared_buffer), CL_SUCCESS);
    close_place(&shared);
}

static atomic_int contexts_gone;

static void CL_CALLBACK count_gone(cl_context c, void *user)
{
    (void)c, (void)user;
    atomic_fetch_add(&contexts_gone, 1);
}

// The application's queue may go before the command buffer does: what was replayed there last must not keep
// it for ever.
TEST(a_queue_that_only_the_buffer_retains_is_released_with_it)
{
    for (int finishes = 0; finishes < 2; finishes++) {
        struct place w = open_place(0);
        CHECK_EQ(clSetContextDestructorCallback(w.context, count_gone, NULL), CL_SUCCESS);
        buffer_handle b = make_command_buffer(&w, 0);
        record_add(&w, b, 1024, 1);
        CHECK_EQ(clFinalizeCommandBufferKHR(b), CL_SUCCESS);
        CHECK_EQ(clReleaseCommandQueue(w.queue), CL_SUCCESS);
        cl_event event = NULL;
        for (int i = 0; i < 10; i++)
            CHECK_EQ(clEnqueueCommandBufferKHR(0, NULL, b, 0, NULL, i == 9 ? &event : NULL), CL_SUCCESS);
        if (finishes)
            CHECK_EQ(clWaitForEvents(1, &event), CL_SUCCESS);
        CHECK_EQ(clReleaseEvent(event), CL_SUCCESS);
        CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
        CHECK_EQ(clReleaseMemObject(w.data), CL_SUCCESS);
        CHECK_EQ(clReleaseKernel(w.kernel), CL_SUCCESS);
        CHECK_EQ(clReleaseProgram(w.program), CL_SUCCESS);
        CHECK_EQ(clReleaseContext(w.other), CL_SUCCESS);
        CHECK_EQ(clReleaseContext(w.context), CL_SUCCESS);
        const struct timespec pause = {.tv_nsec = 1000000};
        for (int i = 0; i < 10000 && atomic_load(&contexts_gone) <= finishes; i++)
            nanosleep(&pause, NULL);
        CHECK_EQ(atomic_load(&contexts_gone), finishes + 1);
    }
}

// Nor is what was enqueued there before passed by: the queue is in order, handle or not.
TEST(a_replay_in_a_released_queue_waits_for_what_is_before_it)
{
    struct place w = open_place(0);
    buffer_handle b = make_command_buffer(&w, 0);
    record_add(&w, b, 1, 1);
    CHECK_EQ(clFinalizeCommandBufferKHR(b), CL_SUCCESS);
    cl_int error = 1, value = 0;
    const cl_int hundred = 100;
    cl_event gate = clCreateUserEvent(w.context, &error), done = NULL;
    CHECK_EQ(error, CL_SUCCESS);
    cl_command_queue other = clCreateCommandQueue(w.context, w.device, 0, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clEnqueueWriteBuffer(w.queue, w.data, CL_FALSE, 0, sizeof hundred, &hundred, 1, &gate, NULL),
             CL_SUCCESS);
    CHECK_EQ(clReleaseCommandQueue(w.queue), CL_SUCCESS);
    CHECK_EQ(clEnqueueCommandBufferKHR(0, NULL, b, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueCommandBufferKHR(0, NULL, b, 0, NULL, &done), CL_SUCCESS);
    CHECK_EQ(clFlush(other), CL_SUCCESS);
    const struct timespec pause = {.tv_nsec = 20000000};
    nanosleep(&pause, NULL);
    CHECK_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    CHECK_EQ(clWaitForEvents(1, &done), CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBuffer(other, w.data, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(value, 102);
    CHECK_EQ(clReleaseEvent(gate), CL_SUCCESS);
    CHECK_EQ(clReleaseEvent(done), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
    w.queue = other;
    close_place(&w);
}
