// Names and headers of the disk cache's files.
#include "base/cache_entry.h"

#include <stdlib.h>
#include <string.h>

#define MAGIC 0x43455457u

void weft_cache_entry_name(char name[WEFT_CACHE_ENTRY_NAME], enum weft_cache_kind kind, struct weft_hash key)
{
    name[0] = (char)kind;
    weft_hash_hex(key, name + 1);
}

bool weft_cache_entry_is_name(const char *name, struct weft_hash *key)
{
    static const char digits[] = "0123456789abcdef";
    if (strlen(name) != WEFT_CACHE_ENTRY_NAME - 1 ||
        (name[0] != WEFT_CACHE_PROGRAM && name[0] != WEFT_CACHE_KERNEL && name[0] != WEFT_CACHE_VERDICTS &&
         name[0] != WEFT_CACHE_COMPILER))
        return false;
    uint64_t words[2] = {0};
    for (unsigned k = 0; k < 32; k++) {
        const char *digit = strchr(digits, name[1 + k]);
        if (!digit)
            return false;
        words[k / 16] = words[k / 16] << 4 | (uint64_t)(digit - digits);
    }
    if (key)
        *key = (struct weft_hash){words[0], words[1]};
    return true;
}

void weft_cache_entry_begin(struct weft_buf *out, struct weft_hash key, const void *bytes, size_t size)
{
    const struct weft_hash h = weft_hash_bytes(key, bytes, size);
    weft_put_u32(out, MAGIC);
    weft_put_u32(out, WEFT_CACHE_ENTRY_VERSION);
    weft_put_u64(out, key.lo);
    weft_put_u64(out, key.hi);
    weft_put_u64(out, size);
    weft_put_u64(out, h.lo);
    weft_put_u64(out, h.hi);
}

weft_status weft_cache_entry_check(const uint8_t *file, size_t size, struct weft_hash key)
{
    struct weft_reader r = weft_reader_of(file, size);
    uint32_t magic = weft_get_u32(&r), version = weft_get_u32(&r);
    uint64_t lo = weft_get_u64(&r), hi = weft_get_u64(&r), said = weft_get_u64(&r);
    uint64_t hash_lo = weft_get_u64(&r), hash_hi = weft_get_u64(&r);
    if (r.bad || magic != MAGIC || version != WEFT_CACHE_ENTRY_VERSION || lo != key.lo || hi != key.hi ||
        said != size - WEFT_CACHE_ENTRY_HEADER)
        return WEFT_DAMAGED;
    struct weft_hash h = weft_hash_bytes(key, r.at, (size_t)said);
    return h.lo == hash_lo && h.hi == hash_hi ? WEFT_OK : WEFT_DAMAGED;
}

// Part `index` of a list with colons; empty parts don't count.
static char *part_of(const char *list, unsigned index)
{
    for (const char *at = list;; at++) {
        const size_t n = strcspn(at, ":");
        if (n && index-- == 0)
            return weft_format("%.*s", (int)n, at);
        at += n;
        if (!*at)
            return NULL;
    }
}

char *weft_cache_entry_folder(unsigned index)
{
    const char *given = weft_config_str(WEFT_CFG_CACHE_DIR);
    if (given && given[0] == '/')
        return part_of(given, index);
    const char *xdg = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
    if (index > 0)
        return NULL;
    if (xdg && xdg[0] == '/')
        return weft_format("%s/weft", xdg);
    return home && home[0] == '/' ? weft_format("%s/.cache/weft", home) : NULL;
}
