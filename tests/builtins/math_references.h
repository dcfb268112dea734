// What math_ulp.c compares with: each function in long double, for arguments of the type under test, and that
// type's format. Included once, by it alone.
#ifndef WEFT_TESTS_MATH_REFERENCES_H
#define WEFT_TESTS_MATH_REFERENCES_H

#include <math.h>
#include <stdbool.h>

typedef long double real;

enum type { HALF, FLOAT, DOUBLE, TYPES };

static const struct {
    const char *name;
    int digits, least; // binary digits, exponent of the least normal number
    real greatest;
} formats[TYPES] = {{"half", 11, -14, 65504},
                    {"float", 24, -126, 0x1.fffffep127L},
                    {"double", 53, -1022, 0x1.fffffffffffffp1023L}};

static enum type type; // under test

// x rounded to the type. Not every compiler's library does it for half.
static real nearest(real x)
{
    if (type == FLOAT)
        return (real)(float)x;
    if (type == DOUBLE)
        return (real)(double)x;
    if (x == 0 || !isfinite(x))
        return x;
    int e = ilogbl(x) < formats[HALF].least ? formats[HALF].least : ilogbl(x);
    real unit = ldexpl(1, e - formats[HALF].digits + 1);
    real r = copysignl(rintl(x / unit) * unit, x);
    return fabsl(r) > formats[HALF].greatest ? copysignl((real)INFINITY, x) : r;
}

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
    // Of doubles in double: in long double it would be rounded twice.
    double exact = (double)x - floor((double)x);
    real f = type == DOUBLE ? (real)exact : nearest(x - floorl(x)),
         below = 1 - ldexpl(1, -formats[type].digits);
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

static real next_half(real x, real y)
{
    if (isnan(x) || isnan(y) || x == y)
        return isnan(x) ? x : y;
    if (x == 0)
        return copysignl(0x1p-24L, y);
    bool grow = (x < y) == (x > 0);
    if (isinf(x))
        return copysignl(65504, x);
    int e = ilogbl(x) < -14 ? -14 : ilogbl(x);
    real size = fabsl(x), step = ldexpl(1, e - 10);
    if (!grow && e > -14 && size == ldexpl(1, e))
        step /= 2;
    size += grow ? step : -step;
    return copysignl(size > 65504 ? (real)INFINITY : size, x);
}

static real next_l(real x, real y)
{
    if (type == HALF)
        return next_half(x, y);
    return type == FLOAT ? (real)nextafterf((float)x, (float)y) : (real)nextafter((double)x, (double)y);
}

// Of halves the product is exact, and the sum's first rounding is far from where it could spoil the second.
static real fma_l(real x, real y, real z)
{
    if (type == HALF)
        return nearest(x * y + z);
    return type == FLOAT ? (real)fmaf((float)x, (float)y, (float)z)
                         : (real)fma((double)x, (double)y, (double)z);
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
R1(sqrt, type == HALF ? nearest(sqrtl(x)) : type == FLOAT ? (real)sqrtf((float)x) : (real)sqrt((double)x))
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
R1(fdim, type == DOUBLE ? (real)fdim((double)x, (double)y) : nearest(fdiml(x, y)))
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

#endif
