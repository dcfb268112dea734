// The kernel language, seen from outside: index spaces, kinds of arguments, barriers, local and constant
// memory, printf.
// timeout: 120
#include "e2e.h"

#include <fcntl.h>

TEST(index_space_in_three_dimensions_with_offset)
{
    struct e2e t = e2e_open();
    cl_kernel k = e2e_kernel(
        &t,
        "kernel void where(global uint *p)\n"
        "{\n"
        "    size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n"
        "    size_t at = ((z - get_global_offset(2)) * get_global_size(1) + y - get_global_offset(1)) * "
        "get_global_size(0)"
        " + x - get_global_offset(0);\n"
        "    uint ok = get_work_dim() == 3 && get_global_size(0) == 12 && get_local_size(1) == 3 && "
        "get_num_groups(2) == 2"
        " && get_local_size(3) == 1 && get_global_id(7) == 0 && get_global_size(3) == 1;\n"
        "    ok &= x == get_group_id(0) * get_local_size(0) + get_local_id(0) + get_global_offset(0);\n"
        "    ok &= z == get_group_id(2) * get_local_size(2) + get_local_id(2) + get_global_offset(2);\n"
        "    p[at] = ok ? (uint)(x + 100 * y + 10000 * z) : 0u;\n"
        "}\n",
        "", "where");
    enum { X = 12, Y = 6, Z = 4 };
    static cl_uint data[X * Y * Z];
    cl_mem m = e2e_buffer(&t, sizeof data, NULL);
    E2E_ARG(k, 0, m);
    const size_t offset[3] = {5, 7, 3}, global[3] = {X, Y, Z}, local[3] = {4, 3, 2};
    CHECK_EQ(clEnqueueNDRangeKernel(t.queue, k, 3, offset, global, local, 0, NULL, NULL), CL_SUCCESS);
    e2e_read(&t, m, sizeof data, data);
    for (unsigned z = 0; z < Z; z++)
        for (unsigned y = 0; y < Y; y++)
            for (unsigned x = 0; x < X; x++)
                CHECK_EQ(data[(z * Y + y) * X + x], x + 5 + 100 * (y + 7) + 10000 * (z + 3));
}

TEST(every_kind_of_argument)
{
    struct e2e t = e2e_open();
    cl_kernel k =
        e2e_kernel(&t,
                   "typedef struct { char c; double d; short s[3]; int4 v; } thing;\n"
                   "constant float table[4] = {0.5f, 1.5f, 2.5f, 3.5f};\n"
                   "kernel void all(char a, short b, long c, double d, float3 e, uchar16 f, thing g, global "
                   "double *out,\n"
                   "                constant int *h, local float *tile, local int *more, short2 i)\n"
                   "{\n"
                   "    size_t l = get_local_id(0);\n"
                   "    tile[l] = table[l & 3];\n"
                   "    more[l] = h[l];\n"
                   "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                   "    size_t r = get_local_size(0) - 1 - l;\n"
                   "    out[get_global_id(0)] = a + b + c + d + e.x + e.y + e.z + f.s0 + f.sf + g.c + g.d + "
                   "g.s[2] + g.v.w + tile[r]"
                   " + more[r] + i.y;\n"
                   "}\n",
                   "", "all");
    struct thing {
        cl_char c;
        cl_double d;
        cl_short s[3];
        cl_int4 v;
    } g = {.c = 1, .d = 0.25, .s = {0, 0, 1000}, .v = {{0, 0, 0, 5000}}};
    cl_char a = -3;
    cl_short b = 300;
    cl_long c = 1l << 40;
    cl_double d = 0.125;
    cl_float3 e = {{1.0f, 2.0f, 4.0f, 99.0f}};
    cl_uchar16 f = {{7, [15] = 200}};
    cl_short2 i = {{0, -9}};
    int h[64];
    for (int j = 0; j < 64; j++)
        h[j] = j * j;
    cl_mem out = e2e_buffer(&t, sizeof(double) * 192, NULL), mh = e2e_buffer(&t, sizeof h, h);
    E2E_ARG(k, 0, a);
    E2E_ARG(k, 1, b);
    E2E_ARG(k, 2, c);
    E2E_ARG(k, 3, d);
    E2E_ARG(k, 4, e);
    E2E_ARG(k, 5, f);
    E2E_ARG(k, 6, g);
    E2E_ARG(k, 7, out);
    E2E_ARG(k, 8, mh);
    CHECK_EQ(clSetKernelArg(k, 9, 64 * sizeof(float), NULL), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(k, 10, 64 * sizeof(int), NULL), CL_SUCCESS);
    E2E_ARG(k, 11, i);
    const size_t local = 64;
    e2e_run(&t, k, 192, &local);
    double got[192];
    e2e_read(&t, out, sizeof got, got);
    for (int j = 0; j < 192; j++) {
        int r = 63 - j % 64;
        double want = -3 + 300 + 1099511627776.0 + 0.125 + 7 + 207 + 1 + 0.25 + 1000 + 5000 +
                      (0.5 + (r & 3)) + r * r - 9;
        CHECK_EQ(got[j], want);
    }
}

