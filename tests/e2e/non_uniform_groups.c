// Smaller work-groups at the ends, in one to three dimensions: sizes and ids in the kernel, barriers, local
// memory and sub-groups. Also which kernels may not have them.
// timeout: 300
#include "e2e.h"

static const char source[] =
    "kernel void k(global uint *out, local uint *tile)\n"
    "{\n"
    "    size_t i = get_global_linear_id(), l = get_local_linear_id();\n"
    "    size_t n = get_local_size(0) * get_local_size(1) * get_local_size(2);\n"
    "    tile[l] = (uint)i;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    uint sum = 0;\n"
    "    for (size_t j = 0; j < n; j++)\n"
    "        sum += tile[j];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    tile[(l + 1) % n] = sum + (uint)l;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    uint before = tile[l] - sum;\n"
    "    out[4 * i] = sum;\n"
    "    out[4 * i + 1] = before;\n"
    "    out[4 * i + 2] = (uint)(n + 10000 * get_enqueued_local_size(0));\n"
    "    out[4 * i + 3] = (uint)(get_group_id(0) + 100 * get_num_groups(0) + 10000 * get_group_id(1) + "
    "1000000 * get_num_groups(2));\n"
    "}\n"
    "kernel void plain(global uint *out)\n"
    "{\n"
    "    size_t i = get_global_linear_id();\n"
    "    out[i] = (uint)(get_global_id(0) + 3 * get_global_id(1) + 5 * get_global_id(2));\n"
    "}\n";

struct launch {
    cl_uint dims;
    size_t global[3], local[3];
};
static const struct launch launches[] = {
    {1, {1003, 1, 1}, {100, 1, 1}}, {1, {7, 1, 1}, {16, 1, 1}},   {1, {65, 1, 1}, {64, 1, 1}},
    {1, {129, 1, 1}, {33, 1, 1}},   {1, {1021, 1, 1}, {1, 1, 1}}, {2, {50, 33, 1}, {16, 7, 1}},
    {2, {5, 70, 1}, {1, 64, 1}},    {2, {17, 3, 1}, {16, 4, 1}},  {3, {10, 9, 8}, {4, 4, 3}},
    {3, {3, 3, 3}, {2, 2, 2}},      {3, {33, 2, 5}, {32, 2, 2}},  {1, {64, 1, 1}, {64, 1, 1}},
};

enum { MAX_ITEMS = 2000 };

static void check(struct e2e *t, cl_kernel k, const struct launch *l)
{
    static cl_uint got[4 * MAX_ITEMS];
    size_t n = l->global[0] * l->global[1] * l->global[2], groups[3];
    for (unsigned d = 0; d < 3; d++)
        groups[d] = (l->global[d] + l->local[d] - 1) / l->local[d];
    cl_mem out = e2e_buffer(t, sizeof got, NULL);
    E2E_ARG(k, 0, out);
    CHECK_EQ(clSetKernelArg(k, 1, l->local[0] * l->local[1] * l->local[2] * sizeof(cl_uint), NULL),
             CL_SUCCESS);
    CHECK_EQ(clEnqueueNDRangeKernel(t->queue, k, l->dims, NULL, l->global, l->local, 0, NULL, NULL),
             CL_SUCCESS);
    e2e_read(t, out, 4 * n * sizeof(cl_uint), got);
    for (size_t i = 0; i < n; i++) {
        size_t at[3] = {i % l->global[0], i / l->global[0] % l->global[1], i / l->global[0] / l->global[1]};
        size_t size[3], first[3], items = 1;
        for (unsigned d = 0; d < 3; d++) {
            first[d] = at[d] / l->local[d] * l->local[d];
            size[d] = l->global[d] - first[d] < l->local[d] ? l->global[d] - first[d] : l->local[d];
            items *= size[d];
        }
        cl_uint sum = 0;
        for (size_t z = 0; z < size[2]; z++)
            for (size_t y = 0; y < size[1]; y++)
                for (size_t x = 0; x < size[0]; x++)
                    sum += (cl_uint)(((first[2] + z) * l->global[1] + first[1] + y) * l->global[0] +
                                     first[0] + x);
        size_t own = ((at[2] - first[2]) * size[1] + at[1] - first[1]) * size[0] + at[0] - first[0];
        const cl_uint want[4] = {sum, (cl_uint)((own + items - 1) % items),
                                 (cl_uint)(items + 10000 * l->local[0]),
                                 (cl_uint)(at[0] / l->local[0] + 100 * groups[0] +
                                           10000 * (at[1] / l->local[1]) + 1000000 * groups[2])};
        for (unsigned r = 0; r < 4; r++)
            if (got[4 * i + r] != want[r])
                FAIL("launch %d, work-item %zu, result %u: %u, not %u", (int)(l - launches), i, r,
                     got[4 * i + r], want[r]);
    }
    CHECK_EQ(clReleaseMemObject(out), CL_SUCCESS);
}

