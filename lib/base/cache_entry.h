// An entry of the disk cache, as a file: its name, and what is around its bytes. The driver reads and writes
// entries (runtime/compiler/disk_cache.h), the command `weft cache` counts and checks them.
//
// <kind><32 hex digits of the key>: u32 magic, u32 version, u64 u64 key, u64 size, u64 u64 hash, the bytes
//
// Any thread may call these functions.
#ifndef WEFT_BASE_CACHE_ENTRY_H
#define WEFT_BASE_CACHE_ENTRY_H

#include "base/base.h"
#include "weft/status.h"

enum weft_cache_kind {
    WEFT_CACHE_PROGRAM = 'p',
    WEFT_CACHE_KERNEL = 'k',
    WEFT_CACHE_VERDICTS = 'v',
    WEFT_CACHE_COMPILER = 'c' // which compiler fills the folder
};

#define WEFT_CACHE_ENTRY_VERSION 1u
#define WEFT_CACHE_ENTRY_HEADER 48u     // bytes before those that are kept
#define WEFT_CACHE_ENTRY_MAX (1u << 30) // bytes of a file
#define WEFT_CACHE_ENTRY_NAME 34u       // kind, 32 digits, NUL

void weft_cache_entry_name(char name[WEFT_CACHE_ENTRY_NAME], enum weft_cache_kind kind, struct weft_hash key);
// Is it the name of an entry? Then *key is what its digits say; key may be NULL.
bool weft_cache_entry_is_name(const char *name, struct weft_hash *key);
// Appends the header of an entry with these bytes.
void weft_cache_entry_begin(struct weft_buf *out, struct weft_hash key, const void *bytes, size_t size);
// WEFT_DAMAGED: a whole file isn't what was written for this key by this version.
weft_status weft_cache_entry_check(const uint8_t *file, size_t size, struct weft_hash key);
// A folder that WEFT_CACHE_DIR or the user's environment names: the caller's. It may not exist, and all but
// the first may not begin with a slash. NULL: there is no such folder, or no memory.
char *weft_cache_entry_folder(unsigned index);

#endif
