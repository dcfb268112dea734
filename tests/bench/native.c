// The machine's limit: C with vector types and one thread for each core. Kernels are compared with it. These
// cases use no OpenCL, so their figures are the same for every driver, apart from noise.
#include "bench.h"

#include <pthread.h>
#include <sched.h>

#ifdef __AVX512F__
enum { LANES = 16 };
#else
enum { LANES = 8 };
#endif
typedef float floats __attribute__((vector_size(sizeof(float) * LANES)));
typedef int ints __attribute__((vector_size(sizeof(int) * LANES)));

static floats splat(float v)
{
    return (floats){0} + v;
}

// ---- Threads: work(part) for each part < PARTS, handed out one by one ----

enum { PARTS = 64 };

struct team {
    void (*work)(void *arg, int part);
    void *arg;
    int next; // accessed with __atomic functions
};

static void *member(void *arg)
{
    struct team *t = arg;
    for (int part; (part = __atomic_fetch_add(&t->next, 1, __ATOMIC_SEQ_CST)) < PARTS;)
        t->work(t->arg, part);
    return NULL;
}

static void in_parallel(void *arg)
{
    struct team *t = arg;
    cpu_set_t cpus;
    pthread_t threads[256];
    int others = 0;
    t->next = 0;
    if (sched_getaffinity(0, sizeof cpus, &cpus) == 0)
        others = CPU_COUNT(&cpus) - 1;
    int started = 0;
    while (started < others && started < 256 && pthread_create(&threads[started], NULL, member, t) == 0)
        started++;
    member(t);
    for (int i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
}

static double parallel_time(void (*work)(void *arg, int part), void *arg)
{
    struct team t = {work, arg, 0};
    return bench_best(in_parallel, &t, 0.4);
}

// ---- The cases ----

enum { CHAIN_ROUNDS = 1 << 16 };
static void chains(void *arg, int part)
{
    floats *out = arg, c[16], a = splat(0.999f), b = splat(0.001f), sum = splat(0.0f);
    for (int i = 0; i < 16; i++)
        c[i] = splat((float)(part + i));
    for (int n = 0; n < CHAIN_ROUNDS; n++) {
#pragma unroll
        for (int i = 0; i < 16; i++)
            c[i] = c[i] * a + b;
    }
    for (int i = 0; i < 16; i++)
        sum += c[i];
    out[part] = sum;
}

static double native_fma(void)
{
    static floats out[PARTS];
    double t = parallel_time(chains, out);
    bench_near("sum", 0, (double)out[0][0], 16.0, 1e-2, 0.0); // b / (1 - a) each
    return 2e-9 * 16 * (double)CHAIN_ROUNDS * (double)(LANES * PARTS) / t;
}

static int any_lane(ints v)
{
#if defined(__clang__)
    return __builtin_reduce_or(v);
#else // GCC has no such function
    int any = 0;
    for (int i = 0; i < LANES; i++)
        any |= v[i];
    return any;
#endif
}

enum { W = 1024, H = 1024, LIMIT = 256 };
static void mandelbrot_rows(void *arg, int part)
{
    int *out = arg;
    const float scale = 2.5f / (float)H;
    floats ramp = splat(0.0f);
    for (int i = 0; i < LANES; i++)
        ramp[i] = (float)i;
    for (int y = part; y < H; y += PARTS) {
        floats ci = splat((float)y * scale - 1.25f);
        for (int x = 0; x < W; x += LANES) {
            floats cr = (splat((float)x) + ramp) * scale - 2.0f, zr = splat(0.0f), zi = zr;
            ints n = {0};
            for (int k = 0; k < LIMIT; k++) {
                floats r2 = zr * zr, i2 = zi * zi;
                ints alive = r2 + i2 < 4.0f;
                if (!any_lane(alive))
                    break;
                n -= alive; // true is -1
                zi = 2.0f * zr * zi + ci;
                zr = r2 - i2 + cr;
            }
            __builtin_memcpy(out + y * W + x, &n, sizeof n);
        }
    }
}

static double native_mandelbrot(void)
{
    static int counts[W * H];
    double t = parallel_time(mandelbrot_rows, counts), sum = 0.0;
    for (size_t i = 0; i < W * H; i++)
        sum += counts[i];
    if (counts[0] > 3 || counts[512 * W + 819] != LIMIT || sum < 5e7 || sum > 9e7)
        bench_fail("wrong counts: corner %d, centre %d, sum %g", counts[0], counts[512 * W + 819], sum);
    return 1e-6 * sum / t;
}

enum { TRIAD = 1 << 24 };
static void triad_part(void *arg, int part)
{
    float **v = arg;
    size_t first = (size_t)part * (TRIAD / PARTS);
    for (size_t i = first; i < first + TRIAD / PARTS; i++)
        v[0][i] = v[1][i] + 3.0f * v[2][i];
}

static double native_triad(void)
{
    float *v[3];
    for (uint64_t i = 0; i < 3; i++)
        v[i] = bench_floats(TRIAD, 0.0f, 1.0f, i + 1);
    double t = parallel_time(triad_part, v);
    for (size_t i = 0; i < TRIAD; i += 7)
        bench_near("element", i, (double)v[0][i], (double)v[1][i] + 3.0 * (double)v[2][i], 1e-6, 0.0);
    return 4e-9 * (double)(3 * TRIAD) / t;
}

enum { SIDE = 4096, BLOCK = 16 };
static void transpose_part(void *arg, int part)
{
    float **v = arg;
    for (size_t y = (size_t)part * (SIDE / PARTS); y < (size_t)(part + 1) * (SIDE / PARTS); y += BLOCK)
        for (size_t x = 0; x < SIDE; x += BLOCK)
            for (size_t i = 0; i < BLOCK; i++)
                for (size_t j = 0; j < BLOCK; j++)
                    v[0][(x + i) * SIDE + y + j] = v[1][(y + j) * SIDE + x + i];
}

static double native_transpose(void)
{
    float *v[2];
    for (uint64_t i = 0; i < 2; i++)
        v[i] = bench_floats((size_t)SIDE * SIDE, 0.0f, 1.0f, i + 1);
    double t = parallel_time(transpose_part, v);
    for (size_t y = 0; y < SIDE; y += 7)
        for (size_t x = 0; x < SIDE; x += 3)
            if (v[0][x * SIDE + y] != v[1][y * SIDE + x])
                bench_fail("element %zu, %zu is wrong", x, y);
    return 8e-9 * (double)(SIDE * SIDE) / t;
}

const struct bench_case bench_native_cases[] = {
    {"native_fma", "GFLOP/s", true, native_fma, "the limit of fma_chains: C with vector types and threads"},
    {"native_mandelbrot", "Miter/s", true, native_mandelbrot, "the limit of mandelbrot"},
    {"native_triad", "GB/s", true, native_triad, "the limit of triad"},
    {"native_transpose", "GB/s", true, native_transpose, "transpose in blocks of 16 x 16"},
    {0},
};
