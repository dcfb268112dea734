// The precision of native functions is implementation-defined, but programs rely on usual precision. VkFFT
// computes its rotations with native_sin and native_cos on devices that it doesn't know, and loses as many
// digits as they do.
#include <math.h>

#include "e2e.h"

#define KERNEL(f)                                                      \
    "kernel void test_" f "(global const float *x, global float *y)\n" \
    "{ size_t i = get_global_id(0); y[i] = native_" f "(x[i]); }\n"
static const char source[] = KERNEL("sin") KERNEL("cos") KERNEL("exp") KERNEL("exp2") KERNEL("log")
    KERNEL("log2") KERNEL("sqrt") KERNEL("exp10") KERNEL("log10") KERNEL("tan") KERNEL("recip")
        KERNEL("rsqrt") "kernel void test_powr(global const float *x, global float *y)\n"
                        "{ size_t i = get_global_id(0); y[i] = native_powr(x[i], 2.5f); }\n"
                        "kernel void test_divide(global const float *x, global float *y)\n"
                        "{ size_t i = get_global_id(0); y[i] = native_divide(2.5f, x[i]); }\n";

static double exp_10(double x)
{
    return pow(10, x);
}

static double reciprocal(double x)
{
    return 1 / x;
}

static double reciprocal_root(double x)
{
    return 1 / sqrt(x);
}

static double quotient(double x)
{
    return (double)2.5F / x;
}

static double power(double x)
{
    return pow(x, 2.5);
}

static const struct function {
    const char *kernel;
    double (*reference)(double);
    float from, to;
    double absolute, relative; // as powers of two; the larger one is the limit
    double brief;              // relative where there are no math primitives, which AVX-512 has; 0: no other
} functions[] = {
    {"test_sin", sin, -20, 20, -22, -40, 0},
    {"test_cos", cos, -20, 20, -22, -40, 0},
    {"test_exp", exp, -20, 20, -60, -21, -17.9},
    {"test_exp2", exp2, -30, 30, -60, -21, -17.9},
    {"test_log", log, 0.01F, 100, -24, -21, -19.4},
    {"test_log2", log2, 0.01F, 100, -24, -21, -19.4},
    {"test_sqrt", sqrt, 0, 1000, -60, -22, 0},
    {"test_exp10", exp_10, -9, 9, -60, -19, -17.9},
    {"test_log10", log10, 0.01F, 100, -24, -21, -19.4},
    {"test_tan", tan, -1.5F, 1.5F, -22, -20, 0},
    // The processor's estimates: 2^-11.4 with SSE and AVX.
    {"test_recip", reciprocal, 0.01F, 100, -60, -11.4, 0},
    {"test_rsqrt", reciprocal_root, 0.01F, 100, -60, -11.4, 0},
    {"test_divide", quotient, 0.01F, 100, -60, -11.4, 0},
    {"test_powr", power, 0.01F, 100, -60, -19, -17.5},
};

enum { ITEMS = 1 << 16 };

// primitives: the code surely has them.
static void all(bool primitives)
{
    struct e2e t = e2e_open();
    static float x[ITEMS], y[ITEMS];
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++) {
        const struct function *at = &functions[f];
        const double relative = primitives || at->brief == 0 ? at->relative : at->brief;
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
            if (!(error <= exp2(at->absolute) + fabs(want) * exp2(relative)))
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
    all(false);
}

