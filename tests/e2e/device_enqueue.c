// Device-side enqueue. Children run once each, complete before the parent, wait as their flags and events
// require, and nest as deep as the queue allows. Arguments, captures and local memory arrive. Errors are
// reported. A child's fault is the parent's fault.
// timeout: 300
#include "e2e.h"

#include <string.h>

static const char source[] =
    "typedef struct { int at[40]; } many;\n"
    "kernel void each(global int *out, queue_t q)\n"
    "{\n"
    "    int i = (int)get_global_id(0);\n"
    "    int e = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(3),\n"
    "                           ^{ out[3 * i + get_global_id(0)] = i + (int)get_global_id(0); });\n"
    "    if (e != CLK_SUCCESS)\n"
    "        out[3 * i] = e;\n"
    "}\n"
    "kernel void large(global int *out)\n"
    "{\n"
    "    many m;\n"
    "    float16 v = (float16)(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);\n"
    "    for (int i = 0; i < 40; i++)\n"
    "        m.at[i] = i * i;\n"
    "    size_t size[2] = {40, 3};\n"
    "    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_2D(size), ^{\n"
    "        size_t x = get_global_id(0), y = get_global_id(1);\n"
    "        out[40 * y + x] = m.at[x] + (int)(y * v.sf);\n"
    "    });\n"
    "}\n"
    "kernel void behind(global int *out, global int *sum, queue_t q)\n"
    "{\n"
    "    size_t n = get_global_size(0);\n"
    "    if (get_global_id(0) == 0)\n"
    "        enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{\n"
    "            int s = 0;\n"
    "            for (size_t i = 0; i < n; i++)\n"
    "                s += out[i];\n"
    "            *sum = s;\n"
    "        });\n"
    "    out[get_global_id(0)] = (int)get_global_id(0);\n"
    "}\n"
    "kernel void groups(global int *out, global int *sum, queue_t q)\n"
    "{\n"
    "    size_t n = get_local_size(0), g = get_group_id(0);\n"
    "    if (get_local_id(0) == 0)\n"
    "        enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP, ndrange_1D(1), ^{\n"
    "            int s = 0;\n"
    "            for (size_t i = 0; i < n; i++)\n"
    "                s += out[g * n + i];\n"
    "            sum[g] = s;\n"
    "        });\n"
    "    work_group_barrier(CLK_GLOBAL_MEM_FENCE);\n"
    "    out[get_global_id(0)] = (int)get_local_id(0);\n"
    "}\n"
    "kernel void locals(global int *out, queue_t q, uint n)\n"
    "{\n"
    "    out[0] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(n, n),\n"
    "        ^(local void *a, local void *b) {\n"
    "            local int fixed[4];\n"
    "            local int *x = (local int *)a;\n"
    "            local long *y = (local long *)b;\n"
    "            int i = (int)get_local_id(0);\n"
    "            x[i] = i;\n"
    "            y[i] = 100 * i;\n"
    "            if (i < 4)\n"
    "                fixed[i] = 7;\n"
    "            work_group_barrier(CLK_LOCAL_MEM_FENCE);\n"
    "            int j = (int)get_local_size(0) - 1 - i;\n"
    "            out[1 + i] = x[j] + (int)y[j] + fixed[i & 3];\n"
    "        }, (uint)(n * sizeof(int)), (uint)(n * sizeof(long)));\n"
    "}\n"
    "void down(global int *out, queue_t q, int depth)\n"
    "{\n"
    "    int e = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{\n"
    "        out[0] = depth;\n"
    "        down(out, q, depth + 1);\n"
    "    });\n"
    "    if (e != CLK_SUCCESS)\n"
    "        out[1] = e;\n"
    "}\n"
    "kernel void deep(global int *out, queue_t q) { down(out, q, 1); }\n"
    "kernel void fill(global int *out, queue_t q)\n"
    "{\n"
    "    int i = (int)get_global_id(0), e = CLK_SUCCESS, taken = 0;\n"
    "    while (taken < 200) {\n"
    "        int at = 200 * i + taken;\n"
    "        e = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{ atomic_inc(&out[64 + "
    "at]); });\n"
    "        if (e != CLK_SUCCESS)\n"
    "            break;\n"
    "        taken++;\n"
    "    }\n"
    "    out[2 * i] = taken;\n"
    "    out[2 * i + 1] = e;\n"
    "}\n"
    "kernel void events(global int *out, queue_t q)\n"
    "{\n"
    "    clk_event_t go = create_user_event(), no = create_user_event(), first, both, never;\n"
    "    ndrange_t one = ndrange_1D(1);\n"
    "    out[8] = is_valid_event(go) + 2 * is_valid_event(CLK_NULL_EVENT);\n"
    "    out[9] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, one, 1, &go, &first, ^{ out[0] = 1; });\n"
    "    clk_event_t list[2] = {go, first};\n"
    "    out[10] = enqueue_marker(q, 2, list, &both);\n"
    "    out[11] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, one, 1, &both, 0, ^{ out[1] = out[0] + 1; "
    "});\n"
    "    out[12] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, one, 1, &no, &never, ^{ out[2] = 1; });\n"
    "    out[13] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, one, 1, &never, 0, ^{ out[3] = 1; });\n"
    "    out[4] = out[0] + out[1];\n"
    "    retain_event(go);\n"
    "    release_event(go);\n"
    "    set_user_event_status(no, -7);\n"
    "    set_user_event_status(go, CL_COMPLETE);\n"
    "    release_event(go);\n"
    "    release_event(no);\n"
    "    release_event(first);\n"
    "    release_event(both);\n"
    "    release_event(never);\n"
    "}\n"
    "kernel void errors(global int *out, queue_t q)\n"
    "{\n"
    "    size_t none[3] = {1, 0, 1}, huge[1] = {8192};\n"
    "    clk_event_t bad = CLK_NULL_EVENT, e;\n"
    "    void (^b)(void) = ^{ out[31] = 1; };\n"
    "    queue_t null_queue = 0;\n"
    "    out[0] = enqueue_kernel(null_queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), b);\n"
    "    out[1] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_3D(none), b);\n"
    "    out[2] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(8192, 8192), b);\n"
    "    out[3] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &bad, &e, b);\n"
    "    out[4] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^(local void *p) {\n"
    "        *(local int *)p = 1; out[31] = 1; }, (uint)0);\n"
    "    out[5] = enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^(local void *p) {\n"
    "        *(local int *)p = 1; out[31] = 1; }, 1u << 30);\n"
    "    out[6] = enqueue_marker(q, 1, &bad, &e);\n"
    "    out[7] = (int)get_kernel_work_group_size(b);\n"
    "    out[8] = (int)get_kernel_preferred_work_group_size_multiple(b);\n"
    "    out[9] = (int)get_kernel_max_sub_group_size_for_ndrange(ndrange_1D(64, 64), b);\n"
    "    out[10] = (int)get_kernel_sub_group_count_for_ndrange(ndrange_1D(64, 64), b);\n"
    "}\n"
    "kernel void times(global ulong *out, queue_t q)\n"
    "{\n"
    "    clk_event_t e;\n"
    "    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), 0, 0, &e, ^{\n"
    "        enqueue_kernel(q, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{\n"
    "            volatile int n = 0;\n"
    "            for (int i = 0; i < 100000; i++)\n"
    "                n += i;\n"
    "            out[2] = 1;\n"
    "        });\n"
    "    });\n"
    "    capture_event_profiling_info(e, CLK_PROFILING_COMMAND_EXEC_TIME, out);\n"
    "    release_event(e);\n"
    "}\n"
    "kernel void wild(global int *out, queue_t q, ulong address)\n"
    "{\n"
    "    enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ *(global int *)address = 1; });\n"
    "    out[0] = 1;\n"
    "}\n";

