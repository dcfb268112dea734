// Reads a PNG, swirls it, sharpens it, and writes a PNG. Images and samplers do the addressing and the interpolation.
// image-filter INPUT.png OUTPUT.png
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char source[] =
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
    "    float4 pixel = read_imagef(in, pixels, at);\n"
    "    write_imagef(out, at, clamp(pixel + (pixel - sum / 9.0f), 0.0f, 1.0f));\n"
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

// Four bytes a pixel. The caller frees them.
static unsigned char *read_png(const char *path, size_t *width, size_t *height)
{
    png_image png;
    memset(&png, 0, sizeof png);
    png.version = PNG_IMAGE_VERSION;
    if (!png_image_begin_read_from_file(&png, path)) {
        fprintf(stderr, "image-filter: cannot read %s: %s\n", path, png.message);
        exit(1);
    }
    png.format = PNG_FORMAT_RGBA;
    unsigned char *pixels = malloc(PNG_IMAGE_SIZE(png));
    if (!pixels || !png_image_finish_read(&png, NULL, pixels, 0, NULL)) {
        fprintf(stderr, "image-filter: cannot read %s: %s\n", path, pixels ? png.message : "out of memory");
        exit(1);
    }
    *width = png.width;
    *height = png.height;
    return pixels;
}

static void write_png(const char *path, const unsigned char *pixels, size_t width, size_t height)
{
    png_image png;
    memset(&png, 0, sizeof png);
    png.version = PNG_IMAGE_VERSION;
    png.width = (png_uint_32)width;
    png.height = (png_uint_32)height;
    png.format = PNG_FORMAT_RGBA;
    if (!png_image_write_to_file(&png, path, 0, pixels, 0, NULL)) {
        fprintf(stderr, "image-filter: cannot write %s: %s\n", path, png.message);
        exit(1);
    }
}

// ---- The same in plain C ----

// Channel c of pixel (x, y), which may be outside of the image: mirrored there, or clamped to the edge.
static float at(const unsigned char *image, int width, int height, int x, int y, int c, int mirrored)
{
    if (mirrored) {
        x = x < 0 ? -1 - x : x >= width ? 2 * width - 1 - x : x;
        y = y < 0 ? -1 - y : y >= height ? 2 * height - 1 - y : y;
    }
    x = x < 0 ? 0 : x >= width ? width - 1 : x;
    y = y < 0 ? 0 : y >= height ? height - 1 : y;
    return image[4 * (y * width + x) + c] / 255.0f;
}

static unsigned char to_byte(float value)
{
    return (unsigned char)lrintf(255.0f * fminf(fmaxf(value, 0.0f), 1.0f));
}

static void swirl_in_c(const unsigned char *in, unsigned char *out, int width, int height, float strength)
{
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            const float px = ((float)x + 0.5f) / (float)width - 0.5f,
                        py = ((float)y + 0.5f) / (float)height - 0.5f;
            const float angle = strength * expf(-8.0f * (px * px + py * py)), s = sinf(angle),
                        c = cosf(angle);
            const float u = (c * px - s * py + 0.5f) * (float)width - 0.5f;
            const float v = (s * px + c * py + 0.5f) * (float)height - 0.5f;
            const int i = (int)floorf(u), j = (int)floorf(v);
            const float a = u - (float)i, b = v - (float)j;
            for (int k = 0; k < 4; k++)
                out[4 * (y * width + x) + k] =
                    to_byte((1 - b) * ((1 - a) * at(in, width, height, i, j, k, 1) +
                                       a * at(in, width, height, i + 1, j, k, 1)) +
                            b * ((1 - a) * at(in, width, height, i, j + 1, k, 1) +
                                 a * at(in, width, height, i + 1, j + 1, k, 1)));
        }
}

static void sharpen_in_c(const unsigned char *in, unsigned char *out, int width, int height)
{
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            for (int k = 0; k < 4; k++) {
                float sum = 0;
                for (int j = -1; j <= 1; j++)
                    for (int i = -1; i <= 1; i++)
                        sum += at(in, width, height, x + i, y + j, k, 0);
                const float pixel = at(in, width, height, x, y, k, 0);
                out[4 * (y * width + x) + k] = to_byte(pixel + (pixel - sum / 9.0f));
            }
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
    const char *text = source;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
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

    const float strength = 2.0f;
    const size_t size[2] = {width, height};
    check(clSetKernelArg(swirl, 0, sizeof in, &in), "clSetKernelArg");
    check(clSetKernelArg(swirl, 1, sizeof swirled, &swirled), "clSetKernelArg");
    check(clSetKernelArg(swirl, 2, sizeof strength, &strength), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(queue, swirl, 2, NULL, size, NULL, 0, NULL, NULL), "clEnqueueNDRangeKernel");
    check(clSetKernelArg(sharpen, 0, sizeof swirled, &swirled), "clSetKernelArg");
    check(clSetKernelArg(sharpen, 1, sizeof out, &out), "clSetKernelArg");
    check(clSetKernelArg(sharpen, 2, sizeof edge, &edge), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(queue, sharpen, 2, NULL, size, NULL, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");

    const size_t bytes = 4 * width * height, origin[3] = {0, 0, 0}, region[3] = {width, height, 1};
    unsigned char *result = malloc(bytes), *expected = malloc(bytes), *between = malloc(bytes);
    if (!result || !expected || !between) {
        fprintf(stderr, "image-filter: out of memory\n");
        return 1;
    }
    check(clEnqueueReadImage(queue, out, CL_TRUE, origin, region, 0, 0, result, 0, NULL, NULL),
          "clEnqueueReadImage");
    write_png(argv[2], result, width, height);

    // Devices may interpolate with weights of eight bits, which sharpening then makes visible.
    size_t wrong = 0;
    swirl_in_c(pixels, between, (int)width, (int)height, strength);
    sharpen_in_c(between, expected, (int)width, (int)height);
    for (size_t i = 0; i < bytes; i++)
        wrong += abs(result[i] - expected[i]) > 6;
    printf("%s: %zu x %zu pixels, %zu values wrong\n", argv[2], width, height, wrong);

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
    free(expected);
    free(between);
    return wrong != 0;
}
