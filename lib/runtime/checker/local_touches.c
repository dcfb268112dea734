#include "runtime/checker/local_touches.h"

#include <stdbool.h>

#include "base/base.h"
#include "weft/checker.h"

enum { NOBODY = 0, SEVERAL = UINT32_MAX };

// A byte. Work-items are their number plus 1, NOBODY or SEVERAL.
struct cell {
    uint64_t phase;               // of what follows
    uint32_t any, writer, filler; // who touched it; who wrote it; who did so for certain
    bool plain;                   // not all were atomic
    bool filled;                  // it was written for certain, before the last barrier
};

struct weft_local_touches {
    size_t bytes;
    bool apart, filled;
    struct cell cell[];
};

struct weft_local_touches *weft_local_touches_new(size_t bytes)
{
    size_t size;
    if (!weft_mul_size(bytes, sizeof(struct cell), &size) ||
        !weft_add_size(size, sizeof(struct weft_local_touches), &size))
        return NULL;
    struct weft_local_touches *t = weft_zalloc(size);
    if (t)
        *t = (struct weft_local_touches){bytes, true, true};
    return t;
}

void weft_local_touches_free(struct weft_local_touches *t)
{
    weft_free(t);
}

static void join(uint32_t *who, uint32_t item)
{
    *who = *who == NOBODY || *who == item ? item : SEVERAL;
}

static void note(struct weft_local_touches *t, struct cell *c, uint32_t item, uint32_t how, uint64_t phase)
{
    const bool plain = !(how & WEFT_ACCESS_ATOMIC);
    if (c->phase != phase)
        *c = (struct cell){.phase = phase, .filled = c->filled || c->filler};
    if (how & WEFT_ACCESS_READ && !c->filled && c->filler != item)
        t->filled = false;
    const uint32_t other = how & WEFT_ACCESS_WRITE ? c->any : c->writer;
    if (other != NOBODY && other != item && (plain || c->plain))
        t->apart = false;
    join(&c->any, item);
    c->plain |= plain;
    if (how & WEFT_ACCESS_WRITE)
        join(&c->writer, item);
    if (how & WEFT_ACCESS_WRITE && how & WEFT_ACCESS_CERTAIN)
        join(&c->filler, item);
}

void weft_local_touches_note(struct weft_local_touches *t, uint64_t offset, uint64_t size, uint32_t item,
                             uint32_t how, uint64_t phase)
{
    if (offset > t->bytes || size > t->bytes - offset) {
        t->apart = t->filled = false;
        return;
    }
    for (uint64_t k = 0; k < size; k++)
        note(t, &t->cell[offset + k], item + 1, how, phase);
}

uint64_t weft_local_touches_result(const struct weft_local_touches *t)
{
    return WEFT_LOCAL_SEEN | (t->apart ? WEFT_LOCAL_APART : 0) | (t->filled ? WEFT_LOCAL_FILLED : 0);
}
