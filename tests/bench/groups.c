// Cooperation of the work-items of a group: local memory, barriers, local atomics, collective functions.
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FILE_CL "groups.cl"

// out[group] = the sum of the group's LOCAL numbers. If local_bytes > 0, the kernel's third argument is
// local.
enum { REDUCED = 1 << 24, LOCAL = 256 };
static double reduce(struct bench_run *r, size_t local_bytes)
{
    float *in = bench_memory(sizeof *in * REDUCED), *sums = bench_memory(sizeof *sums * (REDUCED / LOCAL));
    for (size_t i = 0; i < REDUCED; i++)
        in[i] = (float)(i * 7 % 17); // sums are exact in any order
    cl_mem bin = bench_buffer(&r->cl, sizeof *in * REDUCED, in),
           bout = bench_buffer(&r->cl, sizeof *sums * (REDUCED / LOCAL), NULL);
    BENCH_ARGS(r, BENCH_ARG(bout), BENCH_ARG(bin));
    if (local_bytes)
        CHECK(clSetKernelArg(r->kernel, 2, local_bytes, NULL));
    double t = bench_run_time(r);
    bench_run_read(r, bout, sizeof *sums * (REDUCED / LOCAL), sums);
    for (size_t g = 0; g < REDUCED / LOCAL; g++) {
        float want = 0.0f;
        for (size_t i = 0; i < LOCAL; i++)
            want += in[g * LOCAL + i];
        if (sums[g] != want)
            bench_fail("group %zu: %g, not %g", g, (double)sums[g], (double)want);
    }
    return t;
}

static double case_reduce_tree(void)
{
    struct bench_run r = {.dims = 1, .global = {REDUCED}, .local = {LOCAL}};
    bench_run_open(&r, FILE_CL, "", "reduce_tree");
    return 4e-9 * (double)REDUCED / reduce(&r, sizeof(float) * LOCAL);
}

// Skips the case unless the device has OpenCL 2.0 or later and, from 3.0 on, the feature of the query.
static void need(const char *what, cl_device_info query, const char *extension)
{
    struct bench_cl b;
    char version[128] = "", extensions[8192] = "";
    bench_open(&b, 0);
    CHECK(clGetDeviceInfo(b.device, CL_DEVICE_VERSION, sizeof version, version, NULL));
    clGetDeviceInfo(b.device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL);
    double number = strtod(version + strlen("OpenCL "), NULL);
    cl_uint has = 0; // large enough for both queries that are used
    if (number > 2.9)
        clGetDeviceInfo(b.device, query, sizeof has, &has, NULL);
    else if (number > 1.9)
        has = !extension || strstr(extensions, extension) != NULL;
    if (!has)
        bench_skip(what);
    CHECK(clReleaseCommandQueue(b.queue));
    CHECK(clReleaseContext(b.context));
}

// The -cl-std option of the language version that has these functions.
static const char *language(void)
{
    struct bench_cl b;
    char version[128] = "";
    bench_open(&b, 0);
    CHECK(clGetDeviceInfo(b.device, CL_DEVICE_VERSION, sizeof version, version, NULL));
    return version[strlen("OpenCL ")] == '2' ? "-cl-std=CL2.0" : "-cl-std=CL3.0";
}

static double case_group_reduce(void)
{
    need("no work-group collectives", 0x1068 /* CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT */, NULL);
    struct bench_run r = {.dims = 1, .global = {REDUCED}, .local = {LOCAL}};
    char options[64] = "-DCOLLECTIVES ";
    bench_run_open(&r, FILE_CL, strcat(options, language()), "group_reduce");
    return 1e-6 * (double)REDUCED / reduce(&r, 0);
}

static double case_group_scan(void)
{
    enum { N = 1 << 22 };
    need("no work-group collectives", 0x1068 /* CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT */, NULL);
    struct bench_run r = {.dims = 1, .global = {N}, .local = {LOCAL}};
    char options[64] = "-DCOLLECTIVES ";
    bench_run_open(&r, FILE_CL, strcat(options, language()), "group_scan");
    cl_uint *in = bench_memory(sizeof *in * N), *got = bench_memory(sizeof *got * N), sum = 0;
    uint64_t random = 1;
    for (size_t i = 0; i < N; i++)
        in[i] = bench_random(&random);
    cl_mem bin = bench_buffer(&r.cl, sizeof *in * N, in), bout = bench_buffer(&r.cl, sizeof *in * N, NULL);
    BENCH_ARGS(&r, BENCH_ARG(bout), BENCH_ARG(bin));
    double t = bench_run_time(&r);
    bench_run_read(&r, bout, sizeof *got * N, got);
    for (size_t i = 0; i < N; i++) {
        sum = i % LOCAL == 0 ? 0 : sum;
        if (got[i] != sum)
            bench_fail("element %zu: %u, not %u", i, got[i], sum);
        sum += in[i];
    }
    return 1e-6 * (double)N / t;
}

