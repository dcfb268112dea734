#include "scheduler/simulator/launch.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "scheduler/range.h"
#include "scheduler/simulator/virtual.h"

_Noreturn void launch_fail(const char *what, uint64_t n)
{
    fprintf(stderr, "seed %llu, %u processors: %s %llu\n", (unsigned long long)workload_machine.seed,
            workload_machine.processors, what, (unsigned long long)n);
    _exit(5);
}

bool launch_is_done(void *arg)
{
    return atomic_load_explicit(&((struct launch *)arg)->done, memory_order_acquire) != 0;
}

// Whoever changes the bits of parts, groups and ranges has units that it hasn't counted yet. So all bits of a
// range must be zero when it is done (part.c). If its place is used again, it tells nothing any more.
static void check_bits(const struct weft_task *t)
{
    const struct weft_team *team = weft_pool_team();
    for (uint32_t i = 0; team && i < WEFT_RANGES; i++) {
        const struct weft_range *r = &team->range[i];
        if (r->task != t || r->generation % 2 != 0)
            continue;
        uint64_t open = r->open | (team->open >> i & 1);
        for (uint32_t g = 0; g < (r->parts + WEFT_GROUP_PARTS - 1) / WEFT_GROUP_PARTS; g++)
            open |= r->group[g].open;
        if (open)
            launch_fail("a range that is done has parts that are said to have chunks:", open);
    }
}

static void on_done(struct weft_task *t, struct weft_worker *worker)
{
    (void)worker;
    struct launch *l = WEFT_CONTAINER_OF(t, struct launch, task);
    check_bits(t);
    l->done_at = sim_now();
    atomic_fetch_add_explicit(&l->done, 1, memory_order_release);
    weft_park_wake(&l->park);
    l->over = 1;
}

// A launch of 64 groups inside of another one, which waits for it.
static void run_inner(const struct workload *w)
{
    uint64_t cost[64];
    uint8_t times[64];
    struct launch inner;
    for (int i = 0; i < 64; i++)
        cost[i] = GROUP_NS;
    launch_init(&inner, w, cost, times, 64, 64 * GROUP_NS, 64 * GROUP_NS);
    weft_sched_submit(&inner.task, WEFT_URGENT);
    weft_sched_wait(&inner.park, launch_is_done, &inner);
    while (!inner.over)
        sim_pause(10);
    launch_check(&inner);
}

static void run(struct weft_task *t, struct weft_worker *worker, uint64_t first, uint64_t last)
{
    struct launch *l = WEFT_CONTAINER_OF(t, struct launch, task);
    uint64_t ns = 0;
    l->threads[worker->index % sizeof l->threads] = 1;
    for (uint64_t i = first; i < last; i++) {
        l->times[i]++;
        ns += l->cost[i];
    }
    if (l->nested && first == 0)
        run_inner(l->w);
    sim_work(ns);
}

void launch_init(struct launch *l, const struct workload *w, const uint64_t *cost, uint8_t *times,
                 uint32_t groups, uint64_t total, uint64_t told)
{
    const uint64_t believed = told ? told : total, group_ns = believed / groups;
    memset((void *)l, 0, sizeof *l);
    memset(times, 0, groups);
    l->task = (struct weft_task){.run = run,
                                 .done = on_done,
                                 .count = groups,
                                 .grain = group_ns < GROUP_NS ? GROUP_NS * groups / believed : 1,
                                 .cost = told};
    l->w = w;
    l->cost = cost;
    l->times = times;
}

uint64_t launch_check(const struct launch *l)
{
    uint64_t threads = 0;
    for (uint64_t i = 0; i < l->task.count; i++)
        if (l->times[i] != 1)
            launch_fail("a group ran another number of times than once:", i);
    if (l->done != 1)
        launch_fail("done was called another number of times than once:", l->done);
    for (size_t i = 0; i < sizeof l->threads; i++)
        threads += l->threads[i];
    return threads;
}
