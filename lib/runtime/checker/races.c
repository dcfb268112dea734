// Which work-item touched which bytes last. Each four bytes of memory that checked kernels touch have a cell:
// the last write, and the last read. Where an access touches less than four bytes, its page gets a cell for
// each byte. Cells are never freed: what they say of earlier launches doesn't matter.
//
// Two accesses are in order if one work-item does both, or if a barrier of their work-group is between them.
// Of two launches the one that is enqueued later is taken to run later.
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "base/arch/arch.h"
#include "base/base.h"
#include "runtime/checker/races.h"

enum { PAGE_BITS = 12, LEAF_BITS = 18, ADDRESS_BITS = 47, WORD = 4, PAGE = 1 << PAGE_BITS };
enum { ROOT = 1 << (ADDRESS_BITS - PAGE_BITS - LEAF_BITS), LEAF = 1 << LEAF_BITS };

struct cell {
    struct weft_touch write, read[2];
    struct weft_touch same; // the last write of what was there already
};

// Zeros: nobody has touched it.
struct page {
    atomic_bool locked;
    bool by_bytes;      // else by words
    struct cell *cells; // NULL: none yet
};

static struct page *_Atomic root[ROOT];

void weft_checker_forget_touches(void)
{
    memset((void *)root, 0, sizeof root);
}

static void *map_zeros(size_t bytes)
{
    if (weft_alloc_fails())
        return NULL;
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

static struct page *page_of(uint64_t address)
{
    const uint64_t number = address >> PAGE_BITS;
    if (number >> LEAF_BITS >= ROOT)
        return NULL;
    struct page *_Atomic *branch = &root[number >> LEAF_BITS], *leaf;
    // acquire: pairs with the exchange below.
    leaf = atomic_load_explicit(branch, memory_order_acquire);
    if (!leaf) {
        struct page *made = map_zeros(LEAF * sizeof *made);
        if (!made)
            return NULL;
        if (atomic_compare_exchange_strong(branch, &leaf, made))
            leaf = made;
        else
            munmap(made, LEAF * sizeof *made);
    }
    return &leaf[number & (LEAF - 1)];
}

static void lock(struct page *p)
{
    while (atomic_exchange_explicit(&p->locked, true, memory_order_acquire))
        weft_arch_relax();
}

static void unlock(struct page *p)
{
    atomic_store_explicit(&p->locked, false, memory_order_release);
}

// Makes cells, of bytes if an access begins or ends within a word. False: no memory.
static bool has_cells_locked(struct page *p, bool bytes)
{
    if (!p->cells) {
        p->by_bytes = bytes;
        p->cells = map_zeros((bytes ? PAGE : PAGE / WORD) * sizeof *p->cells);
    } else if (bytes && !p->by_bytes) {
        struct cell *split = map_zeros(PAGE * sizeof *split);
        if (!split)
            return false;
        for (unsigned i = 0; i < PAGE; i++)
            split[i] = p->cells[i / WORD];
        munmap(p->cells, PAGE / WORD * sizeof *p->cells);
        p->cells = split;
        p->by_bytes = true;
    }
    return p->cells != NULL;
}

static bool is_unordered(const struct weft_toucher *who, const struct weft_touch *old)
{
    if (!old->site || old->launch != who->now.launch || old->item == who->now.item)
        return false;
    if (old->how & who->now.how & WEFT_ACCESS_ATOMIC)
        return false;
    if (who->is_same_group(who->context, old->item))
        return old->phase == who->now.phase;
    return !who->is_local && !(who->now.how & WEFT_ACCESS_ORDERED);
}

// Of a cell's readers two suffice: one of them isn't the one who writes next.
static void note_read(struct cell *c, const struct weft_touch *now)
{
    struct weft_touch *first = &c->read[0], *second = &c->read[1];
    if (first->site && first->launch == now->launch && first->item != now->item)
        *second = *first;
    else if (first->launch != now->launch)
        second->site = NULL;
    *first = *now;
}

// A write of what is there already changes nothing for those who write the same, and read it then. It matters
// to who writes something else: which of both comes last decides.
static void note_same(const struct weft_toucher *who, struct cell *c)
{
    if (!is_unordered(who, &c->write))
        c->write = who->now;
    c->same = who->now;
}

// Has the work-item itself written what is there?
static bool knows(const struct weft_toucher *who, const struct cell *c)
{
    return c->same.site && c->same.launch == who->now.launch && c->same.item == who->now.item &&
           c->same.phase == who->now.phase;
}

// Returns true with *with set if the access isn't in order with an earlier one.
static bool touch_cell(const struct weft_toucher *who, struct cell *c, struct weft_touch *with)
{
    if (who->now.how & WEFT_ACCESS_SAME) {
        note_same(who, c);
        return false;
    }
    const bool writes = who->now.how & WEFT_ACCESS_WRITE;
    const bool matters = writes || !knows(who, c);
    const struct weft_touch *other = matters && is_unordered(who, &c->write)    ? &c->write
                                     : writes && is_unordered(who, &c->read[0]) ? &c->read[0]
                                     : writes && is_unordered(who, &c->read[1]) ? &c->read[1]
                                                                                : NULL;
    if (other)
        *with = *other;
    if (writes)
        c->write = who->now;
    if (who->now.how & WEFT_ACCESS_READ)
        note_read(c, &who->now);
    return other != NULL;
}

bool weft_checker_touch(const struct weft_toucher *who, uint64_t address, uint64_t size,
                        struct weft_touch *with)
{
    bool found = false;
    while (size) {
        const uint64_t offset = address & (PAGE - 1), n = size < PAGE - offset ? size : PAGE - offset;
        struct page *p = page_of(address);
        if (!p)
            return found;
        lock(p);
        const bool ok = has_cells_locked(p, (offset | n) % WORD != 0);
        const uint64_t unit = ok && p->by_bytes ? 1 : WORD;
        for (uint64_t i = offset / unit; ok && i < (offset + n) / unit; i++) {
            struct weft_touch other;
            if (touch_cell(who, &p->cells[i], &other) && !found) {
                *with = other;
                found = true;
            }
        }
        unlock(p);
        address += n;
        size -= n;
    }
    return found;
}
