// Memory that is accessed anywhere: tables, sparse rows, digits that are counted, elements that are moved.
#include "bench.h"

#include <math.h>

#define FILE_CL "scattered.cl"

static cl_uint *random_words(size_t n, uint64_t seed)
{
    cl_uint *words = bench_memory(n * sizeof *words);
    for (size_t i = 0; i < n; i++)
        words[i] = bench_random(&seed);
    return words;
}

static cl_uchar *random_bytes(size_t n, uint64_t seed)
{
    cl_uchar *bytes = bench_memory(n);
    for (size_t i = 0; i < n; i++)
        bytes[i] = (cl_uchar)bench_random(&seed);
    return bytes;
}

static void same(size_t index, cl_uint got, cl_uint want)
{
    if (got != want)
        bench_fail("element %zu is %u, not %u", index, got, want);
}

// ---- noise ----

static float faded(float t)
{
    return t * t * t * (t * (t * 6 - 15) + 10);
}

static float slope(int hash, float x, float y, float z)
{
    const int h = hash & 15;
    const float u = h < 8 ? x : y, v = h < 4 ? y : h == 12 || h == 14 ? x : z;
    return (h & 1 ? -u : u) + (h & 2 ? -v : v);
}

static float mixed(float a, float b, float t)
{
    return a + (b - a) * t;
}

static float noise_at(const int *p, float x, float y)
{
    const int cx = (int)floorf(x) & 255, cy = (int)floorf(y) & 255;
    const float fx = x - floorf(x), fy = y - floorf(y), u = faded(fx), v = faded(fy);
    float layer[2];
    for (int z = 0; z < 2; z++) {
        float corner[2][2];
        for (int j = 0; j < 2; j++)
            for (int i = 0; i < 2; i++) {
                const int at = p[(p[(cx + i) & 255] + cy + j) & 255];
                corner[j][i] = slope(p[(at + z) & 255], fx - (float)i, fy - (float)j, 0.5f - (float)z);
            }
        layer[z] = mixed(mixed(corner[0][0], corner[0][1], u), mixed(corner[1][0], corner[1][1], u), v);
    }
    return mixed(layer[0], layer[1], faded(0.5f));
}

static double case_noise(void)
{
    enum { W = 1024, H = 1024 };
    struct bench_run r = {.dims = 2, .global = {W, H}};
    bench_run_open(&r, FILE_CL, "", "noise");
    int p[256], w = W;
    uint64_t random = 1;
    for (int i = 0; i < 256; i++)
        p[i] = i;
    for (int i = 255; i > 0; i--) {
        const int k = (int)(bench_random(&random) % (unsigned)(i + 1)), t = p[i];
        p[i] = p[k];
        p[k] = t;
    }
    float scale = 0.037f, *got = bench_memory(sizeof(float) * W * H);
    cl_mem bp = bench_buffer(&r.cl, sizeof p, p), out = bench_buffer(&r.cl, sizeof(float) * W * H, NULL);
    BENCH_ARGS(&r, BENCH_ARG(out), BENCH_ARG(bp), BENCH_ARG(w), BENCH_ARG(scale));
    const double t = bench_run_time(&r);
    bench_run_read(&r, out, sizeof(float) * W * H, got);
    for (size_t i = 0; i < W * H; i += 61)
        bench_near("pixel", i, (double)got[i],
                   (double)noise_at(p, (float)(i % W) * scale, (float)(i / W) * scale), 1e-3, 2e-3);
    return 1e-6 * (double)(W * H) / t;
}

// ---- the others ----

static double case_sparse_columns(void)
{
    enum { N = 1 << 16, MOST = 16 };
    struct bench_run r = {.dims = 1, .global = {N}};
    bench_run_open(&r, FILE_CL, "", "sparse_columns");
    const size_t all = (size_t)N * MOST;
    float *value = bench_floats(all, -1.0f, 1.0f, 1), *x = bench_floats(N, -1.0f, 1.0f, 2),
          *got = bench_memory(sizeof(float) * N);
    cl_int *column = bench_memory(sizeof *column * all);
    uint64_t random = 3;
    for (size_t i = 0; i < all; i++) {
        const size_t near = (i % N + bench_random(&random) % 400) % N;
        column[i] = bench_random(&random) % 8 == 0 ? -1 : (cl_int)near;
    }
    cl_mem bv = bench_buffer(&r.cl, sizeof(float) * all, value),
           bc = bench_buffer(&r.cl, sizeof *column * all, column),
           bx = bench_buffer(&r.cl, sizeof(float) * N, x), out = bench_buffer(&r.cl, sizeof(float) * N, NULL);
    int n = N, most = MOST;
    BENCH_ARGS(&r, BENCH_ARG(out), BENCH_ARG(bv), BENCH_ARG(bc), BENCH_ARG(bx), BENCH_ARG(n),
               BENCH_ARG(most));
    const double t = bench_run_time(&r);
    bench_run_read(&r, out, sizeof(float) * N, got);
    for (size_t i = 0; i < N; i++) {
        double want = 0;
        for (size_t k = 0; k < MOST; k++)
            if (column[k * N + i] >= 0)
                want += (double)value[k * N + i] * (double)x[column[k * N + i]];
        bench_near("row", i, (double)got[i], want, 1e-4, 1e-5);
    }
    return 1e-6 * (double)all / t;
}

