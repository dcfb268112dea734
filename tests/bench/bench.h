// A benchmark program for any OpenCL driver, which OCL_ICD_VENDORS selects. Every case checks its result and
// produces one figure. Each case runs in a process of its own (main.c forks), so it can't profit from the
// warm-up of another case.
#ifndef WEFT_BENCH_H
#define WEFT_BENCH_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bench_cl {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
};

struct bench_case {
    const char *name;
    const char *unit;
    bool higher_is_better;
    // Returns the figure. Ends the process with a message if a result is wrong, or with bench_skip if the
    // device lacks what the case needs.
    double (*run)(void);
    const char *text;
};

// Each file of cases defines its table. main.c joins the tables.
extern const struct bench_case bench_launch_cases[], bench_build_cases[], bench_memory_cases[],
    bench_compute_cases[], bench_math_cases[], bench_array_cases[], bench_group_cases[],
    bench_private_cases[], bench_vector_cases[], bench_image_cases[], bench_native_cases[],
    bench_large_cases[], bench_buffer_cases[], bench_byte_cases[], bench_matrix_cases[],
    bench_scattered_cases[],
    bench_call_cases[]; // these run only if their name or a pattern for it is given

double bench_seconds(void);
_Noreturn void bench_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
#define BENCH_SKIPPED 77
_Noreturn void bench_skip(const char *why);
#define CHECK(call)                                         \
    do {                                                    \
        cl_int bench_error = (call);                        \
        if (bench_error != CL_SUCCESS)                      \
            bench_fail("%s: error %d", #call, bench_error); \
    } while (0)

void bench_open(struct bench_cl *b, cl_command_queue_properties properties);
cl_program bench_build(struct bench_cl *b, const char *source, const char *options);
cl_kernel bench_kernel(struct bench_cl *b, const char *source, const char *options, const char *name);
cl_mem bench_buffer(struct bench_cl *b, size_t bytes, const void *content); // content may be NULL
#define SET_ARG(kernel, index, value) CHECK(clSetKernelArg(kernel, index, sizeof(value), &(value)))

// The best time in seconds of one call of step(arg). Measures for about `budget` seconds after one warm-up
// call, and for up to four times as long while the time still improves.
double bench_best(void (*step)(void *arg), void *arg, double budget);

// ---- run.c: cases that time one kernel of kernels/<file> ----
struct bench_run {
    struct bench_cl cl;
    cl_kernel kernel;
    cl_uint dims;
    size_t global[3], local[3]; // local[0] == 0: the driver chooses
};
// Opens a device. The caller sets r's sizes, before or after.
void bench_run_open(struct bench_run *r, const char *file, const char *options, const char *kernel);
// The best time in seconds of a launch, from the call until it has finished.
double bench_run_time(struct bench_run *r);
void bench_run_read(struct bench_run *r, cl_mem m, size_t bytes, void *out);
// For setting several arguments, from index 0 on: their sizes and addresses.
#define BENCH_ARG(value) {sizeof(value), &(value)}
#define BENCH_LOCAL(bytes) {(bytes), NULL}
struct bench_arg {
    size_t size;
    const void *value;
};
#define BENCH_ARGS(r, ...)                                       \
    bench_run_args((r), (const struct bench_arg[]){__VA_ARGS__}, \
                   sizeof((const struct bench_arg[]){__VA_ARGS__}) / sizeof(struct bench_arg))
void bench_run_args(struct bench_run *r, const struct bench_arg *args, size_t count);

// Allocates memory that is never freed: the process ends with its case.
void *bench_memory(size_t bytes);
uint32_t bench_random(uint64_t *state); // *state: any number
float *bench_floats(size_t n, float low, float high, uint64_t seed);
// Ends the process unless |got - want| <= relative * |want| + absolute.
void bench_near(const char *what, size_t index, double got, double want, double relative, double absolute);

#endif
