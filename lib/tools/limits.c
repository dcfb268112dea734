// What this machine can do at most: bytes of memory and operations on floats in a second. Measured with
// kernels that do nothing else, once, and kept in the cache folder.
//
// A child process measures: its settings are not the program's. With WEFT_TRACE, a driver here would replace
// the program's timeline with its own, and with WEFT_VF=1 it would measure another machine.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "tools/prof.h"
#include "tools/tool.h"

enum {
    TRIES = 7,
    CHAINS = 8,           // of operations that don't depend on each other: enough for each lane to be busy
    STEPS = 2048,         // of each chain
    MANY_ITEMS = 1 << 16, // that compute
    FLOATS = 24 << 20     // of each array: more than caches hold
};

static const char source[] =
    "kernel void copy(global const float *x, global const float *y, global float *z)\n"
    "{\n"
    "    size_t i = get_global_id(0);\n"
    "    z[i] = x[i] + 3.0f * y[i];\n"
    "}\n"
    "kernel void compute(global float *z, float a, float b)\n"
    "{\n"
    "    float v[8];\n"
    "    for (int c = 0; c < 8; c++)\n"
    "        v[c] = get_global_id(0) + c;\n"
    "    for (int k = 0; k < 2048; k++)\n"
    "        for (int c = 0; c < 8; c++)\n"
    "            v[c] = fma(v[c], a, b);\n"
    "    z[get_global_id(0)] = v[0] + v[1] + v[2] + v[3] + v[4] + v[5] + v[6] + v[7];\n"
    "}\n"
    "kernel void compute_doubles(global float *z, float a, float b)\n"
    "{\n"
    "    double v[8], x = a, y = b;\n"
    "    for (int c = 0; c < 8; c++)\n"
    "        v[c] = get_global_id(0) + c;\n"
    "    for (int k = 0; k < 2048; k++)\n"
    "        for (int c = 0; c < 8; c++)\n"
    "            v[c] = fma(v[c], x, y);\n"
    "    z[get_global_id(0)] = v[0] + v[1] + v[2] + v[3] + v[4] + v[5] + v[6] + v[7];\n"
    "}\n";

struct session {
    const cl_icd_dispatch *call;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_mem array[3];
};

static bool open_session(struct session *s, const struct weft_driver *d)
{
    cl_int error = CL_SUCCESS;
    const cl_queue_properties profiling[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
    const char *text = source;
    s->call = d->call;
    s->context = d->call->clCreateContext(NULL, 1, &d->device, NULL, NULL, &error);
    if (s->context)
        s->queue = d->call->clCreateCommandQueueWithProperties(s->context, d->device, profiling, &error);
    if (s->queue)
        s->program = d->call->clCreateProgramWithSource(s->context, 1, &text, NULL, &error);
    for (size_t k = 0; s->program && k < 3; k++)
        s->array[k] =
            d->call->clCreateBuffer(s->context, CL_MEM_READ_WRITE, FLOATS * sizeof(cl_float), NULL, &error);
    return s->program && s->array[2] &&
           d->call->clBuildProgram(s->program, 1, &d->device, "", NULL, NULL) == CL_SUCCESS;
}

static void close_session(struct session *s)
{
    for (size_t k = 0; k < 3; k++)
        if (s->array[k])
            s->call->clReleaseMemObject(s->array[k]);
    if (s->program)
        s->call->clReleaseProgram(s->program);
    if (s->queue)
        s->call->clReleaseCommandQueue(s->queue);
    if (s->context)
        s->call->clReleaseContext(s->context);
}

// The shortest time of some launches in ns; 0: it can't be run.
static double shortest(struct session *s, cl_kernel k, size_t items)
{
    double best = 0;
    for (int i = 0; i < TRIES; i++) {
        cl_event e;
        cl_ulong from = 0, to = 0;
        if (s->call->clEnqueueNDRangeKernel(s->queue, k, 1, NULL, &items, NULL, 0, NULL, &e) != CL_SUCCESS)
            return 0;
        s->call->clWaitForEvents(1, &e);
        s->call->clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_START, sizeof from, &from, NULL);
        s->call->clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_END, sizeof to, &to, NULL);
        s->call->clReleaseEvent(e);
        const double ns = (double)(to - from);
        if (to > from && (best <= 0 || ns < best))
            best = ns;
    }
    return best;
}

// The same of a kernel that computes. Its first launches may run in worse code.
static double computing(struct session *s, const char *name)
{
    const cl_float a = 0.999f, b = 0.001f;
    cl_int error = CL_SUCCESS;
    cl_kernel k = s->call->clCreateKernel(s->program, name, &error);
    s->call->clSetKernelArg(k, 0, sizeof(cl_mem), &s->array[0]);
    s->call->clSetKernelArg(k, 1, sizeof a, &a);
    s->call->clSetKernelArg(k, 2, sizeof b, &b);
    shortest(s, k, MANY_ITEMS);
    const double ns = shortest(s, k, MANY_ITEMS);
    s->call->clReleaseKernel(k);
    return ns;
}

