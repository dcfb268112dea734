// -cl-denorms-are-zero (OpenCL 3.0 §5.8.6.2): denormal floats are zero in kernels that were built with it, as
// operands and as results. Doubles and halves keep theirs. floating_point_mode.c looks at what isn't such a
// kernel.
// timeout: 300
#include <string.h>

#include "denormals_fixture.h"

static void check_doubles(struct e2e *t, const char *options)
{
    cl_kernel k = e2e_kernel(t,
                             "kernel void k(global double *x, global float *y)\n"
                             "{\n"
                             "    size_t i = get_global_id(0);\n"
                             "    x[i] *= 0.5;\n"
                             "    y[i] *= 0.5f;\n"
                             "}\n",
                             options, "k");
    double x[N];
    float y[N];
    for (int i = 0; i < N; i++) {
        x[i] = i % 2 ? DBL_MIN : 0x1p-1060;
        y[i] = FLT_MIN;
    }
    cl_mem a = e2e_buffer(t, sizeof x, x), b = e2e_buffer(t, sizeof y, y);
    E2E_ARG(k, 0, a);
    E2E_ARG(k, 1, b);
    e2e_run(t, k, N, NULL);
    e2e_read(t, a, sizeof x, x);
    e2e_read(t, b, sizeof y, y);
    for (int i = 0; i < N; i++) {
        CHECK_EQ(x[i], (i % 2 ? DBL_MIN : 0x1p-1060) * 0.5);
        CHECK_EQ(y[i], FLT_MIN * 0.5f); // the processor has one mode for both
    }
    CHECK_EQ(clReleaseMemObject(a), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(b), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
}

enum { HALVES = 1 << 16 };

// Each half becomes its float and the same half again. NaNs stay NaNs.
static void check_halves(struct e2e *t, const char *options)
{
    static cl_ushort in[HALVES], out[HALVES];
    static float floats[HALVES];
    for (unsigned i = 0; i < HALVES; i++)
        in[i] = (cl_ushort)i;
    cl_kernel k = e2e_kernel(t,
                             "kernel void k(global const half *in, global float *f, global half *out)\n"
                             "{\n"
                             "    size_t i = get_global_id(0);\n"
                             "    f[i] = vload_half(i, in);\n"
                             "    vstore_half(f[i] * 1.0f, i, out);\n"
                             "}\n",
                             options, "k");
    cl_mem a = e2e_buffer(t, sizeof in, in), b = e2e_buffer(t, sizeof floats, NULL),
           c = e2e_buffer(t, sizeof out, NULL);
    E2E_ARG(k, 0, a);
    E2E_ARG(k, 1, b);
    E2E_ARG(k, 2, c);
    e2e_run(t, k, HALVES, NULL);
    e2e_read(t, b, sizeof floats, floats);
    e2e_read(t, c, sizeof out, out);
    for (unsigned i = 0; i < HALVES; i++) {
        if ((i & 0x7fff) > 0x7c00)
            CHECK(isnan(floats[i]));
        else
            CHECK_EQ(out[i], i);
        if ((i & 0x7c00) == 0)
            CHECK_EQ(floats[i], (i & 0x8000 ? -1 : 1) * ldexpf((float)(i & 1023), -24));
    }
    CHECK_EQ(clReleaseMemObject(a), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(b), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(c), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
}

static void check_all(void)
{
#if !defined(__x86_64__) && !defined(__aarch64__)
    SKIP("nothing sets this processor's mode");
#endif
    struct e2e t = e2e_open();
    check_options(&t, "", false);
    check_options(&t, FLUSH, true);
    check_options(&t, "", false); // from the cache, where the other is now, too
    check_options(&t, "-cl-unsafe-math-optimizations", true);
    check_options(&t, "-cl-fast-relaxed-math", true);
    check_options(&t, "-cl-finite-math-only -cl-mad-enable", false);
    check_doubles(&t, FLUSH);
    check_doubles(&t, "");
    check_halves(&t, FLUSH);
    e2e_close(&t);
}

TEST(quick_code)
{
    setenv("WEFT_TIER", "1", 1);
    check_all();
}

TEST(better_code)
{
    setenv("WEFT_TIER", "2", 1);
    check_all();
}

TEST(code_that_takes_over_while_kernels_run)
{
    check_all();
}

TEST(code_without_lanes)
{
    setenv("WEFT_TIER", "2", 1);
    setenv("WEFT_VF", "1", 1);
    check_all();
}

TEST(better_code_for_sse)
{
    e2e_processor("nehalem");
    setenv("WEFT_TIER", "2", 1);
    check_all();
}

TEST(quick_code_for_sse)
{
    e2e_processor("nehalem");
    setenv("WEFT_TIER", "1", 1);
    check_all();
}

TEST(better_code_for_avx2)
{
    e2e_processor("haswell");
    setenv("WEFT_TIER", "2", 1);
    check_all();
}

TEST(code_without_lanes_for_avx2)
{
    e2e_processor("haswell");
    setenv("WEFT_TIER", "2", 1);
    setenv("WEFT_VF", "1", 1);
    check_all();
}

// ---- Programs from binaries and from several parts ----

TEST(a_program_from_a_binary_flushes)
{
    struct e2e t = e2e_open();
    cl_program p = e2e_build(&t, operations, FLUSH);
    size_t size = 0;
    CHECK_EQ(clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL), CL_SUCCESS);
    unsigned char *binary = malloc(size);
    CHECK(binary != NULL);
    CHECK_EQ(clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL), CL_SUCCESS);
    cl_int status = 1, error = 1;
    cl_program again = clCreateProgramWithBinary(t.context, 1, &t.device, &size,
                                                 (const unsigned char **)&binary, &status, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clBuildProgram(again, 1, &t.device, "", NULL, NULL), CL_SUCCESS);
    cl_kernel k = clCreateKernel(again, "k", &error);
    CHECK_EQ(error, CL_SUCCESS);
    check_kernel(&t, k, true);
    free(binary);
}

