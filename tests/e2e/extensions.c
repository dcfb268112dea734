// Small language extensions: bit fields, dot products, float atomics, clocks and others. Each is used once in
// vectorized code, and once with values that the CTS doesn't use. Also their macros and queries.
// timeout: 200
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
    // A program with half precision asks which half atomics exist: none.
    CHECK_EQ(clGetDeviceInfo(t.device, CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT, sizeof has, &has, NULL),
             CL_SUCCESS);
    CHECK_EQ(has, 0);
    e2e_close(&t);
}

// From lines of 9 elements to lines of 7, from planes of 40 to planes of 30, and back. The elements in
// between don't change.
TEST(lines_and_planes_are_copied_asynchronously)
{
    enum { PLANES = 3, LINES = 4, ELEMENTS = 5 };
    cl_ushort in[200], out[200];
    for (int i = 0; i < 200; i++)
        in[i] = (cl_ushort)(1000 + i);
    memset(out, 0, sizeof out);
    run("#ifndef cl_khr_extended_async_copies\n#error\n#endif\n"
        "kernel void k(global const ushort *in, global ushort *out)\n"
        "{\n"
        "    local ushort all[120];\n"
        "    for (uint i = get_local_id(0); i < 120; i += get_local_size(0))\n"
        "        all[i] = 7;\n"
        "    barrier(CLK_LOCAL_MEM_FENCE);\n"
        "    event_t e = async_work_group_copy_3D3D(all, 2, in, 3, 2, 5, 4, 3, 9, 40, 7, 30, 0);\n"
        "    async_work_group_copy_fence(CLK_LOCAL_MEM_FENCE);\n"
        "    e = async_work_group_copy_2D2D(out, 1, all, 0, 2, 30, 3, 30, 50, e);\n"
        "    wait_group_events(1, &e);\n"
        "}\n",
        "-cl-std=CL1.2", in, sizeof in, out, sizeof out);
    cl_ushort want[200] = {0};
    for (int z = 0; z < PLANES; z++)
        for (int at = 0; at < 30; at++) {
            int y = (at - 2) / 7, x = (at - 2) % 7;
            bool copied = at >= 2 && y < LINES && x < ELEMENTS;
            want[1 + 50 * z + at] = copied ? in[3 + 40 * z + 9 * y + x] : 7;
        }
    for (int i = 0; i < 200; i++)
        CHECK_EQ(out[i], want[i]);
}

// 100 work-items in groups of 20. A program's own function with such a name takes precedence.
TEST(work_groups_multiply_and_combine_bits)
{
    enum { GROUP = 20, KINDS = 9 };
    cl_ulong in[N], out[KINDS * N];
    memset(out, 0, sizeof out);
    for (int i = 0; i < N; i++)
        in[i] = (cl_ulong)i * 0x9e3779b97f4a7c15u | 1;
    run("ulong work_group_reduce_or(uchar own) { return own + 1; }\n"
        "__attribute__((reqd_work_group_size(20, 1, 1))) kernel void k(global const ulong *in, global ulong "
        "*out)\n"
        "{\n"
        "    size_t i = get_global_id(0), n = 100;\n"
        "    ulong x = in[i];\n"
        "    out[i] = work_group_reduce_mul(x);\n"
        "    out[i + n] = work_group_scan_exclusive_mul(x);\n"
        "    out[i + 2 * n] = work_group_reduce_and(x);\n"
        "    out[i + 3 * n] = work_group_scan_inclusive_or((uint)x);\n"
        "    out[i + 4 * n] = work_group_scan_exclusive_xor(x);\n"
        "    out[i + 5 * n] = (ulong)work_group_scan_inclusive_mul(x & 2 ? 2.0f : 0.5f) + "
        "work_group_reduce_or((uchar)4) - 5;\n"
        "    out[i + 6 * n] = (ulong)work_group_reduce_mul(i % 20 < 3 ? (half)3 : (half)1);\n"
        "    out[i + 7 * n] = work_group_reduce_logical_xor((int)x & 6) != 0;\n"
        "    out[i + 8 * n] = work_group_scan_exclusive_logical_and((int)x & 6) != 0;\n"
        "}\n",
        "-cl-std=CL3.0", in, sizeof in, out, sizeof out);
    for (int g = 0; g < N / GROUP; g++) {
        cl_ulong product = 1, all = ~(cl_ulong)0, x = 0, odd = 0;
        for (int i = g * GROUP; i < (g + 1) * GROUP; i++) {
            product *= in[i];
            all &= in[i];
            odd ^= (in[i] & 6) != 0;
        }
        cl_ulong before = 1, either = 0, every = 1;
        float scaled = 1;
        for (int i = g * GROUP; i < (g + 1) * GROUP; i++) {
            CHECK_EQ(out[i], product);
            CHECK_EQ(out[i + N], before);
            CHECK_EQ(out[i + 2 * N], all);
            either |= (cl_uint)in[i];
            CHECK_EQ(out[i + 3 * N], either);
            CHECK_EQ(out[i + 4 * N], x);
            scaled *= in[i] & 2 ? 2.0f : 0.5f;
            CHECK_EQ(out[i + 5 * N], (cl_ulong)scaled);
            CHECK_EQ(out[i + 6 * N], 27);
            CHECK_EQ(out[i + 7 * N], odd);
            CHECK_EQ(out[i + 8 * N], every);
            before *= in[i];
            x ^= in[i];
            every &= (in[i] & 6) != 0;
        }
    }
}

