// Weakly ordered memory for the simulated machine (weak.h).
//
// The variable in memory has the newest value. Beside it, this file keeps the last writes, numbered. A thread
// has a view: the number of the oldest write of each variable that it may still read. A release puts the
// thread's view into the write; an acquire that reads this write takes it over. A relaxed read notes the view
// for a later fence. Sequentially consistent fences hand their views on in the order in which they run.
#include "scheduler/simulator/weak.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scheduler/simulator/simulator.h"

enum { PLACES = 1024, KEPT = 8, THREADS = 600 };

typedef uint32_t view[PLACES]; // by place: a write's number

struct write {
    uint64_t value, time;
    uint32_t number; // 0: there is none
    view *released;  // what whoever acquires it sees; NULL: nothing
};

struct place {
    const volatile void *at;
    struct write last[KEPT]; // write n is at n % KEPT
    uint32_t newest;
};

// seen: see above. fenced: the view at the last release fence. noted: what relaxed reads have met.
struct knowledge {
    view seen, fenced, noted;
};

static bool is_on;
static uint64_t visible_ns; // after so long, a write is seen by all
static struct place places[PLACES];
static uint32_t place_count;
static struct knowledge *known[THREADS];
static view of_fences;

static void join(view to, const view from)
{
    for (uint32_t k = 0; k < place_count; k++)
        to[k] = from[k] > to[k] ? from[k] : to[k];
}

static struct knowledge *of_thread(uint32_t thread)
{
    if (!known[thread])
        known[thread] = calloc(1, sizeof *known[thread]);
    return known[thread];
}

static struct knowledge *mine(void)
{
    return of_thread((uint32_t)sim_thread_self());
}

static bool acquires(memory_order order)
{
    return order == memory_order_acquire || order == memory_order_consume || order == memory_order_acq_rel ||
           order == memory_order_seq_cst;
}

static bool releases(memory_order order)
{
    return order == memory_order_release || order == memory_order_acq_rel || order == memory_order_seq_cst;
}

// Numbers go on after plain writes, so no view is older than what is there.
static void add(struct place *p, uint64_t value, view *released)
{
    struct write *w = &p->last[++p->newest % KEPT];
    free(w->released);
    *w = (struct write){.value = value, .time = sim_now(), .number = p->newest, .released = released};
}

// The place's number. A value that isn't the newest one was written by plain code, which makes a new variable
// there.
static uint32_t place_of(const volatile void *at, uint64_t value)
{
    uint32_t k = 0;
    while (k < place_count && places[k].at != at)
        k++;
    if (k == PLACES) {
        fprintf(stderr, "too many atomic variables for weak.c\n");
        _Exit(4);
    }
    struct place *p = &places[k];
    if (k < place_count && p->last[p->newest % KEPT].value == value)
        return k;
    if (k == place_count) {
        place_count++;
        p->at = at;
    }
    for (uint32_t i = 0; i < KEPT; i++)
        p->last[i].number = 0;
    add(p, value, NULL);
    return k;
}

static uint64_t value_of(const void *value, size_t size)
{
    uint64_t v = 0;
    memcpy(&v, value, size);
    return v;
}

static void read_write(uint32_t k, const struct write *w, memory_order order)
{
    struct knowledge *m = mine();
    m->seen[k] = w->number > m->seen[k] ? w->number : m->seen[k];
    if (w->released)
        join(acquires(order) ? m->seen : m->noted, *w->released);
}

void weak_begin(uint64_t visible)
{
    is_on = visible != 0;
    visible_ns = visible;
}

void weak_thread_begins(uint32_t thread)
{
    if (is_on)
        join(of_thread(thread)->seen, mine()->seen);
}

void weak_thread_joined(uint32_t thread)
{
    if (is_on)
        join(mine()->seen, of_thread(thread)->seen);
}

void weak_load(const volatile void *at, void *value, size_t size, memory_order order)
{
    if (!is_on)
        return;
    const uint32_t k = place_of(at, value_of(value, size));
    struct place *p = &places[k];
    const struct write *w = &p->last[p->newest % KEPT];
    // An older one, if this thread may not have seen the next one yet.
    while (order != memory_order_seq_cst && w->number > mine()->seen[k] && w->time + visible_ns > sim_now() &&
           sim_random() % 2) {
        const struct write *before = &p->last[(w->number - 1) % KEPT];
        if (before->number + 1 != w->number)
            break;
        w = before;
    }
    memcpy(value, &w->value, size);
    read_write(k, w, order);
}

void weak_before(const volatile void *at, const void *value, size_t size)
{
    if (is_on)
        (void)place_of(at, value_of(value, size));
}

void weak_store(const volatile void *at, const void *value, size_t size, memory_order order, bool modifies)
{
    if (!is_on)
        return;
    uint32_t k = 0;
    while (places[k].at != at)
        k++;
    struct place *p = &places[k];
    struct knowledge *m = mine();
    const struct write *old = &p->last[p->newest % KEPT];
    view *released = calloc(1, sizeof *released);
    if (modifies) { // it reads the newest write, and goes on with its release sequence
        read_write(k, old, order);
        if (old->released)
            join(*released, *old->released);
    }
    m->seen[k] = p->newest + 1;
    join(*released, releases(order) ? m->seen : m->fenced);
    add(p, value_of(value, size), released);
}

void weak_refused(const volatile void *at, memory_order order)
{
    if (!is_on)
        return;
    uint32_t k = 0;
    while (places[k].at != at)
        k++;
    read_write(k, &places[k].last[places[k].newest % KEPT], order);
}

void weak_fence(memory_order order)
{
    if (!is_on)
        return;
    struct knowledge *m = mine();
    if (acquires(order))
        join(m->seen, m->noted);
    if (order == memory_order_seq_cst) {
        join(m->seen, of_fences);
        join(of_fences, m->seen);
    }
    if (releases(order))
        memcpy(m->fenced, m->seen, sizeof m->fenced);
}
