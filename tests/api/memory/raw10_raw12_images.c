// cl_ext_image_raw10_raw12: images whose texels of 10 or 12 bits share bytes. Who may have them, and what
// kernels read. Commands move whole groups of texels, and a region begins and ends with a group.
#include "api/program_fixture.h"
#include "api/queue_fixture.h"

#include "api/command_buffer/command_buffer_fixture.h"

enum { W = 24, H = 5 };

struct raw {
    cl_channel_type type;
    size_t group, bits;
};
static const struct raw raws[] = {{CL_UNSIGNED_INT_RAW10_EXT, 4, 10}, {CL_UNSIGNED_INT_RAW12_EXT, 2, 12}};
enum { RAWS = sizeof raws / sizeof *raws };

static size_t row_bytes(const struct raw *r, size_t texels)
{
    return texels / r->group * (r->group + 1);
}

// Bit by bit, by the extension's tables.
static void put(const struct raw *r, unsigned char *row, size_t x, unsigned v)
{
    unsigned char *group = row + row_bytes(r, x / r->group * r->group);
    const size_t i = x % r->group, low = r->bits - 8;
    group[i] = (unsigned char)(v >> low);
    for (size_t b = 0; b < low; b++) {
        const size_t at = i * low + b;
        group[r->group] = (unsigned char)((group[r->group] & ~(1u << at)) | (v >> b & 1) << at);
    }
}

static unsigned value(const struct raw *r, size_t x, size_t y)
{
    return (unsigned)((x * 2654435761u + y * 40503u + 77) >> 7) & ((1u << r->bits) - 1);
}

// `rows` rows of W texels, `pitch` bytes apart; without gaps if that is 0.
static unsigned char *packed(const struct raw *r, size_t rows, size_t pitch)
{
    pitch = pitch ? pitch : row_bytes(r, W);
    unsigned char *bytes = calloc(rows, pitch);
    for (size_t y = 0; y < rows; y++)
        for (size_t x = 0; x < W; x++)
            put(r, bytes + y * pitch, x, value(r, x, y));
    return bytes;
}

static cl_mem image_of(const struct raw *r, cl_mem_flags flags, size_t pitch, void *host, cl_mem over)
{
    const cl_image_format f = {CL_R, r->type};
    const cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                             .image_width = W,
                             .image_height = H,
                             .image_row_pitch = pitch,
                             .mem_object = over};
    cl_int err = 1;
    cl_mem m = clCreateImage(context, CL_MEM_READ_ONLY | flags, &f, &d, host, &err);
    OK(err);
    return m;
}

static cl_mem image_with_values(const struct raw *r)
{
    unsigned char *bytes = packed(r, H, 0);
    cl_mem m = image_of(r, CL_MEM_COPY_HOST_PTR, 0, bytes, NULL);
    free(bytes);
    return m;
}

static const size_t origin[3] = {0, 0, 0}, all[3] = {W, H, 1};

// The image holds value(x + dx, y + dy) in [x0, x0 + w) × [y0, y0 + h), and `other` elsewhere (a value; -1:
// value(x, y)).
struct box {
    size_t x, y, w, h;
};
static void check_image(const struct raw *r, cl_mem m, struct box in, size_t dx, size_t dy, int inside,
                        int outside)
{
    unsigned char want[H][W * 2] = {0}, got[H][W * 2] = {0};
    for (size_t y = 0; y < H; y++)
        for (size_t x = 0; x < W; x++) {
            const bool is_in = x >= in.x && x < in.x + in.w && y >= in.y && y < in.y + in.h;
            const int fixed = is_in ? inside : outside;
            put(r, want[y], x,
                fixed >= 0 ? (unsigned)fixed
                : is_in    ? value(r, x + dx, y + dy)
                           : value(r, x, y));
        }
    OK(clEnqueueReadImage(queue, m, CL_TRUE, origin, all, sizeof got[0], 0, got, 0, NULL, NULL));
    CHECK(memcmp(got, want, sizeof got) == 0);
}
static const struct box everywhere = {0, 0, W, H};

