// Ranges under way. range.h says how units are divided.
//
// Why a thread that is late does no harm. It may have read that range[i] has generation g, and come to take a
// chunk when that range is long done and its place used again. All chunks of generation g have been taken
// then, so each part of it has been written with g or later, and a part's generation never goes back. A
// compare-and-exchange that expects an older word fails, and a newer word says that the range is over.
//
// A thread changes which parts, groups and ranges are `open` only while it has units that it hasn't counted
// as run. So the range isn't done, and the change can't hit the next one.
#include "scheduler/part.h"

#include <string.h>

#define THREAD_NS 8000u      // a range is shared by as many threads as have that much to do each
#define UNKNOWN_THREADS 4    // that begin a range of which nothing is known
#define CALL_NS 25000u       // a sleeping thread is called for each such part of a range's cost
#define LONG_NS 20000u       // a range that takes longer on all its threads is_long
#define CHUNK_NS 50000u      // wanted time of the chunks that a thread takes at once
#define GROW_NS 30000u       // more threads are called to a range if a part of it takes longer
#define EARLY_NS 50000u      // after that time an application thread that wanted to help would have come
#define CALLED_AT_ONCE 6u    // sleeping threads that a thread calls before it goes on
#define DUE_AFTER 4u         // a range is due after so many times what it takes with all threads
#define UNKNOWN_NS 20000000u // a range of which nothing is known is due after that time
// Generations may wrap around if no part keeps one that is half of all numbers old. So each time that these
// bits are zero, all parts get the newest one.
#define REFRESH_MASK ((1u << 24) - 1)

static uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

// ---- Teams ----

static void reset_range(struct weft_range *r, uint32_t size)
{
    struct weft_part_group *group = r->group;
    struct weft_part *part = r->part;
    memset((void *)group, 0, (size / WEFT_GROUP_PARTS + 1) * sizeof *group);
    memset((void *)part, 0, size * sizeof *part);
    memset((void *)r, 0, sizeof *r);
    r->group = group;
    r->part = part;
}

void weft_team_reset(struct weft_team *team)
{
    for (size_t i = 0; i < WEFT_RANGES; i++)
        reset_range(&team->range[i], team->size < WEFT_PARTS_MAX ? team->size : WEFT_PARTS_MAX);
    atomic_store(&team->open, 0);
    atomic_store(&team->used, 0);
}

struct weft_team *weft_team_create(uint32_t size, struct weft_domain *domain)
{
    const uint32_t parts = size < WEFT_PARTS_MAX ? size : WEFT_PARTS_MAX;
    const size_t groups = parts / WEFT_GROUP_PARTS + 1,
                 bytes = sizeof(struct weft_team) + WEFT_RANGES * (groups * sizeof(struct weft_part_group) +
                                                                   parts * sizeof(struct weft_part));
    struct weft_team *team = weft_alloc_aligned(WEFT_CACHE_LINE, bytes);
    if (!team)
        return NULL;
    memset((void *)team, 0, sizeof *team);
    team->size = size;
    team->domain = domain;
    struct weft_part_group *group = (struct weft_part_group *)(void *)(team + 1);
    struct weft_part *part = (struct weft_part *)(void *)(group + WEFT_RANGES * groups);
    for (size_t i = 0; i < WEFT_RANGES; i++) {
        team->range[i].group = group + i * groups;
        team->range[i].part = part + i * parts;
    }
    weft_team_reset(team);
    return team;
}

void weft_team_destroy(struct weft_team *team)
{
    weft_free(team);
}

// ---- Opening ----

// Returns the number of a place that the caller has now. WEFT_RANGES: all are used.
static uint32_t take_place(struct weft_team *team)
{
    uint32_t used = atomic_load_explicit(&team->used, memory_order_relaxed);
    while (used != (1u << WEFT_RANGES) - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(~used);
        // Acquire: pairs with the release in `finish`. What the last user of the place did comes before.
        if (atomic_compare_exchange_weak_explicit(&team->used, &used, used | 1u << i, memory_order_acquire,
                                                  memory_order_relaxed))
            return i;
    }
    return WEFT_RANGES;
}

static void refresh_parts(struct weft_team *team, struct weft_range *r, uint32_t generation)
{
    for (uint32_t p = 0; p < team->size && p < WEFT_PARTS_MAX; p++)
        atomic_store_explicit(&r->part[p].span, weft_part_span(generation, 0, 0), memory_order_relaxed);
}

