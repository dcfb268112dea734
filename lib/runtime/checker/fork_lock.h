// Locks of the checker across forks: a fork waits for the lock, and the child gets it free.
#ifndef WEFT_RUNTIME_CHECKER_FORK_LOCK_H
#define WEFT_RUNTIME_CHECKER_FORK_LOCK_H

#include <pthread.h>

#include "base/base.h"

// Defines know_forks(), which is to be called once, before the lock is taken for the first time. A lock that
// is taken under another one must be known before that one: a fork takes the latest one first.
#define WEFT_FORK_LOCK(lock)                                 \
    static void fork_prepare(void)                           \
    {                                                        \
        pthread_mutex_lock(&(lock));                         \
    }                                                        \
    static void fork_parent(void)                            \
    {                                                        \
        pthread_mutex_unlock(&(lock));                       \
    }                                                        \
    static void fork_child(void)                             \
    {                                                        \
        pthread_mutex_init(&(lock), NULL);                   \
    }                                                        \
    static void know_forks(void)                             \
    {                                                        \
        weft_at_fork(fork_prepare, fork_parent, fork_child); \
    }

#endif
