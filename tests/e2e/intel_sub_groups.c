// cl_intel_subgroups, _char, _short and _long, in every version of the language. Shuffles and sums are
// compared with what the kernel computes itself, block reads and writes of buffers and images with single
// accesses.
// timeout: 600
#include "e2e.h"

#include <stdio.h>
#include <string.h>

enum { ITEMS = 64 }; // one group; a multiple of every sub-group size

static const char *const versions[] = {"", "-cl-std=CL1.2", "-cl-std=CL2.0", "-cl-std=CL3.0",
                                       "-cl-std=CLC++"};

// Runs kernel k. It counts errors in out[get_global_id(0)] and checked values in out[ITEMS + ...].
static void check_counts(struct e2e *t, cl_kernel k, cl_uint argument)
{
    cl_uint out[2 * ITEMS];
    const size_t local = ITEMS;
    memset(out, 0xff, sizeof out);
    cl_mem m = e2e_buffer(t, sizeof out, out);
    E2E_ARG(k, argument, m);
    e2e_run(t, k, ITEMS, &local);
    e2e_read(t, m, sizeof out, out);
    for (size_t i = 0; i < ITEMS; i++) {
        CHECK_EQ(out[i], 0);
        CHECK_GT(out[ITEMS + i], 0);
        CHECK_LT(out[ITEMS + i], 1000);
    }
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
}

#define WORDS                                                                   \
    "#if !defined(cl_intel_subgroups) || !defined(cl_intel_subgroups_char) || " \
    "!defined(cl_intel_subgroups_short) || !defined(cl_intel_subgroups_long)\n" \
    "#error not there\n"                                                        \
    "#endif\n"                                                                  \
    "#pragma OPENCL EXTENSION cl_intel_subgroups : enable\n"                    \
    "#define EXPECT(x) (wrong += !(x), seen++)\n"

TEST(shuffles_of_every_type)
{
    static const char source[] = WORDS
        "int same(const uchar *a, const uchar *b) {                              \n"
        "    for (uint i = 0; i < BYTES; i++) if (a[i] != b[i]) return 0;    \n"
        "    return 1;                                                           \n"
        "}                                                                       \n"
        "#define SAME(x) (want = (x), EXPECT(same((uchar *)&got, (uchar *)&want)))\n"
        "#define V(i) ((T)(3 + (i)))\n"
        "kernel void k(global uint *out) {\n"
        "    uint id = get_sub_group_local_id(), size = get_max_sub_group_size(), wrong = 0, seen = 0;\n"
        "    T v = V(id), w = V(id + 64), got, want;\n"
        "    got = intel_sub_group_shuffle(v, size - 1 - id);\n"
        "    SAME(V(size - 1 - id));\n"
        "    got = intel_sub_group_shuffle_xor(v, size / 2);\n"
        "    SAME(V(id ^ (size / 2)));\n"
        "    got = intel_sub_group_shuffle_down(v, w, 1u);\n"
        "    SAME(V(id + 1 < size ? id + 1 : 64));\n"
        "    got = intel_sub_group_shuffle_up(w, v, 1u);\n"
        "    SAME(V(id ? id - 1 : 64 + size - 1));\n"
        "    out[get_global_id(0)] = wrong;\n"
        "    out[64 + get_global_id(0)] = seen;\n"
        "}\n";
    static const char *const types[] = {"float",  "int",  "uint",  "char", "uchar", "short",
                                        "ushort", "long", "ulong", "half", "double"};
    enum { VECTORS = 7 }; // so many of the types have vectors
    static const char *const lengths[] = {"", "2", "3", "4", "8", "16"};
    struct e2e t = e2e_open();
    for (size_t type = 0; type < sizeof types / sizeof *types; type++) {
        for (size_t length = 0; length < (type < VECTORS ? sizeof lengths / sizeof *lengths : 1); length++) {
            if (type && length &&
                length !=
                    1 + type % 5) // one length for each type is enough: the functions are made by one macro
                continue;
            char options[128];
            snprintf(options, sizeof options, "%s -DT=%s%s -DBYTES=%s*sizeof(%s)",
                     versions[(type + length) % 4], types[type], lengths[length],
                     length ? lengths[length] : "1", types[type]);
            cl_kernel k = e2e_kernel(&t, source, options, "k");
            check_counts(&t, k, 0);
            CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
        }
    }
    e2e_close(&t);
}

