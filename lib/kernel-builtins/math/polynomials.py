#!/usr/bin/env python3
"""Computes every polynomial, split constant and table of the math built-ins: writes weft_polynomials.h,
weft_reduction_tables.h, weft_step_tables.h and weft_erf_table.h beside itself. Needs mpmath. The outputs are committed, so a build needs neither.

Each polynomial is a minimax approximation found by Remez's exchange on a dense grid; its coefficients are rounded to
the working type one after the other, lowest first. After each rounding the remaining ones are fitted again, so
rounding costs almost no accuracy."""
import os
import struct
import sys
from mpmath import (mp, mpf, matrix, lu_solve, exp, log, sin, cos, tan, atan, atanh, asin, erf, erfc, gamma, loggamma, pi,
                    sqrt, floor, cbrt)

mp.dps = 60
HERE = os.path.dirname(os.path.abspath(__file__))


def rounded(x, kind):
    """x rounded to float or double, as mpf."""
    bits = 24 if kind == "f" else 53
    with mp.workprec(bits):
        return +mpf(x)


def hexfloat(x, kind):
    v = float(x)
    text = v.hex()
    head, tail = text.split("p")
    if "." in head:
        head = head.rstrip("0").rstrip(".")
    return head + "p" + tail + ("f" if kind == "f" else "")


def remez(g, w, lo, hi, degree, fixed):
    """Polynomial p(t) of the degree, whose first len(fixed) coefficients are given, with least max |w*(p-g)|."""
    n = degree + 1 - len(fixed)
    k = len(fixed)
    points = 60 * (n + 2)
    grid = [(lo + hi) / 2 - (hi - lo) / 2 * cos(pi * i / points) for i in range(points + 1)]
    grid = [t if t != 0 else (hi - lo) * mpf(10) ** -12 for t in grid]
    base = [g(t) - sum(c * t ** i for i, c in enumerate(fixed)) for t in grid]
    weight = [w(t) for t in grid]
    at = [round(points * (1 - cos(pi * i / n)) / 2) for i in range(n + 1)]
    at = sorted(set(at))
    if len(at) < n + 1:
        at = [round(points * i / n) for i in range(n + 1)]
    # The grid is already Chebyshev spaced: equal index steps are the right start.
    at = [round(points * i / n) for i in range(n + 1)]
    for _ in range(12):
        a = matrix(n + 1, n + 1)
        b = matrix(n + 1, 1)
        for row, i in enumerate(at):
            for j in range(n):
                a[row, j] = grid[i] ** (j + k) * weight[i]
            a[row, n] = (-1) ** row
            b[row] = base[i] * weight[i]
        sol = lu_solve(a, b)
        coef = [sol[j] for j in range(n)]
        err = []
        for t, f, u in zip(grid, base, weight):
            s = mpf(0)
            for c in reversed(coef):
                s = s * t + c
            err.append((s * t ** k - f) * u)
        extremes = []
        for i, e in enumerate(err):
            if extremes and (err[extremes[-1]] > 0) == (e > 0):
                if abs(e) > abs(err[extremes[-1]]):
                    extremes[-1] = i
            else:
                extremes.append(i)
        while len(extremes) > n + 1:
            if len(extremes) == n + 2:
                extremes.pop(0 if abs(err[extremes[0]]) < abs(err[extremes[-1]]) else -1)
            else:
                worst = min(range(len(extremes)), key=lambda i: abs(err[extremes[i]]))
                extremes.pop(worst)
                if 0 < worst < len(extremes):
                    a0, a1 = extremes[worst - 1], extremes[worst]
                    extremes.pop(worst if abs(err[a1]) < abs(err[a0]) else worst - 1)
        if len(extremes) < n + 1 or extremes == at:
            break
        at = extremes
    return list(fixed) + coef, max(abs(e) for e in err)


def fit(g, w, lo, hi, degree, kind, fixed=()):
    fixed = [mpf(c) for c in fixed]
    error = None
    while len(fixed) <= degree:
        coef, error = remez(g, w, mpf(lo), mpf(hi), degree, fixed)
        # With zero inside the interval a fixed constant term would break the alternation that Remez relies
        # on.
        if not lo < 0 < hi and len(coef) - len(fixed) > 3 and len(fixed) < 4:
            fixed.append(rounded(coef[len(fixed)], kind))
            continue
        fixed += [rounded(c, kind) for c in coef[len(fixed):]]
    return fixed, error


def tree(coef, kind):
    """Evaluates pairs of terms, then pairs of pairs, and so on: the shortest chain, at the cost of a few squarings. The last
    three terms need none."""
    t, f = ("float", "weft_mad_f") if kind == "f" else ("double", "weft_mad_d")
    terms, x, lines = [hexfloat(c, kind) for c in coef], "x", []
    while True:
        if len(terms) == 3:
            terms = [f"{f}({f}({terms[2]}, {x}, {terms[1]}), {x}, {terms[0]})"]
        terms = [f"{f}({b}, {x}, {a})" for a, b in zip(terms[::2], terms[1::2])] + terms[len(terms) & ~1:]
        if len(terms) == 1:
            return "".join(lines) + f"    return {terms[0]};\n"
        power = 2 ** (len(lines) + 1)
        lines.append(f"    {t} x{power} = {x} * {x};\n")
        x = f"x{power}"