TEST(kernels_may_read_them_in_2d_images_and_nothing_else)
{
    static const cl_mem_object_type types[] = {CL_MEM_OBJECT_IMAGE1D,       CL_MEM_OBJECT_IMAGE1D_BUFFER,
                                               CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_MEM_OBJECT_IMAGE2D,
                                               CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_MEM_OBJECT_IMAGE3D};
    static const cl_mem_flags flags[] = {CL_MEM_READ_ONLY, CL_MEM_READ_WRITE, CL_MEM_WRITE_ONLY,
                                         CL_MEM_KERNEL_READ_AND_WRITE, 0};
    open_all();
    for (size_t i = 0; i < COUNT_OF(types) * COUNT_OF(flags); i++) {
        const cl_mem_object_type type = types[i % COUNT_OF(types)];
        const cl_mem_flags access = flags[i / COUNT_OF(types)];
        cl_image_format f[256];
        cl_uint n = 0, found = 0;
        OK(clGetSupportedImageFormats(context, access, type, 256, f, &n));
        for (cl_uint k = 0; k < n; k++)
            found +=
                f[k].image_channel_data_type == raws[0].type || f[k].image_channel_data_type == raws[1].type;
        CHECK_EQ(found, type == CL_MEM_OBJECT_IMAGE2D && access == CL_MEM_READ_ONLY ? 2 : 0);
    }
    for (int k = 0; k < RAWS; k++) {
        cl_image_format f = {CL_R, raws[k].type};
        cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = W, .image_height = H};
        cl_int err = 1;
        CHECK(clCreateImage(context, 0, &f, &d, NULL, &err) == NULL);
        CHECK_EQ(err, CL_IMAGE_FORMAT_NOT_SUPPORTED);
        d.image_type = CL_MEM_OBJECT_IMAGE1D;
        CHECK(clCreateImage(context, CL_MEM_READ_ONLY, &f, &d, NULL, &err) == NULL);
        CHECK_EQ(err, CL_IMAGE_FORMAT_NOT_SUPPORTED);
        d.image_type = CL_MEM_OBJECT_IMAGE2D;
        d.image_width = W + 1;
        CHECK(clCreateImage(context, CL_MEM_READ_ONLY, &f, &d, NULL, &err) == NULL);
        CHECK_EQ(err, CL_INVALID_IMAGE_DESCRIPTOR);
        d.image_width = W;
        d.num_mip_levels = 2;
        CHECK(clCreateImage(context, CL_MEM_READ_ONLY, &f, &d, NULL, &err) == NULL);
        CHECK_EQ(err, CL_INVALID_IMAGE_DESCRIPTOR);
        f.image_channel_order = CL_RGBA;
        d.num_mip_levels = 0;
        CHECK(clCreateImage(context, CL_MEM_READ_ONLY, &f, &d, NULL, &err) == NULL);
        CHECK_EQ(err, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    }
    close_all();
}

TEST(queries_describe_the_image)
{
    open_all();
    for (int k = 0; k < RAWS; k++) {
        cl_mem m = image_with_values(&raws[k]);
        size_t size = 0;
        OK(clGetImageInfo(m, CL_IMAGE_ELEMENT_SIZE, sizeof size, &size, NULL));
        CHECK_EQ(size, 2);
        OK(clGetImageInfo(m, CL_IMAGE_ROW_PITCH, sizeof size, &size, NULL));
        CHECK_EQ(size, row_bytes(&raws[k], W));
        OK(clGetMemObjectInfo(m, CL_MEM_SIZE, sizeof size, &size, NULL));
        CHECK_EQ(size, H * row_bytes(&raws[k], W));
        OK(clReleaseMemObject(m));
    }
    close_all();
}

