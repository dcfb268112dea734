// The pool's life: start, idling, fork, exit and unload with work in progress, and a system that grants no
// threads.
// timeout: 90
#include "base/base.h"
#include "scheduler/internal.h"
#include "harness.h"
#include "weft/fault.h"

#include <dlfcn.h>
#include <sys/resource.h>
#include <sys/syscall.h>

struct job {
    struct weft_task task;
    _Atomic uint32_t done, released;
    struct weft_park park;
    pthread_t ran_on;
    int busy_us;
    sigset_t mask;
};

static void job_run(struct weft_task *t, struct weft_worker *w, uint64_t first, uint64_t last)
{
    (void)last, (void)w;
    struct job *j = WEFT_CONTAINER_OF(t, struct job, task);
    if (first == 0) {
        j->ran_on = pthread_self();
        pthread_sigmask(SIG_SETMASK, NULL, &j->mask);
    }
    double end = harness_seconds() + 1e-6 * j->busy_us;
    while (harness_seconds() < end)
        ;
}

static void job_done(struct weft_task *t, struct weft_worker *w)
{
    (void)w;
    struct job *j = WEFT_CONTAINER_OF(t, struct job, task);
    atomic_store(&j->done, 1);
    weft_park_wake(&j->park);
    atomic_store(&j->released, 1);
}

static bool is_done(void *arg)
{
    return atomic_load(&((struct job *)arg)->done) != 0;
}

static _Atomic int places[2]; // of the pool's first threads, plus one; 0: not seen yet

static void note_place(struct weft_task *t, struct weft_worker *w, uint64_t first, uint64_t last)
{
    (void)t, (void)first, (void)last;
    cpu_set_t mask;
    usleep(1000);
    if (w->is_pool && w->index < 2 && sched_getaffinity(0, sizeof mask, &mask) == 0) {
        CHECK_EQ(CPU_COUNT(&mask), 1);
        for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
            if (CPU_ISSET(cpu, &mask))
                atomic_store(&places[w->index], cpu + 1);
    }
}

static struct job job_of(uint64_t count, uint32_t flags)
{
    return (struct job){
        .task = {.run = job_run, .done = job_done, .count = count, .grain = 1, .flags = flags}};
}

static void wait_for(struct job *j)
{
    weft_sched_wait(&j->park, is_done, j);
    while (!atomic_load(&j->released))
        sched_yield();
}

static void run_one(uint32_t flags)
{
    struct job j = job_of(1, flags);
    weft_sched_submit(&j.task, WEFT_LAZY);
    wait_for(&j);
}

// A joined thread may stay listed for a moment.
static void check_threads_alive(int expected)
{
    for (int i = 0; i < 1000 && harness_entries("/proc/self/task") != expected; i++)
        usleep(1000);
    CHECK_EQ(harness_entries("/proc/self/task"), expected);
}

TEST(nothing_starts_before_it_is_needed)
{
    int before = harness_entries("/proc/self/task"); // a sanitizer may have a thread of its own
    CHECK_GE(weft_sched_thread_count(), 1);
    CHECK_EQ(harness_entries("/proc/self/task"), before);
    CHECK_EQ(weft_sched_start(), WEFT_OK);
    CHECK_GT(harness_entries("/proc/self/task"), before);
}

