// cl_khr_spirv_queries: for each capability and extension that is reported, a module declares it and uses it;
// here, or in programs.c, subgroup_dispatch.c and named_barriers.c.
// timeout: 180
// env: WEFT_CACHE=0
#include "spirv.h"

#include <CL/cl_ext.h>

#include "weft/cl_ext_weft.h"

#include <math.h>

// Those that tests here and in programs.c, dispatch.c and named_barriers.c run.
static const char *const modules[] = {
    "blocks", "constants", "dispatch", "enqueue",      "floats", "groups", "named_barriers", "image",
    "images", "newer",     "pipes",    "pipe_storage", "saxpy",  "types",  "values",         "wrapped"};

// The instructions of all modules with this opcode, one after the other: calls f with their operands.
static void for_each(unsigned opcode, void (*f)(const cl_uint *operands, size_t count, void *arg), void *arg)
{
    for (size_t m = 0; m < sizeof modules / sizeof *modules; m++) {
        const struct module *read = read_module(modules[m]);
        static cl_uint words[sizeof read->bytes / sizeof(cl_uint)];
        memcpy(words, read->bytes, read->size);
        for (size_t at = 5; at < read->size / sizeof *words; at += words[at] >> 16) {
            CHECK_GT(words[at] >> 16, 0);
            if ((words[at] & 0xffff) == opcode)
                f(words + at + 1, (words[at] >> 16) - 1, arg);
        }
    }
}

struct search {
    cl_uint number;
    const char *name;
    bool found;
};

static void note_capability(const cl_uint *operands, size_t count, void *arg)
{
    struct search *s = arg;
    s->found |= count == 1 && operands[0] == s->number;
}

static void note_extension(const cl_uint *operands, size_t count, void *arg)
{
    struct search *s = arg;
    s->found |= count * sizeof *operands > strlen(s->name) && strcmp((const char *)operands, s->name) == 0;
}

TEST(every_reported_capability_is_used_by_a_module)
{
    struct e2e t = e2e_open();
    cl_uint capabilities[128];
    const char *names[64];
    size_t size = 0;
    CHECK_EQ(
        clGetDeviceInfo(t.device, CL_DEVICE_SPIRV_CAPABILITIES_KHR, sizeof capabilities, capabilities, &size),
        CL_SUCCESS);
    CHECK_GT(size, 20 * sizeof *capabilities);
    for (size_t i = 0; i < size / sizeof *capabilities; i++) {
        struct search s = {.number = capabilities[i]};
        for_each(17, note_capability, &s);
        if (!s.found)
            FAIL("no module declares capability %u", capabilities[i]);
        for (size_t k = 0; k < i; k++)
            CHECK(capabilities[k] != capabilities[i]);
    }
    CHECK_EQ(clGetDeviceInfo(t.device, CL_DEVICE_SPIRV_EXTENSIONS_KHR, sizeof names, names, &size),
             CL_SUCCESS);
    CHECK_GT(size, 5 * sizeof *names);
    for (size_t i = 0; i < size / sizeof *names; i++) {
        struct search s = {.name = names[i]};
        for_each(10, note_extension, &s);
        if (!s.found)
            FAIL("no module declares %s", names[i]);
    }
    CHECK_EQ(
        clGetDeviceInfo(t.device, CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS_KHR, sizeof names, names, &size),
        CL_SUCCESS);
    CHECK_EQ(size, sizeof *names);
    CHECK_STR(names[0], "OpenCL.std");
    e2e_close(&t);
}

