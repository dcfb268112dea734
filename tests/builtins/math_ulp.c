// Checks the math built-ins against long double references of the C library: `math_ulp LIBRARY [SAMPLES
// [FUNCTION]]`. LIBRARY is the built-ins' bitcode compiled for this machine (CMakeLists.txt makes one with
// FMA and one without). Prints the worst error of every function in ULP and fails above the limit of the
// OpenCL specification, on a wrong special value or on the wrong sign of a zero. Arguments are random in
// several distributions, every binade included, and all combinations of a list of special values.
#include <dlfcn.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef long double real;

enum shape { F_X, F_XX, F_XXX, F_XI, I_X, F_X_PX, F_X_PI, F_XX_PI };

struct function {
    const char *name;
    enum shape shape;
    double limit_f, limit_d; // ULP; negative: absent for that type
    real (*reference)(real x, real y, real z, int n, real *second);
};

static bool single; // the type under test: float, else double

static const real pi_l = 3.14159265358979323846264338327950288L;

#define R1(name, expression)                                            \
    static real ref_##name(real x, real y, real z, int n, real *second) \
    {                                                                   \
        (void)x, (void)y, (void)z, (void)n, (void)second;               \
        return expression;                                              \
    }

static real reduced(real x)
{
    return x - 2 * rintl(x / 2);
}

static real sinpi_l(real x)
{
    if (!isfinite(x))
        return (real)NAN;
    real r = reduced(x);
    if (r == 0 || fabsl(r) == 1)
        return copysignl(0, x);
    if (fabsl(r) > 0.5L)
        r = copysignl(1 - fabsl(r), r);
    return r > 0.25L ? cosl(pi_l * (0.5L - r)) : r < -0.25L ? -cosl(pi_l * (0.5L + r)) : sinl(pi_l * r);
}

static real cospi_l(real x)
{
    if (!isfinite(x))
        return (real)NAN;
    real r = fabsl(reduced(x));
    if (r == 0.5L)
        return 0;
    return r < 0.25L ? cosl(pi_l * r) : r > 0.75L ? -cosl(pi_l * (1 - r)) : sinl(pi_l * (0.5L - r));
}

static real tanpi_l(real x)
{
    if (!isfinite(x))
        return (real)NAN;
    real r = reduced(x);
    bool odd = fabsl(r) == 1;
    if (r == 0 || odd)
        return odd ? -copysignl(0, x) : copysignl(0, x);
    if (fabsl(r) == 0.5L)
        return copysignl((real)INFINITY, r);
    return sinpi_l(x) / cospi_l(x);
}

static real root_l(real x, int n)
{
    if (n == 0 || (x < 0 && !(n & 1)))
        return (real)NAN;
    bool negative = signbit(x) && (n & 1);
    real r = powl(fabsl(x), 1.0L / n);
    return isnan(x) ? x : negative ? -r : r;
}

static real powr_l(real x, real y)
{
    if (x < 0 || isnan(x) || isnan(y) || (y == 0 && (x == 0 || isinf(x))) || (x == 1 && isinf(y)))
        return (real)NAN;
    return powl(fabsl(x), y);
}

static real fract_l(real x, real *second)
{
    *second = floorl(x);
    if (isinf(x))
        return copysignl(0, x);
    if (x == 0)
        return x;
    real f = single ? (real)((float)x - floorf((float)x)) : (real)((double)x - floor((double)x));
    real below = single ? 0x1.fffffep-1L : 0x1.fffffffffffffp-1L;
    return f > below ? below : f;
}

static real frexp_l(real x, real *second)
{
    int e = 0;
    real m = frexpl(x, &e);
    *second = isfinite(x) ? e : 0;
    return m;
}

static real remquo_l(real x, real y, real *second)
{
    // remquol promises three bits only; the others come from a division of smaller numbers.
    real r = remainderl(x, y);
    if (!isfinite(x) || isnan(y) || y == 0) {
        *second = 0;
        return r;
    }
    if (isinf(y)) {
        *second = 0;
        return r;
    }
    real m = remainderl(x, 1024 * y); // representable: long double has the exponents
    real q = rintl((m - r) / y);
    long k = (long)fabsl(fmodl(q, 1024));
    bool negative = signbit(x) != signbit(y);
    // m has the sign of its own; count modulo 128 in the direction of x/y.
    real t = negative ? -q : q;
    t = fmodl(t, 128);
    if (t < 0)
        t += 128;
    (void)k;
    *second = negative ? -t : t;
    return r;
}

