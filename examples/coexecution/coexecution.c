// One program, two devices: a GPU, or any other device, of one platform and a CPU device of another, found
// through the ICD loader, work on one problem. It is split by the speed that each of them is measured to have.
// coexecution            runs it, and checks that the results are those of one device alone
// coexecution --scaling  says how launches on the CPU device scale with WEFT_THREADS
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { ITEMS = 1 << 24, CHUNK = 1 << 16, ROUNDS = 5, LAUNCHES = 300 };

#define WARM_SECONDS 1.0

// Whole numbers only, so that every device gets the same result.
static const char source[] = "kernel void scramble(global const uint *in, global uint *out, uint first)\n"
                             "{\n"
                             "    uint i = get_global_id(0), x = in[i] + first;\n"
                             "    for (int k = 0; k < 200; k++)\n"
                             "        x = (x ^ (x >> 15)) * 0x2c1b3c6du + rotate(x, 7u) + k;\n"
                             "    out[i] = x;\n"
                             "}\n"
                             "kernel void waves(global const float *in, global float *out)\n"
                             "{\n"
                             "    uint i = get_global_id(0);\n"
                             "    out[i] = sin(in[i]) * exp(-0.1f * in[i]);\n"
                             "}\n"
                             "kernel void multiply_add(global const float *in, global float *out)\n"
                             "{\n"
                             "    uint i = get_global_id(0);\n"
                             "    float a = in[i], b = a + 1, c = a + 2, d = a + 3;\n"
                             "    for (int k = 0; k < 2000; k++) {\n"
                             "        a = fma(a, 0.5f, 1.0f);\n"
                             "        b = fma(b, 0.5f, 1.0f);\n"
                             "        c = fma(c, 0.5f, 1.0f);\n"
                             "        d = fma(d, 0.5f, 1.0f);\n"
                             "    }\n"
                             "    out[i] = a + b + c + d;\n"
                             "}\n";

struct side {
    char name[256]; // of the platform and of the device
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel;
    cl_mem in, out;
    double seconds; // that its part of the last round took
    size_t share;   // items
};

static void check(cl_int error, const char *what)
{
    if (error == CL_SUCCESS)
        return;
    fprintf(stderr, "coexecution: %s failed with error %d\n", what, error);
    exit(1);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ---- Devices ----

#define WEFT "Weft"

static bool find(cl_device_type type, cl_platform_id other_than, cl_platform_id *platform,
                 cl_device_id *device)
{
    cl_platform_id platforms[16];
    cl_uint count = 0;
    check(clGetPlatformIDs(16, platforms, &count), "clGetPlatformIDs (is a driver installed?)");
    for (cl_uint i = 0; i < count && i < 16; i++)
        if (platforms[i] != other_than && clGetDeviceIDs(platforms[i], type, 1, device, NULL) == CL_SUCCESS) {
            *platform = platforms[i];
            return true;
        }
    return false;
}

static bool find_weft(cl_platform_id *platform, cl_device_id *device)
{
    cl_platform_id platforms[16];
    cl_uint count = 0;
    check(clGetPlatformIDs(16, platforms, &count), "clGetPlatformIDs (is a driver installed?)");
    for (cl_uint i = 0; i < count && i < 16; i++) {
        char name[64] = "";
        clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
        *platform = platforms[i];
        if (strcmp(name, WEFT) == 0 &&
            clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, device, NULL) == CL_SUCCESS)
            return true;
    }
    return false;
}

// The CPU device: Weft's if there is one.
static bool find_cpu(cl_platform_id *platform, cl_device_id *device)
{
    return find_weft(platform, device) || find(CL_DEVICE_TYPE_CPU, NULL, platform, device);
}

static void name_side(struct side *s)
{
    cl_platform_id platform;
    char on[64] = "", device[128] = "";
    check(clGetDeviceInfo(s->device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL),
          "clGetDeviceInfo");
    clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof on, on, NULL);
    clGetDeviceInfo(s->device, CL_DEVICE_NAME, sizeof device, device, NULL);
    snprintf(s->name, sizeof s->name, "%s: %s", on, device);
}

