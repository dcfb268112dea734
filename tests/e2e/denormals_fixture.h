// Shared by the tests of -cl-denorms-are-zero: a kernel of operations on denormal floats, and what it
// computes with and without the option.
#ifndef WEFT_TESTS_DENORMALS_FIXTURE_H
#define WEFT_TESTS_DENORMALS_FIXTURE_H

#include <float.h>
#include <math.h>

#include "e2e.h"

#define FLUSH "-cl-denorms-are-zero"

enum { N = 67, KINDS = 6 };

static const char operations[] =
    "kernel void k(global const float *x, global const float *y, global float *out)\n"
    "{\n"
    "    size_t i = get_global_id(0), n = get_global_size(0);\n"
    "    out[i] = x[i] * y[i];\n"
    "    out[i + n] = y[i] * FLT_MIN;\n"
    "    out[i + 2 * n] = x[i] + x[i];\n"
    "    out[i + 3 * n] = x[i] == 0.0f ? 1.0f : 2.0f;\n"
    "    out[i + 4 * n] = x[i];\n"
    "    out[i + 5 * n] = sqrt(fabs(x[i]));\n"
    "}\n";

// Do multiplications of this thread keep denormals?
HARNESS_UNUSED static bool keeps_denormals(void)
{
    volatile float least = FLT_MIN, half = 0.5f;
    volatile float product = least * half, same = product * 1.0f;
    return product > 0 && same == product;
}

HARNESS_UNUSED static void run_operations(struct e2e *t, cl_kernel k, float out[KINDS * N])
{
    float x[N], y[N];
    for (int i = 0; i < N; i++) {
        x[i] = i % 2 ? -1e-40f : 1e-40f;
        y[i] = 0.75f;
    }
    cl_mem a = e2e_buffer(t, sizeof x, x), b = e2e_buffer(t, sizeof y, y),
           c = e2e_buffer(t, KINDS * N * sizeof *out, NULL);
    E2E_ARG(k, 0, a);
    E2E_ARG(k, 1, b);
    E2E_ARG(k, 2, c);
    e2e_run(t, k, N, NULL);
    e2e_read(t, c, KINDS * N * sizeof *out, out);
    CHECK_EQ(clReleaseMemObject(a), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(b), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(c), CL_SUCCESS);
}

HARNESS_UNUSED static void check_kernel(struct e2e *t, cl_kernel k, bool flushes)
{
    float out[KINDS * N];
    run_operations(t, k, out);
    for (int i = 0; i < N; i++) {
        const float x = i % 2 ? -1e-40f : 1e-40f;
        CHECK_EQ(out[i], flushes ? 0 : x * 0.75f);
        CHECK_EQ(out[i + N], flushes ? 0 : 0.75f * FLT_MIN);
        CHECK_EQ(out[i + 2 * N], flushes ? 0 : 2 * x);
        CHECK_EQ(out[i + 3 * N], flushes ? 1 : 2);
        CHECK_EQ(out[i + 4 * N], x); // no operation
        CHECK_NEAR(out[i + 5 * N], flushes ? 0 : sqrtf(fabsf(x)), flushes ? 0 : 1e-25);
    }
    CHECK(keeps_denormals());
}

HARNESS_UNUSED static void check_options(struct e2e *t, const char *options, bool flushes)
{
    cl_kernel k = e2e_kernel(t, operations, options, "k");
    for (int again = 0; again < 3; again++) // quick code, better code
        check_kernel(t, k, flushes);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
}

#endif
