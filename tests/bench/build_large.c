// How long a program waits for a kernel of 10, 500 or 5,000 lines: until its first result, and until it runs
// at full speed.
#include "bench.h"

#include <stdio.h>
#include <string.h>

// A line of the kernel: v[d] = v[a] OP v[b] + c; if guarded, under a condition on v[a].
struct line {
    unsigned d, a, b, op;
    uint32_t c;
    bool guarded;
};
// Every second block of lines is a loop with three iterations.
enum { VARIABLES = 12, ITEMS = 4096, BLOCK = 20 };

static const char *const operators[] = {"+", "-", "*", "^", "&", "|"};

static uint32_t apply(unsigned op, uint32_t a, uint32_t b)
{
    switch (op) {
    case 0:
        return a + b;
    case 1:
        return a - b;
    case 2:
        return a * b;
    case 3:
        return a ^ b;
    case 4:
        return a & b;
    default:
        return a | b;
    }
}

static struct line *make_lines(size_t count)
{
    struct line *lines = bench_memory(count * sizeof *lines);
    uint64_t random = count;
    for (size_t i = 0; i < count; i++) {
        uint32_t r = bench_random(&random);
        lines[i] = (struct line){r % VARIABLES, (r >> 4) % VARIABLES,  (r >> 8) % VARIABLES,
                                 (r >> 12) % 6, bench_random(&random), (r >> 16) % 5 == 0};
    }
    return lines;
}

static char *make_source(const struct line *lines, size_t count)
{
    size_t size = 4096 + count * 128, at = 0;
    char *text = bench_memory(size);
    at += (size_t)snprintf(
        text + at, size - at,
        "kernel void large(global uint *out, global const uint *in)\n{\n    size_t i = get_global_id(0);\n");
    for (unsigned v = 0; v < VARIABLES; v++)
        at += (size_t)snprintf(text + at, size - at, "    uint v%u = in[i] + %uu;\n", v, v);
    for (size_t i = 0; i < count; i++) {
        const struct line *l = &lines[i];
        if (i % (2 * BLOCK) == BLOCK)
            at += (size_t)snprintf(text + at, size - at, "    for (int k = 0; k < 3; k++) {\n");
        if (l->guarded)
            at += (size_t)snprintf(text + at, size - at, "    if (v%u & 4u)\n", l->a);
        at += (size_t)snprintf(text + at, size - at, "    v%u = (v%u %s v%u) + %uu;\n", l->d, l->a,
                               operators[l->op], l->b, l->c);
        if (i % (2 * BLOCK) == 2 * BLOCK - 1)
            at += (size_t)snprintf(text + at, size - at, "    }\n");
    }
    at += (size_t)snprintf(text + at, size - at, "    out[i] = v0");
    for (unsigned v = 1; v < VARIABLES; v++)
        at += (size_t)snprintf(text + at, size - at, " ^ v%u", v);
    snprintf(text + at, size - at, ";\n}\n");
    return text;
}

static uint32_t on_host(const struct line *lines, size_t count, uint32_t in)
{
    uint32_t v[VARIABLES], r = 0;
    for (uint32_t k = 0; k < VARIABLES; k++)
        v[k] = in + k;
    for (size_t block = 0; block < count; block += BLOCK) {
        for (int round = 0; round < (block % (2 * BLOCK) ? 3 : 1); round++) {
            for (size_t i = block; i < block + BLOCK && i < count; i++) {
                const struct line *l = &lines[i];
                if (!l->guarded || (v[l->a] & 4))
                    v[l->d] = apply(l->op, v[l->a], v[l->b]) + l->c;
            }
        }
    }
    for (int k = 0; k < VARIABLES; k++)
        r ^= v[k];
    return r;
}

// count: a multiple of 2 * BLOCK, or less than BLOCK. full: measures until a launch takes at most 1.25 times
// as long as the best of the next seconds, instead of until the first result.
static double build_lines(size_t count, bool full)
{
    struct line *lines = make_lines(count);
    char *source = make_source(lines, count);
    struct bench_cl b;
    uint32_t *in = bench_memory(sizeof *in * ITEMS), *out = bench_memory(sizeof *out * ITEMS);
    for (uint32_t i = 0; i < ITEMS; i++)
        in[i] = i * 2654435761u;
    const size_t global = ITEMS;
    double begin = bench_seconds(), best = 1e30;
    bench_open(&b, 0);
    cl_kernel kernel = bench_kernel(&b, source, "", "large");
    cl_mem bin = bench_buffer(&b, sizeof *in * ITEMS, in), bout = bench_buffer(&b, sizeof *out * ITEMS, NULL);
    SET_ARG(kernel, 0, bout);
    SET_ARG(kernel, 1, bin);
    enum { LAUNCHES = 100000 };
    double *took = bench_memory(sizeof *took * LAUNCHES), *ended = bench_memory(sizeof *ended * LAUNCHES);
    size_t launches = 0;
    do {
        double start = launches ? bench_seconds() : begin;
        CHECK(clEnqueueNDRangeKernel(b.queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
        CHECK(clFinish(b.queue));
        ended[launches] = bench_seconds();
        took[launches] = ended[launches] - start;
        best = took[launches] < best ? took[launches] : best;
        launches++;
    } while (full && launches < LAUNCHES && ended[launches - 1] < ended[0] + 1.5);
    CHECK(clEnqueueReadBuffer(b.queue, bout, CL_TRUE, 0, sizeof *out * ITEMS, out, 0, NULL, NULL));
    for (size_t i = 0; i < ITEMS; i++) {
        uint32_t want = on_host(lines, count, in[i]);
        if (out[i] != want)
            bench_fail("item %zu: %u, not %u", i, out[i], want);
    }
    size_t first = 0;
    while (full && took[first] > 1.25 * best)
        first++;
    return 1e3 * (ended[first] - begin);
}

static double build_10_lines(void)
{
    return build_lines(10, false);
}

static double build_10_lines_full(void)
{
    return build_lines(10, true);
}

static double build_500_lines(void)
{
    return build_lines(520, false);
}

static double build_500_lines_full(void)
{
    return build_lines(520, true);
}

static double build_5000_lines(void)
{
    return build_lines(5000, false);
}

static double build_5000_lines_full(void)
{
    return build_lines(5000, true);
}

const struct bench_case bench_large_cases[] = {
    {"build_10_lines", "ms", false, build_10_lines, "a kernel of 10 lines: platform to first result"},
    {"build_10_full", "ms", false, build_10_lines_full, "the same, until it has its full speed"},
    {"build_500_lines", "ms", false, build_500_lines, "a kernel of 500 lines: platform to first result"},
    {"build_500_full", "ms", false, build_500_lines_full, "the same, until it has its full speed"},
    {"build_5000_lines", "ms", false, build_5000_lines, "a kernel of 5,000 lines: platform to first result"},
    {"build_5000_full", "ms", false, build_5000_lines_full, "the same, until it has its full speed"},
    {0},
};