// The module's kernel of that name; other arguments than buffers are the caller's.
static cl_kernel kernel_of(struct e2e *t, const char *module, const char *name)
{
    cl_program p = new_il(t, read_module(module));
    build(t, p, "");
    cl_int error = 1;
    cl_kernel k = clCreateKernel(p, name, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    return k;
}

TEST(types_and_atomics)
{
    struct e2e t = e2e_open();
    cl_kernel k = kernel_of(&t, "types", "types");
    const cl_ulong big = 10000000000;
    cl_ulong out[5] = {7, 5, ~(cl_ulong)0, 1, 7};
    float f[3] = {2.0f, 3.0f, -1.0f};
    double d[3] = {0.5, 0.25, 1e300};
    cl_half h[4] = {0x3e00, 0xc100, 0x1234, 0}; // 1.5, -2.5
    cl_uint v[16], b[5] = {0x80f31e05, 0, 0, 0, 0};
    for (cl_uint i = 0; i < 16; i++)
        v[i] = i + 1;
    cl_mem m[6] = {e2e_buffer(&t, sizeof out, out), e2e_buffer(&t, sizeof f, f), e2e_buffer(&t, sizeof d, d),
                   e2e_buffer(&t, sizeof h, h),     e2e_buffer(&t, sizeof v, v), e2e_buffer(&t, sizeof b, b)};
    for (cl_uint i = 0; i < 6; i++)
        E2E_ARG(k, i, m[i]);
    const cl_uint bits = b[0];
    e2e_run(&t, k, 1, NULL);
    e2e_read(&t, m[0], sizeof out, out);
    const cl_ulong want[5] = {big + 7, big, ~(cl_ulong)0, 7, big};
    for (int i = 0; i < 5; i++)
        CHECK_EQ(out[i], want[i]);
    e2e_read(&t, m[1], sizeof f, f);
    CHECK_EQ(f[0] == 3.5f && f[1] == 1.5f && f[2] == 1.5f, true);
    e2e_read(&t, m[2], sizeof d, d);
    CHECK_EQ(d[0] == 2.75 && d[1] == 0.25 && d[2] == 1e300, true);
    e2e_read(&t, m[3], sizeof h, h);
    CHECK_EQ(h[0], 0x4000); // 2
    CHECK_EQ(h[1], 0xc100);
    CHECK_EQ(h[2], 0xc380); // -2.5 * 1.5
    e2e_read(&t, m[4], sizeof v, v);
    for (cl_uint i = 0; i < 16; i++)
        CHECK_EQ(v[i], (16 - i) * (16 - i));
    e2e_read(&t, m[5], sizeof b, b);
    CHECK_EQ(b[0], 0xa078cf01);
    CHECK_EQ(b[1], (bits & ~(cl_uint)0x7f8) | 5 << 3);
    CHECK_EQ(b[2], (cl_uint)((cl_int)(bits << 19) >> 27));
    CHECK_EQ(b[3], bits >> 8 & 0xffff);
    CHECK_EQ(b[4], (cl_uint)__builtin_popcount(bits));
    for (int i = 0; i < 6; i++)
        CHECK_EQ(clReleaseMemObject(m[i]), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    e2e_close(&t);
}

TEST(denormal_numbers_are_kept_and_sums_rounded_to_even)
{
    struct e2e t = e2e_open();
    cl_kernel k = kernel_of(&t, "floats", "floats");
    float f[2][2] = {{0x1p-149f, 0x1p-148f}, {0x1.000002p0f, 0x1p-24f}};
    double d[2][2] = {{0x1p-1074, 0x1p-1073}, {0x1.0000000000001p0, 0x1p-53}};
    cl_half h[2][2] = {{0x0001, 0x0002}, {0x8000, 0x8000}};
    const float fs[2] = {3 * 0x1p-149f, 0x1.000004p0f};
    const double ds[2] = {3 * 0x1p-1074, 0x1.0000000000002p0};
    const cl_half hs[2] = {0x0003, 0x8000};
    for (int i = 0; i < 2; i++) {
        cl_mem m[3] = {e2e_buffer(&t, sizeof f[i], f[i]), e2e_buffer(&t, sizeof d[i], d[i]),
                       e2e_buffer(&t, sizeof h[i], h[i])};
        for (cl_uint a = 0; a < 3; a++)
            E2E_ARG(k, a, m[a]);
        e2e_run(&t, k, 1, NULL);
        e2e_read(&t, m[0], sizeof f[i], f[i]);
        e2e_read(&t, m[1], sizeof d[i], d[i]);
        e2e_read(&t, m[2], sizeof h[i], h[i]);
        CHECK_MEM(&f[i][0], &fs[i], sizeof fs[i]);
        CHECK_MEM(&d[i][0], &ds[i], sizeof ds[i]);
        CHECK_EQ(h[i][0], hs[i]);
        CHECK_EQ(f[i][1] == (i ? 0x1.000002p0f : 0x1p-148f), true);
        CHECK_EQ(d[i][1] == (i ? 0x1p-53 : 0x1p-1074), true);
        for (int a = 0; a < 3; a++)
            CHECK_EQ(clReleaseMemObject(m[a]), CL_SUCCESS);
    }
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    e2e_close(&t);
}

// How many work-items the sub-groups of groups of this size have.
static size_t sub_group_size(struct e2e *t, cl_kernel k, cl_uint dimensions, const size_t *local)
{
    size_t size = 0;
    CHECK_EQ(clGetKernelSubGroupInfo(k, t->device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE,
                                     dimensions * sizeof *local, local, sizeof size, &size, NULL),
             CL_SUCCESS);
    return size;
}

// What the rows of the module's results hold for the work-item, whose sub-group is x[first] to x[first + size
// - 1]. Some name a lane up to 3, or clusters of 4: a smaller sub-group may give them anything.
static void check_rows(cl_uint (*out)[64], const cl_uint *x, size_t first, size_t size, size_t item)
{
    const size_t lane = item - first;
    cl_uint all = 0, most = 0, odd = 0, odd_before = 0, sum = 0, cluster = 0;
    for (size_t i = 0; i < 64; i++)
        all += x[i];
    for (size_t i = 0; i < size; i++) {
        odd += x[first + i] & 1;
        if (i < lane && x[first + i] > most)
            most = x[first + i];
        if (i <= lane) {
            odd_before += x[first + i] & 1;
            sum += x[first + i];
        }
        if (i / 4 == lane / 4)
            cluster += x[first + i];
    }
    const cl_uint want[16] = {all,
                              most,
                              odd != 0,
                              lane == 0,
                              odd == 0 || odd == size,
                              sum,
                              odd_before,
                              x[first],
                              x[first + 2],
                              x[first + (lane ^ 3)],
                              x[item],
                              cluster,
                              x[first + (lane + 1) % size],
                              x[first + lane / 4 * 4 + (lane + 3) % 4],
                              x[first + 3],
                              x[3]};
    for (size_t r = 0; r < 16; r++) {
        if (r == 10 && (lane == 0 || lane == size - 1)) // what comes from outside is anything
            continue;
        if (size < 4 && (r == 8 || r == 9 || r == 11 || r == 13 || r == 14))
            continue;
        if (out[r][item] != want[r])
            FAIL("row %zu, work-item %zu: %u, not %u", r, item, out[r][item], want[r]);
    }
}

static void run_groups(size_t most)
{
    struct e2e t = e2e_open();
    cl_kernel k = kernel_of(&t, "groups", "groups");
    const size_t local = 64;
    const size_t size = sub_group_size(&t, k, 1, &local);
    CHECK_GE(size, 1);
    CHECK_LE(size, most);
    cl_uint x[64 + 3] = {0}, out[16][64]; // the last lanes' neighbours can be named
    for (cl_uint i = 0; i < 64; i++)
        x[i] = i * 2654435761u >> 20;
    cl_mem a = e2e_buffer(&t, sizeof out, NULL), b = e2e_buffer(&t, sizeof x, x);
    E2E_ARG(k, 0, a);
    E2E_ARG(k, 1, b);
    e2e_run(&t, k, 64, &local);
    e2e_read(&t, a, sizeof out, out);
    for (size_t i = 0; i < 64; i++)
        check_rows(out, x, i / size * size, size, i);
    CHECK_EQ(clReleaseMemObject(a), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(b), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    e2e_close(&t);
}

TEST(groups_and_sub_groups)
{
    run_groups(64);
}

TEST(sub_groups_of_one)
{
    CHECK_EQ(setenv("WEFT_VF", "1", 1), 0);
    run_groups(1);
}

TEST(sub_groups_of_two)
{
    CHECK_EQ(setenv("WEFT_VF", "2", 1), 0);
    run_groups(2);
}

TEST(broadcasts_take_indices_of_any_width)
{
    struct e2e t = e2e_open();
    cl_kernel k = kernel_of(&t, "broadcast", "broadcast");
    const size_t local[3] = {4, 4, 4};
    cl_uint out[6][64];
    cl_mem m = e2e_buffer(&t, sizeof out, NULL);
    E2E_ARG(k, 0, m);
    CHECK_EQ(clEnqueueNDRangeKernel(t.queue, k, 3, NULL, local, local, 0, NULL, NULL), CL_SUCCESS);
    e2e_read(&t, m, sizeof out, out);
    const cl_uint want[6] = {3, 1 * 4 + 2, 1 * 4 + 2, 2 * 4 + 1, 2, 3};
    // The last two rows name lanes of the sub-group, which may have fewer.
    const int rows = sub_group_size(&t, k, 3, local) < 4 ? 4 : 6;
    for (int r = 0; r < rows; r++)
        for (int i = 0; i < 64; i++)
            CHECK_EQ(out[r][i], want[r]);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    e2e_close(&t);
}

static cl_mem new_image(struct e2e *t, cl_image_desc desc, cl_mem_flags flags, cl_channel_type type)
{
    const cl_image_format format = {CL_RGBA, type};
    cl_int error = 1;
    cl_mem m = clCreateImage(t->context, flags, &format, &desc, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    return m;
}

static void write_texel(struct e2e *t, cl_mem image, size_t x, size_t y, size_t level, cl_int value)
{
    const size_t origin[3] = {x, y, level}, region[3] = {1, 1, 1};
    const cl_int texel[4] = {value, value + 1, value + 2, -value};
    CHECK_EQ(clEnqueueWriteImage(t->queue, image, CL_TRUE, origin, region, 0, 0, texel, 0, NULL, NULL),
             CL_SUCCESS);
}

static void check_texel(struct e2e *t, cl_mem image, size_t x, size_t y, size_t level, cl_int first)
{
    const size_t origin[3] = {x, y, level}, region[3] = {1, 1, 1};
    cl_int texel[4];
    CHECK_EQ(clEnqueueReadImage(t->queue, image, CL_TRUE, origin, region, 0, 0, texel, 0, NULL, NULL),
             CL_SUCCESS);
    CHECK_EQ(texel[0], first);
    CHECK_EQ(texel[3], -first);
}

// The module with the operand Nontemporal of SPIR-V 1.6 on each access of an image.
static void hint_images(struct module *m)
{
    static struct module hinted;
    const uint32_t *from = (const uint32_t *)m->bytes, nontemporal = 0x4000;
    uint32_t *to = (uint32_t *)hinted.bytes;
    size_t count = m->size / 4, made = 5;
    memcpy(to, from, 20);
    for (size_t at = 5, n; at < count; at += n) {
        n = from[at] >> 16;
        memcpy(to + made, from + at, 4 * n);
        const uint32_t op = from[at] & 0xffff, mask = op == 99 ? 4 : 5;
        if (op == 88 || op == 95 || op == 98 || op == 99) {
            to[made + mask] = nontemporal | (n > mask ? from[at + mask] : 0);
            if (n == mask) {
                to[made] += 1u << 16;
                made++;
            }
        }
        made += n;
    }
    hinted.size = 4 * made;
    *m = hinted;
}

static void check_images(bool hinted)
{
    struct e2e t = e2e_open();
    static struct module module;
    module = *read_module("images");
    if (hinted)
        hint_images(&module);
    cl_program program = new_il(&t, &module);
    build(&t, program, "");
    cl_kernel k = clCreateKernel(program, "images", NULL);
    CHECK(k);
    CHECK_EQ(clReleaseProgram(program), CL_SUCCESS);
    cl_int texels[4][4] = {{0}, {0}, {70, 71, 72, -70}, {0}}, out[6][4];
    cl_mem memory = e2e_buffer(&t, sizeof texels, texels), o = e2e_buffer(&t, sizeof out, NULL);
    const cl_image_desc line = {.image_type = CL_MEM_OBJECT_IMAGE1D, .image_width = 4},
                        table = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER,
                                 .image_width = 4,
                                 .buffer = memory},
                        plane = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4},
                        levels = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                                  .image_width = 4,
                                  .image_height = 4,
                                  .num_mip_levels = 2};
    cl_mem image[8] = {new_image(&t, line, CL_MEM_READ_ONLY, CL_SIGNED_INT32),
                       new_image(&t, table, CL_MEM_READ_ONLY, CL_SIGNED_INT32),
                       new_image(&t, plane, CL_MEM_READ_WRITE, CL_SIGNED_INT32),
                       new_image(&t, levels, CL_MEM_READ_ONLY, CL_SIGNED_INT32),
                       o,
                       new_image(&t, levels, CL_MEM_READ_ONLY, CL_UNSIGNED_INT32),
                       new_image(&t, levels, CL_MEM_WRITE_ONLY, CL_SIGNED_INT32),
                       new_image(&t, levels, CL_MEM_WRITE_ONLY, CL_UNSIGNED_INT32)};
    write_texel(&t, image[0], 2, 0, 0, 50);
    write_texel(&t, image[2], 1, 2, 0, 90);
    write_texel(&t, image[3], 0, 0, 1, 110);
    write_texel(&t, image[3], 1, 0, 1, 130);
    write_texel(&t, image[5], 1, 0, 1, 150);
    for (cl_uint i = 0; i < 8; i++)
        E2E_ARG(k, i, image[i]);
    e2e_run(&t, k, 1, NULL);
    e2e_read(&t, o, sizeof out, out);
    for (cl_int i = 0; i < 6; i++) {
        const cl_int first = 50 + 20 * i, want[4] = {first, first + 1, first + 2, -first};
        for (int c = 0; c < 4; c++)
            CHECK_EQ(out[i][c], want[c]);
    }
    check_texel(&t, image[2], 1, 2, 0, 180);
    check_texel(&t, image[6], 1, 0, 1, 180);
    check_texel(&t, image[7], 1, 0, 1, 180);
    for (int i = 0; i < 8; i++)
        CHECK_EQ(clReleaseMemObject(image[i]), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(memory), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    e2e_close(&t);
}

TEST(images_of_every_kind)
{
    check_images(false);
}

// Translators before version 21 don't know it.
TEST(images_with_hints)
{
    check_images(true);
}

TEST(pipes_carry_packets)
{
    enum { COUNT = 32 };
    struct e2e t = e2e_open();
    cl_kernel puts = kernel_of(&t, "pipes", "puts"), gets = kernel_of(&t, "pipes", "gets");
    cl_int error = 1;
    cl_mem pipe = clCreatePipe(t.context, 0, 4, COUNT, NULL, &error), m = e2e_buffer(&t, COUNT * 4, NULL);
    CHECK_EQ(error, CL_SUCCESS);
    cl_uint out[COUNT];
    E2E_ARG(puts, 0, pipe);
    E2E_ARG(puts, 1, m);
    e2e_run(&t, puts, COUNT, NULL);
    e2e_read(&t, m, sizeof out, out);
    for (int i = 0; i < COUNT; i++)
        CHECK_EQ(out[i], 0);
    E2E_ARG(gets, 0, pipe);
    E2E_ARG(gets, 1, m);
    e2e_run(&t, gets, COUNT, NULL);
    e2e_read(&t, m, sizeof out, out);
    cl_uint seen = 0;
    for (int i = 0; i < COUNT; i++) {
        CHECK_EQ(out[i] % 7, 0);
        CHECK_LT(out[i] / 7, COUNT);
        seen |= 1u << out[i] / 7;
    }
    CHECK_EQ(seen, 0xffffffff);
    CHECK_EQ(clReleaseMemObject(pipe), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(puts), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(gets), CL_SUCCESS);
    e2e_close(&t);
}

// Runs the kernel over COUNT work-items and reads what they wrote.
static void run_over(struct e2e *t, cl_program p, const char *name, size_t count, cl_uint *out)
{
    cl_kernel k = new_kernel(p, name);
    cl_mem m = e2e_buffer(t, count * sizeof *out, NULL);
    E2E_ARG(k, 0, m);
    e2e_run(t, k, count, NULL);
    e2e_read(t, m, count * sizeof *out, out);
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
}

static size_t count_of(const cl_uint *out, size_t n, cl_uint value)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += out[i] == value;
    return count;
}

// 1 for each of the numbers 7 * i that is among them.
static cl_uint packets_of(const cl_uint *out, size_t n)
{
    cl_uint seen = 0;
    for (size_t i = 0; i < n; i++)
        if (out[i] != CL_UINT_MAX) {
            CHECK_EQ(out[i] % 7, 0);
            CHECK_LT(out[i] / 7, 32);
            CHECK(!(seen >> out[i] / 7 & 1));
            seen |= 1u << out[i] / 7;
        }
    return seen;
}

// What one kernel wrote another reads; a program built of the same module has pipes of its own.
TEST(pipes_of_the_program_keep_packets_between_kernels)
{
    enum { COUNT = 32, MAX_PACKETS = 10, MAX_LARGE_PACKETS = 3 };
    struct e2e t = e2e_open();
    cl_uint out[COUNT];
    cl_program p[2];
    for (int i = 0; i < 2; i++) {
        p[i] = new_il(&t, read_module("pipe_storage"));
        build(&t, p[i], "");
    }
    for (int round = 0; round < 5; round++) { // the positions of their packets wrap around
        run_over(&t, p[0], "fill", COUNT, out);
        CHECK_EQ(count_of(out, COUNT, 0), MAX_PACKETS);
        run_over(&t, p[1], "drain", COUNT, out);
        CHECK_EQ(count_of(out, COUNT, CL_UINT_MAX), COUNT);
        run_over(&t, p[0], "drains", COUNT, out);
        CHECK_EQ(count_of(out, COUNT, CL_UINT_MAX), COUNT);
        run_over(&t, p[0], "drain", COUNT, out);
        CHECK_EQ(__builtin_popcount(packets_of(out, COUNT)), MAX_PACKETS);
        CHECK_EQ(count_of(out, COUNT, CL_UINT_MAX), COUNT - MAX_PACKETS);
        run_over(&t, p[0], "fills", COUNT, out);
        CHECK_EQ(count_of(out, COUNT, 0), MAX_LARGE_PACKETS);
        run_over(&t, p[0], "drains", COUNT, out);
        CHECK_EQ(__builtin_popcount(packets_of(out, COUNT)), MAX_LARGE_PACKETS);
    }
    for (int i = 0; i < 2; i++)
        CHECK_EQ(clReleaseProgram(p[i]), CL_SUCCESS);
    e2e_close(&t);
}

TEST(pipes_of_impossible_sizes_fail_the_build)
{
    static const cl_uint bad[][2] = {{0, 10}, {4, 0}, {4, 1 << 28}, {CL_UINT_MAX, CL_UINT_MAX}, {1 << 26, 1}};
    struct e2e t = e2e_open();
    for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
        struct module m = *read_module("pipe_storage");
        cl_uint words[sizeof m.bytes / 4];
        memcpy(words, m.bytes, m.size);
        for (size_t at = 5; at < m.size / 4; at += words[at] >> 16)
            if ((words[at] & 0xffff) == 323) { // OpConstantPipeStorage: size, alignment, capacity
                words[at + 3] = bad[b][0];
                words[at + 5] = bad[b][1];
            }
        memcpy(m.bytes, words, m.size);
        cl_program p = new_il(&t, &m);
        CHECK_EQ(clBuildProgram(p, 0, NULL, "", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
        CHECK_CONTAINS(e2e_log(&t, p), "error: the module has a pipe of ");
        CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    }
    e2e_close(&t);
}
