// The time limit of launches. Owns one thread, started with the first launch under a limit, and a list of the
// ranges that run now; one lock guards all.
// The thread sleeps until the earliest deadline. From then on it interrupts the late thread every few
// milliseconds until that thread's range has left the list. Once isn't enough: the thread may be in a
// function of the host that its kernel called, or in a signal handler of the application.
// A launch's time begins with its first range, whichever threads run the others. Without a limit nothing here
// is used.
#include "runtime/launch/time_limit.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "base/base.h"
#include "runtime/command/command.h"
#include "weft/fault.h"
#include "weft/scheduler.h"

enum { STACK_BYTES = 128 << 10, AGAIN_NS = 10000000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // guards everything below
static pthread_cond_t more;
static struct weft_time_limit *ranges;
static pthread_t thread;
static bool running, stop, prepared, idle; // idle: the thread sleeps without a deadline

uint64_t weft_time_limit_ns(void)
{
    return weft_config_uint(WEFT_CFG_KERNEL_TIMEOUT) * 1000000000u;
}

// ---- The thread ----

// Interrupts the threads that are late. Returns the time of the next look; UINT64_MAX: no range is running.
static uint64_t look_locked(uint64_t now)
{
    uint64_t next = UINT64_MAX;
    for (struct weft_time_limit *l = ranges; l; l = l->next) {
        uint64_t at = l->deadline;
        if (at <= now) {
            atomic_store(&l->over, true);
            weft_fault_interrupt_over(l->thread);
            at = now + AGAIN_NS;
        }
        next = at < next ? at : next;
    }
    return next;
}

static void *watch(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    while (!stop) {
        uint64_t until = look_locked(weft_time_now());
        idle = until == UINT64_MAX;
        if (idle) {
            pthread_cond_wait(&more, &lock);
            continue;
        }
        struct timespec t = {.tv_sec = (time_t)(until / 1000000000u), .tv_nsec = (long)(until % 1000000000u)};
        pthread_cond_timedwait(&more, &lock, &t);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

static bool make_condition(void)
{
    pthread_condattr_t attr;
    if (pthread_condattr_init(&attr) != 0)
        return false;
    bool ok = pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) == 0 && pthread_cond_init(&more, &attr) == 0;
    pthread_condattr_destroy(&attr);
    return ok;
}

static void fork_prepare(void)
{
    pthread_mutex_lock(&lock);
}

static void fork_parent(void)
{
    pthread_mutex_unlock(&lock);
}

// The child has neither the watching thread nor the threads that run ranges.
static void fork_child(void)
{
    make_condition();
    ranges = NULL;
    running = false;
    pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void know_forks(void)
{
    weft_at_fork(fork_prepare, fork_parent, fork_child);
}

static bool start_locked(void)
{
    if (!prepared)
        prepared = make_condition();
    pthread_attr_t attr;
    if (!prepared || stop || pthread_attr_init(&attr) != 0)
        return false;
    pthread_attr_setstacksize(&attr, STACK_BYTES);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool was_bound = weft_thread_unbind();
    running = pthread_create(&thread, &attr, watch, NULL) == 0;
    weft_thread_rebind(was_bound);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
    if (!running)
        weft_log(WEFT_LOG_WARN,
                 "the thread for WEFT_KERNEL_TIMEOUT can't be started, so kernels run without a time limit");
    return running;
}

// ---- Ranges ----

// Milliseconds, never 0. They wrap after seven weeks; differences of less than half of that are still right.
static uint32_t milliseconds(uint64_t ns)
{
    return (uint32_t)(ns / 1000000) | 1u;
}

void weft_time_limit_begin(struct weft_time_limit *l, struct weft_command *c)
{
    *l = (struct weft_time_limit){.thread = pthread_self()};
    uint64_t limit = weft_time_limit_ns(), now = weft_time_now();
    uint32_t first = 0, at = milliseconds(now);
    // relaxed: nothing else is published with the number.
    if (!atomic_compare_exchange_strong_explicit(&c->began, &first, at, memory_order_relaxed,
                                                 memory_order_relaxed)) {
        // Another thread may have read the clock later and still been first here.
        int32_t since = (int32_t)(at - first);
        uint64_t passed = since > 0 ? (uint64_t)since * 1000000 : 0;
        limit = passed < limit ? limit - passed : 0;
    }
    l->deadline = now + limit;
    pthread_mutex_lock(&lock);
    l->watched = running || start_locked();
    if (l->watched) {
        l->at = &ranges;
        l->next = ranges;
        if (ranges)
            ranges->at = &l->next;
        ranges = l;
        if (idle)
            pthread_cond_signal(&more);
        idle = false;
    }
    pthread_mutex_unlock(&lock);
}

void weft_time_limit_end(struct weft_time_limit *l)
{
    if (!l->watched)
        return;
    pthread_mutex_lock(&lock);
    *l->at = l->next;
    if (l->next)
        l->next->at = l->at;
    pthread_mutex_unlock(&lock);
}

__attribute__((destructor)) static void at_unload(void)
{
    if (!weft_process_is_known())
        return;
    pthread_mutex_lock(&lock);
    bool join = running;
    running = false;
    stop = true;
    if (join)
        pthread_cond_signal(&more);
    pthread_mutex_unlock(&lock);
    if (join)
        pthread_join(thread, NULL);
}
