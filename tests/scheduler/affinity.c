// Processors that are taken away from the process while it runs, and given back; threads that are bound;
// threads beside other programs.
#include "base/base.h"
#include "scheduler/internal.h"
#include "harness.h"

#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

struct job {
    struct weft_task task;
    _Atomic bool done, released;
    struct weft_park park;
    _Atomic uint64_t units;
};

static void job_run(struct weft_task *t, struct weft_worker *w, uint64_t first, uint64_t last)
{
    (void)w;
    struct job *j = WEFT_CONTAINER_OF(t, struct job, task);
    for (uint64_t i = first; i < last; i++) {
        const uint64_t end = weft_time_now() + 10000;
        while (weft_time_now() < end)
            ;
    }
    atomic_fetch_add(&j->units, last - first);
}

static void job_done(struct weft_task *t, struct weft_worker *w)
{
    (void)w;
    struct job *j = WEFT_CONTAINER_OF(t, struct job, task);
    atomic_store(&j->done, true);
    weft_park_wake(&j->park);
    atomic_store(&j->released, true);
}

static bool is_done(void *arg)
{
    return atomic_load(&((struct job *)arg)->done);
}

// flags: of the task.
static void launch(uint32_t flags)
{
    enum { UNITS = 100 };
    struct job *j = weft_zalloc(sizeof *j);
    CHECK(j != NULL);
    j->task = (struct weft_task){
        .run = job_run, .done = job_done, .count = UNITS, .cost = UNITS * 10000, .flags = flags};
    weft_sched_submit(&j->task, WEFT_URGENT);
    weft_sched_wait(&j->park, is_done, j);
    CHECK_EQ(j->units, UNITS);
    while (!atomic_load(&j->released))
        sched_yield();
    weft_free(j);
}

TEST(the_log_says_how_many_threads_there_are)
{
    char name[] = "/tmp/weft-test-XXXXXX", text[4096], want[128];
    const int file = mkstemp(name), err = dup(2);
    CHECK(file >= 0 && err >= 0 && unlink(name) == 0);
    setenv("WEFT_THREADS", "3", 1);
    setenv("WEFT_LOG", "info", 1);
    weft_config_reload();
    const uint32_t cpus = weft_cpus_of_thread();
    CHECK(dup2(file, 2) == 2);
    launch(0);
    CHECK(dup2(err, 2) == 2);
    const ssize_t size = pread(file, text, sizeof text - 1, 0);
    CHECK(size > 0);
    text[size] = '\0';
    snprintf(want, sizeof want, "at most 3 threads run kernels; processors in the affinity mask: %u", cpus);
    CHECK_CONTAINS(text, want);
    close(file);
    close(err);
}

// Launches until the pool counts n processors.
static void expect_processors(uint32_t n)
{
    const double begun = harness_seconds();
    while (weft_pool_processors() != n && harness_seconds() - begun < 30)
        launch(0);
    CHECK_EQ(weft_pool_processors(), n);
    for (int i = 0; i < 20; i++)
        launch(0);
    CHECK_EQ(weft_pool_processors(), n);
}

// As taskset --all-tasks does.
static void bind_all_threads(const cpu_set_t *set)
{
    DIR *d = opendir("/proc/self/task");
    CHECK(d != NULL);
    for (struct dirent *e; (e = readdir(d));)
        if (atoi(e->d_name) > 0)
            sched_setaffinity(atoi(e->d_name), sizeof *set, set);
    closedir(d);
}

static cpu_set_t all_processors(void)
{
    cpu_set_t all;
    if (sched_getaffinity(0, sizeof all, &all) != 0 || CPU_COUNT(&all) < 2 || weft_cpus_allowed("/") < 2)
        SKIP("there is one processor");
    return all;
}

static cpu_set_t first_of(const cpu_set_t *all)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int cpu = 0; CPU_COUNT(&one) == 0; cpu++)
        if (CPU_ISSET(cpu, all))
            CPU_SET(cpu, &one);
    return one;
}