TEST(sums_of_small_numbers)
{
    static const char source[] = WORDS
        "#define SMALL(T)                                                                    \\\n"
        "    EXPECT(intel_sub_group_broadcast((T)(id + 5), size - 1) == (T)(size + 4));      \\\n"
        "    EXPECT(intel_sub_group_reduce_add((T)3) == (T)(3 * size));                      \\\n"
        "    EXPECT(intel_sub_group_reduce_min((T)(id + 7)) == 7);                           \\\n"
        "    EXPECT(intel_sub_group_reduce_max((T)(id + 7)) == (T)(size + 6));               \\\n"
        "    EXPECT(intel_sub_group_scan_exclusive_add((T)2) == (T)(2 * id));                \\\n"
        "    EXPECT(intel_sub_group_scan_inclusive_add((T)2) == (T)(2 * id + 2));            \\\n"
        "    EXPECT(intel_sub_group_scan_inclusive_min((T)(90 - id)) == (T)(90 - id));       \\\n"
        "    EXPECT(intel_sub_group_scan_inclusive_max((T)(90 - id)) == 90);                 \\\n"
        "    EXPECT(intel_sub_group_scan_exclusive_max((T)0) == 0 || !id);                    \\\n"
        "    EXPECT(intel_sub_group_scan_exclusive_min((T)9) == 9 || !id);\n"
        "kernel void k(global uint *out) {\n"
        "    uint id = get_sub_group_local_id(), size = get_sub_group_size(), wrong = 0, seen = 0;\n"
        "    SMALL(char) SMALL(uchar) SMALL(short) SMALL(ushort)\n"
        "    EXPECT(sub_group_reduce_add(2.5f) == 2.5f * size);\n"
        "    EXPECT(sub_group_scan_inclusive_add(2l) == 2 * (long)id + 2);\n"
        "    EXPECT(sub_group_broadcast((double)id, 0) == 0 && sub_group_all(1) && !sub_group_any(0));\n"
        "    sub_group_barrier(CLK_GLOBAL_MEM_FENCE);\n"
        "    EXPECT(get_sub_group_id() * get_max_sub_group_size() + id == get_local_id(0));\n"
        "    EXPECT(get_num_sub_groups() * size == 64);\n"
        "    out[get_global_id(0)] = wrong;\n"
        "    out[64 + get_global_id(0)] = seen;\n"
        "}\n";
    for (size_t v = 0; v < sizeof versions / sizeof *versions; v++) {
        struct e2e t = e2e_open();
        cl_kernel k = e2e_kernel(&t, source, versions[v], "k");
        check_counts(&t, k, 0);
        CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
        e2e_close(&t);
    }
}

// F(suffix of the function, type of a block, type of an element, number of elements)
#define BLOCKS                                                                               \
    "#define BLOCKS(F) F(, uint, uint, 1) F(2, uint2, uint, 2) F(4, uint4, uint, 4) F(8, "   \
    "uint8, uint, 8) F(_ui, uint, uint, 1) F(_ui2, uint2, uint, 2) F(_ui4, uint4, uint, 4) " \
    "F(_ui8, uint8, uint, 8) F(_us, ushort, ushort, 1) F(_us2, ushort2, ushort, 2) F(_us4, " \
    "ushort4, ushort, 4) F(_us8, ushort8, ushort, 8) F(_us16, ushort16, ushort, 16) F(_uc, " \
    "uchar, uchar, 1) F(_uc2, uchar2, uchar, 2) F(_uc4, uchar4, uchar, 4) F(_uc8, uchar8, "  \
    "uchar, 8) F(_uc16, uchar16, uchar, 16) F(_ul, ulong, ulong, 1) F(_ul2, ulong2, ulong, " \
    "2) F(_ul4, ulong4, ulong, 4) F(_ul8, ulong8, ulong, 8)\n"

TEST(blocks_of_buffers)
{
    enum { BYTES = ITEMS * 64 }; // the largest block of a group
    static const char source[] =
        WORDS BLOCKS "#define BLOCK(ending, T, t, n) {                                             \\\n"
                     "    uint at = get_sub_group_id() * size * n;                                 \\\n"
                     "    T v = intel_sub_group_block_read##ending((const global t *)in + at);     \\\n"
                     "    for (uint c = 0; c < n; c++)                                             \\\n"
                     "        EXPECT(((t *)&v)[c] == ((const global t *)in)[at + id + c * size]);  \\\n"
                     "    intel_sub_group_block_write##ending((global t *)copy + at, v);           \\\n"
                     "    barrier(CLK_GLOBAL_MEM_FENCE);                                           \\\n"
                     "    for (uint c = 0; c < n; c++) {                                           \\\n"
                     "        global t *there = (global t *)copy + at + id + c * size;             \\\n"
                     "        EXPECT(*there == ((t *)&v)[c]);                                      \\\n"
                     "        *there = 0;                                                          \\\n"
                     "    }                                                                        \\\n"
                     "    barrier(CLK_GLOBAL_MEM_FENCE);                                           \\\n"
                     "}\n"
                     "kernel void k(global const uchar *in, global uchar *copy, global uint *out) {\n"
                     "    uint id = get_sub_group_local_id(), size = get_max_sub_group_size();\n"
                     "    uint wrong = 0, seen = 0;\n"
                     "    BLOCKS(BLOCK)\n"
                     "    out[get_global_id(0)] = wrong;\n"
                     "    out[64 + get_global_id(0)] = seen;\n"
                     "}\n";
    unsigned char in[BYTES], copy[BYTES] = {0};
    for (size_t i = 0; i < BYTES; i++)
        in[i] = (unsigned char)(i * 167 / 3 + 1);
    for (size_t v = 1; v < 4; v += 2) {
        struct e2e t = e2e_open();
        cl_kernel k = e2e_kernel(&t, source, versions[v], "k");
        cl_mem a = e2e_buffer(&t, BYTES, in), b = e2e_buffer(&t, BYTES, copy);
        E2E_ARG(k, 0, a);
        E2E_ARG(k, 1, b);
        check_counts(&t, k, 2);
        CHECK_EQ(clReleaseMemObject(a), CL_SUCCESS);
        CHECK_EQ(clReleaseMemObject(b), CL_SUCCESS);
        CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
        e2e_close(&t);
    }
}

