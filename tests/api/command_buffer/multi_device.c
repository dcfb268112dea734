// cl_khr_command_buffer_multi_device 0.9.2: command buffers for several queues of a device and its
// sub-devices. The errors of each function, in their order; what sync-points, barriers and queues order, and
// what they don't. Copies for other queues: remap.c.
// timeout: 120
#include <sched.h>

#include "multi_queue_fixture.h"

// ---- Queries ----

TEST(devices_and_platform_report_their_capabilities)
{
    struct multi_queue h = open_multi_queue(0);
    cl_bitfield bits = 0;
    for (int i = 0; i < QUEUES; i++) {
        cl_uint n = 0;
        size_t size = 0;
        cl_device_id with = NULL;
        CHECK_EQ(
            clGetDeviceInfo(h.device[i], CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR, sizeof bits, &bits, NULL),
            CL_SUCCESS);
        CHECK(bits & CL_COMMAND_BUFFER_CAPABILITY_MULTIPLE_QUEUE_KHR);
        CHECK_EQ(
            clGetDeviceInfo(h.device[i], CL_DEVICE_COMMAND_BUFFER_NUM_SYNC_DEVICES_KHR, sizeof n, &n, NULL),
            CL_SUCCESS);
        CHECK_EQ(n, 1);
        CHECK_EQ(clGetDeviceInfo(h.device[i], CL_DEVICE_COMMAND_BUFFER_SYNC_DEVICES_KHR, sizeof with, &with,
                                 &size),
                 CL_SUCCESS);
        CHECK_EQ(size, sizeof with);
        CHECK_EQ((void *)with, (void *)h.w.device); // sub-devices aren't listed
    }
    CHECK_EQ(clGetPlatformInfo(h.w.platform, CL_PLATFORM_COMMAND_BUFFER_CAPABILITIES_KHR, sizeof bits, &bits,
                               NULL),
             CL_SUCCESS);
    CHECK_EQ(bits, CL_COMMAND_BUFFER_PLATFORM_UNIVERSAL_SYNC_KHR |
                       CL_COMMAND_BUFFER_PLATFORM_REMAP_QUEUES_KHR |
                       CL_COMMAND_BUFFER_PLATFORM_AUTOMATIC_REMAP_KHR);
    close_multi_queue(&h);
}

TEST(the_queues_are_reported)
{
    struct multi_queue h = open_multi_queue(0);
    buffer_handle b = make(&h, CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR);
    cl_uint n = 0;
    cl_command_queue queues[QUEUES] = {0}, queue = NULL;
    command_handle handle = NULL;
    CHECK_EQ(clGetCommandBufferInfoKHR(b, CL_COMMAND_BUFFER_NUM_QUEUES_KHR, sizeof n, &n, NULL), CL_SUCCESS);
    CHECK_EQ(n, QUEUES);
    CHECK_EQ(clGetCommandBufferInfoKHR(b, CL_COMMAND_BUFFER_QUEUES_KHR, sizeof queues, queues, NULL),
             CL_SUCCESS);
    for (int i = 0; i < QUEUES; i++) {
        CHECK_EQ((void *)queues[i], (void *)h.queue[i]);
        record(&h, b, i, 1, 0, &handle);
        CHECK_EQ(clGetMutableCommandInfoKHR(handle, CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR, sizeof queue,
                                            &queue, NULL),
                 CL_SUCCESS);
        CHECK_EQ((void *)queue, (void *)h.queue[i]);
    }
    CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
    close_multi_queue(&h);
}

// ---- Errors ----

static cl_int create_error(cl_uint count, const cl_command_queue *queues, const cl_properties *p)
{
    cl_int error = 1;
    buffer_handle b = clCreateCommandBufferKHR(count, queues, p, &error);
    CHECK_EQ(b == NULL, error != CL_SUCCESS);
    if (b)
        CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
    return error;
}

