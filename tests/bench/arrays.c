// Memory access patterns: matrices, stencils, sparse rows, transposition.
#include "bench.h"

#include <stdlib.h>

#define FILE_CL "arrays.cl"

static double gemm(const char *kernel, size_t local)
{
    enum { N = 512 };
    struct bench_run r = {.dims = 2, .global = {N, N}, .local = {local, local}};
    bench_run_open(&r, FILE_CL, "", kernel);
    size_t bytes = sizeof(float) * N * N;
    float *a = bench_floats(N * N, -1.0f, 1.0f, 1), *b = bench_floats(N * N, -1.0f, 1.0f, 2),
          *got = bench_memory(bytes);
    cl_mem ba = bench_buffer(&r.cl, bytes, a), bb = bench_buffer(&r.cl, bytes, b),
           bc = bench_buffer(&r.cl, bytes, NULL);
    int n = N;
    BENCH_ARGS(&r, BENCH_ARG(bc), BENCH_ARG(ba), BENCH_ARG(bb), BENCH_ARG(n));
    double t = bench_run_time(&r);
    bench_run_read(&r, bc, bytes, got);
    for (size_t i = 0; i < N * N; i += 37) {
        double want = 0.0;
        for (size_t k = 0; k < N; k++)
            want += (double)a[i / N * N + k] * (double)b[k * N + i % N];
        bench_near("element", i, (double)got[i], want, 1e-4, 1e-4);
    }
    return 2e-9 * (double)N * (double)N * (double)N / t;
}

static double case_gemm_naive(void)
{
    return gemm("gemm_naive", 0);
}

static double case_gemm_tiled(void)
{
    return gemm("gemm_tiled", 16);
}

static size_t clamped(size_t at, int offset, size_t limit)
{
    long long v = (long long)at + offset;
    return v < 0 ? 0 : v >= (long long)limit ? limit - 1 : (size_t)v;
}

static double case_convolve_5x5(void)
{
    enum { W = 2048, H = 1024 };
    struct bench_run r = {.dims = 2, .global = {W, H}};
    bench_run_open(&r, FILE_CL, "", "convolve_5x5");
    size_t bytes = sizeof(float) * W * H;
    float *in = bench_floats(W * H, 0.0f, 1.0f, 1), *weights = bench_floats(25, -1.0f, 1.0f, 2),
          *got = bench_memory(bytes);
    cl_mem bin = bench_buffer(&r.cl, bytes, in), bw = bench_buffer(&r.cl, sizeof(float) * 25, weights),
           bout = bench_buffer(&r.cl, bytes, NULL);
    int w = W, h = H;
    BENCH_ARGS(&r, BENCH_ARG(bout), BENCH_ARG(bin), BENCH_ARG(bw), BENCH_ARG(w), BENCH_ARG(h));
    double t = bench_run_time(&r);
    bench_run_read(&r, bout, bytes, got);
    for (size_t p = 0; p < W * H; p += p < 4 * W ? 1 : 101) {
        double want = 0.0;
        for (int j = -2; j <= 2; j++)
            for (int i = -2; i <= 2; i++)
                want += (double)in[clamped(p / W, j, H) * W + clamped(p % W, i, W)] *
                        (double)weights[(j + 2) * 5 + i + 2];
        bench_near("pixel", p, (double)got[p], want, 1e-4, 1e-5);
    }
    return 1e-6 * (double)(W * H) / t;
}

