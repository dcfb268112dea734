// Threads of the program that wait for something else than a launch, and help meanwhile.
#include "scheduler/simulator/launch.h"

#include "base/base.h"

#define VISITORS_MAX 4

static struct visitor {
    struct weft_park park;
    uint32_t seen;
} visitors[VISITORS_MAX];
static uint32_t count;
static _Atomic uint32_t events;  // what they wait for has happened so often
static _Atomic uint64_t away_ns; // for so long they are away after it
static _Atomic uint32_t left;    // visitors that have not ended
static _Atomic bool over;

static bool has_happened(void *arg)
{
    return events != ((const struct visitor *)arg)->seen;
}

static void visit(void *arg)
{
    struct visitor *v = arg;
    while (!over) {
        v->seen = events;
        weft_sched_wait(&v->park, has_happened, v);
        if (away_ns)
            sim_pause(away_ns);
    }
    left--;
}

void visitors_event(bool away)
{
    away_ns = away ? VISITORS_AWAY_NS : 0;
    events++;
    for (uint32_t i = 0; i < count; i++)
        weft_park_wake(&visitors[i].park);
}

static void let_it_happen(void *arg)
{
    (void)arg;
    while (left) {
        sim_pause(20000 + sim_random() % 500000);
        visitors_event(sim_random() % 2);
    }
}

void visitors_begin(uint32_t n, bool often)
{
    count = n < VISITORS_MAX ? n : VISITORS_MAX;
    left = count;
    for (uint32_t i = 0; i < count; i++)
        sim_spawn(visit, &visitors[i]);
    if (count && often)
        sim_spawn(let_it_happen, NULL);
}

void visitors_end(void)
{
    over = true;
    visitors_event(false);
    while (left)
        sim_pause(100000);
}
