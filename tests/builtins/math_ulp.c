// Checks the math built-ins against long double references of the C library: `math_ulp [--flushed] LIBRARY
// [SAMPLES [FUNCTION]]`. LIBRARY is the built-ins' bitcode compiled for one level of processors
// (CMakeLists.txt makes one without fma, one with it and one for AVX-512). Prints the worst error of every
// function in ULP and fails above the limit of the OpenCL specification, on a wrong special value or on the
// wrong sign of a zero. Arguments are random numbers of several distributions, which include every binade,
// and all combinations of a list of special values. A function of one half is tested with all 65,536 values.
// The results of vectors of every length must be those of their elements as scalars.
//
// --flushed: floats only, with denormals flushed as by -cl-denorms-are-zero.
#include <dlfcn.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "float_control.h"
#include "level.h"
#include "math_references.h"

enum shape { F_X, F_XX, F_XXX, F_XI, I_X, F_X_PX, F_X_PI, F_XX_PI };

struct function {
    const char *name;
    enum shape shape;
    double limits[TYPES]; // ULP; negative: absent for that type
    real (*reference)(real x, real y, real z, int n, real *second);
};

static const struct function functions[] = {
    {"exp", F_X, {2, 3, 3}, ref_exp},
    {"exp2", F_X, {2, 3, 3}, ref_exp2},
    {"exp10", F_X, {2, 3, 3}, ref_exp10},
    {"expm1", F_X, {2, 3, 3}, ref_expm1},
    {"log", F_X, {2, 3, 3}, ref_log},
    {"log2", F_X, {2, 3, 3}, ref_log2},
    {"log10", F_X, {2, 3, 3}, ref_log10},
    {"log1p", F_X, {2, 2, 2}, ref_log1p},
    {"sin", F_X, {2, 4, 4}, ref_sin},
    {"cos", F_X, {2, 4, 4}, ref_cos},
    {"tan", F_X, {2, 5, 5}, ref_tan},
    {"sincos", F_X_PX, {2, 4, 4}, ref_sincos},
    {"sinh", F_X, {2, 4, 4}, ref_sinh},
    {"cosh", F_X, {2, 4, 4}, ref_cosh},
    {"tanh", F_X, {2, 5, 5}, ref_tanh},
    {"asin", F_X, {2, 4, 4}, ref_asin},
    {"acos", F_X, {2, 4, 4}, ref_acos},
    {"atan", F_X, {2, 5, 5}, ref_atan},
    {"asinh", F_X, {2, 4, 4}, ref_asinh},
    {"acosh", F_X, {2, 4, 4}, ref_acosh},
    {"atanh", F_X, {2, 5, 5}, ref_atanh},
    {"asinpi", F_X, {2, 5, 5}, ref_asinpi},
    {"acospi", F_X, {2, 5, 5}, ref_acospi},
    {"atanpi", F_X, {2, 5, 5}, ref_atanpi},
    {"sinpi", F_X, {2, 4, 4}, ref_sinpi},
    {"cospi", F_X, {2, 4, 4}, ref_cospi},
    {"tanpi", F_X, {2, 6, 6}, ref_tanpi},
    {"atan2", F_XX, {2, 6, 6}, ref_atan2},
    {"atan2pi", F_XX, {2, 6, 6}, ref_atan2pi},
    {"cbrt", F_X, {2, 2, 2}, ref_cbrt},
    {"erf", F_X, {4, 16, 16}, ref_erf},
    {"erfc", F_X, {4, 16, 16}, ref_erfc},
    {"tgamma", F_X, {4, 16, 16}, ref_tgamma},
    // The specification gives lgamma no limit. Near its zeros left of -2 the relative error is unbounded.
    {"lgamma", F_X, {INFINITY, INFINITY, INFINITY}, ref_lgamma},
    {"lgamma_r", F_X_PI, {INFINITY, INFINITY, INFINITY}, ref_lgamma_r},
    {"sqrt", F_X, {0.5, 0.5, 0.5}, ref_sqrt},
    {"rsqrt", F_X, {1, 2, 2}, ref_rsqrt},
    {"half_sqrt", F_X, {-1, 8192, -1}, ref_sqrt},
    {"half_rsqrt", F_X, {-1, 8192, -1}, ref_rsqrt},
    {"half_recip", F_X, {-1, 8192, -1}, ref_recip},
    {"native_rsqrt", F_X, {-1, 8192, -1}, ref_rsqrt},
    {"native_recip", F_X, {-1, 8192, -1}, ref_recip},
    {"half_divide", F_XX, {-1, 8192, -1}, ref_divide},
    {"half_exp", F_X, {-1, 8192, -1}, ref_exp},
    {"half_exp2", F_X, {-1, 8192, -1}, ref_exp2},
    {"half_exp10", F_X, {-1, 8192, -1}, ref_exp10},
    {"half_log", F_X, {-1, 8192, -1}, ref_log},
    {"half_log2", F_X, {-1, 8192, -1}, ref_log2},
    {"half_log10", F_X, {-1, 8192, -1}, ref_log10},
    {"half_sin", F_X, {-1, 8192, -1}, ref_sin},
    {"half_cos", F_X, {-1, 8192, -1}, ref_cos},
    {"half_tan", F_X, {-1, 8192, -1}, ref_tan},
    {"half_powr", F_XX, {-1, 8192, -1}, ref_powr},
    {"floor", F_X, {0, 0, 0}, ref_floor},
    {"ceil", F_X, {0, 0, 0}, ref_ceil},
    {"trunc", F_X, {0, 0, 0}, ref_trunc},
    {"rint", F_X, {0, 0, 0}, ref_rint},
    {"round", F_X, {0, 0, 0}, ref_round},
    {"fabs", F_X, {0, 0, 0}, ref_fabs},
    {"logb", F_X, {0, 0, 0}, ref_logb},
    {"ilogb", I_X, {0, 0, 0}, ref_ilogb},
    {"pow", F_XX, {4, 16, 16}, ref_pow},
    {"powr", F_XX, {4, 16, 16}, ref_powr},
    {"pown", F_XI, {4, 16, 16}, ref_pown},
    {"rootn", F_XI, {4, 16, 16}, ref_rootn},
    {"hypot", F_XX, {2, 4, 4}, ref_hypot},
    {"fmod", F_XX, {0, 0, 0}, ref_fmod},
    {"remainder", F_XX, {0, 0, 0}, ref_remainder},
    {"remquo", F_XX_PI, {0, 0, 0}, ref_remquo},
    {"nextafter", F_XX, {0, 0, 0}, ref_nextafter},
    {"fdim", F_XX, {0.5, 0.5, 0.5}, ref_fdim},
    {"fmax", F_XX, {0, 0, 0}, ref_fmax},
    {"fmin", F_XX, {0, 0, 0}, ref_fmin},
    {"maxmag", F_XX, {0, 0, 0}, ref_maxmag},
    {"minmag", F_XX, {0, 0, 0}, ref_minmag},
    {"copysign", F_XX, {0, 0, 0}, ref_copysign},
    {"ldexp", F_XI, {0.5, 0.5, 0.5}, ref_ldexp},
    {"fma", F_XXX, {0, 0, 0}, ref_fma},
    {"fract", F_X_PX, {0.5, 0.5, 0.5}, ref_fract},
    {"modf", F_X_PX, {0, 0, 0}, ref_modf},
    {"frexp", F_X_PI, {0, 0, 0}, ref_frexp},
};

