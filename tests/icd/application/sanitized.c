// An application that was built with a sanitizer, which the driver wasn't: it runs a kernel, and its exit
// ends. (A sanitizer puts itself between the driver and the C library.)
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

#include <stdio.h>

#define TRY(call)                                         \
    do {                                                  \
        cl_int status = (call);                           \
        if (status) {                                     \
            fprintf(stderr, #call ": %d\n", (int)status); \
            return 1;                                     \
        }                                                 \
    } while (0)

int main(void)
{
    static const char *source =
        "kernel void number(global int *p) { p[get_global_id(0)] = (int)get_global_id(0); }";
    enum { N = 1024 };
    static cl_int got[N];
    const size_t items = N;
    cl_platform_id platform;
    cl_device_id device;
    cl_int error;
    TRY(clGetPlatformIDs(1, &platform, NULL));
    TRY(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    TRY(error);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
    TRY(error);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    TRY(error);
    TRY(clBuildProgram(program, 1, &device, "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "number", &error);
    TRY(error);
    cl_mem memory = clCreateBuffer(context, 0, sizeof got, NULL, &error);
    TRY(error);
    TRY(clSetKernelArg(kernel, 0, sizeof memory, &memory));
    TRY(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    TRY(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    TRY(clReleaseMemObject(memory));
    TRY(clReleaseKernel(kernel));
    TRY(clReleaseProgram(program));
    TRY(clReleaseCommandQueue(queue));
    TRY(clReleaseContext(context));
    return got[N - 1] != N - 1;
}
