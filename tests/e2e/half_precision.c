// cl_khr_fp16: arithmetic of halves against exact results that are rounded once, with the instructions of
// this processor and of older ones. Halves as arguments, constants and variables, in collective functions,
// printf and images.
// timeout: 300
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "e2e.h"

enum { ALL = 1 << 16 };

static double value_of(cl_ushort h)
{
    int exponent = h >> 10 & 31, fraction = h & 1023;
    double size = exponent == 31 ? (double)(fraction ? NAN : INFINITY)
                  : exponent     ? ldexp(1024 + fraction, exponent - 25)
                                 : ldexp(fraction, -24);
    return h >> 15 ? -size : size;
}

// Rounds to the nearest half, ties to even. All NaNs become the same one.
static cl_ushort half_of(double x)
{
    cl_ushort sign = signbit(x) ? 0x8000 : 0;
    if (isnan(x))
        return 0x7e00;
    double size = fabs(x);
    if (size >= 65520)
        return sign | 0x7c00;
    int e = size < 0x1p-14 ? -14 : ilogb(size);
    cl_ushort digits = (cl_ushort)rint(ldexp(size, 10 - e)); // with the highest bit
    return (cl_ushort)(sign | (((e + 14) << 10) + digits));
}

static cl_ushort plain(cl_ushort h)
{
    return (h & 0x7fff) > 0x7c00 ? 0x7e00 : h;
}

enum { SUM, DIFFERENCE, PRODUCT, QUOTIENT, FUSED, ROOT, OF_DOUBLE, OF_LONG, SMALLER, RESULTS };

static const char arithmetic[] =
    "kernel void k(global const half *x, global const half *y, global half *out, half z, half2 zz)\n"
    "{\n"
    "    size_t i = get_global_id(0), n = get_global_size(0);\n"
    "    half a = x[i], b = y[i];\n"
    "    out[i] = a + b;\n"
    "    out[i + n] = a - b;\n"
    "    out[i + 2 * n] = a * b;\n"
    "    out[i + 3 * n] = a / b;\n"
    "    out[i + 4 * n] = fma(a, b, i & 1 ? zz.y : z);\n"
    "    out[i + 5 * n] = sqrt(a);\n"
    "    out[i + 6 * n] = (half)((double)a + (double)b * 0x1p-20);\n"
    "    out[i + 7 * n] = (half)(long)(as_short(a) * 3);\n"
    "    out[i + 8 * n] = a < b ? a : b;\n"
    "}\n";