def split_horner(coef, kind):
    """Horner's method. Long polynomials are split into even and odd terms, which halves the chain of dependent operations."""
    f = "weft_mad_f" if kind == "f" else "weft_mad_d"

    def horner(cs, x):
        s = hexfloat(cs[-1], kind)
        for c in reversed(cs[:-1]):
            s = f"{f}({s}, {x}, {hexfloat(c, kind)})"
        return s

    t = "float" if kind == "f" else "double"
    if len(coef) <= 7:
        return f"    return {horner(coef, 'x')};\n"
    return (f"    {t} x2 = x * x;\n    {t} even = {horner(coef[0::2], 'x2')};\n"
            f"    {t} odd = {horner(coef[1::2], 'x2')};\n    return weft_mad_{kind}(odd, x, even);\n")


# Parts of chains that are long anyway: there a tree is always quicker.
LONG = ("log_wide_f", "log2_wide_f", "log10_wide_f", "log1p_f", "log_fifth_d", "erfcx_f", "erfcx_d")
# What is computed beside a square root, which takes longer.
BESIDE_ROOTS = ("asin_f", "asin_d", "asinpi_f", "asinpi_d")


def body(name, coef, kind):
    """A processor's queues hold few operations, so the length of a chain counts as much as their number: a tree is quicker.
    AVX-512 fits twice as many numbers into the same queues: there fewer operations are."""
    name = name.removeprefix("weft_poly_")
    if len(coef) < 4:
        return split_horner(coef, kind)
    if name in LONG:
        return tree(coef, kind)
    inner = "".join("    " + line + "\n" for line in split_horner(coef, kind).splitlines())
    few = "has_fma" if name in BESIDE_ROOTS else "has_math_primitives"
    return f"    if (__weft_target_{few}) {{\n" + inner + "    }\n" + tree(coef, kind)


POLYNOMIALS = []


def poly(name, text, g, w, lo, hi, degrees):
    """The polynomials of the degrees that approximate g; or g(kind): (coefficients, error)."""
    for kind, degree in degrees:
        POLYNOMIALS.append((f"weft_poly_{name}_{kind}", text, g, w, lo, hi, degree, kind))


def passing(coef, kind, at, value):
    """coef with another last coefficient, so that the polynomial of `at` is the value."""
    others = sum(c * at ** i for i, c in enumerate(coef[:-1]))
    return coef[:-1] + [rounded((value - others) / at ** (len(coef) - 1), kind)]


def even_part(f, first, power):
    """(f(x) - first(x)) / x^power as a function of z = x*x. With 60 digits no series is needed near zero."""
    def g(z):
        x = sqrt(z)
        return (f(x) - first(x)) / x ** power
    return g


SMALL = mpf(10) ** -14
H = log(mpf(2)) / 2 * mpf("1.0005")
poly("exp", "(e^x - 1 - x) / x^2", lambda r: (exp(r) - 1 - r) / r ** 2, lambda r: r ** 2 / exp(r), -H, H,
     [("f", 4), ("d", 9)])
EXP_QUOTIENT, EXP_QUOTIENT_ERROR = fit(lambda r: (exp(r) - 1) / r, lambda r: abs(r) / exp(r), -H, H, 5, "f")
assert EXP_QUOTIENT[0] == 1
poly("exp_quotient", f"(e^x - 1 - x - {hexfloat(EXP_QUOTIENT[1], 'f')} x^2) / x^3", lambda kind: (EXP_QUOTIENT[2:], EXP_QUOTIENT_ERROR),
     None, None, None, [("f", 3)])
poly("cosh", "(cosh r - 1) / r^2, x = r^2", even_part(lambda r: (exp(r) + exp(-r)) / 2, lambda r: 1, 2), lambda z: z, SMALL, H * H,
     [("f", 2), ("d", 4)])
poly("sinh", "(sinh r - r) / r^3, x = r^2", even_part(lambda r: (exp(r) - exp(-r)) / 2, lambda r: r, 3), lambda z: z, SMALL, H * H,
     [("f", 1), ("d", 5)])
for base, end in ((2, mpf("0.5002")), (10, mpf("0.15058"))):
    poly(f"exp{base}_plain", f"({base}^x - 1) / x, |x| <= {float(end):.4g}", lambda r, b=mpf(base): (b ** r - 1) / r,
         lambda r, b=mpf(base): abs(r) / b ** r, -end, end, [("f", 5), ("d", 10)])
E64 = log(mpf(2)) / 128 * mpf("1.01")
poly("exp_64", "(e^x - 1 - x) / x^2 for a 64th of an octave", lambda r: (exp(r) - 1 - r) / r ** 2, lambda r: r ** 2, -E64, E64, [("d", 3)])
for base in (2, 10):
    poly(f"exp{base}_64", f"({base}^x - 1) / x for a 64th of an octave", lambda r, b=mpf(base): (b ** r - 1) / r, lambda r: abs(r),
         -E64 / log(mpf(base)), E64 / log(mpf(base)), [("d", 4)])
M = sqrt(mpf(2)) - 1
poly("log", "(ln(1+x) - x) / x^2", lambda f: (log(1 + f) - f) / f ** 2, lambda f: abs(f ** 2 / log(1 + f)),
     sqrt(mpf(0.5)) - 1, M, [("f", 7)])
