// Waits for semaphores that other processes signal, on behalf of parked commands (command/semaphore.c). Owns
// one thread, which starts when the first such command is enqueued. It sleeps in the kernel and runs no code
// of the application.
//
// A process can't know whether another process that might signal a semaphore still exists. So the wait goes
// on, as it does for a semaphore that this process never signals, and the log says so.
#include "runtime/command/semaphore_watch.h"

#include <pthread.h>
#include <signal.h>

#include "base/base.h"
#include "runtime/command/external_semaphore.h"
#include "weft/scheduler.h"

enum { STACK_BYTES = 128 << 10, OVERFLOW_POLL_NS = 1000000 };
#define WARN_AFTER_NS 10000000000u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // guards running, thread
static pthread_t thread;
static bool running;
static weft_semaphores_serve *serve; // constant while the thread runs
static _Atomic bool stop;
static _Atomic uint32_t changes; // what the thread sleeps on

static void fork_prepare(void)
{
    pthread_mutex_lock(&lock);
}

static void fork_parent(void)
{
    pthread_mutex_unlock(&lock);
}

static void fork_child(void)
{
    running = false;
    pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void know_forks(void)
{
    weft_at_fork(fork_prepare, fork_parent, fork_child);
}

static void *watch(void *unused)
{
    (void)unused;
    bool warned = false;
    while (!atomic_load(&stop)) {
        struct weft_payload *awaited[WEFT_MAX_PAYLOADS];
        bool more;
        // Read before serve looks at the list: a later change ends the sleep.
        const uint32_t seen = atomic_load(&changes);
        const size_t count = serve(awaited, WEFT_MAX_PAYLOADS, &more);
        const bool in_time = weft_payloads_wait(awaited, count, &changes, seen,
                                                more    ? OVERFLOW_POLL_NS
                                                : count ? WARN_AFTER_NS
                                                        : 0);
        if (!in_time && !more && !warned)
            weft_log(WEFT_LOG_WARN, "commands have waited for 10 seconds for semaphores shared with other "
                                    "processes, and nobody has "
                                    "signaled them");
        warned = !in_time && !more;
        for (size_t i = 0; i < count; i++)
            weft_payload_unref(awaited[i]);
    }
    return NULL;
}

static bool start_locked(void)
{
    pthread_attr_t attr;
    if (atomic_load(&stop) || pthread_attr_init(&attr) != 0)
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
        weft_log(WEFT_LOG_ERROR, "the thread that waits for semaphores of other processes can't be started");
    return running;
}

bool weft_semaphore_watch_start(weft_semaphores_serve *with)
{
    pthread_mutex_lock(&lock);
    if (!running)
        serve = with;
    const bool there = running || start_locked();
    pthread_mutex_unlock(&lock);
    return there;
}

void weft_semaphore_watch_again(void)
{
    atomic_fetch_add(&changes, 1);
    weft_payloads_interrupt(&changes);
}

__attribute__((destructor)) static void at_unload(void)
{
    if (!weft_process_is_known())
        return;
    pthread_mutex_lock(&lock);
    const bool join = running;
    running = false;
    atomic_store(&stop, true);
    pthread_mutex_unlock(&lock);
    if (!join)
        return;
    weft_semaphore_watch_again();
    pthread_join(thread, NULL);
}