static double case_count_digits(void)
{
    enum { N = 1 << 15, EACH = 32 };
    struct bench_run r = {.dims = 1, .global = {N}, .local = {64}};
    bench_run_open(&r, FILE_CL, "", "count_digits");
    cl_uint *keys = random_words((size_t)N * EACH, 1), *got = bench_memory(sizeof(cl_uint) * N * 16);
    cl_mem in = bench_buffer(&r.cl, sizeof(cl_uint) * N * EACH, keys),
           out = bench_buffer(&r.cl, sizeof(cl_uint) * N * 16, NULL);
    int shift = 4, each = EACH;
    BENCH_ARGS(&r, BENCH_ARG(out), BENCH_ARG(in), BENCH_ARG(shift), BENCH_ARG(each));
    const double t = bench_run_time(&r);
    bench_run_read(&r, out, sizeof(cl_uint) * N * 16, got);
    for (size_t i = 0; i < N; i += 7) {
        cl_uint count[16] = {0};
        for (size_t k = 0; k < EACH; k++)
            count[keys[i * EACH + k] >> 4 & 15]++;
        for (size_t k = 0; k < 16; k++)
            same(k * N + i, got[k * N + i], count[k]);
    }
    return 1e-6 * (double)(N * EACH) / t;
}

static cl_uint rotated(cl_uint x, unsigned by)
{
    return x << by | x >> (32 - by);
}

static double case_hash_rows(void)
{
    enum { N = 1 << 16, WORDS = 16 };
    struct bench_run r = {.dims = 1, .global = {N}};
    bench_run_open(&r, FILE_CL, "", "hash_rows");
    cl_uint *in = random_words((size_t)N * WORDS, 1), *got = bench_memory(sizeof(cl_uint) * N);
    cl_mem bin = bench_buffer(&r.cl, sizeof(cl_uint) * N * WORDS, in),
           out = bench_buffer(&r.cl, sizeof(cl_uint) * N, NULL);
    int n = WORDS;
    BENCH_ARGS(&r, BENCH_ARG(out), BENCH_ARG(bin), BENCH_ARG(n));
    const double t = bench_run_time(&r);
    bench_run_read(&r, out, sizeof(cl_uint) * N, got);
    for (size_t i = 0; i < N; i++) {
        cl_uint h = 374761393u + WORDS * 4;
        for (size_t k = 0; k < WORDS; k++)
            h = rotated(h + in[i * WORDS + k] * 3266489917u, 17) * 668265263u;
        h = (h ^ h >> 15) * 2246822519u;
        same(i, got[i], h ^ h >> 13);
    }
    return 1e-6 * (double)(N * WORDS) / t;
}

static double case_compact(void)
{
    enum { N = 1 << 20 };
    struct bench_run r = {.dims = 1, .global = {N}};
    bench_run_open(&r, FILE_CL, "", "compact");
    cl_uint *in = random_words(N, 1), *place = bench_memory(sizeof(cl_uint) * N),
            *got = bench_memory(sizeof(cl_uint) * N), least = 1u << 31, count = 0;
    for (size_t i = 0; i < N; i++) {
        place[i] = count;
        count += in[i] >= least;
    }
    cl_mem bin = bench_buffer(&r.cl, sizeof(cl_uint) * N, in),
           bplace = bench_buffer(&r.cl, sizeof(cl_uint) * N, place),
           out = bench_buffer(&r.cl, sizeof(cl_uint) * N, NULL);
    BENCH_ARGS(&r, BENCH_ARG(out), BENCH_ARG(bin), BENCH_ARG(bplace), BENCH_ARG(least));
    const double t = bench_run_time(&r);
    bench_run_read(&r, out, sizeof(cl_uint) * N, got);
    for (size_t i = 0; i < N; i++)
        if (in[i] >= least)
            same(place[i], got[place[i]], in[i]);
    return 1e-6 * (double)N / t;
}

