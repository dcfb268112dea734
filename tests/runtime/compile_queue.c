// The background threads that build programs: a fork in the middle of a job, callbacks that wait for other
// jobs.
// env: WEFT_COMPILERS=1
// timeout: 60
#include "runtime/compiler/compile_queue.h"
#include "harness.h"

#include <pthread.h>
#include <stdatomic.h>

static _Atomic int runs, blocked, released;

static void leave_with_runs(struct weft_compile_job *j)
{
    (void)j;
    _exit(runs);
}

// Forks after it has concluded, when it might have been freed already.
static void conclude_and_fork(struct weft_compile_job *j)
{
    runs++;
    weft_compile_queue_conclude(j, NULL);
    pid_t pid = fork();
    if (pid == 0) {
        static struct weft_compile_job last = {.run = leave_with_runs};
        alarm(20);
        weft_compile_queue_push(&last, WEFT_COMPILE_LATER); // after everything that waits in the child
        for (;;)
            pause();
    }
    int status;
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    CHECK(WIFEXITED(status));
    CHECK_EQ(WEXITSTATUS(status), 1);
    released = 1;
}

TEST(a_child_does_not_run_again_what_has_concluded)
{
    if (HARNESS_TSAN)
        SKIP("the thread sanitizer has no threads after a fork");
    static struct weft_compile_job j = {.run = conclude_and_fork};
    weft_compile_queue_push(&j, WEFT_COMPILE_NOW);
    while (!released)
        usleep(1000);
}

// Forks before: the child has the job to do, and does it before what comes later.
static void fork_and_conclude(struct weft_compile_job *j)
{
    if (runs++ == 0) {
        pid_t pid = fork();
        if (pid == 0) {
            static struct weft_compile_job last = {.run = leave_with_runs};
            alarm(20);
            weft_compile_queue_push(&last, WEFT_COMPILE_LATER);
            for (;;)
                pause();
        }
        int status;
        CHECK_EQ(waitpid(pid, &status, 0), pid);
        CHECK(WIFEXITED(status));
        CHECK_EQ(WEXITSTATUS(status), 2);
        released = 1;
    }
    weft_compile_queue_conclude(j, NULL);
}

TEST(a_child_does_again_what_was_under_way)
{
    if (HARNESS_TSAN)
        SKIP("the thread sanitizer has no threads after a fork");
    static struct weft_compile_job j = {.run = fork_and_conclude};
    weft_compile_queue_push(&j, WEFT_COMPILE_NOW);
    while (!released)
        usleep(1000);
}

static void call_back_and_wait(struct weft_compile_job *j)
{
    weft_compile_queue_conclude(j, NULL);
    blocked++;
    while (!released)
        usleep(1000);
    blocked--;
}

static void release(struct weft_compile_job *j)
{
    weft_compile_queue_conclude(j, NULL);
    released = 1;
}

TEST(callbacks_may_wait_for_other_jobs)
{
    enum { CALLBACKS = 10 };
    static struct weft_compile_job waiting[CALLBACKS], last = {.run = release};
    for (int i = 0; i < CALLBACKS; i++) {
        waiting[i].run = call_back_and_wait;
        weft_compile_queue_push(&waiting[i], WEFT_COMPILE_NOW);
    }
    weft_compile_queue_push(&last, WEFT_COMPILE_LATER);
    for (int i = 0; i < 10000 && !released; i++)
        usleep(1000);
    CHECK_EQ(released, 1);
    while (blocked)
        usleep(1000);
}

static void release_at_last(struct weft_compile_job *j)
{
    (void)j;
    released = 1;
}

static void wait_for_release(struct weft_compile_job *j)
{
    (void)j;
    blocked++;
    while (!released)
        usleep(1000);
    blocked--;
}

TEST(what_nobody_waits_for_leaves_a_thread_to_what_somebody_does)
{
    static struct weft_compile_job long_ones[4], wanted = {.run = release_at_last};
    for (int i = 0; i < 4; i++) {
        long_ones[i].run = wait_for_release;
        weft_compile_queue_push(&long_ones[i], WEFT_COMPILE_LATER);
    }
    while (!blocked)
        usleep(1000);
    weft_compile_queue_push(&wanted, WEFT_COMPILE_WANTED);
    for (int i = 0; i < 20000 && !released; i++)
        usleep(1000);
    CHECK_EQ(released, 1);
    while (blocked)
        usleep(1000);
}

// ---- Priorities ----

static _Atomic int waiting, open_doors, order[2], ran;

static void wait_for_door(struct weft_compile_job *j)
{
    (void)j;
    int door = ++waiting;
    while (open_doors < door)
        usleep(1000);
}

static struct weft_compile_job wanted, later;

static void note_order(struct weft_compile_job *j)
{
    order[ran++] = j == &later;
}

// Whoever wants a job at once may come between those who announce it and those who push it.
TEST(a_job_raised_before_it_is_pushed_comes_first)
{
    static struct weft_compile_job doors[2];
    for (int i = 0; i < 2; i++) {
        doors[i].run = wait_for_door;
        weft_compile_queue_push(&doors[i], WEFT_COMPILE_NOW);
    }
    while (waiting < 2)
        usleep(1000);
    wanted.run = later.run = note_order;
    weft_compile_queue_raise(&later, WEFT_COMPILE_NOW);
    weft_compile_queue_push(&wanted, WEFT_COMPILE_WANTED);
    weft_compile_queue_push(&later, WEFT_COMPILE_LATER);
    open_doors = 1; // one thread does both
    while (ran < 2)
        usleep(1000);
    CHECK_EQ(order[0], 1);
    CHECK_EQ(order[1], 0);
    open_doors = 2;
}
