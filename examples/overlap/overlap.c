// Works on a long stream in chunks: one queue transfers, another one computes, and events order them. While chunk n
// is computed, chunk n + 1 is written and chunk n - 1 is read.
// overlap
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <stdio.h>
#include <stdlib.h>

enum { CHUNK = 1 << 18, CHUNKS = 16, SLOTS = 2, ROUNDS = 64 };

static const char source[] = "kernel void work(global const uint *in, global uint *out)\n"
                             "{\n"
                             "    size_t i = get_global_id(0);\n"
                             "    uint x = in[i];\n"
                             "    for (int k = 0; k < ROUNDS; k++) {\n"
                             "        x ^= x << 13;\n"
                             "        x ^= x >> 17;\n"
                             "        x ^= x << 5;\n"
                             "    }\n"
                             "    out[i] = x;\n"
                             "}\n";

// Two pairs of buffers, which chunks use in turn.
struct slot {
    cl_mem in, out;
};

// What is enqueued for a chunk.
struct chunk {
    cl_event written, computed, read;
};

static void check(cl_int error, const char *what)
{
    if (error != CL_SUCCESS) {
        fprintf(stderr, "overlap: %s failed with error %d\n", what, error);
        exit(1);
    }
}

// The first device of any platform.
static cl_device_id find_device(void)
{
    cl_platform_id platforms[16];
    cl_uint count = 0;
    check(clGetPlatformIDs(16, platforms, &count), "clGetPlatformIDs (is a driver installed?)");
    for (cl_uint i = 0; i < count && i < 16; i++) {
        cl_device_id device;
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS)
            return device;
    }
    fprintf(stderr, "overlap: there is no OpenCL device\n");
    exit(1);
}

// Enqueues what chunk n needs. Nothing here waits.
static void enqueue(cl_command_queue transfers, cl_command_queue computing, cl_kernel kernel,
                    const struct slot *slots, struct chunk *chunks, int n, const cl_uint *in, cl_uint *out)
{
    const size_t items = CHUNK, bytes = CHUNK * sizeof *in;
    const struct slot *slot = &slots[n % SLOTS];
    struct chunk *chunk = &chunks[n];
    // The slot's input is free when the kernel that had it before is done, its output when the read is.
    const struct chunk *before = n < SLOTS ? NULL : &chunks[n - SLOTS];
    check(clEnqueueWriteBuffer(transfers, slot->in, CL_FALSE, 0, bytes, in, before != NULL,
                               before ? &before->computed : NULL, &chunk->written),
          "clEnqueueWriteBuffer");
    const cl_event ready[2] = {chunk->written, before ? before->read : NULL};
    check(clSetKernelArg(kernel, 0, sizeof slot->in, &slot->in), "clSetKernelArg");
    check(clSetKernelArg(kernel, 1, sizeof slot->out, &slot->out), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(computing, kernel, 1, NULL, &items, NULL, before ? 2 : 1, ready,
                                 &chunk->computed),
          "clEnqueueNDRangeKernel");
    check(
        clEnqueueReadBuffer(transfers, slot->out, CL_FALSE, 0, bytes, out, 1, &chunk->computed, &chunk->read),
        "clEnqueueReadBuffer");
    // What waits for an event of another queue needs that queue to be flushed.
    check(clFlush(transfers), "clFlush");
    check(clFlush(computing), "clFlush");
}

static double time_of(cl_event event, cl_profiling_info what)
{
    cl_ulong time;
    check(clGetEventProfilingInfo(event, what, sizeof time, &time, NULL), "clGetEventProfilingInfo");
    return 1e-6 * (double)time;
}

