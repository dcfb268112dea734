// timeout: 200
// C++ for OpenCL: templates, classes, references, overloads, lambdas, program-scope objects whose constructors are constant; linked with
// OpenCL C; constructors that have to run are kernels of the program, as the language has it.
#include "e2e.h"

#include <string.h>

static const char source[] =
    "template <typename T> struct vec {\n"
    "    T x, y;\n"
    "    constexpr vec(T x, T y) : x(x), y(y) {}\n"
    "    vec operator+(const vec &o) const { return vec(x + o.x, y + o.y); }\n"
    "    T dot(const vec &o) const { return x * o.x + y * o.y; }\n"
    "};\n"
    "__global vec<int> shared(3, 4);\n"
    "__global int calls;\n"
    "template <typename T> void twice(T &v) { v = v + v; }\n"
    "static int pick(int v) { return v; }\n"
    "static float pick(float v) { return v * 10.0f; }\n"
    "kernel void k(global int *out, local int *tile)\n"
    "{\n"
    "    int i = get_global_id(0), l = get_local_id(0);\n"
    "    tile[l] = i;\n"
    "    work_group_barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    vec<int> v(tile[get_local_size(0) - 1 - l], 1);\n"
    "    twice(v);\n"
    "    auto scaled = [&](int by) { return v.dot(vec<int>(shared.x, shared.y)) * by; };\n"
    "    out[i] = scaled(2) + pick(1) + (int)pick(2.5f) + (NULL == (int *)nullptr) + as_int(1.0f) / "
    "0x3f800000;\n"
    "    if (i == 0)\n"
    "        calls++;\n"
    "}\n"
    "kernel void version(global int *out) { out[0] = __OPENCL_CPP_VERSION__; out[1] = calls; }\n";

static void all(const char *options, int version)
{
    struct e2e t = e2e_open();
    cl_program p = e2e_build(&t, source, options);
    enum { N = 64 };
    cl_int got[N], error = 1;
    const size_t local = 16;
    cl_mem out = e2e_buffer(&t, sizeof got, NULL);
    cl_kernel k = clCreateKernel(p, "k", &error), v = clCreateKernel(p, "version", &error);
    CHECK_EQ(error, CL_SUCCESS);
    E2E_ARG(k, 0, out);
    CHECK_EQ(clSetKernelArg(k, 1, local * sizeof(cl_int), NULL), CL_SUCCESS);
    E2E_ARG(v, 0, out);
    for (int round = 1; round < 4; round++) {
        e2e_run(&t, k, N, &local);
        e2e_read(&t, out, sizeof got, got);
        for (int i = 0; i < N; i++)
            CHECK_EQ(got[i], 2 * (2 * (i / 16 * 16 + 15 - i % 16) * 3 + 2 * 4) + 1 + 25 + 1 + 1);
        e2e_run(&t, v, 1, NULL);
        e2e_read(&t, out, 8, got);
        CHECK_EQ(got[0], version);
        CHECK_EQ(got[1], round);
    }
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(v), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(out), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_close(&t);
}

TEST(version_1_0)
{
    all("-cl-std=CLC++", 100);
    all("-cl-std=CLC++1.0", 100);
}

TEST(version_2021)
{
    all("-cl-std=CLC++2021", 202100);
}

TEST(constructors_that_run_are_kernels)
{
    struct e2e t = e2e_open();
    cl_program p = e2e_build(&t,
                             "struct s { int v; s(int n) { for (v = 1; n; n--) v *= 3; } };\n"
                             "__global s made(4);\n"
                             "kernel void k(global int *out) { out[0] = made.v; }\n",
                             "-cl-std=CLC++2021");
    cl_uint count = 0;
    cl_kernel kernels[4];
    CHECK_EQ(clCreateKernelsInProgram(p, 4, kernels, &count), CL_SUCCESS);
    CHECK_EQ(count, 2);
    cl_mem out = e2e_buffer(&t, 4, NULL);
    cl_int got = 0;
    char name[256];
    for (int constructed = 1; constructed >= 0; constructed--) { // the constructor first
        for (cl_uint i = 0; i < count; i++) {
            CHECK_EQ(clGetKernelInfo(kernels[i], CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL),
                     CL_SUCCESS);
            if ((strcmp(name, "k") != 0) != constructed)
                continue;
            if (!constructed)
                E2E_ARG(kernels[i], 0, out);
            e2e_run(&t, kernels[i], 1, NULL);
        }
    }
    e2e_read(&t, out, sizeof got, &got);
    CHECK_EQ(got, 81);
    for (cl_uint i = 0; i < count; i++)
        CHECK_EQ(clReleaseKernel(kernels[i]), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(out), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_close(&t);
}
