// Arithmetic in registers: the maximum that vectorizing across work-items can gain.
#include "bench.h"

#include "host_cl.h"
#include "kernels/compute.cl"
#undef kernel
#undef global

#define FILE_CL "compute.cl"

static double case_fma_chains(void)
{
    enum { N = 1 << 16, ITERATIONS = 512 };
    struct bench_run r = {.dims = 1, .global = {N}};
    bench_run_open(&r, FILE_CL, "", "fma_chains");
    cl_mem out = bench_buffer(&r.cl, sizeof(float) * N, NULL);
    float a = 0.999f, b = 0.001f, *got = bench_memory(sizeof(float) * N),
          *want = bench_memory(sizeof(float) * N);
    int n = ITERATIONS;
    BENCH_ARGS(&r, BENCH_ARG(out), BENCH_ARG(a), BENCH_ARG(b), BENCH_ARG(n));
    double t = bench_run_time(&r);
    bench_run_read(&r, out, sizeof(float) * N, got);
    for (size_t i = 0; i < N; i += 61) {
        host_at(i, 0);
        fma_chains(want, a, b, n);
        bench_near("work-item", i, (double)got[i], (double)want[i], 1e-5, 0.0);
    }
    return 2e-9 * 16.0 * (double)ITERATIONS * (double)N / t;
}

static double mandelbrot_with(size_t local_x, size_t local_y)
{
    enum { W = 1024, H = 1024, LIMIT = 256 };
    struct bench_run r = {.dims = 2, .global = {W, H}, .local = {local_x, local_y}};
    bench_run_open(&r, FILE_CL, "", "mandelbrot");
    cl_mem out = bench_buffer(&r.cl, sizeof(int) * W * H, NULL);
    int w = W, limit = LIMIT, *got = bench_memory(sizeof(int) * W * H),
        *want = bench_memory(sizeof(int) * W * H);
    float scale = 2.5f / (float)H;
    BENCH_ARGS(&r, BENCH_ARG(out), BENCH_ARG(w), BENCH_ARG(scale), BENCH_ARG(limit));
    double t = bench_run_time(&r), sum = 0.0;
    bench_run_read(&r, out, sizeof(int) * W * H, got);
    // Contraction changes a few points of the border.
    size_t others = 0, points = 0;
    for (size_t i = 0; i < W * H; i++)
        sum += got[i];
    for (size_t y = 0; y < H; y += 17) {
        for (size_t x = 0; x < W; x++, points++) {
            host_at(x, y);
            mandelbrot(want, w, scale, limit);
            others += want[y * W + x] != got[y * W + x];
        }
    }
    if (others > points / 500)
        bench_fail("%zu of %zu points are wrong", others, points);
    return 1e-6 * sum / t;
}

static double case_mandelbrot(void)
{
    return mandelbrot_with(0, 0);
}

static double case_mandelbrot_16x16(void)
{
    return mandelbrot_with(16, 16);
}

static double case_mandelbrot_1x64(void)
{
    return mandelbrot_with(1, 64);
}

static double case_nbody_soa(void)
{
    enum { N = 8192 };
    struct bench_run r = {.dims = 1, .global = {N}};
    bench_run_open(&r, FILE_CL, "", "nbody_soa");
    float *in[4], *got[3], *want[3];
    cl_mem bin[4], bout[3];
    for (int i = 0; i < 4; i++) {
        in[i] = bench_floats(N, i == 3 ? 0.1f : -1.0f, 1.0f, (uint64_t)i + 1);
        bin[i] = bench_buffer(&r.cl, sizeof(float) * N, in[i]);
    }
    for (int i = 0; i < 3; i++) {
        got[i] = bench_memory(sizeof(float) * N);
        want[i] = bench_memory(sizeof(float) * N);
        bout[i] = bench_buffer(&r.cl, sizeof(float) * N, NULL);
    }
    int n = N;
    BENCH_ARGS(&r, BENCH_ARG(bout[0]), BENCH_ARG(bout[1]), BENCH_ARG(bout[2]), BENCH_ARG(bin[0]),
               BENCH_ARG(bin[1]), BENCH_ARG(bin[2]), BENCH_ARG(bin[3]), BENCH_ARG(n));
    double t = bench_run_time(&r);
    for (int k = 0; k < 3; k++)
        bench_run_read(&r, bout[k], sizeof(float) * N, got[k]);
    for (size_t i = 0; i < N; i += 97) {
        host_at(i, 0);
        nbody_soa(want[0], want[1], want[2], in[0], in[1], in[2], in[3], n);
        for (int k = 0; k < 3; k++)
            bench_near("body", i, (double)got[k][i], (double)want[k][i], 1e-3, 0.5);
    }
    return 1e-6 * (double)(N * N) / t;
}