// How many milliseconds the command took, and how many of them a kernel ran meanwhile.
static void measure(cl_event transfer, const struct chunk *chunks, double *took, double *beside)
{
    const double start = time_of(transfer, CL_PROFILING_COMMAND_START);
    const double end = time_of(transfer, CL_PROFILING_COMMAND_END);
    *took += end - start;
    for (int i = 0; i < CHUNKS; i++) {
        const double from = time_of(chunks[i].computed, CL_PROFILING_COMMAND_START);
        const double to = time_of(chunks[i].computed, CL_PROFILING_COMMAND_END);
        const double first = start > from ? start : from, last = end < to ? end : to;
        *beside += last > first ? last - first : 0;
    }
}

int main(void)
{
    const size_t n = (size_t)CHUNK * CHUNKS, chunk_bytes = CHUNK * sizeof(cl_uint);
    cl_uint *in = malloc(n * sizeof *in), *out = malloc(n * sizeof *out);
    if (!in || !out) {
        fprintf(stderr, "overlap: out of memory\n");
        return 1;
    }
    for (size_t i = 0; i < n; i++)
        in[i] = (cl_uint)i * 2654435761u + 1;

    cl_int error;
    cl_device_id device = find_device();
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "clCreateContext");
    // Transfers need not keep their order: events say what waits for what. A device may know in-order queues only.
    cl_command_queue_properties can;
    check(clGetDeviceInfo(device, CL_DEVICE_QUEUE_PROPERTIES, sizeof can, &can, NULL), "clGetDeviceInfo");
    cl_command_queue transfers = clCreateCommandQueue(
        context, device, CL_QUEUE_PROFILING_ENABLE | (can & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE), &error);
    check(error, "clCreateCommandQueue");
    cl_command_queue computing = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &error);
    check(error, "clCreateCommandQueue");
    const char *text = source;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    check(error, "clCreateProgramWithSource");
    char options[32];
    snprintf(options, sizeof options, "-DROUNDS=%d", ROUNDS);
    error = clBuildProgram(program, 1, &device, options, NULL, NULL);
    if (error == CL_BUILD_PROGRAM_FAILURE) {
        static char log[16384];
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fprintf(stderr, "%s\n", log);
    }
    check(error, "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, "work", &error);
    check(error, "clCreateKernel");
    struct slot slots[SLOTS];
    for (int i = 0; i < SLOTS; i++) {
        slots[i].in = clCreateBuffer(context, CL_MEM_READ_ONLY, chunk_bytes, NULL, &error);
        check(error, "clCreateBuffer");
        slots[i].out = clCreateBuffer(context, CL_MEM_WRITE_ONLY, chunk_bytes, NULL, &error);
        check(error, "clCreateBuffer");
    }

    struct chunk chunks[CHUNKS];
    for (int i = 0; i < CHUNKS; i++)
        enqueue(transfers, computing, kernel, slots, chunks, i, in + (size_t)i * CHUNK,
                out + (size_t)i * CHUNK);
    check(clFinish(transfers), "clFinish");
    check(clFinish(computing), "clFinish");

    double took = 0, beside = 0;
    for (int i = 0; i < CHUNKS; i++) {
        measure(chunks[i].written, chunks, &took, &beside);
        measure(chunks[i].read, chunks, &took, &beside);
    }
    size_t wrong = 0;
    for (size_t i = 0; i < n; i++) {
        cl_uint x = in[i];
        for (int k = 0; k < ROUNDS; k++) {
            x ^= x << 13;
            x ^= x >> 17;
            x ^= x << 5;
        }
        wrong += out[i] != x;
    }
    printf("transfers: %.2f ms, of which %.2f ms beside kernels\n", took, beside);
    printf("%d chunks, %zu numbers wrong\n", CHUNKS, wrong);

    for (int i = 0; i < CHUNKS; i++) {
        clReleaseEvent(chunks[i].written);
        clReleaseEvent(chunks[i].computed);
        clReleaseEvent(chunks[i].read);
    }
    for (int i = 0; i < SLOTS; i++) {
        clReleaseMemObject(slots[i].in);
        clReleaseMemObject(slots[i].out);
    }
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(transfers);
    clReleaseCommandQueue(computing);
    clReleaseContext(context);
    free(in);
    free(out);
    return wrong != 0;
}
