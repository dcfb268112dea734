// What `weft bench` measures of one driver, in a process of its own: each case is run again and again for a
// while, and the shortest time counts. Times are those of the host, from the call to the end of the wait.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "tools/tool.h"

enum {
    FLOATS = 1 << 22,
    SIDE = 512, // of matrices and pictures
    MANY_LAUNCHES = 1000,
    MIN_RUNS = 3
};
#define SPAN_NS \
    1200000000u // that a case may take; better code of drivers that make it later is there by then

static const char source[] =
    "kernel void nothing(global float *z) { }\n"
    "kernel void copy(global const float *x, global float *z)\n"
    "{\n"
    "    size_t i = get_global_id(0);\n"
    "    z[i] = x[i];\n"
    "}\n"
    "kernel void compute(global const float *x, global float *z)\n"
    "{\n"
    "    size_t i = get_global_id(0);\n"
    "    float v = x[i];\n"
    "    for (int k = 0; k < 512; k++)\n"
    "        v = v * 0.999f + 0.001f;\n"
    "    z[i] = v;\n"
    "}\n"
    "kernel void gather(global const float *x, global float *z)\n"
    "{\n"
    "    size_t i = get_global_id(0);\n"
    "    z[i] = x[(i * 40503) & 0x3fffff];\n"
    "}\n"
    "kernel void mandelbrot(global float *z)\n"
    "{\n"
    "    size_t i = get_global_id(0);\n"
    "    float cr = (i % 512) * (3.0f / 512) - 2, ci = (i / 512) * (2.0f / 512) - 1, re = 0, im = 0;\n"
    "    int k = 0;\n"
    "    for (; k < 256 && re * re + im * im < 4; k++) {\n"
    "        float t = re * re - im * im + cr;\n"
    "        im = 2 * re * im + ci;\n"
    "        re = t;\n"
    "    }\n"
    "    z[i] = k;\n"
    "}\n"
    "kernel void matrices(global const float *x, global float *z)\n"
    "{\n"
    "    local float a[16][16], b[16][16];\n"
    "    int c = get_local_id(0), r = get_local_id(1), col = get_global_id(0), row = get_global_id(1);\n"
    "    float sum = 0;\n"
    "    for (int t = 0; t < 512; t += 16) {\n"
    "        a[r][c] = x[row * 512 + t + c];\n"
    "        b[r][c] = x[(t + r) * 512 + col];\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        for (int k = 0; k < 16; k++)\n"
    "            sum += a[r][k] * b[k][c];\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    }\n"
    "    z[row * 512 + col] = sum;\n"
    "}\n"
    "kernel void reduce(global const float *x, global float *z)\n"
    "{\n"
    "    local float sums[256];\n"
    "    int l = get_local_id(0);\n"
    "    sums[l] = x[get_global_id(0)];\n"
    "    for (int s = 128; s > 0; s /= 2) {\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        if (l < s)\n"
    "            sums[l] += sums[l + s];\n"
    "    }\n"
    "    if (l == 0)\n"
    "        z[get_group_id(0)] = sums[0];\n"
    "}\n";

struct bench;

struct bench_case {
    const char *name, *says;
    bool (*run)(struct bench *b, const struct bench_case *c); // false: the driver fails
    const char *kernel;
    bool reads;               // it has an array to read from before that to write to
    size_t size[2], local[2]; // 0: one dimension; the driver chooses
    unsigned divided_by;      // what a run's time is divided by
};

struct bench {
    const cl_icd_dispatch *call;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_mem x, z;
    cl_float *host;
    unsigned builds;
};

// ---- What a run does. False: the driver fails ----

static bool launch(struct bench *b, const struct bench_case *c, unsigned times)
{
    cl_int error = CL_SUCCESS;
    cl_kernel k = b->call->clCreateKernel(b->program, c->kernel, &error);
    cl_uint argument = 0;
    if (!k)
        return false;
    if (c->reads)
        error |= b->call->clSetKernelArg(k, argument++, sizeof b->x, &b->x);
    error |= b->call->clSetKernelArg(k, argument, sizeof b->z, &b->z);
    for (unsigned i = 0; i < times && error == CL_SUCCESS; i++)
        error = b->call->clEnqueueNDRangeKernel(b->queue, k, c->size[1] ? 2 : 1, NULL, c->size,
                                                c->local[0] ? c->local : NULL, 0, NULL, NULL);
    error |= b->call->clFinish(b->queue);
    b->call->clReleaseKernel(k);
    return error == CL_SUCCESS;
}

static bool run_kernel(struct bench *b, const struct bench_case *c)
{
    return launch(b, c, 1);
}

static bool run_many(struct bench *b, const struct bench_case *c)
{
    return launch(b, c, MANY_LAUNCHES);
}

static bool run_transfer(struct bench *b, const struct bench_case *c)
{
    (void)c;
    const size_t bytes = FLOATS * sizeof *b->host;
    return b->call->clEnqueueReadBuffer(b->queue, b->z, CL_TRUE, 0, bytes, b->host, 0, NULL, NULL) ==
           CL_SUCCESS;
}

// From a source that no cache knows to the end of its first launch.
static bool run_build(struct bench *b, const struct bench_case *c)
{
    cl_int error = CL_SUCCESS;
    char *text = weft_format("%s// %llu, %u\n", source, (unsigned long long)weft_time_now(), b->builds++);
    const char *lines = text;
    cl_program program = b->program;
    b->program = text ? b->call->clCreateProgramWithSource(b->context, 1, &lines, NULL, &error) : NULL;
    bool ok = b->program && b->call->clBuildProgram(b->program, 1, &b->device, "", NULL, NULL) == CL_SUCCESS;
    ok = ok && launch(b, c, 1);
    if (b->program)
        b->call->clReleaseProgram(b->program);
    b->program = program;
    weft_free(text);
    return ok;
}

