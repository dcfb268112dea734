// Six threads build programs for some or all of their devices, with and without callbacks, successfully or
// not. Meanwhile they create kernels, launch, clone and query at random. Every call has one of its legal
// results, every launch that is accepted computes what one of the builds says, and every callback is called
// once.
// WEFT_TEST_SECONDS: how long (2).
// timeout: 240
// labels: stress
#include "api/program_fixture.h"

#include "api/sub_device_fixture.h"

enum { THREADS = 6, PROGRAMS = 3, MAX_DEVICES = 3, ITEMS = 16, VARIANTS = 3 };

static cl_context context;
static cl_device_id devices[MAX_DEVICES];
static cl_uint device_count;
static cl_command_queue queues[MAX_DEVICES];
static cl_program programs[PROGRAMS];
static atomic_bool stop;
static atomic_int wanted, reported, launched;

// "second" is there in one variant alone, and "other" isn't the same in all.
static const char source[] =
    "#ifdef BAD\n"
    "#error in vain\n"
    "#endif\n"
    "kernel void k(global int *p, int n) { p[get_global_id(0)] = X * 1000 + n; }\n"
    "#if X == 2\n"
    "kernel void second(global int *p, int n) { p[get_global_id(0)] = 2000 + n; }\n"
    "#endif\n"
    "#if X == 3\n"
    "kernel void other(global int *p, float n) { p[get_global_id(0)] = n; }\n"
    "#else\n"
    "kernel void other(global int *p, int n) { p[get_global_id(0)] = X * 1000 + n; }\n"
    "#endif\n";

static uint64_t below(uint64_t *seed, uint64_t n)
{
    return harness_random(seed) % n;
}

static void CL_CALLBACK on_built(cl_program p, void *user)
{
    (void)p, (void)user;
    atomic_fetch_add(&reported, 1);
}

static void build(cl_program p, uint64_t *seed)
{
    cl_device_id list[MAX_DEVICES];
    cl_uint count = 0;
    for (cl_uint i = 0; i < device_count; i++)
        if (below(seed, 2))
            list[count++] = devices[i];
    char options[64];
    snprintf(options, sizeof options, "-DX=%d%s", (int)(1 + below(seed, VARIANTS)),
             below(seed, 8) ? "" : " -DBAD");
    const bool later = below(seed, 3) == 0;
    if (later)
        atomic_fetch_add(&wanted, 1);
    const cl_int err = clBuildProgram(p, count, count ? list : NULL, options, later ? on_built : NULL, NULL);
    if (later && err)
        atomic_fetch_sub(&wanted, 1);
    // There are kernels, or a build of the same device is under way.
    CHECK(err == CL_SUCCESS || err == CL_INVALID_OPERATION || err == CL_BUILD_PROGRAM_FAILURE);
}

static void launch(cl_program p, uint64_t *seed)
{
    static const char *const names[] = {"k", "k", "k", "second", "other"};
    const cl_uint d = (cl_uint)below(seed, device_count);
    const cl_int n = (cl_int)below(seed, 1000);
    const size_t items = ITEMS;
    cl_int err = 1, out[ITEMS];
    cl_kernel k = clCreateKernel(p, names[below(seed, COUNT_OF(names))], &err);
    if (!k) {
        CHECK(err == CL_INVALID_PROGRAM_EXECUTABLE || err == CL_INVALID_KERNEL_NAME ||
              err == CL_INVALID_KERNEL_DEFINITION);
        return;
    }
    cl_mem m = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, sizeof out, out, &err);
    OK(err);
    OK(clSetKernelArg(k, 0, sizeof m, &m));
    OK(clSetKernelArg(k, 1, sizeof n, &n));
    if (below(seed, 4) == 0) {
        cl_kernel clone = clCloneKernel(k, &err);
        OK(err);
        OK(clReleaseKernel(k));
        k = clone;
    }
    err = clEnqueueNDRangeKernel(queues[d], k, 1, NULL, &items, NULL, 0, NULL, NULL);
    CHECK(err == CL_SUCCESS || err == CL_INVALID_PROGRAM_EXECUTABLE);
    OK(clFinish(queues[d]));
    char name[16];
    OK(clGetKernelInfo(k, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL));
    for (int i = 0; !err && strcmp(name, "other") != 0 && i < ITEMS; i++) {
        CHECK_EQ(out[i] % 1000, n);
        CHECK(out[i] / 1000 >= 1 && out[i] / 1000 <= VARIANTS);
    }
    size_t size;
    CHECK_EQ(clGetKernelWorkGroupInfo(k, devices[d], CL_KERNEL_WORK_GROUP_SIZE, sizeof size, &size, NULL),
             err ? CL_INVALID_DEVICE : CL_SUCCESS);
    atomic_fetch_add(&launched, err == CL_SUCCESS);
    OK(clReleaseKernel(k));
    OK(clReleaseMemObject(m));
}

