// A program whose kernels a debugger looks at (sessions.py): as any program, it knows nothing of Weft.
// usage: program BUILD-OPTIONS [wait|twice]
// It launches its kernels, and again with `twice`, or with `wait` when a debugger has set `go`.
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ITEMS = 1024, GROUP = 64, WAIT_S = 60 };

// Lines are counted from 1, so that the first line of a kernel is the one in its comment here.
static const char source[] =
    "float scale(float a, float x)\n"                                      // 1
    "{\n"                                                                  // 2
    "    float product = a * x;\n"                                         // 3
    "    return product;\n"                                                // 4
    "}\n"                                                                  // 5
    "\n"                                                                   // 6
    "kernel void saxpy(float a, global const float *x, global float *y,\n" // 7
    "                  float4 v)\n"                                        // 8
    "{\n"                                                                  // 9
    "    int i = get_global_id(0);\n"                                      // 10
    "    int part[4];\n"                                                   // 11
    "    for (int k = 0; k < 4; k++)\n"                                    // 12
    "        part[k] = i * k;\n"                                           // 13
    "    float s = scale(a, x[i]);\n"                                      // 14
    "    y[i] = s + y[i] + part[3] + v.y;\n"                               // 15
    "}\n"                                                                  // 16
    "\n"                                                                   // 17
    "kernel void reverse(global int *data, int n)\n"                       // 18
    "{\n"                                                                  // 19
    "    local int tile[64];\n"                                            // 20
    "    int l = get_local_id(0);\n"                                       // 21
    "    int own = data[get_global_id(0)];\n"                              // 22
    "    tile[l] = own;\n"                                                 // 23
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"                                  // 24
    "    int other = tile[63 - l];\n"                                      // 25
    "    data[get_global_id(0)] = other + 1000 * own + n;\n"               // 26
    "}\n"                                                                  // 27
    "\n"
    "kernel void branches(global const float *x, global float *y)\n"
    "{\n"
    "    int i = get_global_id(0);\n"
    "    float s = 0;\n"
    "    if (i % 4 == 0)\n"
    "        for (int k = 0; k < 10; k++)\n"
    "            s += x[(i + k) % 1024];\n"
    "    y[i] = s;\n"
    "}\n"
    "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
    "struct point { float x, y; int tags[3]; };\n"
    "typedef struct { struct point p[2]; uchar4 colour; } shape;\n"
    "constant float table[4] = {1, 2, 3, 4};\n"
    "kernel void types(global float *out, shape by_value, local float4 *scratch)\n"
    "{\n"
    "    shape s = by_value;\n"
    "    uchar3 c = (uchar3)(1, 2, 3);\n"
    "    double d = 2.5;\n"
    "    half4 h = (half4)(0.5h, 1, 2, 3);\n"
    "    float matrix[2][3] = {{1, 2, 3}, {4, 5, 6}};\n"
    "    bool flag = d > 0;\n"
    "    global float *second = out + get_global_id(1);\n"
    "    s.p[1].tags[2] = get_global_id(1);\n"
    "    scratch[get_local_id(0)] = (float4)(get_global_id(0));\n"
    "    if (get_global_id(0) == 3 && get_global_id(1) == 1)\n"
    "        out[7] = s.p[1].x + matrix[1][2] + table[2] + (flag ? c.y : 0) + h.x; // here\n"
    "}\n";

static void check(cl_int error, const char *what)
{
    if (error != CL_SUCCESS) {
        fprintf(stderr, "%s: error %d\n", what, error);
        exit(1);
    }
}

volatile int go;

static float x[ITEMS], y[ITEMS], z[ITEMS];
static int data[ITEMS];

static cl_mem buffer(cl_context c, size_t size, void *memory)
{
    cl_int error;
    cl_mem m = clCreateBuffer(c, CL_MEM_USE_HOST_PTR, size, memory, &error);
    check(error, "clCreateBuffer");
    return m;
}

