// Kernels with image reads call one function for them, which has a vector version
// (lib/compiler/prepare/outline_image_reads.c). Forty reads in one kernel must give the same results as in
// forty launches of a kernel that has them inlined: one with a barrier inlines a few reads.
// timeout: 600
// labels: emulated_long
#include "image_calls.h"

enum { W = 37, H = 6, READS = 40 };

struct read_call {
    const char *image, *result, *read; // expressions; x, y: id of the work-item; k: number of the read
};

// clang-format off
static const struct read_call read_calls[] = {
    {"image2d_t", "float4", "read_imagef(im, s, (float2)(x * 0.93f + k - 20.3f, y * 1.1f - k % 7 + 2.6f))"},
    {"image2d_t", "float4", "read_imagef(im, s, (float2)(x * 0.013f + k * 0.04f - 0.3f, y * 0.2f - k % 7 * 0.31f))"},
    {"image2d_t", "float4", "read_imagef(im, linear, (float2)(x * 0.013f + k * 0.04f - 0.3f, y * 0.2f - k % 7 * 0.31f))"},
    {"image2d_t", "float4", "read_imagef(im, edge, (int2)(x + k - 20, y - k % 7 + 2))"},
    {"image2d_t", "float4", "read_imagef(im, border, (int2)(x + k - 20, y - k % 7 + 2))"},
    {"image2d_t", "float4", "read_imagef(im, (int2)(k - 2, k % 7 - 1))"},
    {"image2d_t", "float4", "(x * 5 + y + k) % 3 ? read_imagef(im, edge, (int2)(x - k % 9 + 4, y)) : (float4)(k)"},
    {"image2d_array_t", "float4", "read_imagef(im, s, (float4)(x * 0.93f + k - 20.3f, y - k % 7 + 2.6f, k % 4 - 0.7f, 0))"},
    {"image3d_t", "float4", "read_imagef(im, linear, (float4)(x * 0.013f + k * 0.04f - 0.3f, y * 0.2f - k % 7 * 0.31f, k * 0.03f, 0))"},
    {"image2d_t", "uint4", "read_imageui(im, border, (int2)(x + k - 20, y - k % 7 + 2))"},
    {"image2d_t", "int4", "read_imagei(im, s, (float2)(x * 0.93f + k - 20.3f, y * 1.1f - k % 7 + 2.6f))"},
    {"image2d_t", "float4", "IN_TURN(k, read_imagef, (float2)(x * 0.013f + k * 0.4f - 0.3f, y * 0.9f - k % 7 * 0.31f))"},
    {"image3d_t", "float4", "IN_TURN(k, read_imagef, (float4)(x * 0.013f + k * 0.4f - 0.3f, y * 0.9f - k % 7 * 0.31f, k * 0.03f, 0))"},
    {"image2d_t", "uint4", "IN_TURN(k, read_imageui, (float2)(x * 0.013f + k * 0.4f - 0.3f, y * 0.9f - k % 7 * 0.31f))"},
};

static const cl_image_format colours[] = {
    {CL_RGBA, CL_UNORM_INT8}, {CL_R, CL_UNORM_INT8}, {CL_BGRA, CL_UNORM_INT8}, {CL_RGBA, CL_SNORM_INT8}, {CL_RG, CL_UNORM_INT16},
    {CL_RGBA, CL_SNORM_INT16}, {CL_RGBA, CL_HALF_FLOAT}, {CL_R, CL_HALF_FLOAT}, {CL_RGBA, CL_FLOAT}, {CL_A, CL_FLOAT},
    {CL_R, CL_FLOAT}, {CL_sRGBA, CL_UNORM_INT8}, {CL_RGB, CL_UNORM_SHORT_565}, {CL_RGB, CL_UNORM_INT_101010},
};
static const cl_image_format numbers[] = {
    {CL_RGBA, CL_SIGNED_INT8}, {CL_R, CL_SIGNED_INT16}, {CL_RGBA, CL_SIGNED_INT32}, {CL_R, CL_SIGNED_INT32},
};
static const cl_image_format counts[] = {
    {CL_RGBA, CL_UNSIGNED_INT8}, {CL_RG, CL_UNSIGNED_INT16}, {CL_RGBA, CL_UNSIGNED_INT32}, {CL_R, CL_UNSIGNED_INT8},
};
// clang-format on

static const struct {
    cl_bool normalized;
    cl_addressing_mode addressing;
    cl_filter_mode filter;
} samplers[] = {
    {CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST},
    {CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_LINEAR},
    {CL_TRUE, CL_ADDRESS_REPEAT, CL_FILTER_LINEAR},
    {CL_TRUE, CL_ADDRESS_MIRRORED_REPEAT, CL_FILTER_NEAREST},
    {CL_TRUE, CL_ADDRESS_MIRRORED_REPEAT, CL_FILTER_LINEAR},
    {CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_LINEAR},
};

