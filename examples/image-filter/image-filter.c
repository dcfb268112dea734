// Reads a PNG, swirls it, sharpens it, and writes a PNG. Images and samplers do the addressing and the interpolation.
// image-filter INPUT.png OUTPUT.png
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>

static const float strength = 2.0f;

static const char *source =
    // A sampler in the source: coordinates from 0 to 1, which go on as in mirrors, and linear interpolation.
    "constant sampler_t smooth = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_MIRRORED_REPEAT | "
    "CLK_FILTER_LINEAR;\n"
    "kernel void swirl(read_only image2d_t in, write_only image2d_t out, float strength)\n"
    "{\n"
    "    int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "    float2 p = (convert_float2(at) + 0.5f) / convert_float2(get_image_dim(in)) - 0.5f;\n"
    "    float angle = strength * exp(-8.0f * dot(p, p));\n"
    "    float s = sin(angle), c = cos(angle);\n"
    "    float2 from = (float2)(c * p.x - s * p.y, s * p.x + c * p.y) + 0.5f;\n"
    "    write_imagef(out, at, read_imagef(in, smooth, from));\n"
    "}\n"
    // A sampler that the host makes: pixels by number; beyond the edge is the pixel at the edge.
    "kernel void sharpen(read_only image2d_t in, write_only image2d_t out, sampler_t pixels)\n"
    "{\n"
    "    int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "    float4 sum = 0.0f;\n"
    "    for (int y = -1; y <= 1; y++)\n"
    "        for (int x = -1; x <= 1; x++)\n"
    "            sum += read_imagef(in, pixels, at + (int2)(x, y));\n"
    "    write_imagef(out, at, clamp(2.0f * read_imagef(in, pixels, at) - sum / 9.0f, 0.0f, 1.0f));\n"
    "}\n";

static void check(cl_int error, const char *what)
{
    if (error != CL_SUCCESS) {
        fprintf(stderr, "image-filter: %s failed with error %d\n", what, error);
        exit(1);
    }
}

// The first device of any platform that has images.
static cl_device_id find_device(void)
{
    cl_platform_id platforms[16];
    cl_uint count = 0;
    check(clGetPlatformIDs(16, platforms, &count), "clGetPlatformIDs (is a driver installed?)");
    for (cl_uint i = 0; i < count && i < 16; i++) {
        cl_device_id device;
        cl_bool images = CL_FALSE;
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS &&
            clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images, NULL) == CL_SUCCESS &&
            images)
            return device;
    }
    fprintf(stderr, "image-filter: there is no OpenCL device with images\n");
    exit(77);
}

static _Noreturn void fail(const char *what, const char *path, const char *why)
{
    fprintf(stderr, "image-filter: cannot %s %s: %s\n", what, path, why);
    exit(1);
}

// Four bytes a pixel. The caller frees them.
static unsigned char *read_png(const char *path, size_t *width, size_t *height)
{
    png_image png = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_file(&png, path))
        fail("read", path, png.message);
    png.format = PNG_FORMAT_RGBA;
    unsigned char *pixels = malloc(PNG_IMAGE_SIZE(png));
    if (!pixels || !png_image_finish_read(&png, NULL, pixels, 0, NULL))
        fail("read", path, pixels ? png.message : "out of memory");
    *width = png.width, *height = png.height;
    return pixels;
}

// ---- The same in plain C ----

struct image {
    const unsigned char *pixels;
    int width, height;
};

// Channel c of pixel (x, y), mirrored outside of the image.
static float at(struct image in, int x, int y, int c)
{
    x = x < 0 ? -1 - x : x >= in.width ? 2 * in.width - 1 - x : x;
    y = y < 0 ? -1 - y : y >= in.height ? 2 * in.height - 1 - y : y;
    return in.pixels[4 * (y * in.width + x) + c] / 255.0f;
}

// Beyond the edge is the pixel at the edge. As a byte of the image between both kernels.
static float swirled(struct image in, int x, int y, int c)
{
    x = x < 0 ? 0 : x >= in.width ? in.width - 1 : x;
    y = y < 0 ? 0 : y >= in.height ? in.height - 1 : y;
    const float w = (float)in.width, h = (float)in.height;
    const float px = ((float)x + 0.5f) / w - 0.5f, py = ((float)y + 0.5f) / h - 0.5f;
    const float angle = strength * expf(-8.0f * (px * px + py * py));
    const float u = (cosf(angle) * px - sinf(angle) * py + 0.5f) * w - 0.5f;
    const float v = (sinf(angle) * px + cosf(angle) * py + 0.5f) * h - 0.5f;
    const int i = (int)floorf(u), j = (int)floorf(v);
    const float a = u - (float)i, b = v - (float)j;
    const float value = (1 - b) * ((1 - a) * at(in, i, j, c) + a * at(in, i + 1, j, c)) +
                        b * ((1 - a) * at(in, i, j + 1, c) + a * at(in, i + 1, j + 1, c));
    return rintf(255 * value) / 255;
}