TEST(pool_threads_block_the_applications_signals_and_have_big_stacks)
{
    struct job j = job_of(1, WEFT_TASK_POOL_ONLY);
    weft_sched_submit(&j.task, WEFT_URGENT);
    wait_for(&j);
    static const int blocked[] = {SIGINT, SIGTERM, SIGALRM, SIGCHLD, SIGUSR1, SIGPROF, SIGHUP, SIGIO},
                     open[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    for (size_t i = 0; i < WEFT_COUNT_OF(blocked); i++)
        CHECK_EQ(sigismember(&j.mask, blocked[i]), 1);
    for (size_t i = 0; i < WEFT_COUNT_OF(open); i++)
        CHECK_EQ(sigismember(&j.mask, open[i]), 0);
    pthread_attr_t a;
    void *base;
    size_t size;
    CHECK_EQ(pthread_getattr_np(j.ran_on, &a), 0);
    CHECK_EQ(pthread_attr_getstack(&a, &base, &size), 0);
    pthread_attr_destroy(&a);
    CHECK_GE(size, 8u << 20);
    sigset_t here;
    pthread_sigmask(SIG_SETMASK, NULL, &here);
    CHECK_EQ(sigismember(&here, SIGINT), 0);
}

static double cpu_seconds(void)
{
    struct rusage r;
    getrusage(RUSAGE_SELF, &r);
    return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
           1e-6 * (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec);
}

TEST(an_idle_pool_uses_no_processor)
{
    struct job j = job_of(100, 0);
    j.busy_us = 100;
    weft_sched_submit(&j.task, WEFT_URGENT);
    wait_for(&j);
    run_one(0);
    run_one(WEFT_TASK_POOL_ONLY);
    double used = 1;
    for (int round = 0; round < 20 && used > 0.005;
         round++) { // on a busy machine it takes longer until the pool is idle
        double before = cpu_seconds();
        usleep(500000);
        used = cpu_seconds() - before;
    }
    CHECK_LE(used, 0.005);
}

TEST(a_stream_of_small_launches_wakes_nobody)
{
    if (HARNESS_TSAN || HARNESS_ASAN)
        SKIP("too slow under a sanitizer to be a stream");
    run_one(0);
    usleep(20000);
    enum { COUNT = 20000 };
    long sleeps = COUNT, calls = COUNT;
    for (int round = 0; round < 10 && (sleeps > COUNT / 100 || calls > COUNT / 100); round++) {
        struct rusage before, after;
        uint32_t signals = atomic_load(&weft_pool.wakes);
        getrusage(RUSAGE_THREAD, &before);
        for (int i = 0; i < COUNT; i++)
            run_one(0);
        getrusage(RUSAGE_THREAD, &after);
        sleeps = after.ru_nvcsw - before.ru_nvcsw;
        calls = (long)(atomic_load(&weft_pool.wakes) - signals);
    }
    double load = 0;
    if (calls > COUNT / 100 && getloadavg(&load, 1) == 1 && load > 4 * (double)sysconf(_SC_NPROCESSORS_ONLN))
        SKIP("others want this machine's processors, and the watcher gets none");
    CHECK_LE(sleeps, COUNT / 100); // in the best repetition
    CHECK_LE(calls, COUNT / 100);
}

// How often the thread that waits for the first of two tasks runs that task itself and meanwhile wakes
// another thread for the second one.
static int calls_for_the_second(uint32_t flags)
{
    int calls = 0;
    for (int i = 0; i < 300; i++) {
        usleep((unsigned)i % 4 * 1000); // so the pool is dozing or parked
        struct job a = job_of(1, flags), b = job_of(1, flags);
        a.busy_us = b.busy_us = 30;
        uint32_t before = atomic_load(&weft_pool.urgent);
        weft_sched_submit(&a.task, WEFT_LAZY);
        weft_sched_submit(&b.task, WEFT_LAZY);
        weft_sched_wait(&a.park, is_done, &a);
        calls += pthread_equal(a.ran_on, pthread_self()) && atomic_load(&weft_pool.urgent) != before;
        wait_for(&a);
        wait_for(&b);
    }
    return calls;
}

TEST(who_waits_and_runs_a_long_task_calls_another_thread_for_the_next)
{
    if (weft_sched_thread_count() < 2)
        SKIP("one processor only");
    CHECK_GT(calls_for_the_second(WEFT_TASK_LONG), 20);
}

// ---- Fork ----

static int exit_code_of(pid_t pid)
{
    int status;
    while (waitpid(pid, &status, 0) != pid)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

TEST(a_child_has_a_pool_of_its_own)
{
    if (HARNESS_TSAN)
        SKIP("the thread sanitizer has no threads after a fork");
    for (int i = 0; i < 20; i++) {
        struct job busy = job_of(50, 0);
        busy.busy_us = 200;
        weft_sched_submit(&busy.task, WEFT_URGENT);
        if (i % 2)
            usleep(500);
        pid_t pid = fork();
        if (pid == 0) {
            alarm(20);
            bool done_before = is_done(&busy); // a fork takes long on a busy machine
            if (weft_pool.injection.head || atomic_load(&weft_pool.started))
                _exit(2);
            for (int k = 0; k < 50; k++) {
                run_one(0);
                run_one(WEFT_TASK_POOL_ONLY);
            }
            struct job j = job_of(100, 0);
            weft_sched_submit(&j.task, WEFT_URGENT);
            wait_for(&j);
            // The child doesn't do the parent's work. (What the parent's threads had just allocated is lost
            // here. That isn't a leak of Weft.)
            (HARNESS_ASAN ? _exit : exit)(is_done(&busy) != done_before ? 3 : 0);
        }
        CHECK_EQ(exit_code_of(pid), 0);
        wait_for(&busy);
    }
}

static _Atomic int stop_forking;
static void *work_hard(void *arg)
{
    while (!stop_forking)
        run_one(arg ? WEFT_TASK_POOL_ONLY : 0);
    return NULL;
}

TEST(a_fork_in_the_middle_of_submits_leaves_no_lock_held)
{
    if (HARNESS_TSAN)
        SKIP("the thread sanitizer has no threads after a fork");
    pthread_t t[3];
    for (uintptr_t i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, work_hard, (void *)(i % 2));
    for (int i = 0; i < 100; i++) {
        pid_t pid = fork();
        if (pid == 0) {
            alarm(20);
            run_one(0);
            run_one(WEFT_TASK_POOL_ONLY);
            _exit(0);
        }
        CHECK_EQ(exit_code_of(pid), 0);
    }
    stop_forking = 1;
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
}

// ---- A system that grants no threads ----

TEST(without_threads_the_waiting_thread_does_everything)
{
    if (HARNESS_ASAN || HARNESS_TSAN)
        SKIP("sanitizers need more address space than the limit leaves");
    struct rlimit old, limit;
    getrlimit(RLIMIT_AS, &old);
    // Enough addresses for the program, but not for a stack of 8 MB.
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    CHECK_EQ(fscanf(f, "%ld", &pages), 1);
    fclose(f);
    limit = old;
    limit.rlim_cur = (rlim_t)pages * 4096 + (4u << 20);
    setrlimit(RLIMIT_AS, &limit);
    CHECK_EQ(weft_sched_start(), WEFT_NO_RESOURCES);
    run_one(0);
    run_one(WEFT_TASK_POOL_ONLY);
    struct job j = job_of(100, 0);
    weft_sched_submit(&j.task, WEFT_URGENT);
    wait_for(&j);
    CHECK(pthread_equal(j.ran_on, pthread_self()));
    CHECK_EQ(harness_entries("/proc/self/task"), 1);
    setrlimit(RLIMIT_AS, &old); // when there is space again, threads start
    usleep(20000);
    struct job k = job_of(1, WEFT_TASK_POOL_ONLY);
    weft_sched_submit(&k.task, WEFT_URGENT);
    wait_for(&k);
    usleep(20000);
    CHECK_EQ(weft_sched_start(), WEFT_OK);
    CHECK_GT(harness_entries("/proc/self/task"), 1);
}

TEST(a_thread_that_found_no_memory_is_started_again)
{
    CHECK_GE(weft_sched_thread_count(), 1);
    weft_alloc_fail_at(3); // 1 and 2: the table of threads; 3: the first thread's state
    weft_sched_start();
    struct weft_pool_thread *first = atomic_load(&weft_pool.workers);
    for (int i = 0; i < 5000 && !atomic_load(&first->ended); i++)
        usleep(1000);
    CHECK_EQ(atomic_load(&first->ended), 1);
    usleep(20000);       // the next attempt comes later than that
    static struct job j; // nobody waits for it
    j = job_of(1, 0);
    weft_sched_submit(&j.task, WEFT_LAZY);
    for (int i = 0; i < 5000 && !atomic_load(&j.released); i++)
        usleep(1000);
    CHECK_EQ(atomic_load(&j.released), 1);
}

TEST(after_shutdown_a_waiting_thread_still_works)
{
    run_one(0);
    weft_sched_shutdown();
    CHECK_EQ(atomic_load(&weft_pool.started), 0);
    run_one(0);
    run_one(WEFT_TASK_POOL_ONLY);
    weft_sched_shutdown();
}

static void fail_run(void)
{
    struct job j = job_of(20, 0);
    weft_sched_submit(&j.task, WEFT_URGENT);
    wait_for(&j);
}

TEST(every_allocation_may_fail)
{
    for (uint64_t n = 1; n < 8; n++) {
        pid_t pid = fork();
        if (pid == 0) {
            alarm(20);
            weft_alloc_fail_at(n);
            fail_run();
            exit(0);
        }
        CHECK_EQ(exit_code_of(pid), 0);
    }
}

// ---- Exit and unload ----

TEST(exit_with_work_in_flight)
{
    for (int i = 0; i < 10; i++) {
        pid_t pid = fork();
        if (pid == 0) {
            alarm(20);
            static struct job j;
            j = job_of(100000, 0);
            j.busy_us = 100;
            weft_sched_submit(&j.task, WEFT_URGENT);
            usleep((unsigned)i * 300);
            exit(0);
        }
        CHECK_EQ(exit_code_of(pid), 0);
    }
}

static void *submit_and_wait(void *arg)
{
    for (;;) {
        struct job j = job_of(20, 0);
        weft_sched_submit(&j.task, WEFT_URGENT);
        wait_for(&j);
    }
    return arg;
}

// At exit other threads of the application go on. The library must not free what they use.
TEST(exit_while_other_threads_submit_and_wait)
{
    for (int i = 0; i < HARNESS_SCALE(40); i++) {
        pid_t pid = fork();
        if (pid == 0) {
            alarm(20);
            pthread_t t;
            for (int k = 0; k < 3; k++)
                pthread_create(&t, NULL, submit_and_wait, NULL);
            usleep(2000);
            exit(0);
        }
        CHECK_EQ(exit_code_of(pid), 0);
    }
}

static void exit_here(struct weft_task *t, struct weft_worker *w)
{
    (void)t, (void)w;
    exit(7);
}

TEST(exit_called_on_a_pool_thread)
{
    pid_t pid = fork();
    if (pid == 0) {
        alarm(20);
        struct job j = job_of(1, WEFT_TASK_POOL_ONLY);
        j.task.done = exit_here;
        weft_sched_submit(&j.task, WEFT_URGENT);
        for (;;)
            pause();
    }
    CHECK_EQ(exit_code_of(pid), 7);
}

struct module {
    void *handle;
    void (*submit)(_Atomic uint32_t *counter, uint64_t units, int microseconds, int urgent);
    void (*wait)(_Atomic uint32_t *counter);
};

static struct module module_load(void)
{
    struct module m = {.handle = dlopen(TEST_MODULE, RTLD_NOW | RTLD_LOCAL)};
    if (!m.handle)
        FAIL("%s", dlerror());
    void *s = dlsym(m.handle, "module_submit"), *w = dlsym(m.handle, "module_wait");
    memcpy(&m.submit, &s, sizeof s);
    memcpy(&m.wait, &w, sizeof w);
    return m;
}

static bool mapped(void)
{
    char line[1024];
    bool found = false;
    FILE *f = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof line, f))
        found |= strstr(line, "test_scheduler_module") != NULL;
    fclose(f);
    return found;
}

