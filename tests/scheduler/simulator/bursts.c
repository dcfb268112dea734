// A program that submits several things one right after the other. The pool's threads are often still at
// work when it does, or have just become idle. Then several submits rely on the same thread, which spins or
// watches, and it can take only one of these things.
#include "scheduler/simulator/launch.h"

#include <stdlib.h>

#include "scheduler/internal.h"

enum { GROUPS = 16, BURST_MAX = 8 };

// MISJUDGED takes far longer than the scheduler is told, so few threads are let in at first.
enum kind { TINY, RANGE, GUESSED, MISJUDGED, KINDS, SINGLE = KINDS, FEW_GROUPS };

#define MISJUDGED_NS 20000

struct thing {
    struct launch launch;
    enum kind kind;
    uint64_t submitted_at;
    uint64_t cost[GROUPS];
    uint8_t times[GROUPS];
};

static bool is_long(const struct thing *t)
{
    return t->kind >= KINDS;
}

static void make(struct thing *t, const struct workload *w, enum kind kind)
{
    t->kind = kind;
    static const uint32_t groups_of[] = {
        [TINY] = 1, [RANGE] = GROUPS, [GUESSED] = GROUPS, [MISJUDGED] = 4, [SINGLE] = 1, [FEW_GROUPS] = 2};
    const uint32_t groups = groups_of[kind];
    const uint64_t each = kind == TINY        ? 200
                          : kind == MISJUDGED ? 100 * (w->total_ns / GROUPS)
                          : is_long(t)        ? w->long_ns
                                              : w->total_ns / GROUPS,
                   told = kind == MISJUDGED                       ? MISJUDGED_NS
                          : kind == GUESSED || kind == FEW_GROUPS ? 0
                                                                  : each * groups;
    for (uint32_t i = 0; i < groups; i++)
        t->cost[i] = each;
    launch_init(&t->launch, w, t->cost, t->times, groups, each * groups, told);
    t->launch.task.flags = kind == SINGLE ? WEFT_TASK_LONG : 0;
}

static void submit(struct thing *t)
{
    t->submitted_at = sim_now();
    weft_sched_submit(&t->launch.task, t->kind == TINY || sim_random() % 4 == 0 ? WEFT_LAZY : WEFT_URGENT);
}

static void check_time(const struct thing *t, uint64_t until)
{
    if (!is_long(t) && t->launch.w->longest_ns && until - t->submitted_at > t->launch.w->longest_ns)
        launch_fail("something that was submitted with others took ns:", until - t->submitted_at);
}

static void poll(const struct thing *t)
{
    while (!t->launch.over) {
        sim_pause(is_long(t) ? 20 * POLL_NS : POLL_NS);
        check_time(t, sim_now());
    }
    check_time(t, t->launch.done_at);
    launch_check(&t->launch);
}

// Threads that have worked a moment ago spin.
static void warm_up(const struct workload *w)
{
    struct thing *t = malloc(sizeof *t);
    make(t, w, RANGE);
    submit(t);
    poll(t);
    free(t);
}

static void pause_a_little(void)
{
    const uint64_t how = sim_random() % 4;
    if (how == 0)
        sim_pause(sim_random() % 300000);
    else if (how == 1)
        sim_work(sim_random() % 1500);
}

void burst_run(const struct workload *w)
{
    const uint32_t n = w->burst < BURST_MAX ? w->burst : BURST_MAX;
    struct thing *things = malloc(n * sizeof *things);
    const uint64_t which = sim_random() % (2 * n); // takes long, if there is such a one
    if (sim_random() % 4 != 0)
        warm_up(w);
    for (uint32_t i = 0; i < n; i++) {
        const enum kind kind = i != which ? sim_random() % KINDS : sim_random() % 2 ? SINGLE : FEW_GROUPS;
        make(&things[i], w, kind);
    }
    for (uint32_t i = 0; i < n; i++) {
        submit(&things[i]);
        pause_a_little();
    }
    if (!w->polls && sim_random() % 2) {
        struct launch *one = &things[sim_random() % n].launch;
        weft_sched_wait(&one->park, launch_is_done, one);
    }
    for (uint32_t i = 0; i < n; i++)
        if (i != which)
            poll(&things[i]);
    if (which < n)
        poll(&things[which]);
    free(things);
}

// All threads are in long tasks when a range is submitted, so the visitors take part in it when they have
// slept for long (wait.c). Then one of the threads falls asleep, since enough take part, while the others'
// long tasks and the visitors keep all processors busy, so nobody is called. When the visitors leave,
// somebody must be. The times are those of a machine that isn't wild.
void burst_run_beside_visitors(const struct workload *w)
{
    enum { TASKS_MAX = 8 };
    struct thing *task = malloc(TASKS_MAX * sizeof *task), *range = malloc(sizeof *range);
    const uint32_t tasks = workload_machine.processors < TASKS_MAX ? workload_machine.processors : TASKS_MAX;
    sim_pause(VISITORS_AWAY_NS);
    visitors_event(false); // so they have just begun to wait
    sim_pause(200000 + sim_random() % 100000);
    for (uint32_t i = 0; i < tasks; i++) {
        struct workload shorter = *w;
        shorter.long_ns = 21500000 + sim_random() % 1500000;
        make(&task[i], i == 0 ? &shorter : w, SINGLE);
        task[i].launch.w = w;
        submit(&task[i]);
        sim_pause(100000);
    }
    make(range, w, MISJUDGED);
    submit(range);
    while (!range->launch.over && weft_pool_asleep() == 0)
        sim_pause(sim_random() % 300000);
    visitors_event(true);
    poll(range);
    for (uint32_t i = 0; i < tasks; i++)
        poll(&task[i]);
    free(task);
    free(range);
}
