// The disk cache of programs and of kernels' code. Everything in it can be lost at any time and
// is made again.
#ifndef WEFT_RUNTIME_CACHE_H
#define WEFT_RUNTIME_CACHE_H

#include "base/base.h"

enum weft_cache_kind { WEFT_CACHE_PROGRAM = 'p', WEFT_CACHE_KERNEL = 'k' };

// Is there a folder that may be used? False in set-uid programs. Any thread.
bool weft_cache_enabled(void);

// What every key begins with: the machine, the compiler's files, the versions and the settings that change
// code. Known without starting a compiler.
struct weft_hash weft_cache_identity(void);

// WEFT_OK: *bytes is the caller's (weft_free). Anything else: there is none that can be trusted.
weft_status weft_cache_load(enum weft_cache_kind kind, struct weft_hash key, uint8_t **bytes, size_t *size);

// Stores in the background, after the call has returned. Takes *bytes over, and empties it. Never fails
// audibly.
void weft_cache_store(enum weft_cache_kind kind, struct weft_hash key, struct weft_buf *bytes);

// Writes at once, on this thread: what the background does, for tests.
weft_status weft_cache_write(enum weft_cache_kind kind, struct weft_hash key, const void *bytes, size_t size);

// Path of something else in the folder, the caller's. NULL: there is no folder that can be trusted.
char *weft_cache_path(const char *name);

// A private file that may be mapped executable, in the cache folder, for systems whose memory files may not
// be. *path is the caller's, who unlinks it. Returns its descriptor or -1.
int weft_cache_private_file(char **path);

#endif