static struct side open_side(cl_device_id device, size_t bytes)
{
    struct side s = {.device = device};
    cl_int error;
    name_side(&s);
    s.context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "clCreateContext");
    s.queue = clCreateCommandQueue(s.context, device, 0, &error);
    check(error, "clCreateCommandQueue");
    const char *text = source;
    s.program = clCreateProgramWithSource(s.context, 1, &text, NULL, &error);
    check(error, "clCreateProgramWithSource");
    if (clBuildProgram(s.program, 1, &device, "", NULL, NULL) != CL_SUCCESS) {
        char log[4096] = "";
        clGetProgramBuildInfo(s.program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fprintf(stderr, "coexecution: %s doesn't build the program:\n%s\n", s.name, log);
        exit(1);
    }
    s.kernel = clCreateKernel(s.program, "scramble", &error);
    if (error != CL_SUCCESS)
        fprintf(stderr, "coexecution: on %s:\n", s.name);
    check(error, "clCreateKernel");
    s.in = clCreateBuffer(s.context, CL_MEM_READ_ONLY, bytes, NULL, &error);
    check(error, "clCreateBuffer");
    s.out = clCreateBuffer(s.context, CL_MEM_WRITE_ONLY, bytes, NULL, &error);
    check(error, "clCreateBuffer");
    return s;
}

static void close_side(struct side *s)
{
    clReleaseMemObject(s->in);
    clReleaseMemObject(s->out);
    clReleaseKernel(s->kernel);
    clReleaseProgram(s->program);
    clReleaseCommandQueue(s->queue);
    clReleaseContext(s->context);
}

// ---- The problem ----