// Whether a byte is what it must be. Devices may interpolate with weights of eight bits, which sharpening makes visible.
static int is_right(struct image in, int i, unsigned char byte)
{
    const int x = i / 4 % in.width, y = i / 4 / in.width;
    float sum = 0;
    for (int k = 0; k < 9; k++)
        sum += swirled(in, x + k % 3 - 1, y + k / 3 - 1, i % 4);
    const float sharpened = 2 * swirled(in, x, y, i % 4) - sum / 9.0f;
    return fabsf(255 * fminf(fmaxf(sharpened, 0), 1) - byte) < 6.5f;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: image-filter INPUT.png OUTPUT.png\n");
        return 2;
    }
    size_t width, height;
    unsigned char *pixels = read_png(argv[1], &width, &height);
    cl_int error;
    cl_device_id device = find_device();
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    check(error, "clCreateCommandQueue");
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    check(error, "clCreateProgramWithSource");
    error = clBuildProgram(program, 1, &device, "", NULL, NULL);
    if (error == CL_BUILD_PROGRAM_FAILURE) {
        static char log[16384];
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fprintf(stderr, "%s\n", log);
    }
    check(error, "clBuildProgram");
    cl_kernel swirl = clCreateKernel(program, "swirl", &error);
    check(error, "clCreateKernel");
    cl_kernel sharpen = clCreateKernel(program, "sharpen", &error);
    check(error, "clCreateKernel");

    // Every device with images has this format for images that are read and for those that are written.
    const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = width, .image_height = height};
    cl_mem in =
        clCreateImage(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &format, &desc, pixels, &error);
    check(error, "clCreateImage");
    cl_mem swirled = clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, NULL, &error);
    check(error, "clCreateImage");
    cl_mem out = clCreateImage(context, CL_MEM_WRITE_ONLY, &format, &desc, NULL, &error);
    check(error, "clCreateImage");
    cl_sampler edge = clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, &error);
    check(error, "clCreateSampler");

    const size_t size[2] = {width, height};
    check(clSetKernelArg(swirl, 0, sizeof in, &in), "clSetKernelArg");
    check(clSetKernelArg(swirl, 1, sizeof swirled, &swirled), "clSetKernelArg");
    check(clSetKernelArg(swirl, 2, sizeof strength, &strength), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(queue, swirl, 2, NULL, size, NULL, 0, NULL, NULL), "launching swirl");
    check(clSetKernelArg(sharpen, 0, sizeof swirled, &swirled), "clSetKernelArg");
    check(clSetKernelArg(sharpen, 1, sizeof out, &out), "clSetKernelArg");
    check(clSetKernelArg(sharpen, 2, sizeof edge, &edge), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(queue, sharpen, 2, NULL, size, NULL, 0, NULL, NULL), "launching sharpen");

    const size_t bytes = 4 * width * height, origin[3] = {0, 0, 0}, region[3] = {width, height, 1};
    unsigned char *result = malloc(bytes);
    check(result ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY, "malloc");
    check(clEnqueueReadImage(queue, out, CL_TRUE, origin, region, 0, 0, result, 0, NULL, NULL), "reading");
    png_image png = {.version = PNG_IMAGE_VERSION, .format = PNG_FORMAT_RGBA};
    png.width = (png_uint_32)width, png.height = (png_uint_32)height;
    if (!png_image_write_to_file(&png, argv[2], 0, result, 0, NULL))
        fail("write", argv[2], png.message);
    int wrong = 0;
    for (size_t i = 0; i < bytes; i++)
        wrong += !is_right((struct image){pixels, (int)width, (int)height}, (int)i, result[i]);
    printf("%s: %zu x %zu pixels, %d values wrong\n", argv[2], width, height, wrong);

    clReleaseSampler(edge);
    clReleaseMemObject(in);
    clReleaseMemObject(swirled);
    clReleaseMemObject(out);
    clReleaseKernel(swirl);
    clReleaseKernel(sharpen);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    free(pixels);
    free(result);
    return wrong != 0;
}
