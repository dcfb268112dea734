// Which process this is, and whether it ends. A child that was made without fork(), by clone or vfork, has the memory of its parent, perhaps shares it, but
// none of its threads, and no handler of pthread_atfork has run. When it calls exit() instead of _exit(), destructors must leave
// everything alone: there is nobody to wait for, and what they would free may be the parent's.
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/base.h"

void weft_at_fork(void (*prepare)(void), void (*parent)(void), void (*child)(void))
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    const int error = pthread_atfork(prepare, parent, child);
    if (error && weft_log_level_now >= WEFT_LOG_ERROR && !atomic_flag_test_and_set(&told))
        weft_log(WEFT_LOG_ERROR,
                 "handlers of fork can't be registered (%s): a forked child shouldn't use OpenCL",
                 error == ENOMEM ? "no memory" : "pthread_atfork");
}

void weft_lock_after_fork(pthread_mutex_t *m)
{
    if (pthread_mutex_trylock(m) == 0)
        pthread_mutex_unlock(m);
    else
        pthread_mutex_init(m, NULL);
}

static pid_t process; // changed in a forked child's first moment only

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

// Nothing tells a destructor whether the process ends or the library alone goes. What is registered with exit for no library
// stays registered when this one has gone, so it must be a function of the C library's, with an argument that stays: a page for
// each load. Both functions are the C library's own: the thread sanitizer's, which an application may bring along, hang at exit.
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