// SYCL compilers generate calls of the shuffles of cl_intel_subgroups by name, with declarations of their
// own.
TEST(shuffles_that_foreign_modules_call)
{
    cl_uint in[N], out[5 * N];
    for (cl_uint i = 0; i < N; i++)
        in[i] = 1000 + i;
    memset(out, 0, sizeof out);
    run("#define OVER __attribute__((overloadable, convergent))\n"
        "uint OVER intel_sub_group_shuffle(uint, uint);\n"
        "half OVER intel_sub_group_shuffle_xor(half, uint);\n"
        "uint OVER intel_sub_group_shuffle_down(uint, uint, uint);\n"
        "float3 OVER intel_sub_group_shuffle_up(float3, float3, uint);\n"
        "__attribute__((reqd_work_group_size(100, 1, 1))) kernel void k(global const uint *in, global uint "
        "*out)\n"
        "{\n"
        "    uint i = get_global_id(0), id = get_sub_group_local_id(), size = get_sub_group_size(), n = "
        "100;\n"
        "    uint x = in[i], first = i - id, most = get_max_sub_group_size();\n"
        "    out[i] = intel_sub_group_shuffle(x, size - 1 - id) - (1000 + first + size - 1 - id);\n"
        "    out[i + n] = (uint)intel_sub_group_shuffle_xor((half)id, 0) - id;\n"
        "    uint down = intel_sub_group_shuffle_down(x, x + 5000, 1);\n"
        "    if (size == most)\n"
        "        out[i + 2 * n] = down - (id + 1 < most ? x + 1 : 6000 + first);\n"
        "    float3 up = intel_sub_group_shuffle_up((float3)(x + 5000), (float3)(x, x + 1, x + 2), 1);\n"
        "    if (size == most)\n"
        "        out[i + 3 * n] = (uint)up.z - (id > 0 ? x + 1 : 6000 + first + most - 1);\n"
        "    out[i + 4 * n] = size == most;\n"
        "}\n",
        "-cl-std=CL3.0", in, sizeof in, out, sizeof out);
    bool whole = false;
    for (int i = 0; i < N; i++) {
        for (int kind = 0; kind < 4; kind++)
            CHECK_EQ(out[i + kind * N], 0);
        whole |= out[i + 4 * N] != 0;
    }
    CHECK(whole);
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

// Both are deprecated and have no effect: pointers to shared virtual memory needn't be announced, and
// selectable rounding modes were a feature of OpenCL 1.0. Programs with them build, wherever a pointer
// variable is allowed.
TEST(what_is_deprecated_builds_and_changes_nothing)
{
    cl_int in[N], out[N] = {0};
    for (cl_int i = 0; i < N; i++)
        in[i] = 3 * i;
    for (int version = 0; version < 2; version++) {
        run("#define N __attribute__((nosvm))\n"
            "#pragma OPENCL SELECT_ROUNDING_MODE rtz\n"
            "#ifdef cl_khr_select_fprounding_mode\n"
            "#error it is not reported\n"
            "#endif\n"
            "typedef struct { global int *p N; } s;\n"
            "N global int *g;\n"
            "static int at(global const int *p N, int i) { return p[i]; }\n"
            "kernel void k(N global const int *in, global int *out __attribute__((__nosvm__)))\n"
            "{\n"
            "    global const int *a N = in, *b = in;\n"
            "    const int * N c = a;\n"
            "    for (N global const int *d = b; d < b + 1; d++)\n"
            "        out[get_global_id(0)] = at(a, (int)get_global_id(0)) + (c - d ? 1 : 0) + "
            "convert_int_sat(0.75f + 0.5f);\n"
            "}\n",
            version ? "-cl-std=CL3.0" : "-cl-std=CL2.0", in, sizeof in, out, sizeof out);
        for (cl_int i = 0; i < N; i++)
            CHECK_EQ(out[i], in[i] + 1);
    }
}
