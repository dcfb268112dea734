// The conversions (6.2.3 of OpenCL C) and the loads and stores of half, in every rounding mode, against long
// double, which holds every number of every OpenCL type. Sources of 8 and 16 bits are tested with every
// value, the others with edges and random bits. WEFT_TEST_LIBRARY names the library under test:
// kernels/conversions.cl and the built-ins, compiled for one level of processors.
#include "library.h"

#include <fenv.h>
#include <float.h>

enum type { CHAR, UCHAR, SHORT, USHORT, INT, UINT, LONG, ULONG, HALF, FLOAT, DOUBLE, TYPES };

static const struct {
    const char *name;
    unsigned size;
    long double low, high; // of integers
} types[TYPES] = {
    {"char", 1, -0x1p7L, 0x1p7L - 1},
    {"uchar", 1, 0, 0x1p8L - 1},
    {"short", 2, -0x1p15L, 0x1p15L - 1},
    {"ushort", 2, 0, 0x1p16L - 1},
    {"int", 4, -0x1p31L, 0x1p31L - 1},
    {"uint", 4, 0, 0x1p32L - 1},
    {"long", 8, -0x1p63L, 0x1p63L - 1},
    {"ulong", 8, 0, 0x1p64L - 1},
    {"half", 2, 0, 0},
    {"float", 4, 0, 0},
    {"double", 8, 0, 0},
};

static const struct {
    const char *suffix;
    int mode;
} modes[] = {
    {"", -1}, {"_rte", FE_TONEAREST}, {"_rtz", FE_TOWARDZERO}, {"_rtp", FE_UPWARD}, {"_rtn", FE_DOWNWARD}};

static bool is_integer(enum type t)
{
    return t < HALF;
}

static long double decode_half(uint16_t h)
{
    int exponent = h >> 10 & 31, fraction = h & 1023;
    long double size = exponent == 31 ? (fraction ? (long double)NAN : (long double)INFINITY)
                       : exponent     ? ldexpl(1024 + fraction, exponent - 25)
                                      : ldexpl(fraction, -24);
    return h >> 15 ? -size : size;
}

static long double decode(enum type t, const void *p)
{
    union {
        int8_t c;
        uint8_t uc;
        int16_t s;
        uint16_t us;
        int32_t i;
        uint32_t ui;
        int64_t l;
        uint64_t ul;
        float f;
        double d;
    } u;
    memcpy(&u, p, types[t].size);
    switch (t) {
    case CHAR:
        return u.c;
    case UCHAR:
        return u.uc;
    case SHORT:
        return u.s;
    case USHORT:
        return u.us;
    case INT:
        return (long double)u.i;
    case UINT:
        return (long double)u.ui;
    case LONG:
        return (long double)u.l;
    case ULONG:
        return (long double)u.ul;
    case HALF:
        return decode_half(u.us);
    case FLOAT:
        return (long double)u.f;
    default:
        return (long double)u.d;
    }
}

// x rounded to a multiple of 2^exponent.
static long double round_at(long double x, int exponent, int mode)
{
    fesetround(mode);
    volatile long double scaled = ldexpl(x, -exponent);
    volatile long double rounded = rintl(scaled);
    fesetround(FE_TONEAREST);
    long double result = ldexpl(rounded, exponent);
    return rounded == 0 ? copysignl(0, x) : result;
}

// x in the floating-point format of `precision` bits.
static long double round_float(long double x, int precision, int least_exponent, long double greatest,
                               int mode)
{
    if (x == 0 || !isfinite(x))
        return x;
    int exponent = ilogbl(x);
    if (exponent < least_exponent)
        exponent = least_exponent;
    long double r = round_at(x, exponent - precision + 1, mode);
    if (fabsl(r) <= greatest)
        return r;
    bool to_infinity = mode == FE_TONEAREST || (mode == FE_UPWARD && x > 0) || (mode == FE_DOWNWARD && x < 0);
    return copysignl(to_infinity ? (long double)INFINITY : greatest, x);
}