TEST(all_the_argument_bytes_that_the_device_takes_and_no_more)
{
    struct e2e t = e2e_open();
    size_t most = 0;
    CHECK_EQ(clGetDeviceInfo(t.device, CL_DEVICE_MAX_PARAMETER_SIZE, sizeof most, &most, NULL), CL_SUCCESS);
    static const char source[] =
        "struct s { uint a[COUNT]; };\n"
        "kernel void k(global uint *p, struct s s)\n"
        "{ uint sum = 0; for (int i = 0; i < COUNT; i++) sum += s.a[i]; p[0] = sum; }";
    char options[64];
    size_t count = (most - sizeof(cl_mem)) / 4;
    snprintf(options, sizeof options, "-DCOUNT=%zu", count);
    cl_kernel k = e2e_kernel(&t, source, options, "k");
    cl_uint *values = malloc(4 * count), sum = 0, got = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i] = (cl_uint)(i * 7 + 1);
    cl_mem m = e2e_buffer(&t, 4, NULL);
    E2E_ARG(k, 0, m);
    CHECK_EQ(clSetKernelArg(k, 1, 4 * count, values), CL_SUCCESS);
    e2e_run(&t, k, 1, NULL);
    e2e_read(&t, m, 4, &got);
    CHECK_EQ(got, sum);
    free(values);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    snprintf(options, sizeof options, "-DCOUNT=%zu", count + 1);
    cl_program p = e2e_program(&t, source);
    CHECK_EQ(clBuildProgram(p, 1, &t.device, options, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    CHECK_CONTAINS(e2e_log(&t, p), "kernel 'k' has 4100 bytes of arguments");
    CHECK_CONTAINS(e2e_log(&t, p), "CL_DEVICE_MAX_PARAMETER_SIZE");
    CHECK_EQ(clCompileProgram(p, 1, &t.device, options, 0, NULL, NULL, NULL, NULL),
             CL_COMPILE_PROGRAM_FAILURE);
    CHECK_CONTAINS(e2e_log(&t, p), "CL_DEVICE_MAX_PARAMETER_SIZE");
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_close(&t);
}

TEST(barriers_in_loops_and_conditionals)
{
    struct e2e t = e2e_open();
    cl_kernel k = e2e_kernel(&t,
                             "kernel void scan(global int *p, local int *a, local int *b, int n, int twice)\n"
                             "{\n"
                             "    int l = get_local_id(0);\n"
                             "    local int *in = a, *out = b;\n"
                             "    in[l] = p[get_global_id(0)];\n"
                             "    for (int round = 0; round <= twice; round++) {\n"
                             "        barrier(CLK_LOCAL_MEM_FENCE);\n"
                             "        for (int s = 1; s < n; s *= 2) {\n"
                             "            out[l] = l >= s ? in[l] + in[l - s] : in[l];\n"
                             "            local int *swap = in;\n"
                             "            in = out;\n"
                             "            out = swap;\n"
                             "            barrier(CLK_LOCAL_MEM_FENCE);\n"
                             "        }\n"
                             "        if (round < twice) {\n"
                             "            int mine = in[n - 1 - l];\n"
                             "            barrier(CLK_LOCAL_MEM_FENCE);\n"
                             "            in[l] = mine;\n"
                             "        }\n"
                             "    }\n"
                             "    p[get_global_id(0)] = in[l];\n"
                             "}\n",
                             "", "scan");
    static const size_t sizes[] = {1, 2, 7, 16, 33, 64, 100, 256};
    for (size_t z = 0; z < sizeof sizes / sizeof sizes[0]; z++) {
        for (cl_int twice = 0; twice < 3; twice++) {
            const size_t n = sizes[z], total = 3 * n;
            int data[768], want[768];
            for (size_t i = 0; i < total; i++)
                want[i] = data[i] = (int)(i * 7919 % 101) - 50;
            for (size_t g = 0; g < 3; g++) {
                int *w = want + g * n;
                for (int round = 0; round <= twice; round++) {
                    for (size_t i = 1; i < n; i++)
                        w[i] += w[i - 1];
                    for (size_t i = 0; round < twice && i < n / 2; i++) {
                        int swap = w[i];
                        w[i] = w[n - 1 - i];
                        w[n - 1 - i] = swap;
                    }
                }
            }
            cl_mem m = e2e_buffer(&t, total * sizeof(int), data);
            cl_int count = (cl_int)n;
            E2E_ARG(k, 0, m);
            CHECK_EQ(clSetKernelArg(k, 1, n * sizeof(int), NULL), CL_SUCCESS);
            CHECK_EQ(clSetKernelArg(k, 2, n * sizeof(int), NULL), CL_SUCCESS);
            E2E_ARG(k, 3, count);
            E2E_ARG(k, 4, twice);
            e2e_run(&t, k, total, &n);
            e2e_read(&t, m, total * sizeof(int), data);
            for (size_t i = 0; i < total; i++)
                if (data[i] != want[i])
                    FAIL("local size %zu, %d more rounds, element %zu: %d, not %d", n, twice, i, data[i],
                         want[i]);
            CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
        }
    }
}

TEST(atomics_count_every_work_item)
{
    struct e2e t = e2e_open();
    cl_kernel k = e2e_kernel(&t,
                             "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
                             "kernel void tally(global int *bins, global long *sum, global uint *low)\n"
                             "{\n"
                             "    local int mine[16];\n"
                             "    int l = get_local_id(0), g = get_global_id(0);\n"
                             "    if (l < 16)\n"
                             "        mine[l] = 0;\n"
                             "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                             "    atomic_inc(&mine[g * 7 & 15]);\n"
                             "    atom_add(sum, (long)g << 20);\n"
                             "    atomic_min(low, (uint)(g ^ 0x5a5));\n"
                             "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                             "    if (l < 16)\n"
                             "        atomic_add(&bins[l], mine[l]);\n"
                             "}\n",
                             "", "tally");
    enum { N = 1 << 16 };
    int bins[16] = {0};
    cl_long sum = 0;
    cl_uint low = 0xffffffffu;
    cl_mem mb = e2e_buffer(&t, sizeof bins, bins), ms = e2e_buffer(&t, sizeof sum, &sum),
           ml = e2e_buffer(&t, sizeof low, &low);
    E2E_ARG(k, 0, mb);
    E2E_ARG(k, 1, ms);
    E2E_ARG(k, 2, ml);
    const size_t local = 128;
    e2e_run(&t, k, N, &local);
    e2e_read(&t, mb, sizeof bins, bins);
    e2e_read(&t, ms, sizeof sum, &sum);
    e2e_read(&t, ml, sizeof low, &low);
    for (int i = 0; i < 16; i++)
        CHECK_EQ(bins[i], N / 16);
    CHECK_EQ(sum, ((cl_long)N * (N - 1) / 2) << 20);
    CHECK_EQ(low, 0);
}

TEST(printf_writes_what_c_would)
{
    const struct harness_capture c = harness_capture(STDOUT_FILENO);
    struct e2e t = e2e_open();
    cl_kernel k =
        e2e_kernel(&t,
                   "kernel void say(float f, int4 v)\n"
                   "{\n"
                   "    printf(\"%d %5u|%-6x|%+.3f %s %c %%\\n\", -5, 42u, 255, f, \"text\", 'z');\n"
                   "    printf(\"%v4d %v2hlf %#v3hhx %lu\\n\", v, (float2)(1.5f, -2.0f), (uchar3)(1, 2, 255),"
                   " 18446744073709551615ul);\n"
                   "    printf(\"%e %g %a %f %f\\n\", 12345.678f, 0.0001f, 1.0f, INFINITY, -NAN * 0.0f);\n"
                   "}\n",
                   "", "say");
    cl_float f = 3.14159f;
    cl_int4 v = {{1, -2, 3, -4}};
    E2E_ARG(k, 0, f);
    E2E_ARG(k, 1, v);
    e2e_run(&t, k, 1, NULL);
    CHECK_EQ(clFinish(t.queue), CL_SUCCESS);
    char text[1024] = "";
    CHECK_GT(pread(harness_uncapture(&c), text, sizeof text - 1, 0), 0);
    char *last = strrchr(text, ' '); // the sign of a NaN is unspecified
    CHECK(last != NULL && strstr(last, "nan") != NULL);
    *last = '\0';
    CHECK_STR(text, "-5    42|ff    |+3.142 text z %\n"
                    "1,-2,3,-4 1.500000,-2.000000 0x1,0x2,0xff 18446744073709551615\n"
                    "1.234568e+04 0.0001 0x1p+0 inf");
}

// printf was added in OpenCL C 1.2. Vendors' extensions had it before (cl_amd_printf, cl_intel_printf). A
// program may define its own.
TEST(printf_before_it_was_part_of_the_language)
{
    static const char *const versions[] = {"-cl-std=CL1.0", "-cl-std=CL1.1 -Werror"};
    for (int i = 0; i < 2; i++) {
        const struct harness_capture c = harness_capture(STDOUT_FILENO);
        struct e2e t = e2e_open();
        cl_kernel k = e2e_kernel(&t,
                                 "kernel void say(float f)\n{\n"
                                 "    printf(\"%d %.2f %s %v2d\\n\", 5, f, \"text\", (int2)(1, 2));\n}\n",
                                 versions[i], "say");
        cl_float f = 2.5f;
        E2E_ARG(k, 0, f);
        e2e_run(&t, k, 1, NULL);
        CHECK_EQ(clFinish(t.queue), CL_SUCCESS);
        char text[64] = "";
        CHECK_GT(pread(harness_uncapture(&c), text, sizeof text - 1, 0), 0);
        CHECK_STR(text, "5 2.50 text 1,2\n");
        k = e2e_kernel(&t,
                       "int printf(int a, int b) { return a * b; }\n"
                       "kernel void own(global int *p) { p[0] = printf(3, 4); }\n",
                       versions[i], "own");
        cl_int got = 0;
        cl_mem m = e2e_buffer(&t, sizeof got, &got);
        E2E_ARG(k, 0, m);
        e2e_run(&t, k, 1, NULL);
        e2e_read(&t, m, sizeof got, &got);
        CHECK_EQ(got, 12);
        CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
        CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
        e2e_close(&t);
    }
}

// A launch returns at once although the kernel's code doesn't exist yet. Order and results are right.
TEST(many_kernels_of_one_program)
{
    struct e2e t = e2e_open();
    static char source[64 * 256];
    size_t at = 0;
    for (int i = 0; i < 64; i++)
        at += (size_t)snprintf(
            source + at, sizeof source - at,
            "kernel void k%d(global int *p) { p[get_global_id(0)] = p[get_global_id(0)] * 3 + %d; }\n", i, i);
    cl_program p = e2e_build(&t, source, "");
    unsigned want[16] = {0};
    cl_mem m = e2e_buffer(&t, sizeof want, want);
    for (unsigned i = 0; i < 64; i++) {
        char name[16];
        cl_int error = 1;
        snprintf(name, sizeof name, "k%u", i);
        cl_kernel k = clCreateKernel(p, name, &error);
        CHECK_EQ(error, CL_SUCCESS);
        E2E_ARG(k, 0, m);
        e2e_run(&t, k, 16, NULL);
        CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
        for (int j = 0; j < 16; j++)
            want[j] = want[j] * 3 + i;
    }
    unsigned got[16];
    e2e_read(&t, m, sizeof got, got);
    CHECK_MEM(got, want, sizeof want);
}

TEST(a_required_size_holds_in_dimensions_that_the_launch_lacks)
{
    struct e2e t = e2e_open();
    cl_kernel k =
        e2e_kernel(&t,
                   "kernel void r(global int *p) __attribute__((reqd_work_group_size(4, 2, 2)));\n"
                   "kernel void r(global int *p) { p[get_global_linear_id()] = get_local_size(2); }",
                   "-cl-std=CL3.0", "r");
    cl_mem m = e2e_buffer(&t, 64 * sizeof(cl_int), NULL);
    E2E_ARG(k, 0, m);
    const size_t global[3] = {8, 4, 2}, local[3] = {4, 2, 2};
    for (cl_uint dim = 1; dim <= 3; dim++) {
        cl_int want = dim < 3 ? CL_INVALID_WORK_GROUP_SIZE : CL_SUCCESS;
        CHECK_EQ(clEnqueueNDRangeKernel(t.queue, k, dim, NULL, global, NULL, 0, NULL, NULL), want);
        CHECK_EQ(clEnqueueNDRangeKernel(t.queue, k, dim, NULL, global, local, 0, NULL, NULL), want);
    }
    cl_int got[64];
    e2e_read(&t, m, sizeof got, got);
    for (int i = 0; i < 64; i++)
        CHECK_EQ(got[i], 2);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    e2e_close(&t);
}

TEST(binaries_run_again)
{
    struct e2e t = e2e_open();
    cl_program p =
        e2e_build(&t, "kernel void f(global int *p) { p[get_global_id(0)] = 5 + VALUE; }", "-DVALUE=37");
    size_t size = 0;
    CHECK_EQ(clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL), CL_SUCCESS);
    CHECK_GT(size, 0);
    unsigned char *bytes = malloc(size);
    CHECK(bytes != NULL);
    CHECK_EQ(clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL), CL_SUCCESS);
    cl_int status = 1, error = 1;
    const unsigned char *const_bytes = bytes;
    cl_program q = clCreateProgramWithBinary(t.context, 1, &t.device, &size, &const_bytes, &status, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(status, CL_SUCCESS);
    CHECK_EQ(clBuildProgram(q, 1, &t.device, "", NULL, NULL), CL_SUCCESS);
    cl_kernel k = clCreateKernel(q, "f", &error);
    CHECK_EQ(error, CL_SUCCESS);
    int got[3];
    cl_mem m = e2e_buffer(&t, sizeof got, NULL);
    E2E_ARG(k, 0, m);
    e2e_run(&t, k, 3, NULL);
    e2e_read(&t, m, sizeof got, got);
    for (int i = 0; i < 3; i++)
        CHECK_EQ(got[i], 42);
    // Damage at any place is noticed.
    for (size_t i = 0; i < size; i += size / 37 + 1) {
        bytes[i] ^= 0x10;
        cl_program bad =
            clCreateProgramWithBinary(t.context, 1, &t.device, &size, &const_bytes, &status, &error);
        CHECK(bad == NULL);
        CHECK_EQ(error, CL_INVALID_BINARY);
        CHECK_EQ(status, CL_INVALID_BINARY);
        bytes[i] ^= 0x10;
    }
    free(bytes);
}

