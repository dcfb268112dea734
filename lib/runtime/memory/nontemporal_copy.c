// Copies and fills at the speed of memory. Owns nothing.
//
// A non-temporal store doesn't read the cache line that it overwrites. This saves a third of the memory
// traffic of a copy, half of a fill's. It pays if the data is larger than the caches, because later accesses
// wouldn't find it there anyway.
#include "runtime/memory/nontemporal_copy.h"

#include <stdint.h>
#include <string.h>

#include "base/arch/arch.h"

_Static_assert(WEFT_FILL_BLOCK == WEFT_ARCH_BLOCK, "a fill is handed over block by block");

static size_t to_line(const void *p)
{
    return (size_t)(-(uintptr_t)p & (WEFT_ARCH_LINE - 1));
}

void weft_nontemporal_copy(void *dst, const void *src, size_t n)
{
    unsigned char *d = dst;
    const unsigned char *s = src;
    size_t head = to_line(d);
    if (n < head + 4 * WEFT_ARCH_LINE) {
        memcpy(d, s, n);
        return;
    }
    memcpy(d, s, head);
    d += head, s += head, n -= head;
    size_t body = n & ~(size_t)(WEFT_ARCH_BLOCK - 1);
    weft_arch_nontemporal_copy(d, s, body);
    memcpy(d + body, s + body, n - body);
}

static void nontemporal_fill(unsigned char *dst, const unsigned char *block, size_t n)
{
    // Rotate the block so that it begins at a cache line.
    size_t head = to_line(dst);
    unsigned char rotated[WEFT_FILL_BLOCK];
    memcpy(rotated, block + head, WEFT_FILL_BLOCK - head);
    memcpy(rotated + WEFT_FILL_BLOCK - head, block, head);
    memcpy(dst, block, head);
    dst += head, n -= head;
    size_t body = n & ~(size_t)(WEFT_FILL_BLOCK - 1);
    weft_arch_nontemporal_fill(dst, rotated, body);
    memcpy(dst + body, rotated, n - body);
}

void weft_block_fill(void *dst, const unsigned char block[WEFT_FILL_BLOCK], size_t n, bool nontemporal)
{
    unsigned char *d = dst;
    if (nontemporal && n >= 4 * WEFT_FILL_BLOCK) {
        nontemporal_fill(d, block, n);
        return;
    }
    for (; n >= WEFT_FILL_BLOCK; n -= WEFT_FILL_BLOCK, d += WEFT_FILL_BLOCK)
        memcpy(d, block, WEFT_FILL_BLOCK);
    memcpy(d, block, n);
}
