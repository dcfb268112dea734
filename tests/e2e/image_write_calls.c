// Kernels with image writes call one function for them, which has a vector version
// (lib/compiler/prepare/outline_image_reads.c). Its results must be those of a kernel that has the write
// inlined: one with a barrier inlines a few writes. What a texel gets depends only on its place. Colours
// are given by bits, NaNs and infinities among them.
// timeout: 600
// labels: emulated_long
#include "image_calls.h"

enum { W = 37, H = 6, LAYERS = 3, WRITES = 3, COLOURS = 41 * (H + WRITES + 2) + 60, TEXEL_MAX = 16 };

struct write_call {
    const char *image, *type, *write; // expressions; x, y: the texel; k: number of the write
};

// clang-format off
static const struct write_call write_calls[] = {
    {"image2d_t", "float4", "write_imagef(im, (int2)(x, y), v)"},
    {"image2d_t", "float4", "if ((x * 5 + y + k) % 3) write_imagef(im, (int2)(x, y), v)"},
    {"image2d_array_t", "float4", "write_imagef(im, (int4)(x, y, (x + k) % 4 - 1, 0), v)"},
    {"image3d_t", "float4", "write_imagef(im, (int4)(x, y, k, 0), v)"},
    {"image2d_t", "int4", "write_imagei(im, (int2)(x, y), as_int4(v) >> (x & 31))"},
    {"image2d_t", "uint4", "write_imageui(im, (int2)(x, y), as_uint4(v) >> (x & 31))"},
};

static const cl_image_format colours[] = {
    {CL_RGBA, CL_UNORM_INT8}, {CL_R, CL_UNORM_INT8}, {CL_BGRA, CL_UNORM_INT8}, {CL_RGBA, CL_SNORM_INT8}, {CL_RG, CL_UNORM_INT16},
    {CL_RGBA, CL_SNORM_INT16}, {CL_RGBA, CL_HALF_FLOAT}, {CL_R, CL_HALF_FLOAT}, {CL_RGBA, CL_FLOAT}, {CL_A, CL_FLOAT},
    {CL_R, CL_FLOAT}, {CL_sRGBA, CL_UNORM_INT8}, {CL_RGB, CL_UNORM_SHORT_565}, {CL_RGB, CL_UNORM_SHORT_555}, {CL_RGB, CL_UNORM_INT_101010},
};
static const cl_image_format numbers[] = {
    {CL_RGBA, CL_SIGNED_INT8}, {CL_R, CL_SIGNED_INT16}, {CL_RGBA, CL_SIGNED_INT32}, {CL_R, CL_SIGNED_INT32},
};
static const cl_image_format counts[] = {
    {CL_RGBA, CL_UNSIGNED_INT8}, {CL_RG, CL_UNSIGNED_INT16}, {CL_RGBA, CL_UNSIGNED_INT32}, {CL_R, CL_UNSIGNED_INT8},
};
// clang-format on

static char *source_of(const struct write_call *f)
{
    enum { ROOM = 1 << 13 };
    char *text = malloc(ROOM);
    CHECK(text != NULL);
    int at =
        snprintf(text, ROOM,
                 "#define WRITE(K) { const int k = K; float4 v = in[y * 41 + x + 60]; %s; x -= 2; y += 1; }\n"
                 "#define PLACE int x = (int)get_global_id(0) - 2, y = (int)get_global_id(1) - 1;\n"
                 "kernel void one(write_only %s im, global const float4 *in, int n) {\n"
                 "  PLACE x -= 2 * n; y += n; barrier(CLK_LOCAL_MEM_FENCE); WRITE(n) }\n"
                 "kernel void many(write_only %s im, global const float4 *in) {\n  PLACE\n",
                 f->write, f->image, f->image);
    for (int k = 0; k < WRITES; k++)
        at += snprintf(text + at, (size_t)(ROOM - at), "  WRITE(%d)\n", k);
    snprintf(text + at, (size_t)(ROOM - at), "}\n");
    return text;
}

