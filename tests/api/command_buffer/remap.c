// clRemapCommandBufferKHR (cl_khr_command_buffer_multi_device 0.9.2): its errors, in their order. A copy for
// other queues does what the original does; the original's release and updates don't concern it.
// timeout: 120
#include "multi_queue_fixture.h"

TEST(remapping_checks_its_arguments)
{
    struct multi_queue h = open_multi_queue(0);
    buffer_handle b = make(&h, 0), other = make(&h, 0);
    command_handle mine = NULL, others = NULL, got = NULL;
    cl_int error = 1;
    record(&h, b, 0, 1, 0, &mine);
    record(&h, other, 0, 1, 0, &others);
    cl_command_queue bad[QUEUES] = {h.queue[0], h.queue[1], h.w.queue, (cl_command_queue)h.context};
    const struct {
        buffer_handle buffer;
        cl_bool automatic;
        cl_uint queues;
        const cl_command_queue *list;
        cl_uint handles;
        const command_handle *from;
        command_handle *to;
        cl_int error;
    } calls[] = {
        {NULL, CL_FALSE, 0, NULL, 0, NULL, NULL, CL_INVALID_COMMAND_BUFFER_KHR},
        {(buffer_handle)(void *)h.context, CL_FALSE, 0, NULL, 0, NULL, NULL, CL_INVALID_COMMAND_BUFFER_KHR},
        {b, CL_TRUE, 0, bad, 0, NULL, NULL, CL_INVALID_VALUE},
        {b, CL_TRUE, QUEUES, NULL, 0, NULL, NULL, CL_INVALID_VALUE},
        {b, CL_FALSE, 2, bad, 0, NULL, NULL, CL_INVALID_VALUE},
        {b, CL_TRUE, QUEUES, bad, 1, NULL, &got, CL_INVALID_VALUE},
        {b, CL_TRUE, QUEUES, bad, 1, &mine, NULL, CL_INVALID_VALUE},
        {b, CL_TRUE, QUEUES, bad, 0, &mine, NULL, CL_INVALID_VALUE},
        {b, CL_TRUE, QUEUES, bad, 0, NULL, &got, CL_INVALID_VALUE},
        {b, CL_TRUE, QUEUES, bad, 1, &others, &got, CL_INVALID_VALUE},
        {b, CL_TRUE, QUEUES, bad, 1, &mine, &got, CL_INVALID_COMMAND_QUEUE},
        {b, CL_TRUE, 3, bad, 1, &mine, &got, CL_INVALID_CONTEXT},
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        CHECK(clRemapCommandBufferKHR(calls[i].buffer, calls[i].automatic, calls[i].queues, calls[i].list,
                                      calls[i].handles, calls[i].from, calls[i].to, &error) == NULL);
        CHECK_EQ(error, calls[i].error);
        CHECK(got == NULL);
    }
    CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandBufferKHR(other), CL_SUCCESS);
    close_multi_queue(&h);
}

TEST(a_copy_does_the_same_on_other_queues)
{
    struct multi_queue h = open_multi_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    buffer_handle b = make(&h, 0), copy;
    cl_int error = 1;
    cl_uint point = 0, n = 0;
    for (int i = 0; i < 20; i++)
        point = record(&h, b, i % QUEUES, i, point, NULL);
    for (int recording = 1; recording >= 0; recording--) {
        if (!recording)
            CHECK_EQ(clFinalizeCommandBufferKHR(b), CL_SUCCESS);
        for (cl_uint queues = 1; queues <= QUEUES; queues++) {
            cl_command_queue reordered[QUEUES] = {h.queue[3], h.queue[2], h.queue[1], h.queue[0]};
            copy = clRemapCommandBufferKHR(b, queues < QUEUES, queues, reordered, 0, NULL, NULL, &error);
            CHECK_EQ(error, CL_SUCCESS);
            CHECK_EQ(state_of(copy), state_of(b));
            CHECK_EQ(clGetCommandBufferInfoKHR(copy, CL_COMMAND_BUFFER_NUM_QUEUES_KHR, sizeof n, &n, NULL),
                     CL_SUCCESS);
            CHECK_EQ(n, queues);
            if (recording) { // the copy's sync-points are the original's
                CHECK_EQ(clCommandBarrierWithWaitListKHR(copy, reordered[0], NULL, 1, &point, NULL, NULL),
                         CL_SUCCESS);
                CHECK_EQ(clFinalizeCommandBufferKHR(copy), CL_SUCCESS);
            }
            zero(&h);
            CHECK_EQ(status_of(0, NULL, copy), CL_COMPLETE);
            CHECK_EQ(status_of(0, NULL, copy), CL_COMPLETE);
            check_all(&h, chained(20, 2));
            CHECK_EQ(clReleaseCommandBufferKHR(copy), CL_SUCCESS);
        }
    }
    CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
    close_multi_queue(&h);
}

