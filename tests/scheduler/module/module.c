// A shared library that contains the scheduler, like libweft, for tests of unloading.
#include "base/base.h"
#include "weft/fault.h"
#include "weft/scheduler.h"

#include <time.h>

struct call {
    struct weft_task task;
    _Atomic uint32_t *counter; // the program's counter of units
    int microseconds;          // duration of a unit; < 0: it never ends
};

static void spin(void *arg)
{
    const struct call *c = arg;
    struct timespec start, t;
    clock_gettime(CLOCK_MONOTONIC, &start);
    do
        clock_gettime(CLOCK_MONOTONIC, &t);
    while (c->microseconds < 0 ||
           (t.tv_sec - start.tv_sec) * 1000000 + (t.tv_nsec - start.tv_nsec) / 1000 < c->microseconds);
}

static void run(struct weft_task *t, struct weft_worker *w, uint64_t first, uint64_t last)
{
    (void)w;
    struct call *c = WEFT_CONTAINER_OF(t, struct call, task);
    struct weft_fault f;
    weft_fault_install();
    for (uint64_t i = first; i < last; i++) {
        atomic_fetch_add(c->counter, 1);
        weft_fault_call(spin, c, &f);
    }
}

static void done(struct weft_task *t, struct weft_worker *w)
{
    (void)t, (void)w;
}

// Submits a task that nobody waits for.
__attribute__((visibility("default"))) void module_submit(_Atomic uint32_t *counter, uint64_t units,
                                                          int microseconds, int urgent);
void module_submit(_Atomic uint32_t *counter, uint64_t units, int microseconds, int urgent)
{
    // Static, because the scheduler doesn't return what it drops at unload.
    static struct call calls[64];
    static _Atomic unsigned used;
    struct call *c = &calls[atomic_fetch_add(&used, 1) % 64];
    c->task = (struct weft_task){.run = run, .done = done, .count = units, .grain = 1};
    c->counter = counter;
    c->microseconds = microseconds;
    weft_sched_submit(&c->task, urgent ? WEFT_URGENT : WEFT_LAZY);
}

static bool reached(void *arg)
{
    return atomic_load((_Atomic uint32_t *)arg) != 0;
}

// Waits and helps until the counter isn't 0. Then the calling thread has the state of a helping thread.
__attribute__((visibility("default"))) void module_wait(_Atomic uint32_t *counter);
void module_wait(_Atomic uint32_t *counter)
{
    static struct weft_park park;
    weft_sched_wait(&park, reached, counter);
}
