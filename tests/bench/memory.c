// Memory bandwidth of kernels, copies and fills. Figures are ratios to native loops with as many threads, in
// the same run and over the same arrays. In a virtual machine two sets of arrays may differ by a quarter,
// depending on where their pages lie.
#include "bench.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BYTES = 256 << 20, ELEMENTS = BYTES / 4, MAX_THREADS = 64 };

// ---- Native: one thread for each core, each with a contiguous part ----

enum native_kind { NATIVE_TRIAD, NATIVE_COPY, NATIVE_FILL };

struct native {
    enum native_kind kind;
    float *a;
    const float *b, *c;
    float scale;
    long threads;
};

struct native_part {
    const struct native *job;
    size_t first, last;
};

static void *native_thread(void *arg)
{
    const struct native_part *p = arg;
    const struct native *n = p->job;
    float *restrict a = n->a;
    const float *restrict b = n->b, *restrict c = n->c;
    switch (n->kind) {
    case NATIVE_TRIAD:
        for (size_t i = p->first; i < p->last; i++)
            a[i] = b[i] + n->scale * c[i];
        break;
    case NATIVE_COPY:
        memcpy(a + p->first, b + p->first, (p->last - p->first) * sizeof *a);
        break;
    case NATIVE_FILL:
        for (size_t i = p->first; i < p->last; i++)
            a[i] = n->scale;
        break;
    }
    return NULL;
}

static void native_step(void *arg)
{
    const struct native *n = arg;
    pthread_t threads[MAX_THREADS];
    struct native_part parts[MAX_THREADS];
    for (long t = 0; t < n->threads; t++) {
        parts[t] = (struct native_part){n, (size_t)(ELEMENTS / n->threads * t),
                                        t + 1 == n->threads ? (size_t)ELEMENTS
                                                            : (size_t)(ELEMENTS / n->threads * (t + 1))};
        if (pthread_create(&threads[t], NULL, native_thread, &parts[t]) != 0)
            bench_fail("no thread");
    }
    for (long t = 0; t < n->threads; t++)
        pthread_join(threads[t], NULL);
}

static float *array(float seed)
{
    void *p;
    if (posix_memalign(&p, 1 << 21, BYTES) != 0)
        bench_fail("no memory");
    float *f = p;
    for (size_t i = 0; i < ELEMENTS; i++)
        f[i] = seed + (float)(i % 1000);
    return f;
}

struct memory {
    struct bench_cl cl;
    struct native native;
    cl_kernel kernel;
    cl_mem a, b, c;
};

static cl_mem shared_buffer(struct bench_cl *cl, const float *content)
{
    cl_int error;
    cl_mem m = clCreateBuffer(cl->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, BYTES,
                              (void *)(uintptr_t)content, &error);
    CHECK(error);
    return m;
}

static void open_memory(struct memory *m, enum native_kind kind)
{
    bench_open(&m->cl, 0);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    m->native =
        (struct native){kind,        array(0.0f), array(1.0f),
                        array(2.0f), 3.0f,        cores < 1 ? 1 : cores > MAX_THREADS ? MAX_THREADS : cores};
    m->a = shared_buffer(&m->cl, m->native.a);
    m->b = shared_buffer(&m->cl, m->native.b);
    m->c = shared_buffer(&m->cl, m->native.c);
}

static float expected(const struct native *n, size_t i)
{
    switch (n->kind) {
    case NATIVE_TRIAD:
        return n->b[i] + n->scale * n->c[i]; // exact, because the numbers are small integers
    case NATIVE_COPY:
        return n->b[i];
    case NATIVE_FILL:
        return n->scale;
    }
    return 0;
}

// The native loop writes memory of the buffer's, which it may while that is mapped.
static double native_time(struct memory *m)
{
    cl_int error;
    void *mapped =
        clEnqueueMapBuffer(m->cl.queue, m->a, CL_TRUE, CL_MAP_WRITE, 0, BYTES, 0, NULL, NULL, &error);
    CHECK(error);
    const double t = bench_best(native_step, &m->native, 0.25);
    CHECK(clEnqueueUnmapMemObject(m->cl.queue, m->a, mapped, 0, NULL, NULL));
    CHECK(clFinish(m->cl.queue));
    return t;
}

// Alternates native and OpenCL, so noise affects both. Checks what OpenCL wrote. Returns native time / OpenCL
// time.
static double ratio(struct memory *m, void (*step)(void *))
{
    double native = 1e30, ours = 1e30;
    for (int round = 0; round < 4; round++) {
        double n = native_time(m), o = bench_best(step, m, 0.25);
        native = n < native ? n : native;
        ours = o < ours ? o : ours;
    }
    cl_int error;
    float *result =
        clEnqueueMapBuffer(m->cl.queue, m->a, CL_TRUE, CL_MAP_WRITE, 0, BYTES, 0, NULL, NULL, &error);
    CHECK(error);
    memset(result, 0xff, BYTES); // so the results of the native loop can't pass the check
    CHECK(clEnqueueUnmapMemObject(m->cl.queue, m->a, result, 0, NULL, NULL));
    step(m);
    result = clEnqueueMapBuffer(m->cl.queue, m->a, CL_TRUE, CL_MAP_READ, 0, BYTES, 0, NULL, NULL, &error);
    CHECK(error);
    for (size_t i = 0; i < ELEMENTS; i++)
        if (result[i] != expected(&m->native, i))
            bench_fail("wrong result");
    return native / ours;
}

static void triad_step(void *arg)
{
    struct memory *m = arg;
    const size_t global = ELEMENTS;
    CHECK(clEnqueueNDRangeKernel(m->cl.queue, m->kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    CHECK(clFinish(m->cl.queue));
}

static double mem_triad(void)
{
    struct memory m;
    open_memory(&m, NATIVE_TRIAD);
    m.kernel = bench_kernel(
        &m.cl,
        "kernel void triad(global float *a, global const float *b, global const float *c, float s)\n"
        "{ size_t i = get_global_id(0); a[i] = b[i] + s * c[i]; }\n",
        "", "triad");
    SET_ARG(m.kernel, 0, m.a);
    SET_ARG(m.kernel, 1, m.b);
    SET_ARG(m.kernel, 2, m.c);
    SET_ARG(m.kernel, 3, m.native.scale);
    return ratio(&m, triad_step);
}

static void copy_step(void *arg)
{
    struct memory *m = arg;
    CHECK(clEnqueueCopyBuffer(m->cl.queue, m->b, m->a, 0, 0, BYTES, 0, NULL, NULL));
    CHECK(clFinish(m->cl.queue));
}

static double mem_copy(void)
{
    struct memory m;
    open_memory(&m, NATIVE_COPY);
    return ratio(&m, copy_step);
}

static void fill_step(void *arg)
{
    struct memory *m = arg;
    CHECK(clEnqueueFillBuffer(m->cl.queue, m->a, &m->native.scale, sizeof(float), 0, BYTES, 0, NULL, NULL));
    CHECK(clFinish(m->cl.queue));
}

static double mem_fill(void)
{
    struct memory m;
    open_memory(&m, NATIVE_FILL);
    return ratio(&m, fill_step);
}

const struct bench_case bench_memory_cases[] = {
    {"mem_triad", "x native", true, mem_triad, "a = b + s * c over 256 MB arrays, beside native threads"},
    {"mem_copy", "x native", true, mem_copy,
     "clEnqueueCopyBuffer of 256 MB, beside memcpy in native threads"},
    {"mem_fill", "x native", true, mem_fill,
     "clEnqueueFillBuffer of 256 MB, beside a native loop in threads"},
    {0},
};
