// Domains. Their tasks run on their processors, on their threads, and on no others. They are created and
// destroyed at any time. Also the places that they are made from, on synthetic machines.
// timeout: 60
#include "base/base.h"
#include "scheduler/internal.h"
#include "harness.h"

#include <sched.h>
#include <sys/resource.h>

struct job {
    struct weft_task task;
    struct weft_park park;
    _Atomic uint64_t units;
    _Atomic uint32_t elsewhere,
        on_app; // counts of ranges on processors outside the domain, and on threads outside it
    _Atomic bool done, released;
    int cpu; // the processor on which it may run; -1: any
    struct weft_domain *to_destroy;
    struct job *inside; // the range with unit 0 submits this job and waits for it
};

static bool is_done(void *arg)
{
    return atomic_load(&((struct job *)arg)->done);
}

static void job_run(struct weft_task *t, struct weft_worker *w, uint64_t first, uint64_t last)
{
    struct job *j = WEFT_CONTAINER_OF(t, struct job, task);
    CHECK_LT(first, last);
    if (!w->is_pool)
        atomic_fetch_add(&j->on_app, 1);
    if (j->cpu >= 0 && sched_getcpu() != j->cpu)
        atomic_fetch_add(&j->elsewhere, 1);
    if (j->inside && first == 0) {
        weft_sched_submit_inside(&j->inside->task);
        weft_sched_wait(&j->inside->park, is_done, j->inside);
    }
    atomic_fetch_add(&j->units, last - first);
}

static void job_done(struct weft_task *t, struct weft_worker *w)
{
    (void)w;
    struct job *j = WEFT_CONTAINER_OF(t, struct job, task);
    weft_domain_destroy(j->to_destroy);
    atomic_store(&j->done, true);
    weft_park_wake(&j->park);
    atomic_store(&j->released, true);
}

static struct job job_of(uint64_t count, int cpu)
{
    return (struct job){.task = {.run = job_run, .done = job_done, .count = count, .grain = 1}, .cpu = cpu};
}

static void finish(struct job *j)
{
    weft_sched_wait(&j->park, is_done, j);
    while (!atomic_load(&j->released))
        sched_yield();
    CHECK_EQ(atomic_load(&j->units), j->task.count);
    CHECK_EQ(atomic_load(&j->elsewhere), 0);
}

static struct weft_domain *domain_of(uint32_t first, uint32_t count)
{
    uint32_t unit[64];
    for (uint32_t i = 0; i < count; i++)
        unit[i] = first + i;
    struct weft_domain *d = weft_domain_create(unit, count);
    CHECK(d != NULL);
    return d;
}

TEST(tasks_run_on_their_processors_only)
{
    const struct weft_places *p = weft_topology_places();
    CHECK(p != NULL);
    for (uint32_t u = 0; u < p->count && u < 4; u++) {
        struct weft_domain *d = domain_of(u, 1);
        CHECK_EQ(weft_domain_thread_count(d), 1);
        for (uint64_t n = 0; n < (uint64_t)HARNESS_SCALE(2000) + 5; n++) {
            struct job j = job_of(n % 50, (int)p->cpu[u]);
            weft_domain_submit(d, &j.task, n % 3 ? WEFT_LAZY : WEFT_URGENT);
            finish(&j);
            CHECK_EQ(atomic_load(&j.on_app), 0);
        }
        weft_domain_destroy(d);
    }
}

TEST(what_a_task_waits_for_runs_there_too)
{
    const struct weft_places *p = weft_topology_places();
    struct weft_domain *d = domain_of(0, 1); // its only thread does both
    for (int n = 0; n < 100; n++) {
        struct job inner = job_of(100, (int)p->cpu[0]), j = job_of(3, (int)p->cpu[0]);
        j.inside = &inner;
        weft_domain_submit(d, &j.task, WEFT_LAZY);
        finish(&j);
        finish(&inner);
        CHECK_EQ(atomic_load(&inner.on_app), 0);
    }
    weft_domain_destroy(d);
}

TEST(a_large_range_runs_on_all_threads_of_a_domain)
{
    const struct weft_places *p = weft_topology_places();
    struct weft_domain *d = domain_of(0, p->count);
    for (int n = 0; n < 200; n++) {
        struct job j = job_of(10000, -1);
        weft_domain_submit(d, &j.task, WEFT_URGENT);
        finish(&j);
        CHECK_EQ(atomic_load(&j.on_app), 0);
    }
    weft_domain_destroy(d);
}

TEST(a_domain_may_be_destroyed_by_its_own_task)
{
    for (int n = 0; n < 50; n++) {
        struct job j = job_of(1, -1);
        j.to_destroy = domain_of(0, 1);
        weft_domain_submit(j.to_destroy, &j.task, WEFT_LAZY);
        finish(&j);
    }
}

struct handover {
    struct weft_domain *_Atomic domain;
    struct job *job;
    _Atomic bool over;
};

static void *submit_what_comes(void *arg)
{
    struct handover *h = arg;
    while (!atomic_load(&h->over)) {
        struct weft_domain *d = atomic_exchange(&h->domain, NULL);
        if (d)
            weft_domain_submit(d, &h->job->task, WEFT_URGENT);
        else
            sched_yield();
    }
    return NULL;
}

// Fails under the sanitizers if the waiting thread destroys what the submitting thread still uses.
TEST(a_domain_may_be_destroyed_before_the_submit_returns)
{
    struct handover h = {0};
    pthread_t other;
    CHECK_EQ(pthread_create(&other, NULL, submit_what_comes, &h), 0);
    for (int n = 0; n < HARNESS_SCALE(500); n++) {
        struct job j = job_of(2, -1);
        h.job = &j;
        struct weft_domain *d = domain_of(0, 1);
        atomic_store(&h.domain, d);
        while (!atomic_load(&j.released))
            ;
        weft_domain_destroy(d);
        CHECK_EQ(atomic_load(&j.units), 2);
    }
    atomic_store(&h.over, true);
    pthread_join(other, NULL);
}

