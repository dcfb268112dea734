// Dot products of four bytes: the functions of cl_khr_integer_dot_product, and sums of products that programs
// write themselves, at each kind of instructions that has them. Exact for all bytes.
// timeout: 300
#include "e2e.h"

#include <stdlib.h>

enum { N = 1000, OUT = 12 };

static const char source[] =
    "#define SUM(a, b) (a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w)\n"
    "kernel void k(global const uint *x, global const uint *y, global int *out, int turns)\n"
    "{\n"
    "    size_t i = get_global_id(0);\n"
    "    global int *o = out + 12 * i;\n"
    "    char4 sx = as_char4(x[i]), sy = as_char4(y[i]);\n"
    "    uchar4 ux = as_uchar4(x[i]), uy = as_uchar4(y[i]);\n"
    "    o[0] = dot(sx, sy);\n"
    "    o[1] = dot(ux, uy);\n"
    "    o[2] = dot(ux, sy);\n"
    "    o[3] = dot(sx, uy);\n"
    "    o[4] = dot_acc_sat(sx, sy, (int)(x[i] * y[i]));\n"
    "    o[5] = dot_acc_sat_4x8packed_us_int(x[i], y[i], 0x7ffffff0);\n"
    "    o[6] = dot_acc_sat(ux, uy, 0xffffff00u);\n"
    "    o[7] = SUM(sx, sy);\n"
    "    o[8] = sy.w * ux.w + 3 + ux.z * sy.z + (sy.x * ux.x + ux.y * sy.y) + (int)x[i];\n"
    "    int4 p = convert_int4(ux) * convert_int4(uy);\n"
    "    o[9] = p.s0 + p.s2 + (p.s1 + p.s3);\n"
    // Two in one sum, in a loop, of which one operand is the same for all work-items.
    "    int sum = 0;\n"
    "    for (int t = 0; t < turns; t++) {\n"
    "        char8 a = as_char8((uint2)(x[(i + t) % 1000], y[i])), b = as_char8((uint2)(y[t], y[t + 1]));\n"
    "        int8 q = convert_int8(a) * convert_int8(b);\n"
    "        sum += q.s0 + q.s1 + q.s2 + q.s3 + q.s4 + q.s5 + q.s6 + q.s7;\n"
    "    }\n"
    "    o[10] = sum;\n"
    // No dot products: bytes of unlike places, and one of them twice.
    "    o[11] = sx.x * sy.y + sx.y * sy.x + sx.z * sy.z + sx.w * sy.w + SUM(ux, uy) + ux.x * uy.x;\n"
    "}\n";

// The sum of products of bytes [0, count), whose signs the masks say.
static cl_long sum_of(cl_uint x, bool sx, cl_uint y, bool sy)
{
    cl_long sum = 0;
    for (int k = 0; k < 4; k++) {
        const cl_uchar a = (cl_uchar)(x >> 8 * k), b = (cl_uchar)(y >> 8 * k);
        sum += (cl_long)(sx ? (cl_char)a : a) * (sy ? (cl_char)b : b);
    }
    return sum;
}

static cl_long clamped(cl_long v, cl_long low, cl_long high)
{
    return v < low ? low : v > high ? high : v;
}

static cl_long byte_of(cl_uint x, int k)
{
    return (cl_char)(x >> 8 * k);
}

static void expect(cl_long want[OUT], const cl_uint *x, const cl_uint *y, size_t i, int turns)
{
    const cl_uint a = x[i], b = y[i];
    want[0] = want[7] = sum_of(a, true, b, true);
    want[1] = want[9] = sum_of(a, false, b, false);
    want[2] = sum_of(a, false, b, true);
    want[3] = sum_of(a, true, b, false);
    want[4] = clamped(want[0] + (cl_int)(a * b), CL_INT_MIN, CL_INT_MAX);
    want[5] = clamped(want[2] + 0x7ffffff0, CL_INT_MIN, CL_INT_MAX);
    want[6] = clamped(want[1] + 0xffffff00u, 0, CL_UINT_MAX);
    want[8] = want[2] + 3 + a;
    want[10] = 0;
    for (int t = 0; t < turns; t++)
        want[10] += sum_of(x[(i + (size_t)t) % N], true, y[t], true) + sum_of(b, true, y[t + 1], true);
    want[11] = byte_of(a, 0) * byte_of(b, 1) + byte_of(a, 1) * byte_of(b, 0) + byte_of(a, 2) * byte_of(b, 2) +
               byte_of(a, 3) * byte_of(b, 3) + want[1] + (cl_long)(a & 255) * (b & 255);
}

