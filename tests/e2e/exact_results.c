// Math functions may be some ulp off, but programs rely on results that are plain numbers: a rotation by 0 is
// to change nothing, and (int)pow(10.0, 3) is to be 1000.
#include <math.h>

#include "e2e.h"

struct exact {
    const char *expression; // of x and y
    double x, y, result;
};

static const struct exact of_doubles[] = {
    {"cos(x)", 0, 0, 1},
    {"sin(x)", 0, 0, 0},
    {"cospi(x)", 1, 0, -1},
    {"sinpi(x)", 0.5, 0, 1},
    {"tanpi(x)", 0.25, 0, 1},
    {"exp(x)", 0, 0, 1},
    {"exp2(x)", 10, 0, 1024},
    {"exp2(x)", -5, 0, 0x1p-5},
    {"exp10(x)", 2, 0, 100},
    {"exp10(x)", 0, 0, 1},
    {"log(x)", 1, 0, 0},
    {"log2(x)", 1024, 0, 10},
    {"log2(x)", 0.125, 0, -3},
    {"log10(x)", 1000, 0, 3},
    {"cosh(x)", 0, 0, 1},
    {"cbrt(x)", 27, 0, 3},
    {"rsqrt(x)", 4, 0, 0.5},
    {"hypot(x, y)", 3, 4, 5},
    {"acospi(x)", 0, 0, 0.5},
    {"asinpi(x)", 1, 0, 0.5},
    {"erfc(x)", 0, 0, 1},
    {"tgamma(x)", 1, 0, 1},
    {"tgamma(x)", 2, 0, 1},
    {"tgamma(x)", 6, 0, 120},
    {"tgamma(x)", 11, 0, 3628800},
    {"lgamma(x)", 1, 0, 0},
    {"lgamma(x)", 2, 0, 0},
    {"pow(x, y)", 3, 4, 81},
    {"pow(x, y)", 10, 2, 100},
    {"pow(x, y)", 2, 0.5, 0x1.6a09e667f3bcdp0},
    {"pow(x, y)", 7, 5, 16807},
    {"pown(x, (int)y)", 10, 3, 1000},
    {"rootn(x, (int)y)", 27, 3, 3},
    {"powr(x, y)", 81, 0.25, 3},
};

static const struct exact of_floats[] = {
    {"cos(x)", 0, 0, 1},
    {"sin(x)", 0, 0, 0},
    {"cospi(x)", 1, 0, -1},
    {"sinpi(x)", 0.5, 0, 1},
    {"tanpi(x)", 0.25, 0, 1},
    {"exp(x)", 0, 0, 1},
    {"exp2(x)", 10, 0, 1024},
    {"exp10(x)", 2, 0, 100},
    {"exp10(x)", 3, 0, 1000},
    {"log(x)", 1, 0, 0},
    {"log2(x)", 1024, 0, 10},
    {"log10(x)", 1000, 0, 3},
    {"cosh(x)", 0, 0, 1},
    {"cbrt(x)", 27, 0, 3},
    {"rsqrt(x)", 4, 0, 0.5},
    {"hypot(x, y)", 3, 4, 5},
    {"acospi(x)", 0, 0, 0.5},
    {"asinpi(x)", 1, 0, 0.5},
    {"tgamma(x)", 1, 0, 1},
    {"tgamma(x)", 6, 0, 120},
    {"lgamma(x)", 1, 0, 0},
    {"pow(x, y)", 3, 4, 81},
    {"pow(x, y)", 10, 3, 1000},
    {"pown(x, (int)y)", 3, 4, 81},
    {"rootn(x, (int)y)", 27, 3, 3},
    {"native_cos(x)", 0, 0, 1},
};

enum { ITEMS = 64, MOST = 64 };

// All in one kernel: work-item i computes results[MOST * i + case].
static void compute(const char *type, const struct exact *cases, size_t count, size_t size, void *x, void *y,
                    void *results)
{
    static char source[16384];
    int at = snprintf(source, sizeof source,
                      "kernel void all(global const %s *xs, global const %s *ys, global %s *out)\n{\n"
                      "size_t i = get_global_id(0);\n",
                      type, type, type);
    for (size_t k = 0; k < count; k++)
        at += snprintf(source + at, sizeof source - (size_t)at,
                       "{ %s x = xs[%zu], y = ys[%zu]; out[%d * i + %zu] = %s; }\n", type, k, k, MOST, k,
                       cases[k].expression);
    snprintf(source + at, sizeof source - (size_t)at, "}\n");
    struct e2e t = e2e_open();
    cl_mem xs = e2e_buffer(&t, count * size, x), ys = e2e_buffer(&t, count * size, y),
           out = e2e_buffer(&t, MOST * ITEMS * size, results);
    cl_kernel k = e2e_kernel(&t, source, "", "all");
    E2E_ARG(k, 0, xs);
    E2E_ARG(k, 1, ys);
    E2E_ARG(k, 2, out);
    e2e_run(&t, k, ITEMS, NULL);
    e2e_read(&t, out, MOST * ITEMS * size, results);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(xs), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(ys), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(out), CL_SUCCESS);
    e2e_close(&t);
}

static void check(const struct exact *c, const char *type, double result)
{
    if (result != c->result)
        FAIL("%s of %s x = %a, y = %a: %a, not %a", c->expression, type, c->x, c->y, result, c->result);
}

static void all(void)
{
    enum { DOUBLES = sizeof of_doubles / sizeof *of_doubles, FLOATS = sizeof of_floats / sizeof *of_floats };
    static double x[DOUBLES], y[DOUBLES], results[MOST * ITEMS];
    static float fx[FLOATS], fy[FLOATS], float_results[MOST * ITEMS];
    for (size_t k = 0; k < DOUBLES; k++)
        x[k] = of_doubles[k].x, y[k] = of_doubles[k].y;
    for (size_t k = 0; k < FLOATS; k++)
        fx[k] = (float)of_floats[k].x, fy[k] = (float)of_floats[k].y;
    compute("double", of_doubles, DOUBLES, sizeof *x, x, y, results);
    compute("float", of_floats, FLOATS, sizeof *fx, fx, fy, float_results);
    for (size_t i = 0; i < ITEMS; i++) {
        for (size_t k = 0; k < DOUBLES; k++)
            check(&of_doubles[k], "double", results[MOST * i + k]);
        for (size_t k = 0; k < FLOATS; k++)
            check(&of_floats[k], "float", (double)float_results[MOST * i + k]);
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
