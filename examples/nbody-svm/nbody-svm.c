// Two discs of stars meet. Host and kernels share one data structure with pointers in it: shared virtual memory.
// nbody-svm [IMAGE.png]
#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>

#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BODIES = 4096, STEPS = 100, CHECKED_STEPS = 4, WIDTH = 480, HEIGHT = 270 };

// The kernels declare the same two structures.
struct body {
    cl_float4 position; // w: the mass
    cl_float4 velocity;
};
struct galaxy {
    struct body *now, *next; // an address means the same to the host and to the kernels
    cl_float step;
    cl_int count;
};

static const char source[] =
    "struct body { float4 position, velocity; };\n"
    "struct galaxy { global struct body *now, *next; float step; int count; };\n"
    "kernel void move(global const struct galaxy *g)\n"
    "{\n"
    "    int i = get_global_id(0);\n"
    "    float4 position = g->now[i].position, velocity = g->now[i].velocity;\n"
    "    float3 pull = 0.0f;\n"
    "    for (int j = 0; j < g->count; j++) {\n"
    "        float4 other = g->now[j].position;\n"
    "        float3 d = other.xyz - position.xyz;\n"
    "        float near = rsqrt(dot(d, d) + 1e-3f);\n"
    "        pull += other.w * near * near * near * d;\n"
    "    }\n"
    "    velocity.xyz += g->step * pull;\n"
    "    position.xyz += g->step * velocity.xyz;\n"
    "    g->next[i].position = position;\n"
    "    g->next[i].velocity = velocity;\n"
    "}\n"
    // The step's result becomes the next step's input: a kernel changes pointers that the host has set.
    "kernel void swap(global struct galaxy *g)\n"
    "{\n"
    "    global struct body *now = g->now;\n"
    "    g->now = g->next;\n"
    "    g->next = now;\n"
    "}\n";

static void check(cl_int error, const char *what)
{
    if (error != CL_SUCCESS) {
        fprintf(stderr, "nbody-svm: %s failed with error %d\n", what, error);
        exit(1);
    }
}

// The first device of any platform that shares buffers of virtual memory.
static cl_device_id find_device(void)
{
    cl_platform_id platforms[16];
    cl_uint count = 0;
    check(clGetPlatformIDs(16, platforms, &count), "clGetPlatformIDs (is a driver installed?)");
    for (cl_uint i = 0; i < count && i < 16; i++) {
        cl_device_id device;
        cl_device_svm_capabilities svm = 0;
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL) == CL_SUCCESS &&
            clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL) == CL_SUCCESS &&
            (svm & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER))
            return device;
    }
    fprintf(stderr, "nbody-svm: there is no OpenCL device with shared virtual memory\n");
    exit(77);
}

static void *allocate(cl_context context, size_t bytes)
{
    void *memory = clSVMAlloc(context, CL_MEM_READ_WRITE, bytes, 0);
    if (!memory) {
        fprintf(stderr, "nbody-svm: clSVMAlloc of %zu bytes failed\n", bytes);
        exit(1);
    }
    return memory;
}

static float fraction(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) / (float)(1 << 24);
}

// A disc of stars around a heavy one, which they circle.
static void place(struct body *bodies, int count, float x, float y, float tilt, float speed)
{
    unsigned state = 12345;
    for (int i = 0; i < count; i++) {
        const float r = i ? 0.1f + 0.8f * sqrtf(fraction(&state)) : 0, angle = 6.2831853f * fraction(&state);
        const float v = i ? sqrtf(1.0f / r) : 0, c = cosf(angle), s = sinf(angle);
        bodies[i].position = (cl_float4){
            {x + r * c, y + r * s * cosf(tilt), r * s * sinf(tilt), i ? 0.3f / (float)count : 1.0f}};
        bodies[i].velocity = (cl_float4){{speed - v * s, v * c * cosf(tilt), v * c * sinf(tilt), 0}};
    }
}

static void move_in_c(const struct body *now, struct body *next, int count, float step)
{
    for (int i = 0; i < count; i++) {
        float pull[3] = {0, 0, 0};
        next[i] = now[i];
        for (int j = 0; j < count; j++) {
            float d[3], square = 1e-3f;
            for (int k = 0; k < 3; k++) {
                d[k] = now[j].position.s[k] - now[i].position.s[k];
                square += d[k] * d[k];
            }
            const float near = 1.0f / sqrtf(square);
            for (int k = 0; k < 3; k++)
                pull[k] += now[j].position.s[3] * near * near * near * d[k];
        }
        for (int k = 0; k < 3; k++) {
            next[i].velocity.s[k] += step * pull[k];
            next[i].position.s[k] += step * next[i].velocity.s[k];
        }
    }
}

