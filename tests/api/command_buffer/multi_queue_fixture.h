// What the tests of command buffers for several queues share: the queues, and kernels whose results show the
// order in which they ran.
#ifndef WEFT_TESTS_MULTI_QUEUE_FIXTURE_H
#define WEFT_TESTS_MULTI_QUEUE_FIXTURE_H

#include "command_buffer_fixture.h"
#include "api/sub_device_fixture.h"

enum { QUEUES = 4, INTS = 1024 };

// Four queues, on the device, on its first two sub-devices (where there are two processors), and on the
// device again.
struct multi_queue {
    struct place w; // its context isn't used
    cl_context context;
    cl_device_id device[QUEUES];
    cl_command_queue queue[QUEUES];
    cl_program program;
    cl_kernel add, wait, wild;
    cl_mem data; // INTS ints of 0
};

static const char multi_queue_source[] =
    "kernel void add(global int *p, int n) { p[get_global_id(0)] = 2 * p[get_global_id(0)] + n; }\n"
    // Until another has set the flag, and sets one itself.
    "kernel void meet(global atomic_int *flag, int mine, int other)\n"
    "{\n"
    "    atomic_store(&flag[mine], 1);\n"
    "    for (int i = 0; i < 1000000000 && !atomic_load(&flag[other]); i++) {\n"
    "    }\n"
    "    atomic_store(&flag[mine + 2], atomic_load(&flag[other]));\n"
    "}\n"
    "kernel void wild(global int *p, ulong far) { p[far] = 1; }\n";

HARNESS_UNUSED static struct multi_queue open_multi_queue(cl_command_queue_properties bits)
{
    struct multi_queue h = {.w = open_place(0)};
    cl_int error = 1;
    const cl_uint devices = device_and_parts(h.w.device, h.device, QUEUES - 1);
    for (cl_uint i = devices; i < QUEUES; i++)
        h.device[i] = h.w.device;
    h.context = clCreateContext(NULL, devices, h.device, NULL, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    for (int i = 0; i < QUEUES; i++) {
        h.queue[i] = clCreateCommandQueue(h.context, h.device[i], bits, &error);
        CHECK_EQ(error, CL_SUCCESS);
    }
    const char *text = multi_queue_source;
    h.program = clCreateProgramWithSource(h.context, 1, &text, NULL, &error);
    CHECK_EQ(clBuildProgram(h.program, 0, NULL, "-cl-std=CL3.0", NULL, NULL), CL_SUCCESS);
    h.add = clCreateKernel(h.program, "add", &error);
    h.wait = clCreateKernel(h.program, "meet", &error);
    h.wild = clCreateKernel(h.program, "wild", &error);
    CHECK_EQ(error, CL_SUCCESS);
    static const int zeros[INTS];
    h.data = clCreateBuffer(h.context, CL_MEM_COPY_HOST_PTR, sizeof zeros, (void *)(uintptr_t)zeros, &error);
    CHECK_EQ(error, CL_SUCCESS);
    return h;
}

HARNESS_UNUSED static void close_multi_queue(struct multi_queue *h)
{
    for (int i = 0; i < QUEUES; i++) {
        CHECK_EQ(clFinish(h->queue[i]), CL_SUCCESS);
        CHECK_EQ(clReleaseCommandQueue(h->queue[i]), CL_SUCCESS);
        if (h->device[i] != h->w.device)
            CHECK_EQ(clReleaseDevice(h->device[i]), CL_SUCCESS);
    }
    CHECK_EQ(clReleaseMemObject(h->data), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(h->add), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(h->wait), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(h->wild), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(h->program), CL_SUCCESS);
    CHECK_EQ(clReleaseContext(h->context), CL_SUCCESS);
    close_place(&h->w);
}

HARNESS_UNUSED static buffer_handle make(struct multi_queue *h, cl_properties flags)
{
    const cl_properties properties[] = {CL_COMMAND_BUFFER_FLAGS_KHR, flags, 0};
    cl_int error = 1;
    buffer_handle b = clCreateCommandBufferKHR(QUEUES, h->queue, properties, &error);
    CHECK_EQ(error, CL_SUCCESS);
    return b;
}

// p = 2 p + n for all: the order shows. Behind `after`, if that isn't 0.
HARNESS_UNUSED static cl_uint record(struct multi_queue *h, buffer_handle b, int queue, cl_int n,
                                     cl_uint after, command_handle *handle)
{
    size_t items = INTS;
    cl_uint point = 0;
    CHECK_EQ(clSetKernelArg(h->add, 0, sizeof h->data, &h->data), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(h->add, 1, sizeof n, &n), CL_SUCCESS);
    CHECK_EQ(clCommandNDRangeKernelKHR(b, h->queue[queue], NULL, h->add, 1, NULL, &items, NULL, after != 0,
                                       after ? &after : NULL, &point, handle),
             CL_SUCCESS);
    CHECK_NE(point, 0);
    return point;
}

HARNESS_UNUSED static cl_int status_of(cl_uint count, cl_command_queue *queues, buffer_handle b)
{
    cl_event e = NULL;
    cl_int status = 1;
    CHECK_EQ(clEnqueueCommandBufferKHR(count, queues, b, 0, NULL, &e), CL_SUCCESS);
    clWaitForEvents(1, &e);
    CHECK_EQ(clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL), CL_SUCCESS);
    CHECK_EQ(clReleaseEvent(e), CL_SUCCESS);
    return status;
}

HARNESS_UNUSED static void check_all(struct multi_queue *h, cl_int expected)
{
    cl_int got[INTS];
    CHECK_EQ(clEnqueueReadBuffer(h->queue[0], h->data, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL),
             CL_SUCCESS);
    for (int i = 0; i < INTS; i++)
        CHECK_EQ(got[i], expected);
}

HARNESS_UNUSED static void zero(struct multi_queue *h)
{
    const cl_int nothing = 0;
    CHECK_EQ(clEnqueueFillBuffer(h->queue[0], h->data, &nothing, sizeof nothing, 0, INTS * sizeof nothing, 0,
                                 NULL, NULL),
             CL_SUCCESS);
    CHECK_EQ(clFinish(h->queue[0]), CL_SUCCESS);
}

// What record() has left in each int, by n = 0, 1, 2 ..., of so many replays.
HARNESS_UNUSED static cl_int chained(int commands, int replays)
{
    unsigned p = 0;
    for (int r = 0; r < replays; r++)
        for (int i = 0; i < commands; i++)
            p = 2 * p + (unsigned)i;
    return (cl_int)p;
}

#endif
