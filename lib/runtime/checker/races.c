// Cells (weft/races.h), and the rules by which two accesses are in order: one work-item does both, or a
// barrier of their work-group is between them, or they are of launches that are in order (order.h). Cells are
// never cleared: an older stamp than the launch's first one says nothing.
//
// A cell has the last write and one reader, with flags for other readers: a write isn't in order with any
// reader but its own work-item, so it suffices to know that there is another one. Who that is, for the
// report, and the last write of what was there already, are beside the cells, where only rare accesses look.
#include "runtime/checker/races.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "base/base.h"

_Static_assert(2 * WEFT_RACE_ITEM_BITS <= WEFT_RACE_EPOCH_SHIFT, "two items fit below an epoch");
enum {
    ROOT = 1 << (WEFT_RACE_ADDRESS_BITS - WEFT_RACE_LEAF_BITS),
    LEAF = 1 << WEFT_RACE_LEAF_BITS,
    OTHERS_NEAR = WEFT_RACE_NEAR | WEFT_RACE_NEAR_ATOMIC,
    OTHERS_FAR = WEFT_RACE_FAR | WEFT_RACE_FAR_ATOMIC,
    FLAGS = WEFT_RACE_ATOMIC | OTHERS_NEAR | OTHERS_FAR,
    HOW = 255
};

// Behind the cells of a leaf, one for each of them.
struct beside {
    // Who wrote what was there already, in the last phase in which somebody did: its stamp without an item,
    // place and flags, with the first and the last item in the low bits.
    uint64_t same;
    uint64_t reader; // another reader than the cell's
};

static struct weft_race_cell **roots[WEFT_RACE_GRANULES];
// Without a leaf: code that is compared with other launches finds no cells, and asks for each access.
static struct weft_race_cell **no_cells;

static void *map_zeros(size_t bytes)
{
    if (weft_alloc_fails())
        return NULL;
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

static void make_roots(void)
{
    // release: pairs with the load of weft_race_forget, which may run before anybody has searched for races.
    for (unsigned k = 0; k < WEFT_RACE_GRANULES; k++)
        __atomic_store_n(&roots[k], map_zeros(ROOT * sizeof *roots[k]), __ATOMIC_RELEASE);
    no_cells = map_zeros(ROOT * sizeof *no_cells);
}

// ---- epochs ----

enum { MOST_TAKEN = 8192, FIRST_TAKEN = 64 };

// Stops the search: all stamps are older than this one.
static void stop(struct weft_race_run *r)
{
    r->view.first = r->view.group = r->view.now = UINT64_MAX;
}

static bool take_epochs(struct weft_race_run *r)
{
    static _Atomic uint64_t next = 1;
    if (r->taken_count == r->taken_capacity) {
        const uint32_t capacity = r->taken_capacity ? 2 * r->taken_capacity : 8;
        struct weft_race_epochs *larger = weft_realloc(r->taken, capacity * sizeof *larger);
        if (!larger)
            return false;
        r->taken = larger;
        r->taken_capacity = capacity;
    }
    const uint32_t doubled = r->taken_count < 8 ? (uint32_t)FIRST_TAKEN << r->taken_count : MOST_TAKEN;
    struct weft_race_epochs e = {.count = doubled < MOST_TAKEN ? doubled : MOST_TAKEN};
    e.groups = weft_alloc_array(e.count, sizeof *e.groups);
    if (!e.groups)
        return false;
    // relaxed: only the numbers matter.
    e.first = atomic_fetch_add_explicit(&next, e.count, memory_order_relaxed);
    if (e.first >> (64 - WEFT_RACE_EPOCH_SHIFT - 1)) {
        weft_log(WEFT_LOG_ERROR,
                 "check: too many barriers and work-groups: races aren't looked for any more");
        weft_free(e.groups);
        return false;
    }
    r->taken[r->taken_count++] = e;
    return true;
}

static void advance(struct weft_race_run *r, uint64_t group)
{
    struct weft_race_epochs *e = r->taken_count ? &r->taken[r->taken_count - 1] : NULL;
    if (r->view.first == UINT64_MAX)
        return;
    if (!e || e->used == e->count) {
        if (!take_epochs(r)) {
            stop(r);
            return;
        }
        e = &r->taken[r->taken_count - 1];
    }
    r->view.now = (e->first + e->used) << WEFT_RACE_EPOCH_SHIFT;
    e->groups[e->used++] = group;
}

struct weft_race_run *weft_race_begin(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_roots);
    struct weft_race_run *r = weft_zalloc(sizeof *r);
    if (!r)
        return NULL;
    bool there = no_cells != NULL;
    for (unsigned k = 0; k < WEFT_RACE_GRANULES; k++)
        there &= roots[k] != NULL;
    memcpy(r->view.leaves, roots, sizeof roots);
    if (there)
        return r;
    weft_free(r);
    return NULL;
}