// A data race: in its first iteration a work-item stores what another one loads in its second. On a GPU,
// where work-items advance together, such a loop shifts the rows, and so it does here
// (prepare/shift_barriers.c): in scalar code, in lanes, and with groups whose size the compiler doesn't know.
TEST(work_items_shift_local_memory_together)
{
    struct e2e t = e2e_open();
    enum { X = 16, Y = 8, WIDTH = 26, ROWS = 18, STEPS = 5, GROUPS = 3 };
    static const char source[] = "kernel void shift(global int *out, global const int *in, int steps)\n"
                                 "{\n"
                                 "    local int rows[18][26];\n"
                                 "    int x = get_local_id(0), y = get_local_id(1);\n"
                                 "    for (int r = y; r < 18; r += 8)\n"
                                 "        for (int c = x; c < 26; c += 16)\n"
                                 "            rows[r][c] = in[r * 26 + c] + (int)get_group_id(0);\n"
                                 "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                                 "    for (int step = 0; step < steps; step++) {\n"
                                 "        for (int i = y * 16 + x; i < 10 * 26; i += 128) {\n"
                                 "            int c = i % 26, r = i / 26;\n"
                                 "            rows[r][c] = rows[r + 8][c] * 3 + step;\n"
                                 "        }\n"
                                 "        barrier(CLK_LOCAL_MEM_FENCE);\n"
                                 "        if (x == 3) rows[10 + y][step] += rows[y][step + 1];\n"
                                 "        barrier(CLK_LOCAL_MEM_FENCE);\n"
                                 "    }\n"
                                 "    for (int i = y * 16 + x; i < 18 * 26; i += 128)\n"
                                 "        out[get_group_id(0) * 18 * 26 + i] = rows[i / 26][i % 26];\n"
                                 "}\n";
    static cl_int in[ROWS * WIDTH], out[GROUPS * ROWS * WIDTH];
    for (int i = 0; i < ROWS * WIDTH; i++)
        in[i] = i * i;
    cl_mem from = e2e_buffer(&t, sizeof in, in), to = e2e_buffer(&t, sizeof out, NULL);
    cl_kernel k = e2e_kernel(&t, source, "", "shift");
    const cl_int steps = STEPS;
    E2E_ARG(k, 0, to);
    E2E_ARG(k, 1, from);
    E2E_ARG(k, 2, steps);
    const size_t global[2] = {X * GROUPS, Y}, local[2] = {X, Y};
    for (int round = 0; round < 40; round++) // quick code, then better code
        CHECK_EQ(clEnqueueNDRangeKernel(t.queue, k, 2, NULL, global, local, 0, NULL, NULL), CL_SUCCESS);
    e2e_read(&t, to, sizeof out, out);
    for (int g = 0; g < GROUPS; g++) {
        cl_int rows[ROWS * WIDTH];
        for (int i = 0; i < ROWS * WIDTH; i++)
            rows[i] = in[i] + g;
        for (int step = 0; step < STEPS; step++) {
            // All iterations load from what is behind all earlier stores: the order of the elements.
            for (int i = 0; i < 10 * WIDTH; i++)
                rows[i] = (cl_int)((cl_uint)rows[i + 8 * WIDTH] * 3 + (cl_uint)step);
            for (int y = 0; y < Y; y++)
                rows[(10 + y) * WIDTH + step] =
                    (cl_int)((cl_uint)rows[(10 + y) * WIDTH + step] + (cl_uint)rows[y * WIDTH + step + 1]);
        }
        for (int i = 0; i < ROWS * WIDTH; i++)
            CHECK_EQ(out[g * ROWS * WIDTH + i], rows[i]);
    }
}
