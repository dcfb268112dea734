// Steps of linear algebra (kernels/matrices.cl).
#include "bench.h"

#define FILE_CL "matrices.cl"

static double matrix_vector(int turned)
{
    enum { N = 2048 };
    struct bench_run r = {.dims = 1, .global = {N}, .local = {64}};
    bench_run_open(&r, FILE_CL, "", "matrix_vector");
    float *a = bench_floats((size_t)N * N, -1.0f, 1.0f, 1), *x = bench_floats(N, -1.0f, 1.0f, 2),
          *got = bench_memory(sizeof *got * N);
    cl_mem ba = bench_buffer(&r.cl, sizeof *a * N * N, a), bx = bench_buffer(&r.cl, sizeof *x * N, x),
           by = bench_buffer(&r.cl, sizeof *got * N, NULL);
    int n = N;
    BENCH_ARGS(&r, BENCH_ARG(ba), BENCH_ARG(n), BENCH_ARG(turned), BENCH_ARG(bx), BENCH_ARG(by),
               BENCH_ARG(n));
    double t = bench_run_time(&r);
    bench_run_read(&r, by, sizeof *got * N, got);
    for (size_t i = 0; i < N; i++) {
        double want = 0;
        for (size_t k = 0; k < N; k++)
            want += (double)x[k] * (double)(turned ? a[N * i + k] : a[N * k + i]);
        bench_near("y", i, (double)got[i], want, 1e-4, 1e-3);
    }
    return 1e-9 * (double)(sizeof *a * N * N) / t;
}

static double case_matrix_vector(void)
{
    return matrix_vector(0);
}

static double case_matrix_vector_turned(void)
{
    return matrix_vector(1);
}

static double case_gemm_columns(void)
{
    enum { M = 512, N = 128, K = 512 };
    struct bench_run r = {.dims = 2, .global = {M / 4, N / 4}, .local = {16, 4}};
    bench_run_open(&r, FILE_CL, "", "gemm_columns");
    float *a = bench_floats((size_t)M * K, -1.0f, 1.0f, 1), *b = bench_floats((size_t)K * N, -1.0f, 1.0f, 2),
          *got = bench_memory(sizeof *got * M * N);
    cl_mem ba = bench_buffer(&r.cl, sizeof *a * M * K, a), bb = bench_buffer(&r.cl, sizeof *b * K * N, b),
           bc = bench_buffer(&r.cl, sizeof *got * M * N, NULL);
    int m = M, k = K;
    BENCH_ARGS(&r, BENCH_ARG(ba), BENCH_ARG(m), BENCH_ARG(bb), BENCH_ARG(k), BENCH_ARG(bc), BENCH_ARG(m),
               BENCH_ARG(k));
    double t = bench_run_time(&r);
    bench_run_read(&r, bc, sizeof *got * M * N, got);
    for (size_t i = 0; i < (size_t)M * N; i += 7) {
        double want = 0;
        for (size_t j = 0; j < K; j++)
            want += (double)a[i % M + j * M] * (double)b[i / M * K + j];
        bench_near("c", i, (double)got[i], want, 1e-4, 1e-3);
    }
    return 2e-9 * (double)(M * N * K) / t;
}

static double case_sweep_rows(void)
{
    enum { N = 1024 };
    struct bench_run r = {.dims = 1, .global = {N}, .local = {256}};
    bench_run_open(&r, FILE_CL, "", "sweep_rows");
    const size_t bytes = sizeof(float) * N * N;
    // Without the elements of a, a launch changes nothing, so the result is known after any number of them.
    float *a = bench_memory(bytes), *b = bench_floats((size_t)N * N, 1.0f, 2.0f, 1),
          *x = bench_floats((size_t)N * N, -1.0f, 1.0f, 2), *got = bench_memory(bytes);
    for (size_t i = 0; i < (size_t)N * N; i++)
        a[i] = 0.0f;
    cl_mem ba = bench_buffer(&r.cl, bytes, a), bb = bench_buffer(&r.cl, bytes, b),
           bx = bench_buffer(&r.cl, bytes, x);
    int n = N;
    BENCH_ARGS(&r, BENCH_ARG(ba), BENCH_ARG(bb), BENCH_ARG(bx), BENCH_ARG(n));
    double t = bench_run_time(&r);
    // One launch with elements of a.
    for (size_t i = 0; i < (size_t)N * N; i++)
        a[i] = 0.25f * x[i];
    CHECK(clEnqueueWriteBuffer(r.cl.queue, ba, CL_TRUE, 0, bytes, a, 0, NULL, NULL));
    CHECK(clEnqueueNDRangeKernel(r.cl.queue, r.kernel, 1, NULL, r.global, r.local, 0, NULL, NULL));
    bench_run_read(&r, bx, bytes, got);
    for (size_t i = 0; i < N; i++) {
        double last = (double)x[i * N], by = (double)b[i * N];
        for (size_t j = 1; j < N; j++) {
            const double e = (double)a[i * N + j];
            last = (double)x[i * N + j] - last * e / by;
            by = (double)b[i * N + j] - e * e / by;
            bench_near("x", i * N + j, (double)got[i * N + j], last, 1e-3, 1e-3);
        }
    }
    return 1e-6 * (double)(N * N) / t;
}

const struct bench_case bench_matrix_cases[] = {
    {"matrix_vector", "GB/s", true, case_matrix_vector, "y = A^T x, by columns; how A lies is an argument"},
    {"matrix_vector_turned", "GB/s", true, case_matrix_vector_turned, "the same, by rows"},
    {"gemm_columns", "GFLOP/s", true, case_gemm_columns,
     "16 sums a work-item, pointers that go on over barriers"},
    {"sweep_rows", "Mel/s", true, case_sweep_rows,
     "a row a work-item, each element waits for the one before"},
    {0},
};