poly("log1p", "(ln(1+x) - x + x^2/2) / x^3", lambda f: (log(1 + f) - f + f * f / 2) / f ** 3,
     lambda f: f ** 3 / log(1 + f), sqrt(mpf(0.5)) - 1, M, [("f", 7)])
S2 = mpf("0.02945")
poly("atanh", "(ln((1+s)/(1-s)) - 2s) / s^3, x = s^2",
     even_part(lambda s: log((1 + s) / (1 - s)), lambda s: 2 * s, 3),
     lambda z: z, SMALL, S2, [("d", 6), ("f", 2)])
poly("atanh5", "(ln((1+s)/(1-s)) - 2s - 2/3 s^3) / s^5, x = s^2",
     even_part(lambda s: log((1 + s) / (1 - s)), lambda s: 2 * s + 2 * s ** 3 / 3, 5),
     lambda z: z * z, SMALL, S2, [("d", 7)])
poly("log_fifth", "3/2 (ln((1+s)/(1-s)) - 2s - 2/3 s^3) / s^5, x = s^2", lambda z, g=even_part(
    lambda s: log((1 + s) / (1 - s)), lambda s: 2 * s + 2 * s ** 3 / 3, 5): g(z) * 3 / 2, lambda z: z * z / 3, SMALL, S2, [("d", 6)])
poly("atanh_half", "(atanh x - x) / x^3, |x| <= 1/2, x = x^2", even_part(atanh, lambda r: r, 3),
     lambda z: z * sqrt(z) / atanh(sqrt(z)), SMALL, mpf("0.2501"), [("f", 4)])
Q2 = (pi / 4 * mpf("1.003")) ** 2
poly("sin", "(sin r - r) / r^3, x = r^2", even_part(sin, lambda r: r, 3), lambda z: z, SMALL, Q2,
     [("f", 3), ("d", 5)])
poly("sin_quarter", "(sin r - r) / r^3, x = r^2", even_part(sin, lambda r: r, 3),
     lambda z: z * sqrt(z) / sin(sqrt(z)), SMALL, Q2, [("f", 2)])
poly("cos", "(cos r - 1 + r^2/2) / r^4, x = r^2", even_part(cos, lambda r: 1 - r * r / 2, 4), lambda z: z * z, SMALL,
     Q2, [("f", 2), ("d", 5)])


RATIOS = []


def ratio(name, text, g, hi, degrees):
    """Two polynomials whose quotient approximates g on [0, hi]; the constant terms are 1."""
    for kind, top, bottom in degrees:
        RATIOS.append((f"weft_poly_{name}", text, g, hi, top, bottom, kind))


def fit_ratio(g, hi, m, n, kind):
    """Least squares over points that are as dense as Chebyshev's: that is near the minimax ratio. Each round divides by the
    denominator of the round before."""
    count = 80
    points = [hi / 2 - hi / 2 * cos(pi * (i + mpf(1) / 2) / count) for i in range(count)]
    bottom = [mpf(1)] + [mpf(0)] * n
    for _ in range(6):
        a, b = matrix(count, m + n), matrix(count, 1)
        for i, z in enumerate(points):
            w = 1 / (g(z) * sum(c * z ** k for k, c in enumerate(bottom)))
            for k in range(1, m + 1):
                a[i, k - 1] = w * z ** k
            for k in range(1, n + 1):
                a[i, m + k - 1] = -w * g(z) * z ** k
            b[i] = w * (g(z) - 1)
        found = lu_solve(a, b)
        top, bottom = ([mpf(1)] + [found[k] for k in range(*r)] for r in ((0, m), (m, m + n)))
    top, bottom = ([rounded(c, kind) for c in cs] for cs in (top, bottom))
    error = max(abs(sum(c * z ** k for k, c in enumerate(top)) / sum(c * z ** k for k, c in enumerate(bottom)) / g(z) - 1)
                for z in (hi * i / 500 for i in range(1, 501)))
    return top, bottom, error


ratio("tan", "tan r / r, |r| <= pi/4, x = r^2", lambda z: tan(sqrt(z)) / sqrt(z), Q2, [("f", 1, 2), ("d", 3, 3)])
ratio("tanpi", "tan(pi r) / (pi r), |r| <= 1/4, x = r^2", lambda z: tan(pi * sqrt(z)) / (pi * sqrt(z)), mpf("0.0626"),
      [("f", 1, 2), ("d", 3, 3)])
T2 = (tan(pi / 8) * mpf("1.0001")) ** 2
poly("atan", "(atan z - z) / z^3, x = z^2", even_part(atan, lambda r: r, 3), lambda z: z * sqrt(z) / atan(sqrt(z)), SMALL, T2,
     [("d", 9)])
poly("atan_octant", "(atan z - z) / z^3, z <= 1, x = z^2", even_part(atan, lambda r: r, 3),
     lambda z: z * sqrt(z) / atan(sqrt(z)), SMALL, mpf("1.0001"), [("f", 6)])
for name, by in (("asin", mpf(1)), ("asinpi", 1 / pi)):
    poly(name, f"({name} x - ({name} x)'(0) x) / x^3, x = x^2", lambda z, by=by, g=even_part(asin, lambda r: r, 3): by * g(z),
         lambda z, by=by: z * sqrt(z) / asin(sqrt(z)) / by, SMALL, mpf("0.2501"), [("f", 4), ("d", 11)])