// Enqueues the items [first, first + share) on one side.
static cl_event start_part(struct side *s, const uint32_t *in, uint32_t *out, size_t first)
{
    const size_t bytes = s->share * sizeof *in;
    const cl_uint begin = (cl_uint)first;
    cl_event done = NULL;
    check(clEnqueueWriteBuffer(s->queue, s->in, CL_FALSE, 0, bytes, in + first, 0, NULL, NULL),
          "clEnqueueWriteBuffer");
    check(clSetKernelArg(s->kernel, 0, sizeof s->in, &s->in), "clSetKernelArg");
    check(clSetKernelArg(s->kernel, 1, sizeof s->out, &s->out), "clSetKernelArg");
    check(clSetKernelArg(s->kernel, 2, sizeof begin, &begin), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(s->queue, s->kernel, 1, NULL, &s->share, NULL, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
    check(clEnqueueReadBuffer(s->queue, s->out, CL_FALSE, 0, bytes, out + first, 0, NULL, &done),
          "clEnqueueReadBuffer");
    check(clFlush(s->queue), "clFlush");
    return done;
}

struct end {
    double at;
    atomic_bool is_known;
};

static void CL_CALLBACK note_end(cl_event event, cl_int status, void *arg)
{
    struct end *end = arg;
    (void)event, (void)status;
    end->at = now();
    atomic_store(&end->is_known, true);
}

// Both sides work at the same time. Returns how long the whole took.
static double run_round(struct side *sides, const uint32_t *in, uint32_t *out)
{
    cl_event done[2];
    struct end ends[2] = {0};
    const double start = now();
    for (int i = 0; i < 2; i++) {
        done[i] = start_part(&sides[i], in, out, i ? sides[0].share : 0);
        check(clSetEventCallback(done[i], CL_COMPLETE, note_end, &ends[i]), "clSetEventCallback");
    }
    for (int i = 0; i < 2; i++)
        check(clFinish(sides[i].queue), "clFinish");
    const double end = now();
    for (int i = 0; i < 2; i++) {
        while (!atomic_load(&ends[i].is_known)) // the callback may come after clFinish
            usleep(10);
        sides[i].seconds = (ends[i].at < end ? ends[i].at : end) - start;
        clReleaseEvent(done[i]);
    }
    return end - start;
}

// So that both take equally long the next time.
static void divide(struct side *sides)
{
    const double a = (double)sides[0].share / sides[0].seconds, b = (double)sides[1].share / sides[1].seconds;
    size_t first = (size_t)((double)ITEMS * a / (a + b)) / CHUNK * CHUNK;
    first = first < CHUNK ? CHUNK : first > ITEMS - CHUNK ? ITEMS - CHUNK : first;
    sides[0].share = first;
    sides[1].share = ITEMS - first;
}

static bool is_right(struct side *alone, const uint32_t *in, const uint32_t *out, uint32_t *expected,
                     size_t split)
{
    // Each part was scrambled with its own first index.
    const size_t parts[2][2] = {{0, split}, {split, ITEMS - split}};
    for (int i = 0; i < 2; i++) {
        alone->share = parts[i][1];
        cl_event done = start_part(alone, in, expected, parts[i][0]);
        check(clFinish(alone->queue), "clFinish");
        clReleaseEvent(done);
    }
    return memcmp(out, expected, ITEMS * sizeof *out) == 0;
}

static int work_together(void)
{
    cl_platform_id cpu_platform, other_platform;
    cl_device_id cpu, other;
    if (!find_cpu(&cpu_platform, &cpu)) {
        fprintf(stderr, "coexecution: no OpenCL CPU device found\n");
        return 1;
    }
    if (!find(CL_DEVICE_TYPE_GPU, cpu_platform, &other_platform, &other) &&
        !find(CL_DEVICE_TYPE_ALL, cpu_platform, &other_platform, &other)) {
        fprintf(
            stderr,
            "coexecution: there is no second platform (if OCL_ICD_VENDORS names a folder, it needs both .icd "
            "files)\n");
        return 77;
    }
    const size_t bytes = (size_t)ITEMS * sizeof(uint32_t);
    struct side sides[2] = {open_side(other, bytes), open_side(cpu, bytes)};
    uint32_t *in = malloc(bytes), *out = malloc(bytes), *expected = malloc(bytes);
    if (!in || !out || !expected)
        return 1;
    for (uint32_t i = 0; i < ITEMS; i++)
        in[i] = i * 2654435761u;
    sides[0].share = sides[1].share = ITEMS / 2;
    printf("%s\n%s\n", sides[0].name, sides[1].name);
    for (int round = 0; round < ROUNDS; round++) {
        const double seconds = run_round(sides, in, out);
        printf("round %d: %8.2f ms; the first had %5.1f %% in %8.2f ms, the second %5.1f %% in %8.2f ms\n",
               round, 1e3 * seconds, 100.0 * (double)sides[0].share / (double)ITEMS, 1e3 * sides[0].seconds,
               100.0 * (double)sides[1].share / (double)ITEMS, 1e3 * sides[1].seconds);
        if (round + 1 < ROUNDS)
            divide(sides);
    }
    const bool right = is_right(&sides[1], in, out, expected, sides[0].share);
    printf("the results are %s\n", right ? "equal" : "DIFFERENT");
    close_side(&sides[0]);
    close_side(&sides[1]);
    free(in);
    free(out);
    free(expected);
    return right ? 0 : 1;
}

// ---- Scaling ----

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct figures {
    double median, p90; // us
    double switches;    // voluntary context switches of a launch
};

static struct figures measure(struct side *s, const char *kernel, size_t items, int launches)
{
    static double times[LAUNCHES];
    struct rusage before, after;
    cl_int error;
    cl_kernel k = kernel ? clCreateKernel(s->program, kernel, &error) : NULL;
    if (k) {
        check(clSetKernelArg(k, 0, sizeof s->in, &s->in), "clSetKernelArg");
        check(clSetKernelArg(k, 1, sizeof s->out, &s->out), "clSetKernelArg");
    }
    // Until then better code is made, and the first launches run what there is.
    const double warm_until = now() + WARM_SECONDS;
    for (int i = 0; i < launches || now() < warm_until; i++) {
        if (i == launches)
            i = 0;
        getrusage(RUSAGE_SELF, i == 0 ? &before : &after);
        const double start = now();
        if (k)
            check(clEnqueueNDRangeKernel(s->queue, k, 1, NULL, &items, NULL, 0, NULL, NULL),
                  "clEnqueueNDRangeKernel");
        else
            check(clEnqueueCopyBuffer(s->queue, s->in, s->out, 0, 0, items * sizeof(float), 0, NULL, NULL),
                  "clEnqueueCopyBuffer");
        check(clFinish(s->queue), "clFinish");
        times[i] = 1e6 * (now() - start);
    }
    getrusage(RUSAGE_SELF, &after);
    qsort(times, (size_t)launches, sizeof *times, by_value);
    if (k)
        clReleaseKernel(k);
    return (struct figures){times[launches / 2], times[launches * 9 / 10],
                            (double)(after.ru_nvcsw - before.ru_nvcsw) / launches};
}

enum { WAVES = 1 << 22, FMA = 1 << 18 };

static const struct row {
    const char *name, *kernel; // NULL: a copy
    size_t items;
} rows[] = {{"sin * exp, 16 K", "waves", WAVES >> 8},
            {"sin * exp, 64 K", "waves", WAVES >> 6},
            {"sin * exp, 256 K", "waves", WAVES >> 4},
            {"sin * exp, 1 M", "waves", WAVES >> 2},
            {"sin * exp, 4 M", "waves", WAVES},
            {"copy, 256 K", NULL, WAVES >> 4},
            {"copy, 4 M", NULL, WAVES},
            {"fma, 4 K", "multiply_add", FMA >> 6},
            {"fma, 256 K", "multiply_add", FMA}};
enum { ROWS = sizeof rows / sizeof *rows };

// Writes the figures of each row, for the process that shows them.
static int measure_all(void)
{
    cl_platform_id platform;
    cl_device_id cpu;
    if (!find_weft(&platform, &cpu))
        return 1;
    struct side s = open_side(cpu, WAVES * sizeof(float));
    const float one = 1;
    check(clEnqueueFillBuffer(s.queue, s.in, &one, sizeof one, 0, WAVES * sizeof(float), 0, NULL, NULL),
          "clEnqueueFillBuffer");
    for (size_t i = 0; i < ROWS; i++) {
        const struct figures f = measure(&s, rows[i].kernel, rows[i].items, LAUNCHES);
        printf("%f %f %f\n", f.median, f.p90, f.switches);
    }
    close_side(&s);
    return 0;
}

// Measures in a process of its own, since WEFT_THREADS is read once. one[ROWS]: the medians of one thread,
// which the first call sets. False: it failed.
static bool measure_with(const char *self, long threads, double *one)
{
    char command[64];
    snprintf(command, sizeof command, "WEFT_THREADS=%ld exec \"$SELF\" --measure", threads);
    setenv("SELF", self, 1);
    FILE *child = popen(command, "r");
    struct figures f;
    for (size_t i = 0; child && i < ROWS && fscanf(child, "%lf %lf %lf", &f.median, &f.p90, &f.switches) == 3;
         i++) {
        one[i] = threads == 1 ? f.median : one[i];
        printf("%3ld thread%s  %-16s %9.1f us, %5.2f times as fast as one; nine of ten below %9.1f us; %6.1f "
               "context switches\n",
               threads, threads == 1 ? " " : "s", rows[i].name, f.median, one[i] / f.median, f.p90,
               f.switches);
    }
    return child && pclose(child) == 0;
}

// How many processors the process may use. 0: Weft isn't there.
static long count_processors(void)
{
    cl_platform_id platform;
    cl_device_id cpu;
    cl_uint units = 0;
    if (find_weft(&platform, &cpu))
        clGetDeviceInfo(cpu, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
    return units;
}

static int show_scaling(void)
{
    char self[4096] = "";
    if (readlink("/proc/self/exe", self, sizeof self - 1) <= 0)
        return 1;
    const long all = count_processors(), last[] = {all * 3 / 4, all - 2, all - 1, all};
    double one[ROWS];
    long before = 0;
    if (all == 0) {
        fprintf(stderr, "coexecution: there is no platform " WEFT
                        "; OCL_ICD_VENDORS names the folder with its weft.icd\n");
        return 1;
    }
    for (long n = 1; n < all * 3 / 4; n *= 2) {
        if (!measure_with(self, n, one))
            return 1;
        before = n;
    }
    for (size_t i = 0; i < sizeof last / sizeof *last; i++) {
        if (last[i] <= before)
            continue;
        if (!measure_with(self, last[i], one))
            return 1;
        before = last[i];
    }
    return 0;
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc > 1 && strcmp(argv[1], "--measure") == 0)
        return measure_all();
    if (argc > 1 && strcmp(argv[1], "--scaling") == 0)
        return show_scaling();
    if (argc > 1) {
        fprintf(stderr, "usage: coexecution [--scaling]\n");
        return 2;
    }
    return work_together();
}
