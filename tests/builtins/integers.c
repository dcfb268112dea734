// The integer functions (6.13.3 of OpenCL C 1.2), any, all, select, bitselect and shuffle against 128-bit
// arithmetic, as scalars and vectors of 3. Functions of two bytes are tested with every pair, the others with
// edges and random bits. WEFT_TEST_LIBRARY names the library under test: kernels/integers.cl and the
// built-ins.
#include "library.h"

typedef __int128 wide;

static const struct type {
    const char *name;
    unsigned bits;
    bool is_signed;
} types[] = {{"char", 8, true}, {"uchar", 8, false}, {"short", 16, true}, {"ushort", 16, false},
             {"int", 32, true}, {"uint", 32, false}, {"long", 64, true},  {"ulong", 64, false}};

static wide modulus(unsigned bits)
{
    return (wide)1 << bits;
}

static wide lowest(struct type t)
{
    return t.is_signed ? -modulus(t.bits - 1) : 0;
}

static wide highest(struct type t)
{
    return modulus(t.bits - t.is_signed) - 1;
}

// The number of type t that has the low bits of x.
static wide wrap(wide x, struct type t)
{
    x &= modulus(t.bits) - 1;
    return x > highest(t) ? x - modulus(t.bits) : x;
}

static wide clamp(wide x, wide low, wide high)
{
    return x < low ? low : x > high ? high : x;
}

static wide load(const void *p, size_t i, struct type t)
{
    uint64_t x = 0;
    memcpy(&x, (const uint8_t *)p + i * (t.bits / 8), t.bits / 8);
    return wrap((wide)x, t);
}

struct operands {
    wide a, b, c;
    struct type t;
    size_t group; // number of the vector that the element is in
};

// ---- references: with the result's type for what is unsigned ----

static wide ref_abs(struct operands o)
{
    return o.a < 0 ? -o.a : o.a;
}
static wide ref_abs_diff(struct operands o)
{
    return o.a < o.b ? o.b - o.a : o.a - o.b;
}
static wide ref_add_sat(struct operands o)
{
    return clamp(o.a + o.b, lowest(o.t), highest(o.t));
}
static wide ref_sub_sat(struct operands o)
{
    return clamp(o.a - o.b, lowest(o.t), highest(o.t));
}
static wide ref_hadd(struct operands o)
{
    return (o.a + o.b) >> 1;
}
static wide ref_rhadd(struct operands o)
{
    return (o.a + o.b + 1) >> 1;
}
static wide ref_max(struct operands o)
{
    return o.a > o.b ? o.a : o.b;
}
static wide ref_min(struct operands o)
{
    return o.a < o.b ? o.a : o.b;
}
static wide ref_clamp(struct operands o)
{
    return clamp(o.a, o.b < o.c ? o.b : o.c, o.b < o.c ? o.c : o.b);
}
static wide bit(wide x, unsigned place)
{
    return x >> place & 1;
}
static wide ref_clz(struct operands o)
{
    unsigned n = 0;
    while (n < o.t.bits && !bit(o.a, o.t.bits - 1 - n))
        n++;
    return n;
}
static wide ref_ctz(struct operands o)
{
    unsigned n = 0;
    while (n < o.t.bits && !bit(o.a, n))
        n++;
    return n;
}
static wide ref_popcount(struct operands o)
{
    wide n = 0;
    for (unsigned i = 0; i < o.t.bits; i++)
        n += bit(o.a, i);
    return n;
}
static wide ref_rotate(struct operands o)
{
    wide x = 0;
    for (unsigned i = 0; i < o.t.bits; i++)
        x |= bit(o.a, i) << ((i + (uint64_t)o.b) % o.t.bits);
    return wrap(x, o.t);
}
// Floor of a * b / 2^bits, without a product of more than 128 bits.
static wide ref_mul_hi(struct operands o)
{
    if (o.t.is_signed || o.t.bits < 64)
        return (o.a * o.b) >> o.t.bits;
    return (wide)((unsigned __int128)o.a * (unsigned __int128)o.b >> 64);
}
static wide ref_mad_hi(struct operands o)
{
    return wrap(ref_mul_hi(o) + o.c, o.t);
}
static wide ref_mad_sat(struct operands o)
{
    if (!o.t.is_signed && o.t.bits == 64) {
        unsigned __int128 x = (unsigned __int128)o.a * (unsigned __int128)o.b + (unsigned __int128)o.c;
        return x >> 64 ? highest(o.t) : (wide)x;
    }
    return clamp(o.a * o.b + o.c, lowest(o.t), highest(o.t));
}
static wide ref_bitselect(struct operands o)
{
    return wrap((o.a & ~o.c) | (o.b & o.c), o.t);
}
static wide ref_select(struct operands o)
{
    return o.c ? o.b : o.a;
}
static wide ref_select_vector(struct operands o)
{
    return bit(o.c, o.t.bits - 1) ? o.b : o.a;
}
static wide ref_bit_reverse(struct operands o)
{
    wide x = 0;
    for (unsigned i = 0; i < o.t.bits; i++)
        x |= bit(o.a, i) << (o.t.bits - 1 - i);
    return wrap(x, o.t);
}
static unsigned field_offset(struct operands o)
{
    return (unsigned)(o.group % 8);
}
static unsigned field_count(struct operands o)
{
    return (unsigned)(o.group / 8 % (o.t.bits - 7 + 1));
}
static wide ref_bitfield_insert(struct operands o)
{
    wide mask = (modulus(field_count(o)) - 1) << field_offset(o);
    return wrap((o.a & ~mask) | (o.b << field_offset(o) & mask), o.t);
}
static wide ref_bitfield_extract_unsigned(struct operands o)
{
    return o.a >> field_offset(o) & (modulus(field_count(o)) - 1);
}
static wide ref_bitfield_extract_signed(struct operands o)
{
    unsigned count = field_count(o);
    return count ? wrap(ref_bitfield_extract_unsigned(o), (struct type){"", count, true}) : 0;
}
static wide ref_upsample(struct operands o)
{
    return o.a * modulus(o.t.bits) + (o.b & (modulus(o.t.bits) - 1));
}
static wide fit24(wide x, struct type t)
{
    return wrap(x, (struct type){"", 24, t.is_signed});
}
static wide ref_mul24(struct operands o)
{
    return wrap(fit24(o.a, o.t) * fit24(o.b, o.t), o.t);
}
static wide ref_mad24(struct operands o)
{
    return wrap(fit24(o.a, o.t) * fit24(o.b, o.t) + o.c, o.t);
}

