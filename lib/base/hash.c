// Two independent multiply-xorshift lanes over 8-byte words. The length is hashed too, so a prefix has
// another hash than the whole. Words are read as little-endian, so the hash doesn't depend on the machine.
#include "base/base.h"

#include <string.h>

#include "base/arch/arch.h"

static uint64_t mix(uint64_t x)
{
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93ull;
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93ull;
    x ^= x >> 32;
    return x;
}

static uint64_t load_le(const uint8_t *p, size_t n)
{
    uint64_t v = 0;
    for (size_t i = 0; i < n; i++)
        v |= (uint64_t)p[i] << (8 * i);
    return v;
}

struct weft_hash weft_hash_bytes(struct weft_hash h, const void *data, size_t n)
{
    const uint8_t *p = data;
    uint64_t a = h.lo ^ 0x9e3779b97f4a7c15ull, b = h.hi ^ 0xc2b2ae3d27d4eb4full;
    for (size_t i = 0; i < n; i += 8) {
        // With a constant size, load_le is a single load.
        uint64_t w = n - i >= 8 ? load_le(p + i, 8) : load_le(p + i, n - i);
        a = (a ^ mix(w + 0x9e3779b97f4a7c15ull)) * 0xff51afd7ed558ccdull;
        a ^= a >> 29;
        b = (b + mix(w ^ 0x165667b19e3779f9ull)) * 0xc4ceb9fe1a85ec53ull;
        b ^= b >> 31;
    }
    return (struct weft_hash){mix(a ^ n), mix(b + n * 0x9e3779b97f4a7c15ull)};
}

struct weft_hash weft_hash_str(struct weft_hash seed, const char *s)
{
    return weft_hash_bytes(seed, s, strlen(s));
}

struct weft_hash weft_arch_identity(struct weft_hash seed)
{
    unsigned char bytes[WEFT_ARCH_IDENTITY_BYTES];
    return weft_hash_bytes(seed, bytes, weft_arch_identity_bytes(bytes));
}

void weft_hash_hex(struct weft_hash h, char out[33])
{
    static const char digits[] = "0123456789abcdef";
    for (int i = 0; i < 16; i++) {
        out[i] = digits[(h.lo >> (60 - 4 * i)) & 15];
        out[16 + i] = digits[(h.hi >> (60 - 4 * i)) & 15];
    }
    out[32] = '\0';
}