static void open_groups(struct weft_range *r, uint32_t parts, uint32_t chunks, uint64_t first, uint64_t end,
                        uint64_t unit)
{
    const uint32_t groups = (parts + WEFT_GROUP_PARTS - 1) / WEFT_GROUP_PARTS;
    uint64_t from = first;
    for (uint32_t g = 0; g < groups; g++) {
        uint32_t members = parts - g * WEFT_GROUP_PARTS;
        members = members < WEFT_GROUP_PARTS ? members : WEFT_GROUP_PARTS;
        const uint32_t last = weft_part_begin(g * WEFT_GROUP_PARTS + members, parts, chunks);
        const uint64_t to = last == chunks ? end : first + last * unit;
        atomic_store_explicit(&r->group[g].left, to - from, memory_order_relaxed);
        atomic_store_explicit(&r->group[g].open, (1u << members) - 1, memory_order_relaxed);
        from = to;
    }
    atomic_store_explicit(&r->open, groups == 64 ? UINT64_MAX : (UINT64_C(1) << groups) - 1,
                          memory_order_relaxed);
    atomic_store_explicit(&r->left, groups, memory_order_relaxed);
}

uint32_t weft_range_threads(const struct weft_task *t, uint32_t most)
{
    const uint64_t pieces = (t->count - 1) / t->grain + 1;
    const uint64_t wanted = t->cost ? t->cost / THREAD_NS : most;
    return (uint32_t)min_u64(min_u64(pieces, wanted ? wanted : 1), most);
}

static uint64_t deadline_of(const struct weft_task *t, uint32_t threads)
{
    return weft_time_now() + (t->cost ? DUE_AFTER * (t->cost / threads) : UNKNOWN_NS);
}

