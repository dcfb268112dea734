// Runs the programs of a line table (DWARF 4, §6.2). The table comes from our compiler, through caches and
// binaries; so nothing is read beyond its end. Tables of other versions have no rows.
#include "runtime/perf/line_table.h"

#include <string.h>

enum {
    COPY = 1,
    ADVANCE_PC,
    ADVANCE_LINE,
    SET_FILE,
    SET_COLUMN,
    NEGATE,
    BLOCK,
    CONST_ADD_PC,
    FIXED_ADVANCE_PC
};
enum { END_SEQUENCE = 1, SET_ADDRESS, DEFINE_FILE, SET_DISCRIMINATOR };

// Reads a number of `bytes` bytes; 0 and the end of the unit if there are fewer.
static uint64_t number(struct weft_lines *l, size_t bytes)
{
    uint64_t n = 0;
    if ((size_t)(l->unit_end - l->at) < bytes) {
        l->at = l->unit_end;
        return 0;
    }
    memcpy(&n, l->at, bytes); // little-endian, as the machines that Weft generates code for
    l->at += bytes;
    return n;
}

static uint64_t leb128(struct weft_lines *l, bool is_signed)
{
    uint64_t n = 0;
    unsigned shift = 0;
    while (l->at < l->unit_end) {
        const uint8_t byte = *l->at++;
        if (shift < 64)
            n |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
        if (byte & 0x80)
            continue;
        if (is_signed && shift < 64 && (byte & 0x40))
            n |= ~UINT64_C(0) << shift;
        break;
    }
    return n;
}

// Skips a text. False: it is empty, which ends a list, or it has no end.
static bool skip_text(struct weft_lines *l)
{
    const uint8_t *zero = memchr(l->at, 0, (size_t)(l->unit_end - l->at));
    const bool more = zero && zero > l->at;
    l->at = zero ? zero + 1 : l->unit_end;
    return more;
}

static void reset(struct weft_lines *l)
{
    l->address = 0;
    l->file = l->line = 1;
    l->discriminator = 0;
}

static bool begin_unit(struct weft_lines *l)
{
    l->at = l->unit_end;
    l->unit_end = l->end;
    const uint64_t length = number(l, 4);
    if (length == 0 || length > (uint64_t)(l->end - l->at))
        return false;
    l->unit_end = l->at + length;
    const uint64_t version = number(l, 2), header = number(l, 4);
    const uint8_t *program = header <= (uint64_t)(l->unit_end - l->at) ? l->at + header : l->unit_end;
    l->unit = (uint8_t)number(l, 1);
    number(l, version >= 4 ? 2 : 1); // operations in an instruction, and whether rows are statements
    l->line_base = (int8_t)number(l, 1);
    l->line_range = (uint8_t)number(l, 1);
    l->opcode_base = (uint8_t)number(l, 1);
    l->lengths = l->at;
    if (version < 2 || version > 4 || l->line_range == 0 || l->opcode_base == 0 ||
        l->unit_end - l->at < l->opcode_base) {
        l->at = l->unit_end;
        return true; // there may be others
    }
    l->at += l->opcode_base - 1;
    while (skip_text(l)) // folders
        ;
    l->files = l->at;
    l->at = program;
    reset(l);
    return true;
}

static const char *file_of(const struct weft_lines *l)
{
    struct weft_lines at = *l;
    at.at = l->files;
    for (uint32_t i = 1; at.at < at.unit_end; i++) {
        const uint8_t *name = at.at;
        if (!skip_text(&at))
            break;
        if (i == l->file)
            return (const char *)name;
        for (int skipped = 0; skipped < 3; skipped++)
            leb128(&at, false);
    }
    return "?";
}

static bool row(struct weft_lines *l, struct weft_line *out)
{
    *out = (struct weft_line){l->address, l->line, l->discriminator, file_of(l)};
    l->discriminator = 0;
    return true;
}

static void run_extended(struct weft_lines *l)
{
    const uint64_t length = leb128(l, false);
    if (length == 0 || length > (uint64_t)(l->unit_end - l->at)) {
        l->at = l->unit_end;
        return;
    }
    const uint8_t *next = l->at + length;
    switch (number(l, 1)) {
    case END_SEQUENCE:
        reset(l);
        break;
    case SET_ADDRESS:
        l->address = number(l, 8);
        break;
    case SET_DISCRIMINATOR:
        l->discriminator = (uint32_t)leb128(l, false);
        break;
    default:
        break;
    }
    l->at = next;
}

// Runs an opcode that makes no row.
static void run_standard(struct weft_lines *l, uint8_t opcode)
{
    switch (opcode) {
    case ADVANCE_PC:
        l->address += leb128(l, false) * l->unit;
        break;
    case ADVANCE_LINE:
        l->line += (uint32_t)leb128(l, true);
        break;
    case SET_FILE:
        l->file = (uint32_t)leb128(l, false);
        break;
    case CONST_ADD_PC:
        l->address += (uint64_t)((255 - l->opcode_base) / l->line_range) * l->unit;
        break;
    case FIXED_ADVANCE_PC:
        l->address += number(l, 2);
        break;
    default:
        for (uint8_t i = 0; i < l->lengths[opcode - 1]; i++)
            leb128(l, false);
    }
}

struct weft_lines weft_lines_of(const uint8_t *table, size_t size)
{
    return (struct weft_lines){.at = table, .unit_end = table, .end = size ? table + size : table};
}

bool weft_lines_next(struct weft_lines *l, struct weft_line *out)
{
    for (;;) {
        if (l->at >= l->unit_end) {
            if (!begin_unit(l))
                return false;
            continue;
        }
        const uint8_t opcode = *l->at++;
        if (opcode >= l->opcode_base) {
            const uint8_t both = (uint8_t)(opcode - l->opcode_base);
            l->address += (uint64_t)(both / l->line_range) * l->unit;
            l->line += (uint32_t)(l->line_base + both % l->line_range);
            return row(l, out);
        }
        if (opcode == COPY)
            return row(l, out);
        if (opcode == 0)
            run_extended(l);
        else
            run_standard(l, opcode);
    }
}