// A program that moves to other queues every frame: what is gone is let go of, and the last goes without
// depth.
static void *remap_many(void *arg)
{
    struct multi_queue *h = arg;
    buffer_handle b = make(h, 0);
    const cl_int one = 1;
    cl_int error = 1;
    CHECK_EQ(clCommandFillBufferKHR(b, h->queue[0], NULL, h->data, &one, sizeof one, 0, INTS * sizeof one, 0,
                                    NULL, NULL, NULL),
             CL_SUCCESS);
    CHECK_EQ(clFinalizeCommandBufferKHR(b), CL_SUCCESS);
    for (int i = 0; i < 20000; i++) {
        buffer_handle next = clRemapCommandBufferKHR(b, CL_FALSE, QUEUES, h->queue, 0, NULL, NULL, &error);
        CHECK_EQ(error, CL_SUCCESS);
        CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
        b = next;
    }
    CHECK_EQ(status_of(0, NULL, b), CL_COMPLETE);
    check_all(h, 1);
    CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
    return NULL;
}

TEST(copies_of_copies_of_copies)
{
    struct multi_queue h = open_multi_queue(0);
    pthread_attr_t small;
    pthread_t thread;
    CHECK_EQ(pthread_attr_init(&small), 0);
    CHECK_EQ(pthread_attr_setstacksize(&small, 128 << 10), 0);
    CHECK_EQ(pthread_create(&thread, &small, remap_many, &h), 0);
    CHECK_EQ(pthread_join(thread, NULL), 0);
    CHECK_EQ(pthread_attr_destroy(&small), 0);
    close_multi_queue(&h);
}

