// How long a program waits for its first result. scripts/bench disables the drivers' disk caches, except for
// build_cached, which fills and uses one.
#include "bench.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char small_source[] =
    "kernel void saxpy(global float *y, global const float *x, float a, int n)\n"
    "{\n"
    "    int i = get_global_id(0);\n"
    "    if (i >= n)\n"
    "        return;\n"
    "    float v = x[i];\n"
    "    v = a * v + y[i];\n"
    "    v = v > 1000.0f ? 1000.0f : v;\n"
    "    y[i] = v;\n"
    "}\n";

static void append(char **text, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void append(char **text, const char *fmt, ...)
{
    char piece[2048];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(piece, sizeof piece, fmt, ap);
    va_end(ap);
    size_t old = *text ? strlen(*text) : 0;
    *text = realloc(*text, old + strlen(piece) + 1);
    if (!*text)
        bench_fail("no memory");
    memcpy(*text + old, piece, strlen(piece) + 1);
}

// Runs kernel k, which is like saxpy, on 1024 elements and checks it: y = 2 * x + 3 + extra.
static void run_kernel(struct bench_cl *b, cl_kernel k, float extra)
{
    enum { N = 1024 };
    static float x[N], y[N];
    for (int i = 0; i < N; i++) {
        x[i] = (float)(i % 97);
        y[i] = 3.0f;
    }
    cl_mem bx = bench_buffer(b, sizeof x, x), by = bench_buffer(b, sizeof y, y);
    cl_float a = 2.0f;
    cl_int n = N;
    const size_t global = N;
    SET_ARG(k, 0, by);
    SET_ARG(k, 1, bx);
    SET_ARG(k, 2, a);
    SET_ARG(k, 3, n);
    CHECK(clEnqueueNDRangeKernel(b->queue, k, 1, NULL, &global, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(b->queue, by, CL_TRUE, 0, sizeof y, y, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        if (y[i] != 2.0f * x[i] + 3.0f + extra)
            bench_fail("element %d is %g, not %g", i, (double)y[i], (double)(2.0f * x[i] + 3.0f + extra));
    CHECK(clReleaseMemObject(bx));
    CHECK(clReleaseMemObject(by));
}

static double build_and_run_small(bool warm)
{
    struct bench_cl b;
    double begin = bench_seconds();
    bench_open(&b, 0);
    if (warm) {
        run_kernel(&b, bench_kernel(&b, small_source, "-DWARM", "saxpy"), 0.0f);
        begin = bench_seconds();
    }
    cl_kernel k = bench_kernel(&b, small_source, "", "saxpy");
    run_kernel(&b, k, 0.0f);
    return 1e3 * (bench_seconds() - begin);
}

static double build_first(void)
{
    return build_and_run_small(false);
}

static double build_warm(void)
{
    return build_and_run_small(true);
}

// One process fills the cache, another one measures.
static double build_cached(void)
{
    char folder[] = "/tmp/weft-bench-XXXXXX";
    if (!mkdtemp(folder))
        bench_fail("no temporary folder");
    setenv("XDG_CACHE_HOME", folder, 1);
    setenv("POCL_CACHE_DIR", folder, 1);
    setenv("WEFT_CACHE", "1", 1);
    setenv("POCL_KERNEL_CACHE", "1", 1);
    setenv("CL_CACHE", folder, 1);
    fflush(stdout);
    for (int i = 0; i < 2; i++) {
        pid_t pid = fork();
        if (pid == 0) {
            build_and_run_small(false);
            usleep(200000);
            exit(0); // exit handlers may still write the cache
        }
        int status;
        if (waitpid(pid, &status, 0) < 0 || status != 0)
            bench_fail("filling the cache failed");
    }
    double t = build_and_run_small(false);
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    if (system(command) != 0)
        bench_fail("%s failed", command);
    return t;
}

// `count` kernels of about 25 lines each, named k0, k1, ...
static char *many_kernels(int count)
{
    char *text = NULL;
    for (int i = 0; i < count; i++) {
        append(&text,
               "kernel void k%d(global float *y, global const float *x, float a, int n)\n"
               "{\n"
               "    local float tile[64];\n"
               "    int i = get_global_id(0), l = get_local_id(0);\n"
               "    float v = 0.0f, w = 1.0f;\n"
               "    for (int j = 0; j < %d; j++) {\n"
               "        v += x[(i + j) %% n] * 0.0f;\n"
               "        if (v > 100.0f)\n"
               "            w *= 0.5f;\n"
               "        else if (v < -100.0f)\n"
               "            w = sqrt(fabs(w)) + %d.0f;\n"
               "    }\n"
               "    for (int j = 0; j < 4; j++) {\n"
               "        float4 q = (float4)(v, w, v * w, %d.0f);\n"
               "        q = q * q.wzyx + q.yxwz * 0.25f;\n"
               "        w += dot(q, (float4)(0.0f));\n"
               "    }\n"
               "    if (l < 64)\n"
               "        tile[l %% 64] = exp(w * 0.0f) - 1.0f;\n"
               "    barrier(CLK_LOCAL_MEM_FENCE);\n"
               "    if (i < n)\n"
               "        y[i] = a * x[i] + y[i] + tile[l %% 64] + %d.0f;\n"
               "}\n",
               i, 3 + i % 7, i, i, i);
    }
    return text;
}

static double build_some(int count)
{
    struct bench_cl b;
    bench_open(&b, 0);
    char *text = many_kernels(count);
    double begin = bench_seconds();
    bench_build(&b, text, "");
    return 1e3 * (bench_seconds() - begin);
}

static double build_40(void)
{
    return build_some(40);
}

// In Weft this is the front end alone; build_300_run_3 is compared with it.
static double build_300(void)
{
    return build_some(300);
}

static double run_some(int count, int stride)
{
    struct bench_cl b;
    bench_open(&b, 0);
    char *text = many_kernels(count);
    double begin = bench_seconds();
    cl_program program = bench_build(&b, text, "");
    cl_kernel kernels[512];
    int n = 0;
    for (int i = 0; i < count; i += stride) {
        char name[16];
        cl_int error;
        snprintf(name, sizeof name, "k%d", i);
        kernels[n++] = clCreateKernel(program, name, &error);
        CHECK(error);
    }
    for (int i = 0; i < n; i++)
        run_kernel(&b, kernels[i], (float)(i * stride));
    return 1e3 * (bench_seconds() - begin);
}

static double build_40_run(void)
{
    return run_some(40, 1);
}

static double build_300_run_3(void)
{
    return run_some(300, 100);
}

static double build_100_variants(void)
{
    struct bench_cl b;
    bench_open(&b, 0);
    static const char text[] = "kernel void saxpy(global float *y, global const float *x, float a, int n)\n"
                               "{\n"
                               "    int i = get_global_id(0);\n"
                               "    if (i < n)\n"
                               "        y[i] = a * x[i] + y[i] + VARIANT;\n"
                               "}\n";
    run_kernel(&b, bench_kernel(&b, text, "-DVARIANT=1000.0f", "saxpy"), 1000.0f);
    double begin = bench_seconds();
    for (int i = 0; i < 100; i++) {
        char options[64];
        snprintf(options, sizeof options, "-DVARIANT=%d.0f", i);
        run_kernel(&b, bench_kernel(&b, text, options, "saxpy"), (float)i);
    }
    return 1e3 * (bench_seconds() - begin) / 100;
}

const struct bench_case bench_build_cases[] = {
    {"build_first", "ms", false, build_first,
     "fresh process: platform to the first result of a ten-line kernel"},
    {"build_warm", "ms", false, build_warm,
     "the same kernel with other options, second build of the process"},
    {"build_cached", "ms", false, build_cached,
     "fresh process, from the disk cache: platform to first result"},
    {"build_40", "ms", false, build_40, "40 kernels of 25 lines: until clBuildProgram returns"},
    {"build_40_run", "ms", false, build_40_run, "the same, until the last of the 40 has run"},
    {"build_300", "ms", false, build_300, "300 such kernels: until clBuildProgram returns"},
    {"build_300_run_3", "ms", false, build_300_run_3, "300 kernels of which 3 are run"},
    {"build_100_variants", "ms", false, build_100_variants,
     "100 programs that differ in a -D, built and run: each"},
    {0},
};