// What the conversion gives. *defined: whether the specification says.
static long double expected(enum type to, enum type from, long double x, bool saturated, int mode,
                            bool *defined)
{
    *defined = true;
    switch (to) {
    case HALF:
        return round_float(x, 11, -14, 65504, mode < 0 ? FE_TONEAREST : mode);
    case FLOAT:
        return round_float(x, 24, -126, FLT_MAX, mode < 0 ? FE_TONEAREST : mode);
    case DOUBLE:
        return round_float(x, 53, -1022, DBL_MAX, mode < 0 ? FE_TONEAREST : mode);
    default:
        break;
    }
    if (isnan(x)) {
        *defined = saturated;
        return 0;
    }
    long double r = isinf(x) ? x : round_at(x, 0, mode < 0 ? FE_TOWARDZERO : mode);
    if (r >= types[to].low && r <= types[to].high)
        return r == 0 ? 0 : r;
    *defined = saturated;
    if (!saturated && is_integer(from)) { // the bits that fit
        *defined = true;
        long double modulus = types[to].high - types[to].low + 1;
        r = fmodl(r, modulus);
        return r < types[to].low ? r + modulus : r > types[to].high ? r - modulus : r;
    }
    return r < 0 ? types[to].low : types[to].high;
}

static uint64_t state = 88172645463325252u;
static uint64_t random_bits(void)
{
    return harness_random(&state);
}

enum { MANY = 65536, SOME = 16384 }; // every value of a small type; enough of a large one

static size_t count_of(enum type t, unsigned width)
{
    return types[t].size > 2 || width > 1 ? SOME : MANY;
}

// All values of a small type (or so many, spread over the range); edges and random numbers of a large one.
static void fill(enum type t, void *in, uint32_t count)
{
    uint8_t *p = in;
    for (uint32_t i = 0; i < count; i++, p += types[t].size) {
        uint64_t bits = types[t].size > 2 ? random_bits() : i * (MANY / count | 1);
        unsigned shift = (unsigned)(random_bits() % 64);
        if (is_integer(t) && types[t].size > 2) {
            bits >>= shift;
            if (i % 3 == 0) // just beside a number with few bits
                bits = (bits & ~0u << (shift & 31)) + random_bits() % 5 - 2;
            if (i % 2)
                bits = -bits;
        } else if (t == FLOAT && i % 2) {
            // numbers about as large as integers and halves are, half of them near a tie
            float f = ldexpf((float)(int32_t)(random_bits() >> 32), (int)(shift % 64) - 50);
            if (i % 4 == 1)
                f = nextafterf(roundf(f * 2) / 2, random_bits() & 1 ? INFINITY : -INFINITY);
            if (i % 16 == 15)
                f = roundf(f * 2) / 2;
            memcpy(p, &f, sizeof f);
            continue;
        } else if (t == DOUBLE && i % 2) {
            double d = ldexp((double)(int64_t)random_bits(), (int)(shift)-63 - (i % 8 == 3 ? 60 : 0));
            if (i % 8 == 5) // near what a float or a half can hold
                d = nextafter((double)(float)d, random_bits() & 1 ? INFINITY : -INFINITY);
            if (i % 8 == 7)
                d = nextafter(round(d * 2) / 2, random_bits() % 3 ? INFINITY : -INFINITY);
            memcpy(p, &d, sizeof d);
            continue;
        }
        memcpy(p, &bits, types[t].size);
    }
    static const double edges[] = {0,
                                   -0.0,
                                   0.5,
                                   -0.5,
                                   1.5,
                                   2.5,
                                   -1.5,
                                   -2.5,
                                   65504,
                                   65519.99,
                                   65520,
                                   65536,
                                   -65520,
                                   127.5,
                                   128,
                                   255.5,
                                   32767.5,
                                   65535.5,
                                   0x1p31,
                                   0x1p32,
                                   0x1p63,
                                   0x1p64,
                                   -0x1p31,
                                   -0x1p63,
                                   0x1p-24,
                                   0x1p-25,
                                   0x1.8p-25,
                                   0x1p-26,
                                   0x1p-14,
                                   0x1.ffcp-15,
                                   0x1.ffep-15,
                                   0x1p-126,
                                   0x1p-149,
                                   0x1p-150,
                                   0x1.8p-150,
                                   0x1p128,
                                   0x1.fffffefp127,
                                   0x1.ffffffp127,
                                   INFINITY,
                                   -INFINITY,
                                   NAN,
                                   0x1p-1074,
                                   -0x1p-1074};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        float f = (float)edges[i];
        if (t == DOUBLE)
            memcpy((uint8_t *)in + i * 8, &edges[i], 8);
        else if (t == FLOAT)
            memcpy((uint8_t *)in + i * 4, &f, 4);
        else if (types[t].size > 2) {
            uint64_t bits =
                (i & 1 ? ~0ull : 0) ^ (i & 2 ? 1ull << (types[t].size * 8 - 1) : 0) ^ (i & 4 ? 1 : 0);
            memcpy((uint8_t *)in + i * types[t].size, &bits, types[t].size);
        }
    }
}