TEST(a_copy_of_one_queue_may_have_more)
{
    struct multi_queue h = open_multi_queue(0);
    cl_int error = 1;
    buffer_handle b = clCreateCommandBufferKHR(1, h.queue, NULL, &error), copy;
    for (int i = 0; i < 10; i++)
        record(&h, b, 0, i, 0, NULL);
    CHECK_EQ(clFinalizeCommandBufferKHR(b), CL_SUCCESS);
    copy = clRemapCommandBufferKHR(b, CL_TRUE, QUEUES, h.queue, 0, NULL, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
    CHECK_EQ(status_of(0, NULL, copy), CL_COMPLETE);
    check_all(&h, chained(10, 1));
    CHECK_EQ(clReleaseCommandBufferKHR(copy), CL_SUCCESS);
    close_multi_queue(&h);
}

// Of each kind of command, with arguments of each kind; the original goes first.
TEST(a_copy_keeps_what_its_commands_use)
{
    struct multi_queue h = open_multi_queue(0);
    buffer_handle b = make(&h, 0), copy;
    cl_int error = 1;
    const char *text =
        "kernel void all(global int *a, global int *b, local int *l, local long *m, int16 v, sampler_t s,\n"
        "                read_only image2d_t image)\n"
        "{\n"
        "    l[get_local_id(0)] = a[get_global_id(0)];\n"
        "    m[get_local_id(0)] = v.sf;\n"
        "    barrier(CLK_LOCAL_MEM_FENCE);\n"
        "    size_t i = get_local_size(0) - 1 - get_local_id(0);\n"
        "    b[get_global_id(0)] = l[i] + (int)m[i] + read_imagei(image, s, (int2)(1, 1)).x;\n"
        "}\n";
    cl_program p = clCreateProgramWithSource(h.context, 1, &text, NULL, &error);
    CHECK_EQ(clBuildProgram(p, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
    cl_kernel k = clCreateKernel(p, "all", &error);
    cl_mem in = clCreateBuffer(h.context, 0, INTS * sizeof(cl_int), NULL, &error);
    const cl_image_format format = {CL_R, CL_SIGNED_INT32};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    cl_mem image = clCreateImage(h.context, 0, &format, &desc, NULL, &error);
    cl_sampler sampler = clCreateSampler(h.context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &error);
    CHECK_EQ(error, CL_SUCCESS);
    cl_int16 v = {.s = {[15] = 7}};
    const size_t origin[3] = {0}, region[3] = {4, 4, 1};
    const cl_int color[4] = {30, 0, 0, 0}, five = 5;
    cl_uint points[2] = {0}, point = 0;
    size_t items = INTS, local = 64;
    CHECK_EQ(clSetKernelArg(k, 0, sizeof in, &in), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(k, 1, sizeof h.data, &h.data), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(k, 2, 64 * sizeof(cl_int), NULL), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(k, 3, 64 * sizeof(cl_long), NULL), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(k, 4, sizeof v, &v), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(k, 5, sizeof sampler, &sampler), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(k, 6, sizeof image, &image), CL_SUCCESS);
    CHECK_EQ(
        clCommandFillBufferKHR(b, h.queue[0], NULL, in, &five, 4, 0, INTS * 4, 0, NULL, &points[0], NULL),
        CL_SUCCESS);
    CHECK_EQ(
        clCommandFillImageKHR(b, h.queue[1], NULL, image, color, origin, region, 0, NULL, &points[1], NULL),
        CL_SUCCESS);
    CHECK_EQ(
        clCommandNDRangeKernelKHR(b, h.queue[2], NULL, k, 1, NULL, &items, &local, 2, points, &point, NULL),
        CL_SUCCESS);
    CHECK_EQ(
        clCommandCopyBufferKHR(b, h.queue[3], NULL, h.data, h.data, 0, 2048, 2048, 1, &point, NULL, NULL),
        CL_SUCCESS);
    CHECK_EQ(clFinalizeCommandBufferKHR(b), CL_SUCCESS);
    cl_command_queue reordered[QUEUES] = {h.queue[1], h.queue[2], h.queue[0], h.queue[1]};
    copy = clRemapCommandBufferKHR(b, CL_FALSE, QUEUES, reordered, 0, NULL, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(in), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(image), CL_SUCCESS);
    CHECK_EQ(clReleaseSampler(sampler), CL_SUCCESS);
    for (int i = 0; i < 3; i++)
        CHECK_EQ(status_of(0, NULL, copy), CL_COMPLETE);
    check_all(&h, 42);
    CHECK_EQ(clReleaseCommandBufferKHR(copy), CL_SUCCESS);
    close_multi_queue(&h);
}

TEST(the_copy_of_a_launch_is_updated_without_the_original)
{
    struct multi_queue h = open_multi_queue(0);
    buffer_handle b = make(&h, CL_COMMAND_BUFFER_MUTABLE_KHR), copy;
    command_handle handles[2], copies[2] = {NULL};
    cl_int error = 1;
    cl_uint point = record(&h, b, 1, 3, 0, &handles[0]);
    record(&h, b, 2, 4, point, &handles[1]);
    CHECK_EQ(clFinalizeCommandBufferKHR(b), CL_SUCCESS);
    copy = clRemapCommandBufferKHR(b, CL_FALSE, QUEUES, h.queue, 2, handles, copies, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK(copies[0] && copies[1] && copies[0] != handles[0] && copies[1] != handles[1]);
    CHECK_EQ(update_n(b, copies[1], 1000), CL_INVALID_MUTABLE_COMMAND_KHR);
    CHECK_EQ(update_n(copy, copies[1], 1000), CL_SUCCESS);
    CHECK_EQ(status_of(0, NULL, b), CL_COMPLETE);
    check_all(&h, 10);
    zero(&h);
    CHECK_EQ(status_of(0, NULL, copy), CL_COMPLETE);
    check_all(&h, 1006);
    CHECK_EQ(clReleaseCommandBufferKHR(b), CL_SUCCESS);
    CHECK_EQ(clReleaseCommandBufferKHR(copy), CL_SUCCESS);
    close_multi_queue(&h);
}