static double case_transpose_bgr(void)
{
    enum { N = 1024, BYTES = 3 * N * N };
    struct bench_run r = {.dims = 2, .global = {N, N}};
    bench_run_open(&r, FILE_CL, "", "transpose_bgr");
    cl_uchar *in = random_bytes(BYTES, 1), *got = bench_memory(BYTES);
    cl_mem bin = bench_buffer(&r.cl, BYTES, in), out = bench_buffer(&r.cl, BYTES, NULL);
    int n = N;
    BENCH_ARGS(&r, BENCH_ARG(out), BENCH_ARG(bin), BENCH_ARG(n));
    const double t = bench_run_time(&r);
    bench_run_read(&r, out, BYTES, got);
    for (size_t i = 0; i < N * N; i++)
        for (size_t k = 0; k < 3; k++)
            same(3 * i + k, got[3 * i + k], in[3 * (i % N * N + i / N) + k]);
    return 2e-9 * (double)BYTES / t;
}

static double case_map_bytes(void)
{
    enum { N = 1 << 20 };
    struct bench_run r = {.dims = 1, .global = {N}};
    bench_run_open(&r, FILE_CL, "", "map_bytes");
    cl_uchar *in = random_bytes(N, 1), *table = random_bytes(256, 2), *got = bench_memory(N);
    cl_mem bin = bench_buffer(&r.cl, N, in), btable = bench_buffer(&r.cl, 256, table),
           out = bench_buffer(&r.cl, N, NULL);
    BENCH_ARGS(&r, BENCH_ARG(out), BENCH_ARG(bin), BENCH_ARG(btable));
    const double t = bench_run_time(&r);
    bench_run_read(&r, out, N, got);
    for (size_t i = 0; i < N; i++)
        same(i, got[i], table[in[i]]);
    return 1e-6 * (double)N / t;
}

static double case_rotate_picture(void)
{
    enum { W = 1024, H = 1024 };
    struct bench_run r = {.dims = 2, .global = {W, H}};
    bench_run_open(&r, FILE_CL, "", "rotate_picture");
    float *in = bench_floats(W * H, 1.0f, 2.0f, 1), *got = bench_memory(sizeof(float) * W * H), c = 0.8f,
          s = 0.6f;
    cl_mem bin = bench_buffer(&r.cl, sizeof(float) * W * H, in),
           out = bench_buffer(&r.cl, sizeof(float) * W * H, NULL);
    int w = W, h = H;
    BENCH_ARGS(&r, BENCH_ARG(out), BENCH_ARG(bin), BENCH_ARG(w), BENCH_ARG(h), BENCH_ARG(c), BENCH_ARG(s));
    const double t = bench_run_time(&r);
    bench_run_read(&r, out, sizeof(float) * W * H, got);
    for (size_t i = 0; i < W * H; i++) {
        const double x = (double)(i % W) - W / 2, y = (double)(i / W) - H / 2;
        const double fx = (double)c * x - (double)s * y + W / 2, fy = (double)s * x + (double)c * y + H / 2;
        // Where rounding decides which pixel it is, either is right.
        if (fabs(fx - round(fx)) < 1e-3 || fabs(fy - round(fy)) < 1e-3)
            continue;
        const bool inside = fx > -1 && fx < (double)W && fy > -1 && fy < (double)H;
        bench_near("pixel", i, (double)got[i], inside ? (double)in[(size_t)fy * W + (size_t)fx] : 0, 0, 0);
    }
    return 1e-6 * (double)(W * H) / t;
}

const struct bench_case bench_scattered_cases[] = {
    {"noise", "Mpx/s", true, case_noise, "Perlin's noise: 14 lookups, and choices between coordinates"},
    {"sparse_columns", "Mnz/s", true, case_sparse_columns,
     "sparse rows of the same length (ELLPACK), some padded"},
    {"count_digits", "Mkey/s", true, case_count_digits,
     "16 digits, counted in a private array: a radix sort's step"},
    {"hash_rows", "Mword/s", true, case_hash_rows, "a hash of 16 words, a row a work-item"},
    {"compact", "Mel/s", true, case_compact,
     "half of the elements are moved to places that a scan has found"},
    {"transpose_bgr", "GB/s", true, case_transpose_bgr, "1024 x 1024 pixels of three bytes"},
    {"map_bytes", "Mpx/s", true, case_map_bytes, "each byte by a table of 256"},
    {"rotate_picture", "Mpx/s", true, case_rotate_picture, "floats, the nearest pixel, nothing outside"},
    {0},
};