static double case_stencil_3d(void)
{
    enum { W = 160, H = 160, D = 160, N = W * H * D };
    struct bench_run r = {.dims = 3, .global = {W, H, D}};
    bench_run_open(&r, FILE_CL, "", "stencil_3d");
    size_t bytes = sizeof(float) * N;
    float *in = bench_floats(N, 0.0f, 1.0f, 1), *got = bench_memory(bytes), c0 = 0.4f, c1 = 0.1f;
    cl_mem bin = bench_buffer(&r.cl, bytes, in), bout = bench_buffer(&r.cl, bytes, NULL);
    int w = W, h = H, d = D;
    BENCH_ARGS(&r, BENCH_ARG(bout), BENCH_ARG(bin), BENCH_ARG(w), BENCH_ARG(h), BENCH_ARG(d), BENCH_ARG(c0),
               BENCH_ARG(c1));
    double t = bench_run_time(&r);
    bench_run_read(&r, bout, bytes, got);
    for (size_t i = 0; i < N; i++) {
        size_t x = i % W, y = i / W % H, z = i / (W * H);
        bool border = x == 0 || y == 0 || z == 0 || x == W - 1 || y == H - 1 || z == D - 1;
        float want = border ? in[i]
                            : c0 * in[i] + c1 * (in[i - 1] + in[i + 1] + in[i - W] + in[i + W] +
                                                 in[i - W * H] + in[i + W * H]);
        bench_near("point", i, (double)got[i], (double)want, 1e-5, 1e-6);
    }
    return 1e-6 * (double)N / t;
}

static double case_spmv(void)
{
    enum { ROWS = 1 << 18 };
    struct bench_run r = {.dims = 1, .global = {ROWS}};
    bench_run_open(&r, FILE_CL, "", "spmv");
    int *first = bench_memory(sizeof(int) * (ROWS + 1));
    uint64_t random = 1;
    first[0] = 0;
    for (size_t i = 0; i < ROWS; i++)
        first[i + 1] = first[i] + 1 + (int)(bench_random(&random) % 31);
    size_t entries = (size_t)first[ROWS];
    int *column = bench_memory(sizeof(int) * entries);
    for (size_t row = 0; row < ROWS; row++) {
        for (int k = first[row]; k < first[row + 1]; k++)
            column[k] = (int)((row + bench_random(&random) % 4096) % ROWS); // a band, as meshes have
    }
    float *value = bench_floats(entries, -1.0f, 1.0f, 2), *x = bench_floats(ROWS, -1.0f, 1.0f, 3),
          *got = bench_memory(sizeof(float) * ROWS);
    cl_mem by = bench_buffer(&r.cl, sizeof(float) * ROWS, NULL),
           bf = bench_buffer(&r.cl, sizeof(int) * (ROWS + 1), first),
           bc = bench_buffer(&r.cl, sizeof(int) * entries, column),
           bv = bench_buffer(&r.cl, sizeof(float) * entries, value),
           bx = bench_buffer(&r.cl, sizeof(float) * ROWS, x);
    BENCH_ARGS(&r, BENCH_ARG(by), BENCH_ARG(bf), BENCH_ARG(bc), BENCH_ARG(bv), BENCH_ARG(bx));
    double t = bench_run_time(&r);
    bench_run_read(&r, by, sizeof(float) * ROWS, got);
    for (size_t row = 0; row < ROWS; row++) {
        double want = 0.0;
        for (int k = first[row]; k < first[row + 1]; k++)
            want += (double)value[k] * (double)x[column[k]];
        bench_near("row", row, (double)got[row], want, 1e-4, 1e-5);
    }
    return 1e-6 * (double)entries / t;
}

static double transposed(const char *kernel, size_t local)
{
    enum { N = 4096 };
    struct bench_run r = {.dims = 2, .global = {N, N}, .local = {local, local}};
    bench_run_open(&r, FILE_CL, "", kernel);
    size_t bytes = sizeof(float) * N * N;
    float *in = bench_floats(N * N, 0.0f, 1.0f, 1), *got = bench_memory(bytes);
    cl_mem bin = bench_buffer(&r.cl, bytes, in), bout = bench_buffer(&r.cl, bytes, NULL);
    int n = N;
    BENCH_ARGS(&r, BENCH_ARG(bout), BENCH_ARG(bin), BENCH_ARG(n));
    double t = bench_run_time(&r);
    bench_run_read(&r, bout, bytes, got);
    for (size_t y = 0; y < N; y += 3) {
        for (size_t x = 0; x < N; x += 5) {
            if (got[x * N + y] != in[y * N + x])
                bench_fail("element %zu, %zu is wrong", x, y);
        }
    }
    return 1e-9 * 2.0 * (double)bytes / t;
}

