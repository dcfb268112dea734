// Command buffers of programs that are built differently for their devices. Each launch runs the code of its
// queue's device, also after an update or a remap.
// timeout: 120
#include "multi_queue_fixture.h"

enum { LEFT = 1, RIGHT };

static const char source[] =
    "kernel void value(global int *p, int n) { p[get_global_id(0)] = n * X; }\n" SIZED_KERNEL;

static struct multi_queue open_apart(cl_program *p)
{
    setenv("WEFT_HWLOC_SYNTHETIC", "numa:2 l3:2 l2:2 core:1 pu:1", 1); // before the first call
    struct multi_queue h = open_multi_queue(0);
    const char *text = source;
    cl_int error = 1;
    *p = clCreateProgramWithSource(h.context, 1, &text, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clBuildProgram(*p, 1, &h.device[LEFT], "-DX=1", NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clBuildProgram(*p, 1, &h.device[RIGHT], "-DX=2", NULL, NULL), CL_SUCCESS);
    return h;
}

static cl_kernel kernel_of(cl_program p, const char *name)
{
    cl_int error = 1;
    cl_kernel k = clCreateKernel(p, name, &error);
    CHECK_EQ(error, CL_SUCCESS);
    return k;
}

static cl_int record_on(struct multi_queue *h, buffer_handle b, int queue, cl_kernel k, const size_t *local,
                        command_handle *command)
{
    const size_t items = 64;
    return clCommandNDRangeKernelKHR(b, h->queue[queue], NULL, k, 1, NULL, &items, local, 0, NULL, NULL,
                                     command);
}

static void check_run(struct multi_queue *h, buffer_handle b, const cl_int want[64])
{
    cl_int got[64];
    zero(h);
    CHECK_EQ(status_of(0, NULL, b), CL_COMPLETE);
    CHECK_EQ(clEnqueueReadBuffer(h->queue[0], h->data, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL),
             CL_SUCCESS);
    for (int i = 0; i < 64; i++)
        CHECK_EQ(got[i], want[i]);
}

static void check_value(struct multi_queue *h, buffer_handle b, cl_int want)
{
    cl_int all[64];
    for (int i = 0; i < 64; i++)
        all[i] = want;
    check_run(h, b, all);
}

static void check_sized(struct multi_queue *h, buffer_handle b, int x)
{
    cl_int all[64];
    for (int i = 0; i < 64; i++)
        all[i] = 1000 * x + 101 * (8 * x - 1 - i % (8 * x));
    check_run(h, b, all);
}

static buffer_handle make_for(struct multi_queue *h, int queue, cl_properties flags)
{
    const cl_properties properties[] = {CL_COMMAND_BUFFER_FLAGS_KHR, flags, 0};
    cl_int error = 1;
    buffer_handle b = clCreateCommandBufferKHR(1, &h->queue[queue], properties, &error);
    CHECK_EQ(error, CL_SUCCESS);
    return b;
}

static buffer_handle remap(struct multi_queue *h, buffer_handle b, int queue, const command_handle *from,
                           command_handle *to, cl_int want)
{
    cl_int error = 1;
    buffer_handle made =
        clRemapCommandBufferKHR(b, CL_FALSE, 1, &h->queue[queue], from != NULL, from, to, &error);
    CHECK_EQ(error, want);
    CHECK_EQ(made != NULL, want == CL_SUCCESS);
    return made;
}

static void let_go(struct multi_queue *h, cl_program p, cl_kernel k)
{
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    close_multi_queue(h);
}

TEST(each_queue_runs_its_devices_code)
{
    cl_program p;
    struct multi_queue h = open_apart(&p);
    cl_kernel k = kernel_of(p, "value");
    cl_int n = 5;
    CHECK_EQ(clSetKernelArg(k, 0, sizeof h.data, &h.data), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(k, 1, sizeof n, &n), CL_SUCCESS);
    for (cl_properties flags = 0; flags <= CL_COMMAND_BUFFER_MUTABLE_KHR;
         flags += CL_COMMAND_BUFFER_MUTABLE_KHR)
        for (int queue = LEFT; queue <= RIGHT; queue++) {
            buffer_handle b = make(&h, flags);
            command_handle command = NULL;
            CHECK_EQ(record_on(&h, b, 0, k, NULL, NULL), CL_INVALID_PROGRAM_EXECUTABLE);
            CHECK_EQ(record_on(&h, b, queue, k, NULL, &command), CL_SUCCESS);
            CHECK_EQ(clFinalizeCommandBufferKHR(b), CL_SUCCESS);
            check_value(&h, b, 5 * queue);
            if (flags) {
                CHECK_EQ(update_n(b, command, 7), CL_SUCCESS);
                check_value(&h, b, 7 * queue);
            }
            CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
        }
    let_go(&h, p, k);
}

TEST(a_copy_for_another_queue_runs_its_devices_code)
{
    cl_program p;
    struct multi_queue h = open_apart(&p);
    cl_kernel k = kernel_of(p, "value");
    cl_int n = 5;
    CHECK_EQ(clSetKernelArg(k, 0, sizeof h.data, &h.data), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(k, 1, sizeof n, &n), CL_SUCCESS);
    command_handle left = NULL, right = NULL, again = NULL;
    buffer_handle b = make_for(&h, LEFT, CL_COMMAND_BUFFER_MUTABLE_KHR);
    CHECK_EQ(record_on(&h, b, LEFT, k, NULL, &left), CL_SUCCESS);
    CHECK_EQ(clFinalizeCommandBufferKHR(b), CL_SUCCESS);
    remap(&h, b, 0, NULL, NULL, CL_INVALID_PROGRAM_EXECUTABLE);
    buffer_handle other = remap(&h, b, RIGHT, &left, &right, CL_SUCCESS);
    check_value(&h, other, 10);
    CHECK_EQ(update_n(other, right, 6), CL_SUCCESS);
    check_value(&h, other, 12);
    check_value(&h, b, 5);
    buffer_handle back = remap(&h, other, LEFT, &right, &again, CL_SUCCESS);
    check_value(&h, back, 6);
    CHECK_EQ(update_n(back, again, 8), CL_SUCCESS);
    check_value(&h, back, 8);
    CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandBufferKHR(other), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandBufferKHR(back), CL_SUCCESS);
    let_go(&h, p, k);
}

