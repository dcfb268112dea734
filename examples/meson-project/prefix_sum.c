#include "prefix_sum.h"

// Step by step, each number gets the sum of twice as many as before.
static const char source[] = "kernel void add(global const uint *in, global uint *out, ulong distance)\n"
                             "{\n"
                             "    size_t i = get_global_id(0);\n"
                             "    out[i] = i >= distance ? in[i] + in[i - distance] : in[i];\n"
                             "}\n";

// What a call needs. NULL: not created yet.
struct state {
    cl_program program;
    cl_kernel kernel;
    cl_mem buffers[2];
};

static cl_int create(struct state *s, cl_command_queue queue, cl_uint *numbers, size_t bytes)
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
        s->kernel = clCreateKernel(s->program, "add", &error);
    if (!error)
        s->buffers[0] =
            clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, numbers, &error);
    if (!error)
        s->buffers[1] = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &error);
    return error;
}

static cl_int run(const struct state *s, cl_command_queue queue, cl_uint *numbers, size_t count)
{
    cl_int error = CL_SUCCESS;
    int from = 0;
    for (cl_ulong distance = 1; distance < count && !error; distance *= 2) {
        error = clSetKernelArg(s->kernel, 0, sizeof(cl_mem), &s->buffers[from]);
        if (!error)
            error = clSetKernelArg(s->kernel, 1, sizeof(cl_mem), &s->buffers[1 - from]);
        if (!error)
            error = clSetKernelArg(s->kernel, 2, sizeof distance, &distance);
        if (!error)
            error = clEnqueueNDRangeKernel(queue, s->kernel, 1, NULL, &count, NULL, 0, NULL, NULL);
        from = 1 - from;
    }
    if (!error)
        error = clEnqueueReadBuffer(queue, s->buffers[from], CL_TRUE, 0, count * sizeof *numbers, numbers, 0,
                                    NULL, NULL);
    return error;
}

cl_int prefix_sum(cl_command_queue queue, cl_uint *numbers, size_t count)
{
    struct state s = {0};
    if (count == 0) // there are no buffers without a byte
        return CL_SUCCESS;
    cl_int error = create(&s, queue, numbers, count * sizeof *numbers);
    if (!error)
        error = run(&s, queue, numbers, count);
    for (int i = 0; i < 2; i++)
        if (s.buffers[i])
            clReleaseMemObject(s.buffers[i]);
    if (s.kernel)
        clReleaseKernel(s.kernel);
    if (s.program)
        clReleaseProgram(s.program);
    return error;
}