static void ask(cl_program p, uint64_t *seed)
{
    char text[8192];
    size_t sizes[MAX_DEVICES], size;
    cl_build_status status;
    cl_device_id d = devices[below(seed, device_count)];
    OK(clGetProgramBuildInfo(p, d, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
    OK(clGetProgramBuildInfo(p, d, CL_PROGRAM_BUILD_OPTIONS, sizeof text, text, &size));
    OK(clGetProgramBuildInfo(p, d, CL_PROGRAM_BUILD_LOG, sizeof text, text, &size));
    OK(clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, NULL));
    cl_int err = clGetProgramInfo(p, CL_PROGRAM_KERNEL_NAMES, sizeof text, text, &size);
    CHECK(err == CL_SUCCESS || err == CL_INVALID_PROGRAM_EXECUTABLE);
    cl_kernel kernels[8];
    cl_uint count = 0;
    err = clCreateKernelsInProgram(p, COUNT_OF(kernels), kernels, &count);
    CHECK(err == CL_SUCCESS || err == CL_INVALID_PROGRAM_EXECUTABLE);
    for (cl_uint i = 0; !err && i < count; i++)
        OK(clReleaseKernel(kernels[i]));
    if (below(seed, 8) == 0)
        OK(clUnloadPlatformCompiler(the_platform()));
}

static void *run(void *arg)
{
    static void (*const all[])(cl_program p, uint64_t *seed) = {build, build, launch, launch, launch, ask};
    uint64_t seed = (uint64_t)(uintptr_t)arg * 104729 + 7;
    while (!atomic_load(&stop))
        all[below(&seed, COUNT_OF(all))](programs[below(&seed, PROGRAMS)], &seed);
    return NULL;
}

TEST(programs_are_built_and_used_at_any_time)
{
    const char *seconds = getenv("WEFT_TEST_SECONDS");
    cl_int err = 1;
    device_count = device_and_parts(the_device(), devices, MAX_DEVICES);
    context = clCreateContext(NULL, device_count, devices, NULL, NULL, &err);
    OK(err);
    for (cl_uint i = 0; i < device_count; i++) {
        queues[i] = clCreateCommandQueueWithProperties(context, devices[i], NULL, &err);
        OK(err);
    }
    for (int i = 0; i < PROGRAMS; i++)
        programs[i] = new_program(context, source);
    pthread_t threads[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, run, (void *)i), 0);
    sleep_ms(1000 * (seconds ? atoi(seconds) : 2));
    await_count(&launched, 1); // on a machine that is busy two seconds may not be enough for one build
    atomic_store(&stop, true);
    for (int i = 0; i < THREADS; i++)
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
    await_count(&reported, atomic_load(&wanted));
    CHECK_EQ(atomic_load(&reported), atomic_load(&wanted));
    CHECK_GE(atomic_load(&launched), 1);
    for (int i = 0; i < PROGRAMS; i++)
        OK(clReleaseProgram(programs[i]));
    for (cl_uint i = 0; i < device_count; i++)
        OK(clReleaseCommandQueue(queues[i]));
    OK(clReleaseContext(context));
    for (cl_uint i = 1; i < device_count; i++)
        OK(clReleaseDevice(devices[i]));
}
