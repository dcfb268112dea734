// Loads a kernel that was compiled to SPIR-V ahead of time, and sets its specialization constants.
// spirv [filter.spv]
#define CL_TARGET_OPENCL_VERSION 220
#include <CL/cl.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 4096, MAX_TAPS = 16, TAPS_ID = 0, SCALE_ID = 1 };

static void check(cl_int error, const char *what)
{
    if (error != CL_SUCCESS) {
        fprintf(stderr, "spirv: %s failed with error %d\n", what, error);
        exit(1);
    }
}

// The first device of any platform that takes SPIR-V. CL_DEVICE_IL_VERSION lists versions, as "SPIR-V_1.2".
static cl_device_id find_device(void)
{
    cl_platform_id platforms[16];
    cl_uint count = 0;
    check(clGetPlatformIDs(16, platforms, &count), "clGetPlatformIDs (is a driver installed?)");
    for (cl_uint i = 0; i < count && i < 16; i++) {
        cl_device_id device;
        char languages[1024] = "";
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS &&
            clGetDeviceInfo(device, CL_DEVICE_IL_VERSION, sizeof languages, languages, NULL) == CL_SUCCESS &&
            strstr(languages, "SPIR-V_1.")) {
            printf("the device takes %s\n", languages);
            return device;
        }
    }
    fprintf(stderr, "spirv: there is no OpenCL device that takes SPIR-V\n");
    exit(77);
}

// The whole file. The caller frees it.
static void *read_file(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    long size = -1;
    if (file && fseek(file, 0, SEEK_END) == 0)
        size = ftell(file);
    void *data = size > 0 ? malloc((size_t)size) : NULL;
    if (!data || fseek(file, 0, SEEK_SET) != 0 || fread(data, 1, (size_t)size, file) != (size_t)size) {
        fprintf(stderr, "spirv: cannot read %s (start it in its folder, or name the file)\n", path);
        exit(1);
    }
    fclose(file);
    *bytes = (size_t)size;
    if (*bytes < 4 || memcmp(data, &(cl_uint){0x07230203}, 4) != 0) { // every module begins with that number
        fprintf(stderr, "spirv: %s is no SPIR-V\n", path);
        exit(1);
    }
    return data;
}

// A program of the module, with the constants set. NULL: with their defaults.
static cl_program build(cl_context context, cl_device_id device, const void *module, size_t bytes,
                        const cl_int *taps, const cl_float *scale)
{
    cl_int error;
    cl_program program = clCreateProgramWithIL(context, module, bytes, &error);
    check(error, "clCreateProgramWithIL");
    if (taps)
        check(clSetProgramSpecializationConstant(program, TAPS_ID, sizeof *taps, taps),
              "clSetProgramSpecializationConstant");
    if (scale)
        check(clSetProgramSpecializationConstant(program, SCALE_ID, sizeof *scale, scale),
              "clSetProgramSpecializationConstant");
    error = clBuildProgram(program, 1, &device, "", NULL, NULL);
    if (error == CL_BUILD_PROGRAM_FAILURE) {
        static char log[16384];
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fprintf(stderr, "%s\n", log);
    }
    check(error, "clBuildProgram");
    return program;
}

// Runs the filter. Returns how many numbers are wrong.
static int run(cl_context context, cl_command_queue queue, cl_program program, int taps, float scale)
{
    static cl_float in[N + MAX_TAPS - 1], out[N];
    const size_t n = N;
    cl_int error;
    for (int i = 0; i < N + MAX_TAPS - 1; i++)
        in[i] = (float)(i * 37 % 101);
    cl_kernel kernel = clCreateKernel(program, "filter", &error);
    check(error, "clCreateKernel");
    cl_mem from = clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof in, in, &error);
    check(error, "clCreateBuffer");
    cl_mem to = clCreateBuffer(context, CL_MEM_WRITE_ONLY, sizeof out, NULL, &error);
    check(error, "clCreateBuffer");
    check(clSetKernelArg(kernel, 0, sizeof from, &from), "clSetKernelArg");
    check(clSetKernelArg(kernel, 1, sizeof to, &to), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &n, NULL, 0, NULL, NULL), "clEnqueueNDRangeKernel");
    check(clEnqueueReadBuffer(queue, to, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL), "clEnqueueReadBuffer");
    clReleaseMemObject(from);
    clReleaseMemObject(to);
    clReleaseKernel(kernel);

    int wrong = 0;
    for (int i = 0; i < N; i++) {
        float sum = 0;
        for (int tap = 0; tap < taps; tap++)
            sum += in[i + tap];
        wrong += !(fabsf(out[i] - scale * sum) <= 1e-4f * fabsf(scale * sum));
    }
    printf("%2d taps, scale %.3f: %d of %d numbers wrong\n", taps, scale, wrong, N);
    return wrong;
}

int main(int argc, char **argv)
{
    if (argc > 2 || (argc == 2 && argv[1][0] == '-')) {
        fprintf(stderr, "usage: spirv [filter.spv]\n");
        return 2;
    }
    cl_int error;
    size_t bytes;
    void *module = read_file(argc > 1 ? argv[1] : "filter.spv", &bytes);
    cl_device_id device = find_device();
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
    check(error, "clCreateCommandQueueWithProperties");

    // Constants are set before the build. Another value needs another program, of the same module.
    cl_program program = build(context, device, module, bytes, NULL, NULL);
    int wrong = run(context, queue, program, 3, 1.0f);
    clReleaseProgram(program);
    for (cl_int taps = 1; taps <= MAX_TAPS; taps *= 4) {
        const cl_float scale = 1.0f / (float)taps;
        program = build(context, device, module, bytes, &taps, &scale);
        wrong += run(context, queue, program, taps, scale);
        clReleaseProgram(program);
    }

    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    free(module);
    return wrong != 0;
}
