// Parts of a range: how a thread takes chunks from its own part and from others.
//
// Three levels of bits say where chunks are: a group has a bit for each of its parts, the range one for each
// group, the team one for each range. Each level follows the one below. The thread that makes a part empty,
// or puts chunks into an empty one, makes the group's bit follow, and looks at the part again afterwards.
// If the part has changed meanwhile, it does so again. If the group's bits have become all zero, or have
// been so, it makes the range's bit follow in the same way, and then the team's. So whoever changes a level
// last also brings the levels above up to date, and no other thread can leave an older state there: it
// would look again. range.c says why a thread that is late does no harm.
#include "scheduler/part.h"

#include "weft/trace.h"

// What part p has, according to its word. False: nothing.
static bool chunks_of(const struct weft_range_view *v, uint32_t p, uint64_t span, uint32_t *first,
                      uint32_t *end)
{
    const int32_t later = (int32_t)((uint32_t)(span >> 32) - v->generation);
    *first = later < 0 ? weft_part_begin(p, v->parts, v->chunks) : (uint32_t)(span >> 16) & 0xffff;
    *end = later < 0 ? weft_part_begin(p + 1, v->parts, v->chunks) : (uint32_t)span & 0xffff;
    return later <= 0 && *first < *end;
}

static bool has_chunks(const struct weft_range_view *v, uint32_t p)
{
    uint32_t first, end;
    // Acquire: after a bit was changed, in the order that the head of this file tells.
    return chunks_of(v, p, atomic_load_explicit(&v->range->part[p].span, memory_order_acquire), &first, &end);
}

// Makes the team's bit of the range say whether a group of it is open.
static void update_team(const struct weft_range_view *v)
{
    const uint32_t bit = 1u << v->place;
    bool any;
    do {
        any = atomic_load(&v->range->open) != 0;
        if (any)
            atomic_fetch_or(&v->team->open, bit);
        else
            atomic_fetch_and(&v->team->open, ~bit);
    } while ((atomic_load(&v->range->open) != 0) != any);
}

// Makes the range's bit of group g say whether a part of it is open.
static void update_range(const struct weft_range_view *v, uint32_t g)
{
    const uint64_t bit = UINT64_C(1) << g;
    _Atomic uint64_t *open = &v->range->open;
    bool any;
    do {
        any = atomic_load(&v->range->group[g].open) != 0;
        const uint64_t before = any ? atomic_fetch_or(open, bit) : atomic_fetch_and(open, ~bit);
        if (any ? before == 0 : before == bit)
            update_team(v);
    } while ((atomic_load(&v->range->group[g].open) != 0) != any);
}

// Makes the group's bit of part p say whether it has chunks.
static void update_group(const struct weft_range_view *v, uint32_t p)
{
    const uint32_t g = p / WEFT_GROUP_PARTS, bit = 1u << p % WEFT_GROUP_PARTS;
    _Atomic uint32_t *open = &v->range->group[g].open;
    bool any;
    do {
        any = has_chunks(v, p);
        const uint32_t before = any ? atomic_fetch_or(open, bit) : atomic_fetch_and(open, ~bit);
        if (any ? before == 0 : before == bit)
            update_range(v, g);
    } while (has_chunks(v, p) != any);
}

// How many of `left` chunks a thread takes at once, at most `limit`: a sixteenth, so that they get fewer
// towards the end.
static uint32_t at_once(uint32_t left, uint32_t limit)
{
    const uint32_t n = left / 16;
    return n > limit ? limit : n ? n : 1;
}

// Takes the next chunks of the thread's own part.
static bool take_own(const struct weft_range_view *v, uint32_t limit, struct weft_chunks *out)
{
    if (v->part == WEFT_PARTS_MAX)
        return false;
    _Atomic uint64_t *word = &v->range->part[v->part].span;
    uint64_t span = atomic_load_explicit(word, memory_order_relaxed);
    uint32_t first, end;
    while (chunks_of(v, v->part, span, &first, &end)) {
        const uint32_t n = at_once(end - first, limit);
        if (!atomic_compare_exchange_weak_explicit(word, &span, weft_part_span(v->generation, first + n, end),
                                                   memory_order_relaxed, memory_order_relaxed))
            continue;
        *out = (struct weft_chunks){first, first + n};
        if (first + n == end)
            update_group(v, v->part);
        return true;
    }
    return false;
}