struct point {
    cl_float x, y;
    cl_int tags[3];
};
struct shape {
    struct point p[2];
    cl_uchar4 colour;
};

static void launch_types(cl_command_queue q, cl_kernel k, cl_mem out)
{
    const size_t items[] = {4, 2}, group[] = {4, 1};
    const struct shape s = {.p = {{0}, {.x = 7.5f, .tags = {1, 2, 3}}}, .colour = {{9, 8, 7, 6}}};
    clSetKernelArg(k, 0, sizeof out, &out);
    clSetKernelArg(k, 1, sizeof s, &s);
    clSetKernelArg(k, 2, 4 * sizeof(cl_float4), NULL);
    check(clEnqueueNDRangeKernel(q, k, 2, NULL, items, group, 0, NULL, NULL), "clEnqueueNDRangeKernel");
    check(clFinish(q), "clFinish");
}

static void launch(cl_command_queue q, cl_kernel k)
{
    const size_t items = ITEMS, group = GROUP;
    check(clEnqueueNDRangeKernel(q, k, 1, NULL, &items, &group, 0, NULL, NULL), "clEnqueueNDRangeKernel");
    check(clFinish(q), "clFinish");
}

int main(int argc, char **argv)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_int error;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    cl_context c = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "clCreateContext");
    cl_command_queue q = clCreateCommandQueueWithProperties(c, device, NULL, &error);
    check(error, "clCreateCommandQueueWithProperties");
    const char *text = source;
    cl_program program = clCreateProgramWithSource(c, 1, &text, NULL, &error);
    check(error, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, argc > 1 ? argv[1] : "", NULL, NULL), "clBuildProgram");
    for (int i = 0; i < ITEMS; i++) {
        x[i] = (float)i;
        y[i] = 2.0f * (float)i;
        data[i] = i;
    }
    cl_mem mx = buffer(c, sizeof x, x), my = buffer(c, sizeof y, y), mdata = buffer(c, sizeof data, data),
           mz = buffer(c, sizeof z, z);
    cl_kernel saxpy = clCreateKernel(program, "saxpy", &error);
    check(error, "saxpy");
    cl_kernel reverse = clCreateKernel(program, "reverse", &error);
    check(error, "reverse");
    cl_kernel branches = clCreateKernel(program, "branches", &error);
    check(error, "branches");
    cl_kernel types = clCreateKernel(program, "types", &error);
    check(error, "types");
    const float a = 3;
    const cl_float4 v = {{1, 2, 3, 4}};
    const int n = 5;
    clSetKernelArg(saxpy, 0, sizeof a, &a);
    clSetKernelArg(saxpy, 1, sizeof(cl_mem), &mx);
    clSetKernelArg(saxpy, 2, sizeof(cl_mem), &my);
    clSetKernelArg(saxpy, 3, sizeof v, &v);
    clSetKernelArg(reverse, 0, sizeof(cl_mem), &mdata);
    clSetKernelArg(reverse, 1, sizeof n, &n);
    clSetKernelArg(branches, 0, sizeof(cl_mem), &mx);
    clSetKernelArg(branches, 1, sizeof(cl_mem), &mz);
    const int rounds = argc > 2 ? 2 : 1;
    go = argc > 2 && strcmp(argv[2], "twice") == 0;
    for (int round = 0; round < rounds; round++) {
        launch(q, saxpy);
        launch(q, reverse);
        launch(q, branches);
        launch_types(q, types, mz);
        if (round + 1 < rounds && !go) {
            printf("waiting\n");
            fflush(stdout);
            for (int i = 0; i < WAIT_S * 100 && !go; i++)
                usleep(10000);
        }
    }
    check(clEnqueueReadBuffer(q, my, CL_TRUE, 0, sizeof y, y, 0, NULL, NULL), "clEnqueueReadBuffer");
    check(clEnqueueReadBuffer(q, mdata, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL), "clEnqueueReadBuffer");
    printf("result: %g %g %d %d\n", (double)y[7], (double)y[1000], data[0], data[70]);
    return 0;
}
