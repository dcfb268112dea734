// memcpy, memmove, memset for code objects: the code generator calls them for copies whose size it doesn't
// know or that are large. Compiled freestanding, so that the loops stay loops.
#include <stddef.h>
#include <stdint.h>

#ifdef WEFT_SUPPORT_HEADER // support/arch/<family>.h
#include WEFT_SUPPORT_HEADER
#endif

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);

// Types for unaligned accesses, which may alias every other type. A block has 16 bytes.
typedef uint64_t block __attribute__((vector_size(16), aligned(1), may_alias));
typedef uint64_t word __attribute__((aligned(1), may_alias));
typedef uint32_t half_word __attribute__((aligned(1), may_alias));
typedef uint16_t quarter_word __attribute__((aligned(1), may_alias));

// Copies less than 16 bytes. All loads come before the first store, so the operands may overlap.
static inline void copy_small(uint8_t *to, const uint8_t *from, size_t size)
{
    if (size >= 8) {
        uint64_t first = *(const word *)from, last = *(const word *)(from + size - 8);
        *(word *)to = first;
        *(word *)(to + size - 8) = last;
    } else if (size >= 4) {
        uint32_t first = *(const half_word *)from, last = *(const half_word *)(from + size - 4);
        *(half_word *)to = first;
        *(half_word *)(to + size - 4) = last;
    } else if (size >= 2) {
        uint16_t first = *(const quarter_word *)from, last = *(const quarter_word *)(from + size - 2);
        *(quarter_word *)to = first;
        *(quarter_word *)(to + size - 2) = last;
    } else if (size) {
        *to = *from;
    }
}

// Copies at least 16 bytes in blocks, from low to high addresses. The operands may overlap if `to` is below
// `from`.
static inline void copy_up(uint8_t *to, const uint8_t *from, size_t size)
{
    block last = *(const block *)(from + size - 16);
    uint8_t *last_to = to + size - 16;
    while (size > 64) {
        block a = *(const block *)from, b = *(const block *)(from + 16);
        block c = *(const block *)(from + 32), d = *(const block *)(from + 48);
        *(block *)to = a;
        *(block *)(to + 16) = b;
        *(block *)(to + 32) = c;
        *(block *)(to + 48) = d;
        to += 64;
        from += 64;
        size -= 64;
    }
    while (size > 16) {
        *(block *)to = *(const block *)from;
        to += 16;
        from += 16;
        size -= 16;
    }
    *(block *)last_to = last;
}

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
    if (size < 16) {
        copy_small(to, from, size);
        return to;
    }
#ifdef WEFT_SUPPORT_STRING_BYTES
    if (size >= WEFT_SUPPORT_STRING_BYTES) {
        support_copy_string(to, from, size);
        return to;
    }
#endif
    copy_up(to, from, size);
    return to;
}

void *memmove(void *to, const void *from, size_t size)
{
    if (size < 16) {
        copy_small(to, from, size);
    } else if ((uintptr_t)to - (uintptr_t)from >= size) {
        copy_up(to, from, size);
    } else {
        const uint8_t *f = from;
        uint8_t *t = to;
        block first = *(const block *)f;
        while (size > 16) {
            size -= 16;
            *(block *)(t + size) = *(const block *)(f + size);
        }
        *(block *)t = first;
    }
    return to;
}

void *memset(void *to, int byte, size_t size)
{
    uint8_t *t = to, value = (uint8_t)byte;
    if (size < 16) {
        for (size_t i = 0; i < size; i++)
            ((volatile uint8_t *)t)[i] = value;
        return to;
    }
    uint64_t word_value = 0x0101010101010101u * value;
    block x = {word_value, word_value};
    *(block *)(t + size - 16) = x;
    for (; size > 16; size -= 16, t += 16)
        *(block *)t = x;
    return to;
}
