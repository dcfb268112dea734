// Each task runs once and completely, and each waiting thread returns.
// timeout: 60
#include "base/base.h"
#include "harness.h"
#include "scheduler/internal.h"
#include "weft/fault.h"
#include "weft/scheduler.h"

#include <pthread.h>
#include <sched.h>

struct job {
    struct weft_task task;
    _Atomic uint32_t done;
    _Atomic uint64_t units;
    _Atomic uint32_t on_app; // ranges that ran on threads outside the pool
    struct weft_park park;
    _Atomic uint8_t *seen; // one element for each unit
    struct job *next;
    int sleep_us;
    struct job *until;                 // runs until that job is done
    _Atomic int running, most_running; // pieces that run at the same time
    _Atomic bool released;             // the scheduler's threads don't use it any more
};

static void job_run(struct weft_task *t, struct weft_worker *w, uint64_t first, uint64_t last)
{
    struct job *j = WEFT_CONTAINER_OF(t, struct job, task);
    CHECK_LT(first, last);
    CHECK_LE(last, t->count);
    if (!w->is_pool)
        atomic_fetch_add(&j->on_app, 1);
    CHECK_EQ(w->is_pool, w->index < weft_sched_thread_count());
    for (uint64_t i = first; j->seen && i < last; i++)
        atomic_fetch_add(&j->seen[i], 1);
    if (j->sleep_us) {
        int running = atomic_fetch_add(&j->running, 1) + 1, most = j->most_running;
        while (most < running && !atomic_compare_exchange_weak(&j->most_running, &most, running))
            ;
        usleep((unsigned)j->sleep_us);
        atomic_fetch_sub(&j->running, 1);
    }
    if (j->until) {
        atomic_store(&j->running, 1);
        while (!atomic_load(&j->until->done))
            usleep(100);
    }
    atomic_fetch_add(&j->units, last - first);
}

static void job_done(struct weft_task *t, struct weft_worker *w)
{
    (void)w;
    struct job *j = WEFT_CONTAINER_OF(t, struct job, task);
    CHECK_EQ(atomic_load(&j->units), t->count);
    CHECK_EQ(atomic_fetch_add(&j->done, 1), 0);
    if (j->next)
        weft_sched_submit(&j->next->task, WEFT_LAZY);
    weft_park_wake(&j->park);
    atomic_store(&j->released, true);
}

static bool is_done(void *arg)
{
    return atomic_load(&((struct job *)arg)->done) != 0;
}

static struct job job_of(uint64_t count, uint64_t grain)
{
    return (struct job){.task = {.run = job_run, .done = job_done, .count = count, .grain = grain}};
}

static void wait_for(struct job *j)
{
    weft_sched_wait(&j->park, is_done, j);
    while (!atomic_load(&j->released)) // `park` must outlive the call that wakes its waiters
        sched_yield();
}

TEST(an_empty_task_is_done_without_running)
{
    struct job j = job_of(0, 1);
    weft_sched_submit(&j.task, WEFT_LAZY);
    wait_for(&j);
    CHECK_EQ(j.units, 0);
    CHECK_EQ(j.done, 1);
}

TEST(every_unit_runs_exactly_once)
{
    static const uint64_t counts[] = {1, 2, 3, 7, 64, 1000, 4096, 100003}, grains[] = {1, 3, 64, 5000};
    for (size_t c = 0; c < WEFT_COUNT_OF(counts); c++) {
        for (size_t g = 0; g < WEFT_COUNT_OF(grains); g++) {
            struct job j = job_of(counts[c], grains[g]);
            j.seen = calloc(counts[c], 1);
            weft_sched_submit(&j.task, g % 2 ? WEFT_LAZY : WEFT_URGENT);
            wait_for(&j);
            for (uint64_t i = 0; i < counts[c]; i++)
                CHECK_EQ(j.seen[i], 1);
            free((void *)j.seen);
        }
    }
}

