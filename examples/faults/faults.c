// printf in a kernel, and a kernel that writes where there is no memory: how a program learns of it and goes on.
// faults
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <stdio.h>
#include <stdlib.h>

enum { N = 16 };

static const char source[] =
    "kernel void fill(global int *out, ulong beyond)\n"
    "{\n"
    "    size_t i = get_global_id(0);\n"
    "    if (i == 3)\n"
    "        printf(\"work-item %d writes element %ld\\n\", (int)i, (long)(i + beyond));\n"
    "    out[i + beyond] = 7 * (int)i;\n"
    "}\n";

static void check(cl_int error, const char *what)
{
    if (error != CL_SUCCESS) {
        fprintf(stderr, "faults: %s failed with error %d\n", what, error);
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
    fprintf(stderr, "faults: there is no OpenCL device\n");
    exit(1);
}

// The driver calls this when something goes wrong in the context, perhaps on a thread of its own.
static void CL_CALLBACK report(const char *what, const void *private_info, size_t bytes, void *data)
{
    (void)private_info, (void)bytes, (void)data;
    printf("the driver says: %s\n", what);
}

// Runs the kernel. Returns the status that its event ends with: CL_COMPLETE, or an error.
static cl_int run(cl_command_queue queue, cl_kernel kernel, cl_ulong beyond)
{
    const size_t n = N;
    cl_event done;
    cl_int status;
    check(clSetKernelArg(kernel, 1, sizeof beyond, &beyond), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &n, NULL, 0, NULL, &done), "clEnqueueNDRangeKernel");
    // clFinish says only whether it could wait. How a command ended is in its event.
    check(clFinish(queue), "clFinish");
    check(clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL),
          "clGetEventInfo");
    clReleaseEvent(done);
    return status;
}

static int count_wrong(cl_command_queue queue, cl_mem out)
{
    cl_int result[N];
    int wrong = 0;
    check(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof result, result, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    for (int i = 0; i < N; i++)
        wrong += result[i] != 7 * i;
    return wrong;
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0); // so that lines of the kernel and of the host keep their order
    cl_int error;
    cl_device_id device = find_device();
    cl_context context = clCreateContext(NULL, 1, &device, report, NULL, &error);
    check(error, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    check(error, "clCreateCommandQueue");
    const char *text = source;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    check(error, "clCreateProgramWithSource");
    // -g: Weft then names the line of a fault. A driver that doesn't know the option refuses it.
    error = clBuildProgram(program, 1, &device, "-g", NULL, NULL);
    if (error == CL_INVALID_BUILD_OPTIONS)
        error = clBuildProgram(program, 1, &device, "", NULL, NULL);
    if (error == CL_BUILD_PROGRAM_FAILURE) {
        static char log[16384];
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fprintf(stderr, "%s\n", log);
    }
    check(error, "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, "fill", &error);
    check(error, "clCreateKernel");
    cl_mem out = clCreateBuffer(context, CL_MEM_READ_WRITE, N * sizeof(cl_int), NULL, &error);
    check(error, "clCreateBuffer");
    check(clSetKernelArg(kernel, 0, sizeof out, &out), "clSetKernelArg");

    cl_int status = run(queue, kernel, 0);
    int wrong = count_wrong(queue, out), failed = status != CL_COMPLETE || wrong;
    printf("a good launch: status %d, %d results wrong\n", status, wrong);

    // Four terabytes before the buffer. A GPU may lose its context then; some CPU drivers end the process.
    status = run(queue, kernel, 0 - ((cl_ulong)1 << 40));
    printf("a bad launch: status %d%s\n", status,
           status == CL_OUT_OF_RESOURCES ? " (CL_OUT_OF_RESOURCES)" : "");
    failed |= status >= 0;

    // The context, the queue and the buffer are as they were.
    status = run(queue, kernel, 0);
    wrong = count_wrong(queue, out);
    failed |= status != CL_COMPLETE || wrong;
    printf("another good launch: status %d, %d results wrong\n", status, wrong);

    clReleaseMemObject(out);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return failed;
}
