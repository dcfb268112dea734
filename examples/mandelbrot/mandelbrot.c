// Draws the Mandelbrot set with OpenCL on the first CPU device that the ICD loader offers, and writes a PNG. Some rows are
// compared with plain C.
// mandelbrot [file.png]
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WIDTH = 1920, HEIGHT = 1080, MAX_ITERATIONS = 512, PASSES = 5, CHECKED = 7 };
static const cl_float2 centre = {{-0.743643887f, 0.131825904f}};
static const cl_float scale = 0.012f;

static const char source[] =
    "kernel void mandelbrot(global uchar4 *image, int width, int height, float2 centre, float scale, int "
    "limit)\n"
    "{\n"
    "    int x = get_global_id(0), y = get_global_id(1);\n"
    "    float cr = centre.x + (x - 0.5f * width) * scale / height;\n"
    "    float ci = centre.y + (y - 0.5f * height) * scale / height;\n"
    "    float zr = 0.0f, zi = 0.0f;\n"
    "    int n = 0;\n"
    "    for (; n < limit && zr * zr + zi * zi < 16.0f; n++) {\n"
    "        float t = zr * zr - zi * zi + cr;\n"
    "        zi = 2.0f * zr * zi + ci;\n"
    "        zr = t;\n"
    "    }\n"
    "    float s = n + 1.0f - log2(log(fmax(zr * zr + zi * zi, 1.5f)) * 0.5f);\n"
    "    float4 colour = 0.5f + 0.5f * cos(0.06f * s + (float4)(3.0f, 3.6f, 4.2f, 0.0f));\n"
    "    colour = n == limit ? (float4)(0.0f, 0.0f, 0.0f, 0.0f) : colour;\n"
    "    colour.w = 1.0f;\n"
    "    image[y * width + x] = convert_uchar4_sat_rte(colour * 255.0f);\n"
    "}\n";

static void check(cl_int error, const char *what)
{
    if (error != CL_SUCCESS) {
        fprintf(stderr, "mandelbrot: %s failed with error %d\n", what, error);
        exit(1);
    }
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static cl_device_id find_device(void)
{
    cl_platform_id platforms[16];
    cl_uint count = 0;
    check(clGetPlatformIDs(16, platforms, &count), "clGetPlatformIDs (is a driver installed?)");
    for (cl_uint i = 0; i < count && i < 16; i++) {
        cl_device_id device;
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &device, NULL) == CL_SUCCESS)
            return device;
    }
    fprintf(stderr, "mandelbrot: no OpenCL CPU device found\n");
    exit(1);
}

static double rounded(double x, int to_float)
{
    return to_float ? (double)(float)x : x;
}

// A pixel's three colours in plain C, with numbers that are as exact as those of float or of double.
static void compute(unsigned char *colours, int x, int y, int as_float)
{
    static const float phase[3] = {3.0f, 3.6f, 4.2f};
    const double step = (double)scale / (double)HEIGHT;
    const double cr = rounded(centre.s[0] + (x - WIDTH / 2) * step, as_float);
    const double ci = rounded(centre.s[1] + (y - HEIGHT / 2) * step, as_float);
    double zr = 0, zi = 0;
    int n = 0;
    for (; n < MAX_ITERATIONS && zr * zr + zi * zi < 16; n++) {
        const double t = rounded(zr * zr - zi * zi + cr, as_float);
        zi = rounded(2 * zr * zi + ci, as_float);
        zr = t;
    }
    const float s = (float)n + 1 - log2f(logf(fmaxf((float)(zr * zr + zi * zi), 1.5f)) * 0.5f);
    for (int k = 0; k < 3; k++)
        colours[k] =
            n == MAX_ITERATIONS ? 0 : (unsigned char)rintf(255 * (0.5f + 0.5f * cosf(0.06f * s + phase[k])));
}

static int differ(const unsigned char *a, const unsigned char *b)
{
    return abs(a[0] - b[0]) > 4 || abs(a[1] - b[1]) > 4 || abs(a[2] - b[2]) > 4;
}

