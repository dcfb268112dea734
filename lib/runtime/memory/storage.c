// Storage of memory objects and of everything else that kernels write. None of it lies on the heap (ADR 24).
// Owns the list of mappings with a smaller guard than usual, under its own lock.
//
// Small storage comes from the guarded arena. Large storage is mapped from the system. It costs nothing until
// it is touched, which the first kernel that writes it does in parallel. It lies on huge pages where the
// system has them, and is returned at once when freed.
#include "runtime/memory/storage.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "base/base.h"
#include "runtime/memory/guarded_arena.h"

#define HUGE_PAGE ((size_t)2 << 20)

_Static_assert(WEFT_ARENA_MAX == HUGE_PAGE - 1, "what is larger is mapped");

// A mapping whose guard has another size than WEFT_GUARD.
struct small_guard {
    struct small_guard *next;
    void *storage;
    size_t guard;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // no other lock is taken under it
static struct small_guard *small_guards[1024];

// The hash bucket of a mapping. Mappings are aligned to huge pages.
static struct small_guard **bucket_of(const void *storage)
{
    return &small_guards[(uintptr_t)storage / HUGE_PAGE % WEFT_COUNT_OF(small_guards)];
}

static void fork_prepare(void)
{
    pthread_mutex_lock(&lock);
}

static void fork_done(void)
{
    pthread_mutex_unlock(&lock);
}

__attribute__((constructor(102))) static void know_forks(void)
{
    weft_at_fork(fork_prepare, fork_done, fork_done);
}

static bool remember_guard(void *storage, size_t guard)
{
    struct small_guard *o = weft_alloc(sizeof *o);
    if (!o)
        return false;
    o->storage = storage;
    o->guard = guard;
    pthread_mutex_lock(&lock);
    o->next = *bucket_of(storage);
    *bucket_of(storage) = o;
    pthread_mutex_unlock(&lock);
    return true;
}

static size_t guard_of(const void *storage)
{
    size_t guard = WEFT_GUARD;
    pthread_mutex_lock(&lock);
    for (struct small_guard **at = bucket_of(storage); *at; at = &(*at)->next) {
        struct small_guard *o = *at;
        if (o->storage != storage)
            continue;
        guard = o->guard;
        *at = o->next;
        weft_free(o);
        break;
    }
    pthread_mutex_unlock(&lock);
    return guard;
}

void *weft_storage_alloc(size_t size)
{
    if (size <= WEFT_ARENA_MAX)
        return weft_arena_alloc(size);
    if (weft_alloc_fails())
        return NULL;
    size_t guard = WEFT_GUARD;
    void *storage = weft_map_guarded(HUGE_PAGE, size, &guard);
    if (!storage) {
        weft_arena_trim();
        guard = WEFT_GUARD;
        storage = weft_map_guarded(HUGE_PAGE, size, &guard);
    }
    if (!storage)
        return NULL;
    if (guard != WEFT_GUARD && !remember_guard(storage, guard)) {
        weft_unmap_guarded(storage, size, guard);
        return NULL;
    }
    // Only advice: a system without huge pages refuses it, which does no harm.
    (void)madvise(storage, size, MADV_HUGEPAGE);
    return storage;
}

void *weft_storage_zalloc(size_t size)
{
    void *storage = weft_storage_alloc(size);
    if (storage && size <= WEFT_ARENA_MAX)
        memset(storage, 0, size);
    return storage;
}

void weft_storage_free(void *storage, size_t size)
{
    if (!storage)
        return;
    if (size <= WEFT_ARENA_MAX)
        weft_arena_free(storage);
    else
        weft_unmap_guarded(storage, size, guard_of(storage));
}
