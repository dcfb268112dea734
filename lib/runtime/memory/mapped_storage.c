// Mappings for large storage (ADR 24). Owns the list of mappings with a smaller guard than usual, under its
// own lock.
#include "runtime/memory/mapped_storage.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/base.h"
#include "runtime/memory/guarded_arena.h"
#include "runtime/memory/poison.h"

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
static _Atomic size_t small_guard_count; // 0: no need to look

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
    atomic_fetch_add_explicit(&small_guard_count, 1, memory_order_relaxed);
    pthread_mutex_unlock(&lock);
    return true;
}

static size_t guard_of(const void *storage)
{
    size_t guard = WEFT_GUARD;
    // Relaxed: if this mapping is in the list, it was put there before the caller got its address.
    if (WEFT_LIKELY(atomic_load_explicit(&small_guard_count, memory_order_relaxed) == 0))
        return guard;
    pthread_mutex_lock(&lock);
    for (struct small_guard **at = bucket_of(storage); *at; at = &(*at)->next) {
        struct small_guard *o = *at;
        if (o->storage != storage)
            continue;
        guard = o->guard;
        *at = o->next;
        atomic_fetch_sub_explicit(&small_guard_count, 1, memory_order_relaxed);
        weft_free(o);
        break;
    }
    pthread_mutex_unlock(&lock);
    return guard;
}

void *weft_mapped_storage_alloc(size_t bytes)
{
    size_t guard = WEFT_GUARD;
    void *storage = weft_map_guarded(HUGE_PAGE, bytes, &guard);
    if (!storage)
        return NULL;
    if (guard != WEFT_GUARD && !remember_guard(storage, guard)) {
        weft_unmap_guarded(storage, bytes, guard);
        return NULL;
    }
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    weft_make_read_margin((char *)storage - WEFT_READ_MARGIN, guard);
    weft_make_read_margin((char *)storage + (bytes + page - 1) / page * page, guard);
    // Only advice: a system without huge pages refuses it, which does no harm.
    (void)madvise(storage, bytes, MADV_HUGEPAGE);
    return storage;
}

void weft_mapped_storage_free(void *storage, size_t bytes)
{
    WEFT_UNPOISON(storage, bytes); // another mapping may get the addresses
    weft_unmap_guarded(storage, bytes, guard_of(storage));
}
