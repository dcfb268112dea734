// The reader of line tables: rows of a table that is written here, and tables that are damaged.
#include "harness.h"
#include "runtime/perf/line_table.h"

// DWARF 4, one unit: two files in one folder, and a program of a special opcode, copies, and an end.
// A text, for its layout; its last byte doesn't count.
static const char table[] = "\x4d\0\0\0"         // bytes after this
                            "\x04\0\x2b\0\0\0"   // version, bytes of the header after this
                            "\1\1\1\xfb\x0e\x0d" // instruction 1, line base -5, line range 14, opcodes 13
                            "\0\1\1\1\1\0\0\0\1\0\0\1" // arguments of opcodes
                            "d\0\0"                    // folders
                            "a.cl\0\1\0\0"             // files
                            "b.h\0\1\x85\1\0\0"
                            "\xff\xff\xff\xff\xff"         // as a later version might add
                            "\0\x09\2\x10\x20\0\0\0\0\0\0" // address 0x2010
                            "\1"                           // row: a.cl:1
                            "\3\x7f\3\5"                   // line -1, line +5
                            "\0\2\4\7"                     // discriminator 7
                            "\x3d"                         // address +3, line +1, row: a.cl:6
                            "\4\2\x08\1"                   // file 2, address +17, row: b.h:6
                            "\0\1\1";                      // end
enum { SIZE = sizeof table - 1 };

TEST(rows_have_address_line_and_file)
{
    static const struct weft_line expected[] = {
        {0x2010, 1, 0, "a.cl"}, {0x2013, 6, 7, "a.cl"}, {0x2024, 6, 0, "b.h"}};
    for (int units = 1; units <= 2; units++) {
        uint8_t twice[2 * SIZE];
        memcpy(twice, table, SIZE);
        memcpy(twice + SIZE, table, SIZE);
        struct weft_lines l = weft_lines_of(twice, (size_t)units * SIZE);
        struct weft_line row;
        for (int i = 0; i < 3 * units; i++) {
            CHECK(weft_lines_next(&l, &row));
            CHECK_EQ(row.address, expected[i % 3].address);
            CHECK_EQ(row.line, expected[i % 3].line);
            CHECK_EQ(row.discriminator, expected[i % 3].discriminator);
            CHECK_STR(row.file, expected[i % 3].file);
        }
        CHECK(!weft_lines_next(&l, &row));
        CHECK(!weft_lines_next(&l, &row));
    }
}

// In memory of its own, so that the address sanitizer sees what lies beyond.
static size_t read_all(const void *bytes, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    CHECK(copy != NULL);
    memcpy(copy, bytes, size);
    struct weft_lines l = weft_lines_of(copy, size);
    struct weft_line row;
    size_t rows = 0;
    while (weft_lines_next(&l, &row))
        rows += strlen(row.file) != 0;
    free(copy);
    CHECK_LE(rows, size); // each takes a byte at least
    return rows;
}

TEST(damaged_tables_end)
{
    uint64_t seed = 1;
    for (size_t size = 0; size < SIZE; size++)
        CHECK_EQ(read_all(table, size), 0); // the length says more
    for (int i = 0; i < HARNESS_SCALE(200000); i++) {
        uint8_t damaged[SIZE];
        memcpy(damaged, table, SIZE);
        for (uint64_t n = harness_random(&seed) % 4 + 1; n; n--)
            damaged[harness_random(&seed) % SIZE] = (uint8_t)harness_random(&seed);
        read_all(damaged, sizeof damaged);
    }
}
