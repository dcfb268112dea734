// Mipmapped images (cl_khr_mipmap_image, cl_khr_mipmap_image_writes): commands on a level; the level that a
// kernel reads, by number and by gradients, within limits and between two levels; and invalid levels.
#include <math.h>

#include "e2e.h"
#include <CL/cl_ext.h>

enum { LEVELS = 4, X = 13, Y = 9, Z = 5, MAX_TEXELS = X * Y * Z };

static cl_mem mipmap(struct e2e *t, cl_mem_object_type type, cl_uint levels, cl_int want)
{
    const cl_image_format f = {CL_R, CL_FLOAT};
    const cl_image_desc d = {.image_type = type,
                             .image_width = X,
                             .image_height = Y,
                             .image_depth = Z,
                             .image_array_size = Z,
                             .num_mip_levels = levels};
    cl_int error = 1;
    cl_mem m = clCreateImage(t->context, 0, &f, &d, NULL, &error);
    CHECK_EQ(error, want);
    CHECK_EQ(m != NULL, want == CL_SUCCESS);
    return m;
}

static size_t halved(size_t n, size_t level)
{
    return n >> level ? n >> level : 1;
}

// The texels of a level, and the coordinate of an origin that holds the number of the level.
struct level {
    size_t region[3], origin[4];
};

static struct level level_of(cl_mem_object_type type, size_t k)
{
    size_t x = halved(X, k), y = halved(Y, k), z = halved(Z, k);
    switch (type) {
    case CL_MEM_OBJECT_IMAGE1D:
        return (struct level){{x, 1, 1}, {0, k, 0, 0}};
    case CL_MEM_OBJECT_IMAGE1D_ARRAY:
        return (struct level){{x, Z, 1}, {0, 0, k, 0}};
    case CL_MEM_OBJECT_IMAGE2D:
        return (struct level){{x, y, 1}, {0, 0, k, 0}};
    case CL_MEM_OBJECT_IMAGE2D_ARRAY:
        return (struct level){{x, y, Z}, {0, 0, 0, k}};
    default:
        return (struct level){{x, y, z}, {0, 0, 0, k}};
    }
}

static size_t texels_of(const struct level *l)
{
    return l->region[0] * l->region[1] * l->region[2];
}

// Texel i of level k is 1000 k + i.
static void number_levels(struct e2e *t, cl_mem m, cl_mem_object_type type)
{
    cl_float texels[MAX_TEXELS];
    for (size_t k = 0; k < LEVELS; k++) {
        struct level l = level_of(type, k);
        for (size_t i = 0; i < texels_of(&l); i++)
            texels[i] = (cl_float)(1000 * k + i);
        CHECK_EQ(clEnqueueWriteImage(t->queue, m, CL_TRUE, l.origin, l.region, 0, 0, texels, 0, NULL, NULL),
                 CL_SUCCESS);
    }
}

static void read_level(struct e2e *t, cl_mem m, const struct level *l, cl_float *texels)
{
    CHECK_EQ(clEnqueueReadImage(t->queue, m, CL_TRUE, l->origin, l->region, 0, 0, texels, 0, NULL, NULL),
             CL_SUCCESS);
}

static const cl_mem_object_type types[] = {CL_MEM_OBJECT_IMAGE1D, CL_MEM_OBJECT_IMAGE1D_ARRAY,
                                           CL_MEM_OBJECT_IMAGE2D, CL_MEM_OBJECT_IMAGE2D_ARRAY,
                                           CL_MEM_OBJECT_IMAGE3D};
enum { TYPES = sizeof types / sizeof *types };

