// Keeps a part of a CPU free for small kernels whose result somebody waits for, while large kernels have the rest.
// sub-devices
#define CL_TARGET_OPENCL_VERSION 120
#define _POSIX_C_SOURCE 200809L // clock_gettime
#include <CL/cl.h>

#include <stdio.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>

enum { LARGE = 1 << 20, SMALL = 1 << 14, REQUESTS = 100, QUEUED = 2 };

static const char source[] = "kernel void mix(global uint *data, uint rounds)\n"
                             "{\n"
                             "    size_t i = get_global_id(0);\n"
                             "    uint x = data[i];\n"
                             "    for (uint k = 0; k < rounds; k++)\n"
                             "        x = x * 1664525u + 1013904223u;\n"
                             "    data[i] = x;\n"
                             "}\n";

// A device or sub-device with what works on it.
struct worker {
    cl_command_queue queue;
    cl_kernel kernel;
    cl_mem data;
    size_t items;
    cl_uint rounds; // of a launch
    cl_uint launches;
};

static void check(cl_int error, const char *what)
{
    if (error != CL_SUCCESS) {
        fprintf(stderr, "sub-devices: %s failed with error %d\n", what, error);
        exit(1);
    }
}

// The first device of any platform that can be divided into parts of chosen sizes.
static cl_device_id find_device(cl_uint *units)
{
    cl_platform_id platforms[16];
    cl_uint count = 0;
    check(clGetPlatformIDs(16, platforms, &count), "clGetPlatformIDs (is a driver installed?)");
    for (cl_uint i = 0; i < count && i < 16; i++) {
        cl_device_id device;
        cl_device_partition_property ways[16] = {0};
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS ||
            clGetDeviceInfo(device, CL_DEVICE_PARTITION_PROPERTIES, sizeof ways, ways, NULL) != CL_SUCCESS ||
            clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof *units, units, NULL) != CL_SUCCESS)
            continue;
        for (int w = 0; w < 16 && *units >= 2; w++)
            if (ways[w] == CL_DEVICE_PARTITION_BY_COUNTS)
                return device;
    }
    fprintf(stderr,
            "sub-devices: there is no OpenCL device with two compute units that can be divided by counts\n");
    exit(77);
}

static struct worker open_worker(cl_context context, cl_device_id device, cl_program program, size_t items,
                                 cl_uint rounds)
{
    struct worker w = {.items = items, .rounds = rounds};
    cl_int error;
    const cl_uint zero = 0;
    w.queue = clCreateCommandQueue(context, device, 0, &error);
    check(error, "clCreateCommandQueue");
    w.kernel = clCreateKernel(program, "mix", &error);
    check(error, "clCreateKernel");
    w.data = clCreateBuffer(context, CL_MEM_READ_WRITE, items * sizeof(cl_uint), NULL, &error);
    check(error, "clCreateBuffer");
    check(clSetKernelArg(w.kernel, 0, sizeof w.data, &w.data), "clSetKernelArg");
    check(clSetKernelArg(w.kernel, 1, sizeof rounds, &rounds), "clSetKernelArg");
    check(clEnqueueFillBuffer(w.queue, w.data, &zero, sizeof zero, 0, items * sizeof(cl_uint), 0, NULL, NULL),
          "clEnqueueFillBuffer");
    return w;
}

static cl_event launch(struct worker *w)
{
    cl_event done;
    check(clEnqueueNDRangeKernel(w->queue, w->kernel, 1, NULL, &w->items, NULL, 0, NULL, &done),
          "clEnqueueNDRangeKernel");
    check(clFlush(w->queue), "clFlush");
    w->launches++;
    return done;
}

