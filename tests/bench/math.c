// A built-in function of the language over an array of floats in memory. Also, but only if they are named,
// all built-in functions over floats and doubles in registers: float_NAME, double_NAME.
#include "bench.h"

#include <math.h>
#include <stdio.h>

struct function {
    const char *call; // an expression in x
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
    // The full profile allows 16 ulp for most of them. tests/builtins checks the last bits.
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
// 1.7f isn't 1.7. The arguments are so close to 1 that the difference doesn't matter.
FUNCTION(pow, "pow(x, y)", 0.5f, 2.0f, pow_host)
FUNCTION(tanh, "tanh(x)", -4.0f, 4.0f, tanh)
FUNCTION(atan, "atan(x)", -5.0f, 5.0f, atan)
FUNCTION(cbrt, "cbrt(x)", -100.0f, 100.0f, cbrt)
FUNCTION(erf, "erf(x)", -3.0f, 3.0f, erf)

// ---- Many calls in registers ----

struct call {
    const char *type, *call; // of x, y = 1.7 and k = 7
    double low, high;
    double (*host)(double x);
};

// The sum of ITERATIONS calls, starting at x, each a little further. One argument in 64 is compared with the
// host's sum.
static double in_registers(const struct call *c)
{
    enum { N = 1 << 17, ITERATIONS = 48 };
    struct bench_run r = {.dims = 1, .global = {N}};
    bool is_double = c->type[0] == 'd';
    size_t bytes = is_double ? sizeof(double) : sizeof(float);
    char source[512];
    snprintf(source, sizeof source,
             "%s\n"
             "kernel void sum(global T *out, global const T *in, T step, T y, int k, int rounds)\n"
             "{\n"
             "    size_t i = get_global_id(0);\n"
             "    T x = in[i], sum = 0, z;\n"
             "    int n;\n"
             "    for (int j = 0; j < rounds; j++) { sum += %s; x += step; }\n"
             "    out[i] = sum;\n"
             "}\n",
             is_double ? "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#define T double"
                       : "#define T float",
             c->call);
    bench_open(&r.cl, 0);
    r.kernel = bench_kernel(&r.cl, source, "", "sum");
    float *low = bench_floats(N, (float)c->low, (float)c->high, 1);
    double *in = bench_memory(sizeof *in * N), *out = bench_memory(sizeof *out * N);
    for (size_t i = 0; i < N; i++)
        in[i] = (double)low[i];
    double step = (c->high - c->low) * 0x1p-16, y = 1.7;
    float step_f = (float)step, y_f = 1.7f;
    cl_int k = 7, iterations = ITERATIONS;
    cl_mem bin = bench_buffer(&r.cl, bytes * N, is_double ? (void *)in : low),
           bout = bench_buffer(&r.cl, bytes * N, NULL);
    struct bench_arg args[] = {BENCH_ARG(bout),
                               BENCH_ARG(bin),
                               {bytes, is_double ? (void *)&step : &step_f},
                               {bytes, is_double ? (void *)&y : &y_f},
                               BENCH_ARG(k),
                               BENCH_ARG(iterations)};
    bench_run_args(&r, args, sizeof args / sizeof *args);
    double t = bench_run_time(&r);
    bench_run_read(&r, bout, bytes * N, out);
    for (size_t i = 0; i < N; i += 64) {
        double want = 0, size = 0;
        for (int j = 0; j < ITERATIONS; j++) {
            double one = c->host((double)low[i] + j * step);
            want += one;
            size += fabs(one);
        }
        bench_near(c->call, i, is_double ? out[i] : (double)((float *)out)[i], want, 0, 1e-3 * size + 1e-3);
    }
    return 1e-6 * (double)N * (double)ITERATIONS / t;
}

#define HOST(name, expression)                             \
    static double host_##name(double x)                    \
    {                                                      \
        const double y = 1.7, pi = 3.14159265358979323846; \
        (void)y, (void)pi;                                 \
        return expression;                                 \
    }
// name, call, low, high, on the host. Where a function jumps, the call has a sum or a distance that doesn't.
#define CALLS(F)                                                              \
    F(sin, "sin(x)", -3, 3, sin(x))                                           \
    F(cos, "cos(x)", -3, 3, cos(x))                                           \
    F(tan, "tan(x)", -1.4, 1.4, tan(x))                                       \
    F(sincos, "sincos(x, &z) + z", -3, 3, sin(x) + cos(x))                    \
    F(sinpi, "sinpi(x)", -3, 3, sin(pi *x))                                   \
    F(cospi, "cospi(x)", -3, 3, cos(pi *x))                                   \
    F(asin, "asin(x)", -0.9, 0.9, asin(x))                                    \
    F(acos, "acos(x)", -0.9, 0.9, acos(x))                                    \
    F(atan, "atan(x)", -5, 5, atan(x))                                        \
    F(atan2, "atan2(x, y)", -5, 5, atan2(x, y))                               \
    F(exp, "exp(x)", -10, 5, exp(x))                                          \
    F(exp2, "exp2(x)", -10, 5, exp2(x))                                       \
    F(exp10, "exp10(x)", -5, 2, pow(10, x))                                   \
    F(expm1, "expm1(x)", -3, 3, expm1(x))                                     \
    F(log, "log(x)", 0.01, 100, log(x))                                       \
    F(log2, "log2(x)", 0.01, 100, log2(x))                                    \
    F(log10, "log10(x)", 0.01, 100, log10(x))                                 \
    F(log1p, "log1p(x)", 0.01, 10, log1p(x))                                  \
    F(pow, "pow(x, y)", 0.5, 2, pow(x, y))                                    \
    F(powr, "powr(x, y)", 0.5, 2, pow(x, y))                                  \
    F(pown, "pown(x, k)", 0.5, 1.5, pow(x, 7))                                \
    F(rootn, "rootn(x, k)", 0.5, 2, pow(x, 1 / 7.0))                          \
    F(sinh, "sinh(x)", -4, 4, sinh(x))                                        \
    F(cosh, "cosh(x)", -4, 4, cosh(x))                                        \
    F(tanh, "tanh(x)", -4, 4, tanh(x))                                        \
    F(asinh, "asinh(x)", -5, 5, asinh(x))                                     \
    F(acosh, "acosh(x)", 1.1, 10, acosh(x))                                   \
    F(atanh, "atanh(x)", -0.9, 0.9, atanh(x))                                 \
    F(cbrt, "cbrt(x)", -100, 100, cbrt(x))                                    \
    F(hypot, "hypot(x, y)", -10, 10, hypot(x, y))                             \
    F(erf, "erf(x)", -3, 3, erf(x))                                           \
    F(erfc, "erfc(x)", -3, 3, erfc(x))                                        \
    F(tgamma, "tgamma(x)", 0.5, 5, tgamma(x))                                 \
    F(lgamma, "lgamma(x)", 0.5, 20, lgamma(x))                                \
    F(ldexp, "ldexp(x, k)", -10, 10, ldexp(x, 7))                             \
    F(rsqrt, "rsqrt(x)", 1, 100, 1 / sqrt(x))                                 \
    F(sqrt, "sqrt(x)", 1, 100, sqrt(x))                                       \
    F(divide, "y / x", 1, 100, y / x)                                         \
    F(fma, "fma(x, y, y)", -10, 10, fma(x, y, y))                             \
    F(tanpi, "tanpi(x)", -0.4, 0.4, tan(pi *x))                               \
    F(asinpi, "asinpi(x)", -0.9, 0.9, asin(x) / pi)                           \
    F(acospi, "acospi(x)", -0.9, 0.9, acos(x) / pi)                           \
    F(atanpi, "atanpi(x)", -5, 5, atan(x) / pi)                               \
    F(atan2pi, "atan2pi(x, y)", -5, 5, atan2(x, y) / pi)                      \
    F(lgamma_r, "lgamma_r(x, &n)", 0.5, 20, lgamma(x))                        \
    F(fmod, "fabs(fmod(x, y) - y / 2)", 1, 100, fabs(fmod(x, y) - y / 2))     \
    F(remainder, "fabs(remainder(x, y))", 1, 100, fabs(remainder(x, y)))      \
    F(remquo, "fabs(remquo(x, y, &n))", 1, 100, fabs(remainder(x, y)))        \
    F(fract, "fabs(fract(x, &z) - (T)0.5)", 1, 100, fabs(x - floor(x) - 0.5)) \
    F(modf, "fabs(modf(x, &z) - (T)0.5)", 1, 100, fabs(x - floor(x) - 0.5))   \
    F(rint, "fabs(x - rint(x))", 1, 100, fabs(x - rint(x)))                   \
    F(round, "fabs(x - round(x))", 1, 100, fabs(x - round(x)))                \
    F(frexp, "frexp(x, &n)", 1.1, 1.9, x / 2)                                 \
    F(ilogb, "ilogb(x) + x", 1.1, 1.9, x)                                     \
    F(logb, "logb(x) + x", 1.1, 1.9, x)                                       \
    F(nextafter, "nextafter(x, y)", 2, 100, x)                                \
    F(fdim, "fdim(x, y)", -10, 10, fdim(x, y))                                \
    F(smoothstep, "smoothstep((T)1, (T)9, x)", -1, 11, smooth(x))
// These exist for floats only, and may be less exact.
#define CALLS_OF_KIND(F, kind)                              \
    F(kind##_sin, #kind "_sin(x)", -3, 3, sin(x))           \
    F(kind##_cos, #kind "_cos(x)", -3, 3, cos(x))           \
    F(kind##_tan, #kind "_tan(x)", -1, 1, tan(x))           \
    F(kind##_exp, #kind "_exp(x)", -5, 2, exp(x))           \
    F(kind##_exp2, #kind "_exp2(x)", -5, 2, exp2(x))        \
    F(kind##_exp10, #kind "_exp10(x)", -3, 1, pow(10, x))   \
    F(kind##_log, #kind "_log(x)", 0.01, 100, log(x))       \
    F(kind##_log2, #kind "_log2(x)", 0.01, 100, log2(x))    \
    F(kind##_log10, #kind "_log10(x)", 0.01, 100, log10(x)) \
    F(kind##_powr, #kind "_powr(x, y)", 0.5, 2, pow(x, y))  \
    F(kind##_recip, #kind "_recip(x)", 1, 100, 1 / x)       \
    F(kind##_divide, #kind "_divide(y, x)", 1, 100, y / x)  \
    F(kind##_sqrt, #kind "_sqrt(x)", 1, 100, sqrt(x))       \
    F(kind##_rsqrt, #kind "_rsqrt(x)", 1, 100, 1 / sqrt(x))
#define FLOAT_CALLS(F) CALLS_OF_KIND(F, native) CALLS_OF_KIND(F, half)
static double smooth(double x)
{
    const double t = fmin(fmax((x - 1) / 8, 0), 1);
    return t * t * (3 - 2 * t);
}

#define DEFINE_FLOAT_CALL(name, text, low, high, expression)                        \
    HOST(name, expression)                                                          \
    static double case_float_##name(void)                                           \
    {                                                                               \
        return in_registers(&(struct call){"float", text, low, high, host_##name}); \
    }
#define DEFINE_CALL(name, text, low, high, expression)                               \
    DEFINE_FLOAT_CALL(name, text, low, high, expression)                             \
    static double case_double_##name(void)                                           \
    {                                                                                \
        return in_registers(&(struct call){"double", text, low, high, host_##name}); \
    }
CALLS(DEFINE_CALL)
FLOAT_CALLS(DEFINE_FLOAT_CALL)
#define LIST_FLOAT_CALL(name, text, low, high, expression) \
    {"float_" #name, "Mop/s", true, case_float_##name, text " in registers"},
#define LIST_CALL(name, text, low, high, expression)                                                       \
    LIST_FLOAT_CALL(name, text, low, high, expression){"double_" #name, "Mop/s", true, case_double_##name, \
                                                       text " in registers"},
const struct bench_case bench_call_cases[] = {CALLS(LIST_CALL) FLOAT_CALLS(LIST_FLOAT_CALL){0}};

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
