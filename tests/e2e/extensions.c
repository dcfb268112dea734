// timeout: 200
// Small extensions of the language, each used once in lanes and once with other values than the CTS has: bit fields, dot products, float
// atomics, clocks; and the macros and queries that promise them.
#include "e2e.h"

#include <CL/cl_ext.h>
#include <string.h>

#include "weft/cl_ext_weft.h"

enum { N = 100 };

static void run(const char *source, const char *options, const void *in, size_t in_bytes, void *out,
                size_t out_bytes)
{
    struct e2e t = e2e_open();
    cl_kernel k = e2e_kernel(&t, source, options, "k");
    cl_mem a = e2e_buffer(&t, in_bytes, in), b = e2e_buffer(&t, out_bytes, out);
    for (int again = 0; again < 3; again++) { // quick code, better code
        CHECK_EQ(clEnqueueWriteBuffer(t.queue, b, CL_TRUE, 0, out_bytes, out, 0, NULL, NULL), CL_SUCCESS);
        E2E_ARG(k, 0, a);
        E2E_ARG(k, 1, b);
        e2e_run(&t, k, N, NULL);
        CHECK_EQ(clFinish(t.queue), CL_SUCCESS);
    }
    e2e_read(&t, b, out_bytes, out);
    CHECK_EQ(clReleaseMemObject(a), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(b), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    e2e_close(&t);
}

static cl_uint reversed(cl_uint v)
{
    cl_uint r = 0;
    for (int i = 0; i < 32; i++)
        r |= (v >> i & 1) << (31 - i);
    return r;
}

TEST(bit_fields_in_every_version)
{
    cl_uint in[N], out[4 * N] = {0};
    for (cl_uint i = 0; i < N; i++)
        in[i] = i * 2654435761u;
    for (int version = 0; version < 2; version++) {
        run("#ifndef cl_khr_extended_bit_ops\n#error\n#endif\n"
            "kernel void k(global const uint *in, global uint *out)\n"
            "{\n"
            "    size_t i = get_global_id(0);\n"
            "    uint at = i % 20, n = i % 13;\n"
            "    out[4 * i] = bit_reverse(in[i]);\n"
            "    out[4 * i + 1] = bitfield_insert(in[i], ~in[i], at, n);\n"
            "    out[4 * i + 2] = bitfield_extract_unsigned(in[i], at, n);\n"
            "    out[4 * i + 3] = bitfield_extract_signed(in[i], at, n);\n"
            "}\n",
            version ? "-cl-std=CL3.0" : "-cl-std=CL1.1", in, sizeof in, out, sizeof out);
        for (cl_uint i = 0; i < N; i++) {
            cl_uint at = i % 20, n = i % 13, mask = ((1u << n) - 1) << at, field = (in[i] & mask) >> at;
            CHECK_EQ(out[4 * i], reversed(in[i]));
            CHECK_EQ(out[4 * i + 1], (in[i] & ~mask) | (~in[i] << at & mask));
            CHECK_EQ(out[4 * i + 2], field);
            CHECK_EQ(out[4 * i + 3], n && field >> (n - 1) ? field | ~((1u << n) - 1) : field);
        }
    }
}

TEST(dot_products)
{
    cl_uint in[N];
    cl_int out[3 * N] = {0};
    for (cl_uint i = 0; i < N; i++)
        in[i] = i * 2654435761u;
    run("#if !defined(cl_khr_integer_dot_product) || "
        "!defined(__opencl_c_integer_dot_product_input_4x8bit_packed)\n#error\n#endif\n"
        "kernel void k(global const uint *in, global int *out)\n"
        "{\n"
        "    size_t i = get_global_id(0);\n"
        "    uint a = in[i], b = in[(i + 1) % get_global_size(0)];\n"
        "    out[3 * i] = dot(as_char4(a), as_char4(b));\n"
        "    out[3 * i + 1] = dot_4x8packed_us_int(a, b);\n"
        "    out[3 * i + 2] = dot_acc_sat(as_uchar4(a), as_uchar4(b), 0xffffff00u);\n"
        "}\n",
        "", in, sizeof in, out, sizeof out);
    for (cl_uint i = 0; i < N; i++) {
        cl_int both = 0, mixed = 0;
        cl_ulong sum = 0xffffff00u;
        for (int k = 0; k < 4; k++) {
            cl_uchar a = (cl_uchar)(in[i] >> 8 * k), b = (cl_uchar)(in[(i + 1) % N] >> 8 * k);
            both += (cl_char)a * (cl_char)b;
            mixed += a * (cl_char)b;
            sum += (cl_ulong)a * b;
        }
        CHECK_EQ(out[3 * i], both);
        CHECK_EQ(out[3 * i + 1], mixed);
        CHECK_EQ((cl_uint)out[3 * i + 2], sum > CL_UINT_MAX ? CL_UINT_MAX : sum);
    }
}

TEST(float_atomics)
{
    cl_double in[N], out[4] = {0, 0, 100, -100};
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += in[i] = (i * 37 % N) * 0.25;
    run("#if !defined(cl_ext_float_atomics) || "
        "!defined(__opencl_c_ext_fp64_local_atomic_min_max)\n#error\n#endif\n"
        "kernel void k(global const double *in, global double *out)\n"
        "{\n"
        "    size_t i = get_global_id(0);\n"
        "    local atomic_float sum;\n"
        "    if (get_local_id(0) == 0)\n"
        "        atomic_init(&sum, 0.0f);\n"
        "    barrier(CLK_LOCAL_MEM_FENCE);\n"
        "    atomic_fetch_add_explicit(&sum, (float)in[i], memory_order_relaxed, memory_scope_work_group);\n"
        "    barrier(CLK_LOCAL_MEM_FENCE);\n"
        "    if (get_local_id(0) == 0)\n"
        "        atomic_fetch_add((volatile global atomic_double *)out, (double)atomic_load(&sum));\n"
        "    atomic_fetch_sub((volatile global atomic_double *)&out[1], in[i]);\n"
        "    atomic_fetch_min((volatile global atomic_double *)&out[2], in[i]);\n"
        "    atomic_fetch_max((volatile global atomic_double *)&out[3], in[i]);\n"
        "}\n",
        "-cl-std=CL3.0", in, sizeof in, out, sizeof out);
    CHECK(out[0] == sum);
    CHECK(out[1] == -sum);
    CHECK(out[2] == 0);
    CHECK(out[3] == (N - 1) * 0.25);
    struct e2e t = e2e_open();
    cl_device_fp_atomic_capabilities_ext has = 0;
    CHECK_EQ(clGetDeviceInfo(t.device, CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT, sizeof has, &has, NULL),
             CL_SUCCESS);
    CHECK((has & CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT) && (has & CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT));
    e2e_close(&t);
}

TEST(clocks_go_on)
{
    cl_ulong in[1] = {0}, out[4 * N] = {0};
    run("#if !defined(cl_khr_kernel_clock) || "
        "!defined(__opencl_c_kernel_clock_scope_sub_group)\n#error\n#endif\n"
        "kernel void k(global const ulong *in, global ulong *out)\n"
        "{\n"
        "    size_t i = get_global_id(0);\n"
        "    out[4 * i] = clock_read_device();\n"
        "    out[4 * i + 1] = clock_read_work_group();\n"
        "    uint2 now = clock_read_hilo_sub_group();\n"
        "    out[4 * i + 2] = (ulong)now.y << 32 | now.x;\n"
        "    out[4 * i + 3] = clock_read_device();\n"
        "}\n",
        "-cl-std=CL3.0", in, sizeof in, out, sizeof out);
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 3; k++)
            CHECK(out[4 * i + k] != 0 && out[4 * i + k] <= out[4 * i + k + 1]);
}
