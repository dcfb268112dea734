// Collective functions of work-groups, compared with results of the host: each function and type, groups of
// one work-item and of odd sizes, several dimensions, smaller groups at the ends.
// timeout: 300
#include "e2e.h"

#include <math.h>
#include <string.h>

enum { MAX_ITEMS = 6000, RESULTS = 9 };

static const char source[] =
    "kernel void all(global const T *in, global T *out, uint n, uint3 from)\n"
    "{\n"
    "    size_t i = get_global_linear_id();\n"
    "    T v = in[i];\n"
    "    out[i] = work_group_reduce_add(v);\n"
    "    out[i + n] = work_group_reduce_min(v);\n"
    "    out[i + 2 * n] = work_group_reduce_max(v);\n"
    "    out[i + 3 * n] = work_group_scan_inclusive_add(v);\n"
    "    out[i + 4 * n] = work_group_scan_exclusive_add(v);\n"
    "    out[i + 5 * n] = work_group_scan_inclusive_min(v) + work_group_scan_inclusive_max(v);\n"
    "    T low = work_group_scan_exclusive_min(v), high = work_group_scan_exclusive_max(v);\n"
    "    out[i + 6 * n] = get_local_linear_id() ? low - high : (T)(low > high);\n"
    "    out[i + 7 * n] = get_work_dim() == 1   ? work_group_broadcast(v, from.x)\n"
    "                     : get_work_dim() == 2 ? work_group_broadcast(v, from.x, from.y)\n"
    "                                           : work_group_broadcast(v, from.x, from.y, from.z);\n"
    "    out[i + 8 * n] = (T)(work_group_any(v == 7) * 2 + work_group_all(v < 90));\n"
    "}\n";

struct launch {
    cl_uint dims;
    size_t global[3], local[3];
};
static const struct launch launches[] = {
    {1, {256, 1, 1}, {64, 1, 1}},    {1, {1000, 1, 1}, {250, 1, 1}}, {1, {5, 1, 1}, {1, 1, 1}},
    {1, {4096, 1, 1}, {4096, 1, 1}}, {1, {515, 1, 1}, {103, 1, 1}},  {2, {12, 40, 1}, {6, 5, 1}},
    {2, {3, 128, 1}, {1, 64, 1}},    {3, {10, 9, 8}, {5, 3, 4}},     {1, {1003, 1, 1}, {100, 1, 1}},
    {2, {50, 33, 1}, {16, 7, 1}},
};

// All values in this test are small integers, so sums are exact in every type.
static void expect(const struct launch *l, const int *in, const size_t group[3], size_t n,
                   const size_t from[3], double *want)
{
    size_t size[3], at[MAX_ITEMS], count = 0;
    for (unsigned d = 0; d < 3; d++) {
        size_t left = l->global[d] - group[d] * l->local[d];
        size[d] = left < l->local[d] ? left : l->local[d];
    }
    for (size_t z = 0; z < size[2]; z++)
        for (size_t y = 0; y < size[1]; y++)
            for (size_t x = 0; x < size[0]; x++)
                at[count++] = ((group[2] * l->local[2] + z) * l->global[1] + group[1] * l->local[1] + y) *
                                  l->global[0] +
                              group[0] * l->local[0] + x;
    int sum = 0, low = 1000, high = -1, any = 0, all = 1;
    for (size_t i = 0; i < count; i++) {
        int v = in[at[i]];
        want[at[i] + 4 * n] = sum;
        want[at[i] + 6 * n] = i ? low - high : 1;
        sum += v;
        low = v < low ? v : low;
        high = v > high ? v : high;
        any |= v == 7;
        all &= v < 90;
        want[at[i] + 3 * n] = sum;
        want[at[i] + 5 * n] = low + high;
    }
    int reported = in[at[(from[2] * size[1] + from[1]) * size[0] + from[0]]];
    for (size_t i = 0; i < count; i++) {
        want[at[i]] = sum;
        want[at[i] + n] = low;
        want[at[i] + 2 * n] = high;
        want[at[i] + 7 * n] = reported;
        want[at[i] + 8 * n] = 2 * any + all;
    }
}

static double element(const void *data, const char *type, size_t i)
{
    return strcmp(type, "int") == 0     ? ((const cl_int *)data)[i]
           : strcmp(type, "uint") == 0  ? (double)(cl_int)((const cl_uint *)data)[i]
           : strcmp(type, "long") == 0  ? (double)((const cl_long *)data)[i]
           : strcmp(type, "ulong") == 0 ? (double)(cl_long)((const cl_ulong *)data)[i]
           : strcmp(type, "float") == 0 ? (double)((const cl_float *)data)[i]
                                        : ((const cl_double *)data)[i];
}

