// Sub-groups: the host's queries agree with what the kernel sees, for all shapes of groups. Sub-group
// functions are compared with results of the host, when all work-items call them and when only some do.
// timeout: 300
#include "e2e.h"

#include <CL/cl_ext.h>

#include <string.h>

enum { MAX_ITEMS = 4096 };

struct shape {
    cl_uint dims;
    size_t local[3];
};
static const struct shape shapes[] = {
    {1, {64, 1, 1}}, {1, {1, 1, 1}}, {1, {5, 1, 1}},  {1, {100, 1, 1}}, {1, {33, 1, 1}}, {1, {4096, 1, 1}},
    {2, {16, 4, 1}}, {2, {8, 6, 1}}, {2, {24, 5, 1}}, {2, {1, 64, 1}},  {2, {17, 3, 1}}, {3, {6, 5, 4}},
};

static cl_kernel kernel(struct e2e *t, const char *source, const char *name)
{
    return e2e_kernel(t, source, "-cl-std=CL3.0", name);
}

static size_t ask(struct e2e *t, cl_kernel k, cl_kernel_sub_group_info what, const struct shape *s)
{
    size_t value = 0, bytes = 0;
    CHECK_EQ(clGetKernelSubGroupInfo(k, t->device, what, s->dims * sizeof(size_t), s->local, sizeof value,
                                     &value, &bytes),
             CL_SUCCESS);
    CHECK_EQ(bytes, sizeof value);
    return value;
}

static const char where[] = "kernel void where(global uint *p)\n"
                            "{\n"
                            "    global uint *mine = p + 7 * get_global_linear_id();\n"
                            "    mine[0] = get_sub_group_id();\n"
                            "    mine[1] = get_sub_group_local_id();\n"
                            "    mine[2] = get_sub_group_size();\n"
                            "    mine[3] = get_max_sub_group_size();\n"
                            "    mine[4] = get_num_sub_groups();\n"
                            "    mine[5] = get_enqueued_num_sub_groups();\n"
                            "    mine[6] = sub_group_reduce_add(1);\n"
                            "}\n";

TEST(the_hosts_queries_return_what_the_kernel_sees)
{
    struct e2e t = e2e_open();
    cl_kernel k = kernel(&t, where, "where");
    static cl_uint got[2 * MAX_ITEMS][7];
    cl_mem m = e2e_buffer(&t, sizeof got, NULL);
    E2E_ARG(k, 0, m);
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        const struct shape *s = &shapes[i];
        size_t most = ask(&t, k, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, s);
        size_t count = ask(&t, k, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, s);
        size_t items = s->local[0] * s->local[1] * s->local[2],
               global[3] = {2 * s->local[0], s->local[1], s->local[2]};
        CHECK_EQ(clEnqueueNDRangeKernel(t.queue, k, s->dims, NULL, global, s->local, 0, NULL, NULL),
                 CL_SUCCESS);
        e2e_read(&t, m, 2 * items * sizeof got[0], got);
        for (size_t group = 0; group < 2; group++) {
            static cl_uint sizes[MAX_ITEMS], seen[MAX_ITEMS];
            memset(sizes, 0, sizeof sizes);
            memset(seen, 0, sizeof seen);
            for (size_t n = 0; n < items; n++) {
                const cl_uint *mine =
                    got[n / s->local[0] * global[0] + group * s->local[0] + n % s->local[0]];
                CHECK_LT(mine[0], count);
                CHECK_LT(mine[1], mine[2]);
                CHECK_EQ(mine[3], most);
                CHECK_EQ(mine[4], count);
                CHECK_EQ(mine[5], count);
                CHECK_EQ(mine[6], mine[2]);
                // In linear order, each work-item continues where the one before it was.
                CHECK_EQ(mine[1], seen[mine[0]]);
                seen[mine[0]]++;
                sizes[mine[0]] = mine[2];
            }
            // All sub-groups have the same size, except that the last may be smaller.
            for (size_t g = 0; g < count; g++) {
                CHECK_EQ(seen[g], sizes[g]);
                if (g + 1 < count)
                    CHECK_EQ(sizes[g], most);
                else
                    CHECK(sizes[g] >= 1 && sizes[g] <= most);
            }
        }
    }
    // A local size for a number of sub-groups has exactly that many. If it is impossible, the size is 0.
    for (size_t want = 1; want < 4; want++) {
        size_t local[3] = {9, 9, 9};
        CHECK_EQ(clGetKernelSubGroupInfo(k, t.device, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof want,
                                         &want, sizeof local, local, NULL),
                 CL_SUCCESS);
        CHECK_EQ(local[1], 1);
        CHECK_EQ(local[2], 1);
        CHECK_EQ(ask(&t, k, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, &(struct shape){1, {local[0], 1, 1}}),
                 want);
    }
    size_t too_many = 1000000, local = 9;
    CHECK_EQ(clGetKernelSubGroupInfo(k, t.device, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof too_many,
                                     &too_many, sizeof local, &local, NULL),
             CL_SUCCESS);
    CHECK_EQ(local, 0);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    e2e_close(&t);
}