// Groups of another size, and more local variables before what the arguments point to; once before there is
// code, and once after.
TEST(a_copy_has_the_sizes_of_its_devices_code)
{
    cl_program p;
    struct multi_queue h = open_apart(&p);
    cl_kernel k = kernel_of(p, "sized");
    const size_t eight = 8;
    CHECK_EQ(clSetKernelArg(k, 0, sizeof h.data, &h.data), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(k, 1, 64, NULL), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(k, 2, 64, NULL), CL_SUCCESS);
    for (int round = 0; round < 4; round++) {
        const int here = LEFT + round % 2, there = RIGHT - round % 2;
        buffer_handle b = make_for(&h, here, round & 2 ? CL_COMMAND_BUFFER_MUTABLE_KHR : 0);
        CHECK_EQ(record_on(&h, b, here, k, NULL, NULL), CL_SUCCESS);
        CHECK_EQ(clFinalizeCommandBufferKHR(b), CL_SUCCESS);
        buffer_handle other = remap(&h, b, there, NULL, NULL, CL_SUCCESS);
        check_sized(&h, other, there);
        check_sized(&h, b, here);
        buffer_handle back = remap(&h, other, here, NULL, NULL, CL_SUCCESS);
        check_sized(&h, back, here);
        CHECK_EQ(clReleaseCommandBufferKHR(back), CL_SUCCESS);
        CHECK_EQ(clReleaseCommandBufferKHR(other), CL_SUCCESS);
        CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
    }
    // What the launch itself demands may not suit.
    buffer_handle b = make_for(&h, LEFT, 0);
    CHECK_EQ(record_on(&h, b, LEFT, k, &eight, NULL), CL_SUCCESS);
    remap(&h, b, RIGHT, NULL, NULL, CL_INVALID_WORK_GROUP_SIZE);
    CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
    let_go(&h, p, k);
}