static void check_dot_products(void)
{
    static const cl_uchar edges[] = {0, 1, 127, 128, 255};
    enum { EDGES = sizeof edges, TURNS = 37 };
    static cl_uint x[N], y[N];
    static cl_int out[OUT * N];
    cl_uint random = 1;
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 4; k++) {
            random = random * 1664525 + 1013904223;
            // Half of the words have only bytes where signs and sums change.
            const cl_uint a = random >> 24, b = random >> 16 & 255;
            x[i] |= (i % 2 ? edges[a % EDGES] : a) << 8 * k;
            y[i] |= (i % 2 ? edges[b % EDGES] : b) << 8 * k;
        }
    CHECK_EQ(setenv("WEFT_TIER", "2", 1), 0); // code with lanes from the start
    struct e2e t = e2e_open();
    cl_kernel k = e2e_kernel(&t, source, "", "k");
    cl_mem bx = e2e_buffer(&t, sizeof x, x), by = e2e_buffer(&t, sizeof y, y),
           bout = e2e_buffer(&t, sizeof out, out);
    const cl_int turns = TURNS;
    E2E_ARG(k, 0, bx);
    E2E_ARG(k, 1, by);
    E2E_ARG(k, 2, bout);
    E2E_ARG(k, 3, turns);
    e2e_run(&t, k, N, NULL);
    e2e_read(&t, bout, sizeof out, out);
    for (size_t i = 0; i < N; i++) {
        cl_long want[OUT];
        expect(want, x, y, i, turns);
        for (size_t o = 0; o < OUT; o++)
            if (out[OUT * i + o] != (cl_int)(cl_uint)want[o])
                FAIL("result %zu of %#x and %#x is %d, not %d", o, x[i], y[i], out[OUT * i + o],
                     (cl_int)(cl_uint)want[o]);
    }
    CHECK_EQ(clReleaseMemObject(bx), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(by), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(bout), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    e2e_close(&t);
}

TEST(pairs_of_shorts_in_128_bits)
{
    e2e_processor("nehalem");
    check_dot_products();
}

TEST(pairs_of_shorts_in_256_bits)
{
    e2e_processor("haswell");
    check_dot_products();
}

TEST(pairs_of_shorts_in_512_bits)
{
    e2e_processor("skylake-avx512");
    check_dot_products();
}

// Skips the test if Linux doesn't name the flag.
static void need_flag(const char *flag)
{
    char line[8192], word[32];
    FILE *f = fopen("/proc/cpuinfo", "r");
    bool found = false;
    snprintf(word, sizeof word, " %s ", flag);
    while (f && !found && fgets(line, sizeof line, f))
        found = strncmp(line, "flags", 5) == 0 && strstr(line, word);
    if (f)
        fclose(f);
    if (!found)
        SKIP("this processor has no %s", flag);
}

TEST(vnni_in_256_bits)
{
    need_flag("avx_vnni");
    CHECK_EQ(setenv("WEFT_CPU", "alderlake", 1), 0);
    check_dot_products();
}

TEST(vnni_in_512_bits)
{
    need_flag("avx512_vnni");
    CHECK_EQ(setenv("WEFT_CPU", "cascadelake", 1), 0);
    check_dot_products();
}

TEST(products_without_lanes)
{
    CHECK_EQ(setenv("WEFT_VF", "1", 1), 0);
    check_dot_products();
}
