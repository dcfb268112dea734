// Private arrays with varying indices, nested loops, early returns.
#include "bench.h"

#include <stdlib.h>

#include "host_cl.h"
#include "kernels/private.cl"
#undef kernel
#undef global

#define FILE_CL "private.cl"

static double case_raytrace(void)
{
    enum { W = 512, H = 384, LEAVES = 64, INNER = LEAVES - 1, TOTAL = INNER + LEAVES };
    struct bench_run r = {.dims = 2, .global = {W, H}};
    bench_run_open(&r, FILE_CL, "", "raytrace");
    // The spheres follow a space-filling curve, so the tree's bounds are tight.
    float nodes[TOTAL * 4], *got = bench_memory(sizeof(float) * W * H),
                            *want = bench_memory(sizeof(float) * W * H);
    for (int i = 0; i < LEAVES; i++) {
        int x = (i & 1) | (i >> 2 & 2), y = (i >> 1 & 1) | (i >> 3 & 2), z = (i >> 2 & 1) | (i >> 4 & 2);
        float *s = nodes + 4 * (INNER + i);
        s[0] = ((float)x - 1.5f) * 0.5f + (float)(i % 5) * 0.03f;
        s[1] = ((float)y - 1.5f) * 0.5f + (float)(i % 7) * 0.02f;
        s[2] = (float)z * 0.7f;
        s[3] = 0.16f + (float)(i % 3) * 0.02f;
    }
    for (int i = INNER - 1; i >= 0; i--) {
        float *n = nodes + 4 * i, *a = nodes + 4 * (2 * i + 1), *b = nodes + 4 * (2 * i + 2), reach = 0.0f;
        for (int k = 0; k < 3; k++)
            n[k] = 0.5f * (a[k] + b[k]);
        for (int c = 0; c < 2; c++) {
            float *s = c ? b : a, d = 0.0f;
            for (int k = 0; k < 3; k++)
                d += (s[k] - n[k]) * (s[k] - n[k]);
            d = sqrtf(d) + s[3];
            reach = d > reach ? d : reach;
        }
        n[3] = reach * 1.0001f;
    }
    cl_mem bn = bench_buffer(&r.cl, sizeof nodes, nodes),
           out = bench_buffer(&r.cl, sizeof(float) * W * H, NULL);
    int inner = INNER, total = TOTAL, w = W, h = H;
    BENCH_ARGS(&r, BENCH_ARG(out), BENCH_ARG(bn), BENCH_ARG(inner), BENCH_ARG(total), BENCH_ARG(w),
               BENCH_ARG(h));
    double t = bench_run_time(&r);
    bench_run_read(&r, out, sizeof(float) * W * H, got);
    size_t others = 0, points = 0;
    for (size_t y = 0; y < H; y += 5) {
        for (size_t x = 0; x < W; x++, points++) {
            host_at(x, y);
            raytrace(want, nodes, inner, total, w, h);
            others += !(fabsf(want[y * W + x] - got[y * W + x]) < 1e-3f);
        }
    }
    if (others > points / 100) // edges depend on the last bit
        bench_fail("%zu of %zu pixels are wrong", others, points);
    return 1e-6 * (double)(W * H) / t;
}

static double case_sort_rows(void)
{
    enum { ROWS = 1 << 17, N = ROWS * 16 };
    struct bench_run r = {.dims = 1, .global = {ROWS}};
    bench_run_open(&r, FILE_CL, "", "sort_rows");
    uint *in = bench_memory(sizeof *in * N), *got = bench_memory(sizeof *in * N),
         *want = bench_memory(sizeof *in * N);
    uint64_t random = 1;
    for (size_t i = 0; i < N; i++)
        in[i] = bench_random(&random);
    cl_mem bin = bench_buffer(&r.cl, sizeof *in * N, in), out = bench_buffer(&r.cl, sizeof *in * N, NULL);
    BENCH_ARGS(&r, BENCH_ARG(out), BENCH_ARG(bin));
    double t = bench_run_time(&r);
    bench_run_read(&r, out, sizeof *in * N, got);
    for (size_t row = 0; row < ROWS; row += 3) {
        host_at(row, 0);
        sort_rows(want, in);
        for (size_t i = row * 16; i < row * 16 + 16; i++) {
            if (got[i] != want[i])
                bench_fail("row %zu is not sorted", row);
        }
    }
    return 1e-6 * (double)ROWS / t;
}

const struct bench_case bench_private_cases[] = {
    {"raytrace", "Mpx/s", true, case_raytrace, "spheres in a tree, private stack, shadows, mirrors"},
    {"sort_rows", "Mrow/s", true, case_sort_rows, "16 numbers sorted in a private array"},
    {0},
};
