// A call that is made when the pool has nothing to do: lib/scheduler/idle_call.c.
#include "harness.h"
#include "scheduler/internal.h"

static _Atomic int calls, again;

static void count(void)
{
    calls++;
    if (again-- > 0)
        weft_sched_call_when_idle(count, 1000000);
}

static void wait_for(int n)
{
    for (double end = harness_seconds() + 20; calls < n && harness_seconds() < end;)
        usleep(1000);
    CHECK_EQ(calls, n);
}

static void nothing(struct weft_task *t, struct weft_worker *w, uint64_t first, uint64_t last)
{
    (void)t, (void)w, (void)first, (void)last;
}

static _Atomic int done_count;

static void done(struct weft_task *t, struct weft_worker *w)
{
    (void)t, (void)w;
    done_count++;
}

static void submit_and_wait(struct weft_task *t)
{
    int before = done_count;
    *t = (struct weft_task){.run = nothing, .done = done, .count = 1};
    weft_sched_submit(t, WEFT_URGENT);
    while (done_count == before)
        usleep(100);
}

TEST(it_starts_a_thread_if_there_is_none)
{
    double start = harness_seconds();
    weft_sched_call_when_idle(count, 50000000);
    wait_for(1);
    CHECK_GE(harness_seconds() - start, 0.05);
}

TEST(it_wakes_a_thread_that_sleeps)
{
    struct weft_task t;
    submit_and_wait(&t);
    usleep(50000); // all threads sleep now
    for (int i = 1; i <= 20; i++) {
        weft_sched_call_when_idle(count, 1000000);
        wait_for(i);
    }
}

TEST(there_is_one_at_a_time)
{
    for (int i = 0; i < 1000; i++)
        weft_sched_call_when_idle(count, 100000000);
    wait_for(1);
    usleep(200000);
    CHECK_EQ(calls, 1);
}

TEST(a_call_may_ask_for_the_next)
{
    again = 20;
    weft_sched_call_when_idle(count, 1000000);
    wait_for(21);
}

// Threads that go to sleep and are woken meanwhile don't lose it.
TEST(it_comes_whatever_the_pool_does)
{
    struct weft_task t;
    for (int i = 1; i <= HARNESS_SCALE(400); i++) {
        weft_sched_call_when_idle(count, (uint64_t)(i % 7) * 300000);
        submit_and_wait(&t);
        if (i % 3)
            usleep((unsigned)(i % 11) * 100);
        submit_and_wait(&t);
        wait_for(i);
    }
}

TEST(a_forked_child_has_none_and_can_ask_for_one)
{
    weft_sched_call_when_idle(count, 200000000);
    if (HARNESS_TSAN)
        SKIP("the thread sanitizer has no threads after a fork");
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        usleep(400000);
        CHECK_EQ(calls, 0);
        weft_sched_call_when_idle(count, 1000000);
        wait_for(1);
        exit(0);
    }
    int status = 1;
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    CHECK_EQ(status, 0);
    wait_for(1);
}

TEST(unloading_doesnt_wait_for_it)
{
    struct weft_task t;
    submit_and_wait(&t);
    weft_sched_call_when_idle(count, 3600000000000);
    usleep(20000);
    double start = harness_seconds();
    weft_sched_shutdown();
    CHECK_LT(harness_seconds() - start, 5);
    CHECK_EQ(calls, 0);
    weft_sched_call_when_idle(count, 1);
    usleep(20000);
    CHECK_EQ(calls, 0);
}