static void check(struct e2e *t, cl_kernel k, const char *type, size_t bytes, const struct launch *l)
{
    static int in[MAX_ITEMS];
    static union {
        cl_int i32[MAX_ITEMS];
        cl_long i64[MAX_ITEMS];
        cl_float f32[MAX_ITEMS];
        cl_double f64[MAX_ITEMS];
    } typed;
    static double want[MAX_ITEMS * RESULTS], got[MAX_ITEMS * RESULTS];
    size_t n = l->global[0] * l->global[1] * l->global[2];
    for (size_t i = 0; i < n; i++) {
        in[i] = (int)((i * 2654435761u >> 7) % 97);
        if (type[0] == 'f')
            typed.f32[i] = (float)in[i];
        else if (type[0] == 'd')
            typed.f64[i] = in[i];
        else if (bytes == 8)
            typed.i64[i] = in[i];
        else
            typed.i32[i] = in[i];
    }
    // An id that every group has, also the smaller groups at the ends.
    size_t from[3], groups[3], group[3];
    for (unsigned d = 0; d < 3; d++) {
        size_t rest = l->global[d] % l->local[d];
        from[d] = (rest ? rest : l->local[d]) - 1;
        groups[d] = (l->global[d] + l->local[d] - 1) / l->local[d];
    }
    for (group[2] = 0; group[2] < groups[2]; group[2]++)
        for (group[1] = 0; group[1] < groups[1]; group[1]++)
            for (group[0] = 0; group[0] < groups[0]; group[0]++)
                expect(l, in, group, n, from, want);
    cl_mem in_memory = e2e_buffer(t, bytes * n, &typed), out = e2e_buffer(t, bytes * n * RESULTS, NULL);
    cl_uint count = (cl_uint)n;
    cl_uint4 place = {{(cl_uint)from[0], (cl_uint)from[1], (cl_uint)from[2], 0}};
    E2E_ARG(k, 0, in_memory);
    E2E_ARG(k, 1, out);
    E2E_ARG(k, 2, count);
    E2E_ARG(k, 3, place);
    // Several times: first quick code, then better code.
    for (int again = 0; again < 3; again++) {
        CHECK_EQ(clEnqueueNDRangeKernel(t->queue, k, l->dims, NULL, l->global, l->local, 0, NULL, NULL),
                 CL_SUCCESS);
        e2e_read(t, out, bytes * n * RESULTS, got);
        for (size_t i = 0; i < n * RESULTS; i++)
            if (element(got, type, i) != want[i])
                FAIL("%s, launch %d, result %zu of work-item %zu: %g, not %g", type, (int)(l - launches),
                     i / n, i % n, element(got, type, i), want[i]);
    }
    CHECK_EQ(clReleaseMemObject(in_memory), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(out), CL_SUCCESS);
}

static bool is_even(const struct launch *l)
{
    for (unsigned d = 0; d < 3; d++)
        if (l->global[d] % l->local[d])
            return false;
    return true;
}

TEST(work_group_collectives_of_every_type_and_shape)
{
    struct e2e t = e2e_open();
    cl_bool has = CL_FALSE, any_size = CL_FALSE;
    CHECK_EQ(
        clGetDeviceInfo(t.device, CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, sizeof any_size, &any_size, NULL),
        CL_SUCCESS);
    CHECK_EQ(
        clGetDeviceInfo(t.device, CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, sizeof has, &has, NULL),
        CL_SUCCESS);
    CHECK_EQ(has, CL_TRUE);
    static const struct {
        const char *name;
        size_t bytes;
    } types[] = {{"int", 4}, {"uint", 4}, {"long", 8}, {"ulong", 8}, {"float", 4}, {"double", 8}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        char options[64];
        snprintf(options, sizeof options, "-cl-std=CL3.0 -DT=%s", types[i].name);
        cl_kernel k = e2e_kernel(&t, source, options, "all");
        for (size_t l = 0; l < sizeof launches / sizeof launches[0]; l++)
            if (any_size || is_even(&launches[l]))
                check(&t, k, types[i].name, types[i].bytes, &launches[l]);
        CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    }
    e2e_close(&t);
}

TEST(identities_of_exclusive_scans)
{
    struct e2e t = e2e_open();
    cl_kernel k = e2e_kernel(&t,
                             "kernel void first(global uint *p)\n"
                             "{\n"
                             "    float f = get_local_id(0);\n"
                             "    long n = get_local_id(0);\n"
                             "    uint ok = work_group_scan_exclusive_min(f) == INFINITY;\n"
                             "    ok += work_group_scan_exclusive_max(f) == -INFINITY;\n"
                             "    ok += work_group_scan_exclusive_max((double)f) == -(double)INFINITY;\n"
                             "    ok += work_group_scan_exclusive_min(n) == LONG_MAX;\n"
                             "    ok += work_group_scan_exclusive_max(n) == LONG_MIN;\n"
                             "    ok += work_group_scan_exclusive_min((int)n) == INT_MAX;\n"
                             "    ok += work_group_scan_exclusive_max((int)n) == INT_MIN;\n"
                             "    ok += work_group_scan_exclusive_min((uint)n) == UINT_MAX;\n"
                             "    ok += work_group_scan_exclusive_max((ulong)n) == 0;\n"
                             "    ok += as_uint(work_group_scan_exclusive_add(f)) == 0;\n"
                             "    if (get_local_id(0) == 0)\n"
                             "        p[get_group_id(0)] = ok;\n"
                             "}\n",
                             "-cl-std=CL3.0", "first");
    cl_uint got[3];
    cl_mem m = e2e_buffer(&t, sizeof got, NULL);
    E2E_ARG(k, 0, m);
    const size_t local = 20;
    e2e_run(&t, k, 60, &local);
    e2e_read(&t, m, sizeof got, got);
    for (int i = 0; i < 3; i++)
        CHECK_EQ(got[i], 10);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    e2e_close(&t);
}