static double case_transpose(void)
{
    return transposed("transpose", 0);
}

static double case_transpose_tiled(void)
{
    return transposed("transpose_tiled", 16);
}

static double case_syrk(void)
{
    enum { N = 512 };
    struct bench_run r = {.dims = 2, .global = {N, N}, .local = {32, 8}};
    bench_run_open(&r, FILE_CL, "", "syrk");
    float *a = bench_floats(N * N, -1.0f, 1.0f, 1), *got = bench_memory(sizeof *got * N * N);
    cl_mem ba = bench_buffer(&r.cl, sizeof *a * N * N, a), bc = bench_buffer(&r.cl, sizeof *a * N * N, a);
    int n = N;
    float alpha = 0.5f, beta = 0.0f; // whatever the number of launches
    BENCH_ARGS(&r, BENCH_ARG(bc), BENCH_ARG(ba), BENCH_ARG(n), BENCH_ARG(alpha), BENCH_ARG(beta));
    double t = bench_run_time(&r);
    bench_run_read(&r, bc, sizeof *got * N * N, got);
    for (size_t i = 0; i < N * N; i += 1009) {
        double want = 0;
        for (size_t k = 0; k < N; k++)
            want += 0.5 * (double)a[i / N * N + k] * (double)a[i % N * N + k];
        bench_near("element", i, (double)got[i], want, 1e-3, 1e-2);
    }
    return 2e-9 * (double)(N * N * N) / t;
}

static double case_row_sweep(void)
{
    enum { N = 1024 };
    struct bench_run r = {.dims = 1, .global = {N}, .local = {256}};
    bench_run_open(&r, FILE_CL, "", "row_sweep");
    float *x = bench_memory(sizeof *x * N * N), *a = bench_floats(N * N, 0.1f, 0.2f, 1),
          *b = bench_floats(N * N, 1.0f, 2.0f, 2), *got = bench_memory(sizeof *got * N * N);
    for (size_t i = 0; i < N * N; i++)
        x[i] =
            i % N ? 0.0f : 1.0f; // later launches begin with what earlier ones left: only its range is known
    cl_mem bx = bench_buffer(&r.cl, sizeof *x * N * N, x), ba = bench_buffer(&r.cl, sizeof *x * N * N, a),
           bb = bench_buffer(&r.cl, sizeof *x * N * N, b);
    int n = N;
    BENCH_ARGS(&r, BENCH_ARG(bx), BENCH_ARG(ba), BENCH_ARG(bb), BENCH_ARG(n));
    double t = bench_run_time(&r);
    bench_run_read(&r, bb, sizeof *got * N * N, got);
    for (size_t i = 0; i < N * N; i++)
        if (i % N && !(got[i] > 1.4f && got[i] < 2.1f))
            bench_fail("element %zu: %g", i, (double)got[i]);
    return 1e-6 * (double)(N * N) / t;
}

static double case_block_update(void)
{
    enum { N = 1024 + 16 };
    struct bench_run r = {.dims = 2, .global = {N - 16, N - 16}, .local = {16, 16}};
    bench_run_open(&r, FILE_CL, "", "block_update");
    float *m = bench_floats(N * N, -1.0f, 1.0f, 1), *got = bench_memory(sizeof *got * N * N);
    for (size_t i = 0; i < 16 * N; i++) // a row of blocks so small that launches don't change the others
        m[i] *= 0x1p-40f;
    cl_mem bm = bench_buffer(&r.cl, sizeof *m * N * N, m);
    int n = N, offset = 0;
    BENCH_ARGS(&r, BENCH_ARG(bm), BENCH_ARG(n), BENCH_ARG(offset));
    double t = bench_run_time(&r);
    bench_run_read(&r, bm, sizeof *got * N * N, got);
    for (size_t i = 16 * N; i < N * N; i += 7)
        bench_near("element", i, (double)got[i], (double)m[i], 1e-5, 1e-5);
    return 32e-9 * (double)((N - 16) * (N - 16)) / t;
}