TEST(ranges_begin_at_multiples_of_the_grain)
{
    struct job j = job_of(100000, 64);
    weft_sched_submit(&j.task, WEFT_URGENT);
    wait_for(&j);
    CHECK_EQ(j.units, 100000);
}

TEST(lazy_work_starts_though_nobody_waits)
{
    for (int i = 0; i < 20; i++) {
        struct job j = job_of(1, 1);
        double start = harness_seconds();
        weft_sched_submit(&j.task, WEFT_LAZY);
        while (!is_done(&j) && harness_seconds() - start < 5)
            usleep(100);
        CHECK(is_done(&j));
        wait_for(&j);
        usleep((unsigned)i % 4 * 1000); // so the pool is dozing or parked
    }
}

TEST(lazy_work_starts_though_a_worker_is_busy)
{
    if (weft_sched_thread_count() < 2)
        SKIP("one processor only");
    struct job slow = job_of(1, 1), quick = job_of(1, 1);
    slow.task.flags = WEFT_TASK_POOL_ONLY;
    slow.until = &quick;
    weft_sched_submit(&slow.task, WEFT_URGENT);
    while (!atomic_load(&slow.running))
        usleep(100);
    weft_sched_submit(&quick.task, WEFT_LAZY);
    for (int i = 0; i < 20000 && !is_done(&quick); i++)
        usleep(1000);
    CHECK(is_done(&quick));
    wait_for(&quick);
    wait_for(&slow);
}

TEST(pool_only_work_stays_on_the_pool)
{
    for (int i = 0; i < 200; i++) {
        struct job j = job_of(i % 3 ? 1 : 50, 1);
        j.task.flags = WEFT_TASK_POOL_ONLY;
        weft_sched_submit(&j.task, WEFT_LAZY);
        wait_for(&j);
        CHECK_EQ(j.on_app, 0);
    }
}

TEST(a_small_task_runs_on_the_thread_that_waits)
{
    int on_app = 0;
    for (int i = 0; i < 1000; i++) {
        struct job j = job_of(1, 1);
        weft_sched_submit(&j.task, WEFT_LAZY);
        wait_for(&j);
        on_app += (int)j.on_app;
    }
    CHECK_GT(on_app, 500);
}

TEST(a_long_chain_runs_without_deep_recursion)
{
    enum { LENGTH = HARNESS_SCALE(100000) };
    struct job *jobs = calloc(LENGTH, sizeof *jobs);
    for (int i = 0; i < LENGTH; i++) {
        jobs[i] = job_of(i % 50 == 0 ? 40 : 1, 1);
        jobs[i].next = i + 1 < LENGTH ? &jobs[i + 1] : NULL;
    }
    weft_sched_submit(&jobs[0].task, WEFT_LAZY);
    wait_for(&jobs[LENGTH - 1]);
    for (int i = 0; i < LENGTH; i++)
        wait_for(&jobs[i]);
    free(jobs);
}

TEST(a_waiter_leaves_a_chain_when_its_own_task_is_done)
{
    enum { LENGTH = 100 };
    static struct job jobs[LENGTH];
    for (int i = 0; i < LENGTH; i++) {
        jobs[i] = job_of(1, 1);
        jobs[i].sleep_us = i > 10 ? 20000 : 0;
        jobs[i].next = i + 1 < LENGTH ? &jobs[i + 1] : NULL;
    }
    double start = harness_seconds();
    weft_sched_submit(&jobs[0].task, WEFT_LAZY);
    wait_for(&jobs[5]);
    CHECK_LT(harness_seconds() - start, 1.0);
    wait_for(&jobs[LENGTH - 1]);
}

// A task that waits for another one inside `run`. All pool threads may be in such a wait at once.
struct nest {
    struct job job;
    struct job inner[4];
    int depth;
};