static uint64_t random_state = 0x9e3779b97f4a7c15u;

static uint64_t random64(void)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double to_type(double x)
{
    return (double)nearest(x);
}

static double from_bits(uint64_t u)
{
    if (type == HALF) {
        int exponent = (int)(u >> 10 & 31), fraction = (int)(u & 1023);
        double size = exponent == 31 ? (double)(fraction ? NAN : INFINITY)
                      : exponent     ? ldexp(1024 + fraction, exponent - 25)
                                     : ldexp(fraction, -24);
        return u >> 15 & 1 ? -size : size;
    }
    if (type == FLOAT) {
        uint32_t v = (uint32_t)u;
        float f;
        memcpy(&f, &v, sizeof f);
        return (double)f;
    }
    double d;
    memcpy(&d, &u, sizeof d);
    return d;
}

// One of several distributions: any bits, moderate sizes, near multiples of pi/4 and near integers and
// halves.
static double random_argument(void)
{
    uint64_t u = random64(), v = random64();
    double unit = (double)(v >> 11) * 0x1p-53, sign = u & 1024 ? -1.0 : 1.0;
    switch (u % 8) {
    case 0:
    case 1:
        return from_bits(v);
    case 2:
        return to_type(sign * unit * 2);
    case 3:
        return to_type(sign * unit * 20);
    case 4:
        return to_type(sign * unit * 800);
    case 5:
        return to_type(sign * 0.7853981633974483 * (double)(v % 4096) *
                       (1 + (double)(int)(u >> 40 & 15) * 0x1p-52));
    case 6:
        return to_type(sign * 0.5 * (double)(v % 512) +
                       (u & 2048 ? 0.0 : sign * ldexp(unit, -(int)(u >> 20 & 63))));
    default:
        return to_type(sign * ldexp(1 + unit, (int)(u >> 20 & 127) - 64));
    }
}

