// Draws the Mandelbrot set adaptively: kernels enqueue kernels where there is detail, and nowhere else.
// device-enqueue [IMAGE.png]
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>

#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 512, TILES = 8, TILE = SIZE / TILES, LIMIT = 256 };

static const char source[] =
    "#pragma OPENCL FP_CONTRACT OFF\n"
    "int count_steps(int x, int y)\n"
    "{\n"
    "    float cr = x * (2.5f / SIZE) - 1.9f, ci = y * (2.5f / SIZE) - 1.25f, zr = 0, zi = 0;\n"
    "    int n = 0;\n"
    "    for (; n < LIMIT && zr * zr + zi * zi < 4.0f; n++) {\n"
    "        float t = zr * zr - zi * zi + cr;\n"
    "        zi = 2.0f * zr * zi + ci;\n"
    "        zr = t;\n"
    "    }\n"
    "    return n;\n"
    "}\n"
    // What the children of `tile` run: each work-item has a pixel of the square.
    "void every_pixel(global int *image, int left, int top)\n"
    "{\n"
    "    int x = left + (int)get_global_id(0), y = top + (int)get_global_id(1);\n"
    "    image[y * SIZE + x] = count_steps(x, y);\n"
    "}\n"
    "void one_colour(global int *image, int left, int top, int n)\n"
    "{\n"
    "    image[(top + (int)get_global_id(1)) * SIZE + left + (int)get_global_id(0)] = n;\n"
    "}\n"
    // A work-item for each square. If its border has one colour, so has the inside. If not, it becomes four squares,
    // or, when it is small, pixels. counts: squares of one colour, squares of pixels.
    "kernel void tile(global int *image, int left, int top, int size, global atomic_int *counts)\n"
    "{\n"
    "    queue_t queue = get_default_queue();\n"
    "    left += size * (int)get_global_id(0);\n"
    "    top += size * (int)get_global_id(1);\n"
    "    int first = count_steps(left, top), same = 1;\n"
    "    for (int i = 0; i < size && same; i++)\n"
    "        same = count_steps(left + i, top) == first && count_steps(left + i, top + size - 1) == first "
    "&&\n"
    "               count_steps(left, top + i) == first && count_steps(left + size - 1, top + i) == first;\n"
    "    size_t pixels[2] = {size, size}, four[2] = {2, 2};\n"
    "    int error;\n"
    "    if (same)\n"
    "        error = enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_2D(pixels),\n"
    "                               ^{ one_colour(image, left, top, first); });\n"
    "    else if (size <= 8)\n"
    "        error = enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_2D(pixels),\n"
    "                               ^{ every_pixel(image, left, top); });\n"
    "    else\n"
    "        error = enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_2D(four),\n"
    "                               ^{ tile(image, left, top, size / 2, counts); });\n"
    "    if (same || size <= 8)\n"
    "        atomic_fetch_add(&counts[same ? 0 : 1], 1);\n"
    "    if (error)\n" // The queue on the device is full.
    "        atomic_fetch_add(&counts[2], 1);\n"
    "}\n";

static void check(cl_int error, const char *what)
{
    if (error != CL_SUCCESS) {
        fprintf(stderr, "device-enqueue: %s failed with error %d\n", what, error);
        exit(1);
    }
}

// The first device of any platform whose kernels may enqueue kernels. Older devices don't know the query.
static cl_device_id find_device(void)
{
    cl_platform_id platforms[16];
    cl_uint count = 0;
    check(clGetPlatformIDs(16, platforms, &count), "clGetPlatformIDs (is a driver installed?)");
    for (cl_uint i = 0; i < count && i < 16; i++) {
        cl_device_id device;
        cl_device_device_enqueue_capabilities can = 0;
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS &&
            clGetDeviceInfo(device, CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, sizeof can, &can, NULL) ==
                CL_SUCCESS &&
            (can & CL_DEVICE_QUEUE_SUPPORTED))
            return device;
    }
    fprintf(stderr, "device-enqueue: there is no OpenCL device whose kernels can enqueue kernels\n");
    exit(77);
}

static int count_steps(int x, int y)
{
    const float pixel = 2.5f / (float)SIZE, cr = (float)x * pixel - 1.9f, ci = (float)y * pixel - 1.25f;
    float zr = 0, zi = 0;
    int n = 0;
    for (; n < LIMIT && zr * zr + zi * zi < 4.0f; n++) {
        const float t = zr * zr - zi * zi + cr;
        zi = 2.0f * zr * zi + ci;
        zr = t;
    }
    return n;
}