// ---- The cases ----

static const struct bench_case cases[WEFT_BENCH_CASES] = {
    {"launch", "a launch of one work-item, waited for", run_kernel, "nothing", false, {1}, {0}, 1},
    {"launches",
     "each of 1,000 launches of one work-item",
     run_many,
     "nothing",
     false,
     {1},
     {0},
     MANY_LAUNCHES},
    {"build",
     "a program of 7 kernels, until its first launch has ended",
     run_build,
     "mandelbrot",
     false,
     {64},
     {0},
     1},
    {"read", "16 MiB from a buffer", run_transfer, NULL, false, {0}, {0}, 1},
    {"copy", "a kernel that copies 16 MiB", run_kernel, "copy", true, {FLOATS}, {0}, 1},
    {"compute",
     "1,024 dependent operations of 65,536 work-items",
     run_kernel,
     "compute",
     true,
     {1 << 16},
     {0},
     1},
    {"gather", "4 million loads from all over 16 MiB", run_kernel, "gather", true, {FLOATS}, {0}, 1},
    {"mandelbrot",
     "512 x 512 pixels, whose loops end at different times",
     run_kernel,
     "mandelbrot",
     false,
     {SIDE * SIDE},
     {0},
     1},
    {"matrices",
     "a product of 512 x 512, in local memory",
     run_kernel,
     "matrices",
     true,
     {SIDE, SIDE},
     {16, 16},
     1},
    {"reduce",
     "sums of 256 of 4 million numbers, with barriers",
     run_kernel,
     "reduce",
     true,
     {FLOATS},
     {256},
     1},
};

const char *weft_bench_name(unsigned number)
{
    return cases[number].name;
}

const char *weft_bench_says(unsigned number)
{
    return cases[number].says;
}

static bool open_bench(struct bench *b)
{
    cl_int error = CL_SUCCESS;
    const char *text = source;
    const size_t bytes = FLOATS * sizeof *b->host;
    b->host = weft_alloc_array(FLOATS, sizeof *b->host);
    for (size_t i = 0; b->host && i < FLOATS; i++)
        b->host[i] = (cl_float)(i % 64) / 64;
    b->context = b->call->clCreateContext(NULL, 1, &b->device, NULL, NULL, &error);
    if (b->host && b->context)
        b->queue = b->call->clCreateCommandQueue(b->context, b->device, 0, &error);
    if (!b->queue)
        return false;
    b->x = b->call->clCreateBuffer(b->context, CL_MEM_COPY_HOST_PTR, bytes, b->host, &error);
    b->z = b->call->clCreateBuffer(b->context, CL_MEM_COPY_HOST_PTR, bytes, b->host, &error);
    b->program = b->call->clCreateProgramWithSource(b->context, 1, &text, NULL, &error);
    return b->x && b->z && b->program &&
           b->call->clBuildProgram(b->program, 1, &b->device, "", NULL, NULL) == CL_SUCCESS;
}

// What the kernel of a case leaves at the beginning of the array. NaN: anything.
static double expected(const char *name)
{
    double v = NAN;
    if (strcmp(name, "copy") == 0 || strcmp(name, "gather") == 0 || strcmp(name, "mandelbrot") == 0) {
        v = strcmp(name, "mandelbrot") == 0;
    } else if (strcmp(name, "reduce") == 0) {
        v = 4 * 63.0 / 2;                       // four times 0/64 + 1/64 + ... + 63/64
    } else if (strcmp(name, "matrices") == 0) { // each column of x is the same number, here 0
        v = 0;
    } else if (strcmp(name, "compute") == 0) {
        v = 0;
        for (int k = 0; k < 512; k++)
            v = v * 0.999 + 0.001;
    }
    return v;
}

static bool is_right(struct bench *b, const struct bench_case *c)
{
    const double wanted = expected(c->name);
    cl_float got = NAN;
    if (isnan(wanted))
        return true;
    b->call->clEnqueueReadBuffer(b->queue, b->z, CL_TRUE, 0, sizeof got, &got, 0, NULL, NULL);
    return fabs(got - wanted) < 1e-3;
}

void weft_bench_run(FILE *out, const cl_icd_dispatch *call, cl_device_id device)
{
    struct bench b = {.call = call, .device = device};
    if (!open_bench(&b)) {
        fputs("failed\tit has no program or no memory for it\n", out);
        return;
    }
    for (unsigned k = 0; k < WEFT_BENCH_CASES; k++) {
        const struct bench_case *c = &cases[k];
        fprintf(out, "begin\t%u\n", k);
        fflush(out);
        uint64_t best = UINT64_MAX;
        const uint64_t first = weft_time_now();
        bool ok = true;
        for (unsigned runs = 0; ok && (runs < MIN_RUNS || weft_time_now() - first < SPAN_NS); runs++) {
            const uint64_t since = weft_time_now();
            ok = c->run(&b, c);
            const uint64_t ns = weft_time_now() - since;
            best = ns < best ? ns : best;
        }
        if (ok && is_right(&b, c))
            fprintf(out, "time\t%u\t%.6g\n", k, (double)best / c->divided_by);
        else
            fprintf(out, "%s\t%u\n", ok ? "wrong" : "error", k);
        fflush(out);
    }
    // The process ends now. What a driver does while its objects are released isn't asked.
}