// Colours around [-1, 1], and special numbers.
static cl_mem colours_in(struct e2e *t)
{
    static const cl_uint special[] = {0x7fc00000, 0xffc00000, 0x7f800000, 0xff800000, 0,
                                      0x80000000, 1,          0x80000001, 0x3f800000, 0xbf800000};
    static cl_uint bits[COLOURS * 4];
    unsigned seed = 7;
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
        seed = seed * 1664525 + 1013904223;
        bits[i] = (seed & 0x80000000) | 0x3d000000 | (seed >> 5 & 0x2ffffff);
        if (seed >> 28 == 3)
            bits[i] = special[(seed >> 8) % (sizeof special / sizeof *special)];
    }
    return e2e_buffer(t, sizeof bits, bits);
}

static cl_mem image_of(struct e2e *t, const struct write_call *f, const cl_image_format *format,
                       size_t *slices)
{
    cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = W, .image_height = H};
    *slices = strcmp(f->image, "image2d_t") ? LAYERS : 1;
    if (strstr(f->image, "array"))
        d.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY, d.image_array_size = LAYERS;
    if (strstr(f->image, "3d"))
        d.image_type = CL_MEM_OBJECT_IMAGE3D, d.image_depth = LAYERS;
    cl_int error = 1;
    cl_mem m = clCreateImage(t->context, CL_MEM_READ_WRITE, format, &d, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    return m;
}

// Runs the writes on an image of which all bytes are 0x5a, and reads the texels.
static void texels_of(struct e2e *t, const struct write_call *f, const cl_image_format *format, cl_kernel k,
                      cl_mem in, int launches, unsigned char *texels)
{
    size_t slices, global[2] = {W + 4, H + 2};
    cl_mem im = image_of(t, f, format, &slices);
    const size_t origin[3] = {0}, region[3] = {W, H, slices};
    memset(texels, 0x5a, W * H * LAYERS * TEXEL_MAX);
    CHECK_EQ(clEnqueueWriteImage(t->queue, im, CL_TRUE, origin, region, 0, 0, texels, 0, NULL, NULL),
             CL_SUCCESS);
    E2E_ARG(k, 0, im);
    E2E_ARG(k, 1, in);
    for (int n = 0; n < launches; n++) {
        if (launches > 1)
            E2E_ARG(k, 2, n);
        CHECK_EQ(clEnqueueNDRangeKernel(t->queue, k, 2, NULL, global, NULL, 0, NULL, NULL), CL_SUCCESS);
        CHECK_EQ(clFinish(t->queue), CL_SUCCESS);
    }
    CHECK_EQ(clEnqueueReadImage(t->queue, im, CL_TRUE, origin, region, 0, 0, texels, 0, NULL, NULL),
             CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(im), CL_SUCCESS);
}

static void compare(struct e2e *t, const struct write_call *f, const cl_image_format *format, cl_kernel one,
                    cl_kernel many, cl_mem in)
{
    static unsigned char want[W * H * LAYERS * TEXEL_MAX], got[sizeof want];
    texels_of(t, f, format, one, in, WRITES, want);
    texels_of(t, f, format, many, in, 1, got);
    bool written = false;
    for (size_t i = 0; i < sizeof want; i++) {
        written |= want[i] != 0x5a;
        if (want[i] != got[i])
            FAIL("%s, format %x %x: byte %zu is %x, one by one %x", f->write, format->image_channel_order,
                 format->image_channel_data_type, i, got[i], want[i]);
    }
    CHECK(written);
}

static void check(struct e2e *t, const struct write_call *f)
{
    const struct pair p = pair_of(t, source_of(f));
    cl_mem in = colours_in(t);
    const cl_image_format *formats = f->type[0] == 'f' ? colours : f->type[0] == 'i' ? numbers : counts;
    const size_t count = f->type[0] == 'f'   ? sizeof colours / sizeof *colours
                         : f->type[0] == 'i' ? sizeof numbers / sizeof *numbers
                                             : sizeof counts / sizeof *counts;
    for (size_t k = 0; k < count; k++)
        compare(t, f, &formats[k], p.one, p.many, in);
    CHECK_EQ(clReleaseMemObject(in), CL_SUCCESS);
    release_pair(&p);
}

static void check_all(struct e2e *t)
{
    for (size_t i = 0; i < sizeof write_calls / sizeof *write_calls; i++)
        check(t, &write_calls[i]);
}