ratio("erf", "erf x / x * sqrt(pi) / 2, |x| <= 3.92, x = x^2", lambda z: erf(sqrt(z)) / sqrt(z) * sqrt(pi) / 2, mpf("15.4"),
      [("f", 5, 5)])


def erfcx_at(a):
    return erfc(a) * exp(a * a)


def erfcx_scaled(t):
    x = 3 * (1 + t) / (1 - t)
    return erfc(x) * exp(x * x) * (x + 3)


poly("erfcx", "erfc(a)*e^(a*a)*(a+3), x = (a-3)/(a+3)", erfcx_scaled, lambda t: 1 / erfcx_scaled(t), mpf(-1),
     mpf("0.81"), [("f", 9), ("d", 21)])
poly("erfcx_near", "erfc(a)*e^(a*a), 0 <= a <= 3.75, x = a - 1.875", lambda t: erfcx_at(t + mpf("1.875")),
     lambda t: 1 / erfcx_at(t + mpf("1.875")), mpf("-1.875"), mpf("1.875"), [("f", 13)])
HALF = mpf("0.5")
poly("gamma", "(Gamma(a) - 1) / (a - 1) / (a - 2), 1 <= a <= 2, x = a - 1.5", lambda t: (gamma(t + 1 + HALF) - 1) / (t * t - HALF * HALF),
     lambda t: HALF * HALF - t * t, SMALL - HALF, HALF - SMALL, [("d", 19)])


def lgamma_scaled(t):
    x = t + mpf(1.5)
    d = (x - 1) * (x - 2)
    return loggamma(x) / d


poly("lgamma", "lnGamma(x + 1.5) / ((x + 0.5)*(x - 0.5)), |x| <= 0.5", lgamma_scaled, lambda t: 1, mpf("-0.5") + SMALL,
     mpf("0.5") - SMALL, [("d", 21)])


def stirling(z):
    v = 1 / sqrt(z)
    return (loggamma(v) - (v - mpf(0.5)) * log(v) + v - log(2 * pi) / 2) * v


poly("stirling", "(lnGamma(v) - (v - 1/2) ln v + v - ln(2 pi)/2) * v, v >= 8, x = 1/v^2", stirling, lambda z: 1, SMALL,
     mpf(1) / 64, [("d", 5)])
poly("rcbrt_step", "((1-x)^(-1/3) - 1) / x, |x| < 0.103", lambda d: (1 / cbrt(1 - d) - 1) / d, lambda d: abs(d * cbrt(1 - d)),
     mpf("-0.103"), mpf("0.10299"), [("f", 2), ("d", 3)])


# ---- sines over half a turn, so that neither a quadrant nor a second polynomial has to be selected ----

def sin_half(kind, degree):
    """cos 0 is the sine of pi/2, and is to be 1. Below 1 doubles are twice as dense as above it: so the polynomial of doubles
    is nearer to the latter there."""
    coef, error = fit(even_part(sin, lambda r: r, 3), lambda z: z * sqrt(z) / sin(sqrt(z)), SMALL, (pi / 2 * mpf("1.001")) ** 2,
                      degree, kind)
    one = 1 + mpf("1.5") * mpf(2) ** -54
    return (passing(coef, kind, (pi / 2) ** 2, (one - pi / 2) / (pi / 2) ** 3) if kind == "d" else coef), error


SIN_HALF = {"f": sin_half("f", 3), "d": sin_half("d", 7)}
poly("sin_half", "(sin r - r) / r^3, |r| <= pi/2, x = r^2", lambda kind: SIN_HALF[kind], None, None, None, [("f", 3), ("d", 7)])


def sinpi(kind, degree):
    """(The coefficients of sin(pi x) / x, |x| <= 1/2, error), exact for 1/2."""
    coef, error = fit(even_part(lambda x: sin(pi * x), lambda x: pi * x, 3), lambda z: z * sqrt(z) / sin(pi * sqrt(z)),
                      SMALL, mpf("0.2501"), degree, kind)
    return passing([rounded(pi, kind)] + coef, kind, mpf("0.25"), mpf(2)), error


# The lowest terms are multiplied by x while the others are computed.
SINPI = {"f": sinpi("f", 3), "d": sinpi("d", 7)}
poly("sinpi", "(sin(pi x) / x without its two lowest terms) / x^4, |x| <= 1/2, x = x^2",
     lambda kind: (SINPI[kind][0][2:], SINPI[kind][1]), None, None, None, [("f", 2), ("d", 6)])


def sin_brief():
    """Two coefficients for half_sin, through the sine of pi/2, which they don't exceed: programs compute sqrt(1 - s^2)."""
    end = (pi / 2) ** 2
    slope = (2 / pi - 1) / end ** 2
    coef, error = fit(lambda z: (even_part(sin, lambda r: r, 3)(z) - slope * z) / (1 - z / end),
                      lambda z: z * sqrt(z) / sin(sqrt(z)) * (1 - z / end), SMALL, end * mpf("0.9999"), 0, "f")
    return passing([mpf(1)] + coef + [mpf(0)], "f", end, 2 / pi * (1 - mpf(2) ** -20))[1:], error


