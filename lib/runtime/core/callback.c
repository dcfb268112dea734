// The callback thread: it calls the application for events, for errors of commands, and for objects that are
// destroyed with a command (docs/adr/0006-callbacks.md). Callbacks run one after the other, in the order in
// which they became due.
//
// Owns the list of due callbacks, under one lock. A callback may want a lock that the application holds while
// it waits for the very event, or while it registers the callback. So neither threads that run commands nor
// threads that wait may call it. The thread starts with the first callback, doesn't exist in a forked child,
// and is joined at unload.
#include "runtime/core/callback.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

#include "base/arch/arch.h"
#include "base/base.h"
#include "runtime/core/application_call.h"
#include "weft/scheduler.h"

enum { STACK_BYTES = 1 << 20, EXIT_WAIT_S = 2, WAIT_S = 1, SPIN_NS = 30000, SOON_NS = 2 * SPIN_NS };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // guards everything below
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static struct weft_callback *head, **tail = &head;
static pthread_t thread;
static bool running, stop;
// The number of callbacks dispatched and run so far. Threads that wait for a callback wait on `moved`. A
// callback that runs too long makes waiting useless: nobody waits until `ran` has reached `stuck`.
static _Atomic uint64_t due; // changed under lock
static uint64_t ran, stuck;
static pthread_cond_t moved = PTHREAD_COND_INITIALIZER;

static void fork_prepare(void)
{
    pthread_mutex_lock(&lock);
}

static void fork_parent(void)
{
    pthread_mutex_unlock(&lock);
}

// Callbacks that were due belong to the parent, which calls them.
static void fork_child(void)
{
    pthread_cond_init(&more, NULL);
    pthread_cond_init(&moved, NULL);
    head = NULL;
    atomic_store_explicit(&due, 0, memory_order_relaxed);
    ran = stuck = 0;
    tail = &head;
    running = false;
    pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void know_forks(void)
{
    weft_at_fork(fork_prepare, fork_parent, fork_child);
}

// A callback often starts something that makes the next callback due within microseconds. That is less than
// a wake-up takes, so the thread spins for SPIN_NS before it sleeps. It doesn't do so if the last pause was
// long: then it would only take a processor from the application or from the pool, after each command.
static void spin_locked(void)
{
    // Relaxed, here and where `due` is counted up: the list itself is read under the lock.
    uint64_t seen = atomic_load_explicit(&due, memory_order_relaxed), end = weft_time_now() + SPIN_NS;
    pthread_mutex_unlock(&lock);
    while (atomic_load_explicit(&due, memory_order_relaxed) == seen && weft_time_now() < end)
        weft_arch_relax();
    pthread_mutex_lock(&lock);
}

// POSIX doesn't say what happens when a thread jumps out of its own end. The C library lets it continue, as
// long as no frame that it has left is unwound.
void weft_application_left(void *back)
{
    weft_log(
        WEFT_LOG_WARN,
        "a function of the application tried to end the thread that Weft called it on; the thread continues");
    longjmp(*(jmp_buf *)back, 1);
}

static void *serve(void *unused)
{
    WEFT_NOT_CANCELLED;
    (void)unused;
    bool spin_first = false;
    uint64_t idle_since = 0;
    pthread_mutex_lock(&lock);
    while (!stop) {
        struct weft_callback *b = head;
        if (!b) {
            if (spin_first)
                spin_locked();
            else
                pthread_cond_wait(&more, &lock);
            spin_first = false;
            continue;
        }
        spin_first = weft_time_now() - idle_since < SOON_NS; // a wake-up is part of the pause
        head = b->next;
        if (!head)
            tail = &head;
        pthread_mutex_unlock(&lock);
        b->call(b);
        pthread_mutex_lock(&lock);
        ran++;
        idle_since = weft_time_now();
        pthread_cond_broadcast(&moved);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

static bool start_locked(void)
{
    pthread_attr_t attr;
    sigset_t all, before;
    if (pthread_attr_init(&attr) != 0)
        return false;
    pthread_attr_setstacksize(&attr, STACK_BYTES);
    // Signals of the application are for threads of the application.
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool was_bound = weft_thread_unbind();
    running = pthread_create(&thread, &attr, serve, NULL) == 0;
    weft_thread_rebind(was_bound);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
    return running;
}

// Without the lock: the thread would wake, wait for it, and wake again.
static void wake(void)
{
    pthread_cond_signal(&more);
}

static bool dispatch_locked(struct weft_callback *b)
{
    if (!running && (stop || !start_locked()))
        return false;
    b->next = NULL;
    *tail = b;
    tail = &b->next;
    atomic_fetch_add_explicit(&due, 1, memory_order_relaxed);
    return true;
}

void weft_callback_dispatch(struct weft_callback *b)
{
    pthread_mutex_lock(&lock);
    bool dispatched = dispatch_locked(b);
    pthread_mutex_unlock(&lock);
    // What comes after the command needn't wait for the thread to wake.
    if (dispatched)
        weft_sched_call_aside(wake);
    // There is no thread: a callback on the wrong thread is better than none.
    if (!dispatched)
        b->call(b);
}

void weft_callback_dispatch_and_wait(struct weft_callback *b)
{
    WEFT_NOT_CANCELLED;
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += WAIT_S;
    pthread_mutex_lock(&lock);
    bool here = running && pthread_equal(thread, pthread_self());
    bool dispatched = !here && dispatch_locked(b);
    if (dispatched) {
        wake();
        uint64_t mine = atomic_load_explicit(&due, memory_order_relaxed);
        while (ran < mine && ran >= stuck && !stop)
            if (pthread_cond_timedwait(&moved, &lock, &limit) != 0)
                stuck = ran + 1;
    }
    pthread_mutex_unlock(&lock);
    if (!dispatched)
        b->call(b);
}

__attribute__((destructor)) static void at_unload(void)
{
    if (!weft_process_is_known())
        return;
    pthread_mutex_lock(&lock);
    bool join = running;
    running = false;
    stop = true;
    pthread_cond_signal(&more);
    pthread_cond_broadcast(&moved);
    pthread_mutex_unlock(&lock);
    if (!join)
        return;
    if (pthread_equal(thread, pthread_self())) {
        pthread_detach(thread); // a callback has called exit
        return;
    }
    // A callback may wait for something that the exiting thread holds. Then exit continues without it.
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += EXIT_WAIT_S;
    if (pthread_timedjoin_np(thread, NULL, &limit) != 0)
        weft_log(WEFT_LOG_WARN, "a callback of the application is still running at exit; the process exits "
                                "without waiting for it");
}
