// Tables of exception frames that are made of call frame information: of a table that is written here, and of
// damaged ones.
#include "harness.h"
#include "runtime/perf/unwind_info.h"

// DWARF 4: what is common, and two functions. A text, for its layout; its last byte doesn't count.
static const char frames[] = "\x14\0\0\0\xff\xff\xff\xff" // bytes after this, a CIE
                             "\4\0\x08\0\1\x78\x10"       // version, addresses, factors 1 and -8, rip
                             "\x0c\7\x08\x90\1\0\0\0\0"   // rsp + 8; rip is at -8
                             "\x18\0\0\0\0\0\0\0"         // an FDE of the CIE at 0
                             "\0\x13\0\0\0\0\0\0\x1d\0\0\0\0\0\0\0" // 0x1300, 0x1d bytes
                             "\x41\x0e\x10\0"                       // behind a byte: rsp + 16
                             "\x18\0\0\0\0\0\0\0"
                             "\x20\x13\0\0\0\0\0\0\x08\0\0\0\0\0\0\0"
                             "\x42\x0e\x18\0";
enum { SIZE = sizeof frames - 1 };

TEST(a_function_has_its_own_table)
{
    static const char expected[] =
        "\x1c\0\0\0\0\0\0\0\1zR\0\1\x78\x10\1\x1b" // a CIE whose FDEs are relative
        "\x0c\7\x08\x90\1\0\0\0\0\0\0\0\0\0\0"
        "\x14\0\0\0\x24\0\0\0"       // its CIE begins 36 bytes before
        "\xb8\xff\xff\xff\x1d\0\0\0" // the code: 32 + 40 bytes before
        "\0\x41\x0e\x10\0\0\0\0"
        "\0\0\0\0"                               // the end
        "\1\x1b\x03\x3b\xc0\xff\xff\xff\1\0\0\0" // the header: the table, functions
        "\xa4\xff\xff\xff\xe4\xff\xff\xff";      // the code and its FDE
    struct weft_buf b = {0};
    CHECK(weft_unwind_info(&b, (const uint8_t *)frames, SIZE, 0x1300, 0x1d));
    CHECK_EQ(b.size, sizeof expected - 1);
    CHECK_EQ(memcmp(b.data, expected, b.size), 0);
    weft_buf_free(&b);
    // The other one; none that isn't there, or has another size.
    CHECK(weft_unwind_info(&b, (const uint8_t *)frames, SIZE, 0x1320, 8));
    weft_buf_free(&b);
    CHECK(!weft_unwind_info(&b, (const uint8_t *)frames, SIZE, 0x1301, 0x1d));
    CHECK(!weft_unwind_info(&b, (const uint8_t *)frames, SIZE, 0x1300, 0x20));
    weft_buf_free(&b);
}

// In memory of its own, so that the address sanitizer sees what lies beyond.
static bool make(const void *bytes, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    CHECK(copy != NULL);
    memcpy(copy, bytes, size);
    struct weft_buf b = {0};
    const bool made = weft_unwind_info(&b, copy, size, 0x1320, 8);
    CHECK_LE(b.size, 3 * SIZE);
    weft_buf_free(&b);
    free(copy);
    return made;
}

TEST(damaged_tables_give_none)
{
    uint64_t seed = 1;
    for (size_t size = 0; size < SIZE; size++)
        CHECK(!make(frames, size)); // the length says more
    for (int i = 0; i < HARNESS_SCALE(200000); i++) {
        uint8_t damaged[SIZE];
        memcpy(damaged, frames, SIZE);
        for (uint64_t n = harness_random(&seed) % 4 + 1; n; n--)
            damaged[harness_random(&seed) % SIZE] = (uint8_t)harness_random(&seed);
        make(damaged, sizeof damaged);
    }
}