static double specials[64];
static unsigned special_count;

static void fill_specials(void)
{
    static const double common[] = {0.0,  1.0,  0.5,  2.0,   3.0,  1.5,    2.5,  4.0,
                                    0.25, 10.0, 33.0, 100.0, 1e10, 0x1p31, 170.5};
    special_count = 0;
    for (unsigned i = 0; i < sizeof common / sizeof *common; i++)
        specials[special_count++] = to_type(common[i]);
    int digits = formats[type].digits, least = formats[type].least;
    double tail[] = {
        ldexp(1, least - digits + 1), // the least number, the least normal one and its neighbours
        ldexp(1, least),
        ldexp(1, least) - ldexp(1, least - digits + 1),
        to_type(ldexp(1.3, least)), // remainders above its half are denormal
        (double)formats[type].greatest,
        (double)INFINITY,
        (double)NAN,
        1 - ldexp(1, -digits),
        1 + ldexp(1, 1 - digits),
        ldexp(1, digits),
        ldexp(1, digits - 1) - 0.5,
        to_type(0x1.9a48dep15), // near an odd multiple of pi/2, and a whole one
        to_type(0x1.17cc5p15)};
    for (unsigned i = 0; i < sizeof tail / sizeof *tail; i++)
        specials[special_count++] = tail[i];
    for (unsigned i = 0, n = special_count; i < n; i++)
        specials[special_count++] = -specials[i];
}

static double ulp_error(real got, real want)
{
    if (isnan(want) || isnan(got))
        return isnan(want) && isnan(got) ? 0 : (double)INFINITY;
    real rounded = nearest(want);
    if (isinf(rounded)) {
        if (isinf(want))
            return got == want ? 0 : (double)INFINITY;
        // Just beyond the largest number: count in its ULP.
        if (isinf(got))
            return signbit(got) == signbit(want) ? 0 : (double)INFINITY;
    } else if (isinf(got)) {
        got = copysignl(ldexpl(1, 2 - formats[type].least), got);
    }
    if (want == 0 && got == 0)
        return signbit(want) == signbit(got) ? 0 : (double)INFINITY;
    int e = want == 0 ? -20000 : ilogbl(want);
    int low = formats[type].least;
    e = e < low ? low : e;
    return (double)(fabsl(got - want) / ldexpl(1, e - formats[type].digits + 1));
}

// As the compiler passes it: in a vector register.
typedef _Float16 half;

union entry {
    void *symbol;
    half (*h1)(half);
    half (*h2)(half, half);
    half (*h3)(half, half, half);
    half (*hi)(half, int);
    int (*hx)(half);
    half (*hp)(half, half *);
    half (*hpi)(half, int *);
    half (*h2pi)(half, half, int *);
    float (*f1)(float);
    float (*f2)(float, float);
    float (*f3)(float, float, float);
    float (*fi)(float, int);
    int (*fx)(float);
    float (*fp)(float, float *);
    float (*fpi)(float, int *);
    float (*f2pi)(float, float, int *);
    double (*d1)(double);
    double (*d2)(double, double);
    double (*d3)(double, double, double);
    double (*di)(double, int);
    int (*dx)(double);
    double (*dp)(double, double *);
    double (*dpi)(double, int *);
    double (*d2pi)(double, double, int *);
};

