// Small storage of kernels (ADR 24). It lies in regions: ranges of addresses of which nothing is accessible but the spans that are
// in use, with guards at both ends. A span is a run of units of a region, cut into pieces of one size. What is known about all that lies on the heap,
// which kernels can't reach from here. A span whose pieces are all free stays warm, with its pages, up to a bound; then the oldest
// goes back to the system.
//
// One lock guards everything. Fork waits for it: the child has whole lists. Under it memory is taken from the heap and the
// system, but no other lock of ours.
#include "memory_arena.h"

#include "runtime.h"

#include <string.h>
#include <sys/mman.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#define POISON(at, bytes) ASAN_POISON_MEMORY_REGION(at, bytes)
#define UNPOISON(at, bytes) ASAN_UNPOISON_MEMORY_REGION(at, bytes)
#endif
#endif
#ifndef POISON
#define POISON(at, bytes) ((void)(at), (void)(bytes))
#define UNPOISON(at, bytes) ((void)(at), (void)(bytes))
#endif

#define UNIT ((size_t)64 << 10)
#define REGION_MOST ((size_t)4 << 30)   // where addresses cost nothing
#define REGION_SCARCE ((size_t)2 << 20) // the first one where they are limited; each next has twice as many
#define WARM_MOST ((size_t)64 << 20)    // bytes of spans that nobody uses
#define SPAN_BYTES ((size_t)256 << 10)

// Sizes: four multiples of 128 bytes, then four steps in each doubling.
enum { FIRST_SHIFT = 9, LAST_SHIFT = 20, SIZES = 4 + 4 * (LAST_SHIFT - FIRST_SHIFT + 1) };

struct span {
    struct span *next,
        *prev; // of its size, while it has a free piece: those in use before those that are empty
    struct span *newer, *older; // of all sizes, while it is empty
    struct region *region;
    unsigned char *base;
    size_t piece; // bytes
    uint32_t size, units, pieces;
    uint32_t touched; // pieces that were ever in use: the first ones
    uint32_t used;
    uint32_t free_count;
    uint16_t free[]; // touched ones, the last freed last
};

struct region {
    struct region *next;
    unsigned char *base;
    size_t guard, units, from; // no unit before `from` is free
    struct span *span_of[];    // each unit's; NULL: free
};