TEST(each_level_is_written_and_read)
{
    struct e2e t = e2e_open();
    cl_float got[MAX_TEXELS];
    for (int i = 0; i < TYPES; i++) {
        cl_mem m = mipmap(&t, types[i], LEVELS, CL_SUCCESS);
        cl_uint levels = 0;
        CHECK_EQ(clGetImageInfo(m, CL_IMAGE_NUM_MIP_LEVELS, sizeof levels, &levels, NULL), CL_SUCCESS);
        CHECK_EQ(levels, LEVELS);
        number_levels(&t, m, types[i]);
        for (size_t k = 0; k < LEVELS; k++) {
            struct level l = level_of(types[i], k);
            read_level(&t, m, &l, got);
            for (size_t n = 0; n < texels_of(&l); n++)
                CHECK_EQ((int)got[n], (int)(1000 * k + n));
        }
        CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    }
    e2e_close(&t);
}

TEST(levels_are_copied_filled_and_mapped)
{
    struct e2e t = e2e_open();
    cl_float got[MAX_TEXELS];
    const cl_float color[4] = {-1, 0, 0, 0};
    for (int i = 0; i < TYPES; i++) {
        cl_mem from = mipmap(&t, types[i], LEVELS, CL_SUCCESS), to = mipmap(&t, types[i], LEVELS, CL_SUCCESS);
        number_levels(&t, from, types[i]);
        struct level first = level_of(types[i], 1), second = level_of(types[i], 2);
        // Copies the first level's box to the second level.
        CHECK_EQ(
            clEnqueueCopyImage(t.queue, from, to, first.origin, second.origin, second.region, 0, NULL, NULL),
            CL_SUCCESS);
        // Levels of one image don't overlap, even if their coordinates do.
        CHECK_EQ(
            clEnqueueCopyImage(t.queue, to, to, second.origin, first.origin, second.region, 0, NULL, NULL),
            CL_SUCCESS);
        CHECK_EQ(
            clEnqueueCopyImage(t.queue, to, to, second.origin, second.origin, second.region, 0, NULL, NULL),
            CL_MEM_COPY_OVERLAP);
        const size_t one[3] = {1, 1, 1};
        CHECK_EQ(clEnqueueFillImage(t.queue, to, color, second.origin, one, 0, NULL, NULL), CL_SUCCESS);
        for (int twice = 0; twice < 2; twice++) {
            const struct level *l = twice ? &first : &second;
            size_t row = 0, slice = 0;
            cl_int error = 1;
            const char *at = clEnqueueMapImage(t.queue, to, CL_TRUE, CL_MAP_READ, l->origin, second.region,
                                               &row, &slice, 0, NULL, NULL, &error);
            CHECK_EQ(error, CL_SUCCESS);
            CHECK_EQ(row, l->region[0] * sizeof(cl_float));
            bool flat = types[i] == CL_MEM_OBJECT_IMAGE1D_ARRAY;
            for (size_t n = 0; n < texels_of(&second); n++) {
                size_t x = n % second.region[0], y = n / second.region[0] % second.region[1],
                       z = n / second.region[0] / second.region[1];
                cl_float texel;
                memcpy(&texel, at + 4 * x + y * (flat ? slice : row) + z * slice, sizeof texel);
                size_t source = x + first.region[0] * (y + first.region[1] * z);
                CHECK_EQ((int)texel, n == 0 && !twice ? -1 : (int)(1000 + source));
            }
            CHECK_EQ(clEnqueueUnmapMemObject(t.queue, to, (void *)(uintptr_t)at, 0, NULL, NULL), CL_SUCCESS);
        }
        cl_mem buffer = e2e_buffer(&t, sizeof got, NULL);
        CHECK_EQ(
            clEnqueueCopyImageToBuffer(t.queue, from, buffer, first.origin, first.region, 0, 0, NULL, NULL),
            CL_SUCCESS);
        CHECK_EQ(
            clEnqueueCopyBufferToImage(t.queue, buffer, to, 4, second.origin, second.region, 0, NULL, NULL),
            CL_SUCCESS);
        read_level(&t, to, &second, got);
        for (size_t n = 0; n < texels_of(&second); n++)
            CHECK_EQ((int)got[n], (int)(1000 + n + 1));
        CHECK_EQ(clReleaseMemObject(buffer), CL_SUCCESS);
        CHECK_EQ(clReleaseMemObject(from), CL_SUCCESS);
        CHECK_EQ(clReleaseMemObject(to), CL_SUCCESS);
    }
    e2e_close(&t);
}