static double case_black_scholes(void)
{
    enum { N = 1 << 21 };
    struct bench_run r = {.dims = 1, .global = {N}};
    bench_run_open(&r, FILE_CL, "", "black_scholes");
    float *price = bench_floats(N, 5.0f, 30.0f, 1), *strike = bench_floats(N, 1.0f, 100.0f, 2),
          *years = bench_floats(N, 0.25f, 10.0f, 3), *got[2], *want[2], rate = 0.02f, sigma = 0.3f;
    cl_mem bp = bench_buffer(&r.cl, sizeof(float) * N, price),
           bs = bench_buffer(&r.cl, sizeof(float) * N, strike),
           by = bench_buffer(&r.cl, sizeof(float) * N, years), out[2];
    for (int i = 0; i < 2; i++) {
        out[i] = bench_buffer(&r.cl, sizeof(float) * N, NULL);
        got[i] = bench_memory(sizeof(float) * N);
        want[i] = bench_memory(sizeof(float) * N);
    }
    BENCH_ARGS(&r, BENCH_ARG(out[0]), BENCH_ARG(out[1]), BENCH_ARG(bp), BENCH_ARG(bs), BENCH_ARG(by),
               BENCH_ARG(rate), BENCH_ARG(sigma));
    double t = bench_run_time(&r);
    bench_run_read(&r, out[0], sizeof(float) * N, got[0]);
    bench_run_read(&r, out[1], sizeof(float) * N, got[1]);
    for (size_t i = 0; i < N; i += 7) {
        host_at(i, 0);
        black_scholes(want[0], want[1], price, strike, years, rate, sigma);
        for (int k = 0; k < 2; k++)
            bench_near(k ? "put" : "call", i, (double)got[k][i], (double)want[k][i], 1e-4, 1e-4);
    }
    return 1e-6 * (double)N / t;
}

static double case_hash_chain(void)
{
    enum { N = 1 << 18, ITERATIONS = 256 };
    struct bench_run r = {.dims = 1, .global = {N}};
    bench_run_open(&r, FILE_CL, "", "hash_chain");
    cl_mem out = bench_buffer(&r.cl, sizeof(uint) * N, NULL);
    uint *got = bench_memory(sizeof(uint) * N), *want = bench_memory(sizeof(uint) * N);
    int iterations = ITERATIONS;
    BENCH_ARGS(&r, BENCH_ARG(out), BENCH_ARG(iterations));
    double t = bench_run_time(&r);
    bench_run_read(&r, out, sizeof(uint) * N, got);
    for (size_t i = 0; i < N; i += 13) {
        host_at(i, 0);
        hash_chain(want, iterations);
        if (got[i] != want[i])
            bench_fail("hash %zu: %x, not %x", i, got[i], want[i]);
    }
    return 1e-6 * (double)(N * ITERATIONS) / t;
}

