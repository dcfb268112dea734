// The arena for small storage of kernels (ADR 24). It consists of regions: ranges of addresses with guards at
// both ends, in which only memory that has been used is accessible. A span is a run of units of a region, cut
// into pieces of one size. All bookkeeping lies on the heap, which kernels can't reach from here.
//
// A span without used pieces stays warm: it keeps its pages for reuse. If there are more than MAX_WARM bytes
// of such spans, the oldest one returns its pages to the system and its units to its region. A region without
// spans returns its addresses.
//
// One lock guards everything. A fork waits for it, so the child has consistent lists. The lock may be held
// while memory is taken from the heap or the system, but no other lock of Weft is taken under it.
#include "runtime/memory/guarded_arena.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "base/base.h"
#include "runtime/memory/poison.h"

#define UNIT ((size_t)64 << 10)
// Sizes of regions. Each region is twice as large as the one before, up to MAX_REGION. The first has
// REGION_FIRST bytes, or REGION_SCARCE where addresses are limited (RLIMIT_AS).
#define REGION_FIRST ((size_t)64 << 20)
#define REGION_SCARCE ((size_t)2 << 20)
#define MAX_REGION ((size_t)4 << 30)
#define MAX_WARM ((size_t)64 << 20) // bytes of unused spans that are kept
#define SPAN_BYTES ((size_t)256 << 10)
// Larger pieces have a span of their own, whose pages can be returned independently of others.
#define MAX_SHARED (SPAN_BYTES / 8)

// Sizes of pieces: four multiples of 128 bytes, then four steps in each doubling. Small pieces have at least
// DISTANCE bytes of padding, because some programs write a few work-items' worth beyond the end of a buffer
// and would change the next one (Piglit has such a test).
enum { DISTANCE = 64, FIRST_SHIFT = 9, LAST_SHIFT = 20, SIZES = 4 + 4 * (LAST_SHIFT - FIRST_SHIFT + 1) };
_Static_assert((int)SIZES == (int)WEFT_ARENA_SIZES, "as the header says");

struct span {
    // The list of its size, while it has a free piece. Spans with used pieces come before empty ones.
    struct span *next, *prev;
    struct span *newer, *older; // the list of empty spans of all sizes, while it is empty
    struct region *region;
    unsigned char *base;
    size_t piece; // size in bytes
    uint32_t size, units, pieces;
    uint32_t touched; // number of pieces that were ever used: the first ones
    uint32_t used;
    uint32_t max_size; // bytes that may have been written of any of its pieces: the first ones
    uint32_t free_count;
    uint16_t free[]; // free pieces among the touched ones; the last freed comes last
};

struct unit {
    struct span *span; // the span that has it; NULL: free
    uint32_t run;      // length of its run of free units; valid at the run's first and last unit
    // At the first unit of a run: the other runs of its bin. NONE: no further one.
    uint32_t next, prev;
};
#define NONE UINT32_MAX

// Runs of free units are found by their length. Bin b has runs of b + 1 units; the last bin has all longer
// ones, too. BINS units are the maximum that a span needs.
enum { BINS = 32 };
_Static_assert(BINS *UNIT > WEFT_ARENA_MAX, "any run of the last bin holds any span");

struct region {
    struct region *next;
    unsigned char *base;
    size_t guard;
    uint32_t units, used;
    // The number of units that have been used and are therefore accessible: the first ones. Units after them
    // are in no bin.
    uint32_t open;
    uint32_t full; // bit b: bin[b] has runs
    uint32_t bin[BINS];
    struct unit unit[];
};