// The Itanium name of the scalar function.
static void mangle(char *out, size_t size, const struct function *f)
{
    static const char *const tails[TYPES][8] = {
        {"Dh", "DhDh", "DhDhDh", "Dhi", "Dh", "DhPDh", "DhPi", "DhDhPi"},
        {"f", "ff", "fff", "fi", "f", "fPf", "fPi", "ffPi"},
        {"d", "dd", "ddd", "di", "d", "dPd", "dPi", "ddPi"},
    };
    snprintf(out, size, "_Z%zu%s%s", strlen(f->name), f->name, tails[type][f->shape]);
}

static half to_half(double x)
{
    return (half)(float)x; // exact: x is a half
}

static real of_half(half x)
{
    return (real)(float)x;
}

static real call_half(const struct function *f, union entry e, half x, half y, half z, int n, real *second)
{
    int i = 0;
    half p = 0;
    real r = 0;
    switch (f->shape) {
    case F_X:
        return of_half(e.h1(x));
    case F_XX:
        return of_half(e.h2(x, y));
    case F_XXX:
        return of_half(e.h3(x, y, z));
    case F_XI:
        return of_half(e.hi(x, n));
    case I_X:
        return (real)e.hx(x);
    case F_X_PX:
        r = of_half(e.hp(x, &p));
        *second = of_half(p);
        return r;
    case F_X_PI:
        r = of_half(e.hpi(x, &i));
        *second = i;
        return r;
    case F_XX_PI:
        r = of_half(e.h2pi(x, y, &i));
        *second = i;
        return r;
    }
    return r;
}

static real call_float(const struct function *f, union entry e, float x, float y, float z, int n,
                       real *second)
{
    int i = 0;
    float p = 0;
    real r = 0;
    switch (f->shape) {
    case F_X:
        return (real)e.f1(x);
    case F_XX:
        return (real)e.f2(x, y);
    case F_XXX:
        return (real)e.f3(x, y, z);
    case F_XI:
        return (real)e.fi(x, n);
    case I_X:
        return (real)e.fx(x);
    case F_X_PX:
        r = (real)e.fp(x, &p);
        *second = (real)p;
        return r;
    case F_X_PI:
        r = (real)e.fpi(x, &i);
        *second = i;
        return r;
    case F_XX_PI:
        r = (real)e.f2pi(x, y, &i);
        *second = i;
        return r;
    }
    return r;
}

static real call_double(const struct function *f, union entry e, double x, double y, double z, int n,
                        real *second)
{
    int i = 0;
    double p = 0;
    real r = 0;
    switch (f->shape) {
    case F_X:
        return (real)e.d1(x);
    case F_XX:
        return (real)e.d2(x, y);
    case F_XXX:
        return (real)e.d3(x, y, z);
    case F_XI:
        return (real)e.di(x, n);
    case I_X:
        return (real)e.dx(x);
    case F_X_PX:
        r = (real)e.dp(x, &p);
        *second = (real)p;
        return r;
    case F_X_PI:
        r = (real)e.dpi(x, &i);
        *second = i;
        return r;
    case F_XX_PI:
        r = (real)e.d2pi(x, y, &i);
        *second = i;
        return r;
    }
    return r;
}

static bool flushes; // denormal floats are zero while a function runs

// Returns the mode before.
static unsigned enter_mode(void)
{
    const unsigned before = test_float_control();
    if (flushes)
        test_set_float_control(before | TEST_FLOAT_FLUSH);
    return before;
}

static real call(const struct function *f, union entry e, double x, double y, double z, int n, real *second)
{
    if (type == HALF)
        return call_half(f, e, to_half(x), to_half(y), to_half(z), n, second);
    if (type == DOUBLE)
        return call_double(f, e, x, y, z, n, second);
    const volatile float a = (float)x, b = (float)y, c = (float)z; // converted before the mode changes
    const unsigned before = enter_mode();
    const real r = call_float(f, e, a, b, c, n, second);
    test_set_float_control(before);
    return r;
}

struct worst {
    double error;
    double x, y, z;
    int n;
    real got, want;
};