TEST(bad_questions)
{
    struct e2e t = e2e_open();
    cl_kernel k = kernel(&t, where, "where");
    size_t local = 16, value;
#define ASK(kernel, name, size, input) \
    clGetKernelSubGroupInfo(kernel, t.device, name, size, input, sizeof value, &value, NULL)
    CHECK_EQ(ASK(NULL, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL), CL_INVALID_KERNEL);
    CHECK_EQ(ASK(k, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof local, NULL), CL_INVALID_VALUE);
    CHECK_EQ(ASK(k, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof local - 1, &local), CL_INVALID_VALUE);
    CHECK_EQ(ASK(k, CL_KERNEL_WORK_GROUP_SIZE, sizeof local, &local), CL_INVALID_VALUE);
    CHECK_EQ(ASK(k, CL_KERNEL_COMPILE_NUM_SUB_GROUPS, 0, NULL), CL_SUCCESS);
    CHECK_EQ(value, 0);
    CHECK_EQ(clGetKernelSubGroupInfo(k, t.device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL, 1, &value, NULL),
             CL_INVALID_VALUE);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    e2e_close(&t);
}

// The value that the host expects of one sub-group, of work-items first..first+size-1 of a one-dimensional
// group.
static cl_int value_of(size_t i)
{
    return (cl_int)(i * 2654435761u >> 9) % 1000;
}

TEST(functions_of_sub_groups)
{
    struct e2e t = e2e_open();
    cl_kernel k =
        kernel(&t,
               "kernel void functions(global const int *in, global int *out, local int *tile)\n"
               "{\n"
               "    int i = get_global_id(0), l = get_local_id(0);\n"
               "    int v = in[i];\n"
               "    global int *r = out + 12 * i;\n"
               "    r[0] = sub_group_reduce_add(v);\n"
               "    r[1] = sub_group_scan_exclusive_max(v);\n"
               "    r[2] = sub_group_scan_inclusive_add(v);\n"
               "    r[3] = sub_group_broadcast(v, get_sub_group_size() - 1);\n"
               "    r[4] = sub_group_any(v < 100) * 2 + sub_group_all(v < 900);\n"
               "    r[5] = r[6] = -1;\n"
               "    if (v & 1) {\n"
               "        r[5] = sub_group_non_uniform_reduce_min((short)v);\n"
               "        r[6] = sub_group_ballot_bit_count(sub_group_ballot(v & 2));\n"
               "    }\n"
               "    r[7] = sub_group_shuffle_xor(v, 0);\n"
               "    r[8] = sub_group_shuffle(v, get_sub_group_size() - 1 - get_sub_group_local_id());\n"
               "    tile[l] = v;\n"
               "    sub_group_barrier(CLK_LOCAL_MEM_FENCE);\n"
               "    r[9] = tile[l - get_sub_group_local_id() + get_sub_group_size() - 1 - "
               "get_sub_group_local_id()];\n"
               "    int rounds = 0, sum = 0;\n"
               "    for (int n = v & 7; n > 0; n--) {\n"
               "        sum += sub_group_non_uniform_reduce_add(1);\n"
               "        rounds++;\n"
               "    }\n"
               "    r[10] = sum;\n"
               "    barrier(CLK_LOCAL_MEM_FENCE);\n"
               "    r[11] = (int)sub_group_reduce_add((float)(tile[l] % 7)) + "
               "work_group_reduce_max((int)get_sub_group_id());\n"
               "}\n",
               "functions");
    enum { GROUPS = 3, RESULTS = 12 };
    static cl_int in[GROUPS * 128], got[GROUPS * 128][RESULTS];
    const size_t sizes[] = {128, 100, 37, 1, 16};
    for (size_t i = 0; i < GROUPS * 128; i++)
        in[i] = value_of(i);
    cl_mem input = e2e_buffer(&t, sizeof in, in), output = e2e_buffer(&t, sizeof got, NULL);
    E2E_ARG(k, 0, input);
    E2E_ARG(k, 1, output);
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        size_t local = sizes[s],
               most = ask(&t, k, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, &(struct shape){1, {local, 1, 1}});
        CHECK_EQ(clSetKernelArg(k, 2, local * sizeof(cl_int), NULL), CL_SUCCESS);
        e2e_run(&t, k, GROUPS * local, &local);
        e2e_read(&t, output, GROUPS * local * sizeof got[0], got);
        for (size_t first = 0; first < GROUPS * local;) {
            size_t left = local - first % local, size = left < most ? left : most, odd_twos = 0;
            cl_int sum = 0, any = 0, all = 1, least = 1000, rests = 0, high = INT32_MIN, iterations[8] = {0};
            for (size_t i = first; i < first + size; i++) {
                sum += in[i];
                any |= in[i] < 100;
                all &= in[i] < 900;
                rests += in[i] % 7;
                for (int n = 1; n <= (in[i] & 7); n++)
                    iterations[(in[i] & 7) - n]++;
                if (in[i] & 1) {
                    least = in[i] < least ? in[i] : least;
                    odd_twos += (in[i] & 2) != 0;
                }
            }
            cl_int up_to = 0;
            for (size_t i = first; i < first + size; i++) {
                const cl_int *r = got[i];
                cl_int other = in[first + size - 1 - (i - first)], alive = 0;
                CHECK_EQ(r[0], sum);
                CHECK_EQ(r[1], high);
                high = in[i] > high ? in[i] : high;
                up_to += in[i];
                CHECK_EQ(r[2], up_to);
                CHECK_EQ(r[3], in[first + size - 1]);
                CHECK_EQ(r[4], 2 * any + all);
                CHECK_EQ(r[5], in[i] & 1 ? least : -1);
                CHECK_EQ(r[6], in[i] & 1 ? (cl_int)odd_twos : -1);
                CHECK_EQ(r[7], in[i]);
                CHECK_EQ(r[8], other);
                CHECK_EQ(r[9], other);
                // Iteration k is run by the work-items that have more than k iterations.
                for (int n = 0; n < (in[i] & 7); n++)
                    alive += iterations[n];
                CHECK_EQ(r[10], alive);
                CHECK_EQ(r[11], rests + (cl_int)((local + most - 1) / most - 1));
            }
            first += size;
        }
    }
    CHECK_EQ(clReleaseMemObject(input), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(output), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    e2e_close(&t);
}

