// weft-bench [--list] [case-glob ...]: runs the cases, each in a process of its own, and prints `name value
// unit`.
#include "bench.h"

#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const struct bench_case *const tables[] = {
    bench_launch_cases, bench_build_cases, bench_large_cases,  bench_memory_cases,    bench_compute_cases,
    bench_math_cases,   bench_array_cases, bench_group_cases,  bench_private_cases,   bench_vector_cases,
    bench_image_cases,  bench_byte_cases,  bench_matrix_cases, bench_scattered_cases, bench_native_cases,
    bench_buffer_cases, bench_call_cases};

double bench_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void bench_fail(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
    exit(1);
}

void bench_skip(const char *why)
{
    fprintf(stderr, "skipped: %s\n", why);
    exit(BENCH_SKIPPED);
}

void bench_open(struct bench_cl *b, cl_command_queue_properties properties)
{
    cl_platform_id platforms[16];
    cl_uint count = 0;
    CHECK(clGetPlatformIDs(16, platforms, &count));
    for (cl_uint i = 0; i < count && i < 16; i++) {
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &b->device, NULL) != CL_SUCCESS)
            continue;
        cl_int error;
        b->context = clCreateContext(NULL, 1, &b->device, NULL, NULL, &error);
        CHECK(error);
        b->queue = clCreateCommandQueue(b->context, b->device, properties, &error);
        CHECK(error);
        return;
    }
    bench_fail("no CPU device");
}

cl_program bench_build(struct bench_cl *b, const char *source, const char *options)
{
    cl_int error;
    cl_program program = clCreateProgramWithSource(b->context, 1, &source, NULL, &error);
    CHECK(error);
    error = clBuildProgram(program, 1, &b->device, options, NULL, NULL);
    if (error != CL_SUCCESS) {
        static char log[1 << 16];
        clGetProgramBuildInfo(program, b->device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        bench_fail("clBuildProgram: error %d\n%s", error, log);
    }
    return program;
}

cl_kernel bench_kernel(struct bench_cl *b, const char *source, const char *options, const char *name)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(bench_build(b, source, options), name, &error);
    CHECK(error);
    return kernel;
}

cl_mem bench_buffer(struct bench_cl *b, size_t bytes, const void *content)
{
    cl_int error;
    cl_mem_flags copy = content ? CL_MEM_COPY_HOST_PTR : 0;
    cl_mem m =
        clCreateBuffer(b->context, CL_MEM_READ_WRITE | copy, bytes, (void *)(uintptr_t)content, &error);
    CHECK(error);
    return m;
}

double bench_best(void (*step)(void *arg), void *arg, double budget)
{
    step(arg);
    double begin = bench_seconds(), end = begin + budget, best = 1e30;
    for (int i = 0; i < 3 || bench_seconds() < end; i++) {
        double start = bench_seconds();
        step(arg);
        double now = bench_seconds(), took = now - start;
        // Gives drivers that improve code in the background the time to finish it.
        if (took < 0.9 * best && now + budget < begin + 4 * budget)
            end = now + budget;
        if (took < best)
            best = took;
    }
    return best;
}

static bool selected(const char *name, bool extra, int argc, char **argv)
{
    bool any = false;
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-')
            continue;
        any = true;
        if (fnmatch(argv[i], name, 0) == 0)
            return true;
    }
    return !any && !extra;
}

static bool run_apart(const struct bench_case *c)
{
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        alarm(120);
        double figure = c->run();
        printf("%s %.6g %s %s\n", c->name, figure, c->unit, c->higher_is_better ? "up" : "down");
        fflush(stdout);
        _exit(0);
    }
    int status = 0;
    if (pid < 0 || waitpid(pid, &status, 0) < 0)
        return false;
    if (status == 0)
        return true;
    if (WIFEXITED(status) && WEXITSTATUS(status) == BENCH_SKIPPED) {
        printf("%s skipped\n", c->name);
        return true;
    }
    if (WIFSIGNALED(status))
        printf("%s failed: signal %d\n", c->name, WTERMSIG(status));
    else
        printf("%s failed: exit %d\n", c->name, WEXITSTATUS(status));
    return false;
}

int main(int argc, char **argv)
{
    bool list = false, ok = true, any = false;
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '-')
            continue;
        list = strcmp(argv[i], "--list") == 0;
        if (list)
            continue;
        const bool help = strcmp(argv[i], "--help") == 0;
        fprintf(help ? stdout : stderr, "usage: weft-bench [--list] [case-glob ...]\n"
                                        "Runs the cases on the first platform, or names them.\n");
        return help ? 0 : 2;
    }
    for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++) {
        for (const struct bench_case *c = tables[t]; c->name; c++) {
            if (!selected(c->name, tables[t] == bench_call_cases, argc, argv))
                continue;
            any = true;
            if (list)
                printf("%-24s %-10s %s\n", c->name, c->unit, c->text);
            else
                ok &= run_apart(c);
        }
    }
    if (!any)
        fprintf(stderr, "weft-bench: no case is called so; --list names them\n");
    return ok && any ? 0 : 1;
}
