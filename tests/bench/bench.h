// One benchmark program that runs on any OpenCL driver: OCL_ICD_VENDORS picks it. Every case checks its
// result and yields one figure. A case runs in a process of its own (main.c forks), so that none profits from
// another's warm-up.
#ifndef WEFT_BENCH_H
#define WEFT_BENCH_H

#define CL_TARGET_OPENCL_VERSION 120
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
    double (*run)(void); // the figure; ends the process with a message when a result is wrong
    const char *text;
};

// Each file of cases hands its table out; main.c joins them.
extern const struct bench_case bench_launch_cases[], bench_build_cases[], bench_memory_cases[],
    bench_kernel_cases[];

double bench_seconds(void);
_Noreturn void bench_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
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

// The best time in seconds of one call of step(arg), over about `budget` seconds after one warm-up call.
double bench_best(void (*step)(void *arg), void *arg, double budget);

#endif