static void nest_run(struct weft_task *t, struct weft_worker *w, uint64_t first, uint64_t last)
{
    struct job *j = WEFT_CONTAINER_OF(t, struct job, task);
    struct nest *n = WEFT_CONTAINER_OF(j, struct nest, job);
    char *arena = weft_worker_arena(w, 1000);
    CHECK(arena != NULL);
    memset(arena, n->depth, 1000);
    for (int i = 0; i < 4; i++) {
        n->inner[i] = job_of(10, 1);
        n->inner[i].task.flags = i == 3 ? WEFT_TASK_POOL_ONLY : 0;
        weft_sched_submit(&n->inner[i].task, WEFT_LAZY);
    }
    for (int i = 0; i < 4; i++)
        wait_for(&n->inner[i]);
    for (int i = 0; i < 1000; i++)
        CHECK_EQ(arena[i], n->depth); // no other thread has used this thread's arena meanwhile
    job_run(t, w, first, last);
}

TEST(waits_inside_tasks_do_not_deadlock)
{
    enum { COUNT = 50 };
    static struct nest nests[COUNT];
    for (int i = 0; i < COUNT; i++) {
        nests[i].job = job_of(1, 1);
        nests[i].job.task.run = nest_run;
        nests[i].job.task.flags = i % 2 ? WEFT_TASK_POOL_ONLY : 0;
        nests[i].depth = i;
        weft_sched_submit(&nests[i].job.task, WEFT_URGENT);
    }
    for (int i = 0; i < COUNT; i++)
        wait_for(&nests[i].job);
}

TEST(the_arena_grows_and_is_aligned)
{
    struct weft_worker w = {0};
    for (size_t n = 1; n < 1u << 22; n *= 3) {
        char *p = weft_worker_arena(&w, n);
        CHECK(p != NULL);
        CHECK_EQ((uintptr_t)p % 128, 0);
        CHECK_GE(w.arena_size, n);
        memset(p, 1, n);
    }
    char *p = w.arena;
    CHECK_EQ(weft_worker_arena(&w, 10), p);
    CHECK_EQ(weft_worker_arena(&w, SIZE_MAX - 1), (void *)NULL);
    weft_worker_arena_free(&w);
}

static void write_byte(void *at)
{
    *(volatile char *)at = 1;
}

TEST(beside_the_arena_is_what_can_be_read_and_not_written)
{
    struct weft_worker w = {0};
    char *p = weft_worker_arena(&w, 5000);
    CHECK(p != NULL);
    for (size_t i = 1; i <= 16384; i++)
        CHECK_EQ(p[-(ptrdiff_t)i] | p[w.arena_size + i - 1], 0);
    if (!HARNESS_TSAN) {
        struct weft_fault fault;
        weft_fault_install();
        CHECK(!weft_fault_call(write_byte, p - 1, &fault));
        CHECK(!weft_fault_call(write_byte, p + w.arena_size, &fault));
        CHECK(weft_fault_call(write_byte, p, &fault));
    }
    weft_worker_arena_free(&w);
}

TEST(a_big_range_uses_every_processor)
{
    if (weft_sched_thread_count() < 2)
        SKIP("one processor only");
    int most = 0, all = (int)weft_pool_processors();
    for (int round = 0; round < 20 && most < all; round++) { // a thread may start slowly
        struct job j = job_of(40, 1);
        j.sleep_us = 10000; // it sleeps, so it occupies threads but no processors
        weft_sched_submit(&j.task, WEFT_URGENT);
        wait_for(&j);
        most = j.most_running;
    }
    // The waiting thread works too, so not all pool threads need be woken.
    CHECK_GE(most, all);
}

static void *submit_and_wait(void *arg)
{
    struct job *j = arg;
    weft_sched_submit(&j->task, WEFT_LAZY);
    wait_for(j);
    return NULL;
}

enum { ROUNDS = 20 };

