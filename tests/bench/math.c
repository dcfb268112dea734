// One built-in function of the language over an array of floats, out of memory.
#include "bench.h"

#include <math.h>
#include <stdio.h>

struct function {
    const char *call; // of x
    float low, high;
    double (*host)(double x);
};

static double pow_host(double x)
{
    return pow(x, 1.7);
}

static double over_array(const struct function *f)
{
    enum { N = 1 << 22 };
    struct bench_run r = {.dims = 1, .global = {N}};
    char source[256];
    snprintf(source, sizeof source,
             "kernel void apply(global float *out, global const float *in, float y)\n"
             "{ size_t i = get_global_id(0); float x = in[i]; out[i] = %s; }\n",
             f->call);
    bench_open(&r.cl, 0);
    r.kernel = bench_kernel(&r.cl, source, "", "apply");
    float *in = bench_floats(N, f->low, f->high, 1), *out = bench_memory(sizeof *out * N), y = 1.7f;
    cl_mem bin = bench_buffer(&r.cl, sizeof *in * N, in), bout = bench_buffer(&r.cl, sizeof *out * N, NULL);
    BENCH_ARGS(&r, BENCH_ARG(bout), BENCH_ARG(bin), BENCH_ARG(y));
    double t = bench_run_time(&r);
    bench_run_read(&r, bout, sizeof *out * N, out);
    // The full profile allows 16 ulp for most of them; the last bits are the business of tests/builtins.
    for (size_t i = 0; i < N; i += 11)
        bench_near(f->call, i, (double)out[i], f->host((double)in[i]), 16 * 0x1p-23, 1e-30);
    return 1e-6 * (double)N / t;
}

#define FUNCTION(name, call, low, high, host)                         \
    static double case_##name(void)                                   \
    {                                                                 \
        return over_array(&(struct function){call, low, high, host}); \
    }
FUNCTION(sin, "sin(x)", -3.0f, 3.0f, sin)
FUNCTION(exp, "exp(x)", -10.0f, 10.0f, exp)
FUNCTION(log, "log(x)", 0.01f, 100.0f, log)
// 1.7f is not 1.7: the arguments are close enough to 1 for that not to show.
FUNCTION(pow, "pow(x, y)", 0.5f, 2.0f, pow_host)
FUNCTION(tanh, "tanh(x)", -4.0f, 4.0f, tanh)
FUNCTION(atan, "atan(x)", -5.0f, 5.0f, atan)
FUNCTION(cbrt, "cbrt(x)", -100.0f, 100.0f, cbrt)
FUNCTION(erf, "erf(x)", -3.0f, 3.0f, erf)

const struct bench_case bench_math_cases[] = {
    {"math_sin", "Mop/s", true, case_sin, "sin over an array of floats"},
    {"math_exp", "Mop/s", true, case_exp, "exp"},
    {"math_log", "Mop/s", true, case_log, "log"},
    {"math_pow", "Mop/s", true, case_pow, "pow with a uniform exponent that the compiler doesn't know"},
    {"math_tanh", "Mop/s", true, case_tanh, "tanh"},
    {"math_atan", "Mop/s", true, case_atan, "atan"},
    {"math_cbrt", "Mop/s", true, case_cbrt, "cbrt"},
    {"math_erf", "Mop/s", true, case_erf, "erf"},
    {0},
};