// By each way to read, beyond the edges too. Row 0 of `out`: without a sampler; 1, 2: at integers, edge and
// border; 3, 4: at floats.
static void read_in_kernel(const struct raw *r, cl_mem m)
{
    static const char source[] =
        "kernel void k(read_only image2d_t i, global uint4 *out, uint type)\n"
        "{\n"
        "    const sampler_t edge = CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;\n"
        "    const sampler_t border = CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;\n"
        "    size_t n = get_global_size(0) * get_global_size(1);\n"
        "    size_t at = get_global_id(1) * get_global_size(0) + get_global_id(0);\n"
        "    int2 p = (int2)(get_global_id(0), get_global_id(1)) - 3;\n"
        "    float2 q = convert_float2(p) + 0.5f;\n"
        "    int2 inner = clamp(p, (int2)(0), get_image_dim(i) - 1);\n"
        "    out[at] = read_imageui(i, inner);\n"
        "    out[n + at] = read_imageui(i, edge, p);\n"
        "    out[2 * n + at] = read_imageui(i, border, p);\n"
        "    out[3 * n + at] = read_imageui(i, edge, q);\n"
        "    out[4 * n + at] = read_imageui(i, border, q);\n"
        "    if (get_image_channel_data_type(i) != (int)type || get_image_channel_order(i) != CLK_R)\n"
        "        out[at] = 99999;\n"
        "}\n"
        "#ifndef __opencl_c_ext_image_raw10_raw12\n"
        "#error no such feature\n"
        "#endif\n"
        "kernel void types(global uint *t) { t[0] = CLK_UNSIGNED_INT_RAW10_EXT; t[1] = "
        "CLK_UNSIGNED_INT_RAW12_EXT; }\n"
        "kernel void writes(write_only image2d_t i) { write_imageui(i, (int2)(0), (uint4)(1)); }\n";
    enum { X = W + 6, Y = H + 6 };
    static cl_uint got[5][Y][X][4];
    const size_t size[2] = {X, Y};
    cl_program p = built_program(context, source, "-cl-std=CL3.0");
    cl_kernel k = new_kernel(p, "k"), writes = new_kernel(p, "writes"), types = new_kernel(p, "types");
    cl_mem out = new_buffer(context, sizeof got);
    const size_t one = 1;
    cl_uint reported[2];
    OK(clSetKernelArg(types, 0, sizeof out, &out));
    OK(clEnqueueNDRangeKernel(queue, types, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof reported, reported, 0, NULL, NULL));
    CHECK_EQ(reported[0], CL_UNSIGNED_INT_RAW10_EXT);
    CHECK_EQ(reported[1], CL_UNSIGNED_INT_RAW12_EXT);
    CHECK_EQ(clSetKernelArg(writes, 0, sizeof m, &m), CL_INVALID_ARG_VALUE);
    OK(clSetKernelArg(k, 0, sizeof m, &m));
    OK(clSetKernelArg(k, 1, sizeof out, &out));
    OK(clSetKernelArg(k, 2, sizeof r->type, &r->type));
    OK(clEnqueueNDRangeKernel(queue, k, 2, NULL, size, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int way = 0; way < 5; way++)
        for (int y = 0; y < Y; y++)
            for (int x = 0; x < X; x++) {
                const int px = x - 3, py = y - 3;
                const bool in = px >= 0 && px < W && py >= 0 && py < H;
                const size_t cx = (size_t)(px < 0   ? 0
                                           : px < W ? px
                                                    : W - 1),
                             cy = (size_t)(py < 0   ? 0
                                           : py < H ? py
                                                    : H - 1);
                const unsigned want = !in && way > 0 && way % 2 == 0 ? 0 : value(r, cx, cy);
                if (got[way][y][x][0] != want || got[way][y][x][1] || got[way][y][x][2] ||
                    got[way][y][x][3] != 1)
                    FAIL("way %d, texel (%d, %d): %u, not %u", way, px, py, got[way][y][x][0], want);
            }
    OK(clReleaseMemObject(out));
    OK(clReleaseKernel(k));
    OK(clReleaseKernel(types));
    OK(clReleaseKernel(writes));
    OK(clReleaseProgram(p));
}

TEST(kernels_read_every_texel)
{
    open_all();
    for (int k = 0; k < RAWS; k++) {
        cl_mem m = image_with_values(&raws[k]);
        read_in_kernel(&raws[k], m);
        OK(clReleaseMemObject(m));
    }
    close_all();
}

// Whose pitches are the host's, or a buffer's, and odd.
TEST(they_lie_in_memory_of_the_hosts_or_over_a_buffer)
{
    open_all();
    for (int k = 0; k < RAWS; k++) {
        const size_t pitch = row_bytes(&raws[k], W) + 2;
        unsigned char *bytes = packed(&raws[k], H, pitch);
        cl_mem m = image_of(&raws[k], CL_MEM_USE_HOST_PTR, pitch, bytes, NULL);
        read_in_kernel(&raws[k], m);
        check_image(&raws[k], m, everywhere, 0, 0, -1, -1);
        OK(clReleaseMemObject(m));
        cl_mem b = new_buffer(context, H * pitch);
        OK(clEnqueueWriteBuffer(queue, b, CL_TRUE, 0, H * pitch, bytes, 0, NULL, NULL));
        m = image_of(&raws[k], 0, pitch, NULL, b);
        read_in_kernel(&raws[k], m);
        OK(clReleaseMemObject(m));
        OK(clReleaseMemObject(b));
        free(bytes);
    }
    close_all();
}

TEST(regions_are_of_whole_groups)
{
    open_all();
    unsigned char host[256];
    const cl_uint color[4] = {1, 0, 0, 0};
    for (int k = 0; k < RAWS; k++) {
        cl_mem m = image_with_values(&raws[k]), b = new_buffer(context, 4096);
        for (int i = 0; i < 2; i++) {
            const size_t at[3] = {i ? raws[k].group / 2 : 0}, size[3] = {i ? 4 : 5, 1, 1};
            cl_int err = 1;
            size_t row = 0;
            CHECK_EQ(clEnqueueReadImage(queue, m, CL_TRUE, at, size, 0, 0, host, 0, NULL, NULL),
                     CL_INVALID_VALUE);
            CHECK_EQ(clEnqueueWriteImage(queue, m, CL_TRUE, at, size, 0, 0, host, 0, NULL, NULL),
                     CL_INVALID_VALUE);
            CHECK_EQ(clEnqueueFillImage(queue, m, color, at, size, 0, NULL, NULL), CL_INVALID_VALUE);
            CHECK_EQ(clEnqueueCopyImage(queue, m, m, at, origin, size, 0, NULL, NULL), CL_INVALID_VALUE);
            CHECK_EQ(clEnqueueCopyImageToBuffer(queue, m, b, at, size, 0, 0, NULL, NULL), CL_INVALID_VALUE);
            CHECK_EQ(clEnqueueCopyBufferToImage(queue, b, m, 0, at, size, 0, NULL, NULL), CL_INVALID_VALUE);
            CHECK(clEnqueueMapImage(queue, m, CL_TRUE, CL_MAP_READ, at, size, &row, NULL, 0, NULL, NULL,
                                    &err) == NULL);
            CHECK_EQ(err, CL_INVALID_VALUE);
        }
        check_image(&raws[k], m, everywhere, 0, 0, -1, -1);
        OK(clReleaseMemObject(m));
        OK(clReleaseMemObject(b));
    }
    close_all();
}

TEST(rectangles_are_read_and_written)
{
    open_all();
    for (int k = 0; k < RAWS; k++) {
        const struct raw *r = &raws[k];
        const size_t at[3] = {8, 1, 0}, size[3] = {12, 3, 1}, from[3] = {4, 2, 0}, part = row_bytes(r, 12);
        unsigned char host[3 * 40];
        cl_mem m = image_with_values(r);
        OK(clEnqueueReadImage(queue, m, CL_TRUE, from, size, 40, 0, host, 0, NULL, NULL));
        OK(clEnqueueWriteImage(queue, m, CL_TRUE, at, size, 40, 0, host, 0, NULL, NULL));
        check_image(r, m, (struct box){8, 1, 12, 3}, (size_t)-4, 1, -1, -1);
        CHECK_EQ(clEnqueueReadImage(queue, m, CL_TRUE, from, size, part - 1, 0, host, 0, NULL, NULL),
                 CL_INVALID_VALUE);
        OK(clReleaseMemObject(m));
    }
    close_all();
}

TEST(copies)
{
    open_all();
    for (int k = 0; k < RAWS; k++) {
        const struct raw *r = &raws[k];
        const size_t at[3] = {8, 1, 0}, size[3] = {12, 3, 1}, from[3] = {4, 2, 0},
                     bytes = 3 * row_bytes(r, 12);
        cl_mem a = image_with_values(r), b = image_with_values(r), c = image_with_values(r);
        cl_mem buffer = new_buffer(context, 7 + bytes);
        OK(clEnqueueCopyImage(queue, a, b, from, at, size, 0, NULL, NULL));
        check_image(r, b, (struct box){8, 1, 12, 3}, (size_t)-4, 1, -1, -1);
        OK(clEnqueueCopyImageToBuffer(queue, a, buffer, from, size, 7, 0, NULL, NULL));
        OK(clEnqueueCopyBufferToImage(queue, buffer, c, 7, at, size, 0, NULL, NULL));
        check_image(r, c, (struct box){8, 1, 12, 3}, (size_t)-4, 1, -1, -1);
        CHECK_EQ(clEnqueueCopyImageToBuffer(queue, a, buffer, from, size, 8, 0, NULL, NULL),
                 CL_INVALID_VALUE);
        CHECK_EQ(clEnqueueCopyImage(queue, a, a, from, at, size, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
        OK(clReleaseMemObject(a));
        OK(clReleaseMemObject(b));
        OK(clReleaseMemObject(c));
        OK(clReleaseMemObject(buffer));
    }
    close_all();
}

// At once, after an event, and by a command buffer. Values that are too large become the largest one.
TEST(fills)
{
    open_all();
    find_command_buffer_calls(the_platform());
    for (int k = 0; k < RAWS; k++) {
        const struct raw *r = &raws[k];
        const int most = (1 << r->bits) - 1;
        const cl_uint color[4] = {0x2b5, 1, 2, 3}, large[4] = {70000, 0, 0, 0};
        const size_t at[3] = {8, 1, 0}, size[3] = {12, 3, 1}, line[3] = {4, 1, 1};
        const struct box box = {8, 1, 12, 3};
        cl_mem m = image_with_values(r);
        OK(clEnqueueFillImage(queue, m, color, at, size, 0, NULL, NULL));
        check_image(r, m, box, 0, 0, 0x2b5, -1);
        OK(clEnqueueFillImage(queue, m, large, origin, all, 0, NULL, NULL));
        check_image(r, m, everywhere, 0, 0, most, -1);
        cl_event gate = new_user_event(context);
        OK(clEnqueueFillImage(queue, m, color, at, line, 1, &gate, NULL));
        OK(clSetUserEventStatus(gate, CL_COMPLETE));
        OK(clReleaseEvent(gate));
        check_image(r, m, (struct box){8, 1, 4, 1}, 0, 0, 0x2b5, most);
        cl_int err = 1;
        buffer_handle b = clCreateCommandBufferKHR(1, &queue, NULL, &err);
        OK(err);
        OK(clCommandFillImageKHR(b, NULL, NULL, m, color, at, size, 0, NULL, NULL, NULL));
        OK(clFinalizeCommandBufferKHR(b));
        for (int i = 0; i < 2; i++) {
            OK(clEnqueueFillImage(queue, m, large, origin, all, 0, NULL, NULL));
            OK(clEnqueueCommandBufferKHR(0, NULL, b, 0, NULL, NULL));
            check_image(r, m, box, 0, 0, 0x2b5, most);
        }
        OK(clReleaseCommandBufferKHR(b));
        OK(clReleaseMemObject(m));
    }
    close_all();
}

TEST(a_map_begins_at_a_group)
{
    open_all();
    for (int k = 0; k < RAWS; k++) {
        const struct raw *r = &raws[k];
        const size_t at[3] = {8, 1, 0}, size[3] = {12, 3, 1};
        cl_mem m = image_with_values(r);
        cl_int err = 1;
        size_t pitch = 0;
        unsigned char *p = clEnqueueMapImage(queue, m, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, at, size, &pitch,
                                             NULL, 0, NULL, NULL, &err);
        OK(err);
        CHECK_EQ(pitch, row_bytes(r, W));
        for (size_t y = 0; y < 3; y++)
            for (size_t x = 0; x < 12; x++)
                put(r, p + y * pitch, x, 5);
        OK(clEnqueueUnmapMemObject(queue, m, p, 0, NULL, NULL));
        check_image(r, m, (struct box){8, 1, 12, 3}, 0, 0, 5, -1);
        OK(clReleaseMemObject(m));
    }
    close_all();
}

// Of enough texels for several threads, in rows and by a kernel.
TEST(large_ones)
{
    enum { WIDE = 4096, HIGH = 1024 };
    open_all();
    for (int k = 0; k < RAWS; k++) {
        const cl_image_format f = {CL_R, raws[k].type};
        const cl_image_desc d = {
            .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDE, .image_height = HIGH};
        const cl_uint color[4] = {0x1a7, 0, 0, 0};
        const size_t size[3] = {WIDE, HIGH, 1};
        cl_int err = 1;
        cl_mem m = clCreateImage(context, CL_MEM_READ_ONLY, &f, &d, NULL, &err), out = new_buffer(context, 4);
        OK(err);
        OK(clEnqueueFillImage(queue, m, color, origin, size, 0, NULL, NULL));
        cl_program p =
            built_program(context,
                          "kernel void k(read_only image2d_t i, global uint *out) {\n"
                          "  uint v = read_imageui(i, (int2)(get_global_id(0), get_global_id(1))).x;\n"
                          "  if (v == 0x1a7) atomic_inc(out); }",
                          "");
        cl_kernel kernel = new_kernel(p, "k");
        const cl_uint zero = 0;
        cl_uint n = 0;
        OK(clEnqueueFillBuffer(queue, out, &zero, 4, 0, 4, 0, NULL, NULL));
        OK(clSetKernelArg(kernel, 0, sizeof m, &m));
        OK(clSetKernelArg(kernel, 1, sizeof out, &out));
        OK(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, size, NULL, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, 4, &n, 0, NULL, NULL));
        CHECK_EQ(n, WIDE * HIGH);
        OK(clReleaseMemObject(m));
        OK(clReleaseMemObject(out));
        OK(clReleaseKernel(kernel));
        OK(clReleaseProgram(p));
    }
    close_all();
}
