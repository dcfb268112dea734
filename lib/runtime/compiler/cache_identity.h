// Which compiler made the disk cache's entries. Any thread.
#ifndef WEFT_RUNTIME_CACHE_IDENTITY_H
#define WEFT_RUNTIME_CACHE_IDENTITY_H

#include "base/base.h"

// The entry of a folder that says which compiler fills it: its key, and its contents, the caller's. False:
// there is no compiler here.
bool weft_cache_compiler_entry(struct weft_hash *key, struct weft_buf *bytes);

// Called when something is missing in all folders. Where there is no compiler, that may be because another
// one fills the shared folders since the first folder's note was copied from them. Then the note is copied
// again, for processes that start later.
void weft_cache_ask_compiler(void);

#endif