TEST(processors_may_go_away_and_come_back)
{
    const cpu_set_t all = all_processors(), one = first_of(&all);
    const uint32_t at_first = weft_pool_processors();
    expect_processors(at_first);
    for (int i = 0; i < 2; i++) {
        bind_all_threads(&one);
        const uint32_t lost = (uint32_t)CPU_COUNT(&all) - 1;
        expect_processors(at_first > lost ? at_first - lost : 1);
        bind_all_threads(&all);
        expect_processors(at_first);
    }
}

// Threads start when there is work for them, also while processors are missing.
TEST(threads_that_start_late_know_what_is_missing)
{
    const cpu_set_t all = all_processors(), one = first_of(&all);
    const uint32_t at_first = weft_pool_processors(), lost = (uint32_t)CPU_COUNT(&all) - 1;
    weft_pool_want_threads(1);
    expect_processors(at_first);
    bind_all_threads(&one);
    weft_pool_want_threads(at_first);
    expect_processors(at_first > lost ? at_first - lost : 1);
    bind_all_threads(&all);
    expect_processors(at_first);
}

TEST(a_thread_that_is_bound_later_costs_the_others_nothing)
{
    const cpu_set_t all = all_processors(), one = first_of(&all);
    const uint32_t at_first = weft_pool_processors();
    CHECK_EQ(sched_setaffinity(0, sizeof one, &one), 0); // the application's thread
    expect_processors(at_first);
}

// Another program's thread on the last processor.
static pid_t start_neighbour(const cpu_set_t *all)
{
    cpu_set_t last = *all;
    for (int cpu = 0; CPU_COUNT(&last) > 1; cpu++)
        CPU_CLR(cpu, &last);
    const pid_t pid = fork();
    CHECK(pid >= 0);
    if (pid != 0)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sched_setaffinity(0, sizeof last, &last);
    for (volatile unsigned i = 0;; i++)
        ;
}

// Beside another program Linux may leave two of our threads on one processor.
TEST(threads_of_the_pool_keep_apart)
{
    const cpu_set_t all = all_processors();
    cpu_set_t two = first_of(&all), one = two;
    for (int cpu = 0; CPU_COUNT(&two) < 2; cpu++)
        if (CPU_ISSET(cpu, &all))
            CPU_SET(cpu, &two);
    CHECK_EQ(sched_setaffinity(0, sizeof two, &two), 0); // two processors are enough for this
    setenv("WEFT_THREADS", "2", 1);
    weft_config_reload();
    const pid_t neighbour = start_neighbour(&two);
    const double begun = harness_seconds();
    while (atomic_load(&weft_pool.moves) == 0 && harness_seconds() - begun < 30) {
        bind_all_threads(&one);
        bind_all_threads(&two);
        launch(WEFT_TASK_POOL_ONLY); // the application's thread doesn't help
    }
    kill(neighbour, SIGKILL);
    waitpid(neighbour, NULL, 0);
    CHECK_GT(weft_pool.moves, 0);
    launch(WEFT_TASK_POOL_ONLY);
    CHECK_EQ(weft_cpus_of_thread(), 2);
    expect_processors(2); // who has moved may still run on both, and what was seen meanwhile is forgotten
}

static void *affinity_of_new_thread(void *out)
{
    sched_getaffinity(0, sizeof(cpu_set_t), out);
    return NULL;
}

// A thread that a bound thread makes between unbind and rebind may run anywhere.
TEST(new_threads_of_a_bound_thread_are_not_bound)
{
    const cpu_set_t all = all_processors(), one = first_of(&all);
    struct weft_thread *me = weft_thread_get();
    CHECK(me != NULL);
    weft_affinity_save();
    CHECK(!weft_thread_unbind());
    CHECK(weft_thread_bind(me, &one, sizeof one));
    CHECK_EQ(weft_cpus_of_thread(), 1);
    for (int i = 0; i < 2; i++) {
        cpu_set_t inherited;
        pthread_t t;
        const bool was_bound = i == 0 && weft_thread_unbind();
        CHECK_EQ(was_bound, i == 0);
        CHECK_EQ(pthread_create(&t, NULL, affinity_of_new_thread, &inherited), 0);
        weft_thread_rebind(was_bound);
        pthread_join(t, NULL);
        CHECK_EQ(CPU_COUNT(&inherited), i == 0 ? CPU_COUNT(&all) : 1);
        CHECK_EQ(weft_cpus_of_thread(), 1);
    }
    CHECK(sched_setaffinity(0, sizeof all, &all) == 0);
    me->bound = NULL;
}