static double milliseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Keeps the one busy, and measures how long each launch of the other takes. Prints the median, and what nine of ten were below.
static void serve(const char *what, struct worker *large, struct worker *small)
{
    double times[REQUESTS];
    cl_event running[QUEUED];
    for (int i = 0; i < QUEUED; i++)
        running[i] = launch(large);
    for (int i = 0; i < REQUESTS; i++) {
        cl_int status;
        cl_event *oldest = &running[large->launches % QUEUED];
        check(clGetEventInfo(*oldest, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL),
              "clGetEventInfo");
        check(status < 0 ? status : CL_SUCCESS, "a large kernel");
        if (status == CL_COMPLETE) {
            clReleaseEvent(*oldest);
            *oldest = launch(large);
        }
        thrd_sleep(&(struct timespec){.tv_nsec = 2000000}, NULL); // until the next request comes
        const double begin = milliseconds();
        cl_event done = launch(small);
        check(clWaitForEvents(1, &done), "clWaitForEvents");
        times[i] = milliseconds() - begin;
        clReleaseEvent(done);
    }
    check(clFinish(large->queue), "clFinish");
    for (int i = 0; i < QUEUED; i++)
        clReleaseEvent(running[i]);
    qsort(times, REQUESTS, sizeof *times, by_value);
    printf("%-26s median %7.3f ms, nine of ten below %7.3f ms\n", what, times[REQUESTS / 2],
           times[REQUESTS * 9 / 10]);
}

// Whether all launches have been done, each once. Releases what the worker has.
static int close_worker(struct worker *w)
{
    cl_int error;
    cl_uint x = 0;
    int wrong = 0;
    for (cl_uint i = 0; i < w->launches * w->rounds; i++)
        x = x * 1664525u + 1013904223u;
    cl_uint *data = clEnqueueMapBuffer(w->queue, w->data, CL_TRUE, CL_MAP_READ, 0, w->items * sizeof x, 0,
                                       NULL, NULL, &error);
    check(error, "clEnqueueMapBuffer");
    for (size_t i = 0; i < w->items; i++)
        wrong += data[i] != x;
    check(clEnqueueUnmapMemObject(w->queue, w->data, data, 0, NULL, NULL), "clEnqueueUnmapMemObject");
    check(clFinish(w->queue), "clFinish");
    clReleaseMemObject(w->data);
    clReleaseKernel(w->kernel);
    clReleaseCommandQueue(w->queue);
    return wrong;
}

int main(void)
{
    cl_int error;
    cl_uint units;
    cl_device_id whole = find_device(&units), parts[2];
    // One unit for what is urgent, the others for the rest.
    const cl_device_partition_property by_counts[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1,
                                                      (cl_device_partition_property)units - 1,
                                                      CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
    check(clCreateSubDevices(whole, by_counts, 2, parts, NULL), "clCreateSubDevices");
    printf("%u compute units: 1 and %u\n", units, units - 1);

    // A context of all three: programs and buffers work on each.
    const cl_device_id all[3] = {whole, parts[0], parts[1]};
    cl_context context = clCreateContext(NULL, 3, all, NULL, NULL, &error);
    check(error, "clCreateContext");
    const char *text = source;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    check(error, "clCreateProgramWithSource");
    error = clBuildProgram(program, 3, all, "", NULL, NULL);
    if (error == CL_BUILD_PROGRAM_FAILURE) {
        static char log[16384];
        clGetProgramBuildInfo(program, whole, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fprintf(stderr, "%s\n", log);
    }
    check(error, "clBuildProgram");

    int wrong = 0;
    struct worker large = open_worker(context, whole, program, LARGE, 400);
    struct worker small = open_worker(context, whole, program, SMALL, 200);
    serve("both on the whole device:", &large, &small);
    wrong += close_worker(&large) + close_worker(&small);
    large = open_worker(context, parts[1], program, LARGE, 400);
    small = open_worker(context, parts[0], program, SMALL, 200);
    serve("each on a sub-device:", &large, &small);
    wrong += close_worker(&large) + close_worker(&small);
    printf("%d results wrong\n", wrong);

    clReleaseProgram(program);
    clReleaseContext(context);
    clReleaseDevice(parts[0]);
    clReleaseDevice(parts[1]);
    return wrong != 0;
}
