// The test of prefix_sum: several lengths, compared with plain C.
#include "prefix_sum.h"

#include <stdio.h>
#include <stdlib.h>

static const size_t lengths[] = {0, 1, 2, 255, 4096, 100003};

static void check(cl_int error, const char *what)
{
    if (error != CL_SUCCESS) {
        fprintf(stderr, "prefix_sum_test: %s failed with error %d\n", what, error);
        exit(1);
    }
}

// The first device of any platform. A driver may be installed whose device isn't there.
static cl_device_id find_device(cl_platform_id *platform)
{
    cl_platform_id platforms[16];
    cl_uint count = 0;
    check(clGetPlatformIDs(16, platforms, &count), "clGetPlatformIDs (is a driver installed?)");
    for (cl_uint i = 0; i < count && i < 16; i++) {
        cl_device_id device;
        *platform = platforms[i];
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS)
            return device;
    }
    fprintf(stderr, "prefix_sum_test: there is no OpenCL device\n");
    exit(1);
}

int main(void)
{
    cl_platform_id platform;
    cl_int error;
    char name[256] = "";
    cl_device_id device = find_device(&platform);
    check(clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, NULL), "clGetPlatformInfo");
    printf("platform: %s\n", name);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    check(error, "clCreateCommandQueue");

    int failures = 0;
    for (size_t n = 0; n < sizeof lengths / sizeof *lengths; n++) {
        cl_uint *numbers = malloc((lengths[n] + 1) * sizeof *numbers), sum = 0;
        if (!numbers) {
            fprintf(stderr, "prefix_sum_test: out of memory\n");
            return 1;
        }
        for (size_t i = 0; i < lengths[n]; i++)
            numbers[i] = (cl_uint)(i * i % 1000);
        check(prefix_sum(queue, numbers, lengths[n]), "prefix_sum");
        int right = 1;
        for (size_t i = 0; i < lengths[n]; i++) {
            sum += (cl_uint)(i * i % 1000);
            right &= numbers[i] == sum;
        }
        printf("%zu numbers: %s\n", lengths[n], right ? "right" : "WRONG");
        failures += !right;
        free(numbers);
    }
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return failures != 0;
}