static double case_subgroup_reduce(void)
{
    need("no sub-groups", 0x105C /* CL_DEVICE_MAX_NUM_SUB_GROUPS */, "cl_khr_subgroups");
    struct bench_run r = {.dims = 1, .global = {REDUCED}, .local = {LOCAL}};
    char options[64] = "-DSUBGROUPS ";
    bench_run_open(&r, FILE_CL, strcat(options, language()), "subgroup_reduce");
    return 1e-6 * (double)REDUCED / reduce(&r, sizeof(float) * LOCAL);
}

static double case_scan(void)
{
    enum { N = 1 << 22 };
    struct bench_run r = {.dims = 1, .global = {N}, .local = {LOCAL}};
    bench_run_open(&r, FILE_CL, "", "scan");
    cl_uint *in = bench_memory(sizeof *in * N), *got = bench_memory(sizeof *got * N), sum = 0;
    uint64_t random = 1;
    for (size_t i = 0; i < N; i++)
        in[i] = bench_random(&random);
    cl_mem bin = bench_buffer(&r.cl, sizeof *in * N, in), bout = bench_buffer(&r.cl, sizeof *in * N, NULL);
    BENCH_ARGS(&r, BENCH_ARG(bout), BENCH_ARG(bin), BENCH_LOCAL(sizeof(cl_uint) * LOCAL));
    double t = bench_run_time(&r);
    bench_run_read(&r, bout, sizeof *got * N, got);
    for (size_t i = 0; i < N; i++) {
        sum = i % LOCAL == 0 ? in[i] : sum + in[i];
        if (got[i] != sum)
            bench_fail("element %zu: %u, not %u", i, got[i], sum);
    }
    return 1e-6 * (double)N / t;
}

static double case_histogram(void)
{
    enum { N = 1 << 22, EACH = 32 };
    struct bench_run r = {.dims = 1, .global = {N / EACH}, .local = {256}};
    bench_run_open(&r, FILE_CL, "", "histogram");
    cl_uchar *in = bench_memory(N);
    cl_uint want[256] = {0}, got[256] = {0}, again[256];
    uint64_t random = 1;
    for (size_t i = 0; i < N; i++) {
        cl_uint v = bench_random(&random);
        in[i] = (cl_uchar)((v & 255) * (v >> 8 & 255) >> 8); // some bins get more than others
        want[in[i]]++;
    }
    cl_mem bin = bench_buffer(&r.cl, N, in), bout = bench_buffer(&r.cl, sizeof got, got);
    int each = EACH;
    BENCH_ARGS(&r, BENCH_ARG(bout), BENCH_ARG(bin), BENCH_ARG(each));
    double t = bench_run_time(&r);
    bench_run_read(&r, bout, sizeof got, got);
    // One more launch must add exactly one histogram to the sum of the timed launches.
    CHECK(clEnqueueNDRangeKernel(r.cl.queue, r.kernel, 1, NULL, r.global, r.local, 0, NULL, NULL));
    bench_run_read(&r, bout, sizeof again, again);
    for (size_t i = 0; i < 256; i++) {
        if (again[i] - got[i] != want[i])
            bench_fail("bin %zu: %u, not %u", i, again[i] - got[i], want[i]);
    }
    return 1e-6 * (double)N / t;
}

static int by_value(const void *a, const void *b)
{
    cl_uint x = *(const cl_uint *)a, y = *(const cl_uint *)b;
    return (x > y) - (x < y);
}

