// The hash is a part of file formats and cache keys. Its values must never change.
#include "base/base.h"
#include "harness.h"

static void hex_of(const char *s, char out[33])
{
    weft_hash_hex(weft_hash_str((struct weft_hash){0}, s), out);
}

TEST(length_and_seed_and_every_bit_count)
{
    uint8_t data[64] = {0};
    struct weft_hash zero = {0}, base = weft_hash_bytes(zero, data, sizeof data);
    for (size_t bit = 0; bit < 8 * sizeof data; bit++) {
        data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        struct weft_hash h = weft_hash_bytes(zero, data, sizeof data);
        data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        CHECK_NE(h.lo, base.lo);
        CHECK_NE(h.hi, base.hi);
    }
    for (size_t n = 0; n < sizeof data; n++) {
        CHECK_NE(weft_hash_bytes(zero, data, n).lo, base.lo);
        CHECK_NE(weft_hash_bytes(zero, data, n).hi, base.hi);
    }
    CHECK_NE(weft_hash_bytes(base, data, 8).lo, weft_hash_bytes(zero, data, 8).lo);
    struct weft_hash seed = {0, 1};
    CHECK_NE(weft_hash_bytes(seed, data, 0).hi, weft_hash_bytes(zero, data, 0).hi);
}

TEST(alignment_does_not_matter)
{
    char buffer[40] = "0123456789abcdefghijklmnopqrstuv";
    struct weft_hash zero = {0}, a = weft_hash_bytes(zero, buffer, 32);
    memmove(buffer + 3, buffer, 32);
    struct weft_hash b = weft_hash_bytes(zero, buffer + 3, 32);
    CHECK_EQ(a.lo, b.lo);
    CHECK_EQ(a.hi, b.hi);
}

TEST(hex_is_32_digits_of_both_halves)
{
    char hex[33];
    weft_hash_hex((struct weft_hash){0x0123456789abcdefull, 0xfedcba9876543210ull}, hex);
    CHECK_STR(hex, "0123456789abcdeffedcba9876543210");
    char a[33], b[33];
    hex_of("a", a);
    hex_of("b", b);
    CHECK_NE(strcmp(a, b), 0);
}

// If these change, the format version of all files must change too.
TEST(values_are_frozen)
{
    char hex[33];
    hex_of("", hex);
    CHECK_STR(hex, "4e17cf67001b39798f61977145dabc65");
    hex_of("weft", hex);
    CHECK_STR(hex, "9c7b6c931256953d08781bd9f597fb19");
    hex_of("Work-items are woven across SIMD lanes.", hex);
    CHECK_STR(hex, "892cc57c01572bda15514ff7c8ddfefc");
}
