// Claims of the disk cache, as files. weft_cache_await (disk_cache.h) waits for them. Any thread.
#ifndef WEFT_RUNTIME_CACHE_CLAIM_H
#define WEFT_RUNTIME_CACHE_CLAIM_H

#include "base/base.h"
#include "base/cache_entry.h"

enum weft_claim {
    WEFT_CLAIM_OURS,     // it was free
    WEFT_CLAIM_ANOTHERS, // another thread or process makes the entry
    WEFT_CLAIM_MADE,     // the entry is there
    WEFT_CLAIM_NONE      // nothing can be written
};
enum weft_claim weft_claim_take(enum weft_cache_kind kind, struct weft_hash key);
// Does somebody make the entry, as far as is known? waited: how long the caller has waited for it, in ns.
// Removes the claim of a process that has died, and what isn't a claim. *who: tells those apart that hold it;
// zero: not known yet.
bool weft_claim_is_held(enum weft_cache_kind kind, struct weft_hash key, uint64_t waited,
                        struct weft_hash *who);
// Takes the claim from that one, if it still holds it.
void weft_claim_break(enum weft_cache_kind kind, struct weft_hash key, struct weft_hash who);
void weft_claim_give_up(enum weft_cache_kind kind, struct weft_hash key);

#endif