TEST(creation_checks_all_queues)
{
    struct multi_queue h = open_multi_queue(0);
    cl_command_queue bad[3] = {h.queue[0], h.w.queue, (cl_command_queue)h.context};
    const cl_properties unknown[] = {12345, 1, 0};
    CHECK_EQ(create_error(0, h.queue, NULL), CL_INVALID_VALUE);
    CHECK_EQ(create_error(2, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(create_error(3, bad, unknown), CL_INVALID_COMMAND_QUEUE);
    CHECK_EQ(create_error(2, bad, unknown), CL_INVALID_CONTEXT);
    CHECK_EQ(create_error(QUEUES, h.queue, unknown), CL_INVALID_VALUE);
    CHECK_EQ(create_error(QUEUES, h.queue, NULL), CL_SUCCESS);
    bad[1] = h.queue[0];
    CHECK_EQ(create_error(2, bad, NULL), CL_SUCCESS); // the same twice
    close_multi_queue(&h);
}

TEST(recording_wants_one_of_the_queues)
{
    struct multi_queue h = open_multi_queue(0);
    cl_int error = 1;
    cl_command_queue other = clCreateCommandQueue(h.context, h.w.device, 0, &error);
    buffer_handle b = make(&h, 0);
    size_t items = 4;
    cl_int n = 1;
    CHECK_EQ(clSetKernelArg(h.add, 0, sizeof h.data, &h.data), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(h.add, 1, sizeof n, &n), CL_SUCCESS);
    cl_command_queue bad[] = {NULL, other, h.w.queue, (cl_command_queue)h.context};
    for (int i = 0; i < 4; i++) {
        CHECK_EQ(clCommandBarrierWithWaitListKHR(b, bad[i], NULL, 0, NULL, NULL, NULL),
                 CL_INVALID_COMMAND_QUEUE);
        CHECK_EQ(clCommandFillBufferKHR(b, bad[i], NULL, h.data, "abcd", 4, 0, 64, 0, NULL, NULL, NULL),
                 CL_INVALID_COMMAND_QUEUE);
        CHECK_EQ(
            clCommandNDRangeKernelKHR(b, bad[i], NULL, h.add, 1, NULL, &items, NULL, 0, NULL, NULL, NULL),
            CL_INVALID_COMMAND_QUEUE);
    }
    CHECK_EQ(clCommandBarrierWithWaitListKHR(NULL, other, NULL, 0, NULL, NULL, NULL),
             CL_INVALID_COMMAND_BUFFER_KHR);
    CHECK_EQ(clCommandNDRangeKernelKHR(b, h.queue[1], NULL, h.w.kernel, 1, NULL, &items, NULL, 0, NULL, NULL,
                                       NULL),
             CL_INVALID_CONTEXT);
    CHECK_EQ(clFinalizeCommandBufferKHR(b), CL_SUCCESS);
    CHECK_EQ(clCommandBarrierWithWaitListKHR(b, other, NULL, 0, NULL, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    CHECK_EQ(clCommandBarrierWithWaitListKHR(b, h.queue[2], NULL, 0, NULL, NULL, NULL), CL_INVALID_OPERATION);
    CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandQueue(other), CL_SUCCESS);
    close_multi_queue(&h);
}

TEST(a_program_that_is_not_for_the_queues_device_is_refused)
{
    struct multi_queue h = open_multi_queue(0);
    cl_int error = 1;
    if (h.device[1] != h.w.device) {
        buffer_handle b = make(&h, 0);
        size_t items = 4;
        const void *binaries[1];
        size_t sizes[8] = {0};
        CHECK_EQ(clGetProgramInfo(h.program, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, NULL), CL_SUCCESS);
        unsigned char *all[3] = {calloc(1, sizes[0]), calloc(1, sizes[1]), calloc(1, sizes[2])};
        CHECK_EQ(clGetProgramInfo(h.program, CL_PROGRAM_BINARIES, sizeof all, all, NULL), CL_SUCCESS);
        binaries[0] = all[1];
        cl_program p = clCreateProgramWithBinary(h.context, 1, &h.device[1], sizes + 1,
                                                 (const unsigned char **)binaries, NULL, &error);
        CHECK_EQ(error, CL_SUCCESS);
        CHECK_EQ(clBuildProgram(p, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
        cl_kernel k = clCreateKernel(p, "add", &error);
        cl_int n = 1;
        CHECK_EQ(clSetKernelArg(k, 0, sizeof h.data, &h.data), CL_SUCCESS);
        CHECK_EQ(clSetKernelArg(k, 1, sizeof n, &n), CL_SUCCESS);
        CHECK_EQ(
            clCommandNDRangeKernelKHR(b, h.queue[0], NULL, k, 1, NULL, &items, NULL, 0, NULL, NULL, NULL),
            CL_INVALID_PROGRAM_EXECUTABLE);
        CHECK_EQ(
            clCommandNDRangeKernelKHR(b, h.queue[1], NULL, k, 1, NULL, &items, NULL, 0, NULL, NULL, NULL),
            CL_SUCCESS);
        // Nor can it be taken there.
        cl_command_queue reordered[QUEUES] = {h.queue[1], h.queue[0], h.queue[2], h.queue[3]};
        CHECK(clRemapCommandBufferKHR(b, CL_FALSE, QUEUES, reordered, 0, NULL, NULL, &error) == NULL);
        CHECK_EQ(error, CL_INVALID_PROGRAM_EXECUTABLE);
        CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
        CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
        CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
        for (int i = 0; i < 3; i++)
            free(all[i]);
    }
    close_multi_queue(&h);
}

TEST(an_enqueue_checks_all_queues)
{
    struct multi_queue h = open_multi_queue(0);
    buffer_handle b = make(&h, 0);
    record(&h, b, 0, 1, 0, NULL);
    CHECK_EQ(clEnqueueCommandBufferKHR(1, NULL, b, 0, NULL, NULL), CL_INVALID_OPERATION);
    CHECK_EQ(clFinalizeCommandBufferKHR(b), CL_SUCCESS);
    CHECK_EQ(clEnqueueCommandBufferKHR(1, NULL, b, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueCommandBufferKHR(0, h.queue, b, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clEnqueueCommandBufferKHR(1, h.queue, b, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_command_queue bad[QUEUES] = {h.queue[0], h.queue[1], h.w.queue, (cl_command_queue)h.context};
    CHECK_EQ(clEnqueueCommandBufferKHR(QUEUES, bad, b, 0, NULL, NULL), CL_INVALID_COMMAND_QUEUE);
    bad[3] = h.queue[1];
    CHECK_EQ(clEnqueueCommandBufferKHR(QUEUES, bad, b, 0, NULL, NULL), CL_INVALID_CONTEXT);
    bad[2] = h.queue[2];
    if (h.device[1] != h.w.device)
        CHECK_EQ(clEnqueueCommandBufferKHR(QUEUES, bad, b, 0, NULL, NULL), CL_INCOMPATIBLE_COMMAND_QUEUE_KHR);
    CHECK_EQ(clEnqueueCommandBufferKHR(QUEUES, h.queue, b, 1, NULL, NULL), CL_INVALID_EVENT_WAIT_LIST);
    CHECK_EQ(status_of(QUEUES, h.queue, b), CL_COMPLETE);
    CHECK_EQ(status_of(0, NULL, b), CL_COMPLETE);
    check_all(&h, 3);
    CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
    close_multi_queue(&h);
}

// ---- Order ----

TEST(sync_points_order_commands_of_different_queues)
{
    struct multi_queue h = open_multi_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    buffer_handle b = make(&h, 0);
    cl_uint point = 0;
    for (int i = 0; i < 40; i++)
        point = record(&h, b, (i * 7) % QUEUES, i, point, NULL);
    CHECK_EQ(clFinalizeCommandBufferKHR(b), CL_SUCCESS);
    for (int i = 1; i <= 20; i++)
        CHECK_EQ(status_of(0, NULL, b), CL_COMPLETE);
    check_all(&h, chained(40, 20));
    CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
    close_multi_queue(&h);
}

TEST(barriers_order_commands_of_different_queues)
{
    struct multi_queue h = open_multi_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    buffer_handle b = make(&h, 0);
    for (int i = 0; i < 40; i++) {
        record(&h, b, (i * 3) % QUEUES, i, 0, NULL);
        CHECK_EQ(clCommandBarrierWithWaitListKHR(b, h.queue[i % 3], NULL, 0, NULL, NULL, NULL), CL_SUCCESS);
    }
    CHECK_EQ(clFinalizeCommandBufferKHR(b), CL_SUCCESS);
    for (int i = 0; i < 20; i++)
        CHECK_EQ(clEnqueueCommandBufferKHR(0, NULL, b, 0, NULL, NULL), CL_SUCCESS);
    for (int i = 0; i < QUEUES; i++)
        CHECK_EQ(clFinish(h.queue[i]), CL_SUCCESS);
    check_all(&h, chained(40, 20));
    CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
    close_multi_queue(&h);
}

// What has no order runs side by side: two kernels that wait for each other. In a process that may use one
// processor they can't, and the first gives up.
TEST(commands_of_different_queues_run_side_by_side)
{
    struct multi_queue h = open_multi_queue(0);
    cpu_set_t cpus;
    if (h.device[1] != h.w.device && sched_getaffinity(0, sizeof cpus, &cpus) == 0 && CPU_COUNT(&cpus) > 1) {
        buffer_handle b = make(&h, 0);
        size_t one = 1;
        for (cl_int i = 0; i < 2; i++) {
            cl_int other = 1 - i;
            CHECK_EQ(clSetKernelArg(h.wait, 0, sizeof h.data, &h.data), CL_SUCCESS);
            CHECK_EQ(clSetKernelArg(h.wait, 1, sizeof i, &i), CL_SUCCESS);
            CHECK_EQ(clSetKernelArg(h.wait, 2, sizeof other, &other), CL_SUCCESS);
            CHECK_EQ(clCommandNDRangeKernelKHR(b, h.queue[1 + i], NULL, h.wait, 1, NULL, &one, NULL, 0, NULL,
                                               NULL, NULL),
                     CL_SUCCESS);
        }
        CHECK_EQ(clFinalizeCommandBufferKHR(b), CL_SUCCESS);
        CHECK_EQ(status_of(0, NULL, b), CL_COMPLETE);
        cl_int got[4];
        CHECK_EQ(clEnqueueReadBuffer(h.queue[0], h.data, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL),
                 CL_SUCCESS);
        CHECK_EQ(got[2], 1);
        CHECK_EQ(got[3], 1);
        CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
    }
    close_multi_queue(&h);
}

// An enqueue has its place in the order of each queue, as any command.
TEST(the_enqueue_is_in_the_order_of_all_its_queues)
{
    struct multi_queue h = open_multi_queue(0);
    buffer_handle b = make(&h, 0);
    cl_int error = 1, n = 1;
    size_t items = INTS;
    record(&h, b, 2, 3, record(&h, b, 1, 2, 0, NULL), NULL); // p = 2 (2 p + 2) + 3
    CHECK_EQ(clFinalizeCommandBufferKHR(b), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(h.add, 1, sizeof n, &n), CL_SUCCESS);
    for (int i = 0; i < QUEUES; i++) {
        zero(&h);
        cl_event gate = clCreateUserEvent(h.context, &error);
        // Queue i is busy: the buffer waits for it, and the last queue for the buffer.
        CHECK_EQ(clEnqueueNDRangeKernel(h.queue[i], h.add, 1, NULL, &items, NULL, 1, &gate, NULL),
                 CL_SUCCESS);
        CHECK_EQ(clEnqueueCommandBufferKHR(0, NULL, b, 0, NULL, NULL), CL_SUCCESS);
        CHECK_EQ(clEnqueueNDRangeKernel(h.queue[3 - i], h.add, 1, NULL, &items, NULL, 0, NULL, NULL),
                 CL_SUCCESS);
        CHECK_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
        CHECK_EQ(clFinish(h.queue[3 - i]), CL_SUCCESS);
        check_all(&h, 2 * (2 * (2 * 1 + 2) + 3) + 1);
        CHECK_EQ(clReleaseEvent(gate), CL_SUCCESS);
    }
    CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
    close_multi_queue(&h);
}

TEST(an_event_that_fails_keeps_it_from_running)
{
    struct multi_queue h = open_multi_queue(0);
    buffer_handle b = make(&h, 0);
    cl_int error = 1, status = 1;
    for (int i = 0; i < QUEUES; i++)
        record(&h, b, i, 1, 0, NULL);
    CHECK_EQ(clFinalizeCommandBufferKHR(b), CL_SUCCESS);
    for (int late = 0; late < 2; late++) {
        cl_event gate = clCreateUserEvent(h.context, &error), e = NULL;
        if (!late)
            CHECK_EQ(clSetUserEventStatus(gate, -7), CL_SUCCESS);
        CHECK_EQ(clEnqueueCommandBufferKHR(0, NULL, b, 1, &gate, &e), CL_SUCCESS);
        if (late)
            CHECK_EQ(clSetUserEventStatus(gate, -7), CL_SUCCESS);
        CHECK_NE(clWaitForEvents(1, &e), CL_SUCCESS);
        CHECK_EQ(clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL),
                 CL_SUCCESS);
        CHECK_EQ(status, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
        CHECK_EQ(clReleaseEvent(gate), CL_SUCCESS);
        CHECK_EQ(clReleaseEvent(e), CL_SUCCESS);
    }
    check_all(&h, 0);
    CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
    close_multi_queue(&h);
}

TEST(a_fault_stops_what_waits_for_it_and_fails_the_enqueue)
{
    struct multi_queue h = open_multi_queue(0);
    buffer_handle b = make(&h, 0);
    cl_ulong far = (cl_ulong)1 << 40;
    size_t one = 1;
    CHECK_EQ(clSetKernelArg(h.wild, 0, sizeof h.data, &h.data), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(h.wild, 1, sizeof far, &far), CL_SUCCESS);
    cl_uint first = record(&h, b, 0, 1, 0, NULL), fault = 0;
    CHECK_EQ(
        clCommandNDRangeKernelKHR(b, h.queue[1], NULL, h.wild, 1, NULL, &one, NULL, 1, &first, &fault, NULL),
        CL_SUCCESS);
    record(&h, b, 2, 100, fault, NULL);
    CHECK_EQ(clFinalizeCommandBufferKHR(b), CL_SUCCESS);
    CHECK_LT(status_of(0, NULL, b), 0);
    check_all(&h, 1);
    CHECK_LT(status_of(0, NULL, b), 0);
    check_all(&h, 3);
    CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
    close_multi_queue(&h);
}

TEST(empty_buffers_and_empty_queues_complete)
{
    struct multi_queue h = open_multi_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    buffer_handle b = make(&h, 0), last = make(&h, 0);
    CHECK_EQ(clFinalizeCommandBufferKHR(b), CL_SUCCESS);
    record(&h, last, QUEUES - 1, 5, 0, NULL);
    CHECK_EQ(clFinalizeCommandBufferKHR(last), CL_SUCCESS);
    for (int i = 0; i < 100; i++)
        CHECK_EQ(clEnqueueCommandBufferKHR(0, NULL, b, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(status_of(0, NULL, b), CL_COMPLETE);
    CHECK_EQ(status_of(0, NULL, last), CL_COMPLETE);
    check_all(&h, 5);
    // All of its queues the same.
    cl_command_queue same[QUEUES] = {h.queue[0], h.queue[1], h.queue[2], h.queue[0]};
    CHECK_EQ(status_of(QUEUES, same, last), CL_COMPLETE);
    check_all(&h, 15);
    CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandBufferKHR(last), CL_SUCCESS);
    close_multi_queue(&h);
}

// ---- Events ----

TEST(the_event_describes_several_queues)
{
    struct multi_queue h = open_multi_queue(0);
    cl_int error = 1;
    cl_command_queue timed = clCreateCommandQueue(h.context, h.device[3], CL_QUEUE_PROFILING_ENABLE, &error);
    cl_command_queue with[QUEUES] = {h.queue[0], h.queue[1], h.queue[2], timed}, queue = timed;
    buffer_handle b = make(&h, 0);
    cl_event e = NULL;
    cl_ulong t[5];
    const cl_profiling_info names[5] = {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
                                        CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END,
                                        CL_PROFILING_COMMAND_COMPLETE};
    for (int i = 0; i < QUEUES; i++)
        record(&h, b, i, 1, 0, NULL);
    CHECK_EQ(clFinalizeCommandBufferKHR(b), CL_SUCCESS);
    CHECK_EQ(clEnqueueCommandBufferKHR(QUEUES, with, b, 0, NULL, &e), CL_SUCCESS);
    CHECK_EQ(clWaitForEvents(1, &e), CL_SUCCESS);
    CHECK_EQ(clGetEventInfo(e, CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, NULL), CL_SUCCESS);
    CHECK(queue == NULL);
    for (int i = 0; i < 5; i++) {
        CHECK_EQ(clGetEventProfilingInfo(e, names[i], sizeof t[i], &t[i], NULL), CL_SUCCESS);
        CHECK_GT(t[i], 0);
        CHECK(i == 0 || t[i] >= t[i - 1]);
    }
    CHECK_EQ(clReleaseEvent(e), CL_SUCCESS);
    CHECK_EQ(clEnqueueCommandBufferKHR(0, NULL, b, 0, NULL, &e), CL_SUCCESS);
    CHECK_EQ(clWaitForEvents(1, &e), CL_SUCCESS);
    CHECK_EQ(clGetEventProfilingInfo(e, names[0], sizeof t[0], &t[0], NULL), CL_PROFILING_INFO_NOT_AVAILABLE);
    CHECK_EQ(clReleaseEvent(e), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandQueue(timed), CL_SUCCESS);
    close_multi_queue(&h);
}

// ---- Threads ----

static struct multi_queue shared;
static buffer_handle shared_buffers[2];

static void *replay_many(void *arg)
{
    // Each thread names the queues in another order, where their devices allow.
    cl_command_queue reordered[QUEUES] = {shared.queue[3], shared.queue[1], shared.queue[2], shared.queue[0]};
    for (int i = 0; i < 60; i++)
        CHECK_EQ(clEnqueueCommandBufferKHR(arg ? QUEUES : 0, arg ? reordered : NULL, shared_buffers[i % 2], 0,
                                           NULL, NULL),
                 CL_SUCCESS);
    return NULL;
}

TEST(several_threads_replay_on_all_queues)
{
    shared = open_multi_queue(0);
    cl_int error = 1, n = 0;
    for (int i = 0; i < 2; i++) {
        cl_uint point = 0;
        shared_buffers[i] = make(&shared, CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR);
        for (int j = 0; j < 6; j++) {
            const size_t offset = (size_t)j, one = 1; // each its own int: p + n, by two sums
            cl_kernel k = clCreateKernel(shared.program, "add", &error);
            CHECK_EQ(clSetKernelArg(k, 0, sizeof shared.data, &shared.data), CL_SUCCESS);
            n = 1;
            CHECK_EQ(clSetKernelArg(k, 1, sizeof n, &n), CL_SUCCESS);
            CHECK_EQ(clCommandNDRangeKernelKHR(shared_buffers[i], shared.queue[j % QUEUES], NULL, k, 1,
                                               &offset, &one, NULL, j > 2, j > 2 ? &point : NULL, &point,
                                               NULL),
                     CL_SUCCESS);
            CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
        }
        CHECK_EQ(clFinalizeCommandBufferKHR(shared_buffers[i]), CL_SUCCESS);
    }
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, replay_many, i % 2 ? &shared : NULL), 0);
    for (int i = 0; i < 4; i++)
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < QUEUES; i++)
        CHECK_EQ(clFinish(shared.queue[i]), CL_SUCCESS);
    cl_int got[7];
    CHECK_EQ(clEnqueueReadBuffer(shared.queue[0], shared.data, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL),
             CL_SUCCESS);
    for (int i = 0; i < 6; i++)
        CHECK_EQ(got[i], -1); // 2 p + 1, 240 times: all bits
    CHECK_EQ(got[6], 0);
    CHECK_EQ(clReleaseCommandBufferKHR(shared_buffers[0]), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandBufferKHR(shared_buffers[1]), CL_SUCCESS);
    close_multi_queue(&shared);
}

static command_handle changing;

// What the kernel does isn't changed: another value of the same.
static void *update_many(void *buffer)
{
    for (int i = 0; i < 400; i++)
        CHECK_EQ(update_n(buffer, changing, 1), CL_SUCCESS);
    return NULL;
}

TEST(another_thread_changes_what_is_being_replayed)
{
    struct multi_queue h = open_multi_queue(0);
    buffer_handle b = make(&h, CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR | CL_COMMAND_BUFFER_MUTABLE_KHR);
    cl_uint point = record(&h, b, 0, 1, 0, &changing);
    for (int i = 1; i < QUEUES; i++)
        point = record(&h, b, i, 1, point, NULL);
    CHECK_EQ(clFinalizeCommandBufferKHR(b), CL_SUCCESS);
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, NULL, update_many, b), 0);
    for (int i = 0; i < 100; i++) {
        zero(&h);
        CHECK_EQ(status_of(0, NULL, b), CL_COMPLETE);
        check_all(&h, 15); // 2 p + 1, four times
    }
    CHECK_EQ(pthread_join(thread, NULL), 0);
    CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
    close_multi_queue(&h);
}