TEST(what_is_no_level_is_refused)
{
    struct e2e t = e2e_open();
    cl_float texels[MAX_TEXELS] = {0};
    for (int i = 0; i < TYPES; i++) {
        cl_mem m = mipmap(&t, types[i], LEVELS, CL_SUCCESS);
        struct level none = level_of(types[i], LEVELS), last = level_of(types[i], LEVELS - 1);
        CHECK_EQ(
            clEnqueueReadImage(t.queue, m, CL_TRUE, none.origin, none.region, 0, 0, texels, 0, NULL, NULL),
            CL_INVALID_MIP_LEVEL);
        CHECK_EQ(clEnqueueFillImage(t.queue, m, texels, none.origin, none.region, 0, NULL, NULL),
                 CL_INVALID_MIP_LEVEL);
        last.region[0]++;
        CHECK_EQ(
            clEnqueueWriteImage(t.queue, m, CL_TRUE, last.origin, last.region, 0, 0, texels, 0, NULL, NULL),
            CL_INVALID_VALUE);
        CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    }
    mipmap(&t, CL_MEM_OBJECT_IMAGE1D_BUFFER, LEVELS, CL_INVALID_IMAGE_DESCRIPTOR);
    mipmap(&t, CL_MEM_OBJECT_IMAGE2D, 16, CL_INVALID_IMAGE_DESCRIPTOR);
    const cl_image_format plain = {CL_R, CL_FLOAT};
    const cl_image_desc d = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4, .num_mip_levels = 2};
    cl_int error = 1;
    CHECK(!clCreateImage(t.context, CL_MEM_COPY_HOST_PTR, &plain, &d, texels, &error));
    CHECK_EQ(error, CL_INVALID_IMAGE_DESCRIPTOR);
    e2e_close(&t);
}

// ---- Kernels ----

// Every texel of level k is 100 k.
static cl_mem flat_levels(struct e2e *t)
{
    cl_mem m = mipmap(t, CL_MEM_OBJECT_IMAGE2D, LEVELS, CL_SUCCESS);
    for (size_t k = 0; k < LEVELS; k++) {
        struct level l = level_of(CL_MEM_OBJECT_IMAGE2D, k);
        const cl_float color[4] = {(cl_float)(100 * k), 0, 0, 0};
        CHECK_EQ(clEnqueueFillImage(t->queue, m, color, l.origin, l.region, 0, NULL, NULL), CL_SUCCESS);
    }
    return m;
}