enum { ITEMS = 4096, CLK_FULL = -161, CLK_FAILURE = -101 };

struct rig {
    struct e2e t;
    cl_program program;
    cl_command_queue on_device;
    cl_mem out;
    cl_int got[3 * ITEMS];
};

static cl_command_queue device_queue(struct e2e *t, cl_command_queue_properties more, cl_uint size)
{
    cl_queue_properties p[] = {CL_QUEUE_PROPERTIES,
                               CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | more,
                               CL_QUEUE_SIZE, size, 0};
    cl_int error = 1;
    cl_command_queue q = clCreateCommandQueueWithProperties(t->context, t->device, p, &error);
    CHECK_EQ(error, CL_SUCCESS);
    return q;
}

static struct rig *open_rig(const char *options, cl_uint size)
{
    static struct rig r;
    r.t = e2e_open();
    r.program = e2e_build(&r.t, source, options);
    r.on_device = device_queue(&r.t, CL_QUEUE_ON_DEVICE_DEFAULT | CL_QUEUE_PROFILING_ENABLE, size);
    memset(r.got, 0, sizeof r.got);
    r.out = e2e_buffer(&r.t, sizeof r.got, r.got);
    return &r;
}

static void close_rig(struct rig *r)
{
    CHECK_EQ(clReleaseMemObject(r->out), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(r->program), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandQueue(r->on_device), CL_SUCCESS);
    e2e_close(&r->t);
}