// ---- Images ----

enum { WIDTH = 150, HEIGHT = 23 }; // in texels of four bytes

static cl_uint texel(int x, int y)
{
    return (cl_uint)x * 2654435761u ^ (cl_uint)y * 2246822519u;
}

static cl_mem image(struct e2e *t, const void *texels)
{
    const cl_image_format format = {CL_R, CL_UNSIGNED_INT32};
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = HEIGHT};
    cl_int error = 1;
    void *host = (void *)(uintptr_t)texels;
    cl_mem m = clCreateImage(t->context, CL_MEM_COPY_HOST_PTR, &format, &desc, host, &error);
    CHECK_EQ(error, CL_SUCCESS);
    return m;
}

// Blocks within the image, across its edges and outside of it. With an element size other than the texel
// size, only reads within the image and at the ends of rows.
TEST(blocks_of_images_are_read)
{
    static const char source[] =
        WORDS BLOCKS "uint texel(int x, int y) {\n"
                     "    x = clamp(x, 0, W - 1);\n"
                     "    y = clamp(y, 0, H - 1);\n"
                     "    return (uint)x * 2654435761u ^ (uint)y * 2246822519u;\n"
                     "}\n"
                     "uint byte_of(int b, int y) { return texel(b / 4, y) >> 8 * (b % 4) & 0xff; }\n"
                     "#define BLOCK(ending, T, t, n) {                                             \\\n"
                     "    int2 at = (int2)(x, y);                                                  \\\n"
                     "    T v = intel_sub_group_block_read##ending(in, at);                        \\\n"
                     "    int first = add_sat(at.x, (int)(id * sizeof(t)));                        \\\n"
                     "    if (sizeof(t) == 4 && at.x % 4 == 0)                                     \\\n"
                     "        for (int c = 0; c < n; c++)                                          \\\n"
                     "            EXPECT(((t *)&v)[c] == (t)texel(first >> 2, add_sat(at.y, c)));  \\\n"
                     "    else if (first >= 0 && first <= W * 4 - (int)sizeof(t))                  \\\n"
                     "        for (int b = 0; b < n * (int)sizeof(t); b++)                         \\\n"
                     "            EXPECT(((uchar *)&v)[b] == byte_of(first + b % (int)sizeof(t),   \\\n"
                     "                                               at.y + b / (int)sizeof(t)));  \\\n"
                     "}\n"
                     "kernel void k(read_only image2d_t in, int x, int y, global uint *out) {\n"
                     "    uint id = get_sub_group_local_id(), wrong = 0, seen = 0;\n"
                     "    BLOCKS(BLOCK)\n"
                     "    out[get_global_id(0)] = wrong;\n"
                     "    out[64 + get_global_id(0)] = seen;\n"
                     "}\n";
    static const cl_int places[][2] = {
        {0, 0},          {16, 3},        {61, 2},      {WIDTH * 4 - 32, 1}, {-8, 4},
        {40, -3},        {400, 17},      {36, HEIGHT}, {-100000, -100000},  {100000, 100000},
        {0x7ffffff0, 0}, {0, 0x7ffffff0}};
    static cl_uint texels[HEIGHT][WIDTH];
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            texels[y][x] = texel(x, y);
    char options[64];
    struct e2e t = e2e_open();
    snprintf(options, sizeof options, "-DW=%d -DH=%d", WIDTH, HEIGHT);
    cl_kernel k = e2e_kernel(&t, source, options, "k");
    cl_mem m = image(&t, texels);
    E2E_ARG(k, 0, m);
    for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
        E2E_ARG(k, 1, places[p][0]);
        E2E_ARG(k, 2, places[p][1]);
        check_counts(&t, k, 3);
    }
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    e2e_close(&t);
}

