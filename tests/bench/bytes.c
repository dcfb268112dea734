// Pictures of bytes, as image libraries have them: one or three to a pixel, in rows with guards.
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FILE_CL "bytes.cl"
enum { W = 1920, H = 1080 };

static cl_uchar *random_bytes(size_t n)
{
    cl_uchar *bytes = bench_memory(n);
    uint64_t random = 1;
    for (size_t i = 0; i < n; i++)
        bytes[i] = (cl_uchar)bench_random(&random);
    return bytes;
}

static double shrink(const char *kernel, int channels)
{
    enum { TO_W = 1280, TO_H = 720 };
    struct bench_run r = {.dims = 2, .global = {TO_W, TO_H}};
    bench_run_open(&r, FILE_CL, "", kernel);
    const size_t pixel = (size_t)channels;
    cl_uchar *in = random_bytes(W * H * pixel), *got = bench_memory(TO_W * TO_H * pixel);
    cl_mem bin = bench_buffer(&r.cl, W * H * pixel, in), out = bench_buffer(&r.cl, TO_W * TO_H * pixel, NULL);
    int step = W * channels, w = W, h = H, to_step = TO_W * channels, to_w = TO_W, to_h = TO_H;
    float scale = 1.5f;
    BENCH_ARGS(&r, BENCH_ARG(bin), BENCH_ARG(step), BENCH_ARG(w), BENCH_ARG(h), BENCH_ARG(out),
               BENCH_ARG(to_step), BENCH_ARG(to_w), BENCH_ARG(to_h), BENCH_ARG(scale));
    double t = bench_run_time(&r);
    bench_run_read(&r, out, TO_W * TO_H * pixel, got);
    for (size_t p = 0; p < TO_W * TO_H; p++) {
        const size_t from = (size_t)((float)(p / TO_W) * scale) * W + (size_t)((float)(p % TO_W) * scale);
        if (memcmp(got + p * pixel, in + from * pixel, pixel) != 0)
            bench_fail("pixel %zu is wrong", p);
    }
    return 1e-6 * (double)(TO_W * TO_H) / t;
}

static double case_shrink_bgr(void)
{
    return shrink("shrink_bgr", 3);
}

static double case_shrink_gray(void)
{
    return shrink("shrink_gray", 1);
}

static double case_byte_table(void)
{
    struct bench_run r = {.dims = 2, .global = {512, H / 4}};
    bench_run_open(&r, FILE_CL, "", "byte_table");
    cl_uchar *in = random_bytes(W * H), *table = random_bytes(256), *got = bench_memory(W * H);
    cl_mem bin = bench_buffer(&r.cl, W * H, in), btable = bench_buffer(&r.cl, 256, table),
           out = bench_buffer(&r.cl, W * H, NULL);
    int step = W, w = W / 4, h = H;
    BENCH_ARGS(&r, BENCH_ARG(bin), BENCH_ARG(btable), BENCH_ARG(out), BENCH_ARG(step), BENCH_ARG(w),
               BENCH_ARG(h));
    double t = bench_run_time(&r);
    bench_run_read(&r, out, W * H, got);
    for (size_t p = 0; p < W * H; p++)
        if (got[p] != table[in[p]])
            bench_fail("byte %zu: %d, not %d", p, got[p], table[in[p]]);
    return 1e-6 * (double)(W * H) / t;
}

static double case_halve_bgr(void)
{
    enum { TO_W = W / 2, TO_H = H / 2, GROUP = 256 };
    struct bench_run r = {.dims = 2, .global = {2048, TO_H - 2}, .local = {GROUP, 1}};
    bench_run_open(&r, FILE_CL, "", "halve_bgr");
    cl_uchar *in = random_bytes(W * H * 3), *got = bench_memory(TO_W * TO_H * 3);
    cl_mem bin = bench_buffer(&r.cl, W * H * 3, in), out = bench_buffer(&r.cl, TO_W * TO_H * 3, NULL);
    int step = W * 3, w = W, to_step = TO_W * 3, to_w = TO_W;
    BENCH_ARGS(&r, BENCH_ARG(bin), BENCH_ARG(step), BENCH_ARG(w), BENCH_ARG(out), BENCH_ARG(to_step),
               BENCH_ARG(to_w));
    double t = bench_run_time(&r);
    bench_run_read(&r, out, TO_W * TO_H * 3, got);
    static const double weights[5] = {1, 4, 6, 4, 1};
    for (size_t y = 1; y < TO_H - 1; y += 7) {
        for (size_t x = 1; x < TO_W - 1; x += 3) {
            double want = 0;
            for (size_t k = 0; k < 25; k++)
                want += weights[k / 5] * weights[k % 5] / 256 *
                        in[((2 * y + k / 5 - 2) * W + 2 * x + k % 5 - 2) * 3 + x % 3];
            bench_near("byte", y * TO_W + x, got[(y * TO_W + x) * 3 + x % 3], want, 0, 0.6);
        }
    }
    return 1e-6 * (double)(W * H) / t;
}

