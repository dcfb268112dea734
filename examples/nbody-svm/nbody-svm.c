// Two discs of stars meet. Host and kernels share one data structure with pointers in it: shared virtual memory.
// nbody-svm [IMAGE.png]
#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>

#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>

// Every 25th step is compared with plain C.
enum { BODIES = 4096, STEPS = 100, CHECKED = 25, W = 480, H = 270 };
#define STEP 0.01f

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

static const char *source =
    "struct body { float4 position, velocity; };\n"
    "struct galaxy { global struct body *now, *next; float step; int count; };\n"
    "kernel void move(global const struct galaxy *g)\n"
    "{\n"
    "    int i = get_global_id(0);\n"
    "    struct body b = g->now[i];\n"
    "    float3 pull = 0.0f;\n"
    "    for (int j = 0; j < g->count; j++) {\n"
    "        float4 other = g->now[j].position;\n"
    "        float3 d = other.xyz - b.position.xyz;\n"
    "        float near = rsqrt(dot(d, d) + 1e-3f);\n"
    "        pull += other.w * near * near * near * d;\n"
    "    }\n"
    "    b.velocity.xyz += g->step * pull;\n"
    "    b.position.xyz += g->step * b.velocity.xyz;\n"
    "    g->next[i] = b;\n"
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

// A disc of stars around a heavy one, which they circle.
static void place(struct body *bodies, int count, float x, float y, float tilt, float speed)
{
    for (int i = 0; i < count; i++) {
        const float r = i ? 0.1f + 0.8f * sqrtf((float)rand() / (float)RAND_MAX) : 0;
        const float angle = 6.2831853f * (float)rand() / (float)RAND_MAX;
        const float v = i ? sqrtf(1.0f / r) : 0, c = cosf(angle), s = sinf(angle);
        bodies[i].position = (cl_float4){
            {x + r * c, y + r * s * cosf(tilt), r * s * sinf(tilt), i ? 0.3f / (float)count : 1.0f}};
        bodies[i].velocity = (cl_float4){{speed - v * s, v * c * cosf(tilt), v * c * sinf(tilt), 0}};
    }
}

