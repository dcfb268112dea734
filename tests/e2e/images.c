// Images and samplers in kernels: every format, addressing mode and filter, against a reference that follows
// the specification in double precision. Also argument checks and queries. Nothing outside of an image is
// accessed.
// timeout: 300
#include <math.h>

#include "e2e.h"
#include "weft/cl_ext_weft.h"

enum { W = 37, H = 5, STEPS = 211 };

static cl_mem image_of(struct e2e *t, cl_mem_flags flags, cl_channel_order order, cl_channel_type type,
                       size_t width, size_t height, void *host)
{
    const cl_image_format f = {order, type};
    const cl_image_desc d = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = width, .image_height = height};
    cl_int error = 1;
    cl_mem m = clCreateImage(t->context, flags | (host ? CL_MEM_COPY_HOST_PTR : 0), &f, &d, host, &error);
    CHECK_EQ(error, CL_SUCCESS);
    return m;
}

static cl_sampler sampler_of(struct e2e *t, cl_bool normalized, cl_addressing_mode addressing,
                             cl_filter_mode filter)
{
    cl_int error = 1;
    cl_sampler s = clCreateSampler(t->context, normalized, addressing, filter, &error);
    CHECK_EQ(error, CL_SUCCESS);
    return s;
}

static void release(cl_mem m)
{
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
}

static void run_2d(struct e2e *t, cl_kernel k, size_t x, size_t y)
{
    const size_t global[2] = {x, y};
    CHECK_EQ(clEnqueueNDRangeKernel(t->queue, k, 2, NULL, global, NULL, 0, NULL, NULL), CL_SUCCESS);
}

// ---- Formats: read_image returns what was filled, and write_image writes what a fill writes ----

static const char formats_source[] =
    "constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;\n"
    "kernel void read_f(read_only image2d_t im, global float4 *out) {\n"
    "  out[get_global_id(0)] = read_imagef(im, s, (int2)(get_global_id(0), 0)); }\n"
    "kernel void read_i(read_only image2d_t im, global int4 *out) {\n"
    "  out[get_global_id(0)] = read_imagei(im, s, (float2)(get_global_id(0) + 0.5f, 0)); }\n"
    "kernel void read_u(read_only image2d_t im, global uint4 *out) {\n"
    "  out[get_global_id(0)] = read_imageui(im, (int2)(get_global_id(0), 0)); }\n"
    "kernel void write_f(write_only image2d_t im, float4 v) { write_imagef(im, (int2)(get_global_id(0), 0), "
    "v); }\n"
    "kernel void write_i(write_only image2d_t im, int4 v) { write_imagei(im, (int2)(get_global_id(0), 0), "
    "v); }\n"
    "kernel void write_u(write_only image2d_t im, uint4 v) { write_imageui(im, (int2)(get_global_id(0), 0), "
    "v); }\n";

static bool has_alpha(cl_channel_order o)
{
    return o == CL_A || o == CL_RA || o == CL_RGBA || o == CL_BGRA || o == CL_ARGB || o == CL_ABGR ||
           o == CL_sRGBA || o == CL_sBGRA || o == CL_INTENSITY;
}

static bool has_channel(cl_channel_order o, int c)
{
    static const cl_channel_order red_only[] = {CL_R, CL_RA, CL_A, CL_DEPTH};
    for (int i = 0; c > 0 && i < 4; i++)
        if (o == red_only[i])
            return false;
    return !(o == CL_A) && !(o == CL_RG && c == 2);
}