// ---- sums of products of bytes, as neural networks have them ----

static cl_int product_of(const cl_uchar *a, const cl_uchar *b)
{
    cl_int sum = 0;
    for (int k = 0; k < 4; k++)
        sum += (cl_char)a[k] * (cl_char)b[k];
    return sum;
}

static double case_dot8(void)
{
    enum { N = 1 << 16, WORDS = 64 };
    struct bench_run r = {.dims = 1, .global = {N}};
    bench_run_open(&r, FILE_CL, "", "dot8");
    cl_uchar *a = random_bytes(4 * N * WORDS), *b = random_bytes(4 * WORDS);
    cl_int *got = bench_memory(N * sizeof *got), words = WORDS;
    cl_mem ba = bench_buffer(&r.cl, 4 * N * WORDS, a), bb = bench_buffer(&r.cl, 4 * WORDS, b),
           out = bench_buffer(&r.cl, N * sizeof *got, NULL);
    BENCH_ARGS(&r, BENCH_ARG(ba), BENCH_ARG(bb), BENCH_ARG(out), BENCH_ARG(words));
    const double t = bench_run_time(&r);
    bench_run_read(&r, out, N * sizeof *got, got);
    for (size_t i = 0; i < N; i += 13) {
        cl_int want = 0;
        for (size_t k = 0; k < WORDS; k++)
            want += product_of(a + 4 * (k * N + i), b + 4 * k);
        if (got[i] != want)
            bench_fail("sum %zu is %d, not %d", i, got[i], want);
    }
    return 2e-9 * (double)(4 * N * WORDS) / t;
}

static double case_gemm_int8(void)
{
    enum { M = 512, N = 512, WORDS = 128, ROWS = 8 };
    struct bench_run r = {.dims = 2, .global = {N, M / ROWS}, .local = {64, 1}};
    bench_run_open(&r, FILE_CL, "", "gemm_int8");
    cl_uchar *a = random_bytes(4 * M * WORDS), *b = random_bytes(4 * N * WORDS);
    cl_int *got = bench_memory(M * N * sizeof *got), words = WORDS;
    cl_mem ba = bench_buffer(&r.cl, 4 * M * WORDS, a), bb = bench_buffer(&r.cl, 4 * N * WORDS, b),
           out = bench_buffer(&r.cl, M * N * sizeof *got, NULL);
    BENCH_ARGS(&r, BENCH_ARG(ba), BENCH_ARG(bb), BENCH_ARG(out), BENCH_ARG(words));
    const double t = bench_run_time(&r);
    bench_run_read(&r, out, M * N * sizeof *got, got);
    for (size_t i = 0; i < M * N; i += 101) {
        cl_int want = 0;
        for (size_t k = 0; k < WORDS; k++)
            want += product_of(a + 4 * (i / N * WORDS + k), b + 4 * (k * N + i % N));
        if (got[i] != want)
            bench_fail("element %zu is %d, not %d", i, got[i], want);
    }
    return 2e-9 * (double)(4 * M * N * WORDS) / t;
}

// Runs a filter of 3 x 3 bytes in groups of 16 x 16, on in, whose elements have `element` bytes. Returns the
// figure; *got: the results, of `result` bytes each.
static double filter(const char *kernel, const void *in, size_t element, size_t result, void **got)
{
    struct bench_run r = {.dims = 2, .global = {W, H + 8}, .local = {16, 16}};
    bench_run_open(&r, FILE_CL, "", kernel);
    const size_t n = W * (H + 8);
    *got = bench_memory(n * result);
    cl_mem from = bench_buffer(&r.cl, n * element, in), to = bench_buffer(&r.cl, n * result, NULL);
    int step = W, w = W, h = H;
    BENCH_ARGS(&r, BENCH_ARG(from), BENCH_ARG(to), BENCH_ARG(step), BENCH_ARG(w), BENCH_ARG(h));
    const double t = bench_run_time(&r);
    bench_run_read(&r, to, n * result, *got);
    return 1e-6 * (double)W * (double)H / t;
}

static int by_size(const void *a, const void *b)
{
    return *(const cl_uchar *)a - *(const cl_uchar *)b;
}

// Away from the edges.
static double filter_sorted(const char *kernel, int place)
{
    const cl_uchar *in = random_bytes(W * (H + 8));
    void *got;
    const double figure = filter(kernel, in, 1, 1, &got);
    for (size_t y = 1; y < H - 1; y += 7) {
        for (size_t x = 1; x < W - 1; x++) {
            cl_uchar near[9];
            for (size_t k = 0; k < 9; k++)
                near[k] = in[(y + k / 3 - 1) * W + x + k % 3 - 1];
            qsort(near, 9, 1, by_size);
            if (((cl_uchar *)got)[y * W + x] != near[place])
                bench_fail("pixel %zu is wrong", y * W + x);
        }
    }
    return figure;
}

