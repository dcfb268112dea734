// The functions of support.a, which machine code calls where the processor has no instruction: against the C
// library and the compiler's own arithmetic. Here they carry the prefix `support_` (CMakeLists.txt).
#include "harness.h"

#define DECLARE(F, suffix)            \
    F support_floor##suffix(F x);     \
    F support_ceil##suffix(F x);      \
    F support_trunc##suffix(F x);     \
    F support_round##suffix(F x);     \
    F support_rint##suffix(F x);      \
    F support_nearbyint##suffix(F x); \
    F support_roundeven##suffix(F x); \
    F support_fmod##suffix(F x, F y); \
    F support_fma##suffix(F x, F y, F z);
DECLARE(float, f)
DECLARE(double, )
float support___extendhfsf2(_Float16 x);
_Float16 support___truncsfhf2(float x);
_Float16 support___truncdfhf2(double x);
unsigned __int128 support___udivti3(unsigned __int128 a, unsigned __int128 b);
unsigned __int128 support___umodti3(unsigned __int128 a, unsigned __int128 b);
__int128 support___divti3(__int128 a, __int128 b);
__int128 support___modti3(__int128 a, __int128 b);
void *support_memcpy(void *restrict to, const void *restrict from, size_t size);
void *support_memmove(void *to, const void *from, size_t size);
void *support_memset(void *to, int byte, size_t size);

enum { MANY = 300000 };

static uint64_t state = 88172645463325252u;
static uint64_t random_bits(void)
{
    return harness_random(&state);
}

// Any bits; half the numbers of moderate size, some with few bits, some denormal, infinite or NaN.
static double random_double(void)
{
    uint64_t bits = random_bits(), kind = random_bits();
    if (kind & 1)
        bits = (bits & ~(0x7ffull << 52)) | (983 + random_bits() % 80) << 52;
    if ((kind & 14) == 2)
        bits &= ~0xffffffffffull;
    if ((kind >> 4) % 50 == 0)
        bits &= 0x800fffffffffffffull;
    if ((kind >> 4) % 50 == 1)
        bits |= 0x7ffull << 52;
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}