static cl_kernel kernel_of(struct rig *r, const char *name)
{
    cl_int error = 1;
    cl_kernel k = clCreateKernel(r->program, name, &error);
    CHECK_EQ(error, CL_SUCCESS);
    E2E_ARG(k, 0, r->out);
    return k;
}

// Runs a kernel of (out, queue) and reads out.
static void run(struct rig *r, const char *name, size_t items)
{
    cl_kernel k = kernel_of(r, name);
    if (strcmp(name, "large") != 0)
        E2E_ARG(k, 1, r->on_device);
    e2e_run(&r->t, k, items, NULL);
    e2e_read(&r->t, r->out, sizeof r->got, r->got);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
}

enum { SIZE = 256 << 10 };

TEST(each_work_items_child_runs_once_with_what_it_captured)
{
    struct rig *r = open_rig("-cl-std=CL3.0", SIZE);
    for (int again = 0; again < 3; again++) {
        run(r, "each", ITEMS - 1);
        for (int i = 0; i < 3 * (ITEMS - 1); i++)
            CHECK_EQ(r->got[i], i / 3 + i % 3);
    }
    close_rig(r);
}

TEST(large_captures_arrive_aligned_and_the_default_queue_is_the_devices)
{
    struct rig *r = open_rig("-cl-std=CL2.0", SIZE);
    run(r, "large", 1);
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < 40; x++)
            CHECK_EQ(r->got[40 * y + x], x * x + 16 * y);
    close_rig(r);
}

