// Functions of a program with names of built-in functions: as more overloads, or as replacements. OpenCL C
// 1.2 §6.12 (no reserved names), Clang's overloadable attribute. Each kernel k writes floats that show which
// function was called.
#include "e2e.h"

enum { RESULTS = 8 };

static void check(const char *source, const char *options, const float *expected, size_t count)
{
    struct e2e t = e2e_open();
    cl_kernel k = e2e_kernel(&t, source, options, "k");
    float out[RESULTS] = {0};
    cl_mem m = e2e_buffer(&t, sizeof out, out);
    E2E_ARG(k, 0, m);
    e2e_run(&t, k, 1, NULL);
    e2e_read(&t, m, sizeof out, out);
    for (size_t i = 0; i < count; i++)
        if (out[i] < expected[i] || out[i] > expected[i])
            FAIL("result %zu is %g, not %g: %s", i, (double)out[i], (double)expected[i], source);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    e2e_close(&t);
}

#define EXPECT(source, ...)                                                           \
    do {                                                                              \
        const float expected[] = {__VA_ARGS__};                                       \
        CHECK(sizeof expected <= RESULTS * sizeof *expected);                         \
        check(source, "-cl-std=CL1.2", expected, sizeof expected / sizeof *expected); \
        check(source, "-cl-std=CL3.0", expected, sizeof expected / sizeof *expected); \
    } while (0)

#define OVERLOAD "__attribute__((overloadable)) "

TEST(an_overload_leaves_the_built_in_functions_callable)
{
    EXPECT("float " OVERLOAD "fabs(float x, int k) { return fabs(x) + k; }\n"
           "kernel void k(global float *o) { o[0] = fabs(-2.0f, 3); o[1] = fabs(-4.0f); o[2] = "
           "fabs((float2)(-5.0f)).y; }\n",
           5, 4, 5);
    // The built-in function matches better than a function of the program that would accept the argument too.
    EXPECT("float " OVERLOAD "length(int x) { return 100; }\n"
           "kernel void k(global float *o) { o[0] = length(3); o[1] = length(-2.5f); o[2] = "
           "length((float2)(3, 4)); }\n",
           100, 2.5f, 5);
}

TEST(an_overload_of_atomic_add_for_floats_stands_beside_that_for_integers)
{
    EXPECT("void " OVERLOAD "atomic_add(global float *p, float v) { *p += v; }\n"
           "kernel void k(global float *o) { atomic_add(o, 1.5f); atomic_add((global int *)(o + 1), "
           "0x3f800000); }\n",
           1.5f, 1);
}

TEST(an_overload_with_the_parameters_of_a_built_in_function_takes_its_place)
{
    EXPECT("float " OVERLOAD "fmin(float a, float b);\n"
           "float " OVERLOAD "fmin(float a, float b) { return 7; }\n"
           "kernel void k(global float *o) { o[0] = fmin(1.0f, 2.0f); o[1] = fmin((float2)(1), "
           "(float2)(2)).x; }\n",
           7, 1);
    // The function may have any side effects, even if the built-in function has none.
    EXPECT("float " OVERLOAD "modf(float x, global float *p) { *p = x; return 1; }\n"
           "float " OVERLOAD "floor(float x) { return 3; }\n"
           "kernel void k(global float *o) { modf(9.5f, o); o[1] = floor(1.0f); o[2] = "
           "floor((float2)(1.5f)).x; }\n",
           9.5f, 3, 1);
}

TEST(a_plain_function_with_other_parameters_stands_beside_the_built_in_ones)
{
    EXPECT("float clamp(float a) { return a < 0 ? 0 : a > 1 ? 1 : a; }\n"
           "float dot(float a, float b, float c) { return a * b * c; }\n"
           "kernel void k(global float *o)\n"
           "{ o[0] = clamp(3.0f); o[1] = clamp(3.0f, 4.0f, 5.0f); o[2] = dot(2.0f, 3.0f, 4.0f); o[3] = "
           "dot((float2)(2, 3), "
           "(float2)(1, 1)); }\n",
           1, 4, 24, 5);
}