SIN_BRIEF = sin_brief()
poly("sin_brief", "(sin r - r) / r^3, |r| <= pi/2, x = r^2", lambda kind: SIN_BRIEF, None, None, None, [("f", 1)])

# ---- short polynomials, for targets with in-register table lookup (weft_primitive_cores.h) ----

L16 = log(mpf(2)) / 32 * mpf("1.002")
poly("exp_step", "(e^x - 1 - x) / x^2 for a sixteenth of an octave", lambda r: (exp(r) - 1 - r) / r ** 2,
     lambda r: r ** 2, -L16, L16, [("f", 1), ("d", 4)])
poly("exp2_step", "(2^x - 1 - x ln 2) / x^2, |x| <= 1/32", lambda r: (mpf(2) ** r - 1 - r * log(mpf(2))) / r ** 2,
     lambda r: r ** 2, mpf("-0.0315"), mpf("0.0315"), [("f", 1)])
poly("log_wide", "(ln(1+x) - x) / x^2, -1/4 <= x <= 1/2", lambda f: (log(1 + f) - f) / f ** 2,
     lambda f: abs(f ** 2 / log(1 + f)), mpf("-0.25"), mpf("0.5"), [("f", 7)])
for base in (2, 10):
    poly(f"log{base}_wide", f"(ln(1+x) - x) / x^2 / ln({base}), -1/4 <= x <= 1/2",
         lambda f, b=base: (log(1 + f) - f) / f ** 2 / log(mpf(b)), lambda f, b=base: abs(f ** 2 / log(1 + f)) * log(mpf(b)),
         mpf("-0.25"), mpf("0.5"), [("f", 7)])

# ---- native functions without in-register table lookup (weft_native.h): a term fewer ----

EXP2_NATIVE, EXP2_NATIVE_ERROR = fit(lambda r: 2 * (mpf(2) ** r - 1) / r, lambda r: abs(r) / (2 * mpf(2) ** r), mpf("-0.5005"), mpf("0.5005"), 3, "f")
poly("exp2_native", f"(2 * 2^x - 2 - {hexfloat(EXP2_NATIVE[0], 'f')} x) / x^2, |x| <= 1/2",
     lambda kind: (EXP2_NATIVE[1:], EXP2_NATIVE_ERROR), None, None, None, [("f", 2)])
LOGS = {}
for name, by in (("log", mpf(1)), ("log2", 1 / log(mpf(2))), ("log10", 1 / log(mpf(10)))):
    of = lambda f, by=by: by * (log(1 + f) - f) / f ** 2
    at = lambda f, by=by: abs(f ** 2 / log(1 + f)) / by
    LOGS[name] = fit(of, at, sqrt(mpf(0.5)) - 1, M, 5, "f")
    poly(f"{name}_native", f"({name}(1+x) - x {name}(e)) / x^2 without its two lowest terms, / x^2",
         lambda kind, name=name: (LOGS[name][0][2:], LOGS[name][1]), None, None, None, [("f", 3)])
    poly(f"{name}_half", f"({name}(1+x) - x {name}(e)) / x^2", of, at, sqrt(mpf(0.5)) - 1, M, [("f", 3)])

# Slightly too large, so that it isn't below 2 for 1.
poly("exp2_half", "2^x (1 + 2^-13), 0 <= x <= 1", lambda r: mpf(2) ** r * (1 + mpf(2) ** -13), lambda r: mpf(2) ** -r,
     mpf(0), mpf(1), [("f", 3)])

poly("rcbrt_octave", "(x + 1.5)^(-1/3), |x| <= 1/2", lambda t: 1 / cbrt(t + mpf(1.5)), lambda t: cbrt(t + mpf(1.5)),
     mpf("-0.5"), mpf("0.5"), [("d", 5)])

# cbrt(x + 1.5), |x| <= 0.5: the constant term is separate, because its rounding would cost the most accuracy.
CBRT, CBRT_ERROR = fit(lambda t: cbrt(t + mpf(1.5)), lambda t: 1 / cbrt(t + mpf(1.5)), mpf("-0.5"), mpf("0.5"), 8, "f")
poly("cbrt_rest", f"(cbrt(x + 1.5) - {hexfloat(CBRT[0], 'f')}) / x, |x| <= 0.5", lambda kind: (CBRT[1:], CBRT_ERROR), None,
     None, None, [("f", 7)])


def log2_steps():
    """16 steps of [3/4, 3/2), by the top four bits of the fraction, with factors of few bits that bring each step near 1.
    Returns for each step (factor, lowest remainder, highest remainder), where a remainder is the product minus 1."""
    steps = []
    for j in range(16):
        low, high = (1 + mpf(j) / 16, 1 + mpf(j + 1) / 16) if j < 8 else (mpf(16 + j) / 32, mpf(17 + j) / 32)
        t = mpf(1) if j in (0, 15) else min((mpf(n) / 32 for n in range(16, 64)),
                                            key=lambda t: max(abs(low * t - 1), abs(high * t - 1)))
        steps.append((t, low * t - 1, high * t - 1))
    return steps


