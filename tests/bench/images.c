// RGBA8 images in kernels: linear filtering; and a box filter through a sampler, compared with the same
// filter on a buffer.
#include "bench.h"

#include <math.h>

#define FILE_CL "images.cl"
enum { WIDTH = 1920, HEIGHT = 1080, BYTES = WIDTH * HEIGHT * 4 };

static cl_uchar *random_texels(void)
{
    cl_uchar *texels = bench_memory(BYTES);
    uint64_t random = 1;
    for (size_t i = 0; i < BYTES; i++)
        texels[i] = (cl_uchar)bench_random(&random);
    return texels;
}

static cl_mem image(struct bench_run *r, cl_uchar *texels)
{
    cl_bool has = CL_FALSE;
    CHECK(clGetDeviceInfo(r->cl.device, CL_DEVICE_IMAGE_SUPPORT, sizeof has, &has, NULL));
    if (!has)
        bench_skip("the device has no images");
    const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    const cl_image_desc d = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH, .image_height = HEIGHT};
    cl_int error;
    cl_mem m = clCreateImage(r->cl.context, texels ? CL_MEM_COPY_HOST_PTR : 0, &format, &d, texels, &error);
    CHECK(error);
    return m;
}

static void read_image(struct bench_run *r, cl_mem m, cl_uchar *out)
{
    const size_t origin[3] = {0, 0, 0}, region[3] = {WIDTH, HEIGHT, 1};
    CHECK(clEnqueueReadImage(r->cl.queue, m, CL_TRUE, origin, region, 0, 0, out, 0, NULL, NULL));
}

static int limited(int x, int most)
{
    return x < 0 ? 0 : x > most ? most : x;
}

static double texel(const cl_uchar *texels, int x, int y, size_t channel)
{
    return texels[4 * (size_t)(limited(y, HEIGHT - 1) * WIDTH + limited(x, WIDTH - 1)) + channel];
}

static double case_image_linear(void)
{
    struct bench_run r = {.dims = 2, .global = {WIDTH, HEIGHT}};
    bench_run_open(&r, FILE_CL, "", "zoom");
    cl_uchar *texels = random_texels(), *got = bench_memory(BYTES);
    cl_mem in = image(&r, texels), out = image(&r, NULL);
    float step = 0.9f;
    BENCH_ARGS(&r, BENCH_ARG(out), BENCH_ARG(in), BENCH_ARG(step));
    double t = bench_run_time(&r);
    read_image(&r, out, got);
    for (int i = 0; i < WIDTH * HEIGHT; i += 997) {
        double u = (i % WIDTH + 0.5) * (double)step - 0.5, v = (int)(i / WIDTH) + 0.5;
        v = v * (double)step - 0.5;
        int x = (int)floor(u), y = (int)floor(v);
        double a = u - x, b = v - y;
        for (size_t c = 0; c < 4; c++) {
            double want = (1 - a) * (1 - b) * texel(texels, x, y, c) +
                          a * (1 - b) * texel(texels, x + 1, y, c) +
                          (1 - a) * b * texel(texels, x, y + 1, c) + a * b * texel(texels, x + 1, y + 1, c);
            // Samplers may use only 8 bits of a coordinate's fraction.
            bench_near("channel", 4 * (size_t)i + c, got[4 * (size_t)i + c], want, 0, 2.5);
        }
    }
    return 1e-6 * (double)(WIDTH * HEIGHT) / t;
}

static void check_box(const cl_uchar *texels, const cl_uchar *got)
{
    for (int i = 0; i < WIDTH * HEIGHT; i += 997) {
        for (size_t c = 0; c < 4; c++) {
            double sum = 0;
            for (int y = -2; y <= 2; y++)
                for (int x = -2; x <= 2; x++)
                    sum += texel(texels, i % WIDTH + x, i / WIDTH + y, c);
            bench_near("channel", 4 * (size_t)i + c, got[4 * (size_t)i + c], sum / 25, 0, 0.51);
        }
    }
}

static double case_box_image(void)
{
    struct bench_run r = {.dims = 2, .global = {WIDTH, HEIGHT}};
    bench_run_open(&r, FILE_CL, "", "box_image");
    cl_uchar *texels = random_texels(), *got = bench_memory(BYTES);
    cl_mem in = image(&r, texels), out = image(&r, NULL);
    BENCH_ARGS(&r, BENCH_ARG(out), BENCH_ARG(in));
    double t = bench_run_time(&r);
    read_image(&r, out, got);
    check_box(texels, got);
    return 1e-6 * (double)(WIDTH * HEIGHT) / t;
}

static double case_box_buffer(void)
{
    struct bench_run r = {.dims = 2, .global = {WIDTH, HEIGHT}};
    bench_run_open(&r, FILE_CL, "", "box_buffer");
    cl_uchar *texels = random_texels(), *got = bench_memory(BYTES);
    cl_mem in = bench_buffer(&r.cl, BYTES, texels), out = bench_buffer(&r.cl, BYTES, NULL);
    int width = WIDTH, height = HEIGHT;
    BENCH_ARGS(&r, BENCH_ARG(out), BENCH_ARG(in), BENCH_ARG(width), BENCH_ARG(height));
    double t = bench_run_time(&r);
    bench_run_read(&r, out, BYTES, got);
    check_box(texels, got);
    return 1e-6 * (double)(WIDTH * HEIGHT) / t;
}

const struct bench_case bench_image_cases[] = {
    {"image_linear", "Mpx/s", true, case_image_linear, "an RGBA8 image zoomed with linear filtering"},
    {"box_image", "Mpx/s", true, case_box_image, "5 x 5 box filter of an RGBA8 image, by read_imagef"},
    {"box_buffer", "Mpx/s", true, case_box_buffer, "the same on a buffer of uchar4"},
    {0},
};