// Looks at every seventh row. Where float and double differ, the last bit of a number decides what the pixel is, and any
// result is right. Few other pixels are as near to that.
static int is_right(const unsigned char *rgba)
{
    int compared = 0, wrong = 0;
    for (int y = 0; y < HEIGHT; y += CHECKED)
        for (int x = 0; x < WIDTH; x++) {
            const unsigned char *found = rgba + 4 * ((size_t)y * WIDTH + (size_t)x);
            unsigned char expected[3], exact[3];
            compute(expected, x, y, 1);
            compute(exact, x, y, 0);
            const int is_sure = !differ(expected, exact);
            compared += is_sure;
            wrong += (is_sure && differ(found, expected)) || found[3] != 255;
        }
    return wrong < compared / 50;
}

static void write_png(const char *path, const unsigned char *rgba)
{
    png_image image;
    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    image.width = WIDTH;
    image.height = HEIGHT;
    image.format = PNG_FORMAT_RGBA;
    if (!png_image_write_to_file(&image, path, 0, rgba, 0, NULL)) {
        fprintf(stderr, "mandelbrot: cannot write %s: %s\n", path, image.message);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "mandelbrot.png";
    if (argc > 2 || path[0] == '-') {
        fprintf(stderr, "usage: mandelbrot [IMAGE.png]\n");
        return 2;
    }
    cl_int error;
    cl_device_id device = find_device();
    char name[256], version[256];
    check(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL), "clGetDeviceInfo");
    check(clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof version, version, NULL), "clGetDeviceInfo");
    printf("device: %s (%s)\n", name, version);

    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    check(error, "clCreateCommandQueue");

    double begin = seconds();
    const char *text = source;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    check(error, "clCreateProgramWithSource");
    if (clBuildProgram(program, 1, &device, "", NULL, NULL) != CL_SUCCESS) {
        static char log[65536];
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fprintf(stderr, "%s", log);
        return 1;
    }
    cl_kernel kernel = clCreateKernel(program, "mandelbrot", &error);
    check(error, "clCreateKernel");
    printf("build: %.1f ms\n", 1e3 * (seconds() - begin));

    cl_mem image = clCreateBuffer(context, CL_MEM_WRITE_ONLY, 4 * WIDTH * HEIGHT, NULL, &error);
    check(error, "clCreateBuffer");
    cl_int width = WIDTH, height = HEIGHT, limit = MAX_ITERATIONS;
    check(clSetKernelArg(kernel, 0, sizeof image, &image), "clSetKernelArg");
    check(clSetKernelArg(kernel, 1, sizeof width, &width), "clSetKernelArg");
    check(clSetKernelArg(kernel, 2, sizeof height, &height), "clSetKernelArg");
    check(clSetKernelArg(kernel, 3, sizeof centre, &centre), "clSetKernelArg");
    check(clSetKernelArg(kernel, 4, sizeof scale, &scale), "clSetKernelArg");
    check(clSetKernelArg(kernel, 5, sizeof limit, &limit), "clSetKernelArg");

    const size_t global[2] = {WIDTH, HEIGHT};
    double best = 1e30;
    for (int pass = 0; pass <= PASSES;
         pass++) { // the first one waits for the kernel's code and is not counted
        begin = seconds();
        check(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, NULL, 0, NULL, NULL),
              "clEnqueueNDRangeKernel");
        check(clFinish(queue), "clFinish");
        double took = seconds() - begin;
        if (pass > 0 && took < best)
            best = took;
    }
    printf("speed: %.1f Mpixel/s (%d x %d, up to %d iterations)\n", WIDTH * HEIGHT / best * 1e-6, WIDTH,
           HEIGHT, limit);

    unsigned char *pixels =
        clEnqueueMapBuffer(queue, image, CL_TRUE, CL_MAP_READ, 0, 4 * WIDTH * HEIGHT, 0, NULL, NULL, &error);
    check(error, "clEnqueueMapBuffer");
    write_png(path, pixels);
    const int right = is_right(pixels);
    printf("image: %s, which is %s\n", path, right ? "right" : "WRONG");
    check(clEnqueueUnmapMemObject(queue, image, pixels, 0, NULL, NULL), "clEnqueueUnmapMemObject");
    check(clFinish(queue), "clFinish");
    clReleaseMemObject(image);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return !right;
}