static real lgamma_r_l(real x, real *second)
{
    int s = 1;
    real r = lgammal_r(x, &s);
    bool pole = x <= 0 && rintl(x) == x && x != 0;
    *second = pole || isnan(x) || isinf(x) ? 1 : x == 0 ? (signbit(x) ? -1 : 1) : s;
    return r;
}

static real modf_l(real x, real *second)
{
    return modfl(x, second);
}

static real next_l(real x, real y)
{
    return single ? (real)nextafterf((float)x, (float)y) : (real)nextafter((double)x, (double)y);
}

static real fma_l(real x, real y, real z)
{
    return single ? (real)fmaf((float)x, (float)y, (float)z) : (real)fma((double)x, (double)y, (double)z);
}

static real magnitude(real x, real y, bool largest)
{
    if (fabsl(x) > fabsl(y))
        return largest ? x : y;
    if (fabsl(y) > fabsl(x))
        return largest ? y : x;
    return largest ? fmaxl(x, y) : fminl(x, y);
}

static real atanh_l(real x)
{
    return fabsl(x) > 1 ? (real)NAN : atanhl(x);
}

R1(exp, expl(x))
R1(exp2, exp2l(x))
R1(exp10, exp10l(x))
R1(expm1, expm1l(x))
R1(log, logl(x))
R1(log2, log2l(x))
R1(log10, log10l(x))
R1(log1p, log1pl(x))
R1(sin, sinl(x))
R1(cos, cosl(x))
R1(tan, tanl(x))
R1(sinh, sinhl(x))
R1(cosh, coshl(x))
R1(tanh, tanhl(x))
R1(asin, asinl(x))
R1(acos, acosl(x))
R1(atan, atanl(x))
R1(asinh, asinhl(x))
R1(acosh, acoshl(x))
R1(atanh, atanh_l(x))
R1(asinpi, asinl(x) / pi_l)
R1(acospi, acosl(x) / pi_l)
R1(atanpi, atanl(x) / pi_l)
R1(sinpi, sinpi_l(x))
R1(cospi, cospi_l(x))
R1(tanpi, tanpi_l(x))
R1(cbrt, cbrtl(x))
R1(erf, erfl(x))
R1(erfc, erfcl(x))
R1(tgamma, x < 0 && isinf(x) ? (real)NAN : tgammal(x))
R1(lgamma, lgammal(x))
R1(lgamma_r, lgamma_r_l(x, second))
R1(sqrt, single ? (real)sqrtf((float)x) : (real)sqrt((double)x))
R1(rsqrt, 1 / sqrtl(x))
R1(recip, 1 / x)
R1(divide, x / y)
R1(floor, floorl(x))
R1(ceil, ceill(x))
R1(trunc, truncl(x))
R1(rint, rintl(x))
R1(round, roundl(x))
R1(fabs, fabsl(x))
R1(logb, logbl(x))
R1(ilogb, x == 0 ? -2147483648.0L : isnan(x) || isinf(x) ? 2147483647.0L : logbl(x))
R1(pow, powl(x, y))
R1(powr, powr_l(x, y))
R1(pown, powl(x, n))
R1(rootn, root_l(x, n))
R1(atan2, atan2l(x, y))
R1(atan2pi, atan2l(x, y) / pi_l)
R1(hypot, hypotl(x, y))
R1(fmod, fmodl(x, y))
R1(remainder, remainderl(x, y))
R1(remquo, remquo_l(x, y, second))
R1(nextafter, next_l(x, y))
R1(fdim, single ? (real)fdimf((float)x, (float)y) : (real)fdim((double)x, (double)y))
R1(fmax, fmaxl(x, y))
R1(fmin, fminl(x, y))
R1(maxmag, magnitude(x, y, true))
R1(minmag, magnitude(x, y, false))
R1(copysign, copysignl(x, y))
R1(ldexp, ldexpl(x, n))
R1(fma, fma_l(x, y, z))
R1(fract, fract_l(x, second))
R1(modf, modf_l(x, second))
R1(frexp, frexp_l(x, second))