// Takes the back half of part p, at most `most` chunks.
static bool take_half(const struct weft_range_view *v, uint32_t p, uint32_t most, struct weft_chunks *out)
{
    _Atomic uint64_t *word = &v->range->part[p].span;
    uint64_t span = atomic_load_explicit(word, memory_order_relaxed);
    uint32_t first, end;
    while (chunks_of(v, p, span, &first, &end)) {
        const uint32_t half = (end - first + 1) / 2, n = half < most ? half : most;
        if (!atomic_compare_exchange_weak_explicit(word, &span, weft_part_span(v->generation, first, end - n),
                                                   memory_order_relaxed, memory_order_relaxed))
            continue;
        *out = (struct weft_chunks){end - n, end};
        if (end - n == first)
            update_group(v, p);
        return true;
    }
    return false;
}

// Threads whose ranks differ in the lowest bits only share most of the machine's caches. So the numbers that
// differ from one's own in low bits come first, in groups as among them.
static bool steal_from_group(const struct weft_range_view *v, uint32_t g, uint32_t own, uint32_t most,
                             struct weft_chunks *out)
{
    const uint32_t open = atomic_load_explicit(&v->range->group[g].open, memory_order_relaxed);
    for (uint32_t d = 0; open && d < WEFT_GROUP_PARTS; d++) {
        const uint32_t i = own ^ d;
        if ((open >> i & 1) && take_half(v, g * WEFT_GROUP_PARTS + i, most, out))
            return true;
    }
    return false;
}

static bool steal(const struct weft_range_view *v, uint32_t most, struct weft_chunks *out)
{
    const uint32_t part = v->part == WEFT_PARTS_MAX ? 0 : v->part, own = part / WEFT_GROUP_PARTS;
    const uint64_t open = atomic_load_explicit(&v->range->open, memory_order_relaxed);
    for (uint32_t d = 0; d < WEFT_GROUPS_MAX && open; d++) {
        const uint32_t g = own ^ d;
        if ((open >> g & 1) && steal_from_group(v, g, part % WEFT_GROUP_PARTS, most, out))
            return true;
        if (d == 0 && open == UINT64_C(1) << own)
            return false;
    }
    return false;
}

// Can the thread put chunks into its part? Not while another thread with the same part has some there.
static bool has_room(const struct weft_range_view *v)
{
    return v->part != WEFT_PARTS_MAX && !has_chunks(v, v->part);
}

// Puts all but the first `n` chunks that were stolen into the thread's part, if that is still empty.
static void share_stolen(const struct weft_range_view *v, uint32_t n, struct weft_chunks *c)
{
    _Atomic uint64_t *word = &v->range->part[v->part].span;
    uint64_t span = atomic_load_explicit(word, memory_order_relaxed);
    uint32_t first, end;
    // Relaxed: the group's bit is changed afterwards, in the order that the head of this file tells.
    if (chunks_of(v, v->part, span, &first, &end) ||
        !atomic_compare_exchange_strong_explicit(word, &span,
                                                 weft_part_span(v->generation, c->first + n, c->end),
                                                 memory_order_relaxed, memory_order_relaxed))
        return;
    c->end = c->first + n;
    update_group(v, v->part);
}

bool weft_chunks_take(const struct weft_range_view *v, uint32_t limit, struct weft_chunks *out)
{
    if (take_own(v, limit, out))
        return true;
    const bool shares = has_room(v);
    if (!steal(v, shares ? UINT32_MAX : limit, out))
        return false;
    const uint32_t all = out->end - out->first, n = at_once(all, limit);
    weft_trace_point(WEFT_TRACE_STEAL, 0, out->first, all, 0);
    if (shares && n < all)
        share_stolen(v, n, out);
    return true;
}

bool weft_part_takes(const struct weft_range_view *v, uint64_t ns, uint32_t chunks, uint64_t took)
{
    uint32_t first, end;
    return v->part != WEFT_PARTS_MAX &&
           chunks_of(v, v->part, atomic_load_explicit(&v->range->part[v->part].span, memory_order_relaxed),
                     &first, &end) &&
           (end - first) * took / chunks >= ns;
}