static void *nothing(void *arg)
{
    return arg;
}

TEST(unload_with_work_in_flight_again_and_again)
{
    static _Atomic uint32_t counter;
    pthread_t first; // with it, a sanitizer starts a thread of its own
    pthread_create(&first, NULL, nothing, NULL);
    pthread_join(first, NULL);
    usleep(10000);
    int alive = harness_entries("/proc/self/task");
    for (int i = 0; i < 30; i++) {
        struct module m = module_load();
        for (int k = 0; k < 20; k++)
            m.submit(&counter, k % 3 ? 1 : 1000, 50, k % 2);
        usleep((unsigned)i * 100);
        dlclose(m.handle);
        check_threads_alive(alive);
        uint32_t after = counter;
        usleep(1000);
        CHECK_EQ(counter, after);
    }
    if (!HARNESS_ASAN && !HARNESS_TSAN)
        CHECK(!mapped());
    struct sigaction a;
    sigaction(SIGSEGV, NULL, &a);
    CHECK_EQ((void *)a.sa_handler, (void *)SIG_DFL);
}

static struct module shared_module;
static pthread_barrier_t barrier;
static void *helping_thread(void *arg)
{
    static _Atomic uint32_t counter;
    shared_module.submit(&counter, 10, 10, 0);
    shared_module.wait(&counter);
    pthread_barrier_wait(&barrier); // unloaded between this barrier
    pthread_barrier_wait(&barrier); // and this one
    return arg;
}