static void check_plain(struct e2e *t, cl_kernel k, const struct launch *l)
{
    static cl_uint got[MAX_ITEMS + 64];
    size_t n = l->global[0] * l->global[1] * l->global[2];
    for (size_t i = 0; i < MAX_ITEMS + 64; i++)
        got[i] = 0xabcdu;
    cl_mem out = e2e_buffer(t, sizeof got, got);
    E2E_ARG(k, 0, out);
    CHECK_EQ(clEnqueueNDRangeKernel(t->queue, k, l->dims, NULL, l->global, l->local, 0, NULL, NULL),
             CL_SUCCESS);
    e2e_read(t, out, sizeof got, got);
    for (size_t i = 0; i < MAX_ITEMS + 64; i++) {
        size_t want =
            i % l->global[0] + 3 * (i / l->global[0] % l->global[1]) + 5 * (i / l->global[0] / l->global[1]);
        if (got[i] != (i < n ? want : 0xabcd))
            FAIL("launch %d, place %zu: %u", (int)(l - launches), i, got[i]);
    }
    CHECK_EQ(clReleaseMemObject(out), CL_SUCCESS);
}

static void all(const char *options)
{
    struct e2e t = e2e_open();
    cl_kernel k = e2e_kernel(&t, source, options, "k"), plain = e2e_kernel(&t, source, options, "plain");
    for (int again = 0; again < 3; again++) // quick code, better code, other variants
        for (size_t i = 0; i < sizeof launches / sizeof *launches; i++) {
            check(&t, k, &launches[i]);
            check_plain(&t, plain, &launches[i]);
        }
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(plain), CL_SUCCESS);
    e2e_close(&t);
}

TEST(the_last_groups_are_smaller)
{
    all("-cl-std=CL3.0");
}

TEST(in_opencl_c_2_0)
{
    all("-cl-std=CL2.0");
}

TEST(in_cpp_for_opencl)
{
    all("-cl-std=CLC++1.0");
    all("-cl-std=CLC++2021");
}

TEST(in_what_kernels_of_cpp_for_opencl_enqueue)
{
    static const char *const options[] = {"-cl-std=CLC++1.0", "-cl-std=CLC++2021"};
    const cl_queue_properties on_device[] = {
        CL_QUEUE_PROPERTIES,
        CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT, 0};
    for (int i = 0; i < 2; i++) {
        struct e2e t = e2e_open();
        cl_int error = 1, out[8] = {0};
        cl_command_queue queue = clCreateCommandQueueWithProperties(t.context, t.device, on_device, &error);
        CHECK_EQ(error, CL_SUCCESS);
        cl_kernel k =
            e2e_kernel(&t,
                       "kernel void k(global int *out)\n"
                       "{\n"
                       "    out[7] = enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL,\n"
                       "                            ndrange_1D(7, 4), ^{ out[get_global_id(0)] = "
                       "get_local_size(0); });\n"
                       "}\n",
                       options[i], "k");
        cl_mem m = e2e_buffer(&t, sizeof out, out);
        E2E_ARG(k, 0, m);
        e2e_run(&t, k, 1, NULL);
        e2e_read(&t, m, sizeof out, out);
        const cl_int want[8] = {4, 4, 4, 4, 3, 3, 3, CL_SUCCESS};
        CHECK_MEM(out, want, sizeof want);
        CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
        CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
        CHECK_EQ(clReleaseCommandQueue(queue), CL_SUCCESS);
        e2e_close(&t);
    }
}

TEST(in_the_best_code_only)
{
    CHECK_EQ(setenv("WEFT_TIER", "2", 1), 0);
    all("-cl-std=CL3.0");
}

TEST(in_folded_tails)
{
    CHECK_EQ(setenv("WEFT_VARIANT", "dim0", 1), 0);
    CHECK_EQ(setenv("WEFT_TIER", "2", 1), 0);
    all("-cl-std=CL3.0");
}

TEST(whose_language_wants_one_size_gets_an_error)
{
    struct e2e t = e2e_open();
    const char *const options[] = {"",
                                   "-cl-std=CL1.2",
                                   "-cl-std=CL3.0 -cl-uniform-work-group-size",
                                   "-cl-std=CL2.0 -cl-uniform-work-group-size",
                                   "-cl-std=CLC++1.0 -cl-uniform-work-group-size",
                                   "-cl-std=CLC++2021 -cl-uniform-work-group-size"};
    const size_t global = 10, local = 4, fits = 5;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        cl_kernel k =
            e2e_kernel(&t, "kernel void k(global int *p) { p[get_global_id(0)] = 1; }", options[i], "k");
        cl_mem m = e2e_buffer(&t, 40, NULL);
        E2E_ARG(k, 0, m);
        CHECK_EQ(clEnqueueNDRangeKernel(t.queue, k, 1, NULL, &global, &local, 0, NULL, NULL),
                 CL_INVALID_WORK_GROUP_SIZE);
        CHECK_EQ(clEnqueueNDRangeKernel(t.queue, k, 1, NULL, &global, &fits, 0, NULL, NULL), CL_SUCCESS);
        CHECK_EQ(clFinish(t.queue), CL_SUCCESS);
        CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
        CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    }
    e2e_close(&t);
}

TEST(the_query_says_so)
{
    struct e2e t = e2e_open();
    cl_bool has = CL_FALSE;
    CHECK_EQ(clGetDeviceInfo(t.device, CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, sizeof has, &has, NULL),
             CL_SUCCESS);
    CHECK_EQ(has, CL_TRUE);
    e2e_close(&t);
}