// Sets *worst if this result is worse.
static void judge(const struct function *f, double x, double y, double z, int n, real got, real got2,
                  struct worst *worst)
{
    real want2 = 0;
    bool half = !strncmp(f->name, "half_", 5);
    // The half_* versions of the trigonometric functions must be right up to 2^16 only, and none of them
    // keeps the sign of a zero.
    if (half && fabs(x) > 65536 &&
        (strstr(f->name, "sin") || strstr(f->name, "cos") || strstr(f->name, "tan")))
        return;
    real want = f->reference(x, y, z, n, &want2);
    double limit = f->limits[type];
    double error = f->shape == I_X ? (got == want ? 0 : (double)INFINITY) : ulp_error(got, want);
    // Rounding to the type is part of an exact reference, e.g. that of fdim.
    if (limit <= 0.5 && f->shape != I_X)
        error = ulp_error(got, nearest(want));
    if (half && got == 0 && want == 0)
        error = 0;
    // In half turns the specification names the angles of two infinities.
    if (!strcmp(f->name, "atan2pi") && isinf(x) && isinf(y) && got != nearest(want))
        error = (double)INFINITY;
    // And cosines of 0 are 1, so all half turns are asked for exactly.
    if (!strcmp(f->name, "cospi") && isfinite(x) && x == rint(x) && got != want)
        error = (double)INFINITY;
    bool pair = f->shape >= F_X_PX;
    bool zero = error == (double)INFINITY && got == 0 && want == 0;
    // Signs of zero are demanded except where the reference's own is a matter of taste.
    if (zero && (f->shape == F_XX &&
                 (!strcmp(f->name, "fmax") || !strcmp(f->name, "fmin") || strstr(f->name, "mag"))))
        error = 0;
    if (pair) {
        double error2 = ulp_error(got2, want2);
        if (f->shape != F_X_PX)
            error2 = got2 == want2 ? 0 : (double)INFINITY;
        if (isnan(limit) || limit == (double)INFINITY)
            error2 = error2 > 0 ? (double)INFINITY : 0;
        if (error2 > error)
            error = error2, got = got2, want = want2;
    }
    // No limit: any finite error is allowed, a NaN or infinity for a number isn't.
    if (error > worst->error || worst->error < 0)
        *worst = (struct worst){error, x, y, z, n, got, want};
}

// ---- Flushed denormals: each of them may be a zero of any sign, as an argument and as a result ----

// In every mode: OpenCL C 3.0 §6.15.2 allows it for half_*, and native_* are as exact as the implementation
// chooses.
static bool may_flush(const struct function *f)
{
    return strncmp(f->name, "half_", 5) == 0 || strncmp(f->name, "native_", 7) == 0;
}

static bool is_denormal(real x)
{
    return x != 0 && fabsl(x) < ldexpl(1, formats[type].least);
}

// The error of a result for these arguments, where a denormal result may have been flushed.
static double error_as_flushed(const struct function *f, const double at[3], int n, real got, real got2)
{
    struct worst one = {.error = -1};
    real want2 = 0, want = f->reference(at[0], at[1], at[2], n, &want2);
    judge(f, at[0], at[1], at[2], n, got, got2, &one);
    // What was rounded to the least normal number may have been flushed before.
    const bool flushed = f->shape != I_X && (got == 0 || is_denormal(got)) &&
                         fabsl(nearest(want)) <= ldexpl(1, formats[type].least);
    const bool second_fits = f->shape < F_X_PX || got2 == want2 || is_denormal(got2) || is_denormal(want2);
    return flushed && second_fits ? 0 : one.error;
}

// The least error for any way to flush the arguments.
static double flushed_error(const struct function *f, const double at[3], int n, real got, real got2)
{
    double least = (double)INFINITY;
    for (unsigned way = 0; way < 27; way++) {
        double used[3] = {at[0], at[1], at[2]};
        bool possible = true;
        for (unsigned a = 0, how = way; a < 3; a++, how /= 3) {
            possible &= how % 3 == 0 || is_denormal((real)at[a]);
            if (how % 3)
                used[a] = how % 3 == 1 ? 0.0 : -0.0;
        }
        if (possible)
            least = fmin(least, error_as_flushed(f, used, n, got, got2));
    }
    return least;
}

static void check(const struct function *f, union entry e, double x, double y, double z, int n,
                  struct worst *worst)
{
    real got2 = 0, got = call(f, e, x, y, z, n, &got2), want2 = 0;
    if (!flushes && !may_flush(f)) {
        judge(f, x, y, z, n, got, got2, worst);
        return;
    }
    const double error = flushed_error(f, (double[]){x, y, z}, n, got, got2);
    if (error > worst->error || worst->error < 0)
        *worst = (struct worst){error, x, y, z, n, got, f->reference(x, y, z, n, &want2)};
}

