// The precision of native functions is implementation-defined, but programs rely on usual precision. VkFFT
// computes its rotations with native_sin and native_cos on devices that it doesn't know, and loses as many
// digits as they do.
#include <math.h>

#include "e2e.h"

#define KERNEL(f)                                                      \
    "kernel void test_" f "(global const float *x, global float *y)\n" \
    "{ size_t i = get_global_id(0); y[i] = native_" f "(x[i]); }\n"
static const char source[] =
    KERNEL("sin") KERNEL("cos") KERNEL("exp") KERNEL("exp2") KERNEL("log") KERNEL("log2") KERNEL("sqrt");

static const struct function {
    const char *kernel;
    double (*reference)(double);
    float from, to;
    double absolute, relative; // as powers of two; the larger one is the limit
} functions[] = {
    {"test_sin", sin, -20, 20, -22, -40},    {"test_cos", cos, -20, 20, -22, -40},
    {"test_exp", exp, -20, 20, -60, -21},    {"test_exp2", exp2, -30, 30, -60, -21},
    {"test_log", log, 0.01F, 100, -24, -21}, {"test_log2", log2, 0.01F, 100, -24, -21},
    {"test_sqrt", sqrt, 0, 1000, -60, -22},
};

enum { ITEMS = 1 << 16 };

static void all(void)
{
    struct e2e t = e2e_open();
    static float x[ITEMS], y[ITEMS];
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++) {
        const struct function *at = &functions[f];
        for (size_t i = 0; i < ITEMS; i++)
            x[i] = at->from + (at->to - at->from) * (float)i / (float)ITEMS;
        cl_mem in = e2e_buffer(&t, sizeof x, x), out = e2e_buffer(&t, sizeof y, y);
        cl_kernel k = e2e_kernel(&t, source, "", at->kernel);
        E2E_ARG(k, 0, in);
        E2E_ARG(k, 1, out);
        e2e_run(&t, k, ITEMS, NULL);
        e2e_read(&t, out, sizeof y, y);
        for (size_t i = 0; i < ITEMS; i++) {
            double want = at->reference((double)x[i]), error = fabs((double)y[i] - want);
            if (!(error <= exp2(at->absolute) + fabs(want) * exp2(at->relative)))
                FAIL("%s(%a): %a, not %a", at->kernel, (double)x[i], (double)y[i], want);
        }
        CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
        CHECK_EQ(clReleaseMemObject(in), CL_SUCCESS);
        CHECK_EQ(clReleaseMemObject(out), CL_SUCCESS);
    }
    e2e_close(&t);
}

TEST(keep_their_digits)
{
    all();
}

TEST(in_scalar_code)
{
    CHECK_EQ(setenv("WEFT_VF", "1", 1), 0);
    all();
}

TEST(in_the_best_code_only)
{
    CHECK_EQ(setenv("WEFT_TIER", "2", 1), 0);
    all();
}

TEST(in_the_best_code_for_sse42)
{
    e2e_processor("nehalem");
    CHECK_EQ(setenv("WEFT_TIER", "2", 1), 0);
    all();
}

TEST(in_the_best_code_for_avx2)
{
    e2e_processor("haswell");
    CHECK_EQ(setenv("WEFT_TIER", "2", 1), 0);
    all();
}

TEST(in_the_best_code_for_avx512)
{
    e2e_processor("skylake-avx512");
    CHECK_EQ(setenv("WEFT_TIER", "2", 1), 0);
    all();
}
