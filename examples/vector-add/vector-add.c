// Adds two vectors: a whole OpenCL program, with every step that one needs.
// vector-add
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <stdio.h>
#include <stdlib.h>

enum { N = 1 << 20 };

static const char source[] =
    "kernel void add(global const float *a, global const float *b, global float *sum)\n"
    "{\n"
    "    size_t i = get_global_id(0);\n"
    "    sum[i] = a[i] + b[i];\n"
    "}\n";

static void check(cl_int error, const char *what)
{
    if (error != CL_SUCCESS) {
        fprintf(stderr, "vector-add: %s failed with error %d\n", what, error);
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
    fprintf(stderr, "vector-add: there is no OpenCL device\n");
    exit(1);
}

// Compiles the source for the device. The build log says what is wrong with the source.
static cl_program build(cl_context context, cl_device_id device)
{
    cl_int error;
    const char *text = source;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    check(error, "clCreateProgramWithSource");
    error = clBuildProgram(program, 1, &device, "", NULL, NULL);
    if (error == CL_BUILD_PROGRAM_FAILURE) {
        static char log[16384];
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fprintf(stderr, "%s\n", log);
    }
    check(error, "clBuildProgram");
    return program;
}

int main(void)
{
    const size_t n = N, bytes = n * sizeof(float);
    float *a = malloc(bytes), *b = malloc(bytes), *sum = malloc(bytes);
    if (!a || !b || !sum) {
        fprintf(stderr, "vector-add: out of memory\n");
        return 1;
    }
    for (size_t i = 0; i < n; i++) {
        a[i] = (float)i;
        b[i] = 0.5f * (float)(n - i);
    }

    // 1. A device, a context that owns what is made for it, and a queue of commands for the device.
    cl_int error;
    cl_device_id device = find_device();
    char name[256] = "";
    check(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL), "clGetDeviceInfo");
    printf("device: %s\n", name);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    check(error, "clCreateCommandQueue");

    // 2. The kernel.
    cl_program program = build(context, device);
    cl_kernel kernel = clCreateKernel(program, "add", &error);
    check(error, "clCreateKernel");

    // 3. Memory that the device can use. The first two buffers begin as copies of a and b.
    cl_mem buffer_a = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, a, &error);
    check(error, "clCreateBuffer");
    cl_mem buffer_b = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes, b, &error);
    check(error, "clCreateBuffer");
    cl_mem buffer_sum = clCreateBuffer(context, CL_MEM_WRITE_ONLY, bytes, NULL, &error);
    check(error, "clCreateBuffer");

    // 4. The launch: one work-item for each element. The driver chooses the size of work-groups.
    check(clSetKernelArg(kernel, 0, sizeof buffer_a, &buffer_a), "clSetKernelArg");
    check(clSetKernelArg(kernel, 1, sizeof buffer_b, &buffer_b), "clSetKernelArg");
    check(clSetKernelArg(kernel, 2, sizeof buffer_sum, &buffer_sum), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &n, NULL, 0, NULL, NULL), "clEnqueueNDRangeKernel");

    // 5. The result. CL_TRUE: the call returns when the copy, and so the kernel before it, is done.
    check(clEnqueueReadBuffer(queue, buffer_sum, CL_TRUE, 0, bytes, sum, 0, NULL, NULL),
          "clEnqueueReadBuffer");

    size_t wrong = 0;
    for (size_t i = 0; i < n; i++)
        wrong += sum[i] != a[i] + b[i];
    printf("%zu sums, %zu wrong\n", n, wrong);

    clReleaseMemObject(buffer_a);
    clReleaseMemObject(buffer_b);
    clReleaseMemObject(buffer_sum);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    free(a);
    free(b);
    free(sum);
    return wrong != 0;
}
