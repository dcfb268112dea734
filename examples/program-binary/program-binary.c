// Keeps the compiled program in a file, as an application does that ships or caches binaries. A binary that fits is
// loaded; if there is none, or the driver refuses it, the program is built from source and the file written anew.
// program-binary [FILE]
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1024 };

static const char source[] = "kernel void cube(global const int *in, global int *out)\n"
                             "{\n"
                             "    size_t i = get_global_id(0);\n"
                             "    out[i] = in[i] * in[i] * in[i];\n"
                             "}\n";

static void check(cl_int error, const char *what)
{
    if (error != CL_SUCCESS) {
        fprintf(stderr, "program-binary: %s failed with error %d\n", what, error);
        exit(1);
    }
}

// The first device of any platform that can compile.
static cl_device_id find_device(void)
{
    cl_platform_id platforms[16];
    cl_uint count = 0;
    check(clGetPlatformIDs(16, platforms, &count), "clGetPlatformIDs (is a driver installed?)");
    for (cl_uint i = 0; i < count && i < 16; i++) {
        cl_device_id device;
        cl_bool compiler = CL_FALSE;
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS &&
            clGetDeviceInfo(device, CL_DEVICE_COMPILER_AVAILABLE, sizeof compiler, &compiler, NULL) ==
                CL_SUCCESS &&
            compiler)
            return device;
    }
    fprintf(stderr, "program-binary: there is no OpenCL device with a compiler\n");
    exit(77);
}

static cl_program build_source(cl_context context, cl_device_id device)
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

// The program of the file. NULL: there is no file, or it is for another device, another driver, or damaged. The
// driver checks that when the program is created, or when it is built; both are no errors here.
static cl_program load_binary(cl_context context, cl_device_id device, const char *path)
{
    cl_program program = NULL;
    cl_int error = CL_INVALID_BINARY, status;
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    unsigned char *binary = size > 0 ? malloc((size_t)size) : NULL;
    if (binary && fseek(file, 0, SEEK_SET) == 0 && fread(binary, 1, (size_t)size, file) == (size_t)size) {
        const unsigned char *bytes = binary;
        const size_t length = (size_t)size;
        program = clCreateProgramWithBinary(context, 1, &device, &length, &bytes, &status, &error);
    }
    free(binary);
    fclose(file);
    if (error != CL_SUCCESS)
        return NULL;
    if (clBuildProgram(program, 1, &device, "", NULL, NULL) == CL_SUCCESS)
        return program;
    clReleaseProgram(program);
    return NULL;
}

// Under another name first, so that other processes never see half a file.
static void save_binary(cl_program program, const char *path)
{
    size_t size = 0;
    check(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL), "clGetProgramInfo");
    unsigned char *binary = malloc(size ? size : 1);
    char temporary[4096];
    const int length = snprintf(temporary, sizeof temporary, "%s.new", path);
    if (!binary || length >= (int)sizeof temporary) {
        fprintf(stderr, "program-binary: cannot save %s\n", path);
        exit(1);
    }
    check(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL), "clGetProgramInfo");
    FILE *file = fopen(temporary, "wb");
    int failed = !file || fwrite(binary, 1, size, file) != size;
    failed |= file && fclose(file) != 0;
    if (failed || rename(temporary, path) != 0)
        fprintf(stderr, "program-binary: cannot write %s; the next start compiles again\n", path);
    free(binary);
}

// What an application does when it starts. *from_file: whether nothing was compiled.
static cl_program load(cl_context context, cl_device_id device, const char *path, int *from_file)
{
    cl_program program = load_binary(context, device, path);
    *from_file = program != NULL;
    if (!program) {
        program = build_source(context, device);
        save_binary(program, path);
    }
    return program;
}

static int count_wrong(cl_context context, cl_command_queue queue, cl_program program)
{
    cl_int in[N], out[N], error;
    const size_t n = N;
    for (int i = 0; i < N; i++)
        in[i] = i - N / 2;
    cl_kernel kernel = clCreateKernel(program, "cube", &error);
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
    for (int i = 0; i < N; i++)
        wrong += out[i] != in[i] * in[i] * in[i];
    return wrong;
}

int main(int argc, char **argv)
{
    if (argc > 2 || (argc == 2 && argv[1][0] == '-')) {
        fprintf(stderr, "usage: program-binary [BINARY]\n");
        return 2;
    }
    const char *path = argc > 1 ? argv[1] : "program-binary.bin";
    cl_int error;
    int failed = 0;
    cl_device_id device = find_device();
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    check(error, "clCreateCommandQueue");

    // Four starts of an application: without a file, with one, with a damaged one, and with the repaired one.
    if (remove(path) != 0 && errno != ENOENT) {
        fprintf(stderr, "program-binary: cannot remove %s: %s\n", path, strerror(errno));
        return 1;
    }
    static const char *const names[] = {"no file", "its file", "a damaged file", "its file again"};
    for (int start = 0; start < 4; start++) {
        int from_file;
        FILE *file = start == 2 ? fopen(path, "wb") : NULL;
        if (file) {
            fputs("this is no program", file);
            fclose(file);
        } else if (start == 2) {
            fprintf(stderr, "program-binary: cannot damage %s: %s\n", path, strerror(errno));
        }
        cl_program program = load(context, device, path, &from_file);
        const int wrong = count_wrong(context, queue, program);
        printf("%s: %s, %d results wrong\n", names[start], from_file ? "loaded" : "compiled", wrong);
        failed |= wrong != 0 || from_file != start % 2;
        clReleaseProgram(program);
    }

    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return failed;
}