static float random_float(void)
{
    uint32_t bits = (uint32_t)random_bits();
    uint64_t kind = random_bits();
    if (kind & 1)
        bits = (bits & ~(0xffu << 23)) | (uint32_t)(107 + random_bits() % 40) << 23;
    if ((kind & 14) == 2)
        bits &= ~0xffffu;
    if ((kind >> 4) % 50 == 0)
        bits &= 0x807fffffu;
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

// The same bits, or both NaN.
#define SAME(got, want)                                                                                \
    do {                                                                                               \
        __typeof__(want) g_ = (got), w_ = (want);                                                      \
        if (!(g_ != g_ && w_ != w_) && memcmp(&g_, &w_, sizeof g_) != 0)                               \
            FAIL("%s is %a, not %a (x = %a, y = %a, z = %a)", #got, (double)g_, (double)w_, (double)x, \
                 (double)y, (double)z);                                                                \
    } while (0)

// The C library's, out of the compiler's sight: it would fold or expand the calls.
static double (*volatile c_fma)(double, double, double) = fma;
static float (*volatile c_fmaf)(float, float, float) = fmaf;

TEST(rounding_to_integers)
{
    double y = 0, z = 0;
    for (size_t i = 0; i < MANY; i++) {
        {
            double x = i % 3 ? random_double() : ldexp((double)(int64_t)(random_bits() >> 58), -1);
            SAME(support_floor(x), floor(x));
            SAME(support_ceil(x), ceil(x));
            SAME(support_trunc(x), trunc(x));
            SAME(support_round(x), round(x));
            SAME(support_rint(x), rint(x));
            SAME(support_nearbyint(x), rint(x));
            SAME(support_roundeven(x), rint(x));
        }
        float x = i % 3 ? random_float() : ldexpf((float)(int)(random_bits() >> 58), -1);
        SAME(support_floorf(x), floorf(x));
        SAME(support_ceilf(x), ceilf(x));
        SAME(support_truncf(x), truncf(x));
        SAME(support_roundf(x), roundf(x));
        SAME(support_rintf(x), rintf(x));
        SAME(support_nearbyintf(x), rintf(x));
        SAME(support_roundevenf(x), rintf(x));
    }
}

TEST(fused_multiply_add)
{
    for (size_t i = 0; i < MANY; i++) {
        {
            double x = random_double(), y = random_double(), z = random_double();
            if (i % 3 == 0) // cancellation
                z = i & 8 ? -x * y : nextafter(-x * y, 0);
            SAME(support_fma(x, y, z), c_fma(x, y, z));
        }
        float x = random_float(), y = random_float(), z = random_float();
        if (i % 3 == 0)
            z = i & 8 ? -x * y : nextafterf(-x * y, 0);
        SAME(support_fmaf(x, y, z), c_fmaf(x, y, z));
    }
}

TEST(remainder)
{
    for (size_t i = 0; i < MANY / 10; i++) {
        double z = 0;
        {
            double x = random_double(), y = random_double();
            SAME(support_fmod(x, y), fmod(x, y));
        }
        float x = random_float(), y = random_float();
        SAME(support_fmodf(x, y), fmodf(x, y));
    }
}

// A half as a double, from its bits.
static double decode_half(uint16_t h)
{
    int exponent = h >> 10 & 31, fraction = h & 1023;
    double size = exponent == 31 ? (fraction ? (double)NAN : (double)INFINITY)
                  : exponent     ? ldexp(1024 + fraction, exponent - 25)
                                 : ldexp(fraction, -24);
    return h >> 15 ? -size : size;
}

static uint16_t half_bits(_Float16 h)
{
    uint16_t bits;
    memcpy(&bits, &h, sizeof bits);
    return bits;
}

TEST(half)
{
    double y = 0, z = 0;
    for (uint32_t i = 0; i < 65536; i++) {
        uint16_t bits = (uint16_t)i;
        _Float16 h;
        memcpy(&h, &bits, sizeof h);
        double x = decode_half(bits);
        SAME(support___extendhfsf2(h), (float)x);
        if (isnan(x)) {
            CHECK(isnan(decode_half(half_bits(support___truncdfhf2(x)))));
            CHECK(isnan(decode_half(half_bits(support___truncsfhf2((float)x)))));
            continue;
        }
        CHECK_EQ(half_bits(support___truncdfhf2(x)), bits);
        CHECK_EQ(half_bits(support___truncsfhf2((float)x)), bits);
        // Between this number and the next of its sign: below the middle, at it, above it. The number after
        // the greatest would be 65536.
        if ((bits & 0x7fff) >= 0x7c00)
            continue;
        double next = (bits & 0x7fff) == 0x7bff ? copysign(65536, x) : decode_half((uint16_t)(bits + 1));
        double middle = (x + next) / 2;
        uint16_t even = bits & 1 ? (uint16_t)(bits + 1) : bits, above = (uint16_t)(bits + 1);
        CHECK_EQ(half_bits(support___truncdfhf2(middle)), even);
        CHECK_EQ(half_bits(support___truncdfhf2(nextafter(middle, x))), bits);
        CHECK_EQ(half_bits(support___truncdfhf2(nextafter(middle, 2 * next))), above);
        CHECK_EQ(half_bits(support___truncsfhf2((float)middle)), even);
        CHECK_EQ(half_bits(support___truncsfhf2(nextafterf((float)middle, (float)x))), bits);
        CHECK_EQ(half_bits(support___truncsfhf2(nextafterf((float)middle, 2 * (float)next))), above);
    }
    CHECK_EQ(half_bits(support___truncdfhf2(1e300)), 0x7c00);
    CHECK_EQ(half_bits(support___truncdfhf2(-1e-300)), 0x8000);
}

// Quotient and remainder are the only ones with a == q * b + r, |r| < |b| and r of a's sign.
TEST(division_of_128_bits)
{
    for (size_t i = 0; i < MANY; i++) {
        unsigned __int128 a = ((unsigned __int128)random_bits() << 64 | random_bits()) >> random_bits() % 128;
        unsigned __int128 b = ((unsigned __int128)random_bits() << 64 | random_bits()) >> random_bits() % 128;
        if (b == 0)
            continue;
        unsigned __int128 q = support___udivti3(a, b), r = support___umodti3(a, b);
        CHECK(r < b && q * b + r == a && q <= a);
        __int128 sa = i & 1 ? (__int128)(-a) : (__int128)a, sb = i & 2 ? (__int128)(-b) : (__int128)b;
        __int128 sq = support___divti3(sa, sb), sr = support___modti3(sa, sb);
        unsigned __int128 size_r = sr < 0 ? -(unsigned __int128)sr : (unsigned __int128)sr;
        unsigned __int128 size_b = sb < 0 ? -(unsigned __int128)sb : (unsigned __int128)sb;
        CHECK((unsigned __int128)sq * (unsigned __int128)sb + (unsigned __int128)sr == (unsigned __int128)sa);
        CHECK(size_r < size_b && (sr == 0 || (sr < 0) == (sa < 0)));
    }
}

TEST(memory)
{
    enum { SIZE = 20000 };
    static uint8_t a[SIZE], b[SIZE], c[SIZE];
    for (size_t i = 0; i < SIZE; i++)
        a[i] = (uint8_t)random_bits();
    memcpy(b, a, SIZE);
    for (size_t i = 0; i < 20000; i++) {
        size_t size = random_bits() % (i & 1 ? 200 : 9000), from = 100 + random_bits() % 9000;
        size_t to = i & 2 ? random_bits() % 9000 : from + random_bits() % 100 - 50;
        CHECK(support_memmove(a + to, a + from, size) == a + to);
        memmove(b + to, b + from, size);
        CHECK_MEM(a, b, SIZE);
        CHECK(support_memcpy(c, a + from, size) == c);
        CHECK_MEM(c, a + from, size);
        int byte = (int)(random_bits() % 1000);
        if (i % 16 == 0) {
            CHECK(support_memset(a + from, byte, size) == a + from);
            memset(b + from, byte, size);
            CHECK_MEM(a, b, SIZE);
            for (size_t k = 0; k < SIZE; k++)
                a[k] = b[k] = (uint8_t)random_bits();
        }
    }
}