static cl_sampler_properties bits_of(cl_float f)
{
    cl_uint bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

static cl_sampler sampler(struct e2e *t, cl_filter_mode between, cl_float low, cl_float high)
{
    const cl_sampler_properties list[] = {CL_SAMPLER_ADDRESSING_MODE,
                                          CL_ADDRESS_CLAMP_TO_EDGE,
                                          CL_SAMPLER_MIP_FILTER_MODE_KHR,
                                          between,
                                          CL_SAMPLER_LOD_MIN_KHR,
                                          bits_of(low),
                                          CL_SAMPLER_LOD_MAX_KHR,
                                          bits_of(high),
                                          0};
    cl_int error = 1;
    cl_sampler s = clCreateSamplerWithProperties(t->context, list, &error);
    CHECK_EQ(error, CL_SUCCESS);
    cl_filter_mode mode = 0;
    cl_float limit = -1;
    CHECK_EQ(clGetSamplerInfo(s, CL_SAMPLER_MIP_FILTER_MODE_KHR, sizeof mode, &mode, NULL), CL_SUCCESS);
    CHECK_EQ(mode, between);
    CHECK_EQ(clGetSamplerInfo(s, CL_SAMPLER_LOD_MIN_KHR, sizeof limit, &limit, NULL), CL_SUCCESS);
    CHECK(limit == low);
    CHECK_EQ(clGetSamplerInfo(s, CL_SAMPLER_LOD_MAX_KHR, sizeof limit, &limit, NULL), CL_SUCCESS);
    CHECK(limit == high);
    return s;
}

// Reads at a level of detail, through equivalent gradients, with the size of level 0, and with a sampler in
// the kernel.
static const char levels_source[] =
    "constant sampler_t own = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;\n"
    "kernel void levels(read_only image2d_t im, sampler_t s, global const float *lod, global float4 *out) {\n"
    "  int i = get_global_id(0);\n"
    "  float2 c = (float2)(0.5f, 0.4f);\n"
    "  float2 dx = (float2)(exp2(lod[i]) / get_image_width(im), 0), dy = (float2)(0, 0.5f / "
    "get_image_height(im));\n"
    "  out[i] = (float4)(read_imagef(im, s, c, lod[i]).x, read_imagef(im, s, c, dx, dy).x,\n"
    "                    read_imagef(im, own, c, lod[i]).x, read_imagef(im, s, c).x); }\n";

static double within(double x, double low, double high)
{
    return x > low ? x < high ? x : high : low;
}

// 100 times the level of detail that is read.
static double expected(cl_filter_mode between, double lod, double low, double high)
{
    lod = within(within(lod, low, high), 0, LEVELS - 1);
    return between == CL_FILTER_LINEAR ? 100 * lod : 100 * (ceil(lod + 0.5) - 1);
}

TEST(kernels_read_the_level_that_is_meant)
{
    enum { N = 8 };
    static const cl_float lods[N] = {-3, 0, 0.25f, 0.5f, 0.75f, 1.6f, 3, 40};
    static const cl_float limits[][2] = {{0, 1000}, {1.5f, 2.25f}, {0.75f, 0.75f}};
    struct e2e t = e2e_open();
    cl_kernel k = e2e_kernel(&t, levels_source, "-cl-std=CL3.0", "levels");
    cl_mem m = flat_levels(&t), lod = e2e_buffer(&t, sizeof lods, lods), out = e2e_buffer(&t, 16 * N, NULL);
    E2E_ARG(k, 0, m);
    E2E_ARG(k, 2, lod);
    E2E_ARG(k, 3, out);
    for (int linear = 0; linear < 2; linear++) {
        for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
            cl_filter_mode between = linear ? CL_FILTER_LINEAR : CL_FILTER_NEAREST;
            double low = (double)limits[i][0], high = (double)limits[i][1];
            cl_sampler s = sampler(&t, between, limits[i][0], limits[i][1]);
            cl_float got[N][4];
            E2E_ARG(k, 1, s);
            e2e_run(&t, k, N, NULL);
            e2e_read(&t, out, sizeof got, got);
            for (int n = 0; n < N; n++) {
                double at = (double)lods[n];
                // In one direction gradients give at least 0.5, and a logarithm has an error. So levels are
                // tested away from their boundaries.
                CHECK(fabs((double)got[n][0] - expected(between, at, low, high)) < 0.01);
                if (at != 0.5)
                    CHECK(fabs((double)got[n][1] - expected(between, at > -1 ? at : -1, low, high)) < 0.01);
                CHECK(fabs((double)got[n][2] - expected(CL_FILTER_NEAREST, at, 0, 1000)) < 0.01);
                CHECK((double)got[n][3] == 0);
            }
            CHECK_EQ(clReleaseSampler(s), CL_SUCCESS);
        }
    }
    CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(lod), CL_SUCCESS);
    CHECK_EQ(clReleaseMemObject(out), CL_SUCCESS);
    CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    e2e_close(&t);
}