enum result { SAME, UNSIGNED, SIGNED, DOUBLED };

static const struct function {
    const char *name;
    wide (*scalar)(struct operands), (*vector)(struct operands);
    enum result result;
    unsigned least_bits, most_bits;
} functions[] = {
#define F(name, result) {#name, ref_##name, ref_##name, result, 8, 64}
    F(abs, UNSIGNED),
    F(abs_diff, UNSIGNED),
    F(add_sat, SAME),
    F(sub_sat, SAME),
    F(hadd, SAME),
    F(rhadd, SAME),
    F(max, SAME),
    F(min, SAME),
    F(clamp, SAME),
    F(clz, SAME),
    F(ctz, SAME),
    F(popcount, SAME),
    F(rotate, SAME),
    F(mul_hi, SAME),
    F(mad_hi, SAME),
    F(mad_sat, SAME),
    F(bitselect, SAME),
    F(bit_reverse, SAME),
    F(bitfield_insert, SAME),
    F(bitfield_extract_signed, SIGNED),
    F(bitfield_extract_unsigned, UNSIGNED),
    {"select", ref_select, ref_select_vector, SAME, 8, 64},
    {"select_unsigned", ref_select, ref_select_vector, SAME, 8, 64},
    {"upsample", ref_upsample, ref_upsample, DOUBLED, 8, 32},
    {"mul24", ref_mul24, ref_mul24, SAME, 32, 32},
    {"mad24", ref_mad24, ref_mad24, SAME, 32, 32},
};

enum { MANY = 65536 }; // every pair of bytes

static _Alignas(64) uint8_t a[MANY * 8 + 64], b[MANY * 8 + 64], c[MANY * 8 + 64], out[MANY * 8 + 64];

static void fill(struct type t)
{
    static uint64_t state = 88172645463325252u;
    for (size_t i = 0; i < MANY; i++) {
        uint64_t x[3];
        for (unsigned k = 0; k < 3; k++) {
            x[k] = harness_random(&state) >> harness_random(&state) % 64;
            uint64_t kind = harness_random(&state) % 8;
            if (kind < 3)
                x[k] = -x[k];
            if (kind == 3) // beside the extremes
                x[k] = (1ull << (t.bits - 1)) + harness_random(&state) % 5 - 2;
            if (kind == 4)
                x[k] = harness_random(&state) % 5 - 2;
        }
        if (t.bits == 8) {
            x[0] = i;
            x[1] = i >> 8;
        }
        memcpy(a + i * (t.bits / 8), &x[0], t.bits / 8);
        memcpy(b + i * (t.bits / 8), &x[1], t.bits / 8);
        memcpy(c + i * (t.bits / 8), &x[2], t.bits / 8);
    }
}