// Compares a step with the same step in plain C. Returns how many coordinates are wrong.
static int count_wrong(const struct body *before, const struct body *after)
{
    int wrong = 0;
    for (int i = 0; i < BODIES; i++) {
        const float *p = before[i].position.s, *v = before[i].velocity.s;
        float pull[3] = {0, 0, 0};
        for (int j = 0; j < BODIES; j++) {
            const float *q = before[j].position.s, d[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
            const float near = 1.0f / sqrtf(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 1e-3f);
            for (int k = 0; k < 3; k++)
                pull[k] += q[3] * near * near * near * d[k];
        }
        for (int k = 0; k < 3; k++)
            wrong +=
                !(fabsf(p[k] + STEP * (v[k] + STEP * pull[k]) - after[i].position.s[k]) < 1e-5f); // NaN is
    }
    return wrong;
}

// A star is a spot of light that fades towards its edge, in the colour of its disc. The light of stars adds up.
static void draw(const char *path, const struct body *bodies)
{
    static const float colours[2][3] = {{1.0f, 0.7f, 0.35f}, {0.4f, 0.65f, 1.0f}}, SCALE = 117;
    static unsigned char pixels[H][W][3];
    for (int i = 0; i < BODIES; i++) {
        const float x = W / 2 + SCALE * bodies[i].position.s[0];
        const float y = H / 2 - SCALE * bodies[i].position.s[1];
        const float radius = bodies[i].position.s[3] == 1.0f ? 9.0f : 2.5f;
        for (int n = 0; n < 20 * 20; n++) {
            const int row = (int)y + n / 20 - 10, column = (int)x + n % 20 - 10;
            const float far = hypotf((float)column - x, (float)row - y) / radius;
            const float light = fminf(1, (1 - far) * radius / 4);
            for (int k = 0; k < 3 && far < 1 && row >= 0 && row < H && column >= 0 && column < W; k++)
                pixels[row][column][k] +=
                    (unsigned char)((255 - pixels[row][column][k]) * light * colours[i >= BODIES / 2][k]);
        }
    }
    png_image png = {.version = PNG_IMAGE_VERSION, .format = PNG_FORMAT_RGB, .width = W, .height = H};
    if (!png_image_write_to_file(&png, path, 0, pixels, 0, NULL)) {
        fprintf(stderr, "nbody-svm: cannot write %s: %s\n", path, png.message);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    if (argc > 2 || (argc == 2 && argv[1][0] == '-')) {
        fprintf(stderr, "usage: nbody-svm [IMAGE.png]\n");
        return 2;
    }
    const char *path = argc > 1 ? argv[1] : "nbody-svm.png";
    cl_int error;
    cl_device_id device = find_device();
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
    check(error, "clCreateCommandQueueWithProperties");
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
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

    const size_t bytes = BODIES * sizeof(struct body), count = BODIES, one = 1;
    struct galaxy *galaxy = clSVMAlloc(context, CL_MEM_READ_WRITE, sizeof *galaxy, 0);
    struct body *bodies[2] = {clSVMAlloc(context, CL_MEM_READ_WRITE, bytes, 0),
                              clSVMAlloc(context, CL_MEM_READ_WRITE, bytes, 0)};
    check(galaxy && bodies[0] && bodies[1] ? CL_SUCCESS : CL_OUT_OF_RESOURCES, "clSVMAlloc");
    // The host touches coarse-grained memory only while it is mapped.
    check(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, galaxy, sizeof *galaxy, 0, NULL, NULL), "mapping");
    check(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, bodies[0], bytes, 0, NULL, NULL), "mapping");
    *galaxy = (struct galaxy){bodies[0], bodies[1], STEP, BODIES};
    place(bodies[0], BODIES / 2, -0.95f, 0.35f, 0.4f, 0.35f);
    place(bodies[0] + BODIES / 2, BODIES / 2, 0.95f, -0.35f, 0.9f, -0.35f);
    check(clEnqueueSVMUnmap(queue, bodies[0], 0, NULL, NULL), "unmapping");
    check(clEnqueueSVMUnmap(queue, galaxy, 0, NULL, NULL), "unmapping");

    // The driver sees the argument. It must be told of the memory that the kernel reaches through it.
    check(clSetKernelArgSVMPointer(move, 0, galaxy), "clSetKernelArgSVMPointer");
    check(clSetKernelArgSVMPointer(swap, 0, galaxy), "clSetKernelArgSVMPointer");
    check(clSetKernelExecInfo(move, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof bodies, bodies), "naming bodies");
    int wrong = 0;
    for (int step = 1; step <= STEPS; step++) {
        check(clEnqueueNDRangeKernel(queue, move, 1, NULL, &count, NULL, 0, NULL, NULL), "launching");
        check(clEnqueueNDRangeKernel(queue, swap, 1, NULL, &one, NULL, 0, NULL, NULL), "launching");
        if (step % CHECKED != 0)
            continue;
        for (int i = 0; i < 2; i++)
            check(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, bodies[i], bytes, 0, NULL, NULL), "mapping");
        wrong += count_wrong(bodies[1 - step % 2], bodies[step % 2]);
        if (step == STEPS)
            draw(path, bodies[step % 2]);
        for (int i = 0; i < 2; i++)
            check(clEnqueueSVMUnmap(queue, bodies[i], 0, NULL, NULL), "unmapping");
    }
    check(clFinish(queue), "clFinish");
    printf("%d bodies, %d steps: every %dth is %s\n", BODIES, STEPS, CHECKED, wrong ? "WRONG" : "right");
    printf("image: %s\n", path);
    clSVMFree(context, bodies[0]);
    clSVMFree(context, bodies[1]);
    clSVMFree(context, galaxy);
    clReleaseKernel(move);
    clReleaseKernel(swap);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return wrong != 0;
}