bool weft_range_open(struct weft_team *team, struct weft_task *t, uint32_t threads)
{
    const uint64_t first = t->first;
    const uint32_t place = take_place(team);
    if (place == WEFT_RANGES)
        return false;
    struct weft_range *r = &team->range[place];
    const uint64_t grains = (t->count - first - 1) / t->grain + 1;
    const uint64_t unit = t->grain * ((grains - 1) / WEFT_CHUNKS_MAX + 1);
    const uint32_t chunks = (uint32_t)((t->count - first - 1) / unit + 1);
    const uint32_t ranks = (uint32_t)min_u64(min_u64(threads, team->size), WEFT_PARTS_MAX);
    const uint32_t parts = ranks < chunks ? ranks : chunks;
    const uint32_t generation = atomic_load_explicit(&r->generation, memory_order_relaxed) + 2;
    // Odd first: a thread that reads the members below while they change sees one of the two generations
    // differ. Relaxed otherwise: the generation's last store publishes everything.
    atomic_store_explicit(&r->generation, generation - 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    if ((generation & REFRESH_MASK) == 0)
        refresh_parts(team, r, generation - 2);
    atomic_store_explicit(&r->parts, parts, memory_order_relaxed);
    atomic_store_explicit(&r->chunks, chunks, memory_order_relaxed);
    atomic_store_explicit(&r->flags, t->flags, memory_order_relaxed);
    atomic_store_explicit(&r->for_all, t->cost && threads >= team->size, memory_order_relaxed);
    atomic_store_explicit(&r->is_long, t->cost / threads > LONG_NS, memory_order_relaxed);
    atomic_store_explicit(&r->invited, t->cost ? ranks : (uint32_t)min_u64(ranks, UNKNOWN_THREADS),
                          memory_order_relaxed);
    atomic_store_explicit(&r->joined, (uint64_t)generation << 32, memory_order_relaxed);
    atomic_store_explicit(&r->last_place, (uint64_t)generation << 32, memory_order_relaxed);
    atomic_store_explicit(&r->task, t, memory_order_relaxed);
    atomic_store_explicit(&r->first, first, memory_order_relaxed);
    atomic_store_explicit(&r->end, t->count, memory_order_relaxed);
    atomic_store_explicit(&r->unit, unit, memory_order_relaxed);
    atomic_store_explicit(&r->age, atomic_fetch_add_explicit(&team->ages, 1, memory_order_relaxed),
                          memory_order_relaxed);
    atomic_store_explicit(&r->deadline, deadline_of(t, threads), memory_order_relaxed);
    open_groups(r, parts, chunks, first, t->count, unit);
    // Before anybody can take part, so that nobody has cleared it before. Sequentially consistent: a thread
    // that goes to sleep says so first and then reads `open`; the submitter reads afterwards who sleeps.
    atomic_fetch_or(&team->open, 1u << place);
    atomic_store_explicit(&r->generation, generation, memory_order_release); // pairs with look_at
    return true;
}

// Tells the threads that spin.
static void call(struct weft_team *team, uint32_t threads)
{
    atomic_store_explicit(&team->called, threads, memory_order_relaxed); // a hint
    atomic_fetch_add(&team->calls, 1);
}

void weft_range_call(struct weft_team *team, uint64_t cost, uint32_t threads)
{
    const uint64_t worth = cost ? cost / CALL_NS : UNKNOWN_THREADS - 1;
    // Before the call, which ends the search.
    const bool somebody_looks = !team->domain && weft_pool_somebody_looks();
    call(team, threads);
    const uint32_t missing = weft_team_missing(team, threads - 1);
    const uint32_t n = (uint32_t)min_u64(min_u64(worth ? worth : 1, missing), CALLED_AT_ONCE);
    const bool called = n && weft_team_call(team, n, true);
    // Threads that are awake may be busy for long, and the caller may not be about to help.
    if (!called && !somebody_looks && !team->domain)
        weft_pool_wake_one();
}

// ---- Taking part ----

// False: the place is being used anew.
static bool look_at(struct weft_team *team, uint32_t place, struct weft_range_view *v)
{
    struct weft_range *r = &team->range[place];
    v->team = team;
    v->range = r;
    v->place = place;
    v->generation = atomic_load_explicit(&r->generation, memory_order_acquire); // pairs with weft_range_open
    v->task = atomic_load_explicit(&r->task, memory_order_relaxed);
    v->first = atomic_load_explicit(&r->first, memory_order_relaxed);
    v->end = atomic_load_explicit(&r->end, memory_order_relaxed);
    v->unit = atomic_load_explicit(&r->unit, memory_order_relaxed);
    v->parts = atomic_load_explicit(&r->parts, memory_order_relaxed);
    v->chunks = atomic_load_explicit(&r->chunks, memory_order_relaxed);
    v->deadline = atomic_load_explicit(&r->deadline, memory_order_relaxed);
    v->for_all = atomic_load_explicit(&r->for_all, memory_order_relaxed);
    v->is_long = atomic_load_explicit(&r->is_long, memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire);
    return v->generation % 2 == 0 &&
           atomic_load_explicit(&r->generation, memory_order_relaxed) == v->generation;
}

// The part that a thread owns. As long as ranges have about the same size, the same thread has the same part
// of each of them, so that the data stays in its caches. The last rank is also that of an application thread
// that submits ranges and helps; it has the last part. A thread whose rank is higher than that of the last
// part comes if others don't. It puts what it steals into the part that would be its own.
static uint32_t part_of(const struct weft_range_view *v, uint32_t rank)
{
    const uint32_t part = rank + 1 == v->team->size && rank >= v->parts ? v->parts - 1 : rank;
    return part < WEFT_PARTS_MAX ? part : WEFT_PARTS_MAX;
}

// Relaxed, both: the parts' words decide who gets what.
static bool take_last_place(const struct weft_range_view *v)
{
    uint64_t is_free = (uint64_t)v->generation << 32;
    return atomic_compare_exchange_strong_explicit(&v->range->last_place, &is_free, is_free | 1,
                                                   memory_order_relaxed, memory_order_relaxed);
}

static void leave_last_place(const struct weft_range_view *v)
{
    uint64_t taken = (uint64_t)v->generation << 32 | 1;
    if (v->is_last)
        atomic_compare_exchange_strong_explicit(&v->range->last_place, &taken, taken - 1,
                                                memory_order_relaxed, memory_order_relaxed);
}

// Counts the thread as one of those that take part if not all of the team may. False: enough do.
static bool count_in(const struct weft_range_view *v)
{
    if (v->for_all)
        return true;
    uint64_t joined = atomic_load_explicit(&v->range->joined, memory_order_relaxed);
    do {
        if (joined >> 32 != v->generation ||
            (uint32_t)joined >= atomic_load_explicit(&v->range->invited, memory_order_relaxed))
            return false;
        // Relaxed: the parts' words decide who gets what.
    } while (!atomic_compare_exchange_weak_explicit(&v->range->joined, &joined, joined + 1,
                                                    memory_order_relaxed, memory_order_relaxed));
    return true;
}

// False: enough threads take part.
static bool join(struct weft_range_view *v, const struct weft_range_rules *rules)
{
    v->part = part_of(v, rules->rank);
    v->is_last = rules->is_last;
    if (v->is_last && !take_last_place(v))
        return false;
    if (count_in(v))
        return true;
    leave_last_place(v);
    return false;
}

// Makes room for another thread, if there is anything left for it. Relaxed, all: hints.
static void leave(const struct weft_range_view *v)
{
    leave_last_place(v);
    if (v->for_all || atomic_load_explicit(&v->range->open, memory_order_relaxed) == 0)
        return;
    uint64_t joined = atomic_load_explicit(&v->range->joined, memory_order_relaxed);
    while (joined >> 32 == v->generation &&
           !atomic_compare_exchange_weak_explicit(&v->range->joined, &joined, joined - 1,
                                                  memory_order_relaxed, memory_order_relaxed))
        ;
}

// ---- Choosing ----

// Relaxed hints: look_at and join read them in order.
static bool has_room(const struct weft_range *r, bool is_last)
{
    if (is_last && (atomic_load_explicit(&r->last_place, memory_order_relaxed) & 1) != 0)
        return false;
    return atomic_load_explicit(&r->for_all, memory_order_relaxed) ||
           (uint32_t)atomic_load_explicit(&r->joined, memory_order_relaxed) <
               atomic_load_explicit(&r->invited, memory_order_relaxed);
}

// The place of the range that the thread should take part in, of those in the mask. WEFT_RANGES: none.
static uint32_t choose(struct weft_team *team, uint32_t mask, const struct weft_range_rules *rules)
{
    uint32_t best = WEFT_RANGES;
    uint64_t first = 0;
    for (; mask; mask &= mask - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(mask);
        const struct weft_range *r = &team->range[i];
        const uint64_t rank = rules->newest ? ~atomic_load_explicit(&r->age, memory_order_relaxed)
                                            : atomic_load_explicit(&r->deadline, memory_order_relaxed);
        if (has_room(r, rules->is_last) &&
            (atomic_load_explicit(&r->flags, memory_order_relaxed) & rules->unfit) == 0 &&
            (best == WEFT_RANGES || rank < first)) {
            best = i;
            first = rank;
        }
    }
    return best;
}

// Is another range due before the one that the thread takes part in? Relaxed, all: hints.
static bool another_is_due(const struct weft_range_view *v, const struct weft_range_rules *rules)
{
    const uint32_t others =
        atomic_load_explicit(&v->team->open, memory_order_relaxed) & ~(UINT32_C(1) << v->place);
    if (WEFT_LIKELY(others == 0) || rules->newest)
        return false;
    const uint32_t i = choose(v->team, others, rules);
    return i != WEFT_RANGES &&
           atomic_load_explicit(&v->team->range[i].deadline, memory_order_relaxed) < v->deadline;
}

// ---- Running ----

// Counts units that have run. True: they were the last ones of the range.
static bool count_units(const struct weft_range_view *v, uint32_t group, uint64_t units)
{
    // Acquire and release: the last thread sees what the others' units wrote.
    if (units == 0 ||
        atomic_fetch_sub_explicit(&v->range->group[group].left, units, memory_order_acq_rel) != units)
        return false;
    return atomic_fetch_sub_explicit(&v->range->left, 1, memory_order_acq_rel) == 1;
}

static void finish(struct weft_thread *t, const struct weft_range_view *v, struct weft_worker *w)
{
    // Release: pairs with take_place. Nobody changes the range any more.
    atomic_fetch_and_explicit(&v->team->used, ~(1u << v->place), memory_order_release);
    weft_finish_task(t, v->task, w);
}

// How many chunks a thread takes at once, from how long the last ones took.
static uint32_t limit_of(uint32_t chunks, uint64_t ns)
{
    const uint64_t n = CHUNK_NS * (uint64_t)chunks / (ns + 1);
    return n > WEFT_CHUNKS_MAX ? WEFT_CHUNKS_MAX : n ? (uint32_t)n : 1;
}

// A hint.
static bool has_open_parts(const struct weft_range_view *v)
{
    return atomic_load_explicit(&v->range->open, memory_order_relaxed) != 0;
}

// Calls sleeping threads to a long range, and lets more threads take part if it isn't for all. The thread has
// units that it hasn't counted, so the range isn't over.
static void call_more(const struct weft_range_view *v, bool early)
{
    struct weft_range *r = v->range;
    uint32_t invited = atomic_load_explicit(&r->invited, memory_order_relaxed);
    if (!v->for_all && invited < v->team->size &&
        (uint32_t)atomic_load_explicit(&r->joined, memory_order_relaxed) >= invited) {
        const uint32_t more = (uint32_t)min_u64(2 * (uint64_t)invited, v->team->size);
        // Relaxed: a hint.
        if (atomic_compare_exchange_strong_explicit(&r->invited, &invited, more, memory_order_relaxed,
                                                    memory_order_relaxed))
            call(v->team, more);
    }
    weft_team_call(v->team, CALLED_AT_ONCE, early);
}

bool weft_range_must_leave(struct weft_thread *t, const struct weft_range_rules *rules)
{
    return (t->worker[0].is_pool && weft_pool_stopping()) ||
           (rules->ready ? rules->ready(rules->arg) : weft_thread_take_next(t));
}

// The thread leaves a range whose chunks the other threads may not be able to finish soon, if there are any.
static void hand_over(const struct weft_range_view *v)
{
    if (!has_open_parts(v))
        return;
    if (v->team->domain)
        weft_domain_call(v->team->domain, 1);
    else
        weft_pool_watch();
}

// Runs chunks until there are none or the thread is needed elsewhere. c: the first ones.
static void run_chunks(struct weft_thread *t, const struct weft_range_view *v,
                       const struct weft_range_rules *rules, struct weft_chunks c)
{
    struct weft_nesting level;
    uint32_t limit = 1, group = weft_chunk_group(v, c.first);
    uint64_t units = 0, now = weft_time_now();
    bool must_leave;
    if (t->own)
        weft_pool_note_work(t->own, true);
    weft_nesting_enter(t, &level);
    const uint64_t early_until = now + EARLY_NS;
    if (v->is_long && has_open_parts(v))
        call_more(v, true);
    do {
        const uint32_t g = weft_chunk_group(v, c.first), n = c.end - c.first;
        const uint64_t from = v->first + c.first * v->unit,
                       to = c.end == v->chunks ? v->end : v->first + c.end * v->unit;
        if (g != group) {
            count_units(v, group, units); // not the last ones: it has others in hand
            units = 0;
            group = g;
        }
        v->task->run(v->task, level.worker, from, to);
        units += to - from;
        const uint64_t before = now;
        now = weft_time_now();
        limit = limit_of(n, now - before);
        // The others' parts may be one chunk each, of which nobody else knows how long it takes.
        if (weft_part_takes(v, GROW_NS, n, now - before) || (now - before >= GROW_NS && has_open_parts(v)))
            call_more(v, now < early_until);
        must_leave = weft_range_must_leave(t, rules) || another_is_due(v, rules);
    } while (!must_leave && weft_chunks_take(v, limit, &c));
    leave(v);
    if (must_leave)
        hand_over(v);
    const bool last = count_units(v, group, units);
    weft_nesting_leave(t, &level);
    if (last)
        finish(t, v, level.worker);
    weft_nesting_free(&level);
}

// ---- Finding ----

bool weft_range_is_open(struct weft_team *team, bool is_last)
{
    for (uint32_t open = atomic_load(&team->open); open; open &= open - 1) // see weft_range_open
        if (has_room(&team->range[__builtin_ctz(open)], is_last))
            return true;
    return false;
}

bool weft_range_several(struct weft_team *team)
{
    const uint32_t open = atomic_load(&team->open);
    return (open & (open - 1)) != 0;
}

uint32_t weft_range_signature(struct weft_team *team, bool is_last)
{
    uint32_t sum = 0;
    for (uint32_t open = atomic_load_explicit(&team->open, memory_order_relaxed); open; open &= open - 1) {
        const struct weft_range *r = &team->range[__builtin_ctz(open)];
        if (!is_last || (atomic_load_explicit(&r->last_place, memory_order_relaxed) & 1) == 0)
            sum += atomic_load_explicit(&r->generation, memory_order_relaxed);
    }
    return sum;
}

bool weft_range_work(struct weft_thread *t, struct weft_team *team, const struct weft_range_rules *rules)
{
    uint32_t mask = atomic_load_explicit(&team->open, memory_order_relaxed), i;
    while (mask && (i = choose(team, mask, rules)) != WEFT_RANGES) {
        struct weft_range_view v;
        struct weft_chunks c;
        // Before it has chunks in hand: it may have to wait for its turn on the other processor.
        if (!team->domain)
            weft_thread_keep_apart(t);
        if (look_at(team, i, &v) && join(&v, rules)) {
            if (weft_chunks_take(&v, 1, &c)) {
                run_chunks(t, &v, rules, c);
                return true;
            }
            leave(&v);
        }
        mask &= ~(1u << i);
    }
    return false;
}