static void check_arithmetic(void)
{
    static cl_ushort x[ALL], y[ALL], out[RESULTS * ALL];
    for (cl_uint i = 0; i < ALL; i++) {
        x[i] = (cl_ushort)i;
        // Every third y is close to -x, so that sums cancel.
        y[i] = (cl_ushort)(i % 3 ? i * 40503u >> 3 : (i ^ 0x8000) + i % 7);
    }
    struct e2e t = e2e_open();
    cl_kernel k = e2e_kernel(&t, arithmetic, "", "k");
    cl_mem a = e2e_buffer(&t, sizeof x, x), b = e2e_buffer(&t, sizeof y, y),
           c = e2e_buffer(&t, sizeof out, NULL);
    cl_ushort z = 0x3555, zz[2] = {0, 0x9abc};
    E2E_ARG(k, 0, a);
    E2E_ARG(k, 1, b);
    E2E_ARG(k, 2, c);
    E2E_ARG(k, 3, z);
    CHECK_EQ(clSetKernelArg(k, 4, sizeof zz, zz), CL_SUCCESS);
    for (int again = 0; again < 3; again++) { // quick code, better code
        const cl_uchar none = 0xff;
        CHECK_EQ(clEnqueueFillBuffer(t.queue, c, &none, 1, 0, sizeof out, 0, NULL, NULL), CL_SUCCESS);
        e2e_run(&t, k, ALL, NULL);
        CHECK_EQ(clFinish(t.queue), CL_SUCCESS);
    }
    e2e_read(&t, c, sizeof out, out);
    for (cl_uint i = 0; i < ALL; i++) {
        double p = value_of(x[i]), q = value_of(y[i]);
        CHECK_EQ(plain(out[i + SUM * ALL]), half_of(p + q));
        CHECK_EQ(plain(out[i + DIFFERENCE * ALL]), half_of(p - q));
        CHECK_EQ(plain(out[i + PRODUCT * ALL]), half_of(p * q));
        CHECK_EQ(plain(out[i + QUOTIENT * ALL]), half_of(p / q));
        CHECK_EQ(plain(out[i + FUSED * ALL]), half_of(p * q + value_of(i & 1 ? zz[1] : z)));
        CHECK_EQ(plain(out[i + ROOT * ALL]), half_of(sqrt(p)));
        CHECK_EQ(plain(out[i + OF_DOUBLE * ALL]), half_of(p + q * 0x1p-20));
        CHECK_EQ(plain(out[i + OF_LONG * ALL]), half_of((double)((cl_short)x[i] * 3)));
        CHECK_EQ(out[i + SMALLER * ALL], p < q ? x[i] : y[i]);
    }
    CHECK_EQ(clReleaseMemObject(a), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(b), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(c), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    e2e_close(&t);
}

TEST(arithmetic_rounds_once)
{
    check_arithmetic();
}

TEST(arithmetic_rounds_once_without_lanes)
{
    setenv("WEFT_VF", "1", 1);
    check_arithmetic();
}

TEST(arithmetic_rounds_once_by_calls)
{
#if defined(__x86_64__)
    setenv("WEFT_CPU", "x86-64", 1);
#endif
    check_arithmetic();
}

TEST(arithmetic_rounds_once_by_conversions)
{
    e2e_processor("haswell");
    check_arithmetic();
}

TEST(arithmetic_rounds_once_by_conversions_of_sixteen)
{
    e2e_processor("skylake-avx512");
    check_arithmetic();
}

// Structures, variables of every kind, vectors, a function of the program, and the type used without a
// pragma.
TEST(halves_are_values_like_others)
{
    static const char source[] = "#ifndef cl_khr_fp16\n#error\n#endif\n"
                                 "struct pair { half a; half3 b; };\n"
                                 "constant half table[3] = {0.5h, -1.25h, 65504.0h};\n"
                                 "global half kept = 2.0h;\n"
                                 "half4 twice(half4 v) { return v + v; }\n"
                                 "kernel void k(global half *out, half16 wide, half one)\n"
                                 "{\n"
                                 "    local half shared[64];\n"
                                 "    size_t i = get_local_id(0);\n"
                                 "    shared[i] = (half)i;\n"
                                 "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                                 "    struct pair p = {shared[63 - i], (half3)(one, kept, table[i % 3])};\n"
                                 "    half4 v = twice((half4)(p.a, p.b));\n"
                                 "    vstore4(v, i, out);\n"
                                 "    vstore3(shuffle(wide, as_ushort4((short4)(i))).xyz, i, out + 256);\n"
                                 "    out[448 + i] = select(one, p.a, (short)(i % 2 ? -1 : 0));\n"
                                 "    out[512 + i] = dot(v.lo, v.hi) > 0 ? max(p.a, one) : -p.a;\n"
                                 "}\n";
    struct e2e t = e2e_open();
    cl_kernel k = e2e_kernel(&t, source, "-cl-std=CL3.0", "k");
    static cl_ushort out[576];
    cl_ushort wide[16], one = half_of(1);
    for (int i = 0; i < 16; i++)
        wide[i] = half_of(i * 0.125);
    cl_mem m = e2e_buffer(&t, sizeof out, out);
    E2E_ARG(k, 0, m);
    CHECK_EQ(clSetKernelArg(k, 1, sizeof wide, wide), CL_SUCCESS);
    E2E_ARG(k, 2, one);
    CHECK_EQ(clSetKernelArg(k, 2, sizeof(cl_float), &(cl_float){1}), CL_INVALID_ARG_SIZE);
    const size_t local = 64;
    e2e_run(&t, k, 64, &local);
    e2e_read(&t, m, sizeof out, out);
    static const double table[] = {0.5, -1.25, 65504};
    for (int i = 0; i < 64; i++) {
        double p = 63 - i, last = 2 * table[i % 3];
        CHECK_EQ(out[4 * i], half_of(2 * p));
        CHECK_EQ(out[4 * i + 1], half_of(2));
        CHECK_EQ(out[4 * i + 2], half_of(4));
        CHECK_EQ(out[4 * i + 3], half_of(last));
        for (int j = 0; j < 3; j++)
            CHECK_EQ(out[256 + 3 * i + j], wide[i % 16]);
        CHECK_EQ(out[448 + i], i % 2 ? half_of(p) : one);
        double product = 2 * p * 4 + 2 * (last > 65504 ? (double)INFINITY : last);
        CHECK_EQ(out[512 + i], half_of(product > 0 ? fmax(p, 1) : -p));
    }
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    e2e_close(&t);
}

// Small integers, so every sum is exact.
static void check_groups(void)
{
    enum { GROUP = 48, COUNT = 4 * GROUP, KINDS = 10 };
    static const char source[] =
        "kernel void k(global half *out)\n"
        "{\n"
        "    size_t i = get_global_id(0), n = get_global_size(0);\n"
        "    half v = (half)(i % 7);\n"
        "    out[i] = work_group_reduce_add(v);\n"
        "    out[i + n] = work_group_scan_exclusive_add(v);\n"
        "    out[i + 2 * n] = work_group_scan_inclusive_max(v);\n"
        "    out[i + 3 * n] = work_group_broadcast(v, 5);\n"
        "    half first = sub_group_broadcast(v, 0);\n"
        "    out[i + 4 * n] = sub_group_broadcast_first(v) - first;\n"
        "    half sum = sub_group_scan_inclusive_add(v) - sub_group_scan_exclusive_add(v);\n"
        "    out[i + 5 * n] = sum;\n"
        "    out[i + 6 * n] = sub_group_shuffle(v, get_sub_group_local_id());\n"
        "    out[i + 7 * n] = sub_group_reduce_max(v) - sub_group_non_uniform_reduce_max(v);\n"
        "    half3 three = sub_group_broadcast((half3)(v, v + 1, v + 2), 0);\n"
        "    out[i + 8 * n] = three.z - first;\n"
        "    out[i + 9 * n] = (half)sub_group_non_uniform_all_equal(first);\n"
        "}\n";
    struct e2e t = e2e_open();
    cl_kernel k = e2e_kernel(&t, source, "-cl-std=CL3.0", "k");
    static cl_ushort out[KINDS * COUNT];
    cl_mem m = e2e_buffer(&t, sizeof out, out);
    E2E_ARG(k, 0, m);
    const size_t local = GROUP;
    e2e_run(&t, k, COUNT, &local);
    e2e_read(&t, m, sizeof out, out);
    for (int g = 0; g < COUNT / GROUP; g++) {
        int sum = 0, most = 0, all = 0;
        for (int j = 0; j < GROUP; j++)
            all += (g * GROUP + j) % 7;
        for (int j = 0; j < GROUP; j++) {
            int i = g * GROUP + j, v = i % 7;
            most = v > most ? v : most;
            const int want[KINDS] = {all, sum, most, (g * GROUP + 5) % 7, 0, v, v, 0, 2, 1};
            for (int kind = 0; kind < KINDS; kind++)
                CHECK_EQ(out[i + kind * COUNT], half_of(want[kind]));
            sum += v;
        }
    }
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    e2e_close(&t);
}

TEST(groups_and_sub_groups_sum_halves)
{
    check_groups();
}

TEST(groups_and_sub_groups_sum_halves_without_lanes)
{
    setenv("WEFT_VF", "1", 1);
    check_groups();
}

TEST(printf_prints_halves)
{
    static const char source[] =
        "kernel void k(half x) { printf(\"%.2f %v4hf %g\\n\", x, (half4)(x, 2.0h, -0.5h, 65504.0h), "
        "x * 0.5h); }\n";
    int ends[2], out = dup(1);
    struct e2e t = e2e_open();
    cl_kernel k = e2e_kernel(&t, source, "-cl-std=CL1.2", "k");
    cl_ushort x = half_of(1.5);
    E2E_ARG(k, 0, x);
    fflush(stdout);
    CHECK_EQ(pipe(ends), 0);
    CHECK_EQ(dup2(ends[1], 1), 1);
    e2e_run(&t, k, 1, NULL);
    CHECK_EQ(clFinish(t.queue), CL_SUCCESS);
    CHECK_EQ(dup2(out, 1), 1);
    close(ends[1]);
    char text[200] = "";
    ssize_t got = read(ends[0], text, sizeof text - 1);
    CHECK(got > 0);
    CHECK(strcmp(text, "1.50 1.500000,2.000000,-0.500000,65504.000000 0.75\n") == 0);
    close(ends[0]);
    close(out);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    e2e_close(&t);
}

TEST(images_are_read_and_written_as_halves)
{
    enum { W = 33 };
    static const char source[] =
        "constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;\n"
        "kernel void k(read_only image2d_t in, write_only image2d_t to, global half4 *out)\n"
        "{\n"
        "    int i = get_global_id(0);\n"
        "    half4 v = read_imageh(in, s, (int2)(i, 0));\n"
        "    out[i] = v + read_imageh(in, s, (float2)(i + 0.5f, 0.5f)) + read_imageh(in, (int2)(i, 0));\n"
        "    write_imageh(to, (int2)(i, 0), v * 2.0h);\n"
        "}\n";
    struct e2e t = e2e_open();
    cl_kernel k = e2e_kernel(&t, source, "-cl-std=CL3.0", "k");
    cl_ushort in[4 * W], out[4 * W], copy[4 * W];
    for (int i = 0; i < 4 * W; i++)
        in[i] = half_of(i * 0.25 - 9);
    const cl_image_format f = {CL_RGBA, CL_HALF_FLOAT};
    const cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = W, .image_height = 1};
    cl_int error = 1;
    cl_mem a = clCreateImage(t.context, CL_MEM_COPY_HOST_PTR, &f, &d, in, &error);
    CHECK_EQ(error, CL_SUCCESS);
    cl_mem b = clCreateImage(t.context, 0, &f, &d, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    cl_mem c = e2e_buffer(&t, sizeof out, NULL);
    E2E_ARG(k, 0, a);
    E2E_ARG(k, 1, b);
    E2E_ARG(k, 2, c);
    e2e_run(&t, k, W, NULL);
    e2e_read(&t, c, sizeof out, out);
    const size_t origin[3] = {0, 0, 0}, region[3] = {W, 1, 1};
    CHECK_EQ(clEnqueueReadImage(t.queue, b, CL_TRUE, origin, region, 0, 0, copy, 0, NULL, NULL), CL_SUCCESS);
    for (int i = 0; i < 4 * W; i++) {
        CHECK_EQ(out[i], half_of(3 * (i * 0.25 - 9)));
        CHECK_EQ(copy[i], half_of(2 * (i * 0.25 - 9)));
    }
    CHECK_EQ(clReleaseMemObject(a), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(b), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(c), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    e2e_close(&t);
}
