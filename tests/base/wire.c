// The wire format: what is written is read back, and a reader never reads beyond its bytes.
#include "base/base.h"
#include "harness.h"

TEST(everything_written_is_read_back)
{
    struct weft_buf b = {0};
    weft_put_u8(&b, 0xab);
    weft_put_u32(&b, 0xdeadbeef);
    weft_put_u64(&b, 0x0123456789abcdefull);
    weft_put_str(&b, "warp and weft");
    weft_put_str(&b, NULL);
    weft_put_bytes(&b, "\0\1\2", 3);
    CHECK(!b.failed);
    struct weft_reader r = weft_reader_of(b.data, b.size);
    CHECK_EQ(weft_get_u8(&r), 0xab);
    CHECK_EQ(weft_get_u32(&r), 0xdeadbeef);
    CHECK_EQ(weft_get_u64(&r), 0x0123456789abcdefull);
    char *s = weft_get_str(&r), *empty = weft_get_str(&r);
    CHECK_STR(s, "warp and weft");
    CHECK_STR(empty, "");
    size_t n;
    const void *p = weft_get_bytes(&r, &n);
    CHECK_EQ(n, 3);
    CHECK_MEM(p, "\0\1\2", 3);
    CHECK(!r.bad);
    CHECK_EQ(r.at, r.end);
    weft_free(s);
    weft_free(empty);
    weft_buf_free(&b);
}

TEST(numbers_are_little_endian)
{
    struct weft_buf b = {0};
    weft_put_u32(&b, 0x04030201);
    CHECK_EQ(b.size, 4);
    CHECK_MEM(b.data, "\1\2\3\4", 4);
    weft_buf_free(&b);
}

// Every proper prefix of a message is bad at some read. Nothing is read beyond it, and it stays bad.
TEST(a_truncated_message_is_bad_at_every_length)
{
    struct weft_buf b = {0};
    weft_put_u32(&b, 7);
    weft_put_str(&b, "name");
    weft_put_u64(&b, 1);
    weft_put_u8(&b, 2);
    for (size_t n = 0; n < b.size; n++) {
        uint8_t *copy =
            weft_memdup(b.data, n); // exactly n bytes, so the address sanitizer notices a read beyond them
        struct weft_reader r = weft_reader_of(copy, n);
        weft_get_u32(&r);
        char *s = weft_get_str(&r);
        weft_get_u64(&r);
        weft_get_u8(&r);
        CHECK(r.bad);
        CHECK_EQ(weft_get_u64(&r), 0);
        CHECK_EQ(weft_get_u8(&r), 0);
        weft_free(s);
        weft_free(copy);
    }
    weft_buf_free(&b);
}

TEST(a_length_beyond_the_end_is_bad)
{
    static const uint64_t lengths[] = {4, UINT64_MAX, UINT64_MAX - 7, 1ull << 63, 1ull << 32};
    for (size_t i = 0; i < WEFT_COUNT_OF(lengths); i++) {
        struct weft_buf b = {0};
        weft_put_u64(&b, lengths[i]);
        weft_buf_append(&b, "abc", 3);
        struct weft_reader r = weft_reader_of(b.data, b.size);
        size_t n = 99;
        CHECK_EQ(weft_get_bytes(&r, &n), (void *)NULL);
        CHECK_EQ(n, 0);
        CHECK(r.bad);
        weft_buf_free(&b);
    }
}

TEST(a_string_with_a_nul_inside_is_bad)
{
    struct weft_buf b = {0};
    weft_put_bytes(&b, "a\0b", 3);
    struct weft_reader r = weft_reader_of(b.data, b.size);
    CHECK_EQ(weft_get_str(&r), (void *)NULL);
    CHECK(r.bad);
    weft_buf_free(&b);
}

TEST(a_count_must_fit_into_what_is_left)
{
    struct weft_buf b = {0};
    weft_put_u32(&b, 3);
    weft_buf_append(&b, "0123456789ab", 12);
    struct weft_reader r = weft_reader_of(b.data, b.size);
    CHECK_EQ(weft_get_count(&r, 4), 3);
    r = weft_reader_of(b.data, b.size);
    CHECK_EQ(weft_get_count(&r, 5), 0);
    CHECK(r.bad);
    weft_buf_free(&b);
}