struct list {
    struct span *first, *last;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct region *regions;       // the newest comes first
static struct list by_size[SIZES];   // spans with free pieces
static struct span *oldest, *newest; // list of empty spans
static struct weft_arena_state state;

static void fork_prepare(void)
{
    pthread_mutex_lock(&lock);
}

static void fork_done(void)
{
    pthread_mutex_unlock(&lock);
}

// Registered early. Prepare handlers run in reverse order, so this one runs last, when fork already holds the
// locks under which others take this lock.
__attribute__((constructor(102))) static void know_forks(void)
{
    weft_at_fork(fork_prepare, fork_done, fork_done);
}

// ---- Sizes ----

uint32_t weft_arena_size_of(size_t bytes, size_t *piece)
{
    bytes += bytes <= (size_t)1 << FIRST_SHIFT ? DISTANCE : 0;
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

static size_t span_bytes(size_t piece)
{
    return piece <= MAX_SHARED ? SPAN_BYTES : (piece + UNIT - 1) & ~(UNIT - 1);
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

// ---- Runs of free units ----

static uint32_t bin_of(uint32_t units)
{
    return (units < BINS ? units : BINS) - 1;
}

static void run_add_locked(struct region *r, uint32_t first, uint32_t units)
{
    uint32_t b = bin_of(units), head = r->full >> b & 1 ? r->bin[b] : NONE;
    r->unit[first].run = r->unit[first + units - 1].run = units;
    r->unit[first].next = head;
    r->unit[first].prev = NONE;
    if (head != NONE)
        r->unit[head].prev = first;
    r->bin[b] = first;
    r->full |= UINT32_C(1) << b;
}

static void run_remove_locked(struct region *r, uint32_t first)
{
    struct unit *u = &r->unit[first];
    uint32_t b = bin_of(u->run);
    if (u->next != NONE)
        r->unit[u->next].prev = u->prev;
    if (u->prev != NONE)
        r->unit[u->prev].next = u->next;
    else if (u->next != NONE)
        r->bin[b] = u->next;
    else
        r->full &= ~(UINT32_C(1) << b);
}

// Takes a run of `units` units, 1 to BINS. False: there is none.
static bool run_take_locked(struct region *r, uint32_t units, uint32_t *first)
{
    uint32_t fit = r->full & UINT32_MAX << (units - 1);
    if (!fit)
        return false;
    *first = r->bin[__builtin_ctz(fit)];
    uint32_t run = r->unit[*first].run;
    run_remove_locked(r, *first);
    if (run > units)
        run_add_locked(r, *first + units, run - units);
    return true;
}

// Frees a run and merges it with free neighbours.
static void run_free_locked(struct region *r, uint32_t first, uint32_t units)
{
    if (first > 0 && !r->unit[first - 1].span) {
        uint32_t before = r->unit[first - 1].run;
        first -= before;
        units += before;
        run_remove_locked(r, first);
    }
    if (first + units < r->open && !r->unit[first + units].span) {
        uint32_t after = r->unit[first + units].run;
        run_remove_locked(r, first + units);
        units += after;
    }
    run_add_locked(r, first, units);
}

// ---- Regions ----

void weft_make_read_margin(void *at, size_t guard)
{
    if (guard >= WEFT_READ_MARGIN)
        mprotect(at, WEFT_READ_MARGIN, PROT_READ); // if it fails, a stray load ends the command
}

static struct region *region_make(size_t bytes, size_t guard)
{
    size_t units = bytes / UNIT;
    struct region *r = weft_zalloc(sizeof *r + units * sizeof r->unit[0]);
    if (!r)
        return NULL;
    unsigned char *map =
        mmap(NULL, bytes + 2 * guard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED) {
        weft_free(r);
        return NULL;
    }
    weft_no_dump(map, guard);
    weft_no_dump(map + guard + bytes, guard);
    r->base = map + guard;
    weft_make_read_margin(r->base - WEFT_READ_MARGIN, guard);
    r->guard = guard;
    r->units = (uint32_t)units;
    return r;
}

// Adds a region. If a large one can't be had, adds a smaller one. NULL: not even `bytes` are available.
static struct region *region_add_locked(size_t bytes)
{
    bool scarce = weft_addresses_are_scarce();
    size_t first = scarce ? REGION_SCARCE : REGION_FIRST;
    size_t want =
        state.regions < 11 && first << state.regions < MAX_REGION ? first << state.regions : MAX_REGION;
    struct region *r = region_make(want, scarce ? UNIT : WEFT_GUARD);
    if (!r)
        r = region_make(REGION_SCARCE, UNIT);
    if (!r)
        r = region_make(bytes, UNIT);
    if (r) {
        r->next = regions;
        regions = r;
        state.regions++;
    }
    return r;
}

// Removes a region without spans.
static void region_drop_locked(struct region *r)
{
    struct region **at = &regions;
    while (*at != r)
        at = &(*at)->next;
    *at = r->next;
    state.regions--;
    WEFT_UNPOISON(r->base, r->open * UNIT);
    munmap(r->base - r->guard, r->units * UNIT + 2 * r->guard);
    weft_free(r);
}

// p must be a piece that the caller holds.
static struct region *region_of_locked(const void *p)
{
    struct region *r = regions;
    while ((uintptr_t)p - (uintptr_t)r->base >= r->units * UNIT)
        r = r->next;
    return r;
}

// Makes units accessible that were never used.
static bool open_locked(struct region *r, uint32_t units, uint32_t *first)
{
    if (r->units - r->open < units ||
        mprotect(r->base + r->open * UNIT, units * UNIT, PROT_READ | PROT_WRITE) != 0)
        return false;
    WEFT_POISON(r->base + r->open * UNIT, units * UNIT);
    *first = r->open;
    r->open += units;
    weft_make_read_margin(r->base + r->open * UNIT, r->guard);
    return true;
}

// Prefers units that have been used before, so that few are accessible.
static struct region *find_units_locked(uint32_t units, uint32_t *first)
{
    for (struct region *r = regions; r; r = r->next)
        if (run_take_locked(r, units, first))
            return r;
    for (struct region *r = regions; r; r = r->next)
        if (open_locked(r, units, first))
            return r;
    return NULL;
}

// ---- Spans ----

#ifndef MADV_DONTNEED_LOCKED // Linux 5.18
#define MADV_DONTNEED_LOCKED 24
#endif

// Fills `bytes` bytes of a piece or span that is poisoned with zeros.
static void clear(unsigned char *at, size_t bytes)
{
    WEFT_UNPOISON(at, bytes);
    memset(at, 0, bytes);
    WEFT_POISON(at, bytes);
}

// Returns an empty span: its pages to the system, its units to the region. The region is dropped, too, if
// this was its last span and there is another region. The units stay accessible, because Linux limits the
// number of mappings (vm.max_map_count), and each change of protection adds one.
static void give_back_locked(struct span *s)
{
    struct region *r = s->region;
    size_t bytes = s->units * UNIT;
    uint32_t first = (uint32_t)((size_t)(s->base - r->base) / UNIT);
    empty_remove_locked(s);
    list_remove_locked(s);
    // Memory locked by mlockall needs another request, which older systems don't know.
    if (madvise(s->base, bytes, MADV_DONTNEED) != 0 && madvise(s->base, bytes, MADV_DONTNEED_LOCKED) != 0)
        clear(s->base, bytes);
    for (uint32_t i = 0; i < s->units; i++)
        r->unit[first + i].span = NULL;
    run_free_locked(r, first, s->units);
    r->used -= s->units;
    state.spans--;
    weft_free(s);
    if (r->used == 0 && state.regions > 1)
        region_drop_locked(r);
}

static void trim_locked(void)
{
    while (oldest)
        give_back_locked(oldest);
    for (struct region *r = regions, *next; r; r = next) {
        next = r->next;
        if (r->used == 0)
            region_drop_locked(r);
    }
}

void weft_arena_trim(void)
{
    pthread_mutex_lock(&lock);
    trim_locked();
    pthread_mutex_unlock(&lock);
}

static struct region *provide_units_locked(uint32_t units, uint32_t *first)
{
    struct region *r = find_units_locked(units, first);
    if (r)
        return r;
    // Prefer returning unused spans to using more addresses. If no region can be added, drop unused regions
    // and try again.
    while (oldest)
        give_back_locked(oldest);
    if (!(r = find_units_locked(units, first)) && !region_add_locked(units * UNIT)) {
        trim_locked();
        region_add_locked(units * UNIT);
    }
    return r ? r : find_units_locked(units, first);
}

static struct span *span_make_locked(uint32_t size, size_t piece)
{
    size_t bytes = span_bytes(piece), pieces = bytes / piece;
    uint32_t units = (uint32_t)(bytes / UNIT), first;
    struct span *s = weft_zalloc(sizeof *s + pieces * sizeof s->free[0]);
    struct region *r = s ? provide_units_locked(units, &first) : NULL;
    if (!r) {
        weft_free(s);
        return NULL;
    }
    s->region = r;
    s->base = r->base + first * UNIT;
    s->size = size;
    s->piece = piece;
    s->units = units;
    s->pieces = (uint32_t)pieces;
    for (uint32_t i = 0; i < units; i++)
        r->unit[first + i].span = s;
    r->used += units;
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
    uint32_t n = weft_arena_size_of(size, &piece);
    void *p = NULL;
    size_t written = 0; // the first bytes that others may have written
    pthread_mutex_lock(&lock);
    struct span *s = by_size[n].first;
    if (WEFT_UNLIKELY(!s))
        s = span_make_locked(n, piece);
    if (s) {
        if (s->used++ == 0)
            empty_remove_locked(s);
        written = s->free_count ? s->max_size : 0;
        s->max_size = size > s->max_size ? (uint32_t)size : s->max_size;
        uint32_t i = s->free_count ? s->free[--s->free_count] : s->touched++;
        p = s->base + i * piece;
        if (s->used == s->pieces)
            list_remove_locked(s);
        state.pieces++;
    }
    pthread_mutex_unlock(&lock);
    if (p && written)
        clear(p, written);
    if (p)
        WEFT_UNPOISON(p, size);
    return p;
}

static void free_piece(void *p, bool all_written)
{
    pthread_mutex_lock(&lock);
    struct region *r = region_of_locked(p);
    struct span *s = r->unit[(size_t)((unsigned char *)p - r->base) / UNIT].span;
    if (all_written)
        s->max_size = (uint32_t)s->piece;
    WEFT_POISON(p, s->piece);
    s->free[s->free_count++] = (uint16_t)((size_t)((unsigned char *)p - s->base) / s->piece);
    if (s->used-- == s->pieces)
        list_add_locked(s, true);
    if (s->used == 0) {
        list_remove_locked(s);
        list_add_locked(s, false);
        empty_add_locked(s);
        while (WEFT_UNLIKELY(state.warm > MAX_WARM))
            give_back_locked(oldest);
    }
    state.pieces--;
    pthread_mutex_unlock(&lock);
}

void weft_arena_free(void *p)
{
    free_piece(p, false);
}

void weft_arena_free_used(void *p)
{
    free_piece(p, true);
}

void weft_arena_look(struct weft_arena_state *out)
{
    pthread_mutex_lock(&lock);
    *out = state;
    pthread_mutex_unlock(&lock);
}

// At unload, if no object with storage is left. Otherwise the process is exiting with live objects, and
// threads may still use them. Runs after free_pools of core/object.c (destructors with higher priority
// numbers run first).
__attribute__((destructor(150))) static void free_regions(void)
{
    if (!weft_process_is_known())
        return;
    pthread_mutex_lock(&lock);
    if (state.pieces == 0)
        trim_locked();
    pthread_mutex_unlock(&lock);
}