static void check_format(struct e2e *t, cl_program p, const cl_image_format *f)
{
    cl_channel_type type = f->image_channel_data_type;
    cl_channel_order order = f->image_channel_order;
    bool is_signed = type >= CL_SIGNED_INT8 && type <= CL_SIGNED_INT32;
    bool is_unsigned = type >= CL_UNSIGNED_INT8 && type <= CL_UNSIGNED_INT32;
    union {
        cl_float f[4];
        cl_int i[4];
    } color = {.f = {0.25f, 0.75f, 0.5f, 1.0f}};
    if (order == CL_INTENSITY || order == CL_LUMINANCE)
        color.f[1] = color.f[2] = color.f[0];
    if (order == CL_INTENSITY)
        color.f[3] = color.f[0];
    if (is_signed || is_unsigned)
        for (int c = 0; c < 4; c++)
            color.i[c] = 100 - c * (is_signed ? 50 : 30);
    const char suffix = is_signed ? 'i' : is_unsigned ? 'u' : 'f';
    char name[16];
    cl_int error = 1;
    snprintf(name, sizeof name, "read_%c", suffix);
    cl_kernel read = clCreateKernel(p, name, &error);
    CHECK_EQ(error, CL_SUCCESS);
    snprintf(name, sizeof name, "write_%c", suffix);
    cl_kernel write = clCreateKernel(p, name, &error);
    CHECK_EQ(error, CL_SUCCESS);
    enum { N = 19 };
    const size_t zero[3] = {0, 0, 0}, all[3] = {N, 1, 1};
    cl_mem filled = image_of(t, 0, order, type, N, 1, NULL),
           written = image_of(t, 0, order, type, N, 1, NULL);
    cl_mem out = e2e_buffer(t, N * 16, NULL);
    CHECK_EQ(clEnqueueFillImage(t->queue, filled, &color, zero, all, 0, NULL, NULL), CL_SUCCESS);
    E2E_ARG(read, 0, filled);
    E2E_ARG(read, 1, out);
    e2e_run(t, read, N, NULL);
    union {
        cl_float f[4];
        cl_int i[4];
    } got[N];
    e2e_read(t, out, sizeof got, got);
    for (int i = 0; i < N; i++)
        for (int c = 0; c < 4; c++) {
            bool there = c < 3 ? has_channel(order, c) : has_alpha(order);
            if (is_signed || is_unsigned) {
                CHECK_EQ(got[i].i[c], there ? color.i[c] : c == 3);
            } else {
                double step = type == CL_UNORM_SHORT_565 || type == CL_UNORM_SHORT_555 ? 1 / 62.0 : 1 / 254.0;
                double want = there ? (double)color.f[c] : c == 3;
                if (fabs((double)got[i].f[c] - want) > step)
                    FAIL("format %x %x, channel %d: %g, not %g", order, type, c, (double)got[i].f[c], want);
            }
        }
    E2E_ARG(write, 0, written);
    E2E_ARG(write, 1, color);
    e2e_run(t, write, N, NULL);
    unsigned char a[N * 16] = {0}, b[N * 16] = {0};
    CHECK_EQ(clEnqueueReadImage(t->queue, filled, CL_TRUE, zero, all, 0, 0, a, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueReadImage(t->queue, written, CL_TRUE, zero, all, 0, 0, b, 0, NULL, NULL), CL_SUCCESS);
    for (size_t i = 0; i < sizeof a; i++)
        if (a[i] != b[i])
            FAIL("format %x %x, byte %zu: a fill writes %d, a kernel %d", order, type, i, a[i], b[i]);
    release(filled);
    release(written);
    release(out);
    CHECK_EQ(clReleaseKernel(read), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(write), CL_SUCCESS);
}

TEST(every_format_is_read_and_written)
{
    struct e2e t = e2e_open();
    cl_program p = e2e_build(&t, formats_source, NULL);
    cl_image_format f[256];
    cl_uint n = 0;
    CHECK_EQ(clGetSupportedImageFormats(t.context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 256, f, &n),
             CL_SUCCESS);
    CHECK_GE(n, 86);
    for (cl_uint i = 0; i < n; i++)
        // Depth images have other functions, and nothing writes texels that share bytes
        // (tests/api/memory/raw10_raw12_images.c).
        if (f[i].image_channel_order != CL_DEPTH && f[i].image_channel_data_type < CL_UNSIGNED_INT_RAW10_EXT)
            check_format(&t, p, &f[i]);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_close(&t);
}

// ---- Samplers ----

static const char sampling_source[] =
    "kernel void sample(read_only image2d_t im, sampler_t s, float x0, float dx, float y, global float *out) "
    "{\n"
    "  size_t i = get_global_id(0);\n"
    "  out[i] = read_imagef(im, s, (float2)(x0 + dx * (float)i, y)).x; }\n"
    "kernel void at(read_only image2d_t im, sampler_t s, int x0, int y, global float *out) {\n"
    "  out[get_global_id(0)] = read_imagef(im, s, (int2)(x0 + (int)get_global_id(0), y)).x; }\n";

// The index of texel i in a direction of n texels under an addressing mode; -1: the border.
static int address(cl_addressing_mode mode, int i, int n)
{
    if (mode == CL_ADDRESS_CLAMP)
        return i < 0 || i >= n ? -1 : i;
    if (mode == CL_ADDRESS_REPEAT)
        return (i % n + n) % n;
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

static double texel(const cl_float *texels, int x, int y)
{
    return x < 0 || y < 0 ? 0 : (double)texels[y * W + x];
}

// The coordinate in texels, by the specification's formulas.
static double place(cl_bool normalized, cl_addressing_mode mode, double c, int n)
{
    if (mode == CL_ADDRESS_REPEAT)
        return (c - floor(c)) * n;
    if (mode == CL_ADDRESS_MIRRORED_REPEAT)
        return fabs(c - 2 * rint(0.5 * c)) * n;
    return normalized ? c * n : c;
}

static double reference(const cl_float *texels, cl_bool normalized, cl_addressing_mode mode,
                        cl_filter_mode filter, double x, double y)
{
    double u = place(normalized, mode, x, W), v = place(normalized, mode, y, H);
    if (filter == CL_FILTER_NEAREST)
        return texel(texels, address(mode, (int)floor(u), W), address(mode, (int)floor(v), H));
    int i = (int)floor(u - 0.5), j = (int)floor(v - 0.5);
    double a = u - 0.5 - i, b = v - 0.5 - j;
    int x0 = address(mode, i, W), x1 = address(mode, i + 1, W), y0 = address(mode, j, H),
        y1 = address(mode, j + 1, H);
    return (1 - a) * (1 - b) * texel(texels, x0, y0) + a * (1 - b) * texel(texels, x1, y0) +
           (1 - a) * b * texel(texels, x0, y1) + a * b * texel(texels, x1, y1);
}

static void fill_texels(cl_float *texels)
{
    for (int i = 0; i < W * H; i++)
        texels[i] = (float)((i * 37) % 101) + 1;
}

TEST(coordinates_are_addressed_and_filtered)
{
    struct e2e t = e2e_open();
    cl_float texels[W * H], got[STEPS];
    fill_texels(texels);
    cl_kernel k = e2e_kernel(&t, sampling_source, NULL, "sample");
    cl_mem im = image_of(&t, CL_MEM_READ_ONLY, CL_R, CL_FLOAT, W, H, texels),
           out = e2e_buffer(&t, sizeof got, NULL);
    E2E_ARG(k, 0, im);
    E2E_ARG(k, 5, out);
    const struct {
        cl_bool normalized;
        cl_addressing_mode mode;
    } cases[] = {{CL_FALSE, CL_ADDRESS_CLAMP}, {CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE},
                 {CL_TRUE, CL_ADDRESS_CLAMP},  {CL_TRUE, CL_ADDRESS_CLAMP_TO_EDGE},
                 {CL_TRUE, CL_ADDRESS_REPEAT}, {CL_TRUE, CL_ADDRESS_MIRRORED_REPEAT}};
    for (int c = 0; c < 6; c++) {
        for (cl_filter_mode filter = CL_FILTER_NEAREST; filter <= CL_FILTER_LINEAR; filter++) {
            cl_sampler s = sampler_of(&t, cases[c].normalized, cases[c].mode, filter);
            E2E_ARG(k, 1, s);
            for (int row = -2; row <= H + 1; row++) {
                // These steps avoid coordinates where two texels meet: the last bit decides there.
                float x0 = -11.3f, dx = 0.283f, y = (float)row + 0.37f;
                if (cases[c].normalized) {
                    x0 = -1.43f;
                    dx = 0.0197f;
                    y /= (float)H;
                }
                E2E_ARG(k, 2, x0);
                E2E_ARG(k, 3, dx);
                E2E_ARG(k, 4, y);
                e2e_run(&t, k, STEPS, NULL);
                e2e_read(&t, out, sizeof got, got);
                for (int i = 0; i < STEPS; i++) {
                    double x = (double)(x0 + dx * (float)i);
                    double want = reference(texels, cases[c].normalized, cases[c].mode, filter, x, (double)y);
                    double other =
                        reference(texels, cases[c].normalized, cases[c].mode, filter, x + 2e-6, (double)y);
                    double before =
                        reference(texels, cases[c].normalized, cases[c].mode, filter, x - 2e-6, (double)y);
                    if (filter == CL_FILTER_NEAREST && (other != want || before != want))
                        continue;
                    if (!(fabs((double)got[i] - want) <= (filter == CL_FILTER_NEAREST ? 0 : 0.02)))
                        FAIL("case %d, filter %x, at (%g, %g): %g, not %g", c, filter, x, (double)y,
                             (double)got[i], want);
                }
            }
            CHECK_EQ(clReleaseSampler(s), CL_SUCCESS); // the kernel has captured it
        }
    }
    release(im);
    release(out);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    e2e_close(&t);
}

TEST(integer_coordinates_beyond_the_image)
{
    struct e2e t = e2e_open();
    cl_float texels[W * H], got[STEPS];
    fill_texels(texels);
    cl_kernel k = e2e_kernel(&t, sampling_source, NULL, "at");
    cl_mem im = image_of(&t, CL_MEM_READ_ONLY, CL_R, CL_FLOAT, W, H, texels),
           out = e2e_buffer(&t, sizeof got, NULL);
    E2E_ARG(k, 0, im);
    E2E_ARG(k, 4, out);
    const cl_addressing_mode modes[] = {CL_ADDRESS_CLAMP, CL_ADDRESS_CLAMP_TO_EDGE};
    const cl_int starts[] = {-90, INT32_MIN, INT32_MAX - STEPS, 0};
    for (int m = 0; m < 2; m++) {
        cl_sampler s = sampler_of(&t, CL_FALSE, modes[m], CL_FILTER_NEAREST);
        E2E_ARG(k, 1, s);
        for (int start = 0; start < 4; start++) {
            for (cl_int y = -1; y <= H; y++) {
                E2E_ARG(k, 2, starts[start]);
                E2E_ARG(k, 3, y);
                e2e_run(&t, k, STEPS, NULL);
                e2e_read(&t, out, sizeof got, got);
                for (int i = 0; i < STEPS; i++) {
                    double want =
                        texel(texels, address(modes[m], starts[start] + i, W), address(modes[m], y, H));
                    CHECK_EQ(got[i], (float)want);
                }
            }
        }
        CHECK_EQ(clReleaseSampler(s), CL_SUCCESS);
    }
    release(im);
    release(out);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    e2e_close(&t);
}

// ---- The most common format, for which kernels have separate code ----

static const char common_source[] =
    "kernel void sample(read_only image2d_t im, sampler_t s, float x0, float dx, float y, global float4 "
    "*out) {\n"
    "  size_t i = get_global_id(0);\n"
    "  out[i] = read_imagef(im, s, (float2)(x0 + dx * (float)i, y)); }\n"
    "kernel void at(read_only image2d_t im, sampler_t s, float x0, float dx, float y, global float4 *out) {\n"
    "  int2 p = (int2)((int)x0 + (int)get_global_id(0), (int)y);\n"
    "  out[get_global_id(0)] = read_imagef(im, s, p) + 8 * read_imagef(im, p + (int2)(1, 0)); }\n"
    "kernel void box(read_only image2d_t im, write_only image2d_t to) {\n"
    "  const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;\n"
    "  int2 p = (int2)(get_global_id(0), get_global_id(1));\n"
    "  float4 sum = 0;\n"
    "  for (int y = -2; y <= 2; y++)\n"
    "    for (int x = -2; x <= 2; x++)\n"
    "      sum += read_imagef(im, s, p + (int2)(x, y));\n"
    "  write_imagef(to, p, sum * 0.04f); }\n";

// The bytes of the texels in the other order of channels.
static void swap_red_and_blue(cl_uchar *to, const cl_uchar *from)
{
    for (int i = 0; i < W * H * 4; i++)
        to[i] = from[(i & ~3) | (i % 4 < 3 ? 2 - i % 4 : 3)];
}

// Samples the images, whose texels are the same, at many places by all samplers. All must give the same.
static void check_samples(struct e2e *t, cl_program p, const char *kernel, const cl_mem *im, int images,
                          int width)
{
    cl_float got[2][STEPS][4];
    cl_mem out = e2e_buffer(t, sizeof *got, NULL);
    cl_int error = 1;
    cl_kernel k = clCreateKernel(p, kernel, &error);
    CHECK_EQ(error, CL_SUCCESS);
    E2E_ARG(k, 5, out);
    for (cl_uint mode = CL_ADDRESS_CLAMP_TO_EDGE; mode <= CL_ADDRESS_MIRRORED_REPEAT; mode++) {
        for (cl_filter_mode filter = CL_FILTER_NEAREST; filter <= CL_FILTER_LINEAR; filter++) {
            cl_bool normalized = mode >= CL_ADDRESS_REPEAT;
            cl_sampler s = sampler_of(t, normalized, mode, filter);
            E2E_ARG(k, 1, s);
            for (int row = -2; row <= H + 1; row++) {
                float scale = normalized && kernel[0] == 's' ? 1.0f / (float)width : 1;
                float x0 = -20.3f * scale, dx = 0.283f * scale, y = ((float)row + 0.37f) * scale;
                E2E_ARG(k, 2, x0);
                E2E_ARG(k, 3, dx);
                E2E_ARG(k, 4, y);
                for (int i = 0; i < images; i++) {
                    E2E_ARG(k, 0, im[i]);
                    e2e_run(t, k, STEPS, NULL);
                    e2e_read(t, out, sizeof *got, got[i > 0]);
                    for (int j = 0; i > 0 && j < STEPS; j++)
                        for (int c = 0; c < 4; c++)
                            CHECK_EQ(got[0][j][c], got[1][j][c]);
                }
            }
            CHECK_EQ(clReleaseSampler(s), CL_SUCCESS);
        }
    }
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    release(out);
}

// Filters read two neighbouring texels of the common formats at once, if a row has so many.
TEST(the_common_formats_are_sampled_as_others_are)
{
    struct e2e t = e2e_open();
    cl_uchar rgba[W * H * 4], bgra[sizeof rgba], abgr[sizeof rgba];
    for (int i = 0; i < W * H * 4; i++)
        rgba[i] = (cl_uchar)(i * 37 + i / 11);
    swap_red_and_blue(bgra, rgba);
    for (int i = 0; i < W * H * 4; i++)
        abgr[i] = rgba[i ^ 3];
    cl_program p = e2e_build(&t, common_source, NULL);
    const int widths[] = {W, 2, 1};
    for (int n = 0; n < 3; n++) {
        const size_t width = (size_t)widths[n];
        cl_mem im[3] = {image_of(&t, 0, CL_ABGR, CL_UNORM_INT8, width, H, abgr),
                        image_of(&t, 0, CL_RGBA, CL_UNORM_INT8, width, H, rgba),
                        image_of(&t, 0, CL_BGRA, CL_UNORM_INT8, width, H, bgra)};
        check_samples(&t, p, "sample", im, 3, widths[n]);
        check_samples(&t, p, "at", im, 3, widths[n]);
        for (int i = 0; i < 3; i++)
            release(im[i]);
    }
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_close(&t);
}

// Each of the two images has the common format or another one.
TEST(kernels_of_two_images_take_any_pair_of_formats)
{
    struct e2e t = e2e_open();
    cl_kernel k = e2e_kernel(&t, common_source, NULL, "box");
    cl_uchar texels[2][W * H * 4], got[W * H * 4], as_rgba[W * H * 4];
    for (int i = 0; i < W * H * 4; i++)
        texels[0][i] = (cl_uchar)(i * 53 + i / 7);
    swap_red_and_blue(texels[1], texels[0]);
    const cl_channel_order orders[] = {CL_RGBA, CL_BGRA};
    const size_t zero[3] = {0, 0, 0}, all[3] = {W, H, 1};
    for (int from = 0; from < 2; from++)
        for (int to = 0; to < 2; to++) {
            cl_mem in = image_of(&t, 0, orders[from], CL_UNORM_INT8, W, H, texels[from]),
                   out = image_of(&t, 0, orders[to], CL_UNORM_INT8, W, H, NULL);
            E2E_ARG(k, 0, in);
            E2E_ARG(k, 1, out);
            run_2d(&t, k, W, H);
            CHECK_EQ(clEnqueueReadImage(t.queue, out, CL_TRUE, zero, all, 0, 0, got, 0, NULL, NULL),
                     CL_SUCCESS);
            if (to)
                swap_red_and_blue(as_rgba, got);
            else
                memcpy(as_rgba, got, sizeof got);
            for (int y = 0; y < H; y++)
                for (int x = 0; x < W; x++)
                    for (int c = 0; c < 4; c++) {
                        int sum = 0;
                        for (int i = -2; i <= 2; i++)
                            for (int j = -2; j <= 2; j++)
                                sum += texels[0][4 * (address(CL_ADDRESS_CLAMP_TO_EDGE, y + i, H) * W +
                                                      address(CL_ADDRESS_CLAMP_TO_EDGE, x + j, W)) +
                                                 c];
                        if (abs(25 * as_rgba[4 * (y * W + x) + c] - sum) > 13)
                            FAIL("from %d to %d, (%d, %d), channel %d: %d, not %g", from, to, x, y, c,
                                 as_rgba[4 * (y * W + x) + c], sum / 25.0);
                    }
            release(in);
            release(out);
        }
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    e2e_close(&t);
}

// Coordinates that are infinite, NaN or far outside read some texel or the border, and have no other effect.
TEST(no_coordinate_leaves_the_image)
{
    struct e2e t = e2e_open();
    cl_float texels[W * H], got[64];
    for (int i = 0; i < W * H; i++)
        texels[i] = 7;
    cl_kernel k = e2e_kernel(&t, sampling_source, NULL, "sample");
    cl_mem im = image_of(&t, CL_MEM_READ_ONLY, CL_R, CL_FLOAT, W, H, texels),
           out = e2e_buffer(&t, sizeof got, NULL);
    E2E_ARG(k, 0, im);
    E2E_ARG(k, 5, out);
    const float odd[] = {NAN, INFINITY, -INFINITY, 3e38f, -3e38f, 2.2e9f, -2.2e9f, 1e-45f};
    for (cl_uint mode = CL_ADDRESS_NONE; mode <= CL_ADDRESS_MIRRORED_REPEAT; mode++)
        for (cl_bool normalized = 0; normalized < 2; normalized++)
            for (cl_filter_mode filter = CL_FILTER_NEAREST; filter <= CL_FILTER_LINEAR; filter++) {
                cl_sampler s = sampler_of(&t, normalized, mode, filter);
                E2E_ARG(k, 1, s);
                for (int i = 0; i < 8; i++) {
                    float none = 0, y = odd[7 - i];
                    E2E_ARG(k, 2, odd[i]);
                    E2E_ARG(k, 3, none);
                    E2E_ARG(k, 4, y);
                    e2e_run(&t, k, 64, NULL);
                    e2e_read(&t, out, sizeof got, got);
                    // A NaN in a weight may reach the result; a texel of another image may not.
                    CHECK(isnan(got[0]) || (got[0] >= 0 && got[0] <= 7.001f));
                }
                CHECK_EQ(clReleaseSampler(s), CL_SUCCESS);
            }
    CHECK_EQ(clFinish(t.queue), CL_SUCCESS);
    release(im);
    release(out);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    e2e_close(&t);
}

// ---- Types of images, queries, writing ----

TEST(writes_beyond_the_image_are_dropped)
{
    struct e2e t = e2e_open();
    cl_kernel k = e2e_kernel(
        &t,
        "kernel void w(write_only image2d_t im) {\n"
        "  write_imagef(im, (int2)((int)get_global_id(0) - 8, (int)get_global_id(1) - 8), (float4)(1)); }",
        NULL, "w");
    cl_mem buffer = e2e_buffer(&t, 4096, NULL);
    const cl_uchar zero = 0;
    CHECK_EQ(clEnqueueFillBuffer(t.queue, buffer, &zero, 1, 0, 4096, 0, NULL, NULL), CL_SUCCESS);
    const cl_image_format f = {CL_RGBA, CL_UNORM_INT8};
    const cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                             .image_width = 8,
                             .image_height = 8,
                             .image_row_pitch = 64,
                             .mem_object = buffer};
    cl_int error = 1;
    cl_mem im = clCreateImage(t.context, 0, &f, &d, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    E2E_ARG(k, 0, im);
    run_2d(&t, k, 64, 64);
    cl_uint got[1024];
    e2e_read(&t, buffer, sizeof got, got);
    for (int i = 0; i < 1024; i++)
        CHECK_EQ(got[i], i % 16 < 8 && i / 16 < 8 ? 0xffffffff : 0);
    release(im);
    release(buffer);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    e2e_close(&t);
}

TEST(every_type_of_image)
{
    static const char source[] =
        "kernel void k(read_only image1d_t a, read_only image1d_array_t b, read_only image1d_buffer_t c,\n"
        "              read_only image2d_array_t d, read_only image3d_t e, write_only image3d_t w, global "
        "int *out) {\n"
        "  const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | "
        "CLK_FILTER_NEAREST;\n"
        "  int i = get_global_id(0);\n"
        "  out[8 * i] = read_imagei(a, s, i).x;\n"
        "  out[8 * i + 1] = read_imagei(b, s, (float2)(i, 1.6f)).x;\n"
        "  out[8 * i + 2] = read_imagei(c, i).x;\n"
        "  out[8 * i + 3] = read_imagei(d, s, (int4)(i, 2, 9, 0)).x;\n"
        "  out[8 * i + 4] = read_imagei(e, (int4)(i, 2, 1, 0)).x;\n"
        "  out[8 * i + 5] = get_image_width(a) + 100 * get_image_array_size(b) + 1000 * "
        "get_image_height(d);\n"
        "  out[8 * i + 6] = get_image_depth(e) + 10 * get_image_dim(e).y + 100 * get_image_channel_order(e) "
        "- 100 * CLK_R;\n"
        "  out[8 * i + 7] = get_image_channel_data_type(c) - CLK_SIGNED_INT32;\n"
        "  write_imagei(w, (int4)(i, i % 5, i % 3, 0), (int4)(i + 500)); }";
    struct e2e t = e2e_open();
    cl_kernel k = e2e_kernel(&t, source, NULL, "k");
    cl_int texels[7 * 5 * 3], error = 1;
    for (int i = 0; i < 7 * 5 * 3; i++)
        texels[i] = i;
    const cl_image_format f = {CL_R, CL_SIGNED_INT32};
    cl_mem buffer = e2e_buffer(&t, sizeof texels, texels), out = e2e_buffer(&t, 7 * 8 * 4, NULL), im[6];
    const cl_mem_object_type types[] = {CL_MEM_OBJECT_IMAGE1D,        CL_MEM_OBJECT_IMAGE1D_ARRAY,
                                        CL_MEM_OBJECT_IMAGE1D_BUFFER, CL_MEM_OBJECT_IMAGE2D_ARRAY,
                                        CL_MEM_OBJECT_IMAGE3D,        CL_MEM_OBJECT_IMAGE3D};
    for (int i = 0; i < 6; i++) {
        bool over = types[i] == CL_MEM_OBJECT_IMAGE1D_BUFFER;
        const cl_image_desc d = {.image_type = types[i],
                                 .image_width = 7,
                                 .image_height = 5,
                                 .image_depth = 3,
                                 .image_array_size = 3,
                                 .mem_object = over ? buffer : NULL};
        im[i] =
            clCreateImage(t.context, over ? 0 : CL_MEM_COPY_HOST_PTR, &f, &d, over ? NULL : texels, &error);
        CHECK_EQ(error, CL_SUCCESS);
        E2E_ARG(k, (cl_uint)i, im[i]);
    }
    E2E_ARG(k, 6, out);
    e2e_run(&t, k, 7, NULL);
    cl_int got[7][8], after[7 * 5 * 3];
    e2e_read(&t, out, sizeof got, got);
    for (int i = 0; i < 7; i++) {
        const cl_int want[8] = {i, 14 + i, i, 2 * 35 + 14 + i, 35 + 14 + i, 7 + 300 + 5000, 3 + 50, 0};
        for (int c = 0; c < 8; c++)
            CHECK_EQ(got[i][c], want[c]);
    }
    const size_t zero[3] = {0, 0, 0}, all[3] = {7, 5, 3};
    CHECK_EQ(clEnqueueReadImage(t.queue, im[5], CL_TRUE, zero, all, 0, 0, after, 0, NULL, NULL), CL_SUCCESS);
    for (int n = 0; n < 7 * 5 * 3; n++) {
        int x = n % 7, y = n / 7 % 5, z = n / 35;
        CHECK_EQ(after[n], y == x % 5 && z == x % 3 ? x + 500 : n);
    }
    for (int i = 0; i < 6; i++)
        release(im[i]);
    release(buffer);
    release(out);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    e2e_close(&t);
}

TEST(one_kernel_reads_and_writes_an_image)
{
    struct e2e t = e2e_open();
    cl_kernel k = e2e_kernel(&t,
                             "kernel void add(read_write image2d_t im, uint n) {\n"
                             "  int2 p = (int2)(get_global_id(0), get_global_id(1));\n"
                             "  write_imageui(im, p, read_imageui(im, p) + n); }",
                             "-cl-std=CL3.0", "add");
    cl_uint texels[W * H], n = 5;
    for (cl_uint i = 0; i < W * H; i++)
        texels[i] = i;
    cl_mem im = image_of(&t, 0, CL_R, CL_UNSIGNED_INT32, W, H, texels);
    E2E_ARG(k, 0, im);
    E2E_ARG(k, 1, n);
    run_2d(&t, k, W, H);
    run_2d(&t, k, W, H);
    const size_t zero[3] = {0, 0, 0}, all[3] = {W, H, 1};
    CHECK_EQ(clEnqueueReadImage(t.queue, im, CL_TRUE, zero, all, 0, 0, texels, 0, NULL, NULL), CL_SUCCESS);
    for (cl_uint i = 0; i < W * H; i++)
        CHECK_EQ(texels[i], i + 10);
    release(im);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    e2e_close(&t);
}

TEST(arguments_are_checked)
{
    struct e2e t = e2e_open();
    cl_kernel k = e2e_kernel(
        &t, "kernel void k(read_only image2d_t r, write_only image2d_t w, sampler_t s, global int *b) {}",
        "-cl-kernel-arg-info", "k");
    cl_mem in = image_of(&t, CL_MEM_READ_ONLY, CL_R, CL_FLOAT, 4, 4, NULL),
           out = image_of(&t, CL_MEM_WRITE_ONLY, CL_R, CL_FLOAT, 4, 4, NULL),
           buffer = e2e_buffer(&t, 64, NULL), none = NULL;
    cl_sampler s = sampler_of(&t, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST), no_sampler = NULL;
    CHECK_EQ(clSetKernelArg(k, 0, sizeof in, NULL), CL_INVALID_ARG_VALUE);
    CHECK_EQ(clSetKernelArg(k, 0, 4, &in), CL_INVALID_ARG_SIZE);
    CHECK_EQ(clSetKernelArg(k, 0, sizeof none, &none), CL_INVALID_MEM_OBJECT);
    CHECK_EQ(clSetKernelArg(k, 0, sizeof buffer, &buffer), CL_INVALID_MEM_OBJECT);
    CHECK_EQ(clSetKernelArg(k, 0, sizeof s, &s), CL_INVALID_MEM_OBJECT);
    CHECK_EQ(clSetKernelArg(k, 0, sizeof out, &out), CL_INVALID_ARG_VALUE);
    CHECK_EQ(clSetKernelArg(k, 1, sizeof in, &in), CL_INVALID_ARG_VALUE);
    CHECK_EQ(clSetKernelArg(k, 2, sizeof s, NULL), CL_INVALID_SAMPLER);
    CHECK_EQ(clSetKernelArg(k, 2, 4, &s), CL_INVALID_ARG_SIZE);
    CHECK_EQ(clSetKernelArg(k, 2, sizeof no_sampler, &no_sampler), CL_INVALID_SAMPLER);
    CHECK_EQ(clSetKernelArg(k, 2, sizeof in, &in), CL_INVALID_SAMPLER);
    CHECK_EQ(clSetKernelArg(k, 3, sizeof in, &in), CL_INVALID_MEM_OBJECT);
    cl_kernel_arg_access_qualifier access = 0;
    CHECK_EQ(clGetKernelArgInfo(k, 1, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof access, &access, NULL),
             CL_SUCCESS);
    CHECK_EQ(access, CL_KERNEL_ARG_ACCESS_WRITE_ONLY);
    char type[32];
    CHECK_EQ(clGetKernelArgInfo(k, 0, CL_KERNEL_ARG_TYPE_NAME, sizeof type, type, NULL), CL_SUCCESS);
    CHECK_STR(type, "image2d_t");
    E2E_ARG(k, 0, in);
    E2E_ARG(k, 1, out);
    E2E_ARG(k, 2, s);
    E2E_ARG(k, 3, buffer);
    e2e_run(&t, k, 4, NULL);
    CHECK_EQ(clFinish(t.queue), CL_SUCCESS);
    CHECK_EQ(clReleaseSampler(s), CL_SUCCESS);
    release(in);
    release(out);
    release(buffer);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    e2e_close(&t);
}