LOG2_STEPS = log2_steps()
poly("log2_step", "(log2(1+x) - x/ln 2) / x^2 within a step", lambda r: (log(1 + r) - r) / r ** 2 / log(mpf(2)),
     lambda r: r ** 2 / max(abs(log(1 + r)), mpf("0.04")), min(s[1] for s in LOG2_STEPS),
     max(s[2] for s in LOG2_STEPS), [("f", 4)])

poly("log_step", "(ln(1+x) - x) / x^2 within a step", lambda r: (log(1 + r) - r) / r ** 2,
     lambda r: abs(r ** 2 / max(abs(log(1 + r)), mpf("0.03"))), min(s[1] for s in LOG2_STEPS), max(s[2] for s in LOG2_STEPS),
     [("d", 9)])

poly("log_cubed_step", "(ln(1+x) - x + x^2/2) / x^3 within a step", lambda r: (log(1 + r) - r + r * r / 2) / r ** 3,
     lambda r: abs(r ** 3 / max(abs(log(1 + r)), mpf("0.03"))), min(s[1] for s in LOG2_STEPS), max(s[2] for s in LOG2_STEPS),
     [("d", 8)])

ERF_STEPS = {"f": mpf(1) / 4, "d": mpf(3) / 8}


def erf_steps(kind, degree):
    """Coefficients for erf(j*step + x), |x| <= step/2, j = 0..15."""
    rows, worst = [], mpf(0)
    step = ERF_STEPS[kind]
    half = step / 2 * mpf("1.0001")
    for j in range(16):
        c = j * step
        if j == 0:
            coef, error = fit(lambda t: erf(t) / t, lambda t: t / erf(t), SMALL, half, degree - 1, kind)
            coef = [mpf(0)] + coef
        else:
            coef, error = fit(lambda t: erf(c + t), lambda t: 1 / erf(c + t), -half, half, degree, kind)
        rows.append(coef)
        worst = max(worst, error)
    print(f"erf by steps: degree {degree}, error 2^{float(log(worst, 2)):.1f}", file=sys.stderr)
    return rows


def write_steps():
    """Writes weft_step_tables.h: tables of 16 numbers, as arguments of a look-up."""
    out = ["// Made by polynomials.py; do not edit. Tables of 16 numbers, which fit a register: arguments of a look-up.",
           "#ifndef WEFT_STEP_TABLES_H", "#define WEFT_STEP_TABLES_H", ""]

    def table(name, values, kind):
        assert len(values) == 16
        out.append(f"#define {name} \\")
        out.append("    " + ", ".join(hexfloat(rounded(v, kind), kind) for v in values))

    out.append("// 2^(j/16)")
    for kind in "fd":
        table(f"WEFT_EXP2_STEPS_{kind.upper()}", [mpf(2) ** (mpf(j) / 16) for j in range(16)], kind)
    out.append("// 2^(j/3), repeated (j is 0, 1 or 2), and its product with the constant term of cbrt(x + 1.5)")
    thirds = [mpf(2) ** (mpf(j % 3) / 3) for j in range(16)]
    table("WEFT_CBRT2_STEPS_F", thirds, "f")
    table("WEFT_CBRT3_STEPS_F", [CBRT[0] * v for v in thirds], "f")
    table("WEFT_CBRT2_STEPS_1D", thirds, "d")
    table("WEFT_CBRT2_STEPS_2D", [v - rounded(v, "d") for v in thirds], "d")
    out.append("// Factors of the steps of [3/4, 3/2), and -ln and -log2 of them: the first words have few bits.")
    logs = [-log(t) / log(mpf(2)) for t, _, _ in LOG2_STEPS]
    short = [floor(v * 2 ** 15 + mpf(0.5)) / 2 ** 15 for v in logs]
    ln2 = floor(log(mpf(2)) * 2 ** 41) / 2 ** 41
    out.append("// ln 2 as a multiple of 2^-41 and a positive rest, so that an infinite multiple is infinite in both")
    out.append(f"#define WEFT_LN2_STEPS_1D {hexfloat(ln2, 'd')}")
    out.append(f"#define WEFT_LN2_STEPS_2D {hexfloat(rounded(log(mpf(2)) - ln2, 'd'), 'd')}")
    table("WEFT_LOG_FACTORS_D", [t for t, _, _ in LOG2_STEPS], "d")
    natural = [-log(t) for t, _, _ in LOG2_STEPS]
    short_d = [floor(v * 2 ** 41 + mpf(0.5)) / 2 ** 41 for v in natural]
    table("WEFT_LOG_STEPS_1D", short_d, "d")
    table("WEFT_LOG_STEPS_2D", [v - s for v, s in zip(natural, short_d)], "d")
    for name, scale in (("LOG2", log(mpf(2))), ("LOG10", log(mpf(10)))):
        values = [v / scale for v in natural]
        firsts = [floor(v * 2 ** 41 + mpf(0.5)) / 2 ** 41 for v in values]
        table(f"WEFT_{name}_STEPS_1D", firsts, "d")
        table(f"WEFT_{name}_STEPS_2D", [v - s for v, s in zip(values, firsts)], "d")
    lg2 = floor(log(mpf(2)) / log(mpf(10)) * 2 ** 41) / 2 ** 41
    out.append(f"#define WEFT_LOG10_2_STEPS_1D {hexfloat(lg2, 'd')}")
    out.append(f"#define WEFT_LOG10_2_STEPS_2D {hexfloat(rounded(log(mpf(2)) / log(mpf(10)) - lg2, 'd'), 'd')}")
    table("WEFT_LOG2_FACTORS_F", [t for t, _, _ in LOG2_STEPS], "f")
    table("WEFT_LOG2_STEPS_1F", short, "f")
    table("WEFT_LOG2_STEPS_2F", [v - s for v, s in zip(logs, short)], "f")
    for kind, degree, around in (("f", 5, "j/4"), ("d", 12, "3j/8")):
        out.append(f"// Coefficients of erf around {around}")
        rows = erf_steps(kind, degree)
        for i in range(degree + 1):
            table(f"WEFT_ERF_STEPS_{i}{kind.upper()}", [row[i] for row in rows], kind)
    out += ["", "#endif", ""]
    with open(os.path.join(HERE, "weft_step_tables.h"), "w") as f:
        f.write("\n".join(out))


