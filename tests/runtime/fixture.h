// A context, a queue, programs and kernels for tests that call the runtime's entry points without a loader.
#ifndef WEFT_TESTS_RUNTIME_FIXTURE_H
#define WEFT_TESTS_RUNTIME_FIXTURE_H

#include <pthread.h>

#include "runtime/api/api.h"
#include "runtime/program/kernel.h"
#include "runtime/program/program.h"
#include "harness.h"

struct fixture {
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program; // of fixture_of_kernel
    cl_kernel kernel;
};

// The last text of pfn_notify. Several threads may call it at once (for a call that fails and for a command
// that fails); tests read the text when what they waited for is complete.
HARNESS_UNUSED static char fixture_report[1024];
static pthread_mutex_t fixture_report_lock = PTHREAD_MUTEX_INITIALIZER;

static void CL_CALLBACK fixture_notify(const char *info, const void *data, size_t size, void *user)
{
    (void)data;
    (void)size;
    (void)user;
    pthread_mutex_lock(&fixture_report_lock);
    snprintf(fixture_report, sizeof fixture_report, "%s", info);
    pthread_mutex_unlock(&fixture_report_lock);
}

HARNESS_UNUSED static struct fixture fixture_open(void)
{
    struct fixture f = {0};
    cl_int err;
    CHECK_EQ(weft_clGetPlatformIDs(1, &f.platform, NULL), CL_SUCCESS);
    CHECK_EQ(weft_clGetDeviceIDs(f.platform, CL_DEVICE_TYPE_ALL, 1, &f.device, NULL), CL_SUCCESS);
    f.context = weft_clCreateContext(NULL, 1, &f.device, fixture_notify, NULL, &err);
    CHECK_EQ(err, CL_SUCCESS);
    f.queue = weft_clCreateCommandQueue(f.context, f.device, 0, &err);
    CHECK_EQ(err, CL_SUCCESS);
    return f;
}

HARNESS_UNUSED static void fixture_close(struct fixture *f)
{
    if (f->kernel)
        CHECK_EQ(weft_clReleaseKernel(f->kernel), CL_SUCCESS);
    if (f->program)
        CHECK_EQ(weft_clReleaseProgram(f->program), CL_SUCCESS);
    CHECK_EQ(weft_clReleaseCommandQueue(f->queue), CL_SUCCESS);
    CHECK_EQ(weft_clReleaseContext(f->context), CL_SUCCESS);
}

HARNESS_UNUSED static cl_program fixture_source(struct fixture *f, const char *source)
{
    cl_int err;
    cl_program p = weft_clCreateProgramWithSource(f->context, 1, &source, NULL, &err);
    CHECK_EQ(err, CL_SUCCESS);
    return p;
}

HARNESS_UNUSED static cl_program fixture_build(struct fixture *f, const char *source)
{
    cl_program p = fixture_source(f, source);
    CHECK_EQ(weft_clBuildProgram(p, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
    return p;
}

// The build log; valid until the thread's next call.
HARNESS_UNUSED static const char *fixture_log(struct fixture *f, cl_program p)
{
    static _Thread_local char log[65536];
    CHECK_EQ(weft_clGetProgramBuildInfo(p, f->device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL),
             CL_SUCCESS);
    return log;
}

HARNESS_UNUSED static cl_kernel fixture_kernel(cl_program p, const char *name)
{
    cl_int err;
    cl_kernel k = weft_clCreateKernel(p, name, &err);
    CHECK_EQ(err, CL_SUCCESS);
    return k;
}

// With one of fake/kernels.c, in a program that is built.
HARNESS_UNUSED static struct fixture fixture_of_kernel(const char *name)
{
    struct fixture f = fixture_open();
    f.program = fixture_build(&f, "");
    f.kernel = fixture_kernel(f.program, name);
    return f;
}

HARNESS_UNUSED static cl_mem fixture_buffer(struct fixture *f, size_t size, void *data)
{
    cl_int err;
    cl_mem m = weft_clCreateBuffer(f->context, data ? CL_MEM_COPY_HOST_PTR : 0, size, data, &err);
    CHECK_EQ(err, CL_SUCCESS);
    return m;
}

// Launches f->kernel for `items` work-items, a group each. It stores the level of the code that each ran in.
HARNESS_UNUSED static void fixture_run_tiers(struct fixture *f, int *tiers, size_t items)
{
    cl_mem out = fixture_buffer(f, items * sizeof *tiers, NULL);
    const size_t local = 1;
    CHECK_EQ(weft_clSetKernelArg(f->kernel, 0, sizeof out, &out), CL_SUCCESS);
    CHECK_EQ(weft_clEnqueueNDRangeKernel(f->queue, f->kernel, 1, NULL, &items, &local, 0, NULL, NULL),
             CL_SUCCESS);
    CHECK_EQ(weft_clEnqueueReadBuffer(f->queue, out, CL_TRUE, 0, items * sizeof *tiers, tiers, 0, NULL, NULL),
             CL_SUCCESS);
    CHECK_EQ(weft_clReleaseMemObject(out), CL_SUCCESS);
}

#endif