TEST(a_child_has_threads_of_its_own)
{
    if (HARNESS_TSAN)
        SKIP("the thread sanitizer has no threads after a fork");
    struct weft_domain *d = domain_of(0, 1);
    struct job j = job_of(7, -1);
    weft_domain_submit(d, &j.task, WEFT_LAZY);
    finish(&j);
    pid_t child = fork();
    CHECK_GE(child, 0);
    if (child == 0) {
        struct job k = job_of(7, -1);
        weft_domain_submit(d, &k.task, WEFT_LAZY);
        finish(&k);
        CHECK_EQ(atomic_load(&k.on_app), 0);
        weft_domain_destroy(d);
        _exit(0);
    }
    int status;
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK_EQ(status, 0);
    weft_domain_destroy(d);
}

// See lifecycle.c.
TEST(without_threads_the_waiting_thread_goes_to_the_processors)
{
    if (HARNESS_ASAN || HARNESS_TSAN)
        SKIP("the sanitizers need address space");
    const struct weft_places *p = weft_topology_places();
    uint32_t u = p->count - 1;
    struct weft_domain *d = domain_of(u, 1);
    struct rlimit old, limit;
    getrlimit(RLIMIT_AS, &old);
    FILE *f = fopen("/proc/self/statm", "re");
    unsigned long pages = 0;
    CHECK_EQ(fscanf(f, "%lu", &pages), 1);
    fclose(f);
    limit = old;
    limit.rlim_cur =
        pages * (unsigned long)sysconf(_SC_PAGESIZE) + (4 << 20); // not enough for a stack of 8 MiB
    CHECK_EQ(setrlimit(RLIMIT_AS, &limit), 0);
    cpu_set_t before, after;
    CHECK_EQ(sched_getaffinity(0, sizeof before, &before), 0);
    struct job j = job_of(1000, (int)p->cpu[u]);
    weft_domain_submit(d, &j.task, WEFT_URGENT);
    finish(&j);
    CHECK_GE(atomic_load(&j.on_app), 1);
    CHECK_EQ(sched_getaffinity(0, sizeof after, &after), 0);
    CHECK(CPU_EQUAL(&before, &after));
    setrlimit(RLIMIT_AS, &old); // when there is space again, threads start
    usleep(20000);
    struct job k = job_of(1000, (int)p->cpu[u]);
    weft_domain_submit(d, &k.task, WEFT_URGENT);
    finish(&k);
    CHECK_EQ(atomic_load(&k.on_app), 0);
    weft_domain_destroy(d);
}

TEST(every_allocation_may_fail)
{
    CHECK(weft_topology_places() != NULL);
    bool made = false;
    for (uint64_t n = 1; !made; n++) {
        CHECK_LT(n, 20);
        uint32_t unit = 0;
        weft_alloc_fail_at(n);
        struct weft_domain *d = weft_domain_create(&unit, 1);
        weft_alloc_fail_at(0);
        made = d != NULL;
        weft_domain_destroy(d);
    }
}

TEST(exit_with_domains_at_work)
{
    static struct job jobs[20];
    struct weft_domain *d = domain_of(0, 1);
    for (size_t i = 0; i < WEFT_COUNT_OF(jobs); i++) {
        jobs[i] = job_of(100000, -1);
        weft_domain_submit(d, &jobs[i].task, WEFT_URGENT);
    }
    exit(0);
}

// ---- Places ----

static void check_level(const struct weft_places *p, int level, uint32_t per_node)
{
    CHECK(p->at[level] != NULL);
    for (uint32_t i = 1; i < p->count; i++)
        CHECK_EQ(p->at[level][i] != p->at[level][i - 1], i % per_node == 0);
}

TEST(places_of_a_machine_with_everything)
{
    struct weft_places p;
    CHECK(weft_topology_read_places(&p, "numa:2 l4:2 l3:2 l2:2 l1:2 core:1 pu:2", 1000));
    CHECK_EQ(p.count, 64);
    CHECK(p.synthetic);
    check_level(&p, WEFT_LEVEL_NUMA, 32);
    check_level(&p, WEFT_LEVEL_L4, 16);
    check_level(&p, WEFT_LEVEL_L3, 8);
    check_level(&p, WEFT_LEVEL_L2, 4);
    check_level(&p, WEFT_LEVEL_L1, 2);
    weft_places_fini(&p);
}

TEST(places_of_a_machine_without_some_levels)
{
    struct weft_places p;
    CHECK(weft_topology_read_places(&p, "l2:3 core:2 pu:1", 1000));
    CHECK_EQ(p.count, 6);
    CHECK(p.at[WEFT_LEVEL_L4] == NULL);
    CHECK(p.at[WEFT_LEVEL_L3] == NULL);
    CHECK(p.at[WEFT_LEVEL_L1] == NULL);
    check_level(&p, WEFT_LEVEL_L2, 2);
    weft_places_fini(&p);
}

TEST(no_more_places_than_the_process_may_use)
{
    struct weft_places p;
    CHECK(weft_topology_read_places(&p, "numa:2 core:4 pu:1", 3));
    CHECK_EQ(p.count, 3);
    weft_places_fini(&p);
    CHECK(weft_topology_read_places(&p, NULL, 1));
    CHECK_EQ(p.count, 1);
    CHECK(weft_cpu_is_allowed(p.cpu[0]));
    weft_places_fini(&p);
}