def write_erf_table():
    """Writes weft_erf_table.h. Of numbers above 6 the values are those of 6."""
    out = ["// Made by polynomials.py; do not edit. For erf and erfc of doubles, by steps of 1/128; of floats, of 1/32.",
           "#ifndef WEFT_ERF_TABLE_H", "#define WEFT_ERF_TABLE_H", ""]

    def table(name, text, kind, steps, count, g):
        t = "float" if kind == "f" else "double"
        out.append(f"// {text}")
        out.append(f"static constant {t} {name}_{kind}[{count}] = {{")
        out.append("    " + ", ".join(hexfloat(rounded(g(min(mpf(j) / steps, mpf(6))), kind), kind) for j in range(count)) + "};")

    def slope(c):
        return 2 / sqrt(pi) * exp(-c * c)

    table("weft_erf_at", "erf", "d", 128, 1024, erf)
    table("weft_erf_slope", "the derivative of erf", "d", 128, 1024, slope)
    table("weft_erfc_share", "erfc divided by that", "d", 128, 512, lambda c: erfc(c) / slope(c))
    table("weft_erf_slope", "the derivative of erf", "f", 32, 128, slope)
    table("weft_erfc_share", "erfc divided by that", "f", 32, 128, lambda c: erfc(c) / slope(c))
    out += ["", "#endif", ""]
    with open(os.path.join(HERE, "weft_erf_table.h"), "w") as f:
        f.write("\n".join(out))


def write_polynomials():
    out = ["// Made by polynomials.py; do not edit. Minimax polynomials of the math built-ins: each function's comment",
           "// gives what it approximates and the largest (weighted) error as a power of two.",
           "#ifndef WEFT_POLYNOMIALS_H", "#define WEFT_POLYNOMIALS_H", ""]
    for name, text, g, w, lo, hi, degree, kind in POLYNOMIALS:
        coef, error = fit(g, w, lo, hi, degree, kind) if w else g(kind)
        bits = float(log(error, 2)) if error else -999
        print(f"{name}: degree {degree}, error 2^{bits:.1f}", file=sys.stderr)
        t = "float" if kind == "f" else "double"
        out += [f"// {text}; error 2^{bits:.1f}.", f"WEFT_INLINE {t} {name}({t} x)", "{", body(name, coef, kind).rstrip("\n"),
                "}", ""]
    for name, text, g, hi, m, n, kind in RATIOS:
        top, bottom, error = fit_ratio(g, hi, m, n, kind)
        bits = float(log(error, 2))
        print(f"{name}_{kind}: degrees {m}, {n}, error 2^{bits:.1f}", file=sys.stderr)
        t = "float" if kind == "f" else "double"
        for part, coef in (("top", top), ("bottom", bottom)):
            out += [f"// The {part} of {text}; error 2^{bits:.1f}.", f"WEFT_INLINE {t} {name}_{part}_{kind}({t} x)", "{",
                    body(name, coef, kind).rstrip("\n"), "}", ""]
    out += ["#endif", ""]
    with open(os.path.join(HERE, "weft_polynomials.h"), "w") as f:
        f.write("\n".join(out))


def split(x, kind, parts):
    res = []
    for _ in range(parts):
        p = rounded(x, kind)
        res.append(p)
        x -= p
    return res


def head(x, bits):
    with mp.workprec(bits):
        return +mpf(x)