static bool measure(const struct weft_driver *d, struct weft_limits *out)
{
    struct session s = {0};
    cl_int error = CL_SUCCESS;
    double copying = 0, floats = 0, doubles = 0;
    if (open_session(&s, d)) {
        const cl_float zero = 0;
        cl_kernel copy = s.call->clCreateKernel(s.program, "copy", &error);
        for (cl_uint k = 0; k < 3; k++) {
            s.call->clEnqueueFillBuffer(s.queue, s.array[k], &zero, sizeof zero, 0, FLOATS * sizeof zero, 0,
                                        NULL, NULL);
            s.call->clSetKernelArg(copy, k, sizeof(cl_mem), &s.array[k]);
        }
        // A stable kernel: its best code has been made when the first launches are over.
        copying = shortest(&s, copy, FLOATS);
        s.call->clReleaseKernel(copy);
        floats = computing(&s, "compute");
        doubles = computing(&s, "compute_doubles");
    }
    close_session(&s);
    if (copying <= 0 || floats <= 0 || doubles <= 0)
        return false;
    out->bytes_per_ns = (double)(3 * FLOATS * sizeof(cl_float)) / copying;
    out->operations_per_ns = (double)(2ull * CHAINS * STEPS * MANY_ITEMS) / floats;
    out->doubles_per_ns = (double)(2ull * CHAINS * STEPS * MANY_ITEMS) / doubles;
    return true;
}

struct answer {
    struct weft_limits *limits;
    bool again, known;
};

// ---- In the child ----

// The settings that say which processor kernels run on, what compiles them and where files are. All others
// are the defaults here.
static const enum weft_config kept[] = {
    WEFT_CFG_LOG,        WEFT_CFG_CPU,       WEFT_CFG_THREADS,
    WEFT_CFG_PIN,        WEFT_CFG_NUMA,      WEFT_CFG_HWLOC_SYNTHETIC,
    WEFT_CFG_CACHE,      WEFT_CFG_CACHE_DIR, WEFT_CFG_WEFTC,
    WEFT_CFG_LLVM_SPIRV, WEFT_CFG_SANDBOX,
};
// Those of them that change what is measured.
static const enum weft_config measured[] = {WEFT_CFG_CPU, WEFT_CFG_THREADS, WEFT_CFG_PIN, WEFT_CFG_NUMA,
                                            WEFT_CFG_HWLOC_SYNTHETIC};

// Before the driver is loaded: it reads the environment then.
static void clear_environment(void)
{
    for (char **e = environ; *e;) {
        char *name = weft_strndup(*e, strcspn(*e, "="));
        // INTEL_*: with these a profiler is loaded, which is for the program.
        const bool cleared = name && (strncmp(name, "WEFT_", 5) == 0 || strncmp(name, "INTEL_", 6) == 0) &&
                             unsetenv(name) == 0;
        weft_free(name);
        if (cleared)
            e = environ; // the others have moved
        else
            e++;
    }
    for (size_t k = 0; k < WEFT_COUNT_OF(kept); k++)
        if (weft_config_str(kept[k]))
            setenv(weft_config_env(kept[k]), weft_config_str(kept[k]), 1);
    setenv("WEFT_CONF", "none", 1); // what files say of these settings is among the values above
}

// The file that keeps the numbers: of this device with these settings.
static char *kept_in(const struct weft_driver *d)
{
    char *folder = weft_cache_folder(0), *name = weft_driver_text(d, CL_DEVICE_NAME),
         *version = weft_driver_text(d, CL_DRIVER_VERSION), *path = NULL;
    if (folder && name && version) {
        struct weft_hash h = weft_hash_str(weft_hash_str((struct weft_hash){0}, name), version);
        const unsigned long long units = weft_driver_number(d, CL_DEVICE_MAX_COMPUTE_UNITS);
        h = weft_hash_bytes(h, &units, sizeof units);
        for (size_t k = 0; k < WEFT_COUNT_OF(measured); k++) {
            const char *value = weft_config_str(measured[k]);
            h = weft_hash_str(h, value ? value : "");
        }
        path = weft_format("%s/" WEFT_LIMITS_FILE "%016llx", folder, (unsigned long long)h.lo);
    }
    weft_free(folder);
    weft_free(name);
    weft_free(version);
    return path;
}

static bool parse(const char *line, struct weft_limits *out)
{
    char *end;
    out->bytes_per_ns = strtod(line, &end);
    out->operations_per_ns = strtod(end, &end);
    out->doubles_per_ns = strtod(end, NULL);
    return out->bytes_per_ns > 0 && out->operations_per_ns > 0 && out->doubles_per_ns > 0;
}

static void put(FILE *f, const struct weft_limits *l)
{
    fprintf(f, "%.6g %.6g %.6g\n", l->bytes_per_ns, l->operations_per_ns, l->doubles_per_ns);
}

// Writes "measuring" if it measures, and the numbers.
static int find(void *context, FILE *out)
{
    const struct answer *a = context;
    clear_environment();
    const char *why;
    const struct weft_driver *d = weft_driver_open(&why);
    char *path = d ? kept_in(d) : NULL;
    FILE *f = path ? fopen(path, "re") : NULL;
    char line[80];
    struct weft_limits found;
    bool known = f && fgets(line, sizeof line, f) && parse(line, &found) && !a->again;
    if (f)
        fclose(f);
    if (!known && d) {
        fputs("measuring\n", out);
        fflush(out);
        known = measure(d, &found);
        path = path ? path : kept_in(d); // the first build has made the folder
        f = known && path ? fopen(path, "we") : NULL;
        if (f) {
            put(f, &found);
            fclose(f);
        }
    }
    if (known)
        put(out, &found);
    weft_free(path);
    return !known;
}

// ---- Here ----

static void take(void *context, char *line)
{
    struct answer *a = context;
    if (strcmp(line, "measuring") == 0)
        weft_tool_progress("measuring what this machine can do (once)");
    else
        a->known = parse(line, a->limits);
}

bool weft_limits_find(struct weft_limits *out, bool again)
{
    struct answer a = {.limits = out, .again = again};
    const struct weft_child c = {find, take, &a, .patience_s = 300};
    int status;
    weft_tool_child(&c, &status);
    weft_tool_progress(NULL);
    return a.known;
}
