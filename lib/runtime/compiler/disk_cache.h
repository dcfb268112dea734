// The disk cache of programs and of code of kernels. Any entry may be lost at any time and is then created
// again.
#ifndef WEFT_RUNTIME_CACHE_H
#define WEFT_RUNTIME_CACHE_H

#include "base/base.h"
#include "base/cache_entry.h"

// Is there a usable cache folder? False in set-uid programs. Any thread.
bool weft_cache_enabled(void);

// A hash that every key begins with: the machine, the compiler's files, the versions and all settings that
// change code. Doesn't need a running compiler.
struct weft_hash weft_cache_identity(void);

// Loads an entry. WEFT_OK: *bytes is the caller's (weft_free). Other results: there is no valid entry.
weft_status weft_cache_load(enum weft_cache_kind kind, struct weft_hash key, uint8_t **bytes, size_t *size);

// Stores an entry in the background, after the call has returned. Takes over the contents of *bytes and
// empties it. Reports no errors.
void weft_cache_store(enum weft_cache_kind kind, struct weft_hash key, struct weft_buf *bytes);

// For tests: stores an entry at once, as the background thread does.
weft_status weft_cache_write(enum weft_cache_kind kind, struct weft_hash key, const void *bytes, size_t size);

// Path of another file in the cache folder; the caller's. NULL: there is no usable folder.
char *weft_cache_path(const char *name);

// Creates a private file in the cache folder that may be mapped executable, for systems where memory files
// may not be. *path: the caller's, who unlinks the file. Returns its descriptor, or -1.
int weft_cache_private_file(char **path);

#endif
