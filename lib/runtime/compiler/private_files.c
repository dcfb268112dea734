// Starts a thread for each call, because a thread can't return to a descriptor table that it has left. Owns
// nothing between calls, so forks and unloading need no care.
#include "runtime/compiler/private_files.h"

#include <linux/close_range.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/base.h"

#define STACK_BYTES (512u << 10) // dlopen runs on it

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

void weft_private_files_call(void (*fn)(void *arg), void *arg)
{
    WEFT_NOT_CANCELLED;
    struct call c = {fn, arg, false};
    pthread_attr_t attr;
    if (!WEFT_ONE_TABLE && pthread_attr_init(&attr) == 0) {
        sigset_t all, before;
        pthread_t thread;
        pthread_attr_setstacksize(&attr, STACK_BYTES);
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        bool started = pthread_create(&thread, &attr, run, &c) == 0;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        pthread_attr_destroy(&attr);
        if (started)
            pthread_join(thread, NULL);
    }
    if (!c.done)
        fn(arg);
}
