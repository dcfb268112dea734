// Starts a thread for each call, because a thread can't return to a descriptor table that it has left. Owns
// nothing between calls, so forks and unloading need no care.
#include "base/private_files.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/base.h"

#define STACK_BYTES (512u << 10) // dlopen runs on it
enum { STDERR_PATIENCE_MS = 100 };

struct call {
    void (*fn)(void *arg);
    void *arg;
    bool done;
};

static void *run(void *arg)
{
    struct call *c = arg;
    // The application's files aren't kept: a pipe that the application closes would stay open. Its standard
    // streams are copied for the time of the call, so that output to them doesn't end up in a file of fn's.
    if (syscall(SYS_close_range, 3u, ~0u, CLOSE_RANGE_UNSHARE) != 0)
        return NULL; // before Linux 5.9
    c->fn(c->arg);
    c->done = true;
    return NULL;
}

// Puts /dev/null in the place of stderr, for this thread alone.
static bool silence(void)
{
    if (WEFT_ONE_TABLE)
        return true;
    // The second way is for Linux before 5.9. It holds the application's files open during the call.
    if (syscall(SYS_close_range, 3u, ~0u, CLOSE_RANGE_UNSHARE) != 0 && unshare(CLONE_FILES) != 0)
        return false;
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0) // there is no /dev: a file that fn opens for reading may get the number, which does as well
        return close(STDERR_FILENO) == 0 || errno == EBADF;
    if (null == STDERR_FILENO)
        return true;
    bool ok = dup3(null, STDERR_FILENO, O_CLOEXEC) == STDERR_FILENO;
    close(null);
    return ok;
}

static bool lock_stderr(void)
{
    bool locked = ftrylockfile(stderr) == 0;
    for (int ms = 0; !locked && ms < STDERR_PATIENCE_MS; ms++) {
        usleep(1000);
        locked = ftrylockfile(stderr) == 0;
    }
    return locked;
}

static void *run_silently(void *arg)
{
    struct call *c = arg;
    if (!lock_stderr())
        return NULL;
    // The application may have given the stream a buffer. Its text goes where it belongs, and fn's doesn't.
    fflush(stderr);
    if (silence()) {
        c->fn(c->arg);
        fflush(stderr);
        c->done = true;
    }
    funlockfile(stderr);
    return NULL;
}

// Runs `main` on a thread with all signals blocked, and waits for its end.
static void call_on_thread(void *(*main)(void *), struct call *c)
{
    pthread_attr_t attr;
    if (pthread_attr_init(&attr) != 0)
        return;
    sigset_t all, before;
    pthread_t thread;
    pthread_attr_setstacksize(&attr, STACK_BYTES);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&thread, &attr, main, c) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
    if (started)
        pthread_join(thread, NULL);
}

void weft_private_files_call(void (*fn)(void *arg), void *arg)
{
    WEFT_NOT_CANCELLED;
    struct call c = {fn, arg, false};
    if (!WEFT_ONE_TABLE)
        call_on_thread(run, &c);
    if (!c.done)
        fn(arg);
}

bool weft_private_files_call_silently(void (*fn)(void *arg), void *arg)
{
    WEFT_NOT_CANCELLED;
    struct call c = {fn, arg, false};
    call_on_thread(run_silently, &c);
    return c.done;
}