// Zeros, infinities and results beyond the range of floats, which sums over masked elements are made of.
static void ends(void)
{
    static const struct {
        const char *kernel;
        float x, y;
    } cases[] = {
        {"test_exp", 0, 1},
        {"test_exp", -INFINITY, 0},
        {"test_exp", INFINITY, INFINITY},
        {"test_exp", -200, 0},
        {"test_exp", 100, INFINITY},
        {"test_exp", NAN, NAN},
        {"test_exp2", 3, 8},
        {"test_exp2", -INFINITY, 0},
        {"test_exp2", INFINITY, INFINITY},
        {"test_exp2", 127, 0x1p127F},
        {"test_exp2", 128, INFINITY},
        {"test_exp2", -300, 0},
        {"test_exp2", NAN, NAN},
        {"test_exp10", 0, 1},
        {"test_exp10", -INFINITY, 0},
        {"test_exp10", 39, INFINITY},
        {"test_exp10", NAN, NAN},
        {"test_log", 1, 0},
        {"test_log", 0, -INFINITY},
        {"test_log", -1, NAN},
        {"test_log", INFINITY, INFINITY},
        {"test_log", NAN, NAN},
        {"test_log2", 8, 3},
        {"test_log2", 0, -INFINITY},
        {"test_log2", -0.0F, -INFINITY},
        {"test_log2", -INFINITY, NAN},
        {"test_log10", 1, 0},
        {"test_log10", 0, -INFINITY},
        {"test_tan", 0, 0},
        {"test_recip", 0, INFINITY},
        {"test_recip", -0.0F, -INFINITY},
        {"test_recip", INFINITY, 0},
        {"test_recip", NAN, NAN},
        {"test_divide", 0, INFINITY},
        {"test_divide", -INFINITY, -0.0F},
        {"test_divide", 1e-40F, INFINITY},
        {"test_rsqrt", 0, INFINITY},
        {"test_rsqrt", INFINITY, 0},
        {"test_rsqrt", -1, NAN},
        {"test_powr", 0, 0},
        {"test_powr", 1, 1},
        {"test_powr", INFINITY, INFINITY},
        {"test_powr", -1, NAN},
        {"test_powr", 0x1p100F, INFINITY},
    };
    struct e2e t = e2e_open();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        float x[64], y[64];
        for (size_t k = 0; k < 64; k++)
            x[k] = cases[i].x;
        cl_mem in = e2e_buffer(&t, sizeof x, x), out = e2e_buffer(&t, sizeof y, y);
        cl_kernel k = e2e_kernel(&t, source, "", cases[i].kernel);
        E2E_ARG(k, 0, in);
        E2E_ARG(k, 1, out);
        e2e_run(&t, k, 64, NULL);
        e2e_read(&t, out, sizeof y, y);
        const float want = cases[i].y;
        for (size_t n = 0; n < 64; n++)
            if (!(y[n] == want || (isnan(want) && isnan(y[n]))))
                FAIL("%s(%a): %a, not %a", cases[i].kernel, (double)x[n], (double)y[n], (double)want);
        CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
        CHECK_EQ(clReleaseMemObject(in), CL_SUCCESS);
        CHECK_EQ(clReleaseMemObject(out), CL_SUCCESS);
    }
    e2e_close(&t);
}

TEST(have_the_right_ends)
{
    ends();
}

TEST(have_the_right_ends_with_sse42)
{
    e2e_processor("nehalem");
    ends();
}

TEST(have_the_right_ends_with_avx2)
{
    e2e_processor("haswell");
    ends();
}

TEST(in_scalar_code)
{
    CHECK_EQ(setenv("WEFT_VF", "1", 1), 0);
    all(false);
}

TEST(in_the_best_code_only)
{
    CHECK_EQ(setenv("WEFT_TIER", "2", 1), 0);
    all(false);
}

TEST(in_the_best_code_for_sse42)
{
    e2e_processor("nehalem");
    CHECK_EQ(setenv("WEFT_TIER", "2", 1), 0);
    all(false);
}

TEST(in_the_best_code_for_avx2)
{
    e2e_processor("haswell");
    CHECK_EQ(setenv("WEFT_TIER", "2", 1), 0);
    all(false);
}

TEST(in_the_best_code_for_avx512)
{
    e2e_processor("skylake-avx512");
    CHECK_EQ(setenv("WEFT_TIER", "2", 1), 0);
    all(true);
}
