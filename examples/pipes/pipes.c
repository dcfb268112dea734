// Finds twin primes with kernels that hand numbers on through pipes: sieve -> pair -> collect.
// pipes
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

#include <stdio.h>
#include <stdlib.h>

enum { LIMIT = 100000, CAPACITY = 16384 };

static const char source[] =
    "bool is_prime(uint n)\n"
    "{\n"
    "    bool prime = n >= 2;\n"
    "    for (uint d = 2; prime && d * d <= n; d++)\n"
    "        prime = n % d != 0;\n"
    "    return prime;\n"
    "}\n"
    // Each prime is a packet of the pipe. Their order is whatever work-items run first.
    "kernel void sieve(write_only pipe uint primes, global atomic_int *lost)\n"
    "{\n"
    "    uint n = get_global_id(0);\n"
    "    if (is_prime(n) && write_pipe(primes, &n) != 0)\n"
    "        atomic_fetch_add(lost, 1);\n" // The pipe was full.
    "}\n"
    // Reads primes until there are none, and hands on those that are the smaller one of twins.
    "kernel void pair(read_only pipe uint primes, write_only pipe uint2 twins, global atomic_int *lost)\n"
    "{\n"
    "    uint n;\n"
    "    while (read_pipe(primes, &n) == 0) {\n"
    "        uint2 twin = (uint2)(n, n + 2);\n"
    "        if (is_prime(n + 2) && write_pipe(twins, &twin) != 0)\n"
    "            atomic_fetch_add(lost, 1);\n"
    "    }\n"
    "}\n"
    // One work-item reserves all packets at once: then each has an index.
    "kernel void collect(read_only pipe uint2 twins, global uint2 *out, global int *count)\n"
    "{\n"
    "    uint n = get_pipe_num_packets(twins);\n"
    "    reserve_id_t all = reserve_read_pipe(twins, n);\n"
    "    if (!is_valid_reserve_id(all))\n"
    "        return;\n"
    "    for (uint i = 0; i < n; i++)\n"
    "        read_pipe(twins, all, i, &out[i]);\n"
    "    commit_read_pipe(twins, all);\n"
    "    *count = n;\n"
    "}\n";

static void check(cl_int error, const char *what)
{
    if (error != CL_SUCCESS) {
        fprintf(stderr, "pipes: %s failed with error %d\n", what, error);
        exit(1);
    }
}

// The first device of any platform that has pipes. Older devices don't know the query.
static cl_device_id find_device(void)
{
    cl_platform_id platforms[16];
    cl_uint count = 0;
    check(clGetPlatformIDs(16, platforms, &count), "clGetPlatformIDs (is a driver installed?)");
    for (cl_uint i = 0; i < count && i < 16; i++) {
        cl_device_id device;
        cl_bool pipes = CL_FALSE;
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS &&
            clGetDeviceInfo(device, CL_DEVICE_PIPE_SUPPORT, sizeof pipes, &pipes, NULL) == CL_SUCCESS &&
            pipes)
            return device;
    }
    fprintf(stderr, "pipes: there is no OpenCL device with pipes\n");
    exit(77);
}

static cl_kernel create_kernel(cl_program program, const char *name)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    check(error, "clCreateKernel");
    return kernel;
}

static void set_arg(cl_kernel kernel, cl_uint index, cl_mem memory)
{
    check(clSetKernelArg(kernel, index, sizeof memory, &memory), "clSetKernelArg");
}

static void launch(cl_command_queue queue, cl_kernel kernel, size_t items)
{
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
}

static int by_first(const void *a, const void *b)
{
    const cl_uint x = ((const cl_uint2 *)a)->s[0], y = ((const cl_uint2 *)b)->s[0];
    return (x > y) - (x < y);
}

// Compares with the sieve of Eratosthenes. Returns how many are wrong or missing.
static int count_wrong(cl_uint2 *twins, int count)
{
    static unsigned char composite[LIMIT + 2];
    int wrong = 0, next = 0;
    for (int i = 2; i < LIMIT + 2; i++)
        for (int j = 2 * i; j < LIMIT + 2 && !composite[i]; j += i)
            composite[j] = 1;
    qsort(twins, (size_t)count, sizeof *twins, by_first);
    for (int n = 2; n < LIMIT; n++)
        if (!composite[n] && !composite[n + 2]) {
            wrong += next >= count || (int)twins[next].s[0] != n || (int)twins[next].s[1] != n + 2;
            next++;
        }
    return wrong + abs(count - next);
}

int main(void)
{
    cl_int error;
    cl_device_id device = find_device();
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
    check(error, "clCreateCommandQueueWithProperties");
    const char *text = source;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    check(error, "clCreateProgramWithSource");
    error = clBuildProgram(program, 1, &device, "-cl-std=CL3.0", NULL, NULL);
    if (error == CL_BUILD_PROGRAM_FAILURE) {
        static char log[16384];
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fprintf(stderr, "%s\n", log);
    }
    check(error, "clBuildProgram");
    cl_kernel sieve = create_kernel(program, "sieve"), pair = create_kernel(program, "pair");
    cl_kernel collect = create_kernel(program, "collect");

    // A pipe is a memory object that only kernels use. It must hold all that is written before somebody reads.
    cl_mem primes = clCreatePipe(context, 0, sizeof(cl_uint), CAPACITY, NULL, &error);
    check(error, "clCreatePipe");
    cl_mem twins = clCreatePipe(context, 0, sizeof(cl_uint2), CAPACITY, NULL, &error);
    check(error, "clCreatePipe");
    static cl_uint2 result[CAPACITY];
    cl_int numbers[2] = {0, 0};
    cl_mem out = clCreateBuffer(context, CL_MEM_WRITE_ONLY, sizeof result, NULL, &error);
    check(error, "clCreateBuffer");
    cl_mem count = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof(cl_int), &numbers[0], &error);
    check(error, "clCreateBuffer");
    cl_mem lost = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof(cl_int), &numbers[1], &error);
    check(error, "clCreateBuffer");

    set_arg(sieve, 0, primes);
    set_arg(sieve, 1, lost);
    set_arg(pair, 0, primes);
    set_arg(pair, 1, twins);
    set_arg(pair, 2, lost);
    set_arg(collect, 0, twins);
    set_arg(collect, 1, out);
    set_arg(collect, 2, count);
    launch(queue, sieve, LIMIT);
    launch(queue, pair, 256);
    launch(queue, collect, 1);
    check(clEnqueueReadBuffer(queue, count, CL_TRUE, 0, sizeof(cl_int), &numbers[0], 0, NULL, NULL),
          "clEnqueueReadBuffer");
    check(clEnqueueReadBuffer(queue, lost, CL_TRUE, 0, sizeof(cl_int), &numbers[1], 0, NULL, NULL),
          "clEnqueueReadBuffer");
    check(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof result, result, 0, NULL, NULL),
          "clEnqueueReadBuffer");

    const int wrong = count_wrong(result, numbers[0]);
    printf("%d pairs of twin primes below %d, %d wrong, %d packets lost\n", numbers[0], LIMIT, wrong,
           numbers[1]);

    clReleaseMemObject(primes);
    clReleaseMemObject(twins);
    clReleaseMemObject(out);
    clReleaseMemObject(count);
    clReleaseMemObject(lost);
    clReleaseKernel(sieve);
    clReleaseKernel(pair);
    clReleaseKernel(collect);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return wrong != 0 || numbers[1] != 0;
}
