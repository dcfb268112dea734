// Claims of the disk cache, as files. weft_cache_await (disk_cache.h) waits for them. Any thread.
#ifndef WEFT_RUNTIME_CACHE_CLAIM_H
#define WEFT_RUNTIME_CACHE_CLAIM_H

#include "base/base.h"
#include "runtime/compiler/disk_cache.h"

// If one can't make the entry, one more tries while the others wait. After it they all try: else what can't
// be cached would be compiled by one after the other. Processes that have died don't count.
#define WEFT_CLAIM_GIVEN_UP_MAX 2u

enum weft_claim {
    WEFT_CLAIM_OURS,     // it was free, or its process has died, or it has stood still for too long
    WEFT_CLAIM_ANOTHERS, // another thread or process makes the entry
    WEFT_CLAIM_MADE,     // the entry is there, or what is asked for is noted as missing
    WEFT_CLAIM_GIVEN_UP, // by so many that nobody waits any more
    WEFT_CLAIM_NONE      // nothing can be written, or this process has too many
};

// What somebody has seen who waits. Zero at first.
struct weft_claim_watch {
    bool asks; // set by the caller: it wants to ask the other folders, and not to make the entry
    bool waits;
    uint32_t given_up;      // so many
    struct weft_hash stamp; // what the claim was like
    uint64_t looked;        // when it was last seen so
    uint64_t stood;         // for so long it has stood still, in ns
};

// Takes the claim of claim->kind and key, if it can be had. Else ask again after some time, with the same
// watch.
enum weft_claim weft_claim_take(struct weft_cache_claim *claim, struct weft_claim_watch *watch);
// note_none: the other folders don't have it, which others who would ask needn't do for some seconds.
void weft_claim_give_up(struct weft_cache_claim *claim, bool note_none);
bool weft_claim_is_none_noted(enum weft_cache_kind kind, struct weft_hash key);
// dir: of the first folder.
void weft_claim_forget_none(int dir, enum weft_cache_kind kind, struct weft_hash key);

// Says to other machines that this process's claims are still wanted, at most every two seconds. For threads
// that wait for what takes long.
void weft_claim_keep(void);

#endif