// cl_intel_required_subgroup_size: a kernel gets every size that the device reports.
TEST(required_sizes)
{
    struct e2e t = e2e_open();
    size_t sizes[16], bytes;
    CHECK_EQ(clGetDeviceInfo(t.device, CL_DEVICE_SUB_GROUP_SIZES_INTEL, sizeof sizes, sizes, &bytes),
             CL_SUCCESS);
    CHECK(bytes >= 2 * sizeof sizes[0]);
    cl_mem m = e2e_buffer(&t, 128 * sizeof(cl_int), NULL);
    for (size_t i = 0; i < 2 * bytes / sizeof sizes[0]; i++) {
        size_t size = sizes[i / 2], answer = 0, local = 64, global = 128;
        const char *const more[] = {"", "-cl-opt-disable"};
        char source[400], options[64];
        snprintf(
            source, sizeof source,
            "__attribute__((intel_reqd_sub_group_size(%zu))) kernel void sums(global int *p)\n"
            "{ p[get_global_id(0)] = sub_group_reduce_add((int)get_global_id(0)) + 10000 * "
            "(int)get_sub_group_size(); }\n"
            "__attribute__((intel_reqd_sub_group_size(%zu))) kernel void plain(global int *p) { *p = 1; }\n"
            "kernel void any(global int *p) { *p = 1; }\n",
            size, size);
        snprintf(options, sizeof options, "-cl-std=CL3.0 %s", more[i % 2]);
        static const char *const names[] = {"sums", "plain", "any"};
        for (int n = 0; n < 3; n++) {
            cl_kernel k = e2e_kernel(&t, source, options, names[n]);
            CHECK_EQ(clGetKernelSubGroupInfo(k, t.device, CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL, 0, NULL,
                                             sizeof answer, &answer, NULL),
                     CL_SUCCESS);
            CHECK_EQ(answer, n < 2 ? size : 0);
            CHECK_EQ(clGetKernelSubGroupInfo(k, t.device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE,
                                             sizeof local, &local, sizeof answer, &answer, NULL),
                     CL_SUCCESS);
            if (n < 2)
                CHECK_EQ(answer, size);
            E2E_ARG(k, 0, m);
            if (n == 0) {
                cl_int got[128];
                e2e_run(&t, k, global, &local);
                e2e_read(&t, m, sizeof got, got);
                for (size_t id = 0; id < global; id++) {
                    size_t first = id / size * size;
                    CHECK_EQ(got[id], (cl_int)(size * first + size * (size - 1) / 2 + 10000 * size));
                }
            }
            CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
        }
    }
    // Other sizes are rejected with a message.
    cl_program p = e2e_program(
        &t, "__attribute__((intel_reqd_sub_group_size(3))) kernel void odd(global int *p) { *p = 1; }");
    CHECK_EQ(clBuildProgram(p, 1, &t.device, "", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    CHECK(strstr(e2e_log(&t, p), "'odd' requires sub-groups of 3"));
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    e2e_close(&t);
}
