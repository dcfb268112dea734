// Shared by the cases that time one kernel: its source file, its launch, inputs and comparisons.
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static char *read_source(const char *file)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", BENCH_KERNELS, file);
    FILE *f = fopen(path, "rb");
    if (!f)
        bench_fail("%s can't be read", path);
    char *text = bench_memory(1 << 16);
    text[fread(text, 1, (1 << 16) - 1, f)] = '\0';
    fclose(f);
    return text;
}

void bench_run_open(struct bench_run *r, const char *file, const char *options, const char *kernel)
{
    bench_open(&r->cl, 0);
    r->kernel = bench_kernel(&r->cl, read_source(file), options, kernel);
}

static void step(void *arg)
{
    struct bench_run *r = arg;
    CHECK(clEnqueueNDRangeKernel(r->cl.queue, r->kernel, r->dims, NULL, r->global,
                                 r->local[0] ? r->local : NULL, 0, NULL, NULL));
    CHECK(clFinish(r->cl.queue));
}

double bench_run_time(struct bench_run *r)
{
    return bench_best(step, r, 0.4);
}

void bench_run_read(struct bench_run *r, cl_mem m, size_t bytes, void *out)
{
    CHECK(clEnqueueReadBuffer(r->cl.queue, m, CL_TRUE, 0, bytes, out, 0, NULL, NULL));
}

void bench_run_args(struct bench_run *r, const struct bench_arg *args, size_t count)
{
    for (size_t i = 0; i < count; i++)
        CHECK(clSetKernelArg(r->kernel, (cl_uint)i, args[i].size, args[i].value));
}

void *bench_memory(size_t bytes)
{
    void *p = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    if (!p)
        bench_fail("no memory for %zu bytes", bytes);
    return p;
}

uint32_t bench_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 32);
}

float *bench_floats(size_t n, float low, float high, uint64_t seed)
{
    float *v = bench_memory(n * sizeof *v);
    for (size_t i = 0; i < n; i++)
        v[i] = low + (high - low) * ((float)(bench_random(&seed) >> 8) * 0x1p-24f);
    return v;
}

void bench_near(const char *what, size_t index, double got, double want, double relative, double absolute)
{
    if (!(fabs(got - want) <= relative * fabs(want) + absolute))
        bench_fail("%s %zu: %.9g, not %.9g", what, index, got, want);
}
