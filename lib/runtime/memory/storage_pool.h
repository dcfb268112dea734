// The storage pool (ADR 36): storage that a context has freed and may get again, with its pages. The context
// sees what it wrote before; nobody else does. All functions may be called from any thread.
//
// Large storage (above WEFT_ARENA_MAX) is bounded (WEFT_POOL_MIB). It is given back if it isn't taken for
// some seconds, and all of it if memory is short. The pieces of the arena, which are smaller, are bounded
// by the lengths of their lists, a few dozen MiB in all. They are given back with large storage, when an
// allocation fails, or when their context ends.
#ifndef WEFT_RUNTIME_MEMORY_STORAGE_POOL_H
#define WEFT_RUNTIME_MEMORY_STORAGE_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The size in bytes of the mapping for storage of `size` bytes, size > WEFT_ARENA_MAX. At most an eighth
// larger, so that all storage of one size class can be exchanged. It doesn't change while the process runs.
size_t weft_storage_pool_capacity(size_t size);

// Where a thread runs: its processor and NUMA node.
struct weft_storage_place {
    unsigned cpu, node;
};
// The calling thread's, for storage of `size` bytes. The node counts for large storage only.
struct weft_storage_place weft_storage_pool_here(size_t size);

// Takes storage of at least `size` bytes that `owner` has put. Prefers what was put on the same node. NULL:
// there is none.
void *weft_storage_pool_take(size_t size, const void *owner, struct weft_storage_place here);
// Puts storage of `size` bytes. Returns false if the pool doesn't take it; then it stays the caller's.
bool weft_storage_pool_put(void *storage, size_t size, const void *owner, struct weft_storage_place here);
// Gives back to the arena and the system what `owner` has put.
void weft_storage_pool_forget(const void *owner);
// Gives back everything.
void weft_storage_pool_drop(void);
// Gives back what lies in the pool since before `since`, in milliseconds of weft_storage_pool_now.
void weft_storage_pool_trim(uint64_t since);
uint64_t weft_storage_pool_now(void);

// For tests: the present state.
struct weft_storage_pool_state {
    size_t limit;   // bytes at most; 0: the pool is off
    size_t bytes;   // of storage above 32 KB in the pool
    size_t entries; // pieces of storage in the pool
    size_t hits;    // how often `take` found one
    size_t misses;  // how often it didn't
    bool refuses;   // memory or addresses are short: the pool takes only small storage
};
void weft_storage_pool_look(struct weft_storage_pool_state *out);

#endif
