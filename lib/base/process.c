// Which process this is. A child that was made without fork(), by clone or vfork, has the memory of its parent, perhaps shares it, but
// none of its threads, and no handler of pthread_atfork has run. When it calls exit() instead of _exit(), destructors must leave
// everything alone: there is nobody to wait for, and what they would free may be the parent's.
#include <pthread.h>
#include <unistd.h>

#include "base.h"

static pid_t process; // changed in a forked child's first moment only

static void remember(void)
{
    process = getpid();
}

__attribute__((constructor(101))) static void remember_at_load(void)
{
    remember();
    pthread_atfork(NULL, NULL, remember);
}

bool weft_process_is_known(void)
{
    return process == getpid();
}