static double row_update(size_t local)
{
    enum { N = 2048 };
    struct bench_run r = {.dims = 2, .global = {N, N}, .local = {local, local}};
    bench_run_open(&r, FILE_CL, "", "row_update");
    size_t bytes = sizeof(float) * N * N;
    float *in = bench_floats(N * N, 0.0f, 1.0f, 1), *factor = bench_memory(sizeof(float) * N),
          *got = bench_memory(bytes);
    for (size_t x = 0; x < N; x++) // whatever the number of launches, it stays what it is
        factor[x] = x % 2 ? 0x1p-40f : 0.0f;
    cl_mem ba = bench_buffer(&r.cl, bytes, in), bf = bench_buffer(&r.cl, sizeof(float) * N, factor);
    int n = N;
    BENCH_ARGS(&r, BENCH_ARG(ba), BENCH_ARG(bf), BENCH_ARG(n));
    double t = bench_run_time(&r);
    bench_run_read(&r, ba, bytes, got);
    for (size_t i = 0; i < (size_t)N * N; i += 7)
        bench_near("element", i, (double)got[i], (double)in[i], 1e-6, 1e-6);
    return 1e-9 * 2.0 * (double)bytes / t;
}

static double case_row_update(void)
{
    return row_update(16);
}

static double case_row_update_null(void)
{
    return row_update(0);
}

static double case_triad(void)
{
    enum { N = 1 << 24 };
    struct bench_run r = {.dims = 1, .global = {N}};
    bench_run_open(&r, FILE_CL, "", "triad");
    size_t bytes = sizeof(float) * N;
    float *b = bench_floats(N, 0.0f, 1.0f, 1), *c = bench_floats(N, 0.0f, 1.0f, 2),
          *got = bench_memory(bytes), s = 3.0f;
    cl_mem ba = bench_buffer(&r.cl, bytes, NULL), bb = bench_buffer(&r.cl, bytes, b),
           bc = bench_buffer(&r.cl, bytes, c);
    BENCH_ARGS(&r, BENCH_ARG(ba), BENCH_ARG(bb), BENCH_ARG(bc), BENCH_ARG(s));
    double t = bench_run_time(&r);
    bench_run_read(&r, ba, bytes, got);
    for (size_t i = 0; i < N; i += 3)
        bench_near("element", i, (double)got[i], (double)(b[i] + s * c[i]), 1e-6, 0.0);
    return 1e-9 * 3.0 * (double)bytes / t;
}

const struct bench_case bench_array_cases[] = {
    {"gemm_naive", "GFLOP/s", true, case_gemm_naive,
     "512 x 512 floats, an element a work-item, local size NULL"},
    {"gemm_tiled", "GFLOP/s", true, case_gemm_tiled, "the same with 16 x 16 tiles in local memory"},
    {"convolve_5x5", "Mpx/s", true, case_convolve_5x5, "25 weights, clamped at the border"},
    {"stencil_3d", "Mpt/s", true, case_stencil_3d, "seven points, early return at the border"},
    {"spmv", "Mnz/s", true, case_spmv, "compressed sparse rows, a row a work-item"},
    {"transpose", "GB/s", true, case_transpose, "4096 x 4096 floats, an element a work-item"},
    {"transpose_tiled", "GB/s", true, case_transpose_tiled, "the same with 16 x 16 tiles in local memory"},
    {"syrk", "GFLOP/s", true, case_syrk, "a matrix times its own transpose, sums in memory"},
    {"row_sweep", "Mel/s", true, case_row_sweep, "along a row a work-item, each element from the one before"},
    {"block_update", "GFLOP/s", true, case_block_update, "a step of a decomposition by blocks of 16 x 16"},
    {"row_update", "GB/s", true, case_row_update,
     "a step of an elimination, 16 x 16 groups, memory consecutive along dimension 1"},
    {"row_update_null", "GB/s", true, case_row_update_null, "the same, local size NULL"},
    {"triad", "GB/s", true, case_triad, "a = b + s * c"},
    {0},
};
