// A thread that the application cancels leaves no lock locked and no object half initialized: no OpenCL call
// is a cancellation point. The threads here are cancelled before their first call, so the first cancellation
// point ends them. The last call that began shows where that was.
// timeout: 120
// env: WEFT_CACHE=0
#include "e2e/e2e.h"

#include <errno.h>

static const char *volatile last_call = "none";
static _Atomic bool arrived;

#define DO(call) (last_call = #call, (call))

static void CL_CALLBACK native(void *arg)
{
    // A cancellation point. But other threads than the application's run this function, too.
    usleep(1000);
    ++**(_Atomic int **)arg;
}

static void run(struct e2e *t)
{
    cl_int error = 1;
    const char *source = "kernel void k(global int *p, int i) { p[i] += i; printf(\"%d\\n\", p[i]); }";
    const char *wrong = "kernel void k(global int *p) { p = q; }";
    static _Atomic int calls;
    _Atomic int *arg = &calls;
    cl_program bad = DO(clCreateProgramWithSource(t->context, 1, &wrong, NULL, &error));
    CHECK_EQ(DO(clBuildProgram(bad, 0, NULL, NULL, NULL, NULL)), CL_BUILD_PROGRAM_FAILURE);
    CHECK_EQ(DO(clReleaseProgram(bad)), CL_SUCCESS);
    cl_program p = DO(clCreateProgramWithSource(t->context, 1, &source, NULL, &error));
    CHECK_EQ(DO(clBuildProgram(p, 0, NULL, "-I /tmp", NULL, NULL)), CL_SUCCESS);
    cl_kernel k = DO(clCreateKernel(p, "k", &error));
    CHECK_EQ(error, CL_SUCCESS);
    cl_ulong bytes;
    CHECK_EQ(
        DO(clGetKernelWorkGroupInfo(k, t->device, CL_KERNEL_PRIVATE_MEM_SIZE, sizeof bytes, &bytes, NULL)),
        CL_SUCCESS);
    int values[4] = {0};
    cl_mem m = DO(clCreateBuffer(t->context, CL_MEM_COPY_HOST_PTR, sizeof values, values, &error));
    cl_int i = 1;
    E2E_ARG(k, 0, m);
    E2E_ARG(k, 1, i);
    size_t one = 1;
    CHECK_EQ(DO(clEnqueueNDRangeKernel(t->queue, k, 1, NULL, &one, NULL, 0, NULL, NULL)), CL_SUCCESS);
    CHECK_EQ(DO(clFinish(t->queue)), CL_SUCCESS);
    i = 1 << 28; // far outside: it faults, and pfn_notify is called
    E2E_ARG(k, 1, i);
    CHECK_EQ(DO(clEnqueueNDRangeKernel(t->queue, k, 1, NULL, &one, NULL, 0, NULL, NULL)), CL_SUCCESS);
    CHECK_EQ(DO(clFinish(t->queue)), CL_SUCCESS);
    CHECK_EQ(DO(clEnqueueNativeKernel(t->queue, native, &arg, sizeof arg, 0, NULL, NULL, 0, NULL, NULL)),
             CL_SUCCESS);
    CHECK_EQ(DO(clFinish(t->queue)), CL_SUCCESS);
    CHECK_EQ(calls, 1);
    size_t size = 0;
    CHECK_EQ(DO(clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL)), CL_SUCCESS);
    unsigned char *binary = malloc(size);
    CHECK_EQ(DO(clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL)), CL_SUCCESS);
    const unsigned char *given = binary;
    cl_program again = DO(clCreateProgramWithBinary(t->context, 1, &t->device, &size, &given, NULL, &error));
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(DO(clBuildProgram(again, 0, NULL, NULL, NULL, NULL)), CL_SUCCESS);
    cl_program compiled = DO(clCreateProgramWithSource(t->context, 1, &source, NULL, &error));
    CHECK_EQ(DO(clCompileProgram(compiled, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL)), CL_SUCCESS);
    cl_program linked = DO(clLinkProgram(t->context, 0, NULL, NULL, 1, &compiled, NULL, NULL, &error));
    CHECK_EQ(error, CL_SUCCESS);
    free(binary);
    CHECK_EQ(DO(clReleaseProgram(linked)), CL_SUCCESS);
    CHECK_EQ(DO(clReleaseProgram(compiled)), CL_SUCCESS);
    CHECK_EQ(DO(clReleaseProgram(again)), CL_SUCCESS);
    CHECK_EQ(DO(clReleaseKernel(k)), CL_SUCCESS);
    CHECK_EQ(DO(clReleaseMemObject(m)), CL_SUCCESS);
    CHECK_EQ(DO(clReleaseProgram(p)), CL_SUCCESS);
    cl_platform_id platform;
    CHECK_EQ(clGetDeviceInfo(t->device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL), CL_SUCCESS);
    CHECK_EQ(DO(clUnloadPlatformCompiler(platform)), CL_SUCCESS);
}

static void *cancelled(void *arg)
{
    (void)arg;
    cl_platform_id platform;
    clGetPlatformIDs(1, &platform, NULL); // excludes cancellation points of the loader
    pthread_cancel(pthread_self());
    last_call = "the first calls";
    struct e2e t = e2e_open();
    run(&t);
    last_call = "the last calls";
    e2e_close(&t);
    arrived = true;
    pthread_testcancel();
    return NULL;
}

static void check(void)
{
    pthread_t thread;
    void *result = NULL;
    CHECK_EQ(pthread_create(&thread, NULL, cancelled, NULL), 0);
    CHECK_EQ(pthread_join(thread, &result), 0);
    CHECK_EQ((void *)result, (void *)PTHREAD_CANCELED);
    if (!arrived)
        FAIL("the thread was cancelled in %s", last_call);
    struct e2e t = e2e_open(); // all that it used still works
    e2e_works(&t, "");
    e2e_close(&t);
}

TEST(a_cancelled_thread_gets_through_every_call)
{
    check();
}

TEST(the_same_when_everything_is_logged_and_nothing_cached)
{
    CHECK(freopen("/dev/null", "w", stderr) != NULL);
    setenv("WEFT_LOG", "debug", 1); // the driver isn't loaded yet
    check();
}

TEST(the_same_with_a_disk_cache)
{
    char folder[] = "/tmp/weft-cancelled-XXXXXX", command[100];
    CHECK(mkdtemp(folder) != NULL);
    setenv("XDG_CACHE_HOME", folder, 1);
    unsetenv("WEFT_CACHE");
    check();
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK_EQ(system(command), 0);
}
