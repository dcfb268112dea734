// A call that idle threads make for others: lib/scheduler/aside_call.c.
#include "harness.h"
#include "scheduler/internal.h"

static _Atomic int calls;
static _Atomic pid_t caller;

static void count(void)
{
    caller = gettid();
    calls++;
}

static void wait_for(int n)
{
    for (double end = harness_seconds() + 20; calls < n && harness_seconds() < end;)
        usleep(1000);
    CHECK_EQ(calls, n);
}

static _Atomic int calls_seen, ended;
static struct weft_task second;

static void look(struct weft_task *t, struct weft_worker *w, uint64_t first, uint64_t last)
{
    (void)t, (void)w, (void)first, (void)last;
    calls_seen = calls;
}

static void nothing(struct weft_task *t, struct weft_worker *w, uint64_t first, uint64_t last)
{
    (void)t, (void)w, (void)first, (void)last;
}

static void end(struct weft_task *t, struct weft_worker *w)
{
    (void)t, (void)w;
    ended++;
}

static void ask_and_go_on(struct weft_task *t, struct weft_worker *w)
{
    (void)t, (void)w;
    weft_sched_call_aside(count);
    weft_sched_submit(&second, WEFT_URGENT);
}

// How many calls there were when a task began that comes after one that asks for a call.
static int calls_before(uint32_t flags)
{
    struct weft_task first = {.run = nothing, .done = ask_and_go_on, .count = 1};
    second = (struct weft_task){.run = look, .done = end, .count = 1, .flags = flags};
    calls_seen = -1;
    ended = 0;
    weft_sched_submit(&first, WEFT_URGENT);
    while (!ended)
        usleep(100);
    return calls_seen;
}

TEST(without_other_threads_the_caller_makes_it)
{
    weft_sched_call_aside(count);
    CHECK_EQ(calls, 1);
    CHECK_EQ(caller, gettid());
}

TEST(a_short_task_that_follows_comes_first)
{
    for (int i = 0; i < 50; i++) {
        CHECK_EQ(calls_before(0), i);
        wait_for(i + 1);
    }
}

TEST(a_long_task_that_follows_comes_after_it)
{
    for (int i = 0; i < 50; i++) {
        CHECK_EQ(calls_before(WEFT_TASK_LONG), i + 1);
        CHECK_EQ(calls, i + 1);
    }
}

// While no thread is spinning the caller makes it. It is never lost.
TEST(a_thread_that_spins_makes_it)
{
    int by_others = 0, n = 0;
    for (double until = harness_seconds() + 20; by_others < 20 && harness_seconds() < until; n++) {
        struct weft_task t = {.run = nothing, .done = end, .count = 1};
        ended = 0;
        weft_sched_submit(&t, WEFT_URGENT);
        while (!ended)
            ;
        for (int i = 0; i < n % 500; i++) // also when the thread is about to sleep
            weft_time_now();
        weft_sched_call_aside(count);
        wait_for(n + 1);
        by_others += caller != gettid();
    }
    CHECK_EQ(by_others, 20);
}
