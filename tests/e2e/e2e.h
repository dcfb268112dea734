// Shared by the end-to-end tests: a device with a context and a queue, builds and launches.
#ifndef WEFT_TESTS_E2E_H
#define WEFT_TESTS_E2E_H

#include <pthread.h>
#include <stdatomic.h>

#include "harness.h"

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

// The last text of pfn_notify, and how often it was called. Several threads may call it at once. Tests read
// the text when the command that they wait for is complete.
static char e2e_notice[4096];
static _Atomic int e2e_notices;
static pthread_mutex_t e2e_notice_lock = PTHREAD_MUTEX_INITIALIZER;

static void CL_CALLBACK e2e_notify(const char *info, const void *data, size_t size, void *user)
{
    (void)data;
    (void)size;
    (void)user;
    pthread_mutex_lock(&e2e_notice_lock);
    snprintf(e2e_notice, sizeof e2e_notice, "%s", info);
    pthread_mutex_unlock(&e2e_notice_lock);
    e2e_notices++;
}

struct e2e {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
};

// Compiles for this processor in the calling test. Skips the test if the machine can't run such code.
HARNESS_UNUSED static void e2e_processor(const char *cpu)
{
#if defined(__x86_64__)
    static const struct {
        const char *cpu, *lacks;
    } processors[] = {{"nehalem", "SSE4.2"}, {"haswell", "AVX2, or no fma"}, {"skylake-avx512", "AVX-512"}};
    const bool runs[] = {__builtin_cpu_supports("x86-64-v2") != 0, __builtin_cpu_supports("x86-64-v3") != 0,
                         __builtin_cpu_supports("x86-64-v4") != 0};
    for (size_t i = 0; i < sizeof processors / sizeof *processors; i++) {
        if (strcmp(processors[i].cpu, cpu) != 0)
            continue;
        if (!runs[i])
            SKIP("this processor has no %s", processors[i].lacks);
        CHECK_EQ(setenv("WEFT_CPU", cpu, 1), 0);
        return;
    }
    FAIL("nobody knows what %s needs", cpu);
#else
    SKIP("%s is an x86 processor", cpu);
#endif
}

HARNESS_UNUSED static struct e2e e2e_open(void)
{
    struct e2e t;
    cl_platform_id platform;
    cl_int error = 1;
    CHECK_EQ(clGetPlatformIDs(1, &platform, NULL), CL_SUCCESS);
    CHECK_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &t.device, NULL), CL_SUCCESS);
    t.context = clCreateContext(NULL, 1, &t.device, e2e_notify, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    t.queue = clCreateCommandQueue(t.context, t.device, 0, &error);
    CHECK_EQ(error, CL_SUCCESS);
    return t;
}

HARNESS_UNUSED static void e2e_close(struct e2e *t)
{
    CHECK_EQ(clReleaseCommandQueue(t->queue), CL_SUCCESS);
    CHECK_EQ(clReleaseContext(t->context), CL_SUCCESS);
}

// Skips the test where there is no translator of SPIR-V.
HARNESS_UNUSED static void e2e_needs_spirv(const struct e2e *t)
{
    char languages[128] = "";
    CHECK_EQ(clGetDeviceInfo(t->device, CL_DEVICE_IL_VERSION, sizeof languages, languages, NULL), CL_SUCCESS);
    if (!*languages)
        SKIP("the device doesn't take SPIR-V: there is no llvm-spirv");
}

static pthread_key_t e2e_log_key;

static void e2e_log_prepare(void)
{
    CHECK_EQ(pthread_key_create(&e2e_log_key, free), 0);
}

