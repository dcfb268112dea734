// Finds out which process this is, and whether it is ending. A child made by clone or vfork, not by fork(),
// has a copy of its parent's memory or shares it. But it has none of the parent's threads, and no
// pthread_atfork handler has run. If it calls exit() instead of _exit(), our destructors must do nothing:
// there is nobody to wait for, and the memory may be the parent's.
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/base.h"

void weft_at_fork(void (*prepare)(void), void (*parent)(void), void (*child)(void))
{
    static atomic_flag reported = ATOMIC_FLAG_INIT;
    const int error = pthread_atfork(prepare, parent, child);
    if (error && weft_log_level_now >= WEFT_LOG_ERROR && !atomic_flag_test_and_set(&reported))
        weft_log(WEFT_LOG_ERROR, "fork handlers can't be registered (%s): a forked child must not use OpenCL",
                 error == ENOMEM ? "no memory" : "pthread_atfork");
}

void weft_lock_after_fork(pthread_mutex_t *m)
{
    if (pthread_mutex_trylock(m) == 0)
        pthread_mutex_unlock(m);
    else
        pthread_mutex_init(m, NULL);
}

static pid_t process; // changes only in a forked child, before it does anything else

static void remember(void)
{
    process = getpid();
}

__attribute__((constructor(101))) static void remember_at_load(void)
{
    remember();
    weft_at_fork(NULL, NULL, remember);
}

bool weft_process_is_known(void)
{
    return process == getpid();
}

// A destructor can't find out directly whether the process ends or only the library is unloaded. So a
// function is registered with exit that belongs to no library: it stays registered after this library is
// unloaded. It must be a function of the C library, and its argument must stay valid: one page for each load.
// Both functions come from the C library itself, because the thread sanitizer's versions, which an
// application may bring along, hang at exit.
static sem_t *ending;

__attribute__((constructor(101))) static void know_the_end(void)
{
    void *library = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    if (!library)
        return;
    int (*at_exit)(void (*handler)(void *arg), void *arg, void *of) =
        (int (*)(void (*)(void *), void *, void *))(uintptr_t)dlsym(library, "__cxa_atexit");
    void (*post)(void *) = (void (*)(void *))(uintptr_t)dlsym(library, "sem_post");
    sem_t *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (s != MAP_FAILED && (!at_exit || !post || sem_init(s, 0, 0) != 0 || at_exit(post, s, NULL) != 0))
        munmap(s, sizeof *s);
    else if (s != MAP_FAILED)
        ending = s;
    dlclose(library);
}

bool weft_process_is_ending(void)
{
    int posted = 1;
    return !ending || (sem_getvalue(ending, &posted) == 0 && posted > 0);
}

bool weft_process_has_begun_to_end(void)
{
    return ending && weft_process_is_ending();
}
