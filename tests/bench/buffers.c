// Buffers that are made for one launch. Figures are ratios: the time of creating a buffer, writing all of it
// with a kernel, waiting and releasing it, to that with a buffer that stays. Both are measured in turn.
#include "bench.h"

#include <stdio.h>
#include <string.h>

enum { ROUNDS = 6 };
#define MIB ((size_t)1 << 20)

struct churn {
    struct bench_cl cl;
    cl_kernel kernel;
    size_t bytes;
    cl_mem stays;
    cl_float value;
};

static void launch(struct churn *c, cl_mem m)
{
    const size_t items = c->bytes / 16;
    SET_ARG(c->kernel, 0, m);
    CHECK(clEnqueueNDRangeKernel(c->cl.queue, c->kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    CHECK(clFinish(c->cl.queue));
}

static void step_staying(void *arg)
{
    struct churn *c = arg;
    launch(c, c->stays);
}

static cl_mem make_and_launch(struct churn *c)
{
    cl_int error;
    cl_mem m = clCreateBuffer(c->cl.context, CL_MEM_READ_WRITE, c->bytes, NULL, &error);
    CHECK(error);
    launch(c, m);
    return m;
}

static void step_made(void *arg)
{
    CHECK(clReleaseMemObject(make_and_launch(arg)));
}

static void check(struct churn *c)
{
    cl_mem m = make_and_launch(c);
    const size_t last = c->bytes - sizeof(cl_float);
    const size_t places[] = {0, c->bytes / 2, last};
    for (int i = 0; i < 3; i++) {
        cl_float got = 0;
        CHECK(clEnqueueReadBuffer(c->cl.queue, m, CL_TRUE, places[i], sizeof got, &got, 0, NULL, NULL));
        if (got != c->value)
            bench_fail("wrong result");
    }
    CHECK(clReleaseMemObject(m));
}

static double churn_of(size_t bytes)
{
    struct churn c = {.bytes = bytes, .value = 1.5f};
    bench_open(&c.cl, 0);
    c.kernel = bench_kernel(
        &c.cl, "kernel void fill(global float4 *a, float v) { a[get_global_id(0)] = (float4)(v); }\n", "",
        "fill");
    SET_ARG(c.kernel, 1, c.value);
    c.stays = bench_buffer(&c.cl, bytes, NULL);
    bench_best(step_staying, &c, 1.0); // until the code is as good as it gets
    double staying = 1e30, made = 1e30;
    for (int round = 0; round < ROUNDS; round++) {
        double s = bench_best(step_staying, &c, 0.1), m = bench_best(step_made, &c, 0.1);
        staying = s < staying ? s : staying;
        made = m < made ? m : made;
    }
    check(&c);
    return made / staying;
}

static double churn_1m(void)
{
    return churn_of(MIB);
}

static double churn_8m(void)
{
    return churn_of(8 * MIB);
}

static double churn_32m(void)
{
    return churn_of(32 * MIB);
}

const struct bench_case bench_buffer_cases[] = {
    {"buffer_churn_1m", "x staying", false, churn_1m,
     "create, launch, finish, release of 1 MiB, beside a buffer that stays"},
    {"buffer_churn_8m", "x staying", false, churn_8m, "the same with 8 MiB"},
    {"buffer_churn_32m", "x staying", false, churn_32m, "the same with 32 MiB"},
    {0},
};
