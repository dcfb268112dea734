// What the generated code of some ordinary kernels achieves.
#include "bench.h"

#include <math.h>
#include <stdlib.h>

struct kernel_run {
    struct bench_cl cl;
    cl_kernel kernel;
    cl_uint dims;
    size_t global[3];
    const size_t *local;
};

static void kernel_step(void *arg)
{
    struct kernel_run *r = arg;
    CHECK(clEnqueueNDRangeKernel(r->cl.queue, r->kernel, r->dims, NULL, r->global, r->local, 0, NULL, NULL));
    CHECK(clFinish(r->cl.queue));
}

static void read_back(struct kernel_run *r, cl_mem m, size_t bytes, void *out)
{
    CHECK(clEnqueueReadBuffer(r->cl.queue, m, CL_TRUE, 0, bytes, out, 0, NULL, NULL));
}

static double kernel_mandelbrot(void)
{
    enum { W = 1024, H = 1024, LIMIT = 256 };
    static const char source[] =
        "kernel void mandelbrot(global int *out, int w, float scale, int limit)\n"
        "{\n"
        "    int x = get_global_id(0), y = get_global_id(1), n = 0;\n"
        "    float cr = x * scale - 2.0f, ci = y * scale - 1.25f, zr = 0.0f, zi = 0.0f;\n"
        "    while (n < limit && zr * zr + zi * zi < 4.0f) {\n"
        "        float t = zr * zr - zi * zi + cr;\n"
        "        zi = 2.0f * zr * zi + ci;\n"
        "        zr = t;\n"
        "        n++;\n"
        "    }\n"
        "    out[y * w + x] = n;\n"
        "}\n";
    struct kernel_run r = {.dims = 2, .global = {W, H}};
    bench_open(&r.cl, 0);
    r.kernel = bench_kernel(&r.cl, source, "", "mandelbrot");
    cl_mem out = bench_buffer(&r.cl, sizeof(cl_int) * W * H, NULL);
    cl_int w = W, limit = LIMIT;
    cl_float scale = 2.5f / (float)H;
    SET_ARG(r.kernel, 0, out);
    SET_ARG(r.kernel, 1, w);
    SET_ARG(r.kernel, 2, scale);
    SET_ARG(r.kernel, 3, limit);
    double t = bench_best(kernel_step, &r, 1.0), sum = 0.0;
    static cl_int counts[W * H];
    read_back(&r, out, sizeof counts, counts);
    for (size_t i = 0; i < W * H; i++)
        sum += counts[i];
    // Rounding (contraction) moves a few points of the border: the sum is known to a thousandth.
    if (counts[0] > 3 || counts[512 * W + 819] != LIMIT || sum < 5e7 || sum > 9e7)
        bench_fail("wrong counts: corner %d, centre %d, sum %g", counts[0], counts[512 * W + 819], sum);
    return 1e-6 * sum / t;
}

static double kernel_reduce(void)
{
    enum { N = 1 << 24, LOCAL = 256 };
    static const char source[] =
        "kernel void reduce(global const float *in, global float *out, local float *tile)\n"
        "{\n"
        "    int l = get_local_id(0);\n"
        "    tile[l] = in[get_global_id(0)];\n"
        "    barrier(CLK_LOCAL_MEM_FENCE);\n"
        "    for (int s = get_local_size(0) / 2; s > 0; s /= 2) {\n"
        "        if (l < s)\n"
        "            tile[l] += tile[l + s];\n"
        "        barrier(CLK_LOCAL_MEM_FENCE);\n"
        "    }\n"
        "    if (l == 0)\n"
        "        out[get_group_id(0)] = tile[0];\n"
        "}\n";
    static const size_t local = LOCAL;
    struct kernel_run r = {.dims = 1, .global = {N}, .local = &local};
    bench_open(&r.cl, 0);
    r.kernel = bench_kernel(&r.cl, source, "", "reduce");
    float *in = malloc(sizeof *in * N), *sums = malloc(sizeof *sums * (N / LOCAL));
    if (!in || !sums)
        bench_fail("no memory");
    for (size_t i = 0; i < N; i++)
        in[i] = (float)(i % 17);
    cl_mem bin = bench_buffer(&r.cl, sizeof *in * N, in),
           bout = bench_buffer(&r.cl, sizeof *sums * (N / LOCAL), NULL);
    SET_ARG(r.kernel, 0, bin);
    SET_ARG(r.kernel, 1, bout);
    CHECK(clSetKernelArg(r.kernel, 2, sizeof(float) * LOCAL, NULL));
    double t = bench_best(kernel_step, &r, 1.0);
    read_back(&r, bout, sizeof *sums * (N / LOCAL), sums);
    for (size_t g = 0; g < N / LOCAL; g++) {
        float want = 0.0f;
        for (size_t i = 0; i < LOCAL; i++)
            want += in[g * LOCAL + i];
        if (sums[g] != want)
            bench_fail("group %zu: %g, not %g", g, (double)sums[g], (double)want);
    }
    return 4e-9 * (double)N / t;
}

static double kernel_math(void)
{
    enum { N = 1 << 22 };
    static const char source[] =
        "kernel void apply(global float *out, global const float *in)\n"
        "{ int i = get_global_id(0); float x = in[i]; out[i] = exp(x) + sin(x) * log(x); }\n";
    struct kernel_run r = {.dims = 1, .global = {N}};
    bench_open(&r.cl, 0);
    r.kernel = bench_kernel(&r.cl, source, "", "apply");
    float *in = malloc(sizeof *in * N), *out = malloc(sizeof *out * N);
    if (!in || !out)
        bench_fail("no memory");
    for (size_t i = 0; i < N; i++)
        in[i] = 0.5f + (float)i * (4.0f / (float)N);
    cl_mem bin = bench_buffer(&r.cl, sizeof *in * N, in), bout = bench_buffer(&r.cl, sizeof *out * N, NULL);
    SET_ARG(r.kernel, 0, bout);
    SET_ARG(r.kernel, 1, bin);
    double t = bench_best(kernel_step, &r, 1.0);
    read_back(&r, bout, sizeof *out * N, out);
    for (size_t i = 0; i < N; i++) {
        double x = (double)in[i], want = exp(x) + sin(x) * log(x);
        if (fabs((double)out[i] - want) > 1e-5 * fabs(want) + 1e-6)
            bench_fail("element %zu: %g, not %g", i, (double)out[i], want);
    }
    return 1e-6 * (double)N / t;
}

const struct bench_case bench_kernel_cases[] = {
    {"kernel_mandelbrot", "Miter/s", true, kernel_mandelbrot, "divergent loop, 1024 x 1024, local size NULL"},
    {"kernel_reduce", "GB/s", true, kernel_reduce, "tree reduction in local memory, barriers in a loop"},
    {"kernel_math", "Mop/s", true, kernel_math, "exp + sin * log over an array"},
    {0},
};
