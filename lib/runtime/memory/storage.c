// Storage of memory objects and of everything else that kernels write. None of it lies on the heap (ADR 24).
// Small storage comes from the guarded arena, large storage is mapped from the system. What a context has
// freed it gets again from the storage pool (ADR 36). Owns nothing.
#include "runtime/memory/storage.h"

#include <string.h>

#include "base/base.h"
#include "runtime/checker/order.h"
#include "runtime/checker/races.h"
#include "runtime/memory/guarded_arena.h"
#include "runtime/memory/mapped_storage.h"
#include "runtime/memory/storage_pool.h"
#include "weft/scheduler.h"
#include "weft/trace.h"

static void *from_system(size_t size, const struct weft_domain *domain)
{
    if (size <= WEFT_ARENA_MAX)
        return weft_arena_alloc(size);
    const size_t bytes = weft_storage_pool_capacity(size);
    void *storage = weft_mapped_storage_alloc(bytes);
    if (storage)
        weft_sched_place_memory(storage, bytes, domain);
    return storage;
}

static void *alloc_new(size_t size, const struct weft_domain *domain)
{
    void *storage = from_system(size, domain);
    if (storage)
        return storage;
    weft_storage_pool_drop();
    weft_arena_trim();
    return from_system(size, domain);
}

void *weft_storage_alloc(size_t size, const void *owner, const struct weft_domain *domain)
{
    if (weft_alloc_fails())
        return NULL;
    void *storage = owner ? weft_storage_pool_take(size, owner, weft_storage_pool_here(size)) : NULL;
    if (!storage)
        storage = alloc_new(size, domain);
    if (storage)
        weft_trace_memory((int64_t)size);
    if (storage && WEFT_UNLIKELY(weft_order_is_on()))
        weft_race_forget(storage, size);
    return storage;
}

void *weft_storage_zalloc(size_t size)
{
    void *storage = weft_storage_alloc(size, NULL, NULL);
    // A kernel that wrote beyond its storage may have changed a piece that nobody had yet.
    if (storage && size <= WEFT_ARENA_MAX)
        memset(storage, 0, size);
    return storage;
}

void weft_storage_free(void *storage, size_t size, const void *owner)
{
    if (storage)
        weft_trace_memory(-(int64_t)size);
    if (!storage || (owner && weft_storage_pool_put(storage, size, owner, weft_storage_pool_here(size))))
        return;
    if (size <= WEFT_ARENA_MAX)
        weft_arena_free(storage);
    else
        weft_mapped_storage_free(storage, weft_storage_pool_capacity(size));
}

void weft_storage_forget(const void *owner)
{
    weft_storage_pool_forget(owner);
}