// Another application thread and a thread of the pool are in long tasks. So there are as many busy threads as
// processors. Returns how many ranges took long; -1: the pool's threads ran both tasks.
static int ranges_beside_long_tasks(void)
{
    struct job last = job_of(1, 1), in_pool = job_of(1, 1), on_app = job_of(1, 1);
    in_pool.until = on_app.until = &last;
    in_pool.task.flags = WEFT_TASK_LONG | WEFT_TASK_POOL_ONLY;
    on_app.task.flags = WEFT_TASK_LONG;
    weft_sched_submit(&in_pool.task, WEFT_URGENT);
    while (!atomic_load(&in_pool.running))
        usleep(100);
    pthread_t helper;
    CHECK_EQ(pthread_create(&helper, NULL, submit_and_wait, &on_app), 0);
    while (!atomic_load(&on_app.running))
        usleep(100);
    int slow = atomic_load(&on_app.on_app) ? 0 : -1;
    for (int round = 0; slow >= 0 && round < ROUNDS; round++) {
        struct job range = job_of(64, 1);
        const double start = harness_seconds();
        weft_sched_submit(&range.task, WEFT_URGENT);
        wait_for(&range);
        slow += harness_seconds() - start > 0.01;
    }
    weft_sched_submit(&last.task, WEFT_URGENT);
    wait_for(&last);
    wait_for(&in_pool);
    pthread_join(helper, NULL);
    return slow;
}

TEST(ranges_beside_long_tasks_begin_at_once)
{
    setenv("WEFT_THREADS", "2", 1);
    weft_config_reload();
    if (weft_pool_processors() < 2)
        SKIP("one processor only");
    int slow = -1;
    for (int i = 0; slow < 0 && i < 100; i++)
        slow = ranges_beside_long_tasks();
    CHECK_GE(slow, 0);
    CHECK_LT(slow, ROUNDS / 2);
}

struct visit {
    struct job range;
    struct weft_park park;
    _Atomic bool over;
};

static bool is_over(void *arg)
{
    return atomic_load(&((struct visit *)arg)->over);
}

static void *begin_range_and_leave(void *arg)
{
    struct visit *v = arg;
    weft_sched_submit(&v->range.task, WEFT_LAZY);
    weft_sched_wait(&v->park, is_over, v);
    return NULL;
}

// False: the application's thread didn't help.
static bool begin_range_beside_long_task(void)
{
    struct visit v = {.range = job_of(64, 1)};
    struct job in_pool = job_of(1, 1);
    v.range.sleep_us = 1000;
    in_pool.until = &v.range;
    in_pool.task.flags = WEFT_TASK_LONG | WEFT_TASK_POOL_ONLY;
    weft_sched_submit(&in_pool.task, WEFT_URGENT);
    while (!atomic_load(&in_pool.running))
        usleep(100);
    usleep(300); // then the other thread dozes
    pthread_t helper;
    CHECK_EQ(pthread_create(&helper, NULL, begin_range_and_leave, &v), 0);
    while (!atomic_load(&v.range.most_running))
        usleep(100);
    atomic_store(&v.over, true);
    weft_park_wake(&v.park);
    pthread_join(helper, NULL);
    const double start = harness_seconds();
    while (!is_done(&v.range) && harness_seconds() - start < 10)
        usleep(100);
    CHECK(is_done(&v.range));
    wait_for(&v.range);
    wait_for(&in_pool);
    return v.range.on_app != 0;
}

// An application thread helps while it waits for something else, and leaves the range when that has happened.
// One thread of the pool is in a long task, so it is for the other one to go on.
TEST(a_range_goes_on_when_its_helper_leaves)
{
    setenv("WEFT_THREADS", "2", 1);
    weft_config_reload();
    if (weft_pool_processors() < 2)
        SKIP("one processor only");
    struct job first = job_of(64, 1);
    first.sleep_us = 1000;
    weft_sched_submit(&first.task, WEFT_URGENT); // starts the threads
    wait_for(&first);
    bool helped = false;
    for (int i = 0; !helped && i < 100; i++)
        helped = begin_range_beside_long_task();
    CHECK(helped);
}

// ---- Several ranges ----

// Sleeps in each unit, and is known to take as long.
static struct job slow_range(uint64_t units)
{
    struct job j = job_of(units, 1);
    j.sleep_us = 1000;
    j.task.cost = units * 1000000;
    return j;
}

