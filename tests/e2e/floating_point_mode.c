// The mode of -cl-denorms-are-zero is the kernel's own. Other kernels, callbacks, native kernels and the
// application's threads keep denormals, also after a fault and a time limit. Denormals are as fast as other
// numbers.
// timeout: 300
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "denormals_fixture.h"

// ---- What isn't such a kernel ----

static _Atomic int kept_in_callbacks, calls;

static void CL_CALLBACK on_event(cl_event e, cl_int status, void *user)
{
    (void)e, (void)status, (void)user;
    kept_in_callbacks += keeps_denormals();
    calls++;
}

static void CL_CALLBACK native(void *unused)
{
    (void)unused;
    kept_in_callbacks += keeps_denormals();
    calls++;
}

static void check_neighbours(const char *threads)
{
    enum { ROUNDS = 20, ITEMS = 100000 };
    setenv("WEFT_THREADS", threads, 1);
    struct e2e t = e2e_open();
    cl_kernel flushing = e2e_kernel(&t, operations, FLUSH, "k"), plain = e2e_kernel(&t, operations, "", "k");
    static float zeros[ITEMS];
    cl_mem in = e2e_buffer(&t, sizeof zeros, zeros), out = e2e_buffer(&t, KINDS * sizeof zeros, NULL);
    for (cl_uint i = 0; i < 3; i++)
        CHECK_EQ(clSetKernelArg(flushing, i, sizeof(cl_mem), i == 2 ? &out : &in), CL_SUCCESS);
    for (int i = 0; i < ROUNDS; i++) {
        const size_t items = ITEMS;
        cl_event e;
        CHECK_EQ(clEnqueueNDRangeKernel(t.queue, flushing, 1, NULL, &items, NULL, 0, NULL, &e), CL_SUCCESS);
        CHECK_EQ(clSetEventCallback(e, CL_COMPLETE, on_event, NULL), CL_SUCCESS);
        CHECK_EQ(clEnqueueNativeKernel(t.queue, native, NULL, 0, 0, NULL, NULL, 1, &e, NULL), CL_SUCCESS);
        CHECK_EQ(clFinish(t.queue), CL_SUCCESS);
        CHECK(keeps_denormals());
        check_kernel(&t, plain, false);
        CHECK_EQ(clReleaseEvent(e), CL_SUCCESS);
    }
    for (int i = 0; i < 1000 && calls < 2 * ROUNDS; i++)
        usleep(10000);
    CHECK_EQ(calls, 2 * ROUNDS);
    CHECK_EQ(kept_in_callbacks, calls);
}

TEST(callbacks_native_kernels_and_other_kernels_keep_denormals)
{
    check_neighbours("1");
}

TEST(the_same_with_several_threads)
{
    check_neighbours("3");
}

static void check_ended(const char *source)
{
    struct e2e t = e2e_open();
    cl_kernel k = e2e_kernel(&t, source, FLUSH, "k");
    float data[4] = {1e-40f};
    cl_mem m = e2e_buffer(&t, sizeof data, data);
    E2E_ARG(k, 0, m);
    for (int i = 0; i < 2; i++) {
        cl_event e;
        const size_t one = 1;
        CHECK_EQ(clEnqueueNDRangeKernel(t.queue, k, 1, NULL, &one, NULL, 0, NULL, &e), CL_SUCCESS);
        CHECK_EQ(clFinish(t.queue), CL_SUCCESS);
        CHECK_LT(e2e_status(e), 0);
        CHECK(keeps_denormals());
    }
    check_options(&t, "", false);
    check_options(&t, FLUSH, true);
}

TEST(a_fault_restores_the_mode)
{
    check_ended("kernel void k(global float *p) { *(global float *)64 = p[0] * 0.5f; }");
}

TEST(a_time_limit_restores_the_mode)
{
    setenv("WEFT_KERNEL_TIMEOUT", "1", 1);
    check_ended("kernel void k(volatile global float *p) { while (p[0] * 0.5f == 0.0f) ; }");
}

// ---- Launches of other kinds ----

