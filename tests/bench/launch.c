// The cost of commands that do almost nothing.
#define CL_TARGET_OPENCL_VERSION 200 // for queues of the device
#include "bench.h"

#include <stdlib.h>

static const char count_source[] = "kernel void count(global int *p) { p[0]++; }\n";

struct launch {
    struct bench_cl cl;
    cl_kernel kernel;
    cl_mem counter;
    cl_uint launched;
};

// The compiler can't know that this writes within the array. A driver may have to isolate such a kernel.
static const char array_source[] = "kernel void count(global int *p)\n"
                                   "{\n"
                                   "    int a[16] = {0};\n"
                                   "    a[p[0] & 15] = 1;\n"
                                   "    a[p[1]] = a[p[0] & 15];\n"
                                   "    p[0] += a[p[2]];\n"
                                   "}\n";

static void open_launch_of(struct launch *l, const char *source)
{
    const cl_int zeros[3] = {0};
    bench_open(&l->cl, 0);
    l->kernel = bench_kernel(&l->cl, source, "", "count");
    l->counter = bench_buffer(&l->cl, sizeof zeros, zeros);
    l->launched = 0;
    SET_ARG(l->kernel, 0, l->counter);
}

static void open_launch(struct launch *l)
{
    open_launch_of(l, count_source);
}

static void enqueue(struct launch *l, cl_uint waits, const cl_event *list, cl_event *event)
{
    const size_t one = 1;
    CHECK(clEnqueueNDRangeKernel(l->cl.queue, l->kernel, 1, NULL, &one, &one, waits, list, event));
    l->launched++;
}

static void close_launch(struct launch *l)
{
    cl_uint seen = 0;
    CHECK(clEnqueueReadBuffer(l->cl.queue, l->counter, CL_TRUE, 0, sizeof seen, &seen, 0, NULL, NULL));
    if (seen != l->launched)
        bench_fail("%u launches counted, %u made", seen, l->launched);
}

static void finish_one(void *arg)
{
    struct launch *l = arg;
    for (int i = 0; i < 100; i++) {
        enqueue(l, 0, NULL, NULL);
        CHECK(clFinish(l->cl.queue));
    }
}

static double time_finish(const char *source)
{
    struct launch l;
    open_launch_of(&l, source);
    double t = bench_best(finish_one, &l, 1.0) / 100;
    close_launch(&l);
    return 1e6 * t;
}

static double launch_finish(void)
{
    return time_finish(count_source);
}

static double launch_array(void)
{
    return time_finish(array_source);
}

// A launch of work-groups that are over before another thread could help.
#define GROUPS 1024
static const char groups_source[] = "kernel void count(global int *p) { p[get_global_id(0)]++; }\n";

static void finish_groups(void *arg)
{
    struct launch *l = arg;
    const size_t groups = GROUPS, one = 1;
    for (int i = 0; i < 100; i++) {
        CHECK(clEnqueueNDRangeKernel(l->cl.queue, l->kernel, 1, NULL, &groups, &one, 0, NULL, NULL));
        CHECK(clFinish(l->cl.queue));
        l->launched++;
    }
}

static double launch_1024(void)
{
    struct launch l;
    cl_uint seen[GROUPS] = {0};
    bench_open(&l.cl, 0);
    l.kernel = bench_kernel(&l.cl, groups_source, "", "count");
    l.counter = bench_buffer(&l.cl, sizeof seen, seen);
    l.launched = 0;
    SET_ARG(l.kernel, 0, l.counter);
    double t = bench_best(finish_groups, &l, 1.0) / 100;
    CHECK(clEnqueueReadBuffer(l.cl.queue, l.counter, CL_TRUE, 0, sizeof seen, seen, 0, NULL, NULL));
    for (size_t i = 0; i < GROUPS; i++)
        if (seen[i] != l.launched)
            bench_fail("group %zu ran %u times in %u launches", i, seen[i], l.launched);
    return 1e6 * t;
}

static void finish_many(void *arg)
{
    struct launch *l = arg;
    for (int i = 0; i < 10000; i++)
        enqueue(l, 0, NULL, NULL);
    CHECK(clFinish(l->cl.queue));
}

static double launch_batch(void)
{
    struct launch l;
    open_launch(&l);
    double t = bench_best(finish_many, &l, 1.0) / 10000;
    close_launch(&l);
    return 1e6 * t;
}

static void chain(void *arg)
{
    struct launch *l = arg;
    cl_event last = NULL;
    for (int i = 0; i < 10000; i++) {
        cl_event event;
        enqueue(l, last ? 1 : 0, last ? &last : NULL, &event);
        if (last)
            CHECK(clReleaseEvent(last));
        last = event;
    }
    CHECK(clWaitForEvents(1, &last));
    CHECK(clReleaseEvent(last));
}

static double launch_chain(void)
{
    struct launch l;
    open_launch(&l);
    double t = bench_best(chain, &l, 1.0) / 10000;
    close_launch(&l);
    return 1e6 * t;
}

// Functions of cl_khr_command_buffer, looked up by name, because their types differ between versions of the
// header.
struct recorded {
    struct launch launch;
    void *buffer;
    cl_int (*enqueue)(cl_uint, cl_command_queue *, void *, cl_uint, const cl_event *, cl_event *);
};
#define RECORDED 1000