TEST(a_plain_function_with_the_parameters_of_a_built_in_one_takes_its_place)
{
    EXPECT(
        "float dot(float4 a, float4 b) { return 41; }\n"
        "kernel void k(global float *o) { o[0] = dot((float4)(1), (float4)(1)); o[1] = dot(2.0f, 3.0f); }\n",
        41, 6);
    EXPECT("float mix(float a, float b, float t) { return 41; }\n"
           "static float smoothstep(float a, float b, float x) { return 42; }\n"
           "inline float4 cross(float4 a, float4 b) { return 43; }\n"
           "int isnan(float x) { return 44; }\n"
           "kernel void k(global float *o)\n"
           "{ o[0] = mix(0.0f, 1.0f, 0.5f); o[1] = smoothstep(0.0f, 1.0f, 2.0f); o[2] = cross((float4)(0), "
           "(float4)(0)).x;\n"
           "  o[3] = isnan(0.0f); }\n",
           41, 42, 43, 44);
    EXPECT("float sign(float x) { return 41; }\n"
           "float clamp(float a) { return 42; }\n"
           "kernel void k(global float *o) { o[0] = sign(0.0f); o[1] = clamp(0.0f); o[2] = clamp(7.0f, 1.0f, "
           "5.0f); }\n",
           41, 42, 5);
}

TEST(where_a_call_would_be_ambiguous_the_own_function_hides_the_built_in_ones)
{
    EXPECT("float mix(float a, float b, int t) { return t; }\n"
           "kernel void k(global float *o) { o[0] = mix(1, 2, 3u); }\n",
           3);
}

TEST(an_ambiguous_call_changes_no_call_of_other_names)
{
    EXPECT("float max(int a, float b) { return 77; }\n"
           "float min(float a, float b) { return a < b ? a : b; }\n"
           "kernel void k(global float *o) { o[0] = max(2.0f, 3.0f); o[1] = min(1, 2.0f); o[2] = max(1, "
           "2.0f); }\n",
           3, 1, 77);
    // An error is found even if it only shows after the first 20 errors have been fixed.
#define CALL "o[0] += mix(1, 2, 3u);\n"
#define CALLS CALL CALL CALL CALL CALL
    EXPECT("float mix(float a, float b, int t) { return t; }\n"
           "float min(float a, float b) { return a < b ? a : b; }\n"
           "float max(int a, float b) { return 77; }\n"
           "kernel void k(global float *o) {" CALLS CALLS CALLS CALLS CALLS
           "o[1] = min(1, 2.0f); o[2] = max(2.0f, 3.0f); }\n",
           75, 1, 3);
}

TEST(a_declarator_in_brackets_is_one_too)
{
    EXPECT(
        "float (sqrt)(int q) { return 1; }\n"
        "uint (max)(uint a, uint b, uint c) { return 5; }\n"
        "static float ((fabs))(int q, int r) { return 6; }\n"
        "constant float (*floor(constant float (*p)[2], int i))[2] { return p + i; }\n"
        "constant float rows[2][2] = {{1, 2}, {3, 4}};\n"
        "kernel void k(global float *o)\n"
        "{ o[0] = sqrt(9.0f); o[1] = sqrt(9); o[2] = max(1, 2); o[3] = max(1u, 2u, 3u); o[4] = fabs(-2.0f);\n"
        "  o[5] = fabs(1, 2); o[6] = floor(2.5f); o[7] = (*floor(rows, 1))[1]; }\n",
        3, 1, 2, 5, 2, 6, 2, 4);
}

TEST(kernels_types_and_variables_may_have_names_of_built_in_functions)
{
    EXPECT("typedef struct { float x; } mix;\n"
           "kernel void abs(global float *o) { o[0] = 1; }\n"
           "kernel void min(global float *o) { o[0] = 2; }\n"
           "kernel void k(global float *o) { mix length = {3}; float max = 4; o[0] = length.x; o[1] = max; "
           "o[2] = fmax(5.0f, max); }\n",
           3, 4, 5);
}

TEST(only_errors_beside_own_names_are_reported_and_once)
{
    struct e2e t = e2e_open();
    cl_program p = e2e_program(&t, "float mix(float a, float b, int t) { return t; }\n"
                                   "float clamp(float a) { return 2; }\n"
                                   "kernel void k(global float *o) { o[0] = mix(1, 2, 3u) + missing; }\n");
    CHECK_EQ(clBuildProgram(p, 1, &t.device, "", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    const char *first = strstr(e2e_log(&t, p), "error: ");
    CHECK(first != NULL);
    CHECK(strstr(first, "missing") != NULL);
    CHECK(strstr(first + 1, "error: ") == NULL);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    // One error with many candidates prints less than two errors with one line each.
    p = e2e_program(
        &t,
        "float mix(float a, float b, int t) { return t; }\n"
        "kernel void k(global float *o) { float4 v = 1; o[0] = mix(o, 2, 3u); o[1] = mix(v, v, 1.0f).x; }\n");
    CHECK_EQ(clBuildProgram(p, 1, &t.device, "", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    first = strstr(e2e_log(&t, p), "error: ");
    CHECK(first != NULL);
    CHECK_CONTAINS(first, "no matching function for call to 'mix'");
    CHECK(strstr(first + 1, "error: ") == NULL);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_close(&t);
}