// ---- Vectors: each component is what the scalar function makes of it, whose error is measured ----

typedef void wide_function(const void *x, const void *y, const void *z, const int *n, void *out,
                           void *second);

#define MAX_COMPONENTS 16

struct components {
    _Alignas(128) unsigned char bytes[MAX_COMPONENTS * sizeof(double)];
};

static void put(struct components *v, unsigned c, double x)
{
    half h = type == HALF ? to_half(x) : 0;
    float single = (float)x;
    if (type == HALF)
        memcpy(v->bytes + c * sizeof h, &h, sizeof h);
    else if (type == FLOAT)
        memcpy(v->bytes + c * sizeof single, &single, sizeof single);
    else
        memcpy(v->bytes + c * sizeof x, &x, sizeof x);
}

static real get(const struct components *v, unsigned c, bool integer)
{
    half h;
    float single;
    double x;
    int n;
    if (integer)
        return (real)(memcpy(&n, v->bytes + c * sizeof n, sizeof n), n);
    if (type == HALF)
        return of_half((memcpy(&h, v->bytes + c * sizeof h, sizeof h), h));
    if (type == FLOAT)
        return (real)(memcpy(&single, v->bytes + c * sizeof single, sizeof single), single);
    return (real)(memcpy(&x, v->bytes + c * sizeof x, sizeof x), x);
}

// The signs of zeros are open where check() leaves them open.
static bool same(real a, real b, const struct function *f)
{
    bool open = !strcmp(f->name, "fmax") || !strcmp(f->name, "fmin") || strstr(f->name, "mag");
    return (isnan(a) && isnan(b)) || (a == b && (open || signbit(a) == signbit(b)));
}

static bool run_vectors_of(const struct function *f, union entry e, void *library, unsigned length)
{
    char name[64];
    snprintf(name, sizeof name, "width_%s_%s%u", f->name, formats[type].name, length);
    union {
        void *symbol;
        wide_function *call;
    } wide = {dlsym(library, name)};
    if (!wide.symbol) {
        printf("%-12s %-6s missing: %s\n", f->name, formats[type].name, name);
        return false;
    }
    for (unsigned round = 0; round < 300; round++) {
        struct components x = {{0}}, y = {{0}}, z = {{0}}, out = {{0}}, second = {{0}};
        double in[MAX_COMPONENTS][3];
        _Alignas(64) int n[MAX_COMPONENTS];
        for (unsigned c = 0; c < MAX_COMPONENTS; c++) {
            for (unsigned a = 0; a < 3; a++)
                in[c][a] = random64() % 4 ? random_argument() : specials[random64() % special_count];
            put(&x, c, in[c][0]);
            put(&y, c, in[c][1]);
            put(&z, c, in[c][2]);
            n[c] = (int)((int64_t)random64() >> (32 + random64() % 32));
        }
        const unsigned before = enter_mode();
        wide.call(&x, &y, &z, n, &out, &second);
        test_set_float_control(before);
        for (unsigned c = 0; c < length; c++) {
            real want2 = 0, want = call(f, e, in[c][0], in[c][1], in[c][2], n[c], &want2);
            real got = get(&out, c, f->shape == I_X), got2 = 0;
            if (f->shape >= F_X_PX)
                got2 = get(&second, c, f->shape != F_X_PX);
            if ((flushes || may_flush(f)) && flushed_error(f, in[c], n[c], got, got2) <= f->limits[type])
                continue;
            if (same(got, want, f) && (f->shape < F_X_PX || same(got2, want2, f)))
                continue;
            printf("%-12s %-6s of %u FAILED in component %u at %a, %a, %a, %d: got %.21Lg (%.21Lg), alone "
                   "%.21Lg (%.21Lg)\n",
                   f->name, formats[type].name, length, c, in[c][0], in[c][1], in[c][2], n[c], got, got2,
                   want, want2);
            return false;
        }
    }
    return true;
}

static bool run_vectors(const struct function *f, union entry e, void *library)
{
    static const unsigned lengths[] = {2, 3, 4, 8, 16};
    bool good = true;
    for (unsigned l = 0; l < sizeof lengths / sizeof *lengths; l++)
        good &= run_vectors_of(f, e, library, lengths[l]);
    return good;
}