static void draw(const char *path, const cl_int *steps)
{
    static unsigned char pixels[SIZE * SIZE];
    for (int i = 0; i < SIZE * SIZE; i++)
        pixels[i] = (unsigned char)(steps[i] == LIMIT ? 0 : 255 - 12 * (steps[i] % 20));
    png_image png;
    memset(&png, 0, sizeof png);
    png.version = PNG_IMAGE_VERSION;
    png.width = png.height = SIZE;
    png.format = PNG_FORMAT_GRAY;
    if (!png_image_write_to_file(&png, path, 0, pixels, 0, NULL)) {
        fprintf(stderr, "device-enqueue: cannot write %s: %s\n", path, png.message);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    if (argc > 2 || (argc == 2 && argv[1][0] == '-')) {
        fprintf(stderr, "usage: device-enqueue [IMAGE.png]\n");
        return 2;
    }
    const char *path = argc > 1 ? argv[1] : "device-enqueue.png";
    cl_int error;
    cl_device_id device = find_device();
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
    check(error, "clCreateCommandQueueWithProperties");
    // The queue that kernels enqueue to. get_default_queue() finds it.
    const cl_queue_properties on_device[] = {
        CL_QUEUE_PROPERTIES,
        CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    cl_command_queue device_queue = clCreateCommandQueueWithProperties(context, device, on_device, &error);
    check(error, "clCreateCommandQueueWithProperties");

    char options[64];
    snprintf(options, sizeof options, "-cl-std=CL3.0 -DSIZE=%d -DLIMIT=%d", SIZE, LIMIT);
    const char *text = source;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    check(error, "clCreateProgramWithSource");
    error = clBuildProgram(program, 1, &device, options, NULL, NULL);
    if (error == CL_BUILD_PROGRAM_FAILURE) {
        static char log[16384];
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fprintf(stderr, "%s\n", log);
    }
    check(error, "clBuildProgram");
    cl_kernel tile = clCreateKernel(program, "tile", &error);
    check(error, "clCreateKernel");

    static cl_int steps[SIZE * SIZE];
    cl_int counts[3] = {0};
    cl_mem image = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof steps, NULL, &error);
    check(error, "clCreateBuffer");
    cl_mem counters =
        clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof counts, counts, &error);
    check(error, "clCreateBuffer");
    const cl_int zero = 0, size = TILE;
    const size_t tiles[2] = {TILES, TILES};
    check(clSetKernelArg(tile, 0, sizeof image, &image), "clSetKernelArg");
    check(clSetKernelArg(tile, 1, sizeof zero, &zero), "clSetKernelArg");
    check(clSetKernelArg(tile, 2, sizeof zero, &zero), "clSetKernelArg");
    check(clSetKernelArg(tile, 3, sizeof size, &size), "clSetKernelArg");
    check(clSetKernelArg(tile, 4, sizeof counters, &counters), "clSetKernelArg");
    // A kernel is complete when all that it has enqueued is. So the reads wait for the whole picture.
    check(clEnqueueNDRangeKernel(queue, tile, 2, NULL, tiles, NULL, 0, NULL, NULL), "clEnqueueNDRangeKernel");
    check(clEnqueueReadBuffer(queue, image, CL_TRUE, 0, sizeof steps, steps, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    check(clEnqueueReadBuffer(queue, counters, CL_TRUE, 0, sizeof counts, counts, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    draw(path, steps);

    // A few pixels may differ: where rounding decides, and where a hair of the set is thinner than a pixel.
    int different = 0;
    for (int y = 0; y < SIZE; y++)
        for (int x = 0; x < SIZE; x++)
            different += steps[y * SIZE + x] != count_steps(x, y);
    const int right = different < SIZE * SIZE / 1000 && counts[2] == 0;
    printf("%d squares of one colour, %d squares of pixels, %d not enqueued\n", counts[0], counts[1],
           counts[2]);
    printf("image: %s, which is %s\n", path, right ? "right" : "WRONG");

    clReleaseMemObject(image);
    clReleaseMemObject(counters);
    clReleaseKernel(tile);
    clReleaseProgram(program);
    clReleaseCommandQueue(device_queue);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return !right;
}