static real ref_sincos(real x, real y, real z, int n, real *second)
{
    (void)y, (void)z, (void)n;
    *second = cosl(x);
    return sinl(x);
}

static const struct function functions[] = {
    {"exp", F_X, 3, 3, ref_exp},
    {"exp2", F_X, 3, 3, ref_exp2},
    {"exp10", F_X, 3, 3, ref_exp10},
    {"expm1", F_X, 3, 3, ref_expm1},
    {"log", F_X, 3, 3, ref_log},
    {"log2", F_X, 3, 3, ref_log2},
    {"log10", F_X, 3, 3, ref_log10},
    {"log1p", F_X, 2, 2, ref_log1p},
    {"sin", F_X, 4, 4, ref_sin},
    {"cos", F_X, 4, 4, ref_cos},
    {"tan", F_X, 5, 5, ref_tan},
    {"sincos", F_X_PX, 4, 4, ref_sincos},
    {"sinh", F_X, 4, 4, ref_sinh},
    {"cosh", F_X, 4, 4, ref_cosh},
    {"tanh", F_X, 5, 5, ref_tanh},
    {"asin", F_X, 4, 4, ref_asin},
    {"acos", F_X, 4, 4, ref_acos},
    {"atan", F_X, 5, 5, ref_atan},
    {"asinh", F_X, 4, 4, ref_asinh},
    {"acosh", F_X, 4, 4, ref_acosh},
    {"atanh", F_X, 5, 5, ref_atanh},
    {"asinpi", F_X, 5, 5, ref_asinpi},
    {"acospi", F_X, 5, 5, ref_acospi},
    {"atanpi", F_X, 5, 5, ref_atanpi},
    {"sinpi", F_X, 4, 4, ref_sinpi},
    {"cospi", F_X, 4, 4, ref_cospi},
    {"tanpi", F_X, 6, 6, ref_tanpi},
    {"atan2", F_XX, 6, 6, ref_atan2},
    {"atan2pi", F_XX, 6, 6, ref_atan2pi},
    {"cbrt", F_X, 2, 2, ref_cbrt},
    {"erf", F_X, 16, 16, ref_erf},
    {"erfc", F_X, 16, 16, ref_erfc},
    {"tgamma", F_X, 16, 16, ref_tgamma},
    // The specification gives lgamma no limit. Near its zeros left of -2 the relative error is unbounded.
    {"lgamma", F_X, INFINITY, INFINITY, ref_lgamma},
    {"lgamma_r", F_X_PI, INFINITY, INFINITY, ref_lgamma_r},
    {"sqrt", F_X, 0.5, 0.5, ref_sqrt},
    {"rsqrt", F_X, 2, 2, ref_rsqrt},
    {"half_sqrt", F_X, 8192, -1, ref_sqrt},
    {"half_rsqrt", F_X, 8192, -1, ref_rsqrt},
    {"half_recip", F_X, 8192, -1, ref_recip},
    {"half_divide", F_XX, 8192, -1, ref_divide},
    {"half_exp", F_X, 8192, -1, ref_exp},
    {"half_exp2", F_X, 8192, -1, ref_exp2},
    {"half_exp10", F_X, 8192, -1, ref_exp10},
    {"half_log", F_X, 8192, -1, ref_log},
    {"half_log2", F_X, 8192, -1, ref_log2},
    {"half_log10", F_X, 8192, -1, ref_log10},
    {"half_sin", F_X, 8192, -1, ref_sin},
    {"half_cos", F_X, 8192, -1, ref_cos},
    {"half_tan", F_X, 8192, -1, ref_tan},
    {"half_powr", F_XX, 8192, -1, ref_powr},
    {"floor", F_X, 0, 0, ref_floor},
    {"ceil", F_X, 0, 0, ref_ceil},
    {"trunc", F_X, 0, 0, ref_trunc},
    {"rint", F_X, 0, 0, ref_rint},
    {"round", F_X, 0, 0, ref_round},
    {"fabs", F_X, 0, 0, ref_fabs},
    {"logb", F_X, 0, 0, ref_logb},
    {"ilogb", I_X, 0, 0, ref_ilogb},
    {"pow", F_XX, 16, 16, ref_pow},
    {"powr", F_XX, 16, 16, ref_powr},
    {"pown", F_XI, 16, 16, ref_pown},
    {"rootn", F_XI, 16, 16, ref_rootn},
    {"hypot", F_XX, 4, 4, ref_hypot},
    {"fmod", F_XX, 0, 0, ref_fmod},
    {"remainder", F_XX, 0, 0, ref_remainder},
    {"remquo", F_XX_PI, 0, 0, ref_remquo},
    {"nextafter", F_XX, 0, 0, ref_nextafter},
    {"fdim", F_XX, 0.5, 0.5, ref_fdim},
    {"fmax", F_XX, 0, 0, ref_fmax},
    {"fmin", F_XX, 0, 0, ref_fmin},
    {"maxmag", F_XX, 0, 0, ref_maxmag},
    {"minmag", F_XX, 0, 0, ref_minmag},
    {"copysign", F_XX, 0, 0, ref_copysign},
    {"ldexp", F_XI, 0.5, 0.5, ref_ldexp},
    {"fma", F_XXX, 0, 0, ref_fma},
    {"fract", F_X_PX, 0.5, 0.5, ref_fract},
    {"modf", F_X_PX, 0, 0, ref_modf},
    {"frexp", F_X_PI, 0, 0, ref_frexp},
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
    return single ? (double)(float)x : x;
}

