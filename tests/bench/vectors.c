// Vector types of OpenCL C in memory.
#include "bench.h"

#include <math.h>

#define FILE_CL "vectors.cl"

static double case_nbody_aos(void)
{
    enum { N = 4096 };
    struct bench_run r = {.dims = 1, .global = {N}};
    bench_run_open(&r, FILE_CL, "", "nbody_aos");
    float *body = bench_floats(4 * N, 0.1f, 1.0f, 1), *got = bench_memory(sizeof(float) * 4 * N);
    cl_mem bin = bench_buffer(&r.cl, sizeof(float) * 4 * N, body),
           out = bench_buffer(&r.cl, sizeof(float) * 4 * N, NULL);
    int n = N;
    BENCH_ARGS(&r, BENCH_ARG(out), BENCH_ARG(bin), BENCH_ARG(n));
    double t = bench_run_time(&r);
    bench_run_read(&r, out, sizeof(float) * 4 * N, got);
    for (size_t i = 0; i < N; i += 97) {
        double want[4] = {0};
        for (size_t j = 0; j < N; j++) {
            double d[3], d2 = 0.01;
            for (int k = 0; k < 3; k++) {
                d[k] = (double)body[4 * j + (size_t)k] - (double)body[4 * i + (size_t)k];
                d2 += d[k] * d[k];
            }
            for (int k = 0; k < 3; k++)
                want[k] += d[k] * (double)body[4 * j + 3] / (d2 * sqrt(d2));
        }
        for (size_t k = 0; k < 4; k++)
            bench_near("component", 4 * i + k, (double)got[4 * i + k], want[k], 1e-3, 0.5);
    }
    return 1e-6 * (double)(N * N) / t;
}

static double case_gemm_float4(void)
{
    enum { N = 512 };
    struct bench_run r = {.dims = 2, .global = {N / 4, N / 4}, .local = {16, 16}};
    bench_run_open(&r, FILE_CL, "", "gemm_float4");
    float *a = bench_floats(N * N, -1.0f, 1.0f, 1), *b = bench_floats(N * N, -1.0f, 1.0f, 2),
          *got = bench_memory(sizeof(float) * N * N);
    cl_mem ba = bench_buffer(&r.cl, sizeof(float) * N * N, a),
           bb = bench_buffer(&r.cl, sizeof(float) * N * N, b),
           out = bench_buffer(&r.cl, sizeof(float) * N * N, NULL);
    int n = N / 4;
    BENCH_ARGS(&r, BENCH_ARG(out), BENCH_ARG(ba), BENCH_ARG(bb), BENCH_ARG(n));
    double t = bench_run_time(&r);
    bench_run_read(&r, out, sizeof(float) * N * N, got);
    for (size_t i = 0; i < N * N; i += 1009) {
        double want = 0;
        for (size_t k = 0; k < N; k++)
            want += (double)a[i / N * N + k] * (double)b[k * N + i % N];
        bench_near("element", i, (double)got[i], want, 1e-3, 1.0);
    }
    return 2e-9 * (double)(N * N * N) / t;
}

static double case_pixels(void)
{
    enum { N = 1 << 22 };
    struct bench_run r = {.dims = 1, .global = {N}};
    bench_run_open(&r, FILE_CL, "", "pixels");
    cl_uchar *a = bench_memory(4 * N), *b = bench_memory(4 * N), *got = bench_memory(4 * N);
    uint64_t random = 1;
    for (size_t i = 0; i < 4 * N; i++) {
        a[i] = (cl_uchar)bench_random(&random);
        b[i] = (cl_uchar)bench_random(&random);
    }
    cl_mem ba = bench_buffer(&r.cl, 4 * N, a), bb = bench_buffer(&r.cl, 4 * N, b),
           out = bench_buffer(&r.cl, 4 * N, NULL);
    int weight = 77;
    BENCH_ARGS(&r, BENCH_ARG(out), BENCH_ARG(ba), BENCH_ARG(bb), BENCH_ARG(weight));
    double t = bench_run_time(&r);
    bench_run_read(&r, out, 4 * N, got);
    for (size_t i = 0; i < 4 * N; i++) {
        int v = (a[i] * weight + b[i] * (256 - weight)) / 256 * 5 / 4;
        int want = i % 4 == 3 ? 255 : v > 255 ? 255 : v;
        if (got[i] != want)
            bench_fail("byte %zu: %d, not %d", i, got[i], want);
    }
    return 1e-6 * (double)N / t;
}

const struct bench_case bench_vector_cases[] = {
    {"nbody_aos", "Mpair/s", true, case_nbody_aos, "gravity, bodies in float4"},
    {"gemm_float4", "GFLOP/s", true, case_gemm_float4, "product of matrices of float4"},
    {"pixels", "Mpx/s", true, case_pixels, "two images of uchar4 blended, saturating"},
    {0},
};