// The expected image after a block write of `lines` elements of `bytes` each by `lanes` work-items. The
// element of work-item i in line c consists of bytes 16 i + c + 1.
static void write_block(unsigned char *texels, int x, int y, int lines, int bytes, int lanes)
{
    for (int c = 0; c < lines; c++)
        for (int i = 0; i < lanes; i++) {
            int first = x + i * bytes;
            if (first < 0 || first > WIDTH * 4 - bytes || y + c < 0 || y + c >= HEIGHT)
                continue;
            memset(texels + (y + c) * WIDTH * 4 + first, 16 * i + c + 1, (size_t)bytes);
        }
}

TEST(blocks_of_images_are_written)
{
    static const char source[] =
        WORDS "#define WRITE(ending, T, t, n, ones) {                                              \\\n"
              "    T v;                                                                            \\\n"
              "    for (int c = 0; c < n; c++)                                                     \\\n"
              "        ((t *)&v)[c] = (t)ones * (uchar)(16 * id + c + 1);                          \\\n"
              "    intel_sub_group_block_write##ending(out, at, v);                                \\\n"
              "}\n"
              "kernel void k(write_only image2d_t out, int2 at, int kind, global uint *size) {\n"
              "    uint id = get_sub_group_local_id();\n"
              "    *size = get_max_sub_group_size();\n"
              "    if (kind == 0) WRITE(, uint, uint, 1, 0x01010101u)\n"
              "    if (kind == 1) WRITE(8, uint8, uint, 8, 0x01010101u)\n"
              "    if (kind == 2) WRITE(_us4, ushort4, ushort, 4, 0x0101)\n"
              "    if (kind == 3) WRITE(_uc16, uchar16, uchar, 16, 1)\n"
              "    if (kind == 4) WRITE(_ul2, ulong2, ulong, 2, 0x0101010101010101ul)\n"
              "}\n";
    static const int kinds[][2] = {{1, 4}, {8, 4}, {4, 2}, {16, 1}, {2, 8}}; // lines, bytes
    static const cl_int2 places[] = {{{0, 0}},   {{64, 9}},         {{WIDTH * 4 - 24, 2}}, {{-8, 5}},
                                     {{40, -1}}, {{8, HEIGHT - 1}}, {{100000, 3}},         {{0, -100000}}};
    static unsigned char before[HEIGHT * WIDTH * 4], want[sizeof before], got[sizeof before];
    struct e2e t = e2e_open();
    cl_kernel k = e2e_kernel(&t, source, "", "k");
    cl_uint size = 0;
    cl_mem m = e2e_buffer(&t, sizeof size, NULL);
    E2E_ARG(k, 3, m);
    for (cl_int kind = 0; kind < 5; kind++) {
        for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
            memset(before, 0xee, sizeof before);
            cl_mem im = image(&t, before);
            E2E_ARG(k, 0, im);
            E2E_ARG(k, 1, places[p]);
            E2E_ARG(k, 2, kind);
            const size_t local = ITEMS;
            e2e_run(&t, k, ITEMS, &local); // all sub-groups write the same values
            e2e_read(&t, m, sizeof size, &size);
            memcpy(want, before, sizeof want);
            write_block(want, places[p].s[0], places[p].s[1], kinds[kind][0], kinds[kind][1], (int)size);
            const size_t origin[3] = {0}, region[3] = {WIDTH, HEIGHT, 1};
            CHECK_EQ(clEnqueueReadImage(t.queue, im, CL_TRUE, origin, region, 0, 0, got, 0, NULL, NULL),
                     CL_SUCCESS);
            if (memcmp(got, want, sizeof got) != 0) {
                size_t at = 0;
                while (got[at] == want[at])
                    at++;
                FAIL("kind %d at (%d, %d): byte %zu of row %zu is %d, not %d", kind, places[p].s[0],
                     places[p].s[1], at % (WIDTH * 4), at / (WIDTH * 4), got[at], want[at]);
            }
            CHECK_EQ(clReleaseMemObject(im), CL_SUCCESS);
        }
    }
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    e2e_close(&t);
}

TEST(a_program_may_have_functions_of_these_names)
{
    struct e2e t = e2e_open();
    cl_kernel k = e2e_kernel(&t,
                             "uint get_sub_group_id(void) { return 70; }\n"
                             "int intel_sub_group_shuffle(int a, int b) { return a + b; }\n"
                             "kernel void k(global uint *p) { p[0] = get_sub_group_id() + "
                             "intel_sub_group_shuffle(3, 4); }\n",
                             "", "k");
    cl_uint got = 0;
    cl_mem m = e2e_buffer(&t, sizeof got, &got);
    E2E_ARG(k, 0, m);
    e2e_run(&t, k, 1, NULL);
    e2e_read(&t, m, sizeof got, &got);
    CHECK_EQ(got, 77);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    e2e_close(&t);
}