void weft_race_past_free(struct weft_race_past *p)
{
    for (uint32_t i = 0; i < p->taken_count; i++)
        weft_free(p->taken[i].groups);
    weft_free(p->taken);
    *p = (struct weft_race_past){0};
}

void weft_race_take_past(struct weft_race_run *r, struct weft_race_past *out)
{
    *out = (struct weft_race_past){r->taken, r->taken_count};
    r->taken = NULL;
    r->taken_count = r->taken_capacity = 0;
}

void weft_race_end(struct weft_race_run *r)
{
    weft_race_past_free(&(struct weft_race_past){r->taken, r->taken_count});
    weft_free(r->others);
    weft_free(r);
}

void weft_race_compare(struct weft_race_run *r, const struct weft_race_past **others, uint32_t count)
{
    r->compares = true;
    r->others = others;
    r->other_count = count;
    for (unsigned k = 0; k < WEFT_RACE_GRANULES; k++)
        r->view.leaves[k] = no_cells;
}

void weft_race_begin_group(struct weft_race_run *r, uint64_t group)
{
    advance(r, group);
    r->view.group = r->view.now;
    if (!r->view.first)
        r->view.first = r->view.now;
}

void weft_race_pass_barrier(struct weft_race_run *r)
{
    uint64_t group;
    if (weft_race_group_of(r, r->view.now, &group))
        advance(r, group);
}

static bool find_group(const struct weft_race_epochs *taken, uint32_t count, uint64_t stamp, uint64_t *group)
{
    const uint64_t epoch = stamp >> WEFT_RACE_EPOCH_SHIFT;
    for (uint32_t i = count; i-- > 0;)
        if (epoch - taken[i].first < taken[i].used) {
            *group = taken[i].groups[epoch - taken[i].first];
            return true;
        }
    return false;
}

bool weft_race_group_of(const struct weft_race_run *r, uint64_t stamp, uint64_t *group)
{
    return find_group(r->taken, r->taken_count, stamp, group);
}

const struct weft_race_past *weft_race_past_of(const struct weft_race_run *r, uint64_t stamp, uint64_t *group)
{
    for (uint32_t i = 0; i < r->other_count; i++)
        if (find_group(r->others[i]->taken, r->others[i]->taken_count, stamp, group))
            return r->others[i];
    return NULL;
}

// ---- order ----

enum order {
    NOBODY,  // or it is over
    OWN,     // the work-item itself, in this phase
    EARLIER, // its work-group, before a barrier
    NEAR,    // another work-item, in the same phase of the work-group
    FAR      // a work-item of another work-group, or of another launch
};

// Who touches.
struct toucher {
    const struct weft_race_run *run;
    uint64_t stamp; // without flags
    uint64_t first; // older stamps don't matter
    uint32_t how;   // WEFT_ACCESS_*
    bool same;      // a store of what is there already
};

static enum order order_of(const struct toucher *t, uint64_t stamp)
{
    uint64_t group;
    if (stamp < t->first)
        return NOBODY;
    if ((stamp ^ t->stamp) >> WEFT_RACE_ITEM_SHIFT == 0)
        return OWN;
    if ((stamp ^ t->stamp) >> WEFT_RACE_EPOCH_SHIFT == 0)
        return NEAR;
    if (!weft_race_group_of(t->run, stamp, &group))
        return weft_race_past_of(t->run, stamp, &group) ? FAR : NOBODY;
    return stamp >= t->run->view.group ? EARLIER : FAR;
}

static bool is_unordered(enum order o)
{
    return o == NEAR || o == FAR;
}

// The flags that say something of readers who aren't in order with an access, if that of the cell's reader is
// `o`. Of an older phase only those of other work-groups do.
static uint64_t others(enum order o, uint64_t read)
{
    return o == NOBODY ? 0 : o == EARLIER ? read & OTHERS_FAR : read & (OTHERS_FAR | OTHERS_NEAR);
}

// Of the other readers one is known. A reader of another work-group is told of rather than one of this group:
// it stays one that isn't in order, whatever barriers come.
static void note_near(const struct toucher *t, const struct weft_race_cell *c, struct beside *b,
                      uint64_t reader)
{
    if ((c->read & OTHERS_FAR) != WEFT_RACE_FAR || order_of(t, b->reader) != FAR)
        b->reader = reader;
}

