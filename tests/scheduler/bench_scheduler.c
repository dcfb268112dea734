// The cost of scheduling. To be run by hand on an idle machine. Each figure is the best of several
// repetitions.
//   bench_scheduler [repetitions]
#include "base/base.h"
#include "weft/scheduler.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct job {
    struct weft_task task;
    _Atomic uint32_t done;
    struct weft_park park;
    struct job *next;
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void nothing(struct weft_task *t, struct weft_worker *w, uint64_t first, uint64_t last)
{
    (void)t, (void)w, (void)first, (void)last;
}

static void work(struct weft_task *t, struct weft_worker *w, uint64_t first, uint64_t last)
{
    (void)t, (void)w;
    for (uint64_t i = first; i < last; i++)
        for (volatile int k = 0; k < 1000; k++)
            ;
}

static void job_done(struct weft_task *t, struct weft_worker *w)
{
    (void)w;
    struct job *j = WEFT_CONTAINER_OF(t, struct job, task);
    atomic_store_explicit(&j->done, 1, memory_order_release); // pairs with is_done
    weft_park_wake(&j->park);
}

static void chain_done(struct weft_task *t, struct weft_worker *w)
{
    struct job *j = WEFT_CONTAINER_OF(t, struct job, task);
    if (j->next)
        weft_sched_submit(&j->next->task, WEFT_LAZY);
    job_done(t, w);
}

static bool is_done(void *arg)
{
    struct job *j = arg;
    return atomic_load_explicit(&j->done, memory_order_acquire) != 0; // pairs with job_done
}

#define MANY 10000
static struct job jobs[MANY];

static void prepare(struct job *j, uint64_t count,
                    void (*run)(struct weft_task *, struct weft_worker *, uint64_t, uint64_t))
{
    *j = (struct job){.task = {.run = run, .done = job_done, .count = count, .grain = 1}};
}

static double one_launch(enum weft_urgency urgency)
{
    double start = now();
    for (int i = 0; i < MANY; i++) {
        prepare(&jobs[0], 1, nothing);
        weft_sched_submit(&jobs[0].task, urgency);
        weft_sched_wait(&jobs[0].park, is_done, &jobs[0]);
    }
    return (now() - start) / MANY;
}

static double many_launches(void)
{
    for (int i = 0; i < MANY; i++)
        prepare(&jobs[i], 1, nothing);
    double start = now();
    for (int i = 0; i < MANY; i++)
        weft_sched_submit(&jobs[i].task, WEFT_LAZY);
    for (int i = 0; i < MANY; i++)
        weft_sched_wait(&jobs[i].park, is_done, &jobs[i]);
    return (now() - start) / MANY;
}

static double chain(void)
{
    for (int i = 0; i < MANY; i++) {
        prepare(&jobs[i], 1, nothing);
        jobs[i].task.done = chain_done;
        jobs[i].next = i + 1 < MANY ? &jobs[i + 1] : NULL;
    }
    double start = now();
    weft_sched_submit(&jobs[0].task, WEFT_LAZY);
    weft_sched_wait(&jobs[MANY - 1].park, is_done, &jobs[MANY - 1]);
    return (now() - start) / MANY;
}

static double range(uint64_t units)
{
    prepare(&jobs[0], units, work);
    double start = now();
    weft_sched_submit(&jobs[0].task, WEFT_URGENT);
    weft_sched_wait(&jobs[0].park, is_done, &jobs[0]);
    return now() - start;
}

static double serial(uint64_t units)
{
    double start = now();
    work(NULL, NULL, 0, units);
    return now() - start;
}

static double pool_only(void)
{
    double start = now();
    for (int i = 0; i < 1000; i++) {
        prepare(&jobs[0], 1, nothing);
        jobs[0].task.flags = WEFT_TASK_POOL_ONLY;
        weft_sched_submit(&jobs[0].task, WEFT_LAZY);
        weft_sched_wait(&jobs[0].park, is_done, &jobs[0]);
    }
    return (now() - start) / 1000;
}

static void nap(int ms)
{
    struct timespec t = {ms / 1000, ms % 1000 * 1000000L};
    nanosleep(&t, NULL);
}

#define BEST(variable, expression) \
    {                              \
        double v_ = (expression);  \
        if (v_ < variable)         \
            variable = v_;         \
    }

int main(int argc, char **argv)
{
    int iterations = argc > 1 ? atoi(argv[1]) : 10;
    double lazy = 1e9, urgent = 1e9, many = 1e9, linked = 1e9, big = 1e9, alone = 1e9, pool = 1e9,
           small = 1e9, small1 = 1e9;
    for (int i = 0; i < iterations; i++) {
        BEST(lazy, one_launch(WEFT_LAZY))
        nap(5);
        BEST(urgent, one_launch(WEFT_URGENT))
        nap(5);
        BEST(many, many_launches())
        nap(5);
        BEST(linked, chain())
        nap(5);
        BEST(alone, serial(20000))
        BEST(big, range(20000))
        nap(5);
        BEST(small1, serial(50))
        range(50);
        BEST(small, range(50))
        BEST(pool, pool_only())
    }
    printf("threads                            %u\n", weft_sched_thread_count());
    printf("lazy submit + wait, 1 unit         %7.1f ns\n", lazy * 1e9);
    printf("urgent submit + wait, 1 unit       %7.1f ns\n", urgent * 1e9);
    printf("10000 lazy submits, then waits     %7.1f ns each\n", many * 1e9);
    printf("chain of 10000 submitted in done   %7.1f ns each\n", linked * 1e9);
    printf("pool-only submit + wait            %7.1f ns\n", pool * 1e9);
    printf("range of 20000 units               %7.2f ms, serial %.2f ms: speedup %.2f\n", big * 1e3,
           alone * 1e3, alone / big);
    printf("range of 50 units                  %7.1f us, serial %.1f us: speedup %.2f\n", small * 1e6,
           small1 * 1e6, small1 / small);
    return 0;
}