static double case_least_3x3(void)
{
    return filter_sorted("least_3x3", 0);
}

static double case_median_3x3(void)
{
    return filter_sorted("median_3x3", 4);
}

static size_t mirrored(long x, long n)
{
    x = x < 0 ? -x : x;
    return (size_t)(x >= n ? 2 * n - 2 - x : x);
}

static double case_smooth_rows(void)
{
    const cl_uchar *in = random_bytes(W * (H + 8));
    void *got;
    const double figure = filter("smooth_rows", in, 1, sizeof(cl_int), &got);
    for (long y = 0; y < H; y += 7) {
        const cl_uchar *row = in + mirrored(y - 1, H) * W;
        for (long x = 0; x < W; x++)
            if (((cl_int *)got)[y * W + x] != row[mirrored(x - 1, W)] + 2 * row[x] + row[mirrored(x + 1, W)])
                bench_fail("pixel %ld of row %ld is wrong", x, y);
    }
    return figure;
}

static double case_smooth_columns(void)
{
    const cl_uchar *bytes = random_bytes(W * (H + 8));
    cl_int *in = bench_memory(sizeof *in * W * (H + 8));
    for (size_t i = 0; i < W * (H + 8); i++)
        in[i] = 4 * bytes[i];
    void *got;
    const double figure = filter("smooth_columns", in, sizeof(cl_int), 1, &got);
    for (size_t i = 0; i < W * H; i += 3) {
        const double want = (in[i] + 2 * in[i + W] + in[i + 2 * W]) / 16.0;
        if (fabs(((cl_uchar *)got)[i] - fmin(want, 255.0)) > 0.5)
            bench_fail("pixel %zu is wrong", i);
    }
    return figure;
}

static double case_halve_real(void)
{
    struct bench_run r = {.dims = 2, .global = {W, H / 2}, .local = {128, 1}};
    bench_run_open(&r, FILE_CL, "", "halve_real");
    float *in = bench_floats(3 * W * H, 0.0f, 1.0f, 1), *got = bench_memory(sizeof *got * 3 * W * H / 4);
    cl_mem from = bench_buffer(&r.cl, sizeof *in * 3 * W * H, in),
           to = bench_buffer(&r.cl, sizeof *got * 3 * W * H / 4, NULL);
    int w = W, h = H;
    BENCH_ARGS(&r, BENCH_ARG(from), BENCH_ARG(to), BENCH_ARG(w), BENCH_ARG(h));
    const double t = bench_run_time(&r);
    bench_run_read(&r, to, sizeof *got * 3 * W * H / 4, got);
    for (size_t y = 0; y < H / 2; y += 7) {
        for (size_t x = 0; x < W / 2; x++) {
            for (size_t c = 0; c < 3; c++) {
                double want = 0;
                for (size_t k = 0; k < 6; k++)
                    want += (k / 2 == 1 ? 0.25 : 0.125) *
                            (double)in[3 * (mirrored((long)(2 * y + k / 2) - 1, H) * W + 2 * x + k % 2) + c];
                bench_near("number", y * W / 2 + x, (double)got[3 * (y * W / 2 + x) + c], want, 1e-5, 1e-5);
            }
        }
    }
    return 1e-6 * (double)(W * H) / t;
}

const struct bench_case bench_byte_cases[] = {
    {"shrink_bgr", "Mpx/s", true, case_shrink_bgr,
     "nearest pixels of three bytes, 1920 x 1080 to 1280 x 720"},
    {"shrink_gray", "Mpx/s", true, case_shrink_gray, "the same with a byte a pixel"},
    {"byte_table", "MB/s", true, case_byte_table, "16 bytes a work-item are looked up in local memory"},
    {"halve_bgr", "Mpx/s", true, case_halve_bgr,
     "a step of a pyramid of pixels of three bytes, 5 x 5 weights"},
    {"halve_real", "Mpx/s", true, case_halve_real,
     "a step of a pyramid of three floats, 3 rows and 2 columns, mirrored at the edges"},
    {"least_3x3", "Mpx/s", true, case_least_3x3, "the least of 3 x 3 bytes, groups of 16 x 16 with a tile"},
    {"median_3x3", "Mpx/s", true, case_median_3x3,
     "the median of 3 x 3 bytes, a tile loaded column by column"},
    {"smooth_rows", "Mpx/s", true, case_smooth_rows, "three bytes of a row, mirrored at the edges, a tile"},
    {"smooth_columns", "Mpx/s", true, case_smooth_columns, "three numbers of a column, a tile of 32 rows"},
    {"dot8", "GOP/s", true, case_dot8, "sums of products of signed bytes, from the second cache on"},
    {"gemm_int8", "GOP/s", true, case_gemm_int8, "a product of matrices of signed bytes, 512 x 512 x 512"},
    {0},
};
