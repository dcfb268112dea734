// The lines of source that code was made from: the table .debug_line of an ELF object (DWARF 2 to 4).
#ifndef WEFT_RUNTIME_PERF_LINE_TABLE_H
#define WEFT_RUNTIME_PERF_LINE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct weft_line {
    uint64_t address; // the code from there on; the next row says up to where
    uint32_t line;    // 0: it is of no line
    uint32_t discriminator;
    const char *file; // in the table
};

// Goes through a table. Members are for line_table.c.
struct weft_lines {
    const uint8_t *at, *unit_end, *end;
    const uint8_t *lengths, *files; // of standard opcodes; the unit's file names
    uint8_t unit, line_range, opcode_base;
    int8_t line_base;
    uint64_t address;
    uint32_t file, line, discriminator;
};

struct weft_lines weft_lines_of(const uint8_t *table, size_t size); // the bytes live as long as the result
// The next row that is the beginning of code. False: there is none, or the table is damaged from there on.
bool weft_lines_next(struct weft_lines *l, struct weft_line *out);

#endif
