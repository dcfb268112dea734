// Allocation. All of it goes through this file, so that tests can make any allocation fail. Owns the state of
// fault injection.
#include "base/base.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static _Atomic uint64_t fail_countdown; // allocations until the one that fails; 0: off
static _Atomic bool fail_on;            // true: all allocations after that fail too (fail_countdown stays 1)
static _Atomic(void *)
    fail_thread; // the address of a thread's `here`: only that thread counts. NULL: all threads count
static _Thread_local char here;

static void inject(uint64_t n, bool on, void *thread)
{
    atomic_store(&fail_countdown, 0); // no thread counts while the other two change
    atomic_store(&fail_on, on);
    atomic_store(&fail_thread, thread);
    atomic_store(&fail_countdown, n);
}

void weft_alloc_fail_at(uint64_t n)
{
    inject(n, false, NULL);
}

void weft_alloc_fail_here_at(uint64_t n)
{
    inject(n, false, &here);
}

void weft_alloc_fail_from(uint64_t n)
{
    inject(n, true, NULL);
}

bool weft_alloc_fail_is_ahead(void)
{
    return atomic_load(&fail_countdown) != 0;
}

bool weft_alloc_fails(void)
{
    if (WEFT_LIKELY(atomic_load_explicit(&fail_countdown, memory_order_relaxed) == 0))
        return false;
    void *only = atomic_load(&fail_thread);
    if (only && only != &here)
        return false;
    uint64_t left = atomic_load(&fail_countdown);
    while (left != 0)
        if (left == 1 && atomic_load(&fail_on))
            return true;
        else if (atomic_compare_exchange_weak(&fail_countdown, &left, left - 1))
            return left == 1;
    return false;
}

void *weft_alloc(size_t bytes)
{
    return weft_alloc_fails() ? NULL : malloc(bytes ? bytes : 1);
}

void *weft_zalloc(size_t bytes)
{
    return weft_alloc_fails() ? NULL : calloc(1, bytes ? bytes : 1);
}

void *weft_alloc_array(size_t count, size_t element)
{
    size_t bytes;
    return weft_mul_size(count, element, &bytes) ? weft_zalloc(bytes) : NULL;
}

void *weft_realloc(void *p, size_t bytes)
{
    return weft_alloc_fails() ? NULL : realloc(p, bytes ? bytes : 1);
}

void *weft_alloc_aligned(size_t alignment, size_t bytes)
{
    void *p = NULL;
    if (weft_alloc_fails() || posix_memalign(&p, alignment, bytes ? bytes : 1) != 0)
        return NULL;
    return p;
}

void weft_free(void *p)
{
    free(p);
}

bool weft_addresses_are_scarce(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

void weft_no_dump(void *guard, size_t bytes)
{
    if (bytes)
        madvise(guard, bytes, MADV_DONTDUMP);
}

// size: whole pages. Around them lie two guards of `guard` bytes.
static void *map_with(size_t alignment, size_t size, size_t guard, size_t page)
{
    size_t span;
    if (!weft_add_size(size, 2 * guard + alignment - page, &span))
        return NULL;
    char *map =
        mmap(NULL, span, guard ? PROT_NONE : PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED)
        return NULL;
    // mmap only aligns to a page. So the mapping was made larger, and its ends are unmapped.
    size_t before = (size_t)(-((uintptr_t)map + guard) & (alignment - 1));
    size_t after = span - before - size - 2 * guard;
    if (before)
        munmap(map, before);
    if (after)
        munmap(map + before + size + 2 * guard, after);
    char *p = map + before + guard;
    if (guard && mprotect(p, size, PROT_READ | PROT_WRITE) != 0) {
        munmap(map + before, size + 2 * guard);
        return NULL;
    }
    weft_no_dump(p - guard, guard);
    weft_no_dump(p + size, guard);
    return p;
}

void *weft_map_guarded(size_t alignment, size_t bytes, size_t *guard)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size;
    if (!weft_align_size(bytes, page, &size))
        return NULL;
    alignment = alignment < page ? page : alignment;
    const size_t guards[] = {*guard, WEFT_GUARD, WEFT_GUARD / 16, 0};
    void *p = NULL;
    for (size_t i = weft_addresses_are_scarce() ? 2 : 0; !p && i < WEFT_COUNT_OF(guards); i++)
        p = map_with(alignment, size, *guard = guards[i], page);
    return p;
}

void weft_unmap_guarded(void *p, size_t bytes, size_t guard)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size;
    if (p && weft_align_size(bytes, page, &size))
        munmap((char *)p - guard, size + 2 * guard);
}

void *weft_memdup(const void *p, size_t n)
{
    void *copy = weft_alloc(n);
    if (copy && n)
        memcpy(copy, p, n);
    return copy;
}

char *weft_strndup(const char *s, size_t n)
{
    size_t length = strnlen(s, n);
    char *copy = weft_alloc(length + 1);
    if (copy) {
        memcpy(copy, s, length);
        copy[length] = '\0';
    }
    return copy;
}

char *weft_strdup(const char *s)
{
    return weft_strndup(s, strlen(s));
}
