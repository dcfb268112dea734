// Multiplies matrices in five ways, from naive to blocks in registers, and times them. The kernels are in gemm.cl.
// gemm [gemm.cl]
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 512, PASSES = 5 };

// A kernel, how many columns and rows of the result a work-item computes, and the work-group, if it matters.
static const struct step {
    const char *kernel;
    size_t columns, rows;
    size_t group[2];
} steps[] = {{"rows", 1, 1, {0, 0}},
             {"columns", 1, 1, {0, 0}},
             {"tiles", 1, 1, {16, 16}},
             {"blocks", 1, 8, {0, 0}},
             {"wide_blocks", 2, 8, {64, 1}}};

static void check(cl_int error, const char *what)
{
    if (error != CL_SUCCESS) {
        fprintf(stderr, "gemm: %s failed with error %d\n", what, error);
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
    fprintf(stderr, "gemm: there is no OpenCL device\n");
    exit(1);
}

// The whole file. The caller frees it.
static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    long size = -1;
    if (file && fseek(file, 0, SEEK_END) == 0)
        size = ftell(file);
    char *text = size >= 0 ? calloc((size_t)size + 1, 1) : NULL;
    if (!text || fseek(file, 0, SEEK_SET) != 0 || fread(text, 1, (size_t)size, file) != (size_t)size) {
        fprintf(stderr, "gemm: cannot read %s (start it in its folder, or name the file)\n", path);
        exit(1);
    }
    fclose(file);
    return text;
}

static cl_program build(cl_context context, cl_device_id device, const char *path)
{
    cl_int error;
    char *text = read_file(path);
    cl_program program = clCreateProgramWithSource(context, 1, (const char **)&text, NULL, &error);
    check(error, "clCreateProgramWithSource");
    free(text);
    error = clBuildProgram(program, 1, &device, "", NULL, NULL);
    if (error == CL_BUILD_PROGRAM_FAILURE) {
        static char log[16384];
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fprintf(stderr, "%s\n", log);
    }
    check(error, "clBuildProgram");
    return program;
}

// Launches the kernel once. Returns how long it ran, in seconds.
static double launch(cl_command_queue queue, cl_kernel kernel, const struct step *step)
{
    const size_t items[2] = {N / step->columns, N / step->rows};
    cl_event done;
    cl_ulong start, end;
    check(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, items, step->group[0] ? step->group : NULL, 0, NULL,
                                 &done),
          "clEnqueueNDRangeKernel");
    check(clWaitForEvents(1, &done), "clWaitForEvents");
    check(clGetEventProfilingInfo(done, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL),
          "clGetEventProfilingInfo");
    check(clGetEventProfilingInfo(done, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL),
          "clGetEventProfilingInfo");
    clReleaseEvent(done);
    return 1e-9 * (double)(end - start);
}

static void multiply_in_c(const float *a, const float *b, float *c)
{
    for (size_t row = 0; row < N; row++)
        for (size_t k = 0; k < N; k++)
            for (size_t column = 0; column < N; column++)
                c[row * N + column] += a[row * N + k] * b[k * N + column];
}

int main(int argc, char **argv)
{
    if (argc > 2 || (argc == 2 && argv[1][0] == '-')) {
        fprintf(stderr, "usage: gemm [gemm.cl]\n");
        return 2;
    }
    const size_t bytes = sizeof(float) * N * N;
    float *a = malloc(bytes), *b = malloc(bytes), *c = malloc(bytes),
          *expected = calloc(N * N, sizeof(float));
    if (!a || !b || !c || !expected) {
        fprintf(stderr, "gemm: out of memory\n");
        return 1;
    }
    for (int i = 0; i < N * N; i++) {
        a[i] = (float)(i % 17) / 16.0f - 0.5f;
        b[i] = (float)(i % 23) / 22.0f - 0.5f;
    }
    multiply_in_c(a, b, expected);

    cl_int error;
    cl_device_id device = find_device();
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &error);
    check(error, "clCreateCommandQueue");
    cl_program program = build(context, device, argc > 1 ? argv[1] : "gemm.cl");
    cl_mem buffer_a = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, a, &error);
    check(error, "clCreateBuffer");
    cl_mem buffer_b = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, b, &error);
    check(error, "clCreateBuffer");
    cl_mem buffer_c = clCreateBuffer(context, CL_MEM_WRITE_ONLY, bytes, NULL, &error);
    check(error, "clCreateBuffer");

    size_t all_wrong = 0;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        cl_kernel kernel = clCreateKernel(program, steps[i].kernel, &error);
        check(error, "clCreateKernel");
        const cl_int n = N;
        check(clSetKernelArg(kernel, 0, sizeof buffer_a, &buffer_a), "clSetKernelArg");
        check(clSetKernelArg(kernel, 1, sizeof buffer_b, &buffer_b), "clSetKernelArg");
        check(clSetKernelArg(kernel, 2, sizeof buffer_c, &buffer_c), "clSetKernelArg");
        check(clSetKernelArg(kernel, 3, sizeof n, &n), "clSetKernelArg");
        double best = 1e30;
        for (int pass = 0; pass < PASSES; pass++)
            best = fmin(best, launch(queue, kernel, &steps[i]));
        check(clEnqueueReadBuffer(queue, buffer_c, CL_TRUE, 0, bytes, c, 0, NULL, NULL),
              "clEnqueueReadBuffer");
        size_t wrong = 0;
        for (int j = 0; j < N * N; j++)
            wrong += !(fabsf(c[j] - expected[j]) < 1e-3f); // true for NaN, too
        printf("%zu. %-12s %7.2f GFlop/s, %zu numbers wrong\n", i + 1, steps[i].kernel,
               2e-9 * n * n * n / best, wrong);
        all_wrong += wrong;
        clReleaseKernel(kernel);
    }

    clReleaseMemObject(buffer_a);
    clReleaseMemObject(buffer_b);
    clReleaseMemObject(buffer_c);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    free(a);
    free(b);
    free(c);
    free(expected);
    return all_wrong != 0;
}
