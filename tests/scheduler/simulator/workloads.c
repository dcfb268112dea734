#include "scheduler/simulator/workloads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "scheduler/range.h"
#include "scheduler/simulator/launch.h"

#define COLD_NS 20000000
#define QUIET_NS 50000000 // after which all threads of the pool sleep for good

struct sim_machine workload_machine;

struct program {
    const struct workload *w;
    double *times;
    _Atomic uint32_t *running;
    bool is_tiny;
    uint64_t long_ns;
    uint64_t threads;
};

static void run_and_wait(struct launch *l, enum weft_urgency urgency)
{
    const uint64_t start = sim_now(), limit = l->task.flags & WEFT_TASK_LONG ? 0 : l->w->longest_ns;
    weft_sched_submit(&l->task, urgency);
    if (!l->w->polls)
        weft_sched_wait(&l->park, launch_is_done, l);
    while (!l->over) {
        sim_pause(l->w->polls ? POLL_NS : 10);
        if (limit && sim_now() - start > limit)
            break;
    }
    if (limit && sim_now() - start > limit)
        launch_fail("a launch took ns:", sim_now() - start);
}

static double one_launch(struct program *p, const uint64_t *cost, uint8_t *times, uint32_t groups)
{
    const struct workload *w = p->w;
    const bool is_tiny = w->tiny || p->is_tiny;
    const uint64_t start = sim_now();
    uint64_t total = 0;
    for (uint32_t i = 0; i < groups; i++)
        total += cost[i];
    struct launch l;
    launch_init(&l, w, cost, times, groups, total, w->unknown_cost ? 0 : total);
    l.task.flags = p->long_ns ? WEFT_TASK_LONG : 0;
    l.nested = w->nested && !p->is_tiny;
    run_and_wait(&l, is_tiny ? WEFT_LAZY : WEFT_URGENT);
    const uint64_t end = sim_now();
    p->threads += launch_check(&l);
    return (double)(end - start);
}

static double one_burst(struct program *p)
{
    const uint64_t start = sim_now();
    if (p->w->visitors)
        burst_run_beside_visitors(p->w);
    else
        burst_run(p->w);
    return (double)(sim_now() - start);
}

static uint32_t groups_of(const struct workload *w, uint64_t total)
{
    const uint64_t n = w->groups ? w->groups : total / GROUP_NS;
    return (uint32_t)(n ? n : 1);
}

static void run_program(void *arg)
{
    struct program *p = arg;
    const struct workload *w = p->w;
    const bool tiny = w->tiny || p->is_tiny;
    const uint64_t total = tiny          ? 200
                           : p->long_ns  ? p->long_ns
                           : w->total_ns ? w->total_ns
                                         : w->perfect_ns * workload_machine.processors;
    const uint32_t groups = tiny || p->long_ns ? 1 : groups_of(w, total);
    uint64_t *cost = malloc(groups * sizeof *cost), sum = 0;
    uint8_t *times = malloc(groups);
    for (uint32_t i = 0; i < groups; i++)
        sum += cost[i] = w->shape == EQUAL ? 1000 : UINT64_C(1000) << sim_random() % 10;
    for (uint32_t i = 0; i < groups; i++)
        cost[i] = cost[i] * total / sum + 1;
    for (uint32_t i = 0; i < w->launches; i++) {
        if (w->cold)
            sim_pause(COLD_NS);
        else if (w->gap_ns && w->polls)
            sim_pause(w->gap_ns);
        else if (w->gap_ns)
            sim_work(w->gap_ns);
        p->times[i] = w->burst ? one_burst(p) : one_launch(p, cost, times, groups);
    }
    free(cost);
    free(times);
    --*p->running;
}

static void compute_for_ever(void *arg)
{
    (void)arg;
    for (;;)
        sim_work(1000000);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void check_quiet(void)
{
    sim_pause(QUIET_NS);
    const struct sim_counts before = sim_counts();
    sim_pause(QUIET_NS);
    // This thread's own sleep is one of them.
    if (sim_counts().sleeps - before.sleeps > 1)
        launch_fail("threads that have nothing to do sleep again and again:",
                    sim_counts().sleeps - before.sleeps - 1);
    const struct weft_team *team = weft_pool_team();
    if (team->open || team->used)
        launch_fail("ranges are still open:", team->open | (uint64_t)team->used << 32);
    if (weft_pool_asleep() != weft_pool.started)
        launch_fail("threads are awake:", weft_pool.started - weft_pool_asleep());
}

struct all {
    const struct workload *w;
    struct result *out;
};

static void run_all(void *arg)
{
    const struct all *all = arg;
    const struct workload *w = all->w;
    const uint32_t programs = w->programs ? w->programs : 1, n = programs * w->launches;
    _Atomic uint32_t running = programs;
    double *times = malloc(n * sizeof *times);
    struct program *p = calloc(programs, sizeof *p);
    // The pool's threads are started before it counts.
    struct workload first = {.perfect_ns = 2000000, .launches = 3};
    double ignored[3];
    _Atomic uint32_t one = 1;
    run_program(&(struct program){&first, ignored, &one, false, 0, 0});
    for (uint32_t i = 0; i < w->neighbours; i++)
        sim_spawn(compute_for_ever, NULL);
    visitors_begin(w->visitors, !w->burst);
    const struct sim_counts before = sim_counts();
    for (uint32_t i = 0; i < programs; i++) {
        p[i] = (struct program){
            w, times + i * w->launches, &running, i < w->tiny_programs, i == 0 ? w->long_ns : 0, 0};
        if (i)
            sim_spawn(run_program, &p[i]);
    }
    run_program(&p[0]);
    while (running)
        sim_pause(100000);
    const struct sim_counts after = sim_counts();
    visitors_end();
    check_quiet();
    qsort(times, n, sizeof *times, by_value);
    struct result *r = all->out;
    r->median_ns = times[n / 2];
    r->worst_ns = times[n - 1];
    r->efficiency =
        (double)(w->perfect_ns ? w->perfect_ns : w->total_ns / workload_machine.processors) / r->median_ns;
    r->shared_writes = (double)(after.shared_writes - before.shared_writes) / n;
    r->wakes = (double)(after.wakes - before.wakes) / n;
    r->sleeps = (double)(after.sleeps - before.sleeps) / n;
    for (uint32_t i = 0; i < programs; i++)
        r->threads += (double)p[i].threads / n;
    free(times);
    free(p);
}

struct result workload_run(const struct sim_machine *machine, const struct workload *w)
{
    struct result *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    const pid_t pid = fork();
    if (pid == 0) {
        workload_machine = *machine;
        struct all all = {w, shared};
        sim_run(machine, run_all, &all);
        _exit(0);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    if (status != 0) {
        fprintf(stderr, "the simulation of %u processors with seed %llu failed: status %x\n",
                machine->processors, (unsigned long long)machine->seed, (unsigned)status);
        exit(1);
    }
    const struct result r = *shared;
    munmap(shared, sizeof *shared);
    return r;
}