static void note_read(const struct toucher *t, struct weft_race_cell *c, struct beside *b)
{
    const enum order o = order_of(t, c->read);
    const bool atomic = t->how & WEFT_ACCESS_ATOMIC, was = c->read & WEFT_RACE_ATOMIC;
    const uint64_t now = t->stamp | (atomic ? WEFT_RACE_ATOMIC : 0);
    const uint64_t far = was ? WEFT_RACE_FAR_ATOMIC : WEFT_RACE_FAR;
    switch (o) {
    case NOBODY:
    case EARLIER:
        c->read = now | others(o, c->read);
        break;
    case OWN: // a plain read says more
        if (was && !atomic)
            c->read = now | others(o, c->read);
        break;
    case NEAR:
        if (was && !atomic) {
            note_near(t, c, b, c->read);
            c->read = now | others(o, c->read) | WEFT_RACE_NEAR_ATOMIC;
        } else {
            note_near(t, c, b, now);
            c->read |= atomic ? WEFT_RACE_NEAR_ATOMIC : WEFT_RACE_NEAR;
        }
        break;
    case FAR:
        if ((c->read & far) && was == atomic)
            break;
        b->reader = c->read;
        c->read = now | (c->read & OTHERS_FAR) | far;
    }
}

// Returns whether a write isn't in order with readers.
static bool is_read(const struct toucher *t, const struct weft_race_cell *c, const struct beside *b,
                    uint64_t *with)
{
    const enum order o = order_of(t, c->read);
    const bool atomic = t->how & WEFT_ACCESS_ATOMIC;
    if (is_unordered(o) && !(atomic && (c->read & WEFT_RACE_ATOMIC))) {
        *with = c->read;
        return true;
    }
    const uint64_t plain = WEFT_RACE_NEAR | WEFT_RACE_FAR;
    if (!(others(o, c->read) & (atomic ? plain : plain | OTHERS_NEAR | OTHERS_FAR)))
        return false;
    *with = is_unordered(order_of(t, b->reader)) ? b->reader : 0;
    return true;
}

static void note_same(const struct toucher *t, struct beside *b)
{
    const uint64_t item = weft_race_item_of(t->stamp), mask = (1u << WEFT_RACE_ITEM_BITS) - 1;
    uint64_t first = item, last = item;
    if ((b->same ^ t->stamp) >> WEFT_RACE_EPOCH_SHIFT == 0) {
        const uint64_t from = b->same >> WEFT_RACE_ITEM_BITS & mask, to = b->same & mask;
        first = from < item ? from : item;
        last = to > item ? to : item;
    }
    b->same =
        (t->stamp >> WEFT_RACE_EPOCH_SHIFT << WEFT_RACE_EPOCH_SHIFT) | first << WEFT_RACE_ITEM_BITS | last;
}

// Has the work-item itself written what is there? Lanes that run together all write before one of them reads:
// they are neighbours, so who is between two that wrote is taken to have written, too.
static bool knows(const struct toucher *t, const struct beside *b)
{
    const uint64_t item = weft_race_item_of(t->stamp), mask = (1u << WEFT_RACE_ITEM_BITS) - 1;
    return (b->same ^ t->stamp) >> WEFT_RACE_EPOCH_SHIFT == 0 &&
           (b->same >> WEFT_RACE_ITEM_BITS & mask) <= item && item <= (b->same & mask);
}

// A write of what is there already changes nothing for those who write the same, and read it then. It matters
// to who writes something else: which of both comes last decides.
static bool touch_cell(const struct toucher *t, struct weft_race_cell *c, struct beside *b, uint64_t *with)
{
    const enum order o = order_of(t, c->write);
    const bool atomic = t->how & WEFT_ACCESS_ATOMIC, writes = t->how & WEFT_ACCESS_WRITE;
    if (t->same) {
        if (is_unordered(o))
            note_same(t, b);
        else
            c->write = t->stamp;
        return false;
    }
    bool found = is_unordered(o) && !(atomic && (c->write & WEFT_RACE_ATOMIC)) && (writes || !knows(t, b));
    if (found)
        *with = c->write;
    if (!writes) {
        note_read(t, c, b);
        return found;
    }
    found = found || is_read(t, c, b, with);
    // A plain write of the same work-item says more than an atomic one.
    if (!(atomic && o == OWN && !(c->write & WEFT_RACE_ATOMIC)))
        c->write = t->stamp | (atomic ? WEFT_RACE_ATOMIC : 0);
    return found;
}

// ---- cells ----