typedef void loop(const void *in, void *out, size_t count);

static void check(const char *name, unsigned width, enum type to, enum type from, bool saturated, int mode)
{
    static _Alignas(64) uint8_t in[MANY * 8], out[MANY * 8];
    loop *run;
    *(void **)&run = function_named(name);
    size_t count = count_of(from, width);
    fill(from, in, (uint32_t)count);
    memset(out, 0x5a, sizeof out);
    run(in, out, count / width);
    for (size_t i = 0; i < count; i++) {
        bool defined;
        long double x = decode(from, in + i * types[from].size), got = decode(to, out + i * types[to].size);
        long double want = expected(to, from, x, saturated, mode, &defined);
        if (!defined || (isnan(want) && isnan(got)))
            continue;
        if (want != got || (want == 0 && !is_integer(to) && signbit(want) != signbit(got)))
            FAIL("%s(%La) is %La, not %La", name, x, got, want);
    }
}

static void check_to(enum type to)
{
    char name[80];
    for (enum type from = 0; from < TYPES; from++)
        for (unsigned width = 1; width <= 4; width += 3)
            for (int saturated = 0; saturated <= is_integer(to); saturated++)
                for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) {
                    snprintf(name, sizeof name, "convert_%s%s%s%s__%s", types[to].name, width > 1 ? "4" : "",
                             saturated ? "_sat" : "", modes[m].suffix, types[from].name);
                    check(name, width, to, from, saturated, modes[m].mode);
                }
}

#define TEST_TO(name, type)     \
    TEST(conversions_to_##name) \
    {                           \
        check_to(type);         \
    }
TEST_TO(char, CHAR)
TEST_TO(uchar, UCHAR)
TEST_TO(short, SHORT)
TEST_TO(ushort, USHORT)
TEST_TO(int, INT)
TEST_TO(uint, UINT)
TEST_TO(long, LONG)
TEST_TO(ulong, ULONG)
TEST_TO(half, HALF)
TEST_TO(float, FLOAT)
TEST_TO(double, DOUBLE)

TEST(half_in_memory)
{
    char name[80];
    for (unsigned width = 1; width <= 4; width += 3) {
        const char *four = width > 1 ? "4" : "";
        for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) {
            snprintf(name, sizeof name, "vstore_half%s%s__float", four, modes[m].suffix);
            check(name, width, HALF, FLOAT, false, modes[m].mode);
            snprintf(name, sizeof name, "vstore_half%s%s__double", four, modes[m].suffix);
            check(name, width, HALF, DOUBLE, false, modes[m].mode);
        }
        snprintf(name, sizeof name, "vload_half%s__half", four);
        check(name, width, FLOAT, HALF, false, -1);
    }
}
