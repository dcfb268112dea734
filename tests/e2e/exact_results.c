// Math functions may be some ulp off, but programs rely on results that are plain numbers: a rotation by 0 is
// to change nothing, and (int)pow(10.0, 3) is to be 1000.
#include <math.h>

#include "e2e.h"

enum { FLOAT = 1, DOUBLE = 2, BOTH = FLOAT | DOUBLE };

static const struct exact {
    int types;
    const char *expression; // of x and y
    double x, y, result;
} cases[] = {
    {BOTH, "cos(x)", 0, 0, 1},
    {BOTH, "sin(x)", 0, 0, 0},
    {BOTH, "cospi(x)", 1, 0, -1},
    {BOTH, "sinpi(x)", 0.5, 0, 1},
    {BOTH, "tanpi(x)", 0.25, 0, 1},
    {BOTH, "exp(x)", 0, 0, 1},
    {BOTH, "exp2(x)", 10, 0, 1024},
    {DOUBLE, "exp2(x)", -5, 0, 0x1p-5},
    {BOTH, "exp10(x)", 2, 0, 100},
    {DOUBLE, "exp10(x)", 0, 0, 1},
    {BOTH, "log(x)", 1, 0, 0},
    {BOTH, "log2(x)", 1024, 0, 10},
    {DOUBLE, "log2(x)", 0.125, 0, -3},
    {BOTH, "log10(x)", 1000, 0, 3},
    {BOTH, "cosh(x)", 0, 0, 1},
    {BOTH, "cbrt(x)", 27, 0, 3},
    {BOTH, "rsqrt(x)", 4, 0, 0.5},
    {BOTH, "hypot(x, y)", 3, 4, 5},
    {BOTH, "acospi(x)", 0, 0, 0.5},
    {BOTH, "asinpi(x)", 1, 0, 0.5},
    {DOUBLE, "erfc(x)", 0, 0, 1},
    {BOTH, "tgamma(x)", 1, 0, 1},
    {DOUBLE, "tgamma(x)", 2, 0, 1},
    {BOTH, "tgamma(x)", 6, 0, 120},
    {DOUBLE, "tgamma(x)", 11, 0, 3628800},
    {BOTH, "lgamma(x)", 1, 0, 0},
    {DOUBLE, "lgamma(x)", 2, 0, 0},
    {BOTH, "pow(x, y)", 3, 4, 81},
    {DOUBLE, "pow(x, y)", 10, 2, 100},
    {DOUBLE, "pow(x, y)", 2, 0.5, 0x1.6a09e667f3bcdp0},
    {DOUBLE, "pow(x, y)", 7, 5, 16807},
    {DOUBLE, "pown(x, (int)y)", 10, 3, 1000},
    {BOTH, "rootn(x, (int)y)", 27, 3, 3},
    {DOUBLE, "powr(x, y)", 81, 0.25, 3},
    {FLOAT, "exp10(x)", 3, 0, 1000},
    {FLOAT, "pow(x, y)", 10, 3, 1000},
    {FLOAT, "pown(x, (int)y)", 3, 4, 81},
    {FLOAT, "native_cos(x)", 0, 0, 1},
};

enum { ITEMS = 64, CASES = sizeof cases / sizeof *cases };

static bool is_of(size_t k, int type)
{
    return cases[k].types & type;
}

// All cases of a type in one kernel: work-item i computes results[CASES * i + case].
static void compute(int type, size_t size, void *x, void *y, void *results)
{
    static char source[16384];
    const char *name = type == FLOAT ? "float" : "double";
    int at =
        snprintf(source, sizeof source,
                 "typedef %s T;\nkernel void all(global const T *xs, global const T *ys, global T *out)\n{\n"
                 "size_t i = get_global_id(0);\n",
                 name);
    for (size_t k = 0; k < CASES; k++)
        if (is_of(k, type))
            at += snprintf(source + at, sizeof source - (size_t)at,
                           "{ T x = xs[%zu], y = ys[%zu]; out[%d * i + %zu] = %s; }\n", k, k, (int)CASES, k,
                           cases[k].expression);
    snprintf(source + at, sizeof source - (size_t)at, "}\n");
    struct e2e t = e2e_open();
    cl_mem xs = e2e_buffer(&t, CASES * size, x), ys = e2e_buffer(&t, CASES * size, y),
           out = e2e_buffer(&t, CASES * ITEMS * size, results);
    cl_kernel k = e2e_kernel(&t, source, "", "all");
    E2E_ARG(k, 0, xs);
    E2E_ARG(k, 1, ys);
    E2E_ARG(k, 2, out);
    e2e_run(&t, k, ITEMS, NULL);
    e2e_read(&t, out, CASES * ITEMS * size, results);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(xs), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(ys), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(out), CL_SUCCESS);
    e2e_close(&t);
}

static void check(size_t k, const char *type, double result)
{
    const struct exact *c = &cases[k];
    if (result != c->result)
        FAIL("%s of %s x = %a, y = %a: %a, not %a", c->expression, type, c->x, c->y, result, c->result);
}

static void all(void)
{
    static double x[CASES], y[CASES], results[CASES * ITEMS];
    static float fx[CASES], fy[CASES], float_results[CASES * ITEMS];
    for (size_t k = 0; k < CASES; k++) {
        fx[k] = (float)(x[k] = cases[k].x);
        fy[k] = (float)(y[k] = cases[k].y);
    }
    compute(DOUBLE, sizeof *x, x, y, results);
    compute(FLOAT, sizeof *fx, fx, fy, float_results);
    for (size_t n = 0; n < CASES * ITEMS; n++) {
        if (is_of(n % CASES, DOUBLE))
            check(n % CASES, "double", results[n]);
        if (is_of(n % CASES, FLOAT))
            check(n % CASES, "float", (double)float_results[n]);
    }
}

TEST(plain_numbers_are_exact)
{
    all();
}

TEST(plain_numbers_are_exact_with_sse42)
{
    e2e_processor("nehalem");
    all();
}

TEST(plain_numbers_are_exact_with_avx2)
{
    e2e_processor("haswell");
    all();
}

TEST(plain_numbers_are_exact_with_avx512)
{
    e2e_processor("skylake-avx512");
    all();
}