// As a cpuset does that takes a thread's node away: the thread gets as many other processors.
TEST(a_bound_thread_that_gets_other_processors_has_lost_its_own)
{
    const cpu_set_t all = all_processors(), one = first_of(&all);
    cpu_set_t other = all;
    for (int cpu = 0; CPU_COUNT(&other) > 1; cpu++)
        CPU_CLR(cpu, &other);
    if (CPU_EQUAL(&one, &other))
        SKIP("one processor only");
    struct weft_thread *me = weft_thread_get();
    CHECK(me != NULL);
    weft_affinity_save();
    struct weft_pool_thread self = {.cpus = 1};
    CHECK(weft_thread_bind(me, &one, sizeof one));
    weft_pool_look_at_processors(&self, UINT64_C(1) << 40);
    CHECK_EQ(weft_pool.lost[0], 0);
    CHECK_EQ(sched_setaffinity(0, sizeof other, &other), 0);
    weft_pool_look_at_processors(&self, UINT64_C(2) << 40);
    CHECK_EQ(weft_pool.lost[0], 1);
    CHECK(!weft_thread_unbind()); // somebody else has bound it
    CHECK_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    weft_pool_look_at_processors(&self, UINT64_C(3) << 40);
    CHECK_EQ(weft_pool.lost[0], 0);
    CHECK(weft_thread_unbind());
    me->bound = NULL;
}

// The first members of the kernel's struct sched_attr.
struct attributes {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
};

static struct attributes attributes_of_this_thread(void)
{
    struct attributes a = {0};
    CHECK_EQ(syscall(SYS_sched_getattr, 0, &a, sizeof a, 0), 0);
    return a;
}

static struct attributes of_pool, of_its_child;

static void *note_own_attributes(void *attributes)
{
    *(struct attributes *)attributes = attributes_of_this_thread();
    return NULL;
}

static void note_attributes(struct weft_task *t, struct weft_worker *w, uint64_t first, uint64_t last)
{
    (void)t, (void)w, (void)first, (void)last;
    of_pool = attributes_of_this_thread();
    pthread_t child;
    CHECK_EQ(pthread_create(&child, NULL, note_own_attributes, &of_its_child), 0);
    pthread_join(child, NULL);
}

TEST(threads_that_run_kernels_have_short_slices)
{
    struct utsname system;
    int major = 0, minor = 0;
    CHECK_EQ(uname(&system), 0);
    CHECK_EQ(sscanf(system.release, "%d.%d", &major, &minor), 2);
    if (major < 6 || (major == 6 && minor < 12))
        SKIP("Linux has that since 6.12");
    const struct attributes before = attributes_of_this_thread();
    struct job j = {
        .task = {.run = note_attributes, .done = job_done, .count = 1, .flags = WEFT_TASK_POOL_ONLY}};
    weft_sched_submit(&j.task, WEFT_URGENT);
    weft_sched_wait(&j.park, is_done, &j);
    while (!atomic_load(&j.released))
        sched_yield();
    const struct attributes after = attributes_of_this_thread();
    CHECK_EQ(after.runtime, before.runtime); // the application's threads stay as they are
    CHECK_EQ(of_pool.policy, before.policy);
    CHECK_EQ(of_pool.nice, before.nice);
    // What a pool thread starts is as if the application's thread had started it.
    CHECK_EQ(of_its_child.runtime, before.runtime);
    CHECK_EQ(of_its_child.nice, before.nice);
    if (before.policy != SCHED_OTHER || before.nice < 0)
        return;
    CHECK_LT(of_pool.runtime, 1000000);
    CHECK_GT(of_pool.runtime, 0);
}