static void *extension_call(struct bench_cl *b, const char *name)
{
    cl_platform_id platform;
    CHECK(clGetDeviceInfo(b->device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL));
    void *call = clGetExtensionFunctionAddressForPlatform(platform, name);
    if (!call)
        bench_skip("cl_khr_command_buffer isn't there");
    return call;
}

static void open_recorded(struct recorded *r)
{
    open_launch(&r->launch);
    struct bench_cl *b = &r->launch.cl;
    void *(*create)(cl_uint, cl_command_queue *, const void *, cl_int *) =
        (void *(*)(cl_uint, cl_command_queue *, const void *, cl_int *))extension_call(
            b, "clCreateCommandBufferKHR");
    cl_int (*record)(void *, cl_command_queue, const void *, cl_kernel, cl_uint, const size_t *,
                     const size_t *, const size_t *, cl_uint, const cl_uint *, cl_uint *, void *) =
        (cl_int(*)(void *, cl_command_queue, const void *, cl_kernel, cl_uint, const size_t *, const size_t *,
                   const size_t *, cl_uint, const cl_uint *, cl_uint *,
                   void *))extension_call(b, "clCommandNDRangeKernelKHR");
    cl_int (*finalize)(void *) = (cl_int(*)(void *))extension_call(b, "clFinalizeCommandBufferKHR");
    r->enqueue = (cl_int(*)(cl_uint, cl_command_queue *, void *, cl_uint, const cl_event *,
                            cl_event *))extension_call(b, "clEnqueueCommandBufferKHR");
    const size_t one = 1;
    cl_int error;
    r->buffer = create(1, &b->queue, NULL, &error);
    CHECK(error);
    for (int i = 0; i < RECORDED; i++)
        CHECK(record(r->buffer, NULL, NULL, r->launch.kernel, 1, NULL, &one, &one, 0, NULL, NULL, NULL));
    CHECK(finalize(r->buffer));
}

static void replay_once(void *arg)
{
    struct recorded *r = arg;
    CHECK(r->enqueue(0, NULL, r->buffer, 0, NULL, NULL));
    CHECK(clFinish(r->launch.cl.queue));
    r->launch.launched += RECORDED;
}

static double launch_replay(void)
{
    struct recorded r;
    open_recorded(&r);
    double t = bench_best(replay_once, &r, 1.0) / RECORDED;
    close_launch(&r.launch);
    return 1e6 * t;
}

// A kernel with one work-item enqueues a thousand kernels.
#define CHILDREN 1000
static const char parent_source[] =
    "kernel void parent(global int *p)\n"
    "{\n"
    "    for (int i = 0; i < 1000; i++)\n"
    "        if (enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1),\n"
    "                           ^{ atomic_inc(p); }) != CLK_SUCCESS)\n"
    "            atomic_add(p, 1000000);\n"
    "}\n";

static void have_children(void *arg)
{
    struct launch *l = arg;
    enqueue(l, 0, NULL, NULL);
    CHECK(clFinish(l->cl.queue));
    l->launched += CHILDREN - 1;
}

static double launch_child(void)
{
    struct launch l;
    const cl_int zeros[3] = {0};
    cl_command_queue_properties on_device = 0;
    bench_open(&l.cl, 0);
    if (clGetDeviceInfo(l.cl.device, CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES, sizeof on_device, &on_device,
                        NULL) ||
        !on_device)
        bench_skip("no queues on the device");
    const cl_queue_properties wanted[] = {CL_QUEUE_PROPERTIES,
                                          CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_ON_DEVICE |
                                              CL_QUEUE_ON_DEVICE_DEFAULT,
                                          CL_QUEUE_SIZE, 1 << 17, 0};
    cl_int error;
    clCreateCommandQueueWithProperties(l.cl.context, l.cl.device, wanted, &error);
    CHECK(error);
    l.kernel = bench_kernel(&l.cl, parent_source, "-cl-std=CL2.0", "parent");
    l.counter = bench_buffer(&l.cl, sizeof zeros, zeros);
    l.launched = 0;
    SET_ARG(l.kernel, 0, l.counter);
    double t = bench_best(have_children, &l, 1.0) / CHILDREN;
    close_launch(&l);
    return 1e6 * t;
}

static void read_small(void *arg)
{
    struct launch *l = arg;
    cl_int value;
    for (int i = 0; i < 100; i++)
        CHECK(clEnqueueReadBuffer(l->cl.queue, l->counter, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL));
}

static double read_blocking(void)
{
    struct launch l;
    open_launch(&l);
    return 1e6 * bench_best(read_small, &l, 0.5) / 100;
}

const struct bench_case bench_launch_cases[] = {
    {"launch_finish", "us", false, launch_finish, "one work-item, enqueue + clFinish"},
    {"launch_array", "us", false, launch_array,
     "the same, of a kernel that may write beyond its private array"},
    {"launch_1024", "us", false, launch_1024, "1,024 work-groups of one work-item, enqueue + clFinish"},
    {"launch_batch", "us", false, launch_batch, "10,000 enqueues, then one clFinish: each"},
    {"launch_chain", "us", false, launch_chain,
     "10,000 enqueues, each waiting for the last one's event: each"},
    {"launch_replay", "us", false, launch_replay,
     "a command buffer of 1,000 launches, enqueue + clFinish: each"},
    {"launch_child", "us", false, launch_child,
     "a kernel that enqueues 1,000 others, enqueue + clFinish: each"},
    {"read_blocking", "us", false, read_blocking, "4 bytes, blocking clEnqueueReadBuffer"},
    {0},
};