static cl_program linked(struct e2e *t, cl_uint count, const cl_program *inputs, const char *options)
{
    cl_int error = 1;
    cl_program p = clLinkProgram(t->context, 0, NULL, options, count, inputs, NULL, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    return p;
}

static float product_of(struct e2e *t, cl_program p)
{
    cl_int error = 1;
    cl_kernel k = clCreateKernel(p, "k", &error);
    CHECK_EQ(error, CL_SUCCESS);
    float x = 1e-40f;
    cl_mem m = e2e_buffer(t, sizeof x, &x);
    E2E_ARG(k, 0, m);
    e2e_run(t, k, 1, NULL);
    e2e_read(t, m, sizeof x, &x);
    return x;
}

// What a kernel calls runs in its mode. So a function that was compiled to keep denormals decides.
TEST(a_linked_kernel_flushes_if_all_that_it_calls_does)
{
    struct e2e t = e2e_open();
    static const char caller[] = "float f(float x); kernel void k(global float *x) { x[0] = f(x[0]); }";
    static const char callee[] = "float f(float x) { return x * 0.5f; }";
    cl_program plain[] = {e2e_compile(&t, caller, ""), e2e_compile(&t, callee, "")};
    cl_program flushing[] = {e2e_compile(&t, caller, FLUSH), e2e_compile(&t, callee, FLUSH)};
    cl_program mixed[] = {flushing[0], plain[1]};
    CHECK_EQ(product_of(&t, linked(&t, 2, plain, "")), 0.5f * 1e-40f);
    CHECK_EQ(product_of(&t, linked(&t, 2, plain, FLUSH)), 0);
    CHECK_EQ(product_of(&t, linked(&t, 2, flushing, "")), 0);
    CHECK_EQ(product_of(&t, linked(&t, 2, mixed, "")), 0.5f * 1e-40f);
    CHECK_EQ(product_of(&t, linked(&t, 2, mixed, FLUSH)), 0);
    cl_program sealed[] = {flushing[0], linked(&t, 1, &plain[1], "-create-library")};
    CHECK_EQ(product_of(&t, linked(&t, 2, sealed, FLUSH)), 0.5f * 1e-40f);
}
