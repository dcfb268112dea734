#include "histogram.h"

#include <string.h>

// A work-group counts in local memory, and then adds what it has to the result.
static const char source[] = "kernel void count(global const uchar *data, ulong bytes, global uint *counts)\n"
                             "{\n"
                             "    local uint mine[256];\n"
                             "    for (uint i = get_local_id(0); i < 256; i += get_local_size(0))\n"
                             "        mine[i] = 0;\n"
                             "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                             "    for (ulong i = get_global_id(0); i < bytes; i += get_global_size(0))\n"
                             "        atomic_inc(&mine[data[i]]);\n"
                             "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                             "    for (uint i = get_local_id(0); i < 256; i += get_local_size(0))\n"
                             "        atomic_add(&counts[i], mine[i]);\n"
                             "}\n";

// What a call needs. NULL: not created yet.
struct state {
    cl_program program;
    cl_kernel kernel;
    cl_mem data, counts;
};

static cl_int create(struct state *s, cl_command_queue queue, const unsigned char *data, size_t bytes)
{
    cl_context context;
    cl_device_id device;
    const char *text = source;
    cl_int error = clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
    if (!error)
        error = clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
    if (!error)
        s->program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    if (!error)
        error = clBuildProgram(s->program, 1, &device, "", NULL, NULL);
    if (!error)
        s->kernel = clCreateKernel(s->program, "count", &error);
    if (!error)
        s->data =
            clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, (void *)data, &error);
    if (!error)
        s->counts = clCreateBuffer(context, CL_MEM_READ_WRITE, 256 * sizeof(cl_uint), NULL, &error);
    return error;
}

static cl_int run(const struct state *s, cl_command_queue queue, size_t bytes, cl_uint counts[256])
{
    const cl_ulong length = bytes;
    const cl_uint zero = 0;
    const size_t items = 16 * 256, group = 256;
    cl_int error =
        clEnqueueFillBuffer(queue, s->counts, &zero, sizeof zero, 0, 256 * sizeof zero, 0, NULL, NULL);
    if (!error)
        error = clSetKernelArg(s->kernel, 0, sizeof s->data, &s->data);
    if (!error)
        error = clSetKernelArg(s->kernel, 1, sizeof length, &length);
    if (!error)
        error = clSetKernelArg(s->kernel, 2, sizeof s->counts, &s->counts);
    if (!error)
        error = clEnqueueNDRangeKernel(queue, s->kernel, 1, NULL, &items, &group, 0, NULL, NULL);
    if (!error)
        error =
            clEnqueueReadBuffer(queue, s->counts, CL_TRUE, 0, 256 * sizeof *counts, counts, 0, NULL, NULL);
    return error;
}

cl_int count_bytes(cl_command_queue queue, const unsigned char *data, size_t bytes, cl_uint counts[256])
{
    struct state s = {0};
    memset(counts, 0, 256 * sizeof *counts);
    if (bytes == 0) // there are no buffers without a byte
        return CL_SUCCESS;
    cl_int error = create(&s, queue, data, bytes);
    if (!error)
        error = run(&s, queue, bytes, counts);
    if (s.counts)
        clReleaseMemObject(s.counts);
    if (s.data)
        clReleaseMemObject(s.data);
    if (s.kernel)
        clReleaseKernel(s.kernel);
    if (s.program)
        clReleaseProgram(s.program);
    return error;
}