// A child has a mode of its own: here the children that use doubles keep denormals.
TEST(a_kernel_that_is_enqueued_by_a_kernel_has_its_own_mode)
{
    static const char source[] =
        "kernel void k(global float *p, global double *d)\n"
        "{\n"
        "    queue_t q = get_default_queue();\n"
        "    p[1] = p[0] * 0.5f;\n"
        "    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{ p[2] = p[0] * 0.5f; });\n"
        "    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{ d[1] = d[0] * 0.5; p[3] = "
        "p[0] * 0.5f; "
        "});\n"
        "    p[4] = p[0] * 0.5f;\n"
        "}\n";
    struct e2e t = e2e_open();
    cl_int error = 1;
    const cl_queue_properties properties[] = {
        CL_QUEUE_PROPERTIES,
        CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT, 0};
    cl_command_queue on_device = clCreateCommandQueueWithProperties(t.context, t.device, properties, &error);
    CHECK_EQ(error, CL_SUCCESS);
    for (int flush = 0; flush < 2; flush++) {
        cl_kernel k = e2e_kernel(&t, source, flush ? "-cl-std=CL3.0 " FLUSH : "-cl-std=CL3.0", "k");
        float p[5] = {1e-40f, -1, -1, -1, -1};
        double d[2] = {DBL_MIN, -1};
        cl_mem a = e2e_buffer(&t, sizeof p, p), b = e2e_buffer(&t, sizeof d, d);
        E2E_ARG(k, 0, a);
        E2E_ARG(k, 1, b);
        e2e_run(&t, k, 1, NULL);
        CHECK_EQ(clFinish(t.queue), CL_SUCCESS);
        e2e_read(&t, a, sizeof p, p);
        e2e_read(&t, b, sizeof d, d);
        for (int i = 1; i < 5; i++)
            CHECK_EQ(p[i], flush && i != 3 ? 0 : 0.5f * 1e-40f);
        CHECK_EQ(d[1], 0.5 * DBL_MIN);
        CHECK(keeps_denormals());
    }
    CHECK_EQ(clReleaseCommandQueue(on_device), CL_SUCCESS);
}

// A float that is printed is no computation with doubles. It is converted in the kernel's mode.
TEST(a_kernel_that_prints_flushes)
{
    struct e2e t = e2e_open();
    cl_kernel k = e2e_kernel(&t,
                             "kernel void k(global float *p)\n"
                             "{\n"
                             "    p[1] = p[0] * 0.5f;\n"
                             "    printf(\"<%g %g %d>\", p[0] * 0.5f, p[2], 7);\n"
                             "    p[3] = p[0] * 0.5f;\n"
                             "}\n",
                             FLUSH, "k");
    float p[4] = {1e-40f, -1, 2.5f, -1};
    cl_mem m = e2e_buffer(&t, sizeof p, p);
    E2E_ARG(k, 0, m);
    const struct harness_capture captured = harness_capture(STDOUT_FILENO);
    e2e_run(&t, k, 1, NULL);
    CHECK_EQ(clFinish(t.queue), CL_SUCCESS);
    char text[64] = "";
    CHECK_GT(pread(harness_uncapture(&captured), text, sizeof text - 1, 0), 0);
    CHECK_STR(text, "<0 2.5 7>");
    e2e_read(&t, m, sizeof p, p);
    CHECK_EQ(p[1], 0);
    CHECK_EQ(p[3], 0);
}

// ---- Speed ----

enum { ELEMENTS = 1 << 12 };

static double seconds_of(struct e2e *t, cl_kernel k, cl_mem x, float value)
{
    struct timespec from, to;
    const size_t items = ELEMENTS;
    CHECK_EQ(
        clEnqueueFillBuffer(t->queue, x, &value, sizeof value, 0, ELEMENTS * sizeof value, 0, NULL, NULL),
        CL_SUCCESS);
    CHECK_EQ(clFinish(t->queue), CL_SUCCESS);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
    CHECK_EQ(clEnqueueNDRangeKernel(t->queue, k, 1, NULL, &items, NULL, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clFinish(t->queue), CL_SUCCESS);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
    return (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
}

// Processor time with denormals, in that with normal numbers: of several turns each, since some systems count
// a process's time in steps of milliseconds.
static double slowdown(struct e2e *t, const char *options)
{
    cl_kernel k = e2e_kernel(t,
                             "kernel void k(global const float *x, global float *out)\n"
                             "{\n"
                             "    float a = x[get_global_id(0)], s = a;\n"
                             "    for (int i = 0; i < 20000; i++)\n"
                             "        s = s * 0.5f + a;\n"
                             "    out[get_global_id(0)] = s;\n"
                             "}\n",
                             options, "k");
    cl_mem x = e2e_buffer(t, ELEMENTS * sizeof(float), NULL),
           out = e2e_buffer(t, ELEMENTS * sizeof(float), NULL);
    E2E_ARG(k, 0, x);
    E2E_ARG(k, 1, out);
    const double enough = 0.3;
    double normal = 0, denormal = 0;
    seconds_of(t, k, x, 1);
    for (int i = 0; i < 5 || normal + denormal < enough; i++) {
        normal += seconds_of(t, k, x, 1);
        denormal += seconds_of(t, k, x, 1e-40f);
    }
    return denormal / normal;
}

TEST(denormals_are_as_fast_as_other_numbers)
{
    setenv("WEFT_TIER", "2", 1);
    struct e2e t = e2e_open();
    const double kept = slowdown(&t, "");
    if (kept < 4)
        SKIP("this processor is nearly as fast on denormals: %.1f", kept);
    const double flushed = slowdown(&t, FLUSH);
    if (flushed > 2)
        FAIL("denormals take %.1f times as long with the option, %.1f times without", flushed, kept);
}
