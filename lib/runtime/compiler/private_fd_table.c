// The private descriptor table, which has the sockets of the compilers, and its threads
// (docs/adr/0009-private-fd-table.md). A descriptor table belongs to the threads that share it. A new thread
// shares the table of the thread that starts it. So the first thread here, the opener, leaves the
// application's table for a new one, and then starts the others.
//
// Owns the opener, under one lock. The table has no files of the application, because a pipe that the
// application closes would stay open. The standard streams are /dev/null, except for stderr if messages are
// enabled. A forked child has a copy of the application's table and none of these threads.
#include "runtime/compiler/private_fd_table.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/base.h"
#include "base/private_files.h"
#include "weft/scheduler.h"

// realpath and printf run on it, and it has the application's thread-local storage.
#define STACK_BYTES (256u << 10)

static struct {
    pthread_mutex_t lock;
    struct weft_private_thread opener;
    bool ended;
} table = {.lock = PTHREAD_MUTEX_INITIALIZER};

// ---- fork ----

static void fork_prepare(void)
{
    pthread_mutex_lock(&table.lock);
}

static void fork_parent(void)
{
    pthread_mutex_unlock(&table.lock);
}

static void fork_child(void)
{
    weft_private_thread_forget(&table.opener);
    pthread_mutex_unlock(&table.lock);
}

void weft_private_fd_table_know_forks(void)
{
    weft_at_fork(fork_prepare, fork_parent, fork_child);
}

// ---- A thread ----

static void *serve(void *arg)
{
    struct weft_private_thread *t = arg;
    pthread_setname_np(pthread_self(), "weft-compiler");
    pthread_mutex_lock(&t->lock);
    for (;;) {
        while (!t->fn && !t->stop)
            pthread_cond_wait(&t->changed, &t->lock);
        if (!t->fn)
            break;
        pthread_mutex_unlock(&t->lock);
        t->fn(t->arg);
        pthread_mutex_lock(&t->lock);
        t->fn = NULL;
        pthread_cond_signal(&t->changed); // the only waiter is the thread that asked
    }
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

// Creates the thread in the descriptor table of the calling thread.
static bool create(struct weft_private_thread *t)
{
    pthread_attr_t attr;
    sigset_t all, before;
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->changed, NULL);
    t->fn = NULL;
    t->stop = false;
    if (pthread_attr_init(&attr) != 0)
        return false;
    pthread_attr_setstacksize(&attr, STACK_BYTES);
    // Signals of the application are for threads of the application.
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool was_bound = weft_thread_unbind();
    t->running = pthread_create(&t->thread, &attr, serve, t) == 0;
    weft_thread_rebind(was_bound);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
    return t->running;
}

void weft_private_thread_run(struct weft_private_thread *t, void (*fn)(void *arg), void *arg)
{
    if (!t->running) {
        fn(arg);
        return;
    }
    // If this thread were cancelled, fn would continue with an argument on a stack that is gone.
    WEFT_NOT_CANCELLED;
    pthread_mutex_lock(&t->lock);
    t->arg = arg;
    t->fn = fn;
    pthread_cond_signal(&t->changed);
    while (t->fn)
        pthread_cond_wait(&t->changed, &t->lock);
    pthread_mutex_unlock(&t->lock);
}

void weft_private_thread_end(struct weft_private_thread *t)
{
    if (!t->running)
        return;
    pthread_mutex_lock(&t->lock);
    t->stop = true;
    pthread_cond_signal(&t->changed);
    pthread_mutex_unlock(&t->lock);
    pthread_join(t->thread, NULL);
    weft_private_thread_forget(t);
}

void weft_private_thread_forget(struct weft_private_thread *t)
{
    t->running = false;
    t->fn = NULL;
}

// ---- The table ----

// *arg: set to whether this thread now has its own table, with all three standard streams open.
static void leave_applications_table(void *arg)
{
    bool *ok = arg;
    bool messages = weft_log_level_now >= WEFT_LOG_WARN;
    *ok = syscall(SYS_close_range, 3u, ~0u, CLOSE_RANGE_UNSHARE) == 0; // needs Linux 5.9
    int null = *ok ? open("/dev/null", O_RDWR | O_CLOEXEC) : -1;
    for (int fd = 0; fd < 3 && *ok; fd++)
        if (fd != null && !(fd == STDERR_FILENO && messages && fcntl(fd, F_GETFD) >= 0))
            *ok = null >= 0 && dup3(null, fd, O_CLOEXEC) == fd;
    if (null > STDERR_FILENO)
        close(null);
}

static bool open_locked(void)
{
    bool ok = false;
    if (table.opener.running)
        return true;
    if (WEFT_ONE_TABLE || table.ended || !create(&table.opener))
        return false;
    weft_private_thread_run(&table.opener, leave_applications_table, &ok);
    if (!ok)
        weft_private_thread_end(&table.opener);
    return ok;
}

static void create_here(void *arg)
{
    create(arg);
}

bool weft_private_thread_start(struct weft_private_thread *t)
{
    pthread_mutex_lock(&table.lock);
    if (open_locked())
        weft_private_thread_run(&table.opener, create_here, t);
    pthread_mutex_unlock(&table.lock);
    return t->running;
}

void weft_private_fd_table_call(void (*fn)(void *arg), void *arg)
{
    pthread_mutex_lock(&table.lock);
    if (table.opener.running)
        weft_private_thread_run(&table.opener, fn, arg);
    pthread_mutex_unlock(&table.lock);
}

void weft_private_fd_table_shutdown(void)
{
    pthread_mutex_lock(&table.lock);
    table.ended = true;
    weft_private_thread_end(&table.opener);
    pthread_mutex_unlock(&table.lock);
}