static char *source_of(const struct read_call *f)
{
    enum { ROOM = 1 << 14 };
    char *text = malloc(ROOM);
    CHECK(text != NULL);
    const char *step = f->result[0] == 'f' ? "v * 0.5f + (r)" : "v * 3 + (r)";
    int at = snprintf(
        text, ROOM,
        "constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | "
        "CLK_FILTER_NEAREST;\n"
        "constant sampler_t border = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;\n"
        "constant sampler_t linear = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;\n"
        "constant sampler_t mirrored = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_MIRRORED_REPEAT | "
        "CLK_FILTER_NEAREST;\n"
        // several samplers share a function
        "#define IN_TURN(k, f, c) (k %% 4 == 0 ? f(im, edge, c) : k %% 4 == 1 ? f(im, border, c) : k %% 4 == "
        "2 "
        "? f(im, mirrored, c) : "
        "f(im, linear, c))\n"
        "#define READ(k) { %s r = %s; v = %s; }\n"
        "kernel void one(read_only %s im, sampler_t s, global %s *out, int k) {\n"
        "  int x = get_global_id(0), y = get_global_id(1), at = y * get_global_size(0) + x; %s v = out[at];\n"
        "  barrier(CLK_LOCAL_MEM_FENCE);\n"
        "  READ(k)\n  out[at] = v; }\n"
        "kernel void many(read_only %s im, sampler_t s, global %s *out) {\n"
        "  int x = get_global_id(0), y = get_global_id(1), at = y * get_global_size(0) + x; %s v = 0;\n",
        f->result, f->read, step, f->image, f->result, f->result, f->image, f->result, f->result);
    for (int k = 0; k < READS; k++)
        at += snprintf(text + at, (size_t)(ROOM - at), "  READ(%d)\n", k);
    snprintf(text + at, (size_t)(ROOM - at), "  out[at] = v; }\n");
    return text;
}

static void fill(unsigned char *texels, size_t size, cl_channel_type type)
{
    unsigned seed = 7;
    for (size_t i = 0; i < size; i++) {
        seed = seed * 1664525 + 1013904223;
        texels[i] = (unsigned char)(seed >> 24);
    }
    // Excludes infinities and NaNs, whose bits depend on the order of operands.
    for (size_t i = 0; type == CL_FLOAT && i < size; i += 4)
        texels[i + 3] = 0x3e;
    for (size_t i = 0; type == CL_HALF_FLOAT && i < size; i += 2)
        texels[i + 1] &= 0xbb;
}

static cl_mem image_of(struct e2e *t, const struct read_call *f, const cl_image_format *format)
{
    static unsigned char texels[31 * 9 * 3 * 16];
    cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 31, .image_height = 9};
    if (strstr(f->image, "array"))
        d.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY, d.image_array_size = 3;
    if (strstr(f->image, "3d"))
        d.image_type = CL_MEM_OBJECT_IMAGE3D, d.image_depth = 3;
    fill(texels, sizeof texels, format->image_channel_data_type);
    cl_int error = 1;
    cl_mem m = clCreateImage(t->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, format, &d, texels, &error);
    CHECK_EQ(error, CL_SUCCESS);
    return m;
}

static void run(struct e2e *t, cl_kernel k, unsigned arguments, cl_mem im, cl_sampler s, cl_mem out,
                int number)
{
    const size_t global[2] = {W, H};
    E2E_ARG(k, 0, im);
    E2E_ARG(k, 1, s);
    E2E_ARG(k, 2, out);
    if (arguments == 4)
        E2E_ARG(k, 3, number);
    CHECK_EQ(clEnqueueNDRangeKernel(t->queue, k, 2, NULL, global, NULL, 0, NULL, NULL), CL_SUCCESS);
}

static void compare(struct e2e *t, const struct read_call *f, cl_kernel one, cl_kernel many, cl_mem im,
                    cl_sampler s, const char *what)
{
    static cl_uint want[W * H * 4], got[W * H * 4];
    const cl_uint zero = 0;
    cl_mem a = e2e_buffer(t, sizeof want, NULL), b = e2e_buffer(t, sizeof got, NULL);
    CHECK_EQ(clEnqueueFillBuffer(t->queue, a, &zero, sizeof zero, 0, sizeof want, 0, NULL, NULL), CL_SUCCESS);
    for (int k = 0; k < READS; k++)
        run(t, one, 4, im, s, a, k);
    run(t, many, 3, im, s, b, 0);
    e2e_read(t, a, sizeof want, want);
    e2e_read(t, b, sizeof got, got);
    for (size_t i = 0; i < W * H * 4; i++)
        if (want[i] != got[i])
            FAIL("%s, %s: element %zu is %x, one by one %x", f->read, what, i, got[i], want[i]);
    CHECK_EQ(clReleaseMemObject(a), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(b), CL_SUCCESS);
}

static void check(struct e2e *t, const struct read_call *f)
{
    char what[64];
    cl_int error = 1;
    const struct pair p = pair_of(t, source_of(f));
    const cl_image_format *formats = f->result[0] == 'f' ? colours : f->result[0] == 'i' ? numbers : counts;
    size_t count = f->result[0] == 'f'   ? sizeof colours / sizeof *colours
                   : f->result[0] == 'i' ? sizeof numbers / sizeof *numbers
                                         : sizeof counts / sizeof *counts;
    for (size_t i = 0; i < sizeof samplers / sizeof *samplers; i++) {
        bool used = strstr(f->read, ", s,") != NULL;
        if ((!used && i > 0) || (f->result[0] != 'f' && samplers[i].filter != CL_FILTER_NEAREST))
            continue;
        cl_sampler s = clCreateSampler(t->context, samplers[i].normalized, samplers[i].addressing,
                                       samplers[i].filter, &error);
        CHECK_EQ(error, CL_SUCCESS);
        for (size_t k = 0; k < count; k++) {
            cl_mem im = image_of(t, f, &formats[k]);
            snprintf(what, sizeof what, "format %x %x, sampler %zu", formats[k].image_channel_order,
                     formats[k].image_channel_data_type, i);
            compare(t, f, p.one, p.many, im, s, what);
            CHECK_EQ(clReleaseMemObject(im), CL_SUCCESS);
        }
        CHECK_EQ(clReleaseSampler(s), CL_SUCCESS);
    }
    release_pair(&p);
}

static void check_all(struct e2e *t)
{
    for (size_t i = 0; i < sizeof read_calls / sizeof *read_calls; i++)
        check(t, &read_calls[i]);
}