// Level `lod` of each type of image is written, also by work-items beyond its edge.
static const char writes_source[] =
    "#pragma OPENCL EXTENSION cl_khr_mipmap_image_writes : enable\n"
    "#define ID(T) (T)(get_global_id(0), get_global_id(1), get_global_id(2), 0)\n"
    "#define NUMBER(w, h) (float4)(get_global_id(0) + (w) * (get_global_id(1) + (h) * get_global_id(2)) + "
    "1)\n"
    "int half_of(int n, int lod) { return max(n >> lod, 1); }\n"
    "kernel void k0(write_only image1d_t im, int lod, global int *levels) {\n"
    "  write_imagef(im, ID(int4).x, lod, NUMBER(0, 0)); *levels = get_image_num_mip_levels(im); }\n"
    "kernel void k1(write_only image1d_array_t im, int lod, global int *levels) {\n"
    "  write_imagef(im, ID(int4).xy, lod, NUMBER(half_of(get_image_width(im), lod), 0));\n"
    "  *levels = get_image_num_mip_levels(im); }\n"
    "kernel void k2(write_only image2d_t im, int lod, global int *levels) {\n"
    "  write_imagef(im, ID(int4).xy, lod, NUMBER(half_of(get_image_width(im), lod), 0));\n"
    "  *levels = get_image_num_mip_levels(im); }\n"
    "kernel void k3(write_only image2d_array_t im, int lod, global int *levels) {\n"
    "  write_imagef(im, ID(int4), lod, NUMBER(half_of(get_image_width(im), lod), "
    "half_of(get_image_height(im), lod)));\n"
    "  *levels = get_image_num_mip_levels(im); }\n"
    "kernel void k4(write_only image3d_t im, int lod, global int *levels) {\n"
    "  write_imagef(im, ID(int4), lod, NUMBER(half_of(get_image_width(im), lod), "
    "half_of(get_image_height(im), lod)));\n"
    "  *levels = get_image_num_mip_levels(im); }\n";

TEST(kernels_write_a_level_and_nothing_else)
{
    struct e2e t = e2e_open();
    cl_program p = e2e_build(&t, writes_source, "-cl-std=CL3.0");
    cl_mem count = e2e_buffer(&t, 4, NULL);
    for (int i = 0; i < TYPES; i++) {
        char name[] = {'k', (char)('0' + i), '\0'};
        cl_int error = 1, levels = 0;
        cl_kernel k = clCreateKernel(p, name, &error);
        CHECK_EQ(error, CL_SUCCESS);
        for (cl_int lod = -1; lod <= LEVELS; lod++) {
            cl_mem m = mipmap(&t, types[i], LEVELS, CL_SUCCESS);
            number_levels(&t, m, types[i]);
            E2E_ARG(k, 0, m);
            E2E_ARG(k, 1, lod);
            E2E_ARG(k, 2, count);
            const size_t global[3] = {X, i == 0 ? 1 : Y, i < 3 ? 1 : Z};
            CHECK_EQ(clEnqueueNDRangeKernel(t.queue, k, 3, NULL, global, NULL, 0, NULL, NULL), CL_SUCCESS);
            e2e_read(&t, count, 4, &levels);
            CHECK_EQ(levels, LEVELS);
            for (size_t other = 0; other < LEVELS; other++) {
                struct level l = level_of(types[i], other);
                cl_float got[MAX_TEXELS];
                read_level(&t, m, &l, got);
                for (size_t n = 0; n < texels_of(&l); n++)
                    CHECK_EQ((int)got[n], (cl_int)other == lod ? (int)n + 1 : (int)(1000 * other + n));
            }
            CHECK_EQ(clReleaseMemObject(m), CL_SUCCESS);
        }
        CHECK_EQ(clReleaseKernel(k), CL_SUCCESS);
    }
    CHECK_EQ(clReleaseMemObject(count), CL_SUCCESS);
    CHECK_EQ(clReleaseProgram(p), CL_SUCCESS);
    e2e_close(&t);
}