static void begin(struct job *j)
{
    weft_sched_submit(&j->task, WEFT_URGENT);
    while (!atomic_load(&j->most_running))
        usleep(100);
}

TEST(a_short_range_does_not_wait_for_a_long_one)
{
    setenv("WEFT_THREADS", "2", 1);
    weft_config_reload();
    struct job longer = slow_range(2000);
    begin(&longer);
    for (int i = 0; i < 10; i++) {
        struct job shorter = slow_range(4);
        weft_sched_submit(&shorter.task, WEFT_URGENT);
        while (!is_done(&shorter)) // this thread doesn't help
            usleep(100);
        CHECK(!is_done(&longer));
        wait_for(&shorter);
    }
    wait_for(&longer);
}

static void *submit_short_ranges(void *arg)
{
    struct job *longer = arg;
    while (!is_done(longer)) {
        struct job shorter = slow_range(4);
        weft_sched_submit(&shorter.task, WEFT_URGENT);
        wait_for(&shorter);
    }
    return NULL;
}

// There are always more short ranges than there are threads.
TEST(a_long_range_ends_beside_many_short_ones)
{
    setenv("WEFT_THREADS", "2", 1);
    weft_config_reload();
    struct job longer = slow_range(200);
    pthread_t threads[4];
    begin(&longer);
    for (int i = 0; i < 4; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, submit_short_ranges, &longer), 0);
    const double start = harness_seconds();
    while (!is_done(&longer) && harness_seconds() - start < 20)
        usleep(1000);
    CHECK(is_done(&longer));
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    wait_for(&longer);
}

// ---- Stress ----

enum { PRODUCERS = 6, ITERATIONS = HARNESS_SCALE(4000) };

static void *produce(void *arg)
{
    uint64_t seed = (uintptr_t)arg * 77 + 1;
    for (int round = 0; round < ITERATIONS; round++) {
        struct job jobs[8];
        int n = (int)(harness_random(&seed) % 8) + 1;
        for (int i = 0; i < n; i++) {
            uint64_t r = harness_random(&seed);
            jobs[i] = job_of(r % 7 == 0 ? r / 8 % 300 : 1, r / 4096 % 4 + 1);
            jobs[i].task.flags = r / 65536 % 5 == 0 ? WEFT_TASK_POOL_ONLY : 0;
            weft_sched_submit(&jobs[i].task, r >> 20 & 1 ? WEFT_LAZY : WEFT_URGENT);
        }
        if (harness_random(&seed) % 50 == 0)
            usleep((useconds_t)(harness_random(&seed) % 3000));
        if (harness_random(&seed) % 10 == 0)
            weft_sched_flush();
        for (int i = n; i-- > 0;)
            wait_for(&jobs[i]);
        for (int i = 0; i < n; i++)
            CHECK_EQ(jobs[i].done, 1);
    }
    return NULL;
}

TEST(many_threads_submit_and_wait_at_random)
{
    pthread_t threads[PRODUCERS];
    for (uintptr_t i = 0; i < PRODUCERS; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, produce, (void *)(i + 1)), 0);
    for (int i = 0; i < PRODUCERS; i++)
        pthread_join(threads[i], NULL);
}

TEST(the_same_with_one_worker)
{
    setenv("WEFT_THREADS", "1", 1);
    weft_config_reload();
    CHECK_EQ(weft_sched_thread_count(), 1);
    pthread_t threads[PRODUCERS];
    for (uintptr_t i = 0; i < PRODUCERS; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, produce, (void *)(i + 1)), 0);
    for (int i = 0; i < PRODUCERS; i++)
        pthread_join(threads[i], NULL);
}

TEST(the_same_with_nine_workers)
{
    setenv("WEFT_THREADS", "9", 1);
    weft_config_reload();
    CHECK_EQ(weft_sched_thread_count(), 9);
    pthread_t threads[PRODUCERS];
    for (uintptr_t i = 0; i < PRODUCERS; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, produce, (void *)(i + 1)), 0);
    for (int i = 0; i < PRODUCERS; i++)
        pthread_join(threads[i], NULL);
}