static struct weft_race_cell *leaf_of(uint64_t address, unsigned granule)
{
    if (address >> WEFT_RACE_ADDRESS_BITS)
        return NULL;
    struct weft_race_cell **at = &roots[granule][address >> WEFT_RACE_LEAF_BITS];
    // acquire: pairs with the exchange below.
    struct weft_race_cell *leaf = __atomic_load_n(at, __ATOMIC_ACQUIRE);
    if (leaf)
        return leaf;
    const size_t bytes = ((size_t)LEAF >> granule) * (sizeof *leaf + sizeof(struct beside));
    struct weft_race_cell *made = map_zeros(bytes);
    if (!made)
        return NULL;
    if (__atomic_compare_exchange_n(at, &leaf, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return made;
    munmap(made, bytes);
    return leaf;
}

void weft_race_forget(const void *first, size_t size)
{
    struct weft_race_cell **const leaves = __atomic_load_n(&roots[0], __ATOMIC_ACQUIRE);
    if (!leaves)
        return;
    for (uint64_t at = (uintptr_t)first, end = at + size; at < end;) {
        const uint64_t offset = at & (LEAF - 1), n = end - at < LEAF - offset ? end - at : LEAF - offset;
        struct weft_race_cell *leaf =
            at >> WEFT_RACE_ADDRESS_BITS
                ? NULL
                : __atomic_load_n(&leaves[at >> WEFT_RACE_LEAF_BITS], __ATOMIC_ACQUIRE);
        if (leaf)
            memset(leaf + offset, 0, n * sizeof *leaf);
        at += n;
    }
}

// Is it plain that the access is in order with all others, and that only its own stamp is to be noted?
static inline bool is_plain(const struct weft_race_view *v, const struct toucher *t, struct weft_race_cell *c)
{
    const uint64_t w = c->write, r = c->read, phases = v->now - v->group;
    const bool own_write = (w ^ t->stamp) >> WEFT_RACE_ITEM_SHIFT == 0;
    if (!(w < t->first || own_write || w - v->group < phases) || (t->how & WEFT_ACCESS_ATOMIC))
        return false;
    const bool own = (r ^ t->stamp) >> WEFT_RACE_ITEM_SHIFT == 0, earlier = r - v->group < phases;
    if (t->how & WEFT_ACCESS_WRITE) {
        if (!(r < t->first || (own && !(r & FLAGS)) || (earlier && !(r & OTHERS_FAR))))
            return false;
        c->write = t->stamp;
        return true;
    }
    if (r & WEFT_RACE_ATOMIC)
        return false;
    if (r < t->first || (earlier && !(r & OTHERS_FAR)))
        c->read = t->stamp;
    else if (!own && !(r & WEFT_RACE_FAR) &&
             !((r & WEFT_RACE_NEAR) && (r ^ t->stamp) >> WEFT_RACE_EPOCH_SHIFT == 0))
        return false;
    return true;
}

bool weft_race_touch(struct weft_race_run *r, const struct weft_touch *touch, uint64_t *with)
{
    const struct weft_race_view *v = &r->view;
    const unsigned granule = r->compares ? 0 : touch->what >> 8 & 15;
    struct toucher t = {.run = r, .how = touch->what & HOW};
    const uint64_t number = touch->what >> 16,
                   place = number < WEFT_RACE_PLACES ? number : WEFT_RACE_PLACES - 1;
    t.stamp = v->now | (uint64_t)touch->item << WEFT_RACE_ITEM_SHIFT | place << WEFT_RACE_FLAG_BITS;
    const bool near = t.how & (WEFT_ACCESS_LOCAL | WEFT_ACCESS_ORDERED);
    t.first = near ? v->group : r->other_count ? 1 : v->first;
    bool found = false;
    // What isn't aligned as its type demands is none of this.
    if ((touch->address | touch->size) & ((1u << granule) - 1))
        return false;
    for (uint64_t at = 0; at < touch->size; at += 1u << granule) {
        const uint64_t address = touch->address + at, index = (address & (LEAF - 1)) >> granule;
        struct weft_race_cell *leaf = leaf_of(address, granule);
        if (!leaf)
            return found;
        if (is_plain(v, &t, &leaf[index]))
            continue;
        struct beside *b = (struct beside *)(void *)(leaf + ((size_t)LEAF >> granule)) + index;
        uint64_t other;
        // NOLINTNEXTLINE(performance-no-int-to-ptr)
        t.same =
            touch->value && memcmp((const void *)(uintptr_t)touch->address, touch->value, touch->size) == 0;
        if (touch_cell(&t, &leaf[index], b, &other) && !found) {
            *with = other;
            found = true;
        }
    }
    return found;
}