static double case_bitonic(void)
{
    enum { N = 1 << 19, GROUP = 512 };
    struct bench_run r = {.dims = 1, .global = {N / 2}, .local = {256}};
    bench_run_open(&r, FILE_CL, "", "bitonic");
    cl_uint *in = bench_memory(sizeof *in * N), *got = bench_memory(sizeof *got * N);
    uint64_t random = 1;
    for (size_t i = 0; i < N; i++)
        in[i] = bench_random(&random);
    cl_mem data = bench_buffer(&r.cl, sizeof *in * N, in);
    BENCH_ARGS(&r, BENCH_ARG(data));
    // All launches but the first sort keys that are already sorted. The network does the same work for them.
    double t = bench_run_time(&r);
    bench_run_read(&r, data, sizeof *got * N, got);
    for (size_t i = 0; i < N; i += GROUP) {
        qsort(in + i, GROUP, sizeof *in, by_value);
        if (memcmp(in + i, got + i, GROUP * sizeof *in) != 0)
            bench_fail("group %zu is not sorted", i / GROUP);
    }
    return 1e-6 * (double)N / t;
}

static double case_fft_256(void)
{
    enum { N = 1 << 20 };
    struct bench_run r = {.dims = 1, .global = {N / 2}, .local = {128}};
    bench_run_open(&r, FILE_CL, "", "fft_256");
    float *in = bench_floats(2 * N, -1.0f, 1.0f, 1), *got = bench_memory(sizeof *got * 2 * N), twiddle[256];
    for (int k = 0; k < 128; k++) {
        twiddle[2 * k] = (float)cos(-2 * M_PI * k / 256);
        twiddle[2 * k + 1] = (float)sin(-2 * M_PI * k / 256);
    }
    cl_mem data = bench_buffer(&r.cl, sizeof *in * 2 * N, in),
           bt = bench_buffer(&r.cl, sizeof twiddle, twiddle);
    BENCH_ARGS(&r, BENCH_ARG(data), BENCH_ARG(bt));
    // Works in place. The numbers grow sixteenfold in each launch. So the first launch is checked, and the
    // timed ones start from zeros, which stay zeros.
    CHECK(clEnqueueNDRangeKernel(r.cl.queue, r.kernel, 1, NULL, r.global, r.local, 0, NULL, NULL));
    bench_run_read(&r, data, sizeof *got * 2 * N, got);
    for (size_t group = 0; group < N / 256; group += 251) {
        const float *g = in + group * 512;
        for (int k = 0; k < 256; k += 5) {
            double re = 0.0, im = 0.0;
            for (int i = 0; i < 256; i++) {
                double c = cos(-2 * M_PI * (k * i % 256) / 256), s = sin(-2 * M_PI * (k * i % 256) / 256);
                re += (double)g[2 * i] * c - (double)g[2 * i + 1] * s;
                im += (double)g[2 * i] * s + (double)g[2 * i + 1] * c;
            }
            bench_near("real part", group * 256 + (size_t)k, (double)got[group * 512 + 2 * (size_t)k], re, 0,
                       1e-3);
            bench_near("imaginary part", group * 256 + (size_t)k,
                       (double)got[group * 512 + 2 * (size_t)k + 1], im, 0, 1e-3);
        }
    }
    memset(got, 0, sizeof *got * 2 * N);
    CHECK(clEnqueueWriteBuffer(r.cl.queue, data, CL_TRUE, 0, sizeof *got * 2 * N, got, 0, NULL, NULL));
    return 1e-6 * (double)N / bench_run_time(&r);
}

static double case_column_filter(void)
{
    enum { W = 2006, H = 1024, COLUMNS = 256, OUT_W = W - 6 };
    struct bench_run r = {.dims = 2, .global = {8 * COLUMNS, H}, .local = {COLUMNS, 1}};
    bench_run_open(&r, FILE_CL, "", "column_filter");
    float *in = bench_floats(W * (H + 6), -1.0f, 1.0f, 1), *weights = bench_floats(49, -1.0f, 1.0f, 2),
          *got = bench_memory(sizeof *got * W * H);
    cl_mem bin = bench_buffer(&r.cl, sizeof *in * W * (H + 6), in),
           bweights = bench_buffer(&r.cl, sizeof *weights * 49, weights),
           out = bench_buffer(&r.cl, sizeof *got * W * H, NULL);
    int w = W, h = H + 6;
    BENCH_ARGS(&r, BENCH_ARG(out), BENCH_ARG(bin), BENCH_ARG(bweights), BENCH_ARG(w), BENCH_ARG(h));
    double t = bench_run_time(&r);
    bench_run_read(&r, out, sizeof *got * W * H, got);
    for (size_t y = 0; y < H; y += 31) {
        for (size_t x = 0; x < OUT_W; x++) {
            double want = 0;
            for (size_t k = 0; k < 49; k++)
                want += (double)in[(y + k / 7) * W + x + k % 7] * (double)weights[k];
            bench_near("number", y * W + x, (double)got[y * W + x], want, 1e-4, 1e-4);
        }
    }
    return 1e-6 * (double)(OUT_W * H) / t;
}