TEST(a_child_that_waits_for_the_kernel_sees_all_it_wrote)
{
    struct rig *r = open_rig("-cl-std=CL3.0", SIZE);
    cl_kernel k = kernel_of(r, "behind");
    cl_int sum = -1;
    cl_mem out = e2e_buffer(&r->t, sizeof sum, &sum);
    E2E_ARG(k, 1, out);
    E2E_ARG(k, 2, r->on_device);
    e2e_run(&r->t, k, ITEMS, NULL);
    e2e_read(&r->t, out, sizeof sum, &sum);
    CHECK_EQ(sum, ITEMS * (ITEMS - 1) / 2);
    CHECK_EQ(clReleaseMemObject(out), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    close_rig(r);
}

TEST(a_child_that_waits_for_the_work_group_sees_what_that_wrote)
{
    struct rig *r = open_rig("-cl-std=CL3.0", SIZE);
    enum { LOCAL = 32, GROUPS = ITEMS / LOCAL };
    cl_kernel k = kernel_of(r, "groups");
    cl_int sum[GROUPS] = {0};
    cl_mem out = e2e_buffer(&r->t, sizeof sum, sum);
    size_t local = LOCAL;
    E2E_ARG(k, 1, out);
    E2E_ARG(k, 2, r->on_device);
    e2e_run(&r->t, k, ITEMS, &local);
    e2e_read(&r->t, out, sizeof sum, sum);
    for (int g = 0; g < GROUPS; g++)
        CHECK_EQ(sum[g], LOCAL * (LOCAL - 1) / 2);
    CHECK_EQ(clReleaseMemObject(out), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    close_rig(r);
}

TEST(local_arguments_have_their_places)
{
    struct rig *r = open_rig("-cl-std=CL3.0", SIZE);
    cl_kernel k = kernel_of(r, "locals");
    E2E_ARG(k, 1, r->on_device);
    for (cl_uint n = 1; n <= 64; n = 3 * n + 1) {
        E2E_ARG(k, 2, n);
        e2e_run(&r->t, k, 1, NULL);
        e2e_read(&r->t, r->out, sizeof r->got, r->got);
        CHECK_EQ(r->got[0], 0);
        for (cl_int i = 0; n >= 4 && i < (cl_int)n; i++)
            CHECK_EQ(r->got[1 + i], 101 * ((cl_int)n - 1 - i) + 7);
    }
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    close_rig(r);
}

// A child takes 64 bytes of the queue until the children that it enqueues are complete.
TEST(children_of_children_go_as_deep_as_the_queue_is_large)
{
    struct rig *r = open_rig("-cl-std=CL3.0 -g", 64 * 100);
    for (int again = 0; again < 3; again++) {
        run(r, "deep", 1);
        CHECK_EQ(r->got[0], 100);
        CHECK_EQ(r->got[1], CLK_FULL);
    }
    close_rig(r);
    r = open_rig("-cl-std=CL3.0", 64 * 20000);
    run(r, "deep", 1);
    CHECK_EQ(r->got[0], 20000);
    CHECK_EQ(r->got[1], CLK_FAILURE); // without -g every failure has the same error
    close_rig(r);
}

// A queue for which no size was given has room for a child of each of 16,384 work-items.
TEST(a_queue_of_the_usual_size_is_large)
{
    enum { MANY = 16384 };
    static const char many[] = "kernel void many(global int *out)\n"
                               "{\n"
                               "    size_t i = get_global_id(0);\n"
                               "    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL,\n"
                               "                   ndrange_1D(1), ^{ out[i] = (int)i + 1; });\n"
                               "}\n";
    static cl_int got[MANY];
    struct e2e t = e2e_open();
    const cl_queue_properties p[] = {
        CL_QUEUE_PROPERTIES,
        CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    cl_int error = 1;
    cl_command_queue q = clCreateCommandQueueWithProperties(t.context, t.device, p, &error);
    CHECK_EQ(error, CL_SUCCESS);
    cl_program program = e2e_build(&t, many, "-cl-std=CL3.0");
    cl_kernel k = clCreateKernel(program, "many", &error);
    CHECK_EQ(error, CL_SUCCESS);
    cl_mem out = e2e_buffer(&t, sizeof got, got);
    E2E_ARG(k, 0, out);
    e2e_run(&t, k, MANY, NULL);
    e2e_read(&t, out, sizeof got, got);
    for (int i = 0; i < MANY; i++)
        CHECK_EQ(got[i], i + 1);
    clReleaseMemObject(out);
    clReleaseKernel(k);
    clReleaseProgram(program);
    clReleaseCommandQueue(q);
    e2e_close(&t);
}

// Children that wait for the kernel's end occupy the queue until then. All accepted ones run once each, and
// the next launch finds the whole queue free.
TEST(a_full_queue_says_so_and_loses_nothing)
{
    struct rig *r = open_rig("-cl-std=CL3.0 -g", 64 * 100);
    for (int again = 0; again < 6; again++) {
        const int items = again < 3 ? 1 : 8;
        const cl_int zero = 0;
        int all = 0;
        CHECK_EQ(clEnqueueFillBuffer(r->t.queue, r->out, &zero, sizeof zero, 0, sizeof r->got, 0, NULL, NULL),
                 CL_SUCCESS);
        run(r, "fill", (size_t)items);
        for (int i = 0; i < items; i++) {
            const int taken = r->got[2 * i];
            CHECK_EQ(r->got[2 * i + 1], CLK_FULL);
            all += taken;
            for (int k = 0; k < 200; k++)
                CHECK_EQ(r->got[64 + 200 * i + k], k < taken ? 1 : 0);
        }
        CHECK_EQ(all, 100);
    }
    close_rig(r);
}

TEST(events_order_children_and_those_after_a_failed_one_do_not_run)
{
    struct rig *r = open_rig("-cl-std=CL3.0", SIZE);
    run(r, "events", 1);
    CHECK_EQ(r->got[0], 1);
    CHECK_EQ(r->got[1], 2);
    CHECK_EQ(r->got[2], 0);
    CHECK_EQ(r->got[3], 0);
    CHECK_EQ(r->got[4], 0); // nothing ran before the user event was set
    CHECK_EQ(r->got[8], 1);
    for (int i = 9; i < 14; i++)
        CHECK_EQ(r->got[i], 0);
    close_rig(r);
}

TEST(errors_have_names_in_programs_for_debugging)
{
    struct rig *r = open_rig("-cl-std=CL3.0 -g", SIZE);
    run(r, "errors", 1);
    CHECK_EQ(r->got[0], -102);
    CHECK_EQ(r->got[1], -160);
    CHECK_EQ(r->got[2], -160);
    CHECK_EQ(r->got[3], -57);
    CHECK_EQ(r->got[4], -51);
    CHECK_EQ(r->got[5], -5);
    CHECK_EQ(r->got[6], -57);
    CHECK_EQ(r->got[7], 4096);
    CHECK_GE(r->got[8], 4);
    CHECK_GE(r->got[9], 1);
    CHECK_EQ(r->got[10] * r->got[9], 64);
    CHECK_EQ(r->got[31], 0);
    close_rig(r);
    static const char *const options[] = {"-cl-std=CL3.0", "-cl-std=CL2.0"};
    for (size_t n = 0; n < sizeof options / sizeof *options; n++) {
        r = open_rig(options[n], SIZE);
        run(r, "errors", 1);
        for (int i = 0; i < 7; i++)
            CHECK_EQ(r->got[i], CLK_FAILURE);
        CHECK_EQ(r->got[10] * r->got[9], 64);
        close_rig(r);
    }
}

TEST(times_count_the_children)
{
    struct rig *r = open_rig("-cl-std=CL3.0", SIZE);
    cl_kernel k = kernel_of(r, "times");
    cl_int error = 1;
    cl_command_queue q = clCreateCommandQueue(r->t.context, r->t.device, CL_QUEUE_PROFILING_ENABLE, &error);
    CHECK_EQ(error, CL_SUCCESS);
    cl_event e;
    const size_t one = 1;
    E2E_ARG(k, 1, r->on_device);
    CHECK_EQ(clEnqueueNDRangeKernel(q, k, 1, NULL, &one, NULL, 0, NULL, &e), CL_SUCCESS);
    CHECK_EQ(clFinish(q), CL_SUCCESS);
    cl_ulong end, complete, got[3];
    CHECK_EQ(clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL), CL_SUCCESS);
    CHECK_EQ(clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_COMPLETE, sizeof complete, &complete, NULL),
             CL_SUCCESS);
    e2e_read(&r->t, r->out, sizeof got, got);
    CHECK_EQ(got[2], 1);
    CHECK_GE(got[0], 1);
    CHECK_GE(got[1], got[0] + 10000); // the inner child counts to 100,000
    CHECK_GE(complete, end + 10000);
    CHECK_EQ(clReleaseEvent(e), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandQueue(q), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    close_rig(r);
}

TEST(a_fault_of_a_child_fails_the_parent)
{
    struct rig *r = open_rig("-cl-std=CL3.0", SIZE);
    cl_kernel k = kernel_of(r, "wild");
    const cl_ulong address = 0x10;
    const size_t one = 1;
    cl_event e;
    E2E_ARG(k, 1, r->on_device);
    E2E_ARG(k, 2, address);
    CHECK_EQ(clEnqueueNDRangeKernel(r->t.queue, k, 1, NULL, &one, NULL, 0, NULL, &e), CL_SUCCESS);
    CHECK_EQ(clFinish(r->t.queue), CL_SUCCESS);
    CHECK_EQ(e2e_status(e), CL_OUT_OF_RESOURCES);
    CHECK_EQ(clReleaseEvent(e), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    run(r, "each", 10);
    CHECK_EQ(r->got[29], 11);
    close_rig(r);
}

// If a kernel damages what it enqueues, so that enqueue_kernel faults, that takes no space in the queue. A
// wait list at a low address always faults. A block of nearly a MiB that lies on the stack faults as well,
// unless something else lies behind that stack: then it is a child like any other.
TEST(faults_in_enqueue_kernel_take_no_room)
{
    struct e2e t = e2e_open();
    enum { SMALL = 4 << 10, FAULTS = 100, BEYOND_THE_STACK = 1023 << 10 }; // room for 64 children
    cl_command_queue on_device = device_queue(&t, CL_QUEUE_ON_DEVICE_DEFAULT, SMALL);
    cl_program p = e2e_build(&t,
                             "kernel void spoil(global int *out, uint size, ulong list)\n"
                             "{\n"
                             "    void (^b)(void) = ^{ out[0] = 1; };\n"
                             "    if (size) *(volatile uint *)b = size;\n"
                             "    out[1] = list ? enqueue_kernel(get_default_queue(), "
                             "CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1,\n"
                             "                                   (clk_event_t *)list, NULL, b)\n"
                             "                  : enqueue_kernel(get_default_queue(), "
                             "CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), b);\n"
                             "}\n",
                             "-cl-std=CL3.0 -g");
    cl_int error = 1, got[2] = {0, 77};
    cl_kernel k = clCreateKernel(p, "spoil", &error);
    CHECK_EQ(error, CL_SUCCESS);
    cl_mem out = e2e_buffer(&t, sizeof got, got);
    const size_t one = 1;
    int list_faults = 0, block_faults = 0;
    for (int i = 0; i <= 2 * FAULTS; i++) {
        const bool last = i == 2 * FAULTS, bad_list = !last && i % 2, bad_block = !last && !bad_list;
        const cl_uint size = bad_block ? BEYOND_THE_STACK : 0;
        const cl_ulong list = bad_list ? 16 : 0;
        cl_event e;
        E2E_ARG(k, 0, out);
        E2E_ARG(k, 1, size);
        E2E_ARG(k, 2, list);
        CHECK_EQ(clEnqueueNDRangeKernel(t.queue, k, 1, NULL, &one, NULL, 0, NULL, &e), CL_SUCCESS);
        CHECK_EQ(clFinish(t.queue), CL_SUCCESS);
        list_faults += bad_list && e2e_status(e) < 0;
        block_faults += bad_block && e2e_status(e) < 0;
        CHECK_EQ(clReleaseEvent(e), CL_SUCCESS);
    }
    CHECK_EQ(list_faults, FAULTS);
    CHECK(block_faults > 0);
    e2e_read(&t, out, sizeof got, got);
    CHECK_EQ(got[1], 0);
    CHECK_EQ(got[0], 1);
    CHECK_EQ(clReleaseMemObject(out), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandQueue(on_device), CL_SUCCESS);
    e2e_close(&t);
}

// Macros put parentheses around their arguments. Clang 19 crashes at blocks in parentheses.
TEST(blocks_may_be_in_brackets)
{
    struct rig *r = open_rig("-cl-std=CL2.0", SIZE);
    for (int version = 2; version <= 3; version++) {
        cl_program p = e2e_build(
            &r->t,
            "#define CALL(f, x) (f)(x)\n"
            "int (^const thousand)(int) = (^(int x) { return x + 1000; });\n"
            "kernel void k(global int *out)\n"
            "{\n"
            "    int i = (int)get_global_id(0);\n"
            "    int4 v = (int4)(i, 2, 3, 4);\n"
            "    int (^f)(int) = ((^(int x) { return x * 10 + v.x; }));\n"
            "    out[i] = (^{ return v.x; })() + CALL(f, 3) + (thousand)(5) +\n"
            "             (^(int x) { return (^{ return x * v.y; })(); })(9) + ((f))((f)(1));\n"
            "    if (i > 0)\n"
            "        return;\n"
            "    void (^w)(void) = ^{ out[104] = v.w; };\n"
            "    enqueue_kernel((get_default_queue()), (CLK_ENQUEUE_FLAGS_NO_WAIT), ndrange_1D(4),\n"
            "                   (^{ out[100 + get_global_id(0)] = v.z; }));\n"
            "    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), (w));\n"
            "}\n",
            version == 2 ? "-cl-std=CL2.0" : "-cl-std=CL3.0");
        cl_kernel k = clCreateKernel(p, "k", NULL);
        CHECK(k != NULL);
        E2E_ARG(k, 0, r->out);
        e2e_run(&r->t, k, 16, NULL);
        e2e_read(&r->t, r->out, sizeof r->got, r->got);
        for (int i = 0; i < 16; i++)
            CHECK_EQ(r->got[i], i + (30 + i) + 1005 + 18 + (10 * (10 + i) + i));
        for (int i = 100; i < 104; i++)
            CHECK_EQ(r->got[i], 3);
        CHECK_EQ(r->got[104], 4);
        CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
        CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    }
    cl_program bad = e2e_program(
        &r->t, "kernel void k(global int *out, int n)\n{\n    int (^a)(int) = ^(int x) { return x + n; };\n"
               "    int (^c)(int) = n ? a : a;\n    out[0] = c(3);\n}\n");
    CHECK_EQ(clBuildProgram(bad, 0, NULL, "-cl-std=CL3.0", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    CHECK_CONTAINS(e2e_log(&r->t, bad), "error: block"); // Clang 22 refuses it itself
    CHECK_EQ(clReleaseProgram(bad), CL_SUCCESS);
    close_rig(r);
}

// ---- The host's side ----

TEST(kernels_of_blocks_are_not_the_applications)
{
    struct rig *r = open_rig("-cl-std=CL3.0", SIZE);
    size_t count = 0;
    char names[512];
    cl_uint made = 0;
    cl_int error = 1;
    CHECK_EQ(clGetProgramInfo(r->program, CL_PROGRAM_NUM_KERNELS, sizeof count, &count, NULL), CL_SUCCESS);
    CHECK_EQ(count, 11);
    CHECK_EQ(clGetProgramInfo(r->program, CL_PROGRAM_KERNEL_NAMES, sizeof names, names, NULL), CL_SUCCESS);
    if (strstr(names, "block"))
        FAIL("%s", names);
    CHECK_EQ(clCreateKernel(r->program, "__each_block_invoke_kernel", &error), NULL);
    CHECK_EQ(error, CL_INVALID_KERNEL_NAME);
    cl_kernel all[11];
    CHECK_EQ(clCreateKernelsInProgram(r->program, 10, all, NULL), CL_INVALID_VALUE);
    CHECK_EQ(clCreateKernelsInProgram(r->program, 11, all, &made), CL_SUCCESS);
    CHECK_EQ(made, 11);
    for (int i = 0; i < 11; i++)
        CHECK_EQ(clReleaseKernel(all[i]), CL_SUCCESS);
    close_rig(r);
}

TEST(a_queue_argument_is_a_queue_on_the_device)
{
    struct rig *r = open_rig("-cl-std=CL3.0", SIZE);
    cl_kernel k = kernel_of(r, "each");
    cl_command_queue none = NULL;
    CHECK_EQ(clSetKernelArg(k, 1, sizeof none, NULL), CL_INVALID_DEVICE_QUEUE);
    CHECK_EQ(clSetKernelArg(k, 1, sizeof none, &none), CL_INVALID_DEVICE_QUEUE);
    CHECK_EQ(clSetKernelArg(k, 1, sizeof none, &r->t.queue), CL_INVALID_DEVICE_QUEUE);
    CHECK_EQ(clSetKernelArg(k, 1, 4, &r->on_device), CL_INVALID_ARG_SIZE);
    const size_t one = 1;
    CHECK_EQ(clEnqueueNDRangeKernel(r->on_device, k, 1, NULL, &one, NULL, 0, NULL, NULL),
             CL_INVALID_COMMAND_QUEUE);
    CHECK_EQ(clFinish(r->on_device), CL_INVALID_COMMAND_QUEUE);
    // A queue that is released while a launch uses it.
    cl_command_queue brief = device_queue(&r->t, 0, 8192);
    E2E_ARG(k, 1, brief);
    e2e_run(&r->t, k, 100, NULL);
    CHECK_EQ(clReleaseCommandQueue(brief), CL_SUCCESS);
    e2e_read(&r->t, r->out, sizeof r->got, r->got);
    for (int i = 0; i < 300; i++)
        CHECK_EQ(r->got[i], i / 3 + i % 3);
    CHECK_EQ(clEnqueueNDRangeKernel(r->t.queue, k, 1, NULL, &one, NULL, 0, NULL, NULL),
             CL_INVALID_KERNEL_ARGS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    close_rig(r);
}

TEST(a_binary_of_the_program_does_the_same)
{
    struct rig *r = open_rig("-cl-std=CL3.0", SIZE);
    run(r, "each", 10);
    size_t size = 0;
    CHECK_EQ(clGetProgramInfo(r->program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL), CL_SUCCESS);
    unsigned char *bytes = malloc(size);
    CHECK_EQ(clGetProgramInfo(r->program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(r->program), CL_SUCCESS);
    cl_int error = 1, zero = 0;
    r->program = clCreateProgramWithBinary(r->t.context, 1, &r->t.device, &size,
                                           (const unsigned char **)&bytes, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    free(bytes);
    CHECK_EQ(clBuildProgram(r->program, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueFillBuffer(r->t.queue, r->out, &zero, sizeof zero, 0, sizeof r->got, 0, NULL, NULL),
             CL_SUCCESS);
    run(r, "each", 10);
    for (int i = 0; i < 30; i++)
        CHECK_EQ(r->got[i], i / 3 + i % 3);
    run(r, "large", 1);
    CHECK_EQ(r->got[41], 17);
    close_rig(r);
}

// Both programs have a static function `f` with a block of the same name.
TEST(linked_programs_keep_their_blocks_apart)
{
    struct e2e t = e2e_open();
    static const char *const sources[] = {
        "static void f(queue_t q, global int *p) { enqueue_kernel(q, 0, ndrange_1D(1), ^{ p[0] = 1; }); }\n"
        "kernel void a(queue_t q, global int *p) { f(q, p); }\n",
        "void (^const fixed)(void) = ^{ };\n"
        "static void f(queue_t q, global int *p) { enqueue_kernel(q, 0, ndrange_1D(1), ^{ p[1] = 2; });\n"
        "    enqueue_kernel(q, 0, ndrange_1D(1), fixed); }\n"
        "kernel void b(queue_t q, global int *p) { f(q, p); }\n"};
    cl_program parts[2];
    for (int i = 0; i < 2; i++) {
        parts[i] = e2e_program(&t, sources[i]);
        if (clCompileProgram(parts[i], 1, &t.device, "-cl-std=CL3.0", 0, NULL, NULL, NULL, NULL))
            FAIL("%s", e2e_log(&t, parts[i]));
    }
    cl_int error = 1, got[2] = {0};
    cl_program p = clLinkProgram(t.context, 1, &t.device, NULL, 2, parts, NULL, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    cl_command_queue q = device_queue(&t, 0, 8192);
    cl_mem m = e2e_buffer(&t, sizeof got, got);
    for (int i = 0; i < 2; i++) {
        cl_kernel k = clCreateKernel(p, i ? "b" : "a", &error);
        CHECK_EQ(error, CL_SUCCESS);
        E2E_ARG(k, 0, q);
        E2E_ARG(k, 1, m);
        e2e_run(&t, k, 1, NULL);
        CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
        CHECK_EQ(clReleaseProgram(parts[i]), CL_SUCCESS);
    }
    e2e_read(&t, m, sizeof got, got);
    CHECK_EQ(got[0], 1);
    CHECK_EQ(got[1], 2);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandQueue(q), CL_SUCCESS);
    e2e_close(&t);
}