static double case_double_pairs(void)
{
    enum { N = 4096 };
    struct bench_run r = {.dims = 1, .global = {N}};
    bench_run_open(&r, FILE_CL, "", "double_pairs");
    double *in[3], *got = bench_memory(sizeof(double) * N), *want = bench_memory(sizeof(double) * N);
    cl_mem bin[3], out = bench_buffer(&r.cl, sizeof(double) * N, NULL);
    for (int k = 0; k < 3; k++) {
        float *f = bench_floats(N, -10.0f, 10.0f, (uint64_t)k + 1);
        in[k] = bench_memory(sizeof(double) * N);
        for (size_t i = 0; i < N; i++)
            in[k][i] = (double)f[i];
        bin[k] = bench_buffer(&r.cl, sizeof(double) * N, in[k]);
    }
    int n = N;
    BENCH_ARGS(&r, BENCH_ARG(out), BENCH_ARG(bin[0]), BENCH_ARG(bin[1]), BENCH_ARG(bin[2]), BENCH_ARG(n));
    double t = bench_run_time(&r);
    bench_run_read(&r, out, sizeof(double) * N, got);
    for (size_t i = 0; i < N; i += 31) {
        host_at(i, 0);
        double_pairs(want, in[0], in[1], in[2], n);
        bench_near("particle", i, got[i], want[i], 1e-9, 1e-9);
    }
    return 1e-6 * (double)(N * N) / t;
}

static double case_find_index(void)
{
    enum { N = 8192 };
    struct bench_run r = {.dims = 1, .global = {N}};
    bench_run_open(&r, FILE_CL, "", "find_index");
    float *sums = bench_memory(sizeof(float) * N), *u = bench_memory(sizeof(float) * N);
    float *x = bench_floats(N, 0.0f, 1.0f, 1), *y = bench_floats(N, 0.0f, 1.0f, 2);
    float *want[2], *got = bench_memory(sizeof(float) * N);
    double steps = 0.0;
    for (size_t i = 0; i < N; i++) {
        sums[i] = (float)(i + 1) / (float)N;
        u[i] = ((float)i + 0.25f) / (float)N;
        steps += (double)i + 1.0;
    }
    cl_mem in[4] = {bench_buffer(&r.cl, sizeof(float) * N, sums), bench_buffer(&r.cl, sizeof(float) * N, u),
                    bench_buffer(&r.cl, sizeof(float) * N, x), bench_buffer(&r.cl, sizeof(float) * N, y)};
    cl_mem out[2];
    for (int k = 0; k < 2; k++) {
        out[k] = bench_buffer(&r.cl, sizeof(float) * N, NULL);
        want[k] = bench_memory(sizeof(float) * N);
    }
    int n = N;
    BENCH_ARGS(&r, BENCH_ARG(out[0]), BENCH_ARG(out[1]), BENCH_ARG(in[0]), BENCH_ARG(in[1]), BENCH_ARG(in[2]),
               BENCH_ARG(in[3]), BENCH_ARG(n));
    double t = bench_run_time(&r);
    for (size_t i = 0; i < N; i++) {
        host_at(i, 0);
        find_index(want[0], want[1], sums, u, x, y, n);
    }
    for (int k = 0; k < 2; k++) {
        bench_run_read(&r, out[k], sizeof(float) * N, got);
        for (size_t i = 0; i < N; i++)
            bench_near("particle", i, (double)got[i], (double)want[k][i], 0.0, 0.0);
    }
    return 1e-6 * steps / t;
}

const struct bench_case bench_compute_cases[] = {
    {"fma_chains", "GFLOP/s", true, case_fma_chains, "16 independent chains of fma in registers"},
    {"mandelbrot", "Miter/s", true, case_mandelbrot, "divergent loop, 1024 x 1024, local size NULL"},
    {"mandelbrot_16x16", "Miter/s", true, case_mandelbrot_16x16, "the same, local size 16 x 16"},
    {"mandelbrot_1x64", "Miter/s", true, case_mandelbrot_1x64, "the same, local size 1 x 64"},
    {"nbody_soa", "Mpair/s", true, case_nbody_soa, "gravity, structure of arrays, rsqrt"},
    {"black_scholes", "Mopt/s", true, case_black_scholes, "exp, log, sqrt and select over arrays"},
    {"hash_chain", "Mround/s", true, case_hash_chain, "32-bit multiplications, shifts and exclusive or"},
    {"double_pairs", "Mpair/s", true, case_double_pairs, "Lennard-Jones energies in double precision"},
    {"find_index", "Mstep/s", true, case_find_index, "search from the start, then two gathers"},
    {0},
};