// The build log, in a buffer of the calling thread, which its next call overwrites. The buffer isn't
// _Thread_local, because that would take its size from the stack of every thread, also of the driver's.
HARNESS_UNUSED static const char *e2e_log(struct e2e *t, cl_program p)
{
    enum { ROOM = 1 << 18 };
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, e2e_log_prepare);
    char *log = pthread_getspecific(e2e_log_key);
    if (!log) {
        log = malloc(ROOM);
        CHECK(log != NULL);
        CHECK_EQ(pthread_setspecific(e2e_log_key, log), 0);
    }
    log[0] = '\0';
    clGetProgramBuildInfo(p, t->device, CL_PROGRAM_BUILD_LOG, ROOM, log, NULL);
    return log;
}

HARNESS_UNUSED static cl_program e2e_program(struct e2e *t, const char *source)
{
    cl_int error = 1;
    cl_program p = clCreateProgramWithSource(t->context, 1, &source, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    return p;
}

HARNESS_UNUSED static cl_program e2e_build(struct e2e *t, const char *source, const char *options)
{
    cl_program p = e2e_program(t, source);
    cl_int error = clBuildProgram(p, 1, &t->device, options, NULL, NULL);
    if (error != CL_SUCCESS)
        FAIL("clBuildProgram: %d\n%s", error, e2e_log(t, p));
    return p;
}

// A compiled program, to be linked.
HARNESS_UNUSED static cl_program e2e_compile(struct e2e *t, const char *source, const char *options)
{
    cl_program p = e2e_program(t, source);
    if (clCompileProgram(p, 0, NULL, options, 0, NULL, NULL, NULL, NULL) != CL_SUCCESS)
        FAIL("%s", e2e_log(t, p));
    return p;
}

// The program is released; the kernel keeps it alive.
HARNESS_UNUSED static cl_kernel e2e_kernel(struct e2e *t, const char *source, const char *options,
                                           const char *name)
{
    cl_int error = 1;
    cl_program p = e2e_build(t, source, options);
    cl_kernel k = clCreateKernel(p, name, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    return k;
}

HARNESS_UNUSED static cl_mem e2e_buffer(struct e2e *t, size_t bytes, const void *content)
{
    cl_int error = 1;
    cl_mem m = clCreateBuffer(t->context, content ? CL_MEM_COPY_HOST_PTR : 0, bytes,
                              (void *)(uintptr_t)content, &error);
    CHECK_EQ(error, CL_SUCCESS);
    return m;
}

#define E2E_ARG(k, i, value) CHECK_EQ(clSetKernelArg(k, i, sizeof(value), &(value)), CL_SUCCESS)

HARNESS_UNUSED static void e2e_run(struct e2e *t, cl_kernel k, size_t global, const size_t *local)
{
    CHECK_EQ(clEnqueueNDRangeKernel(t->queue, k, 1, NULL, &global, local, 0, NULL, NULL), CL_SUCCESS);
}

HARNESS_UNUSED static void e2e_read(struct e2e *t, cl_mem m, size_t bytes, void *out)
{
    CHECK_EQ(clEnqueueReadBuffer(t->queue, m, CL_TRUE, 0, bytes, out, 0, NULL, NULL), CL_SUCCESS);
}

// Builds, runs and checks a small kernel, to see that everything still works.
HARNESS_UNUSED static void e2e_works(struct e2e *t, const char *options)
{
    enum { N = 1000 };
    int data[N];
    for (int i = 0; i < N; i++)
        data[i] = i;
    cl_kernel k =
        e2e_kernel(t, "kernel void twice(global int *p) { p[get_global_id(0)] *= 2; }", options, "twice");
    cl_mem m = e2e_buffer(t, sizeof data, data);
    E2E_ARG(k, 0, m);
    e2e_run(t, k, N, NULL);
    e2e_read(t, m, sizeof data, data);
    for (int i = 0; i < N; i++)
        CHECK_EQ(data[i], 2 * i);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
}

HARNESS_UNUSED static cl_int e2e_status(cl_event e)
{
    cl_int status = 1;
    CHECK_EQ(clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL), CL_SUCCESS);
    return status;
}

#endif