// A star is a spot of light that fades towards its edge, in the colour of its disc. The light of stars adds up.
static void draw(const char *path, const struct body *bodies, int count)
{
    static const float colours[2][3] = {{1.0f, 0.7f, 0.35f}, {0.4f, 0.65f, 1.0f}};
    static float light[HEIGHT][WIDTH][3];
    static unsigned char pixels[HEIGHT][WIDTH][3];
    const float scale = 117; // pixels for a unit
    for (int i = 0; i < count; i++) {
        const float x = WIDTH / 2 + scale * bodies[i].position.s[0];
        const float y = HEIGHT / 2 - scale * bodies[i].position.s[1];
        const float radius = bodies[i].position.s[3] == 1.0f ? 9.0f : 2.5f;
        for (int row = (int)ceilf(y - radius); (float)row <= y + radius; row++)
            for (int column = (int)ceilf(x - radius); (float)column <= x + radius; column++) {
                const float far = hypotf((float)column - x, (float)row - y) / radius;
                if (row < 0 || row >= HEIGHT || column < 0 || column >= WIDTH || far >= 1)
                    continue;
                for (int k = 0; k < 3; k++)
                    light[row][column][k] += colours[i >= count / 2][k] * (1 - far) * radius / 3;
            }
    }
    for (int i = 0; i < HEIGHT * WIDTH * 3; i++)
        (&pixels[0][0][0])[i] = (unsigned char)(255 * (1 - expf(-0.8f * (&light[0][0][0])[i])));
    png_image png;
    memset(&png, 0, sizeof png);
    png.version = PNG_IMAGE_VERSION;
    png.width = WIDTH;
    png.height = HEIGHT;
    png.format = PNG_FORMAT_RGB;
    if (!png_image_write_to_file(&png, path, 0, pixels, 0, NULL)) {
        fprintf(stderr, "nbody-svm: cannot write %s: %s\n", path, png.message);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "nbody-svm.png";
    cl_int error;
    cl_device_id device = find_device();
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
    check(error, "clCreateCommandQueueWithProperties");
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
    cl_kernel move = clCreateKernel(program, "move", &error);
    check(error, "clCreateKernel");
    cl_kernel swap = clCreateKernel(program, "swap", &error);
    check(error, "clCreateKernel");

    struct galaxy *galaxy = allocate(context, sizeof *galaxy);
    struct body *bodies[2];
    for (int i = 0; i < 2; i++)
        bodies[i] = allocate(context, BODIES * sizeof *bodies[i]);

    // The host touches coarse-grained memory only while it is mapped.
    check(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, galaxy, sizeof *galaxy, 0, NULL, NULL),
          "clEnqueueSVMMap");
    check(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, bodies[0], BODIES * sizeof *bodies[0], 0, NULL, NULL),
          "clEnqueueSVMMap");
    *galaxy = (struct galaxy){bodies[0], bodies[1], 0.01f, BODIES};
    place(bodies[0], BODIES / 2, -0.95f, 0.35f, 0.4f, 0.35f);
    place(bodies[0] + BODIES / 2, BODIES / 2, 0.95f, -0.35f, 0.9f, -0.35f);
    struct body *expected = malloc(BODIES * sizeof *expected), *before = malloc(BODIES * sizeof *before);
    if (!expected || !before) {
        fprintf(stderr, "nbody-svm: out of memory\n");
        return 1;
    }
    memcpy(expected, bodies[0], BODIES * sizeof *expected);
    check(clEnqueueSVMUnmap(queue, bodies[0], 0, NULL, NULL), "clEnqueueSVMUnmap");
    check(clEnqueueSVMUnmap(queue, galaxy, 0, NULL, NULL), "clEnqueueSVMUnmap");

    // The driver sees the argument. It must be told of the memory that the kernel reaches through it.
    check(clSetKernelArgSVMPointer(move, 0, galaxy), "clSetKernelArgSVMPointer");
    check(clSetKernelArgSVMPointer(swap, 0, galaxy), "clSetKernelArgSVMPointer");
    check(clSetKernelExecInfo(move, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof bodies, bodies),
          "clSetKernelExecInfo");

    const size_t count = BODIES, one = 1;
    double worst = 0;
    for (int step = 1; step <= STEPS; step++) {
        check(clEnqueueNDRangeKernel(queue, move, 1, NULL, &count, NULL, 0, NULL, NULL),
              "clEnqueueNDRangeKernel");
        check(clEnqueueNDRangeKernel(queue, swap, 1, NULL, &one, NULL, 0, NULL, NULL),
              "clEnqueueNDRangeKernel");
        struct body *now = bodies[step % 2];
        if (step <= CHECKED_STEPS) {
            memcpy(before, expected, BODIES * sizeof *before);
            move_in_c(before, expected, BODIES, 0.01f);
        }
        if (step != CHECKED_STEPS && step != STEPS)
            continue;
        check(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, now, BODIES * sizeof *now, 0, NULL, NULL),
              "clEnqueueSVMMap");
        for (int i = 0; i < BODIES && step == CHECKED_STEPS; i++)
            for (int k = 0; k < 3; k++)
                worst = fmax(worst, fabs(now[i].position.s[k] - expected[i].position.s[k]));
        if (step == STEPS)
            draw(path, now, BODIES);
        check(clEnqueueSVMUnmap(queue, now, 0, NULL, NULL), "clEnqueueSVMUnmap");
    }
    check(clFinish(queue), "clFinish");
    const int right = worst < 1e-4;
    printf("%d bodies, %d steps; after %d steps positions are %s\n", BODIES, STEPS, CHECKED_STEPS,
           right ? "right" : "WRONG");
    printf("image: %s\n", path);

    for (int i = 0; i < 2; i++)
        clSVMFree(context, bodies[i]);
    clSVMFree(context, galaxy);
    clReleaseKernel(move);
    clReleaseKernel(swap);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    free(expected);
    free(before);
    return !right;
}