static double case_gemm_block(void)
{
    enum { N = 512 };
    struct bench_run r = {.dims = 2, .global = {N / 4, N / 4}, .local = {16, 4}};
    bench_run_open(&r, FILE_CL, "", "gemm_block");
    float *a = bench_floats(N * N, -1.0f, 1.0f, 1), *b = bench_floats(N * N, -1.0f, 1.0f, 2),
          *got = bench_memory(sizeof *got * N * N);
    cl_mem ba = bench_buffer(&r.cl, sizeof *a * N * N, a), bb = bench_buffer(&r.cl, sizeof *b * N * N, b),
           out = bench_buffer(&r.cl, sizeof *got * N * N, NULL);
    int n = N;
    BENCH_ARGS(&r, BENCH_ARG(out), BENCH_ARG(ba), BENCH_ARG(bb), BENCH_ARG(n));
    double t = bench_run_time(&r);
    bench_run_read(&r, out, sizeof *got * N * N, got);
    for (size_t i = 0; i < N * N; i += 1009) {
        double want = 0;
        for (size_t k = 0; k < N; k++)
            want += (double)a[k * N + i % N] * (double)b[i / N * N + k];
        bench_near("element", i, (double)got[i], want, 1e-3, 1e-2);
    }
    return 2e-9 * (double)(N * N * N) / t;
}

static double case_column_product(void)
{
    enum { N = 2048 };
    struct bench_run r = {.dims = 1, .global = {N}, .local = {64}};
    bench_run_open(&r, FILE_CL, "", "column_product");
    float *a = bench_floats(N * N, -1.0f, 1.0f, 1), *x = bench_floats(N, -1.0f, 1.0f, 2),
          *got = bench_memory(sizeof *got * N);
    cl_mem ba = bench_buffer(&r.cl, sizeof *a * N * N, a), bx = bench_buffer(&r.cl, sizeof *x * N, x),
           out = bench_buffer(&r.cl, sizeof *got * N, NULL);
    int n = N;
    BENCH_ARGS(&r, BENCH_ARG(out), BENCH_ARG(ba), BENCH_ARG(bx), BENCH_ARG(n));
    double t = bench_run_time(&r);
    bench_run_read(&r, out, sizeof *got * N, got);
    for (size_t i = 0; i < N; i += 7) {
        double want = 0;
        for (size_t k = 0; k < N; k++)
            want += (double)a[i * N + k] * (double)x[k];
        bench_near("element", i, (double)got[i], want, 1e-3, 1e-2);
    }
    return 4e-9 * (double)(N * N) / t;
}

const struct bench_case bench_group_cases[] = {
    {"reduce_tree", "GB/s", true, case_reduce_tree, "tree reduction in local memory, barriers in a loop"},
    {"scan", "Mel/s", true, case_scan, "inclusive scan of 256 numbers in local memory"},
    {"histogram", "Mel/s", true, case_histogram, "256 bins by atomics in local memory"},
    {"bitonic", "Mel/s", true, case_bitonic, "512 keys sorted by a group in local memory"},
    {"fft_256", "Mel/s", true, case_fft_256, "256 points transformed by a group in local memory"},
    {"column_filter", "Mpx/s", true, case_column_filter, "7 x 7 floats, an array kept across barriers"},
    {"gemm_block", "GFLOP/s", true, case_gemm_block, "16 results a work-item live across barriers"},
    {"column_product", "GB/s", true, case_column_product, "matrix times vector, a row a work-item, barriers"},
    {"group_reduce", "Mel/s", true, case_group_reduce, "work_group_reduce_add of 256"},
    {"group_scan", "Mel/s", true, case_group_scan, "work_group_scan_exclusive_add of 256"},
    {"subgroup_reduce", "Mel/s", true, case_subgroup_reduce, "sub_group_reduce_add, then local memory"},
    {0},
};