static bool run(const struct function *f, void *library, long samples)
{
    double limit = f->limits[type];
    char name[64];
    if (limit < 0)
        return true;
    mangle(name, sizeof name, f);
    union entry e;
    e.symbol = dlsym(library, name);
    if (!e.symbol) {
        printf("%-12s %-6s missing: %s\n", f->name, formats[type].name, name);
        return false;
    }
    struct worst worst = {.error = -1};
    bool two = f->shape == F_XX || f->shape == F_XXX || f->shape == F_XX_PI;
    static const int ints[] = {0,   1,   -1,   2,    -2,    3,    -3,    7,          30,
                               -31, 127, -126, 1023, -1074, 2000, -2000, 2147483647, -2147483647 - 1};
    for (unsigned i = 0; i < special_count; i++) {
        if (f->shape == F_XI) {
            for (unsigned j = 0; j < sizeof ints / sizeof *ints; j++)
                check(f, e, specials[i], 0, 0, ints[j], &worst);
            continue;
        }
        for (unsigned j = 0; j < (two ? special_count : 1); j++)
            for (unsigned k = 0; k < (f->shape == F_XXX ? special_count : 1); k++)
                check(f, e, specials[i], specials[j], specials[k], 0, &worst);
    }
    bool slow = !strcmp(f->name, "fmod") || !strncmp(f->name, "rem", 3);
    bool all = type == HALF && !two && f->shape != F_XI;
    if (all)
        samples = 1 << 16;
    for (long i = 0; i < (slow ? samples / 8 : samples); i++) {
        double x = all ? from_bits((uint64_t)i) : random_argument(), y = two ? random_argument() : 0,
               z = f->shape == F_XXX ? random_argument() : 0;
        int n = 0;
        if (f->shape == F_XI) {
            uint64_t u = random64();
            n = (int)((int64_t)u >> (u & 1 ? 32 : 48 + (u >> 1 & 15)));
        } else if (two && (i & 7) == 0) {
            // Operands of like size: cancellation.
            y = to_type(x * (1 + ldexp((double)(int)(random64() & 255), -(int)(random64() % 56))));
        } else if (slow && (i & 7) == 1) {
            // Near a multiple of a small number: where denormals are flushed, some remainders are.
            y = to_type(ldexp(1 + (double)(random64() >> 11) * 0x1p-53,
                              formats[type].least + (int)(random64() % (unsigned)formats[type].digits)));
            x = to_type(y * (double)(random64() >> (64 - 1 - random64() % (unsigned)formats[type].digits)));
        }
        if (f->shape == F_XXX && (i & 3) == 0)
            z = -to_type(x * y);
        check(f, e, x, y, z, n, &worst);
    }
    bool good = worst.error <= limit;
    bool good_vectors = run_vectors(f, e, library);
    printf("%-12s %-6s%s worst %-8.3g limit %-5g%s at %a", f->name, formats[type].name,
           good_vectors ? ", 2, 3, 4, 8, 16:" : ":", worst.error, limit, good ? "" : " FAILED", worst.x);
    if (two)
        printf(", %a", worst.y);
    if (f->shape == F_XXX)
        printf(", %a", worst.z);
    if (f->shape == F_XI)
        printf(", %d", worst.n);
    if (!good)
        printf(": got %.21Lg, want %.21Lg", worst.got, worst.want);
    printf("\n");
    return good && good_vectors;
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--flushed")) {
        flushes = true;
        argc--, argv++;
    }
    if (argc < 2) {
        fprintf(stderr, "usage: math_ulp [--flushed] LIBRARY [SAMPLES [FUNCTION]]\n");
        return 2;
    }
    const char *lacking = level_lacking(argv[1]);
    if (lacking) {
        printf("skip: %s\n", lacking);
        return 77;
    }
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    long samples = argc > 2 ? atol(argv[2]) : 20000;
    int failed = 0;
    for (unsigned i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (argc > 3 && strcmp(argv[3], functions[i].name))
            continue;
        for (type = flushes ? FLOAT : HALF; type < (flushes ? DOUBLE : TYPES); type++) {
            fill_specials();
            failed += !run(&functions[i], library, samples);
        }
    }
    printf("%d failed\n", failed);
    return failed != 0;
}