struct list {
    struct span *first, *last;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct region *regions;       // the newest first
static struct list by_size[SIZES];   // spans with free pieces
static struct span *oldest, *newest; // empty spans
static struct weft_arena_state state;

static void fork_prepare(void)
{
    pthread_mutex_lock(&lock);
}

static void fork_done(void)
{
    pthread_mutex_unlock(&lock);
}

// Early: handlers that are known first come last before a fork, when whoever wants this lock under his own has it no more.
__attribute__((constructor(102))) static void know_forks(void)
{
    pthread_atfork(fork_prepare, fork_done, fork_done);
}

// ---- Sizes ----

static uint32_t size_of(size_t bytes, size_t *piece)
{
    if (bytes <= (size_t)1 << FIRST_SHIFT) {
        uint32_t n = (uint32_t)((bytes + 127) / 128);
        *piece = (size_t)n * 128;
        return n - 1;
    }
    uint32_t shift = 63 - (uint32_t)__builtin_clzll(bytes - 1);
    uint32_t quarter = (uint32_t)((bytes - 1) >> (shift - 2)) & 3;
    *piece = (size_t)(5 + quarter) << (shift - 2);
    return 4 + 4 * (shift - FIRST_SHIFT) + quarter;
}

// Some pieces of middling sizes together, large ones alone.
static size_t span_bytes(size_t piece)
{
    size_t bytes = piece <= SPAN_BYTES / 8 ? SPAN_BYTES : piece <= SPAN_BYTES ? 4 * piece : piece;
    return (bytes + UNIT - 1) & ~(UNIT - 1);
}

// ---- Lists ----

static void list_add_locked(struct span *s, bool first)
{
    struct list *l = &by_size[s->size];
    s->prev = first ? NULL : l->last;
    s->next = first ? l->first : NULL;
    *(s->prev ? &s->prev->next : &l->first) = s;
    *(s->next ? &s->next->prev : &l->last) = s;
}

static void list_remove_locked(struct span *s)
{
    struct list *l = &by_size[s->size];
    *(s->prev ? &s->prev->next : &l->first) = s->next;
    *(s->next ? &s->next->prev : &l->last) = s->prev;
}

static void empty_add_locked(struct span *s)
{
    s->older = newest;
    s->newer = NULL;
    *(newest ? &newest->newer : &oldest) = s;
    newest = s;
    state.warm += s->touched * s->piece;
}

static void empty_remove_locked(struct span *s)
{
    *(s->older ? &s->older->newer : &oldest) = s->newer;
    *(s->newer ? &s->newer->older : &newest) = s->older;
    state.warm -= s->touched * s->piece;
}

// ---- Regions ----

static struct region *region_make(size_t bytes, size_t guard)
{
    size_t units = bytes / UNIT;
    struct region *r = weft_zalloc(sizeof *r + units * sizeof r->span_of[0]);
    if (!r)
        return NULL;
    unsigned char *map =
        mmap(NULL, bytes + 2 * guard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED) {
        weft_free(r);
        return NULL;
    }
    r->base = map + guard;
    r->guard = guard;
    r->units = units;
    return r;
}

// Less if much can't be had. NULL: not even `bytes`.
static struct region *region_add_locked(size_t bytes)
{
    bool scarce = weft_addresses_are_scarce();
    size_t want = REGION_MOST;
    if (scarce && state.regions < 11)
        want = REGION_SCARCE << state.regions;
    struct region *r = NULL;
    for (;; want /= 4) {
        want = want < bytes ? bytes : want;
        r = region_make(want, scarce ? UNIT : WEFT_GUARD);
        if (r || want == bytes)
            break;
        scarce = true;
    }
    if (r) {
        r->next = regions;
        regions = r;
        state.regions++;
    }
    return r;
}

// Whoever holds a piece may ask.
static struct region *region_of_locked(const void *p)
{
    struct region *r = regions;
    while (r && (uintptr_t)p - (uintptr_t)r->base >= r->units * UNIT)
        r = r->next;
    return r;
}

// The first run of free units; r->units: there is none.
static size_t find_run_locked(struct region *r, size_t units)
{
    size_t run = 0;
    while (r->from < r->units && r->span_of[r->from])
        r->from += r->span_of[r->from]->units;
    for (size_t i = r->from; i < r->units;) {
        run = r->span_of[i] ? 0 : run + 1;
        i += r->span_of[i] ? r->span_of[i]->units : 1;
        if (run == units)
            return i - units;
    }
    return r->units;
}

static struct region *find_region_locked(size_t units, size_t *first)
{
    for (struct region *r = regions; r; r = r->next)
        if ((*first = find_run_locked(r, units)) < r->units)
            return r;
    return NULL;
}

// ---- Spans ----

// An empty one goes back to the system. Where that refuses, what is left accessible is so until it is used again.
static void give_back_locked(struct span *s)
{
    struct region *r = s->region;
    size_t bytes = s->units * UNIT, first = (size_t)(s->base - r->base) / UNIT;
    empty_remove_locked(s);
    list_remove_locked(s);
    (void)madvise(s->base, bytes, MADV_DONTNEED);
    (void)mprotect(s->base, bytes, PROT_NONE);
    memset(&r->span_of[first], 0, s->units * sizeof r->span_of[0]);
    if (first < r->from)
        r->from = first;
    state.spans--;
    weft_free(s);
}

static struct span *span_make_locked(uint32_t size, size_t piece)
{
    size_t bytes = span_bytes(piece), units = bytes / UNIT, pieces = bytes / piece, first = 0;
    struct region *r = find_region_locked(units, &first);
    if (!r && oldest) { // before more addresses are taken
        while (oldest)
            give_back_locked(oldest);
        r = find_region_locked(units, &first);
    }
    if (!r)
        r = region_add_locked(bytes);
    struct span *s = r ? weft_zalloc(sizeof *s + pieces * sizeof s->free[0]) : NULL;
    if (!s)
        return NULL;
    s->region = r;
    s->base = r->base + first * UNIT;
    s->size = size;
    s->piece = piece;
    s->units = (uint32_t)units;
    s->pieces = (uint32_t)pieces;
    if (mprotect(s->base, bytes, PROT_READ | PROT_WRITE) != 0) {
        weft_free(s);
        return NULL;
    }
    POISON(s->base, bytes);
    for (size_t i = 0; i < units; i++)
        r->span_of[first + i] = s;
    state.spans++;
    list_add_locked(s, true);
    empty_add_locked(s);
    return s;
}

// ---- Pieces ----

void *weft_arena_alloc(size_t size)
{
    if (weft_alloc_fails())
        return NULL;
    size_t piece;
    uint32_t n = size_of(size, &piece);
    void *p = NULL;
    pthread_mutex_lock(&lock);
    struct span *s = by_size[n].first;
    if (WEFT_UNLIKELY(!s))
        s = span_make_locked(n, piece);
    if (s) {
        if (s->used++ == 0)
            empty_remove_locked(s);
        uint32_t i = s->free_count ? s->free[--s->free_count] : s->touched++;
        p = s->base + i * piece;
        if (s->used == s->pieces)
            list_remove_locked(s);
        state.pieces++;
    }
    pthread_mutex_unlock(&lock);
    if (p)
        UNPOISON(p, size);
    return p;
}

void weft_arena_free(void *p)
{
    pthread_mutex_lock(&lock);
    struct region *r = region_of_locked(p);
    struct span *s = r->span_of[(size_t)((unsigned char *)p - r->base) / UNIT];
    POISON(p, s->piece);
    s->free[s->free_count++] = (uint16_t)((size_t)((unsigned char *)p - s->base) / s->piece);
    if (s->used-- == s->pieces)
        list_add_locked(s, true);
    if (s->used == 0) {
        list_remove_locked(s);
        list_add_locked(s, false);
        empty_add_locked(s);
        while (WEFT_UNLIKELY(state.warm > WARM_MOST))
            give_back_locked(oldest);
    }
    state.pieces--;
    pthread_mutex_unlock(&lock);
}

void weft_arena_look(struct weft_arena_state *out)
{
    pthread_mutex_lock(&lock);
    *out = state;
    pthread_mutex_unlock(&lock);
}

// At unload, when no object is left that has storage. When one is, this is the exit of a process, or threads may still use it.
// Behind free_pools of object.c.
__attribute__((destructor(150))) static void free_regions(void)
{
    if (!weft_process_is_known())
        return;
    pthread_mutex_lock(&lock);
    if (state.pieces == 0) {
        while (oldest)
            give_back_locked(oldest);
        while (regions) {
            struct region *r = regions;
            regions = r->next;
            UNPOISON(r->base, r->units * UNIT);
            munmap(r->base - r->guard, r->units * UNIT + 2 * r->guard);
            weft_free(r);
        }
        state.regions = 0;
    }
    pthread_mutex_unlock(&lock);
}
