// Growing buffers, strings and checked sizes, also without memory.
#include "base/base.h"
#include "harness.h"

TEST(a_buffer_grows_and_hands_its_bytes_over)
{
    struct weft_buf b = {0};
    for (int i = 0; i < 1000; i++)
        CHECK(weft_buf_printf(&b, "%d,", i));
    CHECK(weft_buf_puts(&b, "end"));
    size_t n;
    char *s = weft_buf_take(&b, &n);
    CHECK_EQ(n, strlen(s));
    CHECK_EQ(n, 10 * 2 + 90 * 3 + 900 * 4 + 3);
    CHECK(strncmp(s, "0,1,2,", 6) == 0);
    CHECK_STR(s + n - 7, "999,end");
    CHECK_EQ(b.size, 0);
    CHECK_EQ(b.data, (void *)NULL);
    weft_free(s);
}

TEST(an_empty_buffer_gives_an_empty_string)
{
    struct weft_buf b = {0};
    size_t n = 1;
    char *s = weft_buf_take(&b, &n);
    CHECK_STR(s, "");
    CHECK_EQ(n, 0);
    weft_free(s);
}

TEST(a_failed_append_stays_failed)
{
    struct weft_buf b = {0};
    CHECK(weft_buf_puts(&b, "x"));
    weft_alloc_fail_at(1);
    char big[4096] = {0};
    CHECK(!weft_buf_append(&b, big, sizeof big));
    weft_alloc_fail_at(0);
    CHECK(b.failed);
    CHECK(!weft_buf_puts(&b, "y"));
    CHECK_EQ(b.size, 1);
    CHECK_EQ(weft_buf_take(&b, NULL), (void *)NULL);
}

TEST(an_impossible_size_fails_without_asking_for_memory)
{
    struct weft_buf b = {0};
    CHECK(weft_buf_puts(&b, "x"));
    CHECK(!weft_buf_append(&b, "y", SIZE_MAX));
    CHECK(b.failed);
    weft_buf_free(&b);
    CHECK_EQ(weft_alloc_array(SIZE_MAX / 2, 3), (void *)NULL);
}

TEST(checked_sizes_leave_the_result_alone_when_they_do_not_fit)
{
    size_t out = 42;
    CHECK(!weft_add_size(SIZE_MAX, 1, &out));
    CHECK(!weft_mul_size(SIZE_MAX / 2 + 1, 2, &out));
    CHECK(!weft_align_size(SIZE_MAX - 2, 16, &out));
    CHECK_EQ(out, 42);
    CHECK(weft_align_size(17, 16, &out));
    CHECK_EQ(out, 32);
    CHECK(weft_align_size(32, 16, &out));
    CHECK_EQ(out, 32);
    CHECK(weft_mul_size(SIZE_MAX, 1, &out));
    CHECK_EQ(out, SIZE_MAX);
}

TEST(format_and_duplicates)
{
    char *s = weft_format("%s-%05d", "weft", 42);
    CHECK_STR(s, "weft-00042");
    char *t = weft_strndup(s, 4), *u = weft_strndup(s, 400), *v = weft_strdup("");
    CHECK_STR(t, "weft");
    CHECK_STR(u, s);
    CHECK_STR(v, "");
    void *p = weft_alloc_aligned(4096, 1);
    CHECK_EQ((uintptr_t)p % 4096, 0);
    weft_free(p);
    weft_free(s);
    weft_free(t);
    weft_free(u);
    weft_free(v);
    weft_free(NULL);
}

// Each allocation of a scenario fails once. The scenario must end with an error or a result, never in a
// crash.
TEST(every_allocation_may_fail)
{
    for (uint64_t at = 1;; at++) {
        weft_alloc_fail_at(at);
        struct weft_buf b = {0};
        for (int i = 0; i < 100; i++)
            weft_buf_printf(&b, "%d ", i);
        char *s = weft_buf_take(&b, NULL), *copy = s ? weft_strdup(s) : NULL,
             *f = weft_format("%s!", s ? s : "");
        bool complete = s && copy && f;
        weft_free(s);
        weft_free(copy);
        weft_free(f);
        if (complete) {
            CHECK_GT(at, 3);
            break;
        }
    }
    weft_alloc_fail_at(0);
}
