// Reading one folder of the disk cache. Any thread.
#ifndef WEFT_RUNTIME_CACHE_READ_H
#define WEFT_RUNTIME_CACHE_READ_H

#include "base/base.h"
#include "base/cache_entry.h"
#include "weft/status.h"

// Loads an entry from the folder of that index. WEFT_OK: *bytes is the caller's (weft_free). WEFT_DAMAGED: it
// isn't to be believed; in the first folder it has been removed.
weft_status weft_cache_read(unsigned index, enum weft_cache_kind kind, struct weft_hash key, uint8_t **bytes,
                            size_t *size);

#endif
