// Makes tables of exception frames (Linux Standard Base, "Exception Frames") of DWARF's call frame
// information (DWARF 4, §6.4). Both have entries (FDE) for functions, which begin with the instructions of a
// common one (CIE). The table comes from our compiler, through caches and binaries; so nothing is read beyond
// its end.
#include "runtime/perf/unwind_info.h"

#include <string.h>

enum {
    NOP = 0,               // DW_CFA_nop
    RELATIVE = 0x1b,       // DW_EH_PE_pcrel | DW_EH_PE_sdata4
    UNSIGNED = 0x03,       // DW_EH_PE_udata4
    HEADER_RELATIVE = 0x3b // DW_EH_PE_datarel | DW_EH_PE_sdata4
};
#define COMMON UINT32_MAX // the id of a CIE; that of an FDE is its CIE's place

struct reader {
    const uint8_t *at, *end;
};

// Reads a number of `bytes` bytes; 0 and the end if there are fewer.
static uint64_t number(struct reader *r, size_t bytes)
{
    uint64_t n = 0;
    if ((size_t)(r->end - r->at) < bytes) {
        r->at = r->end;
        return 0;
    }
    memcpy(&n, r->at, bytes); // little-endian, as the machines that Weft generates code for
    r->at += bytes;
    return n;
}

// Skips a number in LEB128, and appends its bytes.
static void copy_leb128(struct weft_buf *out, struct reader *r)
{
    const uint8_t *from = r->at;
    bool more = true;
    for (; more && r->at < r->end; r->at++)
        more = *r->at & 0x80;
    weft_buf_append(out, from, (size_t)(r->at - from));
}

// The entry at the beginning of *table, which goes on behind it. Its id is read. False: there is none.
static bool next_entry(struct reader *table, struct reader *entry, uint32_t *id)
{
    const uint64_t length = number(table, 4);
    if (length < 4 || length > (uint64_t)(table->end - table->at))
        return false;
    *entry = (struct reader){table->at, table->at + length};
    table->at += length;
    *id = (uint32_t)number(entry, 4);
    return true;
}

static void put(struct weft_buf *out, uint32_t n)
{
    weft_buf_append(out, &n, sizeof n);
}

static void put_byte(struct weft_buf *out, unsigned n)
{
    const uint8_t byte = (uint8_t)n;
    weft_buf_append(out, &byte, 1);
}

// Ends an entry that begins at `first` with the place for its length.
static void end_entry(struct weft_buf *out, size_t first)
{
    while ((out->size - first) % 8)
        put_byte(out, NOP);
    const uint32_t length = (uint32_t)(out->size - first - sizeof length);
    if (!out->failed)
        memcpy(out->data + first, &length, sizeof length);
}

// Appends the CIE, which has no name in .debug_frame. False: it is of another kind.
static bool put_common(struct weft_buf *out, struct reader r)
{
    const size_t first = out->size;
    const uint64_t version = number(&r, 1), augmentation = number(&r, 1);
    if (version < 1 || version > 4 || augmentation != 0)
        return false;
    if (version == 4 && number(&r, 2) != sizeof(uint64_t)) // of addresses, without segments
        return false;
    put(out, 0); // the length
    put(out, 0); // it is a CIE
    put_byte(out, 1);
    weft_buf_append(out, "zR", 3);
    copy_leb128(out, &r); // what places in code are multiples of
    copy_leb128(out, &r); // what places in memory are multiples of
    copy_leb128(out, &r); // the register with the return address: less than 128, so it is a byte here
    put_byte(out, 1);
    put_byte(out, RELATIVE);
    weft_buf_append(out, r.at, (size_t)(r.end - r.at));
    end_entry(out, first);
    return true;
}

bool weft_unwind_info(struct weft_buf *out, const uint8_t *frames, size_t size, uint64_t start,
                      uint64_t code_size)
{
    const size_t first = out->size;
    // From the code's beginning to the table's.
    const uint32_t distance = (uint32_t)((code_size + 7) / 8 * 8);
    struct reader table = {frames, frames + size}, entry, common;
    uint32_t id, common_id;
    while (next_entry(&table, &entry, &id)) {
        if (id == COMMON || number(&entry, 8) != start)
            continue;
        struct reader from = {frames + (id < size ? id : size), frames + size};
        if (number(&entry, 8) != code_size || !next_entry(&from, &common, &common_id) ||
            common_id != COMMON || !put_common(out, common))
            return false;
        const size_t fde = out->size;
        put(out, 0); // the length
        put(out, (uint32_t)(out->size - first));
        put(out, 0 - distance - (uint32_t)(out->size - first));
        put(out, (uint32_t)code_size);
        put_byte(out, 0);
        weft_buf_append(out, entry.at, (size_t)(entry.end - entry.at));
        end_entry(out, fde);
        put(out, 0); // no more entries
        const uint32_t header = (uint32_t)(out->size - first);
        const uint8_t kinds[] = {1, RELATIVE, UNSIGNED, HEADER_RELATIVE};
        weft_buf_append(out, kinds, sizeof kinds);
        put(out, 0 - (uint32_t)(out->size - first)); // where the .eh_frame begins
        put(out, 1);                                 // functions, in the order of their places:
        put(out, 0 - distance - header);
        put(out, (uint32_t)(fde - first) - header);
        return !out->failed;
    }
    return false;
}