static double from_bits(uint64_t u)
{
    if (single) {
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
        specials[special_count++] = common[i];
    double tail[] = {single ? 0x1p-149 : 0x1p-1074,
                     single ? (double)FLT_MIN : DBL_MIN,
                     single ? (double)FLT_MAX : DBL_MAX,
                     (double)INFINITY,
                     (double)NAN,
                     single ? 0x1.fffffep-1 : 0x1.fffffffffffffp-1,
                     single ? 0x1.000002p0 : 0x1.0000000000001p0,
                     single ? 0x1p24 : 0x1p53,
                     single ? 8388607.5 : 0x1p52 - 0.5,
                     single ? 0x1.fffffcp-127 : 0x1.ffffffffffffep-1023};
    for (unsigned i = 0; i < sizeof tail / sizeof *tail; i++)
        specials[special_count++] = tail[i];
    for (unsigned i = 0, n = special_count; i < n; i++)
        specials[special_count++] = -specials[i];
}

static double ulp_error(real got, real want)
{
    if (isnan(want) || isnan(got))
        return isnan(want) && isnan(got) ? 0 : (double)INFINITY;
    real rounded = single ? (real)(float)want : (real)(double)want;
    if (isinf(rounded)) {
        if (isinf(want))
            return got == want ? 0 : (double)INFINITY;
        // Just beyond the largest number: count in its ULP.
        if (isinf(got))
            return signbit(got) == signbit(want) ? 0 : (double)INFINITY;
    } else if (isinf(got)) {
        got = copysignl(single ? 0x1p128L : 0x1p1024L, got);
    }
    if (want == 0 && got == 0)
        return signbit(want) == signbit(got) ? 0 : (double)INFINITY;
    int e = want == 0 ? -20000 : ilogbl(want);
    int low = single ? -126 : -1022;
    e = e < low ? low : e;
    return (double)(fabsl(got - want) / ldexpl(1, e - (single ? 23 : 52)));
}

union entry {
    void *symbol;
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
    static const char *const tail_f[] = {"f", "ff", "fff", "fi", "f", "fPf", "fPi", "ffPi"};
    static const char *const tail_d[] = {"d", "dd", "ddd", "di", "d", "dPd", "dPi", "ddPi"};
    snprintf(out, size, "_Z%zu%s%s", strlen(f->name), f->name, (single ? tail_f : tail_d)[f->shape]);
}

static real call(const struct function *f, union entry e, double x, double y, double z, int n, real *second)
{
    int i = 0;
    float p = 0;
    double q = 0;
    real r = 0;
    switch (f->shape) {
    case F_X:
        return single ? (real)e.f1((float)x) : (real)e.d1(x);
    case F_XX:
        return single ? (real)e.f2((float)x, (float)y) : (real)e.d2(x, y);
    case F_XXX:
        return single ? (real)e.f3((float)x, (float)y, (float)z) : (real)e.d3(x, y, z);
    case F_XI:
        return single ? (real)e.fi((float)x, n) : (real)e.di(x, n);
    case I_X:
        return single ? (real)e.fx((float)x) : (real)e.dx(x);
    case F_X_PX:
        r = single ? (real)e.fp((float)x, &p) : (real)e.dp(x, &q);
        *second = single ? (real)p : (real)q;
        return r;
    case F_X_PI:
        r = single ? (real)e.fpi((float)x, &i) : (real)e.dpi(x, &i);
        *second = i;
        return r;
    case F_XX_PI:
        r = single ? (real)e.f2pi((float)x, (float)y, &i) : (real)e.d2pi(x, y, &i);
        *second = i;
        return r;
    }
    return r;
}

struct worst {
    double error;
    double x, y, z;
    int n;
    real got, want;
};

static void check(const struct function *f, union entry e, double x, double y, double z, int n,
                  struct worst *worst)
{
    real got2 = 0, want2 = 0;
    bool half = !strncmp(f->name, "half_", 5);
    // The half forms of the trigonometric functions need be right up to 2^16 only, and no half form keeps the
    // sign of a zero.
    if (half && fabs(x) > 65536 &&
        (strstr(f->name, "sin") || strstr(f->name, "cos") || strstr(f->name, "tan")))
        return;
    real got = call(f, e, x, y, z, n, &got2);
    real want = f->reference(x, y, z, n, &want2);
    double limit = single ? f->limit_f : f->limit_d;
    double error = f->shape == I_X ? (got == want ? 0 : (double)INFINITY) : ulp_error(got, want);
    // Rounding to the type is part of an exact reference, e.g. that of fdim.
    if (limit <= 0.5 && f->shape != I_X)
        error = ulp_error(got, single ? (real)(float)want : (real)(double)want);
    if (half && got == 0 && want == 0)
        error = 0;
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

static bool run(const struct function *f, void *library, long samples)
{
    double limit = single ? f->limit_f : f->limit_d;
    char name[64];
    if (limit < 0)
        return true;
    mangle(name, sizeof name, f);
    union entry e;
    e.symbol = dlsym(library, name);
    if (!e.symbol) {
        printf("%-12s %-6s missing: %s\n", f->name, single ? "float" : "double", name);
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
    for (long i = 0; i < (slow ? samples / 8 : samples); i++) {
        double x = random_argument(), y = two ? random_argument() : 0,
               z = f->shape == F_XXX ? random_argument() : 0;
        int n = 0;
        if (f->shape == F_XI) {
            uint64_t u = random64();
            n = (int)((int64_t)u >> (u & 1 ? 32 : 48 + (u >> 1 & 15)));
        } else if (two && (i & 7) == 0) {
            // Operands of like size: cancellation.
            y = to_type(x * (1 + ldexp((double)(int)(random64() & 255), -(int)(random64() % 56))));
        }
        if (f->shape == F_XXX && (i & 3) == 0)
            z = -to_type(x * y);
        check(f, e, x, y, z, n, &worst);
    }
    bool good = worst.error <= limit;
    printf("%-12s %-6s worst %-8.3g limit %-5g%s at %a", f->name, single ? "float" : "double", worst.error,
           limit, good ? "" : " FAILED", worst.x);
    if (two)
        printf(", %a", worst.y);
    if (f->shape == F_XXX)
        printf(", %a", worst.z);
    if (f->shape == F_XI)
        printf(", %d", worst.n);
    if (!good)
        printf(": got %.21Lg, want %.21Lg", worst.got, worst.want);
    printf("\n");
    return good;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: math_ulp LIBRARY [SAMPLES [FUNCTION]]\n");
        return 2;
    }
    if (strstr(argv[1], "avx512") && !__builtin_cpu_supports("avx512vl")) {
        printf("skipped: this processor has no AVX-512\n");
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
        for (int type = 0; type < 2; type++) {
            single = type == 0;
            fill_specials();
            failed += !run(&functions[i], library, samples);
        }
    }
    printf("%d failed\n", failed);
    return failed != 0;
}
