// Pictures of bytes, as image libraries have them: one or three to a pixel, in rows with guards.
#include "bench.h"

#include <math.h>
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

const struct bench_case bench_byte_cases[] = {
    {"shrink_bgr", "Mpx/s", true, case_shrink_bgr,
     "nearest pixels of three bytes, 1920 x 1080 to 1280 x 720"},
    {"shrink_gray", "Mpx/s", true, case_shrink_gray, "the same with a byte a pixel"},
    {"byte_table", "MB/s", true, case_byte_table, "16 bytes a work-item are looked up in local memory"},
    {"halve_bgr", "Mpx/s", true, case_halve_bgr,
     "a step of a pyramid of pixels of three bytes, 5 x 5 weights"},
    {0},
};
