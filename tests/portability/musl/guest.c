// A program of another C library uses libweft.so without a loader: kernels run, a kernel that faults and one
// that runs too long are ended alone, and a wrong program has a log. It is given the path of libweft.so, and
// WEFT_KERNEL_TIMEOUT=1.
#include <CL/cl_icd.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

struct _cl_platform_id {
    cl_icd_dispatch *dispatch;
};

#define REQUIRE(condition)                                                            \
    do {                                                                              \
        if (!(condition))                                                             \
            return fprintf(stderr, "line %d: %s (%d)\n", __LINE__, #condition, e), 1; \
    } while (0)

enum { N = 4096 };

int main(int argc, char **argv)
{
    static const char *source =
        "kernel void k(global float *p) { size_t i = get_global_id(0); p[i] = sqrt((float)(i * i)) + "
        "sin(0.0f); }"
        "kernel void bad(global float *p) { *(volatile global int *)16 = 1; p[0] = 1; }"
        "kernel void endless(global float *p) { while (((volatile global float *)p)[0] == 0.0f) ; }";
    static const char *wrong = "kernel void k(global float *p) { p[0] = nowhere; }";
    cl_int e = 0;
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
    if (!library)
        return fprintf(stderr, "%s\n", argc > 1 ? dlerror() : "usage: guest LIBRARY"), 1;
    void *address = dlsym(library, "clGetExtensionFunctionAddress");
    void *(*find)(const char *);
    memcpy(&find, &address, sizeof find);
    REQUIRE(find);
    clIcdGetPlatformIDsKHR_fn platforms = (clIcdGetPlatformIDsKHR_fn)find("clIcdGetPlatformIDsKHR");
    REQUIRE(platforms);
    cl_platform_id platform;
    REQUIRE((e = platforms(1, &platform, NULL)) == CL_SUCCESS);
    const cl_icd_dispatch *cl = platform->dispatch;
    cl_device_id device;
    char text[4096];
    REQUIRE((e = cl->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL)) == CL_SUCCESS);
    REQUIRE((e = cl->clGetDeviceInfo(device, CL_DRIVER_VERSION, sizeof text, text, NULL)) == CL_SUCCESS);
    printf("driver %s\n", text);
    cl_ulong cache = 0; // 0: there is no hwloc
    REQUIRE((e = cl->clGetDeviceInfo(device, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, sizeof cache, &cache, NULL)) ==
            CL_SUCCESS);
    printf("cache of %llu bytes\n", (unsigned long long)cache);
    cl_context context = cl->clCreateContext(NULL, 1, &device, NULL, NULL, &e);
    REQUIRE(e == CL_SUCCESS);
    cl_command_queue queue = cl->clCreateCommandQueue(context, device, 0, &e);
    REQUIRE(e == CL_SUCCESS);
    cl_program program = cl->clCreateProgramWithSource(context, 1, &wrong, NULL, &e);
    REQUIRE(cl->clBuildProgram(program, 1, &device, "", NULL, NULL) == CL_BUILD_PROGRAM_FAILURE);
    REQUIRE((e = cl->clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof text, text, NULL)) ==
            CL_SUCCESS);
    REQUIRE(strstr(text, "nowhere"));
    cl->clReleaseProgram(program);
    program = cl->clCreateProgramWithSource(context, 1, &source, NULL, &e);
    REQUIRE((e = cl->clBuildProgram(program, 1, &device, "", NULL, NULL)) == CL_SUCCESS);
    cl_kernel kernel = cl->clCreateKernel(program, "k", &e);
    cl_kernel bad = cl->clCreateKernel(program, "bad", &e);
    REQUIRE(e == CL_SUCCESS);
    cl_mem memory = cl->clCreateBuffer(context, CL_MEM_READ_WRITE, N * sizeof(float), NULL, &e);
    REQUIRE(e == CL_SUCCESS);
    // A fault of a kernel ends that kernel only; what comes later works.
    size_t n = N, one = 1;
    cl_event event;
    REQUIRE((e = cl->clSetKernelArg(bad, 0, sizeof memory, &memory)) == CL_SUCCESS);
    REQUIRE((e = cl->clEnqueueNDRangeKernel(queue, bad, 1, NULL, &one, NULL, 0, NULL, &event)) == CL_SUCCESS);
    REQUIRE(cl->clWaitForEvents(1, &event) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    cl->clReleaseEvent(event);
    float result[N];
    for (int round = 0; round < 20; round++) {
        memset(result, 0, sizeof result);
        REQUIRE((e = cl->clSetKernelArg(kernel, 0, sizeof memory, &memory)) == CL_SUCCESS);
        REQUIRE((e = cl->clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &n, NULL, 0, NULL, NULL)) ==
                CL_SUCCESS);
        REQUIRE((e = cl->clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof result, result, 0, NULL,
                                             NULL)) == CL_SUCCESS);
        for (int i = 0; i < N; i++)
            REQUIRE(result[i] == (float)i);
    }
    cl_kernel endless = cl->clCreateKernel(program, "endless", &e);
    REQUIRE((e = cl->clSetKernelArg(endless, 0, sizeof memory, &memory)) == CL_SUCCESS);
    REQUIRE((e = cl->clEnqueueNDRangeKernel(queue, endless, 1, NULL, &one, NULL, 0, NULL, &event)) ==
            CL_SUCCESS);
    REQUIRE(cl->clWaitForEvents(1, &event) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    cl->clReleaseEvent(event);
    cl->clReleaseKernel(endless);
    cl->clReleaseMemObject(memory);
    cl->clReleaseKernel(kernel);
    cl->clReleaseKernel(bad);
    cl->clReleaseProgram(program);
    cl->clReleaseCommandQueue(queue);
    cl->clReleaseContext(context);
    puts("ok");
    return 0;
}
