// Adds up numbers in five ways, from naive to sub-groups, and times them. The kernels are in reduction.cl.
// reduction [reduction.cl]
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1 << 22, GROUP = 64, PASSES = 10 };

// A kernel, and the work-items that it is launched with.
static const struct step {
    const char *kernel;
    size_t items;
} steps[] = {{"atomics", N}, {"rows", 4096}, {"columns", 4096}, {"tree", 4096}, {"subgroups", 4096}};

static void check(cl_int error, const char *what)
{
    if (error != CL_SUCCESS) {
        fprintf(stderr, "reduction: %s failed with error %d\n", what, error);
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
    fprintf(stderr, "reduction: there is no OpenCL device\n");
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
        fprintf(stderr, "reduction: cannot read %s (start it in its folder, or name the file)\n", path);
        exit(1);
    }
    fclose(file);
    return text;
}

// Versions of OpenCL C are asked for by option. Without one, it is 1.2, which has no sub-groups.
static const char *newest_language(cl_device_id device)
{
    char version[128] = "";
    check(clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof version, version, NULL), "clGetDeviceInfo");
    return strncmp(version, "OpenCL 3.", 9) == 0 ? "-cl-std=CL3.0" : "";
}

static cl_program build(cl_context context, cl_device_id device, const char *path)
{
    cl_int error;
    char *text = read_file(path);
    cl_program program = clCreateProgramWithSource(context, 1, (const char **)&text, NULL, &error);
    check(error, "clCreateProgramWithSource");
    free(text);
    error = clBuildProgram(program, 1, &device, newest_language(device), NULL, NULL);
    if (error == CL_BUILD_PROGRAM_FAILURE) {
        static char log[16384];
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fprintf(stderr, "%s\n", log);
    }
    check(error, "clBuildProgram");
    return program;
}

// Launches the kernel once. Returns how long it ran, in milliseconds, and the sum.
static double launch(cl_command_queue queue, cl_kernel kernel, size_t items, cl_mem sum, cl_int *result)
{
    const cl_int zero = 0;
    const size_t group = GROUP;
    cl_event done;
    cl_ulong start, end;
    check(clEnqueueWriteBuffer(queue, sum, CL_FALSE, 0, sizeof zero, &zero, 0, NULL, NULL),
          "clEnqueueWriteBuffer");
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, &done),
          "clEnqueueNDRangeKernel");
    check(clEnqueueReadBuffer(queue, sum, CL_TRUE, 0, sizeof *result, result, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    check(clGetEventProfilingInfo(done, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL),
          "clGetEventProfilingInfo");
    check(clGetEventProfilingInfo(done, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL),
          "clGetEventProfilingInfo");
    clReleaseEvent(done);
    return 1e-6 * (double)(end - start);
}

int main(int argc, char **argv)
{
    if (argc > 2 || (argc == 2 && argv[1][0] == '-')) {
        fprintf(stderr, "usage: reduction [reduction.cl]\n");
        return 2;
    }
    cl_int *in = malloc(N * sizeof *in), expected = 0, error;
    if (!in) {
        fprintf(stderr, "reduction: out of memory\n");
        return 1;
    }
    for (int i = 0; i < N; i++) {
        in[i] = i % 101 - 20;
        expected += in[i];
    }

    cl_device_id device = find_device();
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &error);
    check(error, "clCreateCommandQueue");
    cl_program program = build(context, device, argc > 1 ? argv[1] : "reduction.cl");
    cl_mem buffer =
        clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, N * sizeof *in, in, &error);
    check(error, "clCreateBuffer");
    cl_mem sum = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof expected, NULL, &error);
    check(error, "clCreateBuffer");

    int wrong = 0;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        cl_kernel kernel = clCreateKernel(program, steps[i].kernel, &error);
        if (error == CL_INVALID_KERNEL_NAME) {
            printf("%zu. %-10s this device has no sub-groups\n", i + 1, steps[i].kernel);
            continue;
        }
        check(error, "clCreateKernel");
        const cl_int n = N;
        check(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "clSetKernelArg");
        check(clSetKernelArg(kernel, 1, sizeof sum, &sum), "clSetKernelArg");
        check(clSetKernelArg(kernel, 2, sizeof n, &n), "clSetKernelArg");
        if (strcmp(steps[i].kernel, "tree") == 0)
            check(clSetKernelArg(kernel, 3, GROUP * sizeof(cl_int), NULL), "clSetKernelArg");
        double best = 1e30;
        cl_int result = 0;
        for (int pass = 0; pass < PASSES; pass++) {
            const double took = launch(queue, kernel, steps[i].items, sum, &result);
            best = took < best ? took : best;
            wrong += result != expected;
        }
        printf("%zu. %-10s %8.3f ms, the sum is %s\n", i + 1, steps[i].kernel, best,
               result == expected ? "right" : "WRONG");
        clReleaseKernel(kernel);
    }

    clReleaseMemObject(buffer);
    clReleaseMemObject(sum);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    free(in);
    return wrong != 0;
}
