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

int main(void)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_int error;
    char name[256] = "";
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs (is a driver installed?)");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
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