typedef void loop(const void *a, const void *b, const void *c, void *out, size_t count);

static void check(const struct function *f, struct type t, unsigned width)
{
    char name[80];
    snprintf(name, sizeof name, "%s__%s%s", f->name, t.name, width == 3 ? "3" : "");
    loop *run;
    *(void **)&run = function_named(name);
    memset(out, 0x5a, sizeof out);
    run(a, b, c, out, MANY / width);
    struct type r = {"", f->result == DOUBLED ? 2 * t.bits : t.bits,
                     f->result == SIGNED || (f->result != UNSIGNED && t.is_signed)};
    for (size_t i = 0; i < MANY / width * width; i++) {
        struct operands o = {load(a, i, t), load(b, i, t), load(c, i, t), t, i / width};
        wide want = (width == 1 ? f->scalar : f->vector)(o), got = load(out, i, r);
        if (want != got)
            FAIL("%s(%" PRId64 ", %" PRId64 ", %" PRId64 ") is %" PRId64 ", not %" PRId64 ", group %zu", name,
                 (int64_t)o.a, (int64_t)o.b, (int64_t)o.c, (int64_t)got, (int64_t)want, o.group);
    }
}

static void check_type(unsigned index)
{
    struct type t = types[index];
    fill(t);
    for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
        for (unsigned width = 1; width <= 3; width += 2)
            if (t.bits >= functions[f].least_bits && t.bits <= functions[f].most_bits)
                check(&functions[f], t, width);
}

#define TEST_TYPE(name, index)     \
    TEST(integer_functions_##name) \
    {                              \
        check_type(index);         \
    }
TEST_TYPE(char, 0)
TEST_TYPE(uchar, 1)
TEST_TYPE(short, 2)
TEST_TYPE(ushort, 3)
TEST_TYPE(int, 4)
TEST_TYPE(uint, 5)
TEST_TYPE(long, 6)
TEST_TYPE(ulong, 7)

TEST(any_and_all)
{
    for (unsigned index = 0; index < 8; index += 2) {
        struct type t = types[index];
        char name[80];
        snprintf(name, sizeof name, "any__%s", t.name);
        loop *run;
        *(void **)&run = function_named(name);
        fill(t);
        enum { COUNT = MANY / 4 };
        run(a, b, c, out, COUNT);
        for (size_t i = 0; i < COUNT; i++) {
            bool n[5][4];
            for (size_t width = 1; width < 5; width++)
                for (size_t k = 0; k < width; k++)
                    n[width][k] = load(a, i * width + k, t) < 0;
            int32_t want = (n[4][0] || n[4][1] || n[4][2] || n[4][3]) + 2 * (n[3][0] || n[3][1] || n[3][2]) +
                           4 * n[1][0] + 8 * (n[2][0] && n[2][1]) + 16 * (n[3][0] && n[3][1] && n[3][2]) +
                           32 * n[1][0];
            int32_t got;
            memcpy(&got, out + i * 4, 4);
            CHECK_EQ(got, want);
        }
    }
}

TEST(shuffles)
{
    static const struct {
        const char *name;
        unsigned size;
    } kinds[] = {{"char", 1},  {"ushort", 2}, {"half", 2},  {"int", 4},
                 {"float", 4}, {"ulong", 8},  {"double", 8}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        size_t size = kinds[k].size;
        struct type t = {"", kinds[k].size * 8, false};
        char name[80];
        snprintf(name, sizeof name, "shuffle__%s", kinds[k].name);
        loop *run;
        *(void **)&run = function_named(name);
        fill(t);
        enum { COUNT = MANY / 8 };
        run(a, b, c, out, COUNT);
        for (size_t i = 0; i < COUNT; i++) {
            for (size_t e = 0; e < 8; e++) {
                size_t mask = (size_t)load(c, 8 * i + e, t);
                const uint8_t *want = e < 4            ? a + (8 * i + (mask & 7)) * size
                                      : (mask & 3) < 2 ? a + (2 * i + (mask & 1)) * size
                                                       : b + (2 * i + (mask & 1)) * size;
                CHECK_MEM(out + (8 * i + e) * size, want, size);
            }
        }
    }
}