def write_tables():
    out = ["// Made by polynomials.py; do not edit. Constants in parts, and the digits of 2/pi that reduce large arguments.",
           "#ifndef WEFT_REDUCTION_TABLES_H", "#define WEFT_REDUCTION_TABLES_H", ""]

    def parts(name, x, kind, n):
        for i, p in enumerate(split(x, kind, n)):
            out.append(f"#define WEFT_{name}_{i + 1}{kind.upper()} {hexfloat(p, kind)}")

    # The parts are rounded down, so none is negative. Then -0 minus a part times 0 stays -0.
    def parts_below(name, x, kind):
        for i in range(3):
            unit = mpf(2) ** (floor(log(x, 2)) - (23 if kind == "f" else 52))
            h = floor(x / unit) * unit
            out.append(f"#define WEFT_{name}_BELOW_{i + 1}{kind.upper()} {hexfloat(h, kind)}")
            x -= h

    for kind in "fd":
        parts("PI_2", pi / 2, kind, 3)
        parts("PI", pi, kind, 1)
        parts("INV_PI", 1 / pi, kind, 2)
        parts("TWO_OVER_PI", 2 / pi, kind, 1)
        parts("LOG2E", 1 / log(mpf(2)), kind, 2)
        parts("LOG10E", 1 / log(mpf(10)), kind, 2)
        parts("LN2", log(mpf(2)), kind, 2)
        parts("LOG10_2", log(mpf(2)) / log(mpf(10)), kind, 2)
        parts("LN10", log(mpf(10)), kind, 1)
        parts("LOG2_10", log(mpf(10)) / log(mpf(2)), kind, 1)
    parts("PI_4", pi / 4, "d", 2)
    out.append(f"#define WEFT_ERF_SLOPE_F {hexfloat(rounded(2 / sqrt(pi), 'f'), 'f')}")
    for kind, (coef, _) in SINPI.items():
        out.append(f"#define WEFT_SINPI_3{kind.upper()} {hexfloat(coef[1], kind)}")
    for name, (coef, _) in LOGS.items():
        out += [f"#define WEFT_{name.upper()}_NATIVE_{i + 1}F {hexfloat(coef[i], 'f')}" for i in range(2)]
    out.append(f"#define WEFT_EXP_QUOTIENT_2F {hexfloat(EXP_QUOTIENT[1], 'f')}")
    out.append(f"#define WEFT_EXP2_NATIVE_1F {hexfloat(EXP2_NATIVE[0], 'f')}")
    parts("HALF_LN_2PI", log(2 * pi) / 2, "d", 2)
    parts("TWO_THIRDS", mpf(2) / 3, "d", 2)
    parts("TWO_THIRDS_LOG2E", 2 / (3 * log(mpf(2))), "d", 2)
    parts_below("PI_2", pi / 2, "f")
    parts_below("PI_2", pi / 2, "d")
    # Twelve bits times a number of half turns below 2^12 is exact, and so are 33 bits times one below 2^20.
    out.append("// Parts whose products with the number of turns are exact, and a rest.")
    for kind, bits, n in (("f", 12, 3), ("d", 33, 2)):
        x = pi / 2
        for i in range(n):
            unit = mpf(2) ** (floor(log(x, 2)) - bits + 1)
            h = floor(x / unit) * unit
            out.append(f"#define WEFT_PI_2_SHORT_{i + 1}{kind.upper()} {hexfloat(h, kind)}")
            x -= h
        out.append(f"#define WEFT_PI_2_SHORT_{n + 1}{kind.upper()} {hexfloat(rounded(x, kind), kind)}")
    out.append("// The same for 64ths of an octave.")
    for name, x in (("LN2_64", log(mpf(2)) / 64), ("LOG10_2_64", log(mpf(2)) / log(mpf(10)) / 64)):
        h = head(x, 34)
        out.append(f"#define WEFT_{name}_SHORT_D {hexfloat(h, 'd')}")
        out.append(f"#define WEFT_{name}_REST_D {hexfloat(rounded(x - h, 'd'), 'd')}")
    out.append("// The first part is short: its product with a binary exponent is exact.")
    for name, x in (("LN2", log(mpf(2))), ("PI_2", pi / 2), ("LOG10_2", log(mpf(2)) / log(mpf(10))),
                    ("TWO_THIRDS_LOG2E", 2 / (3 * log(mpf(2))))):
        for kind, bits in (("f", 14), ("d", {"PI_2": 34, "TWO_THIRDS_LOG2E": 26}.get(name, 40))):
            h = head(x, bits)
            out.append(f"#define WEFT_{name}_SHORT_{kind.upper()} {hexfloat(h, kind)}")
            out.append(f"#define WEFT_{name}_REST_{kind.upper()} {hexfloat(rounded(x - h, kind), kind)}")
    mp.prec = 1400
    two_over_pi = 2 / pi
    out += ["", "// 2/pi after eight zero bits."]
    bits = int(floor(two_over_pi * mpf(2) ** 248))
    for i in range(4):
        out.append(f"#define WEFT_TWO_OVER_PI_BITS_{i} 0x{bits >> (192 - 64 * i) & (2 ** 64 - 1):016x}ul")
    out += ["", "// Row j: 2^(16j-22) * 2/pi modulo 4, in four parts.", "static constant double weft_two_over_pi_d[63][4] = {"]
    for j in range(63):
        v = two_over_pi * mpf(2) ** (16 * j - 22)
        v -= 4 * floor(v / 4)
        out.append("    {" + ", ".join(hexfloat(p, "d") for p in split(v, "d", 4)) + "},")
    out += ["};", "", "// The bits of 2^(j/64) less j << 46: with the bits of 64 n + j, shifted by 46, they are those of 2^(n + j/64).",
            "static constant ulong weft_exp2_bits_d[64] = {"]
    mp.dps = 60
    bits = [struct.unpack("<Q", struct.pack("<d", float(mpf(2) ** (mpf(j) / 64))))[0] - (j << 46) for j in range(64)]
    out += ["    " + ", ".join(f"0x{b:016x}ul" for b in bits) + "};", "", "#endif", ""]
    with open(os.path.join(HERE, "weft_reduction_tables.h"), "w") as f:
        f.write("\n".join(out))


write_tables()
mp.dps = 60
write_polynomials()
write_steps()
write_erf_table()