TEST(threads_that_helped_may_end_after_the_unload)
{
    pthread_t t[4];
    pthread_barrier_init(&barrier, NULL, 5);
    shared_module = module_load();
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, helping_thread, NULL);
    pthread_barrier_wait(&barrier);
    dlclose(shared_module.handle);
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
}

TEST(unload_ends_kernels_that_do_not_end)
{
    if (HARNESS_TSAN)
        SKIP("the thread sanitizer delays signals");
    static _Atomic uint32_t counter;
    struct module m = module_load();
    m.submit(&counter, 1000, -1, 1);
    while (counter == 0)
        usleep(1000);
    double start = harness_seconds();
    dlclose(m.handle);
    CHECK_LT(harness_seconds() - start, 9.0); // the thread is abandoned after ten
}

// Threads start each other. A thread that is already bound must not pass its processor on to the next one.
TEST(pinned_threads_have_processors_of_their_own)
{
    cpu_set_t mask;
    if (sched_getaffinity(0, sizeof mask, &mask) != 0 || CPU_COUNT(&mask) < 2 || weft_cpus_allowed("/") < 2)
        SKIP("there is one processor");
    setenv("WEFT_PIN", "1", 1);
    setenv("WEFT_THREADS", "2", 1);
    weft_config_reload();
    const double begun = harness_seconds(); // on a busy machine the second one starts late
    while (harness_seconds() - begun < 30 && !(atomic_load(&places[0]) && atomic_load(&places[1]))) {
        // Long enough for a thread that has to wait for its processor. The application's thread doesn't help,
        // so there is room for both.
        struct job j = job_of(400, WEFT_TASK_POOL_ONLY);
        j.task.run = note_place;
        weft_sched_submit(&j.task, WEFT_URGENT);
        wait_for(&j);
    }
    CHECK_GT(places[0], 0);
    CHECK_GT(places[1], 0);
    CHECK(places[0] != places[1]);
}
